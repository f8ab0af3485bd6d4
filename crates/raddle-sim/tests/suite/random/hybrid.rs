//! Random hybrid fabrics.

use super::choices::Choices;
use raddle_schemes::units::{Rate, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::Topology;
use raddle_sim::topology::hybrid::HybridShape;
use raddle_sim::topology::packet_network::Counters;

/// 2 to 5 racks, days of 3 to 40 us.
pub(super) fn fabric(choices: &mut Choices<'_>) -> Fabric {
    let delays = [500_000, 100_000, 13_000, 1_000_007].map(Span);
    let rates = [80, 10, 37, 400, 25].map(Rate::gbps);
    let shape = HybridShape {
        tors: choices.between(2, 5),
        hosts_per_tor: choices.between(1, 3),
        rate: choices.pick(&rates),
        circuit_rate: choices.pick(&rates),
        packet_rate: choices.pick(&rates),
        link_delay: choices.pick(&delays),
        circuit_delay: choices.pick(&delays),
        packet_delay: choices.pick(&delays),
        switch_delay: choices.pick(&[0, 0, 500_000].map(Span)),
        day: choices.pick(&[20_000_000, 8_000_000, 12_345_678, 40_000_000].map(Span)),
        night: choices.pick(&[1_000_000, 2_000_000, 1, 333_333].map(Span)),
        notice: choices.pick(&[0, 5_000_000, 33_333_333, 500_000_000].map(Span)),
        counters: choices.pick(Counters::ALL),
    };
    shape.build().expect("a fabric")
}
