//! A table of a figure's cells: one number of each, or how many times the best of some it is.

use super::cells::FigureCell;
use super::metric::Metric;
use super::number::Number;
use super::reading::{text, words};
use raddle::problem::Problem;
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::{Item, Place};
use raddle::study::compare::distinct;
use raddle::study::text::digits;

/// `[table]` of a `claims.toml`.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows, as a heading.
    pub title: String,
    /// The number of a cell.
    pub metric: Metric,
    /// The settings that tell rows apart, by their names.
    pub rows: Vec<String>,
    /// Those that tell columns apart.
    pub columns: Vec<String>,
    /// Values of the last of `rows`: each number is shown over the least that these have in the same
    /// column; none shows the numbers themselves.
    pub over: Vec<String>,
    place: Place,
}

type Settings = [(String, String)];

/// Reads `[table]`.
pub(super) fn read_table(item: &Item, log: &Log) -> Option<Table> {
    let mut reader = Reader::of("[table]", item, log)?;
    let place = reader.place().clone();
    let title = text(&mut reader, "title");
    let metric = reader.need("metric", "\"completion_us\"");
    let rows = texts(&mut reader, "rows");
    let columns = texts(&mut reader, "columns");
    let over = reader.take("over").map_or(Some(Vec::new()), |item| list("over", item, log));
    reader.finish();
    let (rows, columns, over) = (rows?, columns?, over?);
    Some(Table { title: title?, metric: metric?, rows, columns, over, place })
}

fn texts(reader: &mut Reader<'_>, key: &'static str) -> Option<Vec<String>> {
    let item = reader.demand(key, "[\"scheme\"]")?;
    let log = reader.log();
    let list = list(key, item, log)?;
    if list.is_empty() {
        log.add(item.place.problem(format!("`{key}` names no setting")));
        return None;
    }
    Some(list)
}

fn list(key: &str, item: &Item, log: &Log) -> Option<Vec<String>> {
    let Some(items) = item.list() else {
        let problem = item.place.problem(format!("`{key}` is a list of texts"));
        log.add(problem.label("write it in brackets"));
        return None;
    };
    items.iter().map(|item| words(key, item, log)).collect()
}

fn value<'s>(settings: &'s Settings, name: &str) -> Option<&'s str> {
    settings.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

fn values<'s>(settings: &'s Settings, names: &[String]) -> Vec<&'s str> {
    names.iter().filter_map(|name| value(settings, name)).collect()
}

impl Table {
    /// What is wrong with it for cells of these settings: rows and columns have to tell all of them
    /// apart.
    pub(super) fn problem<'s>(&self, cells: impl Iterator<Item = &'s Settings>) -> Option<Problem> {
        let cells: Vec<&Settings> = cells.collect();
        let named = || self.rows.iter().chain(&self.columns);
        let unknown = named().find(|name| !cells.iter().any(|cell| value(cell, name).is_some()));
        let untold = cells.iter().flat_map(|cell| cell.iter());
        let untold = untold.map(|(name, _)| name).find(|name| !named().any(|own| own == *name));
        let last = self.rows.last().map_or("", String::as_str);
        let absent =
            self.over.iter().find(|over| !cells.iter().any(|cell| value(cell, last) == Some(over)));
        let message = match (unknown, untold, absent) {
            (Some(name), _, _) => format!("the sweep sets no `{name}`"),
            (_, Some(name), _) => format!("neither rows nor columns tell `{name}`"),
            (_, _, Some(over)) => format!("no row has the {last} `{over}`"),
            (None, None, None) => return None,
        };
        Some(self.place.problem(message))
    }

    /// The table in Markdown. Times are of cells that completed with every seed; others say `never`.
    pub(super) fn markdown(&self, cells: &[FigureCell]) -> String {
        let number = Number::Run(self.metric);
        let columns = distinct(cells.iter().map(|cell| values(&cell.settings, &self.columns)));
        let rows = distinct(cells.iter().map(|cell| values(&cell.settings, &self.rows)));
        let at = |row: &[&str], column: &[&str]| {
            cells.iter().find(|cell| {
                values(&cell.settings, &self.rows) == row
                    && values(&cell.settings, &self.columns) == column
            })
        };
        let mean = |cell: &FigureCell| {
            cell.number(number).map(|number| number.mean).filter(|_| !cell.never(number))
        };
        let best = |row: &[&str], column: &[&str]| {
            let (_, group) = row.split_last()?;
            let of = |over: &String| at(&[group, &[over.as_str()]].concat(), column).and_then(mean);
            self.over.iter().filter_map(of).min_by(f64::total_cmp)
        };
        let shown = |row: &[&str], column: &[&str]| match at(row, column) {
            None => "-".to_owned(),
            Some(cell) => match (mean(cell), best(row, column)) {
                (None, _) => "never".to_owned(),
                (Some(mean), None) if self.over.is_empty() => digits(mean, 4),
                (Some(_), None) => "-".to_owned(),
                (Some(mean), Some(best)) => factor(mean / best),
            },
        };
        let head = |words: &[&str]| words.join(", ").replace('|', "\\|");
        let titles: Vec<String> = columns.iter().map(|column| head(column)).collect();
        let lines = rows.iter().map(|row| {
            let cells: Vec<String> = columns.iter().map(|column| shown(row, column)).collect();
            format!("| {} | {} |\n", head(row), cells.join(" | "))
        });
        format!(
            "{}:\n\n| {} | {} |\n|---|{}\n{}\n",
            self.title,
            self.rows.join(", "),
            titles.join(" | "),
            "---|".repeat(columns.len()),
            lines.collect::<String>(),
        )
    }
}

