//! Traces: what a run's recorded ports did over time, how full the memory behind them was, or how
//! slowdowns are distributed, a line for each cell and port. Of the first seed.

use super::curves::{Curve, FigureCurves, Points, Scale, read_points};
use super::digits::six_digits;
use super::oracle::{Score, score};
use super::reading::{settings, text, words};
use super::run::FigureRun;
use super::scores::TREES;
use crate::svg::COLOURS;
use raddle::scenario::Outline;
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::{Item, Place};
use raddle::study::run::Finished;
use raddle::study::summary::{fct, held_samples, ranked, slowdown};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Span, Time};
use raddle_sim::record::PortSeries;
use raddle_sim::record::probes::{Holder, ProbeRow};
use serde_json::{Value as Json, json};
use std::ops::Range;

raddle_schemes::words! {
    /// What a trace shows.
    pub enum Shows {
        /// Most bytes of data queued in each bucket, as arrivals see it: 0 where none comes.
        Queue = "queue",
        /// The rate at which frames left in each bucket.
        Rate = "rate",
        /// A number that schemes show of themselves (`record.probes`).
        Probe = "probe",
        /// The distribution of what a switch holds.
        Memory = "memory",
        /// The distribution of the slowdowns of all flows that ended.
        Slowdown = "slowdown",
        /// How well forests that are fitted to the run predict drops, by their trees.
        Oracle = "oracle",
    }
}

impl Shows {
    /// Whether time goes along, and ports have lines.
    fn is_of_time(self) -> bool {
        matches!(self, Self::Queue | Self::Rate | Self::Probe)
    }
}

/// More points of a line than this are taken together, so that records stay small.
const MOST_POINTS: usize = 120;

/// `[[trace]]` of a `claims.toml`.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Its word, unique within the figure; its picture is called so.
    pub name: String,
    /// Where it stands in the file.
    pub(super) place: Place,
    title: String,
    shows: Shows,
    /// Names of recorded ports, of what has probes, or of scores; none for distributions.
    ports: Vec<String>,
    /// The word of the probe, if it shows one.
    probe: Option<String>,
    from: Span,
    until: Option<Span>,
    /// What the cells of all lines have.
    cells: Vec<(String, String)>,
}

/// A line as it was measured: its name and points.
pub(super) type Line = (String, Points);

/// Reads a `[[trace]]`.
pub(super) fn read_trace(item: &Item, log: &Log) -> Option<Trace> {
    let mut reader = Reader::of("[[trace]]", item, log)?;
    let (name, title) = (text(&mut reader, "name"), text(&mut reader, "title"));
    let has_other = |name: &str| name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if name.as_deref().is_some_and(has_other) {
        let problem = item.place.problem("a trace's `name` is part of a file's name");
        log.add(problem.label("letters, digits and `_`"));
    }
    let shows = reader.need("shows", "\"queue\"");
    let is_of_time = shows.is_none_or(Shows::is_of_time);
    let ports = match is_of_time {
        false if shows == Some(Shows::Oracle) => {
            Some(Score::WORDS.iter().map(|word| (*word).to_owned()).collect())
        }
        false => Some(Vec::new()),
        true => {
            let (key, example, what) = match shows {
                Some(Shows::Probe) => ("of", "[\"flow 0\", \"tor0\"]", "flows and switches"),
                _ => ("ports", "[\"tor0.down0\"]", "names of recorded ports"),
            };
            reader.demand(key, example).and_then(|item| {
                let Some(items) = item.list().filter(|items| !items.is_empty()) else {
                    log.add(item.place.problem(format!("`{key}` is a list of {what}")));
                    return None;
                };
                items.iter().map(|item| words(key, item, log)).collect()
            })
        }
    };
    let probe = (shows == Some(Shows::Probe)).then(|| text(&mut reader, "probe"));
    let from = if is_of_time { reader.get("from") } else { None }.unwrap_or_default();
    let until: Option<Span> = if is_of_time { reader.get("until") } else { None };
    if let Some(until) = until.filter(|until| *until <= from) {
        let problem = item.place.problem("the trace ends before it begins");
        log.add(problem.label(format!("`until` is {until}, `from` is {from}")));
    }
    let cells = reader.take("cells");
    let cells = cells.map_or_else(|| Some(Vec::new()), |item| settings("cells", item, log));
    reader.finish();
    let place = item.place.clone();
    Some(Trace {
        name: name?,
        title: title?,
        shows: shows?,
        ports: ports?,
        probe: probe.map_or(Some(None), |probe| probe.map(Some))?,
        from,
        until,
        cells: cells?,
        place,
    })
}

