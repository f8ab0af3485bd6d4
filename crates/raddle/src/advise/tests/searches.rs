//! Searches whose runs are made up: what they ask for, and what comes of it.

use crate::advise::{
    Answer, Ended, Left, Measured, Next, Question, Ran, Results, Search, measured,
};
use crate::study::run::Job;
use std::collections::BTreeSet;

const BASE: &str = "[fabric]\n\
    topology = { kind = \"leaf_spine\", leaves = 4, hosts_per_leaf = 2, spines = 4 }\n\
    routing = { convergence = \"10 us\", local_repair = \"5 us\" }\n";

/// The question's folder, which holds the base.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("base.toml"), BASE).unwrap();
    folder
}

fn axis(values: &[(&str, &str)]) -> String {
    let value = |(name, scheme): &(&str, &str)| {
        format!(
            "{{ name = \"{name}\", set = {{ \"transport.load_balance.scheme\" = \"{scheme}\" }} }}"
        )
    };
    let values: Vec<String> = values.iter().map(value).collect();
    format!("[[axis]]\nname = \"stack\"\nvalue = [{}]\n", values.join(", "))
}

const WORK: &str = "[[work]]\nname = \"step\"\n\
    traffic = { kind = \"permutation\", message = \"4 MiB\" }\n";
const CABLES: &str = "[[failure]]\nof = \"cables\"\nlayer = \"tor_agg\"\nmtbf = \"1000 h\"\n\
    mttr = \"10 h\"\n";
const JOB: &str = "[job]\nstops_after = \"10 s\"\nrestart = \"68 min\"\n";

fn parse(text: &str, again: &[(&str, &str)]) -> Result<Question, String> {
    let folder = folder();
    let own = |(path, value): &(&str, &str)| ((*path).to_owned(), (*value).to_owned());
    let again: Vec<_> = again.iter().map(own).collect();
    let text = format!("base = \"base.toml\"\n{text}");
    Question::parse("question.toml", &text, folder.path(), &again).map_err(|why| why.to_string())
}

/// An exchange of 1 ms, longer for each cable that is dead, with OPS more so.
fn ran(job: &Job) -> Ran {
    let dead = job.kept.toml.matches("[[fault]]").count() as f64;
    let slow = if job.kept.toml.contains("scheme = \"ops\"") { 0.5 } else { 0.1 };
    let chance = (job.seed * 7 % 11) as f64;
    Ran { us: Some(1000.0 * (1.0 + slow * dead) + chance), bound_us: Some(900.0) }
}

/// The end of a search; runs come `at_a_time`.
fn search(question: &Question, at_a_time: usize) -> (Measured, Vec<String>) {
    let mut search = Search::new(question).unwrap_or_else(|why| panic!("{why}"));
    let (mut results, mut texts) = (Results::new(), Vec::new());
    loop {
        match search.next(&results, false).unwrap_or_else(|why| panic!("{why}")) {
            Next::Done(measured) => return (*measured, texts),
            Next::Runs(jobs) => {
                for job in jobs.iter().take(at_a_time) {
                    let key = (job.scenario.clone(), job.seed);
                    assert!(results.insert(key, ran(job)).is_none(), "a run is asked for twice");
                    texts.push(job.kept.toml.clone());
                }
            }
        }
    }
}

