//! htsim's connection matrices (`.cm`): flows, the triggers that chain them, and cut links.
//!
//! The grammar is what `ConnectionMatrix::load` of uet-htsim (commit 40ccb05) and csg-htsim (commit
//! 841d9e7) accepts:
//!
//! ```text
//! file   = header body
//! header = { "Nodes" N | "Connections" n | "Triggers" n | "Failures" n | "#..." | blank }
//! body   = { conn | trig | fail | blank }
//! conn   = SRC "->" DST { "start" PS | "size" BYTES | "id" F | "trigger" G
//!          | "send_done_trigger" G | "recv_done_trigger" G | "prio" P | "addon" }
//! trig   = "trigger" { "id" G | "oneshot" | "multishot" | "barrier" | "count" C }
//! fail   = "failure" { "switch_type" "AGG" | "switch_id" I | "link_id" L }
//! ```
//!
//! Times are picoseconds. (`htsim_uec -conn_reuse` and csg-htsim's `main_swift` read the same number
//! as microseconds; the file does not say which program it is for.)
//!
//! One thing differs on purpose: triggers that fire at the same instant start their flows in the
//! order of the file. htsim starts them last in, first out, and calls the order not guaranteed.

mod check;
mod connection;
mod failure;
mod header;
mod ids;
mod start_time;
mod traffic;
mod trigger;

use super::words::Reader;
use super::{InputError, Place};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Time};

pub use failure::{Cut, Failure};
pub use trigger::TriggerDeclaration;

/// How to read a connection matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CmOptions {
    /// Do exactly what htsim does where it misreads its input without a word; a note says so.
    /// Without it such input is an error. What makes htsim stop is an error either way.
    pub compat: bool,
}

/// A connection matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionMatrix {
    /// Number of hosts.
    pub nodes: u32,
    /// The flows, in the order of the file.
    pub connections: Vec<Connection>,
    /// The triggers, in the order of the file.
    pub triggers: Vec<TriggerDeclaration>,
    /// The cut links, in the order of the file.
    pub failures: Vec<Failure>,
    /// What was accepted but deserves a word, in the order of the file.
    pub notes: Vec<InputError>,
    nodes_at: Place,
    compat: bool,
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The sender.
    pub source: HostId,
    /// The receiver; not the sender.
    pub destination: HostId,
    /// Application bytes; `None` for an endless flow (compat mode only).
    pub size: Option<Bytes>,
    /// What starts it.
    pub start: ConnectionStart,
    /// Its `id`; no two connections share one.
    pub id: Option<u32>,
    /// `send_done_trigger`: the trigger fired when the sender has the last ACK.
    pub on_acked: Option<u32>,
    /// `recv_done_trigger`: the trigger fired when the receiver has the last byte.
    pub on_delivered: Option<u32>,
    at: Place,
}

/// What starts a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionStart {
    /// A time.
    At(Time),
    /// The trigger with this id.
    Trigger(u32),
}

/// Reads a connection matrix.
///
/// # Errors
/// Every mistake of the text, in its order.
pub fn parse(text: &str, options: CmOptions) -> Result<ConnectionMatrix, Vec<InputError>> {
    let mut reader = Reader::with_compat(options.compat);
    let mut lines: Vec<_> = text.split('\n').enumerate().map(|(i, text)| (i + 1, text)).collect();
    if text.ends_with('\n') {
        lines.pop();
    }
    let (header, body) = header::read(&mut reader, &lines);
    let mut ids = ids::Ids::default();
    let (mut connections, mut triggers, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut counts = header::Counts::default();
    for &(line, text) in body {
        let words = body_words(&mut reader, line, text);
        let Some(first) = words.first() else { continue };
        if first.text.contains("->") {
            counts.connections += 1;
            connections.extend(connection::read(&mut reader, &mut ids, &words, &header));
        } else if first.text == "trigger" {
            counts.triggers += 1;
            triggers.extend(trigger::read(&mut reader, &mut ids, &words));
        } else if first.text == "failure" {
            counts.failures += 1;
            failures.extend(failure::read(&mut reader, &words));
        } else {
            counts.connections += usize::from(header::is_spaced_connection(&words));
            header::misplaced(&mut reader, &words);
        }
    }
    header.check_counts(&mut reader, &counts);
    failure::check_repeats(&mut reader, &failures);
    check::references(&mut reader, &ids);
    if !reader.failed() {
        check::unused(&mut reader, &ids);
        check::starts(&mut reader, &connections, &triggers);
    }
    let notes = reader.finish()?;
    let (nodes, nodes_at) = header.nodes.unwrap_or((0, Place::line(1)));
    Ok(ConnectionMatrix {
        nodes,
        connections,
        triggers,
        failures,
        notes,
        nodes_at,
        compat: options.compat,
    })
}

/// The words of a body line, none of them empty.
fn body_words<'a>(reader: &mut Reader, line: usize, text: &'a str) -> Vec<super::words::Word<'a>> {
    if text.starts_with('#') {
        reader.error(
            Place { line, column: 1, length: text.chars().count() },
            "a comment below the first connection, trigger or failure: htsim stops at it",
            "move it to the top of the file",
        );
        return Vec::new();
    }
    let mut words = reader.words(line, text);
    if let Some(empty) = words.iter().find(|word| word.text.is_empty()) {
        reader.error(
            Place { length: 1, ..empty.at },
            "a space too many: htsim takes it for an empty word and stops",
            "separate words by one space",
        );
        words.retain(|word| !word.text.is_empty());
    }
    words
}
