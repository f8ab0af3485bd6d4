//! The families of schemes: what each is called, where a scenario selects one, and who is in it: those
//! of its list, and those that a program brings.

use raddle_schemes::buffer::{self, BufferContext, BufferPolicy};
use raddle_schemes::congestion::{self, CongestionControl};
use raddle_schemes::family::{Conflict, ParameterError, ParameterInfo, Plugin, Raw};
use raddle_schemes::load_balance::host::{self, PathSelector};
use raddle_schemes::load_balance::plane::{self, PlaneContext, PlaneSelector};
use raddle_schemes::load_balance::switch::{self, PortSelector, SwitchContext};
use raddle_schemes::marking::{self, Marker};
use raddle_schemes::planner::{self, Planner, PlannerContext};
use raddle_schemes::recovery::{self, Recovery};
use raddle_schemes::rule::Rulebook;
use raddle_schemes::size::Base;
use raddle_schemes::tor::{self, TorContext, TorHook};
use raddle_schemes::{Card, FlowContext};
use std::sync::OnceLock;

/// What the program has brought: as much a part of it as the lists are. Set before a scenario is read,
/// and never after.
static BROUGHT: OnceLock<Plugins> = OnceLock::new();

/// Schemes of one kind.
pub struct Family {
    /// What they are: `Host load balancing`.
    pub title: &'static str,
    /// What they are called, in the plural: `host load balancers`.
    pub plural: &'static str,
    /// Where a scenario selects one: `transport.load_balance`.
    pub key: &'static str,
    /// The same as people write it: `[transport] load_balance`.
    pub place: &'static str,
    /// Heading of their table of parameters in docs/scenario.md.
    pub heading: &'static str,
    listed: fn() -> Vec<Known>,
    brought: fn(&Plugins) -> Vec<Known>,
    set: fn(&str, &str, Raw<'_>) -> Result<(), ParameterError>,
}

/// A scheme that scenarios can name.
pub struct Known {
    /// What it says of itself.
    pub card: &'static Card,
    /// Its parameters with their defaults.
    pub parameters: Vec<ParameterInfo>,
    /// The words of what it shows of its state (`record.probes`).
    pub probes: Vec<&'static str>,
    /// The rules of standards that concern it.
    pub rules: &'static [Rulebook],
}

impl Family {
    /// Its schemes: those of its list, then those that the program has brought.
    pub fn schemes(&self) -> Vec<Known> {
        let mut all = (self.listed)();
        all.extend(BROUGHT.get().map(self.brought).unwrap_or_default());
        all
    }

    /// The names of its schemes.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.schemes().iter().map(|scheme| scheme.card.name).collect()
    }

    /// What the scheme of this name says to a value of a parameter.
    pub(crate) fn try_parameter(
        &self,
        scheme: &str,
        parameter: &str,
        raw: Raw<'_>,
    ) -> Result<(), ParameterError> {
        (self.set)(scheme, parameter, raw)
    }
}

/// The names of the schemes that a scenario selects at this path.
pub fn names(key: &str) -> impl Iterator<Item = &'static str> {
    let family = FAMILIES.iter().find(|family| family.key == key);
    family.map(|family| family.names()).unwrap_or_default().into_iter()
}

/// A scheme of a family with its parameters: what a scenario selects.
pub(crate) trait Selected: Clone + 'static {
    /// Its family.
    const FAMILY: Family;
    /// That of the list, of this name.
    fn listed(name: &str) -> Option<Self>;
    /// Those that the program has brought.
    fn brought(all: &Plugins) -> &[Self];
    /// Sets one parameter.
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError>;
    /// Parameters and their values, as a scenario would hold them.
    fn values(&self) -> Vec<(&'static str, String)>;
    /// The parameters that it has.
    fn parameters(&self) -> Vec<ParameterInfo>;
    /// What does not go together among their values.
    fn conflicts(&self) -> Vec<Conflict>;
    /// What it says of itself.
    fn card(&self) -> &'static Card;
    /// The words of what it shows of its state.
    fn probes(&self) -> Vec<&'static str>;
    /// The rules of standards that concern it.
    fn rules(&self) -> &'static [Rulebook];

    /// That of this name.
    fn named(name: &str) -> Option<Self> {
        let brought = || BROUGHT.get().map(Self::brought).unwrap_or_default().iter();
        Self::listed(name).or_else(|| brought().find(|own| own.card().name == name).cloned())
    }

    /// As the catalogue has it.
    fn known(&self) -> Known {
        let (card, parameters, probes) = (self.card(), self.parameters(), self.probes());
        Known { card, parameters, probes, rules: self.rules() }
    }
}

fn set<C: Selected>(scheme: &str, parameter: &str, raw: Raw<'_>) -> Result<(), ParameterError> {
    C::named(scheme).ok_or(ParameterError::Unknown)?.set(parameter, raw)
}

/// What [`Plugins`] take: a [`Plugin`] of any family.
pub trait AnyPlugin: sealed::Joins {}

mod sealed {
    /// What enters a plugin into its family.
    pub trait Joins {
        /// What it says of itself.
        fn card(&self) -> &'static raddle_schemes::Card;
        /// Its family.
        fn family(&self) -> super::Family;
        /// Enters it.
        fn join(self, all: &mut super::Plugins);
    }
}

