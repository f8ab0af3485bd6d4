//! Both engines give the same outcomes, bit for bit, whatever the width of the windows and whatever
//! holds the reference's events.

use crate::common::agree::{difference, trouble};
use proptest::prelude::*;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;
use raddle_sim::engine;
use raddle_sim::faults::PortChange;
use raddle_sim::plan::Plan;
use raddle_sim::reference::{Queue, run_with_queue};

/// How many plans, unless `PROPTEST_CASES` says otherwise: a quarter of a minute on one core. They are
/// others in each run of the tests, so that more of them are more runs; a change to an engine deserves
/// 100,000.
const CASES: u32 = 300;
/// The same for plans with many packets, each of which takes longer.
const BUSY_CASES: u32 = 60;
/// The same for the reference's queues, which all plans use alike.
const QUEUE_CASES: u32 = 100;
/// The same for both kinds of port.
const PORT_CASES: u32 = 150;
/// The same for plans with middleware in switches.
const MIDDLEWARE_CASES: u32 = 100;
/// The same for plans with SONiC's memory.
const SONIC_CASES: u32 = 100;
/// The same for plans with policies that hear sums.
const SUM_CASES: u32 = 100;
/// The same for plans with lossless classes.
const LOSSLESS_CASES: u32 = 100;
/// The same for plans with links that are open at times.
const GATE_CASES: u32 = 100;
/// The same for plans on circuits whose frames go by slices.
const SLICE_CASES: u32 = 100;
/// The same for plans with path selectors that name planes.
const PLANE_CASES: u32 = 100;
/// The same for plans on hybrid ToRs.
const HYBRID_CASES: u32 = 100;
/// The same for plans whose links have retry.
const RETRY_CASES: u32 = 150;
/// The same for plans whose links have credits.
const CREDIT_CASES: u32 = 120;
/// The same for plans with jobs of ranks.
const JOB_CASES: u32 = 100;
/// The same for plans on servers with crossbars.
const SCALE_UP_CASES: u32 = 150;
/// Most decisions a plan takes from its list; more of them take the first option.
const NUMBERS: usize = 160;

#[expect(clippy::disallowed_methods, reason = "the number of cases is a setting of the test run")]
fn config(cases_by_default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: cases.unwrap_or(cases_by_default),
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(CASES))]

    /// A failure prints the shortest list of numbers that fails; `crate::random::plan` makes its plan again.
    #[test]
    fn engines_agree_on_random_plans(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::plan(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(BUSY_CASES))]

    /// The same where many packets arrive in a window, which small random plans hardly ever have.
    #[test]
    fn engines_agree_on_random_busy_plans(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::busy_plan(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(JOB_CASES))]

    /// The same where ranks compute, send, receive and take part in collectives, which one in twelve
    /// random plans has.
    #[test]
    fn engines_agree_on_random_jobs(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::plan_with_job(&numbers);
        if let Some(trouble) = trouble(&plan).or_else(|| crate::steps::wrong_sums(&plan)) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(SCALE_UP_CASES))]

    /// The same where hosts are GPUs of servers, whose messages inside take no link.
    #[test]
    fn engines_agree_on_random_servers(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS + 70)) {
        let plan = crate::random::plan_with_scale_up(&numbers);
        if let Some(trouble) = trouble(&plan).or_else(|| crate::steps::wrong_sums(&plan)) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(RETRY_CASES))]

    /// The same where links have retry, and noise and cuts give them reason to.
    #[test]
    fn engines_agree_on_random_plans_with_retry(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS + 40)) {
        let plan = crate::random::plan_with_retry(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(CREDIT_CASES))]

    /// The same where links have credits, with retry and noise or without.
    #[test]
    fn engines_agree_on_random_plans_with_credits(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS + 70)) {
        let plan = crate::random::plan_with_credits(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(MIDDLEWARE_CASES))]

    /// The same where switches have middleware, which one in six random plans has.
    #[test]
    fn engines_agree_on_random_middleware(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::plan_with_middleware(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(PLANE_CASES))]

    /// The same where packets are given their planes by path selectors, which few random plans have.
    #[test]
    fn engines_agree_on_random_plans_with_named_planes(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::plan_with_named_planes(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(SONIC_CASES))]

    /// The same where memory is SONiC's and mostly far from its thresholds, which few random plans have.
    #[test]
    fn engines_agree_on_random_plans_with_sonic(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::plan_with_sonic(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(SUM_CASES))]

    /// The same where policies of the memory answer before other ports have been looked at.
    #[test]
    fn engines_agree_on_random_plans_with_sums(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::plan_with_sums(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(LOSSLESS_CASES))]

    /// The same where classes are lossless and what memory they need is there: they lose nothing.
    #[test]
    fn engines_agree_on_random_lossless_plans(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::plan_with_lossless(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(GATE_CASES))]

    /// The same where links are circuits, or have gates.
    #[test]
    fn engines_agree_on_random_plans_with_gates(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS + 60)) {
        let plan = crate::random::plan_with_gates(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(SLICE_CASES))]

    /// The same where frames go by slices of circuits.
    #[test]
    fn engines_agree_on_random_slices(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS + 60)) {
        let plan = crate::random::plan_with_slices(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(HYBRID_CASES))]

    /// The same on ToRs with circuits beside a packet network.
    #[test]
    fn engines_agree_on_random_hybrid_tors(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS + 30)) {
        let plan = crate::random::plan_with_hybrid(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(QUEUE_CASES))]

    #[test]
    fn a_timing_wheel_gives_the_same_outcome(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = crate::random::plan(&numbers);
        let [heap, wheel] =
            [Queue::Heap, Queue::Wheel].map(|queue| run_with_queue(&plan, queue, &mut ()));
        prop_assert!(heap == wheel, "&{numbers:?},\n{plan:?}");
    }
}

