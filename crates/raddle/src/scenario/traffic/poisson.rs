//! `kind = "poisson"`: flows at random times, whatever became of earlier ones.

use super::open_loop::{LAW, LOAD, OpenLoop, OpenLoopKeys, SAMPLING, UNTIL};
use super::placement::{host_set, host_set_line};
use super::{CLASS, Kind, Made, MeanBytes, Misfit, OPEN_LOOP, Pattern, SEED, TrafficSection, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::scheme::shown;
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::law::{Law, Sampling};
use raddle_sim::workload::poisson::{LoadBase, Poisson, Receivers};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: PoissonKeys = Section::kind("poisson", "flows of random sizes arrive at random times, between random hosts").with(JobKeyWords::SECTION) => {
        law => LAW;
        load => LOAD;
        base: Word(LoadBase::WORDS), (= "host_link"),
            "`host_link`: the host's link; `tor_uplink`: the host's share of its ToR's uplinks";
        receivers: Word(Receivers::WORDS), (= "any"),
            "`any` other host, or one below `other_tors`, so that all of the load is on uplinks, or below the `next_tor` (of the last ToR, the first), as in the released programs of ABM, Reverie and Credence; or below the one ToR that the seed draws for the sender's: `drawn_tor`, each ToR for one other, or `paired_tor`, which sends back";
        senders: Text, (or "all hosts"),
            "the hosts that start flows, `\"0..31\"` or `\"0..15, 32..47\"`, both ends included";
        destinations: Text, (or "all hosts"),
            "the hosts that flows go to, likewise; a host never sends to itself";
        at_least: Bytes, (or "none"),
            "of the flows drawn only those of this size and more are there; `load` is that of all";
        below: Bytes, (or "none"),
            "and only those of less than this: jobs with both halves may have transports of their own";
        sampling => SAMPLING;
        until => UNTIL;
        seed => SEED;
        class => CLASS;
    }
}

const OPEN_LOOP_KEYS: OpenLoopKeys =
    OpenLoopKeys { law: &KEYS.law, load: &KEYS.load, sampling: &KEYS.sampling, until: &KEYS.until };

pub(super) const KIND: Kind = Kind {
    section: PoissonKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
    asked_by: OPEN_LOOP,
    read,
};

fn read(reader: &mut Reader<'_>, files: &Files, _: u8) -> Option<Made> {
    let base: LoadBase = reader.or(&KEYS.base);
    let receivers: Receivers = reader.or(&KEYS.receivers);
    let senders = host_set(reader, &KEYS.senders);
    let destinations = host_set(reader, &KEYS.destinations);
    let (at_least, below): (Option<Bytes>, Option<Bytes>) =
        (reader.get(&KEYS.at_least), reader.get(&KEYS.below));
    let open = OpenLoop::read(reader, &OPEN_LOOP_KEYS, files);
    let (senders, destinations, open) = (senders.ok()?, destinations.ok()?, open?);
    let (mut lines, title) = (open.lines(line("base", &base)), open.title());
    // Not shown where it is what scenarios had before there was a choice.
    lines.extend((receivers != Receivers::Any).then(|| line("receivers", &receivers)));
    lines.extend(senders.iter().map(|hosts| host_set_line("senders", hosts)));
    lines.extend(destinations.iter().map(|hosts| host_set_line("destinations", hosts)));
    lines.extend(at_least.map(|own| line("at_least", &own)));
    lines.extend(below.map(|own| line("below", &own)));
    check_sizes(at_least, below, &open.law, open.sampling, reader)?;
    let OpenLoop { law, sampling, load, until, files, .. } = open;
    let horizon = Time(until.0);
    let pattern = Arc::new(Poisson {
        law,
        sampling,
        load,
        base,
        senders,
        receivers,
        destinations,
        horizon,
        at_least: at_least.unwrap_or_default(),
        below,
    });
    Some(Made { pattern, lines, title, files })
}

/// Some size of the law has to be left, and some has to be left out.
fn check_sizes(
    at_least: Option<Bytes>,
    below: Option<Bytes>,
    law: &Law,
    sampling: Sampling,
    reader: &mut Reader<'_>,
) -> Option<()> {
    let (least, most) = (law.quantile(sampling, 0.0), law.quantile(sampling, 1.0));
    let low = at_least.unwrap_or_default();
    let wrong = [
        (
            &KEYS.at_least,
            "at_least",
            at_least.is_some_and(|own| own <= least),
            "leaves nothing out",
        ),
        (&KEYS.below, "below", below.is_some_and(|own| own > most), "leaves nothing out"),
        (&KEYS.at_least, "at_least", low > most, "leaves nothing"),
        (
            &KEYS.below,
            "below",
            below.is_some_and(|own| own <= least || own <= low),
            "leaves nothing",
        ),
    ];
    let Some((key, word, _, what)) = wrong.into_iter().find(|(_, _, is, _)| *is) else {
        return Some(());
    };
    let item = reader.take(key)?;
    let problem = item.place.problem(format!("`{word}` {what}"));
    let label = format!("sizes of the law are from {} to {}", shown(&least), shown(&most));
    reader.log().add(problem.label(label));
    None
}

impl Pattern for Poisson {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        Ok(Poisson::generate(self, fabric, seed)?)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        self.expected_flows(fabric)
    }

    fn mean_bytes(&self, fabric: &Fabric, seed: u64) -> Result<Vec<MeanBytes>, Misfit> {
        Ok(Poisson::mean_bytes(self, fabric, seed)?)
    }

    fn draws_pairs(&self) -> bool {
        self.draws_tors()
    }

    fn largest(&self) -> Bytes {
        let most = self.law.quantile(self.sampling, 1.0);
        self.below.map_or(most, |below| most.min(Bytes(below.0.saturating_sub(1))))
    }

    fn message_key(&self) -> &'static str {
        "law"
    }

    /// What it generates may be large: it is checked with the run's seed.
    fn check(&self, _: &TrafficSection, _: &Fabric, _: &Log) {}
}
