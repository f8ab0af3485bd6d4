//! `kind = "collective"`: one collective among some of the hosts, or among groups of them.

use super::compute::compute;
use super::placement::{PlacementKeys, placement};
use super::style::{
    self, ALPHA, Asked, BY_SIZE, CHANNELS, CHUNK, PROTOCOL, PXN_JOIN, RAILS, STEP_OVERHEAD, Said,
    StyleKeys, style_keys,
};
use super::{
    CLASS, HOSTS, Kind, MESSAGE, Made, Misfit, Pattern, SEED, STRAGGLER, TrafficSection, line,
};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Key, Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::study::metric::BUSBW;
use raddle_schemes::ids::HostId;
use raddle_schemes::rng;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::all_to_all;
use raddle_sim::workload::collective::butterfly::Butterfly;
use raddle_sim::workload::collective::compute::{Compute, ComputeTimes};
use raddle_sim::workload::collective::direct::Direct;
use raddle_sim::workload::collective::exchange::Exchange;
use raddle_sim::workload::collective::halving_doubling::HalvingDoubling;
use raddle_sim::workload::collective::placement::{Groups, Order, Placement};
use raddle_sim::workload::collective::ring::Ring;
use raddle_sim::workload::collective::tree::Tree;
use raddle_sim::workload::collective::volume::Volume;
use raddle_sim::workload::job::Operation;
use raddle_sim::workload::job_graph::{CollectiveOp, Does, Group, JobGraph, Rank, Style};
use raddle_sim::workload::{Traffic, WorkloadError};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: CollectiveKeys = Section::kind("collective", "a collective operation among some of the hosts, as sends that wait for each other").with(JobKeyWords::SECTION) => {
        operation: Word(Operation::WORDS), (required "all_reduce"),
            "`all_reduce`, `reduce_scatter`, `all_gather` or `all_to_all`";
        algorithm: Word(ALGORITHMS), (or "`\"ring\"`, or `\"direct\"`"),
            "`ring`, `halving_doubling` or `direct`; for `all_reduce` also `tree`, `double_tree`, `butterfly`, and `auto`: a ring or two trees over servers, whichever takes less by NCCL's model; an all-to-all is `direct`";
        message => MESSAGE.meaning("size of every message: a ring's or a tree's chunk, a butterfly's vector, an all-to-all's pair, a rank's part; with `halving_doubling` the smallest message. It says how much data there is: `channels`, `chunk` and `rails` cut the same data");
        size: Bytes, (or "what `message` makes") [>= "1 B"],
            "instead of `message`: all of a rank's data, as nccl-tests counts it; its parts differ by a byte at most";
        hops: Whole, (or "what the operation needs") [>= 1],
            "with `ring`: hops of each chunk; the REPS artifact has 2n - 1. With fewer than needed there is no bandwidth to show";
        chunks: Whole, (= 1) [>= 1],
            "with a tree: into how many chunks its data is cut";
        parallel: Whole, (or "all at once; `1` in trees") [>= 1],
            "in an all-to-all: messages that a rank sends at a time; in a tree: chunks from one rank to the next, where each last ACK lets another go";
        order: Word(all_to_all::Order::WORDS), (= "shifted"),
            "in an all-to-all: in which order a rank serves the others, as in `all_to_all`";
        channels => CHANNELS;
        by_size => BY_SIZE;
        alpha => ALPHA;
        rails => RAILS;
        pxn_join => PXN_JOIN;
        chunk => CHUNK;
        protocol => PROTOCOL;
        step_overhead => STEP_OVERHEAD;
        compute: Time, (= "0 ns"),
            "how long a rank computes before each step";
        straggler => STRAGGLER;
        hosts => HOSTS;
        ranks: Whole, (or "all of them") [>= 2],
            "how many take part; a power of two for `butterfly` and `halving_doubling`";
        groups: Either(&[List(&Whole), List(&List(&Whole))]), (or "one group"),
            "instead of `ranks`: the ranks of each group, `[8, 8, 16]`, or its hosts in the order of ranks, `[[0, 1], [2, 3, 4]]`";
        placement: Word(&["linear", "random"]), (= "linear"),
            "which host is which rank: `linear`, by number, or `random`";
        seed => SEED.meaning("draws the traffic alone: the same placement, order and stragglers whatever the run's seed; only where one of them is drawn");
        class => CLASS;
    }
}

