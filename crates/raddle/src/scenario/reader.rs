//! Reads a table key by key, collects problems, and knows in the end which keys nobody asked for.

use super::spec::{Item, Place, Table, Value};
use crate::problem::Problem;
use raddle_schemes::family::{Parameter, ParameterError, Raw};
use std::cell::RefCell;
use std::collections::HashSet;

/// Collects the problems of one reading.
#[derive(Default)]
pub struct Log {
    problems: RefCell<Vec<Problem>>,
    /// The same, to know them by.
    known: RefCell<HashSet<Problem>>,
    notes: RefCell<Vec<String>>,
    /// Keys that some cells may leave without effect, and what to say if all do.
    idle: RefCell<Vec<(Place, Option<Problem>)>>,
}

impl Log {
    /// Adds a problem, unless the same one is known already.
    pub fn add(&self, problem: Problem) {
        if self.known.borrow_mut().insert(problem.clone()) {
            self.problems.borrow_mut().push(problem);
        }
    }

    /// Adds a note, unless the same one is known already.
    pub fn note(&self, note: String) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Says of the key at `place`, in one cell of a study, that it has an effect, or what the
    /// problem is.
    pub fn judge(&self, place: &Place, problem: Option<Problem>) {
        let mut idle = self.idle.borrow_mut();
        match idle.iter_mut().find(|(judged, _)| judged == place) {
            Some((_, known)) if problem.is_none() => *known = None,
            Some(_) => {}
            None => idle.push((place.clone(), problem)),
        }
    }

    /// Adds the problems of the keys that had no effect in any cell; only notes them if overrides
    /// have left some of the cells away.
    pub fn settle(&self, narrowed: bool) {
        for problem in self.idle.take().into_iter().filter_map(|(_, problem)| problem) {
            match narrowed {
                true => self.note(problem.message),
                false => self.add(problem),
            }
        }
    }

    /// The notes so far.
    pub fn notes(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }

    /// How many problems there are so far.
    pub fn count(&self) -> usize {
        self.problems.borrow().len()
    }

    /// The problems, in the order they were found.
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems.into_inner()
    }
}

/// The valid word nearest to what was typed, if one is near. Papers write OFAN and
/// Adaptive RoCE: capitals count for nothing, spaces and hyphens are underscores.
pub fn nearest<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace([' ', '-'], "_");
    let typed = plain(typed);
    let longest = |word: &str| word.chars().count().max(typed.chars().count());
    words
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&typed, &plain(word)), word))
        .filter(|&(distance, word)| distance * 2 <= longest(word))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, word)| word)
}

/// The problem with the nearest of `words` as its label, if one is near.
pub fn with_nearest<'a>(
    problem: Problem,
    typed: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> Problem {
    match nearest(typed, words) {
        Some(word) => problem.label(format!("nearest: `{word}`")),
        None => problem,
    }
}

/// A value as scheme parameters read it; lists and tables are none.
pub fn raw(item: &Item) -> Option<Raw<'_>> {
    match &item.value {
        Value::Text(text) => Some(Raw::Text(text)),
        Value::Integer(n) => Some(Raw::Integer(*n)),
        Value::Float(x) => Some(Raw::Float(*x)),
        Value::Flag(flag) => Some(Raw::Flag(*flag)),
        Value::List(_) | Value::Table(_) => None,
    }
}

/// A list of values, for parameters.
pub fn raw_list(item: &Item) -> Option<Vec<Raw<'_>>> {
    match &item.value {
        Value::List(items) => items.iter().map(raw).collect(),
        _ => None,
    }
}

/// The problem of a value that a parameter refused.
pub fn refused(key: &str, item: &Item, error: ParameterError) -> Problem {
    let problem = |message: String| item.place.problem(message);
    match (error, &item.value) {
        (ParameterError::Word(words), Value::Text(text)) => {
            let help = format!("`{key}` is one of: {}", words.join(", "));
            with_nearest(problem(format!("unknown word `{text}` for `{key}`")), text, words)
                .help(help)
        }
        (ParameterError::Word(words), _) => problem(format!("wrong value for `{key}`"))
            .label(format!("expected one of the words {}", words.join(", "))),
        (ParameterError::Value(expected), _) => {
            problem(format!("wrong value for `{key}`")).label(expected)
        }
        (ParameterError::Unknown, _) => problem(format!("`{key}` is not a parameter")),
    }
}

