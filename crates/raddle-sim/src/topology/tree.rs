//! Trees of two and three tiers, from the numbers that fix their shape.

use super::shape_error::{MAX_PORTS, ShapeError};
use super::{Fabric, Node, Port, Switch};
use crate::topology::routing::{Forwarding, TreeSwitch};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Rate, Span};

/// The shape of a tree; every generator and importer of trees fills one of these.
///
/// Two tiers: ToRs and `aggs_per_pod` spines in a single pod. Three tiers: pods of ToRs and
/// aggregation switches; aggregation switch `j` of every pod is cabled to the same
/// `cores / aggs_per_pod` core switches.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeShape {
    /// 2 or 3.
    pub tiers: u32,
    /// Hosts in all.
    pub hosts: u32,
    /// Hosts below each ToR.
    pub hosts_per_tor: u32,
    /// ToRs in each pod; in two tiers, all of them.
    pub tors_per_pod: u32,
    /// Aggregation switches in each pod; in two tiers, the spines.
    pub aggs_per_pod: u32,
    /// Core switches; 0 in two tiers.
    pub cores: u32,
    /// Parallel cables between a ToR and each switch above it, and between an aggregation switch
    /// and each of its core switches.
    pub parallel: [u32; 2],
    /// Rates of host, ToR-to-agg and agg-to-core links.
    pub rates: [Rate; 3],
    /// Propagation delays of the same links.
    pub delays: [Span; 3],
    /// Latencies of ToRs, aggregation and core switches.
    pub switch_delays: [Span; 3],
}

/// Where every switch's ports begin, and how many there are of each kind.
struct Layout {
    hosts_per_pod: u32,
    tors: u32,
    aggs: u32,
    cores: u32,
    cores_per_agg: u32,
    tor_up: u32,
    agg_down: u32,
    agg_up: u32,
    core_down: u32,
    first_tor_port: u32,
    first_agg_port: u32,
    first_core_port: u32,
}

impl TreeShape {
    /// The fabric of this shape.
    ///
    /// Hosts are numbered along the ToRs, ToRs and aggregation switches along the pods. Switches
    /// are named `tor0`, `agg0`, `core0` (two tiers: `tor0`, `spine0`), ports `tor0.down3`,
    /// `tor0.up1`, `host7`. Parallel cables are neighbours in a switch's port order.
    ///
    /// # Errors
    /// If the numbers do not fit together; the error names them and what would fit.
    pub fn build(&self) -> Result<Fabric, ShapeError> {
        let layout = self.layout()?;
        let mut ports = Vec::with_capacity(self.port_count(&layout) as usize);
        self.push_host_ports(&layout, &mut ports);
        let mut fabric = Fabric {
            host_latency: Span::ZERO,
            hosts: self.hosts,
            planes: 1,
            switches: Vec::with_capacity((layout.tors + layout.aggs + layout.cores) as usize),
            ports,
            forwarding: Forwarding::Tree(Vec::new()),
            circuits: None,
            scale_up: None,
        };
        let mut forwarding = Vec::with_capacity(fabric.switches.capacity());
        self.push_tors(&layout, &mut fabric, &mut forwarding);
        self.push_aggs(&layout, &mut fabric, &mut forwarding);
        self.push_cores(&layout, &mut fabric, &mut forwarding);
        fabric.forwarding = Forwarding::Tree(forwarding);
        Ok(fabric)
    }

    pub(super) fn validate(&self) -> Result<(), ShapeError> {
        if !(2..=3).contains(&self.tiers) {
            return Err(ShapeError::Tiers(self.tiers));
        }
        if self.hosts < 2 {
            return Err(ShapeError::Hosts(self.hosts));
        }
        let three = self.tiers == 3;
        let upper = if three { "aggs_per_pod" } else { "spines" };
        let quantities = [
            ("hosts_per_tor", u64::from(self.hosts_per_tor), true),
            ("tors_per_pod", u64::from(self.tors_per_pod), true),
            (upper, u64::from(self.aggs_per_pod), true),
            ("parallel", u64::from(self.parallel[0]), true),
            ("cores", u64::from(self.cores), three),
            ("parallel (to the core)", u64::from(self.parallel[1]), three),
            ("the rate of host links", self.rates[0].0, true),
            ("the rate of ToR uplinks", self.rates[1].0, true),
            ("the rate of core links", self.rates[2].0, three),
        ];
        if let Some((what, ..)) = quantities.iter().find(|(_, n, needed)| *needed && *n == 0) {
            return Err(ShapeError::Zero { what });
        }
        split("hosts", self.hosts, self.hosts_per_tor, || {
            format!("ToRs of {} hosts", self.hosts_per_tor)
        })?;
        let tors = self.hosts / self.hosts_per_tor;
        if three {
            split(
                "hosts",
                self.hosts,
                self.hosts_per_tor.saturating_mul(self.tors_per_pod),
                || format!("pods of {} ToRs of {} hosts", self.tors_per_pod, self.hosts_per_tor),
            )?;
            split("cores", self.cores, self.aggs_per_pod, || {
                format!("equal groups for the {} aggregation switches of a pod", self.aggs_per_pod)
            })
        } else if self.cores != 0 {
            Err(ShapeError::Unused { what: "cores", why: "a tree of two tiers has spines only" })
        } else if self.tors_per_pod != tors {
            Err(ShapeError::OnePod { tors, tors_per_pod: self.tors_per_pod })
        } else {
            Ok(())
        }
    }

