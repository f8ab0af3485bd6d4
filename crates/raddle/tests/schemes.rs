//! Every listed scheme of the hosts works in a scenario, in all its variants, under both engines.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use raddle::scenario::parse;
use raddle_schemes::family::{Conflict, ParameterError, Raw};
use raddle_schemes::load_balance::{host, plane};
use raddle_schemes::{Need, Scheme, congestion, planner};
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::{check, engine, reference};
use std::path::Path;

/// Shallow queues that mark early, and an uplink that is down for a while.
const SCENARIO: &str = r#"
[fabric]
topology = { kind = "fat_tree", tiers = 2, hosts = 16 }
queue = { size = "30 packets", marking = { scheme = "step", threshold = "5 packets" } }
[traffic]
kind = "permutation"
message = "512 KiB"
[[fault]]
link = "tor0.up0"
down = "5 us..40 us"
"#;

/// The scheme with its defaults, and once for each word that one of its parameters may be. `set`
/// says what no longer goes together then; words that would have no effect are left out.
fn selections(
    scheme: &Scheme,
    set: impl Fn(&str, Raw<'_>) -> Result<Vec<Conflict>, ParameterError>,
) -> Vec<String> {
    let name = scheme.card.name;
    let mut selections = vec![format!("{{ scheme = \"{name}\" }}")];
    for parameter in (scheme.parameters)().iter().filter(|parameter| parameter.kind == "word") {
        let key = parameter.name;
        let Err(ParameterError::Word(words)) = set(key, Raw::Text("no such word")) else {
            panic!("{name}.{key} accepts any word");
        };
        let works = |word: &&str| {
            let conflicts = set(key, Raw::Text(word)).unwrap();
            !conflicts
                .iter()
                .any(|conflict| matches!(conflict, Conflict::Idle(own, _) if *own == key))
        };
        let select = |word| format!("{{ scheme = \"{name}\", {key} = \"{word}\" }}");
        selections.extend(words.into_iter().filter(works).map(select));
    }
    selections
}

fn runs_by_the_laws(key: &str, selection: String) {
    let mut overrides = vec![(format!("transport.{key}"), selection.clone())];
    let needs = |need| {
        let mut all = host::SCHEMES.iter().chain(planner::SCHEMES).chain(congestion::SCHEMES);
        all.any(|scheme| {
            let own = selection.contains(&format!("\"{}\"", scheme.card.name));
            own && scheme.card.needs.contains(&need)
        })
    };
    if needs(Need::Planner) {
        overrides.push(("transport.planner.scheme".to_owned(), "ethereal".to_owned()));
    }
    if needs(Need::Planner) || needs(Need::SourceRouting) {
        overrides.push(("fabric.load_balance.scheme".to_owned(), "source_route".to_owned()));
    }
    if needs(Need::Trimming) {
        overrides.push(("fabric.queue.overflow".to_owned(), "trim".to_owned()));
    }
    if needs(Need::Circuits) {
        let topology =
            "{ kind = \"hybrid\", tors = 4, hosts_per_tor = 4, day = \"30 us\", night = \"2 us\" }";
        overrides.push(("fabric.topology".to_owned(), topology.to_owned()));
        let fault = "[{ link = \"host0\", down = \"5 us..40 us\" }]";
        overrides.push(("fault".to_owned(), fault.to_owned()));
    }
    if key == "plane" {
        let topology = "{ kind = \"fat_tree\", tiers = 2, hosts = 16, planes = 3 }";
        overrides.push(("fabric.topology".to_owned(), topology.to_owned()));
        let fault = "[{ link = \"host0.up1\", down = \"5 us..40 us\" }]";
        overrides.push(("fault".to_owned(), fault.to_owned()));
    }
    let study = parse("schemes.toml", SCENARIO, Path::new("."), &overrides);
    let study = study.unwrap_or_else(|problems| panic!("{problems}"));
    let plan = study.cells[0].scenario.resolve(1).unwrap();
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed, "{selection}");
    assert_eq!(check::violations(&plan, &outcome), Vec::<String>::new(), "{selection}");
    // Hosts of the reference never wake for nothing, so their events are fewer.
    let expected = reference::run(&plan, &mut ());
    let same = outcome == Outcome { events: outcome.events, ..expected };
    assert!(same, "{selection}: the engines differ");
}

#[test]
fn every_host_load_balancer_runs_in_a_scenario() {
    for scheme in host::SCHEMES {
        let set = |key: &str, raw: Raw<'_>| {
            let mut config = host::Config::named(scheme.card.name).unwrap();
            config.set(key, raw).map(|()| config.conflicts())
        };
        for selection in selections(scheme, set) {
            runs_by_the_laws("load_balance", selection);
        }
    }
}

#[test]
fn every_congestion_control_runs_in_a_scenario() {
    for scheme in congestion::SCHEMES {
        let set = |key: &str, raw: Raw<'_>| {
            let mut config = congestion::Config::named(scheme.card.name).unwrap();
            config.set(key, raw).map(|()| config.conflicts())
        };
        for selection in selections(scheme, set) {
            runs_by_the_laws("congestion", selection);
        }
    }
    let together = "{ scheme = \"fixed_rate\", rate = \"100 Gbps\", slots = \"together\" }";
    runs_by_the_laws("congestion", together.to_owned());
}

#[test]
fn every_plane_selector_runs_in_a_scenario() {
    for scheme in plane::SCHEMES {
        runs_by_the_laws("plane", format!("{{ scheme = \"{}\" }}", scheme.card.name));
    }
}

#[test]
fn every_planner_runs_in_a_scenario() {
    for scheme in planner::SCHEMES {
        let set = |key: &str, raw: Raw<'_>| {
            let mut config = planner::Config::named(scheme.card.name).unwrap();
            config.set(key, raw).map(|()| config.conflicts())
        };
        for selection in selections(scheme, set) {
            runs_by_the_laws("planner", selection);
        }
    }
}
