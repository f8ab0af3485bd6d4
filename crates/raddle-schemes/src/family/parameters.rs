//! Parameters of schemes: declared once, read from scenarios, listed, shown.

use super::Need;
use crate::size::{Limited, Size};
use crate::units::{Bytes, Rate, Span};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str::FromStr;

/// A value as a scenario holds it, before a parameter has given it a meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Raw<'a> {
    /// A quoted text: quantities, words.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// A number with decimals.
    Float(f64),
    /// `true` or `false`.
    Flag(bool),
    /// Values in order.
    List(&'a [Raw<'a>]),
}

/// Why a value was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// The scheme has no parameter of this name.
    Unknown,
    /// The value is not of the parameter's kind; the text says what is.
    Value(String),
    /// The word is none of the accepted ones.
    Word(Vec<&'static str>),
}

/// A type that parameters can have.
pub trait Parameter: Sized {
    /// The kind in words: `"time"`, `"number"`.
    const KIND: &'static str;
    /// Reads a scenario value.
    ///
    /// # Errors
    /// [`ParameterError`], saying what would have been accepted.
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError>;
    /// The value as a scenario would hold it (quoted where text).
    fn show(&self) -> String;
}

fn wrong<T>(expected: impl Into<String>) -> Result<T, ParameterError> {
    Err(ParameterError::Value(expected.into()))
}

macro_rules! number_parameter {
    ($($type:ty),*) => {$(
        impl Parameter for $type {
            const KIND: &'static str = "whole number";
            fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
                match raw {
                    Raw::Integer(n) => Self::try_from(n)
                        .or_else(|_| wrong("expected a whole number that is not negative and fits")),
                    _ => wrong("expected a whole number"),
                }
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )*};
}
number_parameter!(u8, u16, u32, u64);

impl Parameter for f64 {
    const KIND: &'static str = "number";
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match raw {
            Raw::Integer(n) => Ok(n as Self),
            Raw::Float(x) if x.is_finite() => Ok(x),
            _ => wrong("expected a number"),
        }
    }
    fn show(&self) -> String {
        alloc::format!("{self:?}")
    }
}

impl Parameter for bool {
    const KIND: &'static str = "true or false";
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match raw {
            Raw::Flag(flag) => Ok(flag),
            _ => wrong("expected true or false"),
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

macro_rules! text_parameter {
    ($($type:ty: $kind:literal, $example:literal;)*) => {$(
        impl Parameter for $type {
            const KIND: &'static str = $kind;
            fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
                match raw {
                    Raw::Text(text) => Self::from_str(text)
                        .or_else(|error| wrong(alloc::format!("{error}, as in {}", $example))),
                    _ => wrong(concat!("expected a text with a unit, as in ", $example)),
                }
            }
            fn show(&self) -> String {
                alloc::format!("\"{self}\"")
            }
        }
    )*};
}
text_parameter! {
    Span: "time", "\"70 us\"";
    Bytes: "size", "\"4096 B\"";
    Size: "size", "\"1.5 bdp\"";
}

impl Parameter for Limited {
    const KIND: &'static str = Size::KIND;
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match Size::read(raw)? {
            Size::Unlimited => wrong("expected a size with a limit"),
            size => Ok(Self(size)),
        }
    }
    fn show(&self) -> String {
        self.0.show()
    }
}

/// A pace or a link of 0 bps would never send anything.
impl Parameter for Rate {
    const KIND: &'static str = "rate";
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        let Raw::Text(text) = raw else {
            return wrong("expected a text with a unit, as in \"400 Gbps\"");
        };
        match Self::from_str(text) {
            Ok(Self(0)) => wrong("expected a rate above 0 bps"),
            Ok(rate) => Ok(rate),
            Err(error) => wrong(alloc::format!("{error}, as in \"400 Gbps\"")),
        }
    }
    fn show(&self) -> String {
        alloc::format!("\"{self}\"")
    }
}

/// `"auto"`, or a value: `None` lets the transport derive it.
impl<T: Parameter> Parameter for Option<T> {
    const KIND: &'static str = T::KIND;
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match raw {
            Raw::Text("auto") => Ok(None),
            other => T::read(other).map(Some),
        }
    }
    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "\"auto\"".to_string(), T::show)
    }
}

