//! Every published figure in quick mode, and the freshness of its last full run.

use raddle::scenario::{Outline, Study};
use raddle::study::run::Runner;
use raddle_papers::figures::{FIGURES, Figure, FigureResult, Mode, Verdict, gallery, to_json};
use raddle_sim::engine;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

fn quick(figure: &Figure) -> FigureResult {
    let stop = AtomicBool::new(false);
    let runner =
        Runner { engine: &engine::run, bound: |_| None, threads: 1, stop: &stop, meter: &() };
    figure.reproduce(Mode::Quick, &runner).unwrap_or_else(|error| panic!("{error}"))
}

/// Every figure, two at a time: many have one long run, beside which the next one goes on.
fn all_quick() -> Vec<FigureResult> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(figure) = FIGURES.get(index) else { return own };
            own.push((index, quick(figure)));
        }
    };
    let mut results: Vec<(usize, FigureResult)> = thread::scope(|scope| {
        let both = [scope.spawn(work), scope.spawn(work)];
        both.into_iter().flat_map(|one| one.join().expect("a figure said why")).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[test]
fn every_claim_holds_or_has_a_reason() {
    let results = all_quick();
    for result in &results {
        assert_eq!(result.unexplained().count(), 0, "{}", result.text());
        for claim in &result.claims {
            let run = claim.verdict != Verdict::NotRun;
            assert_eq!(claim.measured.is_some(), run, "{}", result.text());
        }
    }
    let json = to_json(&results);
    assert_eq!(json["schema"], "raddle.reproduce/1");
    assert_eq!(json["figures"].as_array().unwrap().len(), FIGURES.len());
}

#[test]
fn a_figure_comes_out_the_same_each_time_and_as_a_readable_table() {
    let [figure] = raddle_papers::figures::find("reps/fig4")[..] else { panic!("one figure") };
    let (one, other) = (quick(figure), quick(figure));
    assert_eq!(one.record(), other.record());
    let text = one.text();
    assert!(text.starts_with("reps/fig4: one uplink at half its rate"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert_eq!(one.runs.len(), 4);
}

#[test]
fn the_kept_results_belong_to_the_scenarios_and_claims_as_they_are() {
    let mut changed = Vec::new();
    for figure in FIGURES {
        let name = figure.name;
        let kept: Value = serde_json::from_str(figure.result).unwrap();
        let stale = format!("{name}/result.json is stale; run the figure in full and keep it");
        let prepared = figure.prepare(Mode::Full).unwrap_or_else(|p| panic!("{}", p.render(false)));
        assert_eq!(kept["figure"], name);
        assert_eq!(kept["mode"], "full");
        assert_eq!(kept["reduced"].as_str(), prepared.claims.reduced.as_deref(), "{name}");
        // What is said of a figure before its cells are read is what they say.
        let outline = figure.scenario.map(|text| Outline::parse(name, text).expect("a sweep"));
        assert_eq!(outline, prepared.study.as_ref().map(Study::outline), "{name}");
        let cells = prepared.study.iter().flat_map(|study| &study.cells);
        let hashes: Vec<String> = cells.map(|cell| cell.scenario.hash()).collect();
        let kept_cells = kept["scenarios"].as_array().unwrap();
        let kept_hashes: Vec<&str> =
            kept_cells.iter().map(|cell| cell["hash"].as_str().unwrap()).collect();
        let stale_now = kept_hashes != hashes;
        if stale_now && prepared.claims.stale.is_none() {
            changed.push(name);
        }
        assert!(stale_now || prepared.claims.stale.is_none(), "{name} is not stale");
        let kept_claims = kept["claims"].as_array().unwrap();
        assert_eq!(kept_claims.len(), prepared.claims.claims.len(), "{stale}");
        for (claim, kept) in prepared.claims.claims.iter().zip(kept_claims) {
            assert_eq!(kept["id"], *claim.id, "{stale}");
            assert_eq!(kept["low"].as_f64(), claim.low, "{stale}");
            assert_eq!(kept["high"].as_f64(), claim.high, "{stale}");
            for free in &claim.free {
                let measured = kept["measured"].as_f64();
                let constant = &free.constant;
                let old = format!("{name} {}: the range over {constant} is an old one", claim.id);
                assert!(measured.is_some_and(|value| free.has(value)), "{old}");
            }
            let differs = kept["verdict"] == "differs";
            assert_eq!(
                differs,
                claim.reason.is_some(),
                "{name} {}: a reason too many or too few",
                claim.id
            );
        }
    }
    assert!(changed.is_empty(), "run these in full and record them: {changed:?}");
}

#[test]
fn every_folder_is_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../figures");
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut found: Vec<String> = folders(&root)
        .iter()
        .flat_map(|paper| folders(paper))
        // A kept oracle has a folder, too.
        .filter(|path| path.join("claims.toml").is_file())
        .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
        .collect();
    found.sort();
    let mut listed: Vec<&str> = FIGURES.iter().map(|figure| figure.name).collect();
    listed.sort_unstable();
    assert_eq!(found, listed);
}

#[test]
fn the_gallery_shows_the_kept_results() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let results: Vec<FigureResult> = FIGURES
        .iter()
        .map(|figure| figure.recorded().unwrap_or_else(|why| panic!("{why}")))
        .collect();
    let mut pictures = Vec::new();
    for file in gallery(&results) {
        let kept = std::fs::read_to_string(docs.join(&file.path)).unwrap_or_default();
        assert!(kept == file.text, "docs/{}: run `raddle figures --pages docs`", file.path);
        pictures.push(docs.join(&file.path));
    }
    for paper in ["reps", "lb_study", "mars", "vermilion", "vermilion_predictions"] {
        for entry in std::fs::read_dir(docs.join("figures").join(paper)).unwrap() {
            let path = entry.unwrap().path();
            assert!(pictures.contains(&path), "{} belongs to no figure", path.display());
        }
    }
}
