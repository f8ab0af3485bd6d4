//! What every listed policy of switch memory and every listed middleware of ToRs must do, whatever
//! it is.

mod memory;
mod tors;

use memory::Switch;
use raddle_schemes::{buffer, tor};
use tors::Tors;

const STEPS: u32 = 20_000;

fn policies() -> impl Iterator<Item = buffer::Config> {
    buffer::SCHEMES.iter().filter_map(|scheme| buffer::Config::named(scheme.card.name))
}

fn middleware() -> impl Iterator<Item = tor::Config> {
    tor::SCHEMES.iter().filter_map(|scheme| tor::Config::named(scheme.card.name))
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
