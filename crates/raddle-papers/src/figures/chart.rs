//! A figure's cells as bars: a panel for each condition, a bar for each scheme; or a panel for each
//! cell, a bar for each layer.

use super::cells::FigureCell;
use super::mark::{self, Mark, Marks};
use super::metric::Metric;
use super::number::Number;
use crate::svg::{INK, SOFT, Svg, Tenth};
use raddle::study::compare::{column_of, distinct, row_of};
use raddle::study::text::{plural, time, wrap};
use std::fmt::Display;

/// Up to this many times the least, a bar is level with it.
const LEVEL: f64 = 1.02;
const WIDTH: usize = 1000;
const ROW: usize = 18;
/// How long a bar that leads is at least, so that one of 0 is seen.
const LEAST: f64 = 2.0;
const LETTER: f64 = 7.2;
const TITLE_LETTER: usize = 8;
/// Of the legend, where a line that is a bit too long harms nothing.
const SMALL_LETTER: usize = 6;
const BARS: (usize, usize) = (130, 420);
const VALUES: usize = 74;
const GAP: usize = 20;
const LINE: usize = 15;
/// What each line of the legend takes.
const LEGEND: usize = 560;
const NEVER: &str = "#a3132f";

/// A bar that is so many times as long as most is cut, for these to be told apart.
const FAR: f64 = 4.0;
/// So many others there are for each that is cut.
const OTHERS: usize = 5;
/// How far a panel with cut bars reaches, over the longest other one.
const BEYOND: f64 = 1.5;

/// An SVG of one number of all cells, or of the same number of several layers; `None` if no cell has
/// it, or there is one bar alone.
pub(super) fn chart(cells: &[FigureCell], picture: &[Number], marks: Marks<'_>) -> Option<String> {
    let has = |cell: &FigureCell| picture.iter().any(|&number| cell.number(number).is_some());
    cells.iter().find(|cell| has(cell))?;
    if let ([_], [_]) = (cells, picture) {
        return None;
    }
    let grid = match picture {
        [number] => Grid::by_scheme(cells, *number),
        layers => Grid::by_layer(cells, layers),
    };
    Some(grid.draw(marks))
}

/// A bar that is to be drawn.
struct Bar<'a> {
    row: usize,
    number: Number,
    cell: &'a FigureCell,
}

impl Bar<'_> {
    /// Mean, least and greatest, if the cell has a mean over all seeds.
    fn shown(&self) -> Option<[f64; 3]> {
        let number = self.cell.number(self.number).filter(|_| !self.cell.never(self.number))?;
        Some([number.mean, number.min, number.max])
    }
}

/// Panels of bars.
struct Grid<'a> {
    title: String,
    rows: Vec<String>,
    /// Names and bars.
    panels: Vec<(String, Vec<Bar<'a>>)>,
    /// Whether the rows are rivals, of which the least leads.
    leads: bool,
    /// Whether all panels have one scale.
    one_scale: bool,
}