/// Two digits behind the point below 10, in bold from a tenth more than the best on.
fn factor(ratio: f64) -> String {
    let text = if ratio < 9.995 { format!("{ratio:.2}") } else { digits(ratio, 2) };
    if ratio < 1.1 { text } else { format!("**{text}**") }
}

#[cfg(test)]
mod tests {
    use super::super::cells::CellNumber;
    use super::super::reading::parse;
    use super::*;

    fn read(text: &str) -> Result<Table, String> {
        parse("claims.toml", text, read_table).map_err(|problems| problems.render(false))
    }

    const TABLE: &str = "title = \"times\"\nmetric = \"completion_us\"\nrows = [\"scheme\"]\n\
                         columns = [\"loss\"]\nover = [\"a\", \"b\"]\n";

    fn cell(scheme: &str, loss: &str, mean: f64, never: usize) -> FigureCell {
        let number = Number::Run(Metric::COMPLETION);
        FigureCell {
            settings: vec![("loss".into(), loss.into()), ("scheme".into(), scheme.into())],
            scenario: String::new(),
            seeds: 2,
            results: None,
            never,
            ended: Vec::new(),
            bound: None,
            numbers: vec![CellNumber { number, mean, min: mean, max: mean }],
        }
    }

    #[test]
    fn a_table_shows_times_over_the_best_of_some() {
        let table = read(TABLE).unwrap();
        let cells = [
            cell("c", "0", 30.0, 0),
            cell("a", "0", 20.0, 0),
            cell("b", "0", 21.0, 0),
            cell("c", "1", 200.0, 0),
            cell("a", "1", 20.0, 1),
            cell("b", "1", 10.0, 0),
        ];
        assert!(table.problem(cells.iter().map(|cell| cell.settings.as_slice())).is_none());
        let shown = "times:\n\n| scheme | 0 | 1 |\n|---|---|---|\n| c | **1.50** | **20** |\n\
                     | a | 1.00 | never |\n| b | 1.05 | 1.00 |\n\n";
        assert_eq!(table.markdown(&cells), shown);
    }

    #[test]
    fn a_table_tells_all_cells_apart() {
        let cells = [cell("a", "0", 1.0, 0), cell("b", "0", 1.0, 0)];
        let problem = |text: &str| {
            let table = read(text).unwrap();
            table.problem(cells.iter().map(|cell| cell.settings.as_slice())).unwrap().message
        };
        let text = TABLE.replace("[\"loss\"]", "[\"los\"]");
        assert_eq!(problem(&text), "the sweep sets no `los`");
        let text = TABLE.replace("[\"loss\"]", "[\"scheme\"]");
        assert_eq!(problem(&text), "neither rows nor columns tell `loss`");
        let text = TABLE.replace("\"b\"]", "\"d\"]");
        assert_eq!(problem(&text), "no row has the scheme `d`");
        let text = TABLE.replace("rows = [\"scheme\"]", "rows = \"scheme\"");
        assert!(read(&text).unwrap_err().contains("`rows` is a list of texts"));
    }
}
