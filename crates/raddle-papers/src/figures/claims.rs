//! `claims.toml`: what a paper claims, and how each claim is measured.

use super::claim::{Claim, read_claim};
use super::curves::{Curves, read_curves};
use super::layer::LayerNumber;
use super::metric::Metric;
use super::number::{Number, read_chart_number};
use super::panels::{Panels, read_panels};
use super::reading::{parse, settings, text, words};
use super::table::{Table, read_table};
use super::traces::{Trace, read_trace};
use raddle::problem::Problems;
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::{Item, Place};

/// What a figure claims.
#[derive(Clone, Debug)]
pub struct Claims {
    /// The figure in one line.
    pub title: String,
    /// What is smaller than in the paper, and by how much; printed with the result.
    pub reduced: Option<String>,
    /// Why the kept results are older than the scenario or the engine; printed with them, until the
    /// figure is run again.
    pub stale: Option<String>,
    /// Pictures of the cells, each by what it shows: one number, a bar a cell; or the same number of
    /// several layers, a bar each.
    pub chart: Vec<Vec<Number>>,
    /// Which of them are lines in place of bars.
    pub lines: Vec<Panels>,
    /// A picture of models.
    pub curves: Option<Curves>,
    /// Pictures of what runs recorded.
    pub traces: Vec<Trace>,
    /// A table of the cells.
    pub table: Option<Table>,
    /// What quick mode sets in the scenario: paths and values.
    pub quick: Vec<(String, String)>,
    /// The claims, in the order in which they are shown.
    pub claims: Vec<Claim>,
    pub(super) place: Place,
}

impl Claims {
    /// Reads the text of a `claims.toml`, called `name` in problems.
    ///
    /// # Errors
    /// Every problem of the text.
    pub fn parse(name: &str, text: &str) -> Result<Self, Problems> {
        parse(name, text, read)
    }
}

fn read(item: &Item, log: &Log) -> Option<Claims> {
    let mut reader = Reader::of("claims.toml", item, log)?;
    let title = text(&mut reader, "title");
    let reduced = reader.take("reduced").and_then(|item| words("reduced", item, log));
    let stale = reader.take("stale").and_then(|item| words("stale", item, log));
    let completion = || vec![vec![Number::Run(Metric::COMPLETION)]];
    let chart = reader.take("chart").map_or_else(completion, |item| chart(item, log));
    let items = reader.list("lines", "tables: write [[lines]]");
    let lines: Vec<Panels> =
        items.iter().filter_map(|item| read_panels(item, &chart, log)).collect();
    let curves = reader.take("curves").and_then(|item| read_curves(item, log));
    let items = reader.list("trace", "tables: write [[trace]]");
    let traces: Vec<Trace> = items.iter().filter_map(|item| read_trace(item, log)).collect();
    for (i, trace) in traces.iter().enumerate() {
        if traces[..i].iter().any(|other| other.name == trace.name) {
            log.add(trace.place.problem(format!("two traces are called `{}`", trace.name)));
        }
    }
    let table = reader.take("table").and_then(|item| read_table(item, log));
    let quick = reader.table("quick").map_or_else(Vec::new, |mut quick| {
        let set = quick.take("set").and_then(|item| settings("set", item, log));
        quick.finish();
        set.unwrap_or_default()
    });
    let items = reader.list("claim", "tables: write [[claim]]");
    let claims: Vec<Claim> = items.iter().filter_map(|item| read_claim(item, log)).collect();
    reader.finish();
    for (i, (claim, item)) in claims.iter().zip(items).enumerate() {
        if claims[..i].iter().any(|other| other.id == claim.id) {
            log.add(item.place.problem(format!("two claims are called `{}`", claim.id)));
        }
    }
    let (title, place) = (title?, item.place.clone());
    Some(Claims {
        title,
        reduced,
        stale,
        chart,
        lines,
        curves,
        traces,
        table,
        quick,
        claims,
        place,
    })
}

/// A list of numbers, and of lists of numbers of layers.
fn chart(item: &Item, log: &Log) -> Vec<Vec<Number>> {
    let Some(items) = item.list() else {
        let problem = item.place.problem("`chart` is a list of numbers, or of lists of them");
        log.add(problem.label("write it in brackets"));
        return Vec::new();
    };
    let mut chart: Vec<Vec<Number>> = Vec::new();
    for item in items {
        let mut picture: Vec<Number> = Vec::new();
        for item in item.list().unwrap_or(std::slice::from_ref(item)) {
            match read_chart_number(item) {
                Ok(number)
                    if chart.iter().chain([&picture]).flatten().any(|own| *own == number) =>
                {
                    log.add(item.place.problem(format!("`{}` is drawn twice", number.word())));
                }
                Ok(number) => picture.push(number),
                Err(problem) => log.add(problem),
            }
        }
        if item.list().is_some_and(<[Item]>::is_empty) {
            let problem = item.place.problem("a picture of no number");
            log.add(problem.label("leave it out; `chart = []` draws none"));
        }
        let metric = |number: &Number| match number {
            Number::Layer(LayerNumber { metric, .. }) => Some(*metric),
            _ => None,
        };
        let alike = picture
            .windows(2)
            .all(|pair| metric(&pair[0]).is_some() && metric(&pair[0]) == metric(&pair[1]));
        if !alike {
            let problem = item.place.problem("one picture shows one number of several layers");
            log.add(problem.label("expected the same word behind each layer"));
        }
        chart.push(picture);
    }
    chart.retain(|picture| !picture.is_empty());
    chart
}

