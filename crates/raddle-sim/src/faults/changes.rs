//! What faults do to ports and nodes, as changes in time order.

use super::error::FaultError;
use super::intervals::{Window, merge};
use super::probability::in_units_of_2_to_minus_32;
use super::spec::{Effect, FaultPlan, RateTo};
use super::struck::Struck;
use super::uplinks::Down;
use crate::faults::PortChange;
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::{Rate, Time};
use std::collections::{BTreeMap, BTreeSet};

impl FaultPlan {
    /// When switches and hosts are dead.
    pub(super) fn dead_nodes(&self, targets: &[Struck]) -> Vec<(Node, Vec<Window>)> {
        let mut dead: BTreeMap<Node, Vec<Window>> = BTreeMap::new();
        let faults = self.faults.iter().zip(targets);
        for (fault, struck) in faults.filter(|(fault, _)| fault.effect == Effect::Down) {
            for &node in &struck.nodes {
                dead.entry(node).or_default().extend(fault.merged());
            }
        }
        dead.into_iter().map(|(node, windows)| (node, merge(windows))).collect()
    }

    /// The switches whose clocks are off, each by how much; several faults add up.
    pub(super) fn clocks(&self, targets: &[Struck]) -> Vec<(SwitchId, i64)> {
        let mut clocks: BTreeMap<SwitchId, i64> = BTreeMap::new();
        for (fault, struck) in self.faults.iter().zip(targets) {
            let Effect::Clock { behind } = fault.effect else { continue };
            for node in &struck.nodes {
                if let Node::Switch(switch) = node {
                    *clocks.entry(*switch).or_default() += behind;
                }
            }
        }
        clocks.into_iter().filter(|own| own.1 != 0).collect()
    }

    /// What every port lives through, in time order.
    pub(super) fn changes(
        &self,
        fabric: &Fabric,
        targets: &[Struck],
        down: &Down,
        errors: &mut Vec<FaultError>,
    ) -> Vec<(PortId, Vec<(Time, PortChange)>)> {
        let mut settings: BTreeMap<(PortId, Property), Vec<Setting>> = BTreeMap::new();
        for (i, (fault, struck)) in self.faults.iter().zip(targets).enumerate() {
            for &port in &struck.ports {
                let nominal = fabric.ports[port.index()].rate;
                let Some((property, change, undo)) = fault.effect.setting(nominal) else { break };
                let windows = fault.merged().into_iter();
                let new = windows.map(|window| Setting { window, fault: i, change, undo });
                settings.entry((port, property)).or_default().extend(new);
            }
        }
        let mut changes: BTreeMap<PortId, Vec<(Time, PortChange)>> = BTreeMap::new();
        let mut overlaps = BTreeSet::new();
        for ((port, property), mut settings) in settings {
            settings.sort_by_key(|setting| (setting.window, setting.fault));
            let list = changes.entry(port).or_default();
            for (i, setting) in settings.iter().enumerate() {
                let (from, until) = setting.window;
                list.push((from, setting.change));
                match settings.get(i + 1) {
                    Some(next) if next.window.0 < until => {
                        // Two faults on a whole switch overlap at every port: said once.
                        if overlaps.insert((setting.fault, next.fault)) {
                            errors.push(FaultError::Overlap {
                                first: setting.fault,
                                second: next.fault,
                                link: fabric.ports[port.index()].name.clone(),
                                property: property.word(),
                                at: next.window.0,
                            });
                        }
                    }
                    Some(next) if next.window.0 == until => {}
                    _ if until == Time::NEVER => {}
                    _ => list.push((until, setting.undo)),
                }
            }
        }
        for (&port, steps) in &down.uplinks {
            let dead = steps.iter().map(|&(at, dead)| (at, PortChange::Uplinks { dead }));
            changes.entry(port).or_default().extend(dead);
        }
        for (port, windows) in down.all_links() {
            let list = changes.entry(port).or_default();
            for (from, until) in windows {
                list.push((from, PortChange::Down));
                if until != Time::NEVER {
                    list.push((until, PortChange::Up));
                }
            }
        }
        for list in changes.values_mut() {
            // A link that comes up does so with the rate and loss it has from then on.
            list.sort_by_key(|(at, change)| (*at, *change == PortChange::Up));
        }
        changes.into_iter().collect()
    }
}

/// What faults other than `Down` set, each independently of the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Property {
    Rate,
    Loss,
    BitErrors,
}

impl Property {
    fn word(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Loss => "loss",
            Self::BitErrors => "bit errors",
        }
    }
}

struct Setting {
    window: Window,
    fault: usize,
    change: PortChange,
    undo: PortChange,
}

impl Effect {
    /// What it sets on a link of rate `nominal`, the change, and the change that ends it.
    fn setting(self, nominal: Rate) -> Option<(Property, PortChange, PortChange)> {
        let loss = |probability| PortChange::Loss { probability };
        let bit_errors = |rate| PortChange::BitErrors { rate };
        match self {
            Self::Down | Self::Clock { .. } => None,
            Self::Rate { to, scale } => {
                let rate = to.of(nominal);
                let undo = PortChange::Rate { rate: nominal, scale };
                Some((Property::Rate, PortChange::Rate { rate, scale }, undo))
            }
            Self::Loss(p) => Some((Property::Loss, loss(in_units_of_2_to_minus_32(p)), loss(0))),
            Self::BitErrors(p) => Some((Property::BitErrors, bit_errors(p), bit_errors(0.0))),
        }
    }
}

