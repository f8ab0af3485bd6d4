//! The comparison in words.

use super::{Comparison, Place, Standing};
use crate::study::metric::COMPLETION;
use crate::study::text::{digits, list, plural, probability};

/// Columns that are told apart one by one.
const SHOWN: usize = 3;

impl Comparison {
    /// Who is best where, the row that comes next against it, columns against the first, and what made
    /// the tail; one sentence each.
    pub fn answer(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.input.rows.len() > 1 {
            sentences.extend(self.verdicts());
            sentences.extend(self.unchanged());
            if let Some((lead, next)) = self.leaders() {
                sentences.push(self.against(lead, next));
            }
        }
        sentences.extend(self.columns_apart());
        sentences.extend(self.groups());
        sentences.extend(self.tails());
        sentences
    }

    /// One sentence per set of first rows, with the columns in which they are first.
    fn verdicts(&self) -> Vec<String> {
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        let ranked = |column: &usize| !self.all_same(*column);
        for column in (0..self.input.columns.len()).filter(ranked) {
            let first = self.first_rows(column);
            match groups.iter_mut().find(|(rows, _)| *rows == first) {
                Some((_, columns)) => columns.push(column),
                None => groups.push((first, vec![column])),
            }
        }
        groups.iter().map(|(rows, columns)| self.verdict(rows, columns)).collect()
    }

    /// One sentence per set of rows that give bit for bit the same, with the columns in which they do.
    fn unchanged(&self) -> Vec<String> {
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for column in 0..self.input.columns.len() {
            for first in 0..self.cells.len() {
                let same = |row: &usize| self.first_same(column, *row) == first;
                let rows: Vec<usize> = (0..self.cells.len()).filter(same).collect();
                if rows.len() < 2 {
                    continue;
                }
                match groups.iter_mut().find(|(known, _)| *known == rows) {
                    Some((_, columns)) => columns.push(column),
                    None => groups.push((rows, vec![column])),
                }
            }
        }
        let sentence = |(rows, columns): &(Vec<usize>, Vec<usize>)| {
            let names: Vec<&str> = rows.iter().map(|row| self.input.rows[*row].as_str()).collect();
            let place = self.place(columns);
            format!(
                "{} give the same runs, bit for bit{place}: this setting changed nothing here.",
                list(&names)
            )
        };
        groups.iter().map(sentence).collect()
    }

    /// The first row of a column and those level with it, by their mean.
    fn first_rows(&self, column: usize) -> Vec<usize> {
        let standing = |row: usize| self.cells[row][column].standing;
        let first = |row: &usize| matches!(standing(*row), Standing::First | Standing::Level);
        let mut rows: Vec<usize> = (0..self.cells.len()).filter(first).collect();
        rows.sort_by_key(|row| standing(*row) != Standing::First);
        rows
    }

    fn verdict(&self, rows: &[usize], columns: &[usize]) -> String {
        let names: Vec<&str> = rows.iter().map(|row| self.input.rows[*row].as_str()).collect();
        let place = self.place(columns);
        let metric = self.input.metric;
        let (best, noun) = (metric.best(), metric.noun);
        let noun = if self.is_time() { "mean" } else { noun };
        match names[..] {
            [] => format!("Nothing {}{place}.", self.lacks(columns)),
            [name] if self.is_time() => format!("{name} finishes first{place}."),
            [name] => format!("{name} has the {best} {noun}{place}."),
            [first, ..] => format!(
                "{first} has the {best} {noun}{place}, but {} not support a difference between {}.",
                match self.input.seeds.len() {
                    1 => "one seed does".to_owned(),
                    seeds => format!("{} do", plural(seeds as u64, "seed")),
                },
                list(&names)
            ),
        }
    }

    /// Whether the metric is when all is done, of which one says that it finishes first.
    fn is_time(&self) -> bool {
        *self.input.metric == COMPLETION
    }

    /// What nothing does in some columns.
    fn lacks(&self, columns: &[usize]) -> String {
        let cells = || columns.iter().flat_map(|column| self.cells.iter().map(|row| &row[*column]));
        if self.is_time() || cells().any(|cell| cell.never + cell.missing > 0) {
            return "finishes with every seed".to_owned();
        }
        format!("has a {} with every seed", self.input.metric.noun)
    }