#[cfg(test)]
mod tests {
    use super::super::expected::{Expected, Kind};
    use super::*;

    const CLAIM: &str = "\
title = \"t\"
[[claim]]
id = \"a\"
text = \"b\"
source = \"c\"
published = 2
low = 1.5
one_sided = \"at_least\"
measure = { kind = \"value\", metric = \"dropped\", cell = { \"condition\" = \"x\" } }
";

    fn problems(text: &str) -> String {
        Claims::parse("claims.toml", text).unwrap_err().render(false)
    }

    #[test]
    fn a_claim_is_read() {
        let claims = Claims::parse("claims.toml", CLAIM).unwrap();
        assert_eq!((claims.claims[0].low, claims.claims[0].high), (Some(1.5), None));
        let claim = &claims.claims[0];
        assert_eq!((claim.kind, &claim.expected), (Kind::Published, &Expected::Number(2.0)));
        assert!(claims.claims[0].quick);
    }

    #[test]
    fn unknown_keys_are_errors_at_every_level() {
        assert!(problems(&format!("titel = \"x\"\n{CLAIM}")).contains("unknown key `titel`"));
        assert!(problems(&format!("{CLAIM}bound = 3\n")).contains("unknown key `bound`"));
        let text = CLAIM.replace("kind = \"value\"", "kind = \"value\", port = \"x\"");
        assert!(problems(&text).contains("unknown key `port`"), "{}", problems(&text));
        let text = format!("{CLAIM}[quick]\nseeds = 3\n");
        assert!(problems(&text).contains("unknown key `seeds`"));
    }

    #[test]
    fn a_claim_needs_a_band_and_a_name_of_its_own() {
        assert!(problems(&CLAIM.replace("low = 1.5\n", "")).contains("no band"));
        let claim = &CLAIM[CLAIM.find("[[").unwrap()..];
        assert!(problems(&format!("{CLAIM}{claim}")).contains("two claims are called `a`"));
    }

    #[test]
    fn a_claim_is_of_one_kind() {
        for &kind in Kind::ALL {
            let text = CLAIM.replace("published = 2", &format!("{} = \"words\"", kind.word()));
            let claims = Claims::parse("claims.toml", &text).unwrap();
            assert_eq!(claims.claims[0].kind, kind);
        }
        let none = problems(&CLAIM.replace("published = 2\n", ""));
        assert!(none.contains("add one of `published`, `reference`, `model`"), "{none}");
        let two = problems(&CLAIM.replace("published = 2", "published = 2\nmodel = 3"));
        assert!(two.contains("a claim of two kinds, `published` and `model`"), "{two}");
    }

    #[test]
    fn pictures_are_of_numbers_that_there_are_each_once() {
        let with = |chart: &str| format!("chart = {chart}\n{CLAIM}");
        let words = |chart: &str| -> Vec<Vec<String>> {
            let claims = Claims::parse("c", &with(chart)).unwrap();
            let words =
                |picture: &Vec<Number>| picture.iter().map(|number| number.word()).collect();
            claims.chart.iter().map(words).collect()
        };
        let completion = Number::Run(Metric::COMPLETION);
        assert_eq!(Claims::parse("c", CLAIM).unwrap().chart, [[completion]]);
        assert!(words("[]").is_empty());
        let layers = "\"tor_agg.data_overload\", \"agg_tor.data_overload\"";
        assert_eq!(words(&format!("[{layers}]")).len(), 2);
        assert_eq!(
            words(&format!("[[{layers}], \"dropped\"]")),
            [vec!["tor_agg.data_overload", "agg_tor.data_overload"], vec!["dropped"]]
        );
        for (chart, answer) in [
            ("[\"drops\"]", "`chart` is one of: completion_us"),
            ("[\"droped\"]", "nearest: `dropped`"),
            ("[\"data_overload\"]", "of a layer: `tor_agg.data_overload`"),
            ("[\"phases_increase_pct\"]", "over a bound: `permutation.phases_increase_pct`"),
            ("[\"tor_ag.data_overload\"]", "nearest: `tor_agg`"),
            ("[\"tor_agg.data_overlaod\"]", "nearest: `data_overload`"),
            ("[\"permutatoin.increase_pct\"]", "nearest: `permutation`"),
            ("[\"permutation.phase_increase_pct\"]", "nearest: `phases_increase_pct`"),
            ("\"dropped\"", "list of numbers"),
            ("[3]", "wrong value for `chart`"),
            ("[[]]", "a picture of no number"),
            ("[\"dropped\", \"dropped\"]", "`dropped` is drawn twice"),
            ("[[\"dropped\", \"marked\"]]", "one picture shows one number of several layers"),
        ] {
            let found = problems(&with(chart));
            assert!(found.contains(answer), "{chart}: {found}");
        }
    }

    #[test]
    fn a_wrong_metric_is_answered_with_the_words_there_are() {
        let text = CLAIM.replace("\"dropped\"", "\"drops\"");
        assert!(problems(&text).contains("completion_us"), "{}", problems(&text));
    }
}
