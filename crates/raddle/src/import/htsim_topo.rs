//! htsim's fat-tree descriptions (`.topo`): a header, then a block of settings for each tier.
//!
//! The grammar is what `FatTreeTopologyCfg::read_cfg` of uet-htsim (commit 40ccb05) accepts, less
//! what it would skip without a word:
//!
//! ```text
//! file  = { "Nodes" N | "Tiers" 2|3 | "Podsize" H } { tier }
//! tier  = "Tier" 0|1|2 { key value }
//! key   = "Downlink_speed_Gbps" | "Radix_Down" | "Radix_Up" | "Downlink_Latency_ns"
//!         | "Switch_Latency_ns" | "Oversubscribed" | "Bundle" | "Queue_Up" | "Queue_Down"
//! ```
//!
//! Keys may be written in any case; lines that start with `#` and empty lines are skipped. Links and
//! speeds belong to the tier above them: tier 0's are those between hosts and ToRs.

mod shape;

use super::words::{Reader, Word, nearest, suggest};
use super::{InputError, Place};
use raddle_schemes::units::{Bytes, Rate, Span};
use std::collections::BTreeMap;

const HEADER_KEYS: [&str; 4] = ["Nodes", "Tiers", "Podsize", "Tier"];

const SPEED: &str = "Downlink_speed_Gbps";
const RADIX_DOWN: &str = "Radix_Down";
const RADIX_UP: &str = "Radix_Up";
const LATENCY: &str = "Downlink_Latency_ns";
const SWITCH_LATENCY: &str = "Switch_Latency_ns";
const OVERSUBSCRIBED: &str = "Oversubscribed";
const BUNDLE: &str = "Bundle";
const QUEUE_UP: &str = "Queue_Up";
const QUEUE_DOWN: &str = "Queue_Down";

const TIER_KEYS: [&str; 10] = [
    SPEED,
    RADIX_DOWN,
    RADIX_UP,
    LATENCY,
    SWITCH_LATENCY,
    OVERSUBSCRIBED,
    BUNDLE,
    QUEUE_UP,
    QUEUE_DOWN,
    "Tier",
];

/// A fat tree as described; [`TopoFile::shape`] checks that it can be built.
#[derive(Clone, Debug, PartialEq)]
pub struct TopoFile {
    /// Number of hosts.
    pub nodes: u32,
    /// 2 or 3.
    pub tiers: u32,
    /// Hosts in each pod; in two tiers, all of them.
    pub podsize: u32,
    /// The tiers, ToRs first; as many as `tiers` says.
    pub tier: Vec<Tier>,
    nodes_at: Place,
    podsize_at: Place,
}

/// The switches of one tier, and the links below them.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// `Downlink_speed_Gbps`: rate of the links below.
    pub downlink_speed: Rate,
    /// `Radix_Down`: ports towards hosts.
    pub radix_down: u32,
    /// `Radix_Up`: ports away from hosts; `None` in the top tier.
    pub radix_up: Option<u32>,
    /// `Downlink_Latency_ns`: propagation delay of the links below.
    pub downlink_latency: Span,
    /// `Switch_Latency_ns`; 0 where it is not given.
    pub switch_latency: Span,
    /// `Oversubscribed`; 1 where it is not given.
    pub oversubscribed: u32,
    /// `Bundle`: parallel cables between a switch and each of those below; 1 where it is not given.
    pub bundle: u32,
    /// `Queue_Up`: capacity of the queues of the ports away from hosts.
    pub queue_up: Option<Bytes>,
    /// `Queue_Down`: capacity of the queues of the ports towards hosts.
    pub queue_down: Option<Bytes>,
    places: BTreeMap<&'static str, Place>,
    at: Place,
}

/// Reads a fat-tree description.
///
/// # Errors
/// Every mistake of the text, in its order. Whether the numbers fit together is for
/// [`TopoFile::shape`] to say.
pub fn parse(text: &str) -> Result<TopoFile, Vec<InputError>> {
    let mut reader = Reader::strict();
    let mut draft = Draft::default();
    for (index, text) in text.split('\n').enumerate() {
        if text.starts_with('#') {
            continue;
        }
        let words = reader.words(index + 1, text);
        if !words.is_empty() {
            draft.line(&mut reader, &words);
        }
    }
    let file = draft.finish(&mut reader);
    reader.finish()?;
    file.ok_or_else(Vec::new)
}

/// A value with its place; `None` for one that could not be read.
type Setting = (Option<u32>, Place);

