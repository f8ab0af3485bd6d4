//! A figure's cells as bars: a panel for each condition, a bar for each scheme.

use super::cells::FigureCell;
use super::metric::Metric;
use crate::report::escape;
use crate::study::compare::{column_of, distinct, row_of};
use crate::study::text::{plural, time, wrap};
use std::fmt::Write;

/// Up to this many times the least, a bar is level with it.
const LEVEL: f64 = 1.02;
const WIDTH: usize = 1000;
const ROW: usize = 18;
const LETTER: f64 = 7.2;
const BARS: (usize, usize) = (130, 420);
const VALUES: usize = 74;
const GAP: usize = 20;
const LINE: usize = 15;
/// What each line of the legend takes.
const LEGEND: usize = 560;
const INK: &str = "#1c1f23";
const SOFT: &str = "#5a606a";
const NEVER: &str = "#a3132f";

/// An SVG of one metric of all cells; `None` if no cell has it.
pub(super) fn chart(cells: &[FigureCell], metric: Metric) -> Option<String> {
    cells.iter().find(|cell| cell.number(metric).is_some())?;
    let rows = distinct(cells.iter().map(|cell| row_of(&cell.settings)));
    let columns = distinct(cells.iter().map(|cell| column_of(&cell.settings)));
    let longest = rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
    let labels = (longest as f64 * LETTER) as usize + 16;
    let words = labels + VALUES + GAP;
    let across = ((WIDTH + GAP) / (words + BARS.0)).clamp(1, columns.len());
    let bars = ((WIDTH + GAP) / across).saturating_sub(words).clamp(BARS.0, BARS.1);
    let panel = labels + bars + VALUES;
    let letters = (panel as f64 / LETTER) as usize;
    let titles: Vec<Vec<String>> = columns.iter().map(|name| wrap(name, letters)).collect();
    let head = LINE * (titles.iter().map(Vec::len).max().unwrap_or(1) + 1) + 4;
    let tall = head + rows.len() * ROW + GAP;
    let down = columns.len().div_ceil(across);
    let height = GAP + LINE + down * tall + 2 * LINE;
    let width = (across * (panel + GAP) - GAP).max(LEGEND) + 8;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    text(&mut svg, (4.0, 18.0), INK, " font-weight=\"600\" font-size=\"14\"", metric.title());
    let mut bounded = false;
    for (index, (name, title)) in columns.iter().zip(&titles).enumerate() {
        let at = (4 + (index % across) * (panel + GAP), GAP + LINE + (index / across) * tall);
        let own: Vec<(usize, &FigureCell)> = cells
            .iter()
            .filter(|cell| column_of(&cell.settings) == *name)
            .filter_map(|cell| Some((place(&rows, &row_of(&cell.settings))?, cell)))
            .collect();
        for (line, words) in title.iter().enumerate() {
            let y = at.1 + LINE * (line + 1);
            text(&mut svg, (at.0 as f64, y as f64), INK, " font-weight=\"600\"", words);
        }
        let panel = Panel { metric, left: at.0, top: at.1 + head, labels, bars, rows: &rows };
        bounded |= panel.draw(&mut svg, &own);
    }
    let seeds = cells.iter().map(|cell| cell.seeds).max().unwrap_or(0) as u64;
    let scales = if columns.len() > 1 { " Each panel has a scale of its own." } else { "" };
    let legend = [
        format!(
            "Bar: mean over {}, from zero; black line: least to greatest.{scales}",
            plural(seeds, "seed")
        ),
        format!(
            "Green: the least of its panel, or within 2 % of it.{}",
            if bounded { " Dashed: lower bound on the completion." } else { "" }
        ),
    ];
    for (line, words) in legend.iter().enumerate() {
        text(&mut svg, (4.0, (height - 2 * LINE + 4 + line * LINE) as f64), SOFT, "", words);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

struct Panel<'a> {
    metric: Metric,
    left: usize,
    /// Of the first bar.
    top: usize,
    labels: usize,
    bars: usize,
    rows: &'a [String],
}

impl Panel<'_> {
    /// Draws the cells with their rows; whether there is a bound.
    fn draw(&self, svg: &mut String, cells: &[(usize, &FigureCell)]) -> bool {
        let metric = self.metric;
        let shown = |cell: &FigureCell| cell.number(metric).filter(|_| !cell.never(metric));
        let numbers: Vec<_> = cells.iter().filter_map(|(_, cell)| shown(cell)).collect();
        let most = numbers.iter().map(|number| number.max).fold(0.0, f64::max);
        let bound = match metric {
            Metric::Completion => shared(cells.iter().map(|(_, cell)| cell.bound.as_ref())),
            _ => None,
        };
        let scale = self.bars as f64 / most.max(bound.unwrap_or(0.0)).max(f64::MIN_POSITIVE);
        let level = numbers.iter().map(|number| number.mean).reduce(f64::min).map(|l| l * LEVEL);
        let zero = (self.left + self.labels) as f64;
        for (row, cell) in cells {
            let y = (self.top + row * ROW) as f64;
            let base = y + 12.5;
            let label = if self.rows.len() > 1 { self.rows[*row].as_str() } else { "" };
            text(svg, (zero - 8.0, base), INK, " text-anchor=\"end\"", label);
            let Some(number) = shown(cell) else {
                let (ink, words) = match cell.never(metric) {
                    true => (NEVER, cell.never_words()),
                    false => (SOFT, "-".to_owned()),
                };
                text(svg, (zero + 4.0, base), ink, "", &words);
                continue;
            };
            let leads = self.rows.len() > 1 && level.is_some_and(|level| number.mean <= level);
            let fill = if leads { "#63b37c" } else { "#9db2cc" };
            let _ = writeln!(
                svg,
                "<rect x=\"{zero}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" fill=\"{fill}\"/>",
                y + 2.0,
                number.mean * scale,
                ROW - 5
            );
            let [from, to] = [number.min, number.max].map(|value| zero + value * scale);
            let middle = y + 2.0 + (ROW - 5) as f64 / 2.0;
            if to - from >= 1.0 {
                let _ =
                    writeln!(svg, "<path d=\"M{from:.1} {middle:.1}H{to:.1}\" stroke=\"{INK}\"/>");
            }
            text(svg, (to.max(zero) + 5.0, base), INK, "", &metric.shown(number.mean));
        }
        if let Some(us) = bound {
            let words = format!("bound {}", time(us));
            text(svg, (zero, self.top as f64 - 4.0), SOFT, " font-size=\"11\"", &words);
            let x = zero + us * scale;
            let bottom = self.top + self.rows.len() * ROW;
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {}V{bottom}\" stroke=\"{SOFT}\" stroke-dasharray=\"3 2\"/>",
                self.top
            );
        }
        bound.is_some()
    }
}

