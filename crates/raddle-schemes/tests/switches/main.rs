//! What every listed policy of switch memory and every listed middleware of ToRs must do, whatever
//! it is.

mod memory;
mod tors;

use memory::Switch;
use raddle_schemes::probe::{Names, Probe, Probes};
use raddle_schemes::{Need, buffer, tor};
use tors::Tors;

const STEPS: u32 = 20_000;

/// All that is shown.
struct Shown(Vec<Probe>);

impl Probes for Shown {
    fn take(&mut self, probe: Probe) {
        self.0.push(probe);
    }
}

fn policies() -> impl Iterator<Item = buffer::Config> {
    buffer::SCHEMES.iter().filter_map(|scheme| buffer::Config::named(scheme.card.name))
}

fn middleware() -> impl Iterator<Item = tor::Config> {
    // ToRs here have no circuits, without which that lets everything pass.
    let others = tor::SCHEMES.iter().filter(|own| !own.card.needs.contains(&Need::Bulk));
    others.filter_map(|scheme| tor::Config::named(scheme.card.name))
}

/// The steps check what an engine relies on.
#[test]
fn policies_push_out_what_is_there_keep_something_and_set_timers_ahead() {
    for config in policies() {
        let mut switch = Switch::new(&config, 1);
        (0..STEPS).for_each(|_| switch.step());
        assert!(switch.kept() > u64::from(STEPS) / 20, "{config:?} kept {}", switch.kept());
    }
}

#[test]
fn a_policy_answers_the_same_events_the_same() {
    for config in policies() {
        let answers = || {
            let mut switch = Switch::new(&config, 2);
            (0..STEPS).for_each(|_| switch.step());
            switch.answers()
        };
        assert_eq!(answers(), answers(), "{config:?}");
    }
}

/// The words of what is shown, each once.
fn words(shown: &[Probe]) -> Vec<&'static str> {
    let mut names = Names::default();
    shown.iter().for_each(|probe| names.take(*probe));
    assert!(shown.iter().all(|probe| probe.value.is_finite()), "{shown:?}");
    names.0
}

/// Whether what is shown, these words all along, ever moves from the `first`, or is nothing.
fn moves(expected: &[&str], first: Vec<Probe>, mut go_on: impl FnMut() -> Vec<Probe>) -> bool {
    assert_eq!(words(&first), expected);
    let all = (0..STEPS / 10).map(|_| go_on());
    all.fold(first.is_empty(), |moved, shown| {
        assert_eq!(words(&shown), expected);
        moved | (shown != first)
    })
}

#[test]
fn policies_and_middleware_show_the_same_words_all_along_and_numbers_that_move() {
    for config in policies() {
        let mut switch = Switch::new(&config, 5);
        let first = switch.shown();
        let moved = moves(&config.probes(), first, || {
            (0..10).for_each(|_| switch.step());
            switch.shown()
        });
        assert!(moved, "{config:?} shows what never moves");
    }
    for config in middleware() {
        let mut tors = Tors::new(&config, 5);
        let first = tors.shown();
        let moved = moves(&config.probes(), first, || {
            (0..10).for_each(|_| tors.step());
            tors.shown()
        });
        assert!(moved, "{config:?} shows what never moves");
    }
}

/// The steps check what an engine relies on.
#[test]
fn middleware_uses_ways_that_exist_and_keeps_nothing_for_good() {
    for config in middleware() {
        let mut tors = Tors::new(&config, 3);
        (0..STEPS).for_each(|_| tors.step());
        tors.end();
        assert!(tors.arrived() > STEPS / 10, "{config:?}: {} have arrived", tors.arrived());
    }
}

#[test]
fn middleware_answers_the_same_events_the_same() {
    for config in middleware() {
        let answers = || {
            let mut tors = Tors::new(&config, 4);
            (0..STEPS).for_each(|_| tors.step());
            tors.answers()
        };
        assert_eq!(answers(), answers(), "{config:?}");
    }
}
