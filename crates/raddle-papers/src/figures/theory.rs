//! A claim's number where a model gives it, without a simulation.

use super::Mode;
use super::reading::text;
use crate::circuits;
use raddle::scenario::reader::{Log, Reader, raw, refused, with_nearest};
use raddle::scenario::spec::{Item, Place};
use raddle_schemes::family::ParameterError;
use raddle_sim::theory::{self, Listed, Model};

/// The seed of models.
const SEED: u64 = 1;
/// The parameter of every model that draws: how often.
const TRIALS: &str = "trials";

/// One number of a model with its parameters.
#[derive(Clone, Debug)]
pub struct TheoryNumber {
    model: &'static Listed,
    /// Its place in the card's list.
    quantity: usize,
    /// What the claim sets.
    set: Vec<(String, Item)>,
    /// What quick mode sets besides.
    quick: Vec<(String, Item)>,
}

/// A key, its value, and why the model refused it.
type Refusal<'a> = (&'a str, &'a Item, ParameterError);

/// Reads `model`, `quantity`, `set` and `quick`.
pub(super) fn read_number(reader: &mut Reader<'_>) -> Option<TheoryNumber> {
    let number = read_unchecked(reader)?;
    number.check(reader.place(), reader.log());
    Some(number)
}

/// The same, without asking the model whether it takes the parameters.
pub(super) fn read_unchecked(reader: &mut Reader<'_>) -> Option<TheoryNumber> {
    let place = reader.place();
    let name = text(reader, "model");
    let quantity = text(reader, "quantity");
    let (set, quick) = (settings(reader, "set"), settings(reader, "quick"));
    let (name, quantity, log) = (name?, quantity?, reader.log());
    let all = || theory::MODELS.iter().chain(circuits::MODELS);
    let Some(model) = all().find(|model| model.card.name == name) else {
        let models = all().map(|model| model.card.name);
        unknown("model", &name, &models.collect::<Vec<_>>(), place, log);
        return None;
    };
    let quantity = place_of(model, &quantity, place, log)?;
    Some(TheoryNumber { model, quantity, set, quick })
}

/// Where a quantity stands in the model's list.
fn place_of(model: &Listed, quantity: &str, place: &Place, log: &Log) -> Option<usize> {
    let quantities: Vec<&str> = model.card.quantities.iter().map(|q| q.name).collect();
    let found = quantities.iter().position(|word| *word == quantity);
    if found.is_none() {
        unknown("quantity", quantity, &quantities, place, log);
    }
    found
}

fn settings(reader: &mut Reader<'_>, key: &'static str) -> Vec<(String, Item)> {
    let Some(item) = reader.take(key) else { return Vec::new() };
    let Some(table) = item.table() else {
        reader.log().add(item.place.problem(format!("`{key}` is a table of parameters")));
        return Vec::new();
    };
    table.entries.iter().map(|entry| (entry.key.clone(), entry.item.clone())).collect()
}

fn unknown(what: &str, typed: &str, words: &[&str], place: &Place, log: &Log) {
    let problem = place.problem(format!("unknown {what} `{typed}`"));
    let problem = with_nearest(problem, typed, words.iter().copied());
    log.add(problem.help(format!("expected one of: {}", words.join(", "))));
}

impl TheoryNumber {
    /// Logs what the model refuses in either mode; `place` is where its parameters do not fit
    /// together.
    pub(super) fn check(&self, place: &Place, log: &Log) {
        for mode in [Mode::Full, Mode::Quick] {
            let (made, refusals) = self.model_in(mode);
            for (key, item, error) in refusals {
                let names = made.parameters();
                let problem = refused(key, item, error.clone());
                let names = names.iter().map(|(name, _)| *name);
                let unknown = error == ParameterError::Unknown;
                log.add(if unknown { with_nearest(problem, key, names) } else { problem });
            }
            if let Err(why) = made.check() {
                log.add(place.problem(why));
            }
        }
    }

