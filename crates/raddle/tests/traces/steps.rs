//! What is told of the steps of jobs: the critical path of a known answer, over a file and a whole run.

use raddle::scenario::{Study, parse};
use raddle::study::jobs::{bound_of, jobs};
use raddle::study::metric::{Measured, STEP};
use raddle::study::run::{Finished, Keep, Runner};
use raddle::study::summary::RunSummary;
use raddle::study::tables::{Table, Values, of_run};
use raddle_sim::engine;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Host 1 sends 4 MiB to host 2, host 0 computes 10 us and sends it 1 MiB, and it computes 5 us after
/// both.
const GOAL: &str = "num_ranks 3\n\
    rank 0 {\na: calc 10000\nb: send 1048576b to 2\nb requires a\n}\n\
    rank 1 {\na: send 4194304b to 2\n}\n\
    rank 2 {\na: recv 1048576b from 0\nb: recv 4194304b from 1\nc: calc 5000\n\
    c requires a\nc requires b\n}\n";

fn study(folder: &Path, more: &str) -> Result<Study, String> {
    std::fs::write(folder.join("t.goal"), GOAL).expect("a file");
    let text = format!(
        "[fabric]\ntopology = {{ kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 16, spines = 2 }}\n\
         queue = {{ size = \"unlimited\", marking = {{ scheme = \"none\" }} }}\n\
         [transport]\npayload = \"4096 B\"\ncongestion = {{ scheme = \"fixed_rate\" }}\n{more}"
    );
    let problems = |problems: raddle::problem::Problems| problems.render(false);
    parse("t.toml", &text, folder, &[]).map_err(problems)
}

fn run(more: &str) -> Finished {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let study = study(folder.path(), more).unwrap_or_else(|problems| panic!("{problems}"));
    let stop = AtomicBool::new(false);
    let engine =
        &|plan: &_, observer: &mut dyn raddle_sim::record::Observer| engine::run(plan, observer);
    let runner = Runner { engine, bound: bound_of, threads: 1, stop: &stop, meter: &() };
    let mut runs = runner.run(&jobs(&study, None), &Keep);
    runs.remove(0).unwrap_or_else(|failure| panic!("{failure}"))
}

fn table(run: &Finished, name: &str) -> Table {
    let tables = of_run("h", &run.plan, &run.outcome, &run.ideals);
    tables.iter().find(|table| table.name() == name).expect("the table").whole()
}

fn column(table: &Table, name: &str) -> Vec<u64> {
    match &table.column(name).expect("the column").values {
        Values::U64(values) => values.iter().map(|value| value.unwrap_or(u64::MAX)).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

const TRACE: &str = "[traffic]\nkind = \"trace\"\nfile = \"t.goal\"\n";

#[test]
fn a_run_that_keeps_critical_messages_tells_where_their_time_went() {
    let run = run(&format!("{TRACE}[record]\nflows = \"critical\"\n"));
    let critical = table(&run, "critical");
    let shares = [
        "calc_ps",
        "held_ps",
        "own_bytes_ps",
        "hops_ps",
        "queue_ps",
        "lost_ps",
        "ack_ps",
        "message_ps",
    ];
    let shares: Vec<Vec<u64>> = shares.iter().map(|name| column(&critical, name)).collect();
    let of_edge = |edge: usize| shares.iter().map(|own| own[edge]).collect::<Vec<_>>();
    assert_eq!(of_edge(0), [0, 0, 85_196_800, 1_583_200, 21_299_200, 0, 0, 0]);
    assert_eq!(of_edge(1), [5_000_000, 0, 0, 0, 0, 0, 0, 0]);
    let all: Vec<u64> = (0..2).map(|edge| of_edge(edge).iter().sum()).collect();
    assert_eq!(all, column(&critical, "time_ps"));
    // The file's first send is host 0's: flow 0.
    assert_eq!(column(&critical, "behind_flow")[0], 0);
    assert_eq!(column(&critical, "behind_packets")[0], 256);
    assert_eq!(column(&table(&run, "steps"), "time_ps"), [113_079_200]);
    let ranks = table(&run, "ranks");
    let idle = column(&ranks, "idle_ps");
    assert_eq!(column(&ranks, "compute_ps"), [10_000_000, 0, 5_000_000]);
    assert_eq!(idle[2], 108_079_200);
    let text = run.summary.text(&run.plan, &run.outcome);
    for line in [
        "  step             113.1 us; rank 2 was last\n",
        "  critical path    2 edges, 113.1 us: own bytes 75.3%, queue 18.8%, calc 4.4% and hops 1.4%; \
         longest queue 21.30 us at tor0.down2\n",
        "longest flow 1, rank 1 to rank 2, 108.1 us from 0.000 us on, behind 256 packets of flow 0 at \
         tor0.down2\n",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert_eq!(STEP.measure(&Measured::of_run(&run.summary)), Some(113.0792));
    let json = run.summary.to_json().to_string();
    let again = RunSummary::from_json(&serde_json::from_str(&json).expect("JSON"));
    assert_eq!(again.expect("a summary").jobs[0].step, run.summary.jobs[0].step);
}

#[test]
fn without_their_packets_it_says_how_to_get_them() {
    let run = run(TRACE);
    let critical = table(&run, "critical");
    assert_eq!(column(&critical, "message_ps"), [108_079_200, 0]);
    let text = run.summary.text(&run.plan, &run.outcome);
    assert!(text.contains("`flows = \"critical\"` in [record] tells what messages took it for"));
}

/// A job that starts later is told from its own start.
#[test]
fn a_later_start_moves_all_of_it() {
    let run = run(
        "[[traffic]]\nname = \"late\"\nkind = \"trace\"\nfile = \"t.goal\"\nstart = \"7 us\"\n",
    );
    let steps = table(&run, "steps");
    assert_eq!(
        (column(&steps, "start_ps"), column(&steps, "time_ps")),
        (vec![7_000_000], vec![113_079_200])
    );
    assert_eq!(run.summary.jobs[0].step_us(), Some(113.0792));
}

#[test]
fn traffic_without_ranks_has_no_critical_messages() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let more = "[traffic]\nkind = \"permutation\"\n[record]\nflows = \"critical\"\n";
    let study = study(folder.path(), more).unwrap_or_else(|problems| panic!("{problems}"));
    let problem = study.cells[0].scenario.resolve(1).expect_err("a problem");
    assert_eq!(problem.message, "no job here has ranks that compute and send");
}
