//! The small picture: all schemes by stack and faults, over all workloads.

use super::picture::{Cell, cell, text};
use super::{Column, Verdict};
use crate::svg::{GREY, INK, Svg};

const WIDTH: usize = 800;
const LABELS: usize = 140;
const HEAD: usize = 176;
const SIZE: (usize, usize) = (66, 22);
/// Between two stacks, and before those that know what no other scheme is told.
const GAP: usize = 12;
const LEGEND: usize = 72;

/// An SVG, 800 wide: what each scheme takes over the first, geometric mean over the workloads.
pub fn short(verdict: &Verdict) -> String {
    let all: Vec<&Column> = verdict.columns.iter().collect();
    let rows = verdict.order_oracles_last(&all);
    let (stacks, faults) = (verdict.values("stack"), verdict.values("faults"));
    let oracles = rows.iter().filter(|&&row| verdict.is_oracle(row)).count();
    let bottom = HEAD + rows.len() * SIZE.1 + if oracles > 0 { GAP } else { 0 };
    let height = bottom + LEGEND;
    let frame = format_args!("width=\"{WIDTH}\" viewBox=\"0 0 {WIDTH} {height}\"");
    let mut svg = Svg::page(frame, 13);
    let top = |place: usize, row: usize| {
        HEAD + place * SIZE.1 + if verdict.is_oracle(row) { GAP } else { 0 }
    };
    for (place, &row) in rows.iter().enumerate() {
        text(&mut svg, (LABELS - 8, top(place, row) + 15), "end", INK, &verdict.rows[row]);
    }
    let mut x = LABELS;
    for stack in &stacks {
        text(&mut svg, (x, 16), "start", INK, stack);
        for fault in &faults {
            let own = |column: &&Column| {
                column.value("stack") == Some(stack) && column.value("faults") == Some(fault)
            };
            let columns: Vec<&Column> = verdict.columns.iter().filter(own).collect();
            let (middle, y) = (x + SIZE.0 / 2, HEAD - 8);
            let slanted = format_args!(
                "transform=\"rotate(-45 {middle} {y})\" fill=\"{GREY}\" font-size=\"11\""
            );
            svg.text((middle, y), slanted, fault);
            for (place, &row) in rows.iter().enumerate() {
                cell(&mut svg, (x, top(place, row)), SIZE, &shown(verdict, &columns, row));
            }
            x += SIZE.0;
        }
        x += GAP;
    }
    for (line, words) in [
        "Times as long as the first of each workload, geometric mean over the workloads. Green: \
         within 2 %; framed: the seeds",
        "do not tell it from the best of all schemes. Never 2/7: in two of seven workloads some \
         flow is not through at the end.",
        "Last, set apart: an oracle, told at once which links are dead; no fabric does that today.",
    ]
    .iter()
    .take(if oracles > 0 { 3 } else { 2 })
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
