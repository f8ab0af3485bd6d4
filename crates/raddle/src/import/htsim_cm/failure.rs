//! Failure lines: `failure switch_type AGG switch_id 3 link_id 1`.

use super::super::words::{Reader, Word, unknown_attribute};
use super::super::{InputError, Place};
use super::ConnectionMatrix;
use raddle_sim::topology::tree::TreeShape;
use std::collections::BTreeMap;

const KEYWORDS: [&str; 3] = ["switch_type", "switch_id", "link_id"];

/// A link between an aggregation and a core switch that is cut, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// `switch_id`: the aggregation switch, counted over all pods.
    pub switch: u32,
    /// `link_id`.
    pub link: u32,
    at: Place,
}

/// A cable of a tree that is cut from the start to the end of the run, both ways. Of parallel
/// cables it is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The aggregation switch, counted over all pods.
    pub agg: u32,
    /// Which of its core switches the cable leads to, counted from 0.
    pub core_of_agg: u32,
}

/// Reads a failure. `None` if it has mistakes that leave it without a meaning.
pub(super) fn read(reader: &mut Reader, words: &[Word<'_>]) -> Option<Failure> {
    let at = words[0].at;
    let mut values: [Option<Option<u32>>; 3] = [None; 3];
    let mut rest = words[1..].iter().copied().peekable();
    while let Some(word) = rest.next() {
        let Some(index) = KEYWORDS.iter().position(|known| *known == word.text) else {
            unknown_attribute(reader, "failure", word, &KEYWORDS, &mut rest);
            continue;
        };
        if values[index].is_some() {
            reader.strict_error(
                "repeats",
                word.at,
                format!("`{}` stands on this line already: htsim takes the last one", word.text),
                "keep one of them",
            );
        }
        let Some(value) = rest.next_if(|next| !KEYWORDS.contains(&next.text)) else {
            let example = if index == 0 { "AGG" } else { "0" };
            reader.error(
                word.at,
                format!("`{}` has no value", word.text),
                format!("write `{} {example}`, for example", word.text),
            );
            values[index] = Some(None);
            continue;
        };
        values[index] = Some(if index == 0 {
            switch_type(reader, value)
        } else {
            reader.integer(value, word.text).map(|n| n as u32)
        });
    }
    for (keyword, value) in KEYWORDS.iter().zip(&values) {
        if value.is_none() {
            reader.error(
                at,
                format!("the failure has no `{keyword}`: htsim reads it from uninitialised memory"),
                format!("add `{keyword}` and its value"),
            );
        }
    }
    values[0]??;
    Some(Failure { switch: values[1]??, link: values[2]??, at })
}

fn switch_type(reader: &mut Reader, value: Word<'_>) -> Option<u32> {
    match value.text {
        "AGG" => return Some(0),
        "TOR" | "CORE" => reader.error(
            value.at,
            format!("failures of `{}` switches make htsim stop", value.text),
            "write `AGG`, or cut the link in the scenario with a `[[fault]]`",
        ),
        other => reader.error(
            value.at,
            format!("htsim knows no switch type `{}`", other.escape_debug()),
            "write `AGG`",
        ),
    }
    None
}

/// A link can be cut once.
pub(super) fn check_repeats(reader: &mut Reader, failures: &[Failure]) {
    let mut first: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for failure in failures {
        let line = *first.entry((failure.switch, failure.link)).or_insert(failure.at.line);
        if line != failure.at.line {
            reader.error(
                failure.at,
                format!("this link fails in line {line} already: htsim stops"),
                "remove one of the lines",
            );
        }
    }
}

impl ConnectionMatrix {
    /// The cables of a tree that the failures cut, with notes.
    ///
    /// `link_id` counts the core switches of the aggregation switch. htsim computes the core switch
    /// as (position in pod x switches per pod + `link_id`), which its own cabling (position in pod +
    /// switches per pod x n) has only for some links; it stops at the others, and in wide trees
    /// cuts another link than the one named. Compat mode does the same.
    ///
    /// # Errors
    /// Failures that this tree has no cable for.
    pub fn cuts(&self, shape: &TreeShape) -> Result<(Vec<Cut>, Vec<InputError>), Vec<InputError>> {
        let mut reader = Reader::with_compat(self.compat);
        let mut cuts = Vec::new();
        for failure in &self.failures {
            if let Some(cut) = failure.cut(&mut reader, shape) {
                if cuts.contains(&cut) {
                    reader.error(
                        failure.at,
                        "this cable is cut by an earlier line",
                        "remove one of the lines",
                    );
                }
                cuts.push(cut);
            }
        }
        reader.finish().map(|notes| (cuts, notes))
    }
}

impl Failure {
    fn cut(&self, reader: &mut Reader, shape: &TreeShape) -> Option<Cut> {
        let Self { switch, link, at } = *self;
        if shape.tiers != 3 {
            reader.error(
                at,
                "a failure cuts a cable to a core switch, and a tree of two tiers has none",
                "use a tree of three tiers, or cut the link in the scenario with a `[[fault]]`",
            );
            return None;
        }
        let per_pod = u64::from(shape.aggs_per_pod).max(1);
        let hosts_per_pod = u64::from(shape.hosts_per_tor) * u64::from(shape.tors_per_pod);
        let aggs = u64::from(shape.hosts) / hosts_per_pod.max(1) * per_pod;
        let cores = u64::from(shape.cores) / per_pod;
        if u64::from(switch) >= aggs {
            reader.error(
                at,
                format!("there is no aggregation switch {switch}"),
                format!("this tree has {aggs}, counted from 0"),
            );
            return None;
        }
        let position = u64::from(switch) % per_pod;
        // What htsim cuts: this core switch, if it is cabled to the aggregation switch.
        let core = position * per_pod + u64::from(link);
        let cabled = core % per_pod == position
            && core < u64::from(shape.cores)
            && u64::from(link) < cores * u64::from(shape.parallel[1]);
        let htsim = cabled.then(|| (core / per_pod) as u32);
        match htsim {
            Some(core_of_agg) if core_of_agg == link || self.differs(reader, core_of_agg) => {
                Some(Cut { agg: switch, core_of_agg })
            }
            Some(_) => None,
            None if u64::from(link) < cores && !reader.compat => {
                reader.note(
                    "failure",
                    at,
                    format!(
                        "link {link} of aggregation switch {switch} is cut; htsim itself looks for \
                         a cable to core switch {core}, finds none and stops"
                    ),
                );
                Some(Cut { agg: switch, core_of_agg: link })
            }
            None => {
                reader.error(
                    at,
                    format!(
                        "htsim cannot cut link {link} of aggregation switch {switch}: it looks for \
                         a cable to core switch {core}, finds none and stops"
                    ),
                    format!(
                        "the switch's links are 0 to {}; cut one in the scenario with a `[[fault]]`",
                        cores.saturating_sub(1)
                    ),
                );
                None
            }
        }
    }

    /// Reports that htsim cuts another link than the one named; whether to do as it does.
    fn differs(&self, reader: &mut Reader, core_of_agg: u32) -> bool {
        reader.strict_error(
            "failure elsewhere",
            self.at,
            format!("htsim cuts link {core_of_agg} here, not link {}", self.link),
            "cut the link in the scenario with a `[[fault]]`",
        );
        reader.compat
    }
}
