//! The picture: schemes by conditions, each cell as dark as it is slow.

use super::{Column, Verdict};
use crate::svg::{GREY, INK, Svg, WHITE};

const SIZE: (usize, usize) = (46, 24);
const LABELS: usize = 150;
const HEAD: usize = 190;
/// Between two workloads, and before those that know what no other scheme is told.
const GAP: usize = 10;
const LEGEND: usize = 48;
/// What the legend takes, and what slanted names of columns take beyond the last.
const LEGEND_WIDTH: usize = 1460;
const SLANT: usize = 130;

/// An SVG of the columns of one stack, a group of columns for each workload.
pub fn picture(verdict: &Verdict, stack: &str) -> String {
    let columns: Vec<&Column> =
        verdict.columns.iter().filter(|column| column.value("stack") == Some(stack)).collect();
    let order = verdict.order_oracles_last(&columns);
    let oracles = order.iter().any(|&row| verdict.is_oracle(row));
    let mut places = Vec::new();
    let mut x = LABELS;
    for (i, column) in columns.iter().enumerate() {
        let changes = i > 0 && columns[i - 1].value("workload") != column.value("workload");
        x += if changes { GAP } else { 0 };
        places.push(x);
        x += SIZE.0;
    }
    let bottom = HEAD + order.len() * SIZE.1 + if oracles { GAP } else { 0 };
    let (width, height) = ((x + SLANT).max(LEGEND_WIDTH), bottom + LEGEND);
    let mut svg = Svg::page(format_args!("viewBox=\"0 0 {width} {height}\""), 12);
    heads(&mut svg, &columns, &places);
    for (place, &row) in order.iter().enumerate() {
        let apart = if verdict.is_oracle(row) { GAP } else { 0 };
        let y = HEAD + place * SIZE.1 + apart;
        text(&mut svg, (LABELS - 8, y + 16), "end", INK, &verdict.rows[row]);
        for (column, &x) in columns.iter().zip(&places) {
            let shown = Cell { ratio: column.ratio(row), untold: column.untold(row), words: None };
            cell(&mut svg, (x, y), SIZE, &shown);
        }
    }
    legend(&mut svg, bottom + 14);
    svg.end()
}

fn heads(svg: &mut Svg, columns: &[&Column], places: &[usize]) {
    for (i, (column, x)) in columns.iter().zip(places).enumerate() {
        let middle = x + SIZE.0 / 2 + 4;
        let fabric = column.value("faults").unwrap_or_default();
        let y = HEAD - 8;
        let slanted =
            format_args!("transform=\"rotate(-45 {middle} {y})\" fill=\"{GREY}\" font-size=\"11\"");
        svg.text((middle, y), slanted, fabric);
        let workload = column.value("workload").unwrap_or_default();
        if i == 0 || columns[i - 1].value("workload") != Some(workload) {
            let bold = format_args!("fill=\"{INK}\" font-size=\"14\" font-weight=\"600\"");
            svg.text((x, 18), bold, workload);
        }
    }
}

/// What a cell shows.
pub(super) struct Cell {
    /// Times as long as the first; `None` where it does not finish.
    pub(super) ratio: Option<f64>,
    /// Whether the seeds do not tell it from the first: it has a frame.
    pub(super) untold: bool,
    /// What stands in it, in place of the ratio.
    pub(super) words: Option<String>,
}

/// A cell of some width and height.
pub(super) fn cell(
    svg: &mut Svg,
    (x, y): (usize, usize),
    (width, height): (usize, usize),
    shown: &Cell,
) {
    let (fill, ink) = colour(shown.ratio);
    svg.rect((x, y), (width - 1, height - 1), format_args!("fill=\"{fill}\""));
    if shown.untold {
        let frame = "fill=\"none\" stroke=\"#3f9142\" stroke-width=\"2.5\"";
        svg.rect((x + 2, y + 2), (width - 5, height - 5), frame);
    }
    let number = || match shown.ratio {
        None => "never".to_owned(),
        Some(ratio) if ratio < 9.95 => format!("{ratio:.2}"),
        Some(ratio) => format!("{ratio:.0}"),
    };
    let words = shown.words.clone().unwrap_or_else(number);
    text(svg, (x + width / 2, y + height / 2 + 4), "middle", ink, &words);
}

/// Fill and ink: green within 2 % of the first, then ever darker orange to red at three times it.
fn colour(ratio: Option<f64>) -> (String, &'static str) {
    let Some(ratio) = ratio else { return ("#3a3f45".to_owned(), WHITE) };
    if ratio <= super::LEVEL {
        return ("#a6dba0".to_owned(), INK);
    }
    let depth = (ratio.ln() / 3_f64.ln()).clamp(0.0, 1.0);
    let from_to = |from: f64, to: f64| (from + (to - from) * depth).round() as u8;
    let (red, green, blue) = (from_to(255.0, 165.0), from_to(243.0, 15.0), from_to(217.0, 21.0));
    (format!("#{red:02x}{green:02x}{blue:02x}"), if depth > 0.6 { WHITE } else { INK })
}

fn legend(svg: &mut Svg, y: usize) {
    let samples = [Some(1.0), Some(1.1), Some(1.5), Some(2.0), Some(3.0), None];
    for (i, sample) in samples.into_iter().enumerate() {
        let shown = Cell { ratio: sample, untold: sample == Some(1.1), words: None };
        cell(svg, (LABELS + i * SIZE.0, y), SIZE, &shown);
    }
    let x = LABELS + samples.len() * SIZE.0 + 8;
    let words = "times as long as the first; green: within 2 %; framed: the seeds do not tell it from \
                 the first; never: some flow is not through when the run ends; set apart: an oracle";
    text(svg, (x, y + 16), "start", GREY, words);
}

/// Words that begin, end or have their middle at a place.
pub(super) fn text(svg: &mut Svg, place: (usize, usize), anchor: &str, ink: &str, words: &str) {
    svg.text(place, format_args!("text-anchor=\"{anchor}\" fill=\"{ink}\""), words);
}
