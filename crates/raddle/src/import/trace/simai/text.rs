//! The text of a workload.

use super::super::mistakes::{At, Mistakes};
use super::super::words::{Word, nearest, suggest};
use super::super::{Options, RunAs};
use super::{Comm, Pass, Policy, Row, Workload};
use crate::study::text::plural;
use raddle_schemes::units::Bytes;
use raddle_sim::workload::job_graph::{CollectiveOp, Parallelism, Split};

const POLICIES: [(&str, Policy); 3] = [
    ("HYBRID_TRANSFORMER_FWD_IN_BCKWD", Policy::Transformer),
    ("HYBRID_TRANSFORMER", Policy::Transformer),
    ("MICRO", Policy::Micro),
];

/// Policies of SimAI that are not read, so that one is refused by its name.
const OTHER_POLICIES: [&str; 6] =
    ["DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_DLRM", "TRANSFORMER"];

const COLLECTIVES: [(&str, Option<CollectiveOp>); 6] = [
    ("NONE", None),
    ("ALLREDUCE", Some(CollectiveOp::AllReduce)),
    ("ALLGATHER", Some(CollectiveOp::AllGather)),
    ("REDUCESCATTER", Some(CollectiveOp::ReduceScatter)),
    ("ALLTOALL", Some(CollectiveOp::AllToAll)),
    ("BROADCAST", Some(CollectiveOp::Broadcast)),
];

/// Words of the first line, each with a number behind it.
const WORDS: [&str; 8] = [
    "model_parallel_NPU_group",
    "ep",
    "expert_parallel_npu_group",
    "pp",
    "vpp",
    "ga",
    "all_gpus",
    "pp_comm",
];
/// Words with a number of layers behind them, and then those layers.
const LISTS: [&str; 2] = ["checkpoints", "checkpoint_initiates"];

/// Whether a text looks like a workload: by its first word.
pub(in super::super) fn is_it(text: &str) -> bool {
    let first = text.lines().next().and_then(|line| line.split_whitespace().next());
    first.is_some_and(|word| {
        POLICIES.iter().any(|(name, _)| *name == word) || OTHER_POLICIES.contains(&word)
    })
}

/// The words of a line.
fn words(line: usize, text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = text;
    let mut column = 1;
    while let Some(from) = rest.find(|c: char| !c.is_whitespace()) {
        column += rest[..from].chars().count();
        rest = &rest[from..];
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        words.push(Word { text: &rest[..length], line, column });
        column += rest[..length].chars().count();
        rest = &rest[length..];
    }
    words
}

#[derive(Default)]
struct Head {
    tp: Option<u32>,
    ep: Option<u32>,
    pp: Option<u32>,
    ga: Option<u32>,
    all_gpus: Option<u32>,
    checkpoints: u32,
}

/// Reads a workload.
pub(super) fn parse(text: &str, options: &Options, mistakes: &mut Mistakes) -> Option<Workload> {
    let mut lines = (1..).zip(text.lines());
    let (_, first) = lines.next()?;
    let first = words(1, first);
    let policy = policy(&first, mistakes);
    let head = head(first.get(1..).unwrap_or_default(), mistakes);
    let promised = promised(lines.next(), mistakes);
    let (mut rows, mut silent) = (Vec::new(), 0);
    for (line, text) in lines {
        let words = words(line, text);
        if words.is_empty() {
            continue;
        }
        rows.extend(row(&words, options, mistakes, &mut silent));
        if mistakes.enough() {
            break;
        }
    }
    if let Some((promised, at)) = promised
        && promised != rows.len() as u64
        && !mistakes.failed()
    {
        count(promised, at, &mut rows, options, mistakes);
    }
    if head.checkpoints > 0 {
        let message = format!(
            "{} checkpoints: what is computed again from them is not, as the rows are done as written",
            head.checkpoints
        );
        mistakes.notes.push(message);
    }
    if silent > 0 {
        let silent = plural(silent, "collective");
        mistakes.notes.push(format!("{silent} of 0 B left out: nothing is sent"));
    }
    let (split, sized) = split(&head, options, mistakes)?;
    let ga = head.ga.unwrap_or(1).into();
    Some(Workload { policy: policy?, split, sized, ga, rows })
}

