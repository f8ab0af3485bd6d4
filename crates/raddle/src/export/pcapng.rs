//! Packets as a capture that Wireshark opens (draft-ietf-opsawg-pcapng): an interface is a port, and a
//! record a frame whose last bit left it. Times are picoseconds since the run's start.

use super::frame::{Frame, address};
use super::traced::{Hop, Packet, Traced};
use super::{ExportError, Written, create};
use crate::results::{Fabric, Kept, summary};
use crate::study::VERSION;
use raddle_sim::record::DropCause;
use raddle_sim::record::rows::Fate;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Types of blocks.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const NAMES: u32 = 4;
const STATISTICS: u32 = 5;
const PACKET: u32 = 6;

/// Options of any block.
const COMMENT: u16 = 1;
/// Of a section.
const APPLICATION: u16 = 4;
/// Of an interface.
const NAME: u16 = 2;
const DESCRIPTION: u16 = 3;
const SPEED: u16 = 8;
const RESOLUTION: u16 = 9;
/// Of a packet.
const FLAGS: u16 = 2;
const DROPPED_BEFORE: u16 = 4;
const PACKET_ID: u16 = 5;
/// Of statistics.
const DROPPED: u16 = 5;

/// Outbound, to one receiver.
const OUTBOUND: u32 = 0b110;
/// An error of the checksum of the link.
const SPOILT: u32 = 1 << 24;

/// What happens at a port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    at_ps: u64,
    packet: u32,
    /// Which of the packet's hops; none at its host.
    hop: Option<u16>,
}

/// Writes the packets of a run, of `flows` or of all that were recorded, to the file `to`.
///
/// # Errors
/// Packets that were not recorded, a damaged folder, a file that cannot be written.
pub fn pcapng(run: &Kept, flows: &[u64], to: &Path) -> Result<Written, ExportError> {
    let fabric = Fabric::read(&run.folder)?;
    let mut traced = Traced::read(run, &fabric)?;
    traced.keep(run, flows)?;
    let told = summary(&run.folder)?;
    let comment = format!(
        "{}: scenario {}, seed {}. Data packets of recorded flows, at the ports that they left by; no \
         ACKs. Times are picoseconds since the run's start.",
        run.name,
        told["scenario"].as_str().unwrap_or_default(),
        told["seed"],
    );
    let wrong = |error: io::Error| ExportError::write(to, &error);
    let file = create(run, to)?;
    let mut out = BufWriter::new(file);
    let records = write_all(&mut out, &comment, &fabric, &traced).map_err(wrong)?;
    let file = out.into_inner().map_err(|error| wrong(error.into_error()))?;
    let bytes = file.metadata().map_err(wrong)?.len();
    Ok(Written { records, bytes, ..Written::default() })
}

fn write_all(
    out: &mut impl Write,
    comment: &str,
    fabric: &Fabric,
    traced: &Traced,
) -> io::Result<u64> {
    let moments = moments(traced);
    let mut section = Block::default();
    // The order of bytes, version 1.0, a length that is not told.
    section.put(&0x1a2b_3c4d_u32.to_le_bytes()).put(&[1, 0, 0, 0]).put(&[0xff; 8]);
    section.option(COMMENT, comment.as_bytes());
    section.option(APPLICATION, format!("raddle {VERSION}").as_bytes());
    section.end(out, SECTION)?;
    write_names(out, fabric, traced)?;
    let interfaces = write_interfaces(out, fabric, traced, &moments)?;
    let mut dropped = vec![(0_u64, 0_u64); interfaces.len()];
    let mut records = 0;
    for moment in &moments {
        let packet = &traced.packets[moment.packet as usize];
        let hops = traced.hops_of(packet);
        let port = moment.hop.map_or(packet.port, |hop| hops[usize::from(hop)].port);
        let interface = interfaces[&port];
        let (before, all) = &mut dropped[interface as usize];
        if moment.hop.is_some_and(|hop| !hops[usize::from(hop)].fate.has_left()) {
            (*before, *all) = (*before + 1, *all + 1);
            continue;
        }
        records += 1;
        write_packet(out, (fabric, traced), *moment, interface, std::mem::take(before))?;
    }
    let end = moments.last().map_or(0, |moment| moment.at_ps);
    for (interface, (_, all)) in (0_u32..).zip(&dropped).filter(|(_, (_, all))| *all > 0) {
        let mut block = Block::default();
        block.put(&interface.to_le_bytes()).time(end);
        block.option(DROPPED, &all.to_le_bytes());
        block.end(out, STATISTICS)?;
    }
    out.flush()?;
    Ok(records)
}

