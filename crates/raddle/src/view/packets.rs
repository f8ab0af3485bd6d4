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

/// The tables of flows that were followed, read a flow at a time.
pub(super) struct Followed {
    packets: Option<TableFile>,
    hops: Option<TableFile>,
}

/// Words of `fate` to the page's numbers.
const DELIVERED: u8 = 0;
const MARKED: u8 = 1;
const TRIMMED: u8 = 2;
const LOST: u8 = 3;
const OPEN: u8 = 4;

impl Followed {
    pub(super) fn open(folder: &Path) -> Result<Self, ViewError> {
        let packets = TableFile::open(folder, "packets")?;
        Ok(Self { packets, hops: TableFile::open(folder, "hops")? })
    }

    /// Whose packets were recorded.
    pub(super) fn flows(&self) -> Result<Vec<u64>, ViewError> {
        let Some(table) = &self.packets else { return Ok(Vec::new()) };
        // A table has a flow's rows together, and those of a flow after those of the one before.
        let mut flows = Vec::new();
        for rows in table.rows_by_group() {
            flows.extend(table.numbers_of("flow", rows)?.into_iter().map(|flow| flow as u64));
            flows.dedup();
        }
        Ok(flows)
    }

    /// Puts the packets and hops of a flow into `blocks`.
    pub(super) fn put(
        &self,
        index: usize,
        flow: u64,
        blocks: &mut Blocks,
    ) -> Result<(), ViewError> {
        let Some(table) = &self.packets else { return Ok(()) };
        let rows = table.rows_with("flow", flow..flow.saturating_add(1))?;
        let name = |column: &str| format!("{index}.of{flow}.{column}");
        let own = |column: &str| table.numbers_of(column, rows.clone());
        for (word, column) in
            [("sent", "sent_ps"), ("arrived", "arrived_ps"), ("acked", "acked_ps")]
        {
            blocks.put(name(word), own(column)?.into_iter().map(|ps| ps / 1e6));
        }
        blocks.put(name("number"), own("number")?.into_iter().map(|n| n as u32));
        blocks.put(name("again"), own("again")?.into_iter().map(|flag| flag as u8));
        let fates = table.texts_of("fate", rows.clone())?.into_iter().zip(own("marked")?);
        blocks.put(name("fate"), fates.map(|(word, marked)| fate(word.as_deref(), marked)));
        match &self.hops {
            Some(hops) => put_hops(hops, rows, &name, blocks),
            None => Ok(()),
        }
    }
}

/// Puts the hops of the packets in `rows` into `blocks`.
fn put_hops(
    table: &TableFile,
    rows: Range<usize>,
    name: &dyn Fn(&str) -> String,
    blocks: &mut Blocks,
) -> Result<(), ViewError> {
    let own = table.rows_with("packet", rows.start as u64..rows.end as u64)?;
    let column = |name: &str| table.numbers_of(name, own.clone());
    let mut counts = vec![0_u16; rows.len()];
    for packet in column("packet")? {
        // Of a damaged file the numbers are not in order.
        let own = (packet as usize).checked_sub(rows.start);
        if let Some(count) = own.and_then(|own| counts.get_mut(own)) {
            *count += 1;
        }
    }
    blocks.put(name("hops"), counts);
    blocks.put(name("hop.port"), column("port")?.into_iter().map(|port| port as u32));
    blocks.put(name("hop.found"), column("found_bytes")?.into_iter().map(|x| x as f32));
    blocks.put(name("hop.stay"), column("stay_ps")?);
    let fates = table.texts_of("fate", own.clone())?.into_iter().zip(column("marked")?);
    blocks.put(name("hop.fate"), fates.map(|(word, marked)| fate(word.as_deref(), marked)));
    Ok(())
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

/// What share of its receiver's link a flow had, a byte a bucket (250 is all of it).
pub(super) fn rate(
    folder: &Path,
    (index, flow): (usize, u64),
    fabric: &Fabric,
    (times, buckets): (&Times, usize),
    destinations: &[f64],
    blocks: &mut Blocks,
) -> Result<(), ViewError> {
    let Some(table) = TableFile::open(folder, "progress")? else { return Ok(()) };
    let host = usize::try_from(flow).ok().and_then(|flow| destinations.get(flow));
    let rows = table.rows_with("flow", flow..flow.saturating_add(1))?;
    let (Some(host), false) = (host, rows.is_empty()) else { return Ok(()) };
    let (at, bytes) =
        (table.numbers_of("time_us", rows.clone())?, table.numbers_of("data_bytes", rows)?);
    let mut sums = vec![0.0; buckets];
    for (at, bytes) in at.into_iter().zip(bytes) {
        sums[times.bucket(at, buckets)] += bytes;
    }
    let whole = fabric.rate_of(*host as usize) * 125.0 * times.width_us.unwrap_or(1.0);
    let share = sums.iter().map(|bytes| (250.0 * bytes / whole).round().min(255.0) as u8);
    blocks.put(format!("{index}.of{flow}.rate"), share);
    Ok(())
}

/// What the followed flows showed of their state; the words and units that there are.
pub(super) fn probes(
    folder: &Path,
    index: usize,
    followed: &[u64],
    blocks: &mut Blocks,
) -> Result<Vec<Value>, ViewError> {
    let Some(table) = TableFile::open(folder, "probes")? else { return Ok(Vec::new()) };
    let (flows, at) = (table.numbers("flow")?, table.numbers("time_us")?);
    let (words, units, values) =
        (table.texts("probe")?, table.texts("unit")?, table.numbers("value")?);
    let mut known: Vec<(String, String)> = Vec::new();
    let mut lines: HashMap<(u64, usize), (Vec<f64>, Vec<f64>)> = HashMap::new();
    for row in 0..flows.len() {
        if flows[row].is_nan() {
            continue;
        }
        let own = (words[row].clone().unwrap_or_default(), units[row].clone().unwrap_or_default());
        let word = known.iter().position(|other| *other == own).unwrap_or_else(|| {
            known.push(own);
            known.len() - 1
        });
        if !followed.contains(&(flows[row] as u64)) {
            continue;
        }
        let line = lines.entry((flows[row] as u64, word)).or_default();
        line.0.push(at[row]);
        line.1.push(values[row]);
    }
    for flow in followed {
        for (word, (name, _)) in known.iter().enumerate() {
            let Some((at, values)) = lines.remove(&(*flow, word)) else { continue };
            blocks.put(format!("{index}.of{flow}.probe.{name}.time"), at);
            blocks.put(format!("{index}.of{flow}.probe.{name}.value"), values);
        }
    }
    Ok(known.into_iter().map(|(word, unit)| json!({"word": word, "unit": unit})).collect())
}
