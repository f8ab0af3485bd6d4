//! Forwarding compiled for the inner loop.

use crate::topology::routing::{Forwarding, Ports, Table, TreeSwitch};
use crate::topology::slices::Slices;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::Time;

/// [`Forwarding`] with divisions turned into multiplications.
pub(in crate::engine) enum Forward<'a> {
    Tree(Vec<TreeNode>),
    Table(&'a Table),
    Slices(&'a Slices),
}

/// Bits behind the point of what divides.
const SHIFT: u32 = 40;

/// One switch of a tree.
#[derive(Clone)]
pub(in crate::engine) struct TreeNode {
    hosts_low: u32,
    hosts_below: u32,
    /// 2^40 / hosts per run of down ports, rounded up. The quotient is exact as long as the rounding
    /// error, less than the hosts per run, times the host's number among those below stays under
    /// 2^40: for up to 2^20 hosts below, whatever the run
    /// ([`HOSTS_BELOW_LIMIT`](crate::limits::HOSTS_BELOW_LIMIT)).
    per_down: u64,
    parallel: u32,
    down_first: u32,
    up_first: u32,
    up_count: u32,
}

impl<'a> Forward<'a> {
    pub(in crate::engine) fn new(forwarding: &'a Forwarding) -> Self {
        match forwarding {
            Forwarding::Tree(switches) => Self::Tree(switches.iter().map(TreeNode::new).collect()),
            Forwarding::Table(table) => Self::Table(table),
            Forwarding::Slices(slices) => Self::Slices(slices),
        }
    }

    /// The switch's own numbers, where it is part of a tree.
    #[inline]
    pub(in crate::engine) fn tree_node(&self, switch: SwitchId) -> Option<&TreeNode> {
        match self {
            Self::Tree(nodes) => nodes.get(switch.index()),
            Self::Table(_) | Self::Slices(_) => None,
        }
    }

    #[inline]
    pub(in crate::engine) fn ports(&self, switch: SwitchId, to: PortId) -> Ports<'a> {
        match self {
            Self::Tree(nodes) => nodes[switch.index()].ports(to),
            Self::Table(table) => table.ports(switch, to),
            Self::Slices(slices) => slices.whenever.ports(switch, to),
        }
    }

    /// The same at `now` for a frame of a class, none being control.
    #[inline]
    pub(in crate::engine) fn ports_at(
        &self,
        now: Time,
        class: impl FnOnce() -> Option<u8>,
        switch: SwitchId,
        to: PortId,
    ) -> Ports<'a> {
        match self {
            Self::Slices(slices) => slices.ports(now, class(), switch, to),
            _ => self.ports(switch, to),
        }
    }

    /// A number that changes whenever these routes do by themselves.
    #[inline]
    pub(in crate::engine) fn epoch(&self, now: Time) -> u32 {
        match self {
            Self::Slices(slices) => slices.epoch(now),
            _ => 0,
        }
    }
}

impl TreeNode {
    fn new(switch: &TreeSwitch) -> Self {
        Self {
            hosts_low: switch.hosts_low,
            hosts_below: switch.hosts_high - switch.hosts_low,
            per_down: (1u64 << SHIFT).div_ceil(u64::from(switch.hosts_per_down)),
            parallel: switch.parallel,
            down_first: switch.down_first.0,
            up_first: switch.up_first.0,
            up_count: switch.up_count,
        }
    }

    #[inline]
    fn ports<'a>(&self, to: PortId) -> Ports<'a> {
        let (first, count) = self.run(to);
        Ports::Run { first: PortId(first), count }
    }

    /// The first of the ports towards `to`, a port of a host, and how many there are.
    #[inline]
    pub(in crate::engine) fn run(&self, to: PortId) -> (u32, u32) {
        let below = to.0.wrapping_sub(self.hosts_low);
        if below < self.hosts_below {
            let run = ((u64::from(below) * self.per_down) >> SHIFT) as u32;
            (self.down_first + run * self.parallel, self.parallel)
        } else {
            (self.up_first, self.up_count)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::HOSTS_BELOW_LIMIT;

    fn run_of(below: u64, hosts_per_down: u64) -> u64 {
        (below * (1u64 << SHIFT).div_ceil(hosts_per_down)) >> SHIFT
    }

    #[test]
    fn division_is_exact_up_to_the_limit_and_not_beyond() {
        for hosts_per_down in 1..=HOSTS_BELOW_LIMIT {
            // The error grows with the host, and is most likely to show in the last of a run.
            let runs = HOSTS_BELOW_LIMIT / hosts_per_down;
            for below in [runs * hosts_per_down - 1, HOSTS_BELOW_LIMIT - 1] {
                assert_eq!(run_of(below, hosts_per_down), below / hosts_per_down);
            }
        }
        assert_eq!(run_of(HOSTS_BELOW_LIMIT, HOSTS_BELOW_LIMIT + 1), 1);
    }

    #[test]
    fn compiled_forwarding_is_forwarding() {
        for (hosts_per_down, runs) in
            [(1, 64), (3, 7), (12, 5), (1000, 65), (65_536, 1), (1, 70_000)]
        {
            let switch = TreeSwitch {
                hosts_low: 24,
                hosts_high: 24 + hosts_per_down * runs,
                hosts_per_down,
                parallel: 2,
                down_first: PortId(100),
                up_first: PortId(500),
                up_count: 8,
            };
            let compiled = TreeNode::new(&switch);
            for host in (0..switch.hosts_high + 30).map(PortId) {
                assert_eq!(compiled.ports(host), switch.ports(host), "{host:?}");
            }
        }
    }
}
