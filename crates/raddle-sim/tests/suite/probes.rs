//! What schemes show of themselves, as runs keep it.

use crate::common::{completed, fat_tree, hash, permutation};
use crate::outside::juggler;
use raddle_schemes::congestion::{self, dctcp};
use raddle_schemes::ids::{FlowId, SwitchId};
use raddle_schemes::load_balance::switch;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_schemes::{buffer, tor};
use raddle_sim::plan::{BufferPlan, Per, Plan};
use raddle_sim::record::Outcome;
use raddle_sim::record::probes::{Holder, ProbePlan};

fn follow(plan: &Plan, words: &[&str], flows: &[u32], every: Span) -> Plan {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    let flows = flows.iter().copied().map(FlowId).collect();
    let mut plan = plan.clone();
    plan.record.probes = ProbePlan { words, flows, every };
    plan
}

/// Times and values of a word of a holder.
fn line(outcome: &Outcome, holder: Holder, word: &str) -> Vec<(u64, f64)> {
    let own = outcome.probes.iter().filter(|row| row.holder == holder && row.probe == word);
    own.map(|row| (row.at.0, row.value)).collect()
}

fn of_flow(outcome: &Outcome, flow: u32, word: &str) -> Vec<(u64, f64)> {
    line(outcome, Holder::Flow(FlowId(flow)), word)
}

#[test]
fn a_flow_shows_its_window_from_its_start_to_its_end_and_results_stay_the_same() {
    let mut plan = permutation(fat_tree(2, 16), Bytes::kib(512), "reps", 1);
    plan.transport.congestion = congestion::Config::Dctcp(dctcp::Config::default());
    let alone = completed(&plan);
    let words = ["window", "acked", "rtt", "alpha", "cache", "in_flight"];
    let outcome = completed(&follow(&plan, &words, &[3, 7], Span::ZERO));
    assert_eq!(hash(&alone), hash(&outcome));
    assert!(alone.probes.is_empty());
    for flow in [3, 7] {
        let record = outcome.flows.at(flow as usize);
        let acked = of_flow(&outcome, flow, "acked");
        assert_eq!(acked.first().unwrap(), &(record.started.unwrap().0, 0.0));
        assert_eq!(acked.last().unwrap(), &(record.acked.unwrap().0, 128.0));
        assert!(acked.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        for word in words {
            assert!(!of_flow(&outcome, flow, word).is_empty(), "{word}");
        }
        // Nothing comes back sooner than through empty queues.
        let base = plan.fabric.base_rtt(
            plan.traffic.flows[flow as usize].source,
            plan.traffic.flows[flow as usize].destination,
            plan.packet(),
            plan.transport.ack,
        );
        assert!(of_flow(&outcome, flow, "rtt").iter().all(|(_, rtt)| *rtt >= base.as_us()));
    }
    assert!(outcome.probes.iter().all(|row| row.holder != Holder::Flow(FlowId(0))));
}

#[test]
fn buckets_keep_the_last_of_what_instants_tell() {
    let plan = permutation(fat_tree(2, 16), Bytes::kib(512), "ops", 1);
    let instants = completed(&follow(&plan, &["acked"], &[5], Span::ZERO));
    let every = Span::us(2);
    let buckets = completed(&follow(&plan, &["acked"], &[5], every));
    let mut expected: Vec<(u64, f64)> = Vec::new();
    for (at, value) in of_flow(&instants, 5, "acked") {
        let bucket = at / every.0 * every.0;
        expected.pop_if(|last| last.0 == bucket);
        expected.push((bucket, value));
    }
    assert_eq!(of_flow(&buckets, 5, "acked"), expected);
    assert!(expected.len() > 5);
}

#[test]
fn switches_show_what_their_load_balancing_memory_and_middleware_come_to() {
    let mut plan = permutation(fat_tree(2, 16), Bytes::kib(256), "ops", 1);
    plan.switch_load_balance = switch::Config::named("drill").unwrap();
    plan.tor = Some(tor::Config::Custom(juggler::plugin()));
    let followed = follow(&plan, &["groups", "juggled", "in_the_air"], &[], Span::us(1));
    assert_eq!(followed.probes()[1], ["groups", "juggled", "in_the_air"]);
    let outcome = completed(&followed);
    assert_eq!(hash(&outcome), hash(&completed(&plan)));
    let tor = |switch| Holder::Switch(SwitchId(switch));
    for switch in 0..4 {
        let air = line(&outcome, tor(switch), "in_the_air");
        assert_eq!(air.last().unwrap().1, 0.0, "all have come down");
        let juggled = line(&outcome, tor(switch), "juggled").last().unwrap().1;
        assert!(juggled >= outcome.tors[switch as usize].held_max as f64 && juggled > 0.0);
        assert!(!line(&outcome, tor(switch), "groups").is_empty());
    }
    plan.tor = None;
    let policy = buffer::Config::named("follow_lqd").unwrap();
    plan.buffer = Some(BufferPlan { size: Size::Bytes(Bytes::kib(256)), policy, per: Per::Switch });
    let outcome = completed(&follow(&plan, &["thresholds", "threshold"], &[], Span::us(1)));
    assert_eq!(hash(&outcome), hash(&completed(&plan)));
    let sums = line(&outcome, tor(0), "thresholds");
    assert!(sums.iter().any(|(_, sum)| *sum > 0.0));
    let ports = outcome.probes.iter().filter(|row| row.probe == "threshold");
    let ports: Vec<_> = ports.filter(|row| row.holder == tor(0)).map(|row| row.port).collect();
    let own = &plan.fabric.switches[0].ports;
    assert!(ports.iter().all(|port| own.contains(&port.unwrap().0)));
    assert!(outcome.probes.iter().all(|row| row.at < Time::NEVER && row.value.is_finite()));
}