#[test]
fn the_better_of_two_is_found_and_the_answer_is_kept_whole() {
    let text = axis(&[("OPS", "ops"), ("REPS", "reps")]) + WORK + CABLES + JOB;
    let question = parse(&text, &[]).unwrap();
    let (own, texts) = search(&question, usize::MAX);
    assert_eq!(own.ended, Ended::Told);
    assert_eq!(own.candidates[0].left, Some(Left::Behind { blocks: 12 }));
    // 16 cables, a hundredth of the time dead each: none, one, or more.
    let counts: Vec<u32> =
        own.candidates[1].works[0].strata.iter().map(|own| own.stratum.total()).collect();
    assert!(counts.contains(&1) && counts.contains(&2), "{counts:?}");
    // Repairs of switches are of no use where all know at once.
    let broken: Vec<&String> =
        texts.iter().filter(|text| text.contains("down = [\"0 ps..\"]")).collect();
    assert!(!broken.is_empty());
    for text in broken {
        assert!(text.contains("convergence = \"0 ps\"") || text.contains("convergence = \"0 ns\""));
    }
    let answer = Answer::new(&question, own.clone()).unwrap();
    assert_eq!(answer.name(answer.standings[0].candidate), "REPS");
    assert!(answer.is_told(&answer.standings[1]) && answer.place(1) == 2);
    let json = answer.to_json().to_string();
    assert_eq!(measured(&json).unwrap(), own);
    assert_eq!(Answer::new(&question, measured(&json).unwrap()).unwrap(), answer);
    let torn = json.replace("\"counts\":[1]", "\"counts\":[1,1]");
    assert_eq!(measured(&torn).unwrap_err(), "its lists do not fit together");
    assert_eq!(measured("{\"schema\": 1}").unwrap_err(), "it is not of raddle.advise/1");
    let text = answer.text(100);
    assert!(text.contains("REPS") && text.contains("% behind ("), "{text}");
    assert!(answer.page().contains("REPS is first"));
}

#[test]
fn a_search_that_is_killed_again_and_again_ends_the_same() {
    let text = axis(&[("OPS", "ops"), ("REPS", "reps")]) + WORK + CABLES + JOB;
    let question = parse(&text, &[]).unwrap();
    let whole = search(&question, usize::MAX).0;
    assert_eq!(search(&question, 7).0, whole);
    assert_eq!(search(&question, 50).0, whole);
}

#[test]
fn candidates_alike_but_in_name_are_the_same_runs_and_share_a_place() {
    let text = axis(&[("one", "reps"), ("other", "reps")]) + WORK + CABLES + JOB;
    let question = parse(&text, &[]).unwrap();
    let (own, texts) = search(&question, usize::MAX);
    assert_eq!(own.ended, Ended::WithinMargin);
    assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len());
    let answer = Answer::new(&question, own).unwrap();
    assert!(answer.is_same(0, 1) && answer.place(1) == 1);
    assert!(answer.text(100).contains("the same runs as one"));
    assert_eq!(answer.crossings, []);
}

#[test]
fn new_rates_on_old_runs_are_a_fresh_answer() {
    let text = axis(&[("OPS", "ops"), ("REPS", "reps")]) + WORK + CABLES + JOB;
    let question = parse(&text, &[]).unwrap();
    let own = search(&question, usize::MAX).0;
    let rarer = parse(&text, &[("failure.0.mtbf", "1100 h")]).unwrap();
    let again = Answer::again(&rarer, own).unwrap();
    let fresh = Answer::new(&rarer, search(&rarer, usize::MAX).0).unwrap();
    assert!(again.is_again && !fresh.is_again);
    assert_eq!(again.standings, fresh.standings);
    let other = parse(&(text.clone() + CABLES), &[]).unwrap();
    assert!(Answer::new(&other, again.measured).unwrap_err().contains("of another question"));
}

#[test]
fn a_state_that_cuts_hosts_off_is_a_stop_and_never_run() {
    let tor = "[[failure]]\nof = \"switches\"\nlayer = \"tor\"\nmtbf = \"1000 h\"\nmttr = \"10 h\"\n\
               [[failure]]\nof = \"hosts\"\nmtbf = \"1e4 h\"\nmttr = \"10 h\"\n";
    let question = parse(&(axis(&[("REPS", "reps")]) + WORK + tor + JOB), &[]).unwrap();
    let (own, texts) = search(&question, usize::MAX);
    assert!(texts.iter().all(|text| !text.contains("[[fault]]")));
    assert_eq!((own.runs, own.candidates[0].works[0].classes[0].critical), (12, 4));
    let answer = Answer::new(&question, own).unwrap();
    // Four ToRs and eight hosts.
    let runs = (1.0_f64 - 10.0 / 1010.0).powi(4) * (1.0_f64 - 10.0 / 10_010.0).powi(8);
    let stops = 4.0 / 1000.0 + 8.0 / 10_000.0;
    let expected = runs * (1.0 - stops * 68.0 / 60.0);
    assert!((answer.standings[0].goodput - expected).abs() < 1e-12);
    assert!((answer.stops(&answer.standings[0]) - runs * stops * 720.0).abs() < 1e-9);
}

