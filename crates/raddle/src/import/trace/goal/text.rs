//! GOAL as text.

use super::super::mistakes::{At, Mistakes};
use super::super::words::{Word, suggest, words};
use super::super::{Fact, Options, Parsed, TraceError};
use super::{MOST_RANKS, job, layout, time};
use raddle_schemes::units::Bytes;
use raddle_sim::workload::job_graph::{Does, Edge, Rank};
use std::collections::BTreeMap;

const STATEMENTS: [&str; 5] = ["send", "recv", "calc", "requires", "irequires"];

/// Whether a text looks like one: its first word.
pub(in super::super) fn is_it(text: &str) -> bool {
    let mut mistakes = Mistakes::default();
    let start: String = text.chars().take(10_000).collect();
    let mut words = words(&start, &mut mistakes).into_iter().filter(|word| !word.ends_line());
    words.next().is_some_and(|word| word.text == "num_ranks")
}

/// Reads a schedule.
pub(in super::super) fn parse(text: &str, options: &Options) -> Result<Parsed, Vec<TraceError>> {
    let mut mistakes = Mistakes::default();
    let words = words(text, &mut mistakes);
    let mut reader =
        Reader { words: &words, next: 0, mistakes, options, ranks: Vec::new(), nics: false };
    reader.file();
    let Reader { mut mistakes, ranks, nics, .. } = reader;
    if let Err((message, help)) = layout(nics, options) {
        mistakes.error(At::File, message, help);
    }
    let lines = |rank: u32, line: u64| {
        let _ = rank;
        At::Line(line as usize, 1, 0)
    };
    let ranks: Vec<Rank> = ranks.into_iter().map(Option::unwrap_or_default).collect();
    Parsed::of(job(ranks, options), mistakes, vec![Fact::text("time unit", options.unit)], lines)
}

struct Reader<'a> {
    words: &'a [Word<'a>],
    next: usize,
    mistakes: Mistakes,
    options: &'a Options,
    ranks: Vec<Option<Rank>>,
    nics: bool,
}

