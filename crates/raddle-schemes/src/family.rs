//! Registration: what a scheme says of itself, its parameters, and the list that makes a family.

mod parameters;
mod plugin;

pub use parameters::*;
pub use plugin::Plugin;
/// For what macros make in other crates.
#[doc(hidden)]
pub use serde;

use alloc::vec::Vec;

/// What a scheme says of itself; feeds validation, the catalogue and the docs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// The scheme's word: file, scenario, command line and column value.
    pub name: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// What the fabric and the transport must offer.
    pub needs: &'static [Need],
    /// One or two sentences: what it does and when to choose it.
    pub summary: &'static str,
}

/// Something a scheme cannot work without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Switches mark packets, and ACKs echo the mark.
    Ecn,
    /// Switches trim instead of dropping.
    Trimming,
    /// One ACK per data packet.
    PacketAcks,
    /// Switches add per-hop telemetry.
    Telemetry,
    /// Priority flow control.
    Pfc,
    /// Hosts choose the whole path.
    SourceRouting,
    /// The switch reads its own queue lengths on every packet.
    QueueLengths,
    /// A receiver that accepts packets out of order.
    OutOfOrder,
    /// The switch reads where a packet goes: its destination's edge switch and pod.
    Groups,
    /// Queues of switches have a length at which they are full.
    QueueLimit,
    /// A ToR can name every path: it picks among all of them, or switches hash linearly.
    PathMap,
    /// Replies that tell which packet the receiver expects.
    ExpectedPsn,
    /// A planner gives flows their paths.
    Planner,
    /// Packets carry what a switch writes for the next.
    Notes,
    /// Switches above the ToRs take part.
    EverySwitch,
    /// ToRs with circuits beside a packet network, which tell of them.
    Circuits,
    /// Data that waits for circuits while other data goes by slices of them.
    Bulk,
    /// Hosts that answer probes of paths.
    Probes,
}

impl Need {
    /// The need in words, for messages: "… needs *ECN marking*".
    pub const fn text(self) -> &'static str {
        match self {
            Self::Ecn => "ECN marking in the switches",
            Self::Trimming => "packet trimming",
            Self::PacketAcks => "one ACK per packet",
            Self::Telemetry => "per-hop telemetry",
            Self::Pfc => "priority flow control",
            Self::SourceRouting => "source routing",
            Self::QueueLengths => "queue lengths in the switch",
            Self::OutOfOrder => "a receiver that accepts packets out of order",
            Self::Groups => "the destination's edge switch and pod",
            Self::QueueLimit => "queues with a limit",
            Self::PathMap => "paths that a ToR can name",
            Self::ExpectedPsn => "replies that tell the expected packet",
            Self::Planner => "a planner of paths",
            Self::Notes => "notes that packets carry between switches",
            Self::EverySwitch => "a part in every switch",
            Self::Circuits => "ToRs with circuits beside a packet network",
            Self::Bulk => "bulk data that waits for circuits",
            Self::Probes => "hosts that answer probes of paths",
        }
    }
}

/// A registered scheme: its card and its parameters.
pub struct Scheme {
    /// What it says of itself.
    pub card: &'static Card,
    /// Its parameters with their defaults.
    pub parameters: fn() -> Vec<ParameterInfo>,
}

/// Used by [`family!`].
#[doc(hidden)]
#[macro_export]
macro_rules! held {
    ($scheme:ty) => { $scheme };
    ($scheme:ty, Box) => { alloc::boxed::Box<$scheme> };
}

/// Used by [`family!`].
#[doc(hidden)]
#[macro_export]
macro_rules! hold {
    ($scheme:expr) => {
        $scheme
    };
    ($scheme:expr, Box) => {
        alloc::boxed::Box::new($scheme)
    };
}

/// Used by [`family!`].
#[doc(hidden)]
#[macro_export]
macro_rules! rules {
    () => {
        &[]
    };
    ($rules:expr) => {
        $rules
    };
}