#[test]
fn without_failures_only_healthy_steps_are_run() {
    let question = parse(&(axis(&[("OPS", "ops"), ("REPS", "reps")]) + WORK), &[]).unwrap();
    let (own, _) = search(&question, usize::MAX);
    assert_eq!((own.runs, own.ended), (24, Ended::WithinMargin));
    let answer = Answer::new(&question, own).unwrap();
    assert!(
        answer.standings.iter().all(|own| own.goodput == 1.0 && own.works[0].stops_per_s == 0.0)
    );
}

#[test]
fn flaps_are_run_and_cost_what_they_cost() {
    // Shorter than an exchange: one run for each instant.
    let flaps = "[[failure]]\nof = \"cables\"\nlayer = \"tor_agg\"\nflaps_per_hour = 36000\n\
                 lasts = \"100 us\"\n";
    let question = parse(&(axis(&[("REPS", "reps")]) + WORK + flaps + JOB), &[]).unwrap();
    let own = search(&question, usize::MAX).0;
    let events = &own.candidates[0].works[0].events[0];
    assert!(events.not_run.is_none() && events.flap_s.len() == 16);
    // 16 cables, 10 flaps a second each, a tenth of a millisecond lost by each.
    let answer = Answer::new(&question, own).unwrap();
    let expected = 1.0 - 160.0 * 1e-4;
    assert!((answer.standings[0].goodput - expected).abs() < 1e-3, "{:?}", answer.standings[0]);
}

#[test]
fn short_messages_under_faults_are_refused_with_the_numbers() {
    let short = WORK.replace("4 MiB\"", "64 KiB\"");
    let text = axis(&[("REPS", "reps")]) + &short + CABLES + JOB;
    let refuse = |text: &str| {
        let question = parse(text, &[]).unwrap();
        let mut search = Search::new(&question).unwrap();
        let Next::Runs(jobs) = search.next(&Results::new(), false).unwrap() else { panic!() };
        let ran = Ran { us: Some(20.0), bound_us: None };
        let ran = jobs.iter().map(|job| ((job.scenario.clone(), job.seed), ran)).collect();
        search.next(&ran, false).err().map(|why| why.to_string())
    };
    let why = refuse(&text).unwrap();
    assert!(why.contains("an exchange of `step` takes 20.00 us with REPS"), "{why}");
    assert!(why.contains("more than 5 times routing's convergence and a timeout"), "{why}");
    assert_eq!(
        refuse(&text.replace("message = \"64 KiB\" }", "message = \"64 KiB\" }\nshort = true")),
        None
    );
}

#[track_caller]
fn wrong(text: &str, again: &[(&str, &str)], words: &[&str]) {
    let why = match parse(text, again) {
        Err(why) => why,
        Ok(question) => Search::new(&question).err().map(|why| why.to_string()).unwrap(),
    };
    for word in words {
        assert!(why.contains(word), "{word} is not in\n{why}");
    }
}

