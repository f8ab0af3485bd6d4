//! Flows that were followed: their packets hop by hop, their rate, what they showed of their state.

use super::ViewError;
use super::blocks::Blocks;
use super::times::Times;
use crate::results::Fabric;
use crate::study::tables::TableFile;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// Flows whose packets are in the page.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// Their numbers.
    pub(super) flows: Vec<u64>,
    /// How many flows' packets were recorded.
    pub(super) of: usize,
}

/// Words of `fate` to the page's numbers.
const DELIVERED: u8 = 0;
const MARKED: u8 = 1;
const TRIMMED: u8 = 2;
const LOST: u8 = 3;
const OPEN: u8 = 4;

/// Puts the packets and hops of at most `most` flows into `blocks`, that of the tail first.
pub(super) fn put(
    folder: &Path,
    index: usize,
    tail: Option<u64>,
    most: usize,
    blocks: &mut Blocks,
) -> Result<Followed, ViewError> {
    let Some(table) = TableFile::open(folder, "packets")? else { return Ok(Followed::default()) };
    let rows = ranges(&table.numbers("flow")?);
    let mut flows: Vec<u64> = rows.iter().map(|(flow, _)| *flow).collect();
    flows.sort_by_key(|flow| (Some(*flow) != tail, *flow));
    let of = flows.len();
    flows.truncate(most);
    let hops = TableFile::open(folder, "hops")?.map(|table| Hops::read(&table)).transpose()?;
    let us = |ps: Vec<f64>| ps.into_iter().map(|ps| ps / 1e6).collect::<Vec<f64>>();
    let (sent, arrived, acked) = (
        us(table.numbers("sent_ps")?),
        us(table.numbers("arrived_ps")?),
        us(table.numbers("acked_ps")?),
    );
    let (numbers, again) = (table.numbers("number")?, table.numbers("again")?);
    let (fates, marked) = (table.texts("fate")?, table.numbers("marked")?);
    for (flow, rows) in rows.iter().filter(|(flow, _)| flows.contains(flow)) {
        let name = |column: &str| format!("{index}.of{flow}.{column}");
        let own = |column: &[f64]| column[rows.clone()].to_vec();
        blocks.put(name("sent"), own(&sent));
        blocks.put(name("arrived"), own(&arrived));
        blocks.put(name("acked"), own(&acked));
        blocks.put(name("number"), own(&numbers).into_iter().map(|n| n as u32));
        blocks.put(name("again"), own(&again).into_iter().map(|flag| flag as u8));
        blocks.put(name("fate"), rows.clone().map(|row| fate(fates[row].as_deref(), marked[row])));
        if let Some(hops) = &hops {
            hops.put(rows.clone(), &name, blocks);
        }
    }
    Ok(Followed { flows, of })
}

/// Rows of each flow; a table has a flow's rows together.
fn ranges(flows: &[f64]) -> Vec<(u64, Range<usize>)> {
    let mut found: Vec<(u64, Range<usize>)> = Vec::new();
    for (row, flow) in flows.iter().enumerate() {
        match found.last_mut() {
            Some((last, range)) if *last == *flow as u64 => range.end = row + 1,
            _ => found.push((*flow as u64, row..row + 1)),
        }
    }
    found
}

fn fate(word: Option<&str>, marked: f64) -> u8 {
    match word.unwrap_or_default() {
        "delivered" | "not_needed" | "left" | "moved" if marked == 1.0 => MARKED,
        "delivered" | "not_needed" | "left" | "moved" => DELIVERED,
        "trimmed" => TRIMMED,
        "under_way" => OPEN,
        _ => LOST,
    }
}

/// Columns of `hops`.
struct Hops {
    packets: Vec<f64>,
    ports: Vec<f64>,
    found: Vec<f64>,
    stays: Vec<f64>,
    fates: Vec<u8>,
}

impl Hops {
    fn read(table: &TableFile) -> Result<Self, ViewError> {
        let (fates, marked) = (table.texts("fate")?, table.numbers("marked")?);
        let ports = table.numbers("port")?;
        Ok(Self {
            packets: table.numbers("packet")?,
            ports,
            found: table.numbers("found_bytes")?,
            stays: table.numbers("stay_ps")?,
            fates: fates
                .iter()
                .zip(marked)
                .map(|(word, marked)| fate(word.as_deref(), marked))
                .collect(),
        })
    }

