//! A figure's claims and runs as a report.

use super::result::{ClaimResult, FigureResult, Verdict, totals_text};
use super::run::FigureRun;
use raddle::report::comparison::{Occasion, PageRun, page};
use raddle::report::{Claim, Claims, Provenance, Report};
use raddle::study::VERSION;
use raddle::study::compare::{CompareInput, Comparison, Entry};
use raddle::study::gather::Gathered;
use raddle::study::text::plural;

impl FigureResult {
    /// The report of a figure that was just run; a model's has claims and no runs.
    pub fn report(&self, palette: &dyn Fn(&[String]) -> Vec<usize>, occasion: Occasion) -> Report {
        let title = format!("{}: {}", self.figure.name, self.title);
        let report = match self.runs.first() {
            Some(first) => self.of_runs(&title, first.seed, palette, occasion),
            None => Report {
                title,
                question: "Does the model give what was published?".to_owned(),
                provenance: Provenance {
                    version: VERSION.to_owned(),
                    command: occasion.command,
                    machine: occasion.machine,
                    ..Provenance::default()
                },
                ..Report::default()
            },
        };
        Report { claims: Some(self.claims()), ..report }
    }

    fn of_runs(
        &self,
        title: &str,
        drawn_seed: u64,
        palette: &dyn Fn(&[String]) -> Vec<usize>,
        occasion: Occasion,
    ) -> Report {
        let entries: Vec<Entry<'_>> = self
            .runs
            .iter()
            .map(|run| Entry {
                settings: &run.settings,
                seed: run.seed,
                summary: Some(&run.finished.summary),
            })
            .collect();
        let comparison = Comparison::new(CompareInput::of_runs(title, &entries));
        let gathered = |run: &FigureRun| Gathered::of(&run.finished, run.seed == drawn_seed);
        let kept: Vec<Gathered> = self.runs.iter().map(gathered).collect();
        let both = self.runs.iter().zip(&kept);
        let runs: Vec<PageRun<'_>> =
            both.map(|(run, kept)| PageRun { settings: &run.settings, kept }).collect();
        page(&comparison, &runs, palette, occasion)
    }

    fn claims(&self) -> Claims {
        let judged = Some(totals_text(self.claims.iter())).filter(|text| !text.is_empty());
        let judged = judged.map(|text| format!("Claims that hold: {text}"));
        let skipped = match self.count(Verdict::NotRun) {
            0 => None,
            claims => {
                Some(format!("{} not measured in quick mode", plural(claims as u64, "claim")))
            }
        };
        let nothing =
            self.claims.is_empty().then(|| "Published numbers only, no claims".to_owned());
        let parts: Vec<String> = judged.into_iter().chain(skipped).chain(nothing).collect();
        Claims {
            summary: format!("{}.", parts.join("; ")),
            reduced: self.reduced.clone(),
            rows: self.claims.iter().map(row).collect(),
        }
    }
}

fn row(result: &ClaimResult) -> Claim {
    let bounds = Some(result.bounds_text()).filter(|bounds| !bounds.is_empty());
    let bounds = bounds.map(|bounds| format!("Bound: {bounds}"));
    let reason = result.reason().map(|reason| format!("Why it differs: {reason}"));
    let free = result.free_texts().into_iter();
    let free = free.map(|free| format!("A constant that its paper does not print, {free}"));
    let turns = result.claim.turns.as_ref().map(|turns| format!("What turns it: {turns}"));
    Claim {
        text: result.claim.text.clone(),
        source: result.claim.source.clone(),
        kind: result.claim.kind.word().to_owned(),
        expected: result.expected_text(),
        measured: result.measured_text(),
        band: result.band_text(),
        verdict: format!("{}{}", result.verdict.word().replace('_', " "), result.free_note()),
        holds: match result.verdict {
            Verdict::Holds => Some(true),
            Verdict::Differs => Some(false),
            Verdict::NotRun => None,
        },
        notes: bounds.into_iter().chain(reason).chain(free).chain(turns).collect(),
    }
}
