//! How collectives become messages: over how many channels, by which rails, in which chunks.

use super::{TrafficSection, line};
use crate::scenario::key::{Key, Section, key, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::scheme::shown;
use crate::scenario::spec::{Item, Value};
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::job::Operation;
use raddle_sim::workload::job_graph::CollectiveOp;
use raddle_sim::workload::job_graph::style::{
    Algorithm, Choice, Model, Protocol, Rails, Style, TREE_CHUNK, WHOLE,
};

/// Keys of all kinds that have collectives as libraries make them.
pub(super) const CHANNELS: Key = key!(
    channels Whole, (or "`gpus` of [fabric] scale_up, else 1") [>= 1],
    "into how many parts a collective on a ring or a tree is cut, each with one of its own: channel c enters servers by GPU c"
);
pub(super) const RAILS: Key = key!(
    rails Word(Rails::WORDS), (= "pxn") [],
    "how messages get to another server: handed to the GPU of the server whose NIC is on the receiver's rail (`pxn`); a ring enters servers by its rail and by the one beside it in turn (`alternate`); by the sender's own NIC (`cross`)"
);
pub(super) const PXN_JOIN: Key = key!(
    pxn_join Flag, (= true) [],
    "with `rails = \"pxn\"`, in an all-to-all: whether what the GPUs of a server hand over for one receiver goes on as one message"
);
pub(super) const CHUNK: Key = key!(
    chunk Either(&[Bytes, Exactly("whole")]), (or "`\"whole\"`; 2 MiB in trees of servers") [>= "1 B"],
    "what messages of rings and trees are cut into. To one receiver on a channel so many are under way as have eight steps of 512 KiB: two of 2 MiB, eight of up to 512 KiB"
);
pub(super) const PROTOCOL: Key = key!(
    protocol Word(Protocol::WORDS), (= "simple") [],
    "what bytes of collectives take on the way: `simple` one each, `ll` two, `ll128` 128 for 120"
);
pub(super) const STEP_OVERHEAD: Key = key!(
    step_overhead Time, (= "0 ns") [],
    "what a sender does before each message of a collective to one receiver on a channel, one after the other"
);
pub(super) const ALPHA: Key = key!(
    alpha Time, (= "5 us") [],
    "with `algorithm = \"auto\"`: what each step is reckoned to take beside its bytes"
);

pub(super) const ALGORITHM: Key = key!(
    algorithm Word(&["ring", "double_tree", "auto"]), (= "ring") [],
    "how an all-reduce is done: on rings (`ring`), by two trees over servers with chains inside (`double_tree`), or whichever takes less by NCCL's model (`auto`)"
);
pub(super) const BY_SIZE: Key = key!(
    by_size List(&Table(BySizeKeys::SECTION)), (or "none") [],
    "instead of `algorithm`: one for each size, the first that an all-reduce fits, and `ring` if it fits none; see [by_size](#by_size)"
);

keys! {
    /// One of the algorithms by size.
    STEP: BySizeKeys = Section::new("by_size", "### by_size", "an algorithm of all-reduces up to a size") => {
        up_to: Bytes, (or "none: all that are larger"),
            "up to which size, as nccl-tests counts it";
        algorithm: Word(Algorithm::WORDS), (required "ring"),
            "`ring`, or `double_tree`: two trees over servers, with chains inside";
    }
}

/// Where a kind has declared the keys.
pub(super) struct StyleKeys {
    pub(super) channels: &'static Key,
    pub(super) algorithm: &'static Key,
    pub(super) by_size: &'static Key,
    pub(super) alpha: &'static Key,
    pub(super) rails: &'static Key,
    pub(super) pxn_join: &'static Key,
    pub(super) chunk: &'static Key,
    pub(super) protocol: &'static Key,
    pub(super) step_overhead: &'static Key,
}

/// What is said, without the fabric.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    channels: Option<u32>,
    rails: Rails,
    join: bool,
    chunk: Option<Bytes>,
    choice: Asked,
    alpha: Span,
    protocol: Protocol,
    overhead: Span,
}