    /// The model's word.
    pub(super) fn model(&self) -> &'static str {
        self.model.card.name
    }

    /// The names of the model's parameters.
    pub(super) fn parameters(&self) -> Vec<&'static str> {
        (self.model.parameters)().iter().map(|parameter| parameter.name).collect()
    }

    /// Whether the claim or quick mode sets this parameter.
    pub(super) fn sets(&self, name: &str) -> bool {
        self.set.iter().chain(&self.quick).any(|(own, _)| own == name)
    }

    /// The same number with one more parameter set.
    pub(super) fn with(&self, name: &str, value: &Item) -> Self {
        let mut number = self.clone();
        number.set.push((name.to_owned(), value.clone()));
        number
    }

    /// The value of a parameter in a full run, if `other` is the same number of the same model and
    /// sets all other parameters alike; how often it is drawn counts for nothing.
    pub(super) fn value_of(&self, name: &str, other: &Self) -> Option<f64> {
        let same = self.model.card.name == other.model.card.name && self.quantity == other.quantity;
        let [own, theirs] = [self, other].map(|number| number.model_in(Mode::Full).0.parameters());
        let alike = own
            .iter()
            .zip(&theirs)
            .all(|(own, theirs)| own == theirs || own.0 == name || own.0 == TRIALS);
        let (_, value) = own.iter().find(|(own, _)| *own == name)?;
        value.parse().ok().filter(|_| same && alike)
    }

    /// The model as this mode asks it, and the settings that it refused.
    fn model_in(&self, mode: Mode) -> (Box<dyn Model>, Vec<Refusal<'_>>) {
        let mut model = (self.model.default)();
        let quick = if mode == Mode::Quick { self.quick.as_slice() } else { &[] };
        let mut refusals = Vec::new();
        for (key, item) in self.set.iter().chain(quick) {
            let wrong = || ParameterError::Value("expected one value".to_owned());
            let set = raw(item).ok_or_else(wrong).and_then(|raw| model.set(key, raw));
            if let Err(error) = set {
                refusals.push((key.as_str(), item, error));
            }
        }
        (model, refusals)
    }

    /// Another number of the same model and parameters.
    pub(super) fn quantity(&self, quantity: &str, place: &Place, log: &Log) -> Option<Self> {
        let quantity = place_of(self.model, quantity, place, log)?;
        Some(Self { quantity, ..self.clone() })
    }

    /// What tells what the model is asked from whatever else it may be asked.
    pub(super) fn question(&self, mode: Mode) -> String {
        format!("{} {:?}", self.model(), self.model_in(mode).0.parameters())
    }

    /// All the model's numbers; those that it leaves undefined are not finite.
    pub(super) fn ask(&self, mode: Mode) -> Vec<f64> {
        self.model_in(mode).0.values(SEED)
    }

    /// Which of the model's numbers it is.
    pub(super) fn quantity_place(&self) -> usize {
        self.quantity
    }
}

#[cfg(test)]
mod tests {
    use crate::figures::Claims;

    fn problems(measure: &str) -> String {
        let text = format!(
            "title = \"t\"\n[[claim]]\nid = \"a\"\ntext = \"b\"\nsource = \"c\"\npublished = 1\n\
             low = 1\nhigh = 2\nmeasure = {{ kind = \"theory\", {measure} }}\n"
        );
        Claims::parse("claims.toml", &text).map_or_else(|p| p.render(false), |_| String::new())
    }

    #[test]
    fn wrong_words_and_values_are_answered_with_right_ones() {
        let model = "model = \"periodic_queue\", quantity = \"queue_packets\"";
        assert_eq!(problems(model), "");
        assert_eq!(
            problems(&format!("{model}, set = {{ flows = 5 }}, quick = {{ trials = 1 }}")),
            ""
        );
        for (measure, answer) in [
            (model.replace("periodic_queue", "periodic_que"), "nearest: `periodic_queue`"),
            (model.replace("queue_packets", "queue_packet"), "nearest: `queue_packets`"),
            (format!("{model}, set = {{ flow = 5 }}"), "nearest: `flows`"),
            (format!("{model}, set = {{ flows = 0 }}"), "expected at least 1"),
            (format!("{model}, set = {{ flows = [5] }}"), "expected one value"),
            (format!("{model}, quick = {{ flows = 6 }}"), "expected at least as many as flows"),
            (format!("{model}, set = 5"), "`set` is a table of parameters"),
            (format!("{model}, seed = 5"), "unknown key `seed`"),
        ] {
            let found = problems(&measure);
            assert!(found.contains(answer), "{measure}: {found}");
        }
    }
}
