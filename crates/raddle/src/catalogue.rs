//! The catalogue: schemes, family by family, kinds of topology and of traffic; its tables in the
//! documents, and those of keys.

pub use crate::families::{FAMILIES, Family, Known, names};

use crate::advise;
use crate::scenario;
use crate::scenario::key::Section;
use crate::study::tables::TABLES;
use raddle_schemes::Need;

/// What a `kind` selects.
pub struct Kinds {
    /// What they are: `Topologies`.
    pub title: &'static str,
    /// Where a scenario selects one: `fabric.topology`.
    pub key: &'static str,
    /// The sections of keys, one a kind.
    pub sections: fn() -> Vec<&'static Section>,
}

/// What kinds there are.
pub const KINDS: [Kinds; 2] = [
    Kinds { title: "Topologies", key: "fabric.topology", sections: scenario::topologies },
    Kinds { title: "Traffic", key: "traffic", sections: scenario::traffics },
];

/// Heading of the table of all schemes in docs/scenario.md.
const ALL: &str = "## Schemes";
/// Heading of the table of kinds of topology.
const TOPOLOGY: &str = "### Kinds of topology";
/// Heading of the table of kinds of traffic.
const TRAFFIC: &str = "### Kinds of traffic";

impl Family {
    /// The table of its parameters: one row each, one for a scheme without any.
    pub fn markdown(&self) -> String {
        let mut table =
            "| scheme | parameter | default | meaning |\n|---|---|---|---|\n".to_owned();
        for Known { card, parameters, .. } in self.schemes() {
            let name = card.name;
            if parameters.is_empty() {
                table.push_str(&format!("| `{name}` | none | | |\n"));
            }
            for parameter in parameters {
                let meaning = cell(&parameter.doc);
                let (key, default) = (parameter.name, parameter.default);
                table.push_str(&format!("| `{name}` | `{key}` | `{default}` | {meaning} |\n"));
            }
        }
        table
    }
}

/// The table of all schemes: where one is selected, what it is and what it needs.
pub fn markdown() -> String {
    let mut table = "| scheme | selected by | what it is | needs |\n|---|---|---|---|\n".to_owned();
    for family in FAMILIES {
        for Known { card, .. } in family.schemes() {
            let needs: Vec<&str> = card.needs.iter().map(|need: &Need| need.text()).collect();
            let needs = if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") };
            let (name, title, key) = (card.name, cell(card.title), family.key);
            table.push_str(&format!("| `{name}` | `{key}` | {title} | {} |\n", cell(&needs)));
        }
    }
    table
}

/// The table of the kinds of topology.
pub fn topologies() -> String {
    let mut table = "| kind | what it is |\n|---|---|\n".to_owned();
    for section in scenario::topologies() {
        let word = section.kind.unwrap_or_default();
        table.push_str(&format!("| `{word}` | {} |\n", cell(section.summary)));
    }
    table
}

/// The table of the kinds of traffic.
pub fn traffic() -> String {
    let mut table = "| kind | who sends what | draws |\n|---|---|---|\n".to_owned();
    for (word, summary, draws) in scenario::kinds() {
        let draws = if draws { "yes" } else { "no" };
        table.push_str(&format!("| `{word}` | {} | {draws} |\n", cell(summary)));
    }
    table
}

/// The tables of keys, below their headings.
pub fn keys() -> impl Iterator<Item = (String, String)> {
    let sections = scenario::sections().into_iter();
    sections.filter_map(|section| Some((section.heading()?, section.markdown())))
}

/// A text as a cell of a table: without the full stop at its end.
fn cell(text: &str) -> String {
    text.trim().trim_end_matches('.').replace('|', "\\|")
}

/// The tables of columns, below their headings.
fn columns() -> impl Iterator<Item = (String, String)> {
    TABLES.iter().map(|spec| {
        let mut table = "| column | unit | meaning |\n|---|---|---|\n".to_owned();
        for column in spec.columns() {
            let (name, unit, meaning) = (column.name, column.unit, column.meaning);
            table.push_str(&format!("| `{name}` | {unit} | {} |\n", meaning.replace('|', "\\|")));
        }
        (format!("### {}", spec.name), table)
    })
}

