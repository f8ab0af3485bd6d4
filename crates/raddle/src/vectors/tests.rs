use super::run::{of_congestion, of_host, of_switch, of_tor, plan};
use super::*;
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::{congestion, tor};
use raddle_sim::engine;

fn all() -> Vec<Vectors> {
    let names: std::collections::BTreeSet<&str> = schemes().map(|(_, name)| name).collect();
    let amount = Amount { events: 60, steps: 60 };
    names.into_iter().flat_map(|name| of(name, &amount)).collect()
}

#[test]
fn every_scheme_has_vectors_and_the_engine_replays_them() {
    let all = all();
    let of: Vec<_> = all.iter().map(|own| (own.family, own.scheme)).collect();
    assert_eq!(of.len(), schemes().count());
    assert!(schemes().all(|scheme| of.contains(&scheme)));
    for vectors in &all {
        let name = format!("{} {}", vectors.family, vectors.scheme);
        assert_eq!(vectors.no_run, None, "{name}");
        let text: String =
            (0..).zip(&vectors.trajectories).map(|(number, own)| lines(number, own)).collect();
        let replayed = replay::replay(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(replayed.trajectories, vectors.trajectories.len(), "{name}");
        assert!(replayed.steps >= 60, "{name}: {replayed:?}");
        let of_run = vectors.trajectories.iter().filter(|own| own.origin.starts_with("a run"));
        assert!(of_run.count() > 0, "{name} has none of a run");
    }
}

/// A line of a selection, and a wrong one in its place.
fn refused(from: &str, to: &str) -> String {
    let [own] = &of("jsq", &Amount { events: 3, steps: 3 })[..] else { panic!("one family") };
    let text = lines(0, &own.trajectories[0]);
    let changed = text.replacen(from, to, 1);
    assert_ne!(changed, text);
    let wrong = replay::replay(&changed).unwrap_err();
    assert!(wrong.is_input, "{wrong}");
    wrong.to_string()
}

#[test]
fn what_cannot_be_is_refused_by_its_line() {
    let none = replay::replay("").unwrap_err();
    assert!(none.is_input && none.to_string().contains("no machine"), "{none}");
    assert!(replay::replay("{\"step\":0}\n").unwrap_err().is_input);
    assert!(
        refused("\"ports\":[", "\"ports\":[],\"was\":[").starts_with("line 2: a packet without")
    );
    assert!(refused("\"weights\":null", "\"weights\":[]").contains("weights that are not"));
    assert!(refused("\"bytes\":", "\"bytes\":18446744073709551615,\"was\":").contains("more than"));
    assert!(refused("\"scheme\":\"jsq\"", "\"scheme\":\"jsw\"").contains("jsw"));
    assert!(refused("\"now_ps\":", "\"now_ps\":-").contains("no step of vectors"));
}

/// A run ends as it does when nobody looks.
fn is_unchanged<C: Choice>(
    schemes: &[Scheme],
    key: &str,
    record: fn(&C, usize) -> Result<Recording, String>,
) {
    for card in schemes.iter().map(|scheme| scheme.card) {
        let (plain, _) = plan(key, card).unwrap();
        let recorded = record(&C::called(card.name).unwrap(), 1).unwrap().plan;
        let [plain, recorded] = [plain, recorded].map(|plan| engine::run(&plan, &mut ()));
        assert_eq!(plain.flows, recorded.flows, "{}", card.name);
        assert_eq!(plain.ports, recorded.ports, "{}", card.name);
    }
}

#[test]
fn a_scheme_that_is_recorded_does_what_it_does_else() {
    is_unchanged(host::SCHEMES, "transport.load_balance", of_host);
    is_unchanged(switch::SCHEMES, "fabric.load_balance", of_switch);
    is_unchanged(congestion::SCHEMES, "transport.congestion", of_congestion);
    is_unchanged(tor::SCHEMES, "fabric.tor", of_tor);
}