const PLACEMENT: PlacementKeys = PlacementKeys {
    hosts: &KEYS.hosts,
    ranks: &KEYS.ranks,
    groups: &KEYS.groups,
    placement: &KEYS.placement,
};

const STYLE: StyleKeys = style_keys!(KEYS);

pub(super) const KIND: Kind = Kind {
    section: CollectiveKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
    asked_by: &[&BUSBW],
    read,
};

/// A collective, how long its ranks compute, and who takes part.
#[derive(Debug)]
struct Placed {
    what: What,
    volume: Volume,
    compute: Compute,
    placement: Placement,
    style: Styled,
}

/// Whether it is made as libraries make it.
#[derive(Debug)]
enum Styled {
    /// It is something else.
    No,
    /// Where hosts are GPUs of servers.
    OnServers(Said),
    /// Whatever hosts are.
    Yes(Said),
}

#[derive(Debug)]
enum What {
    Ring(Ring),
    Butterfly(Butterfly),
    HalvingDoubling(HalvingDoubling),
    Tree(Tree),
    Direct(Direct),
    Exchange(Exchange),
}

impl What {
    fn generate(
        &self,
        ranks: &[HostId],
        times: &ComputeTimes,
        seed: u64,
    ) -> Result<Traffic, WorkloadError> {
        match self {
            Self::Ring(ring) => ring.generate(ranks, times),
            Self::Butterfly(butterfly) => butterfly.generate(ranks, times),
            Self::HalvingDoubling(both) => both.generate(ranks, times),
            Self::Tree(tree) => tree.generate(ranks, times),
            Self::Direct(direct) => direct.generate(ranks, times),
            Self::Exchange(exchange) => exchange.generate(ranks, times, seed),
        }
    }

    /// What is wrong with it among these ranks, without making large traffic.
    fn check(&self, ranks: &[HostId]) -> Result<(), WorkloadError> {
        let (times, n) = (ComputeTimes::default(), ranks.len() as u32);
        match self {
            // One hop has all that can be wrong with many.
            Self::Ring(ring) => {
                Ring { hops: Some(1), ..ring.clone() }.generate(ranks, &times).map(|_| ())
            }
            Self::Butterfly(butterfly) => butterfly.generate(ranks, &times).map(|_| ()),
            Self::HalvingDoubling(both) => both.generate(ranks, &times).map(|_| ()),
            Self::Tree(tree) => tree.check(n),
            Self::Direct(direct) => direct.check(n),
            Self::Exchange(exchange) => exchange.check(n),
        }
    }

    fn operation(&self) -> Operation {
        match self {
            Self::Ring(Ring { operation, .. })
            | Self::HalvingDoubling(HalvingDoubling { operation, .. })
            | Self::Direct(Direct { operation, .. }) => *operation,
            Self::Butterfly(_) | Self::Tree(_) => Operation::AllReduce,
            Self::Exchange(_) => Operation::AllToAll,
        }
    }

    /// About how many messages so many ranks send.
    fn messages(&self, ranks: u64) -> u64 {
        ranks.saturating_mul(match self {
            Self::Ring(ring) => match (ring.hops, ring.operation) {
                (Some(hops), _) => hops.into(),
                (None, Operation::AllReduce) => 2 * ranks,
                (None, _) => ranks,
            },
            Self::Butterfly(_) | Self::HalvingDoubling(_) => 2 * u64::from(ranks.max(1).ilog2()),
            Self::Tree(tree) => 2 * u64::from(tree.trees) * u64::from(tree.chunks),
            Self::Direct(direct) if direct.operation == Operation::AllReduce => 2 * ranks,
            Self::Direct(_) | Self::Exchange(_) => ranks,
        })
    }