    fn layout(&self) -> Result<Layout, ShapeError> {
        self.validate()?;
        let tors = self.hosts / self.hosts_per_tor;
        let pods = tors / self.tors_per_pod;
        let three = u64::from(self.tiers == 3);
        let n = u64::from;
        // Counted wide, with products of two 32-bit values only, before anything narrow is.
        let aggs = n(pods) * n(self.aggs_per_pod);
        let tor_up = n(self.aggs_per_pod) * n(self.parallel[0]);
        let uplinks = n(tors).saturating_mul(tor_up);
        let core_cables = (three * n(pods) * n(self.cores)).saturating_mul(n(self.parallel[1]));
        let ports = (2 * n(self.hosts))
            .saturating_add(uplinks.saturating_mul(2))
            .saturating_add(core_cables.saturating_mul(2));
        if ports > MAX_PORTS {
            return Err(ShapeError::TooLarge { ports });
        }
        let cores_per_agg = self.cores / self.aggs_per_pod;
        let layout = Layout {
            hosts_per_pod: self.hosts_per_tor * self.tors_per_pod,
            tors,
            aggs: aggs as u32,
            cores: self.cores,
            cores_per_agg,
            tor_up: tor_up as u32,
            agg_down: self.tors_per_pod * self.parallel[0],
            agg_up: cores_per_agg * self.parallel[1],
            core_down: if three == 1 { pods * self.parallel[1] } else { 0 },
            first_tor_port: self.hosts,
            first_agg_port: 2 * self.hosts + uplinks as u32,
            first_core_port: 2 * self.hosts + 2 * uplinks as u32 + core_cables as u32,
        };
        Ok(layout)
    }

    fn port_count(&self, layout: &Layout) -> u32 {
        layout.first_core_port + layout.cores * layout.core_down
    }

    fn tor_port(&self, layout: &Layout, tor: u32) -> u32 {
        layout.first_tor_port + tor * (self.hosts_per_tor + layout.tor_up)
    }

    fn push_host_ports(&self, layout: &Layout, ports: &mut Vec<Port>) {
        for host in 0..self.hosts {
            let tor = host / self.hosts_per_tor;
            ports.push(Port {
                name: format!("host{host}"),
                owner: Node::Host(HostId(host)),
                peer: PortId(self.tor_port(layout, tor) + host % self.hosts_per_tor),
                rate: self.rates[0],
                delay: self.delays[0],
                up: true,
            });
        }
    }

    /// Adds a switch with its ports; `down` and `up` give the peers, `layer` the links' kind.
    fn push_switch(
        &self,
        fabric: &mut Fabric,
        name: String,
        (tier, pod): (u8, Option<u32>),
        down: impl Iterator<Item = u32>,
        up: impl Iterator<Item = u32>,
    ) {
        let owner = Node::Switch(SwitchId(fabric.switches.len() as u32));
        let first = fabric.ports.len() as u32;
        let tier_index = usize::from(tier);
        let mut push = |kind: &str, i: usize, peer: u32, layer: usize| {
            fabric.ports.push(Port {
                name: format!("{name}.{kind}{i}"),
                owner,
                peer: PortId(peer),
                rate: self.rates[layer],
                delay: self.delays[layer],
                up: kind == "up",
            });
        };
        down.enumerate().for_each(|(i, peer)| push("down", i, peer, tier_index));
        up.enumerate().for_each(|(i, peer)| push("up", i, peer, tier_index + 1));
        let ports = first..fabric.ports.len() as u32;
        let latency = self.switch_delays[tier_index];
        fabric.switches.push(Switch { name, tier, pod, ports, latency });
    }