/// That of schemes that show nothing.
fn nothing<C>(_own: &C) -> Vec<&'static str> {
    Vec::new()
}

macro_rules! families {
    ($(
        $module:ident of $context:ty, $scheme:ident: $title:literal, $plural:literal, $key:literal,
            $place:literal, $probes:expr;
    )*) => {
        /// The schemes that a program has beside the listed ones.
        #[derive(Debug, Default)]
        pub struct Plugins {
            $($module: Vec<$module::Config>,)*
            wrong: Vec<String>,
        }

        /// Every family.
        pub const FAMILIES: &[Family] = &[$(<$module::Config as Selected>::FAMILY),*];

        $(impl Selected for $module::Config {
            const FAMILY: Family = Family {
                title: $title,
                plural: $plural,
                key: $key,
                place: $place,
                heading: concat!("### ", $place),
                listed: || {
                    let names = $module::SCHEMES.iter().map(|scheme| scheme.card.name);
                    names.filter_map($module::Config::named).map(|own| own.known()).collect()
                },
                brought: |all| all.$module.iter().map(Selected::known).collect(),
                set: set::<Self>,
            };
            fn listed(name: &str) -> Option<Self> {
                Self::named(name)
            }
            fn brought(all: &Plugins) -> &[Self] {
                &all.$module
            }
            fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError> {
                self.set(name, raw)
            }
            fn values(&self) -> Vec<(&'static str, String)> {
                self.values()
            }
            fn parameters(&self) -> Vec<ParameterInfo> {
                self.parameters()
            }
            fn conflicts(&self) -> Vec<Conflict> {
                self.conflicts()
            }
            fn card(&self) -> &'static Card {
                self.card()
            }
            fn probes(&self) -> Vec<&'static str> {
                $probes(self)
            }
            fn rules(&self) -> &'static [Rulebook] {
                self.rules()
            }
        }

        impl AnyPlugin for Plugin<$context, dyn $scheme + Send> {}

        impl sealed::Joins for Plugin<$context, dyn $scheme + Send> {
            fn card(&self) -> &'static Card {
                self.card
            }
            fn family(&self) -> Family {
                <$module::Config as Selected>::FAMILY
            }
            fn join(self, all: &mut Plugins) {
                all.$module.push($module::Config::Custom(self));
            }
        })*
    };
}

families! {
    host of FlowContext, PathSelector: "Host load balancing", "host load balancers",
        "transport.load_balance", "[transport] load_balance", host::Config::probes;
    plane of PlaneContext, PlaneSelector: "Planes", "plane selectors",
        "transport.plane", "[transport] plane", nothing;
    switch of SwitchContext, PortSelector: "Switch load balancing", "switch load balancers",
        "fabric.load_balance", "[fabric] load_balance", switch::Config::probes;
    congestion of FlowContext, CongestionControl: "Congestion control", "congestion controls",
        "transport.congestion", "[transport] congestion", congestion::Config::probes;
    recovery of FlowContext, Recovery: "Recovery", "recoveries",
        "transport.recovery", "[transport] recovery", recovery::Config::probes;
    marking of Base, Marker: "Marking", "markings",
        "fabric.queue.marking", "[fabric] queue.marking", nothing;
    buffer of BufferContext, BufferPolicy: "Shared memory", "buffer policies",
        "fabric.buffer", "[fabric] buffer", buffer::Config::probes;
    tor of TorContext, TorHook: "Middleware in ToRs", "ToR middleware",
        "fabric.tor", "[fabric] tor", tor::Config::probes;
    planner of PlannerContext, Planner: "Planners", "planners",
        "transport.planner", "[transport] planner", nothing;
}

impl Plugins {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// These and one more. A name that is taken, or no word, is reported when they are
    /// [installed](crate::plugins::install).
    #[must_use]
    pub fn with(mut self, plugin: impl AnyPlugin) -> Self {
        self.wrong.extend(self.refused(plugin.card().name, &plugin.family()));
        plugin.join(&mut self);
        self
    }

    /// Why one more of this name cannot join a family.
    fn refused(&self, name: &str, family: &Family) -> Option<String> {
        let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !is_word {
            let rule = "a lower-case letter, then lower-case letters, digits and `_`";
            return Some(format!("`{name}` cannot be the name of a scheme: {rule}"));
        }
        let has = |all: Vec<Known>| all.iter().any(|known| known.card.name == name);
        if let Some(family) = FAMILIES.iter().find(|family| has((family.listed)())) {
            let place = family.place;
            return Some(format!("Raddle has a scheme `{name}` ({place}): choose another name"));
        }
        let twice = has((family.brought)(self));
        twice.then(|| format!("two plugins are called `{name}` in {}", family.place))
    }

    /// What they bring to a family.
    pub(crate) fn of(&self, family: &Family) -> Vec<Known> {
        (family.brought)(self)
    }

    /// What is wrong with their names.
    pub(crate) fn wrong(&self) -> &[String] {
        &self.wrong
    }

    /// Has scenarios know them. False at a second time, and nothing changes.
    pub(crate) fn install(self) -> bool {
        BROUGHT.set(self).is_ok()
    }

    /// Whether the program has brought any.
    pub(crate) fn are_installed() -> bool {
        let any = |all| FAMILIES.iter().any(|family| !(family.brought)(all).is_empty());
        BROUGHT.get().is_some_and(any)
    }
}
