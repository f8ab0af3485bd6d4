//! Packets of recorded flows and their hops, as the tables `packets` and `hops` have them.

use super::ExportError;
use crate::results::{Fabric, Kept, ResultsError, needed, summary};
use crate::study::tables::TableFile;
use raddle_sim::record::rows::Fate;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A data packet; its hops are a range of [`Traced::hops`].
#[derive(Clone, Debug)]
pub(super) struct Packet {
    /// Its row of the table.
    pub(super) row: u64,
    pub(super) flow: u64,
    pub(super) number: u32,
    pub(super) again: bool,
    /// The port of its host that it left by.
    pub(super) port: u32,
    pub(super) entropy: u16,
    pub(super) class: u8,
    pub(super) bytes: u32,
    pub(super) sent_ps: u64,
    pub(super) arrived_ps: Option<u64>,
    pub(super) fate: Fate,
    pub(super) sure: bool,
    pub(super) hops: Range<usize>,
}

/// A packet at a port of a switch.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    pub(super) port: u32,
    pub(super) arrived_ps: u64,
    /// None of headers, and of what never joined the queue.
    pub(super) found_bytes: Option<u64>,
    pub(super) stay_ps: u64,
    pub(super) bytes: u32,
    pub(super) entropy: u16,
    pub(super) marked: bool,
    pub(super) fate: Fate,
}

impl Hop {
    /// When its last bit left, or it was lost.
    pub(super) fn end_ps(&self) -> u64 {
        self.arrived_ps.saturating_add(self.stay_ps)
    }
}

/// What was recorded of packets.
#[derive(Debug)]
pub(super) struct Traced {
    /// Row by row.
    pub(super) packets: Vec<Packet>,
    pub(super) hops: Vec<Hop>,
    /// The hosts from which and to which each flow goes.
    pub(super) ends: Vec<(u32, u32)>,
}

impl Traced {
    /// Of a run, whose ports are those of `fabric`.
    pub(super) fn read(run: &Kept, fabric: &Fabric) -> Result<Self, ExportError> {
        let folder = &run.folder;
        let flows = needed(folder, "flows")?;
        let tables = (TableFile::open(folder, "packets")?, TableFile::open(folder, "hops")?);
        let (Some(packets), Some(hops)) = tables else {
            let tail = summary(folder)?["tails"]["last"]["flow"].as_u64().unwrap_or(0);
            let line = format!("record.flows = [{tail}]");
            return Err(ExportError::NotRecorded(folder.clone(), "packets were", line));
        };
        let column = Column { path: folder.join("flows.parquet"), table: &flows };
        let (sources, destinations) = (column.whole("source")?, column.whole("destination")?);
        let ends = sources.into_iter().zip(destinations).map(|(a, b)| (a as u32, b as u32));
        let mut all = Self { packets: Vec::new(), hops: Vec::new(), ends: ends.collect() };
        all.packets = read_packets(folder, &packets)?;
        all.read_hops(folder, &hops)?;
        all.check(folder, fabric)?;
        Ok(all)
    }

    /// Hops, and which of them are each packet's.
    fn read_hops(&mut self, folder: &Path, table: &TableFile) -> Result<(), ExportError> {
        let column = Column { path: folder.join("hops.parquet"), table };
        let of = column.whole("packet")?;
        let (ports, arrived) = (column.whole("port")?, column.whole("arrived_ps")?);
        let (found, stays) = (column.some("found_bytes")?, column.whole("stay_ps")?);
        let (bytes, entropies) = (column.whole("bytes")?, column.whole("entropy")?);
        let (marked, fates) = (column.whole("marked")?, column.fates("fate")?);
        for row in 0..of.len() {
            let at = self.hops.len();
            let packet = usize::try_from(of[row]).ok().and_then(|of| self.packets.get_mut(of));
            let Some(packet) = packet else {
                return Err(column.wrong(format!("`packets` has no row {}", of[row])));
            };
            if packet.hops.is_empty() {
                packet.hops = at..at;
            }
            if packet.hops.end != at {
                return Err(column.wrong("its rows are not in the order of `packets`".to_owned()));
            }
            packet.hops.end = at + 1;
            self.hops.push(Hop {
                port: ports[row] as u32,
                arrived_ps: arrived[row],
                found_bytes: found[row],
                stay_ps: stays[row],
                bytes: bytes[row] as u32,
                entropy: entropies[row] as u16,
                marked: marked[row] != 0,
                fate: fates[row],
            });
        }
        Ok(())
    }

