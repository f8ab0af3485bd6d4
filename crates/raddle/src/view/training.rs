//! Lanes of training: who was in which phase when, and which message each phase waited for.

use super::ViewError;
use super::blocks::Blocks;
use crate::results::{Fabric, needed};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// More ranks than these share lanes, neighbours with each other.
const LANES: usize = 32;
/// No message was waited for.
const NONE: u32 = u32::MAX;

/// A phase of the ranks of a lane.
struct Bar {
    from: f64,
    until: f64,
    /// The send that began it.
    first: usize,
    /// The send of it that decided when the run was done, if one did, started by a message of another
    /// phase.
    decided: Option<usize>,
}

/// Columns of `flows`.
struct Sends {
    sources: Vec<f64>,
    starts: Vec<f64>,
    delivered: Vec<f64>,
    acked: Vec<f64>,
    afters: Vec<f64>,
    phases: Vec<Option<String>>,
    jobs: Vec<Option<String>>,
}

impl Sends {
    fn read(folder: &Path) -> Result<Option<Self>, ViewError> {
        let table = needed(folder, "flows")?;
        // Absent in what versions without phases wrote.
        if !["job", "phase", "after"].iter().all(|name| table.names().iter().any(|own| own == name))
        {
            return Ok(None);
        }
        let phases = table.texts("phase")?;
        if phases.iter().all(Option::is_none) {
            return Ok(None);
        }
        let number = |name| table.numbers(name);
        Ok(Some(Self {
            sources: number("source")?,
            starts: number("start_us")?,
            delivered: number("delivered_us")?,
            acked: number("fct_us")?,
            afters: number("after")?,
            phases,
            jobs: table.texts("job")?,
        }))
    }

    /// The send whose end started another.
    fn after(&self, send: usize) -> Option<usize> {
        let after = self.afters[send];
        (after >= 0.0).then_some(after as usize).filter(|own| *own < self.starts.len())
    }

    /// When the message that a send waited for had come: by its ACK, where the send began with that;
    /// else to its host. Which of them a rank waited for before it computed, tables do not say.
    fn came(&self, send: usize) -> Option<f64> {
        let after = self.after(send)?;
        let [acked, delivered] =
            [&self.acked, &self.delivered].map(|took| self.starts[after] + took[after]);
        let is_at_ack = (self.starts[send] - acked).abs() < 1e-6;
        Some(if is_at_ack { acked } else { delivered })
    }

    /// The sends that decided when `last` was done, it among them.
    fn path(&self, last: Option<u64>) -> BTreeSet<usize> {
        let mut path = BTreeSet::new();
        let mut next = last.and_then(|last| usize::try_from(last).ok());
        while let Some(send) = next.filter(|send| *send < self.starts.len()) {
            if !path.insert(send) {
                break;
            }
            next = self.after(send);
        }
        path
    }
}

/// Puts the lanes of run `index` into `blocks`; what the head says of them, null where the traffic has
/// no phases.
pub(super) fn put(
    folder: &Path,
    index: usize,
    fabric: &Fabric,
    (last, end_us): (Option<u64>, f64),
    blocks: &mut Blocks,
) -> Result<Value, ViewError> {
    let Some(sends) = Sends::read(folder)? else { return Ok(Value::Null) };
    let path = sends.path(last);
    let own = |send: &usize| sends.phases[*send].is_some() && sends.starts[*send] >= 0.0;
    let ranks: BTreeSet<usize> =
        (0..sends.starts.len()).filter(own).map(|send| sends.sources[send] as usize).collect();
    let ranks: Vec<usize> = ranks.into_iter().collect();
    let together = ranks.len().div_ceil(LANES).max(1);
    let lane = |host: usize| ranks.binary_search(&host).ok().map(|rank| rank / together);
    // Phases by when they first begin; two jobs may have one name for theirs.
    let mut phases: Vec<&str> = Vec::new();
    let mut order: Vec<usize> = (0..sends.starts.len()).filter(own).collect();
    order.sort_by(|a, b| sends.starts[*a].total_cmp(&sends.starts[*b]).then(a.cmp(b)));
    let mut bars: BTreeMap<(usize, usize), Bar> = BTreeMap::new();
    let mut number = BTreeMap::new();
    for send in order {
        let (job, phase) = (sends.jobs[send].as_deref(), sends.phases[send].as_deref());
        let next = phases.len();
        let phase = *number.entry((job, phase)).or_insert_with(|| {
            phases.push(phase.unwrap_or_default());
            next
        });
        let Some(lane) = lane(sends.sources[send] as usize) else { continue };
        let took = sends.delivered[send];
        let until = if took.is_nan() { end_us } else { sends.starts[send] + took };
        let bar = bars.entry((lane, phase)).or_insert(Bar {
            from: sends.starts[send],
            until,
            first: send,
            decided: None,
        });
        bar.until = bar.until.max(until);
        let is_of_another = || {
            sends.after(send).is_some_and(|after| {
                (&sends.jobs[after], &sends.phases[after])
                    != (&sends.jobs[send], &sends.phases[send])
            })
        };
        if path.contains(&send) && is_of_another() {
            bar.decided = bar.decided.or(Some(send));
        }
    }
    put_bars(&sends, &bars, &lane, index, blocks);
    let names = ranks.chunks(together).map(|own| name(fabric, own));
    Ok(json!({
        "lanes": names.collect::<Vec<_>>(),
        "together": together,
        "phases": phases,
    }))
}

fn put_bars(
    sends: &Sends,
    bars: &BTreeMap<(usize, usize), Bar>,
    lane: &dyn Fn(usize) -> Option<usize>,
    index: usize,
    blocks: &mut Blocks,
) {
    // The message that a bar waited for: of the send that decided, else of the first.
    let began = |bar: &Bar| bar.decided.unwrap_or(bar.first);
    let waited = |bar: &Bar| sends.after(began(bar));
    let mut put = |name: &str, values: Vec<u32>| {
        blocks.put(format!("{index}.training.{name}"), values);
    };
    put("lane", bars.keys().map(|key| key.0 as u32).collect());
    put("phase", bars.keys().map(|key| key.1 as u32).collect());
    let from = |bar: &Bar| {
        let lane = waited(bar).and_then(|own| lane(sends.sources[own] as usize));
        lane.map_or(NONE, |lane| lane as u32)
    };
    put("after_lane", bars.values().map(from).collect());
    put("decided", bars.values().map(|bar| u32::from(bar.decided.is_some())).collect());
    let mut put = |name: &str, values: Vec<f32>| {
        blocks.put(format!("{index}.training.{name}"), values);
    };
    put("from", bars.values().map(|bar| bar.from as f32).collect());
    put("until", bars.values().map(|bar| bar.until as f32).collect());
    put("began", bars.values().map(|bar| sends.starts[began(bar)] as f32).collect());
    let at = |bar: &Bar| sends.came(began(bar)).map_or(f32::NAN, |at| at as f32);
    put("after_at", bars.values().map(at).collect());
}

/// What a lane is called: its host, or the first and the last of them.
fn name(fabric: &Fabric, hosts: &[usize]) -> String {
    let name = |host: usize| fabric.nodes.get(host).map_or("", String::as_str);
    match hosts {
        [] => String::new(),
        [one] => name(*one).to_owned(),
        [first, .., last] => format!("{} to {}", name(*first), name(*last)),
    }
}
