//! What steps of jobs come to: known answers, and sums that have to be those of the run.
#![expect(clippy::unwrap_used, reason = "traffic that cannot be made fails the test")]

use crate::common::{fat_tree, plan};
use raddle_schemes::congestion;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::engine;
use raddle_sim::plan::{Connections, PairOrder, Plan};
use raddle_sim::record::steps::Kind;
use raddle_sim::record::steps::collectives::collectives;
use raddle_sim::record::steps::parts::parts;
use raddle_sim::record::steps::path::{Took, path};
use raddle_sim::record::steps::ranks::ranks;
use raddle_sim::record::steps::replay::Replay;
use raddle_sim::record::{FlowRecord, FlowRecords, Outcome};
use raddle_sim::workload::Traffic;
use raddle_sim::workload::job_graph::{CollectiveOp, Does, Edge, Group, JobGraph, Rank};
use raddle_sim::workload::training::{Schedule, Training};

/// 400 Gbps, packets of 4,096 B, senders at line rate, queues without end; up to eight ranks are below
/// one switch.
fn simple(job: JobGraph) -> Plan {
    let hosts: Vec<HostId> = (0..job.ranks.len() as u32).map(HostId).collect();
    let mut plan = plan(fat_tree(2, 128), job.traffic(&hosts).unwrap(), "ops", 1);
    plan.transport.payload = Bytes(4_096);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Unlimited;
    plan
}

/// What is wrong with what is told of a plan's jobs, whose packets are all kept.
pub(crate) fn wrong_sums(plan: &Plan) -> Option<String> {
    let mut plan = plan.clone();
    plan.record.packets = (0..plan.traffic.flows.len() as u32).map(FlowId).collect();
    let outcome = engine::run(&plan, &mut ());
    let (plan, outcome) = outcome.of_messages(plan);
    plan.traffic.jobs.iter().find_map(|job| {
        let replay = Replay::of(job, &outcome.flows)?;
        let phase = plan.transport.phase;
        starts(&replay, &outcome, phase)
            .or_else(|| times(&replay))
            .or_else(|| shares(&plan, &outcome, &replay))
    })
}

/// Whether sends began when their nodes did, or within the phase of their hosts.
fn starts(replay: &Replay<'_>, outcome: &Outcome, phase: Span) -> Option<String> {
    let script = replay.script;
    let differs = |what: String, flow: u32, expected: Time| {
        let started = outcome.flows.at(replay.flow(flow).index()).started;
        let is_then = started.is_some_and(|at| at >= expected && at <= expected + phase);
        (!is_then).then(|| format!("{what}: {started:?}, and not {expected:?}"))
    };
    let sends = (0..script.nodes() as u32).filter(|n| matches!(script.does(*n), Does::Send { .. }));
    let of_send = |n: u32| differs(format!("send {n}"), script.with(n)?, replay.start(n));
    let of_part = |number: u32| {
        let part = script.collective(number);
        let mut flows = (0..).zip(part.flows.clone());
        flows.find_map(|(send, flow)| {
            differs(format!("send {send} of {number}"), flow, replay.started(&part, send))
        })
    };
    let mut sends = sends;
    sends.find_map(of_send).or_else(|| (0..script.collectives()).find_map(of_part))
}

/// Whether ranks' times add up to those of the steps.
fn times(replay: &Replay<'_>) -> Option<String> {
    let rows = ranks(replay, &collectives(replay));
    let wrong = rows.iter().find(|row| row.spent.total() != row.until.since(row.from));
    wrong.map(|row| format!("{row:?} does not add up"))
}

/// Whether the critical path has no holes, and its messages' parts add up.
fn shares(plan: &Plan, outcome: &Outcome, replay: &Replay<'_>) -> Option<String> {
    let path = path(replay);
    let end = replay.steps().last().map_or(replay.begin, |step| step.end);
    let mut at = replay.begin;
    for own in &path {
        if own.from != at {
            return Some(format!("a hole before {own:?}, at {at:?}"));
        }
        at = own.until;
    }
    if at != end {
        return Some(format!("the path ends at {at:?}, and the job at {end:?}"));
    }
    let all = parts(plan, outcome, &path);
    path.iter().zip(&all).find_map(|(own, parts)| match (&own.does, parts) {
        (Took::Calc, None) => None,
        (Took::Message { .. }, Some(parts)) if parts.total() == own.time() => None,
        _ => Some(format!("{own:?} has {parts:?}")),
    })
}

fn send(to: u32, bytes: u64) -> Does {
    Does::Send { to, bytes: Bytes(bytes), tag: 0 }
}

fn recv(from: u32) -> Does {
    Does::Recv { from: Some(from), tag: Some(0), bytes: None }
}

