//! What is put into a scenario before it is read.

use super::DocumentKeys;
use super::key::{Absent, Kind, Section};
use super::spec::{Entry, Item, Place, Table, Value, declared};

/// What is put into a scenario before it is read; its items have no place.
pub(crate) fn defaults() -> Table {
    filled(DocumentKeys::SECTION)
}

fn filled(section: &Section) -> Table {
    let mut table = Table::default();
    if let Some((_, Absent::Filled(text))) = section.family {
        let (key, key_place) = ("scheme".to_owned(), Place::default());
        table.entries.extend(declared(text).map(|item| Entry { key, key_place, item }));
    }
    for key in section.keys {
        let item = match (key.absent, key.kind) {
            (Absent::Filled(text), _) => declared(text),
            (_, Kind::Table(inner)) => {
                let inner = Some(filled(inner)).filter(|inner| !inner.entries.is_empty());
                inner.map(|inner| Item { value: Value::Table(inner), place: Place::default() })
            }
            _ => None,
        };
        let (key, key_place) = (key.word.to_owned(), Place::default());
        table.entries.extend(item.map(|item| Entry { key, key_place, item }));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::spec;
    use std::path::Path;
    use std::sync::Arc;

    #[test]
    fn defaults_fill_what_is_missing() {
        let file = Arc::from(Path::new("t.toml"));
        let mut table = spec::document(&file, "[transport]\npayload = \"1 KiB\"\n").unwrap();
        table.fill(&defaults(), &Place::default());
        let Value::Table(transport) = &table.get("transport").unwrap().value else { panic!() };
        assert_eq!(transport.get("payload").unwrap().show(), "1 KiB");
        assert_eq!(transport.get("ack").unwrap().show(), "64 B");
    }
}