/// Which algorithm is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// One of them for all sizes.
    One(Algorithm),
    /// The one that takes less.
    Auto,
    /// By size.
    BySize(Vec<(Option<Bytes>, Algorithm)>),
}

impl Default for Asked {
    fn default() -> Self {
        Self::One(Algorithm::Ring)
    }
}

/// Reads all of it but the algorithm, with the lines that say what is not as it is by default.
pub(super) fn style(reader: &mut Reader<'_>, keys: &StyleKeys) -> Option<(Said, Vec<String>)> {
    let mut lines = Vec::new();
    let has_channels = reader.take(keys.channels).is_some();
    let channels = if has_channels { reader.at_least_or(keys.channels, None) } else { None };
    lines.extend(channels.map(|own| line("channels", &own)));
    let rails: Rails = reader.or(keys.rails);
    let join: bool = reader.or(keys.pxn_join);
    if rails == Rails::Pxn {
        lines.extend((!join).then(|| line("pxn_join", &join)));
    } else {
        lines.push(format!("rails = \"{}\"", rails.word()));
        reader.misplaced(keys.pxn_join, "with these `rails`", "`rails = \"pxn\"`");
    }
    let chunk = match reader.take(keys.chunk) {
        Some(Item { value: Value::Text(word), .. }) if word == "whole" => Some(Some(WHOLE)),
        Some(_) => reader.at_least_or(keys.chunk, None).map(Some),
        None => Some(None),
    };
    lines.extend(chunk.flatten().map(|own| match own {
        WHOLE => "chunk = \"whole\"".to_owned(),
        own => line("chunk", &own),
    }));
    let protocol: Protocol = reader.or(keys.protocol);
    let simple = protocol == Protocol::Simple;
    lines.extend((!simple).then(|| format!("protocol = \"{}\"", protocol.word())));
    let overhead: Span = reader.or(keys.step_overhead);
    lines.extend((overhead > Span::ZERO).then(|| line("step_overhead", &overhead)));
    if (has_channels && channels.is_none()) || chunk.is_none() {
        return None;
    }
    let chunk = chunk.flatten();
    let (choice, alpha) = (Asked::default(), Span::ZERO);
    Some((Said { channels, rails, join, chunk, choice, alpha, protocol, overhead }, lines))
}

/// Reads which algorithm is asked for, `word` being that of the key, with the lines that say it.
pub(super) fn asked(
    reader: &mut Reader<'_>,
    keys: &StyleKeys,
    word: &str,
) -> Option<(Asked, Span, Vec<String>)> {
    let mut lines = Vec::new();
    let alpha: Span = reader.or(keys.alpha);
    let given = reader.take(keys.by_size).is_some();
    let items = reader.list(keys.by_size, "algorithms by size");
    if given {
        reader.misplaced(keys.algorithm, "with `by_size`", "all sizes");
        reader.misplaced(keys.alpha, "with `by_size`", "`algorithm = \"auto\"`");
        let read = |item: &Item| {
            let mut step = Reader::of("by_size", item, reader.log())?;
            let up_to: Option<Bytes> = step.get(&STEP.up_to);
            let algorithm: Option<Algorithm> = step.need(&STEP.algorithm);
            step.finish();
            Some((up_to, algorithm?))
        };
        let steps: Vec<_> = items.iter().map(read).collect::<Option<_>>()?;
        let shown = steps.iter().map(|(up_to, algorithm)| {
            let up_to = up_to.map_or(String::new(), |own| format!("up_to = {}, ", shown(&own)));
            format!("{{ {up_to}algorithm = \"{}\" }}", algorithm.word())
        });
        lines.push(format!("by_size = [{}]", shown.collect::<Vec<_>>().join(", ")));
        return Some((Asked::BySize(steps), alpha, lines));
    }
    if word == "auto" {
        lines.push(line("alpha", &alpha));
        return Some((Asked::Auto, alpha, lines));
    }
    reader.misplaced(keys.alpha, "with this algorithm", "`algorithm = \"auto\"`");
    let known = Algorithm::ALL.iter().find(|known| known.word() == word);
    Some((Asked::One(known.copied().unwrap_or_default()), alpha, lines))
}

