//! Curves as a picture: axes, a line for each setting, each with its name at its end.

use super::chart::{page, text};
use super::curves::{Curve, FigureCurves, Scale};
use super::digits::six_digits;
use super::mark::diamond;
use crate::svg::{COLOURS, GRID, INK, SOFT, Svg};
use raddle::study::text::count;

const WIDTH: f64 = 760.0;
const LETTER: f64 = 7.2;
const LEFT: f64 = 56.0;
const TOP: f64 = 44.0;
const TALL: f64 = 300.0;
const BOTTOM: f64 = TOP + TALL;
const LINE: f64 = 15.0;
/// Between the end of the axis and the names of lines, with a dash of the line's colour.
const LEADER: f64 = 34.0;
/// Points that are joined have dots, too, if a line has no more of them.
const MOST_DOTS: usize = 40;

/// An SVG of the curves.
pub(super) fn plot(curves: &FigureCurves) -> String {
    let longest = curves.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    let points = |line: &Curve| [line.points.as_slice(), &line.published].concat();
    let all: Vec<(f64, f64)> = curves.lines.iter().flat_map(points).collect();
    let along = Axis::new(all.iter().map(|point| point.0), curves.scale != Scale::Linear);
    let up = Axis::new(all.iter().map(|point| point.1), curves.scale == Scale::LogLog);
    let right = WIDTH - 8.0 - LEADER - longest as f64 * LETTER;
    let area = Area { along, up: up.to_ticks(), right };
    let published = curves.lines.iter().any(|line| !line.published.is_empty());
    let height = BOTTOM + 3.0 * LINE + if published { LINE } else { 0.0 };
    let mut svg = page((WIDTH, height));
    text(&mut svg, (4.0, 18.0), INK, " font-weight=\"600\" font-size=\"14\"", &curves.title);
    area.axes(&mut svg, curves);
    let end = |line: &Curve| line.points.last().map_or(BOTTOM, |end| area.at(*end).1);
    let ends: Vec<f64> = curves.lines.iter().map(end).collect();
    let names = ends.iter().copied().zip(apart(&ends));
    for ((line, colour), places) in curves.lines.iter().zip(COLOURS).zip(names) {
        area.line(&mut svg, line, colour, places);
    }
    if published {
        let y = BOTTOM + 3.0 * LINE + 5.0;
        diamond(&mut svg, (LEFT + 5.0, y - 4.0));
        text(&mut svg, (LEFT + 16.0, y), SOFT, "", "Published value of a claim.");
    }
    svg.end()
}

/// Where curves are drawn.
struct Area {
    along: Axis,
    up: Axis,
    right: f64,
}

impl Area {
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (LEFT + self.along.share(x) * (self.right - LEFT), BOTTOM - self.up.share(y) * TALL)
    }

    fn axes(&self, svg: &mut Svg, curves: &FigureCurves) {
        let right = self.right;
        for tick in self.up.ticks() {
            let y = self.at((self.along.low, tick)).1;
            let path = format_args!("M{LEFT} {y:.1}H{right:.1}");
            svg.path(path, format_args!("stroke=\"{GRID}\""));
            text(svg, (LEFT - 6.0, y + 4.0), SOFT, " text-anchor=\"end\"", &words(tick));
        }
        let asked = curves.lines.first().map_or(&[][..], |line| &line.points);
        // Values that were asked for have ticks of their own, distributions have round ones.
        let ticks = match self.along.log && asked.len() <= MOST_DOTS {
            true => asked.iter().map(|point| point.0).collect(),
            false => self.along.ticks(),
        };
        // A name that would touch the one before it is left out.
        let mut free = 0.0;
        for tick in ticks {
            let x = self.at((tick, self.up.low)).0;
            let name = words(tick);
            let half = name.chars().count() as f64 * LETTER / 2.0;
            let path = format_args!("M{x:.1} {BOTTOM}v4");
            svg.path(path, format_args!("stroke=\"{SOFT}\""));
            if x - half >= free {
                text(svg, (x, BOTTOM + LINE + 2.0), SOFT, " text-anchor=\"middle\"", &name);
                free = x + half + LETTER / 2.0;
            }
        }
        let path = format_args!("M{LEFT} {TOP}V{BOTTOM}H{right:.1}");
        svg.path(path, format_args!("stroke=\"{SOFT}\" fill=\"none\""));
        let middle = ((LEFT + right) / 2.0, BOTTOM + 2.0 * LINE + 4.0);
        text(svg, middle, INK, " text-anchor=\"middle\"", &curves.axis);
    }

    /// A line, with its name at the height `name` and a leader from its `end`.
    fn line(&self, svg: &mut Svg, line: &Curve, colour: &str, (end, name): (f64, f64)) {
        let places: Vec<(f64, f64)> = line.points.iter().map(|point| self.at(*point)).collect();
        let (radius, stroke) = if line.joined { (2.5, 2) } else { (4.0, 1) };
        let drawn = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{stroke}\"");
        if line.joined {
            let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            svg.path(format_args!("M{}", path.join("L")), &drawn);
        }
        if !line.joined || places.len() <= MOST_DOTS {
            places.into_iter().for_each(|place| svg.dot(place, radius, colour));
        }
        for point in &line.published {
            diamond(svg, self.at(*point));
        }
        let (from, to) = (self.right + 5.0, self.right + 18.0);
        svg.path(format_args!("M{from:.1} {end:.1}L{to:.1} {name:.1}h10"), &drawn);
        if !line.joined {
            svg.dot((self.right + 25.0, name), radius, colour);
        }
        text(svg, (self.right + LEADER, name + 4.0), INK, "", &line.name);
    }
}

