//! Flow completion times and slowdowns by the size of flows.

use super::object::Object;
use crate::study::quantiles::{Quantile, Quantiles, Share};
use crate::study::text::{digits, list, plural};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::record::{FlowRecord, Sizes};
use raddle_sim::workload::Flow;
use serde_json::{Map, Value, json};

raddle_schemes::words! {
    /// Which flows, by their application bytes and the bounds of [`Sizes`].
    pub enum SizeClass {
        /// Every flow.
        All = "all",
        /// Below [`Sizes::short_below`].
        Short = "short",
        /// From [`Sizes::medium_from`] to [`Sizes::long_above`], both included.
        Medium = "medium",
        /// Above [`Sizes::long_above`].
        Long = "long",
    }
}

impl SizeClass {
    /// Whether a flow of this size is one of them.
    pub fn holds(self, sizes: Sizes, bytes: Bytes) -> bool {
        match self {
            Self::All => true,
            Self::Short => bytes < sizes.short_below,
            Self::Medium => (sizes.medium_from..=sizes.long_above).contains(&bytes),
            Self::Long => bytes > sizes.long_above,
        }
    }
}

/// A distribution for each [`SizeClass`], in their order, over the flows that completed; `None` if none
/// of the class did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BySize(pub [Option<Quantiles>; 4]);

/// A flow, what became of it, and what it would take alone.
pub(super) type Told<'a> = (&'a Flow, FlowRecord, Option<Span>);

/// What a flow took over what it would take alone in the fabric without faults; `None` where there is
/// no way for it to take alone.
pub fn slowdown(fct: Span, ideal: Option<Span>) -> Option<f64> {
    Some(fct.0 as f64 / ideal?.0 as f64)
}

/// Which query a flow answers, once it has started: those that start at one instant towards one host
/// answer the same.
pub(super) fn query(flow: &Flow, record: &FlowRecord) -> Option<(Time, HostId)> {
    Some((record.started?, flow.destination))
}

impl BySize {
    /// Flow completion times in microseconds, and slowdowns.
    pub(super) fn of<'a>(sizes: Sizes, flows: impl Iterator<Item = Told<'a>> + Clone) -> [Self; 2] {
        let by = |value: fn(Span, Option<Span>) -> Option<f64>| {
            let of_class = |class: SizeClass| {
                let own = flows.clone().filter(|(flow, ..)| class.holds(sizes, flow.bytes));
                let told = own.filter_map(|(flow, record, ideal)| {
                    let fct = super::fct(&record)?;
                    Some((query(flow, &record)?, value(fct, ideal)?))
                });
                Quantiles::by_query(told.collect())
            };
            let classes = [SizeClass::All, SizeClass::Short, SizeClass::Medium, SizeClass::Long];
            Self(classes.map(of_class))
        };
        [by(|fct, _| Some(fct.as_us())), by(slowdown)]
    }

    /// That of a class.
    pub fn of_class(&self, class: SizeClass) -> Option<&Quantiles> {
        self.0[class as usize].as_ref()
    }

    pub(super) fn to_json(self) -> Value {
        let class = |class: &SizeClass| {
            let own = self.of_class(*class).map_or(Value::Null, |own| own.to_json());
            (class.word().to_owned(), own)
        };
        Value::Object(SizeClass::ALL.iter().map(class).collect())
    }

    /// All but [`SizeClass::All`].
    pub(super) fn classes_to_json(self) -> Value {
        let mut value = self.to_json();
        if let Some(object) = value.as_object_mut() {
            object.remove(SizeClass::All.word());
        }
        value
    }

    /// Absent in what versions without them wrote.
    pub(super) fn from_json(value: Option<&Value>) -> Result<Self, String> {
        let mut own = Self::default();
        let Some(value) = value else { return Ok(own) };
        for &class in SizeClass::ALL {
            own.0[class as usize] = match value.get(class.word()) {
                None | Some(Value::Null) => None,
                Some(value) => Some(Quantiles::from_json(value)?),
            };
        }
        Ok(own)
    }

    /// Of all flows, and of each class where that is not all: a name and a line for each.
    pub(super) fn lines(&self, name: &str) -> Vec<(String, String)> {
        let Some(all) = self.of_class(SizeClass::All) else { return Vec::new() };
        let mut lines = vec![(name.to_owned(), all.text())];
        for &class in &SizeClass::ALL[1..] {
            let own = self.of_class(class).filter(|own| own.flows < all.flows);
            let line = own.map(|own| format!("{}: {}", plural(own.flows, "flow"), own.text()));
            lines.extend(line.map(|line| (format!("  {}", class.word()), line)));
        }
        lines
    }
}

