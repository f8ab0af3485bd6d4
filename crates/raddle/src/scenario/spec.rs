//! What was typed: a tree of values, each with the place it was typed at.
//!
//! Overrides, sweeps, conditions and defaults are merged into this tree, so that every later check
//! points at the text that is to blame, wherever it came from.

use crate::problem::Problem;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a piece of text stands; no file for what a default put there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file; `None` for a default.
    pub file: Option<Arc<Path>>,
    /// Bytes of the file.
    pub span: Range<usize>,
}

impl Place {
    /// A problem at this place.
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        Problem {
            file: self.file.as_deref().map(Path::to_path_buf),
            span: self.file.as_ref().map(|_| self.span.clone()),
            ..Problem::new(message)
        }
    }
}

/// A value as it was typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text, a time or date, or a number that no `i64` holds.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// `true` or `false`.
    Flag(bool),
    /// Values in order.
    List(Vec<Item>),
    /// Keys and values.
    Table(Table),
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What was typed.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

/// A key, its place, and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key, possibly a dotted one.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub item: Item,
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// In the order of the file.
    pub entries: Vec<Entry>,
}

/// Reads a TOML document.
///
/// # Errors
/// Every syntax error.
pub fn document(file: &Arc<Path>, text: &str) -> Result<Table, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(own_table(table.get_ref(), &|span| Place { file: Some(file.clone()), span }));
    }
    let problem = |error: &toml::de::Error| {
        let span = error.span().unwrap_or_default();
        Place { file: Some(file.clone()), span }.problem(error.message())
    };
    Err(errors.iter().map(problem).collect())
}

/// A value that a key's declaration has.
pub(crate) fn declared(text: &str) -> Option<Item> {
    DeValue::parse(text).ok().map(|value| own(&value, &|_| Place::default()))
}

/// Reads one value typed on the command line at `offset` of `file`: TOML, or a bare word.
///
/// # Errors
/// A syntax error in something that starts like a list, a table or a quoted text.
pub(crate) fn typed_value(file: &Arc<Path>, offset: usize, text: &str) -> Result<Item, Problem> {
    let place = |span: Range<usize>| Place {
        file: Some(file.clone()),
        span: span.start + offset..span.end + offset,
    };
    let bare = || Item { value: Value::Text(text.trim().to_owned()), place: place(0..text.len()) };
    match DeValue::parse(text) {
        Ok(value) if matches!(value.get_ref(), DeValue::Datetime(_)) => Ok(bare()),
        Ok(value) => Ok(own(&value, &place)),
        Err(error) if text.trim_start().starts_with(['[', '{', '"', '\'']) => {
            Err(place(error.span().unwrap_or(0..text.len())).problem(error.message()))
        }
        Err(_) => Ok(bare()),
    }
}

fn own_table(table: &DeTable<'_>, place: &dyn Fn(Range<usize>) -> Place) -> Table {
    let entry = |(key, value): (&Spanned<_>, &_)| Entry {
        key: AsRef::<str>::as_ref(key.get_ref()).to_owned(),
        key_place: place(key.span()),
        item: own(value, place),
    };
    Table { entries: table.iter().map(entry).collect() }
}

fn own(value: &Spanned<DeValue<'_>>, place: &dyn Fn(Range<usize>) -> Place) -> Item {
    let owned = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix())
            .map_or_else(|_| Value::Text(n.to_string()), Value::Integer),
        DeValue::Float(x) => {
            x.as_str().parse().map_or_else(|_| Value::Text(x.to_string()), Value::Float)
        }
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(items) => Value::List(items.iter().map(|item| own(item, place)).collect()),
        DeValue::Table(table) => Value::Table(own_table(table, place)),
    };
    Item { value: owned, place: place(value.span()) }
}