    /// Ports and flows that the run does not have would be another's.
    fn check(&self, folder: &Path, fabric: &Fabric) -> Result<(), ExportError> {
        let ports = fabric.ports.len();
        let wrong = |table: &str, what: String| {
            let why = format!("{what}: it is of another run");
            Err(ResultsError::Damaged(folder.join(format!("{table}.parquet")), why).into())
        };
        let is_there = |port: u32| (port as usize) < ports;
        if let Some(packet) = self.packets.iter().find(|own| !is_there(own.port)) {
            return wrong("packets", format!("`ports` has no port {}", packet.port));
        }
        if let Some(hop) = self.hops.iter().find(|own| !is_there(own.port)) {
            return wrong("hops", format!("`ports` has no port {}", hop.port));
        }
        match self.packets.iter().find(|own| own.flow >= self.ends.len() as u64) {
            Some(packet) => wrong("packets", format!("`flows` has no flow {}", packet.flow)),
            None => Ok(()),
        }
    }

    /// Leaves packets of these flows alone; all without any.
    pub(super) fn keep(&mut self, run: &Kept, flows: &[u64]) -> Result<(), ExportError> {
        if flows.is_empty() {
            return Ok(());
        }
        let mut recorded: Vec<u64> = self.packets.iter().map(|packet| packet.flow).collect();
        recorded.dedup();
        if let Some(lacking) = flows.iter().find(|flow| !recorded.contains(flow)) {
            let folder = run.folder.clone();
            return Err(ExportError::NoSuchFlow(folder, *lacking, recorded.len()));
        }
        self.packets.retain(|packet| flows.contains(&packet.flow));
        Ok(())
    }

    /// A packet's hops, in order of time.
    pub(super) fn hops_of(&self, packet: &Packet) -> &[Hop] {
        &self.hops[packet.hops.clone()]
    }
}

fn read_packets(folder: &Path, table: &TableFile) -> Result<Vec<Packet>, ExportError> {
    let column = Column { path: folder.join("packets.parquet"), table };
    let (flows, numbers) = (column.whole("flow")?, column.whole("number")?);
    let (again, ports) = (column.whole("again")?, column.whole("port")?);
    let (entropies, classes) = (column.whole("entropy")?, column.whole("class")?);
    let (bytes, sent) = (column.whole("bytes")?, column.whole("sent_ps")?);
    let arrived = column.some("arrived_ps")?;
    let (fates, sure) = (column.fates("fate")?, column.whole("sure")?);
    let packet = |row: usize| Packet {
        row: row as u64,
        flow: flows[row],
        number: numbers[row] as u32,
        again: again[row] != 0,
        port: ports[row] as u32,
        entropy: entropies[row] as u16,
        class: classes[row] as u8,
        bytes: bytes[row] as u32,
        sent_ps: sent[row],
        arrived_ps: arrived[row],
        fate: fates[row],
        sure: sure[row] != 0,
        hops: 0..0,
    };
    Ok((0..table.rows()).map(packet).collect())
}

/// Columns of a table whose values have to be there.
struct Column<'a> {
    path: PathBuf,
    table: &'a TableFile,
}

impl Column<'_> {
    fn wrong(&self, why: String) -> ExportError {
        ResultsError::Damaged(self.path.clone(), why).into()
    }

    /// Whole numbers, or none.
    fn some(&self, name: &str) -> Result<Vec<Option<u64>>, ExportError> {
        let numbers = self.table.numbers(name)?;
        Ok(numbers.into_iter().map(|x| (!x.is_nan()).then_some(x as u64)).collect())
    }

    /// Whole numbers.
    fn whole(&self, name: &str) -> Result<Vec<u64>, ExportError> {
        let lacks = || self.wrong(format!("column `{name}` lacks a value"));
        self.some(name)?.into_iter().map(|x| x.ok_or_else(lacks)).collect()
    }

    fn fates(&self, name: &str) -> Result<Vec<Fate>, ExportError> {
        let of = |word: Option<String>| {
            let word = word.unwrap_or_default();
            let none = || self.wrong(format!("column `{name}`: `{word}` is no fate of a packet"));
            Fate::of_word(&word).ok_or_else(none)
        };
        self.table.texts(name)?.into_iter().map(of).collect()
    }
}
