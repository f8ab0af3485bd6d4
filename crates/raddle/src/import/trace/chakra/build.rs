//! A job of the nodes of all ranks.

use super::super::mistakes::{At, Mistakes};
use super::super::words::nearest;
use super::super::{AllGatherSize, Deps, Fact, Options, Parsed, TraceError, Units, Unknown};
use super::groups::Groups;
use super::node::{Node, Version};
use super::order::{Edges, longest, sorted};
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::workload::job_graph::{CollectiveOp, Does, Edge, JobGraph, Rank, UnitOrder};
use std::collections::BTreeMap;

/// Types of nodes.
mod kind {
    pub(super) const METADATA: u64 = 1;
    pub(super) const LOAD: u64 = 2;
    pub(super) const STORE: u64 = 3;
    pub(super) const COMPUTE: u64 = 4;
    pub(super) const SEND: u64 = 5;
    pub(super) const RECV: u64 = 6;
    pub(super) const COLLECTIVE: u64 = 7;
}

/// A rank whose edges are resolved.
struct Resolved {
    nodes: Vec<Node>,
    ctrl: Edges,
    data: Edges,
}

pub(super) fn job(
    ranks: Vec<Vec<Node>>,
    version: &Version,
    options: &Options,
    mut mistakes: Mistakes,
) -> Result<Parsed, Vec<TraceError>> {
    let count = ranks.len() as u32;
    let mut groups = Groups::of_file(options.groups.as_deref()).unwrap_or_else(|error| {
        let help = "expected `{\"1\": [0, 4], ..}`: names above 0, and ranks";
        mistakes.error(At::File, format!("the file of groups: {error}"), help);
        Groups::default()
    });
    ranks.iter().for_each(|nodes| groups.learn(nodes));
    let resolved: Vec<Resolved> = (0..)
        .zip(ranks)
        .map(|(file, nodes)| {
            mistakes.file = file;
            resolve(nodes, &mut mistakes)
        })
        .collect();
    let mut facts = facts(version, &resolved);
    let orders = orders(&resolved, options, &mut mistakes);
    let mut building = Building { options, groups, mistakes, count, short: 0 };
    let mut job = JobGraph {
        send_done: options.send_done,
        channels: options.channels,
        order: match options.units {
            Units::Streams => UnitOrder::Written,
            Units::Feeder => UnitOrder::Ready,
        },
        ..JobGraph::default()
    };
    if let Some((deps, orders)) = orders {
        for (file, (own, order)) in resolved.iter().zip(&orders).enumerate() {
            building.mistakes.file = file;
            job.ranks.push(building.rank(own, deps, order));
        }
        if options.deps.is_none() && deps == Deps::Data {
            facts.push(Fact::text("edges used", "data"));
        }
    }
    let Building { groups, mut mistakes, short, .. } = building;
    job.groups = groups.finish();
    if short > 0 {
        mistakes.notes.push(format!(
            "{short} computations take 0 us: durations are whole microseconds, and short kernels none"
        ));
    }
    mistakes.file = 0;
    Parsed::of(job, mistakes, facts, |_, _| At::File)
}

/// The nodes of a rank in the order of their ids, with the edges that lead somewhere.
fn resolve(mut nodes: Vec<Node>, mistakes: &mut Mistakes) -> Resolved {
    nodes.sort_by_key(|node| node.id);
    for two in nodes.windows(2).filter(|two| two[0].id == two[1].id) {
        let message = format!("node {} is there already", two[1].id);
        mistakes.error(At::Byte(two[1].at), message, "give each node of a rank its own id");
    }
    let place: BTreeMap<u64, u32> = nodes.iter().map(|node| node.id).zip(0..).collect();
    let ctrl = Edges::new(nodes.iter().map(|node| &node.ctrl[..]), &place);
    let data = Edges::new(nodes.iter().map(|node| &node.data[..]), &place);
    Resolved { nodes, ctrl, data }
}

