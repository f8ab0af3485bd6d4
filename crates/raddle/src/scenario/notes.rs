//! What runs, and is rarely meant: flow control without headroom, windows of few packets, paces
//! and least rates that links cannot carry, settings of pairs with one message each.

use super::fabric::FabricSection;
use super::memory::Memory;
use super::reader::Log;
use super::sizes::Sizes;
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{FlowContext, congestion, recovery};
use raddle_sim::bound::rho_max::rho_max;
use raddle_sim::faults::Faults;
use raddle_sim::headroom::pause_headroom;
use raddle_sim::lossless::leak;
use raddle_sim::plan::{BufferPlan, Connections, Overflow, PairOrder, Pfc, PfcLinks, Plan};
use raddle_sim::topology::{Fabric, Node, Port};
use raddle_sim::workload::{Flow, Start};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer packets in flight than these leave a flow without others to go on with.
const FEW: u64 = 4;

/// Notes on a plan that need its traffic: settings of pairs of hosts that have one message each, a pace
/// that its links cannot carry for all flows at once, least rates that no host's link can, and headers
/// that can starve data.
pub fn notes_on(plan: &Plan) -> Vec<String> {
    let (pairs, paces) = (pairs(plan), pace(plan).into_iter().chain(least_rates(plan)));
    pairs.into_iter().chain(paces).chain(headers(plan)).collect()
}

/// Notes flows that begin together at one host's link and whose least rates it cannot carry. Those
/// that are through within a round trip are no matter: they never hear of anything.
fn least_rates(plan: &Plan) -> Option<String> {
    let least = |number: u8, rate: Rate| {
        let context = FlowContext { rate, ..FlowContext::NOMINAL };
        plan.transport.congestion_of(number).build(&context).least_rate()
    };
    let numbers: BTreeSet<u8> = plan.traffic.flows.iter().map(|flow| flow.transport).collect();
    if numbers.iter().all(|&number| least(number, FlowContext::NOMINAL.rate).is_none()) {
        return None;
    }
    let (fabric, flows) = (&plan.fabric, &plan.traffic.flows);
    let rtt = fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
    let rate_of = |host: HostId| fabric.host_rate(host);
    let long = flows.iter().filter(|flow| flow.bytes > rate_of(flow.source).bytes_in(rtt));
    let ends = long.flat_map(|flow| {
        let Start::At(start) = flow.start else { return Vec::new() };
        let own = least(flow.transport, rate_of(flow.source)).unwrap_or_default();
        let end = |sends, host| (sends, host, start, own, flow.transport);
        vec![end(false, flow.destination), end(true, flow.source)]
    });
    let mut ends: Vec<(bool, HostId, Time, Rate, u8)> = ends.collect();
    ends.sort_unstable_by_key(|(sends, host, start, ..)| (*sends, *host, *start));
    let together = ends.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2));
    let mut worst: Option<(Rate, &[_])> = None;
    for flows in together {
        let sum = Rate(flows.iter().map(|(_, _, _, least, _)| least.0).sum());
        if sum > rate_of(flows[0].1) && worst.is_none_or(|(most, _)| sum > most) {
            worst = Some((sum, flows));
        }
    }
    let (sum, flows) = worst?;
    let (sends, host, _, least, transport) = flows[0];
    let (count, scheme) = (flows.len(), plan.transport.congestion_of(transport).card().name);
    let link = if sends { "from" } else { "to" };
    Some(format!(
        "the {count} flows that begin together {link} host{} have least rates of {sum} together \
         ({least} each, `min_rate` of `{scheme}`), and its link carries {}: they never come to rest",
        host.0,
        rate_of(host)
    ))
}