/// Makes a family from its list: the enum that runs, the enum that is configured, and the list.
///
/// `family! { Trait, AnyTrait, Context; Reps: reps, }` wants, in each module, `CARD`, `Config`
/// (from [`parameters!`](crate::parameters)) and a type with `new(&Config, &Context)` that implements the trait.
/// Calls go through `dispatch!(any, scheme => expression)`: a `match`, no heap and no vtable.
/// `Reps: reps in Box,` keeps a scheme with much state from taking room in flows that run another.
/// `Reps: reps by RULES,` has the [rules](crate::rule) of the standard that it follows, in its module.
/// `Context, with state;` asks for `Serialize` of each scheme, which gives its state to test vectors.
#[macro_export]
macro_rules! family {
    (
        $trait:ident, $any:ident, $context:ty, with state;
        $($variant:ident: $module:ident $(in $holder:ident)? $(by $rules:ident)?,)*
    ) => {
        $crate::family! {
            $trait, $any, $context;
            $($variant: $module $(in $holder)? $(by $rules)?,)*
        }

        /// The scheme's state, parameters apart; nothing of one that is in no list.
        impl $crate::family::serde::Serialize for $any {
            fn serialize<S: $crate::family::serde::Serializer>(
                &self,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(scheme) => scheme.serialize(to),)*
                    Self::Custom(_) => to.serialize_none(),
                }
            }
        }
    };
    (
        $trait:ident, $any:ident, $context:ty;
        $($variant:ident: $module:ident $(in $holder:ident)? $(by $rules:ident)?,)*
    ) => {
        /// Any scheme of the family, dispatched without heap or vtable; `Custom` takes a scheme
        /// from another crate, a test or a notebook.
        pub enum $any {
            $(
                #[doc = concat!("The scheme of module `", stringify!($module), "`.")]
                $variant($crate::held!($module::$variant $(, $holder)?)),
            )*
            /// A scheme that is in no list; in two boxes, so that it takes one word here.
            Custom(alloc::boxed::Box<alloc::boxed::Box<dyn $trait + Send>>),
        }

        impl $any {
            /// A copy in its present state, which shares what lies behind an `Arc`; `None` of a
            /// scheme that is in no list.
            pub fn copy(&self) -> Option<Self> {
                match self {
                    $(Self::$variant(scheme) => Some(Self::$variant(scheme.clone())),)*
                    Self::Custom(_) => None,
                }
            }
        }

        /// The scheme as each of many begins that have the same context. A listed one is copied,
        /// which shares what lies behind an `Arc`; one that is in no list is built anew.
        pub struct Template {
            config: Config,
            first: $any,
        }

        impl Template {
            /// The template of the selected scheme.
            pub fn new(config: &Config, context: &$context) -> Self {
                Self { config: config.clone(), first: config.build(context) }
            }

            /// The scheme of which copies are made.
            pub fn first(&self) -> &$any {
                &self.first
            }

            /// One more.
            pub fn make(&self, context: &$context) -> $any {
                self.first.copy().unwrap_or_else(|| self.config.build(context))
            }
        }

        /// The parameters of one scheme of the family: what a scenario selects.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Config {
            $(
                #[doc = concat!("Parameters of `", stringify!($module), "`.")]
                $variant($module::Config),
            )*
            /// A scheme that is in no list.
            Custom($crate::family::Plugin<$context, dyn $trait + Send>),
        }

        /// The schemes of the family, in the order of the catalogue.
        pub const SCHEMES: &[$crate::family::Scheme] = &[
            $($crate::family::Scheme {
                card: &$module::CARD,
                parameters: <$module::Config as $crate::family::Parameters>::list,
            },)*
        ];

        impl Config {
            /// The scheme called `name`, with its default parameters.
            #[allow(unused_variables, reason = "a family may have nothing in its list")]
            pub fn named(name: &str) -> Option<Self> {
                $(if name == $module::CARD.name {
                    return Some(Self::$variant(Default::default()));
                })*
                None
            }

            /// The card of the selected scheme.
            pub fn card(&self) -> &'static $crate::family::Card {
                match self {
                    $(Self::$variant(_) => &$module::CARD,)*
                    Self::Custom(plugin) => plugin.card,
                }
            }

            /// The rules of standards that concern the selected scheme.
            pub fn rules(&self) -> &'static [$crate::rule::Rulebook] {
                match self {
                    $(Self::$variant(_) => $crate::rules!($($module::$rules)?),)*
                    Self::Custom(_) => &[],
                }
            }

            /// Sets one parameter from a scenario value.
            ///
            /// # Errors
            /// [`ParameterError`](crate::family::ParameterError).
            pub fn set(
                &mut self,
                name: &str,
                raw: $crate::family::Raw<'_>,
            ) -> Result<(), $crate::family::ParameterError> {
                match self {
                    $(Self::$variant(c) => $crate::family::Parameters::set(c, name, raw),)*
                    Self::Custom(plugin) => plugin.set(name, raw),
                }
            }

            /// The parameters and their values, as a scenario would hold them.
            pub fn values(&self) -> $crate::family::Values {
                match self {
                    $(Self::$variant(c) => $crate::family::Parameters::values(c),)*
                    Self::Custom(plugin) => plugin.values(),
                }
            }

            /// What does not go together among the parameters.
            pub fn conflicts(&self) -> $crate::family::Conflicts {
                match self {
                    $(Self::$variant(c) => $crate::family::Parameters::conflicts(c),)*
                    Self::Custom(plugin) => plugin.conflicts(),
                }
            }

            /// The parameters of the selected scheme.
            pub fn parameters(&self) -> $crate::family::List {
                match self {
                    $(Self::$variant(_) => <$module::Config as $crate::family::Parameters>::list(),)*
                    Self::Custom(plugin) => plugin.parameters(),
                }
            }

            /// The running scheme.
            pub fn build(&self, context: &$context) -> $any {
                match self {
                    $(Self::$variant(c) => {
                        let scheme = $module::$variant::new(c, context);
                        $any::$variant($crate::hold!(scheme $(, $holder)?))
                    })*
                    Self::Custom(plugin) => {
                        $any::Custom(alloc::boxed::Box::new(plugin.build(context)))
                    }
                }
            }
        }

        macro_rules! dispatch {
            ($value:expr, $scheme:ident => $call:expr) => {
                match $value {
                    $($any::$variant($scheme) => $call,)*
                    $any::Custom($scheme) => $call,
                }
            };
        }
    };
}