    /// All of the data of so many ranks, which is the same over however many channels.
    fn size(&self, volume: Volume, ranks: u32) -> Bytes {
        volume.all(match self {
            Self::Tree(tree) => tree.trees.saturating_mul(tree.chunks),
            _ => ranks,
        })
    }

    /// The largest message of so many ranks.
    fn largest(&self, volume: Volume, ranks: u32) -> Bytes {
        match self {
            Self::Butterfly(_) => volume.largest(1),
            Self::HalvingDoubling(_) => match volume {
                Volume::Message(message) => {
                    Bytes(message.0.saturating_mul(u64::from(ranks.max(2) / 2)))
                }
                Volume::Size(size) => Bytes(size.0.div_ceil(2)),
            },
            Self::Tree(tree) => volume.largest(tree.trees.saturating_mul(tree.chunks)),
            Self::Ring(_) | Self::Direct(_) | Self::Exchange(_) => volume.largest(ranks),
        }
    }
}

impl Placed {
    /// How it is made as libraries make it, if it is on this fabric.
    fn said(&self, fabric: &Fabric) -> Option<&Said> {
        match &self.style {
            Styled::No => None,
            Styled::OnServers(said) => fabric.scale_up.is_some().then_some(said),
            Styled::Yes(said) => Some(said),
        }
    }

    /// The collective of a group as a job whose ranks do nothing else.
    fn job(&self, ranks: u32, (channels, style): (u32, Style)) -> JobGraph {
        let op = CollectiveOp::from(self.what.operation());
        let bytes = self.what.size(self.volume, ranks);
        let rank = || {
            let mut rank = Rank::default();
            rank.push(0, Does::Coll { group: 0, op, bytes }, None, &[]);
            rank
        };
        let group = Group { name: "all".to_owned(), ranks: (0..ranks).collect() };
        let (ranks, groups) = ((0..ranks).map(|_| rank()).collect(), vec![group]);
        JobGraph { ranks, groups, channels, style, ..JobGraph::default() }
    }
}

impl Pattern for Placed {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        let groups = self.placement.groups(fabric.hosts, seed)?;
        if let Some(said) = self.said(fabric) {
            let mut traffic = Traffic::default();
            for group in &groups {
                let job = self.job(group.len() as u32, said.on(fabric));
                let made = job.traffic(group).map_err(|errors| {
                    let first = errors.first().map_or(String::new(), ToString::to_string);
                    let found = match self.volume {
                        Volume::Message(bytes) | Volume::Size(bytes) => bytes.to_string(),
                    };
                    let fits =
                        format!("what makes fewer messages, by ranks or `channels`: {first}");
                    let quantity = self.message_key();
                    Misfit::Workload(WorkloadError { quantity, flow: None, found, fits })
                })?;
                traffic.append(made);
            }
            return Ok(traffic);
        }
        let times = self.compute.draw(&groups.concat(), seed);
        let mut traffic = Traffic::default();
        for (number, group) in (0..).zip(&groups) {
            let own = if number == 0 { seed } else { rng::stream(seed, "group", number) };
            traffic.append(self.what.generate(group, &times, own)?);
        }
        Ok(traffic)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        let groups = self.placement.groups(fabric.hosts, 0);
        if let (Some(said), Ok(groups)) = (self.said(fabric), groups) {
            let operation = self.what.operation();
            let of = |hosts: Vec<HostId>| {
                let size = self.what.size(self.volume, hosts.len() as u32);
                said.messages(operation, &hosts, size, fabric)
            };
            return groups.into_iter().map(of).fold(0, u64::saturating_add);
        }
        let counts = self.placement.counts(fabric.hosts).into_iter();
        counts.map(|ranks| self.what.messages(ranks.into())).fold(0, u64::saturating_add)
    }

    fn largest(&self) -> Bytes {
        // Fewer ranks than on any fabric, where the scenario does not say how many: parts of a size
        // are the larger.
        let counts = self.placement.counts(2).into_iter();
        counts.map(|ranks| self.what.largest(self.volume, ranks)).max().unwrap_or_default()
    }

    fn message_key(&self) -> &'static str {
        match self.volume {
            Volume::Message(_) => "message",
            Volume::Size(_) => "size",
        }
    }

    fn nothing_drawn(&self) -> Option<&'static str> {
        let exchanges_at_random =
            matches!(&self.what, What::Exchange(all) if all.order == all_to_all::Order::Random);
        let placed_at_random = self.placement.order != Order::Linear;
        if placed_at_random || exchanges_at_random || self.compute.draws() {
            return None;
        }
        Some(match self.placement.groups {
            Some(Groups::Hosts(_)) => "groups of hosts",
            _ => "placement = \"linear\"",
        })
    }

    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        let made = self.placement.groups(fabric.hosts, 0);
        let made = made.and_then(|groups| groups.iter().try_for_each(|own| self.what.check(own)));
        if let Err(error) = made {
            log.add(section.problem(&error.into()));
        }
        if let (What::Tree(tree), Styled::No, Some(_)) = (&self.what, &self.style, fabric.scale_up)
        {
            check_tree(tree, section, log);
        }
        if let Some(said) = self.said(fabric) {
            said.check(section, fabric, log);
            let mut groups = self.placement.groups(fabric.hosts, 0).unwrap_or_default();
            groups.sort_unstable_by_key(Vec::len);
            groups.dedup_by_key(|group| group.len());
            for hosts in groups {
                let size = self.what.size(self.volume, hosts.len() as u32);
                said.note(self.what.operation(), &hosts, size, fabric, log);
            }
        }
    }
}

