//! A figure's cells as bars: a panel for each condition, a bar for each scheme.

use super::cells::FigureCell;
use super::measure::Metric;
use crate::report::escape;
use crate::study::compare::{column_of, distinct, row_of};
use crate::study::text::{plural, short, time, wrap};
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
    let letters = (panel as f64 / (LETTER)) as usize;
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
        Panel { metric, left: at.0, top: at.1 + head, labels, bars, rows: &rows }
            .draw(&mut svg, &own);
    }
    let seeds = cells.iter().map(|cell| cell.seeds).max().unwrap_or(0) as u64;
    let seeds = plural(seeds, "seed");
    let legend = [
        format!("Bar: mean over {seeds}, from zero; black line: least to greatest."),
        "Green: the least of its panel, or within 2 % of it. Dashed: lower bound on the completion."
            .to_owned(),
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
    fn draw(&self, svg: &mut String, cells: &[(usize, &FigureCell)]) {
        let metric = self.metric;
        let shown =
            |cell: &FigureCell| cell.number(metric).filter(|_| !never(cell, metric)).copied();
        let numbers: Vec<_> = cells.iter().filter_map(|(_, cell)| shown(cell)).collect();
        let most = numbers.iter().map(|number| number.max).fold(0.0, f64::max);
        let bound = match metric {
            Metric::Completion => shared(cells.iter().map(|(_, cell)| cell.bound.as_ref())),
            _ => None,
        };
        let scale =
            self.bars as f64 / most.max(bound.map_or(0.0, |(_, us)| us)).max(f64::MIN_POSITIVE);
        let counts = !metric.is_time();
        let level = numbers.iter().map(|number| number.mean).reduce(f64::min).map(|l| l * LEVEL);
        let zero = (self.left + self.labels) as f64;
        if let Some((_, us)) = bound {
            let words = format!("bound {}", time(us));
            text(svg, (zero, self.top as f64 - 4.0), SOFT, " font-size=\"11\"", &words);
        }
        for (row, cell) in cells {
            let y = (self.top + row * ROW) as f64;
            let label = if self.rows.len() > 1 { self.rows[*row].as_str() } else { "" };
            let end = " text-anchor=\"end\"";
            text(svg, (zero - 8.0, y + 12.5), INK, end, label);
            let Some(number) = shown(cell) else {
                let words = match never(cell, metric) {
                    true => format!(
                        "never, with {} of {}",
                        cell.never,
                        plural(cell.seeds as u64, "seed")
                    ),
                    false if counts => "0".to_owned(),
                    false => "-".to_owned(),
                };
                text(svg, (zero + 4.0, y + 12.5), "#a3132f", "", &words);
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
            let words = metric.shown(number.mean);
            text(
                svg,
                (zero + number.max.max(number.mean) * scale + 5.0, y + 12.5),
                INK,
                "",
                &words,
            );
        }
        if let Some((_, us)) = bound {
            let x = zero + us * scale;
            let bottom = self.top + self.rows.len() * ROW;
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {}V{bottom}\" stroke=\"{SOFT}\" stroke-dasharray=\"3 2\"/>",
                self.top
            );
        }
    }
}

impl Metric {
    /// What it is, as a heading.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Completion => "Completion of all flows",
            Self::FctMean => "Mean flow completion time",
            Self::FctP99 => "99th percentile of flow completion times",
            Self::Background => "Completion of the background",
            Self::Foreground => "Completion of the flows before the background",
            Self::Dropped => "Packets lost",
            Self::Marked => "Packets marked",
            Self::Trimmed => "Packets trimmed",
            Self::Retransmitted => "Packets sent again",
            Self::Timeouts => "Timeouts",
            Self::QueueMax => "Longest queue of any switch port",
        }
    }

    fn is_time(self) -> bool {
        self.word().ends_with("_us")
    }

    /// A value with its unit.
    pub(super) fn shown(self, value: f64) -> String {
        match self {
            _ if self.is_time() => time(value),
            Self::QueueMax => format!("{}B", short(value)),
            _ => short(value),
        }
    }
}

/// Whether the metric has no mean because some flow did not complete with some seed.
pub(super) fn never(cell: &FigureCell, metric: Metric) -> bool {
    cell.never > 0 && metric.is_time()
}

/// The bound that all have.
fn shared<'a>(
    mut bounds: impl Iterator<Item = Option<&'a (String, f64)>>,
) -> Option<(&'a str, f64)> {
    let first = bounds.next()??;
    bounds.all(|other| other == Some(first)).then_some((first.0.as_str(), first.1))
}

fn place(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|own| own == name)
}

fn text(svg: &mut String, (x, y): (f64, f64), ink: &str, more: &str, words: &str) {
    let words = escape(words);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{ink}\"{more}>{words}</text>");
}
