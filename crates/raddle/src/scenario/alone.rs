//! Several jobs with some of them left out: what each takes alone, and beside each other one.

use super::reader::Log;
use super::spec::{Item, Place, Table, Value};
use super::sweep::{AxisSpec, Point};
use crate::problem::Problem;

/// The axis by which such runs differ.
pub const AXIS: &str = "jobs";

/// With more jobs than this pairs are not run: they would be many.
const PAIRED: usize = 8;

/// Which of some jobs run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Together {
    /// What the axis calls it.
    pub name: String,
    /// The numbers of the jobs.
    pub jobs: Vec<usize>,
}

/// All of the jobs, each alone, and where there are three or more, up to eight, each pair.
pub fn together(names: &[String]) -> Vec<Together> {
    let all = Together { name: "all".to_owned(), jobs: (0..names.len()).collect() };
    let alone = names.iter().enumerate();
    let alone =
        alone.map(|(job, name)| Together { name: format!("{name} alone"), jobs: vec![job] });
    let mut every: Vec<Together> = [all].into_iter().chain(alone).collect();
    if (3..=PAIRED).contains(&names.len()) {
        for (job, name) in names.iter().enumerate() {
            for (other, beside) in names.iter().enumerate().skip(job + 1) {
                let name = format!("{name} and {beside}");
                every.push(Together { name, jobs: vec![job, other] });
            }
        }
    }
    every
}

/// The names of a table's jobs, if it has several.
fn names(table: &Table) -> Option<Vec<String>> {
    let list = table.get("traffic")?.list()?;
    let name = |item: &Item| match &item.table()?.get("name")?.value {
        Value::Text(name) => Some(name.clone()),
        _ => None,
    };
    list.iter().map(name).collect::<Option<Vec<String>>>().filter(|names| names.len() > 1)
}

/// The axis of a scenario; one job has nobody beside it.
pub(crate) fn axis(table: &Table, log: &Log) -> Option<AxisSpec> {
    let Some(names) = names(table) else {
        let problem = Problem::new("there are no jobs of which each could run alone");
        log.add(problem.help("write [[traffic]] twice or more, each with a `name`"));
        return None;
    };
    let place = Place::default();
    let point = |own: Together| {
        let out = (0..names.len()).filter(|job| !own.jobs.contains(job));
        let off = |job: usize| {
            let item = Item { value: Value::Flag(false), place: place.clone() };
            (format!("traffic.{job}.runs"), place.clone(), item)
        };
        Point { shown: own.name.clone(), set: out.map(off).collect(), faults: Vec::new() }
    };
    let points = together(&names).into_iter().map(point).collect();
    Some(AxisSpec { name: AXIS.to_owned(), points })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_jobs_run_together_alone_and_in_pairs() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let all = together(&names);
        let shown: Vec<&str> = all.iter().map(|own| own.name.as_str()).collect();
        assert_eq!(
            shown,
            ["all", "a alone", "b alone", "c alone", "a and b", "a and c", "b and c"]
        );
        assert_eq!(all[5].jobs, [0, 2]);
        assert_eq!(together(&names[..2]).len(), 3);
    }
}