    fn push_tors(&self, layout: &Layout, fabric: &mut Fabric, forwarding: &mut Vec<TreeSwitch>) {
        for tor in 0..layout.tors {
            let (pod, hosts_low) = (tor / self.tors_per_pod, tor * self.hosts_per_tor);
            let hosts_high = hosts_low + self.hosts_per_tor;
            let up = (0..layout.tor_up).map(|i| {
                let agg = pod * self.aggs_per_pod + i / self.parallel[0];
                layout.agg_port(agg)
                    + tor % self.tors_per_pod * self.parallel[0]
                    + i % self.parallel[0]
            });
            self.push_switch(
                fabric,
                format!("tor{tor}"),
                (0, Some(pod)),
                hosts_low..hosts_high,
                up,
            );
            let down_first = PortId(self.tor_port(layout, tor));
            forwarding.push(TreeSwitch {
                hosts_low,
                hosts_high,
                hosts_per_down: 1,
                parallel: 1,
                down_first,
                up_first: PortId(down_first.0 + self.hosts_per_tor),
                up_count: layout.tor_up,
            });
        }
    }

    fn push_aggs(&self, layout: &Layout, fabric: &mut Fabric, forwarding: &mut Vec<TreeSwitch>) {
        let kind = if self.tiers == 3 { "agg" } else { "spine" };
        for agg in 0..layout.aggs {
            let (pod, position) = (agg / self.aggs_per_pod, agg % self.aggs_per_pod);
            let down = (0..layout.agg_down).map(|i| {
                let tor = pod * self.tors_per_pod + i / self.parallel[0];
                self.tor_port(layout, tor)
                    + self.hosts_per_tor
                    + position * self.parallel[0]
                    + i % self.parallel[0]
            });
            let up = (0..layout.agg_up).map(|i| {
                let core = position * layout.cores_per_agg + i / self.parallel[1];
                layout.core_port(core) + pod * self.parallel[1] + i % self.parallel[1]
            });
            self.push_switch(fabric, format!("{kind}{agg}"), (1, Some(pod)), down, up);
            let down_first = PortId(layout.agg_port(agg));
            forwarding.push(TreeSwitch {
                hosts_low: pod * layout.hosts_per_pod,
                hosts_high: (pod + 1) * layout.hosts_per_pod,
                hosts_per_down: self.hosts_per_tor,
                parallel: self.parallel[0],
                down_first,
                up_first: PortId(down_first.0 + layout.agg_down),
                up_count: layout.agg_up,
            });
        }
    }

    fn push_cores(&self, layout: &Layout, fabric: &mut Fabric, forwarding: &mut Vec<TreeSwitch>) {
        for core in 0..layout.cores {
            let (position, which) = (core / layout.cores_per_agg, core % layout.cores_per_agg);
            let down = (0..layout.core_down).map(|i| {
                let agg = i / self.parallel[1] * self.aggs_per_pod + position;
                layout.agg_port(agg)
                    + layout.agg_down
                    + which * self.parallel[1]
                    + i % self.parallel[1]
            });
            self.push_switch(fabric, format!("core{core}"), (2, None), down, std::iter::empty());
            let down_first = PortId(layout.core_port(core));
            forwarding.push(TreeSwitch {
                hosts_low: 0,
                hosts_high: self.hosts,
                hosts_per_down: layout.hosts_per_pod,
                parallel: self.parallel[1],
                down_first,
                up_first: PortId(down_first.0 + layout.core_down),
                up_count: 0,
            });
        }
    }
}

impl Layout {
    fn agg_port(&self, agg: u32) -> u32 {
        self.first_agg_port + agg * (self.agg_down + self.agg_up)
    }

    fn core_port(&self, core: u32) -> u32 {
        self.first_core_port + core * self.core_down
    }
}