impl<'a> Grid<'a> {
    fn by_scheme(cells: &'a [FigureCell], number: Number) -> Self {
        let rows = distinct(cells.iter().map(|cell| row_of(&cell.settings)));
        let columns = distinct(cells.iter().map(|cell| column_of(&cell.settings)));
        let bars = |name: &String| {
            let own = cells.iter().filter(|cell| column_of(&cell.settings) == *name);
            let bar = |cell: &'a FigureCell| {
                Some(Bar { row: place(&rows, &row_of(&cell.settings))?, number, cell })
            };
            own.filter_map(bar).collect::<Vec<_>>()
        };
        let panels: Vec<_> = columns.into_iter().map(|name| (name.clone(), bars(&name))).collect();
        let leads = rows.len() > 1 && number.least_leads();
        let one_scale = number.expected().is_some();
        Self { title: number.title(), rows, panels, leads, one_scale }
    }

    fn by_layer(cells: &'a [FigureCell], layers: &[Number]) -> Self {
        let panel = |cell: &'a FigureCell| {
            let parts = [row_of(&cell.settings), column_of(&cell.settings)];
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let bars = layers.iter().enumerate().map(|(row, &number)| Bar { row, number, cell });
            (parts.join(", "), bars.collect::<Vec<_>>())
        };
        let panels: Vec<_> = cells.iter().map(panel).collect();
        let title = layers.first().map(|number| number.row_title().1).unwrap_or_default();
        let rows = layers.iter().map(|number| number.row_title().0).collect();
        Self { title, rows, panels, leads: false, one_scale: true }
    }

    fn draw(&self, marks: Marks<'_>) -> String {
        let columns = self.panels.len();
        let longest = self.rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
        let labels = (longest as f64 * LETTER) as usize + 16;
        let words = labels + VALUES + GAP;
        let across = ((WIDTH + GAP) / (words + BARS.0)).clamp(1, columns.max(1));
        let bars = ((WIDTH + GAP) / across).saturating_sub(words).clamp(BARS.0, BARS.1);
        let panel = labels + bars + VALUES;
        let letters = (panel as f64 / LETTER) as usize;
        let titles: Vec<Vec<String>> =
            self.panels.iter().map(|(name, _)| wrap(name, letters)).collect();
        let head = LINE * (titles.iter().map(Vec::len).max().unwrap_or(1) + 1) + 4;
        let tall = head + self.rows.len() * ROW + GAP;
        let down = columns.div_ceil(across);
        let all = self.panels.iter().map(|(_, bars)| most(bars, marks));
        let shared = self.one_scale.then(|| all.fold(0.0, f64::max));
        let mut drawn = Drawn::default();
        let mut inner = Svg::default();
        for (index, ((_, own), title)) in self.panels.iter().zip(&titles).enumerate() {
            let at = (4 + (index % across) * (panel + GAP), GAP + LINE + (index / across) * tall);
            for (line, words) in title.iter().enumerate() {
                let y = at.1 + LINE * (line + 1);
                text(&mut inner, (at.0 as f64, y as f64), INK, " font-weight=\"600\"", words);
            }
            let panel = Panel { grid: self, left: at.0, top: at.1 + head, labels, bars, shared };
            panel.draw(&mut inner, own, marks, &mut drawn);
        }
        let title = self.title.chars().count() * TITLE_LETTER;
        let width = (across * (panel + GAP) - GAP).max(LEGEND).max(title) + 8;
        let legend = self.legend(&drawn, width / SMALL_LETTER);
        let height = GAP + LINE + down * tall + legend.len() * LINE;
        let mut svg = page((width, height));
        text(&mut svg, (4.0, 18.0), INK, " font-weight=\"600\" font-size=\"14\"", &self.title);
        svg.add(&inner);
        for (line, words) in legend.iter().enumerate() {
            let y = height - legend.len() * LINE + 4 + line * LINE;
            text(&mut svg, (4.0, y as f64), SOFT, "", words);
        }
        svg.end()
    }

    /// What has to be explained, in lines of at most so many letters.
    fn legend(&self, drawn: &Drawn, letters: usize) -> Vec<String> {
        let cells = self.panels.iter().flat_map(|(_, bars)| bars).map(|bar| bar.cell.seeds);
        let seeds = cells.max().unwrap_or(0) as u64;
        let scales = match self.one_scale {
            _ if self.panels.len() < 2 => "",
            true => " All panels have one scale.",
            false => " Each panel has a scale of its own.",
        };
        let first = format!(
            "Bar: mean over {}, from zero; black line: least to greatest.{scales}",
            plural(seeds, "seed")
        );
        let mut more = Vec::new();
        if self.leads {
            more.push("Green: the least of its panel, or within 2 % of it.");
        }
        if drawn.cut {
            more.push("A bar with a gap is cut: its number stands behind it.");
        }
        if drawn.bound {
            more.push("Dashed, bound: lower bound on the completion.");
        }
        if drawn.pace {
            more.push(
                "Dashed, pace: the study's bound with rho_max, which a run can beat by some 2 %, the \
                 share of its ACKs.",
            );
        }
        let said = mark::legend(&drawn.marks);
        more.extend(said.as_deref());
        let more = Some(more.join(" ")).filter(|more| !more.is_empty());
        [Some(first), more].iter().flatten().flat_map(|text| wrap(text, letters)).collect()
    }
}

