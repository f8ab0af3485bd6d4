//! A scheme's state in C: structures with the widths of the machine, and tables of their fields.

use super::state::Word;
use super::{CONSTANTS, Vectors};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The form that a word has in all states.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// Not known: it was always absent, or an empty list.
    Unknown,
    Flag,
    Whole(&'static str),
    Decimal,
    Text,
    /// None or one.
    Maybe(Box<Shape>),
    List(Box<Shape>),
    Record(Vec<(String, Shape)>),
    /// Several forms: kept as its JSON text.
    Json,
}

impl Shape {
    fn of(word: &Word) -> Self {
        match word {
            Word::Flag(_) => Self::Flag,
            Word::Whole(_, kind) => Self::Whole(kind),
            Word::Decimal(_) => Self::Decimal,
            Word::Text(_) => Self::Text,
            Word::Absent => Self::Maybe(Box::new(Self::Unknown)),
            Word::Present(word) => Self::Maybe(Box::new(Self::of(word))),
            Word::List(words) => {
                let all = words.iter().map(Self::of).fold(Self::Unknown, Self::with);
                Self::List(Box::new(all))
            }
            Word::Record(words) => {
                let named = words.iter().map(|(name, word)| (name.clone(), Self::of(word)));
                Self::Record(named.collect())
            }
            Word::Case(..) => Self::Json,
        }
    }

    /// The form of both.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, other) | (other, Self::Unknown) => other,
            (Self::Maybe(own), Self::Maybe(other)) => Self::Maybe(Box::new(own.with(*other))),
            (Self::List(own), Self::List(other)) => Self::List(Box::new(own.with(*other))),
            (Self::Record(own), Self::Record(other))
                if own.iter().map(|(name, _)| name).eq(other.iter().map(|(name, _)| name)) =>
            {
                let both = own.into_iter().zip(other);
                let both = both.map(|((name, own), (_, other))| (name, own.with(other)));
                Self::Record(both.collect())
            }
            (own, other) if own == other => own,
            _ => Self::Json,
        }
    }
}

/// What every header begins with.
const COMMON: &str = include_str!("common.h");

/// The header of these schemes' states.
pub fn header(all: &[Vectors]) -> String {
    let mut states: BTreeMap<(&str, &str), Shape> = BTreeMap::new();
    for own in all.iter().flat_map(|vectors| &vectors.trajectories) {
        let known = states.entry((own.family, own.scheme)).or_insert(Shape::Unknown);
        let words = own.steps.iter().map(|step| &step.state).chain([&own.state]);
        *known = words.fold(known.clone(), |shape, word| shape.with(Shape::of(word)));
    }
    let mut text = COMMON.to_owned();
    let mut roots = Vec::new();
    for ((family, scheme), shape) in states {
        let shape = match shape {
            Shape::Record(words) => {
                Shape::Record(words.into_iter().filter(|(name, _)| name != CONSTANTS).collect())
            }
            // A machine of one word.
            other => Shape::Record(vec![(String::new(), other)]),
        };
        let name = format!("raddle_{family}_{scheme}");
        record(&mut text, &name, &shape);
        roots.push(format!("    {{ \"{family}\", \"{scheme}\", &{name}_form }},\n"));
    }
    _ = writeln!(
        text,
        "/* The states of all schemes above. */\nstatic const struct raddle_scheme \
         raddle_schemes[] = {{\n{}    {{ 0, 0, 0 }},\n}};\n\n#endif",
        roots.concat()
    );
    text
}

/// Writes the structures of a record, the inner ones first.
fn record(text: &mut String, name: &str, shape: &Shape) {
    let Shape::Record(words) = shape else { return };
    let (mut fields, mut table) = (String::new(), String::new());
    for (word, shape) in words {
        let field = if word.is_empty() { "value".to_owned() } else { identifier(word) };
        let inner = format!("{name}_{field}");
        let (own, kind, of) = member(text, &inner, shape);
        let blank = if own.ends_with('*') { "" } else { " " };
        _ = writeln!(fields, "    {own}{blank}{field};");
        let of = of.map_or_else(|| "0".to_owned(), |of| format!("&{of}_form"));
        _ = writeln!(
            table,
            "    {{ \"{word}\", offsetof(struct {name}, {field}), {kind}, {of} }},"
        );
    }
    if fields.is_empty() {
        fields = "    char nothing;\n".to_owned();
    }
    _ = writeln!(
        text,
        "struct {name} {{\n{fields}}};\nstatic const struct raddle_field {name}_fields[] = \
         {{\n{table}    {{ 0, 0, RADDLE_END, 0 }},\n}};\nstatic const struct raddle_form \
         {name}_form = {{ sizeof(struct {name}), {name}_fields }};\n"
    );
}

/// The type of a member, its kind, and the form of what it holds.
fn member(text: &mut String, inner: &str, shape: &Shape) -> (String, &'static str, Option<String>) {
    match shape {
        Shape::Flag => ("bool".into(), "RADDLE_BOOL", None),
        Shape::Whole(kind) => {
            let (own, kind) = whole(kind);
            (own.into(), kind, None)
        }
        Shape::Decimal => ("double".into(), "RADDLE_DOUBLE", None),
        Shape::Text | Shape::Unknown | Shape::Json => ("char *".into(), "RADDLE_JSON", None),
        Shape::Record(_) => {
            record(text, inner, shape);
            (format!("struct {inner}"), "RADDLE_RECORD", Some(inner.to_owned()))
        }
        Shape::Maybe(of) | Shape::List(of) => {
            let element = match &**of {
                Shape::Record(_) => (**of).clone(),
                // A structure of one word without a name.
                other => Shape::Record(vec![(String::new(), other.clone())]),
            };
            record(text, inner, &element);
            let kind = if matches!(shape, Shape::List(_)) { "RADDLE_LIST" } else { "RADDLE_MAYBE" };
            ("struct raddle_list".into(), kind, Some(inner.to_owned()))
        }
    }
}

fn whole(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "u8" => ("uint8_t", "RADDLE_U8"),
        "u16" => ("uint16_t", "RADDLE_U16"),
        "u32" => ("uint32_t", "RADDLE_U32"),
        "i8" => ("int8_t", "RADDLE_I8"),
        "i16" => ("int16_t", "RADDLE_I16"),
        "i32" => ("int32_t", "RADDLE_I32"),
        "i64" => ("int64_t", "RADDLE_I64"),
        _ => ("uint64_t", "RADDLE_U64"),
    }
}

/// A name that C takes: fields of tuples are numbers, and some words are its own.
fn identifier(word: &str) -> String {
    let is_number = word.starts_with(|first: char| first.is_ascii_digit());
    if is_number || KEYWORDS.contains(&word) { format!("own_{word}") } else { word.to_owned() }
}

/// Words of C that are short enough to name a field, and of its headers.
const KEYWORDS: [&str; 36] = [
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double",
    "else", "enum", "extern", "false", "float", "for", "goto", "if", "inline", "int", "long",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "true", "typedef", "union", "unsigned", "void", "while",
];
