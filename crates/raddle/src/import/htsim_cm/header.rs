//! The header: how many hosts, and how many lines of each kind the body must have.

use super::super::Place;
use super::super::words::{Reader, Word, nearest};

const KEYS: [&str; 4] = ["Nodes", "Connections", "Triggers", "Failures"];

/// What the header says.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) nodes: Option<(u32, Place)>,
    connections: Option<(u32, Place)>,
    triggers: Option<(u32, Place)>,
    failures: Option<(u32, Place)>,
    /// Keys whose line is there but could not be read, so that its absence is no news.
    unreadable: Vec<&'static str>,
}

/// How many lines of each kind the body has.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) connections: usize,
    pub(super) triggers: usize,
    pub(super) failures: usize,
}

/// Reads the header; returns it with the lines after it. As in htsim, it ends at the first line
/// that begins like a connection, a trigger or a failure.
pub(super) fn read<'l, 'a>(
    reader: &mut Reader,
    lines: &'l [(usize, &'a str)],
) -> (Header, &'l [(usize, &'a str)]) {
    let mut header = Header::default();
    let mut body = lines.len();
    for (index, &(line, text)) in lines.iter().enumerate() {
        let first = text.split([' ', '\t', '\r']).find(|word| !word.is_empty()).unwrap_or("");
        let ends = |word: &str| word.contains("->") || word == "trigger" || word == "failure";
        let htsim_first = text.split(' ').next().unwrap_or("");
        if ends(if reader.compat { htsim_first } else { first }) {
            body = index;
            break;
        }
        if !text.starts_with('#') {
            let words = reader.words(line, text);
            header.line(reader, &words);
        }
    }
    if header.nodes.is_none() && !header.unreadable.contains(&"Nodes") {
        reader.error(
            Place::line(1),
            "the header has no `Nodes` line: htsim takes the number from its command line",
            "add a line like `Nodes 16` at the top",
        );
    }
    if body == lines.len() {
        reader.error(
            Place::line(lines.len().max(1)),
            "the file has no connection",
            "add lines like `0->1 start 0 size 2000000`",
        );
    }
    (header, &lines[body..])
}

impl Header {
    fn line(&mut self, reader: &mut Reader, words: &[Word<'_>]) {
        let Some(&key) = words.first() else { return };
        let Some(&name) = KEYS.iter().find(|name| **name == key.text) else {
            self.unreadable.extend(ignored(reader, words));
            return;
        };
        let slot = match name {
            "Nodes" => &mut self.nodes,
            "Connections" => &mut self.connections,
            "Triggers" => &mut self.triggers,
            _ => &mut self.failures,
        };
        let Some(&number) = words.get(1) else {
            reader.error(
                key.at,
                format!("`{name}` has no number"),
                format!("write `{name} 16`, for example"),
            );
            self.unreadable.push(name);
            return;
        };
        if let Some(extra) = words.get(2) {
            reader.strict_error(
                "header words",
                extra.at,
                format!("htsim ignores what follows the number of `{name}`"),
                "remove it",
            );
        }
        if let Some((_, earlier)) = slot {
            reader.strict_error(
                "header repeats",
                key.at,
                format!(
                    "`{name}` stands in line {} already: htsim takes the last one",
                    earlier.line
                ),
                "keep one of them",
            );
        }
        let Some(value) = reader.integer(number, key.text) else {
            self.unreadable.push(name);
            return;
        };
        // htsim keeps the number in an unsigned variable.
        let value = value as u32;
        *slot = Some((value, number.at));
        if name == "Nodes" && value < 2 {
            reader.error(
                number.at,
                format!("`Nodes {value}` leaves no pair of hosts"),
                "give at least 2",
            );
        }
    }

    /// Whether the hosts are known well enough to check host numbers.
    pub(super) fn hosts(&self) -> Option<(u32, usize)> {
        self.nodes.filter(|(nodes, _)| *nodes >= 2).map(|(nodes, at)| (nodes, at.line))
    }

    /// Compares the promised numbers of lines with those found.
    pub(super) fn check_counts(&self, reader: &mut Reader, counts: &Counts) {
        for (key, promised, found) in [
            ("Connections", self.connections, counts.connections),
            ("Triggers", self.triggers, counts.triggers),
            ("Failures", self.failures, counts.failures),
        ] {
            match promised {
                Some((number, at)) if number as usize != found => reader.error(
                    at,
                    format!(
                        "the header promises `{key} {number}`, the file has {found}: htsim stops"
                    ),
                    format!("write `{key} {found}`"),
                ),
                None if found > 0 && !self.unreadable.contains(&key) => reader.error(
                    Place::line(1),
                    format!("the header has no `{key}` line: htsim takes it for 0 and stops"),
                    format!("add the line `{key} {found}`"),
                ),
                _ => {}
            }
        }
    }
}

/// Whether a line is a connection with a space before its arrow.
pub(super) fn is_spaced_connection(words: &[Word<'_>]) -> bool {
    words.get(1).is_some_and(|word| word.text.starts_with("->"))
}

/// A header line that htsim skips without a word. Returns the key it may have been meant for.
fn ignored(reader: &mut Reader, words: &[Word<'_>]) -> Option<&'static str> {
    let first = words[0];
    let text = first.text.escape_debug();
    let meant = nearest(first.text.trim_start_matches('\u{feff}'), &KEYS);
    let help = if is_spaced_connection(words) {
        "write a connection without spaces around its arrow, like `0->1`".to_owned()
    } else if first.text.starts_with('\u{feff}') {
        "remove the byte order mark at the start of the file".to_owned()
    } else if let Some(key) = meant {
        format!("did you mean `{key}`?")
    } else {
        "start the line with `#` if it is a comment".to_owned()
    };
    let message = format!("`{text}` is not a header word: htsim ignores this line");
    if reader.compat {
        reader.note("header line", first.at, message);
        return None;
    }
    reader.error(first.at, message, help);
    meant
}

/// A line of the body that is none of its kinds: htsim stops at it.
pub(super) fn misplaced(reader: &mut Reader, words: &[Word<'_>]) {
    let first = words[0];
    let text = first.text.escape_debug();
    if KEYS.contains(&first.text) {
        reader.error(
            first.at,
            format!("`{text}` stands below the first connection, trigger or failure: htsim stops"),
            "move the line to the top of the file",
        );
        return;
    }
    let help = if is_spaced_connection(words) {
        "write a connection without spaces around its arrow, like `0->1`".to_owned()
    } else if let Some(word) = nearest(first.text, &["trigger", "failure"]) {
        format!("did you mean `{word}`?")
    } else {
        "a line starts with a connection like `0->1`, with `trigger` or with `failure`".to_owned()
    };
    reader.error(first.at, format!("htsim knows no line that starts with `{text}`"), help);
}