    /// Those of the packets in `rows`.
    fn put(&self, rows: Range<usize>, name: &dyn Fn(&str) -> String, blocks: &mut Blocks) {
        let at = |row: usize| self.packets.partition_point(|packet| (*packet as usize) < row);
        let own = at(rows.start)..at(rows.end);
        let mut counts = vec![0_u16; rows.len()];
        for packet in &self.packets[own.clone()] {
            counts[*packet as usize - rows.start] += 1;
        }
        blocks.put(name("hops"), counts);
        blocks.put(name("hop.port"), self.ports[own.clone()].iter().map(|port| *port as u32));
        let found = self.found[own.clone()].iter().map(|x| *x as f32);
        blocks.put(name("hop.found"), found.collect::<Vec<_>>());
        blocks.put(name("hop.stay"), self.stays[own.clone()].iter().copied());
        blocks.put(name("hop.fate"), self.fates[own].iter().copied());
    }
}

/// What share of its receiver's link each followed flow had, a byte a bucket (250 is all of it).
#[expect(clippy::too_many_arguments, reason = "where it is read, of whom, and where it is put")]
pub(super) fn rates(
    folder: &Path,
    index: usize,
    followed: &Followed,
    tail: Option<u64>,
    fabric: &Fabric,
    times: &Times,
    buckets: usize,
    destinations: &[f64],
    blocks: &mut Blocks,
) -> Result<(), ViewError> {
    let Some(table) = TableFile::open(folder, "progress")? else { return Ok(()) };
    let (at, bytes) = (table.numbers("time_us")?, table.numbers("data_bytes")?);
    let width = times.width_us.unwrap_or(1.0);
    for (flow, rows) in ranges(&table.numbers("flow")?) {
        if !followed.flows.contains(&flow) && tail != Some(flow) {
            continue;
        }
        let Some(host) = usize::try_from(flow).ok().and_then(|flow| destinations.get(flow)) else {
            continue;
        };
        let mut sums = vec![0.0; buckets];
        for row in rows {
            sums[times.bucket(at[row], buckets)] += bytes[row];
        }
        let whole = fabric.rate_of(*host as usize) * 125.0 * width;
        let share = sums.iter().map(|bytes| (250.0 * bytes / whole).round().min(255.0) as u8);
        blocks.put(format!("{index}.of{flow}.rate"), share.collect::<Vec<_>>());
    }
    Ok(())
}

/// What the followed flows showed of their state; the words and units that there are.
pub(super) fn probes(
    folder: &Path,
    index: usize,
    followed: &Followed,
    blocks: &mut Blocks,
) -> Result<Vec<Value>, ViewError> {
    let Some(table) = TableFile::open(folder, "probes")? else { return Ok(Vec::new()) };
    let (flows, at) = (table.numbers("flow")?, table.numbers("time_us")?);
    let (words, units, values) =
        (table.texts("probe")?, table.texts("unit")?, table.numbers("value")?);
    let mut known: Vec<(String, String)> = Vec::new();
    let mut lines: HashMap<(u64, usize), (Vec<f64>, Vec<f64>)> = HashMap::new();
    for row in 0..flows.len() {
        if flows[row].is_nan() || !followed.flows.contains(&(flows[row] as u64)) {
            continue;
        }
        let own = (words[row].clone().unwrap_or_default(), units[row].clone().unwrap_or_default());
        let word = known.iter().position(|other| *other == own).unwrap_or_else(|| {
            known.push(own);
            known.len() - 1
        });
        let line = lines.entry((flows[row] as u64, word)).or_default();
        line.0.push(at[row]);
        line.1.push(values[row]);
    }
    for flow in &followed.flows {
        for (word, (name, _)) in known.iter().enumerate() {
            let Some((at, values)) = lines.remove(&(*flow, word)) else { continue };
            blocks.put(format!("{index}.of{flow}.probe.{name}.time"), at);
            blocks.put(format!("{index}.of{flow}.probe.{name}.value"), values);
        }
    }
    Ok(known.into_iter().map(|(word, unit)| json!({"word": word, "unit": unit})).collect())
}