/// Host 1 sends 4 MiB to host 2, host 0 computes and sends it 1 MiB, and it computes after both.
#[test]
fn the_critical_path_says_whose_packets_were_waited_for() {
    let [mut first, mut second, mut third] = [0; 3].map(|_| Rank::default());
    let work = first.push(0, Does::Calc(Span::us(10)), None, &[]);
    first.push(1, send(2, 1 << 20), None, &[Edge::end(work)]);
    second.push(0, send(2, 1 << 22), None, &[]);
    let got = [0, 1].map(|from| Edge::end(third.push(0, recv(from), None, &[])));
    third.push(2, Does::Calc(Span::us(5)), None, &got);
    let plan = simple(JobGraph { ranks: vec![first, second, third], ..JobGraph::default() });
    assert_eq!(wrong_sums(&plan), None);
    let plain = engine::run(&plan, &mut ());
    let mut plan = plan;
    plan.record.critical = true;
    let plan = plan.with_critical(&plain);
    let outcome = engine::run(&plan, &mut ());
    let replay = Replay::of(&plan.traffic.jobs[0], &outcome.flows).unwrap();
    let path = path(&replay);
    let times: Vec<u64> = path.iter().map(|own| own.time().0).collect();
    assert_eq!(times, [108_079_200, 5_000_000]);
    let parts = parts(&plan, &outcome, &path);
    let own = parts[0].as_ref().unwrap();
    let shares = [own.held, own.own, own.hops, own.queue, own.lost, own.ack].map(|own| own.0);
    assert_eq!(shares, [0, 85_196_800, 1_583_200, 21_299_200, 0, 0]);
    let wait = &own.waits[0];
    assert_eq!(plan.fabric.ports[wait.port.index()].name, "tor0.down2");
    assert_eq!(wait.behind, [(replay.flow(0), 256)]);
    // The other message came earlier, and the work after both is in no flow.
    assert_eq!(replay.delivered(0), Time(54_165_600));
    assert_eq!(replay.steps(), [Time::ZERO..Time(113_079_200)]);
}

fn all_reduce(late: Span) -> JobGraph {
    let ranks = (0..8).map(|rank| {
        let mut own = Rank::default();
        let work = Span::us(1) + if rank == 5 { late } else { Span::ZERO };
        let work = own.push(0, Does::Calc(work), None, &[]);
        let (op, bytes) = (CollectiveOp::AllReduce, Bytes(1 << 20));
        own.push(1, Does::Coll { group: 0, op, bytes }, None, &[Edge::end(work)]);
        own
    });
    let ranks: Vec<Rank> = ranks.collect();
    let groups = vec![Group { name: "dp 0".to_owned(), ranks: (0..8).collect() }];
    JobGraph { ranks, groups, ..JobGraph::default() }
}

/// A rank that comes 20 us late to an all-reduce is waited for by the others for 20 us. Chunks for one
/// neighbour go one after the other, as on NCCL's one queue pair: else those that have gathered at the
/// late rank share its link.
#[test]
fn a_late_rank_is_waited_for() {
    let told = |late: Span| {
        let mut plan = simple(all_reduce(late));
        plan.transport.connections = Connections::Pair;
        plan.transport.pair_order = PairOrder::Fifo;
        assert_eq!(wrong_sums(&plan), None);
        let outcome = engine::run(&plan, &mut ());
        let replay = Replay::of(&plan.traffic.jobs[0], &outcome.flows).unwrap();
        let collectives = collectives(&replay);
        (ranks(&replay, &collectives), collectives)
    };
    let hop = 33 * 83_200 + 1_500_000;
    let ((plain, _), (late, parts)) = (told(Span::ZERO), told(Span::us(20)));
    let mut longest = Span::ZERO;
    for (before, after) in plain.iter().zip(&late) {
        let [no_peers, took] = before.spent.exposed(Kind::Data);
        let [peers, transfer] = after.spent.exposed(Kind::Data);
        let waits = if after.rank == 5 { Span::ZERO } else { Span::us(20) };
        assert_eq!((no_peers, peers), (Span::ZERO, waits));
        // Chunks of others have come up to the late rank meanwhile, so that some ranks end earlier.
        assert!(transfer.0 <= took.0 + hop, "{transfer:?} and {took:?}");
        longest = longest.max(transfer);
        let waited_for = if after.rank == 5 { Span::us(20) } else { Span::ZERO };
        assert_eq!((before.waited_for, after.waited_for), (Span::ZERO, waited_for));
        let longer = after.until.0 - before.until.0;
        assert!(longer.abs_diff(20_000_000) <= hop, "{longer}");
    }
    let took = plain[0].spent.exposed(Kind::Data)[1];
    assert!(longest.0.abs_diff(took.0) <= hop, "{longest:?} and {took:?}");
    assert_eq!((parts[0].waited(), parts[0].last_rank), (Span::us(20), 5));
    let [last, first] = [parts[0].last, parts[0].first].map(|at| parts[0].bandwidths_gb_s(at));
    assert!(last.unwrap()[1] > first.unwrap()[1]);
    assert_eq!(last.unwrap()[1], 1.75 * last.unwrap()[0]);
}