/// The document with the tables of columns as the program has them.
///
/// # Errors
/// As of [`fill`].
pub fn fill_columns(document: &str) -> Result<String, String> {
    put(document, columns())
}

/// The document with the tables of the keys of a question as the program has them.
///
/// # Errors
/// As of [`fill`].
pub fn fill_question(document: &str) -> Result<String, String> {
    let sections = advise::sections().into_iter();
    put(document, sections.filter_map(|own| Some((own.heading()?, own.markdown()))))
}

/// The document with the tables of the catalogue as the program has them; each is the first table below
/// its heading. A kind that the document lacks gets a heading and a line, behind the kind before it.
///
/// # Errors
/// The heading that the document lacks, or that has no table.
pub fn fill(document: &str) -> Result<String, String> {
    let mut document = document.to_owned();
    for kinds in &KINDS {
        let sections = (kinds.sections)();
        for pair in sections.windows(2) {
            add_behind(&mut document, pair[0], pair[1]);
        }
    }
    let tables = FAMILIES.iter().map(|family| (family.heading, family.markdown()));
    let tables = tables.chain([(ALL, markdown()), (TOPOLOGY, topologies()), (TRAFFIC, traffic())]);
    let tables = tables.map(|(heading, table)| (heading.to_owned(), table));
    put(&document, tables.chain(keys()))
}

/// Adds the heading of a section that has none yet, behind the section of another.
fn add_behind(document: &mut String, before: &Section, section: &Section) {
    let (Some(before), Some(heading)) = (before.heading(), section.heading()) else { return };
    if document.contains(&format!("\n{heading}\n")) {
        return;
    }
    let Some(start) = document.find(&format!("\n{before}\n")) else { return };
    let body = start + 1 + before.len();
    let end = document[body..].find("\n#").map_or(document.len(), |end| body + end + 1);
    let summary = cell(section.summary);
    let first = summary.chars().take(1).flat_map(char::to_uppercase);
    let line: String = first.chain(summary.chars().skip(1)).collect();
    document.insert_str(end, &format!("{heading}\n{line}.\n\n|\n\n"));
}

fn put(document: &str, tables: impl Iterator<Item = (String, String)>) -> Result<String, String> {
    let mut filled = document.to_owned();
    for (heading, table) in tables {
        let missing = || format!("no table below `{heading}`");
        let section = filled.find(&format!("\n{heading}\n")).ok_or_else(missing)? + 1;
        let body = section + heading.len() + 1;
        let end = filled[body..].find("\n#").map_or(filled.len(), |end| body + end + 1);
        let first = filled[body - 1..end].find("\n|").ok_or_else(missing)? + body;
        let rows = filled[first..end].split_inclusive('\n').take_while(|row| row.starts_with('|'));
        let length: usize = rows.map(str::len).sum();
        filled.replace_range(first..first + length, &table);
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_replaced_below_their_headings_and_nothing_else() {
        let headings = FAMILIES.iter().map(|family| family.heading).chain([ALL, TOPOLOGY, TRAFFIC]);
        let headings: Vec<String> =
            headings.map(str::to_owned).chain(keys().map(|(heading, _)| heading)).collect();
        let section = |heading: &String| format!("\n{heading}\nwords\n| old |\n\n| kept |\n");
        let document: String = headings.iter().map(section).collect();
        let filled = fill(&document).unwrap();
        assert!(!filled.contains("| old |"), "{filled}");
        assert_eq!(filled.matches("| kept |").count(), headings.len());
        assert!(filled.contains("| `reps` | `buffer` | `8` | Slots of the ring"), "{filled}");
        assert_eq!(fill(&filled).unwrap(), filled);
        let lacking = document.replace("\n### kind = \"torus\"\nwords\n| old |\n\n| kept |\n", "");
        assert_ne!(lacking, document);
        let added = fill(&lacking).unwrap();
        assert!(added.contains("\n### kind = \"torus\"\nRows and columns of switches"), "{added}");
        assert!(added.contains("| `rows` |"), "{added}");
        assert_eq!(fill(&added).unwrap(), added);
        let error = fill("\n## Schemes\n| a |\n").unwrap_err();
        assert_eq!(error, "no table below `### [transport] load_balance`");
    }
}
