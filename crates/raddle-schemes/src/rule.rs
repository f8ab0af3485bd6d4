//! Rules of standards, each beside its clause: which a scheme follows, what shows it, and what it
//! leaves out.

use alloc::format;
use alloc::string::String;

/// A document and those of its rules that concern what a scheme does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rulebook {
    /// `RFC 9438`.
    pub document: &'static str,
    /// Its rules, in its order.
    pub rules: &'static [Rule],
}

/// One rule of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where it stands, `4.6`; what it is about behind that where a clause has several.
    pub clause: &'static str,
    /// What it asks for, in few words.
    pub text: &'static str,
    /// What becomes of it here.
    pub held: Held,
}

/// What becomes of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The test of this name, in the scheme's own files, shows that it is followed.
    Test(&'static str),
    /// It is followed in another way: which.
    Reading(&'static str),
    /// It is left out: why.
    Absent(&'static str),
}

impl Rule {
    /// One that a test shows.
    pub const fn shown(clause: &'static str, text: &'static str, test: &'static str) -> Self {
        Self { clause, text, held: Held::Test(test) }
    }

    /// One that is followed in another way.
    pub const fn read(clause: &'static str, text: &'static str, how: &'static str) -> Self {
        Self { clause, text, held: Held::Reading(how) }
    }

    /// One that is left out.
    pub const fn absent(clause: &'static str, text: &'static str, why: &'static str) -> Self {
        Self { clause, text, held: Held::Absent(why) }
    }
}

impl Rulebook {
    /// How many of its rules a test shows, and what becomes of the others: `9 of 12 shown by a test, 2
    /// by another reading, 1 left out`.
    pub fn share(&self) -> String {
        let count = |is: fn(&Held) -> bool| self.rules.iter().filter(|rule| is(&rule.held)).count();
        let tests = count(|held| matches!(held, Held::Test(_)));
        let mut share = format!("{tests} of {} shown by a test", self.rules.len());
        let others = [
            (count(|held| matches!(held, Held::Reading(_))), "by another reading"),
            (count(|held| matches!(held, Held::Absent(_))), "left out"),
        ];
        for (rules, what) in others.into_iter().filter(|(rules, _)| *rules > 0) {
            share.push_str(&format!(", {rules} {what}"));
        }
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_balance::{host, plane, switch};
    use crate::{buffer, congestion, marking, planner, recovery, tor};
    use std::borrow::ToOwned;
    use std::path::{Path, PathBuf};
    use std::vec::Vec;
    use std::{fs, vec};

    /// Every listed scheme of a family: its name, its folder in `src/`, and its rules.
    macro_rules! listed {
        ($($family:ident: $folder:literal),*) => {
            vec![$($family::SCHEMES.iter().filter_map(|scheme| {
                let name = scheme.card.name;
                Some((name, $folder, $family::Config::named(name)?.rules()))
            }).collect::<Vec<_>>()),*].concat()
        };
    }

    fn all() -> Vec<(&'static str, &'static str, &'static [Rulebook])> {
        listed!(
            host: "load_balance/host",
            plane: "load_balance/plane",
            switch: "load_balance/switch",
            congestion: "congestion",
            recovery: "recovery",
            marking: "marking",
            buffer: "buffer",
            tor: "tor",
            planner: "planner"
        )
    }

    /// The text of a scheme's files: its own and those in its folder.
    fn sources(folder: &str, name: &str) -> String {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
        let mut files: Vec<PathBuf> = vec![place.join(format!("{name}.rs"))];
        let own = fs::read_dir(place.join(name)).into_iter().flatten();
        files.extend(own.filter_map(|entry| Some(entry.ok()?.path())));
        files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    fn has_test(sources: &str, name: &str) -> bool {
        let head = format!("fn {name}() {{");
        let lines: Vec<&str> = sources.lines().map(str::trim).collect();
        lines.windows(2).any(|pair| pair[0] == "#[test]" && pair[1] == head)
    }

    #[test]
    fn what_shows_a_rule_is_a_test_of_the_schemes_own_files() {
        let mut shown = 0;
        for (name, folder, books) in all() {
            let sources = sources(folder, name);
            for rule in books.iter().flat_map(|book| book.rules) {
                if let Held::Test(test) = rule.held {
                    assert!(has_test(&sources, test), "{name}, {}: no test {test}", rule.clause);
                    shown += 1;
                }
            }
        }
        assert!(shown > 40, "{shown}");
    }

    #[test]
    fn a_clause_stands_once_in_its_book_and_says_something() {
        for (name, _, books) in all() {
            for book in books {
                assert!(!book.document.is_empty() && !book.rules.is_empty(), "{name}");
                let mut clauses: Vec<&str> = book.rules.iter().map(|rule| rule.clause).collect();
                clauses.sort_unstable();
                clauses.dedup();
                assert_eq!(clauses.len(), book.rules.len(), "{name}, {}", book.document);
                for Rule { clause, text, held } in book.rules {
                    let (Held::Test(words) | Held::Reading(words) | Held::Absent(words)) = held;
                    let whole = |text: &str| !text.trim().is_empty() && !text.ends_with('.');
                    let place = format!("{name}, {}, {clause}", book.document);
                    assert!(clause.starts_with(|first: char| first.is_ascii_digit()), "{place}");
                    assert!(whole(text) && whole(words), "{place}");
                }
            }
        }
    }

    #[test]
    fn a_share_counts_each_kind_and_leaves_out_those_without_rules() {
        const RULES: &[Rule] =
            &[Rule::shown("1", "a", "b"), Rule::shown("2", "a", "b"), Rule::absent("3", "a", "b")];
        const READ: &[Rule] = &[Rule::read("1", "a", "b")];
        let share = |rules| Rulebook { document: "RFC 1", rules }.share();
        assert_eq!(share(RULES), "2 of 3 shown by a test, 1 left out".to_owned());
        assert_eq!(share(&RULES[..2]), "2 of 2 shown by a test");
        assert_eq!(share(READ), "0 of 1 shown by a test, 1 by another reading");
    }
}
