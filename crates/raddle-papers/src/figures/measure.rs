//! How a claim is measured: a number from the runs of one or two cells.
//!
//! A cell is named by its settings, so nothing here knows any scheme. What is measured per run is
//! then summed up over the seeds by a [`Statistic`].

use super::Mode;
use super::across::{Many, read_many};
use super::answers::Answers;
use super::claims::{settings, text, words};
use super::increase::{BoundName, NamedBound, increase_pct};
use super::layer::{LayerNumber, queue_packets_mean, read_layer_number};
use super::many::{RankCorrelation, Values, read_rank_correlation, read_values};
use super::metric::Metric;
use super::oracle::{Score, TREES, score};
use super::pairs::{Pairs, read_pairs};
use super::prepare::FigureRun;
use super::series::{
    Each, Window, fairness, offered_share, offered_shares, queue_above, queue_max, rate_gbps,
};
use super::theory::{TheoryNumber, read_number};
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::{Item, Place};
use raddle_schemes::size::Size;

raddle_schemes::words! {
    /// What is taken of the values of several seeds.
    pub enum Statistic {
        /// Their mean.
        Mean = "mean",
        /// The middle one, or the mean of the two in the middle.
        Median = "median",
        /// The least.
        Min = "min",
        /// The greatest.
        Max = "max",
    }
}

raddle_schemes::words! {
    /// What is taken of the values of several ports.
    pub enum Across {
        /// Their mean.
        Mean = "mean",
        /// The least.
        Min = "min",
        /// The greatest.
        Max = "max",
    }
}

/// A cell, by what the sweep set in it. Settings not named here may be anything, as long as one
/// cell is left.
#[derive(Clone, Debug)]
pub struct Selector {
    /// Names and values.
    pub settings: Vec<(String, String)>,
    pub(super) place: Place,
}

