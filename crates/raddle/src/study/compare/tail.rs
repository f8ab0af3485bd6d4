//! Which flow, link and cause made the tail, and how the groups of a job differ: of the best row and of
//! the worst, where they are furthest apart.

use super::jobs::{JobValues, OverGroups};
use super::{Comparison, Place, Standing};
use crate::study::text::plural;

impl Comparison {
    /// The best cell and the worst of the column in which they are furthest apart; one where there is
    /// one row.
    pub fn extremes(&self) -> Vec<Place> {
        let of_column = |column: usize| {
            let mut rows = self.ranked(column);
            let out = |row: &usize| {
                let cell = &self.cells[*row][column];
                cell.standing == Standing::Out && cell.never > 0
            };
            rows.extend((0..self.cells.len()).filter(out));
            let (best, worst) = (*rows.first()?, *rows.last()?);
            let mean = |row: usize| {
                let cell = &self.cells[row][column];
                cell.spread.filter(|_| cell.is_whole()).map(|spread| spread.mean)
            };
            let apart = match (mean(best), mean(worst)) {
                (Some(a), Some(b)) => (a / b).max(b / a),
                _ => f64::INFINITY,
            };
            Some((apart, column, best, worst))
        };
        let columns = (0..self.input.columns.len()).filter_map(of_column);
        // The first of equals: `max_by` gives the last.
        let furthest = columns.rev().max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, column, best, worst)) = furthest else { return Vec::new() };
        let mut places = vec![(best, column), (worst, column)];
        places.dedup();
        places
    }

    /// What made the tail of the best and the worst cell, a sentence each.
    pub(super) fn tails(&self) -> Vec<String> {
        self.extremes().into_iter().filter_map(|place| self.tail(place)).collect()
    }

    fn tail(&self, (row, column): Place) -> Option<String> {
        let tails = self.input.tails.get(row)?.get(column)?;
        let values = &self.input.values[row][column];
        // A seed with which it did not finish, else the worst one.
        let open = (0..tails.len()).find(|seed| values[*seed].is_none() && tails[*seed].is_some());
        let order = |a: &usize, b: &usize| {
            let of = |seed: &usize| values[*seed].unwrap_or_default();
            self.input.metric.order(of(a), of(b))
        };
        let seed =
            open.or((0..tails.len()).filter(|seed| values[*seed].is_some()).max_by(order))?;
        let tail = tails[seed].as_ref()?;
        let mut notes = Vec::new();
        if self.input.columns.len() > 1 {
            notes.push(self.input.columns[column].name.clone());
        }
        if self.input.seeds.len() > 1 {
            notes.push(format!("seed {}", self.input.seeds[seed]));
        }
        let notes =
            if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        let with = if self.input.rows.len() > 1 {
            format!(" with {}", self.input.rows[row])
        } else {
            String::new()
        };
        let (who, when, why) = (tail.who(), tail.when(), tail.why());
        let path = tail.critical.as_ref().map(|own| format!(" Its {}.", own.sentence()));
        Some(format!("The tail{with}{notes}: {who}, {when}: {why}.{}", path.unwrap_or_default()))
    }

    /// Least, median and most over the groups of each job, of the best and the worst cell.
    pub(super) fn groups(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let places = self.extremes();
        let of_cell = |place: &Place| self.over_groups(*place);
        let first = places.first().map(of_cell).unwrap_or_default();
        let is_asked =
            |over: &OverGroups| self.input.job.as_ref().is_none_or(|job| *job == over.job);
        for OverGroups { job, groups, .. } in first.into_iter().filter(is_asked) {
            let part = |place: &Place| {
                let own = of_cell(place).into_iter().find(|own| own.job == job)?;
                let [min, median, max] =
                    [own.min, own.median, own.max].map(|value| self.input.metric.text(value));
                let with = if self.input.rows.len() > 1 {
                    format!(" with {}", self.input.rows[place.0])
                } else {
                    String::new()
                };
                Some(format!("min {min}, median {median}, max {max}{with}"))
            };
            let parts: Vec<String> = places.iter().filter_map(part).collect();
            let at = match places.first() {
                Some((_, column)) if self.input.columns.len() > 1 => {
                    format!(" ({})", self.input.columns[*column].name)
                }
                _ => String::new(),
            };
            sentences.push(format!(
                "{} over the {} of {job}{at}: {}.",
                capital(self.input.metric.noun),
                plural(groups as u64, "group"),
                parts.join("; ")
            ));
        }
        sentences
    }

    /// Over groups, of a cell.
    pub(super) fn over_groups(&self, (row, column): Place) -> Vec<OverGroups> {
        OverGroups::of(self.cell_jobs(row, column))
    }

    /// The jobs of a cell.
    pub(super) fn cell_jobs(&self, row: usize, column: usize) -> &[JobValues] {
        let jobs = self.input.jobs.get(row).and_then(|row| row.get(column));
        jobs.map_or(&[], Vec::as_slice)
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
