//! What all open loops have: a law of sizes, a load and an end.

use super::line;
use crate::import::InputError;
use crate::import::hpcc::cdf;
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::limits::LATEST;
use crate::scenario::reader::{Reader, with_nearest};
use crate::scenario::spec::{Value, quoted};
use raddle_schemes::units::Span;
use raddle_sim::workload::law::{BUNDLED, Law, LawError, Sampling};

/// An open loop, as far as all have it.
pub(super) struct OpenLoop {
    pub(super) law: Law,
    name: String,
    pub(super) files: Vec<NamedFile>,
    pub(super) load: f64,
    pub(super) sampling: Sampling,
    pub(super) until: Span,
}

impl OpenLoop {
    pub(super) fn read(reader: &mut Reader<'_>, files: &Files) -> Option<Self> {
        let law = law(reader, files);
        let load_item = reader.demand("load", "0.6");
        let load: Option<f64> = load_item.and_then(|_| reader.get("load"));
        let foreign =
            law.as_ref().is_some_and(|(.., files)| files.iter().any(|f| cdf::is_one(&f.text)));
        // Such a table does not say what lies between its points, and a load means another rate of
        // flows with each: 42 % apart for websearch.
        let sampling: Option<Sampling> = match foreign {
            true => {
                reader.need("sampling", "\"linear\", as HPCC draws, or \"step\", as Opera does")
            }
            false => Some(reader.or("sampling", Sampling::Linear)),
        };
        let until = reader.at_least("until", Span(1), None);
        let (law, name, files) = law?;
        let (load, until, sampling) = (load?, until?, sampling?);
        if !(load > 0.0 && load <= 1.0) {
            let problem = load_item?.place.problem("wrong value for `load`");
            reader.log().add(problem.label("expected more than 0 and at most 1"));
            return None;
        }
        if until > LATEST {
            let problem = reader.take("until")?.place.problem("`until` is too late");
            reader.log().add(problem.label(format!("expected at most {LATEST}")));
            return None;
        }
        Some(Self { law, name, files, load, sampling, until })
    }

    /// Its lines, with one that only one kind has in the third place.
    pub(super) fn lines(&self, own: String) -> Vec<String> {
        let file = self.files.first();
        let law = file.map_or(self.name.clone(), |file| file.path.display().to_string());
        vec![
            format!("law = {}", quoted(&law)),
            line("load", &self.load),
            own,
            line("until", &self.until),
            line("sampling", &self.sampling),
        ]
    }

    pub(super) fn title(&self) -> String {
        format!("{} at {} % load", self.name, self.load * 100.0)
    }
}

fn law(reader: &mut Reader<'_>, files: &Files) -> Option<(Law, String, Vec<NamedFile>)> {
    let item = reader.demand("law", "\"websearch\"")?;
    let log = reader.log();
    let Value::Text(name) = &item.value else {
        log.add(item.place.problem("wrong value for `law`").label("expected a word or a file"));
        return None;
    };
    if !name.contains(['.', '/']) {
        let words = BUNDLED.iter().map(|bundled| bundled.name);
        let Some(law) = Law::named(name) else {
            let problem = item.place.problem(format!("unknown flow-size law `{name}`"));
            let help = format!("laws: {}", words.clone().collect::<Vec<_>>().join(", "));
            let file = "or the path of a file of lines `size_bytes,cdf`, or `size percent`, as in \"my_law.csv\"";
            log.add(with_nearest(problem, name, words).help(help).help(file));
            return None;
        };
        return Some((law, name.clone(), Vec::new()));
    }
    let file = files.named(item, name, log)?;
    let whole = |error: LawError| InputError {
        line: error.line,
        column: 1,
        length: 0,
        message: error.problem,
        help: None,
    };
    let law = match cdf::is_one(&file.text) {
        true => cdf::parse(&file.text),
        false => Law::from_csv(&file.text)
            .map_err(|errors| errors.into_iter().map(whole).collect::<Vec<_>>()),
    };
    match law {
        Ok(law) => {
            let stem = file
                .path
                .file_stem()
                .map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
            Some((law, stem, vec![file]))
        }
        Err(errors) => {
            file.report(errors, log);
            None
        }
    }
}