impl Trace {
    /// What is wrong with it: it means no cell of the sweep, or has more lines than a picture has
    /// colours.
    pub(super) fn problem(&self, outline: Option<&Outline>) -> Option<raddle::problem::Problem> {
        let lines = outline.map_or(0, |outline| self.names(outline).len());
        let message = match lines {
            0 => format!("the trace `{}` means no cell of the sweep", self.name),
            lines if lines > COLOURS.len() => {
                format!("the trace `{}` has {lines} lines, more than {}", self.name, COLOURS.len())
            }
            _ => return None,
        };
        Some(self.place.problem(message))
    }

    fn means(&self, settings: &[(String, String)]) -> bool {
        self.cells.iter().all(|wanted| settings.contains(wanted))
    }

    /// The names of its lines, in order.
    fn names(&self, outline: &Outline) -> Vec<String> {
        let cells = outline.cells.iter();
        cells.filter(|settings| self.means(settings)).flat_map(|own| self.names_of(own)).collect()
    }

    /// Those of a cell: what sets it apart, and the port if there are several or nothing else.
    fn names_of(&self, own: &[(String, String)]) -> Vec<String> {
        let own = own.iter().filter(|setting| !self.cells.contains(setting));
        let cell = own.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ");
        let with = |port: &String| match (cell.as_str(), self.ports.len()) {
            ("", _) => port.clone(),
            (cell, 1) => cell.to_owned(),
            (cell, _) => format!("{cell}, {port}"),
        };
        match &self.ports[..] {
            [] if cell.is_empty() => vec!["switches".to_owned()],
            [] => vec![cell],
            ports => ports.iter().map(with).collect(),
        }
    }

