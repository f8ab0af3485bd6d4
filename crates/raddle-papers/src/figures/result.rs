//! What a figure's run came to: each claim with its value and verdict.

use super::cells::FigureCell;
use super::claim::Claim;
use super::curves::{FigureCurves, Points};
use super::expected::{Expected, Kind};
use super::free::Free;
use super::increase::NamedBound;
use super::mark::Mark;
use super::measured::Measured;
use super::number::Number;
use super::panels::Panels;
use super::run::FigureRun;
use super::table::Table;
use super::traces::{Line, Trace};
use super::{Figure, Mode};
use raddle::scenario::Outline;
use serde_json::{Value, json};

raddle_schemes::words! {
    /// Whether a claim agrees with the rerun.
    pub enum Verdict {
        /// The measured value is in the band.
        Holds = "holds",
        /// It is not.
        Differs = "differs",
        /// This mode does not measure it.
        NotRun = "not_run",
    }
}

/// A claim, measured and judged.
#[derive(Clone, Debug)]
pub struct ClaimResult {
    /// The claim.
    pub claim: Claim,
    /// The value, to six digits; `None` if not run, or if there is none because a run did not
    /// complete.
    pub measured: Option<f64>,
    /// The lower bounds that the value is taken against.
    pub bounds: Vec<NamedBound>,
    /// The verdict.
    pub verdict: Verdict,
}

/// A figure, run and judged.
#[derive(Clone, Debug)]
pub struct FigureResult {
    /// The figure.
    pub figure: Figure,
    /// The figure in one line.
    pub title: String,
    /// What is smaller than in the paper.
    pub reduced: Option<String>,
    /// Why kept results are old ones.
    pub stale: Option<String>,
    /// How much was run.
    pub mode: Mode,
    /// What this mode, and who ran it, set in the scenario: paths and values.
    pub set: Vec<(String, String)>,
    /// The scenario's cells and seeds; none for a model without a simulation.
    pub outline: Option<Outline>,
    /// The claims, in the order of the file.
    pub claims: Vec<ClaimResult>,
    /// Pictures of the cells: see [`Claims::chart`](super::Claims::chart).
    pub chart: Vec<Vec<Number>>,
    /// Those of them that are lines in place of bars.
    pub lines: Vec<Panels>,
    /// A picture of models.
    pub curves: Option<FigureCurves>,
    /// Pictures of what runs recorded, each with what it was asked for.
    pub traces: Vec<(Trace, FigureCurves)>,
    /// A table of the cells.
    pub table: Option<Table>,
    /// What each cell came to, in the order of the scenario's sweep.
    pub cells: Vec<FigureCell>,
    /// All runs: cells in order, seeds in order; none of a result that was kept.
    pub runs: Vec<FigureRun>,
}

/// What was measured for pictures that are not of cells.
pub(super) struct Drawn {
    /// Of the models' lines.
    pub(super) curves: Vec<Points>,
    /// Of each trace.
    pub(super) traces: Vec<Vec<Line>>,
}

impl FigureResult {
    /// Whether its scenario has changed since it was run, or it was run before cells had a hash of what
    /// the engine gave. Reads the scenario with all its cells.
    pub fn is_stale(&self) -> bool {
        if self.cells.iter().any(|cell| cell.results.is_none()) {
            return true;
        }
        let Ok(now) = self.figure.prepare_with(self.mode, &self.set) else { return true };
        let own = now.study.iter().flat_map(|study| &study.cells);
        let scenarios = self.cells.iter().map(|cell| cell.scenario.clone());
        own.map(|cell| cell.scenario.hash()).ne(scenarios)
    }

    /// What claims say of the middle of a number in a cell.
    pub(super) fn marks(&self, number: Number, cell: &FigureCell) -> Vec<Mark> {
        Mark::all(self.claims.iter().map(|own| &own.claim), number, cell, &self.cells)
    }

    /// How many claims have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.claims.iter().filter(|result| result.verdict == verdict).count()
    }

    /// Claims that differ and carry no reason: each makes the command fail.
    pub fn unexplained(&self) -> impl Iterator<Item = &ClaimResult> {
        self.claims
            .iter()
            .filter(|result| result.verdict == Verdict::Differs && result.claim.reason.is_none())
    }

    /// The seeds; none for a model without a simulation.
    pub fn seeds(&self) -> &[u64] {
        self.outline.as_ref().map_or(&[], |outline| &outline.seeds)
    }

    pub(super) fn claims_json(&self) -> Vec<Value> {
        self.claims.iter().map(ClaimResult::json).collect()
    }
}

/// How many claims of a kind there are, and what became of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// The kind.
    pub kind: Kind,
    /// All its claims.
    pub claims: usize,
    /// Those that hold.
    pub hold: usize,
    /// Those that this mode does not measure.
    pub not_run: usize,
}

impl Total {
    /// `3 of 4 published`.
    pub fn text(&self) -> String {
        format!("{} of {} {}", self.hold, self.claims - self.not_run, self.kind.word())
    }

    fn json(&self) -> Value {
        json!({
            "kind": self.kind.word(),
            "claims": self.claims,
            "hold": self.hold,
            "not_run": self.not_run,
        })
    }
}

