//! What all of `claims.toml` is read with: documents, texts, tables of settings.

use raddle::problem::{Problem, Problems, Source};
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::{self, Item, Place, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads a whole document with `read`, which logs what is wrong.
pub(crate) fn parse<T>(
    name: &str,
    text: &str,
    read: impl FnOnce(&Item, &Log) -> Option<T>,
) -> Result<T, Problems> {
    let file: Arc<Path> = Arc::from(Path::new(name));
    let source = Source { path: PathBuf::from(name), text: text.to_owned() };
    let failed = |list: Vec<Problem>| Problems { list, sources: vec![source.clone()] };
    let table = spec::document(&file, text).map_err(failed)?;
    let place = Place { file: Some(file), span: 0..0 };
    let item = Item { value: Value::Table(table), place };
    let log = Log::default();
    let found = read(&item, &log);
    match (found, log.into_problems()) {
        (Some(found), problems) if problems.is_empty() => Ok(found),
        (_, problems) => Err(failed(problems)),
    }
}

/// A text that must be there.
pub(crate) fn text(reader: &mut Reader<'_>, key: &'static str) -> Option<String> {
    let item = reader.demand(key, "\"..\"")?;
    words(key, item, reader.log())
}

/// A text.
pub(crate) fn words(key: &str, item: &Item, log: &Log) -> Option<String> {
    match &item.value {
        Value::Text(text) => Some(text.clone()),
        _ => {
            log.add(item.place.problem(format!("`{key}` is a text")).label("write it in quotes"));
            None
        }
    }
}

/// A table of quoted paths and values, as tables of results show them.
pub(crate) fn settings(key: &str, item: &Item, log: &Log) -> Option<Vec<(String, String)>> {
    let Some(table) = item.table() else {
        log.add(item.place.problem(format!("`{key}` is a table of paths and values")));
        return None;
    };
    Some(table.entries.iter().map(|entry| (entry.key.clone(), entry.item.show())).collect())
}
