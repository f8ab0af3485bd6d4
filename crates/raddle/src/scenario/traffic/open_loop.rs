//! What all open loops have: a law of sizes, a load and an end.

use super::line;
use crate::import::InputError;
use crate::import::hpcc::cdf;
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::key::{Key, key};
use crate::scenario::keyed::Reader;
use crate::scenario::limits::LATEST;
use crate::scenario::reader::with_nearest;
use crate::scenario::spec::{Value, quoted};
use raddle_schemes::units::Span;
use raddle_sim::workload::law::{BUNDLED, Law, LawError, Sampling};

/// What all have.
pub(super) const LAW: Key = key!(
    law Either(&[Word(&LAWS), Path]), (required "websearch") [],
    "flow sizes: a law of `data/laws` by its name, or a file of lines `size_bytes,cdf` under this header, or of lines `size percent` or `size fraction` as HPCC and others have them"
);
pub(super) const LOAD: Key = key!(
    load Number, (required 0.6) [> 0 to 1],
    "over 0 and up to 1, of the base; headers and ACKs come on top"
);
pub(super) const SAMPLING: Key = key!(
    sampling Word(Sampling::WORDS), (= "linear") [],
    "between the law's points: `linear` interpolates, `step` takes the upper one; a file without the header must be told which: their means differ, by 42 % for `websearch`"
);
pub(super) const UNTIL: Key = key!(
    until Time, (required "1 ps") [>= "1 ps"],
    "no flow starts at or after this"
);

/// The names of the laws.
const LAWS: [&str; BUNDLED.len()] = {
    let mut names = [""; BUNDLED.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = BUNDLED[i].name;
        i += 1;
    }
    names
};

/// Where a kind has declared them.
pub(super) struct OpenLoopKeys {
    pub(super) law: &'static Key,
    pub(super) load: &'static Key,
    pub(super) sampling: &'static Key,
    pub(super) until: &'static Key,
}

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
    pub(super) fn read(
        reader: &mut Reader<'_>,
        keys: &OpenLoopKeys,
        files: &Files,
    ) -> Option<Self> {
        let law = law(reader, keys.law, files);
        let load_item = reader.demand(keys.load);
        let load: Option<f64> = load_item.and_then(|_| reader.get(keys.load));
        let foreign =
            law.as_ref().is_some_and(|(.., files)| files.iter().any(|f| cdf::is_one(&f.text)));
        // Such a table does not say what lies between its points, and a load means another rate of
        // flows with each: 42 % apart for websearch.
        let sampling: Option<Sampling> = match foreign {
            true => {
                let example = "\"linear\", as HPCC draws, or \"step\", as Opera does";
                reader.demand_as(keys.sampling, example).and_then(|_| reader.get(keys.sampling))
            }
            false => Some(reader.or(keys.sampling)),
        };
        let until = reader.at_least(keys.until);
        let (law, name, files) = law?;
        let (load, until, sampling) = (load?, until?, sampling?);
        if !(load > 0.0 && load <= 1.0) {
            let problem = load_item?.place.problem("wrong value for `load`");
            reader.log().add(problem.label("expected more than 0 and at most 1"));
            return None;
        }
        if until > LATEST {
            let problem = reader.take(keys.until)?.place.problem("`until` is too late");
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

fn law(
    reader: &mut Reader<'_>,
    key: &'static Key,
    files: &Files,
) -> Option<(Law, String, Vec<NamedFile>)> {
    let item = reader.demand(key)?;
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