/// All of it, for kinds that have no other algorithms.
pub(super) fn of_job(reader: &mut Reader<'_>, keys: &StyleKeys) -> Option<(Said, Vec<String>)> {
    let word = reader.word(keys.algorithm);
    let said = style(reader, keys);
    let (choice, alpha, more) = asked(reader, keys, word)?;
    let (said, mut lines) = said?;
    if matches!(choice, Asked::One(Algorithm::DoubleTree) | Asked::Auto) {
        lines.push(format!("algorithm = \"{word}\""));
    }
    lines.extend(more);
    Some((said.with(choice, alpha), lines))
}

impl Said {
    /// The same with an algorithm.
    pub(super) fn with(self, choice: Asked, alpha: Span) -> Self {
        Self { choice, alpha, ..self }
    }

    /// A key whose value says something of it that holds for GPUs that are alone, too. A default that is
    /// typed says nothing: the resolved text has no such key, and is one scenario with this one.
    pub(super) fn needs(&self, keys: &StyleKeys) -> Option<&'static Key> {
        let own = [
            (keys.algorithm, self.choice == Asked::Auto),
            (keys.by_size, self.is_by_size()),
            (keys.channels, self.has_channels()),
            (keys.rails, self.rails != Rails::Pxn),
            (keys.pxn_join, self.is_apart()),
            (keys.chunk, self.has_chunk()),
            (keys.protocol, self.protocol != Protocol::Simple),
            (keys.step_overhead, self.overhead > Span::ZERO),
        ];
        own.into_iter().find(|(_, says)| *says).map(|(key, _)| key)
    }

    /// Whether algorithms are given by size.
    pub(super) fn is_by_size(&self) -> bool {
        matches!(self.choice, Asked::BySize(_))
    }

    /// Whether what is handed over does not go on as one message.
    pub(super) fn is_apart(&self) -> bool {
        self.rails == Rails::Pxn && !self.join
    }

    /// Whether channels are given.
    pub(super) fn has_channels(&self) -> bool {
        self.channels.is_some()
    }

    /// Whether chunks are given.
    pub(super) fn has_chunk(&self) -> bool {
        self.chunk.is_some()
    }

    /// Channels and style on a fabric.
    pub(super) fn on(&self, fabric: &Fabric) -> (u32, Style) {
        let gpus = fabric.scale_up.map_or(0, |domain| domain.gpus);
        let channels = self.channels.unwrap_or(gpus.max(1));
        let choice = match &self.choice {
            Asked::One(algorithm) => Choice::One(*algorithm),
            Asked::BySize(steps) => Choice::BySize(steps.clone()),
            Asked::Auto => {
                let hosts = (0..fabric.host_ports()).map(PortId);
                let slowest = hosts.map(|port| fabric.ports[port.index()].rate.0).min();
                Choice::Auto(Model { alpha: self.alpha, rate: Rate(slowest.unwrap_or(1)) })
            }
        };
        let Self { rails, chunk, protocol, overhead, .. } = *self;
        let apart = !self.join;
        (channels, Style { gpus, rails, apart, chunk, choice, protocol, overhead })
    }

    /// Notes which algorithm is taken, where that is not said, and whether what a sender does before each
    /// message takes longer than its link.
    pub(super) fn note(
        &self,
        operation: Operation,
        hosts: &[HostId],
        size: Bytes,
        fabric: &Fabric,
        log: &Log,
    ) {
        let (channels, style) = self.on(fabric);
        let op = CollectiveOp::ALL.iter().find(|op| op.word() == operation.word());
        let Some(op) = op.copied() else { return };
        let (ranks, algorithm) = (hosts.len() as u32, style.algorithm(op, hosts, size, channels));
        if !matches!(self.choice, Asked::One(_)) && op == CollectiveOp::AllReduce {
            let word = algorithm.word();
            log.note(format!("an {op} of {size} among {ranks} ranks goes by `{word}`"));
        }
        if self.overhead == Span::ZERO || op == CollectiveOp::AllToAll {
            return;
        }
        let parts = match algorithm {
            Algorithm::Ring => u64::from(channels) * u64::from(ranks.max(1)),
            Algorithm::DoubleTree => 2 * u64::from(channels),
        };
        let chunk = match algorithm {
            Algorithm::Ring => WHOLE,
            Algorithm::DoubleTree => TREE_CHUNK,
        };
        let message = Bytes(size.0.div_ceil(parts)).min(style.chunk.unwrap_or(chunk));
        let rate = Bytes(message.0.saturating_mul(1_000) / (self.overhead.0 / 1_000).max(1));
        let link = (0..fabric.host_ports())
            .map(|port| fabric.ports[port as usize].rate.0 / 8_000_000)
            .min();
        if link.is_some_and(|link| rate.0 < link) {
            let text = format!(
                "`step_overhead` lets a channel send {message} every {}: {} MB/s of its link's {} MB/s",
                self.overhead,
                rate.0,
                link.unwrap_or(0)
            );
            log.note(text);
        }
    }

    /// How many messages a collective has at most.
    pub(super) fn messages(
        &self,
        operation: Operation,
        hosts: &[HostId],
        size: Bytes,
        fabric: &Fabric,
    ) -> u64 {
        let (channels, style) = self.on(fabric);
        let op = CollectiveOp::ALL.iter().find(|op| op.word() == operation.word());
        op.map_or(0, |op| style.sends_at_most(*op, hosts, size, channels))
    }

    /// About how many flows there are of so many on one ring.
    pub(super) fn flows(&self, flows: u64, fabric: &Fabric) -> u64 {
        let (channels, style) = self.on(fabric);
        let relayed = if style.gpus > 0 && style.rails == Rails::Pxn { 2 } else { 1 };
        flows.saturating_mul(u64::from(channels)).saturating_mul(relayed)
    }

    /// Adds what does not go with the fabric.
    pub(super) fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        let refuse = |key: &str, message: &str, label: &str| {
            log.add(section.place_of(key).problem(message).label(label));
        };
        let Some(domain) = &fabric.scale_up else {
            let own = [("rails", self.rails != Rails::Pxn), ("pxn_join", !self.join)];
            for (key, _) in own.into_iter().filter(|(_, said)| *said) {
                let message = format!("`{key}` has no effect where each GPU is alone");
                refuse(key, &message, "give [fabric] a `scale_up`, or leave it out");
            }
            return;
        };
        if self.rails == Rails::Alternate && !domain.gpus.is_multiple_of(2) {
            let message = format!("`alternate` pairs rails, and a server has {}", domain.gpus);
            refuse("rails", &message, "expected `pxn` or `cross`, or an even number of GPUs");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Study, parse};
    use crate::study::summary::RunSummary;
    use crate::study::timing::Cost;
    use raddle_sim::engine;
    use raddle_sim::plan::Plan;
    use raddle_sim::record::Stop;
    use std::path::Path;

    const SERVERS: &str = "topology = { kind = \"rail\", servers = 2, gpus = 8, spines = 0 }\n\
        scale_up = {}\n";
    const RING: &str = "kind = \"collective\"\noperation = \"all_reduce\"\nsize = \"1 MiB\"\n";

    fn study(fabric: &str, traffic: &str) -> Result<Study, String> {
        let text = format!("[fabric]\n{fabric}[traffic]\n{traffic}");
        let problems = |problems: crate::problem::Problems| problems.render(false);
        parse("t.toml", &text, Path::new("."), &[]).map_err(problems)
    }

    fn plan(fabric: &str, traffic: &str) -> Plan {
        let study = study(fabric, traffic).unwrap();
        let scenario = &study.cells[0].scenario;
        let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
        let again = &again.cells[0].scenario;
        assert_eq!(again.hash(), scenario.hash(), "{}", scenario.resolved_toml());
        let plan = scenario.resolve(1).unwrap();
        let stored = again.resolve(1).unwrap();
        assert_eq!(stored.traffic.flows, plan.traffic.flows, "{}", scenario.resolved_toml());
        assert_eq!(stored.traffic.triggers, plan.traffic.triggers, "{}", scenario.resolved_toml());
        plan
    }

    /// Of the ring's 3,840 sends 480 leave a server, each in two hops.
    #[test]
    fn a_ring_over_servers_has_a_channel_for_each_rail() {
        let plan = plan(SERVERS, RING);
        assert_eq!(plan.traffic.flows.len(), 3_840 + 480);
        let collective = plan.traffic.jobs[0].collective.unwrap();
        assert_eq!((collective.ranks, collective.bytes.0), (16, 1 << 20));
        let outcome = engine::run(&plan, &mut ());
        assert_eq!(outcome.stop, Stop::Completed);
        let sent: Vec<u64> = outcome.scale_up.iter().map(|own| own.sent_bytes).collect();
        // Thirty sends of two packets leave each NIC, those of its channel.
        assert!(outcome.ports[..16].iter().all(|port| port.data_frames == 30 * 2));
        // All sends have 8 KiB; of each GPU's, seven channels stay in the server, and one is handed over.
        assert_eq!(sent, [8 * 30 * 8_192; 16]);
    }

    /// Of 400 GB/s that eight NICs of 400 Gbps have, 393.8 are not headers. A NIC sends thirty messages of
    /// 64 packets; before the first and after the last a message goes round a server, by eight hops on its
    /// crossbar at most, with `pxn` by one more, and there and back by links that take 1.5 us.
    #[test]
    fn a_ring_over_rails_takes_as_long_as_its_nics_and_once_round_a_server() {
        let ring = RING.replace("1 MiB", "32 MiB");
        let transport =
            "[transport]\ncongestion = { scheme = \"fixed_rate\" }\npair_order = \"fifo\"\n";
        for (rails, inside) in [("pxn", 9), ("alternate", 8)] {
            let plan = plan(SERVERS, &format!("{ring}rails = \"{rails}\"\n{transport}"));
            let outcome = engine::run(&plan, &mut ());
            let (nic, hop) = (30 * 64 * 83_200, 4 * 145_636 + 500_000);
            let most = nic + inside * hop + 2 * 1_600_000;
            assert!((nic..most).contains(&outcome.end.0), "{rails}: {} of {most}", outcome.end);
            // What the run reports has no more than 393.8, and lacks no more than once round a server.
            let summary = RunSummary::new("5ce7a110", &plan, &outcome, None, Cost::default());
            let busbw = summary.jobs[0].busbw_gb_s().unwrap();
            let least = 393.8 * nic as f64 / most as f64;
            assert!((least..393.9).contains(&busbw), "{rails}: {busbw} of {least}");
            assert!(least > 360.0, "{least}");
        }
    }

    #[test]
    fn without_servers_defaults_are_as_they_were() {
        let tree = "topology = { kind = \"fat_tree\", hosts = 16 }\n";
        let plain = plan(tree, RING);
        assert_eq!(plain.traffic.flows.len(), 2 * 15 * 16);
        assert!(plain.traffic.jobs[0].script.is_none());
        let two = plan(tree, &format!("{RING}channels = 2\n"));
        assert_eq!(two.traffic.flows.len(), 2 * 2 * 15 * 16);
    }

    #[test]
    fn every_way_of_saying_it_is_read_again() {
        for more in [
            "algorithm = \"auto\"\n",
            "algorithm = \"auto\"\nalpha = \"1 us\"\nchannels = 4\n",
            "algorithm = \"double_tree\"\nchunk = \"64 KiB\"\n",
            "by_size = [{ up_to = \"1 KiB\", algorithm = \"ring\" }, { algorithm = \"double_tree\" }]\n",
            "rails = \"alternate\"\nchunk = \"whole\"\n",
            "protocol = \"ll128\"\nstep_overhead = \"1 us\"\n",
        ] {
            let plan = plan(SERVERS, &format!("{RING}{more}"));
            assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed, "{more}");
        }
        let step = "kind = \"training\"\nlayers = 2\nforward = \"1 us\"\ntensor = 8\ndata = 2\n\
            tensor_bytes = \"64 KiB\"\ngradient = \"64 KiB\"\n";
        for more in ["", "algorithm = \"double_tree\"\nchannels = 2\n", "rails = \"cross\"\n"] {
            let plan = plan(SERVERS, &format!("{step}{more}"));
            assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed, "{more}");
        }
    }

    /// What is typed and is the default says nothing.
    #[test]
    fn one_scenario_has_one_result_whatever_of_it_is_typed() {
        let all_to_all = RING.replace("all_reduce", "all_to_all");
        let tree = format!("{RING}algorithm = \"double_tree\"\n");
        let ways =
            "rails = \"pxn\"\npxn_join = true\nprotocol = \"simple\"\nstep_overhead = \"0 ns\"\n";
        let alone = "topology = { kind = \"fat_tree\", hosts = 16 }\n";
        let spines = SERVERS.replace("spines = 0", "spines = 1");
        for fabric in [alone, &spines] {
            for (traffic, more) in [
                (RING, "compute = \"0 ns\"\n"),
                (RING, ways),
                (RING, "algorithm = \"ring\"\n"),
                (&all_to_all, "order = \"shifted\"\n"),
                (&all_to_all, ways),
                (&tree, ways),
                (&tree, "chunks = 1\nparallel = 1\n"),
                (&tree, "chunks = 1\nprotocol = \"simple\"\ncompute = \"0 ns\"\n"),
            ] {
                let (bare, typed) =
                    (plan(fabric, traffic), plan(fabric, &format!("{traffic}{more}")));
                assert_eq!(typed.traffic.flows, bare.traffic.flows, "{more}");
                assert_eq!(typed.traffic.triggers, bare.traffic.triggers, "{more}");
            }
        }
    }

    /// A message says how much data there is, over however many channels and by whichever tree.
    #[test]
    fn a_message_makes_the_same_data_with_any_style() {
        let alone = "topology = { kind = \"fat_tree\", hosts = 16 }\n";
        for (algorithm, parts) in [("ring", 16), ("double_tree", 2)] {
            let all = RING.replace("size = \"1 MiB\"", "message = \"64 KiB\"");
            let all = format!("{all}algorithm = \"{algorithm}\"\n");
            for (fabric, more) in [
                (alone, ""),
                (alone, "channels = 1\n"),
                (alone, "channels = 4\n"),
                (SERVERS, ""),
                (SERVERS, "channels = 2\n"),
            ] {
                let made = plan(fabric, &format!("{all}{more}"));
                let size = made.traffic.jobs[0].collective.unwrap().bytes;
                assert_eq!(size.0, parts << 16, "{algorithm} {more}");
                let relays = fabric == SERVERS && algorithm == "ring";
                let sent: u64 = made.traffic.flows.iter().map(|flow| flow.bytes.0).sum();
                assert_eq!(sent == 30 * size.0, !relays, "{algorithm} {more}");
            }
        }
    }

    /// Without keys, with a default that is typed, and as another kind makes it.
    #[test]
    fn a_pair_of_trees_over_servers_is_one_pair_of_trees() {
        let tree = format!("{RING}algorithm = \"double_tree\"\n");
        let bare = plan(SERVERS, &tree);
        assert_eq!(engine::run(&bare, &mut ()).stop, Stop::Completed);
        assert_eq!(
            plan(SERVERS, &format!("{tree}channels = 8\n")).traffic.flows,
            bare.traffic.flows
        );
        let by_size = format!("{RING}by_size = [{{ algorithm = \"double_tree\" }}]\n");
        assert_eq!(plan(SERVERS, &by_size).traffic.flows, bare.traffic.flows);
        for (more, expected) in [
            ("chunks = 2\n", "expected `chunk`"),
            ("parallel = 2\n", "leave it out"),
            ("compute = \"1 us\"\n", "expected no `compute`"),
        ] {
            let problems = study(SERVERS, &format!("{tree}{more}")).unwrap_err();
            assert!(problems.contains(expected), "{more}: {problems}");
        }
    }

    #[test]
    fn what_leaves_its_rail_is_an_error_before_the_run() {
        let study = study(SERVERS, &format!("{RING}rails = \"cross\"\n"));
        let refused = study.unwrap().cells[0].scenario.resolve(1).unwrap_err();
        assert!(refused.message.starts_with("no way leads from `host"), "{}", refused.message);
        assert!(refused.help.iter().any(|help| help.contains("`rails = \"pxn\"`")), "{refused:?}");
    }

    /// GPUs keep to the rails of their numbers, whichever ranks they are and however many a server has.
    #[test]
    fn without_spines_rings_run_wherever_their_ranks_are() {
        let four = "topology = { kind = \"rail\", servers = 3, gpus = 4, spines = 0 }\n\
            scale_up = { gpus = 4 }\n";
        for (fabric, more) in [
            (SERVERS, "rails = \"alternate\"\nplacement = \"random\"\nseed = 2\n"),
            (SERVERS, "rails = \"alternate\"\nplacement = \"random\"\nseed = 3\n"),
            (SERVERS, "rails = \"alternate\"\nalgorithm = \"double_tree\"\n"),
            (SERVERS, "placement = \"random\"\nseed = 4\nalgorithm = \"double_tree\"\n"),
            (four, "ranks = 6\n"),
            (four, "ranks = 7\nalgorithm = \"double_tree\"\n"),
        ] {
            let plan = plan(fabric, &format!("{RING}{more}"));
            assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed, "{more}");
        }
        // Rank 3 is the only one on its rail, and no GPU of the other server can hand over to it.
        let all = RING.replace("all_reduce", "all_to_all");
        let study = study(four, &format!("{all}ranks = 6\n"));
        let refused = study.unwrap().cells[0].scenario.resolve(1).unwrap_err();
        let why = "where the collective has a GPU on the receiver's rail in the sender's server";
        assert!(refused.help.iter().any(|help| help.contains(why)), "{refused:?}");
    }

    /// Eight channels of a group that has one GPU of each server have one NIC: 50 GB/s, and not 400.
    #[test]
    fn auto_reckons_with_the_nics_that_a_group_has() {
        let fabric = "topology = { kind = \"rail\", servers = 64, gpus = 8, spines = 0 }\n\
            scale_up = {}\n";
        let one = (0..64).map(|server| (server * 8).to_string()).collect::<Vec<_>>().join(", ");
        for (size, expected) in [("138 MB", "double_tree"), ("139 MB", "ring")] {
            let traffic = RING.replace("1 MiB", size);
            let auto = format!("{traffic}groups = [[{one}]]\nalgorithm = \"auto\"\n");
            let study = study(fabric, &auto).unwrap();
            let notes = format!("{:?}", study.notes);
            assert!(notes.contains(&format!("goes by `{expected}`")), "{size}: {notes}");
        }
    }

    /// Trees send chunks of 2 MiB: one each 100 us is 21 GB/s, of 50.
    #[test]
    fn a_slow_step_of_a_tree_is_told() {
        let tree = format!("{}algorithm = \"double_tree\"\n", RING.replace("1 MiB", "1 GiB"));
        let notes =
            |more: &str| format!("{:?}", study(SERVERS, &format!("{tree}{more}")).unwrap().notes);
        let told = notes("step_overhead = \"100 us\"\n");
        assert!(
            told.contains("send 2 MiB every 100 us: 20971 MB/s of its link's 50000 MB/s"),
            "{told}"
        );
        assert!(!notes("step_overhead = \"10 us\"\n").contains("MB/s"));
    }

    #[test]
    fn a_trace_without_collectives_has_no_use_for_their_keys() {
        let file =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/traces/goal/binary_tree_32.goal");
        let trace = format!("kind = \"trace\"\nfile = \"{file}\"\n");
        let tree = "topology = { kind = \"fat_tree\", hosts = 54 }\n";
        plan(tree, &format!("{trace}protocol = \"simple\"\n"));
        for (key, value) in
            [("channels", "2"), ("step_overhead", "\"1 us\""), ("protocol", "\"ll\"")]
        {
            let problems = study(tree, &format!("{trace}{key} = {value}\n")).unwrap_err();
            let expected = format!("`{key}` has no effect: the trace has no collectives");
            assert!(problems.contains(&expected), "{problems}");
        }
    }

    #[test]
    fn too_many_messages_are_said_to_be_too_many() {
        let ring = RING.replace("1 MiB", "64 GiB");
        let study = study(SERVERS, &format!("{ring}chunk = \"1 KiB\"\n"));
        let refused = study.unwrap().cells[0].scenario.resolve(1).unwrap_err();
        assert_eq!(refused.message, "`size` is 64 GiB");
        let label = refused.label.unwrap_or_default();
        assert!(label.starts_with("expected what makes fewer messages"), "{label}");
        assert!(label.ends_with("messages are more than 67108864"), "{label}");
    }

    #[test]
    fn what_does_not_go_together_is_refused_at_its_key() {
        let tree = "topology = { kind = \"fat_tree\", hosts = 16 }\n";
        let odd = "topology = { kind = \"rail\", servers = 2, gpus = 3, spines = 1 }\n\
            scale_up = { gpus = 3 }\n";
        for (fabric, more, expected) in [
            (tree, "rails = \"cross\"\n", "`rails` has no effect where each GPU is alone"),
            (SERVERS, "pxn_join = false\n", "it goes with `operation = \"all_to_all\"`"),
            (odd, "rails = \"alternate\"\n", "`alternate` pairs rails, and a server has 3"),
            (SERVERS, "rails = \"across\"\n", "nearest: `cross`"),
            (SERVERS, "rails = \"cross\"\npxn_join = true\n", "it goes with `rails = \"pxn\"`"),
            (SERVERS, "alpha = \"1 us\"\n", "it goes with `algorithm = \"auto\"`"),
            (SERVERS, "hops = 3\nchannels = 2\n", "`channels`"),
            (SERVERS, "algorithm = \"butterfly\"\nchunk = \"1 KiB\"\n", "`chunk`"),
            (SERVERS, "compute = \"1 us\"\nchannels = 2\n", "`channels`"),
            (SERVERS, "by_size = [{ up_to = \"1 KiB\" }]\n", "algorithm"),
        ] {
            let problems = study(fabric, &format!("{RING}{more}")).unwrap_err();
            assert!(problems.contains(expected), "{more}: {problems}");
        }
        let of = |operation: &str| RING.replace("all_reduce", operation);
        for (fabric, operation, more, expected) in [
            (
                tree,
                "all_to_all",
                "pxn_join = false\n",
                "`pxn_join` has no effect where each GPU is alone",
            ),
            (
                SERVERS,
                "all_gather",
                "by_size = [{ algorithm = \"ring\" }]\n",
                "`by_size` has no effect",
            ),
            (SERVERS, "all_to_all", "chunk = \"1 KiB\"\n", "`chunk` has no effect"),
            (SERVERS, "all_to_all", "channels = 2\n", "`channels` has no effect"),
        ] {
            let problems = study(fabric, &format!("{}{more}", of(operation))).unwrap_err();
            assert!(problems.contains(expected), "{more}: {problems}");
        }
        plan(SERVERS, &format!("{}pxn_join = false\n", of("all_to_all")));
        let message = RING.replace("size", "message");
        let problems = study(SERVERS, &format!("{message}algorithm = \"auto\"\n")).unwrap_err();
        assert!(problems.contains("expected `size`"), "{problems}");
    }
}