/// Which edges hold, and the order of each rank's nodes.
fn orders(
    ranks: &[Resolved],
    options: &Options,
    mistakes: &mut Mistakes,
) -> Option<(Deps, Vec<Vec<u32>>)> {
    let mut deps = options.deps.unwrap_or(Deps::Both);
    loop {
        let all: Result<Vec<Vec<u32>>, (usize, Vec<u32>)> = ranks
            .iter()
            .enumerate()
            .map(|(file, own)| {
                sorted(own.nodes.len(), &own.of(deps)).map_err(|circle| (file, circle))
            })
            .collect();
        let (file, circle) = match all {
            Ok(orders) => return Some((deps, orders)),
            Err(found) => found,
        };
        let ids =
            circle.iter().take(20).map(|node| ranks[file].nodes[*node as usize].id.to_string());
        let ids: Vec<String> = ids.collect();
        if options.deps.is_none() && deps == Deps::Both {
            mistakes.notes.push(format!(
                "control edges close a circle (rank {file}: nodes {}): edges of data alone are used",
                ids.join(", ")
            ));
            deps = Deps::Data;
            continue;
        }
        mistakes.file = file;
        let at = At::Byte(ranks[file].nodes[circle[0] as usize].at);
        let message = format!("nodes {} wait for each other in a circle", ids.join(", "));
        mistakes.error(at, message, "an order of nodes has no circles");
        return None;
    }
}

impl Resolved {
    fn of(&self, deps: Deps) -> Vec<&Edges> {
        match deps {
            Deps::Both => vec![&self.data, &self.ctrl],
            Deps::Data => vec![&self.data],
            Deps::Ctrl => vec![&self.ctrl],
        }
    }
}

struct Building<'a> {
    options: &'a Options,
    groups: Groups,
    mistakes: Mistakes,
    /// Ranks.
    count: u32,
    /// Computations that take no time.
    short: u64,
}