/// All that left a port or was lost there, in order of time.
fn moments(traced: &Traced) -> Vec<Moment> {
    let mut moments = Vec::with_capacity(traced.packets.len() + traced.hops.len());
    for (packet, own) in (0_u32..).zip(&traced.packets) {
        moments.push(Moment { at_ps: own.sent_ps, packet, hop: None });
        let hops = (0..u16::MAX).zip(traced.hops_of(own));
        let ends = hops.filter(|(_, hop)| !matches!(hop.fate, Fate::UnderWay | Fate::Moved));
        moments.extend(ends.map(|(at, hop)| Moment { at_ps: hop.end_ps(), packet, hop: Some(at) }));
    }
    moments.sort_unstable();
    moments
}

/// Names of the hosts, by their addresses.
fn write_names(out: &mut impl Write, fabric: &Fabric, traced: &Traced) -> io::Result<()> {
    let flows = traced.packets.iter().map(|packet| traced.ends[packet.flow as usize]);
    let mut hosts: Vec<u32> = flows.flat_map(|(from, to)| [from, to]).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let mut block = Block::default();
    for host in hosts {
        let Some(name) = fabric.nodes.get(host as usize) else { continue };
        block.option(1, &[&address(host), name.as_bytes(), &[0]].concat());
    }
    block.end(out, NAMES)
}

/// An interface for each port at which something happened; returns their numbers.
fn write_interfaces(
    out: &mut impl Write,
    fabric: &Fabric,
    traced: &Traced,
    moments: &[Moment],
) -> io::Result<BTreeMap<u32, u32>> {
    let ports = moments.iter().map(|moment| {
        let packet = &traced.packets[moment.packet as usize];
        let hops = traced.hops_of(packet);
        moment.hop.map_or(packet.port, |hop| hops[usize::from(hop)].port)
    });
    let mut interfaces: BTreeMap<u32, u32> = ports.map(|port| (port, 0)).collect();
    for ((port, number), own) in interfaces.iter_mut().zip(0..) {
        *number = own;
        let port = *port as usize;
        let mut block = Block::default();
        // Ethernet, of which so much is captured.
        block.put(&[1, 0, 0, 0]).put(&(super::frame::CAPTURED as u32).to_le_bytes());
        block.option(NAME, fabric.ports[port].as_bytes());
        let (node, peer) = fabric.ends(port);
        block.option(DESCRIPTION, format!("{node} to {peer}").as_bytes());
        block.option(SPEED, &((fabric.rates[port] * 1e9) as u64).to_le_bytes());
        block.option(RESOLUTION, &[12]);
        block.end(out, INTERFACE)?;
    }
    Ok(interfaces)
}