#[derive(Debug, Default)]
struct Draft {
    header: BTreeMap<&'static str, Setting>,
    tiers: [Option<DraftTier>; 3],
    /// The block that lines belong to: in the header none, below a wrong `Tier` line `Some(3)`.
    current: Option<usize>,
    /// A `Tier` line could not be read, so a missing tier is no news.
    unreadable_tier: bool,
}

#[derive(Debug)]
struct DraftTier {
    settings: BTreeMap<&'static str, Setting>,
    at: Place,
}

impl Draft {
    fn line(&mut self, reader: &mut Reader, words: &[Word<'_>]) {
        let key = words[0];
        let known: &[&'static str] = if self.current.is_none() { &HEADER_KEYS } else { &TIER_KEYS };
        let Some(&name) = known.iter().find(|known| known.eq_ignore_ascii_case(key.text)) else {
            self.unknown(reader, key, known);
            if let Some(meant) = nearest(key.text, known) {
                self.store(reader, meant, (None, key.at));
            }
            return;
        };
        let Some(&number) = words.get(1) else {
            reader.error(
                key.at,
                format!("`{name}` has no value"),
                format!("write `{name} 1`, for example"),
            );
            self.store(reader, name, (None, key.at));
            return;
        };
        if let Some(extra) = words.get(2) {
            reader.error(
                extra.at,
                format!("htsim ignores what follows the value of `{name}`"),
                "remove it",
            );
        }
        let value = reader.integer(number, name).and_then(|value| u32::try_from(value).ok());
        if name == "Tier" {
            return self.begin_tier(reader, value, number.at, key.at);
        }
        let may_be_zero = name == SWITCH_LATENCY;
        if value == Some(0) && !may_be_zero {
            reader.error(
                number.at,
                format!("`{name} 0`: htsim takes 0 for a missing value"),
                format!("give `{name}` at least 1"),
            );
        }
        let value = value.filter(|value| *value > 0 || may_be_zero);
        self.store(reader, name, (value, number.at));
    }

    fn unknown(&self, reader: &mut Reader, key: Word<'_>, known: &[&str]) {
        let text = key.text.escape_debug();
        let is = |keys: &[&str]| keys.iter().any(|known| known.eq_ignore_ascii_case(key.text));
        if self.current.is_none() && is(&TIER_KEYS) {
            reader.error(
                key.at,
                format!("`{text}` stands above the first `Tier` line: htsim ignores it"),
                "move it below the `Tier` line it belongs to",
            );
        } else if self.current.is_some() && is(&HEADER_KEYS) {
            reader.error(
                key.at,
                format!("`{text}` stands below a `Tier` line: htsim stops at it"),
                "move it above the first `Tier` line",
            );
        } else if self.current.is_none() {
            reader.error(
                key.at,
                format!("`{text}` is not a header word: htsim ignores this line"),
                suggest(key.text, known),
            );
        } else {
            reader.error(
                key.at,
                format!("htsim knows no setting `{text}`"),
                suggest(key.text, known),
            );
        }
    }

    fn begin_tier(&mut self, reader: &mut Reader, value: Option<u32>, number: Place, at: Place) {
        self.current = Some(3);
        self.unreadable_tier |= value.is_none_or(|value| value > 2);
        let Some(value) = value else { return };
        match self.tiers.get_mut(value as usize) {
            // htsim too lets a tier's settings stand in several blocks.
            Some(tier) => {
                self.current = Some(value as usize);
                tier.get_or_insert_with(|| DraftTier { settings: BTreeMap::new(), at });
            }
            None => reader.error(
                number,
                format!("there is no tier {value}"),
                "tiers are 0 (ToRs), 1 (aggregation switches) and 2 (core switches)",
            ),
        }
    }

    fn store(&mut self, reader: &mut Reader, name: &'static str, setting: Setting) {
        let settings = match self.current {
            None => &mut self.header,
            Some(tier) => match self.tiers.get_mut(tier) {
                Some(Some(tier)) => &mut tier.settings,
                _ => return,
            },
        };
        if let Some((Some(_), earlier)) = settings.get(name) {
            // What a misspelt word may have meant is no second value.
            if setting.0.is_none() {
                return;
            }
            reader.error(
                setting.1,
                format!("`{name}` is set in line {} already", earlier.line),
                "keep one of them",
            );
            return;
        }
        settings.insert(name, setting);
    }

    fn finish(self, reader: &mut Reader) -> Option<TopoFile> {
        let mut header = |name: &'static str, example: &str| match self.header.get(name) {
            Some((value, at)) => value.map(|value| (value, *at)),
            None => {
                reader.error(
                    Place::line(1),
                    format!("the header has no `{name}` line: htsim stops"),
                    format!("add a line like `{name} {example}` at the top"),
                );
                None
            }
        };
        let nodes = header("Nodes", "128");
        let podsize = header("Podsize", "16");
        let tiers = header("Tiers", "3");
        let tiers = tiers.and_then(|(tiers, at)| {
            if !(2..=3).contains(&tiers) {
                reader.error(
                    at,
                    format!("htsim builds no trees of {tiers} tiers"),
                    "write `Tiers 2` or `Tiers 3`",
                );
                return None;
            }
            Some((tiers, at))
        });
        let count = tiers.map_or(3, |(tiers, _)| tiers as usize);
        let mut tier = Vec::new();
        for (index, draft) in self.tiers.into_iter().enumerate() {
            match draft {
                Some(draft) if index < count => tier.extend(draft.finish(reader, index, count)),
                Some(draft) => reader.error(
                    draft.at,
                    format!("a tree of {count} tiers has no tier {index}: htsim ignores the block"),
                    "remove the block, or write `Tiers 3`",
                ),
                None if index < count && tiers.is_some() && !self.unreadable_tier => reader.error(
                    tiers.map_or(Place::line(1), |(_, at)| at),
                    format!("the file has no `Tier {index}` block: htsim stops"),
                    format!(
                        "add `Tier {index}` and its settings, or write another number of tiers"
                    ),
                ),
                None => {}
            }
        }
        let ((nodes, nodes_at), (podsize, podsize_at), (tiers, _)) = (nodes?, podsize?, tiers?);
        (tier.len() == count).then_some(TopoFile {
            nodes,
            tiers,
            podsize,
            tier,
            nodes_at,
            podsize_at,
        })
    }
}

impl DraftTier {
    fn finish(self, reader: &mut Reader, index: usize, tiers: usize) -> Option<Tier> {
        let Self { settings, at } = self;
        let is_top = index + 1 == tiers;
        for name in [RADIX_UP, QUEUE_UP] {
            if let (true, Some((_, at))) = (is_top, settings.get(name)) {
                reader.error(
                    *at,
                    format!("`{name}` in tier {index}, the top tier, which has no uplinks"),
                    "remove the line",
                );
            }
        }
        if let (true, Some((Some(ratio @ 2..), at))) = (is_top, settings.get(OVERSUBSCRIBED)) {
            reader.error(
                *at,
                format!("`Oversubscribed {ratio}` in tier {index}, the top tier: htsim ignores it"),
                "set it in the tier below, or remove the line",
            );
        }
        let mut required = |name: &'static str| match settings.get(name) {
            Some((value, _)) => *value,
            None => {
                reader.error(
                    at,
                    format!("tier {index} has no `{name}`: htsim stops"),
                    format!("add a line `{name}` with its value below `Tier {index}`"),
                );
                None
            }
        };
        let speed = required(SPEED);
        let radix_down = required(RADIX_DOWN);
        let latency = required(LATENCY);
        let radix_up = if is_top { None } else { required(RADIX_UP) };
        let optional = |name: &'static str| settings.get(name).and_then(|(value, _)| *value);
        let queue = |name| optional(name).map(|bytes| Bytes(bytes.into()));
        if !is_top {
            radix_up?;
        }
        Some(Tier {
            downlink_speed: Rate::gbps(speed?.into()),
            radix_down: radix_down?,
            radix_up,
            downlink_latency: Span::ns(latency?.into()),
            switch_latency: Span::ns(optional(SWITCH_LATENCY).unwrap_or(0).into()),
            oversubscribed: optional(OVERSUBSCRIBED).unwrap_or(1),
            bundle: optional(BUNDLE).unwrap_or(1),
            queue_up: queue(QUEUE_UP),
            queue_down: queue(QUEUE_DOWN),
            places: settings.iter().map(|(name, (_, at))| (*name, *at)).collect(),
            at,
        })
    }
}

impl Tier {
    /// Where a setting stands; the `Tier` line if it has its default.
    fn place(&self, name: &str) -> Place {
        self.places.get(name).copied().unwrap_or(self.at)
    }

    /// A setting and its line, for an error about several.
    fn cite(&self, name: &str, value: u64) -> String {
        match self.places.get(name) {
            Some(at) => format!("{name} {value} (line {})", at.line),
            None => format!("{name} {value} (the default)"),
        }
    }
}
