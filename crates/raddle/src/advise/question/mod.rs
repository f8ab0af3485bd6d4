//! The question: a file of candidates, works, rates and prices.

mod asked;
mod candidates;
mod failures;
mod of;
mod published;
mod values;
mod works;

pub use asked::Objective;
pub(crate) use asked::{Ask, Constraint, Price};
pub(crate) use candidates::Candidate;
pub(crate) use failures::{Failure, Shape};
pub(crate) use of::Of;
pub(crate) use works::Work;

use super::odds::Job;
use crate::problem::{Problem, Problems, Source};
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::{Log, with_nearest};
use crate::scenario::spec::{self, Item, Place, Table, Value};
use crate::text_file;
use asked::{AskKeys, JobKeys};
use candidates::AxisKeys;
use failures::{FailureKeys, GroupKeys};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use works::WorkKeys;

keys! {
    /// The whole question.
    QUESTION: QuestionKeys = Section::new("question", "## The whole question", "which candidate is best, by how much, and how sure") => {
        base: Path, (required "scenario.toml"),
            "a scenario without traffic, faults and sweep: what all candidates share";
        rates: Word(&[published::WORD]), (or "none is assumed"),
            "rates that the question lacks are taken from publications, and printed";
        axis: List(&Table(AxisKeys::SECTION)), (or "the base is the only candidate"),
            "what candidates differ in";
        exclude: List(&Paths), (or "none"),
            "combinations that are no candidates: values by axis, `fabric = \"3-tier\"`";
        work: List(&Table(WorkKeys::SECTION)), (required [{ .. }]),
            "what the fabric is to carry";
        failure: List(&Table(FailureKeys::SECTION)), (or "nothing"),
            "parts that break, each on its own";
        group: List(&Table(GroupKeys::SECTION)), (or "none"),
            "parts that break together";
        job: Table(JobKeys::SECTION), (or "required where something fails"),
            "how a job takes it";
        ask: Table(AskKeys::SECTION), (or "all defaults"),
            "what is asked";
        price: Paths, (or "parts are counted, not priced"),
            "prices of parts by their names in `raddle advise --count`: `\"switch.64x800G\" = 40000`";
    }
}

/// Every section of a question, for its documents.
pub fn sections() -> Vec<&'static Section> {
    let mut found = Vec::new();
    QuestionKeys::SECTION.walk(&mut found);
    found
}

/// A question, valid as far as it can be without its candidates' fabrics.
pub struct Question {
    /// What problems call it.
    pub name: String,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) works: Vec<Work>,
    /// Groups behind failures.
    pub(crate) failures: Vec<Failure>,
    pub(crate) job: Job,
    pub(crate) ask: Ask,
    pub(crate) prices: Vec<Price>,
    /// Rates that were taken from publications, with their sources.
    pub published: Vec<String>,
    pub(crate) base: Table,
    /// Where relative paths of the base start.
    pub(crate) folder: PathBuf,
    sources: Vec<Source>,
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Where overrides are said to stand.
const OVERRIDES: &str = "--again";
/// Sections that runs do not depend on, and how their paths begin.
const FREE: [&str; 6] = ["failure", "group", "work", "job", "ask", "price"];
/// What of them runs do depend on.
const BOUND: [&str; 14] = [
    "of",
    "layer",
    "shape",
    "size",
    "lasts",
    "traffic",
    "compute",
    "repeat",
    "name",
    "short",
    "stops_after",
    "constraint",
    "confidence",
    "budget",
];

impl Question {
    /// Reads the question in a file. `again` are paths and values of rates, weights and prices that
    /// hold in place of the file's.
    ///
    /// # Errors
    /// Every problem of the file, its base and the new values.
    pub fn load(path: &Path, again: &[(String, String)]) -> Result<Self, Problems> {
        let text = text_file::read(path).map_err(|error| {
            let problem = Problem::new(format!("cannot read {}: {error}", path.display()));
            Problems::one(problem, None)
        })?;
        let base = path.parent().unwrap_or(Path::new("."));
        Self::parse(&path.display().to_string(), &text, base, again)
    }

