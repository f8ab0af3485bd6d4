//! Whether routes, which a plan made by hand may bring along, are those of its fabric.

use super::Fabric;
use super::routing::{Forwarding, Table, TreeSwitch};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::Time;
use std::fmt;

/// Why routes are none of a fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouteMisfit {
    /// The first does not hold from time zero on, or there is none.
    Beginning,
    /// One holds from an earlier time on than the one before it.
    Order {
        /// Its time.
        at: Time,
    },
    /// A list has not one entry for each.
    Length {
        /// From when on the routes hold.
        at: Time,
        /// Which list.
        list: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// An entry of a list names nothing that there is.
    Entry {
        /// From when on the routes hold.
        at: Time,
        /// Which list.
        list: &'static str,
        /// The place in it.
        place: usize,
    },
    /// A switch is to forward to ports of which it has not all.
    Ports {
        /// From when on the routes hold.
        at: Time,
        /// The switch's name.
        switch: String,
    },
}

impl fmt::Display for RouteMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beginning => f.write_str("there are no routes at time zero"),
            Self::Order { at } => write!(f, "routes from {at} on stand behind later ones"),
            Self::Length { at, list, found, expected } => {
                write!(f, "routes from {at} on: `{list}` has {found} entries; expected {expected}")
            }
            Self::Entry { at, list, place } => {
                write!(f, "routes from {at} on: entry {place} of `{list}` names nothing there is")
            }
            Self::Ports { at, switch } => {
                write!(
                    f,
                    "routes from {at} on: switch `{switch}` has not all the ports it is to use"
                )
            }
        }
    }
}

impl Fabric {
    /// Whether routes, from when on each holds, are some of this fabric.
    ///
    /// # Errors
    /// The first misfit.
    pub(crate) fn check_routes<'f>(
        &self,
        routes: impl Iterator<Item = (Time, &'f Forwarding)>,
    ) -> Result<(), RouteMisfit> {
        let mut last = None;
        for (at, forwarding) in routes {
            match last {
                None if at != Time::ZERO => return Err(RouteMisfit::Beginning),
                Some(last) if at < last => return Err(RouteMisfit::Order { at }),
                _ => last = Some(at),
            }
            match forwarding {
                Forwarding::Tree(switches) => self.check_tree(at, switches)?,
                Forwarding::Table(table) => self.check_table(at, table)?,
                Forwarding::Slices(slices) => {
                    let (tables, starts) = (slices.tables.len(), slices.starts.len());
                    length(at, "tables", tables, starts.max(1))?;
                    self.check_table(at, &slices.whenever)?;
                    for table in &slices.tables {
                        self.check_table(at, table)?;
                    }
                }
            }
        }
        last.map(|_| ()).ok_or(RouteMisfit::Beginning)
    }

    fn check_tree(&self, at: Time, switches: &[TreeSwitch]) -> Result<(), RouteMisfit> {
        length(at, "switches", switches.len(), self.switches.len())?;
        for (tree, switch) in switches.iter().zip(&self.switches) {
            let within = |first: PortId, count: u64| {
                let end = u64::from(first.0) + count;
                count == 0 || switch.ports.contains(&first.0) && end <= switch.ports.end.into()
            };
            let hosts = u64::from(tree.hosts_high.saturating_sub(tree.hosts_low));
            let runs = hosts.div_ceil(tree.hosts_per_down.max(1).into());
            let down = runs.saturating_mul(tree.parallel.into());
            // Of hosts with several ports all those of one plane: no other comes here.
            let of_a_plane = tree.hosts_low.is_multiple_of(self.hosts.max(1));
            let all_below = of_a_plane && hosts >= u64::from(self.hosts);
            let all = down.saturating_add(tree.up_count.into());
            let whole = hosts == 0 || tree.hosts_per_down > 0 && tree.parallel > 0;
            if !whole
                || tree.hosts_high < tree.hosts_low
                || all > switch.ports.len() as u64
                || !within(tree.down_first, down)
                || !within(tree.up_first, tree.up_count.into())
                || tree.up_count == 0 && !all_below
            {
                return Err(RouteMisfit::Ports { at, switch: switch.name.clone() });
            }
        }
        Ok(())
    }

    fn check_table(&self, at: Time, table: &Table) -> Result<(), RouteMisfit> {
        let (hosts, switches) = (self.host_ports() as usize, self.switches.len());
        length(at, "edge_of", table.edge_of.len(), hosts)?;
        length(at, "host_port", table.host_port.len(), hosts)?;
        length(at, "column", table.column.len(), switches)?;
        let columns = table.columns as usize;
        length(at, "groups", table.groups.len(), switches.saturating_mul(columns))?;
        length(at, "weights", table.weights.len(), table.ports.len())?;
        let entry = |list, place| RouteMisfit::Entry { at, list, place };
        for (host, (edge, port)) in table.edge_of.iter().zip(&table.host_port).enumerate() {
            let column = table.column.get(edge.index()).ok_or(entry("edge_of", host))?;
            if *column >= table.columns {
                return Err(entry("column", edge.index()));
            }
            let own = &self.switches[edge.index()].ports;
            if port.is_some_and(|port| !own.contains(&port.0)) {
                return Err(entry("host_port", host));
            }
        }
        let owners = self.owners(at, table)?;
        for (row, group) in table.groups.iter().enumerate() {
            let owner = owners.get(*group as usize).ok_or(entry("groups", row))?;
            let switch = row / columns;
            if owner.is_some_and(|owner| owner.index() != switch) {
                let switch = self.switches[switch].name.clone();
                return Err(RouteMisfit::Ports { at, switch });
            }
        }
        Ok(())
    }

    /// The switch whose ports each group of a table has; `None` of a group without ports.
    fn owners(&self, at: Time, table: &Table) -> Result<Vec<Option<SwitchId>>, RouteMisfit> {
        let entry = |list, place| RouteMisfit::Entry { at, list, place };
        let mut owners = Vec::with_capacity(table.starts.len());
        for (group, bounds) in table.starts.windows(2).enumerate() {
            let range = bounds[0] as usize..bounds[1] as usize;
            let ports = table.ports.get(range.clone()).ok_or(entry("starts", group))?;
            let mut owner = None;
            for (place, port) in range.zip(ports) {
                let end = self.ports.get(port.index()).ok_or(entry("ports", place))?;
                let super::Node::Switch(switch) = end.owner else {
                    return Err(entry("ports", place));
                };
                if *owner.get_or_insert(switch) != switch {
                    return Err(entry("ports", place));
                }
            }
            owners.push(owner);
        }
        Ok(owners)
    }
}

fn length(at: Time, list: &'static str, found: usize, expected: usize) -> Result<(), RouteMisfit> {
    if found == expected {
        return Ok(());
    }
    Err(RouteMisfit::Length { at, list, found, expected })
}