    /// ` in all 3 conditions`, ` (healthy)`, or nothing if there is only one column.
    fn place(&self, columns: &[usize]) -> String {
        match (columns.len(), self.input.columns.len()) {
            (1, 1) => String::new(),
            (2, 2) => " in both conditions".to_string(),
            (some, all) if some == all => format!(" in all {all} conditions"),
            _ => {
                let names: Vec<&str> =
                    columns.iter().map(|c| self.input.columns[*c].name.as_str()).collect();
                format!(" ({})", names.join("; "))
            }
        }
    }

    /// The row with the best ranks over all columns, and the one after it.
    fn leaders(&self) -> Option<(usize, usize)> {
        let mut ranks: Vec<(usize, usize)> = (0..self.cells.len()).map(|row| (0, row)).collect();
        for column in 0..self.input.columns.len() {
            let ranked = self.ranked(column);
            for (sum, row) in &mut ranks {
                let last = self.cells.len();
                let same = self.first_same(column, *row);
                *sum += ranked.iter().position(|other| *other == same).unwrap_or(last);
            }
        }
        ranks.sort_unstable();
        let (_, lead) = *ranks.first()?;
        let columns = || 0..self.input.columns.len();
        let other = |row: usize| columns().any(|column| !self.same(column, lead, row));
        let (_, next) = ranks.into_iter().find(|(_, row)| *row != lead && other(*row))?;
        Some((lead, next))
    }

    /// Whether two rows give the same in a column.
    fn same(&self, column: usize, a: usize, b: usize) -> bool {
        self.first_same(column, a) == self.first_same(column, b)
    }

    /// Whether two cells give the same runs, bit for bit.
    fn same_runs(&self, a: Place, b: Place) -> bool {
        let result = |(row, column): Place| self.input.results[row][column].as_ref();
        result(a).is_some_and(|own| result(b) == Some(own))
    }

    fn against(&self, lead: usize, next: usize) -> String {
        let name = |column: usize| {
            let name = &self.input.columns[column].name;
            (self.input.columns.len() > 1).then(|| name.clone())
        };
        let parts = self.parts((0..self.input.columns.len()).map(|column| {
            let (what, p) = self.difference_text((lead, column), (next, column), self.row(lead));
            (what, name(column).into_iter().chain(p).collect())
        }));
        format!("Against {}, {} {}.", self.row(lead), self.row(next), parts)
    }

    fn row(&self, row: usize) -> &str {
        &self.input.rows[row]
    }

    /// Each other column against the first, with the rows that lead: a sentence each. Of more columns
    /// than [`SHOWN`] only those in which the first of these rows is best and worst.
    fn columns_apart(&self) -> Vec<String> {
        let rows: Vec<usize> = match self.leaders() {
            Some((lead, next)) => vec![lead, next],
            None => (0..self.cells.len().min(1)).collect(),
        };
        let Some(&lead) = rows.first() else { return Vec::new() };
        let mut columns: Vec<usize> = (1..self.input.columns.len()).collect();
        if columns.len() > SHOWN {
            let mean = |column: &usize| {
                let cell = &self.cells[lead][*column];
                cell.spread.filter(|_| cell.is_whole()).map(|spread| spread.mean)
            };
            columns.retain(|column| mean(column).is_some());
            let order = |a: &usize, b: &usize| {
                let [a, b] = [a, b].map(|column| mean(column).unwrap_or_default());
                self.input.metric.order(a, b)
            };
            columns.sort_by(order);
            let worst = columns.pop();
            columns.truncate(1);
            columns.extend(worst);
        }
        columns.into_iter().map(|column| self.column_apart(column, &rows)).collect()
    }

    /// A column against the first, row by row.
    fn column_apart(&self, column: usize, rows: &[usize]) -> String {
        let [base, name] = [0, column].map(|column| self.input.columns[column].name.as_str());
        let parts = self.parts(rows.iter().map(|&row| {
            let (what, p) = self.difference_text((row, 0), (row, column), base);
            let with = (self.input.rows.len() > 1).then(|| format!("with {}", self.row(row)));
            (what, with.into_iter().chain(p).collect())
        }));
        format!("Against {base}, {name} {parts}.")
    }

