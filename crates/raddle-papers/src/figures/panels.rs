//! A number of a figure's cells as lines over one setting, side by side, a panel for each value of
//! another.

use super::cells::FigureCell;
use super::chart::{page, text};
use super::number::{Number, read_chart_number};
use super::plot::{Axis, words as tick_words};
use super::reading::{text as text_of, words};
use crate::svg::{COLOURS, GRID, INK, SOFT, Svg, Tenth};
use raddle::problem::Problem;
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::{Item, Place};
use raddle::study::compare::distinct;
use raddle::study::text::plural;

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 56.0;
const GAP: f64 = 16.0;
const TALL: f64 = 230.0;
const LINE: f64 = 15.0;
const LETTER: f64 = 7.2;
/// Of a name in the legend, the dash before it and what is free behind it.
const DASH: f64 = 24.0;

raddle_schemes::words! {
    /// How the axis that goes up is divided.
    pub enum Up {
        /// Evenly, from 0.
        Linear = "linear",
        /// By factors.
        Log = "log",
    }
}

/// `[[lines]]` of a `claims.toml`.
#[derive(Clone, Debug)]
pub struct Panels {
    /// The number of `chart` that is drawn so.
    pub number: Number,
    /// What goes up, as a heading.
    pub title: String,
    /// What goes along, in words.
    axis: String,
    /// The setting that goes along.
    over: String,
    /// That of which each value has a line.
    lines: String,
    /// That of which each value has a panel; none for one panel.
    panels: Option<String>,
    scale: Up,
    place: Place,
}

/// Reads one of `[[lines]]`, whose number is one of `chart`.
pub(super) fn read_panels(item: &Item, chart: &[Vec<Number>], log: &Log) -> Option<Panels> {
    let mut reader = Reader::of("[[lines]]", item, log)?;
    let number = reader.demand("of", "\"requests.slowdown_p99\"");
    let number = number.and_then(|item| match read_chart_number(item) {
        Ok(number) if chart.contains(&vec![number]) => Some(number),
        Ok(number) => {
            let problem = item.place.problem(format!("`chart` lacks `{}`", number.word()));
            log.add(problem.label("what lines show is kept for `chart`: add it there"));
            None
        }
        Err(problem) => {
            log.add(problem);
            None
        }
    });
    let (title, axis) = (text_of(&mut reader, "title"), text_of(&mut reader, "axis"));
    let (over, lines) = (text_of(&mut reader, "over"), text_of(&mut reader, "line"));
    let panels = reader.take("panel").and_then(|item| words("panel", item, log));
    let scale = reader.or("scale", Up::Linear);
    let place = reader.place().clone();
    reader.finish();
    Some(Panels {
        number: number?,
        title: title?,
        axis: axis?,
        over: over?,
        lines: lines?,
        panels,
        scale,
        place,
    })
}

fn value<'c>(cell: &'c [(String, String)], name: &str) -> &'c str {
    cell.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
}