/// Notes what is set for the messages of a pair of hosts where none has two.
fn pairs(plan: &Plan) -> Vec<String> {
    let transport = &plan.transport;
    let mut notes = Vec::new();
    let mut none_has_two = |key: &str, value: &str, whose: &str, alone: bool| {
        if alone {
            notes.push(format!(
                "`{key} = \"{value}\"` has no effect: no two messages go from one host to \
                 another{whose}"
            ));
        }
    };
    if transport.connections == Connections::Pair {
        let alone = all_differ(plan, |flow| (flow.source, flow.destination));
        none_has_two("connections", transport.connections.word(), "", alone);
    }
    if transport.pair_order == PairOrder::Fifo {
        let ends = |flow: &Flow| {
            (flow.source, flow.destination, flow.class, flow.load_balance, flow.transport)
        };
        let whose = " in one class, with one path selector and one transport";
        none_has_two("pair_order", transport.pair_order.word(), whose, all_differ(plan, ends));
    }
    notes
}

fn all_differ<K: Ord>(plan: &Plan, key: impl FnMut(&Flow) -> K) -> bool {
    let mut keys: Vec<K> = plan.traffic.flows.iter().map(key).collect();
    keys.sort_unstable();
    keys.is_sorted_by(|one, next| one < next)
}

fn pace(plan: &Plan) -> Option<String> {
    let numbers: BTreeSet<u8> = plan.traffic.flows.iter().map(|flow| flow.transport).collect();
    let paces = numbers.iter().filter_map(|&number| {
        let pace_of = |rate: Rate| {
            let context = FlowContext { rate, ..FlowContext::NOMINAL };
            plan.transport.congestion_of(number).build(&context).limits().rate
        };
        // One that follows the line is where a control begins, and nobody asked for it.
        let pace = pace_of(FlowContext::NOMINAL.rate)?;
        (pace_of(Rate(FlowContext::NOMINAL.rate.0 / 2)) == Some(pace)).then_some(pace)
    });
    let pace = paces.max()?;
    let most = rho_max(plan).ok().filter(|most| pace > *most)?;
    Some(format!(
        "flows are paced at {pace}, above rho_max, {most}, which all of them can have at once: \
         queues grow until something slows them"
    ))
}