    /// Its lines, of the first seed.
    ///
    /// # Errors
    /// A port that is not recorded, memory that is not, or nothing recorded in this stretch of time.
    pub(super) fn measure(&self, runs: &[FigureRun]) -> Result<Vec<Line>, String> {
        let first = runs.first().map(|run| run.seed);
        let own = || runs.iter().filter(|run| Some(run.seed) == first && self.means(&run.settings));
        let longest = own().map(|run| self.buckets(run).len()).max().unwrap_or(0);
        let step = longest.div_ceil(MOST_POINTS).max(1);
        let lines = own().map(|run| -> Result<Vec<Line>, String> {
            let points = match self.shows {
                Shows::Memory => vec![self.memory(run)?],
                Shows::Slowdown => vec![self.slowdowns(run)?],
                Shows::Oracle => self.scores(run)?,
                Shows::Probe => {
                    let points = self.ports.iter().map(|of| self.probed(run, of));
                    points.collect::<Result<_, _>>()?
                }
                Shows::Queue | Shows::Rate => {
                    let points = self.ports.iter().map(|port| self.over_time(run, port, step));
                    points.collect::<Result<_, _>>()?
                }
            };
            Ok(self.names_of(&run.settings).into_iter().zip(points).collect())
        });
        Ok(lines.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The buckets of a run that lie wholly inside; the last of a run does not.
    fn buckets(&self, run: &FigureRun) -> Range<usize> {
        let width = run.finished.outcome.bucket.0;
        let recorded = run.finished.outcome.series.iter().map(|series| series.bytes.len()).max();
        let until = self.until.and_then(|until| until.0.checked_div(width));
        let end = recorded.unwrap_or(0).saturating_sub(1);
        let first =
            self.from.0.checked_next_multiple_of(width).map_or(end, |from| (from / width) as usize);
        first..end.min(until.map_or(end, |until| until as usize))
    }

    /// How much of the time a switch holds so much (kB) or less.
    fn memory(&self, run: &FigureRun) -> Result<Points, String> {
        let held = held_samples(&run.finished.plan, &run.finished.outcome).unwrap_or_default();
        let held = held.into_iter().map(|held| held as f64 / 1e3).collect();
        distribution(held).ok_or_else(|| {
            format!(
                "the trace `{}` needs `record.queue_means` with ports and a `bucket`",
                self.name
            )
        })
    }

    /// Which share of the flows that ended has such a slowdown or less.
    fn slowdowns(&self, run: &FigureRun) -> Result<Points, String> {
        let Finished { outcome, ideals, .. } = &run.finished;
        let own = outcome.flows.iter().zip(ideals);
        let own = own.filter_map(|(flow, ideal)| slowdown(fct(&flow)?, *ideal)).collect();
        distribution(own).ok_or_else(|| format!("the trace `{}`: no flow ended", self.name))
    }

    /// How each score goes by trees; a forest that predicts no drop has no precision.
    fn scores(&self, run: &FigureRun) -> Result<Vec<Points>, String> {
        let by_trees = |own: &Score| -> Points {
            let at = |&trees: &u16| Some((trees.into(), six_digits(score(run, trees, *own)?)));
            TREES.iter().filter_map(at).collect()
        };
        let lines: Vec<Points> = Score::ALL.iter().map(by_trees).collect();
        if lines.iter().all(Vec::is_empty) {
            return Err(format!(
                "the trace `{}` needs `record.training`, and packets that are dropped",
                self.name
            ));
        }
        Ok(lines)
    }

    /// Microseconds from the beginning of the trace to that of `step` buckets, and kB or Gbit/s.
    fn over_time(&self, run: &FigureRun, port: &str, step: usize) -> Result<Points, String> {
        let (plan, outcome) = (&run.finished.plan, &run.finished.outcome);
        let name = |id: &PortId| plan.fabric.ports[id.index()].name == port;
        let place = plan.record.ports.iter().position(name);
        let told = || format!("the trace `{}`: port `{port}` is not recorded", self.name);
        let series = place.and_then(|place| outcome.series.get(place)).ok_or_else(told)?;
        let (width, buckets) = (outcome.bucket.0, self.buckets(run));
        if buckets.is_empty() {
            return Err(format!("the trace `{}`: no bucket lies within it", self.name));
        }
        let points = buckets.clone().step_by(step).map(|first| {
            let along = (first as u64 * width - self.from.0) as f64 / 1e6;
            let together = first..(first + step).min(buckets.end);
            (six_digits(along), six_digits(self.value(series, together, width)))
        });
        Ok(points.collect())
    }

    /// Microseconds from the beginning of the trace, and what the probe of a flow or a switch came to
    /// then: at most [`MOST_POINTS`] of them, the last of each stretch.
    fn probed(&self, run: &FigureRun, of: &str) -> Result<Points, String> {
        let (plan, outcome) = (&run.finished.plan, &run.finished.outcome);
        let word = self.probe.as_deref().unwrap_or_default();
        let is_meant = |row: &&ProbeRow| {
            row.probe == word
                && match row.holder {
                    Holder::Flow(flow) => of == format!("flow {}", flow.0),
                    Holder::Switch(switch) => of == plan.fabric.switches[switch.index()].name,
                }
        };
        let until = self.until.unwrap_or(Span(u64::MAX));
        let own = outcome.probes.iter().filter(is_meant);
        let own: Vec<(Span, f64)> = own
            .map(|row| (row.at.since(Time::ZERO), row.value))
            .filter(|(at, _)| (self.from..until).contains(at))
            .collect();
        let (Some((first, _)), Some((last, _))) = (own.first(), own.last()) else {
            let told = format!("the trace `{}`: no `{word}` of {of} is recorded", self.name);
            return Err(told);
        };
        let stretch = |at: &Span| (at.0 - first.0) * MOST_POINTS as u64 / (last.0 - first.0 + 1);
        let last_of = own.chunk_by(|(a, _), (b, _)| stretch(a) == stretch(b));
        let point = |(at, value): &(Span, f64)| {
            (six_digits(Span(at.0 - self.from.0).as_us()), six_digits(*value))
        };
        Ok(last_of.filter_map(<[_]>::last).map(point).collect())
    }

    fn value(&self, series: &PortSeries, buckets: Range<usize>, width: u64) -> f64 {
        let span = (buckets.len() as u64 * width) as f64;
        match self.shows {
            Shows::Rate => series.bytes[buckets].iter().sum::<u64>() as f64 * 8e3 / span,
            _ => series.queue_bytes_max[buckets].iter().max().copied().unwrap_or(0) as f64 / 1e3,
        }
    }

    /// The picture of these lines.
    pub(super) fn drawn(&self, lines: Vec<Line>) -> FigureCurves {
        let axis = match self.shows {
            Shows::Memory => "kB in the memory of a switch".to_owned(),
            Shows::Slowdown => "slowdown".to_owned(),
            Shows::Oracle => "trees".to_owned(),
            _ if self.from == Span::ZERO => "us".to_owned(),
            _ => format!("us from {} on", self.from),
        };
        let curve = |(name, points)| Curve { name, points, published: Vec::new(), joined: true };
        let lines = lines.into_iter().map(curve).collect();
        let scale = match self.shows {
            Shows::Slowdown | Shows::Oracle => Scale::LogX,
            Shows::Queue | Shows::Rate | Shows::Probe | Shows::Memory => Scale::Linear,
        };
        FigureCurves { title: self.title.clone(), axis, scale, lines }
    }

    /// What is kept of its lines: an object for each.
    pub(super) fn json<'l>(&'l self, lines: &'l [Curve]) -> impl Iterator<Item = Json> + 'l {
        lines.iter().map(|line| {
            let mut kept = self.asked();
            kept["line"] = json!(line.name);
            kept["points"] = json!(line.points);
            kept
        })
    }

    /// What its lines show, without their names.
    fn asked(&self) -> Json {
        let mut asked = json!({ "trace": self.name, "shows": self.shows.word() });
        if let Some(probe) = &self.probe {
            asked["probe"] = json!(probe);
        }
        if self.shows.is_of_time() {
            asked["ports"] = json!(self.ports);
            asked["from"] = json!(self.from.to_string());
            asked["until"] = json!(self.until.map(|until| until.to_string()));
        }
        asked
    }

    /// The lines that [`Trace::json`] kept; `None` if they are others than it would have.
    pub(super) fn read<'v>(
        &self,
        kept: impl Iterator<Item = &'v Json>,
        outline: Option<&Outline>,
    ) -> Option<Vec<Line>> {
        let asked = self.asked();
        let same = |kept: &Json| {
            asked.as_object()?.iter().all(|(key, own)| kept[key] == *own).then_some(())
        };
        let line = |kept: &Json| {
            same(kept)?;
            Some((kept["line"].as_str()?.to_owned(), read_points(kept)?))
        };
        let own = kept.filter(|kept| kept["trace"] == *self.name);
        let lines: Vec<Line> = own.map(line).collect::<Option<_>>()?;
        let names = self.names(outline?);
        names.iter().eq(lines.iter().map(|(name, _)| name)).then_some(lines)
    }
}

/// Which share of the values is so great or less; `None` if there are none.
fn distribution(mut values: Vec<f64>) -> Option<Points> {
    values.sort_unstable_by(f64::total_cmp);
    let permille = (0..50).map(|step| step * 20).chain([985, 990, 995, 998, 999, 1000]);
    let at =
        |permille: usize| Some((six_digits(ranked(&values, permille)?), permille as f64 / 1e3));
    permille.map(at).collect()
}

#[cfg(test)]
mod tests {
    use crate::figures::{Claims, FIGURES};