impl Building<'_> {
    fn rank(&mut self, own: &Resolved, deps: Deps, order: &[u32]) -> Rank {
        let mut place = vec![0; own.nodes.len()];
        for (new, &old) in (0..).zip(order) {
            place[old as usize] = new;
        }
        let mut units = BTreeMap::new();
        let mut rank = Rank::default();
        let mut edges: Vec<Edge> = Vec::new();
        for &number in order {
            let node = &own.nodes[number as usize];
            edges.clear();
            for set in own.of(deps) {
                edges.extend(set.after(number).iter().map(|on| Edge::end(place[*on as usize])));
            }
            edges.sort_unstable();
            edges.dedup();
            let does = self.does(node);
            let unit = self.unit(node, &does).map(|key| {
                let next = units.len() as u32;
                *units.entry(key).or_insert(next)
            });
            rank.push(node.id, does, unit, &edges);
        }
        rank
    }

    fn error(&mut self, node: &Node, message: &str, help: impl Into<String>) -> Does {
        let name: String = node.name.chars().take(40).flat_map(char::escape_debug).collect();
        let message = format!("node {} `{name}` {message}", node.id);
        self.mistakes.error(At::Byte(node.at), message, help);
        Does::Mark(String::new())
    }

    fn does(&mut self, node: &Node) -> Does {
        let cpu = node.attributes.is_cpu_op.is_some_and(|cpu| cpu > 0);
        match node.kind {
            kind::METADATA => Does::Mark(String::new()),
            kind::LOAD | kind::STORE => self.calc(node),
            kind::COMPUTE => {
                self.short += u64::from(node.duration_us == 0);
                self.calc(node)
            }
            kind::SEND | kind::RECV => self.message(node),
            // The CPU's launch of one.
            kind::COLLECTIVE if cpu && node.attributes.comm_type.is_none() => self.calc(node),
            kind::COLLECTIVE => self.collective(node),
            _ if self.options.unknown == Unknown::Skip => Does::Mark(String::new()),
            other => self.error(
                node,
                &format!("is of type {other}"),
                "expected 1 to 7, or `unknown = \"skip\"`",
            ),
        }
    }

    fn calc(&mut self, node: &Node) -> Does {
        match node.duration_us.checked_mul(Span::us(1).0) {
            Some(ps) => Does::Calc(Span(ps)),
            None => self.error(node, "takes too long", "expected less than a day"),
        }
    }

    fn size(&self, node: &Node) -> Option<u64> {
        node.attributes.comm_size?.checked_mul(self.options.element.0)
    }

    fn message(&mut self, node: &Node) -> Does {
        let Some(bytes) = self.size(node).map(Bytes) else {
            return self.error(node, "has no `comm_size`", "expected its bytes");
        };
        let sends = node.kind == kind::SEND;
        let own = &node.attributes;
        let (peer, word) =
            if sends { (own.comm_dst, "comm_dst") } else { (own.comm_src, "comm_src") };
        let Some(peer) = peer.and_then(|peer| u32::try_from(peer).ok()) else {
            return self.error(node, &format!("has no `{word}`"), "expected a rank");
        };
        let tag = own.comm_tag.unwrap_or(0);
        if sends {
            Does::Send { to: peer, bytes, tag }
        } else {
            Does::Recv { from: Some(peer), tag: Some(tag), bytes: Some(bytes) }
        }
    }

    fn collective(&mut self, node: &Node) -> Does {
        let known = "expected 0 all_reduce, 2 all_gather, 5 broadcast, 6 all_to_all, 7 or 8 \
                     reduce_scatter, 9 barrier";
        let op = match node.attributes.comm_type {
            Some(0) => CollectiveOp::AllReduce,
            Some(2) => CollectiveOp::AllGather,
            Some(5) => CollectiveOp::Broadcast,
            Some(6) => CollectiveOp::AllToAll,
            Some(7 | 8) => CollectiveOp::ReduceScatter,
            Some(9) => CollectiveOp::Barrier,
            Some(other) => {
                let names = ["a reduce", "a gather", "a scatter"];
                let what = match other {
                    1 => names[0],
                    3 => names[1],
                    4 => names[2],
                    _ => "unknown",
                };
                return self.error(node, &format!("has `comm_type` {other}, {what}"), known);
            }
            None => return self.error(node, "has no `comm_type`", known),
        };
        let name = node.attributes.pg_name.as_deref();
        let Some(group) = self.groups.number(name, self.count) else {
            let name = name.unwrap_or_default();
            let message = format!("is of group `{}`, which is not there", name.escape_debug());
            let help = match nearest(name, &self.groups.names()) {
                Some(near) => format!("did you mean `{near}`? or name its ranks with `groups`"),
                None => "name its ranks with `groups`".to_owned(),
            };
            return self.error(node, &message, help);
        };
        let size = match (op, self.size(node)) {
            (CollectiveOp::Barrier, size) => size.unwrap_or(0),
            (_, Some(size)) => size,
            (_, None) => return self.error(node, "has no `comm_size`", "expected its bytes"),
        };
        let ranks = self.groups.ranks(group);
        let whole = match (op, self.options.all_gather_size) {
            (CollectiveOp::AllGather, AllGatherSize::Input) => size.checked_mul(ranks),
            _ => Some(size),
        };
        match whole {
            Some(bytes) => Does::Coll { group, op, bytes: Bytes(bytes) },
            None => self.error(node, "has a `comm_size` that is too large", "expected bytes"),
        }
    }

    /// What goes one at a time with a node.
    fn unit(&self, node: &Node, does: &Does) -> Option<(u8, u64)> {
        const CPU: u64 = 0;
        const GPU: u64 = 1;
        const NETWORK: u64 = 2;
        const MEMORY: u64 = 3;
        let cpu = node.attributes.is_cpu_op.is_some_and(|cpu| cpu > 0);
        let kind = match (does, node.kind) {
            (Does::Mark(_) | Does::Recv { .. }, _) => return None,
            (Does::Send { .. } | Does::Coll { .. }, _) => NETWORK,
            (_, kind::LOAD | kind::STORE) if self.options.units == Units::Streams => MEMORY,
            _ if cpu => CPU,
            _ => GPU,
        };
        let Units::Streams = self.options.units else { return Some((2, kind)) };
        let own = &node.attributes;
        let stream = own.stream.map(|stream| (0, stream));
        stream.or(own.tid.map(|tid| (1, tid))).or(Some((2, kind)))
    }
}

