//! Reads `{ scheme = .., parameter = .. }` of any family, by the family's own list.

use super::key::{Key, key};
use super::keyed::Reader;
use super::reader::{Log, raw, raw_list, refused, with_nearest};
use super::spec::{self, Item, Place, Value, quoted};
use crate::problem::Problem;
use raddle_schemes::family::{Conflict, Need, Parameter, ParameterError, ParameterInfo, Raw};
use raddle_schemes::load_balance::{host, plane, switch};
use raddle_schemes::{Card, Scheme, buffer, congestion, marking, planner, recovery, tor};
use std::str::FromStr;

/// What selects a scheme in its table.
static SCHEME: Key = key!(scheme Text, (required "..") [], "the name of a scheme");

/// A key and its value, as a scenario would hold them.
pub(crate) fn line<T: Parameter>(key: &str, value: &T) -> String {
    format!("{key} = {}", shown(value))
}

/// A family of schemes, as its module declares it.
pub(crate) trait Family: Sized {
    /// What its members are called, in the plural.
    const WHAT: &'static str;
    /// Where a scenario selects one.
    const KEY: &'static str;
    /// Its members.
    const SCHEMES: &'static [Scheme];
    /// The member called `name`.
    fn named(name: &str) -> Option<Self>;
    /// Sets one parameter.
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError>;
    /// Parameters and their values, as a scenario would hold them.
    fn values(&self) -> Vec<(&'static str, String)>;
    /// The parameters the member has.
    fn parameters(&self) -> Vec<ParameterInfo>;
    /// What does not go together among their values.
    fn conflicts(&self) -> Vec<Conflict>;
    /// What the member says of itself.
    fn card(&self) -> &'static Card;
}

/// Whether `[transport] load_balance` is `transport.load_balance`.
fn is_selected<F: Family>(key: &str) -> bool {
    F::KEY.trim_start_matches('[').replace("] ", ".") == key
}

macro_rules! families {
    ($($module:path, $config:ty: $what:literal, $key:literal;)*) => {
        $(impl Family for $config {
            const WHAT: &'static str = $what;
            const KEY: &'static str = $key;
            const SCHEMES: &'static [Scheme] = { use $module as family; family::SCHEMES };
            fn named(name: &str) -> Option<Self> {
                Self::named(name)
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
        })*

        /// What a scheme of the family that is selected at `key` says to a value of a parameter.
        pub(super) fn try_parameter(
            key: &str,
            scheme: &str,
            parameter: &str,
            raw: Raw<'_>,
        ) -> Result<(), ParameterError> {
            $(if is_selected::<$config>(key) {
                let config = <$config as Family>::named(scheme);
                return config.map_or(Err(ParameterError::Unknown), |mut config| {
                    Family::set(&mut config, parameter, raw)
                });
            })*
            Err(ParameterError::Unknown)
        }

        /// Every family: what its members are called, where one is selected, and who they are.
        pub(super) const FAMILIES: &[(&str, &str, &[Scheme])] =
            &[$((<$config>::WHAT, <$config>::KEY, <$config as Family>::SCHEMES)),*];
    };
}
families! {
    host, host::Config: "host load balancers", "[transport] load_balance";
    switch, switch::Config: "switch load balancers", "[fabric] load_balance";
    plane, plane::Config: "plane selectors", "[transport] plane";
    congestion, congestion::Config: "congestion controls", "[transport] congestion";
    recovery, recovery::Config: "recoveries", "[transport] recovery";
    marking, marking::Config: "markings", "[fabric] queue.marking";
    buffer, buffer::Config: "buffer policies", "[fabric] buffer";
    tor, tor::Config: "ToR middleware", "[fabric] tor";
    planner, planner::Config: "planners", "[transport] planner";
}

/// A selected scheme and the place of its name.
#[derive(Clone, Debug)]
pub(crate) struct Chosen<F> {
    pub(crate) config: F,
    pub(crate) place: Place,
    /// The parameters that were written, and where.
    written: Vec<(String, Place)>,
}

/// A scheme of any family, as far as its needs are concerned.
pub(crate) struct Needy<'a> {
    pub(crate) card: &'static Card,
    pub(crate) key: &'static str,
    pub(crate) place: &'a Place,
    /// Parameters that were set and have no effect where the fabric offers something.
    pub(crate) moot: Vec<(&'static str, Need, &'a Place)>,
    /// Parameters that were written, and how many data classes their values take.
    pub(crate) classes: Vec<(&'static str, u8, &'a Place)>,
}

impl<F> Chosen<F> {
    /// A scheme of another family that comes with this one.
    pub(crate) fn gives<G>(&self, config: G) -> Chosen<G> {
        Chosen { config, place: self.place.clone(), written: Vec::new() }
    }
}

impl<F: Family> Chosen<F> {
    /// What the scheme needs, and who asks.
    pub(crate) fn needy(&self) -> Needy<'_> {
        let moot = self.config.conflicts().into_iter().filter_map(|conflict| match conflict {
            Conflict::Moot(parameter, need) if !is_default(&self.config, parameter) => {
                Some((parameter, need, place_of(&self.written, &[parameter])?))
            }
            _ => None,
        });
        let moot = moot.collect();
        let classes = self.config.conflicts().into_iter().filter_map(|conflict| match conflict {
            Conflict::Classes(parameter, classes) => {
                Some((parameter, classes, self.place_of(parameter)?))
            }
            _ => None,
        });
        let classes = classes.collect();
        Needy { card: self.config.card(), key: F::KEY, place: &self.place, moot, classes }
    }

