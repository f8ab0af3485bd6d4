//! Schemes that are in no list.

use super::{Card, Conflicts, List, ParameterError, Parameters, Raw, Values};
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt::{Debug, Formatter, Result as Written};

/// A scheme that is in no list: its card, its parameters if it has any, and how an instance is made.
/// Lets another crate, a notebook or a test run a scheme of its own without an edit here.
pub struct Plugin<C, T: ?Sized> {
    /// What it says of itself; also tells two plugins apart.
    pub card: &'static Card,
    maker: Box<dyn Maker<C, T>>,
}

/// Makes instances, with the parameters that it has at present.
trait Maker<C, T: ?Sized>: Send + Sync {
    fn copy(&self) -> Box<dyn Maker<C, T>>;
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError>;
    fn values(&self) -> Values;
    fn conflicts(&self) -> Conflicts;
    fn parameters(&self) -> List;
    fn build(&self, context: &C) -> Box<T>;
}

/// A scheme with parameters.
struct Configured<P, C, T: ?Sized> {
    config: P,
    build: fn(&P, &C) -> Box<T>,
}

impl<P, C, T> Maker<C, T> for Configured<P, C, T>
where
    P: Parameters + Send + Sync + 'static,
    C: 'static,
    T: ?Sized + 'static,
{
    fn copy(&self) -> Box<dyn Maker<C, T>> {
        Box::new(Self { config: self.config.clone(), build: self.build })
    }

    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError> {
        self.config.set(name, raw)
    }

    fn values(&self) -> Values {
        self.config.values()
    }

    fn conflicts(&self) -> Conflicts {
        self.config.conflicts()
    }

    fn parameters(&self) -> List {
        P::list()
    }

    fn build(&self, context: &C) -> Box<T> {
        (self.build)(&self.config, context)
    }
}

/// Makes an instance.
type Make<C, T> = dyn Fn(&C) -> Box<T> + Send + Sync;

/// A scheme that is made by what holds more than parameters.
struct Made<C, T: ?Sized>(Arc<Make<C, T>>);

impl<C: 'static, T: ?Sized + 'static> Maker<C, T> for Made<C, T> {
    fn copy(&self) -> Box<dyn Maker<C, T>> {
        Box::new(Self(Arc::clone(&self.0)))
    }

    fn set(&mut self, _name: &str, _raw: Raw<'_>) -> Result<(), ParameterError> {
        Err(ParameterError::Unknown)
    }

    fn values(&self) -> Values {
        Values::new()
    }

    fn conflicts(&self) -> Conflicts {
        Conflicts::new()
    }

    fn parameters(&self) -> List {
        List::new()
    }

    fn build(&self, context: &C) -> Box<T> {
        (self.0)(context)
    }
}

impl<C: 'static, T: ?Sized + 'static> Plugin<C, T> {
    /// A scheme without parameters.
    pub fn new(card: &'static Card, build: fn(&C) -> Box<T>) -> Self {
        Self::made(card, build)
    }

    /// A scheme with the parameters that [`parameters!`](crate::parameters) declares, at their
    /// defaults.
    pub fn with<P>(card: &'static Card, build: fn(&P, &C) -> Box<T>) -> Self
    where
        P: Parameters + Send + Sync + 'static,
    {
        Self { card, maker: Box::new(Configured { config: P::default(), build }) }
    }

    /// What `build` makes, which may hold what it likes: a listed scheme with its parameters, say, and
    /// a place for what it does.
    pub fn made(card: &'static Card, build: impl Fn(&C) -> Box<T> + Send + Sync + 'static) -> Self {
        Self { card, maker: Box::new(Made(Arc::new(build))) }
    }
}

impl<C, T: ?Sized> Plugin<C, T> {
    /// Sets one parameter from a scenario value.
    ///
    /// # Errors
    /// [`ParameterError`].
    pub fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError> {
        self.maker.set(name, raw)
    }

    /// The parameters and their values, as a scenario would hold them.
    pub fn values(&self) -> Values {
        self.maker.values()
    }

    /// What does not go together among the parameters.
    pub fn conflicts(&self) -> Conflicts {
        self.maker.conflicts()
    }

    /// Its parameters.
    pub fn parameters(&self) -> List {
        self.maker.parameters()
    }

    /// An instance.
    pub fn build(&self, context: &C) -> Box<T> {
        self.maker.build(context)
    }
}

impl<C, T: ?Sized> Clone for Plugin<C, T> {
    fn clone(&self) -> Self {
        Self { card: self.card, maker: self.maker.copy() }
    }
}

impl<C, T: ?Sized> PartialEq for Plugin<C, T> {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.card, other.card) && self.values() == other.values()
    }
}

impl<C, T: ?Sized> Debug for Plugin<C, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        f.debug_tuple("Plugin").field(&self.card.name).field(&self.values()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    static CARD: Card =
        Card { name: "own", title: "Own", paper: "-", needs: &[], summary: "A scheme of a test." };

    crate::parameters! {
        /// Its parameters.
        pub struct Config {
            /// The least.
            pub low: u32 = 1, in 1..=9;
            /// The most.
            pub high: u32 = 5;
        }
    }

    #[test]
    fn parameters_are_read_held_and_given_to_instances() {
        let plain: Plugin<u32, dyn ToString + Send> =
            Plugin::with(&CARD, |own: &Config, more| Box::new(own.low + own.high + more));
        let mut set = plain.clone();
        set.set("low", Raw::Integer(3)).unwrap();
        assert!(set.set("low", Raw::Integer(0)).is_err());
        assert_eq!(set.set("middle", Raw::Integer(3)), Err(ParameterError::Unknown));
        assert_eq!(set.values()[0], ("low", "3".to_string()));
        assert_ne!(set, plain);
        assert_eq!(set, set.clone());
        assert_eq!(
            (plain.build(&100).to_string(), set.build(&100).to_string()),
            ("106".into(), "108".into())
        );
        assert_eq!(set.parameters()[1].name, "high");
        assert_eq!(format!("{plain:?}"), r#"Plugin("own", [("low", "1"), ("high", "5")])"#);
    }

    #[test]
    fn a_scheme_without_parameters_has_none() {
        let mut plain: Plugin<u32, dyn ToString + Send> =
            Plugin::new(&CARD, |more| Box::new(*more));
        assert_eq!(plain.set("low", Raw::Integer(3)), Err(ParameterError::Unknown));
        assert!(plain.values().is_empty() && plain.parameters().is_empty());
        assert!(plain.conflicts().is_empty());
        assert_eq!(plain.build(&7).to_string(), "7");
    }
}