/// Reads one value of a known type.
///
/// # Errors
/// The problem, at the value's place.
pub fn read<T: Parameter>(key: &str, item: &Item) -> Result<T, Problem> {
    let refuse = |error| refused(key, item, error);
    let list = raw_list(item);
    match raw(item).or(list.as_deref().map(Raw::List)) {
        Some(raw) => T::read(raw).map_err(refuse),
        None => Err(refuse(ParameterError::Value(format!("expected a {}", T::KIND)))),
    }
}

/// Reads one table.
pub struct Reader<'a> {
    /// What messages call the table: `[fabric]`, `topology`.
    name: String,
    table: &'a Table,
    place: &'a Place,
    log: &'a Log,
    known: Vec<&'static str>,
    /// Keys that have been reported as out of place.
    misplaced: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    /// A reader of a whole document.
    pub fn document(table: &'a Table, place: &'a Place, log: &'a Log) -> Self {
        Self::new("the scenario", table, place, log)
    }

    /// A reader of `item`, which must be a table.
    pub fn of(name: &str, item: &'a Item, log: &'a Log) -> Option<Self> {
        if let Value::Table(table) = &item.value {
            return Some(Self::new(name, table, &item.place, log));
        }
        let problem = item.place.problem(format!("wrong value for `{name}`"));
        log.add(problem.label("expected a table, as in `{ key = value }`"));
        None
    }

    /// A reader of a table that messages call `name`.
    pub(crate) fn new(name: &str, table: &'a Table, place: &'a Place, log: &'a Log) -> Self {
        let (known, misplaced) = (Vec::new(), Vec::new());
        Self { name: name.to_owned(), table, place, log, known, misplaced }
    }

    /// The whole table, whoever reads which of its keys.
    pub fn whole(&self) -> &'a Table {
        self.table
    }

    /// Where the table stands.
    pub fn place(&self) -> &'a Place {
        self.place
    }

    /// The log that problems go to.
    pub fn log(&self) -> &'a Log {
        self.log
    }

    /// The value of a key that the table may have.
    pub fn take(&mut self, key: &'static str) -> Option<&'a Item> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.table.get(key)
    }

    /// The value of a key that the table must have.
    pub fn demand(&mut self, key: &'static str, example: &str) -> Option<&'a Item> {
        let item = self.take(key);
        if item.is_none() {
            let problem = self.place.problem(format!("{} lacks `{key}`", self.name));
            self.log.add(problem.label(format!("add `{key} = {example}`")));
        }
        item
    }

    /// A typed value; `None` if it is absent or wrong.
    pub fn get<T: Parameter>(&mut self, key: &'static str) -> Option<T> {
        let item = self.take(key)?;
        read(key, item).map_err(|problem| self.log.add(problem)).ok()
    }

    /// A typed value, or its default.
    pub fn or<T: Parameter>(&mut self, key: &'static str, default: T) -> T {
        self.get(key).unwrap_or(default)
    }

    /// A typed value that must be there.
    pub fn need<T: Parameter>(&mut self, key: &'static str, example: &str) -> Option<T> {
        let item = self.demand(key, example)?;
        read(key, item).map_err(|problem| self.log.add(problem)).ok()
    }

    /// A number that must be at least `low`, or its default.
    pub fn at_least<T>(&mut self, key: &'static str, low: T, default: Option<T>) -> Option<T>
    where
        T: Parameter + PartialOrd,
    {
        let item = match default {
            Some(_) => self.take(key),
            None => self.demand(key, &low.show()),
        };
        let Some(item) = item else { return default };
        let value: T = read(key, item).map_err(|problem| self.log.add(problem)).ok()?;
        if value < low {
            let problem = item.place.problem(format!("`{key}` is too small"));
            self.log.add(problem.label(format!("expected at least {}", low.show())));
            return None;
        }
        Some(value)
    }

    /// One of several words, each with its meaning; must be there.
    pub fn choice(&mut self, key: &'static str, words: &[&'static str]) -> Option<&'a str> {
        let first = format!("\"{}\"", words.first().unwrap_or(&""));
        let item = self.demand(key, &first)?;
        match &item.value {
            Value::Text(text) if words.contains(&text.as_str()) => Some(text),
            _ => {
                self.log.add(refused(key, item, ParameterError::Word(words.to_vec())));
                None
            }
        }
    }

    /// One of several words, or `default`.
    pub fn word(
        &mut self,
        key: &'static str,
        words: &[&'static str],
        default: &'static str,
    ) -> &'static str {
        let Some(item) = self.take(key) else { return default };
        let typed = if let Value::Text(text) = &item.value { text.as_str() } else { "" };
        words.iter().copied().find(|word| *word == typed).unwrap_or_else(|| {
            self.log.add(refused(key, item, ParameterError::Word(words.to_vec())));
            default
        })
    }

    /// A table that may be there.
    pub fn table(&mut self, key: &'static str) -> Option<Self> {
        let item = self.take(key)?;
        Self::of(key, item, self.log)
    }

    /// The entries of a list that may be there.
    pub fn list(&mut self, key: &'static str, what: &str) -> &'a [Item] {
        match self.take(key) {
            None => &[],
            Some(Item { value: Value::List(items), .. }) => items,
            Some(item) => {
                let problem = item.place.problem(format!("`{key}` is a list"));
                self.log.add(problem.label(format!("expected a list of {what}")));
                &[]
            }
        }
    }

    /// Reports a key that other tables of this kind may have: `without` is what this one has or
    /// lacks, `with` what the key goes with.
    pub fn misplaced(&mut self, key: &'static str, without: &str, with: &str) {
        self.misplaced.push(key);
        if let Some(entry) = self.table.entries.iter().find(|entry| entry.key == key) {
            let problem = entry.key_place.problem(format!("`{key}` has no effect {without}"));
            self.log.add(problem.label(format!("it goes with {with}")));
        }
    }

    /// Keys nobody has asked for yet, with their values.
    pub fn rest(&self) -> impl Iterator<Item = (&'a str, &'a Place, &'a Item)> {
        let asked = |key: &str| self.known.contains(&key) || self.misplaced.contains(&key);
        let unknown = move |entry: &&'a super::spec::Entry| !asked(&entry.key);
        self.table
            .entries
            .iter()
            .filter(unknown)
            .map(|entry| (&*entry.key, &entry.key_place, &entry.item))
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(self) {
        // A key that a default put there is as good as absent.
        let typed = |known: &str| {
            self.table.entries.iter().any(|e| e.key == known && e.key_place.file.is_some())
        };
        let (used, unused): (Vec<&str>, Vec<&str>) =
            self.known.iter().copied().partition(|known| typed(known));
        for (key, place, _) in self.rest() {
            let problem = place.problem(format!("unknown key `{key}` in {}", self.name));
            let near = nearest(key, unused.iter().copied()).is_some();
            let words = if near { &unused } else { &used }.iter().copied();
            let help = format!("keys of {}: {}", self.name, self.known.join(", "));
            self.log.add(with_nearest(problem, key, words).help(help));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        let words = ["ecmp", "ops", "reps"];
        assert_eq!(nearest("repss", words), Some("reps"));
        assert_eq!(nearest("osp", words), Some("ops"));
        assert_eq!(nearest("ospf", words), Some("ops"));
        assert_eq!(nearest("quicksand", words), None);
        assert_eq!(nearest("OPS", words), Some("ops"));
        assert_eq!(nearest("Adaptive RoCE", ["jsq", "adaptive_roce"]), Some("adaptive_roce"));
    }
}