/// Refuses what a pair of trees over ranks has, where hosts are GPUs of servers: there they are over servers.
fn check_tree(tree: &Tree, section: &TrafficSection, log: &Log) {
    if tree.trees < 2 {
        return;
    }
    let (key, label) = match (tree.chunks, tree.in_flight) {
        (1, 1) => ("algorithm", "expected no `compute` and no `straggler`"),
        (1, _) => ("parallel", "leave it out"),
        _ => ("chunks", "expected `chunk`, the size of a chunk"),
    };
    let message = "two trees over servers have no steps of ranks, and chunks by size";
    log.add(section.place_of(key).problem(message).label(label));
}

/// The data moved, by `message` or by `size`, with the line that says it.
fn volume(reader: &mut Reader<'_>) -> Option<(Volume, String)> {
    let (size, message) = (reader.take(&KEYS.size), reader.take(&KEYS.message));
    if let (Some(size), Some(_)) = (size, message) {
        let problem = size.place.problem("`size` and `message` are both given");
        let label = "expected one of them: the buffer of a rank, or a message of a step";
        reader.log().add(problem.label(label));
        return None;
    }
    if size.is_some() {
        let size = reader.at_least(&KEYS.size)?;
        return Some((Volume::Size(size), line("size", &size)));
    }
    let message = reader.at_least(&KEYS.message)?;
    Some((Volume::Message(message), line("message", &message)))
}

/// All algorithms.
const ALGORITHMS: &[&str] =
    &["ring", "tree", "double_tree", "butterfly", "halving_doubling", "direct", "auto"];

/// The algorithms of an operation, the default first.
fn algorithms(operation: Option<Operation>) -> &'static [&'static str] {
    match operation {
        Some(Operation::AllReduce) | None => ALGORITHMS,
        Some(Operation::ReduceScatter | Operation::AllGather) => {
            &["ring", "halving_doubling", "direct"]
        }
        Some(Operation::AllToAll) => &["direct"],
    }
}

/// Limits and orders that only some algorithms have.
struct Extras {
    hops: Option<u32>,
    chunks: u32,
    in_flight: Option<u32>,
    order: all_to_all::Order,
}