/// A rank that is read.
#[derive(Default)]
struct Reading<'a> {
    rank: Rank,
    labels: BTreeMap<&'a str, (u32, usize)>,
    /// What nodes wait for, by node.
    edges: Vec<(u32, Edge)>,
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<Word<'a>> {
        let word = self.words.get(self.next).copied();
        self.next += usize::from(word.is_some());
        word
    }

    /// The next word that is not the end of a line.
    fn take_beyond_lines(&mut self) -> Option<Word<'a>> {
        while self.words.get(self.next).is_some_and(Word::ends_line) {
            self.next += 1;
        }
        self.take()
    }

    fn end(&self) -> At {
        self.words.last().map_or(At::File, |word| At::Line(word.line, 1, 0))
    }

    fn wrong(&mut self, word: Option<Word<'a>>, expected: &str) {
        match word {
            Some(word) if !word.ends_line() => {
                let message = format!("`{}` where {expected} should be", word.shown());
                self.mistakes.error(word.at(), message, format!("expected {expected}"));
            }
            Some(word) => {
                let message = format!("the line ends before {expected}");
                self.mistakes.error(At::Line(word.line, 1, 0), message, format!("add {expected}"));
            }
            None => {
                let at = self.end();
                let message = format!("the file ends before {expected}");
                self.mistakes.error(at, message, format!("add {expected}"));
            }
        }
    }

    fn number(&mut self, word: Option<Word<'a>>, what: &str, most: u64) -> Option<u64> {
        let number = word.and_then(|word| word.text.parse::<u64>().ok());
        match (number, word) {
            (Some(number), _) if number <= most => Some(number),
            (Some(number), Some(word)) => {
                let message = format!("{what} is {number}; LogGOPSim has room for {most}");
                self.mistakes.error(word.at(), message, format!("expected 0 to {most}"));
                None
            }
            _ => {
                self.wrong(word, &format!("{what}, a whole number"));
                None
            }
        }
    }

    fn file(&mut self) {
        let first = self.take_beyond_lines();
        if first.is_none_or(|word| word.text != "num_ranks") {
            return self.wrong(first, "`num_ranks`");
        }
        let word = self.take();
        let Some(count) = self.number(word, "the number of ranks", MOST_RANKS) else { return };
        self.ranks = vec![None; count as usize];
        while let Some(word) = self.take_beyond_lines() {
            if word.text != "rank" {
                let message = format!("`{}` outside of a rank", word.shown());
                let help = match word.text {
                    "}" => "remove it".to_owned(),
                    text => suggest(text, &["rank"]),
                };
                self.mistakes.error(word.at(), message, help);
                while self.words.get(self.next).is_some_and(|word| !word.ends_line()) {
                    self.next += 1;
                }
                continue;
            }
            self.rank(count);
            if self.mistakes.enough() {
                return;
            }
        }
        let missing = self.ranks.iter().position(Option::is_none);
        if let (Some(missing), false) = (missing, self.mistakes.failed()) {
            let at = self.end();
            let message = format!("`num_ranks` is {count}, and rank {missing} is not there");
            self.mistakes.error(at, message, format!("add `rank {missing} {{ }}`"));
        }
    }

    fn rank(&mut self, count: u64) {
        let word = self.take();
        let number = self.number(word, "the rank", u64::from(u32::MAX));
        let open = self.take_beyond_lines();
        if open.is_none_or(|word| word.text != "{") {
            return self.wrong(open, "`{`");
        }
        let mut reading = Reading::default();
        let mut statement: Vec<Word<'a>> = Vec::new();
        loop {
            let word = self.take();
            match word {
                Some(word) if !word.ends_line() && word.text != "}" => statement.push(word),
                _ => {
                    if self.mistakes.enough() {
                        return;
                    }
                    if !statement.is_empty() {
                        self.statement(&statement, &mut reading);
                        statement.clear();
                    }
                    match word {
                        None => return self.wrong(None, "`}`"),
                        Some(word) if word.text == "}" => break,
                        Some(_) => {}
                    }
                }
            }
        }
        let (Some(number), Some(word)) = (number, word) else { return };
        let last = count.saturating_sub(1);
        match self.ranks.get_mut(number as usize) {
            None => {
                let message = format!("there is no rank {number}: `num_ranks` is {count}");
                self.mistakes.error(word.at(), message, format!("expected 0 to {last}"));
            }
            Some(place @ None) => *place = Some(reading.finish()),
            Some(Some(_)) => {
                let message = format!("rank {number} is there already");
                self.mistakes.error(word.at(), message, "give each rank one block");
            }
        }
    }

    fn statement(&mut self, words: &[Word<'a>], reading: &mut Reading<'a>) {
        if let [of, how, on, rest @ ..] = words
            && matches!(how.text, "requires" | "irequires")
        {
            return self.requires([of, how, on], rest, reading);
        }
        let (label, words) = match words {
            [label, colon, rest @ ..] if colon.text == ":" => (Some(*label), rest),
            _ => (None, words),
        };
        let Some((op, rest)) = words.split_first() else {
            return self.wrong(label, "`send`, `recv` or `calc`");
        };
        let mut parts = Parts { words: rest, next: 0 };
        let does = match op.text {
            "calc" => self.calc(&mut parts),
            "send" | "recv" => self.message(op, &mut parts),
            _ => {
                // A misspelt `requires` is the second word.
                let second = words.get(1).filter(|word| words.len() == 3 && !word.is_number());
                let word = second.unwrap_or(op);
                let message = format!("unknown statement `{}`", word.shown());
                return self.mistakes.error(word.at(), message, suggest(word.text, &STATEMENTS));
            }
        };
        if let Some(word) = parts.take() {
            let order = "after `tag`, `cpu` and `nic` in this order nothing follows";
            let message = format!("`{}` is too much in this statement", word.shown());
            self.mistakes.error(word.at(), message, order);
        }
        let Some((does, unit)) = does else { return };
        let line = op.line;
        let node = reading.rank.push(line as u64, does, unit, &[]);
        let Some(label) = label else { return };
        if let Some((_, first)) = reading.labels.insert(label.text, (node, line)) {
            let message = format!("label `{}` is that of line {first} already", label.shown());
            self.mistakes.error(label.at(), message, "give each statement of a rank its own label");
        }
    }

    fn requires(&mut self, words: [&Word<'a>; 3], rest: &[Word<'a>], reading: &mut Reading<'a>) {
        let [of, how, on] = words;
        if let Some(word) = rest.first() {
            let message = format!("`{}` is too much in this statement", word.shown());
            self.mistakes.error(word.at(), message, "write one pair of labels a line");
        }
        let mut node = |label: &Word<'a>| {
            let known = reading.labels.get(label.text).map(|(node, _)| *node);
            if known.is_none() && !self.mistakes.enough() {
                let known: Vec<&str> = reading.labels.keys().copied().collect();
                let message = format!("label `{}` is not defined above", label.shown());
                let help = match super::super::words::nearest(label.text, &known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "define it in this rank, above this line".to_owned(),
                };
                self.mistakes.error(label.at(), message, help);
            }
            known
        };
        let (of, on) = (node(of), node(on));
        if let (Some(of), Some(on)) = (of, on) {
            let edge = if how.text == "requires" { Edge::end(on) } else { Edge::start(on) };
            reading.edges.push((of, edge));
        }
    }

    fn calc(&mut self, parts: &mut Parts<'_, 'a>) -> Option<(Does, Option<u32>)> {
        let word = parts.take();
        let count = self.number(word, "the time", u64::MAX)?;
        let does = time(count, self.options.unit);
        if let (None, Some(word)) = (&does, word) {
            let message = format!("{count} times {} is too long", self.options.unit);
            self.mistakes.error(word.at(), message, "expected less than a day");
        }
        let cpu = self.option(parts, "cpu", 255)?.unwrap_or(0);
        Some((does?, Some(cpu as u32)))
    }

    fn message(&mut self, op: &Word<'a>, parts: &mut Parts<'_, 'a>) -> Option<(Does, Option<u32>)> {
        let word = parts.take();
        let size = match word {
            Some(word) if word.text.ends_with('b') => {
                let digits = Word { text: &word.text[..word.text.len() - 1], ..word };
                self.number(Some(digits), "the size", u64::MAX)
            }
            _ => {
                let size = self.number(word, "the size", u64::MAX)?;
                if parts.take_if("b").is_none() {
                    self.wrong(parts.peek().or(word), "`b` after the size");
                    return None;
                }
                Some(size)
            }
        };
        let sends = op.text == "send";
        let direction = if sends { "to" } else { "from" };
        if parts.take_if(direction).is_none() {
            let word = parts.peek();
            self.wrong(word.or(Some(Word::end_of(op.line))), &format!("`{direction}`"));
            return None;
        }
        let word = parts.take();
        let peer = match word {
            Some(word) if word.text == "-1" && !sends => None,
            _ => Some(self.number(word, "the rank", u64::from(u32::MAX))? as u32),
        };
        let tag = match parts.take_if("tag") {
            None => Some(0),
            Some(_) if parts.take_if("-1").is_some() => None,
            Some(_) => {
                let word = parts.take();
                Some(self.number(word, "the tag", u64::from(u32::MAX) - 1)?)
            }
        };
        self.option(parts, "cpu", 255)?;
        let nic = self.option(parts, "nic", 255)?;
        self.nics |= nic.is_some_and(|nic| nic > 0);
        let bytes = Bytes(size?);
        let does = match (sends, peer) {
            (true, Some(to)) => Does::Send { to, bytes, tag: tag.unwrap_or(u64::from(u32::MAX)) },
            _ => Does::Recv { from: peer, tag, bytes: Some(bytes) },
        };
        Some((does, None))
    }

    /// `None` if it is wrong.
    fn option(&mut self, parts: &mut Parts<'_, 'a>, name: &str, most: u64) -> Option<Option<u64>> {
        if parts.take_if(name).is_none() {
            return Some(None);
        }
        let word = parts.take();
        self.number(word, &format!("`{name}`"), most).map(Some)
    }
}

/// The words of a statement.
struct Parts<'w, 'a> {
    words: &'w [Word<'a>],
    next: usize,
}

impl<'a> Parts<'_, 'a> {
    fn peek(&self) -> Option<Word<'a>> {
        self.words.get(self.next).copied()
    }

    fn take(&mut self) -> Option<Word<'a>> {
        let word = self.peek();
        self.next += usize::from(word.is_some());
        word
    }

    fn take_if(&mut self, text: &str) -> Option<Word<'a>> {
        self.peek().filter(|word| word.text == text)?;
        self.take()
    }
}

impl Reading<'_> {
    /// The rank with its edges in place.
    fn finish(mut self) -> Rank {
        self.edges.sort_by_key(|(of, _)| *of);
        let mut edges = self.edges.into_iter().peekable();
        for (number, node) in (0..).zip(&mut self.rank.nodes) {
            let from = self.rank.edges.len() as u32;
            while let Some((_, edge)) = edges.next_if(|(of, _)| *of == number) {
                self.rank.edges.push(edge);
            }
            node.after = from..self.rank.edges.len() as u32;
        }
        self.rank
    }
}