/// The bound that all have.
fn shared<'a>(mut bounds: impl Iterator<Item = Option<&'a (String, f64)>>) -> Option<f64> {
    let first = bounds.next()??;
    bounds.all(|other| other == Some(first)).then_some(first.1)
}

fn place(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|own| own == name)
}

fn text(svg: &mut String, (x, y): (f64, f64), ink: &str, more: &str, words: &str) {
    let words = escape(words);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{ink}\"{more}>{words}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::CellNumber;

    fn cell(scheme: &str, completion: Option<f64>, bound: f64) -> FigureCell {
        let number = |mean: f64| CellNumber {
            metric: Metric::Completion,
            mean,
            min: mean - 1.0,
            max: mean + 1.0,
        };
        let marked = CellNumber { metric: Metric::Marked, mean: 5.0, min: 5.0, max: 5.0 };
        FigureCell {
            settings: vec![("scheme".into(), scheme.into()), ("load".into(), "a<b".into())],
            seeds: 2,
            never: u64::from(completion.is_none()) as usize,
            bound: Some(("permutation".into(), bound)),
            numbers: completion.map(number).into_iter().chain([marked]).collect(),
        }
    }

    #[test]
    fn the_least_is_green_and_what_never_completes_has_no_bar() {
        let cells =
            [cell("ops", Some(20.0), 9.0), cell("reps", Some(10.0), 9.0), cell("ecmp", None, 9.0)];
        let svg = chart(&cells, Metric::Completion).unwrap();
        assert_eq!(svg.matches("#63b37c").count(), 1);
        assert_eq!(svg.matches("#9db2cc").count(), 1);
        assert!(svg.contains("never, with 1 of 2 seeds") && svg.contains("bound 9.000 us"));
        assert!(svg.contains("a&lt;b") && svg.contains("Dashed"));
    }

    #[test]
    fn a_count_that_was_left_out_is_zero() {
        let cells = [cell("ops", Some(20.0), 9.0), cell("reps", None, 8.0)];
        let svg = chart(&cells, Metric::Dropped).unwrap();
        assert_eq!(svg.matches(">0<").count(), 2);
        assert!(!svg.contains("never") && !svg.contains("Dashed"));
        assert_eq!(chart(&cells, Metric::FctMean), None);
    }

    #[test]
    fn bounds_that_differ_are_not_drawn() {
        let cells = [cell("ops", Some(20.0), 9.0), cell("reps", Some(10.0), 8.0)];
        assert!(!chart(&cells, Metric::Completion).unwrap().contains("bound"));
    }
}
