//! Connection lines: `0->13 id 1 start 0 size 2000000 send_done_trigger 1`.

use super::super::Place;
use super::super::words::{Reader, Word, unknown_attribute};
use super::header::Header;
use super::ids::Ids;
use super::{Connection, ConnectionStart, start_time};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Time};

const KEYWORDS: [&str; 9] = [
    "start",
    "size",
    "id",
    "msg",
    "trigger",
    "send_done_trigger",
    "recv_done_trigger",
    "prio",
    "addon",
];

/// What a line has said so far. Of a value that could not be read, only the place is kept.
#[derive(Default)]
struct Draft {
    start: Option<Option<Time>>,
    trigger: Option<Option<u32>>,
    size: Option<Option<Option<Bytes>>>,
    id: Option<Option<u32>>,
    on_acked: Option<u32>,
    on_delivered: Option<u32>,
    seen: Vec<&'static str>,
}

/// Reads a connection. `None` if it has mistakes that leave it without a meaning.
pub(super) fn read(
    reader: &mut Reader,
    ids: &mut Ids,
    words: &[Word<'_>],
    header: &Header,
) -> Option<Connection> {
    let at = words[0].at;
    let ends = endpoints(reader, words[0], header);
    let mut draft = Draft::default();
    let mut rest = words[1..].iter().copied().peekable();
    while let Some(word) = rest.next() {
        let Some(&keyword) = KEYWORDS.iter().find(|known| **known == word.text) else {
            unknown_attribute(reader, "connection", word, &KEYWORDS, &mut rest);
            continue;
        };
        draft.note_repeat(reader, keyword, word.at);
        match keyword {
            "addon" => {
                reader.note("addon", word.at, "`addon` is csg-htsim's and has no effect there");
                continue;
            }
            "msg" => {
                reader.error(
                    word.at,
                    "`msg` puts several messages on one connection: htsim reads it only with \
                     -conn_reuse, and then takes start times for microseconds",
                    "give each message a connection of its own, with its own id and its start in \
                     picoseconds",
                );
                rest.next_if(|next| next.text.bytes().all(|b| b.is_ascii_digit()));
                continue;
            }
            _ => {}
        }
        match rest.next_if(|next| !KEYWORDS.contains(&next.text)) {
            Some(value) => draft.attribute(reader, ids, keyword, value),
            None => {
                reader.error(
                    word.at,
                    format!("`{keyword}` has no value"),
                    format!("write `{keyword} 1`, for example"),
                );
                draft.unreadable(keyword);
            }
        }
    }
    let begun = draft.finish(reader, at);
    let (source, destination) = ends?;
    let (start, size) = begun?;
    Some(Connection {
        source,
        destination,
        size,
        start,
        id: draft.id.flatten(),
        on_acked: draft.on_acked,
        on_delivered: draft.on_delivered,
        at,
    })
}

/// The hosts of `0->13`.
fn endpoints(reader: &mut Reader, word: Word<'_>, header: &Header) -> Option<(HostId, HostId)> {
    let (left, right) = word.text.split_once("->")?;
    let mut host = |text, skip, name| {
        let at =
            Place { column: word.at.column + skip, length: str::chars(text).count(), ..word.at };
        let number = reader.integer(Word { at, text }, name)?;
        match (u32::try_from(number), header.hosts()) {
            (Ok(number), Some((nodes, _))) if number < nodes => Some(HostId(number)),
            (Ok(number), None) => Some(HostId(number)),
            (_, hosts) => {
                let limit = match hosts {
                    Some((nodes, line)) => {
                        format!("`Nodes {nodes}` in line {line} allows hosts 0 to {}", nodes - 1)
                    }
                    None => "hosts are counted from 0".to_owned(),
                };
                reader.error(at, format!("there is no host {number}"), limit);
                None
            }
        }
    };
    let source = host(left, 0, "source");
    let destination = host(right, left.chars().count() + 2, "destination");
    let (source, destination) = (source?, destination?);
    if source == destination {
        reader.error(
            word.at,
            format!("host {} sends to itself", source.0),
            "name two different hosts",
        );
        return None;
    }
    Some((source, destination))
}

impl Draft {
    fn note_repeat(&mut self, reader: &mut Reader, keyword: &'static str, at: Place) {
        if self.seen.contains(&keyword) {
            reader.strict_error(
                "repeats",
                at,
                format!("`{keyword}` stands on this line already: htsim takes the last one"),
                "keep one of them",
            );
        } else {
            self.seen.push(keyword);
        }
    }

    fn unreadable(&mut self, keyword: &str) {
        match keyword {
            "start" => self.start = Some(None),
            "trigger" => self.trigger = Some(None),
            "size" => self.size = Some(None),
            "id" => self.id = Some(None),
            _ => {}
        }
    }

    fn attribute(&mut self, reader: &mut Reader, ids: &mut Ids, keyword: &str, value: Word<'_>) {
        if keyword == "start" {
            self.start = Some(start_time::read(reader, value));
            return;
        }
        let Some(number) = reader.integer(value, keyword) else {
            return self.unreadable(keyword);
        };
        let at = value.at;
        match keyword {
            "size" => self.size = Some(size(reader, number, at)),
            "id" => self.id = Some(flow_id(reader, ids, number, at)),
            "trigger" => self.trigger = Some(self.wait(reader, ids, number, at)),
            "send_done_trigger" => self.on_acked = fire(reader, ids, keyword, number, at),
            "recv_done_trigger" => self.on_delivered = fire(reader, ids, keyword, number, at),
            _ => reader.note("prio", at, "`prio` has no effect, as in htsim's UEC program"),
        }
    }

    fn wait(&mut self, reader: &mut Reader, ids: &mut Ids, number: i32, at: Place) -> Option<u32> {
        if self.id.is_none() {
            reader.error(
                at,
                "`trigger` without an `id` before it on the line: htsim stops",
                "write `id` and a number before `trigger`",
            );
        }
        if number == 0 {
            reader.error(at, "trigger 0 cannot exist: htsim stops", "number triggers from 1");
            return None;
        }
        if reader.compat && self.start.take().is_some() {
            reader.note(
                "start ignored",
                at,
                "htsim ignores a `start` that stands before a `trigger`",
            );
        }
        // htsim's trigger ids are unsigned.
        let id = number as u32;
        ids.waits.push((id, at));
        Some(id)
    }

    /// The start and size, if the line has what a connection needs.
    fn finish(&self, reader: &mut Reader, at: Place) -> Option<(ConnectionStart, Option<Bytes>)> {
        if self.size.is_none() {
            reader.error(
                at,
                "the connection has no `size`: htsim reads it from uninitialised memory",
                "add `size` and the bytes",
            );
        }
        let start = match (self.start, self.trigger) {
            (None, None) => {
                reader.error(
                    at,
                    "nothing starts the connection: htsim stops",
                    "add `start` and a time in picoseconds, or `trigger` and the id of a trigger",
                );
                None
            }
            (Some(_), Some(_)) => {
                reader.error(
                    at,
                    "the connection has both `start` and `trigger`: htsim ignores a `start` before \
                     `trigger`, and stops at one after it",
                    "remove one of them",
                );
                None
            }
            (Some(time), None) => time.map(ConnectionStart::At),
            (None, Some(id)) => id.map(ConnectionStart::Trigger),
        };
        Some((start?, self.size??))
    }
}

/// The bytes of a flow; `Some(None)` for an endless one.
fn size(reader: &mut Reader, number: i32, at: Place) -> Option<Option<Bytes>> {
    match u64::try_from(number) {
        Ok(bytes) if bytes > 0 => Some(Some(Bytes(bytes))),
        _ => {
            reader.strict_error(
                "endless",
                at,
                format!("htsim takes `size {number}` for an endless flow"),
                "give the flow at least 1 byte",
            );
            Some(None)
        }
    }
}

fn flow_id(reader: &mut Reader, ids: &mut Ids, number: i32, at: Place) -> Option<u32> {
    if number == 0 {
        reader.error(at, "flow id 0 is not allowed: htsim stops", "number flows from 1");
        return None;
    }
    let id = number as u32;
    match ids.flows.insert(id, at.line) {
        Some(earlier) => {
            ids.flows.insert(id, earlier);
            reader.error(
                at,
                format!("flow id {id} belongs to line {earlier} already: htsim stops"),
                "give every connection its own id",
            );
            None
        }
        None => Some(id),
    }
}

fn fire(reader: &mut Reader, ids: &mut Ids, keyword: &str, number: i32, at: Place) -> Option<u32> {
    if number == 0 {
        reader.strict_error(
            "trigger 0",
            at,
            format!("htsim takes `{keyword} 0` for no trigger"),
            format!("remove `{keyword} 0`"),
        );
        return None;
    }
    let id = number as u32;
    ids.fires.push((id, at));
    Some(id)
}
