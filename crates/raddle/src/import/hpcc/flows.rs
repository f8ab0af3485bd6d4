//! Flow files: a count, then a flow a line.
//!
//! ```text
//! file = COUNT { flow }
//! flow = SRC DST PG DPORT BYTES START      -- HPCC, ns3-datacenter
//!      | SRC DST PG BYTES START            -- ConWeave
//!      | SRC DST BYTES START
//! ```
//!
//! `START` is in seconds. All flows of a file have as many columns as the first. HPCC reads `COUNT`
//! flows and no further: what follows, the explanation in its own example included, is nothing. A
//! generator that writes the count over a longer estimate leaves digits of that behind it.

use super::{Mistakes, Nodes, Options, lines};
use crate::import::words::Word;
use crate::import::{InputError, Place};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::{Flow, Start, Traffic};

/// A flow file.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowFile {
    /// The flows, in the order of the file.
    pub flows: Vec<FlowLine>,
    /// What was accepted but deserves a word.
    pub notes: Vec<InputError>,
}

/// One flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowLine {
    /// The sending node.
    pub source: u32,
    /// The receiving node.
    pub destination: u32,
    /// Application bytes; at least 1.
    pub bytes: Bytes,
    /// When it starts.
    pub start: Time,
    line: u32,
}

/// Reads a flow file; flows start `origin` earlier than it says.
///
/// # Errors
/// Every mistake, in the order of the file, up to 20.
pub fn parse(text: &str, origin: Time, options: Options) -> Result<FlowFile, Vec<InputError>> {
    let mut mistakes = Mistakes::new(options);
    let mut rows = lines(text);
    let flows = match rows.next() {
        Some(head) => body(&mut mistakes, &head, rows.collect(), origin),
        None => {
            mistakes.error(Place::line(1), "the file is empty", "the first line is how many flows");
            Vec::new()
        }
    };
    Ok(FlowFile { flows, notes: mistakes.finish()? })
}

