//! Queues and loads by layer: all links between two tiers, in one direction.

use super::{Outcome, PortRecord};
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::PortId;
use std::collections::BTreeMap;

raddle_schemes::words! {
    /// Links from one tier to another; where they leave a switch, its queues before them.
    #[derive(PartialOrd, Ord)]
    pub enum Layer {
        /// Out of hosts, whose NICs have no queue.
        HostTor = "host_tor",
        /// Up from ToRs, in three tiers.
        TorAgg = "tor_agg",
        /// Up from aggregation switches.
        AggCore = "agg_core",
        /// Down from cores.
        CoreAgg = "core_agg",
        /// Down from aggregation switches.
        AggTor = "agg_tor",
        /// Up from ToRs, in two tiers.
        TorSpine = "tor_spine",
        /// Down from spines.
        SpineTor = "spine_tor",
        /// Between switches of a fabric without tiers.
        Switches = "switches",
        /// To hosts.
        TorHost = "tor_host",
    }
}

/// What one layer saw in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerRecord {
    /// Which.
    pub layer: Layer,
    /// Its links.
    pub links: usize,
    /// Most bytes of one data class in any of its queues; `None` at hosts.
    pub queue_bytes_max: Option<u64>,
    /// Bytes queued for data, frames in service included: the mean over all of its queues, and over
    /// the time from the first flow's start until the last data packet has left its host. Exact;
    /// `None` at hosts, and unless [`RecordPlan::queue_means`](super::RecordPlan::queue_means) asks
    /// for it.
    pub queue_bytes_mean: Option<f64>,
    /// Frames of any kind that its links carried.
    pub frames: u64,
    /// Of these, data packets.
    pub data_frames: u64,
    /// Bytes of the busiest link over the mean of the layer's links, less 1.
    pub bytes_overload: Option<f64>,
    /// The same for frames of any kind.
    pub frames_overload: Option<f64>,
    /// The same for data packets.
    pub data_overload: Option<f64>,
}

impl Layer {
    /// The layer of a port's link.
    pub fn of(fabric: &Fabric, port: PortId) -> Self {
        Layers::of_fabric(fabric).of(fabric, port)
    }
}

/// Tells the layers of a fabric's ports.
#[derive(Clone, Copy, Debug)]
pub struct Layers {
    two_tiers: bool,
}

impl Layers {
    /// Those of `fabric`.
    pub fn of_fabric(fabric: &Fabric) -> Self {
        Self { two_tiers: fabric.switches.iter().all(|switch| switch.tier < 2) }
    }

    /// The layer of a port's link.
    pub fn of(self, fabric: &Fabric, port: PortId) -> Layer {
        let tier = |node| match node {
            Node::Host(_) => None,
            Node::Switch(switch) => Some(fabric.switches[switch.index()].tier),
        };
        let two_tiers = self.two_tiers;
        match (tier(fabric.ports[port.index()].owner), tier(fabric.destination(port))) {
            (None, _) => Layer::HostTor,
            (_, None) => Layer::TorHost,
            (Some(0), Some(1)) if two_tiers => Layer::TorSpine,
            (Some(1), Some(0)) if two_tiers => Layer::SpineTor,
            (Some(0), Some(1)) => Layer::TorAgg,
            (Some(1), Some(0)) => Layer::AggTor,
            (Some(1), Some(2)) => Layer::AggCore,
            (Some(2), Some(1)) => Layer::CoreAgg,
            _ => Layer::Switches,
        }
    }
}

/// The layers of a fabric after a run, on the way from sending to receiving hosts.
pub fn layers(fabric: &Fabric, outcome: &Outcome) -> Vec<LayerRecord> {
    let layers = Layers::of_fabric(fabric);
    let mut ports: BTreeMap<Layer, Vec<usize>> = BTreeMap::new();
    for port in 0..outcome.ports.len() {
        ports.entry(layers.of(fabric, PortId(port as u32))).or_default().push(port);
    }
    ports.into_iter().map(|(layer, ports)| layer_record(layer, &ports, outcome)).collect()
}

fn layer_record(layer: Layer, ports: &[usize], outcome: &Outcome) -> LayerRecord {
    let records = || ports.iter().map(|&port| &outcome.ports[port]);
    let overload = |of: fn(&PortRecord) -> u64| {
        let (most, sum) = records().map(of).fold((0, 0), |(most, sum), n| (n.max(most), sum + n));
        (sum > 0).then(|| most as f64 * ports.len() as f64 / sum as f64 - 1.0)
    };
    let queues = layer != Layer::HostTor;
    let first = outcome.flows.iter().filter_map(|flow| flow.started).min();
    let mean = outcome.occupancy.as_ref().zip(first).and_then(|(occupancy, first)| {
        let time = occupancy.sent_until.0.saturating_sub(first.0);
        let sum: u128 = ports.iter().map(|&port| occupancy.byte_ps[port]).sum();
        (time > 0).then(|| sum as f64 / time as f64 / ports.len() as f64)
    });
    LayerRecord {
        layer,
        links: ports.len(),
        queue_bytes_max: records().map(|port| port.queue_bytes_max).max().filter(|_| queues),
        queue_bytes_mean: mean.filter(|_| queues),
        frames: records().map(|port| port.frames).sum(),
        data_frames: records().map(|port| port.data_frames).sum(),
        bytes_overload: overload(|port| port.bytes),
        frames_overload: overload(|port| port.frames),
        data_overload: overload(|port| port.data_frames),
    }
}
