//! Curves of models: a number of a model over one of its parameters, a line for each setting.

use super::Mode;
use super::answers::Answers;
use super::digits::six_digits;
use super::reading::text;
use super::theory::{TheoryNumber, read_unchecked};
use crate::svg::COLOURS;
use raddle::scenario::reader::{Log, Reader, with_nearest};
use raddle::scenario::spec::{Item, Value};
use serde_json::{Value as Json, json};

raddle_schemes::words! {
    /// How the axes of a picture of curves are divided.
    pub enum Scale {
        /// Both evenly, from 0.
        Linear = "linear",
        /// Along by factors, up evenly from 0.
        LogX = "log_x",
        /// Both by factors.
        LogLog = "log_log",
    }
}

/// `[curves]` of a `claims.toml`.
#[derive(Clone, Debug)]
pub struct Curves {
    /// What is drawn upwards, as a heading.
    pub title: String,
    /// What is drawn along, in words.
    pub axis: String,
    /// How the axes are divided.
    pub scale: Scale,
    /// The parameter that goes along.
    over: String,
    /// Its values, ascending.
    values: Vec<(f64, Item)>,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    name: String,
    number: TheoryNumber,
    joined: bool,
}

/// A line of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is called.
    pub name: String,
    /// Values of the parameter and the model's answers to six digits, along the axis.
    pub points: Vec<(f64, f64)>,
    /// What claims about the same model say was published, where it is a number.
    pub published: Vec<(f64, f64)>,
    /// Whether its points are joined.
    pub joined: bool,
}

/// Curves as they were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureCurves {
    /// What is drawn upwards, as a heading.
    pub title: String,
    /// What is drawn along, in words.
    pub axis: String,
    /// How the axes are divided.
    pub scale: Scale,
    /// The lines, in the order of the file.
    pub lines: Vec<Curve>,
}

/// What was measured of a line: see [`Curve::points`].
pub(super) type Points = Vec<(f64, f64)>;

/// Reads `[curves]`.
pub(super) fn read_curves(item: &Item, log: &Log) -> Option<Curves> {
    let before = log.count();
    let mut reader = Reader::of("[curves]", item, log)?;
    let (title, axis) = (text(&mut reader, "title"), text(&mut reader, "axis"));
    let scale = reader.or("scale", Scale::Linear);
    let over = text(&mut reader, "over");
    let over_place = reader.take("over").map(|item| &item.place);
    let values = reader.demand("values", "[1, 2, 4]").map(|item| values(item, scale, log));
    let items = reader.list("line", "tables: write [[curves.line]]");
    let lines: Vec<(Line, &Item)> =
        items.iter().filter_map(|item| Some((line(item, log)?, item))).collect();
    reader.finish();
    let (over, over_place, values) = (over?, over_place?, values?);
    if items.is_empty() || items.len() > COLOURS.len() {
        let problem = item.place.problem(format!("[curves] has {} lines", items.len()));
        log.add(problem.label(format!("expected 1 to {}", COLOURS.len())));
    }
    for (place, (line, item)) in lines.iter().enumerate() {
        let number = &line.number;
        let names = number.parameters();
        if lines[..place].iter().any(|(other, _)| other.name == line.name) {
            log.add(item.place.problem(format!("two lines are called `{}`", line.name)));
        }
        if !names.contains(&over.as_str()) {
            let message = format!("`{over}` is not a parameter of `{}`", number.model());
            let problem = with_nearest(over_place.problem(message), &over, names.iter().copied());
            log.add(problem.help(format!("parameters: {}", names.join(", "))));
        } else if number.sets(&over) {
            let twice = format!("`{over}` is set twice: by the line `{}` and by `over`", line.name);
            log.add(item.place.problem(twice));
        } else {
            for (_, value) in &values {
                number.with(&over, value).check(&value.place, log);
            }
        }
    }
    let lines = lines.into_iter().map(|(line, _)| line).collect();
    let curves = Curves { title: title?, axis: axis?, scale, over, values, lines };
    Some(curves).filter(|_| log.count() == before)
}

/// Numbers in ascending order; above 0 where they go along by factors.
fn values(item: &Item, scale: Scale, log: &Log) -> Vec<(f64, Item)> {
    let mut values: Vec<(f64, Item)> = Vec::new();
    for item in item.list().unwrap_or_default() {
        let value = match item.value {
            Value::Integer(n) => n as f64,
            Value::Float(x) => x,
            _ => f64::NAN,
        };
        let expected = match values.last() {
            _ if value.is_nan() => Some("a number".to_owned()),
            _ if scale != Scale::Linear && value <= 0.0 => {
                Some(format!("more than 0, for `scale = \"{}\"`", scale.word()))
            }
            Some((last, _)) if *last >= value => Some(format!("more than {last}, before it")),
            _ => None,
        };
        match expected {
            Some(expected) => {
                let problem = item.place.problem("wrong value in `values`");
                log.add(problem.label(format!("expected {expected}")));
            }
            None => values.push((value, item.clone())),
        }
    }
    if values.len() < 2 {
        log.add(item.place.problem("`values` is a list of at least two numbers"));
    }
    values
}