    /// Where a parameter was written, if it was.
    pub(crate) fn place_of(&self, parameter: &str) -> Option<&Place> {
        place_of(&self.written, &[parameter])
    }

    /// The values of the parameters that were written and are of type `T`, with their places.
    pub(crate) fn written<T: FromStr>(&self) -> impl Iterator<Item = (&str, T, &Place)> {
        let values = self.config.values();
        self.written.iter().filter_map(move |(key, place)| {
            let (_, text) = values.iter().find(|(name, _)| name == key)?;
            let text = text.strip_prefix('"')?.strip_suffix('"')?;
            Some((key.as_str(), text.parse().ok()?, place))
        })
    }
}

/// Reads the scheme at `key`.
pub(crate) fn scheme<F: Family>(reader: &mut Reader<'_>, key: &'static Key) -> Option<Chosen<F>> {
    scheme_beside(reader, key, None)
}

/// The same; where nobody has written the scheme's name, it is `implied`, if that is there.
pub(crate) fn scheme_beside<F: Family>(
    reader: &mut Reader<'_>,
    key: &'static Key,
    implied: Option<&'static str>,
) -> Option<Chosen<F>> {
    let item = reader.demand(key)?;
    if let Value::Text(name) = &item.value {
        let problem = item.place.problem(format!("wrong value for `{}`", key.word));
        reader.log().add(problem.label(format!("write `{{ scheme = \"{name}\" }}`")));
        return None;
    }
    let inner = Reader::of(key.word, item, reader.log())?;
    read_implied(inner, implied)
}

/// The scheme that a key has where nobody writes one.
pub(crate) fn declared<F: Family>(key: &Key) -> Option<F> {
    let (item, log) = (spec::declared(key.absent.value()?)?, Log::default());
    Some(read_scheme(Reader::of(key.word, &item, &log)?)?.config)
}

/// Reads the scheme that the rest of a table describes.
pub(crate) fn read_scheme<F: Family>(inner: Reader<'_>) -> Option<Chosen<F>> {
    read_implied(inner, None)
}

fn read_implied<F: Family>(
    mut inner: Reader<'_>,
    implied: Option<&'static str>,
) -> Option<Chosen<F>> {
    let log = inner.log();
    let item = inner.demand(&SCHEME)?;
    let Value::Text(name) = &item.value else {
        let expected = ParameterError::Value("expected the name of a scheme, quoted".to_owned());
        log.add(refused("scheme", item, expected));
        return None;
    };
    let name = implied.filter(|_| item.place.file.is_none()).unwrap_or(name);
    let Some(mut config) = F::named(name) else {
        log.add(unknown_scheme::<F>(name, item));
        return None;
    };
    let mut written = Vec::new();
    for (key, place, value) in inner.rest() {
        set_parameter(&mut config, key, place, value, log);
        written.push((key.to_owned(), place.clone()));
    }
    report_conflicts(&config, &written, log);
    Some(Chosen { config, place: item.place.clone(), written })
}

fn unknown_scheme<F: Family>(name: &str, item: &Item) -> Problem {
    let names = |schemes: &[Scheme]| schemes.iter().map(|s| s.card.name).collect::<Vec<_>>();
    let own = names(F::SCHEMES);
    let list = format!("{}: {} (`raddle schemes`)", F::WHAT, own.join(", "));
    let problem = item.place.problem(format!("unknown scheme `{name}`"));
    let elsewhere = FAMILIES.iter().find(|(.., schemes)| names(schemes).contains(&name));
    match elsewhere {
        Some((what, key, _)) => problem
            .label(format!("not one of the {}", F::WHAT))
            .help(format!("`{name}` is one of the {what}: it goes to {key}"))
            .help(list),
        None => with_nearest(problem, name, own).help(list),
    }
}

