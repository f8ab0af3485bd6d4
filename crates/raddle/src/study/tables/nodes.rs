//! `nodes`: hosts and switches.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use raddle_schemes::ids::{HostId, SwitchId};
use raddle_sim::topology::{Fabric, Node};

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<NodeRow<'_>>(of_run);

/// A host or a switch.
pub(super) struct NodeRow<'a> {
    node: Node,
    fabric: &'a Fabric,
    /// How many switches each plane has, where there are several.
    per_plane: Option<u32>,
}

impl NodeRow<'_> {
    fn pod(&self) -> Option<u32> {
        let switch = match self.node {
            Node::Host(host) if self.fabric.planes == 1 => self.fabric.edge(host),
            Node::Host(_) => return None,
            Node::Switch(switch) => switch,
        };
        self.fabric.switches[switch.index()].pod
    }
}

impl Row for NodeRow<'_> {
    const NAME: &'static str = "nodes";
    const MEANING: &'static str = "One row per host and switch, hosts first.";

    fn declare(table: &mut Columns<Self>) {
        table.col("name", "", "name of the node", |row| node_name(row.fabric, row.node));
        table.col("kind", "", "`host` or `switch`", |row| {
            let word = if matches!(row.node, Node::Host(_)) { "host" } else { "switch" };
            word.to_owned()
        });
        table.col("tier", "", "of a switch: 0 with hosts, 1 above them, 2 above those", |row| {
            match row.node {
                Node::Host(_) => None,
                Node::Switch(switch) => Some(u64::from(row.fabric.switches[switch.index()].tier)),
            }
        });
        table.col("plane", "", "its plane; empty where nodes belong to all of them", |row| {
            let Node::Switch(switch) = row.node else { return None };
            Some(u64::from(switch.0 / row.per_plane?))
        });
        table.col("pod", "", "its pod, numbered over all planes; empty if it is in none", |row| {
            row.pod().map(u64::from)
        });
    }
}

/// What a node is called.
pub(super) fn node_name(fabric: &Fabric, node: Node) -> String {
    match node {
        Node::Host(host) => fabric.host_name(host).to_owned(),
        Node::Switch(switch) => fabric.switches[switch.index()].name.clone(),
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let fabric = &run.plan.fabric;
    let (hosts, per_plane) = (fabric.hosts as usize, fabric.switches_per_plane());
    Some(table(run, hosts + fabric.switches.len(), move |row| {
        let node = match row.checked_sub(hosts) {
            None => Node::Host(HostId(row as u32)),
            Some(switch) => Node::Switch(SwitchId(switch as u32)),
        };
        NodeRow { node, fabric, per_plane }
    }))
}