fn write_packet(
    out: &mut impl Write,
    (fabric, traced): (&Fabric, &Traced),
    moment: Moment,
    interface: u32,
    dropped_before: u64,
) -> io::Result<()> {
    let packet = &traced.packets[moment.packet as usize];
    let hops = traced.hops_of(packet);
    let passed = moment.hop.map_or(0, |hop| usize::from(hop) + 1);
    let (before, hop) = (&hops[..passed], passed.checked_sub(1).map(|at| &hops[at]));
    let (source, destination) = traced.ends[packet.flow as usize];
    let bytes = hop.map_or(packet.bytes, |hop| hop.bytes);
    let frame = Frame {
        source,
        destination,
        class: (bytes == packet.bytes).then_some(packet.class),
        marked: before.iter().any(|hop| hop.marked),
        entropy: hop.map_or(packet.entropy, |hop| hop.entropy),
        flow: packet.flow,
        psn: packet.number,
        passed: u8::try_from(passed).unwrap_or(u8::MAX),
        bytes,
    };
    let captured = frame.captured();
    let is_spoilt = match hop {
        Some(hop) => hop.fate == Fate::Lost(DropCause::Loss),
        None => hops.is_empty() && packet.fate == Fate::Lost(DropCause::Loss),
    };
    let mut block = Block::default();
    block.put(&interface.to_le_bytes()).time(moment.at_ps);
    block.put(&(captured.len() as u32).to_le_bytes()).put(&bytes.to_le_bytes());
    block.put(&captured).pad();
    let is_last = !hops[passed..].iter().any(|later| later.fate.has_left());
    block.option(COMMENT, comment(fabric, packet, hop, hops.last(), is_last).as_bytes());
    let flags = if is_spoilt { OUTBOUND | SPOILT } else { OUTBOUND };
    block.option(FLAGS, &flags.to_le_bytes());
    if dropped_before > 0 {
        block.option(DROPPED_BEFORE, &dropped_before.to_le_bytes());
    }
    block.option(PACKET_ID, &packet.row.to_le_bytes());
    block.end(out, PACKET)
}

/// What happened to a packet where it left, and of its last record what became of it.
fn comment(
    fabric: &Fabric,
    packet: &Packet,
    hop: Option<&Hop>,
    last: Option<&Hop>,
    is_last: bool,
) -> String {
    let mut text = format!("flow {}, packet {}", packet.flow, packet.number);
    // Writing to a text does not fail.
    if packet.again {
        text += ", sent again";
    }
    if !packet.sure {
        text += ", may be exchanged with another of its number";
    }
    if let Some(hop) = hop {
        let _ = match hop.found_bytes {
            Some(found) => write!(text, "; found {found} B"),
            None => write!(text, "; a header"),
        };
        let _ = write!(text, ", stayed {} ns", hop.stay_ps as f64 / 1e3);
        for (is_so, word) in
            [(hop.marked, "; marked here"), (hop.fate == Fate::Trimmed, "; trimmed here")]
        {
            text += if is_so { word } else { "" };
        }
    }
    let _ = match packet.fate {
        _ if !is_last => Ok(()),
        Fate::Lost(cause) => match last.filter(|last| !last.fate.has_left()) {
            Some(last) => {
                let port = &fabric.ports[last.port as usize];
                write!(text, "; then lost at {port}: {}", cause.word())
            }
            None => write!(text, "; then lost on this link: {}", cause.word()),
        },
        Fate::Middleware => write!(text, "; then dropped by middleware"),
        Fate::UnderWay => write!(text, "; under way when the run ended"),
        Fate::NotNeeded => write!(text, "; arrived and was not needed"),
        _ => Ok(()),
    };
    text
}

/// A block's bytes between its lengths.
#[derive(Default)]
struct Block(Vec<u8>);

impl Block {
    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self
    }

    /// Zeros up to a multiple of four.
    fn pad(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    /// A time, its upper half first.
    fn time(&mut self, ps: u64) {
        let (upper, lower) = ((ps >> 32) as u32, ps as u32);
        self.put(&upper.to_le_bytes()).put(&lower.to_le_bytes());
    }

    /// An option, or a record of names, which looks alike. Longer texts than fit are cut.
    fn option(&mut self, code: u16, value: &[u8]) {
        let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
        self.put(&code.to_le_bytes()).put(&length.to_le_bytes());
        self.put(&value[..usize::from(length)]).pad();
    }

    /// Writes it, with the end of its options.
    fn end(mut self, out: &mut impl Write, kind: u32) -> io::Result<()> {
        self.put(&[0; 4]);
        let length = (self.0.len() as u32 + 12).to_le_bytes();
        out.write_all(&kind.to_le_bytes())?;
        out.write_all(&length)?;
        out.write_all(&self.0)?;
        out.write_all(&length)
    }
}