/// One parameter of a scheme, as the catalogue lists it.
#[derive(Clone, Debug)]
pub struct ParameterInfo {
    /// Its key in the scenario.
    pub name: &'static str,
    /// The kind of value.
    pub kind: &'static str,
    /// The default, as a scenario would hold it.
    pub default: String,
    /// What it does.
    pub doc: String,
}

/// A scheme's parameters: readable from a scenario, listable, showable. Made by
/// [`parameters!`](crate::parameters).
pub trait Parameters: Default + Clone {
    /// All parameters with their defaults.
    fn list() -> Vec<ParameterInfo>;
    /// Sets one parameter from a scenario value.
    ///
    /// # Errors
    /// [`ParameterError`]; the parameters are unchanged then.
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError>;
    /// The values, in the order of [`Parameters::list`], as a scenario would hold them, but for quiet
    /// parameters that have their defaults.
    fn values(&self) -> Vec<(&'static str, String)>;
    /// What does not go together among the values.
    fn conflicts(&self) -> Vec<Conflict>;
}

/// What does not go together: two parameters of a scheme with the values they have, or a parameter
/// and what the fabric offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The first exceeds the second, and must not.
    Exceeds(&'static str, &'static str),
    /// The first has no effect where the second has this value.
    Idle(&'static str, &'static str),
    /// The parameter has no effect where the fabric offers this.
    Moot(&'static str, Need),
    /// The first is a list, and with the second it is to have so many entries.
    Length(&'static str, &'static str, usize),
    /// The value of the parameter takes so many data classes.
    Classes(&'static str, u8),
}

/// Declares a scheme's parameters: a struct whose fields have a default and, if wanted, a range.
/// `pub struct Config with core: other::Config {` has the other's parameters before its own.
/// A field that ends in `=> quiet` is left out of the values while it has its default: it came when
/// results without it were on record, whose hashes it leaves as they are.
/// Behind the struct, `conflicts by function` names what finds the conflicts of a struct ([`Conflict`](crate::family::Conflict)).
///
/// ```
/// raddle_schemes::parameters! {
///     /// Parameters of a scheme.
///     pub struct Config {
///         /// Entries of the cache.
///         pub buffer: u32 = 8, in 1..=64;
///         /// How long a freeze lasts.
///         pub freeze: raddle_schemes::units::Span = raddle_schemes::units::Span::ms(10);
///     }
/// }
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$outer:meta])*
        pub struct $name:ident $(with $core:ident: $other:ty)? {
            $($(#[doc = $doc:literal])* pub $field:ident: $type:ty = $default:expr
                $(, in $range:expr)? $(=> $quiet:ident)?;)*
        }
        $(conflicts by $conflicts:path)?
    ) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq)]
        #[allow(unreachable_pub, reason = "the module of a scheme of another crate may be private")]
        pub struct $name {
            $(
                /// The parameters that another scheme has, too.
                pub $core: $other,
            )?
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($core: <$other>::default(),)? $($field: $default,)* }
            }
        }

        impl $crate::family::Parameters for $name {
            fn list() -> $crate::family::List {
                #[allow(unused_variables, reason = "a scheme may have no parameters")]
                let defaults = Self::default();
                let mut list = $crate::family::List::new();
                $(list.extend(<$other as $crate::family::Parameters>::list());)?
                list.extend([$($crate::family::ParameterInfo {
                    name: stringify!($field),
                    kind: <$type as $crate::family::Parameter>::KIND,
                    default: $crate::family::Parameter::show(&defaults.$field),
                    doc: $crate::family::doc_text(&[$($doc),*]),
                }),*]);
                list
            }

            #[allow(unused_variables, reason = "a scheme may have no parameters")]
            fn set(
                &mut self,
                name: &str,
                raw: $crate::family::Raw<'_>,
            ) -> Result<(), $crate::family::ParameterError> {
                match name {
                    $(stringify!($field) => {
                        let value = <$type as $crate::family::Parameter>::read(raw)?;
                        $($crate::family::check_range(&value, &$range)?;)?
                        self.$field = value;
                        Ok(())
                    })*
                    $(_ if <$other as $crate::family::Parameters>::list()
                        .iter()
                        .any(|parameter| parameter.name == name) =>
                    {
                        $crate::family::Parameters::set(&mut self.$core, name, raw)
                    })?
                    _ => Err($crate::family::ParameterError::Unknown),
                }
            }

            #[allow(unused_mut, reason = "a scheme may have no parameters")]
            fn values(&self) -> $crate::family::Values {
                let mut values = $crate::family::Values::new();
                $(values.extend($crate::family::Parameters::values(&self.$core));)?
                $(
                    let default: $type = $default;
                    if stringify!($($quiet)?).is_empty() || self.$field != default {
                        let value = $crate::family::Parameter::show(&self.$field);
                        values.push((stringify!($field), value));
                    }
                )*
                values
            }

            #[allow(unused_mut, reason = "most schemes' parameters all go together")]
            fn conflicts(&self) -> $crate::family::Conflicts {
                let mut conflicts = $crate::family::Conflicts::new();
                $(conflicts.extend($crate::family::Parameters::conflicts(&self.$core));)?
                $(conflicts.extend($conflicts(self));)?
                conflicts
            }
        }
    };
}