fn line(item: &Item, log: &Log) -> Option<Line> {
    let mut reader = Reader::of("[[curves.line]]", item, log)?;
    let name = text(&mut reader, "name");
    let joined = reader.or("joined", true);
    let example = "{ kind = \"theory\" }";
    let number = reader.demand("measure", example).and_then(|item| {
        let mut reader = Reader::of("measure", item, log)?;
        let kind = reader.choice("kind", &["theory"]);
        let number = read_unchecked(&mut reader);
        reader.finish();
        number.filter(|_| kind.is_some())
    });
    reader.finish();
    Some(Line { name: name?, number: number?, joined })
}

/// The number of a line at a value of the parameter, if it is one.
fn finite(number: f64, line: &str, (over, at): (&str, f64)) -> Result<f64, String> {
    let number = Some(number).filter(|number| number.is_finite());
    number.ok_or_else(|| format!("the curve `{line}` has no number at {over} = {at}"))
}

impl Curves {
    /// What the model is asked for all points.
    pub(super) fn numbers(&self, mode: Mode) -> Vec<TheoryNumber> {
        let of = |line: &Line| -> Vec<TheoryNumber> {
            self.asked(mode).map(|(_, value)| line.number.with(&self.over, value)).collect()
        };
        self.lines.iter().flat_map(of).collect()
    }

    /// Every line's points, in the order of the file, where the model defines them.
    ///
    /// # Errors
    /// A line and a value at which its model gives something that is no number.
    pub(super) fn measure(&self, mode: Mode, answers: &Answers) -> Result<Vec<Points>, String> {
        let points = |line: &Line| {
            let point = |(x, value): &(f64, Item)| {
                let number = answers.value(&line.number.with(&self.over, value), mode)?;
                let number = finite(number, &line.name, (&self.over, *x));
                Some(number.map(|number| (*x, six_digits(number))))
            };
            self.asked(mode).filter_map(point).collect()
        };
        self.lines.iter().map(points).collect()
    }

    /// The values at which lines are asked: in quick mode the first, the last and one between.
    fn asked(&self, mode: Mode) -> impl Iterator<Item = &(f64, Item)> {
        let last = self.values.len().saturating_sub(1);
        let is_asked = move |place| mode == Mode::Full || [0, last / 2, last].contains(&place);
        self.values
            .iter()
            .enumerate()
            .filter(move |(place, _)| is_asked(*place))
            .map(|(_, own)| own)
    }

    /// The curves with these points, and what was published for numbers of models.
    pub(super) fn drawn(
        self,
        points: Vec<Points>,
        published: &[(&TheoryNumber, f64)],
    ) -> FigureCurves {
        let over = &self.over;
        let first = self.values.first();
        let lines = self.lines.into_iter().zip(points).map(|(line, points)| {
            let asked = first.map(|(_, value)| line.number.with(over, value));
            let published = published.iter().filter_map(|(number, published)| {
                Some((number.value_of(over, asked.as_ref()?)?, *published))
            });
            let published = published.collect();
            Curve { name: line.name, points, published, joined: line.joined }
        });
        let lines = lines.collect();
        FigureCurves { title: self.title, axis: self.axis, scale: self.scale, lines }
    }

    /// The points that [`FigureCurves::json`] kept; `None` if they are of other lines or values.
    pub(super) fn read<'v>(&self, kept: impl Iterator<Item = &'v Json>) -> Option<Vec<Points>> {
        let kept: Vec<&Json> = kept.collect();
        let read = |(line, kept): (&Line, &&Json)| {
            let points = read_points(kept).filter(|_| kept["line"] == *line.name)?;
            // A point is missing where the model leaves it undefined.
            let mut along = self.values.iter().map(|value| value.0);
            points.iter().all(|point| along.any(|x| x == point.0)).then_some(points)
        };
        let points: Option<Vec<Points>> = self.lines.iter().zip(&kept).map(read).collect();
        points.filter(|_| self.lines.len() == kept.len())
    }
}

/// The points of a line that was kept.
pub(super) fn read_points(line: &Json) -> Option<Points> {
    let point = |pair: &Json| Some((pair.get(0)?.as_f64()?, pair.get(1)?.as_f64()?));
    line["points"].as_array()?.iter().map(point).collect()
}

