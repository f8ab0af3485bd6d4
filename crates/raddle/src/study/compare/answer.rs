//! The comparison in words.

use super::{Comparison, Standing};
use crate::study::text::{digits, list, plural, probability};

impl Comparison {
    /// Who finishes first where, then the row that comes next against it; one sentence each.
    /// Empty if there is only one row.
    pub fn answer(&self) -> Vec<String> {
        if self.input.rows.len() < 2 {
            return Vec::new();
        }
        let mut sentences = self.verdicts();
        sentences.extend(self.unchanged());
        if let Some((lead, next)) = self.leaders() {
            sentences.push(self.against(lead, next));
        }
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
        match names[..] {
            [] => format!("Nothing finishes with every seed{place}."),
            [name] => format!("{name} finishes first{place}."),
            [first, ..] => format!(
                "{first} has the lowest mean{place}, but {} not support a difference between {}.",
                match self.input.seeds.len() {
                    1 => "one seed does".to_owned(),
                    seeds => format!("{} do", plural(seeds as u64, "seed")),
                },
                list(&names)
            ),
        }
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

    fn against(&self, lead: usize, next: usize) -> String {
        let mut found: Vec<(String, Vec<String>)> = Vec::new();
        for column in 0..self.input.columns.len() {
            let (what, p) = self.difference_text(column, lead, next);
            let name = &self.input.columns[column].name;
            let name = (self.input.columns.len() > 1).then(|| name.clone());
            let note: Vec<String> = [name, p].into_iter().flatten().collect();
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
        let [lead, next] = [lead, next].map(|row| &self.input.rows[row]);
        format!("Against {lead}, {next} {}.", parts.join("; "))
    }

    /// What `next` does against `lead`, and the p-value.
    fn difference_text(&self, column: usize, lead: usize, next: usize) -> (String, Option<String>) {
        let cell = |row: usize| &self.cells[row][column];
        if [lead, next].iter().any(|&row| cell(row).missing > 0 && cell(row).never == 0) {
            return ("cannot be compared, since not all of it was run".to_string(), None);
        }
        if self.same(column, lead, next) {
            return ("gives the same runs".to_string(), None);
        }
        let finishes = |row: usize| cell(row).standing != Standing::Out;
        let name = &self.input.rows[lead];
        match (finishes(lead), finishes(next)) {
            (true, true) => {}
            (true, false) => return ("does not finish with every seed".to_string(), None),
            (false, true) => return (format!("finishes where {name} does not"), None),
            (false, false) => {
                return (format!("does not finish with every seed, nor does {name}"), None);
            }
        }
        let [a, b] = [lead, next].map(|row| self.cells[row][column].spread);
        let Some(((a, b), difference)) = a.zip(b).zip(self.difference(column, lead, next)) else {
            return ("cannot be compared".to_string(), None);
        };
        let p = difference.p.map(|(p, _)| probability(p));
        if difference.p.is_some() && !difference.supported() {
            let seeds = plural(difference.n as u64, "seed");
            return (format!("takes as long, as far as {seeds} can tell"), p);
        }
        let text = match b.mean / a.mean {
            1.0 => "takes as long".to_owned(),
            r if r >= 2.0 => format!("takes {} times as long", digits(r, 2)),
            r if r >= 1.0 => format!("takes {} % longer", digits((r - 1.0) * 100.0, 2)),
            r => format!("takes {} % less time", digits((1.0 - r) * 100.0, 2)),
        };
        (text, p)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

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
            ]
        );
    }

    #[test]
    fn rows_that_do_not_finish_are_named() {
        let mut input = example();
        input.rows.remove(1);
        input.completion_us.remove(1);
        input.unfinished.remove(1);
        input.results.remove(1);
        assert_eq!(
            Comparison::new(input.clone()).answer(),
            [
                "reps finishes first in both conditions.",
                "Against reps, ecmp takes 4.0 times as long (healthy, p < 0.001); does not finish \
                 with every seed (one uplink dead).",
            ]
        );
        input.completion_us[1][1][0] = None;
        let answer = Comparison::new(input).answer();
        assert_eq!(answer[1], "Nothing finishes with every seed (one uplink dead).");
        assert!(answer[2].ends_with("nor does reps (one uplink dead)."));
    }

    #[test]
    fn what_holds_in_several_conditions_is_said_once() {
        let mut input = example();
        for row in &mut input.completion_us {
            row[1] = row[0].clone();
        }
        assert_eq!(
            Comparison::new(input).answer()[1],
            "Against reps, ops takes 5.9 % longer (healthy, p < 0.001; one uplink dead, p < 0.001)."
        );
    }

    #[test]
    fn what_was_not_run_is_not_called_unfinished() {
        let mut input = example();
        input.rows.remove(1);
        input.completion_us.remove(1);
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
            input.completion_us[2][column] = input.completion_us[1][column].clone();
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
            ]
        );
        let screen = comparison.screen(100);
        assert!(screen.contains("= 250 ±7 us") && screen.contains("= the same runs, bit for bit"));
        same(&mut input, 0);
        let answer = Comparison::new(input.clone()).answer();
        assert!(answer[1].contains("ops and reps give the same runs, bit for bit in both cond"));
        assert!(answer[2].starts_with("Against ops, ecmp takes 3.8 times as long"), "{answer:?}");
        input.rows.remove(0);
        input.completion_us.remove(0);
        input.unfinished.remove(0);
        input.results.remove(0);
        let comparison = Comparison::new(input);
        assert!(comparison.cells.iter().flatten().all(|cell| cell.standing == Standing::Same));
        assert_eq!(
            comparison.answer(),
            ["ops and reps give the same runs, bit for bit in both conditions: this setting \
                 changed nothing here."]
        );
    }

    #[test]
    fn one_row_has_no_answer() {
        let mut input = example();
        input.rows.truncate(1);
        input.completion_us.truncate(1);
        input.unfinished.truncate(1);
        input.results.truncate(1);
        assert!(Comparison::new(input).answer().is_empty());
    }
}