fn step() -> Training {
    Training {
        tensor: 1,
        pipeline: 1,
        data: 1,
        expert: 1,
        layers: 1,
        forward: Span::us(1),
        backward: Span::us(2),
        weight_gradient: Span::ZERO,
        micro_batches: 1,
        schedule: Schedule::OneByOne,
        chunks: 1,
        activation: Bytes(4_096),
        tensor_bytes: Bytes(0),
        expert_bytes: Bytes(0),
        gradient: Bytes(0),
        expert_gradient: Bytes(0),
        parameters: Bytes(0),
        prefetch: 1,
        steps: 1,
    }
}

/// Hops of one packet each.
#[test]
fn pipelines_take_what_their_formulas_say_over_the_network() {
    for (stages, micro_batches, passes, hops) in [(4, 8, 33, 16), (4, 16, 57, 28), (2, 8, 27, 8)] {
        let training = Training { pipeline: stages, layers: stages, micro_batches, ..step() };
        let plan = simple(training.job().unwrap());
        assert_eq!(wrong_sums(&plan), None);
        let outcome = engine::run(&plan, &mut ());
        let replay = Replay::of(&plan.traffic.jobs[0], &outcome.flows).unwrap();
        let took = replay.steps()[0].end.0;
        let formula = passes * 1_000_000 + hops * (2 * 83_200 + 1_500_000);
        // A packet may go behind an ACK.
        assert!((formula..=formula + hops * 1_280).contains(&took), "{took} and {formula}");
        let rows = ranks(&replay, &collectives(&replay));
        let busy = u64::from(micro_batches) * 3_000_000;
        assert!(rows.iter().all(|row| row.spent.compute == Span(busy)));
    }
}

/// The records of a network in which each message takes the same time.
fn ideal(traffic: &Traffic, took: Span) -> FlowRecords {
    let mut starts = vec![Time::ZERO; traffic.flows.len()];
    loop {
        let record = |start: &Time| FlowRecord {
            started: Some(*start),
            delivered: Some(*start + took),
            acked: Some(*start + took),
            ..FlowRecord::default()
        };
        let records: FlowRecords = starts.iter().map(record).collect();
        let replay = Replay::of(&traffic.jobs[0], &records).unwrap();
        let mut next = starts.clone();
        for number in 0..replay.script.collectives() {
            let part = replay.script.collective(number);
            for (send, flow) in (0..).zip(part.flows.clone()) {
                next[flow as usize] = replay.started(&part, send);
            }
        }
        if next == starts {
            return records;
        }
        starts = next;
    }
}

/// Four layers of 10 us forward whose parameters take 6 or 15 us to gather, and the same four backward
/// without computation.
#[test]
fn gathers_ahead_of_the_computation_are_exposed_where_they_take_longer() {
    for (gather, forward, backward) in [(6, 46, 3 * 6), (15, 70, 5 + 3 * 15)] {
        let training = Training {
            data: 2,
            layers: 4,
            forward: Span::us(10),
            backward: Span::ZERO,
            parameters: Bytes(8_192),
            ..step()
        };
        let traffic = training.job().unwrap().traffic(&[HostId(0), HostId(1)]).unwrap();
        let records = ideal(&traffic, Span::us(gather));
        let replay = Replay::of(&traffic.jobs[0], &records).unwrap();
        let took = Span::us(forward + backward);
        assert_eq!(replay.steps(), [Time::ZERO..Time(took.0)]);
        for row in ranks(&replay, &collectives(&replay)) {
            assert_eq!(row.spent.compute, Span::us(40));
            let exposed = [Span::ZERO, Span(took.0 - 40_000_000)];
            assert_eq!((row.spent.exposed(Kind::Data), row.spent.idle), (exposed, Span::ZERO));
        }
    }
}

/// Steps of several add up to the job.
#[test]
fn steps_follow_each_other() {
    let training = Training { data: 4, layers: 2, gradient: Bytes(100_000), steps: 3, ..step() };
    let plan = simple(training.job().unwrap());
    assert_eq!(wrong_sums(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    let replay = Replay::of(&plan.traffic.jobs[0], &outcome.flows).unwrap();
    let steps = replay.steps();
    assert_eq!(steps.len(), 3);
    assert!(steps.windows(2).all(|two| two[0].end == two[1].start && two[0].end > two[0].start));
    let collectives = collectives(&replay);
    let of_steps: Vec<u32> = collectives.iter().map(|own| own.step).collect();
    assert_eq!(of_steps, [0, 0, 1, 1, 2, 2]);
}