impl Extras {
    /// A key whose value is of the collective alone, and not of one that libraries make. By values, as the
    /// resolved text has no defaults.
    fn other(&self, tree: bool, compute: &Compute) -> Option<&'static Key> {
        let in_flight = self.in_flight.filter(|most| !tree || *most > 1);
        let own = [
            (&KEYS.hops, self.hops.is_some()),
            (&KEYS.chunks, self.chunks > 1),
            (&KEYS.parallel, in_flight.is_some()),
            (&KEYS.order, self.order != all_to_all::Order::Shifted),
            (&KEYS.compute, compute.time > Span::ZERO),
            (&KEYS.straggler, compute.straggler.is_some()),
        ];
        own.into_iter().find(|(_, says)| *says).map(|(key, _)| key)
    }
}

/// Reads them. `None` if one is wrong.
fn extras(
    reader: &mut Reader<'_>,
    operation: Option<Operation>,
    algorithm: &str,
) -> Option<Extras> {
    let exchanges = operation == Some(Operation::AllToAll);
    let tree = algorithm.ends_with("tree");
    // Where the operation is wrong, so may be the algorithm.
    let with = operation.map(|operation| match algorithm {
        "direct" if !exchanges => format!("with `operation = \"{}\"`", operation.word()),
        _ => format!("with `algorithm = \"{algorithm}\"`"),
    });
    let mut limit = |key: &'static Key, fits: bool, goes_with: &str| -> Option<Option<u32>> {
        match &with {
            Some(with) if !fits => {
                reader.misplaced(key, with, goes_with);
                Some(None)
            }
            _ if reader.take(key).is_none() => Some(None),
            _ => reader.at_least_or(key, Some(1)).map(Some),
        }
    };
    let hops = limit(&KEYS.hops, algorithm == "ring", "`algorithm = \"ring\"`");
    let chunks = limit(&KEYS.chunks, tree, "`algorithm = \"tree\"` or \"double_tree\"");
    let both = "`operation = \"all_to_all\"`, or `algorithm = \"tree\"` or \"double_tree\"";
    let in_flight = limit(&KEYS.parallel, exchanges || tree, both);
    reader.take(&KEYS.order);
    let (hops, chunks, in_flight) = (hops?, chunks?, in_flight?);
    let mut order = None;
    match &with {
        Some(with) if !exchanges => {
            reader.misplaced(&KEYS.order, with, "`operation = \"all_to_all\"`");
        }
        Some(_) => order = super::all_to_all::order(reader, &KEYS.order, in_flight)?,
        None => {}
    }
    let order = order.unwrap_or(all_to_all::Order::Shifted);
    Some(Extras { hops, chunks: chunks.unwrap_or(1), in_flight, order })
}

/// Whether it is made as libraries make it: where that is asked for, or hosts are GPUs of servers and
/// nothing `other` is asked for. `None` if both are, which is reported.
fn styled(
    reader: &mut Reader<'_>,
    said: Said,
    (operation, algorithm): (Operation, &str),
    other: Option<String>,
) -> Option<Styled> {
    let of_libraries = match operation {
        Operation::AllReduce => ["ring", "double_tree", "auto"].contains(&algorithm),
        Operation::ReduceScatter | Operation::AllGather => algorithm == "ring",
        Operation::AllToAll => true,
    };
    let other =
        other.or_else(|| (!of_libraries).then(|| format!("with `algorithm = \"{algorithm}\"`")));
    let needs = said.needs(&STYLE);
    match (other, needs) {
        (None, None) => Some(Styled::OnServers(said)),
        (None, Some(_)) => Some(Styled::Yes(said)),
        (Some(_), None) => Some(Styled::No),
        (Some(with), Some(key)) => {
            let item = reader.take(key).or_else(|| reader.take(&KEYS.algorithm));
            let place = item.map_or(reader.place(), |item| &item.place).clone();
            let problem = place.problem(format!("`{}` has no effect {with}", key.word));
            let label =
                "it goes with rings, `double_tree`, `auto` and all-to-alls as libraries make them";
            reader.log().add(problem.label(label));
            None
        }
    }
}

