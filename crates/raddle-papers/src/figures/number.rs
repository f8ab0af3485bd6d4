//! The numbers that pictures are drawn of: of a run, of one of its layers, or over a bound.

use super::increase::{BoundName, increase_pct};
use super::layer::{LayerMetric, LayerNumber, layer_words};
use super::metric::Metric;
use super::run::FigureRun;
use raddle::problem::Problem;
use raddle::scenario::reader::{self, with_nearest};
use raddle::scenario::spec::{Item, Value};
use raddle::study::summary::SizeClass;
use raddle::study::text::digits;
use raddle_schemes::family::{Parameter, Raw};
use raddle_sim::record::layers::Layer;

/// What a picture shows of each cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A number of the run's summary: `completion_us`.
    Run(Metric),
    /// A number of a layer: `tor_agg.data_overload`.
    Layer(LayerNumber),
    /// By how much the completion exceeds a bound, in percent of it: `permutation.increase_pct`, or
    /// `permutation.phases_increase_pct` for the mean over the phases of the run's jobs.
    Increase {
        /// Which bound.
        bound: BoundName,
        /// Of each phase of its jobs, and the mean of these; else of the whole run.
        phases: bool,
    },
}

/// What follows the name of a bound, for the whole run and for its phases.
const INCREASES: [&str; 2] = ["increase_pct", "phases_increase_pct"];

/// Reads one number of a `chart`.
///
/// # Errors
/// The word that is not known, with the nearest one.
pub(super) fn read_chart_number(item: &Item) -> Result<Number, Problem> {
    let word = if let Value::Text(word) = &item.value { word.as_str() } else { "" };
    let Some((owner, rest)) = word.split_once('.') else {
        let lacks_layer = LayerMetric::WORDS.contains(&word);
        let lacks_bound = INCREASES.contains(&word);
        return reader::read("chart", item).map(Number::Run).map_err(|problem| match word {
            _ if lacks_layer => problem.help(format!("of a layer: `tor_agg.{word}`")),
            _ if lacks_bound => problem.help(format!("over a bound: `permutation.{word}`")),
            _ => problem,
        });
    };
    let unknown = |what: &str, typed: &str, words: &[&str]| {
        let problem = item.place.problem(format!("unknown {what} `{typed}` in `{word}`"));
        let problem = with_nearest(problem, typed, words.iter().copied());
        problem.help(format!("expected one of: {}", words.join(", ")))
    };
    if let Ok(layer) = Layer::read(Raw::Text(owner)) {
        let metric = LayerMetric::read(Raw::Text(rest));
        return match metric {
            Ok(metric) => Ok(Number::Layer(LayerNumber { layer, metric })),
            Err(_) => Err(unknown("number of a layer", rest, LayerMetric::WORDS)),
        };
    }
    if let Ok(bound) = BoundName::read(Raw::Text(owner)) {
        return match INCREASES.iter().position(|own| *own == rest) {
            Some(index) => Ok(Number::Increase { bound, phases: index == 1 }),
            None => Err(unknown("number over a bound", rest, &INCREASES)),
        };
    }
    if Number::find(word).is_some() {
        return reader::read("chart", item).map(Number::Run);
    }
    let owners = [Layer::WORDS, BoundName::WORDS].concat();
    let problem = unknown("layer or bound", owner, &owners);
    Err(problem.help("or a job and what there is of one: `requests.slowdown_p99`"))
}

impl Number {
    /// The number that [`Number::word`] names.
    pub(super) fn find(word: &str) -> Option<Self> {
        let of_run = || Metric::read(Raw::Text(word)).ok().map(Self::Run);
        let Some((owner, rest)) = word.split_once('.') else { return of_run() };
        if let Some(phases) = INCREASES.iter().position(|own| *own == rest) {
            let bound = BoundName::read(Raw::Text(owner)).ok()?;
            return Some(Self::Increase { bound, phases: phases == 1 });
        }
        let Ok(layer) = Layer::read(Raw::Text(owner)) else { return of_run() };
        let metric = LayerMetric::read(Raw::Text(rest)).ok()?;
        Some(Self::Layer(LayerNumber { layer, metric }))
    }

    /// The word of claims and results.
    pub fn word(self) -> String {
        match self {
            Self::Run(metric) => metric.word(),
            Self::Layer(LayerNumber { layer, metric }) => {
                format!("{}.{}", layer.word(), metric.word())
            }
            Self::Increase { bound, phases } => {
                format!("{}.{}", bound.word(), INCREASES[usize::from(phases)])
            }
        }
    }

    pub(super) fn of(self, run: &FigureRun) -> Option<f64> {
        match self {
            Self::Run(metric) => metric.of(run),
            Self::Layer(number) => number.of(run),
            Self::Increase { bound, phases } => increase_pct(run, bound, phases),
        }
    }

    /// What it is, as a heading.
    pub(super) fn title(self) -> String {
        match self {
            Self::Run(metric) => metric.title(),
            Self::Layer(LayerNumber { layer, metric }) => {
                format!("{}, {}", metric.title(), layer_words(layer))
            }
            Self::Increase { bound, phases } => format!(
                "Completion beyond the bound {}, in percent of it{}",
                bound.word(),
                if phases { "; mean over the phases" } else { "" }
            ),
        }
    }

    /// What it is a number of, as the label of a row, and the heading of such rows.
    pub(super) fn row_title(self) -> (String, String) {
        match self {
            Self::Layer(LayerNumber { layer, metric }) => {
                (layer_words(layer).to_owned(), metric.title().to_owned())
            }
            other => (other.title(), String::new()),
        }
    }

