//! The comparison as the JSON object `raddle.compare/2`.

use super::jobs::{JobValues, OverGroups};
use super::{Cell, Comparison, Place, Standing};
use serde_json::{Map, Value, json};

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
            .map(|c| json!({"name": c.name, "bound": c.bound, "bounds": c.bounds}))
            .collect();
        json!({
            "schema": "raddle.compare/2",
            "title": input.title,
            "metric": input.metric.word,
            "metric_title": input.metric.title,
            "unit": input.metric.unit.word(),
            "better": input.metric.better.word(),
            "job": input.job,
            "seeds": input.seeds,
            "rows": input.rows,
            "columns": columns,
            "cells": self.each_cell(),
            "differences": self.each_difference(),
            "column_differences": self.each_column_difference(),
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
            "values": self.input.values[row][column],
            "unfinished": self.input.unfinished[row][column],
            "mean": spread.map(|s| s.mean),
            "min": spread.map(|s| s.min),
            "max": spread.map(|s| s.max),
            "sd": spread.and_then(|s| s.sd),
            "ci95_half": spread.and_then(|s| s.ci95_half),
            "increase_pct": cell.increase_pct,
            "jobs": self.cell_jobs(row, column).iter().map(JobValues::to_json).collect::<Vec<_>>(),
            "groups": self
                .over_groups((row, column))
                .iter()
                .map(OverGroups::to_json)
                .collect::<Vec<_>>(),
        })
    }

    fn each_difference(&self) -> Vec<Value> {
        let rows = &self.input.rows;
        let mut values = Vec::new();
        for (column, condition) in self.input.columns.iter().enumerate() {
            for base in 0..rows.len() {
                for row in base + 1..rows.len() {
                    let names = [("column", &condition.name), ("row", &rows[row])];
                    let against = ("against", &rows[base]);
                    values.extend(self.difference_json(
                        (base, column),
                        (row, column),
                        [names[0], names[1], against],
                    ));
                }
            }
        }
        values
    }

    /// Of every row each two columns.
    fn each_column_difference(&self) -> Vec<Value> {
        let columns = &self.input.columns;
        let mut values = Vec::new();
        for (row, name) in self.input.rows.iter().enumerate() {
            for base in 0..columns.len() {
                for column in base + 1..columns.len() {
                    let names = [("row", name), ("column", &columns[column].name)];
                    let against = ("against", &columns[base].name);
                    values.extend(self.difference_json(
                        (row, base),
                        (row, column),
                        [names[0], names[1], against],
                    ));
                }
            }
        }
        values
    }

    fn difference_json(
        &self,
        base: Place,
        other: Place,
        names: [(&str, &String); 3],
    ) -> Option<Value> {
        let difference = self.between(base, other)?;
        let mut object: Map<String, Value> =
            names.into_iter().map(|(key, name)| (key.to_owned(), json!(name))).collect();
        for (key, value) in [
            ("pairs", json!(difference.n)),
            ("mean", json!(difference.mean)),
            ("p", json!(difference.p.map(|(p, _)| p))),
            ("test", json!(difference.p.map(|(_, test)| test.word()))),
            ("supported", json!(difference.supported())),
        ] {
            object.insert(key.to_owned(), value);
        }
        Some(Value::Object(object))
    }
}

impl JobValues {
    fn to_json(&self) -> Value {
        let Self { name, group_of, values } = self;
        json!({"job": name, "group_of": group_of, "values": values, "mean": self.mean()})
    }
}

impl OverGroups {
    fn to_json(&self) -> Value {
        let Self { job, groups, min, median, max } = self;
        json!({"job": job, "groups": groups, "min": min, "median": median, "max": max})
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn the_object_holds_values_spreads_and_differences() {
        let json = Comparison::new(example()).to_json();
        assert_eq!(json["schema"], "raddle.compare/2");
        let cells = json["cells"].as_array().unwrap();
        assert_eq!(cells.len(), 6);
        assert_eq!(cells[0]["mean"], 742.0);
        assert_eq!((&json["metric"], &json["better"]), (&json!("completion"), &json!("lower")));
        assert_eq!(cells[1]["standing"], "out");
        assert!(cells[1]["mean"].is_null());
        assert_eq!(cells[1]["unfinished"][1], 4);
        // With a dead uplink only ops and reps can be compared.
        let differences = json["differences"].as_array().unwrap();
        assert_eq!(differences.len(), 4);
        assert_eq!(differences[3]["row"], "reps");
        assert_eq!(differences[3]["against"], "ops");
        assert_eq!(differences[3]["mean"], -1.0);
        assert_eq!(differences[3]["supported"], false);
        assert_eq!(differences[3]["test"], "paired_t");
        let between = json["column_differences"].as_array().unwrap();
        // ecmp never finishes in one of them.
        assert_eq!(between.len(), 2);
        assert_eq!(between[1]["row"], "reps");
        assert_eq!(between[1]["column"], "one uplink dead");
        assert_eq!(between[1]["against"], "healthy");
        assert_eq!(between[1]["mean"], 64.0);
        assert_eq!(between[1]["supported"], true);
    }
}
