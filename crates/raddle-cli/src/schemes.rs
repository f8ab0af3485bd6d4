//! `raddle schemes`: the catalogue.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle::catalogue::{self, FAMILIES, Family, KINDS, Kinds, Known};
use raddle::scenario::key::Section;
use raddle::study::place::at;
use raddle::study::text::{left, wrap};
use raddle_schemes::Need;
use raddle_schemes::family::ParameterInfo;
use raddle_schemes::rule::{Held, Rule, Rulebook};
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of `raddle schemes`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A scheme to show with its parameters, or a kind of topology or traffic with its keys.
    name: Option<String>,
    /// Print the tables of schemes, their parameters and keys in Markdown; with a FILE, put them into it,
    /// each below its heading.
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    markdown: Option<Option<PathBuf>>,
}

pub(super) fn schemes(arguments: &Arguments) -> End {
    match (&arguments.markdown, &arguments.name) {
        (Some(Some(file)), _) => accept(file, catalogue::fill),
        (Some(None), _) => markdown(),
        (None, None) => list(),
        (None, Some(name)) => one(name),
    }
}

fn markdown() -> End {
    print_line!("{}", catalogue::markdown());
    for family in FAMILIES {
        print_line!("{}\n{}", family.heading, family.markdown());
    }
    for (heading, table) in catalogue::keys() {
        print_line!("{heading}\n{table}");
    }
    End::Done
}

/// Puts tables into a document.
pub(super) fn accept(file: &Path, fill: fn(&str) -> Result<String, String>) -> End {
    let read = fs::read_to_string(file).map_err(|error| at(file, error));
    let filled = read.and_then(|text| fill(&text).map_err(|error| at(file, error)));
    let filled = match filled {
        Ok(filled) => filled,
        Err(error) => return input::refuse_text(&error),
    };
    match fs::write(file, filled) {
        Ok(()) => End::Done,
        Err(error) => {
            note_line!("error: {}", at(file, error));
            End::Failed
        }
    }
}

fn list() -> End {
    let width = names().into_iter().map(str::len).max().unwrap_or(0);
    for family in FAMILIES {
        print_line!("{} ({})", family.title, family.key);
        for scheme in family.schemes() {
            listed(scheme.card.name, width + 4, scheme.card.summary);
        }
        print_line!();
    }
    for Kinds { title, key, sections } in &KINDS {
        print_line!("{title} ({key})");
        for section in sections() {
            listed(section.kind.unwrap_or_default(), width + 4, section.summary);
        }
        print_line!();
    }
    print_line!(
        "`raddle schemes NAME` shows a scheme's parameters, needs and paper, or a kind's keys."
    );
    End::Done
}

/// The names of all schemes and kinds.
fn names() -> Vec<&'static str> {
    let schemes = FAMILIES.iter().flat_map(Family::schemes).map(|scheme| scheme.card.name);
    let kinds = KINDS.iter().flat_map(|kinds| (kinds.sections)()).filter_map(|own| own.kind);
    schemes.chain(kinds).collect()
}

/// A name, and behind it a text whose lines all begin in column `indent`.
fn listed(name: &str, indent: usize, text: &str) {
    let mut head = format!("  {name}");
    for line in wrap(text, input::columns().saturating_sub(indent).max(20)) {
        print_line!("{}{line}", left(&head, indent));
        head.clear();
    }
}

fn one(name: &str) -> End {
    let mut found = false;
    for family in FAMILIES {
        let schemes = family.schemes();
        let Some(scheme) = schemes.iter().find(|scheme| scheme.card.name == name) else {
            continue;
        };
        if found {
            print_line!();
        }
        found = true;
        show(family, scheme);
    }
    for Kinds { title, key, sections } in &KINDS {
        let Some(section) = sections().into_iter().find(|own| own.kind == Some(name)) else {
            continue;
        };
        if found {
            print_line!();
        }
        found = true;
        show_kind(title, key, name, section);
    }
    if found {
        return End::Done;
    }
    let nearest = names()
        .into_iter()
        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    input::refuse_text(&format!(
        "unknown scheme `{name}`; nearest: `{}` (`raddle schemes` lists all)",
        nearest.unwrap_or_default()
    ))
}

fn show(family: &Family, scheme: &Known) {
    let Known { card, parameters, probes, rules } = scheme;
    let Family { title, key, .. } = family;
    print_line!("{}: {}", card.name, card.title);
    print_line!("  family  {title}: {key} = {{ scheme = \"{}\" }}", card.name);
    listed("paper", 10, card.paper);
    if !card.needs.is_empty() {
        let needs: Vec<&str> = card.needs.iter().map(|need: &Need| need.text()).collect();
        listed("needs", 10, &needs.join(", "));
    }
    listed("does", 10, card.summary);
    if !probes.is_empty() {
        listed("shows", 10, &format!("{} (record.probes)", probes.join(", ")));
    }
    show_parameters(parameters);
    rules.iter().for_each(show_rules);
}

fn show_parameters(parameters: &[ParameterInfo]) {
    if parameters.is_empty() {
        print_line!("  no parameters");
        return;
    }
    let width = |of: fn(&ParameterInfo) -> usize| parameters.iter().map(of).max().unwrap_or(0);
    let (names, defaults) = (width(|p| p.name.len()), width(|p| p.default.len()));
    print_line!("  parameters, with their defaults:");
    for parameter in parameters {
        let head = format!("  {:names$} = {:defaults$}", parameter.name, parameter.default);
        listed(&head, names + defaults + 9, &parameter.doc);
    }
}

fn show_rules(book: &Rulebook) {
    listed("rules", 10, &format!("{}: {}", book.document, book.share()));
    let indent = book.rules.iter().map(|rule| rule.clause.len()).max().unwrap_or(0) + 6;
    for Rule { clause, text, held } in book.rules {
        listed(&format!("  {clause}"), indent, text);
        let held = match held {
            Held::Test(name) => format!("test {name}"),
            Held::Reading(how) => format!("read as: {how}"),
            Held::Absent(why) => format!("left out: {why}"),
        };
        listed("", indent + 2, &held);
    }
}

fn show_kind(title: &str, key: &str, name: &str, section: &Section) {
    print_line!("{name}: {}", section.summary);
    print_line!("  of      {title}: {key}, kind = \"{name}\"");
    let common = section.common.filter(|common| common.heading.is_none());
    let keys = section.keys.iter().chain(common.map_or(&[][..], |common| common.keys));
    let keys: Vec<_> = keys.map(|key| (key.word, key.absent.text(), key.meaning)).collect();
    let width = keys.iter().map(|(word, ..)| word.len()).max().unwrap_or(0);
    print_line!("  keys, and what holds without them:");
    for (word, absent, meaning) in &keys {
        let head = format!("  {word:width$}");
        listed(&head, width + 6, &format!("{} ({meaning})", absent.trim_matches('`')));
    }
}