/// How a claim is measured.
#[derive(Clone, Debug)]
pub enum Measure {
    /// A metric of one cell.
    Value {
        /// Which number.
        metric: Metric,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// A metric of one cell over the same of another; each is taken over its seeds first.
    Ratio {
        /// Which number.
        metric: Metric,
        /// Over the seeds.
        statistic: Statistic,
        /// Above the line.
        of: Selector,
        /// Below the line.
        over: Selector,
    },
    /// The same for many pairs of cells at once.
    Ratios(Pairs),
    /// By how much the completion of a cell exceeds a lower bound, in percent of the bound.
    Increase {
        /// Which bound.
        bound: BoundName,
        /// Of each phase of its jobs, and the mean of these; else of the whole run.
        phases: bool,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// A measure over another.
    Quotient {
        /// Above the line.
        of: Box<Measure>,
        /// Below the line.
        over: Box<Measure>,
    },
    /// A measure less another.
    Difference {
        /// What is taken from.
        of: Box<Measure>,
        /// What is taken away.
        less: Box<Measure>,
    },
    /// Packets that a port was given in a window, lost ones included, over the mean of the other
    /// recorded ports.
    PortShare {
        /// The port.
        port: String,
        /// When.
        window: Window,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// The same of each recorded port over the mean of them all.
    PortShares {
        /// Over the ports.
        across: Across,
        /// When.
        window: Window,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// Gbit/s that left recorded ports in a window.
    PortRate {
        /// One port; all recorded ones if none is given.
        port: Option<String>,
        /// One that is left out.
        except: Option<String>,
        /// Over the ports, and over the buckets if each has a rate.
        across: Across,
        /// Of what there is a rate.
        each: Each,
        /// When.
        window: Window,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// Jain's index of the rates of some recorded ports in a window.
    PortFairness {
        /// The ports.
        ports: Vec<String>,
        /// When.
        window: Window,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// The longest queue of the recorded ports in a window, in units of `unit`.
    QueueMax {
        /// The queue length that counts as 1.
        unit: Size,
        /// When.
        window: Window,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// The share of the buckets of a window in which the longest queue of the recorded ports
    /// exceeds `threshold`.
    QueueAbove {
        /// The queue length to exceed.
        threshold: Size,
        /// When.
        window: Window,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// A number of a layer in one cell.
    Layer {
        /// Which number.
        number: LayerNumber,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// The mean data queued in all switch queues over the sending time, in full packets.
    QueueMean {
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// How well a forest that is fitted to a run predicts drops.
    Oracle {
        /// Which score.
        score: Score,
        /// Of the forest of how many trees.
        trees: u16,
        /// Over the seeds.
        statistic: Statistic,
        /// Where.
        cell: Selector,
    },
    /// A metric of many cells.
    Values(Values),
    /// How closely one metric follows another from cell to cell.
    RankCorrelation(RankCorrelation),
    /// A number of a model; no simulation.
    Theory(TheoryNumber),
    /// The same of many parameters.
    Across(Many),
}

const KINDS: &[&str] = &[
    "value",
    "ratio",
    "ratios",
    "increase",
    "quotient",
    "difference",
    "port_share",
    "port_shares",
    "port_rate_gbps",
    "port_fairness",
    "queue_max",
    "queue_above",
    "layer",
    "queue_mean",
    "oracle",
    "values",
    "rank_correlation",
    "theory",
    "across",
];

/// Reads a claim's measure.
pub(super) fn read_measure(item: &Item, log: &Log) -> Option<Measure> {
    let mut reader = Reader::of("measure", item, log)?;
    let before = log.count();
    let kind = reader.choice("kind", KINDS)?;
    let measure = match kind {
        "value" => value(&mut reader),
        "ratio" => ratio(&mut reader),
        "ratios" => read_pairs(&mut reader).map(Measure::Ratios),
        "increase" => increase(&mut reader),
        "quotient" => both(&mut reader, "over").map(|[of, over]| Measure::Quotient { of, over }),
        "difference" => {
            both(&mut reader, "less").map(|[of, less]| Measure::Difference { of, less })
        }
        "port_share" => port_share(&mut reader),
        "port_shares" => port_shares(&mut reader),
        "port_rate_gbps" => port_rate(&mut reader),
        "port_fairness" => port_fairness(&mut reader),
        "queue_max" => queue(&mut reader, "unit").map(|(unit, window, statistic, cell)| {
            Measure::QueueMax { unit, window, statistic, cell }
        }),
        "queue_above" => {
            queue(&mut reader, "threshold").map(|(threshold, window, statistic, cell)| {
                Measure::QueueAbove { threshold, window, statistic, cell }
            })
        }
        "layer" => layer(&mut reader),
        "queue_mean" => queue_mean(&mut reader),
        "oracle" => oracle(&mut reader),
        "values" => read_values(&mut reader).map(Measure::Values),
        "rank_correlation" => read_rank_correlation(&mut reader).map(Measure::RankCorrelation),
        "across" => read_many(&mut reader).map(Measure::Across),
        _ => read_number(&mut reader).map(Measure::Theory),
    };
    reader.finish();
    measure.filter(|_| log.count() == before)
}

fn selector(reader: &mut Reader<'_>, key: &'static str) -> Option<Selector> {
    let item = reader.demand(key, "{ \"transport.load_balance.scheme\" = \"..\" }")?;
    let settings = settings(key, item, reader.log())?;
    Some(Selector { settings, place: item.place.clone() })
}

fn statistic(reader: &mut Reader<'_>) -> Statistic {
    reader.or("statistic", Statistic::Mean)
}

fn window(reader: &mut Reader<'_>) -> Window {
    Window { from: reader.get("from"), until: reader.get("until") }
}

fn value(reader: &mut Reader<'_>) -> Option<Measure> {
    let metric = reader.need("metric", "\"completion_us\"");
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Measure::Value { metric: metric?, statistic, cell: cell? })
}

fn ratio(reader: &mut Reader<'_>) -> Option<Measure> {
    let metric = reader.need("metric", "\"completion_us\"");
    let statistic = statistic(reader);
    let of = selector(reader, "of");
    let over = selector(reader, "over");
    Some(Measure::Ratio { metric: metric?, statistic, of: of?, over: over? })
}

fn oracle(reader: &mut Reader<'_>) -> Option<Measure> {
    let score = reader.need("score", "\"precision\"");
    let trees: Option<u16> = reader.need("trees", "4");
    if let Some(trees) = trees.filter(|trees| !TREES.contains(trees)) {
        let problem = reader.place().problem(format!("`trees` is {trees}"));
        reader.log().add(problem.label(format!("expected one of {TREES:?}")));
    }
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Measure::Oracle { score: score?, trees: trees?, statistic, cell: cell? })
}

fn increase(reader: &mut Reader<'_>) -> Option<Measure> {
    let bound = reader.need("bound", "\"permutation\"");
    let phases = reader.or("phases", false);
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Measure::Increase { bound: bound?, phases, statistic, cell: cell? })
}

/// Two measures, the first of them called `of`.
fn both(reader: &mut Reader<'_>, other: &'static str) -> Option<[Box<Measure>; 2]> {
    let mut measure = |key| {
        let item = reader.demand(key, "{ kind = \"increase\" }")?;
        read_measure(item, reader.log()).map(Box::new)
    };
    let (of, other) = (measure("of"), measure(other));
    Some([of?, other?])
}

fn port_share(reader: &mut Reader<'_>) -> Option<Measure> {
    let port = text(reader, "port");
    let window = window(reader);
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Measure::PortShare { port: port?, window, statistic, cell: cell? })
}

fn port_shares(reader: &mut Reader<'_>) -> Option<Measure> {
    let across = reader.need("across", "\"max\"");
    let window = window(reader);
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Measure::PortShares { across: across?, window, statistic, cell: cell? })
}

fn port_rate(reader: &mut Reader<'_>) -> Option<Measure> {
    let mut optional = |key| reader.take(key).is_some().then(|| text(reader, key)).flatten();
    let (port, except) = (optional("port"), optional("except"));
    let across = reader.or("across", Across::Mean);
    let each = reader.or("each", Each::Window);
    let window = window(reader);
    let statistic = statistic(reader);
    let cell = selector(reader, "cell")?;
    Some(Measure::PortRate { port, except, across, each, window, statistic, cell })
}

fn port_fairness(reader: &mut Reader<'_>) -> Option<Measure> {
    let item = reader.demand("ports", "[\"host0\", \"host1\"]")?;
    let log = reader.log();
    let Some(items) = item.list() else {
        log.add(item.place.problem("`ports` is a list of names of ports"));
        return None;
    };
    let ports: Option<Vec<String>> = items.iter().map(|item| words("ports", item, log)).collect();
    let window = window(reader);
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Measure::PortFairness { ports: ports?, window, statistic, cell: cell? })
}

fn queue(
    reader: &mut Reader<'_>,
    key: &'static str,
) -> Option<(Size, Window, Statistic, Selector)> {
    let size = reader.need(key, "\"20 packets\"");
    let window = window(reader);
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some((size?, window, statistic, cell?))
}

fn layer(reader: &mut Reader<'_>) -> Option<Measure> {
    let number = read_layer_number(reader);
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Measure::Layer { number: number?, statistic, cell: cell? })
}

fn queue_mean(reader: &mut Reader<'_>) -> Option<Measure> {
    let statistic = statistic(reader);
    let cell = selector(reader, "cell");
    Some(Measure::QueueMean { statistic, cell: cell? })
}

impl Selector {
    /// Whether a cell with these settings is meant.
    pub fn selects(&self, settings: &[(String, String)]) -> bool {
        self.settings.iter().all(|wanted| settings.contains(wanted))
    }

    /// `of` each run of the cell, in the order of the seeds; nothing if one has no value.
    fn each(&self, runs: &[FigureRun], of: impl Fn(&FigureRun) -> Option<f64>) -> Option<Vec<f64>> {
        runs.iter().filter(|run| self.selects(&run.settings)).map(of).collect()
    }
}

impl Measure {
    /// The cells it needs, one for each selector.
    pub fn cells(&self) -> Vec<&Selector> {
        match self {
            Self::Value { cell, .. }
            | Self::Increase { cell, .. }
            | Self::PortShare { cell, .. }
            | Self::PortShares { cell, .. }
            | Self::PortRate { cell, .. }
            | Self::PortFairness { cell, .. }
            | Self::QueueMax { cell, .. }
            | Self::Layer { cell, .. }
            | Self::QueueMean { cell, .. }
            | Self::Oracle { cell, .. }
            | Self::QueueAbove { cell, .. } => vec![cell],
            Self::Ratio { of, over, .. } => vec![of, over],
            Self::Quotient { of, over: other } | Self::Difference { of, less: other } => {
                [of.cells(), other.cells()].concat()
            }
            Self::Ratios(_)
            | Self::Values(_)
            | Self::RankCorrelation(_)
            | Self::Theory(_)
            | Self::Across(_) => Vec::new(),
        }
    }

    /// The numbers of models that it needs.
    pub(super) fn numbers(&self) -> Vec<&TheoryNumber> {
        match self {
            Self::Theory(number) => vec![number],
            Self::Across(many) => many.numbers.iter().collect(),
            Self::Quotient { of, over: other } | Self::Difference { of, less: other } => {
                [of.numbers(), other.numbers()].concat()
            }
            _ => Vec::new(),
        }
    }

    /// The metrics that it takes.
    pub(super) fn metrics(&self) -> Vec<Metric> {
        match self {
            Self::Value { metric, .. } | Self::Ratio { metric, .. } => vec![*metric],
            Self::Ratios(pairs) => vec![pairs.metric],
            Self::Values(values) => vec![values.metric],
            Self::RankCorrelation(both) => vec![both.of, both.with],
            Self::Quotient { of, over: other } | Self::Difference { of, less: other } => {
                [of.metrics(), other.metrics()].concat()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it needs the cell with these settings.
    pub(super) fn needs(&self, settings: &[(String, String)]) -> bool {
        match self {
            Self::Ratios(pairs) => pairs.needs(settings),
            Self::Values(values) => values.within.has(settings),
            Self::RankCorrelation(both) => both.within.has(settings),
            Self::Quotient { of, over: other } | Self::Difference { of, less: other } => {
                of.needs(settings) || other.needs(settings)
            }
            _ => self.cells().iter().any(|selector| selector.selects(settings)),
        }
    }

    /// The bounds that it is taken against.
    pub(super) fn bounds(&self, runs: &[FigureRun]) -> Vec<NamedBound> {
        match self {
            Self::Increase { bound: name, phases, cell, .. } => {
                let us = cell.each(runs, |run| name.mean_us(&run.finished.plan, *phases));
                let us = us.and_then(|us| Statistic::Mean.of(us));
                us.map(|us| NamedBound { name: *name, us }).into_iter().collect()
            }
            Self::Quotient { of, over: other } | Self::Difference { of, less: other } => {
                let mut bounds = of.bounds(runs);
                for bound in other.bounds(runs) {
                    if !bounds.contains(&bound) {
                        bounds.push(bound);
                    }
                }
                bounds
            }
            _ => Vec::new(),
        }
    }

    /// The number; `None` where a run does not have it, say because it never completed.
    pub(super) fn take(&self, runs: &[FigureRun], mode: Mode, answers: &Answers) -> Option<f64> {
        match self {
            Self::Value { metric, statistic, cell } => {
                statistic.of(cell.each(runs, |run| metric.of(run))?)
            }
            Self::Ratio { metric, statistic, of, over } => {
                let of = statistic.of(of.each(runs, |run| metric.of(run))?)?;
                let over = statistic.of(over.each(runs, |run| metric.of(run))?)?;
                (over > 0.0).then(|| of / over)
            }
            Self::Ratios(pairs) => pairs.take(runs),
            Self::Increase { bound, phases, statistic, cell } => {
                statistic.of(cell.each(runs, |run| increase_pct(run, *bound, *phases))?)
            }
            Self::Quotient { of, over } => {
                let (of, over) = (of.take(runs, mode, answers)?, over.take(runs, mode, answers)?);
                (over > 0.0).then(|| of / over)
            }
            Self::Difference { of, less } => {
                Some(of.take(runs, mode, answers)? - less.take(runs, mode, answers)?)
            }
            Self::PortShare { port, window, statistic, cell } => {
                statistic.of(cell.each(runs, |run| offered_share(run, port, *window))?)
            }
            Self::PortShares { across, window, statistic, cell } => {
                let share = |run: &FigureRun| across.of(offered_shares(run, *window)?);
                statistic.of(cell.each(runs, share)?)
            }
            Self::PortRate { port, except, across, each, window, statistic, cell } => {
                let rate = |run: &FigureRun| {
                    let chosen = |name: &str| {
                        port.as_ref().is_none_or(|port| port == name)
                            && except.as_ref().is_none_or(|except| except != name)
                    };
                    across.of(rate_gbps(run, chosen, *each, *window)?)
                };
                statistic.of(cell.each(runs, rate)?)
            }
            Self::PortFairness { ports, window, statistic, cell } => {
                statistic.of(cell.each(runs, |run| fairness(run, ports, *window))?)
            }
            Self::QueueMax { unit, window, statistic, cell } => {
                statistic.of(cell.each(runs, |run| queue_max(run, *unit, *window))?)
            }
            Self::QueueAbove { threshold, window, statistic, cell } => {
                statistic.of(cell.each(runs, |run| queue_above(run, *threshold, *window))?)
            }
            Self::Layer { number, statistic, cell } => {
                statistic.of(cell.each(runs, |run| number.of(run))?)
            }
            Self::QueueMean { statistic, cell } => {
                statistic.of(cell.each(runs, queue_packets_mean)?)
            }
            Self::Oracle { score: of, trees, statistic, cell } => {
                statistic.of(cell.each(runs, |run| score(run, *trees, *of))?)
            }
            Self::Values(values) => values.take(runs),
            Self::RankCorrelation(both) => both.take(runs),
            Self::Theory(number) => number.value(mode, answers),
            Self::Across(many) => many.take(mode, answers),
        }
    }
}

impl Statistic {
    /// The statistic of `values`; `None` if there are none.
    pub(super) fn of(self, mut values: Vec<f64>) -> Option<f64> {
        let n = values.len();
        values.sort_unstable_by(f64::total_cmp);
        match self {
            Self::Mean => Across::Mean.of(values),
            Self::Min => values.first().copied(),
            Self::Max => values.last().copied(),
            Self::Median if n == 0 => None,
            Self::Median => Some((values[(n - 1) / 2] + values[n / 2]) / 2.0),
        }
    }
}

impl Across {
    pub(super) fn of(self, values: Vec<f64>) -> Option<f64> {
        match self {
            Self::Mean if values.is_empty() => None,
            Self::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
            Self::Min => values.into_iter().min_by(f64::total_cmp),
            Self::Max => values.into_iter().max_by(f64::total_cmp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_what_they_say() {
        let values = || vec![4.0, 1.0, 3.0, 2.0];
        assert_eq!(Statistic::Mean.of(values()), Some(2.5));
        assert_eq!(Statistic::Median.of(values()), Some(2.5));
        assert_eq!(Statistic::Median.of(vec![3.0, 9.0, 1.0]), Some(3.0));
        assert_eq!(Statistic::Min.of(values()), Some(1.0));
        assert_eq!(Statistic::Max.of(values()), Some(4.0));
        assert_eq!(Statistic::Median.of(Vec::new()), None);
        assert_eq!(Statistic::Mean.of(Vec::new()), None);
    }
}