fn split(
    what: &'static str,
    total: u32,
    multiple: u32,
    parts: impl Fn() -> String,
) -> Result<(), ShapeError> {
    if total.is_multiple_of(multiple) {
        Ok(())
    } else {
        Err(ShapeError::Split { what, total, parts: parts(), multiple })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::fat_tree::TreeOptions;
    use crate::topology::routing::Table;

    const RATE: Rate = Rate::gbps(400);

    fn fat_tree(tiers: u32, hosts: u32) -> Fabric {
        let shape = TreeShape::fat_tree(tiers, hosts, RATE, Span::ns(500), Span::ns(300));
        shape.unwrap().build().unwrap()
    }

    fn with(tiers: u32, hosts: u32, options: &TreeOptions) -> Fabric {
        TreeShape::fat_tree_with(tiers, hosts, RATE, Span::ns(500), Span::ns(300), options)
            .unwrap()
            .build()
            .unwrap()
    }

    /// Everything that must hold in any tree, whatever its numbers.
    fn is_sound(fabric: &Fabric) {
        for (i, port) in fabric.ports.iter().enumerate() {
            let peer = &fabric.ports[port.peer.index()];
            assert_eq!(peer.peer, PortId(i as u32), "{} and {}", port.name, peer.name);
            assert_ne!(port.up, peer.up, "{} and {}", port.name, peer.name);
            assert_eq!((port.rate, port.delay), (peer.rate, peer.delay));
        }
        for (i, switch) in fabric.switches.iter().enumerate() {
            for port in switch.ports.clone() {
                let port = &fabric.ports[port as usize];
                assert_eq!(port.owner, Node::Switch(SwitchId(i as u32)));
                assert!(port.name.starts_with(&format!("{}.", switch.name)));
            }
        }
        assert_eq!(fabric.switches.last().unwrap().ports.end as usize, fabric.ports.len());
        let table = Table::shortest(fabric, crate::topology::routing::Weighting::Equal, &|_| true);
        for switch in (0..fabric.switches.len() as u32).map(SwitchId) {
            for host in (0..fabric.host_ports()).map(PortId) {
                let computed = fabric.forwarding.ports(switch, host);
                let looked_up = table.ports(switch, host);
                let list = |ports: crate::topology::routing::Ports<'_>| {
                    (0..ports.count()).map(|i| ports.get(i)).collect::<Vec<_>>()
                };
                assert_eq!(list(computed), list(looked_up));
            }
        }
    }

    fn named(fabric: &Fabric, name: &str) -> PortId {
        fabric.port_named(name).unwrap_or_else(|| panic!("no port {name}"))
    }

    fn far_end<'a>(fabric: &'a Fabric, name: &str) -> &'a str {
        let peer = fabric.ports[named(fabric, name).index()].peer;
        &fabric.ports[peer.index()].name
    }

    fn choices(fabric: &Fabric, switch: &str, host: u32) -> usize {
        let switch = fabric.switch_named(switch).unwrap();
        fabric.forwarding.ports(switch, PortId(host)).count()
    }

    #[test]
    fn a_4_ary_fat_tree_has_its_known_cabling() {
        let fabric = fat_tree(3, 16);
        is_sound(&fabric);
        assert_eq!(fabric.switches.len(), 20);
        assert_eq!(fabric.ports.len(), 16 + 20 * 4);
        assert!(fabric.switches.iter().all(|switch| switch.ports.len() == 4));
        assert_eq!(far_end(&fabric, "host7"), "tor3.down1");
        assert_eq!(far_end(&fabric, "tor3.up1"), "agg3.down1");
        assert_eq!(far_end(&fabric, "agg3.up0"), "core2.down1");
        assert_eq!(far_end(&fabric, "core1.down3"), "agg6.up1");
        assert_eq!(choices(&fabric, "tor0", 15), 2);
        assert_eq!(choices(&fabric, "agg0", 15), 2);
        assert_eq!(choices(&fabric, "agg0", 3), 1);
        assert_eq!(choices(&fabric, "core0", 15), 1);
        assert_eq!(choices(&fabric, "tor0", 1), 1);
        let tiers: Vec<_> = ["tor7", "agg7", "core3"]
            .map(|name| &fabric.switches[fabric.switch_named(name).unwrap().index()])
            .map(|switch| (switch.tier, switch.pod))
            .to_vec();
        assert_eq!(tiers, [(0, Some(3)), (1, Some(3)), (2, None)]);
    }

    #[test]
    fn an_8_ary_fat_tree_has_its_known_numbers() {
        let fabric = fat_tree(3, 128);
        is_sound(&fabric);
        assert_eq!(fabric.switches.len(), 32 + 32 + 16);
        assert_eq!(fabric.ports.len(), 128 + 80 * 8);
        assert_eq!(choices(&fabric, "tor0", 127), 4);
        assert_eq!(choices(&fabric, "agg0", 127), 4);
    }

    #[test]
    fn two_tiers_meet_in_spines() {
        let fabric = fat_tree(2, 128);
        is_sound(&fabric);
        assert_eq!(fabric.switches.len(), 24);
        assert_eq!(fabric.ports.len(), 128 + 16 * 16 + 8 * 16);
        assert_eq!(far_end(&fabric, "tor5.up7"), "spine7.down5");
        assert_eq!(choices(&fabric, "tor0", 127), 8);
        assert_eq!(choices(&fabric, "spine0", 127), 1);
    }

    #[test]
    fn parallel_cables_are_neighbours_at_both_ends() {
        let options = TreeOptions { parallel: Some(2), ..TreeOptions::default() };
        for tiers in [2, 3] {
            let fabric = with(tiers, 128, &options);
            is_sound(&fabric);
            let upper = if tiers == 2 { "spine1" } else { "agg1" };
            assert_eq!(far_end(&fabric, "tor2.up2"), format!("{upper}.down4"));
            assert_eq!(far_end(&fabric, "tor2.up3"), format!("{upper}.down5"));
            assert_eq!(choices(&fabric, upper, 9), 2);
        }
        let fabric = with(3, 128, &options);
        assert_eq!(far_end(&fabric, "agg3.up6"), "core7.down2");
        assert_eq!(choices(&fabric, "core7", 127), 2);
    }

    #[test]
    fn four_to_one_and_odd_sizes_are_sound() {
        let four = TreeOptions { oversubscription: Some(4.0), ..TreeOptions::default() };
        let fabric = with(2, 128, &four);
        is_sound(&fabric);
        assert_eq!(choices(&fabric, "tor0", 127), 2);
        is_sound(&with(3, 128, &four));
        let odd =
            TreeOptions { hosts_per_tor: Some(3), tors_per_pod: Some(5), ..TreeOptions::default() };
        is_sound(&with(3, 45, &odd));
        is_sound(&fat_tree(2, 6));
    }

    #[test]
    fn tiers_may_differ_in_rate_delay_and_latency() {
        let mut shape = TreeShape::fat_tree(3, 16, RATE, Span::ns(500), Span::ns(300)).unwrap();
        shape.rates = [1, 2, 3].map(Rate::gbps);
        shape.delays = [10, 20, 30].map(Span::ns);
        shape.switch_delays = [100, 200, 300].map(Span::ns);
        let fabric = shape.build().unwrap();
        is_sound(&fabric);
        for (name, rate, latency) in [
            ("host0", 1, 10 + 100),
            ("tor0.up0", 2, 20 + 200),
            ("agg0.up0", 3, 30 + 300),
            ("core0.down0", 3, 30 + 200),
            ("agg0.down0", 2, 20 + 100),
            ("tor0.down0", 1, 10),
        ] {
            let port = named(&fabric, name);
            assert_eq!(fabric.ports[port.index()].rate, Rate::gbps(rate), "{name}");
            assert_eq!(fabric.latency(port), Span::ns(latency), "{name}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let shape = TreeShape::fat_tree(3, 128, RATE, Span::ns(500), Span::ns(300)).unwrap();
        let broken = |change: &dyn Fn(&mut TreeShape)| {
            let mut shape = shape.clone();
            change(&mut shape);
            shape.build().unwrap_err().to_string()
        };
        assert_eq!(
            broken(&|s| s.cores = 18),
            "cores = 18 cannot be split into equal groups for the 4 aggregation switches of a \
             pod; nearest: 16 or 20"
        );
        assert_eq!(
            broken(&|s| s.tors_per_pod = 5),
            "hosts = 128 cannot be split into pods of 5 ToRs of 4 hosts; nearest: 120 or 140"
        );
        assert_eq!(
            broken(&|s| s.hosts_per_tor = 200),
            "hosts = 128 cannot be split into ToRs of 200 hosts; nearest: 200"
        );
        assert!(broken(&|s| s.rates[2] = Rate(0)).contains("rate of core links"));
        assert!(broken(&|s| (s.tiers, s.cores) = (2, 0)).contains("one pod"));
        assert!(broken(&|s| s.tiers = 2).contains("cores has no meaning"));
    }

    #[test]
    fn the_port_limit_holds() {
        // A ToR of h hosts under s spines: 2 h + 2 s ports.
        let at = |spines: u32| {
            TreeShape::leaf_spine(1, 2, spines, 1, RATE, Span::ns(1), Span::ns(1))
                .unwrap()
                .layout()
                .map(|_| ())
        };
        let most = (MAX_PORTS / 2 - 2) as u32;
        assert_eq!(at(most), Ok(()));
        assert_eq!(at(most + 1), Err(ShapeError::TooLarge { ports: MAX_PORTS + 2 }));
        let all = TreeShape {
            tiers: 3,
            hosts: u32::MAX,
            hosts_per_tor: 1,
            tors_per_pod: 1,
            aggs_per_pod: u32::MAX,
            cores: u32::MAX,
            parallel: [u32::MAX; 2],
            rates: [RATE; 3],
            delays: [Span::ns(1); 3],
            switch_delays: [Span::ns(1); 3],
        };
        assert_eq!(all.build(), Err(ShapeError::TooLarge { ports: u64::MAX }));
    }
}