/// What the legend has to explain.
#[derive(Default)]
struct Drawn {
    bound: bool,
    /// Bars that are longer than they are drawn.
    cut: bool,
    /// A measure with rho_max in place of a bound.
    pace: bool,
    marks: Vec<Mark>,
}

struct Panel<'a> {
    grid: &'a Grid<'a>,
    left: usize,
    /// Of the first bar.
    top: usize,
    labels: usize,
    bars: usize,
    /// What all panels reach to, if they have one scale.
    shared: Option<f64>,
}

impl Panel<'_> {
    /// Draws the bars, and notes what there is to explain.
    fn draw(&self, svg: &mut Svg, bars: &[Bar<'_>], marks: Marks<'_>, drawn: &mut Drawn) {
        let rows = &self.grid.rows;
        let line = self.line(bars, drawn);
        let most = most(bars, marks).max(self.shared.unwrap_or(0.0));
        let line_at = line.as_ref().map_or(0.0, |(_, value)| *value);
        let cut = self.cut(bars, marks).filter(|reach| *reach > line_at);
        let reach = cut.unwrap_or(most.max(line_at));
        let scale = self.bars as f64 / reach.max(f64::MIN_POSITIVE);
        let means = bars.iter().filter_map(Bar::shown).map(|[mean, ..]| mean);
        let level = means.reduce(f64::min).map(|l| l * LEVEL);
        let zero = (self.left + self.labels) as f64;
        for bar in bars {
            let y = (self.top + bar.row * ROW) as f64;
            let base = y + 12.5;
            let label = if rows.len() > 1 { rows[bar.row].as_str() } else { "" };
            text(svg, (zero - 8.0, base), INK, " text-anchor=\"end\"", label);
            let Some([mean, min, max]) = bar.shown() else {
                let (ink, words) = match bar.cell.never(bar.number) {
                    true => (NEVER, bar.cell.never_words()),
                    false => (SOFT, "-".to_owned()),
                };
                text(svg, (zero + 4.0, base), ink, "", &words);
                continue;
            };
            let leads = self.grid.leads && level.is_some_and(|level| mean <= level);
            let fill = if leads { "#63b37c" } else { "#9db2cc" };
            let is_cut = max > reach;
            let long = (mean.min(reach) * scale).max(if leads { LEAST } else { 0.0 });
            let fill = format_args!("fill=\"{fill}\"");
            svg.rect((zero, Tenth(y + 2.0)), (Tenth(long), ROW - 5), fill);
            let [from, to] = [min, max].map(|value| zero + value.min(reach) * scale);
            let middle = y + 2.0 + (ROW - 5) as f64 / 2.0;
            if is_cut {
                drawn.cut = true;
                let (x, below) = (zero + self.bars as f64 * 0.8, y + ROW as f64 - 1.0);
                let path = format_args!("M{x:.1} {below:.1}l6 {}", 3 - ROW as i64);
                svg.path(path, "stroke=\"#ffffff\" stroke-width=\"4\"");
            } else if to - from >= 1.0 {
                let path = format_args!("M{from:.1} {middle:.1}H{to:.1}");
                svg.path(path, format_args!("stroke=\"{INK}\""));
            }
            let mut behind = to.max(zero);
            for mark in marks(bar.number, bar.cell) {
                let bars = (zero, zero + self.bars as f64);
                behind = behind.max(mark.over_bar(svg, bars, scale, middle));
                drawn.marks.push(mark);
            }
            text(svg, (behind + 5.0, base), INK, "", &bar.number.shown(mean));
        }
        if let Some((words, value)) = line {
            text(svg, (zero, self.top as f64 - 4.0), SOFT, " font-size=\"11\"", &words);
            let x = zero + value * scale;
            let bottom = self.top + rows.len() * ROW;
            let dashed = format_args!("stroke=\"{SOFT}\" stroke-dasharray=\"3 2\"");
            svg.path(format_args!("M{x:.1} {}V{bottom}", self.top), dashed);
        }
    }

    /// How far the panel reaches where few of its bars are far longer than the others, with nothing that
    /// claims say to be marked.
    fn cut(&self, bars: &[Bar<'_>], marks: Marks<'_>) -> Option<f64> {
        if self.shared.is_some() || bars.iter().any(|bar| !marks(bar.number, bar.cell).is_empty()) {
            return None;
        }
        let mut ends: Vec<f64> = bars.iter().filter_map(Bar::shown).map(|[.., max]| max).collect();
        ends.sort_by(f64::total_cmp);
        let is_far = |two: &[f64]| two[1] > FAR * two[0] && two[0] > 0.0;
        let others = ends.windows(2).rposition(is_far)? + 1;
        (others >= OTHERS * (ends.len() - others)).then(|| ends[others - 1] * BEYOND)
    }

    /// A dashed line through all bars, and its words.
    fn line(&self, bars: &[Bar<'_>], drawn: &mut Drawn) -> Option<(String, f64)> {
        let number = bars.first()?.number;
        if let Some((words, value)) = number.expected() {
            return Some((words.to_owned(), value));
        }
        let bound = match number {
            Number::Run(Metric::COMPLETION) => {
                shared(bars.iter().map(|bar| bar.cell.bound.as_ref()))?
            }
            _ => return None,
        };
        let (name, us) = bound;
        let pace = name.ends_with("_rho_max");
        if pace {
            drawn.pace = true
        } else {
            drawn.bound = true
        }
        let word = if pace { "pace" } else { "bound" };
        Some((format!("{word} {}", time(*us)), *us))
    }
}

/// The greatest value of the bars, and of what claims say of them.
fn most(bars: &[Bar<'_>], marks: Marks<'_>) -> f64 {
    let shown = bars.iter().filter_map(Bar::shown).map(|[.., max]| max);
    let most = shown.fold(0.0, f64::max);
    let marked = bars.iter().filter(|bar| bar.shown().is_some());
    let marked = marked.flat_map(|bar| marks(bar.number, bar.cell)).map(|mark| mark.reach(most));
    marked.fold(most, f64::max)
}

/// The bound that all have.
fn shared<'a>(
    mut bounds: impl Iterator<Item = Option<&'a (String, f64)>>,
) -> Option<&'a (String, f64)> {
    let first = bounds.next()??;
    bounds.all(|other| other == Some(first)).then_some(first)
}

fn place(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|own| own == name)
}