impl Panels {
    /// What is wrong with it for cells of these settings: what it names has to tell them apart.
    pub(super) fn problem<'s>(
        &self,
        cells: impl Iterator<Item = &'s [(String, String)]>,
    ) -> Option<Problem> {
        let cells: Vec<_> = cells.collect();
        let named: Vec<&String> =
            [&self.over, &self.lines].into_iter().chain(&self.panels).collect();
        let has = |name: &str| cells.iter().any(|cell| cell.iter().any(|(own, _)| own == name));
        if let Some(name) = named.iter().find(|name| !has(name)) {
            return Some(self.place.problem(format!("the sweep sets no `{name}`")));
        }
        let untold = cells.iter().flat_map(|cell| cell.iter());
        let untold = untold.map(|(name, _)| name).find(|name| !named.contains(name));
        if let Some(name) = untold {
            return Some(self.place.problem(format!("nothing tells `{name}` apart")));
        }
        let lines = distinct(cells.iter().map(|cell| value(cell, &self.lines))).len();
        let problem = || self.place.problem(format!("a picture of {lines} lines"));
        (lines > COLOURS.len())
            .then(|| problem().label(format!("expected {} at most", COLOURS.len())))
    }

    /// An SVG of the cells.
    pub(super) fn draw(&self, cells: &[FigureCell]) -> String {
        let values = |name: &str| distinct(cells.iter().map(|cell| value(&cell.settings, name)));
        let (along, lines) = (values(&self.over), values(&self.lines));
        let panels = self.panels.as_ref().map_or_else(|| vec![""], |name| values(name));
        let shown = cells.iter().filter_map(|cell| cell.number(self.number));
        let all: Vec<f64> = shown.flat_map(|own| [own.min, own.mean, own.max]).collect();
        let up = Axis::new(all.iter().copied(), self.scale == Up::Log).to_ticks();
        let count = panels.len() as f64;
        let wide = (WIDTH - LEFT - GAP * count) / count;
        let legend = Legend::new(&lines);
        let top = 30.0 + LINE * legend.rows as f64 + 2.0 * LINE;
        let frame = Frame { along: &along, up, top, wide };
        let mut svg = page((WIDTH, top + TALL + 4.0 * LINE));
        text(&mut svg, (4.0, 18.0), INK, " font-weight=\"600\" font-size=\"14\"", &self.title);
        legend.draw(&mut svg);
        for (index, name) in panels.iter().enumerate() {
            let left = LEFT + index as f64 * (wide + GAP);
            frame.axes(&mut svg, left, index == 0, name);
            for (line, colour) in lines.iter().zip(COLOURS) {
                let of_line = |cell: &&FigureCell| {
                    let panel = self.panels.as_ref().map_or("", |own| value(&cell.settings, own));
                    value(&cell.settings, &self.lines) == *line && panel == *name
                };
                let own: Vec<&FigureCell> = cells.iter().filter(of_line).collect();
                let at = |x: &&str| own.iter().find(|c| value(&c.settings, &self.over) == *x);
                let points = along.iter().enumerate().filter_map(|(place, x)| {
                    let cell = at(x).filter(|cell| !cell.never(self.number))?;
                    let number = cell.number(self.number)?;
                    Some((place, [number.mean, number.min, number.max]))
                });
                frame.line(&mut svg, left, colour, &points.collect::<Vec<_>>());
            }
        }
        let bottom = top + TALL;
        let middle = ((LEFT + WIDTH) / 2.0, bottom + 2.0 * LINE + 4.0);
        text(&mut svg, middle, INK, " text-anchor=\"middle\"", &self.axis);
        let seeds = cells.iter().map(|cell| cell.seeds).max().unwrap_or(0) as u64;
        let scale = if self.scale == Up::Log { ", by factors" } else { "" };
        let note = format!(
            "Mean over {}, vertical line: least to greatest. One scale{scale}.",
            plural(seeds, "seed")
        );
        text(&mut svg, (4.0, bottom + 3.0 * LINE + 6.0), SOFT, "", &note);
        svg.end()
    }
}

/// The names of lines, in rows.
struct Legend<'a> {
    places: Vec<(f64, usize, &'a str)>,
    rows: usize,
}

impl<'a> Legend<'a> {
    fn new(names: &[&'a str]) -> Self {
        let (mut x, mut row) = (4.0, 0);
        let mut places = Vec::new();
        for name in names {
            let long = DASH + name.chars().count() as f64 * LETTER + 14.0;
            if x > 4.0 && x + long > WIDTH {
                (x, row) = (4.0, row + 1);
            }
            places.push((x, row, *name));
            x += long;
        }
        Self { places, rows: row + 1 }
    }

    fn draw(&self, svg: &mut Svg) {
        for ((x, row, name), colour) in self.places.iter().zip(COLOURS) {
            let y = 30.0 + LINE * *row as f64;
            let path = format_args!("M{x:.1} {y:.1}h18");
            svg.path(path, format_args!("stroke=\"{colour}\" stroke-width=\"3\""));
            text(svg, (x + DASH, y + 4.0), INK, "", name);
        }
    }
}

/// What all panels have.
struct Frame<'a> {
    along: &'a [&'a str],
    up: Axis,
    top: f64,
    wide: f64,
}