/// Declares an enum whose variants are words of a scenario.
#[macro_export]
macro_rules! words {
    (
        $(#[$outer:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $crate::family::serde::Serialize for $name {
            fn serialize<S: $crate::family::serde::Serializer>(
                &self,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.word())
            }
        }

        impl $name {
            /// Every value, in the order of the words.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The accepted words.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The scenario's word for this value.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl $crate::family::Parameter for $name {
            const KIND: &'static str = "word";
            fn read(raw: $crate::family::Raw<'_>) -> Result<Self, $crate::family::ParameterError> {
                match raw {
                    $($crate::family::Raw::Text($word) => Ok(Self::$variant),)*
                    _ => Err($crate::family::ParameterError::Word(Self::WORDS.to_vec())),
                }
            }
            fn show(&self) -> $crate::family::Text {
                $crate::family::quoted(self.word())
            }
        }
    };
}

/// Used by [`parameters!`].
#[doc(hidden)]
pub type List = Vec<ParameterInfo>;
/// Used by [`parameters!`].
#[doc(hidden)]
pub type Values = Vec<(&'static str, String)>;
/// Used by [`parameters!`].
#[doc(hidden)]
pub type Conflicts = Vec<Conflict>;
/// Used by [`words!`].
#[doc(hidden)]
pub type Text = String;

/// Used by [`words!`].
#[doc(hidden)]
pub fn quoted(word: &str) -> String {
    alloc::format!("\"{word}\"")
}

/// Used by [`parameters!`]: a doc comment's lines as one text.
#[doc(hidden)]
pub fn doc_text(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// A value that a range speaks of: itself, or what an optional one holds. `"auto"` is in any range.
#[doc(hidden)]
pub trait Ranged<T> {
    /// The value to compare.
    fn ranged(&self) -> Option<&T>;
}

impl<T: PartialOrd> Ranged<T> for T {
    fn ranged(&self) -> Option<&T> {
        Some(self)
    }
}

impl<T: PartialOrd> Ranged<T> for Option<T> {
    fn ranged(&self) -> Option<&T> {
        self.as_ref()
    }
}

/// Used by [`parameters!`].
#[doc(hidden)]
pub fn check_range<T, V, R>(value: &V, range: &R) -> Result<(), ParameterError>
where
    T: PartialOrd + Parameter,
    V: Ranged<T>,
    R: core::ops::RangeBounds<T>,
{
    use core::ops::Bound::{Excluded, Included, Unbounded};
    if value.ranged().is_none_or(|value| range.contains(value)) {
        return Ok(());
    }
    let low = match range.start_bound() {
        Included(low) => alloc::format!("at least {}", low.show()),
        Excluded(low) => alloc::format!("more than {}", low.show()),
        Unbounded => String::new(),
    };
    let high = match range.end_bound() {
        Included(high) => alloc::format!("at most {}", high.show()),
        Excluded(high) => alloc::format!("less than {}", high.show()),
        Unbounded => String::new(),
    };
    let and = if low.is_empty() || high.is_empty() { "" } else { " and " };
    wrong(alloc::format!("expected {low}{and}{high}"))
}
