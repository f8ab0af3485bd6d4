//! Open loops in `[traffic]`: `kind = "poisson"` and `"partners"`.

use super::files::{Files, NamedFile};
use super::limits::LATEST;
use super::reader::{Reader, with_nearest};
use super::spec::{Value, quoted};
use super::traffic::{Made, Pattern, line};
use raddle_schemes::units::{Span, Time};
use raddle_sim::workload::law::{BUNDLED, Law, Sampling};
use raddle_sim::workload::partners::Partners;
use raddle_sim::workload::poisson::{LoadBase, Poisson};

/// What all open loops have.
struct OpenLoop {
    law: Law,
    name: String,
    files: Vec<NamedFile>,
    load: f64,
    sampling: Sampling,
    until: Span,
}

impl OpenLoop {
    fn read(reader: &mut Reader<'_>, files: &Files) -> Option<Self> {
        let law = law(reader, files);
        let load_item = reader.demand("load", "0.6");
        let load: Option<f64> = load_item.and_then(|_| reader.get("load"));
        let sampling: Sampling = reader.or("sampling", Sampling::Linear);
        let until = reader.at_least("until", Span(1), None);
        let (law, name, files) = law?;
        let (load, until) = (load?, until?);
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
    fn lines(&self, own: String) -> Vec<String> {
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

    fn title(&self) -> String {
        format!("{} at {} % load", self.name, self.load * 100.0)
    }
}

/// Reads `kind = "poisson"`.
pub(super) fn poisson(reader: &mut Reader<'_>, files: &Files) -> Option<Made> {
    let base: LoadBase = reader.or("base", LoadBase::HostLink);
    let open = OpenLoop::read(reader, files)?;
    let (lines, title) = (open.lines(line("base", &base)), open.title());
    let OpenLoop { law, sampling, load, until, files, .. } = open;
    let pattern = Poisson { law, sampling, load, base, horizon: Time(until.0) };
    Some((Pattern::Poisson(Box::new(pattern)), lines, title, files))
}

/// Reads `kind = "partners"`.
pub(super) fn partners(reader: &mut Reader<'_>, files: &Files) -> Option<Made> {
    let item = reader.take("strays");
    let strays: f64 = reader.or("strays", 0.05);
    let open = OpenLoop::read(reader, files);
    if !(0.0..=1.0).contains(&strays) {
        let problem = item?.place.problem("wrong value for `strays`");
        reader.log().add(problem.label("expected 0 to 1"));
        return None;
    }
    let open = open?;
    let lines = open.lines(line("strays", &strays));
    let title = format!("{}, {} % of it to partners", open.title(), (1.0 - strays) * 100.0);
    let OpenLoop { law, sampling, load, until, files, .. } = open;
    let pattern = Partners { law, sampling, load, strays, horizon: Time(until.0) };
    Some((Pattern::Partners(Box::new(pattern)), lines, title, files))
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
            let file = "or the path of a file of lines `size_bytes,cdf`, as in \"my_law.csv\"";
            log.add(with_nearest(problem, name, words).help(help).help(file));
            return None;
        };
        return Some((law, name.clone(), Vec::new()));
    }
    let file = files.named(item, name, log)?;
    match Law::from_csv(&file.text) {
        Ok(law) => {
            let stem = file
                .path
                .file_stem()
                .map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
            Some((law, stem, vec![file]))
        }
        Err(error) => {
            let length = file.text.lines().nth(error.line - 1).map_or(0, |l| l.chars().count());
            log.add(file.problem((error.line, 1, length), error.problem));
            None
        }
    }
}
