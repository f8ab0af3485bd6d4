//! Files of HPCC's simulator and of those that are derived from it (ConWeave, ns3-datacenter,
//! ASTRA-sim with ns-3): flows, topologies, flow-size laws, and the completion times that they write.
//!
//! The grammar is what `simulation/scratch/third.cc` and `traffic_gen/` of HPCC (commits 4b78df6 and
//! 4e07dfd) read, and `traffic_gen.py` of ConWeave (commit 74fa3b2) writes. Numbers are read as C++
//! streams read them, wherever lines end, so that a count that does not fit or a missing number shifts
//! all that follows, without a word. Strict reading wants what the files are meant to be: one statement
//! a line, as many as the first line says. `compat` reads the stream.

pub mod cdf;
pub mod fct;
pub mod flows;
pub mod topology;

use super::words::{Word, nearest};
use super::{InputError, Place};
use raddle_schemes::ids::HostId;
use raddle_sim::topology::{Fabric, Node};
use std::collections::BTreeMap;

/// How to read a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Do what HPCC does where it misreads its input without a word; a note says so. Without it such
    /// input is an error.
    pub compat: bool,
}

/// More mistakes than this of one file are counted.
const SHOWN: usize = 20;

/// The mistakes and notes of a file.
#[derive(Debug, Default)]
struct Mistakes {
    errors: Vec<InputError>,
    notes: Vec<InputError>,
    compat: bool,
}

impl Mistakes {
    fn new(options: Options) -> Self {
        Self { compat: options.compat, ..Self::default() }
    }

    fn error(&mut self, at: Place, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(at.error(message, help));
    }

    /// An error in strict reading, else a note.
    fn strict(&mut self, at: Place, message: impl Into<String>, help: &str) {
        if self.compat {
            self.notes.push(at.note(message));
        } else {
            self.error(at, message, format!("{help}, or set `compat = true` for what HPCC does"));
        }
    }

    fn note(&mut self, at: Place, message: impl Into<String>) {
        self.notes.push(at.note(message));
    }

    /// The notes, or the errors if there are any.
    fn finish(mut self) -> Result<Vec<InputError>, Vec<InputError>> {
        if self.errors.is_empty() {
            return Ok(self.notes);
        }
        let more = self.errors.len().saturating_sub(SHOWN);
        self.errors.truncate(SHOWN);
        if let Some(last) = self.errors.last_mut().filter(|_| more > 0) {
            last.message.push_str(&format!(" ({more} more mistakes follow)"));
        }
        Err(self.errors)
    }

    /// A whole number.
    fn integer<T: std::str::FromStr>(&mut self, word: Word<'_>, what: &str) -> Option<T> {
        let value = word.text.parse().ok();
        if value.is_none() {
            let text = word.text.escape_debug();
            self.error(
                word.at,
                format!("`{text}` is no {what}"),
                "expected a whole number that is not negative, in digits alone",
            );
        }
        value
    }
}

/// The words of each line, lines without any left out.
fn lines(text: &str) -> impl Iterator<Item = Vec<Word<'_>>> {
    let numbered = (1..).zip(text.lines());
    numbered.map(|(number, line)| words(number, line)).filter(|words| !words.is_empty())
}

fn words(line: usize, text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut column = 1;
    for word in text.split(|c: char| c.is_ascii_whitespace()) {
        let length = word.chars().count();
        if length > 0 {
            found.push(Word { at: Place { line, column, length }, text: word });
        }
        column += length + 1;
    }
    found
}

/// The hosts of a fabric by the numbers that HPCC's files give nodes: those of a topology that was
/// read from such a file are called `n7`, and others are numbered from 0.
#[derive(Clone, Debug)]
pub struct Nodes {
    named: BTreeMap<u32, HostId>,
    hosts: u32,
}

impl Nodes {
    /// Those of `fabric`.
    pub fn of(fabric: &Fabric) -> Self {
        let number = |name: &str| name.strip_prefix('n')?.parse().ok();
        let hosts = (0..).zip(&fabric.ports).take(fabric.hosts as usize);
        let named = hosts.filter(|(_, port)| matches!(port.owner, Node::Host(_)));
        let named: BTreeMap<u32, HostId> =
            named.filter_map(|(host, port)| Some((number(&port.name)?, HostId(host)))).collect();
        let all = named.len() == fabric.hosts as usize;
        Self { named: if all { named } else { BTreeMap::new() }, hosts: fabric.hosts }
    }

    /// The host with this number.
    pub fn host(&self, node: u32) -> Option<HostId> {
        match self.named.is_empty() {
            true => (node < self.hosts).then_some(HostId(node)),
            false => self.named.get(&node).copied(),
        }
    }

    /// Every host's number.
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.hosts).collect();
        for (&node, host) in &self.named {
            numbers[host.index()] = node;
        }
        numbers
    }

    /// Which numbers there are.
    fn text(&self) -> String {
        let numbers = self.numbers();
        let (first, last) = (numbers.iter().min(), numbers.iter().max());
        let (first, last) = (first.copied().unwrap_or(0), last.copied().unwrap_or(0));
        match u64::from(last - first) + 1 == numbers.len() as u64 {
            true => format!("hosts are {first} to {last}"),
            false => format!("{} hosts are among {first} to {last}", numbers.len()),
        }
    }
}
