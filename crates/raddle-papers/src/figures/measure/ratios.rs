//! `ratios`: over many cells at once: "in every cell", "up to six times in some cell".

use super::super::Mode;
use super::super::answers::Answers;
use super::super::metric::Metric;
use super::super::reading::settings;
use super::super::run::FigureRun;
use super::super::statistic::{Across, Statistic};
use super::selector::Selector;
use super::within::within;
use super::{Boxed, Cell, Measure};
use raddle::problem::Problem;
use raddle::scenario::reader::Reader;
use raddle::scenario::spec::{Item, Place};

/// A metric of some cells over the same of others. A cell above the line meets the one below that
/// agrees with it in all settings that no selector names.
#[derive(Clone, Debug)]
struct Pairs {
    /// Which number.
    metric: Metric,
    /// Over the seeds of each cell.
    statistic: Statistic,
    /// Over the ratios.
    across: Across,
    /// Above the line; of several, the one with the least value counts.
    of: Vec<Selector>,
    /// Below the line; of several, the one with the least value counts.
    over: Vec<Selector>,
    /// Which pairs count: names, and the values that they may have.
    within: Vec<(String, Vec<String>)>,
    place: Place,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Boxed {
    read_pairs(reader).map(|pairs| Box::new(pairs) as Box<dyn Measure>)
}

fn read_pairs(reader: &mut Reader<'_>) -> Option<Pairs> {
    let place = reader.place().clone();
    let metric = reader.need("metric", "\"completion_us\"");
    let statistic = reader.or("statistic", Statistic::Mean);
    let across = reader.need("across", "\"min\"");
    let of = selectors(reader, "of");
    let over = selectors(reader, "over");
    let log = reader.log();
    let within = reader.take("within").map_or(Some(Vec::new()), |item| within(item, log));
    let (of, over) = (of?, over?);
    Some(Pairs { metric: metric?, statistic, across: across?, of, over, within: within?, place })
}

fn selectors(reader: &mut Reader<'_>, key: &'static str) -> Option<Vec<Selector>> {
    let item = reader.demand(key, "{ \"transport.load_balance.scheme\" = \"..\" }")?;
    let log = reader.log();
    let items = item.list().unwrap_or(std::slice::from_ref(item));
    let selector = |item: &Item| {
        Some(Selector { settings: settings(key, item, log)?, place: item.place.clone() })
    };
    items.iter().map(selector).collect()
}

impl Pairs {
    /// Whether a cell is one of `side`, and what it has besides.
    fn rest(&self, selector: &Selector, settings: &Cell) -> Option<Vec<(String, String)>> {
        let counts = |(name, values): &(String, Vec<String>)| {
            settings.iter().any(|(own, value)| own == name && values.contains(value))
        };
        if !selector.selects(settings) || !self.within.iter().all(counts) {
            return None;
        }
        let named = |name: &str| {
            let mut selectors = self.of.iter().chain(&self.over);
            selectors.any(|selector| selector.settings.iter().any(|(own, _)| own == name))
        };
        Some(settings.iter().filter(|(name, _)| !named(name)).cloned().collect())
    }

    /// Whether the cell with these settings is part of a pair.
    fn is_of_pair(&self, settings: &Cell) -> bool {
        self.of.iter().chain(&self.over).any(|selector| self.rest(selector, settings).is_some())
    }

    /// What the pairs have in common, in the order of the cells.
    fn rests<'a>(&self, cells: impl Iterator<Item = &'a Cell>) -> Vec<Vec<(String, String)>> {
        let mut rests = Vec::new();
        for settings in cells {
            for selector in &self.of {
                rests.extend(self.rest(selector, settings));
            }
        }
        rests.sort_unstable();
        rests.dedup();
        rests
    }

