//! What candidates are built of, without a run: `raddle advise --count`.

use super::counts::Counts;
use super::measured::Left;
use super::search::Search;
use crate::study::text::{count, digits, left, list, right, width};
use serde_json::{Value, json};

/// The schema of the object.
const SCHEMA: &str = "raddle.advise_count/1";

impl Search<'_> {
    /// The object of `raddle.advise_count/1`.
    pub fn count_json(&self) -> Value {
        let candidates = self
            .counts()
            .map(|(name, counts, out)| json!({"candidate": name, "counts": counts, "out": out}));
        json!({"schema": SCHEMA, "candidates": candidates.collect::<Vec<_>>()})
    }

    /// The same in words.
    pub fn count_text(&self) -> String {
        let heads = ["candidate", "hosts", "switches", "cables", "optics", "kW", "cost"];
        let mut rows: Vec<Vec<String>> = vec![heads.map(str::to_owned).to_vec()];
        rows.extend(self.counts().map(|(name, own, _)| {
            vec![
                name.to_owned(),
                count(own.hosts.into()),
                count(own.switches.into()),
                count(own.cables.into()),
                format!("{} + {}", count(own.optics.into()), count(more(own))),
                format!("{} to {}", digits(own.power_kw_min, 3), digits(own.power_kw_max, 3)),
                own.cost.map_or_else(|| "-".to_owned(), |cost| count(cost.round() as u64)),
            ]
        }));
        let widths: Vec<usize> = (0..heads.len())
            .map(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, width))| match column {
                0 => left(cell, *width),
                _ => right(cell, *width),
            });
            out += &format!("{}\n", cells.collect::<Vec<_>>().join("  "));
        }
        for (name, own, why) in self.counts() {
            let parts = own
                .parts
                .iter()
                .map(|(part, number)| format!("{} `{part}`", count(u64::from(*number))));
            out += &format!("\n{name}: {}.", list(&parts.collect::<Vec<_>>()));
            if let Some(Left::Constraint { text, has }) = why {
                out += &format!(" It breaks `{text}`: {}.", digits(*has, 4));
            }
        }
        out + "\n\nAn optic is one end of a cable. Cables of hosts may be copper: what they would add comes \
               behind the plus, and in the larger power. Prices leave those out."
    }
}

/// Optics of cables to hosts.
fn more(own: &Counts) -> u64 {
    u64::from(own.optics_with_hosts - own.optics)
}