/// Notes an incast of so many senders that the headers of their trimmed packets alone can fill the
/// receiver's link, each sender's window being a packet at least.
fn headers(plan: &Plan) -> Option<String> {
    let (queue, transport) = (&plan.queue, &plan.transport);
    if queue.overflow != Overflow::Trim || queue.control_weight.is_some() {
        return None;
    }
    let numbers: BTreeSet<u8> = plan.traffic.flows.iter().map(|flow| flow.transport).collect();
    let by_window = |number: &u8| {
        let control = transport.congestion_of(*number).build(&FlowContext::NOMINAL);
        control.pulls().is_none() && control.limits().rate.is_none()
    };
    let by_window: BTreeSet<u8> = numbers.into_iter().filter(by_window).collect();
    let flows = plan.traffic.flows.iter().filter(|flow| by_window.contains(&flow.transport));
    let mut pairs: Vec<(HostId, HostId)> =
        flows.map(|flow| (flow.destination, flow.source)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut receivers = BTreeMap::<HostId, u64>::new();
    for (_, source) in &pairs {
        *receivers.entry(*source).or_default() += 1;
    }
    let port = |host: HostId| &plan.fabric.ports[host.0 as usize];
    let time = |rate: Rate, size: Bytes| rate.serialisation(size + queue.gap).0 as f64;
    // The share of the link that headers of one host take: one in a round trip, on the last hop of
    // which it is a header, or in the packet's turn at the NIC.
    let load = |&(receiver, sender): &(HostId, HostId)| {
        let rtt = plan.fabric.base_rtt(sender, receiver, plan.packet(), transport.ack);
        let last = port(receiver).rate;
        let header = time(last, transport.header);
        let rtt = rtt.0 as f64 - time(last, plan.packet()) + header;
        let turn = time(port(sender).rate, plan.packet()) * receivers[&sender] as f64;
        header / turn.max(rtt)
    };
    let incasts = pairs.chunk_by(|one, next| one.0 == next.0);
    let (most, senders) = incasts
        .map(|incast| (incast.iter().map(load).sum::<f64>(), incast.len()))
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    (most > 1.0).then(|| {
        format!(
            "{senders} hosts send to one: the headers of one trimmed packet of each in a round trip \
             need {:.0} % of its link and can keep data waiting for ever; `control_weight = 10` in \
             `queue` gives data turns, as NDP does",
            most * 100.0
        )
    })
}

/// Notes windows of few packets at the slowest host, if messages are longer than they.
pub(super) fn windows(
    congestion: &congestion::Config,
    fabric: &Fabric,
    sizes: &Sizes,
    largest: Bytes,
    log: &Log,
) {
    let hosts = fabric.ports.iter().filter(|port| matches!(port.owner, Node::Host(_)));
    let Some(rate) = hosts.map(|port| port.rate).min() else { return };
    let base = sizes.base(rate, Bytes(0));
    let values = congestion.values();
    for key in ["max_window", "window", "initial_window"] {
        let Some((_, text)) = values.iter().find(|(name, _)| *name == key) else { continue };
        let Ok(size) = text.trim_matches('"').parse::<Size>() else { continue };
        let window = size.resolve(&base);
        if window >= Bytes(FEW * sizes.packet.0) || window >= largest {
            continue;
        }
        let packets = window.0 as f64 / sizes.packet.0 as f64;
        return log.note(format!(
            "`{key}` of `{}` is {packets:.1} packets: with fewer than {FEW} in flight, one that is \
             lost or late holds up the flow",
            congestion.card().name
        ));
    }
}

/// Notes a recovery that is not the one that belongs to its congestion control, where queues are deeper
/// than a BDP. `drain` is how long a full one takes, if it has an end.
pub(super) fn recovery(
    congestion: &congestion::Config,
    (recovery, key): (&recovery::Config, &str),
    drain: Option<Span>,
    sizes: &Sizes,
    log: &Log,
) {
    let Some(own) = congestion.recovery() else { return };
    let (name, other) = (congestion.card().name, recovery.card().name);
    let unloaded = sizes.longest_rtt;
    if other == own || drain.is_some_and(|drain| drain <= unloaded) {
        return;
    }
    let queue = match drain {
        Some(drain) => format!("a full queue takes {drain}"),
        None => "queues have no limit".to_owned(),
    };
    log.note(format!(
        "`{name}` has `{other}` as its recovery in {key}, and {queue}, an unloaded round trip \
         {unloaded}: a timeout or a threshold that does not follow round trips sends packets again \
         that only wait; `{own}`, which it has where none is set, does not"
    ));
}

/// What can come in at a port before its far end pauses.
#[derive(Clone, Copy, Default)]
struct Inflow {
    ports: u64,
    /// Until the count is above `xoff`.
    xoff: u64,
    /// From then on.
    headroom: u64,
}

impl Inflow {
    fn and(self, other: Self) -> Self {
        Self {
            ports: self.ports + other.ports,
            xoff: self.xoff.saturating_add(other.xoff),
            headroom: self.headroom.saturating_add(other.headroom),
        }
    }

    fn bytes(self) -> u64 {
        self.xoff.saturating_add(self.headroom)
    }
}

/// Notes flow control that takes on more than queues have room for, and more than memory that ports
/// share has: docs/model.md says when it does not.
pub(super) fn headroom(
    section: &FabricSection,
    (fabric, faults): (&Fabric, &Faults),
    sizes: &Sizes,
    log: &Log,
) {
    let (queue, Some(pfc)) = (&section.queue.plan, &section.queue.plan.pfc) else { return };
    // Where switches tell hosts alone, what other switches send is lost as it ever was.
    if pfc.links == PfcLinks::Hosts {
        return;
    }
    if let Some(own) = &section.buffer {
        let has_tor = section.tor.is_some();
        if let Some(leak) = leak(queue, Some(&own.plan), faults, has_tor) {
            log.note(format!(
                "frames of lossless classes can be lost for want of room: {}",
                leak.text()
            ));
        }
        if !pfc.by_memory() {
            shared_headroom(section, &own.plan, (fabric, faults), sizes, log);
        }
        return;
    }
    let room = |port: &Port| queue.size.resolve(&sizes.base(port.rate, Bytes(0)));
    // The port with the least left for `xoff`, and what may come for it.
    let mut worst: Option<(i128, &Port, Inflow)> = None;
    for switch in &fabric.switches {
        let own = || switch.ports.clone().map(|id| (PortId(id), &fabric.ports[id as usize]));
        let inflow = |(id, port): (PortId, &Port)| {
            let base = sizes.base(port.rate, room(port));
            let headroom = pause_headroom(fabric, faults, id, sizes.packet, queue.gap).0;
            Inflow { ports: 1, xoff: pfc.xoff.resolve(&base).0, headroom }
        };
        for (id, port) in own() {
            // What came from above does not go up again.
            let feeds = |(other, from): &(PortId, &Port)| *other != id && !(port.up && from.up);
            let all = own().filter(feeds).map(inflow).fold(Inflow::default(), Inflow::and);
            if all.ports == 0 || all.bytes() <= room(port).0 {
                continue;
            }
            let left =
                (i128::from(room(port).0) - i128::from(all.headroom)) / i128::from(all.ports);
            if worst.as_ref().is_none_or(|(least, ..)| left < *least) {
                worst = Some((left, port, all));
            }
        }
    }
    if let Some((left, port, all)) = worst {
        let would_do = match u64::try_from(left).ok().filter(|left| *left >= sizes.packet.0) {
            Some(xoff) => format!("`xoff` of at most {xoff} B"),
            None => format!("a `size` of at least {} B", all.bytes()),
        };
        let so = if pfc.watchdog.is_some() {
            "flow control can lose frames, since queues drop what is beyond their `size` where a watchdog \
             may send on in spite of pauses"
        } else {
            "a queue can hold more than its `size`, since flow control has taken that on"
        };
        log.note(format!(
            "{so}: that of `{}` is {} B, and what comes in at {} of its switch's ports may be {} B before \
             all of them pause; {would_do} would keep it within",
            port.name,
            room(port).0,
            all.ports,
            all.bytes()
        ));
    }
    renewal(pfc, fabric, sizes.packet + queue.gap, log);
}

/// Notes memory that ports share and that can lose what flow control has taken on.
fn shared_headroom(
    section: &FabricSection,
    plan: &BufferPlan,
    (fabric, faults): (&Fabric, &Faults),
    sizes: &Sizes,
    log: &Log,
) {
    let (queue, Some(pfc)) = (&section.queue.plan, &section.queue.plan.pfc) else { return };
    let inflow = |id: u32| {
        let rate = fabric.ports[id as usize].rate;
        let room = queue.size.resolve(&sizes.base(rate, Bytes(0)));
        let headroom = pause_headroom(fabric, faults, PortId(id), sizes.packet, queue.gap).0;
        pfc.xoff.resolve(&sizes.base(rate, room)).0.saturating_add(headroom)
    };
    for switch in &fabric.switches {
        let one = switch.ports.clone().map(inflow).fold(0, u64::saturating_add);
        let all = one.saturating_mul(queue.classes.into());
        let before = Bytes(all.saturating_sub(sizes.packet.0));
        let keeps = |size: Size| {
            let plan = BufferPlan { size, ..plan.clone() };
            let memory = Memory::new(section, &plan, (fabric, faults), switch, sizes);
            !memory.may_refuse(sizes.packet, before, before)
        };
        if keeps(plan.size) {
            continue;
        }
        // The first memory that keeps it, by halves.
        let (mut short, mut enough) = (all.saturating_sub(1), all.saturating_mul(1 << 16));
        let would_do = keeps(Size::Bytes(Bytes(enough))).then(|| {
            while enough - short > 1 {
                let middle = short + (enough - short) / 2;
                if keeps(Size::Bytes(Bytes(middle))) { enough = middle } else { short = middle }
            }
            format!("; a `size` of at least {enough} B would do")
        });
        let policy = plan.policy.card().name;
        return log.note(format!(
            "flow control can lose frames: what comes in at the {} ports of `{}` may be {all} B before all \
             of them pause, and `{policy}` in [fabric] buffer may have to drop some of it{}",
            switch.ports.len(),
            switch.name,
            would_do.unwrap_or_default()
        ));
    }
}

/// Notes pauses that end before they can be renewed.
fn renewal(pfc: &Pfc, fabric: &Fabric, frame: Bytes, log: &Log) {
    let switches = fabric.ports.iter().filter(|port| matches!(port.owner, Node::Switch(_)));
    let Some(slowest) = switches.map(|port| port.rate).min() else { return };
    let longest = slowest.serialisation(frame);
    if pfc.quanta.0 / 2 <= longest.0 {
        log.note(format!(
            "a pause of {} can end while its renewal waits behind a full frame, {longest}: a \
             `quanta` above {} would do",
            pfc.quanta,
            Span(longest.0.saturating_mul(2))
        ));
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{notes_on, parse};
    use std::path::Path;

    /// The notes on a scenario of 16 hosts at 400 Gbps, 500 ns everywhere, packets of 4160 B.
    fn notes(fabric: &str, transport: &str, traffic: &str) -> Vec<String> {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n{fabric}\n[transport]\n\
             {transport}\n[traffic]\n{traffic}\n"
        );
        let study = parse("test", &text, Path::new("."), &[]);
        let mut study = study.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        let plan = study.cells[0].scenario.resolve(1).unwrap();
        study.notes.extend(notes_on(&plan));
        study.notes
    }

    const PERMUTATION: &str = "kind = \"permutation\"";

    fn with_pfc(size: u32, xoff: &str) -> Vec<String> {
        let queue = format!(
            "queue = {{ size = \"{size} B\", pfc = {{ xoff = \"{xoff}\", xon = \"1 B\" }} }}"
        );
        notes(&queue, "", PERMUTATION)
    }

    #[test]
    fn flow_control_without_headroom_is_noted_with_the_number_that_would_do() {
        // Between switches 1 us each way: 50 B/ns 2 us, three frames and 64 B are 112544 B, thrice
        // in an aggregation switch; (416000 - 337632) / 3.
        let told = "a queue can hold more than its `size`, since flow control has taken that on: that \
                    of `agg0.down0` is 416000 B, and what comes in at 3 of its switch's ports may be \
                    961632 B before all of them pause; `xoff` of at most 26122 B would keep it within";
        assert_eq!(with_pfc(416_000, "50%"), [told]);
        assert_eq!(with_pfc(416_000, "26122 B"), [""; 0]);
        assert_eq!(with_pfc(416_000, "26123 B").len(), 1);
        let told = with_pfc(300_000, "30000 B");
        assert!(
            told[0].ends_with("a `size` of at least 427632 B would keep it within"),
            "{told:?}"
        );
        assert_eq!(with_pfc(427_632, "30000 B"), [""; 0]);
    }

    #[test]
    fn so_many_senders_that_their_headers_fill_a_link_are_noted() {
        let notes = |queue: &str, congestion: &str, senders: u32| {
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"leaf_spine\", leaves = 1, hosts_per_leaf = 161, \
                 spines = 1, rate = \"100 Gbps\", link_delay = \"50 ns\", switch_delay = \"0 ns\" }}\n\
                 queue = {{ overflow = \"trim\"{queue} }}\n[transport]\n\
                 congestion = {{ scheme = \"{congestion}\" }}\n[traffic]\nkind = \"incast\"\n\
                 senders = {senders}\nmessage = \"64 KiB\"\n"
            );
            let study = parse("test", &text, Path::new("."), &[]).unwrap();
            notes_on(&study.cells[0].scenario.resolve(1).unwrap())
        };
        // A packet's hop of 332.8 ns, a header's and two of an ACK of 5.12 ns, four cables of 50 ns:
        // 548.16 ns, in which 107 headers go.
        let told = "160 hosts send to one: the headers of one trimmed packet of each in a round \
                    trip need 149 % of its link and can keep data waiting for ever; \
                    `control_weight = 10` in `queue` gives data turns, as NDP does";
        assert_eq!(notes("", "mprdma_dctcp", 160), [told]);
        assert_eq!(notes("", "mprdma_dctcp", 107), [""; 0]);
        assert_eq!(notes("", "mprdma_dctcp", 108).len(), 1);
        assert_eq!(notes(", control_weight = 10", "mprdma_dctcp", 160), [""; 0]);
        assert_eq!(notes("", "eqds", 160), [""; 0]);
    }

    #[test]
    fn a_pause_that_ends_before_its_renewal_is_noted() {
        // A frame of 4160 B takes 83.2 ns.
        let pause = |quanta: &str| {
            let pfc = format!("pfc = {{ xoff = \"9 kB\", xon = \"1 B\", quanta = \"{quanta}\" }}");
            notes(&format!("queue = {{ size = \"1 MB\", {pfc} }}"), "", PERMUTATION)
        };
        assert!(pause("166 ns")[0].ends_with("a `quanta` above 166.4 ns would do"));
        assert_eq!(pause("167 ns"), [""; 0]);
    }

    /// PowerTCP's spec, section 7: 256 long flows of 100 Mbps at least do not fit into 25 Gbps.
    #[test]
    fn least_rates_that_no_link_carries_are_noted_with_both_numbers() {
        let notes = |scheme: &str, flows: u32, message: &str| {
            let flow =
                |i: u32| format!("{{ from = {}, to = 0, bytes = \"{message}\" }}", 1 + i % 7);
            let flows: Vec<String> = (0..flows).map(flow).collect();
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 4, spines = 1, \
                 rate = \"25 Gbps\" }}\n[transport]\ncongestion = {{ {scheme} }}\n[traffic]\nkind = \
                 \"flows\"\nflow = [{}]\n",
                flows.join(", ")
            );
            let study = parse("test", &text, Path::new("."), &[]);
            let study = study.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
            let plan = study.cells[0].scenario.resolve(1).unwrap();
            notes_on(&plan)
                .into_iter()
                .filter(|note| note.contains("least rates"))
                .collect::<Vec<_>>()
        };
        let told = "the 256 flows that begin together to host0 have least rates of 25600 Mbps together \
                    (100 Mbps each, `min_rate` of `hpcc`), and its link carries 25 Gbps: they never \
                    come to rest";
        assert_eq!(notes("scheme = \"hpcc\"", 256, "1 MB"), [told]);
        for scheme in [
            "scheme = \"powertcp\", profile = \"ns3\"",
            "scheme = \"timely\"",
            "scheme = \"dcqcn\"",
        ] {
            assert_eq!(notes(scheme, 256, "1 MB").len(), 1, "{scheme}");
        }
        assert_eq!(notes("scheme = \"hpcc\"", 250, "1 MB"), [""; 0]);
        assert_eq!(notes("scheme = \"hpcc\"", 256, "2800 B"), [""; 0]);
        assert_eq!(notes("scheme = \"swift\"", 256, "1 MB"), [""; 0]);
    }

    /// 8 us, three unloaded round trips, wait in a queue of 3 bdp.
    #[test]
    fn a_recovery_that_does_not_belong_to_its_congestion_control_is_noted_over_deep_queues() {
        let notes = |size: &str, transport: &str| {
            let marking = "{ scheme = \"step\", threshold = \"20 packets\" }";
            let queue = format!("queue = {{ size = \"{size}\", marking = {marking} }}");
            notes(&queue, transport, PERMUTATION)
        };
        let cubic = "congestion = { scheme = \"cubic\" }";
        let sack = format!("{cubic}\nrecovery = {{ scheme = \"sack\" }}");
        assert_eq!(notes("3 bdp", cubic), [""; 0]);
        assert_eq!(notes("1 bdp", &sack), [""; 0]);
        let told = notes("3 bdp", &sack);
        assert!(
            told[0].starts_with(
                "`cubic` has `sack` as its recovery in [transport] recovery, and a full queue takes "
            ),
            "{told:?}"
        );
        assert!(notes("unlimited", &sack)[0].contains("queues have no limit"));
        let swift = "congestion = { scheme = \"swift\" }\nrecovery = { scheme = \"sack\" }";
        assert_eq!(notes("3 bdp", swift), [""; 0]);
    }

    #[test]
    fn windows_of_fewer_than_four_packets_are_noted_where_messages_are_longer() {
        let window = |size: &str| {
            let congestion =
                format!("congestion = {{ scheme = \"fixed_rate\", window = \"{size}\" }}");
            notes("", &congestion, PERMUTATION)
        };
        assert_eq!(
            window("3.5 packets"),
            ["`window` of `fixed_rate` is 3.5 packets: with fewer than 4 in flight, one that is \
              lost or late holds up the flow"]
        );
        assert_eq!(window("4 packets"), [""; 0]);
        let short = "kind = \"permutation\"\nmessage = \"4 kB\"";
        let congestion = "congestion = { scheme = \"fixed_rate\", window = \"2 packets\" }";
        assert_eq!(notes("", congestion, short), [""; 0]);
        // Messages of jobs with another one do not count.
        let own = "congestion = { scheme = \"swift\" }";
        let jobs = |second: &str| {
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n[transport]\n\
                 {congestion}\n[[traffic]]\nname = \"a\"\n{short}\n[[traffic]]\nname = \"b\"\n\
                 {PERMUTATION}\n{second}\n"
            );
            parse("test", &text, Path::new("."), &[]).unwrap().notes
        };
        assert_eq!((jobs(own).len(), jobs("").len()), (0, 1));
    }

    #[test]
    fn a_pace_above_rho_max_is_noted() {
        // Four flows into one host have a quarter of its link each.
        let pace = |rate: &str| {
            let congestion =
                format!("congestion = {{ scheme = \"fixed_rate\", rate = \"{rate}\" }}");
            notes("", &congestion, "kind = \"incast\"\nsenders = 4")
        };
        assert_eq!(pace("100 Gbps"), [""; 0]);
        assert_eq!(pace("rho_max"), [""; 0]);
        let told = pace("200 Gbps");
        assert!(
            told[0].starts_with("flows are paced at 200 Gbps, above rho_max, 100 Gbps"),
            "{told:?}"
        );
        let own = "congestion = { scheme = \"dcqcn\" }";
        assert_eq!(notes("", own, "kind = \"incast\"\nsenders = 4"), [""; 0]);
    }

    #[test]
    fn settings_of_pairs_are_noted_where_no_pair_has_two_messages() {
        let told = |transport: &str, traffic: &str| notes("", transport, traffic);
        let ring = "kind = \"collective\"\noperation = \"all_reduce\"\nmessage = \"8 kB\"";
        let [both, reason] = [
            "connections = \"pair\"\npair_order = \"fifo\"",
            "has no effect: no two messages go from one host to another",
        ];
        assert_eq!(
            told(both, PERMUTATION),
            [
                format!("`connections = \"pair\"` {reason}"),
                format!(
                    "`pair_order = \"fifo\"` {reason} in one class, with one path selector and one transport"
                ),
            ]
        );
        assert_eq!(told(both, ring), [""; 0]);
    }
}
