//! Parameters that data classes may have each of their own: the columns of a table of classes.

use crate::family::{Parameter, ParameterError, Raw};
use crate::units::Bytes;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A value for all data classes, or a list with one for each, class 0 first.
#[derive(Clone, Debug, PartialEq)]
pub enum PerClass<T> {
    /// The same for all.
    All(T),
    /// One for each.
    Each(Vec<T>),
}

impl<T: Copy> PerClass<T> {
    /// That of a class; of one beyond the list, its last.
    pub fn of(&self, class: usize) -> T {
        match self {
            Self::All(value) => *value,
            Self::Each(values) => values[class.min(values.len() - 1)],
        }
    }

    /// How many classes the list is for.
    pub fn classes(&self) -> Option<usize> {
        match self {
            Self::All(_) => None,
            Self::Each(values) => Some(values.len()),
        }
    }

    /// Whether any class has this.
    pub fn any(&self, is: impl Fn(T) -> bool) -> bool {
        match self {
            Self::All(value) => is(*value),
            Self::Each(values) => values.iter().any(|value| is(*value)),
        }
    }
}

impl<T: Parameter> Parameter for PerClass<T> {
    const KIND: &'static str = T::KIND;

    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match raw {
            Raw::List([]) => Err(ParameterError::Value("expected a value for each class".into())),
            Raw::List(values) => {
                values.iter().map(|&value| T::read(value)).collect::<Result<_, _>>().map(Self::Each)
            }
            value => T::read(value).map(Self::All),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::All(value) => value.show(),
            Self::Each(values) => {
                let values: Vec<String> = values.iter().map(Parameter::show).collect();
                alloc::format!("[{}]", values.join(", "))
            }
        }
    }
}

/// What a queue may hold, over what is free: 0.001 to 1000000.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha(pub f64);

impl Parameter for Alpha {
    const KIND: &'static str = "number";

    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match f64::read(raw)? {
            alpha if (0.001..=1e6).contains(&alpha) => Ok(Self(alpha)),
            _ => Err(ParameterError::Value(
                "expected at least 0.001 and at most 1000000".to_string(),
            )),
        }
    }

    fn show(&self) -> String {
        self.0.show()
    }
}

/// The queues' thresholds where all else is empty, of the classes of one switch.
#[derive(Clone, Debug)]
pub struct Alphas {
    each: Vec<f64>,
    least: f64,
    most: f64,
}

impl Alphas {
    /// Those of this many classes, of at least one.
    pub fn of(alpha: &PerClass<Alpha>, classes: usize) -> Self {
        let each: Vec<f64> = (0..classes.max(1)).map(|class| alpha.of(class).0).collect();
        let least = each.iter().copied().fold(f64::INFINITY, f64::min);
        let most = each.iter().copied().fold(0.0, f64::max);
        Self { each, least, most }
    }

    /// That of a class.
    #[inline]
    pub fn at(&self, class: u32) -> f64 {
        self.each[class as usize]
    }

    /// The greatest.
    pub fn most(&self) -> f64 {
        self.most
    }

    /// The least.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// The parameter and what would do, where a class keeps no `frame` in a memory of this size.
    pub fn misfit(&self, frame: Bytes, size: u64) -> Option<(&'static str, String)> {
        let least = frame.0 as f64 / size as f64;
        let keeps = frame.0 <= (self.least * size as f64) as u64;
        let words = || alloc::format!("at least {least:.4} for each class, to keep a packet");
        (!keeps).then(|| ("alpha", words()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_for_all_classes_and_a_list_for_each() {
        let all = PerClass::<Alpha>::read(Raw::Float(0.5)).unwrap();
        assert_eq!((all.of(3).0, all.classes(), all.show().as_str()), (0.5, None, "0.5"));
        let each = PerClass::<Alpha>::read(Raw::List(&[Raw::Integer(2), Raw::Float(0.5)])).unwrap();
        assert_eq!((each.of(0).0, each.of(1).0, each.classes()), (2.0, 0.5, Some(2)));
        assert_eq!(each.show(), "[2.0, 0.5]");
        assert!(PerClass::<Alpha>::read(Raw::List(&[Raw::Integer(0)])).is_err());
        assert!(PerClass::<bool>::read(Raw::List(&[])).is_err());
    }
}