/// What is known of the files before they are a job.
fn facts(version: &Version, ranks: &[Resolved]) -> Vec<Fact> {
    let mut facts = Vec::new();
    let texts = [("version", &version.version), ("schema", &version.schema)];
    for (name, text) in texts {
        facts.extend(text.as_ref().map(|text| Fact::text(name, text.escape_debug())));
    }
    let nodes = || ranks.iter().flat_map(|rank| &rank.nodes);
    let mut add = |name: &str, value: u64| {
        if value > 0 {
            facts.push(Fact::count(name, value));
        }
    };
    let cpu = |node: &Node| node.attributes.is_cpu_op.is_some_and(|cpu| cpu > 0);
    let of = |kind: u64| nodes().filter(move |node| node.kind == kind);
    add("nodes in files", nodes().count() as u64);
    add("metadata nodes", of(kind::METADATA).count() as u64);
    add("memory nodes", of(kind::LOAD).chain(of(kind::STORE)).count() as u64);
    add("compute nodes of CPUs", of(kind::COMPUTE).filter(|node| cpu(node)).count() as u64);
    add("compute nodes of GPUs", of(kind::COMPUTE).filter(|node| !cpu(node)).count() as u64);
    add("send nodes", of(kind::SEND).count() as u64);
    add("receive nodes", of(kind::RECV).count() as u64);
    let launches = |node: &&Node| cpu(node) && node.attributes.comm_type.is_none();
    add("collective nodes of CPUs", of(kind::COLLECTIVE).filter(launches).count() as u64);
    let collective = |node: &&Node| !launches(node);
    add("collective nodes", of(kind::COLLECTIVE).filter(collective).count() as u64);
    let us = |nodes: &mut dyn Iterator<Item = &Node>| -> u64 {
        nodes.fold(0, |sum, node| sum.saturating_add(node.duration_us))
    };
    add("durations, us", us(&mut nodes()));
    add(
        "durations of GPUs' computations, us",
        us(&mut of(kind::COMPUTE).filter(|node| !cpu(node))),
    );
    add("durations of collectives, us", us(&mut of(kind::COLLECTIVE).filter(collective)));
    for (name, edges) in
        [("control", Resolved::ctrl as fn(&Resolved) -> &Edges), ("data", Resolved::data)]
    {
        let sum = |count: fn(&Edges) -> u64| ranks.iter().map(|own| count(edges(own))).sum();
        add(&format!("{name} edges"), sum(|own| own.all));
        add(&format!("{name} edges to ids that are not there"), sum(|own| own.dangling));
        add(&format!("{name} edges to itself"), sum(|own| own.own));
        add(&format!("{name} edges to higher ids"), sum(|own| own.forward));
    }
    let roots = ranks.iter().map(|own| own.data.roots()).sum();
    add("nodes without data edges", roots);
    let path = ranks.iter().filter_map(|own| {
        let durations: Vec<u64> = own.nodes.iter().map(|node| node.duration_us).collect();
        longest(&durations, &own.data)
    });
    if let Some(longest) = path.max() {
        add("longest path by data edges, us", longest);
    }
    facts
}

impl Resolved {
    fn ctrl(&self) -> &Edges {
        &self.ctrl
    }

    fn data(&self) -> &Edges {
        &self.data
    }
}
