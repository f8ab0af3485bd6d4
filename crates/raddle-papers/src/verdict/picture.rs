//! The picture: schemes by conditions, each cell as dark as it is slow.

use super::{Column, Verdict};
use raddle::report::escape;
use std::fmt::Write;

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
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"system-ui, \
         sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        (x + SLANT).max(LEGEND_WIDTH),
        bottom + LEGEND
    );
    heads(&mut svg, &columns, &places);
    for (place, &row) in order.iter().enumerate() {
        let apart = if verdict.is_oracle(row) { GAP } else { 0 };
        let y = HEAD + place * SIZE.1 + apart;
        text(&mut svg, (LABELS - 8, y + 16), "end", "#1c1f23", &verdict.rows[row]);
        for (column, &x) in columns.iter().zip(&places) {
            let shown = Cell { ratio: column.ratio(row), untold: column.untold(row), words: None };
            cell(&mut svg, (x, y), SIZE, &shown);
        }
    }
    legend(&mut svg, bottom + 14);
    svg.push_str("</svg>\n");
    svg
}

fn heads(svg: &mut String, columns: &[&Column], places: &[usize]) {
    for (i, (column, x)) in columns.iter().zip(places).enumerate() {
        let middle = x + SIZE.0 / 2 + 4;
        let fabric = escape(column.value("faults").unwrap_or_default());
        let y = HEAD - 8;
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{y}\" transform=\"rotate(-45 {middle} {y})\" \
             fill=\"#555\" font-size=\"11\">{fabric}</text>"
        );
        let workload = column.value("workload").unwrap_or_default();
        if i == 0 || columns[i - 1].value("workload") != Some(workload) {
            let _ = writeln!(
                svg,
                "<text x=\"{x}\" y=\"18\" fill=\"#1c1f23\" font-size=\"14\" \
                 font-weight=\"600\">{}</text>",
                escape(workload)
            );
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
    svg: &mut String,
    (x, y): (usize, usize),
    (width, height): (usize, usize),
    shown: &Cell,
) {
    let (fill, ink) = colour(shown.ratio);
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"/>",
        width - 1,
        height - 1
    );
    if shown.untold {
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" \
             stroke=\"#3f9142\" stroke-width=\"2.5\"/>",
            x + 2,
            y + 2,
            width - 5,
            height - 5
        );
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
    let Some(ratio) = ratio else { return ("#3a3f45".to_owned(), "#fff") };
    if ratio <= super::LEVEL {
        return ("#a6dba0".to_owned(), "#1c1f23");
    }
    let depth = (ratio.ln() / 3_f64.ln()).clamp(0.0, 1.0);
    let from_to = |from: f64, to: f64| (from + (to - from) * depth).round() as u8;
    let (red, green, blue) = (from_to(255.0, 165.0), from_to(243.0, 15.0), from_to(217.0, 21.0));
    (format!("#{red:02x}{green:02x}{blue:02x}"), if depth > 0.6 { "#fff" } else { "#1c1f23" })
}

fn legend(svg: &mut String, y: usize) {
    let samples = [Some(1.0), Some(1.1), Some(1.5), Some(2.0), Some(3.0), None];
    for (i, sample) in samples.into_iter().enumerate() {
        let shown = Cell { ratio: sample, untold: sample == Some(1.1), words: None };
        cell(svg, (LABELS + i * SIZE.0, y), SIZE, &shown);
    }
    let x = LABELS + samples.len() * SIZE.0 + 8;
    let words = "times as long as the first; green: within 2 %; framed: the seeds do not tell it from \
                 the first; never: some flow is not through when the run ends; set apart: an oracle";
    text(svg, (x, y + 16), "start", "#555", words);
}

pub(super) fn text(svg: &mut String, (x, y): (usize, usize), anchor: &str, ink: &str, words: &str) {
    let words = escape(words);
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{ink}\">{words}</text>"
    );
}