/// The plan with real queues at every switch port: those of links that change compute no departures,
/// and these change to the rate that they have.
fn with_real_queues(mut plan: Plan) -> Plan {
    let Plan { fabric, faults, .. } = &mut plan;
    let switch_ports = (fabric.host_ports()..fabric.ports.len() as u32).map(PortId);
    let unchanging = switch_ports.filter(|id| faults.changes_of(*id).is_empty());
    let same = |id: PortId| PortChange::Rate { rate: fabric.ports[id.index()].rate, scale: false };
    let new: Vec<_> = unchanging.map(|id| (id, vec![(Time::ZERO, same(id))])).collect();
    faults.ports.extend(new);
    faults.ports.sort_by_key(|(id, _)| *id);
    plan
}

proptest! {
    #![proptest_config(config(PORT_CASES))]

    #[test]
    fn ports_that_compute_departures_agree_with_real_queues(
        numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS),
    ) {
        // A link with retry has real queues anyway, and is not built where nothing changes.
        let plan = Plan { llr: None, ..crate::random::plan(&numbers) };
        let fast = engine::run(&plan, &mut ());
        let plan = with_real_queues(plan);
        let real = engine::run(&plan, &mut ());
        if let Some(difference) = difference(&real, &fast) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{difference}\n{plan:?}");
        }
    }
}

/// A plan with a link that is always open and a clock that is behind: a frame of the first instant ends
/// when the clock says a picosecond less than it took. Random plans found it.
const BEFORE_TIME_ZERO: &[u32] = &[
    546282, 370420909, 1161489088, 1408028949, 1037476082, 0, 736757915, 0, 2673380056, 563108692,
    0, 543427026, 627606690, 11048448, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2770340561, 0,
    0, 0, 0, 0, 0, 1316318272, 0, 0, 0, 0, 0, 1938165148, 3060136674, 1092632237, 484042091, 0, 0,
    0, 1925132603, 2126132618, 2594267006, 0, 0, 0, 0, 0, 0, 476277292, 110923891, 3436787828,
    1867424035, 292772279, 0, 0, 0, 0, 0, 0, 202704510, 17391505, 0, 3049256428, 2332740940,
    410088223, 287433966, 0, 0, 0, 2825833647, 0, 747534432, 1252439280, 0, 0, 0, 0, 455406,
    1552933490, 1074867951, 1255627371,
];

#[test]
fn a_frame_that_begins_before_its_clocks_time_zero_is_in_its_opening() {
    let plan = crate::random::plan_with_gates(BEFORE_TIME_ZERO);
    assert_eq!(trouble(&plan), None);
}

/// A plan in which packets of a flow come by three ports of their host at one instant, some of which
/// are out of order. Random plans found it.
const THREE_AT_ONCE: &[u32] = &[
    38728772, 872202209, 308560, 174351342, 546722263, 0, 0, 0, 0, 0, 0, 0, 308093058, 0,
    3275976924, 0, 0, 3047760, 0, 0, 0, 0, 0, 1015570293, 0, 0, 0, 0, 498913646, 3922888419, 0, 0,
    0, 120668868, 0, 0, 0, 2101601936, 626672695, 2660365825, 1382644580, 0, 0, 2141374647,
    645705603, 1789989074, 0, 0, 0, 0, 0, 343010443, 0, 1423468348, 1760341616, 0, 0, 0, 43859838,
    1869257059, 161493512, 0, 0, 256900131, 0, 0, 0, 0, 0, 0, 1036245, 1417612951, 0, 409901272,
    514938192, 0, 2817848011, 0, 0, 0, 0, 0, 0, 87491388, 3745479552, 39091037, 1295348897,
    2322974791, 6903817, 0, 34092629, 0, 166262214, 3369469563, 0, 282177870, 3381632605,
    2311014640, 948601934, 43685421, 0, 1079479134, 80168806, 1431175388, 0, 1975516108, 0,
    1515406248, 825787913, 429720244, 289587158, 3514487637, 2321208366, 76700573, 2253846461,
    1369366500, 0, 0, 0, 1, 1917774728, 756647759, 2722048769, 622989300, 2193320321, 1434188622,
    2510729804, 2045361085, 2297442105, 144040765,
];

#[test]
fn packets_that_come_at_one_instant_are_taken_as_their_ports_go() {
    let plan = crate::random::plan(THREE_AT_ONCE);
    assert_eq!(trouble(&plan), None);
}
