//! Random small fabrics.

use super::choices::Choices;
use raddle_schemes::units::{Rate, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::topology::graph::parse_graph;
use raddle_sim::topology::tree::TreeShape;
use std::fmt::Write;

/// Per tier, in Gbps. At 80 Gbps a byte takes 100 ps, so that round packets tie; 37 and 300 do not
/// divide 8e12.
const RATES: [[u64; 3]; 7] = [
    [80, 80, 80],
    [400, 400, 400],
    [80, 40, 80],
    [300, 37, 100],
    [100, 400, 800],
    [37, 37, 37],
    [400, 100, 25],
];

/// Delays of cables and latencies of switches, in ps. Zero for one of them is legal.
const DELAYS: [u64; 7] = [100_000, 500_000, 0, 13_000, 1_000_007, 200_000, 5_000_000];

/// Fast links, and long ones: in a window much arrives. Whole picoseconds a byte; at 80 Gbps a hundred.
const BUSY_RATES: [[u64; 3]; 4] = [[400, 400, 400], [80, 80, 80], [400, 100, 25], [100, 400, 800]];
const BUSY_DELAYS: [u64; 4] = [1_000_000, 500_000, 2_000_000, 1_000_007];

/// The shortest legal window.
const SHORTEST: u64 = 10_000;

struct Speeds {
    rates: [Rate; 3],
    delays: [Span; 3],
    latencies: [Span; 3],
}

impl Speeds {
    fn busy(choices: &mut Choices<'_>) -> Self {
        let rates = choices.pick(&BUSY_RATES).map(Rate::gbps);
        let delay = choices.pick(&BUSY_DELAYS);
        let latency = choices.pick(&[0, 500_000]);
        Self { rates, delays: [Span(delay); 3], latencies: [Span(latency); 3] }
    }

    fn draw(choices: &mut Choices<'_>) -> Self {
        let rates = choices.pick(&RATES).map(Rate::gbps);
        let all = choices.pick(&DELAYS);
        // One delay for all tiers makes more ties.
        let delays = match choices.below(2) {
            0 => [all; 3],
            _ => [(); 3].map(|()| choices.pick(&DELAYS)),
        };
        let latency = choices.pick(&DELAYS);
        let shortest = delays.iter().min().copied().unwrap_or(0);
        let latency = if shortest + latency < SHORTEST { 100_000 } else { latency };
        Self { rates, delays: delays.map(Span), latencies: [Span(latency); 3] }
    }
}

/// A fabric of 2 to 12 hosts.
pub(super) fn draw(choices: &mut Choices<'_>) -> Fabric {
    match choices.below(4) {
        0 => dumbbell(choices),
        1 => two_tiers(choices, Speeds::draw),
        2 => three_tiers(choices, Speeds::draw),
        _ => graph(choices),
    }
}

/// A tree of 2 to 12 hosts on whose links many packets are under way.
pub(super) fn draw_busy(choices: &mut Choices<'_>) -> Fabric {
    match choices.below(2) {
        0 => two_tiers(choices, Speeds::busy),
        _ => three_tiers(choices, Speeds::busy),
    }
}

fn dumbbell(choices: &mut Choices<'_>) -> Fabric {
    let speeds = Speeds::draw(choices);
    let shape = Dumbbell {
        hosts_per_side: choices.between(1, 4),
        rate: speeds.rates[0],
        link_delay: speeds.delays[0],
        bottleneck_rate: speeds.rates[1],
        bottleneck_delay: speeds.delays[1],
        switch_delay: speeds.latencies[0],
    };
    shape.build().unwrap()
}

fn two_tiers(choices: &mut Choices<'_>, speeds: fn(&mut Choices<'_>) -> Speeds) -> Fabric {
    let speeds = speeds(choices);
    let (tors, hosts_per_tor) = (choices.between(1, 3), choices.between(2, 4));
    let shape = TreeShape {
        tiers: 2,
        hosts: tors * hosts_per_tor,
        hosts_per_tor,
        tors_per_pod: tors,
        aggs_per_pod: choices.between(1, 3),
        cores: 0,
        parallel: [choices.between(1, 2), 1],
        rates: speeds.rates,
        delays: speeds.delays,
        switch_delays: speeds.latencies,
    };
    shape.build().unwrap()
}

fn three_tiers(choices: &mut Choices<'_>, speeds: fn(&mut Choices<'_>) -> Speeds) -> Fabric {
    let speeds = speeds(choices);
    let (pods, tors) = (choices.between(2, 3), choices.between(1, 2));
    let hosts_per_tor = choices.between(1, 2);
    let aggs_per_pod = choices.between(1, 2);
    let shape = TreeShape {
        tiers: 3,
        hosts: pods * tors * hosts_per_tor,
        hosts_per_tor,
        tors_per_pod: tors,
        aggs_per_pod,
        cores: aggs_per_pod * choices.between(1, 2),
        parallel: [choices.between(1, 2), choices.between(1, 2)],
        rates: speeds.rates,
        delays: speeds.delays,
        switch_delays: speeds.latencies,
    };
    shape.build().unwrap()
}

/// A chain of switches with more cables across, hosts anywhere, every rate and delay its own.
fn graph(choices: &mut Choices<'_>) -> Fabric {
    let (hosts, switches) = (choices.between(2, 8), choices.between(1, 5));
    let rates = choices.pick(&RATES);
    let mut text = String::new();
    for switch in 0..switches {
        let latency = choices.pick(&DELAYS).max(SHORTEST);
        writeln!(text, "switch s{switch} latency \"{latency} ps\"").unwrap();
    }
    let mut cable = |a: String, b: String, choices: &mut Choices<'_>| {
        let [there, back] = [(); 2].map(|()| choices.pick(&rates));
        let delay = choices.pick(&DELAYS);
        writeln!(text, "link {a} {b} \"{there} Gbps\" \"{delay} ps\" \"{back} Gbps\"").unwrap();
    };
    for switch in 1..switches {
        cable(format!("s{switch}"), format!("s{}", switch - 1), choices);
    }
    for host in 0..hosts {
        let switch = choices.below(switches);
        cable(format!("h{host}"), format!("s{switch}"), choices);
    }
    for _ in 0..if switches > 1 { choices.below(4) } else { 0 } {
        let a = choices.below(switches);
        let b = (a + choices.between(1, switches - 1)) % switches;
        cable(format!("s{a}"), format!("s{b}"), choices);
    }
    for host in 0..hosts {
        writeln!(text, "host h{host}").unwrap();
    }
    parse_graph(&text).unwrap()
}
