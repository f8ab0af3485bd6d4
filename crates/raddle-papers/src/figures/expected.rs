//! What a claim is held against, and what that says.

use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::Value;

raddle_schemes::words! {
    /// What a claim is held against. Its word is the key that the claim's number or words stand
    /// under.
    pub enum Kind {
        /// What a paper prints.
        Published = "published",
        /// What the authors' simulator, data or scripts give.
        Reference = "reference",
        /// What our own models or expectations say, where no paper has a number or a sentence.
        Model = "model",
    }
}

/// What a claim expects.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// A number.
    Number(f64),
    /// Words.
    Text(String),
}

impl Expected {
    /// The number, or the middle of a range like `184.5 to 185.0`.
    pub(super) fn middle(&self) -> Option<f64> {
        let text = match self {
            Self::Number(number) => return Some(*number),
            Self::Text(text) => text,
        };
        let (low, high) = text.split_once(" to ")?;
        Some((low.parse::<f64>().ok()? + high.parse::<f64>().ok()?) / 2.0)
    }
}

/// The one of the keys of all kinds that is there, and what it says.
pub(super) fn read_expected(
    reader: &mut Reader<'_>,
    log: &Log,
) -> (Option<Kind>, Option<Expected>) {
    let mut found: Option<(Kind, Option<Expected>)> = None;
    for &kind in Kind::ALL {
        let Some(item) = reader.take(kind.word()) else { continue };
        if let Some((other, _)) = &found {
            let problem = format!("a claim of two kinds, `{}` and `{}`", other.word(), kind.word());
            log.add(item.place.problem(problem).label("leave out one"));
            continue;
        }
        let expected = match &item.value {
            Value::Text(text) => Some(Expected::Text(text.clone())),
            Value::Integer(n) => Some(Expected::Number(*n as f64)),
            Value::Float(x) => Some(Expected::Number(*x)),
            _ => {
                let problem = format!("`{}` is a number or a text", kind.word());
                log.add(item.place.problem(problem));
                None
            }
        };
        found = Some((kind, expected));
    }
    let Some((kind, expected)) = found else {
        let words: Vec<String> = Kind::WORDS.iter().map(|word| format!("`{word}`")).collect();
        let problem = reader.place().problem("the claim does not say what it is held against");
        log.add(problem.label(format!("add one of {}", words.join(", "))));
        return (None, None);
    };
    (Some(kind), expected)
}