/// The claims counted, each kind apart; kinds without a claim are left out.
pub fn totals<'r>(claims: impl Iterator<Item = &'r ClaimResult> + Clone) -> Vec<Total> {
    let total = |kind: Kind| {
        let own = claims.clone().filter(|result| result.claim.kind == kind);
        let verdict = |verdict| own.clone().filter(|result| result.verdict == verdict).count();
        Total {
            kind,
            claims: own.clone().count(),
            hold: verdict(Verdict::Holds),
            not_run: verdict(Verdict::NotRun),
        }
    };
    Kind::ALL.iter().copied().map(total).filter(|total| total.claims > 0).collect()
}

/// What became of claims, in words: `3 of 4 published, 2 of 2 reference`.
pub fn totals_text<'r>(claims: impl Iterator<Item = &'r ClaimResult> + Clone) -> String {
    let run = totals(claims).into_iter().filter(|total| total.claims > total.not_run);
    run.map(|total| total.text()).collect::<Vec<_>>().join(", ")
}

/// The object of `raddle.reproduce/1`.
pub fn to_json(results: &[FigureResult]) -> Value {
    let figure = |result: &FigureResult| {
        json!({
            "figure": result.figure.name,
            "mode": result.mode.word(),
            "set": result.set.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "claims": result.claims_json(),
        })
    };
    let totals = totals(results.iter().flat_map(|result| &result.claims));
    json!({
        "schema": "raddle.reproduce/1",
        "totals": totals.iter().map(Total::json).collect::<Vec<_>>(),
        "figures": results.iter().map(figure).collect::<Vec<_>>(),
    })
}

impl ClaimResult {
    pub(super) fn new(claim: Claim, Measured { value, bounds }: Measured, mode: Mode) -> Self {
        let holds = value.is_some_and(|value| claim.agrees(value));
        let verdict = match holds {
            _ if mode == Mode::Quick && !claim.quick => Verdict::NotRun,
            true => Verdict::Holds,
            false => Verdict::Differs,
        };
        Self { claim, measured: value, bounds, verdict }
    }

    fn json(&self) -> Value {
        let claim = &self.claim;
        let expected = match &claim.expected {
            Expected::Number(number) => json!(number),
            Expected::Text(text) => json!(text),
        };
        let mut object = json!({
            "id": claim.id,
            "text": claim.text,
            "source": claim.source,
            "kind": claim.kind.word(),
            "expected": expected,
            "measured": self.measured,
            "low": claim.low,
            "high": claim.high,
            "verdict": self.verdict.word(),
            "reason": self.reason(),
        });
        if let Some(one_sided) = claim.one_sided {
            object["one_sided"] = json!(one_sided.word());
        }
        if !claim.free.is_empty() {
            object["free"] = claim.free.iter().map(Free::json).collect();
        }
        if let Some(turns) = &claim.turns {
            object["turns"] = json!(turns);
        }
        if !self.bounds.is_empty() {
            let bound = |bound: &NamedBound| json!({ "bound": bound.name.word(), "us": bound.us });
            object["bounds"] = self.bounds.iter().map(bound).collect();
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::claims::Claims;

    const LOW: &str = "low = 0.1\none_sided = \"at_least\"";

    fn judged(band: &str, mode: Mode) -> ClaimResult {
        let text = format!(
            "title = \"t\"\n[[claim]]\nid = \"a\"\ntext = \"b\"\nsource = \"c\"\npublished = 3.0\n\
             {band}\nmeasure = {{ kind = \"theory\", model = \"load_imbalance\", \
             quantity = \"mean\", set = {{ uplinks = 1, entropies = 1, trials = 1 }} }}\n"
        );
        let claims = Claims::parse("claims.toml", &text).unwrap();
        let claim = claims.claims[0].clone();
        let measured = Measured::of(&claim, &[], mode, &crate::figures::Answers::default());
        ClaimResult::new(claim, measured, mode)
    }

    #[test]
    fn bands_are_inclusive_and_may_be_open() {
        assert_eq!(judged("low = 0.0\nhigh = 0.0", Mode::Full).verdict, Verdict::Holds);
        assert_eq!(judged("high = 1\none_sided = \"at_most\"", Mode::Full).verdict, Verdict::Holds);
        assert_eq!(judged(LOW, Mode::Full).verdict, Verdict::Differs);
        assert_eq!(judged(&format!("{LOW}\nquick = false"), Mode::Quick).verdict, Verdict::NotRun);
    }

    #[test]
    fn a_reason_is_told_only_where_the_claim_differs() {
        let reason = "reason = \"tested\"";
        assert_eq!(judged(&format!("{LOW}\n{reason}"), Mode::Full).json()["reason"], "tested");
        assert!(
            judged(&format!("low = 0\nhigh = 1\n{reason}"), Mode::Full).json()["reason"].is_null()
        );
    }

    #[test]
    fn kinds_are_counted_apart() {
        let mut claims = [
            judged("high = 1\none_sided = \"at_most\"", Mode::Full),
            judged(LOW, Mode::Full),
            judged(&format!("{LOW}\nquick = false"), Mode::Quick),
        ];
        claims[0].claim.kind = Kind::Model;
        assert_eq!(totals_text(claims.iter()), "0 of 1 published, 1 of 1 model");
        let all = totals(claims.iter());
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].claims, all[0].not_run, all[1].claims), (2, 1, 1));
    }
}
