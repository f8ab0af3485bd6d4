//! The comparison as the JSON object `raddle.compare/1`.

use super::{Cell, Comparison, Standing};
use serde_json::{Value, json};

impl Standing {
    /// The standing as JSON names it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Level => "level",
            Self::Behind => "behind",
            Self::Same => "same",
            Self::Out => "out",
        }
    }
}

impl Comparison {
    /// Everything: values by seed, spreads, every difference between two rows with its test, and
    /// the answer in words.
    pub fn to_json(&self) -> Value {
        let input = &self.input;
        let columns: Vec<Value> = input
            .columns
            .iter()
            .map(|c| json!({"name": c.name, "bound": c.bound, "bound_us": c.bound_us}))
            .collect();
        json!({
            "schema": "raddle.compare/1",
            "title": input.title,
            "metric": "completion_us",
            "seeds": input.seeds,
            "rows": input.rows,
            "columns": columns,
            "cells": self.each_cell(),
            "differences": self.each_difference(),
            "answer": self.answer(),
        })
    }

    fn each_cell(&self) -> Vec<Value> {
        let mut values = Vec::new();
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                values.push(self.cell_json(row, column, cell));
            }
        }
        values
    }

    fn cell_json(&self, row: usize, column: usize, cell: &Cell) -> Value {
        let spread = cell.spread;
        json!({
            "row": self.input.rows[row],
            "column": self.input.columns[column].name,
            "standing": cell.standing.word(),
            "same_as": cell.same_as.map(|row| &self.input.rows[row]),
            "completion_us": self.input.completion_us[row][column],
            "unfinished": self.input.unfinished[row][column],
            "mean_us": spread.map(|s| s.mean),
            "min_us": spread.map(|s| s.min),
            "max_us": spread.map(|s| s.max),
            "sd_us": spread.and_then(|s| s.sd),
            "ci95_half_us": spread.and_then(|s| s.ci95_half),
            "increase_pct": cell.increase_pct,
        })
    }

    fn each_difference(&self) -> Vec<Value> {
        let rows = &self.input.rows;
        let mut values = Vec::new();
        for (column, condition) in self.input.columns.iter().enumerate() {
            for base in 0..rows.len() {
                for row in base + 1..rows.len() {
                    let Some(difference) = self.difference(column, base, row) else { continue };
                    values.push(json!({
                        "column": condition.name,
                        "row": rows[row],
                        "against": rows[base],
                        "pairs": difference.n,
                        "mean_us": difference.mean,
                        "p": difference.p.map(|(p, _)| p),
                        "test": difference.p.map(|(_, test)| test.word()),
                        "supported": difference.supported(),
                    }));
                }
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn the_object_holds_values_spreads_and_differences() {
        let json = Comparison::new(example()).to_json();
        assert_eq!(json["schema"], "raddle.compare/1");
        let cells = json["cells"].as_array().unwrap();
        assert_eq!(cells.len(), 6);
        assert_eq!(cells[0]["mean_us"], 742.0);
        assert_eq!(cells[1]["standing"], "out");
        assert!(cells[1]["mean_us"].is_null());
        assert_eq!(cells[1]["unfinished"][1], 4);
        // With a dead uplink only ops and reps can be compared.
        let differences = json["differences"].as_array().unwrap();
        assert_eq!(differences.len(), 4);
        assert_eq!(differences[3]["row"], "reps");
        assert_eq!(differences[3]["against"], "ops");
        assert_eq!(differences[3]["mean_us"], -1.0);
        assert_eq!(differences[3]["supported"], false);
        assert_eq!(differences[3]["test"], "paired_t");
    }
}