    /// What was found with its notes, what is the same said once.
    fn parts(&self, all: impl Iterator<Item = (String, Vec<String>)>) -> String {
        let mut found: Vec<(String, Vec<String>)> = Vec::new();
        for (what, note) in all {
            match found.iter_mut().find(|(text, _)| *text == what) {
                Some((_, notes)) => notes.push(note.join(", ")),
                None => found.push((what, vec![note.join(", ")])),
            }
        }
        let part = |(what, notes): (String, Vec<String>)| match notes.join("; ").as_str() {
            "" => what,
            notes => format!("{what} ({notes})"),
        };
        let parts: Vec<String> = found.into_iter().map(part).collect();
        parts.join("; ")
    }

    /// What the cell `next` does against the cell `lead`, which `name` is called, and the p-value.
    fn difference_text(&self, lead: Place, next: Place, name: &str) -> (String, Option<String>) {
        let cell = |(row, column): Place| &self.cells[row][column];
        if [lead, next].iter().any(|&place| cell(place).missing > 0 && cell(place).never == 0) {
            return ("cannot be compared, since not all of it was run".to_string(), None);
        }
        if self.same_runs(lead, next) {
            return ("gives the same runs".to_string(), None);
        }
        let noun = self.input.metric.noun;
        if [lead, next].iter().any(|&place| cell(place).unmeasured > 0 && cell(place).never == 0) {
            return (format!("cannot be compared, since not all of it has a {noun}"), None);
        }
        match (cell(lead).is_whole(), cell(next).is_whole()) {
            (true, true) => {}
            (true, false) => return ("does not finish with every seed".to_string(), None),
            (false, true) => return (format!("finishes where {name} does not"), None),
            (false, false) => {
                return (format!("does not finish with every seed, nor does {name}"), None);
            }
        }
        let [a, b] = [lead, next].map(|place| cell(place).spread);
        let Some(((a, b), difference)) = a.zip(b).zip(self.between(lead, next)) else {
            return ("cannot be compared".to_string(), None);
        };
        let p = difference.p.map(|(p, _)| probability(p));
        let is_level = difference.p.is_some() && !difference.supported();
        let seeds = plural(difference.n as u64, "seed");
        let level = format!("as far as {seeds} can tell");
        let ratio = b.mean / a.mean;
        let text = match (self.is_time(), is_level) {
            (true, true) => format!("takes as long, {level}"),
            (false, true) => format!("has the same {noun}, {level}"),
            (true, false) => match ratio {
                1.0 => "takes as long".to_owned(),
                r if r >= 1.5 => format!("takes {} times as long", times(r)),
                r if r >= 1.0 => format!("takes {} % longer", digits((r - 1.0) * 100.0, 2)),
                r => format!("takes {} % less time", digits((1.0 - r) * 100.0, 2)),
            },
            (false, false) => match ratio {
                1.0 => format!("has the same {noun}"),
                r if r >= 1.5 => format!("has {} times the {noun}", times(r)),
                r if r >= 1.0 => {
                    format!("has a {noun} {} % higher", digits((r - 1.0) * 100.0, 2))
                }
                r => format!("has a {noun} {} % lower", digits((1.0 - r) * 100.0, 2)),
            },
        };
        (text, p)
    }
}