impl FigureCurves {
    /// What is kept of them: an object for each line.
    pub(super) fn json(&self) -> Json {
        let line = |line: &Curve| json!({ "line": line.name, "points": line.points });
        self.lines.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{finite, six_digits};
    use crate::figures::{Answers, Claims, Mode, TheoryNumber};

    fn published(claims: &Claims) -> Vec<(&TheoryNumber, f64)> {
        claims.claims.iter().filter_map(|claim| claim.published_number()).collect()
    }

    const TEXT: &str = "\
title = \"t\"
[curves]
title = \"the fullest port\"
axis = \"rounds\"
over = \"rounds\"
values = [10, 20]
[[curves.line]]
name = \"two\"
measure = { kind = \"theory\", model = \"batched_balls\", quantity = \"max_packets\", set = { ports = 2, trials = 4 }, quick = { trials = 2 } }
[[claim]]
id = \"a\"
text = \"b\"
source = \"c\"
published = 1.5
low = 1
high = 2
measure = { kind = \"theory\", model = \"batched_balls\", quantity = \"max_packets\", set = { ports = 2, rounds = 20, trials = 4 } }
";

    fn problems(text: &str) -> String {
        Claims::parse("claims.toml", text).map_or_else(|p| p.render(false), |_| String::new())
    }

    #[test]
    fn a_line_is_the_model_at_each_value() {
        let claims = Claims::parse("claims.toml", TEXT).unwrap();
        let curves = claims.curves.clone().unwrap();
        let points = curves.measure(Mode::Full, &Answers::default()).unwrap();
        let number = claims.claims[0].measure.model().unwrap();
        let value = Answers::default().value(number, Mode::Full).unwrap();
        assert_eq!(points[0][1], (20.0, six_digits(value)));
        assert_ne!(curves.measure(Mode::Quick, &Answers::default()).unwrap(), points);
        let drawn = curves.clone().drawn(points.clone(), &published(&claims));
        assert_eq!(drawn.lines[0].published, [(20.0, 1.5)]);
        let kept = drawn.json();
        assert_eq!(curves.read(kept.as_array().unwrap().iter()), Some(points));
        assert_eq!(curves.read([].iter()), None);
        let other = Claims::parse("c", &TEXT.replace("[10, 20]", "[10, 21]")).unwrap();
        assert_eq!(other.curves.unwrap().read(kept.as_array().unwrap().iter()), None);
    }

    #[test]
    fn a_curve_without_a_number_somewhere_is_an_error_that_says_where() {
        assert_eq!(finite(2.5, "two", ("rounds", 10.0)), Ok(2.5));
        for number in [f64::NAN, f64::INFINITY] {
            let told = "the curve `two` has no number at rounds = 10".to_owned();
            assert_eq!(finite(number, "two", ("rounds", 10.0)), Err(told));
        }
    }

    #[test]
    fn a_claim_about_other_parameters_is_no_point_of_a_line() {
        let text = TEXT.replacen("ports = 2", "ports = 3", 1);
        let claims = Claims::parse("claims.toml", &text).unwrap();
        let curves = claims.curves.clone().unwrap();
        let points = curves.measure(Mode::Quick, &Answers::default()).unwrap();
        assert!(curves.drawn(points, &published(&claims)).lines[0].published.is_empty());
    }

    #[test]
    fn wrong_curves_are_answered_with_right_ones() {
        assert_eq!(problems(TEXT), "");
        let line = &TEXT[TEXT.find("[[curves").unwrap()..TEXT.find("[[claim").unwrap()];
        for (from, to, answer) in [
            ("over = \"rounds\"", "over = \"round\"", "nearest: `rounds`"),
            ("over = \"rounds\"", "over = \"ports\"", "`ports` is set twice"),
            ("quick = { trials", "quick = { rounds = 50, trials", "`rounds` is set twice"),
            ("set = { ports", "set = { port", "nearest: `ports`"),
            ("[10, 20]", "[9, 20]", "expected at least 10"),
            ("[10, 20]", "[20, 10]", "expected more than 20, before it"),
            ("[10, 20]", "[\"10\", 20]", "expected a number"),
            ("[10, 20]", "[10]", "at least two numbers"),
            ("[10, 20]", "10", "at least two numbers"),
            ("[10, 20]", "[0, 20]\nscale = \"log_x\"", "expected more than 0"),
            ("[10, 20]", "[10, 20]\nscale = \"log_y\"", "nearest: `log_x`"),
            ("[10, 20]", "[10, 20]\ncolour = \"red\"", "unknown key `colour`"),
            ("model = \"batched_balls\"", "model = \"batched_ball\"", "nearest: `batched_balls`"),
            ("kind = \"theory\"", "kind = \"value\"", "`kind` is one of: theory"),
            ("[[claim]]", &format!("{line}[[claim]]"), "two lines are called `two`"),
            (line, "", "[curves] has 0 lines"),
        ] {
            let found = problems(&TEXT.replacen(from, to, 1));
            assert!(found.contains(answer), "{to}: {found}");
        }
    }
}
