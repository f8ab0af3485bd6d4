//! Whether both engines make the same of a plan, and whether what they make obeys the laws.

use raddle_schemes::units::{Span, Time};
use raddle_sim::bound::cut::{self, Cut};
use raddle_sim::bound::{self, Bound};
use raddle_sim::check::violations;
use raddle_sim::engine::Options;
use raddle_sim::plan::Plan;
use raddle_sim::record::{FlowRecords, Outcome};
use raddle_sim::{engine, reference};
use std::fmt::Debug;

/// What differs between two outcomes, but for their counts of engine events.
pub(crate) fn difference(expected: &Outcome, got: &Outcome) -> Option<String> {
    fn named<T: PartialEq + Debug>(what: String, expected: &T, got: &T) -> Option<String> {
        (expected != got).then(|| format!("{what}:\n expected {expected:?}\n got      {got:?}"))
    }
    fn flows(expected: &FlowRecords, got: &FlowRecords) -> Option<String> {
        let [expected, got] = [expected, got].map(|flows| flows.iter().collect::<Vec<_>>());
        lists("flow", &expected, &got)
    }
    fn lists<T: PartialEq + Debug>(what: &str, expected: &[T], got: &[T]) -> Option<String> {
        let length = named(format!("number of {what}s"), &expected.len(), &got.len());
        let mut pairs = expected.iter().zip(got).enumerate();
        length.or_else(|| pairs.find_map(|(i, (a, b))| named(format!("{what} {i}"), a, b)))
    }
    flows(&expected.flows, &got.flows)
        .or_else(|| lists("port", &expected.ports, &got.ports))
        .or_else(|| lists("retry at port", &expected.retries, &got.retries))
        .or_else(|| lists("credits at port", &expected.credits, &got.credits))
        .or_else(|| lists("scale-up ports of host", &expected.scale_up, &got.scale_up))
        .or_else(|| named("deadlock".to_owned(), &expected.deadlock, &got.deadlock))
        .or_else(|| lists("late at port", &expected.late_frames, &got.late_frames))
        .or_else(|| lists("clipped at port", &expected.clipped_frames, &got.clipped_frames))
        .or_else(|| lists("series", &expected.series, &got.series))
        .or_else(|| named("timeline".to_owned(), &expected.timeline, &got.timeline))
        .or_else(|| named("occupancy".to_owned(), &expected.occupancy, &got.occupancy))
        .or_else(|| named("stop".to_owned(), &expected.stop, &got.stop))
        .or_else(|| named("end".to_owned(), &expected.end, &got.end))
        .or_else(|| named("in flight".to_owned(), &expected.in_flight_data, &got.in_flight_data))
        .or_else(|| named("pulls".to_owned(), &expected.credit_frames, &got.credit_frames))
        .or_else(|| lists("memory", &expected.memory_bytes_max, &got.memory_bytes_max))
        .or_else(|| lists("probe", &expected.probes, &got.probes))
        .or_else(|| named("hops".to_owned(), &expected.packet_hops, &got.packet_hops))
}

/// A bound that a run has beaten, of those that hold for any.
fn beaten(plan: &Plan, outcome: &Outcome) -> Option<Bound> {
    let times = outcome.flows.iter().map(|flow| Some((flow.started?, flow.acked?)));
    let times = times.collect::<Option<Vec<_>>>()?;
    let completion = times.iter().map(|(_, acked)| *acked).max()?;
    // A message in pieces takes as long as the last of them.
    let took = |of: &[(Time, Time)]| of.iter().map(|(from, to)| to.since(*from).0).max();
    let each: Vec<u64> = match plan.traffic.pieces.as_deref() {
        None => times.chunks(1).filter_map(took).collect(),
        Some(pieces) => {
            let of = |message| pieces.of(message);
            let own = (0..pieces.count()).map(of);
            own.filter_map(|own| took(&times[own.start as usize..own.end as usize])).collect()
        }
    };
    let mean = bound::mean_of_flows(plan);
    let sum: u64 = each.iter().sum();
    if let Some(mean) = mean.filter(|mean| sum / (each.len() as u64) < mean.time.0) {
        return Some(mean);
    }
    let strict = bound::of_plan(plan).into_iter().filter(Bound::holds_without_acks);
    let cut = cut::under_faults(plan);
    let cut = cut.map(|cut| Bound { name: Cut::UNDER_FAULTS, time: cut.time });
    strict.chain(cut).find(|bound| completion.since(Time::ZERO) < bound.time)
}

/// Runs a plan in every way there is. Returns what is wrong.
pub(crate) fn trouble(plan: &Plan) -> Option<String> {
    if let Err(error) = plan.check_limits() {
        return Some(format!("beyond a limit: {error}"));
    }
    let expected = reference::run(plan, &mut ());
    let broken = violations(plan, &expected);
    if !broken.is_empty() {
        return Some(format!("reference: {broken:#?}"));
    }
    if let Some(bound) = beaten(plan, &expected) {
        return Some(format!("faster than its bound: {bound:?}"));
    }
    let width = engine::window(&plan.fabric);
    let threads = 2 + plan.seed as u32 % 3;
    let mut ways = vec![
        (width, 1, false),
        (Span(width.0 - width.0 / 8), threads, false),
        (Span(width.0 / 2 + 1), threads, false),
        (Span(width.0 / 13 + 1), 1, false),
    ];
    // Threads cost more than all else: only some plans have them.
    if plan.seed.is_multiple_of(64) {
        ways.push((width, threads, true));
    }
    ways.into_iter().find_map(|(width, threads, side_by_side)| {
        let options = Options { threads, width: Some(width) };
        let got = if side_by_side {
            engine::run_with(plan, &options, &mut ())
        } else {
            engine::measure(plan, &options, &|| 0).0
        };
        let difference = difference(&expected, &got)?;
        let parts = got.parts;
        Some(format!("engine with windows of {width}, {parts} parts: {difference}"))
    })
}
