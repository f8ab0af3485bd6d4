//! Traces that run, and scenarios that name them.

use super::data;
use raddle::scenario::{Study, parse};
use raddle_schemes::units::Time;
use raddle_sim::engine;
use raddle_sim::record::Outcome;
use std::path::Path;

/// 400 Gbps, packets of 4,096 B, 500 ns of links and switches; all ranks are below one leaf, and flows
/// send at line rate.
fn scenario(traffic: &str) -> Result<Study, String> {
    let text = format!(
        "[fabric]\ntopology = {{ kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 16, spines = 2 }}\n\
         queue = {{ size = \"unlimited\", marking = {{ scheme = \"none\" }} }}\n\
         load_balance = {{ scheme = \"ecmp\" }}\n\
         [transport]\npayload = \"4096 B\"\ncongestion = {{ scheme = \"fixed_rate\" }}\n\
         [traffic]\n{traffic}\n"
    );
    let problems = |problems: raddle::problem::Problems| problems.render(false);
    parse("t.toml", &text, Path::new("."), &[]).map_err(problems)
}

fn run(traffic: &str) -> Outcome {
    let study = scenario(traffic).unwrap_or_else(|problems| panic!("{problems}"));
    let plan = study.cells[0].scenario.resolve(1).unwrap_or_else(|error| panic!("{error:?}"));
    engine::run(&plan, &mut ())
}

fn last(outcome: &Outcome, end: fn(&raddle_sim::record::FlowRecord) -> Option<Time>) -> f64 {
    let ends = outcome.flows.iter().map(|flow| end(&flow).expect("an end").0);
    ends.max().expect("a flow") as f64 / 1e6
}

fn acked_us(outcome: &Outcome) -> f64 {
    last(outcome, |flow| flow.acked)
}

/// In microseconds, with the packets of a chunk.
#[test]
fn rings_take_what_their_formula_says() {
    let trace =
        format!("kind = \"trace\"\nfile = '{}'", data("microbenchmarks/all_reduce").display());
    let ring = |ranks: u32, size: &str| {
        format!(
            "kind = \"collective\"\noperation = \"all_reduce\"\nranks = {ranks}\nsize = \"{size}\""
        )
    };
    for (traffic, n, packets, low, high) in [
        (ring(4, "4 MiB"), 4.0, 256.0, 138.797, 140.763),
        (trace, 8.0, 32.0, 60.941, 61.514),
        (ring(16, "16 MiB"), 16.0, 256.0, 687.975, 697.805),
    ] {
        let hop = (packets + 1.0) * 83.2 + 1_500.0;
        let formula = |hop: f64| (2.0 * (n - 1.0) * hop + 1_502.56) / 1e3;
        assert!(
            (formula(hop) - low).abs() < 1e-3
                && (formula(hop + 1.28 * packets) - high).abs() < 1e-3
        );
        let took = acked_us(&run(&traffic));
        assert!((low..=high).contains(&took), "{traffic}: {took}");
    }
}

/// 14 steps of 32 packets each, with the way of an ACK or without, and 49 us of computation.
#[test]
fn a_chain_of_sends_and_computation_takes_what_its_formula_says() {
    let file = data("custom_ring/custom_allreduce");
    let trace = format!("kind = \"trace\"\nfile = '{}'", file.display());
    let acked = acked_us(&run(&trace));
    assert!((129.474..=130.048).contains(&acked), "{acked}");
    let delivered = run(&format!("{trace}\nsend_done = \"delivered\""));
    let delivered = last(&delivered, |flow| flow.delivered);
    assert!((108.438..=109.012).contains(&delivered), "{delivered}");
}

fn refused(traffic: &str) -> String {
    scenario(traffic).err().unwrap_or_default()
}

#[test]
fn scenarios_say_what_is_wrong() {
    let ring = data("custom_ring/custom_allreduce");
    let ring = ring.display();
    let goal = data("goal/binary_tree_32.goal");
    let goal = goal.display();
    for (traffic, expected) in [
        (format!("file = '{ring}'\nsend_done = \"sent\""), "cannot be said yet"),
        (
            format!("file = '{ring}'\nlayout = \"rank\""),
            "`layout` has no effect with `format = \"chakra\"`",
        ),
        (format!("file = '{goal}'\ndeps = \"data\""), "it goes with `format = \"chakra\"`"),
        (format!("file = '{goal}'\nformat = \"gaol\""), "nearest: `goal`"),
        (format!("file = '{goal}'\nhosts = \"0..7\""), "the trace has 32 ranks; expected"),
        (format!("file = '{goal}'\nfiel = 1"), "unknown key `fiel`"),
        ("file = 'nowhere.goal'".to_owned(), "cannot read"),
        (
            format!("file = '{}'", data("simai/workload_analytical.txt").display()),
            "9216 ranks, and the fabric 32 hosts",
        ),
    ] {
        let problems = refused(&format!("kind = \"trace\"\n{traffic}"));
        assert!(problems.contains(expected), "{traffic}: {problems}");
    }
}

/// A mistake in a text is shown at its line.
#[test]
fn a_mistake_is_shown_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.goal");
    std::fs::write(&path, "num_ranks 1\nrank 0 {\nsent 5b to 1\n}\n").unwrap();
    let problems = refused(&format!("kind = \"trace\"\nfile = '{}'", path.display()));
    assert!(
        problems.contains("t.goal:3:1") && problems.contains("did you mean `send`?"),
        "{problems}"
    );
}

/// What a scenario says with every default is the scenario.
#[test]
fn a_resolved_scenario_is_read_again() {
    let file = data("microbenchmarks/all_gather");
    let study = scenario(&format!(
        "kind = \"trace\"\nfile = '{}'\nall_gather_size = \"output\"\nplacement = \"random\"\nseed = 4\n\
         channels = 2\nunits = \"feeder\"",
        file.display()
    ));
    let study = study.unwrap();
    let scenario = &study.cells[0].scenario;
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
    let traffic = |study: &Study| study.cells[0].scenario.resolve(1).unwrap().traffic;
    assert_eq!(traffic(&again), traffic(&study));
    assert_eq!(traffic(&study).flows.len(), 2 * 56);
}