/// Places for names next to `ends`, in the same order, none within a line of another.
fn apart(ends: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|a, b| ends[*a].total_cmp(&ends[*b]));
    let mut places = ends.to_vec();
    for pair in order.windows(2) {
        places[pair[1]] = places[pair[1]].max(places[pair[0]] + LINE);
    }
    let mut lowest = BOTTOM;
    for &index in order.iter().rev() {
        places[index] = places[index].min(lowest);
        lowest = places[index] - LINE;
    }
    places
}

/// From one value to another, evenly or by factors.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    /// From 0 to the greatest value, or from the least to the greatest by factors.
    pub(super) fn new(values: impl Iterator<Item = f64> + Clone, log: bool) -> Self {
        let high = values.clone().fold(f64::MIN_POSITIVE, f64::max);
        let low = if log { values.filter(|value| *value > 0.0).fold(high, f64::min) } else { 0.0 };
        Self { low, high, log }
    }

    /// Stretched to the ticks next to its ends.
    pub(super) fn to_ticks(self) -> Self {
        if !self.log {
            let step = step(self.high);
            return Self { high: (self.high / step).ceil() * step, ..self };
        }
        let below = nice().filter(|tick| *tick <= self.low * TOUCHES).last().unwrap_or(self.low);
        let above = nice().find(|tick| *tick >= self.high / TOUCHES).unwrap_or(self.high);
        Self { low: below, high: above, ..self }
    }

    /// Where a value stands: 0 at the low end, 1 at the high one.
    pub(super) fn share(self, value: f64) -> f64 {
        let place = |value: f64| if self.log { libm::log(value) } else { value };
        let [low, high] = [self.low, self.high].map(place);
        if high > low { (place(value.max(self.low)) - low) / (high - low) } else { 0.5 }
    }

    pub(super) fn ticks(self) -> Vec<f64> {
        if self.log {
            let range = self.low / TOUCHES..=self.high * TOUCHES;
            return nice().filter(|tick| range.contains(tick)).collect();
        }
        let step = step(self.high);
        let count = (self.high / step * TOUCHES) as u32;
        (0..=count).map(|index| f64::from(index) * step).collect()
    }
}

/// Values that are apart by less than this factor are one.
const TOUCHES: f64 = 1.000_001;

/// 1, 2 and 5 times powers of ten, ascending.
fn nice() -> impl Iterator<Item = f64> {
    let powers = (-9..15).flat_map(|power| [1, 2, 5].map(|digit| format!("{digit}e{power}")));
    powers.filter_map(|tick| tick.parse().ok())
}

/// The step between ticks of which at most six reach `high`.
fn step(high: f64) -> f64 {
    nice().find(|step| *step * 6.0 * TOUCHES >= high).unwrap_or(high)
}

/// A tick's name: without what binary fractions leave behind the digits.
pub(super) fn words(value: f64) -> String {
    let rounded = six_digits(value);
    if rounded.fract() == 0.0 { count(rounded as u64) } else { format!("{rounded}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves(scale: Scale, points: &[(f64, f64)]) -> FigureCurves {
        let line = |name: &str| Curve {
            name: name.into(),
            points: points.to_vec(),
            published: vec![points[0]],
            joined: true,
        };
        let lines = vec![line("a<b"), line("other")];
        FigureCurves { title: "queue".into(), axis: "rounds".into(), scale, lines }
    }

    #[test]
    fn every_line_has_a_colour_a_name_and_what_was_published() {
        let svg = plot(&curves(Scale::Linear, &[(10.0, 3.0), (200.0, 25.0)]));
        for words in ["a&lt;b", ">other<", ">rounds<", ">queue<", ">Published", ">200<", ">25<"] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains(COLOURS[0]) && svg.contains(COLOURS[1]));
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn an_axis_by_factors_has_no_zero() {
        let svg = plot(&curves(Scale::LogLog, &[(32.0, 2.5), (65_536.0, 0.008)]));
        for words in [">32<", ">65 536<", ">0.01<", ">0.005<", ">5<"] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        assert!(!svg.contains(">0<") && !svg.contains("NaN"));
    }

    #[test]
    fn names_at_one_place_are_moved_apart() {
        assert_eq!(apart(&[100.0, 200.0]), [100.0, 200.0]);
        assert_eq!(apart(&[101.0, 100.0, 102.0]), [115.0, 100.0, 130.0]);
        assert_eq!(apart(&[BOTTOM, BOTTOM]), [BOTTOM - LINE, BOTTOM]);
    }

    #[test]
    fn ticks_are_round() {
        let axis = |high, log| Axis { low: if log { 0.008 } else { 0.0 }, high, log };
        assert_eq!(axis(25.8, false).to_ticks().ticks(), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]);
        let words: Vec<String> = axis(0.3, false).ticks().into_iter().map(words).collect();
        assert_eq!(words, ["0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3"]);
        assert_eq!(axis(0.05, true).to_ticks().ticks().len(), 4);
    }
}
