//! A design from a line of text: `vermilion:k=6,rounding=any`.

use super::{DESIGNS, Design, find};
use raddle_schemes::family::{ParameterError, Raw};
use std::fmt;

/// Why a text is no design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// No design has this name.
    Design(String),
    /// A setting without `=`.
    Setting(String),
    /// A parameter that is set twice.
    Twice(String),
    /// A parameter that the design does not have.
    Parameter {
        /// The design.
        design: &'static str,
        /// What was typed.
        name: String,
        /// What there is.
        names: Vec<&'static str>,
    },
    /// A value that the parameter does not take.
    Value {
        /// The design.
        design: &'static str,
        /// The setting as typed.
        setting: String,
        /// What would do.
        expected: String,
    },
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Design(name) => {
                let names: Vec<&str> = DESIGNS.iter().map(|design| design.card.name).collect();
                write!(f, "no design `{name}`; designs: {}", names.join(", "))
            }
            Self::Setting(setting) => {
                write!(f, "`{setting}`: expected key=value, as in `vermilion:k=6`")
            }
            Self::Twice(name) => write!(f, "`{name}` is set twice: expected each parameter once"),
            Self::Parameter { design, name, names } => {
                write!(f, "{design} has no parameter `{name}`; parameters: {}", names.join(", "))
            }
            Self::Value { design, setting, expected } => {
                write!(f, "{design}: {setting}: {expected}")
            }
        }
    }
}

impl std::error::Error for ParseError {}

/// A design with its parameters, from `NAME` or `NAME:key=value,..`. Quantities need no quotes.
///
/// # Errors
/// [`ParseError`].
pub fn parse(text: &str) -> Result<Box<dyn Design>, ParseError> {
    let (name, settings) = text.split_once(':').unwrap_or((text, ""));
    let listed = find(name).ok_or_else(|| ParseError::Design(name.to_owned()))?;
    let mut design = (listed.default)();
    let mut set: Vec<&str> = Vec::new();
    for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
        let pair = setting.split_once('=');
        let (key, value) = pair.ok_or_else(|| ParseError::Setting(setting.to_owned()))?;
        design.set(key, raw(value.trim_matches('"'))).map_err(|error| {
            let expected = match error {
                ParameterError::Unknown => {
                    let names = (listed.parameters)().iter().map(|p| p.name).collect();
                    let design = listed.card.name;
                    return ParseError::Parameter { design, name: key.to_owned(), names };
                }
                ParameterError::Value(expected) => expected,
                ParameterError::Word(words) => format!("expected one of {}", words.join(", ")),
            };
            ParseError::Value { design: listed.card.name, setting: setting.to_owned(), expected }
        })?;
        if set.contains(&key) {
            return Err(ParseError::Twice(key.to_owned()));
        }
        set.push(key);
    }
    Ok(design)
}

/// A value as a file of parameters would hold it.
fn raw(text: &str) -> Raw<'_> {
    let whole = text.parse().map(Raw::Integer);
    let number = |_| text.parse().map(Raw::Float);
    let flag = |_| text.parse().map(Raw::Flag);
    whole.or_else(number).or_else(flag).unwrap_or(Raw::Text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_is_its_name_and_settings() {
        let design = parse("vermilion:k=6,rounding=any,slot=10 us").unwrap();
        let parameters = design.parameters();
        for (name, value) in [("k", "6"), ("rounding", "\"any\""), ("slot", "\"10 us\"")] {
            assert!(parameters.contains(&(name, value.to_owned())), "{parameters:?}");
        }
        assert!(parse("mars:buffer=\"20 MB\"").is_ok() && parse("bvn").is_ok());
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_do() {
        for (text, answer) in [
            ("vermillion", "no design `vermillion`; designs: round_robin"),
            ("vermilion:k", "`k`: expected key=value"),
            ("vermilion:kk=3", "vermilion has no parameter `kk`; parameters: uplinks"),
            ("vermilion:k=3,k=4", "`k` is set twice: expected each parameter once"),
            ("vermilion:k=3,slot=9 us,k=3", "`k` is set twice"),
            ("vermilion:k=1", "vermilion: k=1: expected"),
            ("vermilion:rounding=up", "expected one of any, bottleneck, floor"),
        ] {
            let found = parse(text).err().unwrap().to_string();
            assert!(found.contains(answer), "{found}");
        }
    }
}