fn set_parameter<F: Family>(config: &mut F, key: &str, place: &Place, item: &Item, log: &Log) {
    let list = raw_list(item);
    let error = match raw(item).or(list.as_deref().map(Raw::List)) {
        Some(raw) => config.set(key, raw).err(),
        None => Some(ParameterError::Value("expected a single value".to_owned())),
    };
    let known: Vec<&str> = config.parameters().iter().map(|parameter| parameter.name).collect();
    let unknown = !known.contains(&key);
    let scheme = config.card().name;
    match error {
        Some(_) if unknown => {
            let problem = place.problem(format!("`{scheme}` has no parameter `{key}`"));
            let help = match known.as_slice() {
                [] => format!("`{scheme}` has no parameters"),
                known => format!("parameters of `{scheme}`: {}", known.join(", ")),
            };
            log.add(with_nearest(problem, key, known.iter().copied()).help(help));
        }
        Some(error) => log.add(refused(key, item, error)),
        None => {}
    }
}

/// Adds a problem for every two parameters that do not go together, if one of them was written. One
/// that has no effect but keeps its default is as good as absent.
fn report_conflicts<F: Family>(config: &F, written: &[(String, Place)], log: &Log) {
    let (scheme, values) = (config.card().name, config.values());
    let value = |key: &str| values.iter().find(|(name, _)| *name == key).map(|(_, text)| text);
    for conflict in config.conflicts() {
        let (one, other) = match conflict {
            Conflict::Exceeds(one, other)
            | Conflict::Idle(one, other)
            | Conflict::Length(one, other, _) => (one, other),
            Conflict::Moot(..) | Conflict::Classes(..) => continue,
        };
        let (Some(first), Some(second)) = (value(one), value(other)) else { continue };
        match conflict {
            Conflict::Exceeds(small, large) => {
                let Some(place) = place_of(written, &[small, large]) else { continue };
                let message = format!("`{small}` of `{scheme}` exceeds its `{large}`");
                let label = format!("`{small}` is {first}, `{large}` is {second}");
                log.add(place.problem(message).label(label));
            }
            Conflict::Idle(idle, other) => {
                let Some(place) = place_of(written, &[idle]) else { continue };
                if is_default(config, idle) {
                    continue;
                }
                let message =
                    format!("`{idle}` of `{scheme}` has no effect with `{other} = {second}`");
                log.add(place.problem(message).label(format!("leave it out, or change `{other}`")));
            }
            Conflict::Length(list, with, length) => {
                let Some(place) = place_of(written, &[list, with]) else { continue };
                let message =
                    format!("`{list}` of `{scheme}` does not go with `{with} = {second}`");
                log.add(place.problem(message).label(format!("expected a list of {length}")));
            }
            Conflict::Moot(..) | Conflict::Classes(..) => {}
        }
    }
}

/// Where one of these keys was written; of several, the last.
fn place_of<'a>(written: &'a [(String, Place)], keys: &[&str]) -> Option<&'a Place> {
    written.iter().rfind(|(key, _)| keys.contains(&key.as_str())).map(|(_, place)| place)
}

/// Whether a parameter has its default.
fn is_default<F: Family>(config: &F, parameter: &str) -> bool {
    let own = config.values().into_iter().find(|(name, _)| *name == parameter);
    let default = config.parameters().into_iter().find(|info| info.name == parameter);
    own.map(|(_, value)| value) == default.map(|info| info.default)
}

/// A scheme and its parameters as an inline table; `more` comes first after the scheme's name.
pub(crate) fn show<F: Family>(config: &F, more: &[(&str, String)]) -> String {
    let parameters = config.values();
    let pairs = parameters.iter().map(|(key, value)| (*key, value));
    let pairs = more.iter().map(|(key, value)| (*key, value)).chain(pairs);
    let mut text = format!("{{ scheme = {}", quoted(config.card().name));
    for (key, value) in pairs {
        text.push_str(&format!(", {key} = {value}"));
    }
    text.push_str(" }");
    text
}

/// A value in the form a scenario holds it.
pub(crate) fn shown<T: Parameter>(value: &T) -> String {
    value.show()
}