/// Words that begin at a place, with `more` attributes than their colour.
pub(super) fn text(svg: &mut Svg, (x, y): (f64, f64), ink: &str, more: &str, words: &str) {
    svg.text((Tenth(x), Tenth(y)), format_args!("fill=\"{ink}\"{more}"), words);
}

/// A page of some width and height.
pub(super) fn page((width, height): (impl Display, impl Display)) -> Svg {
    Svg::page(format_args!("viewBox=\"0 0 {width} {height}\" width=\"{width}\""), 12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::CellNumber;
    use crate::figures::expected::Kind;

    fn cell(scheme: &str, completion: Option<f64>, bound: f64) -> FigureCell {
        let number = |mean: f64| CellNumber {
            number: Number::Run(Metric::COMPLETION),
            mean,
            min: mean - 1.0,
            max: mean + 1.0,
        };
        let marked = Number::find("marked").unwrap();
        let marked = CellNumber { number: marked, mean: 5.0, min: 5.0, max: 5.0 };
        FigureCell {
            settings: vec![("scheme".into(), scheme.into()), ("load".into(), "a<b".into())],
            scenario: String::new(),
            seeds: 2,
            results: None,
            never: u64::from(completion.is_none()) as usize,
            ended: Vec::new(),
            bound: Some(("permutation".into(), bound)),
            numbers: completion.map(number).into_iter().chain([marked]).collect(),
        }
    }

    fn drawn(cells: &[FigureCell], word: &str) -> Option<String> {
        chart(cells, &[Number::find(word).unwrap()], &|_, _| Vec::new())
    }

    #[test]
    fn a_bar_far_longer_than_others_is_cut_and_one_alone_is_not_drawn() {
        let cells = [("f", 90.0), ("a", 10.0), ("b", 11.0), ("c", 12.0), ("d", 12.0), ("e", 12.0)];
        let cells = cells.map(|(name, mean)| cell(name, Some(mean), 5.0));
        let svg = drawn(&cells, "completion_us").unwrap();
        assert!(svg.contains("A bar with a gap is cut") && svg.contains(">90.00 us<"), "{svg}");
        assert!(!drawn(&cells[1..], "completion_us").unwrap().contains("is cut"));
        assert!(!drawn(&cells[..5], "completion_us").unwrap().contains("is cut"));
        assert!(drawn(&cells[..1], "completion_us").is_none());
    }

    #[test]
    fn the_least_is_green_and_what_never_completes_has_no_bar() {
        let cells =
            [cell("ops", Some(20.0), 9.0), cell("reps", Some(10.0), 9.0), cell("ecmp", None, 9.0)];
        let svg = drawn(&cells, "completion_us").unwrap();
        assert_eq!(svg.matches("#63b37c").count(), 1);
        assert_eq!(svg.matches("#9db2cc").count(), 1);
        assert!(svg.contains("never, with 1 of 2 seeds") && svg.contains("bound 9.000 us"));
        assert!(svg.contains("a&lt;b") && svg.contains("Dashed"));
    }

    /// Study, Figure 4: HOST DR takes 0.2 % less than the formula with rho_max.
    #[test]
    fn what_a_run_can_beat_is_not_called_a_bound() {
        let mut cells = [cell("ops", Some(20.0), 9.0), cell("reps", Some(10.0), 9.0)];
        for cell in &mut cells {
            cell.bound = Some(("permutation_rho_max".into(), 10.5));
        }
        let svg = drawn(&cells, "completion_us").unwrap();
        assert!(svg.contains("pace 10.50 us") && svg.contains("a run can beat"), "{svg}");
        assert!(!svg.contains("lower bound"), "{svg}");
    }

    #[test]
    fn a_count_that_was_left_out_is_zero() {
        let cells = [cell("ops", Some(20.0), 9.0), cell("reps", None, 8.0)];
        let svg = drawn(&cells, "dropped").unwrap();
        assert_eq!(svg.matches(">0<").count(), 2);
        assert!(!svg.contains("never") && !svg.contains("Dashed"));
        assert_eq!(drawn(&cells, "fct_mean_us"), None);
    }

    #[test]
    fn bounds_that_differ_are_not_drawn() {
        let cells = [cell("ops", Some(20.0), 9.0), cell("reps", Some(10.0), 8.0)];
        assert!(!drawn(&cells, "completion_us").unwrap().contains("bound"));
    }

    #[test]
    fn layers_of_a_cell_are_rows_of_one_scale_with_what_was_published() {
        let words = ["tor_agg.queue_packets_mean", "agg_tor.queue_packets_mean"];
        let numbers = words.map(|word| Number::find(word).unwrap());
        let mut cells = [cell("a", Some(20.0), 9.0), cell("b", Some(20.0), 9.0)];
        for (cell, mean) in cells.iter_mut().zip([2.0, 4.0]) {
            cell.numbers =
                numbers.map(|number| CellNumber { number, mean, min: mean, max: mean }).to_vec();
        }
        let published = |number: Number, cell: &FigureCell| {
            let meant = number == numbers[1] && cell.settings[0].1 == "a";
            let mark = Mark { value: 3.0, kind: Kind::Published, is_ratio: false };
            if meant { vec![mark] } else { Vec::new() }
        };
        let svg = chart(&cells, &numbers, &published).unwrap();
        assert_eq!(svg.matches("ToR to aggregation<").count(), 2);
        assert_eq!(svg.matches("width=\"135.5\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("width=\"271.0\"").count(), 2, "{svg}");
        assert!(svg.contains("Diamond") && svg.contains("one scale") && !svg.contains("Green"));
    }

    #[test]
    fn what_a_formula_expects_is_a_line_and_the_least_does_not_lead() {
        let number = Number::find("agg_tor.stuck_pairs").unwrap();
        let mut cells = [cell("a", Some(20.0), 9.0), cell("b", Some(20.0), 9.0)];
        for cell in &mut cells {
            cell.numbers = vec![CellNumber { number, mean: 0.5, min: 0.5, max: 0.5 }];
        }
        let svg = drawn(&cells, "agg_tor.stuck_pairs").unwrap();
        assert!(svg.contains("expected: 1") && svg.contains("width=\"210.0\""), "{svg}");
        assert!(!svg.contains("#63b37c") && !svg.contains("Green"));
    }
}