    /// Whether a run that does not complete may lack it.
    pub(super) fn needs_completion(self) -> bool {
        match self {
            Self::Run(metric) => metric.needs_completion(),
            Self::Layer(_) => false,
            Self::Increase { .. } => true,
        }
    }

    /// The sizes of the flows that it is of, where it is of flows of a size.
    pub(super) fn size_class(self) -> Option<SizeClass> {
        match self {
            Self::Run(metric) => metric.size_class(),
            _ => None,
        }
    }

    /// Whether every record of a figure has it, drawn or not.
    pub(super) fn is_always_kept(self) -> bool {
        matches!(self, Self::Run(metric) if metric.is_always_kept())
    }

    /// Whether it is a count, which is left out where it is 0.
    pub(super) fn is_count(self) -> bool {
        matches!(self, Self::Run(metric) if metric.is_count())
    }

    /// Whether less is better.
    pub(super) fn least_leads(self) -> bool {
        match self {
            Self::Run(metric) => metric.least_leads(),
            Self::Layer(LayerNumber { metric, .. }) => metric != LayerMetric::StuckPairs,
            Self::Increase { .. } => true,
        }
    }

    /// What it would be by a formula that it is measured in units of, and its name.
    pub(super) fn expected(self) -> Option<(&'static str, f64)> {
        let is_measured = matches!(self, Self::Layer(_)) && !self.least_leads();
        is_measured.then_some(("those expected: 1", 1.0))
    }

    /// A value with its unit.
    pub(super) fn shown(self, value: f64) -> String {
        match self {
            Self::Run(metric) => metric.shown(value),
            Self::Layer(LayerNumber { metric, .. }) => metric.shown(value),
            Self::Increase { .. } => format!("{} %", digits(value, 3)),
        }
    }

    /// The unit of its values in a table, where the word does not say it.
    pub(super) fn unit(self) -> &'static str {
        if self == Self::Run(Metric::QUEUE_MAX) { ", bytes" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Figure, Mode};
    use raddle::study::run::Runner;
    use raddle_sim::engine;
    use std::sync::atomic::AtomicBool;
    #[test]
    fn every_number_is_found_by_its_word() {
        let runs = Metric::all().map(Number::Run);
        let layers = Layer::ALL.iter().flat_map(|&layer| {
            LayerMetric::ALL.iter().map(move |&metric| Number::Layer(LayerNumber { layer, metric }))
        });
        let increases = BoundName::ALL
            .iter()
            .flat_map(|&bound| [false, true].map(|phases| Number::Increase { bound, phases }));
        for number in runs.chain(layers).chain(increases) {
            assert_eq!(Number::find(&number.word()), Some(number), "{}", number.word());
        }
        for word in ["settings", "tor_agg", "tor_agg.completion_us", "permutation.data_overload"] {
            assert_eq!(Number::find(word), None, "{word}");
        }
    }

    const SCENARIO: &str = "\
[fabric]
topology = { kind = \"fat_tree\", tiers = 3, hosts = 16 }
[transport]
load_balance = { scheme = \"ops\" }
[traffic]
kind = \"fsdp\"
model = \"llama_7b\"
layers = 1
gpus_per_server = 2
[sweep]
seed = \"1..2\"
transport.load_balance.scheme = [\"ops\", \"reps\"]
";

    /// What a picture shows of a cell is what a claim about the mean of the cell measures.
    #[test]
    fn a_cell_keeps_the_increase_and_the_layers_that_claims_measure() {
        let cell = "cell = { \"transport.load_balance.scheme\" = \"reps\" }";
        let claim = |id: &str, measure: &str| {
            format!(
                "[[claim]]\nid = \"{id}\"\ntext = \"b\"\nsource = \"c\"\npublished = 7\nlow = \
                 0\nhigh = 9\nmeasure = {{ {measure}, {cell} }}\n"
            )
        };
        let words = ["permutation.phases_increase_pct", "agg_tor.data_overload"];
        let claims = format!(
            "title = \"t\"\nchart = {words:?}\n{}{}",
            claim("increase", "kind = \"increase\", bound = \"permutation\", phases = true"),
            claim("layer", "kind = \"layer\", layer = \"agg_tor\", metric = \"data_overload\""),
        );
        let claims: &'static str = claims.leak();
        let figure = Figure { name: "a/b", scenario: Some(SCENARIO), claims, result: "" };
        let prepared = figure.prepare(Mode::Full).unwrap_or_else(|p| panic!("{}", p.render(false)));
        let stop = AtomicBool::new(false);
        let runner = Runner {
            engine: &|plan, observer| engine::run(plan, observer),
            bound: |_| None,
            threads: 1,
            stop: &stop,
            meter: &(),
        };
        let result = prepared.run(&runner).unwrap();
        let [ops, reps] = &result.cells[..] else { panic!("two cells") };
        for (word, claim) in words.iter().zip(&result.claims) {
            let number = Number::find(word).unwrap();
            let kept = reps.number(number).unwrap();
            assert_eq!(Some(kept.mean), claim.measured, "{word}");
            assert!(kept.mean > 0.0 && kept.min <= kept.mean && kept.mean <= kept.max);
            assert_eq!(result.marks(number, reps)[0].value, 7.0);
            assert_eq!(result.marks(number, ops), []);
        }
        assert_eq!(reps.number(Number::find("tor_agg.data_overload").unwrap()), None);
        let figure = Figure { result: result.record().leak(), ..figure };
        assert_eq!(figure.recorded().unwrap().cells, result.cells);
        let claims =
            claims.replace("agg_tor.data_overload\"]", "tor_spine.data_overload\"]").leak();
        let why = Figure { claims, ..figure }.recorded().unwrap_err();
        assert!(why.contains("no cell has `tor_spine.data_overload`, which is drawn"), "{why}");
    }
}