/// Reports a key that does nothing for this operation, with `None`.
fn without_effect(reader: &mut Reader<'_>, said: &Said, operation: Operation) -> Option<()> {
    let reduces = operation == Operation::AllReduce;
    let exchanges = operation == Operation::AllToAll;
    let none = [
        (&KEYS.by_size, !reduces && said.is_by_size(), "`operation = \"all_reduce\"`"),
        (&KEYS.pxn_join, !exchanges && said.is_apart(), "`operation = \"all_to_all\"`"),
        (&KEYS.channels, exchanges && said.has_channels(), "rings and trees"),
        (&KEYS.chunk, exchanges && said.has_chunk(), "rings and trees"),
    ];
    let Some((key, _, with)) = none.into_iter().find(|(_, says, _)| *says) else { return Some(()) };
    let without = format!("with `operation = \"{}\"`", operation.word());
    reader.misplaced(key, &without, with);
    None
}

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let operation: Option<Operation> = reader.need(&KEYS.operation);
    let volume = volume(reader);
    let words = algorithms(operation);
    let algorithm = reader.word_of(&KEYS.algorithm, words).unwrap_or(words[0]);
    let placement = placement(reader, &PLACEMENT, 1);
    let compute = compute(reader, [&KEYS.compute, &KEYS.straggler]);
    let extras = extras(reader, operation, algorithm);
    let style = style::style(reader, &STYLE);
    let asked = style::asked(reader, &STYLE, algorithm);
    let (operation, (volume, volume_line)) = (operation?, volume?);
    let (extras, (placement, places), (compute, times)) = (extras?, placement?, compute?);
    let given = extras.other(algorithm.ends_with("tree"), &compute);
    let Extras { hops, chunks, in_flight, order } = extras;
    let ((said, mut of_style), (asked, alpha, more)) = (style?, asked?);
    of_style.extend(more);
    let other = given.map(|key| format!("with `{}`", key.word));
    let by_size = matches!(asked, Asked::BySize(_));
    if let (Volume::Message(_), true) = (volume, by_size || algorithm == "auto") {
        // What a message is depends on the algorithm, which depends on the size.
        let item = reader.take(&KEYS.message)?;
        let problem =
            item.place.problem("`message` is of one algorithm, and this depends on the size");
        reader.log().add(problem.label("expected `size`, all of a rank's data"));
        return None;
    }
    let said = said.with(asked, alpha);
    without_effect(reader, &said, operation)?;
    let style = styled(reader, said, (operation, algorithm), other)?;
    let limits = [hops.map(|n| line("hops", &n)), in_flight.map(|n| line("parallel", &n))];
    let mut own: Vec<String> = limits.into_iter().flatten().collect();
    let tree = |trees, own: &mut Vec<String>| {
        let in_flight = in_flight.unwrap_or(1);
        if !matches!(style, Styled::Yes(_)) {
            *own = vec![line("chunks", &chunks), line("parallel", &in_flight)];
        }
        What::Tree(Tree { volume, trees, chunks, in_flight })
    };
    let what = match (algorithm, operation) {
        ("direct", Operation::AllToAll) => {
            own.extend((order != all_to_all::Order::Shifted).then(|| line("order", &order)));
            What::Exchange(Exchange { volume, order, in_flight })
        }
        ("direct", _) => What::Direct(Direct { operation, volume }),
        ("butterfly", _) => What::Butterfly(Butterfly { volume }),
        ("halving_doubling", _) => What::HalvingDoubling(HalvingDoubling { operation, volume }),
        ("tree", _) => tree(1, &mut own),
        ("double_tree", _) => tree(2, &mut own),
        _ => What::Ring(Ring { operation, volume, hops }),
    };
    let word = operation.word();
    let algorithm_line = (!by_size).then(|| format!("algorithm = \"{algorithm}\""));
    let lines = [Some(format!("operation = \"{word}\"")), algorithm_line, Some(volume_line)];
    let lines =
        lines.into_iter().flatten().chain(own).chain(of_style).chain(times).chain(places).collect();
    let title = match volume {
        Volume::Message(message) => format!("{algorithm} {word} of {message} messages"),
        Volume::Size(size) => format!("{size} {algorithm} {word}"),
    };
    let pattern = Arc::new(Placed { what, volume, compute, placement, style });
    Some(Made { pattern, lines, title, files: Vec::new() })
}
