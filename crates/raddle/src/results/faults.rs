//! What broke in a run, as its table `faults` has it.

use super::ResultsError;
use crate::study::tables::TableFile;
use std::path::Path;

/// Something that was broken for a time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The port whose link it is.
    pub(crate) port: Option<usize>,
    /// The host or switch, if it is one.
    pub(crate) node: Option<String>,
    /// What it did, in words: `down`, `40 Gbps`, `1 % loss`.
    pub(crate) effect: String,
    pub(crate) from_us: f64,
    /// None if it never was over.
    pub(crate) until_us: Option<f64>,
    /// The rate in Gbps that it left, if it slowed the link.
    pub(crate) rate_gbps: Option<f64>,
}

/// All of a run's.
pub(crate) fn faults(folder: &Path) -> Result<Vec<Fault>, ResultsError> {
    let Some(table) = TableFile::open(folder, "faults")? else { return Ok(Vec::new()) };
    let (ports, nodes) = (table.numbers("port")?, table.texts("node")?);
    let (effects, values) = (table.texts("effect")?, table.numbers("value")?);
    let (from, until) = (table.numbers("from_us")?, table.numbers("until_us")?);
    let fault = |row: usize| {
        let word = effects[row].as_deref().unwrap_or_default();
        let value = values[row];
        let effect = match word {
            "rate" => format!("{value} Gbps"),
            // A chance is kept in 32 bits: no more digits are known.
            "loss" => format!("{} % loss", (1e8 * value).round() / 1e6),
            "bit_errors" => format!("BER {value}"),
            other => other.to_owned(),
        };
        Fault {
            port: (!ports[row].is_nan()).then_some(ports[row] as usize),
            node: nodes[row].clone(),
            effect,
            from_us: from[row],
            until_us: (!until[row].is_nan()).then_some(until[row]),
            rate_gbps: (word == "rate").then_some(value),
        }
    };
    Ok((0..ports.len()).map(fault).collect())
}
