//! The book: its commands print what it shows, every page is in it, links lead somewhere, and the
//! glossary has the words of scenarios.

use super::page::follow;
use super::{command, names};
use raddle::catalogue::FAMILIES;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::thread;

fn root() -> PathBuf {
    normal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// A path without `..` inside.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
        path
    })
}

/// Every page below a folder, as a path from it.
fn pages(folder: &Path, below: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in names(&folder.join(below)) {
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if folder.join(&path).is_dir() {
            found.extend(pages(folder, &path));
        } else if path.ends_with(".md") {
            found.push(path);
        }
    }
    found
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All pages of a folder, at once; they take a few seconds of CPU time.
fn follow_all(folder: &str) {
    let root = root();
    let program = command(&[]).get_program().to_string_lossy().into_owned();
    let programs = [("raddle", program.as_str())];
    let pages = pages(&root.join("docs"), folder);
    assert!(!pages.is_empty(), "{folder} has no page");
    let wrong: Vec<String> = thread::scope(|scope| {
        let followed: Vec<_> =
            pages.iter().map(|page| scope.spawn(|| follow(&root, page, &programs))).collect();
        followed.into_iter().filter_map(|page| page.join().expect("a page").err()).collect()
    });
    assert!(wrong.is_empty(), "UPDATE=1 writes what is printed\n{}", wrong.join("\n"));
}

#[test]
fn tutorials_print_what_they_show() {
    follow_all("tutorials");
}

#[test]
fn how_tos_print_what_they_show() {
    follow_all("howto");
}

/// The lines of a document outside its fenced blocks, without code in back quotes.
fn prose(text: &str) -> impl Iterator<Item = String> {
    let mut fenced = false;
    text.lines().filter_map(move |line| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        let outside = line.split('`').step_by(2).collect::<Vec<_>>().join("x");
        (!fenced).then_some(outside)
    })
}

/// Where links and pictures of a document lead.
fn links(text: &str) -> Vec<String> {
    let found = prose(text).flat_map(|line| {
        let parts = line.split("](").skip(1);
        parts.filter_map(|part| Some(part.split_once(')')?.0.to_owned())).collect::<Vec<_>>()
    });
    found.collect()
}

/// The places of a document that a link may name: its headings, as GitHub and mdBook write them, and
/// what it names itself.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        let named = line.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
        anchors.extend(named.map(str::to_owned));
        let heading = line.trim_start_matches('#');
        if fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c => c.is_alphanumeric().then(|| c.to_ascii_lowercase()),
        });
        let anchor: String = kept.collect();
        let times = seen.entry(anchor.clone()).or_default();
        anchors.insert(if *times == 0 { anchor } else { format!("{anchor}-{times}") });
        *times += 1;
    }
    anchors
}

#[test]
fn the_summary_names_every_page_once() {
    let docs = root().join("docs");
    let mut named = links(&text(&docs.join("SUMMARY.md")));
    named.sort();
    let mut there = pages(&docs, "");
    there.retain(|page| page != "SUMMARY.md");
    there.sort();
    assert_eq!(named, there);
}

#[test]
fn links_lead_to_files_and_places_that_are_there() {
    let root = root();
    let docs = root.join("docs");
    let mut documents: Vec<PathBuf> = pages(&docs, "").iter().map(|page| docs.join(page)).collect();
    documents.extend(["README.md", "CONTRIBUTING.md"].map(|page| root.join(page)));
    let mut wrong = Vec::new();
    for document in documents {
        let own = text(&document);
        for link in links(&own) {
            let place = format!("{}: {link}", document.display());
            if link.starts_with("http") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let beside = document.parent().map(|folder| normal(&folder.join(path)));
            let target =
                if path.is_empty() { document.clone() } else { beside.unwrap_or_default() };
            if !target.exists() {
                wrong.push(format!("{place}: no such file"));
            } else if !anchor.is_empty() && !anchors(&text(&target)).contains(anchor) {
                wrong.push(format!("{place}: no such place"));
            } else if document.starts_with(&docs)
                && path.ends_with(".md")
                && !target.starts_with(&docs)
            {
                wrong.push(format!("{place}: mdBook makes no page of what is outside docs"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_glossary_leads_to_every_family_of_schemes() {
    let glossary = text(&root().join("docs/glossary.md"));
    let links = links(&glossary);
    for family in FAMILIES {
        let key = format!("`{}`", family.key);
        assert!(glossary.contains(&key), "the glossary lacks {key}");
        let heading = anchors(family.heading).into_iter().next().unwrap_or_default();
        let link = format!("scenario.md#{heading}");
        assert!(links.contains(&link), "the glossary has no link to {link}");
    }
}

#[test]
fn the_glossary_names_keys_and_words_that_scenarios_have() {
    let docs = root().join("docs");
    let scenario = text(&docs.join("scenario.md"));
    let of = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.map(str::to_owned).collect()
    };
    let known = of(&scenario);
    let glossary = text(&docs.join("glossary.md"));
    let (_, words) = glossary.split_once("\n## Words\n").expect("its words");
    let mut terms = Vec::new();
    for row in words.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [term, meaning, place] = cells[..] else { panic!("three cells: {row}") };
        terms.push(term.trim().to_lowercase());
        assert!(meaning.ends_with('.'), "a sentence: {row}");
        for code in place.split('`').skip(1).step_by(2).filter(|code| !code.starts_with("raddle "))
        {
            let unknown: Vec<String> = of(code).difference(&known).cloned().collect();
            assert!(unknown.is_empty(), "{term}: scenarios do not know {unknown:?}");
        }
    }
    assert!(terms.is_sorted(), "words in order");
}