    /// Selectors that mean no cell of some pair, or several: place and what is wrong.
    fn unselected<'a>(
        &'a self,
        cells: impl Iterator<Item = &'a Cell> + Clone,
    ) -> Vec<(&'a Place, String)> {
        let rests = self.rests(cells.clone());
        if rests.is_empty() {
            return vec![(&self.place, "no cell of the sweep is above the line".to_owned())];
        }
        let mut problems = Vec::new();
        for rest in &rests {
            for selector in self.of.iter().chain(&self.over) {
                let own =
                    cells.clone().filter(|cell| self.rest(selector, cell).as_ref() == Some(rest));
                let found = own.count();
                if found != 1 {
                    problems.push((&selector.place, format!("{found} cells fit {rest:?}")));
                }
            }
        }
        problems
    }

    /// The ratios' minimum, maximum or mean; `None` where a run has no value.
    fn ratios(&self, runs: &[FigureRun]) -> Option<f64> {
        let rests = self.rests(runs.iter().map(|run| run.settings.as_slice()));
        let ratio = |rest: &Vec<(String, String)>| {
            let over = self.least(&self.over, rest, runs)?;
            Some(self.least(&self.of, rest, runs)? / over).filter(|_| over > 0.0)
        };
        self.across.of(rests.iter().map(ratio).collect::<Option<Vec<f64>>>()?)
    }

    fn least(
        &self,
        side: &[Selector],
        rest: &[(String, String)],
        runs: &[FigureRun],
    ) -> Option<f64> {
        let value = |selector: &Selector| {
            let own = runs
                .iter()
                .filter(|run| self.rest(selector, &run.settings).as_deref() == Some(rest));
            self.statistic.of(own.map(|run| self.metric.of(run)).collect::<Option<Vec<f64>>>()?)
        };
        Across::Min.of(side.iter().map(value).collect::<Option<Vec<f64>>>()?)
    }
}

impl Measure for Pairs {
    fn metrics(&self) -> Vec<Metric> {
        vec![self.metric]
    }

    fn needs(&self, cell: &Cell) -> bool {
        self.is_of_pair(cell)
    }

    fn problems(&self, cells: &[&Cell]) -> Vec<Problem> {
        let found = self.unselected(cells.iter().copied());
        found.into_iter().map(|(place, message)| place.problem(message)).collect()
    }

    fn take(&self, runs: &[FigureRun], _: Mode, _: &Answers) -> Option<f64> {
        self.ratios(runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(scheme: &str, load: &str) -> Vec<(String, String)> {
        vec![("scheme".into(), scheme.into()), ("load".into(), load.into())]
    }

    fn selector(scheme: &str) -> Selector {
        let settings = vec![("scheme".into(), scheme.into())];
        Selector { settings, place: Place::default() }
    }

    fn pairs(within: &[&str]) -> Pairs {
        let loads = within.iter().map(|&load| load.to_owned()).collect();
        Pairs {
            metric: Metric::COMPLETION,
            statistic: Statistic::Mean,
            across: Across::Min,
            of: vec![selector("a")],
            over: vec![selector("b"), selector("c")],
            within: vec![("load".into(), loads)],
            place: Place::default(),
        }
    }

    fn cells() -> Vec<Vec<(String, String)>> {
        let schemes = ["a", "b", "c"];
        schemes.iter().flat_map(|scheme| [settings(scheme, "1"), settings(scheme, "2")]).collect()
    }

    #[test]
    fn cells_meet_where_the_settings_that_no_selector_names_agree() {
        let cells = cells();
        let each = || cells.iter().map(Vec::as_slice);
        let load = |load: &str| vec![("load".to_owned(), load.to_owned())];
        assert_eq!(pairs(&["1", "2"]).rests(each()), [load("1"), load("2")]);
        assert_eq!(pairs(&["2"]).rests(each()), [load("2")]);
        assert!(pairs(&["1", "2"]).unselected(each()).is_empty());
    }

    #[test]
    fn a_cell_without_its_counterpart_is_a_problem_and_so_is_no_cell() {
        let mut cells = cells();
        cells.pop();
        let each = || cells.iter().map(Vec::as_slice);
        assert_eq!(pairs(&["1", "2"]).unselected(each()).len(), 1);
        assert_eq!(pairs(&["3"]).unselected(each()).len(), 1);
    }
}
