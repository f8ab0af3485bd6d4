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

/// Those of a kind whose keys have these names.
macro_rules! style_keys {
    ($keys:ident) => {
        StyleKeys {
            channels: &$keys.channels,
            algorithm: &$keys.algorithm,
            by_size: &$keys.by_size,
            alpha: &$keys.alpha,
            rails: &$keys.rails,
            pxn_join: &$keys.pxn_join,
            chunk: &$keys.chunk,
            protocol: &$keys.protocol,
            step_overhead: &$keys.step_overhead,
        }
    };
}
pub(super) use style_keys;

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
        let op = CollectiveOp::from(operation);
        let (ranks, algorithm) = (hosts.len() as u32, style.algorithm(op, hosts, size, channels));
        if !matches!(self.choice, Asked::One(_)) && op == CollectiveOp::AllReduce {
            let word = algorithm.word();
            log.note(format!("an {op} of {size} among {ranks} ranks goes by `{word}`"));
        }
        if self.overhead == Span::ZERO || op == CollectiveOp::AllToAll {
            return;
        }
        let (parts, chunk) = match algorithm {
            Algorithm::Ring => (u64::from(channels) * u64::from(ranks.max(1)), WHOLE),
            Algorithm::DoubleTree => (2 * u64::from(channels), TREE_CHUNK),
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
        style.sends_at_most(operation.into(), hosts, size, channels)
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
mod tests;