impl Quantiles {
    pub(super) fn to_json(self) -> Value {
        let mut object = Map::new();
        object.insert("flows".into(), json!(self.flows));
        object.insert("mean".into(), json!(self.mean));
        for &share in Share::ALL {
            let quantile = self.at(share);
            let quantile =
                quantile.map(|q| json!({"value": q.value, "low": q.low, "high": q.high}));
            object.insert(share.word().into(), json!(quantile));
        }
        Value::Object(object)
    }

    pub(super) fn from_json(value: &Value) -> Result<Self, String> {
        let object = Object(value);
        let mut own = Self {
            flows: object.count("flows")?,
            mean: object.get("mean", Value::as_f64)?,
            at: [None; 4],
        };
        for &share in Share::ALL {
            if value.get(share.word()).is_some_and(Value::is_null) {
                continue;
            }
            let quantile = object.object(share.word())?;
            own.at[share as usize] = Some(Quantile {
                value: quantile.get("value", Value::as_f64)?,
                low: quantile.get("low", Value::as_f64)?,
                high: quantile.get("high", Value::as_f64)?,
            });
        }
        Ok(own)
    }

    /// `mean 1.30, p50 1.21, p95 1.90 (1.80 to 2.00); p99 and p99.9 not resolved`.
    fn text(&self) -> String {
        let number = |value: f64| digits(value, 3);
        let mut text = format!("mean {}", number(self.mean));
        let mut unresolved = Vec::new();
        for &share in Share::ALL {
            match self.at(share) {
                Some(Quantile { value, .. }) if share == Share::P50 => {
                    text.push_str(&format!(", {} {}", share.text(), number(value)));
                }
                Some(Quantile { value, low, high }) => {
                    let [value, low, high] = [value, low, high].map(number);
                    text.push_str(&format!(", {} {value} ({low} to {high})", share.text()));
                }
                None => unresolved.push(share.text()),
            }
        }
        if !unresolved.is_empty() {
            text.push_str(&format!("; {} not resolved", list(&unresolved)));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powertcp_s_unless_they_are_given() {
        let within = |sizes: Sizes, bytes: u64| {
            let holds = |class: &&SizeClass| class.holds(sizes, Bytes(bytes));
            SizeClass::ALL.iter().filter(holds).map(|class| class.word()).collect::<Vec<_>>()
        };
        let of = |bytes| within(Sizes::default(), bytes);
        assert_eq!(of(9_999), ["all", "short"]);
        assert_eq!((of(10_000), of(99_999)), (vec!["all"], vec!["all"]));
        assert_eq!((of(100_000), of(1_000_000)), (vec!["all", "medium"], vec!["all", "medium"]));
        assert_eq!(of(1_000_001), ["all", "long"]);
        let of = |bytes| within(Sizes::new(Bytes(95_600), Bytes(28_700_000)), bytes);
        assert_eq!((of(95_599), of(95_600)), (vec!["all", "short"], vec!["all", "medium"]));
        assert_eq!(of(28_700_001), ["all", "long"]);
    }

    #[test]
    fn what_is_not_resolved_is_said() {
        let of = |n: usize| Quantiles::of((1..=n).map(|value| value as f64).collect());
        let text = |n| of(n).unwrap().text();
        assert_eq!(text(2), "mean 1.50, p50 1.00; p95, p99 and p99.9 not resolved");
        assert_eq!(
            text(400),
            "mean 200, p50 200, p95 380 (370 to 387); p99 and p99.9 not resolved"
        );
        assert!(text(20_000).contains("p99.9 19980 ("), "{}", text(20_000));
    }

    #[test]
    fn lines_and_json_tell_the_same_of_each_class() {
        let of = |n: usize| Quantiles::of((1..=n).map(|value| value as f64).collect());
        let own = BySize([of(500), of(2), None, of(498)]);
        assert_eq!(BySize::from_json(Some(&own.to_json())), Ok(own));
        assert_eq!(BySize::from_json(None), Ok(BySize::default()));
        let names: Vec<String> = own.lines("slowdown").into_iter().map(|line| line.0).collect();
        assert_eq!(names, ["slowdown", "  short", "  long"]);
        // One class has them all: the line would say the same.
        assert_eq!(BySize([of(500), None, None, of(500)]).lines("slowdown").len(), 1);
    }
}
