//! From steps in states to numbers, where these are known.

use crate::advise::crossing::{Knob, Scan};
use crate::advise::rank::Order;
use crate::advise::{
    Class, Counted, Draw, Job, Measured, Objective, OfCandidate, OfEvents, OfStratum, OfWork,
    Placed, Rates, Strata, Stratum, Weighing,
};
use raddle_schemes::rng::Rng;

const HOUR: f64 = 3600.0;

fn rates(mtbf_h: f64, mttr_h: f64) -> Rates {
    Rates { mtbf_s: mtbf_h * HOUR, mttr_s: mttr_h * HOUR, ..Rates::default() }
}

fn by(rates: &[Rates]) -> Weighing {
    Weighing { rates: rates.to_vec(), drawn_by: rates.to_vec(), job: Job::default() }
}

fn class(parts: u64, critical: u64) -> Class {
    Class { parts, critical, together: 0 }
}

fn draw(step_s: Option<f64>) -> Draw {
    Draw {
        counts: Vec::new(),
        step_s,
        healthy_s: 1.0,
        cut: false,
        stuck: f64::from(u8::from(step_s.is_none())),
    }
}

fn stratum(counts: &[u32], draws: Vec<Draw>) -> OfStratum {
    OfStratum { stratum: Stratum { counts: counts.to_vec(), placed: Placed::Any }, draws }
}

/// One part; steps of a second, and of so many while it is broken.
fn one_part(broken: Option<f64>) -> OfWork {
    OfWork {
        healthy_s: vec![Some(1.0); 12],
        classes: vec![class(1, 0)],
        strata: vec![stratum(&[1], vec![draw(broken); 12])],
        ..OfWork::default()
    }
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} {b}");
}

#[test]
fn a_part_that_halves_the_rate_costs_half_of_the_time_it_is_broken() {
    let rates = [rates(90.0, 10.0)];
    let own = one_part(Some(2.0)).estimate(&by(&rates)).unwrap();
    close(own.goodput, 1.0 - 0.1 + 0.1 * 0.5, 1e-12);
    close(own.lost.strata[0], 0.05, 1e-12);
    close(own.blocks.iter().sum::<f64>() / 12.0, own.goodput, 1e-12);
    // One that stops the job costs all of it, and the step stays finite.
    let own = one_part(None).estimate(&by(&rates)).unwrap();
    close(own.goodput, 0.9, 1e-12);
    assert!(own.p99_s == 1.0 && (own.healthy_s / own.goodput).is_finite());
    // It stops as often as it breaks while the job runs.
    close(own.stops_per_s, 0.9 / (90.0 * HOUR), 1e-12);
}