    const TEXT: &str = "\
title = \"t\"
[[trace]]
name = \"queues\"
title = \"queue, kB\"
shows = \"queue\"
ports = [\"tor0.down0\"]
from = \"1 ms\"
until = \"2 ms\"
cells = { incast = \"10:1\" }
";

    fn problems(text: &str) -> String {
        Claims::parse("claims.toml", text).map_or_else(|p| p.render(false), |_| String::new())
    }

    #[test]
    fn wrong_traces_are_answered_with_right_ones() {
        assert_eq!(problems(TEXT), "");
        for (from, to, answer) in [
            ("shows = \"queue\"", "shows = \"queues\"", "nearest: `queue`"),
            ("shows = \"queue\"", "shows = \"memory\"", "unknown key `ports`"),
            ("shows = \"queue\"", "shows = \"slowdown\"", "unknown key `ports`"),
            ("shows = \"queue\"", "shows = \"oracle\"", "unknown key `ports`"),
            ("ports = [\"tor0.down0\"]\n", "", "ports = [\"tor0.down0\"]"),
            ("[\"tor0.down0\"]", "[]", "a list of names of recorded ports"),
            ("from = \"1 ms\"", "from = \"2 ms\"", "ends before it begins"),
            ("cells = {", "cell = {", "nearest: `cells`"),
            ("name = \"queues\"", "name = \"a/b\"", "letters, digits and `_`"),
        ] {
            let found = problems(&TEXT.replacen(from, to, 1));
            assert!(found.contains(answer), "{to}: {found}");
        }
        let twice = format!("{TEXT}{}", &TEXT[TEXT.find("[[").unwrap()..]);
        assert!(problems(&twice).contains("two traces are called `queues`"));
    }

    #[test]
    fn a_line_is_called_by_what_sets_its_cell_apart_and_by_its_port_where_there_are_several() {
        let trace = |text: &str| Claims::parse("c", text).unwrap().traces.remove(0);
        let own = [("incast", "10:1"), ("scheme", "HPCC")];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(trace(TEXT).names_of(&own), ["HPCC"]);
        let both = TEXT.replace("down0\"]", "down0\", \"tor0.down1\"]");
        assert_eq!(trace(&both).names_of(&own), ["HPCC, tor0.down0", "HPCC, tor0.down1"]);
        assert_eq!(trace(&both).names_of(&own[..1]), ["tor0.down0", "tor0.down1"]);
        assert_eq!(trace(TEXT).names_of(&own[..1]), ["tor0.down0"]);
    }

    #[test]
    fn probes_of_flows_and_switches_are_drawn_over_time() {
        let text = TEXT
            .replace("\"queue\"", "\"probe\"")
            .replace("ports = [\"tor0.down0\"]", "probe = \"window\"\nof = [\"flow 0\"]");
        assert_eq!(problems(&text), "");
        assert!(problems(&text.replace("of = ", "ports = ")).contains("of = [\"flow 0\""));
        assert!(problems(&text.replace("probe = \"window\"\n", "")).contains("lacks `probe`"));
    }

    #[test]
    fn what_switches_hold_rises_to_all_of_the_time() {
        let figure = FIGURES.iter().find(|figure| figure.name == "powertcp/fig2_7").unwrap();
        let traces = figure.recorded().unwrap().traces;
        let line = &traces[0].1.lines[0];
        assert_eq!(line.points.last().map(|point| point.1), Some(1.0));
        assert!(line.points.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
    }
}
