//! The small picture: a few schemes by stack and faults, over all workloads.

use super::picture::{Cell, cell, text};
use super::{Column, Verdict};
use crate::svg::{GREY, INK, Svg};

/// Who is drawn: what fabrics do without load balancing, what ships in switches and hosts today,
/// and those that come first somewhere.
const SCHEMES: &[&str] = &["ecmp", "adaptive_roce", "ops", "reps", "mprdma", "host_dr", "ofan"];
const WIDTH: usize = 800;
const LABELS: usize = 228;
const HEAD: usize = 48;
const SIZE: (usize, usize) = (81, 30);
/// Between two stacks.
const GAP: usize = 8;
const LEGEND: usize = 54;

/// An SVG, 800 wide: what each scheme takes over the first, geometric mean over the workloads.
pub fn short(verdict: &Verdict) -> String {
    let named = |name: &&str| verdict.rows.iter().position(|row| row == name);
    let schemes: Vec<usize> = SCHEMES.iter().filter_map(named).collect();
    let (stacks, faults) = (verdict.values("stack"), verdict.values("faults"));
    let bottom = HEAD + stacks.len() * (faults.len() * SIZE.1 + GAP);
    let height = bottom + LEGEND;
    let frame = format_args!("width=\"{WIDTH}\" viewBox=\"0 0 {WIDTH} {height}\"");
    let mut svg = Svg::page(frame, 13);
    for (place, &row) in schemes.iter().enumerate() {
        let x = LABELS + place * SIZE.0 + SIZE.0 / 2;
        let bold = format_args!(
            "text-anchor=\"middle\" fill=\"{INK}\" font-size=\"11\" font-weight=\"600\""
        );
        svg.text((x, HEAD - 10), bold, &verdict.rows[row]);
    }
    let mut y = HEAD;
    for stack in &stacks {
        for (line, fault) in faults.iter().enumerate() {
            let own = |column: &&Column| {
                column.value("stack") == Some(stack) && column.value("faults") == Some(fault)
            };
            let columns: Vec<&Column> = verdict.columns.iter().filter(own).collect();
            if line == 0 {
                text(&mut svg, (8, y + 20), "start", INK, stack);
            }
            text(&mut svg, (LABELS - 8, y + 20), "end", GREY, fault);
            for (place, &row) in schemes.iter().enumerate() {
                let cell_of = shown(verdict, &columns, row);
                cell(&mut svg, (LABELS + place * SIZE.0, y), SIZE, &cell_of);
            }
            y += SIZE.1;
        }
        y += GAP;
    }
    for (line, words) in [
        "Times as long as the first of each workload, geometric mean over the workloads. Green: \
         within 2 %; framed: the seeds",
        "do not tell it from the best of all schemes. Never 2/7: in two of seven workloads some \
         flow is not through at the end.",
    ]
    .iter()
    .enumerate()
    {
        text(&mut svg, (8, bottom + 18 + line * 18), "start", GREY, words);
    }
    svg.end()
}

fn shown(verdict: &Verdict, columns: &[&Column], row: usize) -> Cell {
    let never = columns.iter().filter(|column| column.ratio(row).is_none()).count();
    let over = |row: usize| verdict.over_the_first(columns, row).map(|(mean, _)| mean);
    let first = verdict.order(columns).into_iter().find(|&row| over(row).is_some());
    let ratio = over(row);
    let untold = ratio.is_some_and(|ratio| ratio > super::LEVEL)
        && first.is_some_and(|first| first != row && !verdict.tells_apart(columns, first, row));
    let words = ratio.is_none().then(|| format!("never {never}/{}", columns.len()));
    Cell { ratio, untold, words }
}