#[test]
fn the_shape_of_repairs_does_not_matter() {
    // Up for 20 in the mean, down for 1: broken for 1 / 21 of the time.
    let laws: [fn(&mut Rng) -> f64; 3] = [
        |rng| rng.exponential(1.0),
        |_| 1.0,
        |rng| {
            // Lognormal of mean 1: exp(s z - s^2 / 2).
            let normal = (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
            libm::exp(0.8 * normal - 0.32)
        },
    ];
    for (index, law) in laws.into_iter().enumerate() {
        let mut rng = Rng::new(1, "repairs", index as u64);
        let (mut up, mut down, mut squares) = (0.0, 0.0, 0.0);
        let events = 100_000;
        for _ in 0..events {
            let (own, repair) = (rng.exponential(20.0), law(&mut rng));
            up += own;
            down += repair;
            let off = repair - (own + repair) / 21.0;
            squares += off * off;
        }
        let error = (squares / f64::from(events)).sqrt() / f64::from(events).sqrt() / 21.0;
        close(down / (up + down), 1.0 / 21.0, 3.0 * error);
    }
}

#[test]
fn single_links_stop_a_job_as_often_as_one_of_them_breaks_and_planes_never() {
    let month = 730.5 * HOUR;
    let mut work = OfWork {
        healthy_s: vec![Some(1.0); 12],
        classes: vec![class(3000, 3000)],
        ..OfWork::default()
    };
    // 3,000 links of 1.28e6 h.
    let soon = by(&[rates(1.28e6, 1e-6)]);
    close(work.estimate(&soon).unwrap().stops_per_s * month, 1.712, 1e-3);
    // While one is repaired, which takes a day, the job stands; others do not stop it then.
    let days = by(&[rates(1.28e6, 24.0)]);
    let own = work.estimate(&days).unwrap();
    close(own.goodput, libm::exp(-3000.0 * 24.0 / 1.28e6), 1e-4);
    close(own.lost.stopped, 1.0 - own.goodput, 1e-12);
    let elsewhere =
        Weighing { job: Job { spare: true, restart_s: HOUR, ..Job::default() }, ..days };
    let own = work.estimate(&elsewhere).unwrap();
    close(1.0 - own.goodput, 3000.0 / 1.28e6, 1e-9);
    work.classes = vec![class(3000, 0)];
    assert_eq!(work.estimate(&soon).unwrap().stops_per_s, 0.0);
}

#[test]
fn half_the_times_give_the_same_states_and_twice_the_changes() {
    let work = OfWork {
        events: vec![OfEvents {
            class: 0,
            down_s: vec![3.0; 16],
            up_s: vec![1.0; 16],
            flap_s: vec![0.0; 16],
            not_run: None,
        }],
        ..one_part(Some(2.0))
    };
    let slow = work.estimate(&by(&[rates(90.0, 10.0)])).unwrap();
    let fast = work.estimate(&by(&[rates(45.0, 5.0)])).unwrap();
    close(slow.lost.strata[0], fast.lost.strata[0], 1e-15);
    close(slow.lost.events[0], 4.0 / (100.0 * HOUR), 1e-15);
    close(2.0 * slow.lost.events[0], fast.lost.events[0], 1e-15);
}

/// Steps take 1 + k while k of 50 parts are broken: the mean rate over all states.
fn exact(broken: f64) -> f64 {
    let weight = |k: u32| {
        Stratum { counts: vec![k], placed: Placed::Any }
            .weight(&[class(50, 0)], &[rates(1.0 - broken, broken)])
    };
    (0..=50).map(|k| weight(k) / (1.0 + f64::from(k))).sum()
}

/// States as they come by one chance, `n` of them, with something broken.
fn as_they_come(broken: f64, n: usize, seed: u64) -> OfWork {
    let mut rng = Rng::new(seed, "states", 0);
    let mut draws = Vec::new();
    while draws.len() < n {
        let count = (0..50).filter(|_| rng.unit() < broken).count() as u32;
        if count > 0 {
            let step_s = Some(1.0 + f64::from(count));
            let draw = Draw { counts: vec![count], step_s, healthy_s: 1.0, cut: false, stuck: 0.0 };
            draws.push(draw);
        }
    }
    let stratum = Stratum { counts: Vec::new(), placed: Placed::AsTheyCome };
    OfWork {
        healthy_s: vec![Some(1.0); n],
        classes: vec![class(50, 0)],
        strata: vec![OfStratum { stratum, draws }],
        ..OfWork::default()
    }
}

#[test]
fn plain_stratified_and_tilted_states_agree() {
    let own = [rates(0.96, 0.04)];
    let strata = Strata::choose(&[class(50, 0)], &own, 1e-9);
    let broken = strata
        .list
        .iter()
        .filter(|own| !own.is_healthy())
        .map(|own| stratum(&own.counts, vec![draw(Some(1.0 + f64::from(own.total()))); 4]));
    let stratified = OfWork {
        healthy_s: vec![Some(1.0); 12],
        classes: vec![class(50, 0)],
        strata: broken.collect(),
        ..OfWork::default()
    };
    close(stratified.estimate(&by(&own)).unwrap().goodput, exact(0.04), 1e-8);
    let plain = as_they_come(0.04, 4000, 7).estimate(&by(&own)).unwrap();
    close(plain.goodput, exact(0.04), 4.0 * plain.error);
    assert_eq!(plain.effective, None);
    // Drawn by .06 a part, weighed by .04.
    let tilted = Weighing { drawn_by: vec![rates(0.94, 0.06)], ..by(&own) };
    let tilted = as_they_come(0.06, 4000, 7).estimate(&tilted).unwrap();
    close(tilted.goodput, exact(0.04), 4.0 * tilted.error);
    assert!(tilted.effective.is_some_and(|own| own > 1000.0 && own < 4000.0));
    let far = Weighing { drawn_by: vec![rates(0.7, 0.3)], ..by(&own) };
    let far = as_they_come(0.3, 96, 7).estimate(&far).unwrap();
    assert!(far.effective.is_some_and(|own| own < 30.0), "{:?}", far.effective);
}

#[test]
fn intervals_cover_what_they_say() {
    let own = by(&[rates(0.96, 0.04)]);
    let exact = exact(0.04);
    let covers = |seed: &u64| {
        let own = as_they_come(0.04, 48, *seed).estimate(&own).unwrap();
        let half = crate::study::stats::t_quantile_95(47) * own.error;
        (own.goodput - exact).abs() <= half
    };
    let covered = (1..=500).filter(covers).count();
    assert!((460..=490).contains(&covered), "{covered} of 500");
}

/// One work, and as many candidates.
fn question(works: Vec<OfWork>, rates: &[Rates]) -> (Order, Measured) {
    let counted = vec![Counted { name: "step".to_owned(), weight: 1.0 }];
    let candidates = works.into_iter().enumerate().map(|(index, work)| OfCandidate {
        name: format!("candidate {index}"),
        works: vec![work],
        runs: format!("{index}"),
        ..OfCandidate::default()
    });
    let measured = Measured {
        candidates: candidates.collect(),
        works: counted.clone(),
        classes: vec!["cable".to_owned()],
        rates: rates.to_vec(),
        ..Measured::default()
    };
    let order = Order {
        objective: Objective::Goodput,
        works: counted,
        weighing: by(rates),
        costs: Vec::new(),
        left_last: true,
    };
    (order, measured)
}

#[test]
fn a_crossing_lies_where_its_formula_says() {
    // 1 - u / 2 against 1 / 1.01.
    let slower = OfWork {
        healthy_s: vec![Some(1.01); 12],
        strata: vec![stratum(&[1], vec![Draw { healthy_s: 1.01, ..draw(Some(1.01)) }; 12])],
        ..one_part(None)
    };
    let (order, measured) = question(vec![one_part(Some(2.0)), slower], &[rates(995.0, 5.0)]);
    let all = order.standings(&measured);
    assert_eq!(all.iter().map(|own| own.candidate).collect::<Vec<_>>(), [0, 1]);
    let scan = Scan { order: &order, measured: &measured, margin: 0.02 };
    let found = scan.crossings(&[1], 0);
    let [own] = &found[..] else { panic!("{found:?}") };
    let u = 2.0 * (1.0 - 1.0 / 1.01);
    let mtbf = 5.0 * (1.0 / u - 1.0);
    close(own.factor * 995.0 / mtbf, 1.0, 1e-3);
    assert_eq!((own.knob, own.class, own.other), (Knob::Mtbf, 0, 1));
    // Without chance its interval is a point.
    close(own.low.unwrap() / own.factor, 1.0, 1e-6);
    close(own.high.unwrap() / own.factor, 1.0, 1e-6);
}

#[test]
fn a_crossing_that_chance_may_have_made_has_no_end() {
    // Of two that differ by less than their chance it is not said when one overtakes the other.
    let noisy = |shift: f64, seed: u64| {
        let mut rng = Rng::new(seed, "noise", 0);
        let steps: Vec<_> = (0..12).map(|_| Some(shift + 0.2 * rng.unit())).collect();
        let draws = (0..12).map(|_| draw(Some(shift + 0.1 + 0.4 * rng.unit()))).collect();
        OfWork { healthy_s: steps, strata: vec![stratum(&[1], draws)], ..one_part(None) }
    };
    let (order, measured) = question(vec![noisy(1.0, 1), noisy(1.0, 2)], &[rates(99.0, 1.0)]);
    let all = order.standings(&measured);
    assert!(all[1].behind.unwrap().p.unwrap() > 0.05);
    let scan = Scan { order: &order, measured: &measured, margin: 0.02 };
    for own in scan.crossings(&[all[1].candidate], all[0].candidate) {
        assert!(own.low == Some(1.0) || own.high == Some(1.0), "{own:?}");
        assert!(own.low.is_none() || own.high.is_none(), "{own:?}");
    }
}

#[test]
fn costs_turn_an_order_round() {
    let (mut order, measured) =
        question(vec![one_part(Some(1.0)), one_part(Some(2.0))], &[rates(90.0, 10.0)]);
    let first = |order: &Order| order.standings(&measured)[0].candidate;
    assert_eq!(first(&order), 0);
    order.objective = Objective::CostPerGoodput;
    order.costs = vec![Some(100.0), Some(90.0)];
    assert_eq!(first(&order), 1);
    order.objective = Objective::StepP99;
    assert_eq!(order.standings(&measured)[0].behind, None);
}
