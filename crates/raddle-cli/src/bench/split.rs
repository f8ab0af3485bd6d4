//! Circuits split into matchings: what a schedule costs to make (Vermilion, 8.2).

use super::median;
use raddle::study::timing::Stopwatch;
use raddle_circuits::circuits::Circuits;
use raddle_circuits::matching::Matching;
use raddle_schemes::rng::Rng;
use raddle_throughput::decompose::{decompose, extracted};
use serde_json::{Value, json};

/// Circuits of a node, in multiples of the nodes: Vermilion's k.
const K: usize = 3;

/// What is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// Copies of i to i + 1, what the authors' code is timed on.
    Ring,
    /// As many permutations, each drawn: a general matrix.
    Drawn,
}

/// Circuits to split.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    input: Input,
    nodes: usize,
    /// What the authors' code takes of copies of one matching, in ms: medians of 101 runs of
    /// `inet-tub/rdcn-throughput`, a greedy first fit.
    published_ms: f64,
}

/// The nodes, with the published times in ms.
const PUBLISHED: [(usize, f64); 4] = [(64, 0.233), (128, 1.14), (256, 7.5), (512, 51.7)];

/// At most so many nodes in the quick form.
const QUICK_NODES: usize = 128;

/// Those whose name contains one of `words`, or all of them.
pub(super) fn splits(words: &[String], quick: bool) -> Vec<Split> {
    let wanted = |split: &Split| {
        let id = split.id();
        words.is_empty() || words.iter().any(|word| id.contains(word.as_str()))
    };
    let of = |input| PUBLISHED.map(|(nodes, published_ms)| Split { input, nodes, published_ms });
    let all = [Input::Ring, Input::Drawn].into_iter().flat_map(of);
    all.filter(|split| !quick || split.nodes <= QUICK_NODES).filter(wanted).collect()
}

impl Input {
    /// The word for it in JSON and in names.
    const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Drawn => "drawn",
        }
    }
}

impl Split {
    /// The name to choose it by, `split-ring-n64`.
    pub(super) fn id(&self) -> String {
        format!("split-{}-n{}", self.input.name(), self.nodes)
    }

    fn circuits(&self) -> Circuits {
        let degree = K * self.nodes;
        let shift = Matching::shift(self.nodes, 1);
        match self.input {
            Input::Ring => Circuits::union(self.nodes, std::iter::repeat_n(&shift, degree)),
            Input::Drawn => {
                let mut rng = Rng::new(1, "bench", 0);
                let mut targets: Vec<u16> = (0..self.nodes as u16).collect();
                let mut matchings = Vec::new();
                for _ in 0..degree {
                    rng.shuffle(&mut targets);
                    matchings.extend(Matching::new(targets.clone()));
                }
                Circuits::union(self.nodes, &matchings)
            }
        }
    }

    /// Splits as often as asked, in this process: the median time.
    pub(super) fn measure(&self, rounds: usize, calibration: f64) -> Result<Value, String> {
        let circuits = self.circuits();
        let mut times = Vec::new();
        for _ in 0..rounds {
            let watch = Stopwatch::start();
            let copies = decompose(&circuits).map_err(|error| error.to_string())?;
            let matchings = extracted(&copies).len();
            times.push(watch.elapsed_ns() as f64 / 1e6);
            if matchings != K * self.nodes {
                return Err(format!("{} has {matchings} matchings", self.id()));
            }
        }
        let ms = median(&times);
        Ok(json!({
            "case": self.id(),
            "nodes": self.nodes,
            "matchings": K * self.nodes,
            "wall_ms": ms,
            "published_ms": self.published_ms,
            "over_published": ms / self.published_ms,
            "calibration": calibration,
        }))
    }
}

pub(super) const HEADINGS: &str =
    "circuits split         nodes matchings   wall ms  published ms (copies of one)";

pub(super) fn text(row: &Value) -> String {
    let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    format!(
        "{:22} {:>5} {:>9} {:>9.3} {:>13.3}  x {:.3}",
        row["case"].as_str().unwrap_or_default(),
        row["nodes"].to_string(),
        row["matchings"].to_string(),
        number("wall_ms"),
        number("published_ms"),
        number("over_published"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_chosen_by_parts_of_their_names_and_give_all_matchings() {
        let chosen = |words: &[&str], quick| {
            let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            splits(&words, quick).iter().map(Split::id).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&["ring"], true), ["split-ring-n64", "split-ring-n128"]);
        assert_eq!(chosen(&["n512"], false), ["split-ring-n512", "split-drawn-n512"]);
        assert_eq!(chosen(&["permutation"], false), Vec::<String>::new());
        for split in splits(&["n64".to_owned()], true) {
            assert_eq!(split.measure(1, 1.0).unwrap()["matchings"], 192);
        }
    }
}