/// A factor: `1.99`, `4.2`.
fn times(ratio: f64) -> String {
    digits(ratio, if ratio < 2.0 { 3 } else { 2 })
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;
    use crate::study::metric::{BUSBW, SLOWDOWN_P99};
    use crate::study::summary::{Tail, TailPort};
    use crate::study::why::Critical;

    #[test]
    fn the_answer_names_winner_margin_and_support() {
        assert_eq!(
            Comparison::new(example()).answer(),
            [
                "reps finishes first (healthy).",
                "reps has the lowest mean (one uplink dead), but 5 seeds do not support a \
                 difference between reps and ops.",
                "Against reps, ops takes 5.9 % longer (healthy, p < 0.001); takes as long, as far \
                 as 5 seeds can tell (one uplink dead, p = 0.63).",
                "Against healthy, one uplink dead takes 35 % longer (with reps, p < 0.001); takes \
                 28 % longer (with ops, p < 0.001).",
            ]
        );
    }

    #[test]
    fn rows_that_do_not_finish_are_named() {
        let mut input = example();
        input.rows.remove(1);
        input.values.remove(1);
        input.unfinished.remove(1);
        input.results.remove(1);
        assert_eq!(
            Comparison::new(input.clone()).answer(),
            [
                "reps finishes first in both conditions.",
                "Against reps, ecmp takes 4.0 times as long (healthy, p < 0.001); does not finish \
                 with every seed (one uplink dead).",
                "Against healthy, one uplink dead takes 35 % longer (with reps, p < 0.001); does \
                 not finish with every seed (with ecmp).",
            ]
        );
        input.values[1][1][0] = None;
        input.unfinished[1][1][0] = Some(1);
        let answer = Comparison::new(input).answer();
        assert_eq!(answer[1], "Nothing finishes with every seed (one uplink dead).");
        assert!(answer[2].ends_with("nor does reps (one uplink dead)."));
    }

    #[test]
    fn what_holds_in_several_conditions_is_said_once() {
        let mut input = example();
        for row in &mut input.values {
            row[1] = row[0].clone();
        }
        input.unfinished[0][1] = vec![Some(0); 5];
        assert_eq!(
            Comparison::new(input).answer()[1],
            "Against reps, ops takes 5.9 % longer (healthy, p < 0.001; one uplink dead, p < 0.001)."
        );
    }

    #[test]
    fn what_was_not_run_is_not_called_unfinished() {
        let mut input = example();
        input.rows.remove(1);
        input.values.remove(1);
        input.unfinished.remove(1);
        input.results.remove(1);
        input.unfinished[0][1] = vec![None; 5];
        let answer = Comparison::new(input).answer();
        let told = "cannot be compared, since not all of it was run (one uplink dead).";
        assert!(answer[1].ends_with(told), "{answer:?}");
    }

    #[test]
    fn rows_that_give_the_same_are_not_ranked_against_each_other() {
        let mut input = example();
        let same = |input: &mut crate::study::compare::CompareInput, column: usize| {
            input.results[2][column] = input.results[1][column].clone();
            input.values[2][column] = input.values[1][column].clone();
        };
        same(&mut input, 1);
        let comparison = Comparison::new(input.clone());
        let cell = &comparison.cells[2][1];
        assert_eq!((cell.standing, cell.same_as), (Standing::Same, Some(1)));
        assert_eq!(comparison.cells[1][1].standing, Standing::First);
        assert_eq!(
            comparison.answer(),
            [
                "reps finishes first (healthy).",
                "ops finishes first (one uplink dead).",
                "ops and reps give the same runs, bit for bit (one uplink dead): this setting \
                 changed nothing here.",
                "Against reps, ops takes 5.9 % longer (healthy, p < 0.001); gives the same runs \
                 (one uplink dead).",
                "Against healthy, one uplink dead takes 35 % longer (with reps, p < 0.001); takes \
                 28 % longer (with ops, p < 0.001).",
            ]
        );
        let screen = comparison.screen(100);
        assert!(screen.contains("= 250 ±7 us") && screen.contains("= the same runs, bit for bit"));
        same(&mut input, 0);
        let answer = Comparison::new(input.clone()).answer();
        assert!(answer[1].contains("ops and reps give the same runs, bit for bit in both cond"));
        assert!(answer[2].starts_with("Against ops, ecmp takes 3.8 times as long"), "{answer:?}");
        input.rows.remove(0);
        input.values.remove(0);
        input.unfinished.remove(0);
        input.results.remove(0);
        let comparison = Comparison::new(input);
        assert!(comparison.cells.iter().flatten().all(|cell| cell.standing == Standing::Same));
        assert_eq!(
            comparison.answer(),
            [
                "ops and reps give the same runs, bit for bit in both conditions: this setting \
                 changed nothing here.",
                "Against healthy, one uplink dead takes 28 % longer (with ops, p < 0.001).",
            ]
        );
    }

    #[test]
    fn one_row_is_told_by_its_columns() {
        let mut input = example();
        input.rows.drain(..2);
        input.values.drain(..2);
        input.unfinished.drain(..2);
        input.results.drain(..2);
        let told = "Against healthy, one uplink dead takes 35 % longer (p < 0.001).";
        assert_eq!(Comparison::new(input.clone()).answer(), [told]);
        for value in &mut input.values[0][1] {
            *value = value.map(|us| us * 1.48);
        }
        let told = "Against healthy, one uplink dead takes 1.99 times as long (p < 0.001).";
        assert_eq!(Comparison::new(input.clone()).answer(), [told]);
        input.columns.truncate(1);
        input.values[0].truncate(1);
        input.unfinished[0].truncate(1);
        input.results[0].truncate(1);
        assert!(Comparison::new(input).answer().is_empty());
    }

    #[test]
    fn another_metric_has_other_words() {
        let mut input = example();
        input.metric = &SLOWDOWN_P99;
        let answer = Comparison::new(input.clone()).answer();
        assert_eq!(answer[0], "reps has the lowest p99 slowdown (healthy).");
        assert!(answer[1].starts_with("reps has the lowest p99 slowdown (one uplink dead), but 5"));
        assert!(answer[2].contains("ops has a p99 slowdown 5.9 % higher (healthy, p < 0.001)"));
        assert!(answer[2].contains("has the same p99 slowdown, as far as 5 seeds can tell"));
        // Where more is better, what took longest is first.
        input.metric = &BUSBW;
        let comparison = Comparison::new(input);
        assert_eq!(comparison.cells[0][0].standing, Standing::First);
        let answer = comparison.answer();
        assert_eq!(answer[0], "ecmp has the highest bus bandwidth (healthy).");
        let screen = comparison.screen(100);
        assert!(screen.contains("* 742.0 ±5.3 GB/s"), "{screen}");
        assert!(screen.starts_with(
            "128 GPUs, 3-tier fat tree, 400 Gbps, 8 MiB permutation, 5 seeds: bus bandwidth, higher"
        ));
    }

    #[test]
    fn what_is_not_resolved_is_not_ranked() {
        let mut input = example();
        input.metric = &SLOWDOWN_P99;
        input.values[2][0][3] = None;
        let comparison = Comparison::new(input);
        let cell = &comparison.cells[2][0];
        assert_eq!((cell.standing, cell.unmeasured, cell.never), (Standing::Out, 1, 0));
        assert!(comparison.screen(100).contains("not resolved in 1/5 seeds"));
        let told = "reps cannot be compared, since not all of it has a p99 slowdown";
        assert!(comparison.answer().iter().any(|text| text.contains(told)));
    }

    #[test]
    fn the_tail_of_the_best_and_the_worst_is_told() {
        let mut input = example();
        input.columns.truncate(1);
        for row in &mut input.values {
            row.truncate(1);
        }
        let tail = |flow, lost_packets, timeouts| Tail {
            flow,
            source: 3,
            destination: 90,
            size_bytes: 8 << 20,
            start_us: 0.0,
            end_us: Some(747.0),
            slowdown: Some(4.21),
            lost_packets,
            retransmitted_packets: lost_packets,
            trimmed_packets: 0,
            timeouts,
            rto_us: Some(1000.0),
            port: Some(TailPort {
                name: "tor126.up11".to_owned(),
                lost_packets: 23,
                cause: "overflow".to_owned(),
                losing_ports: 1,
                queue_us: 17.25,
            }),
            spent: None,
            critical: (timeouts > 0).then(|| Critical {
                job: "train".to_owned(),
                sends: 2,
                time_us: 700.0,
                alone_us: 400.0,
                lost_us: 300.0,
                ..Critical::default()
            }),
        };
        let seeds = |lost, timeouts| vec![(0..5).map(|f| Some(tail(f, lost, timeouts))).collect()];
        input.tails = vec![seeds(23, 1), seeds(1, 0), seeds(0, 0)];
        let answer = Comparison::new(input).answer();
        let end = &answer[answer.len() - 2..];
        assert_eq!(
            end[0],
            "The tail with reps (seed 2): flow 1, host3 to host90, 8 388 608 B, ended at 747.0 us, \
             4.2 times what it takes alone: nothing lost, the longest queue on its ways, at \
             tor126.up11, takes 17.25 us."
        );
        assert!(end[1].starts_with("The tail with ecmp (seed 5): flow 4, host3 to host90"));
        assert!(
            end[1].ends_with(
                ": 23 packets lost at tor126.up11 (overflow), a timeout of 1000 us. Its critical path \
                 of train: 2 sends, each started by the end of the one before: 700.0 us, of which \
                 400.0 us as fast as each is alone, 300.0 us lost to other traffic, queues, losses or \
                 windows."
            ),
            "{}",
            end[1]
        );
    }
}
