//! How full the memory of switches and their links are: of recorded ports, until the last flow begins.

use super::object::Object;
use crate::study::quantiles::Share;
use raddle_schemes::ids::SwitchId;
use raddle_schemes::units::Time;
use raddle_sim::plan::Plan;
use raddle_sim::record::series::Buckets;
use raddle_sim::record::{Outcome, PortSeries};
use raddle_sim::topology::Node;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Percentiles (nearest rank, in bytes, in the order of [`Share::ALL`]) of the data that a switch's
/// recorded ports hold together. There is a value for each of these switches and each bucket until the
/// last flow begins: the mean over the bucket, which `record.queue_means` measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Of all classes.
    pub all: [f64; 4],
    /// Of lossless classes; `None` if there are none.
    pub lossless: Option<[f64; 4]>,
    /// Of the others; `None` if there are none.
    pub lossy: Option<[f64; 4]>,
}

/// The buckets that are over when the last flow begins.
fn buckets(outcome: &Outcome) -> Option<usize> {
    let last = outcome.flows.iter().filter_map(|flow| flow.started).max()?;
    Some(last.0.checked_div(Buckets::new(outcome.bucket).width())? as usize)
}

/// The values of all switches, one switch after the other; `None` where they are not measured.
pub fn held_samples(plan: &Plan, outcome: &Outcome) -> Option<Vec<u64>> {
    samples(plan, outcome, |series| &series.queue_bytes_mean)
}

fn samples(plan: &Plan, outcome: &Outcome, of: fn(&PortSeries) -> &Vec<u64>) -> Option<Vec<u64>> {
    let buckets = buckets(outcome)?;
    let mut switches = BTreeMap::<usize, Vec<u64>>::new();
    for (port, series) in plan.record.ports.iter().zip(&outcome.series) {
        let Node::Switch(switch) = plan.fabric.ports[port.index()].owner else { continue };
        let sums = switches.entry(switch.index()).or_insert_with(|| vec![0; buckets]);
        sums.iter_mut().zip(of(series)).for_each(|(sum, mean)| *sum += mean);
    }
    let measured = outcome.series.iter().any(|series| !of(series).is_empty());
    measured.then(|| switches.into_values().flatten().collect())
}

/// The value of nearest rank of ascending ones.
pub fn ranked<T: Copy>(values: &[T], permille: usize) -> Option<T> {
    let rank = (values.len() * permille).div_ceil(1000).max(1);
    values.get(rank - 1).copied()
}

fn percentiles(mut values: Vec<u64>) -> Option<[f64; 4]> {
    values.sort_unstable();
    let [p50, p95, p99, p99_9] = [Share::P50, Share::P95, Share::P99, Share::P99_9]
        .map(|share| ranked(&values, share.permille()).map(|held| held as f64));
    Some([p50?, p95?, p99?, p99_9?])
}

impl Held {
    pub(super) fn of(plan: &Plan, outcome: &Outcome) -> Option<Self> {
        let held = held_samples(plan, outcome)?;
        let lossless = samples(plan, outcome, |series| &series.lossless_bytes_mean);
        let lossy = lossless.as_ref().map(|lossless| {
            held.iter().zip(lossless).map(|(all, lossless)| all - lossless).collect()
        });
        let all = percentiles(held)?;
        let (lossless, lossy) = match lossless {
            Some(_) => (lossless.and_then(percentiles), lossy.and_then(percentiles)),
            None if plan.lossless_classes() == 0 => (None, Some(all)),
            None => (Some(all), None),
        };
        Some(Self { all, lossless, lossy })
    }

    pub(super) fn to_json(self) -> Value {
        let of = |own: [f64; 4]| {
            let each = Share::ALL.iter().zip(own);
            Value::Object(each.map(|(share, own)| (share.word().into(), json!(own))).collect())
        };
        let mut object = Map::new();
        object.insert("all".into(), of(self.all));
        object.insert("lossless".into(), json!(self.lossless.map(of)));
        object.insert("lossy".into(), json!(self.lossy.map(of)));
        Value::Object(object)
    }

    /// Absent in what versions without it wrote.
    pub(super) fn from_json(value: Option<&Value>) -> Result<Option<Self>, String> {
        let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
        let of = |value: &Value| {
            let mut own = [0.0; 4];
            for (own, share) in own.iter_mut().zip(Share::ALL) {
                *own = Object(value).get(share.word(), Value::as_f64)?;
            }
            Ok::<_, String>(own)
        };
        let part = |key: &str| match value.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => of(value).map(Some),
        };
        Ok(Some(Self {
            all: of(&value["all"])?,
            lossless: part("lossless")?,
            lossy: part("lossy")?,
        }))
    }
}

