//! What the papers say of each other's schemes, judged by the runs.

use super::{Column, RING_STEPS, SIZE, Verdict};
use crate::figures::{parse, read_text, read_texts, read_words};
use raddle::problem::Problems;
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::Item;

const NAME: &str = "figures/verdict/claims.toml";
pub(super) const TEXT: &str = include_str!("../../figures/verdict/claims.toml");

/// One thing that a paper says: some schemes are ahead of others.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The paper's word.
    pub paper: String,
    /// The claim as a sentence.
    pub text: String,
    /// Where it is made.
    pub source: String,
    /// The schemes that are said to be ahead; the best of them counts. Of schemes that are said to
    /// be equal, the worst.
    pub rows: Vec<String>,
    /// The schemes that they are ahead of; empty for all others.
    pub against: Vec<String>,
    /// Whether each of `rows` is said to be ahead: the worst of them counts.
    pub each: bool,
    /// Whether `rows` are said to be equal, and so are `against` as well.
    pub equal: bool,
    /// Axes and values of the columns that it is about.
    pub columns: Vec<(String, String)>,
    /// The most that the first may take over the second.
    pub at_most: f64,
    /// Why it does not hold, as far as that has been tested.
    pub reason: Option<String>,
}

/// How a claim fares.
pub(super) struct Judged {
    /// Of how many columns it speaks.
    pub(super) columns: usize,
    /// In how many of them it holds.
    pub(super) holds: usize,
    /// The least and the greatest ratio, over the columns where both finish.
    pub(super) ratios: Option<(f64, f64)>,
    /// Where it does not hold: what the claim leaves open of the column, and the ratio, if both
    /// finish.
    pub(super) fails: Vec<(String, Option<f64>)>,
    /// Where the seeds do not tell the ratio from the most that the claim allows, whether it holds
    /// or not.
    pub(super) untold: Vec<String>,
}

/// Every claim.
///
/// # Errors
/// What is wrong with the file, which is a bug.
pub fn claims() -> Result<Vec<Claim>, Problems> {
    parse(NAME, TEXT, |item, log| {
        let mut reader = Reader::of(NAME, item, log)?;
        let items = reader.list("claim", "tables: write [[claim]]");
        let claims = items.iter().filter_map(|item| claim(item, log)).collect();
        reader.finish();
        Some(claims)
    })
}

fn claim(item: &Item, log: &Log) -> Option<Claim> {
    let mut reader = Reader::of("[[claim]]", item, log)?;
    let paper = read_text(&mut reader, "paper");
    let sentence = read_text(&mut reader, "text");
    let source = read_text(&mut reader, "source");
    let mut rows = |key| -> Vec<String> {
        reader.list(key, "schemes, as in [\"reps\"]").iter().map(Item::show).collect()
    };
    let (mut ahead, mut against, equal) = (rows("rows"), rows("against"), rows("equal"));
    if !equal.is_empty() {
        for key in ["rows", "against"] {
            if let Some(item) = reader.take(key) {
                let problem = item.place.problem(format!("`{key}` has no effect with `equal`"));
                log.add(problem.label("leave it out, or `equal`"));
            }
        }
        ahead.clone_from(&equal);
        against.clone_from(&equal);
    }
    let columns = reader.take("columns").and_then(|item| read_texts("columns", item, log));
    let each = reader.or("each", false);
    let at_most = reader.need("at_most", "1.02");
    let reason = reader.take("reason").and_then(|item| read_words("reason", item, log));
    reader.finish();
    Some(Claim {
        paper: paper?,
        text: sentence?,
        source: source?,
        rows: ahead,
        against,
        each,
        equal: !equal.is_empty(),
        columns: columns.unwrap_or_default(),
        at_most: at_most?,
        reason,
    })
}

impl Claim {
    /// Whether the claim is about a column.
    fn is_about(&self, column: &Column) -> bool {
        self.columns.iter().all(|(axis, value)| column.value(axis) == Some(value))
    }

    /// Whether it names a workload of [`RING_STEPS`].
    fn names_a_step(&self) -> bool {
        let named = |value: &str| RING_STEPS.iter().any(|step| step.name == value);
        self.columns.iter().any(|(axis, value)| axis == "workload" && named(value))
    }

    /// Whether it names a size of messages.
    fn names_a_size(&self) -> bool {
        self.columns.iter().any(|(axis, _)| axis == SIZE)
    }

    pub(super) fn judge(&self, verdict: &Verdict) -> Judged {
        let named = |names: &[String]| -> Vec<usize> {
            let rows = verdict.rows.iter().enumerate();
            rows.filter(|(_, row)| names.contains(row)).map(|(index, _)| index).collect()
        };
        let ahead = named(&self.rows);
        let against: Vec<usize> = match &self.against[..] {
            [] => (0..verdict.rows.len()).filter(|row| !ahead.contains(row)).collect(),
            names => named(names),
        };
        let (holds, untold) = (0, Vec::new());
        let mut judged = Judged { columns: 0, holds, ratios: None, fails: Vec::new(), untold };
        let columns = verdict.columns.iter();
        // Which sizes and steps a claim is about it says by their names.
        let columns = columns.filter(|_| !self.names_a_size());
        let sizes = verdict.sizes.iter().filter(|_| self.names_a_size());
        let steps = verdict.steps.iter().filter(|_| self.names_a_step());
        let all = columns.chain(sizes).chain(steps);
        for column in all.filter(|column| self.is_about(column)) {
            judged.columns += 1;
            let worst = self.equal || self.each;
            let best = |rows: &[usize]| column.best(rows.iter().copied());
            let first = if worst { column.worst(&ahead) } else { best(&ahead) };
            let second = best(&against);
            let both = first.zip(second);
            let ratio = both.and_then(|(first, second)| column.over(first, second));
            if let Some(ratio) = ratio {
                let (low, high) = judged.ratios.unwrap_or((ratio, ratio));
                judged.ratios = Some((low.min(ratio), high.max(ratio)));
            }
            if ratio.map_or(first.is_some(), |ratio| ratio <= self.at_most) {
                judged.holds += 1;
            } else {
                judged.fails.push((self.rest_of(column), ratio));
            }
            if both.is_some_and(|(first, second)| !column.tells(first, self.at_most, second)) {
                judged.untold.push(self.rest_of(column));
            }
        }
        judged
    }

