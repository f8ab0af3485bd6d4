//! Files of a crate that need each other: none but the pairs listed here. A file and the `mod.rs` above
//! it may: a module's list names its members, and they use what it declares.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Circles that are known, each with its reason.
const KNOWN: &[(&str, &[&str])] = &[];

/// A module by the names on its path.
type Module = Vec<String>;

/// A crate's modules: what each says without its tests, comments and texts.
struct Crate {
    texts: BTreeMap<Module, String>,
    /// What each makes public again.
    exports: BTreeMap<Module, Vec<String>>,
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension() {
            _ if path.is_dir() => sources(&path, found),
            Some(extension) if extension == "rs" => found.push(path),
            _ => {}
        }
    }
}

/// Without tests, comments and what stands in quotes.
fn bare(text: &str) -> String {
    let own = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut bare = String::new();
    for line in own.lines() {
        let mut quoted = false;
        let mut last = ' ';
        for c in line.chars() {
            if c == '"' && last != '\\' && last != '\'' {
                quoted = !quoted;
            } else if !quoted && c == '/' && last == '/' {
                bare.pop();
                break;
            } else if !quoted {
                bare.push(c);
            }
            last = c;
        }
        bare.push('\n');
    }
    bare
}

/// The paths of `a::{b, c::{d, e as f}}`.
fn expand(before: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((start, list)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap().trim();
        if !path.is_empty() {
            found.push(format!("{before}{path}"));
        }
        return;
    };
    let before = format!("{before}{}", start.trim());
    let list = list.trim().strip_suffix('}').unwrap_or(list);
    let (mut depth, mut from) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&before, &list[from..at], found);
                from = at + 1;
            }
            _ => {}
        }
    }
    expand(&before, &list[from..], found);
}

/// The trees of `use`, and whether others see them; and the rest of the text.
fn uses(text: &str) -> (Vec<(bool, String)>, String) {
    let (mut found, mut rest) = (Vec::new(), String::new());
    let mut statement: Option<(bool, String)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if statement.is_none() {
            let public = trimmed.starts_with("pub");
            let after = match (public, trimmed.split_once("use ")) {
                (true, Some((before, after))) if before.trim_end().len() <= 12 => Some(after),
                (false, Some(("", after))) => Some(after),
                _ => None,
            };
            match after {
                Some(after) => statement = Some((public, after.to_owned())),
                None => {
                    rest.push_str(line);
                    rest.push('\n');
                }
            }
        } else if let Some((_, tree)) = &mut statement {
            tree.push_str(trimmed);
        }
        if trimmed.ends_with(';')
            && let Some((public, tree)) = statement.take()
        {
            found.push((public, tree.trim_end_matches(';').to_owned()));
        }
    }
    (found, rest)
}

/// The paths in a text that begin with the crate or a module above.
fn inline(text: &str, found: &mut Vec<String>) {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    for path in text.split(|c| !word(c)) {
        if ["crate::", "super::", "self::"].iter().any(|start| path.starts_with(start)) {
            found.push(path.trim_end_matches(':').to_owned());
        }
    }
}

impl Crate {
    fn read(source: &Path) -> Self {
        let mut files = Vec::new();
        sources(source, &mut files);
        let mut texts = BTreeMap::new();
        for file in files {
            let path = file.strip_prefix(source).unwrap().with_extension("");
            let names = path.iter().map(|name| name.to_str().unwrap().to_owned());
            let mut module: Module = names.collect();
            if matches!(module.last().unwrap().as_str(), "mod" | "lib" | "main") {
                module.pop();
            }
            texts.insert(module, bare(&fs::read_to_string(&file).unwrap()));
        }
        let public = |text: &String| {
            let mut paths = Vec::new();
            let trees = uses(text).0.into_iter().filter(|(public, _)| *public);
            trees.for_each(|(_, tree)| expand("", &tree, &mut paths));
            paths
        };
        let exports = texts.iter().map(|(module, text)| (module.clone(), public(text))).collect();
        Self { texts, exports }
    }