impl Frame<'_> {
    fn x(&self, left: f64, place: usize) -> f64 {
        left + self.wide * (place as f64 + 0.5) / self.along.len() as f64
    }

    fn y(&self, value: f64) -> f64 {
        self.top + TALL * (1.0 - self.up.share(value))
    }

    fn axes(&self, svg: &mut Svg, left: f64, is_first: bool, name: &str) {
        let (right, bottom) = (left + self.wide, self.top + TALL);
        text(svg, (left, self.top - 8.0), INK, " font-weight=\"600\"", name);
        for tick in self.up.ticks() {
            let y = self.y(tick);
            svg.path(
                format_args!("M{left:.1} {y:.1}H{right:.1}"),
                format_args!("stroke=\"{GRID}\""),
            );
            if is_first {
                let at = (left - 6.0, y + 4.0);
                text(svg, at, SOFT, " text-anchor=\"end\"", &tick_words(tick));
            }
        }
        // A name that would touch the one before it is left out.
        let mut free = f64::MIN;
        for (place, name) in self.along.iter().enumerate() {
            let x = self.x(left, place);
            let half = name.chars().count() as f64 * LETTER / 2.0;
            svg.path(format_args!("M{x:.1} {bottom:.1}v4"), format_args!("stroke=\"{SOFT}\""));
            if x - half >= free {
                text(svg, (x, bottom + LINE + 2.0), SOFT, " text-anchor=\"middle\"", name);
                free = x + half + LETTER / 2.0;
            }
        }
        let path = format_args!("M{left:.1} {:.1}V{bottom:.1}H{right:.1}", self.top);
        svg.path(path, format_args!("stroke=\"{SOFT}\" fill=\"none\""));
    }

    /// Of the places along, mean, least and greatest.
    fn line(&self, svg: &mut Svg, left: f64, colour: &str, points: &[(usize, [f64; 3])]) {
        let path: Vec<String> = points
            .iter()
            .map(|(place, [mean, ..])| {
                format!("{} {}", Tenth(self.x(left, *place)), Tenth(self.y(*mean)))
            })
            .collect();
        if !path.is_empty() {
            let drawn = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"");
            svg.path(format_args!("M{}", path.join("L")), drawn);
        }
        for (place, [mean, min, max]) in points {
            let x = self.x(left, *place);
            let (low, high) = (self.y(*min), self.y(*max));
            if low - high >= 1.0 {
                let path = format_args!("M{x:.1} {low:.1}V{high:.1}");
                svg.path(path, format_args!("stroke=\"{colour}\""));
            }
            svg.dot((x, self.y(*mean)), 2.5, colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::CellNumber;
    use super::super::metric::Metric;
    use super::super::reading::parse;
    use super::*;

    const LINES: &str = "of = \"completion_us\"\ntitle = \"times\"\naxis = \"memory\"\n\
                         over = \"depth\"\nline = \"policy\"\npanel = \"stack\"\n";

    fn read(text: &str) -> Result<Panels, String> {
        let chart = [vec![Number::Run(Metric::COMPLETION)]];
        let read = |item: &Item, log: &Log| read_panels(item, &chart, log);
        parse("claims.toml", text, read).map_err(|problems| problems.render(false))
    }

    fn cell(depth: &str, policy: &str, stack: &str, mean: f64) -> FigureCell {
        let number = Number::Run(Metric::COMPLETION);
        let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        FigureCell {
            settings: vec![
                setting("depth", depth),
                setting("policy", policy),
                setting("stack", stack),
            ],
            scenario: String::new(),
            seeds: 2,
            results: None,
            never: 0,
            ended: Vec::new(),
            bound: None,
            numbers: vec![CellNumber { number, mean, min: mean / 2.0, max: mean * 2.0 }],
        }
    }

    fn cells() -> Vec<FigureCell> {
        let of = |depth: &'static str, mean: f64| {
            ["DT", "a<b"].map(|policy| ["x", "y"].map(|stack| cell(depth, policy, stack, mean)))
        };
        [of("0.1", 100.0), of("1", 10.0)].into_iter().flatten().flatten().collect()
    }

    #[test]
    fn every_panel_has_every_line_with_its_spread() {
        for (scale, least) in [("", ">0<"), ("scale = \"log\"\n", ">5<")] {
            let svg = read(&format!("{LINES}{scale}")).unwrap().draw(&cells());
            for words in [">times<", ">memory<", ">DT<", ">a&lt;b<", ">x<", ">y<", ">0.1<", least] {
                assert!(svg.contains(words), "{words}: {svg}");
            }
            // Two panels of two lines of two points.
            assert_eq!(svg.matches("<circle").count(), 8);
            assert!(svg.contains(COLOURS[1]) && !svg.contains(COLOURS[2]));
            assert!(!svg.contains("NaN"));
        }
    }

    #[test]
    fn lines_tell_all_cells_apart_and_show_what_is_kept() {
        let cells = cells();
        let problem = |text: &str| {
            let panels = read(text).unwrap();
            panels.problem(cells.iter().map(|cell| cell.settings.as_slice()))
        };
        assert!(problem(LINES).is_none());
        let one = problem(&LINES.replace("panel = \"stack\"\n", "")).unwrap().message;
        assert_eq!(one, "nothing tells `stack` apart");
        let other = problem(&LINES.replace("\"depth\"", "\"dept\"")).unwrap().message;
        assert_eq!(other, "the sweep sets no `dept`");
        let lacks = read(&LINES.replace("completion_us", "dropped")).unwrap_err();
        assert!(lacks.contains("`chart` lacks `dropped`"), "{lacks}");
    }
}
