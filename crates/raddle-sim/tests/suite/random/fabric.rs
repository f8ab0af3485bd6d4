//! Random small fabrics.

use super::choices::Choices;
use raddle_schemes::units::{Rate, Span};
use raddle_sim::topology::graph::parse_graph;
use raddle_sim::topology::{Draw, Fabric, KINDS, Kind, fat_tree, leaf_spine};
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
    latency: Span,
}

impl Speeds {
    fn busy(choices: &mut Choices<'_>) -> Self {
        let rates = choices.pick(&BUSY_RATES).map(Rate::gbps);
        let delay = choices.pick(&BUSY_DELAYS);
        let latency = choices.pick(&[0, 500_000]);
        Self { rates, delays: [Span(delay); 3], latency: Span(latency) }
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
        Self { rates, delays: delays.map(Span), latency: Span(latency) }
    }
}

/// A fabric of 2 to 12 hosts: any listed topology, or a graph.
pub(super) fn draw(choices: &mut Choices<'_>) -> Fabric {
    let number = choices.below(KINDS.len() as u32 + 1) as usize;
    match KINDS.get(number) {
        Some(kind) => listed(kind, choices, Speeds::draw),
        None => graph(choices),
    }
}

/// A fabric of 2 to 12 hosts on whose links many packets are under way: trees, more often than not.
pub(super) fn draw_busy(choices: &mut Choices<'_>) -> Fabric {
    let number = choices.below(2 * KINDS.len() as u32) as usize;
    let trees = [&leaf_spine::KIND, &fat_tree::KIND];
    listed(KINDS.get(number).unwrap_or(&trees[number % 2]), choices, Speeds::busy)
}

fn listed(
    kind: &Kind,
    choices: &mut Choices<'_>,
    speeds: fn(&mut Choices<'_>) -> Speeds,
) -> Fabric {
    let Speeds { rates, delays, latency } = speeds(choices);
    let mut below = |n: u32| choices.below(n);
    let mut draw = Draw { below: &mut below, rates, delays, switch_delay: latency };
    (kind.small)(&mut draw).build().unwrap()
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
