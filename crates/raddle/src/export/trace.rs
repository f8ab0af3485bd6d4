//! Track events of Perfetto as protocol buffers. Numbers of fields are those of its
//! `protos/perfetto/trace`: `trace_packet.proto`, `track_event/track_event.proto`,
//! `track_event/track_descriptor.proto`, `track_event/debug_annotation.proto`,
//! `interned_data/interned_data.proto`.

use std::collections::BTreeMap;
use std::io::{self, Write};

/// A message under way.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn whole(&mut self, field: u32, value: u64) -> &mut Self {
        self.varint(u64::from(field) << 3);
        self.varint(value);
        self
    }

    fn fixed(&mut self, field: u32, value: u64) -> &mut Self {
        self.varint(u64::from(field) << 3 | 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn bytes(&mut self, field: u32, value: &[u8]) -> &mut Self {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    fn within(&mut self, field: u32, of: impl FnOnce(&mut Self)) -> &mut Self {
        let mut inner = Self::default();
        of(&mut inner);
        self.bytes(field, &inner.0)
    }
}

/// What a slice tells beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    Flow,
    Packet,
    Row,
    Entropy,
    Bytes,
    BeganPs,
    EndedPs,
    StayPs,
    FoundBytes,
    Fate,
}

impl Note {
    const ALL: [(Self, &'static str); 10] = [
        (Self::Flow, "flow"),
        (Self::Packet, "packet"),
        (Self::Row, "row"),
        (Self::Entropy, "entropy"),
        (Self::Bytes, "bytes"),
        (Self::BeganPs, "began_ps"),
        (Self::EndedPs, "ended_ps"),
        (Self::StayPs, "stay_ps"),
        (Self::FoundBytes, "found_bytes"),
        (Self::Fate, "fate"),
    ];
}

/// The value of a note.
#[derive(Clone, Copy, Debug)]
pub(super) enum Told<'a> {
    Whole(u64),
    Word(&'a str),
}

/// Notes of a slice.
pub(super) type Notes<'a> = &'a [(Note, Told<'a>)];

/// Kinds of events.
const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const SAMPLE: u64 = 4;

/// A trace on its way to a file.
pub(super) struct Trace<W> {
    out: W,
    tracks: u64,
    /// Names that many slices have, and their numbers.
    names: BTreeMap<String, u64>,
    /// How many events it has.
    pub(super) events: u64,
}

impl<W: Write> Trace<W> {
    /// Begins it, with the words of its notes.
    pub(super) fn begin_file(out: W) -> io::Result<Self> {
        let mut trace = Self { out, tracks: 0, names: BTreeMap::new(), events: 0 };
        let mut packet = Message::default();
        // What follows may go by the words below; nothing before does.
        packet.whole(10, 1).whole(13, 1).within(12, |interned| {
            for (note, name) in Note::ALL {
                interned.within(3, |own| {
                    own.whole(1, note as u64 + 1).bytes(2, name.as_bytes());
                });
            }
        });
        trace.put(&packet)?;
        Ok(trace)
    }

    /// Ends it; gives what it was written to.
    pub(super) fn end_file(mut self) -> io::Result<(W, u64)> {
        self.out.flush()?;
        Ok((self.out, self.events))
    }

    fn put(&mut self, packet: &Message) -> io::Result<()> {
        let mut head = Message::default();
        head.varint(1 << 3 | 2);
        head.varint(packet.0.len() as u64);
        self.out.write_all(&head.0)?;
        self.out.write_all(&packet.0)
    }

    /// A track below another, or below none; of siblings the lower rank stands higher.
    pub(super) fn track(&mut self, below: Option<u64>, name: &str, rank: u64) -> io::Result<u64> {
        self.describe(below, name, rank, None)
    }

    /// A track of numbers of this unit.
    pub(super) fn counter(&mut self, below: u64, name: &str, unit: &str) -> io::Result<u64> {
        self.describe(Some(below), name, 0, Some(unit))
    }

    fn describe(
        &mut self,
        below: Option<u64>,
        name: &str,
        rank: u64,
        unit: Option<&str>,
    ) -> io::Result<u64> {
        self.tracks += 1;
        let track = self.tracks;
        let mut packet = Message::default();
        packet.whole(10, 1).within(60, |own| {
            own.whole(1, track).bytes(2, name.as_bytes());
            if let Some(below) = below {
                own.whole(5, below);
            }
            if let Some(unit) = unit {
                own.within(8, |counter| {
                    counter.bytes(6, unit.as_bytes());
                });
            }
            // Its own children stand by their ranks.
            own.whole(11, 3).whole(12, rank);
        });
        self.put(&packet)?;
        Ok(track)
    }

    fn event(
        &mut self,
        track: u64,
        at_ps: u64,
        kind: u64,
        of: impl FnOnce(&mut Message),
    ) -> io::Result<()> {
        self.events += 1;
        let mut packet = Message::default();
        packet.whole(8, at_ps / 1000).whole(10, 1);
        if kind == BEGIN || kind == INSTANT {
            // These go by words told before.
            packet.whole(13, 2);
        }
        packet.within(11, |event| {
            event.whole(9, kind).whole(11, track);
            of(event);
        });
        self.put(&packet)
    }

    /// The number of a name that many slices have.
    fn number_of(&mut self, name: &str) -> io::Result<u64> {
        if let Some(number) = self.names.get(name) {
            return Ok(*number);
        }
        let number = self.names.len() as u64 + 1;
        self.names.insert(name.to_owned(), number);
        let mut packet = Message::default();
        packet.whole(10, 1).whole(13, 2).within(12, |interned| {
            interned.within(2, |own| {
                own.whole(1, number).bytes(2, name.as_bytes());
            });
        });
        self.put(&packet)?;
        Ok(number)
    }

    /// A slice begins whose name many have.
    pub(super) fn begin_known(
        &mut self,
        track: u64,
        at_ps: u64,
        name: &str,
        notes: Notes<'_>,
    ) -> io::Result<()> {
        let number = self.number_of(name)?;
        self.event(track, at_ps, BEGIN, |event| {
            event.whole(10, number);
            note(event, notes);
        })
    }

    /// A slice begins on a track. Slices of one `packet` are tied by arrows.
    pub(super) fn begin(
        &mut self,
        track: u64,
        at_ps: u64,
        name: &str,
        packet: Option<u64>,
        notes: Notes<'_>,
    ) -> io::Result<()> {
        self.event(track, at_ps, BEGIN, |event| {
            event.bytes(23, name.as_bytes());
            if let Some(packet) = packet {
                event.fixed(47, packet + 1);
            }
            note(event, notes);
        })
    }

    /// The slice that began last on a track ends.
    pub(super) fn end(&mut self, track: u64, at_ps: u64) -> io::Result<()> {
        self.event(track, at_ps, END, |_| ())
    }

    /// Something happens at once.
    pub(super) fn instant(
        &mut self,
        track: u64,
        at_ps: u64,
        name: &str,
        notes: Notes<'_>,
    ) -> io::Result<()> {
        let number = self.number_of(name)?;
        self.event(track, at_ps, INSTANT, |event| {
            event.whole(10, number);
            note(event, notes);
        })
    }

    /// A number from then on.
    pub(super) fn sample(&mut self, track: u64, at_ps: u64, value: u64) -> io::Result<()> {
        self.event(track, at_ps, SAMPLE, |event| {
            event.whole(30, value);
        })
    }
}

fn note(event: &mut Message, notes: Notes<'_>) {
    for (note, told) in notes {
        event.within(4, |own| {
            own.whole(1, *note as u64 + 1);
            match told {
                Told::Whole(value) => own.whole(3, *value),
                Told::Word(word) => own.bytes(6, word.as_bytes()),
            };
        });
    }
}