/// What left recorded ports that lead up, from a switch to one of a higher tier, over what their links
/// could have carried until the last flow began.
pub fn uplinks(plan: &Plan, outcome: &Outcome) -> Option<f64> {
    throughput(plan, outcome, |from, to| match (from, to) {
        (Node::Switch(from), Node::Switch(to)) => {
            let tier = |switch: SwitchId| plan.fabric.switches[switch.index()].tier;
            tier(from) < tier(to)
        }
        _ => false,
    })
}

/// The same of recorded ports that lead to hosts.
pub fn downlinks(plan: &Plan, outcome: &Outcome) -> Option<f64> {
    throughput(plan, outcome, |_, to| matches!(to, Node::Host(_)))
}

/// Of recorded ports whose ends are of interest.
fn throughput(plan: &Plan, outcome: &Outcome, counts: impl Fn(Node, Node) -> bool) -> Option<f64> {
    let buckets = buckets(outcome).filter(|buckets| *buckets > 0)?;
    let until = Time(buckets as u64 * outcome.bucket.0);
    let (mut carried, mut most) = (0_u64, 0.0);
    for (port, series) in plan.record.ports.iter().zip(&outcome.series) {
        let own = &plan.fabric.ports[port.index()];
        if counts(own.owner, plan.fabric.destination(*port)) {
            carried += series.bytes.iter().take(buckets).sum::<u64>();
            most += own.rate.0 as f64 * until.0 as f64 / 8e12;
        }
    }
    (most > 0.0).then(|| carried as f64 / most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse;
    use raddle_sim::engine;
    use std::path::Path;

    #[test]
    fn a_percentile_is_the_value_of_nearest_rank() {
        let of = |values| percentiles(values).unwrap();
        assert_eq!(of((1..=1000).rev().collect()), [500.0, 950.0, 990.0, 999.0]);
        assert_eq!((of(vec![7]), percentiles(Vec::new())), ([7.0; 4], None));
    }

    /// Class 0 alone sends until class 1 begins.
    #[test]
    fn lossless_and_lossy_data_are_told_apart_until_the_last_flow_begins() {
        let of = |buffer: &str| {
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\nqueue = {{ size = \
                 \"unlimited\", service = \"drr\", classes = 2, marking = {{ scheme = \"step\", \
                 threshold = \"20 packets\" }} }}\nbuffer = {{ size = \"8 MiB\", {buffer} }}\n\
                 [[traffic]]\nname = \"a\"\nkind = \"permutation\"\n[[traffic]]\nname = \"b\"\n\
                 kind = \"permutation\"\nclass = 1\nstart = \"20 us\"\n[record]\nports = \
                 [\"tor*\"]\nbucket = \"1 us\"\nqueue_means = true\n"
            );
            let study = parse("t.toml", &text, Path::new("."), &[]);
            let study = study.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
            let plan = study.cells[0].scenario.resolve(1).unwrap();
            let outcome = engine::run(&plan, &mut ());
            let carried = uplinks(&plan, &outcome).unwrap();
            assert!(0.2 < carried && carried <= 1.0, "{carried}");
            // As many downlinks as uplinks, and everybody's data passes both.
            let received = downlinks(&plan, &outcome).unwrap();
            assert!(0.2 < received && received <= 1.0, "{received}");
            Held::of(&plan, &outcome).unwrap()
        };
        let mixed = of("scheme = \"sonic\", lossless = [false, true]");
        assert!(mixed.all[Share::P99 as usize] > 0.0);
        assert_eq!((mixed.lossless, mixed.lossy), (Some([0.0; 4]), Some(mixed.all)));
        let mixed = of("scheme = \"sonic\", lossless = [true, false]");
        assert_eq!((mixed.lossless, mixed.lossy), (Some(mixed.all), Some([0.0; 4])));
        let lossy = of("scheme = \"dynamic_thresholds\"");
        assert_eq!((lossy.lossless, lossy.lossy), (None, Some(lossy.all)));
        let lossless = of("scheme = \"sonic\", lossless = true");
        assert_eq!((lossless.lossless, lossless.lossy), (Some(lossless.all), None));
        assert_eq!(Held::from_json(Some(&mixed.to_json())), Ok(Some(mixed)));
    }
}