fn policy(first: &[Word<'_>], mistakes: &mut Mistakes) -> Option<Policy> {
    let word = first.first()?;
    let known = POLICIES.iter().find(|(name, _)| *name == word.text);
    if known.is_none() {
        let names: Vec<&str> = POLICIES.iter().map(|(name, _)| *name).collect();
        let message = format!("policy `{}` is not read", word.shown());
        mistakes.error(word.at(), message, suggest(word.text, &names));
    }
    known.map(|(_, policy)| *policy)
}

/// Any order of words and numbers, a colon behind a word or none.
fn head(words: &[Word<'_>], mistakes: &mut Mistakes) -> Head {
    let mut head = Head::default();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let name = word.text.strip_suffix(':').unwrap_or(word.text);
        if !WORDS.contains(&name) && !LISTS.contains(&name) {
            let known: Vec<&str> = WORDS.iter().chain(&LISTS).copied().collect();
            let message = format!("unknown word `{}` in the first line", word.shown());
            mistakes.error(word.at(), message, suggest(name, &known));
            words.next_if(|next| next.text.parse::<f64>().is_ok());
            continue;
        }
        let Some(value) = words.next() else {
            let message = format!("no number behind `{name}`");
            mistakes.error(word.at(), message, "add one");
            break;
        };
        // Some of them are written as fractions: `4194304.0`.
        let whole = value.text.strip_suffix(".0").unwrap_or(value.text);
        let Ok(number) = whole.parse::<u32>() else {
            let message = format!("`{name}` is `{}`", value.shown());
            mistakes.error(value.at(), message, "expected a whole number");
            continue;
        };
        match name {
            "model_parallel_NPU_group" => head.tp = Some(number),
            "ep" | "expert_parallel_npu_group" => head.ep = Some(number),
            "pp" => head.pp = Some(number),
            "ga" => head.ga = Some(number),
            "all_gpus" => head.all_gpus = Some(number),
            "checkpoints" | "checkpoint_initiates" => {
                if name == "checkpoints" {
                    head.checkpoints = number;
                }
                for _ in 0..number {
                    if words.next_if(|next| next.is_number()).is_none() {
                        let message = format!("`{name}` promises {number} layers");
                        mistakes.error(value.at(), message, "expected as many numbers behind it");
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    head
}

fn promised(line: Option<(usize, &str)>, mistakes: &mut Mistakes) -> Option<(u64, At)> {
    let (number, text) = line.unwrap_or((2, ""));
    let words = words(number, text);
    let count = match &words[..] {
        [word] => word.text.parse().ok().map(|count| (count, word.at())),
        _ => None,
    };
    if count.is_none() {
        let message = "the second line has the number of rows, and nothing else";
        mistakes.error(At::Line(number, 1, 0), message, "expected a whole number");
    }
    count
}

/// The count does not fit the rows.
fn count(promised: u64, at: At, rows: &mut Vec<Row>, options: &Options, mistakes: &mut Mistakes) {
    let found = rows.len() as u64;
    if promised > found {
        let message = format!("{promised} rows are promised, and {found} are there");
        let help = "SimAI reads zeros for the others; write the number of rows";
        if options.compat {
            mistakes.notes.push(message);
        } else {
            mistakes.error(at, message, format!("{help}, or set `compat = true`"));
        }
        return;
    }
    let message = format!("{promised} rows are promised, and {found} are there");
    if options.compat {
        rows.truncate(promised as usize);
        mistakes.notes.push(format!("{message}: the last are not read"));
    } else {
        let help = "SimAI does not read the last; write the number of rows, or set `compat = true`";
        mistakes.error(at, message, help);
    }
}

fn row(
    words: &[Word<'_>],
    options: &Options,
    mistakes: &mut Mistakes,
    silent: &mut u64,
) -> Option<Row> {
    let line = words[0].line;
    if words.len() != 12 {
        let message = format!("{} words in a row", words.len());
        let help = "expected 12: name, dependency, then time, collective and bytes of each pass, and \
                    the time of the update";
        mistakes.error(At::Line(line, 1, 0), message, help);
        return None;
    }
    let mut passes = [Pass::default(); 3];
    let mut wrong = false;
    for (number, pass) in passes.iter_mut().enumerate() {
        let [time, name, size] = [2, 3, 4].map(|word| &words[3 * number + word]);
        let ns = whole(time, "the time", mistakes);
        let comm = comm(name, number == 2, mistakes);
        let bytes = whole(size, "the size", mistakes);
        let (Some(ns), Some(comm), Some(bytes)) = (ns, comm, bytes) else {
            wrong = true;
            continue;
        };
        pass.ns = ns;
        pass.comm = comm.and_then(|(op, split)| match (op, bytes) {
            (_, 0) => {
                *silent += 1;
                None
            }
            (CollectiveOp::Broadcast, _) if options.compat => None,
            (_, 1..=4095) if options.compat && number == 0 => {
                Some(Comm { op, split, bytes: Bytes(4096) })
            }
            _ => Some(Comm { op, split, bytes: Bytes(bytes) }),
        });
    }
    whole(&words[11], "the time of the update", mistakes)?;
    (!wrong).then(|| Row { line, name: words[0].text.to_owned(), passes })
}

fn whole(word: &Word<'_>, what: &str, mistakes: &mut Mistakes) -> Option<u64> {
    let number = word.text.parse().ok();
    if number.is_none() {
        let message = format!("`{}` where {what} should be", word.shown());
        mistakes.error(word.at(), message, "expected a whole number");
    }
    number
}

/// The collective of a pass; `None` if it is unknown.
fn comm(
    word: &Word<'_>,
    of_weights: bool,
    mistakes: &mut Mistakes,
) -> Option<Option<(CollectiveOp, Split)>> {
    let suffixes = [("_DP_EP", Split::DataOfExperts), ("_EP", Split::Expert)];
    let suffixed = suffixes
        .iter()
        .find_map(|(end, split)| word.text.strip_suffix(end).map(|name| (name, *split)));
    let plain = if of_weights { Split::Data } else { Split::Tensor };
    let (name, split) = suffixed.unwrap_or((word.text, plain));
    let Some((_, op)) = COLLECTIVES.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = COLLECTIVES.iter().map(|(name, _)| *name).collect();
        let help = match nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known words: {}, with `_EP` or `_DP_EP` behind", known.join(", ")),
        };
        mistakes.error(word.at(), format!("unknown collective `{}`", word.shown()), help);
        return None;
    };
    Some(op.map(|op| (op, split)))
}

/// How the ranks are split, and whether it is known how many there are.
fn split(head: &Head, options: &Options, mistakes: &mut Mistakes) -> Option<(Parallelism, bool)> {
    let whole = At::Line(1, 1, 0);
    if let (Some(own), Some(given)) = (head.all_gpus, options.all_gpus)
        && own != given
    {
        let message = format!("`all_gpus` is {own} in the first line, and {given} is asked for");
        mistakes.error(whole, message, "leave `all_gpus` out");
        return None;
    }
    let tp = head.tp.unwrap_or(1);
    let (pp, ep) = (head.pp.unwrap_or(1), head.ep.unwrap_or(1));
    let known = head.all_gpus.or(options.all_gpus);
    let least = || tp.saturating_mul(pp).saturating_mul(ep);
    let split = Parallelism { ranks: known.unwrap_or_else(least), tp, pp, ep };
    if let Err(message) = split.check() {
        mistakes.error(whole, message, "expected all_gpus = tp x pp x dp, and dp a multiple of ep");
        return None;
    }
    if known.is_none() {
        let message = format!("the first line does not say how many GPUs there are: {MISSING}");
        mistakes.notes.push(message);
    }
    if split.pp > 1 && options.run_as != Some(RunAs::Written) {
        mistakes.notes.push(format!(
            "it is one stage of a pipeline of {}: `run_as = \"written\"` has all ranks do its rows, without \
             the pipeline",
            split.pp
        ));
    }
    Some((split, known.is_some()))
}

/// What a workload needs to run.
pub(super) const MISSING: &str = "`all_gpus` is needed to run it";