    /// Where a path of a module begins, and what follows.
    fn start(&self, module: &Module, path: &str) -> Option<(Module, Vec<String>)> {
        let mut rest: Vec<String> = path.split("::").map(str::to_owned).collect();
        let mut at = module.clone();
        match rest[0].as_str() {
            "crate" => at.clear(),
            "self" | "super" => {}
            first => {
                let child = [module.as_slice(), &[first.to_owned()]].concat();
                return self.texts.contains_key(&child).then_some((at, rest));
            }
        }
        if rest[0] != "super" {
            rest.remove(0);
        }
        while rest.first().is_some_and(|name| name == "super") {
            at.pop();
            rest.remove(0);
        }
        Some((at, rest))
    }

    /// The module that declares what a path names.
    fn declares(&self, mut at: Module, mut rest: Vec<String>, depth: u32) -> Module {
        while let Some(name) = rest.first() {
            let child = [at.as_slice(), std::slice::from_ref(name)].concat();
            if !self.texts.contains_key(&child) {
                break;
            }
            at = child;
            rest.remove(0);
        }
        let Some(name) = rest.first().filter(|_| depth < 6) else { return at };
        for path in self.exports.get(&at).into_iter().flatten() {
            let all = path.ends_with("::*");
            if !all && path.rsplit("::").next() != Some(name) {
                continue;
            }
            let Some((start, mut own)) = self.start(&at, path) else { continue };
            if all {
                own.pop();
                own.push(name.clone());
                let found = self.declares(start, own, depth + 1);
                let text = self.texts.get(&found).map_or("", String::as_str);
                let kinds = ["struct", "enum", "fn", "trait", "const", "static", "type", "!"];
                if kinds.iter().any(|kind| text.contains(&format!("{kind} {name}"))) {
                    return found;
                }
            } else {
                own.extend(rest[1..].iter().cloned());
                return self.declares(start, own, depth + 1);
            }
        }
        at
    }

    /// What each module needs of others that are not above it.
    fn needs(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let mut needs = BTreeMap::new();
        for (module, text) in &self.texts {
            let (trees, rest) = uses(text);
            let mut paths = Vec::new();
            let own = trees.into_iter().filter(|(public, _)| !public);
            own.for_each(|(_, tree)| expand("", &tree, &mut paths));
            inline(&rest, &mut paths);
            let starts = paths.iter().filter_map(|path| self.start(module, path));
            let found = starts.map(|(at, rest)| self.declares(at, rest, 0));
            needs.insert(module, found.filter(|to| !module.starts_with(to)).collect());
        }
        needs
    }

    /// Sets of modules that need each other.
    fn circles(&self) -> Vec<BTreeSet<Module>> {
        let needs = self.needs();
        let reached = |from: &Module| {
            let mut seen = BTreeSet::new();
            let mut stack: Vec<&Module> = needs[from].iter().collect();
            while let Some(at) = stack.pop() {
                if seen.insert(at.clone()) {
                    stack.extend(needs.get(at).into_iter().flatten());
                }
            }
            seen
        };
        let all: BTreeMap<&Module, BTreeSet<Module>> =
            needs.keys().map(|module| (*module, reached(module))).collect();
        let mut circles: Vec<BTreeSet<Module>> = Vec::new();
        for (module, reaches) in &all {
            let back = reaches.iter().filter(|to| all.get(to).is_some_and(|r| r.contains(*module)));
            let circle: BTreeSet<Module> = back.cloned().collect();
            if circle.len() > 1 && !circles.contains(&circle) {
                circles.push(circle);
            }
        }
        circles
    }
}

#[test]
fn files_of_a_crate_do_not_need_each_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        for circle in Crate::read(&path.join("src")).circles() {
            let files: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
            found.push((name.clone(), files));
        }
    }
    found.sort();
    let known = KNOWN.iter().map(|(name, files)| {
        ((*name).to_owned(), files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>())
    });
    assert_eq!(found, known.collect::<Vec<_>>());
}