#[test]
fn mistakes_are_told_with_their_lines_before_anything_runs() {
    let fine = axis(&[("REPS", "reps")]) + WORK;
    let lacks = CABLES.replace("mtbf = \"1000 h\"\n", "");
    wrong(
        &(fine.clone() + &lacks + JOB),
        &[],
        &["[[failure]] lacks `mtbf`", "question.toml:8:1", "published-2026"],
    );
    wrong(&(fine.clone() + CABLES), &[], &["the question lacks [job]"]);
    wrong(
        &(fine.clone() + CABLES + "[job]\nstops_after = \"10 s\"\n"),
        &[],
        &["[job] lacks `restart`"],
    );
    wrong(&fine.replace("set", "sett"), &[], &["unknown key `sett`", "nearest: `set`"]);
    let wrong_layer = CABLES.replace("tor_agg", "tor_ag");
    wrong(
        &(fine.clone() + &wrong_layer + JOB),
        &[],
        &["no cable of `tor_ag`", "nearest: `tor_agg`"],
    );
    wrong(
        &(fine.clone() + "[ask]\nconstraint = [\"powerkw <= 4\"]\n"),
        &[],
        &["nearest: `power_kw`"],
    );
    wrong(&(fine.clone() + "[ask]\nobjective = \"cost_per_goodput\"\n"), &[], &["lacks [price]"]);
    let prices = "[price]\n\"switch.6x400G\" = 1\n\"optic.40G\" = 2\n";
    wrong(&(fine.clone() + prices), &[], &["part called `optic.40G`", "nearest: `optic.400G`"]);
    wrong(
        &(fine.clone() + "[[exclude]]\nstak = \"REPS\"\n"),
        &[],
        &["no axis is called `stak`", "`stack`"],
    );
    wrong(
        &(fine.clone() + "[[exclude]]\nstack = \"REPS\"\n"),
        &[],
        &["every candidate is excluded"],
    );
    wrong(
        &fine.replace("permutation", "permutatoin"),
        &[],
        &["nearest: `permutation`", "question.toml:7"],
    );
    wrong(&axis(&[("REPS", "reps")]), &[], &["the question lacks `work`"]);
    wrong(&fine, &[("failure.0.of", "optics")], &["runs depend on `failure.0.of`"]);
    wrong(&fine, &[("base", "x")], &["`base` is no rate, weight or price"]);
    let traffic = axis(&[("REPS", "reps")])
        .replace("transport.load_balance.scheme\" = \"reps\"", "traffic.message\" = \"1 MiB\"");
    wrong(&(traffic + WORK), &[], &["a candidate cannot set `traffic.message`"]);
}

#[test]
fn published_rates_are_taken_where_they_are_asked_for() {
    let text = "rates = \"published-2026\"\n".to_owned()
        + &axis(&[("REPS", "reps")])
        + WORK
        + "[[failure]]\nof = \"nic_ports\"\nmttr = \"24 h\"\n[job]\nstops_after = \"10 s\"\n";
    let question = parse(&text, &[]).unwrap();
    assert_eq!(question.published.len(), 2);
    assert!(question.published[0].starts_with("nic_ports: mtbf = 1.28e6 h: "));
    assert!(question.published[1].starts_with("job.restart = 68 min: "));
    wrong(&text.replace("nic_ports", "optics"), &[], &["lacks `mtbf`", "published are: "]);
}

#[test]
fn a_constraint_leaves_a_candidate_out_without_a_run() {
    let text = axis(&[("REPS", "reps")]) + WORK + "[ask]\nconstraint = [\"switches <= 7\"]\n";
    let question = parse(&text, &[]).unwrap();
    let (own, texts) = search(&question, usize::MAX);
    assert!(texts.is_empty() && matches!(own.candidates[0].left, Some(Left::Constraint { .. })));
    let answer = Answer::new(&question, own).unwrap();
    assert!(answer.text(100).contains("breaks `switches <= 7`: 8"), "{}", answer.text(100));
    // 4 ToRs, 4 spines, 24 cables, 32 optics between switches.
    let prices = "[price]\n\"switch.6x400G\" = 1000\n\"switch.4x400G\" = 500\n\
                  \"optic.400G\" = 10\n\"cable.400G\" = 1\n";
    let text = text.replace("switches <= 7", "cost <= 6000") + prices;
    let question = parse(&text, &[]).unwrap();
    let own = search(&question, usize::MAX).0;
    let text = Answer::new(&question, own).unwrap().text(100);
    assert!(text.contains("6 344") && text.contains("breaks `cost <= 6000`: 6344"), "{text}");
}
