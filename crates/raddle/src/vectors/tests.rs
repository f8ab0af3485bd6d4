use super::*;

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
    let odd: Vec<_> = all.iter().filter(|own| own.no_run.is_some()).collect();
    assert!(
        odd.is_empty(),
        "{}",
        odd.iter()
            .map(|own| format!("{} {}: {}\n", own.family, own.scheme, own.no_run.as_ref().unwrap()))
            .collect::<String>()
    );
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