    /// The values of the axes that the claim does not name.
    fn rest_of(&self, column: &Column) -> String {
        let named = |axis: &str| self.columns.iter().any(|(own, _)| own == axis);
        let rest = column.settings.iter().filter(|(axis, _)| !named(axis));
        rest.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SIZES, WORKLOADS, Workload};
    use super::*;

    #[test]
    fn schemes_that_are_equal_are_not_ahead_of_others() {
        let claim = |rows: &str| {
            let text = format!(
                "[[claim]]\npaper = \"reps\"\ntext = \"t\"\nsource = \"s\"\nat_most = 1.0\n{rows}"
            );
            parse("claims.toml", &text, |item, log| {
                let mut reader = Reader::of("claims.toml", item, log)?;
                let items = reader.list("claim", "tables");
                Some(items.iter().filter_map(|item| super::claim(item, log)).count())
            })
        };
        assert_eq!(claim("equal = [\"reps\", \"ops\"]\n").unwrap(), 1);
        for key in ["rows", "against"] {
            let problems = claim(&format!("equal = [\"reps\"]\n{key} = [\"ops\"]\n")).unwrap_err();
            let text = problems.render(false);
            assert!(text.contains(&format!("`{key}` has no effect with `equal`")), "{text}");
        }
    }

    fn claim_of(rows: &[&str], against: &[&str], at_most: f64) -> Claim {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Claim {
            paper: "-".to_owned(),
            text: "t".to_owned(),
            source: "s".to_owned(),
            rows: names(rows),
            against: names(against),
            each: false,
            equal: false,
            columns: vec![("workload".to_owned(), "ring".to_owned())],
            at_most,
            reason: None,
        }
    }

    #[test]
    fn what_the_seeds_do_not_tell_from_the_band_is_close_and_counts_all_the_same() {
        let verdict = super::super::tests::made_up();
        let judged = claim_of(&["b"], &["a"], 1.02).judge(&verdict);
        assert_eq!((judged.columns, judged.holds), (1, 0));
        assert_eq!(judged.untold, ["healthy, window"]);
        let judged = claim_of(&["b"], &["a"], 1.1).judge(&verdict);
        assert_eq!((judged.holds, judged.untold.len()), (1, 1));
        let judged = claim_of(&["a"], &["c"], 0.98).judge(&verdict);
        assert_eq!((judged.holds, judged.untold.len()), (1, 0));
        // It does not finish: nothing is close.
        let judged = claim_of(&["d"], &["a"], 1.02).judge(&verdict);
        assert_eq!((judged.holds, judged.untold.len()), (0, 0));
    }

    #[test]
    fn where_each_is_said_to_be_ahead_the_worst_counts() {
        let verdict = super::super::tests::made_up();
        let mut claim = claim_of(&["a", "b"], &["c"], 0.55);
        assert_eq!(claim.judge(&verdict).ratios, Some((11.0 / (63.5 / 3.0), 11.0 / (63.5 / 3.0))));
        assert_eq!(claim.judge(&verdict).holds, 1);
        claim.each = true;
        assert_eq!(
            claim.judge(&verdict).fails,
            [("healthy, window".to_owned(), Some((35.0 / 3.0) / (63.5 / 3.0)))]
        );
        claim.rows.push("d".to_owned());
        assert_eq!(claim.judge(&verdict).fails, [("healthy, window".to_owned(), None)]);
    }

    /// A reader has ten seconds.
    #[test]
    fn every_reason_begins_with_its_cause_in_bold() {
        for claim in claims().unwrap() {
            let Some(reason) = claim.reason else { continue };
            let lead = reason.strip_prefix("**").and_then(|rest| rest.split_once(".** "));
            assert!(lead.is_some_and(|(lead, _)| lead.len() <= 130), "{reason}");
        }
    }

    /// So that no claim is about nothing.
    #[test]
    fn claims_name_schemes_axes_and_values_that_there_are() {
        let claims = claims().unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        let study = WORKLOADS[0].study(&[]).unwrap_or_else(|p| panic!("{}", p.render(false)));
        let has = |axis: &str, value: &String| match axis {
            "workload" => Workload::all().any(|workload| workload.name == value),
            SIZE => SIZES.iter().any(|own| own.size.is_some_and(|(_, size)| size == value)),
            _ => study.axes.iter().any(|a| a.name == axis && a.values.contains(value)),
        };
        for claim in &claims {
            assert!(!claim.rows.is_empty() && claim.at_most > 0.0, "{}", claim.text);
            for scheme in claim.rows.iter().chain(&claim.against) {
                assert!(has("scheme", scheme), "{scheme}: {}", claim.text);
            }
            for (axis, value) in &claim.columns {
                assert!(has(axis, value), "{axis} = {value}: {}", claim.text);
            }
        }
    }
}