impl Table {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.item)
    }

    /// Takes `key` out.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        let position = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(position))
    }

    /// Takes what is at a dotted path out, whether the path was typed in one piece or as tables.
    pub(crate) fn remove_path(&mut self, path: &str) -> bool {
        if self.remove(path).is_some() {
            return true;
        }
        let splits = path.match_indices('.').map(|(i, _)| (&path[..i], &path[i + 1..]));
        splits.into_iter().any(|(head, tail)| {
            let entry = self.entries.iter_mut().find(|entry| entry.key == head);
            match entry.map(|entry| &mut entry.item.value) {
                Some(Value::Table(table)) => table.remove_path(tail),
                _ => false,
            }
        })
    }

    /// Puts `item` at a dotted path, making tables on the way; numbers index lists. What was typed
    /// with the path in one piece is replaced where it stands.
    ///
    /// # Errors
    /// The part of the path that cannot be followed.
    pub(crate) fn set(&mut self, path: &str, key_place: &Place, item: Item) -> Result<(), String> {
        let typed_whole = self.entries.iter_mut().find(|entry| entry.key == path);
        let (key, rest) = match path.split_once('.') {
            Some(split) if typed_whole.is_none() => split,
            _ => {
                let new = Entry { key: path.to_owned(), key_place: key_place.clone(), item };
                match typed_whole {
                    Some(entry) => *entry = new,
                    None => self.entries.push(new),
                }
                return Ok(());
            }
        };
        if self.get(key).is_none() {
            let empty = Value::Table(Self::default());
            self.entries.push(Entry {
                key: key.to_owned(),
                key_place: key_place.clone(),
                item: Item { value: empty, place: key_place.clone() },
            });
        }
        let found = self.entries.iter_mut().find(|entry| entry.key == key);
        match found.map(|entry| &mut entry.item.value) {
            Some(Value::Table(table)) => table.set(rest, key_place, item),
            Some(Value::List(list)) => {
                let (index, rest) =
                    rest.split_once('.').map_or((rest, None), |(index, r)| (index, Some(r)));
                let count = list.len();
                let chosen = index.parse().ok().and_then(|i: usize| list.get_mut(i));
                match (chosen, rest) {
                    (Some(Item { value: Value::Table(table), .. }), Some(rest)) => {
                        table.set(rest, key_place, item)
                    }
                    (Some(slot), None) => {
                        *slot = item;
                        Ok(())
                    }
                    (Some(_), Some(_)) => Err(format!("`{key}.{index}` is not a table")),
                    (None, _) => Err(format!(
                        "`{key}` is a list of {count}; `{index}` is not the number of an entry"
                    )),
                }
            }
            _ => Err(format!("`{key}` is not a table")),
        }
    }

    /// Fills in what is missing from `defaults`, table by table; `place` is where missing tables
    /// are said to stand.
    pub(crate) fn fill(&mut self, defaults: &Self, place: &Place) {
        for default in &defaults.entries {
            if self.get(&default.key).is_none() {
                let mut missing = default.clone();
                if missing.item.table().is_some() {
                    missing.item.place = place.clone();
                }
                self.entries.push(missing);
                continue;
            }
            let entry = self.entries.iter_mut().find(|entry| entry.key == default.key);
            if let Some(Entry { item: Item { value: Value::Table(table), .. }, .. }) = entry
                && let Some(inner) = default.item.table()
            {
                table.fill(inner, place);
            }
        }
    }
}

impl Item {
    /// The table, if it is one.
    pub fn table(&self) -> Option<&Table> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }

    /// The entries, if it is a list.
    pub fn list(&self) -> Option<&[Self]> {
        if let Value::List(list) = &self.value { Some(list) } else { None }
    }

    /// The value as a person would write it in a table of results: texts without quotes.
    pub fn show(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            _ => self.to_toml(),
        }
    }

    /// The value in TOML, on one line.
    pub fn to_toml(&self) -> String {
        match &self.value {
            Value::Text(text) => quoted(text),
            Value::Integer(n) => n.to_string(),
            Value::Float(x) => format!("{x:?}"),
            Value::Flag(flag) => flag.to_string(),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Self::to_toml).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Table(table) => {
                let entries: Vec<String> = table
                    .entries
                    .iter()
                    .map(|entry| format!("{} = {}", entry.key, entry.item.to_toml()))
                    .collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }
}

/// `text` as a quoted TOML string.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Arc<Path> {
        Arc::from(Path::new("demo.toml"))
    }

    #[test]
    fn values_keep_their_places() {
        let text = "[a]\nb = { c = \"x\", d = 3 }\n";
        let table = document(&file(), text).unwrap();
        let Value::Table(a) = &table.get("a").unwrap().value else { panic!() };
        let Value::Table(b) = &a.get("b").unwrap().value else { panic!() };
        assert_eq!(&text[b.get("c").unwrap().place.span.clone()], "\"x\"");
        assert_eq!(&text[b.entries[1].key_place.span.clone()], "d");
        assert_eq!(b.get("d").unwrap().value, Value::Integer(3));
    }

    #[test]
    fn every_syntax_error_is_reported() {
        let problems = document(&file(), "a = \nb = 1\nb = 2\n").unwrap_err();
        assert!(problems.len() >= 2, "{problems:?}");
        assert!(problems.iter().all(|problem| problem.span.is_some()));
    }

    #[test]
    fn a_path_leads_through_tables_and_lists() {
        let mut table = document(&file(), "[[fault]]\nlink = \"tor0.up1\"\n").unwrap();
        let item = |text| typed_value(&file(), 0, text).unwrap();
        let place = Place::default();
        table.set("fault.0.link", &place, item("tor0.up2")).unwrap();
        table.set("transport.payload", &place, item("\"1 KiB\"")).unwrap();
        let shown: Vec<String> = table.entries.iter().map(|entry| entry.item.to_toml()).collect();
        assert_eq!(shown, ["[{ link = \"tor0.up2\" }]", "{ payload = \"1 KiB\" }"]);
        assert!(table.set("fault.1.link", &place, item("x")).unwrap_err().contains("list of 1"));
        assert!(table.set("transport.payload.x", &place, item("x")).is_err());
    }

    #[test]
    fn typed_values_are_toml_or_bare_words() {
        let value = |text| typed_value(&file(), 0, text).map(|item| item.value);
        assert_eq!(value("400 Gbps"), Ok(Value::Text("400 Gbps".into())));
        assert_eq!(value("1..5"), Ok(Value::Text("1..5".into())));
        assert_eq!(value("7"), Ok(Value::Integer(7)));
        assert_eq!(value("true"), Ok(Value::Flag(true)));
        assert!(value("[1, 2").is_err());
    }
}