    /// Reads a question's text; `name` is what problems call it, relative paths start at `folder`.
    ///
    /// # Errors
    /// As of [`load`](Self::load).
    pub fn parse(
        name: &str,
        text: &str,
        folder: &Path,
        again: &[(String, String)],
    ) -> Result<Self, Problems> {
        let log = Log::default();
        let mut sources = vec![Source { path: PathBuf::from(name), text: text.to_owned() }];
        if !again.is_empty() {
            let set: Vec<String> =
                again.iter().map(|(path, value)| format!("{path}={value}")).collect();
            sources.push(Source { path: PathBuf::from(OVERRIDES), text: set.join("\n") });
        }
        let question = read(name, text, folder, again, &mut sources, &log);
        let mut list = log.into_problems();
        match question {
            Some(question) if list.is_empty() => Ok(Self { sources, ..question }),
            _ => {
                let file = |problem: &Problem| {
                    sources.iter().position(|source| Some(&source.path) == problem.file.as_ref())
                };
                list.sort_by_key(|problem| {
                    (file(problem), problem.span.as_ref().map(|span| span.start))
                });
                Err(Problems { list, sources })
            }
        }
    }

    /// Seconds after which no further look begins.
    pub fn budget_s(&self) -> Option<f64> {
        self.ask.budget_s
    }

    /// Problems that showed later, with the texts they point into and those of `more`.
    pub(crate) fn problems(&self, list: Vec<Problem>, more: Vec<Source>) -> Problems {
        let sources = self.sources.iter().cloned().chain(more).collect();
        Problems { list, sources }
    }
}

fn read(
    name: &str,
    text: &str,
    folder: &Path,
    again: &[(String, String)],
    sources: &mut Vec<Source>,
    log: &Log,
) -> Option<Question> {
    let file: Arc<Path> = Arc::from(Path::new(name));
    let mut table = document(&file, text, log)?;
    override_values(&mut table, again, log);
    let place = Place { file: Some(file), span: 0..0 };
    let mut reader = Reader::named("the question", &table, &place, log);
    let base = reader.demand(&QUESTION.base);
    let published = reader.word_of(&QUESTION.rates, QUESTION.rates.kind.words());
    let mut taken = published.map(|_| Vec::new());
    let axes = reader.list(&QUESTION.axis, "tables: write [[axis]]");
    let exclude = reader.list(&QUESTION.exclude, "tables: write [[exclude]]");
    reader.demand(&QUESTION.work);
    let works = reader.list(&QUESTION.work, "tables: write [[work]]");
    let failures = reader.list(&QUESTION.failure, "tables: write [[failure]]");
    let groups = reader.list(&QUESTION.group, "tables: write [[group]]");
    let (job, ask) = (reader.take(&QUESTION.job), reader.take(&QUESTION.ask));
    let prices = reader.take(&QUESTION.price);
    reader.finish();
    let fails = !failures.is_empty() || !groups.is_empty();
    let failures = failures.iter().filter_map(|item| failures::failure(item, taken.as_mut(), log));
    let mut failures: Vec<Failure> = failures.collect();
    failures.extend(groups.iter().filter_map(|item| failures::group(item, log)));
    let candidates = candidates::candidates(axes, exclude, log);
    let works = works::works(works, log);
    let job = asked::job(job, (fails, &place), taken.as_mut().filter(|_| fails), log);
    let ask = asked::ask(ask, log);
    let prices = asked::prices(prices, log);
    if let Some(ask) = ask.as_ref().filter(|_| prices.is_empty())
        && (ask.objective == Objective::CostPerGoodput
            || ask.constraints.iter().any(|own| own.what == "cost"))
    {
        let problem = place.problem("the question lacks [price], which a cost is made of");
        log.add(
            problem
                .label("add [price] with prices of parts, as `raddle advise --count` names them"),
        );
    }
    let (base, base_folder) = base.and_then(|item| load_base(item, folder, sources, log))?;
    Some(Question {
        name: name.to_owned(),
        candidates,
        works,
        failures,
        job: job?,
        ask: ask?,
        prices,
        published: taken.unwrap_or_default(),
        base,
        folder: base_folder,
        sources: Vec::new(),
    })
}

