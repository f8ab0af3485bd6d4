//! Keys of scenarios, declared once: what a section's reader asks for, and what documents, schema and
//! builders tell of it.
//!
//! `keys!` stands beside the reader of a section. A reader can ask for declared keys alone, and the
//! compiler finds the declared ones that nobody asks for.

use super::reader::{raw, raw_list};
use super::spec::{self, Item};
use crate::families;
use raddle_schemes::family::{Parameter, ParameterError, Raw};

/// A key of a section.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As a scenario has it.
    pub word: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// What holds without it.
    pub absent: Absent,
    /// Which numbers are accepted.
    pub range: Range,
    /// What it does.
    pub meaning: &'static str,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `"500 ns"`.
    Time,
    /// `"400 Gbps"`.
    Rate,
    /// `"8 MiB"`.
    Bytes,
    /// Bytes, or `"1.5 bdp"`, `"20%"`, `"unlimited"`.
    Size,
    /// `"10%"`.
    Share,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// `true` or `false`.
    Flag,
    /// Any text.
    Text,
    /// The path of a file.
    Path,
    /// `"100 us..200 us"`.
    Window,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A text that stands for something else, beside values of another kind.
    Exactly(&'static str),
    /// A scheme of the family that a scenario selects at this path, and its parameters.
    Scheme(&'static str),
    /// A table with the keys of a section.
    Table(&'static Section),
    /// A table with those of one of several sections, which its `kind` names.
    OneOf(fn() -> Vec<&'static Section>),
    /// A table whose keys are paths of other values.
    Paths,
    /// Values in order.
    List(&'static Kind),
    /// Any of these.
    Either(&'static [Kind]),
}

/// What holds where a key is absent. Values are TOML, as a scenario would hold them.
#[derive(Clone, Copy, Debug)]
pub enum Absent {
    /// It has to be there, as in the example.
    Required(&'static str),
    /// The same in some sections of its kind; the words say in which.
    Sometimes(&'static str, &'static str),
    /// The reader takes this.
    Value(&'static str),
    /// It is put into the scenario before sections are read.
    Filled(&'static str),
    /// What is in words.
    Words(&'static str),
}

/// The least and the most of what is accepted, in TOML.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range {
    /// At least this.
    pub least: Option<&'static str>,
    /// More than this.
    pub above: Option<&'static str>,
    /// At most this.
    pub most: Option<&'static str>,
}

/// A table of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// What schema and builders call it: `queue`.
    pub name: &'static str,
    /// Heading of its table in docs/scenario.md; without one it has none, but for a kind.
    pub heading: Option<&'static str>,
    /// What it is.
    pub summary: &'static str,
    /// The word of `kind` that selects it.
    pub kind: Option<&'static str>,
    /// The family of schemes of which one stands beside its keys, `scheme` and parameters, and what
    /// holds without a `scheme`.
    pub family: Option<(&'static str, Absent)>,
    /// Its keys.
    pub keys: &'static [Key],
    /// Those that all sections of its kind have: in its own table in the documents, unless they have
    /// one.
    pub common: Option<&'static Section>,
}

impl Section {
    pub(crate) const fn new(
        name: &'static str,
        heading: &'static str,
        summary: &'static str,
    ) -> Self {
        let heading = Some(heading);
        Self { name, heading, summary, kind: None, family: None, keys: &[], common: None }
    }

    /// Without a table of its own in the documents.
    pub(crate) const fn inner(name: &'static str, summary: &'static str) -> Self {
        Self { heading: None, ..Self::new(name, "", summary) }
    }

    /// One of several that `kind` tells apart.
    pub(crate) const fn kind(kind: &'static str, summary: &'static str) -> Self {
        Self { kind: Some(kind), ..Self::inner(kind, summary) }
    }

    /// With the keys of this one, too.
    pub(crate) const fn with(self, common: &'static Section) -> Self {
        Self { common: Some(common), ..self }
    }

    /// With the parameters of a scheme beside its keys.
    pub(crate) const fn beside(self, family: &'static str, absent: Absent) -> Self {
        Self { family: Some((family, absent)), ..self }
    }

    /// Adds it and what its keys lead to.
    pub(crate) fn walk(&'static self, found: &mut Vec<&'static Self>) {
        if found.iter().any(|known| (known.name, known.kind) == (self.name, self.kind)) {
            return;
        }
        found.push(self);
        for key in self.keys {
            key.kind.walk(found);
        }
        if let Some(common) = self.common {
            common.walk(found);
        }
    }

    /// The heading of its table in docs/scenario.md, if it has one.
    pub fn heading(&self) -> Option<String> {
        let kind = || self.kind.map(|kind| format!("### kind = \"{kind}\""));
        self.heading.map(str::to_owned).or_else(kind)
    }

    /// The table of its keys in the documents.
    pub fn markdown(&self) -> String {
        let mut table = "| key | type | default | meaning |\n|---|---|---|---|\n".to_owned();
        if let Some(kind) = self.kind {
            table.push_str(&format!("| `kind` | word | required | `\"{kind}\"` |\n"));
        }
        if let Some((family, absent)) = self.family {
            let names: Vec<String> =
                families::names(family).map(|name| format!("`{name}`")).collect();
            let (absent, names) = (absent.text(), names.join(", "));
            table.push_str(&format!("| `scheme` | word | {absent} | {names} |\n"));
        }
        let common = self.common.filter(|common| common.heading.is_none());
        for key in self.keys.iter().chain(common.map_or(&[][..], |common| common.keys)) {
            let (word, kind) = (key.word, key.kind.text());
            let (absent, meaning) = (cell(&key.absent.text()), cell(key.meaning));
            table.push_str(&format!("| `{word}` | {kind} | {absent} | {meaning} |\n"));
        }
        table
    }
}

/// The words of sections that `kind` tells apart.
pub(crate) const fn kinds<const N: usize>(sections: &[&Section; N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut i = 0;
    while i < N {
        if let Some(kind) = sections[i].kind {
            words[i] = kind;
        }
        i += 1;
    }
    words
}

/// A text as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

impl Kind {
    /// In the words of the documents.
    pub fn text(&self) -> String {
        match self {
            Self::Time => "time".to_owned(),
            Self::Rate => "rate".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            Self::Size => "size".to_owned(),
            Self::Share => "share".to_owned(),
            Self::Whole => "whole number".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Flag => "flag".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Path => "path".to_owned(),
            Self::Window => "window".to_owned(),
            Self::Word(_) => "word".to_owned(),
            Self::Exactly(word) => format!("`\"{word}\"`"),
            Self::Scheme(_) => "scheme".to_owned(),
            Self::Table(Section { family: Some(_), .. }) => "scheme".to_owned(),
            Self::Table(_) | Self::OneOf(_) | Self::Paths => "table".to_owned(),
            Self::List(kind) => format!("list of {}", kind.plural()),
            Self::Either(kinds) => {
                let texts: Vec<String> = kinds.iter().map(Self::text).collect();
                texts.join(" or ")
            }
        }
    }

    fn walk(&self, found: &mut Vec<&'static Section>) {
        match self {
            Self::Table(section) => section.walk(found),
            Self::OneOf(sections) => sections().into_iter().for_each(|own| own.walk(found)),
            Self::List(kind) => kind.walk(found),
            Self::Either(kinds) => kinds.iter().for_each(|kind| kind.walk(found)),
            _ => {}
        }
    }

    fn plural(&self) -> String {
        match self {
            Self::Bytes => "bytes".to_owned(),
            Self::List(kind) => format!("lists of {}", kind.plural()),
            _ => format!("{}s", self.text()),
        }
    }

    /// The words that it can be, itself or one of several kinds.
    pub(crate) fn words(&self) -> &'static [&'static str] {
        match self {
            Self::Word(words) => words,
            Self::Either(kinds) => {
                kinds.iter().map(Self::words).find(|words| !words.is_empty()).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// Whether values of the type `T` are of this kind: a reader asks for what is declared.
    pub(crate) fn holds<T: Parameter>(&self) -> bool {
        match self {
            Self::Time => T::KIND == "time",
            Self::Rate => T::KIND == "rate",
            Self::Bytes | Self::Size => T::KIND == "size",
            Self::Whole => T::KIND == "whole number",
            Self::Number => T::KIND == "number",
            Self::Flag => T::KIND == "true or false",
            Self::Word(declared) => {
                matches!(T::read(Raw::List(&[])), Err(ParameterError::Word(own)) if own == *declared)
            }
            Self::Either(kinds) => kinds.iter().any(Self::holds::<T>),
            _ => false,
        }
    }
}

impl Absent {
    /// In the words of the documents.
    pub fn text(&self) -> String {
        match self {
            Self::Required(_) => "required".to_owned(),
            Self::Sometimes(_, words) | Self::Words(words) => (*words).to_owned(),
            Self::Value(text) | Self::Filled(text) => format!("`{text}`"),
        }
    }

    /// The value that holds then, where it is one.
    pub fn value(&self) -> Option<&'static str> {
        match self {
            Self::Value(text) | Self::Filled(text) => Some(text),
            Self::Required(_) | Self::Sometimes(..) | Self::Words(_) => None,
        }
    }

    /// What may be written there.
    pub(crate) fn example(&self) -> &'static str {
        match self {
            Self::Required(text) | Self::Sometimes(text, _) => text,
            Self::Value(text) | Self::Filled(text) => text,
            Self::Words(_) => "..",
        }
    }
}

impl Key {
    /// What is read where it is absent.
    pub(crate) fn default<T: Parameter>(&self) -> Option<T> {
        self.absent.value().and_then(of_text)
    }

    /// The same of a key that has a default.
    pub(crate) fn value<T: Parameter>(&self) -> T {
        self.default().expect("a declared default is of its kind")
    }

    /// The least that is accepted.
    pub(crate) fn least<T: Parameter>(&self) -> Option<T> {
        self.range.least.and_then(of_text)
    }

    /// With other words for what it does.
    pub(crate) const fn meaning(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }
}

/// A declared value.
fn of_text<T: Parameter>(text: &str) -> Option<T> {
    let item = spec::declared(text)?;
    of_item(&item)
}

fn of_item<T: Parameter>(item: &Item) -> Option<T> {
    let list = raw_list(item);
    T::read(raw(item).or(list.as_deref().map(Raw::List))?).ok()
}

/// Declares the keys of a section: a word, its kind, what holds without it, in brackets its range, and
/// what it does. `word => KEY;` stands for a key that several sections have.
///
/// `(required 128)` has an example, `(= 3)` a default that the reader takes, `(filled "1 bdp")` one
/// that is put into the scenario first, `(or "as many as a ToR has hosts")` says what is then, and
/// `(some "50%", "required, unless a `buffer` decides")` when it has to be there. Ranges are
/// `[>= 1]`, `[1 to 8]` and `[> 0 to 1]`.
macro_rules! keys {
    (
        $(#[$outer:meta])*
        $name:ident: $type:ident = $section:expr => {
            $($word:ident $(: $kind:expr, ($($absent:tt)*) $([$($range:tt)*])?, $meaning:expr)?
                $(=> $shared:expr)?;)*
        }
    ) => {
        $(#[$outer])*
        pub(crate) struct $type { $(pub(crate) $word: $crate::scenario::key::Key,)* }

        $(#[$outer])*
        pub(crate) static $name: $type = $type {
            $($word: $crate::scenario::key::key!(
                $word $($kind, ($($absent)*) [$($($range)*)?], $meaning)? $($shared)?
            ),)*
        };

        impl $type {
            /// For documents, schema and builders.
            pub(crate) const SECTION: &'static $crate::scenario::key::Section =
                &$crate::scenario::key::Section {
                    keys: &[$($crate::scenario::key::key!(
                        $word $($kind, ($($absent)*) [$($($range)*)?], $meaning)? $($shared)?
                    ),)*],
                    ..$section
                };
        }
    };
}

/// Used by `keys!`: one key.
macro_rules! key {
    ($word:ident $kind:expr, ($($absent:tt)*) [$($range:tt)*], $meaning:expr) => {
        $crate::scenario::key::Key {
            word: stringify!($word),
            kind: {
                #[allow(unused_imports, reason = "every kind by its own name")]
                use $crate::scenario::key::Kind::*;
                $kind
            },
            absent: $crate::scenario::key::absent!($($absent)*),
            range: $crate::scenario::key::range!($($range)*),
            meaning: $meaning,
        }
    };
    ($word:ident $shared:expr) => {
        $crate::scenario::key::Key { word: stringify!($word), ..$shared }
    };
}

/// Used by `keys!`: what holds without a key.
macro_rules! absent {
    (required $example:tt) => {
        $crate::scenario::key::Absent::Required(stringify!($example))
    };
    (some $example:tt, $words:expr) => {
        $crate::scenario::key::Absent::Sometimes(stringify!($example), $words)
    };
    (= $value:tt) => {
        $crate::scenario::key::Absent::Value(stringify!($value))
    };
    (filled $value:tt) => {
        $crate::scenario::key::Absent::Filled(stringify!($value))
    };
    (or $words:expr) => {
        $crate::scenario::key::Absent::Words($words)
    };
}

/// Used by `keys!`: a range.
macro_rules! range {
    () => {
        $crate::scenario::key::Range { least: None, above: None, most: None }
    };
    (>= $least:tt) => {
        $crate::scenario::key::Range { least: Some(stringify!($least)), above: None, most: None }
    };
    (> $above:tt) => {
        $crate::scenario::key::Range { least: None, above: Some(stringify!($above)), most: None }
    };
    (<= $most:tt) => {
        $crate::scenario::key::Range { least: None, above: None, most: Some(stringify!($most)) }
    };
    (> $above:tt to $most:tt) => {
        $crate::scenario::key::Range {
            least: None,
            above: Some(stringify!($above)),
            most: Some(stringify!($most)),
        }
    };
    ($least:tt to $most:tt) => {
        $crate::scenario::key::Range {
            least: Some(stringify!($least)),
            above: None,
            most: Some(stringify!($most)),
        }
    };
}

pub(crate) use {absent, key, keys, range};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::sections;
    use crate::scenario::spec::Value;
    use raddle_schemes::size::Size;
    use raddle_schemes::units::{Bytes, Rate, Span};

    /// Whether a declared value is of a kind.
    fn fits(kind: &Kind, text: &str) -> bool {
        let Some(item) = spec::declared(text) else { return false };
        let word = if let Value::Text(word) = &item.value { word.as_str() } else { "" };
        match kind {
            Kind::Time => of_item::<Span>(&item).is_some(),
            Kind::Rate => of_item::<Rate>(&item).is_some(),
            Kind::Bytes => of_item::<Bytes>(&item).is_some(),
            Kind::Size => of_item::<Size>(&item).is_some(),
            Kind::Share => word.ends_with('%'),
            Kind::Whole => of_item::<u64>(&item).is_some(),
            Kind::Number => of_item::<f64>(&item).is_some(),
            Kind::Flag => of_item::<bool>(&item).is_some(),
            Kind::Text | Kind::Path => !word.is_empty(),
            Kind::Window => word.contains(".."),
            Kind::Word(words) => words.contains(&word),
            Kind::Exactly(own) => word == *own,
            Kind::Scheme(family) => {
                let name = item.table().and_then(|table| table.get("scheme")).map(Item::show);
                name.is_some_and(|name| families::names(family).any(|own| own == name))
            }
            Kind::Table(_) | Kind::OneOf(_) | Kind::Paths => item.table().is_some(),
            Kind::List(kind) => item
                .list()
                .is_some_and(|items| items.iter().all(|item| fits(kind, &item.to_toml()))),
            Kind::Either(kinds) => kinds.iter().any(|kind| fits(kind, text)),
        }
    }

    #[test]
    fn declared_values_are_of_their_kinds() {
        let mut count = 0;
        for section in sections() {
            for key in section.keys {
                let range = [key.range.least, key.range.above, key.range.most];
                for text in key.absent.value().into_iter().chain(range.into_iter().flatten()) {
                    assert!(fits(&key.kind, text), "{}.{}: {text}", section.name, key.word);
                    count += 1;
                }
            }
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn kinds_are_told_in_words() {
        let kind = |kind: Kind| kind.text();
        assert_eq!(
            kind(Kind::Either(&[Kind::Time, Kind::Exactly("never")])),
            "time or `\"never\"`"
        );
        assert_eq!(kind(Kind::List(&Kind::List(&Kind::Whole))), "list of lists of whole numbers");
        assert_eq!(kind(Kind::List(&Kind::Paths)), "list of tables");
    }
}
