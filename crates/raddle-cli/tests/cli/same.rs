//! Same scenario, same seed, same tables: whatever the window, the threads and the engine.

use raddle::scenario::load;
use raddle::study::summary::results_hash;
use raddle::study::tables::{self, Parts};
use raddle_schemes::units::Span;
use raddle_sim::engine::Options;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::{engine, reference};

use super::{SMALL, STALLING, Scratch};

const RECORD: &str = "[record]\nports = [\"tor0.*\"]\nbucket = \"1 us\"\n";

/// Trimming, a degraded link and a switch that dies for a while.
const ROUGH: &str = r#"[fabric]
topology = { kind = "leaf_spine", leaves = 4, hosts_per_leaf = 4, spines = 2 }
queue = { size = "20 packets", overflow = "trim" }
routing = { convergence = "5 us" }
[transport]
load_balance = { scheme = "bitmap" }
[traffic]
kind = "incast"
senders = 12
message = "64 KiB"
[[fault]]
link = "tor1.up0"
rate = "25%"
[[fault]]
link = "tor2.up1"
loss = 0.01
[[fault]]
switch = "spine0"
down = "4 us..9 us"
"#;

fn plan(scenario: &str, seed: u64) -> (String, Plan) {
    let scratch = Scratch::new(scenario);
    let study = load(&scratch.path("scenario.toml"), &[]).unwrap_or_else(|e| panic!("{e}"));
    let scenario = &study.cells[0].scenario;
    (scenario.hash(), scenario.resolve(seed).expect("the draw succeeds"))
}

fn check(scenario: &str) {
    let (hash, plan) = plan(&format!("{scenario}{RECORD}"), 5);
    let expected = engine::run(&plan, &mut ());
    let width = engine::window(&plan.fabric);
    let run = |threads, divisor| {
        let options = Options { threads, width: Some(Span(width.0 / divisor)) };
        engine::run_with(&plan, &options, &mut ())
    };
    let (halved, narrow) = (run(1, 2), run(1, 7));
    let (two, four) = (run(2, 1), run(4, 3));
    assert_eq!((two.parts, four.parts), (2, 4));
    let slow = reference::run(&plan, &mut ());
    let sum = |outcome: &Outcome| {
        results_hash(&outcome.flows, &outcome.ports, &outcome.memory_bytes_max, &outcome.tors)
    };
    let others = [
        ("halved", &halved),
        ("narrow", &narrow),
        ("two-thread", &two),
        ("four-thread", &four),
        ("reference", &slow),
    ];
    let ideals = raddle_sim::bound::ideals(&plan);
    for (name, other) in others {
        assert_eq!(sum(other), sum(&expected), "{name}");
        assert_eq!(other.stop, expected.stop, "{name}");
        let [a, b] = [other, &expected].map(|outcome| {
            tables::of_run(&hash, &plan, outcome, &ideals)
                .iter()
                .map(Parts::whole)
                .collect::<Vec<_>>()
        });
        assert!(a == b, "the tables of the {name} run differ");
    }
}

#[test]
fn a_healthy_run_is_the_same_in_every_window_and_engine() {
    check(SMALL);
}

#[test]
fn a_rough_run_is_the_same_in_every_window_and_engine() {
    check(ROUGH);
}

#[test]
fn a_stalled_run_is_the_same_in_every_window_and_engine() {
    check(&format!("{STALLING}[run]\npatience = \"2 ms\"\n"));
}