impl RateTo {
    /// The rate, for a link of rate `nominal`.
    pub(super) fn of(self, nominal: Rate) -> Rate {
        match self {
            Self::Absolute(rate) => rate,
            Self::Factor(factor) => nominal.scaled(factor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::resolve::ResolvedFaults;
    use crate::faults::spec::{Direction, Fault, Target};
    use crate::topology::tree::TreeShape;
    use raddle_schemes::ids::{HostId, SwitchId};
    use raddle_schemes::units::Span;

    const RATE: Rate = Rate::gbps(400);

    fn fabric() -> Fabric {
        TreeShape::leaf_spine(3, 2, 2, 1, RATE, Span::ns(500), Span::ns(500))
            .unwrap()
            .build()
            .unwrap()
    }

    fn link(name: &str, direction: Direction) -> Target {
        Target::Link { name: name.to_owned(), direction }
    }

    fn us(from: u64, until: u64) -> (Time, Option<Time>) {
        (at(from), Some(at(until)))
    }

    fn at(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    fn fault(target: Target, effect: Effect, windows: &[(Time, Option<Time>)]) -> Fault {
        Fault { target, effect, windows: windows.to_vec() }
    }

    fn resolve(faults: &[Fault]) -> Result<ResolvedFaults, Vec<FaultError>> {
        FaultPlan { faults: faults.to_vec(), ..FaultPlan::default() }.resolve(&fabric(), &[], 1)
    }

    /// The changes of every port that has any, by name.
    fn changes(faults: &[Fault]) -> Vec<(String, Vec<(Time, PortChange)>)> {
        let fabric = fabric();
        let ports = resolve(faults).unwrap().faults.ports;
        assert!(ports.is_sorted_by(|a, b| a.0 < b.0));
        ports.into_iter().map(|(p, list)| (fabric.ports[p.index()].name.clone(), list)).collect()
    }

    #[test]
    fn down_times_of_several_faults_add_up() {
        let faults = [
            fault(link("tor0.up1", Direction::Both), Effect::Down, &[us(1, 3), us(9, 10)]),
            fault(link("tor0.up1", Direction::Out), Effect::Down, &[us(2, 5), us(5, 6)]),
        ];
        let up_and_down = |from, until| [(at(from), PortChange::Down), (at(until), PortChange::Up)];
        assert_eq!(
            changes(&faults),
            [
                ("tor0.up1".to_owned(), [up_and_down(1, 6), up_and_down(9, 10)].concat()),
                ("spine1.down0".to_owned(), [up_and_down(1, 3), up_and_down(9, 10)].concat()),
            ]
        );
    }

    #[test]
    fn a_link_is_one_direction_of_a_cable() {
        let names = |direction| -> Vec<String> {
            let down = fault(link("tor2.up0", direction), Effect::Down, &[(at(0), None)]);
            changes(&[down]).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(Direction::Out), ["tor2.up0"]);
        assert_eq!(names(Direction::In), ["spine0.down2"]);
        assert_eq!(names(Direction::Both), ["tor2.up0", "spine0.down2"]);
    }

    #[test]
    fn a_dead_switch_or_host_takes_its_cables_along() {
        let faults = [
            fault(Target::Switch { name: "spine1".into() }, Effect::Down, &[us(1, 3)]),
            fault(Target::Switch { name: "spine1".into() }, Effect::Down, &[us(2, 4)]),
            fault(Target::Host { name: "host5".into() }, Effect::Down, &[(at(7), None)]),
        ];
        let resolved = resolve(&faults).unwrap();
        assert_eq!(
            resolved.faults.nodes,
            [
                (Node::Host(HostId(5)), vec![(at(7), Time::NEVER)]),
                (Node::Switch(SwitchId(4)), vec![(at(1), at(4))]),
            ]
        );
        let names: Vec<String> = changes(&faults).into_iter().map(|(name, _)| name).collect();
        let expected = [
            "host5",
            "tor0.up1",
            "tor1.up1",
            "tor2.down1",
            "tor2.up1",
            "spine1.down0",
            "spine1.down1",
            "spine1.down2",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn settings_end_where_no_other_begins() {
        let half = Effect::Rate { to: RateTo::Factor(0.5), scale: true };
        let slow = Effect::Rate { to: RateTo::Absolute(Rate::gbps(100)), scale: false };
        let out = || link("tor0.up0", Direction::Out);
        let faults = [
            fault(out(), slow, &[us(4, 5)]),
            fault(out(), half, &[us(1, 2), us(2, 4)]),
            fault(out(), Effect::Loss(0.25), &[us(3, 4)]),
            fault(out(), Effect::BitErrors(1e-6), &[(at(6), None)]),
            fault(out(), Effect::Down, &[us(2, 4)]),
        ];
        let rate = |gbps, scale| PortChange::Rate { rate: Rate::gbps(gbps), scale };
        let expected = vec![
            (at(1), rate(200, true)),
            (at(2), PortChange::Down),
            (at(3), PortChange::Loss { probability: 1 << 30 }),
            (at(4), rate(100, false)),
            (at(4), PortChange::Loss { probability: 0 }),
            (at(4), PortChange::Up),
            (at(5), rate(400, false)),
            (at(6), PortChange::BitErrors { rate: 1e-6 }),
        ];
        assert_eq!(changes(&faults), [("tor0.up0".to_owned(), expected)]);
    }

    #[test]
    fn two_faults_must_not_set_one_property_at_once() {
        let loss = Effect::Loss(0.1);
        let faults = [
            fault(Target::Switch { name: "spine0".into() }, loss, &[us(1, 9)]),
            fault(Target::Switch { name: "tor1".into() }, loss, &[us(8, 12)]),
        ];
        let errors = resolve(&faults).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].to_string(), "faults 1 and 2 both set the loss of `tor1.up0` at 8 us");
    }
}
