//! Reads a table of a scenario by declared keys.

use super::key::Key;
use super::reader::{self, Log, read, refused};
use super::spec::{Item, Place, Table, Value};
use raddle_schemes::family::{Parameter, ParameterError};
use raddle_schemes::units::Span;

/// A reader of a table, which has the keys of a section.
pub(crate) struct Reader<'a>(reader::Reader<'a>);

impl<'a> Reader<'a> {
    /// A reader of a whole document.
    pub(crate) fn document(table: &'a Table, place: &'a Place, log: &'a Log) -> Self {
        Self(reader::Reader::document(table, place, log))
    }

    /// A reader of a whole document of another kind.
    pub(crate) fn named(name: &str, table: &'a Table, place: &'a Place, log: &'a Log) -> Self {
        Self(reader::Reader::new(name, table, place, log))
    }

    /// A reader of `item`, which must be a table.
    pub(crate) fn of(name: &str, item: &'a Item, log: &'a Log) -> Option<Self> {
        reader::Reader::of(name, item, log).map(Self)
    }

    /// The whole table, whoever reads which of its keys.
    pub(crate) fn whole(&self) -> &'a Table {
        self.0.whole()
    }

    /// Where the table stands.
    pub(crate) fn place(&self) -> &'a Place {
        self.0.place()
    }

    /// The log that problems go to.
    pub(crate) fn log(&self) -> &'a Log {
        self.0.log()
    }

    /// The value of a key that the table may have.
    pub(crate) fn take(&mut self, key: &'static Key) -> Option<&'a Item> {
        self.0.take(key.word)
    }

    /// The value of a key that the table must have.
    pub(crate) fn demand(&mut self, key: &'static Key) -> Option<&'a Item> {
        self.demand_as(key, key.absent.example())
    }

    /// The same, with an example that other keys decide.
    pub(crate) fn demand_as(&mut self, key: &'static Key, example: &str) -> Option<&'a Item> {
        self.0.demand(key.word, example)
    }

    fn typed<T: Parameter>(&self, key: &'static Key, item: &Item) -> Option<T> {
        debug_assert!(key.kind.holds::<T>(), "{}: {:?} of {}", key.word, key.kind, T::KIND);
        read(key.word, item).map_err(|problem| self.log().add(problem)).ok()
    }

    /// A typed value; `None` if it is absent or wrong.
    pub(crate) fn get<T: Parameter>(&mut self, key: &'static Key) -> Option<T> {
        let item = self.take(key)?;
        self.typed(key, item)
    }

    /// A typed value, or its default.
    pub(crate) fn or<T: Parameter>(&mut self, key: &'static Key) -> T {
        self.get(key).unwrap_or_else(|| key.value())
    }

    /// A typed value that must be there.
    pub(crate) fn need<T: Parameter>(&mut self, key: &'static Key) -> Option<T> {
        let item = self.demand(key)?;
        self.typed(key, item)
    }

    /// A number of the declared range, or its default; without one it must be there.
    pub(crate) fn at_least<T: Parameter + PartialOrd>(&mut self, key: &'static Key) -> Option<T> {
        let default = key.default();
        if default.is_none() {
            self.demand(key)?;
        }
        self.at_least_or(key, default)
    }

    /// The same, with a default that other keys decide.
    pub(crate) fn at_least_or<T>(&mut self, key: &'static Key, default: Option<T>) -> Option<T>
    where
        T: Parameter + PartialOrd,
    {
        let Some(item) = self.take(key) else { return default };
        let value: T = self.typed(key, item)?;
        if let Some(low) = key.least::<T>().filter(|low| value < *low) {
            let problem = item.place.problem(format!("`{}` is too small", key.word));
            self.log().add(problem.label(format!("expected at least {}", low.show())));
            return None;
        }
        Some(value)
    }

    /// One of several words; must be there.
    pub(crate) fn choice(&mut self, key: &'static Key) -> Option<&'static str> {
        let item = self.demand(key)?;
        self.one_of(key, item, key.kind.words())
    }

    /// One of several words, or the default.
    pub(crate) fn word(&mut self, key: &'static Key) -> &'static str {
        let default = key.absent.value().unwrap_or_default().trim_matches('"');
        self.word_of(key, key.kind.words()).unwrap_or(default)
    }

    /// One of those of the key's words that go with other keys; `None` if it is absent or wrong.
    pub(crate) fn word_of(
        &mut self,
        key: &'static Key,
        words: &[&'static str],
    ) -> Option<&'static str> {
        let item = self.take(key)?;
        self.one_of(key, item, words)
    }

    fn one_of(
        &self,
        key: &'static Key,
        item: &Item,
        words: &[&'static str],
    ) -> Option<&'static str> {
        debug_assert!(words.iter().all(|word| key.kind.words().contains(word)), "{}", key.word);
        let typed = if let Value::Text(text) = &item.value { text.as_str() } else { "" };
        let word = words.iter().copied().find(|word| *word == typed);
        if word.is_none() {
            self.log().add(refused(key.word, item, ParameterError::Word(words.to_vec())));
        }
        word
    }

    /// A table that may be there.
    pub(crate) fn table(&mut self, key: &'static Key) -> Option<Self> {
        self.0.table(key.word).map(Self)
    }

    /// The entries of a list that may be there.
    pub(crate) fn list(&mut self, key: &'static Key, what: &str) -> &'a [Item] {
        self.0.list(key.word, what)
    }

    /// Reports a key that other tables of this kind may have: `without` is what this one has or
    /// lacks, `with` what the key goes with.
    pub(crate) fn misplaced(&mut self, key: &'static Key, without: &str, with: &str) {
        self.0.misplaced(key.word, without, with);
    }

    /// Keys nobody has asked for yet, with their values.
    pub(crate) fn rest(&self) -> impl Iterator<Item = (&'a str, &'a Place, &'a Item)> {
        self.0.rest()
    }

    /// Reports the keys that nobody asked for.
    pub(crate) fn finish(self) {
        self.0.finish();
    }
}

/// A time, or the word that stands for none and is the default.
pub(crate) fn span_or(reader: &mut Reader<'_>, key: &'static Key) -> Option<Span> {
    let item = reader.take(key)?;
    let word = key.absent.value().unwrap_or_default().trim_matches('"');
    if item.value == Value::Text(word.to_owned()) {
        return None;
    }
    let wrong = |problem: crate::problem::Problem| {
        let label = problem.label.clone().unwrap_or_default();
        reader.log().add(problem.label(format!("{label}, or \"{word}\"")));
    };
    read(key.word, item).map_err(wrong).ok()
}