fn body<'a>(
    mistakes: &mut Mistakes,
    head: &[Word<'a>],
    mut rows: Vec<Vec<Word<'a>>>,
    origin: Time,
) -> Vec<FlowLine> {
    let Some(count) = mistakes.integer::<u64>(head[0], "number of flows") else {
        return Vec::new();
    };
    if let Some(extra) = head.get(1) {
        mistakes.strict(
            extra.at,
            format!("`{}` follows the number of flows", extra.text.escape_debug()),
            "the first line is the number of flows alone",
        );
        if mistakes.compat {
            rows.insert(0, head[1..].to_vec());
        }
    }
    let columns = rows.first().map_or(6, Vec::len);
    if !(4..=6).contains(&columns) {
        let at = rows[0][0].at;
        mistakes.error(
            at,
            format!("a flow of {columns} numbers"),
            "a flow is `SRC DST PG DPORT BYTES START`; ConWeave's have no DPORT, and there are \
             some without PG",
        );
        return Vec::new();
    }
    if mistakes.compat {
        let stream: Vec<Word<'_>> = rows.concat();
        rows = stream.chunks(columns).map(<[Word<'_>]>::to_vec).collect();
    }
    let listed = rows.len() as u64;
    if listed > count {
        let at = rows[count as usize][0].at;
        mistakes.strict(
            Place::line(at.line),
            format!("the first line says {count} flows: HPCC reads no further than here"),
            "write how many there are, or remove what follows them",
        );
        rows.truncate(count as usize);
    } else if listed < count {
        mistakes.strict(
            head[0].at,
            format!("{count} flows, and {listed} follow: HPCC starts the last one again for each"),
            "write how many there are",
        );
    }
    let flows = flow_lines(mistakes, &rows, columns, origin);
    if flows.is_empty() && mistakes.errors.is_empty() {
        mistakes.error(head[0].at, "the file has no flows", "expected a flow a line");
    }
    flows
}

/// The flows of rows with so many columns.
fn flow_lines(
    mistakes: &mut Mistakes,
    rows: &[Vec<Word<'_>>],
    columns: usize,
    origin: Time,
) -> Vec<FlowLine> {
    let mut flows = Vec::with_capacity(rows.len());
    let mut groups: Option<(u32, bool)> = None;
    let mut latest = Time::ZERO;
    for row in rows {
        let at = Place::line(row[0].at.line);
        if row.len() != columns {
            let message = format!("{} numbers, and the first flow has {columns}", row.len());
            mistakes.error(at, message, "all flows have the same columns");
            continue;
        }
        let source = mistakes.integer(row[0], "node");
        let destination = mistakes.integer(row[1], "node");
        let group: Option<u32> =
            if columns > 4 { mistakes.integer(row[2], "priority group") } else { None };
        let bytes = mistakes.integer(row[columns - 2], "number of bytes");
        let start = start(mistakes, row[columns - 1], origin);
        if let Some(group) = group {
            let (first, told) = *groups.get_or_insert((group, false));
            if group != first && !told {
                mistakes.strict(
                    row[2].at,
                    format!(
                        "priority group {group} after {first}: all flows travel in one class here"
                    ),
                    "give flows of other groups a file and a class of their own",
                );
                groups = Some((first, true));
            }
        }
        let (Some(source), Some(destination), Some(bytes), Some(start)) =
            (source, destination, bytes, start)
        else {
            continue;
        };
        if source == destination {
            mistakes.error(row[1].at, "a flow to its own sender", "expected another node");
        }
        if bytes == 0 {
            mistakes.error(row[columns - 2].at, "a flow of 0 bytes", "expected at least 1");
        }
        if start < latest {
            mistakes.strict(
                row[columns - 1].at,
                "it starts before the flow above it: HPCC stops there",
                "sort the flows by their starts",
            );
        }
        latest = latest.max(start);
        let line = row[0].at.line as u32;
        flows.push(FlowLine { source, destination, bytes: Bytes(bytes), start, line });
    }
    flows
}

/// Seconds, decimal, as a time after `origin`, to the nearest picosecond.
fn start(mistakes: &mut Mistakes, word: Word<'_>, origin: Time) -> Option<Time> {
    let Some(ps) = picoseconds(word.text) else {
        let text = word.text.escape_debug();
        mistakes.error(word.at, format!("`{text}` is no time"), "expected seconds: `2.000001`");
        return None;
    };
    let Some(after) = ps.checked_sub(origin.0) else {
        let message = format!("it starts before `origin`, {origin}");
        mistakes.error(word.at, message, "expected an `origin` no later than the first flow");
        return None;
    };
    if after > TIME_LIMIT.0 {
        let message = format!("it starts later than {TIME_LIMIT}, the latest time there is");
        mistakes.error(word.at, message, "set `origin` to the start of the first flow");
        return None;
    }
    Some(Time(after))
}

fn picoseconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = !(whole.is_empty() && fraction.is_empty())
        && whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    if !is_plain {
        // With an exponent, say.
        let seconds: f64 = text.parse().ok()?;
        let ps = (seconds * 1e12).round();
        return (0.0..1e19).contains(&ps).then_some(ps as u64);
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut ps = 0;
    for place in 0..12 {
        let digit = fraction.as_bytes().get(place).map_or(0, |digit| u64::from(digit - b'0'));
        ps = 10 * ps + digit;
    }
    let up = fraction.as_bytes().get(12).is_some_and(|digit| *digit >= b'5');
    whole.checked_mul(1_000_000_000_000)?.checked_add(ps + u64::from(up))
}

impl FlowFile {
    /// The flows on a fabric, in class 0.
    ///
    /// # Errors
    /// Every node that is no host of it, up to 20.
    pub fn traffic(&self, fabric: &Fabric) -> Result<Traffic, Vec<InputError>> {
        let nodes = Nodes::of(fabric);
        let mut mistakes = Mistakes::default();
        let mut flows = Vec::with_capacity(self.flows.len());
        for line in &self.flows {
            let mut host = |node: u32| {
                let host = nodes.host(node);
                if host.is_none() {
                    let at = Place::line(line.line as usize);
                    let message = format!("node {node} is no host of the topology");
                    mistakes.error(at, message, nodes.text());
                }
                host
            };
            let (source, destination) = (host(line.source), host(line.destination));
            if let (Some(source), Some(destination)) = (source, destination) {
                let start = Start::At(line.start);
                let flow = Flow::at_zero(source.0, destination.0, line.bytes);
                flows.push(Flow { start, ..flow });
            }
        }
        mistakes.finish()?;
        Ok(flows.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, compat: bool) -> Result<FlowFile, Vec<String>> {
        let tell = |errors: Vec<InputError>| errors.iter().map(ToString::to_string).collect();
        parse(text, Time::ZERO, Options { compat }).map_err(tell)
    }

    fn shape(file: &FlowFile) -> Vec<(u32, u32, u64, u64)> {
        file.flows.iter().map(|f| (f.source, f.destination, f.bytes.0, f.start.0)).collect()
    }

    #[test]
    fn the_files_of_hpcc_conweave_and_the_shortest_say_the_same() {
        let expected = [(2, 1, 200, 2_000_000_000_000), (3, 1, 7, 2_000_000_123_000)];
        for text in [
            "2\n2 1 3 100 200 2\n3 1 3 100 7 2.000000123\n",
            "2 \n2 1 3 200 2.0\n3 1 3 7 2.000000123\n",
            "2\r\n2\t1 200 2\r\n\r\n3 1  7 2000.000123e-3\r\n",
        ] {
            assert_eq!(shape(&read(text, false).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn starts_are_exact_to_the_picosecond() {
        assert_eq!(picoseconds("2.123456789012"), Some(2_123_456_789_012));
        assert_eq!(picoseconds("0.0000000000004"), Some(0));
        assert_eq!(picoseconds("0.0000000000005"), Some(1));
        assert_eq!(
            (picoseconds(".5"), picoseconds("3.")),
            (Some(500_000_000_000), Some(3_000_000_000_000))
        );
        assert_eq!(picoseconds("1e-6"), Some(1_000_000));
        for wrong in ["", ".", "-1", "x", "nan", "1e99"] {
            assert_eq!(picoseconds(wrong), None, "{wrong}");
        }
    }

    /// HPCC's own example says 2, lists 256 and explains itself at the end.
    #[test]
    fn what_follows_the_count_is_nothing_in_compat_and_an_error_else() {
        let text =
            "2\n2 1 3 100 200 2\n3 1 3 100 200 2\n4 1 3 100 150 2\n\nFirst line: # of flows\n";
        let errors = read(text, false).unwrap_err();
        assert!(errors[0].contains("line 4") && errors[0].contains("says 2 flows"), "{errors:?}");
        assert!(errors[0].contains("`compat = true`"), "{errors:?}");
        let file = read(text, true).unwrap();
        assert_eq!((file.flows.len(), file.notes.len()), (2, 1));
    }

    #[test]
    fn a_count_with_digits_left_of_an_estimate_is_found() {
        let text = "99995\n2 1 3 200 2\n";
        let errors = read(text, false).unwrap_err();
        assert!(errors[0].contains("line 1") && errors[0].contains("and 1 follow"), "{errors:?}");
        assert_eq!(read(text, true).unwrap().flows.len(), 1);
    }

    #[test]
    fn every_mistake_is_told_with_its_place() {
        let text = "6\n1 1 3 100 5 2\n1 2 3 100 0 2\n1 2 3 x 5 2\n1 2 3 100 5 early\n1 2 3 100 5\n\
                    -1 2 3 100 1.5 2\n";
        let errors = read(text, false).unwrap_err();
        for (error, expected) in errors.iter().zip([
            "line 2, column 3: a flow to its own sender",
            "line 3, column 11: a flow of 0 bytes",
            "line 5, column 13: `early` is no time",
            "line 6, column 1: 5 numbers, and the first flow has 6",
            "line 7, column 1: `-1` is no node",
            "line 7, column 12: `1.5` is no number of bytes",
        ]) {
            assert!(error.starts_with(expected), "{error} {expected}");
        }
        assert_eq!(errors.len(), 6);
        let errors = read("2\n1 2 3 100 5 2\n1 2 1 100 5 1\n", false).unwrap_err();
        assert!(errors[0].contains("priority group 1 after 3"), "{errors:?}");
        assert!(errors[1].contains("HPCC stops there"), "{errors:?}");
        assert!(read("1\n1 2 3 4 5 6 7\n", false).unwrap_err()[0].contains("a flow of 7 numbers"));
        assert!(read("", false).unwrap_err()[0].contains("the file is empty"));
        let many = format!("30\n{}", "1 1 3 100 5 2\n".repeat(30));
        let errors = read(&many, false).unwrap_err();
        assert_eq!(errors.len(), 20);
        assert!(errors[19].contains("10 more mistakes follow"), "{}", errors[19]);
    }

    #[test]
    fn the_origin_is_the_run_s_time_zero() {
        let at = |origin: u64| {
            let text = "1\n2 1 3 100 200 2.000001\n";
            parse(text, Time(origin), Options::default()).map(|file| file.flows[0].start.0)
        };
        assert_eq!(at(2_000_000_000_000), Ok(1_000_000));
        assert!(at(2_000_001_000_001).is_err());
    }
}
