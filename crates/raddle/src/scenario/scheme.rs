//! Reads `{ scheme = .., parameter = .. }` of any family, by the family's own list.

use super::key::{Key, key};
use super::keyed::Reader;
use super::reader::{Log, raw, raw_list, refused, with_nearest};
use super::spec::{self, Item, Place, Value, quoted};
use crate::families::{FAMILIES, Family, Selected};
use crate::problem::Problem;
use raddle_schemes::Card;
use raddle_schemes::family::{Conflict, Need, Parameter, ParameterError, Raw};
use std::str::FromStr;

/// What selects a scheme in its table.
static SCHEME: Key = key!(scheme Text, (required "..") [], "the name of a scheme");

/// A key and its value, as a scenario would hold them.
pub(crate) fn line<T: Parameter>(key: &str, value: &T) -> String {
    format!("{key} = {}", shown(value))
}

/// What a scheme of the family that is selected at `key` says to a value of a parameter.
pub(super) fn try_parameter(
    key: &str,
    scheme: &str,
    parameter: &str,
    raw: Raw<'_>,
) -> Result<(), ParameterError> {
    let family = FAMILIES.iter().find(|family| family.key == key);
    family.ok_or(ParameterError::Unknown)?.try_parameter(scheme, parameter, raw)
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

impl<F: Selected> Chosen<F> {
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
        Needy { card: self.config.card(), key: F::FAMILY.place, place: &self.place, moot, classes }
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
pub(crate) fn scheme<F: Selected>(reader: &mut Reader<'_>, key: &'static Key) -> Option<Chosen<F>> {
    scheme_beside(reader, key, None)
}

/// The same; where nobody has written the scheme's name, it is `implied`, if that is there.
pub(crate) fn scheme_beside<F: Selected>(
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
pub(crate) fn declared<F: Selected>(key: &Key) -> Option<F> {
    let (item, log) = (spec::declared(key.absent.value()?)?, Log::default());
    Some(read_scheme(Reader::of(key.word, &item, &log)?)?.config)
}

/// Reads the scheme that the rest of a table describes.
pub(crate) fn read_scheme<F: Selected>(inner: Reader<'_>) -> Option<Chosen<F>> {
    read_implied(inner, None)
}

fn read_implied<F: Selected>(
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

fn unknown_scheme<F: Selected>(name: &str, item: &Item) -> Problem {
    let own = F::FAMILY.names();
    let list = format!("{}: {} (`raddle schemes`)", F::FAMILY.plural, own.join(", "));
    let problem = item.place.problem(format!("unknown scheme `{name}`"));
    let elsewhere = FAMILIES.iter().find(|family| family.names().contains(&name));
    match elsewhere {
        Some(Family { plural, place, .. }) => problem
            .label(format!("not one of the {}", F::FAMILY.plural))
            .help(format!("`{name}` is one of the {plural}: it goes to {place}"))
            .help(list),
        None => with_nearest(problem, name, own).help(list),
    }
}

fn set_parameter<F: Selected>(config: &mut F, key: &str, place: &Place, item: &Item, log: &Log) {
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
fn report_conflicts<F: Selected>(config: &F, written: &[(String, Place)], log: &Log) {
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
fn is_default<F: Selected>(config: &F, parameter: &str) -> bool {
    let own = config.values().into_iter().find(|(name, _)| *name == parameter);
    let default = config.parameters().into_iter().find(|info| info.name == parameter);
    own.map(|(_, value)| value) == default.map(|info| info.default)
}

/// A scheme and its parameters as an inline table; `more` comes first after the scheme's name.
pub(crate) fn show<F: Selected>(config: &F, more: &[(&str, String)]) -> String {
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