fn document(file: &Arc<Path>, text: &str, log: &Log) -> Option<Table> {
    let read = spec::document(file, text);
    read.map_err(|problems| problems.into_iter().for_each(|problem| log.add(problem))).ok()
}

/// The base, and the folder that it lies in.
fn load_base(
    item: &Item,
    folder: &Path,
    sources: &mut Vec<Source>,
    log: &Log,
) -> Option<(Table, PathBuf)> {
    let Value::Text(name) = &item.value else {
        let problem = item.place.problem("wrong value for `base`");
        log.add(problem.label("expected the path of a scenario, quoted"));
        return None;
    };
    let path = folder.join(name);
    let text = match text_file::read(&path) {
        Ok(text) => text,
        Err(error) => {
            let problem = item.place.problem(format!("cannot read `{name}`: {error}"));
            log.add(problem.help(format!("looked for {}", path.display())));
            return None;
        }
    };
    sources.push(Source { path: path.clone(), text: text.clone() });
    let table = document(&Arc::from(path.as_path()), &text, log)?;
    for (key, instead) in [
        ("traffic", "[[work]] of the question says who sends what"),
        ("fault", "[[failure]] of the question says what breaks"),
        ("sweep", "[[axis]] of the question says what varies"),
        ("condition", "[[axis]] of the question says what varies"),
    ] {
        if let Some(entry) = table.entries.iter().find(|entry| entry.key == key) {
            let problem = entry.key_place.problem(format!("a base has no `{key}`"));
            log.add(problem.label(instead));
        }
    }
    Some((table, path.parent().unwrap_or(Path::new(".")).to_path_buf()))
}

/// Puts new rates, weights and prices into the question.
fn override_values(table: &mut Table, again: &[(String, String)], log: &Log) {
    let file: Arc<Path> = Arc::from(Path::new(OVERRIDES));
    let mut offset = 0;
    for (path, value) in again {
        let key_place = Place { file: Some(file.clone()), span: offset..offset + path.len() };
        let item = spec::typed_value(&file, offset + path.len() + 1, value);
        offset += path.len() + 1 + value.len() + 1;
        let first = path.split('.').next().unwrap_or("");
        let last = path.rsplit('.').next().unwrap_or("");
        if !FREE.contains(&first) {
            let problem = key_place.problem(format!("`{path}` is no rate, weight or price"));
            let help = format!("new values without new runs are those of: {}", FREE.join(", "));
            log.add(with_nearest(problem, first, FREE).help(help));
            continue;
        }
        if first != "price" && BOUND.contains(&last) {
            let problem = key_place.problem(format!("runs depend on `{path}`"));
            log.add(problem.label("change the question, and ask it anew"));
            continue;
        }
        let there = table.get(first).is_some();
        if !there && matches!(first, "failure" | "group" | "work") {
            let problem = key_place.problem(format!("cannot set `{path}`"));
            log.add(problem.label(format!("the question has no [[{first}]]")));
            continue;
        }
        let set = match (item, path.strip_prefix("price.")) {
            (Err(problem), _) => {
                log.add(problem);
                continue;
            }
            // Names of parts have dots.
            (Ok(item), Some(name)) => set_price(table, name, &key_place, item),
            (Ok(item), None) => table.set(path, &key_place, item),
        };
        if let Err(why) = set {
            log.add(key_place.problem(format!("cannot set `{path}`")).label(why));
        }
    }
}

fn set_price(table: &mut Table, name: &str, place: &Place, item: Item) -> Result<(), String> {
    let prices = table.entries.iter_mut().find(|entry| entry.key == "price");
    match prices.map(|entry| &mut entry.item.value) {
        Some(Value::Table(prices)) => {
            let name = name.replace('"', "");
            match prices.entries.iter_mut().find(|entry| entry.key == name) {
                Some(entry) => entry.item = item,
                None => {
                    prices.entries.push(spec::Entry { key: name, key_place: place.clone(), item })
                }
            }
            Ok(())
        }
        _ => Err("the question has no [price]".to_owned()),
    }
}
