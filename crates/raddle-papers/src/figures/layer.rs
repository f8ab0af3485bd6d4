//! Measures of a layer of the fabric: its queues and how evenly its links are loaded.

use super::run::FigureRun;
use raddle::scenario::reader::Reader;
use raddle::study::text::{digits, short};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::record::layers::{Layer, LayerRecord, layers};
use raddle_sim::workload::Flow;
use std::collections::BTreeSet;

raddle_schemes::words! {
    /// A number of a layer.
    pub enum LayerMetric {
        /// The most data in any of its queues, in full packets.
        QueueMax = "queue_packets_max",
        /// The mean data in its queues over the sending time, in full packets.
        QueueMean = "queue_packets_mean",
        /// Bytes of its busiest link over the mean of its links, less 1.
        BytesOverload = "bytes_overload",
        /// The same for frames of any kind.
        FramesOverload = "frames_overload",
        /// The same for data packets.
        DataOverload = "data_overload",
        /// The greatest number of data packets of its links less their mean.
        DataExcess = "data_excess_packets",
        /// The greatest number of frames of its links less their mean.
        FramesExcess = "frames_excess_packets",
        /// Pairs of flows that share one of its links packet by packet, over those expected where
        /// each flow of an edge switch has an uplink of its own, any with the same chance. For
        /// permutations that leave their pods, and links down to edge switches.
        StuckPairs = "stuck_pairs",
    }
}

/// Which number of which layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerNumber {
    /// Which layer.
    pub layer: Layer,
    /// Which number.
    pub metric: LayerMetric,
}

/// A layer in words.
pub(super) fn layer_words(layer: Layer) -> &'static str {
    match layer {
        Layer::HostTor => "host to ToR",
        Layer::TorAgg => "ToR to aggregation",
        Layer::AggCore => "aggregation to core",
        Layer::CoreAgg => "core to aggregation",
        Layer::AggTor => "aggregation to ToR",
        Layer::TorSpine => "ToR to spine",
        Layer::SpineTor => "spine to ToR",
        Layer::Switches => "between switches",
        Layer::TorHost => "ToR to host",
    }
}

impl LayerMetric {
    /// What it is, as a heading.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::QueueMax => "Longest queue of a layer, in full packets",
            Self::QueueMean => "Mean queue of a layer, in full packets",
            Self::BytesOverload => "Bytes of the busiest link beyond the mean of its layer",
            Self::FramesOverload => "Frames of the busiest link beyond the mean of its layer",
            Self::DataOverload => "Data packets of the busiest link beyond the mean of its layer",
            Self::DataExcess => "Data packets of the busiest link less the mean of its layer",
            Self::FramesExcess => "Frames of the busiest link less the mean of its layer",
            Self::StuckPairs => "Pairs of flows that share a link for good, over those expected",
        }
    }

    /// A value with its unit; overloads in percent.
    pub(super) fn shown(self, value: f64) -> String {
        match self {
            Self::BytesOverload | Self::FramesOverload | Self::DataOverload => match value {
                0.0 => "0 %".to_owned(),
                value => format!("{} %", digits(100.0 * value, 3)),
            },
            _ => short(value),
        }
    }
}

/// Reads `layer` and `metric`.
pub(super) fn read_layer_number(reader: &mut Reader<'_>) -> Option<LayerNumber> {
    let layer = reader.need("layer", "\"tor_agg\"");
    let metric = reader.need("metric", "\"queue_packets_mean\"");
    Some(LayerNumber { layer: layer?, metric: metric? })
}

impl LayerNumber {
    /// The number; `None` if the fabric has no such layer, or the run did not record it.
    pub(super) fn of(self, run: &FigureRun) -> Option<f64> {
        let (plan, outcome) = (&run.finished.plan, &run.finished.outcome);
        let layers = layers(&plan.fabric, outcome);
        let layer = layers.iter().find(|record| record.layer == self.layer)?;
        let packet = plan.packet().0 as f64;
        match self.metric {
            LayerMetric::QueueMax => layer.queue_bytes_max.map(|bytes| bytes as f64 / packet),
            LayerMetric::QueueMean => layer.queue_bytes_mean.map(|bytes| bytes / packet),
            LayerMetric::BytesOverload => layer.bytes_overload,
            LayerMetric::FramesOverload => layer.frames_overload,
            LayerMetric::DataOverload => layer.data_overload,
            LayerMetric::DataExcess => {
                let mean = layer.data_frames as f64 / layer.links as f64;
                layer.data_overload.map(|overload| overload * mean)
            }
            LayerMetric::StuckPairs => stuck_pairs(plan, outcome, layer),
            LayerMetric::FramesExcess => {
                let mean = layer.frames as f64 / layer.links as f64;
                layer.frames_overload.map(|overload| overload * mean)
            }
        }
    }
}

/// The mean data in all switch queues over the sending time, in full packets; `None` if the run did
/// not record it.
pub(super) fn queue_packets_mean(run: &FigureRun) -> Option<f64> {
    let (plan, outcome) = (&run.finished.plan, &run.finished.outcome);
    let layers = layers(&plan.fabric, outcome);
    let queues = || layers.iter().filter(|record| record.layer != Layer::HostTor);
    let sum = queues().map(|record| Some(record.queue_bytes_mean? * record.links as f64));
    let sum = sum.sum::<Option<f64>>()?;
    let links: usize = queues().map(|record| record.links).sum();
    Some(sum / links as f64 / plan.packet().0 as f64)
}

/// On a link `n` flows' worth of data packets are `n (n - 1) / 2` pairs. Two flows from different
/// edge switches to one meet where they hold the same of its uplinks (LB study, appendix C).
fn stuck_pairs(plan: &Plan, outcome: &Outcome, layer: &LayerRecord) -> Option<f64> {
    let fabric = &plan.fabric;
    let each = layer.data_frames as f64 / plan.traffic.flows.len() as f64;
    let here = |port: &usize| Layer::of(fabric, PortId(*port as u32)) == layer.layer;
    let flows = |port: usize| outcome.ports[port].data_frames as f64 / each;
    let found = (0..outcome.ports.len()).filter(here).map(flows).map(|n| n * (n - 1.0) / 2.0);
    let edges = |flow: &Flow| (fabric.edge(flow.source), fabric.edge(flow.destination));
    let ends: Vec<_> = plan.traffic.flows.iter().map(edges).collect();
    let meet = |a: &(SwitchId, SwitchId), b: &(SwitchId, SwitchId)| a.1 == b.1 && a.0 != b.0;
    let meeting =
        ends.iter().enumerate().map(|(i, a)| ends[..i].iter().filter(|b| meet(a, b)).count());
    let below = ends.iter().map(|end| end.1).collect::<BTreeSet<_>>().len();
    let uplinks = layer.links as f64 / below as f64;
    let expected = meeting.sum::<usize>() as f64 / uplinks;
    (expected > 0.0).then(|| found.sum::<f64>() / expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::scenario;
    use raddle_sim::engine;
    use std::path::Path;

    /// LB study, Figure 16: SIMPLE RR sticks as the model says where the pace leaves ACKs room and
    /// they do not turn its pointers; random spraying does not.
    #[test]
    fn pairs_stick_as_the_model_says_where_nothing_disturbs_them() {
        let stuck = |switches: &str| {
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"fat_tree\", tiers = 3, hosts = 128, rate = \"800 Gbps\", \
                 link_delay = \"500 ns\", switch_delay = \"0 ns\" }}\nqueue = {{ size = \"1 GB\", marking = \
                 {{ scheme = \"none\" }} }}\ngap = \"20 B\"\nload_balance = {switches}\n[transport]\nheader = \
                 \"62 B\"\nload_balance = {{ scheme = \"ops\" }}\nphase = \"41780 ps\"\ncongestion = {{ scheme = \
                 \"fixed_rate\", rate = \"760 Gbps\" }}\nrecovery = {{ scheme = \"erasure\", timeout = \
                 \"never\" }}\nnic = \"round_robin\"\n[traffic]\nkind = \"permutation\"\nmessage = \"2 MiB\"\n\
                 inter_pod_only = true\n"
            );
            let study = scenario::parse("t.toml", &text, Path::new("."), &[]);
            let study = study.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
            let plan = study.cells[0].scenario.resolve(1).unwrap();
            let outcome = engine::run(&plan, &mut ());
            let layers = layers(&plan.fabric, &outcome);
            let layer = layers.iter().find(|record| record.layer == Layer::AggTor).unwrap();
            stuck_pairs(&plan, &outcome, layer).unwrap()
        };
        let rotated = stuck("{ scheme = \"simple_rr\", small = \"128 B\" }");
        assert!((rotated - 1.0).abs() < 0.2, "{rotated}");
        let random = stuck("{ scheme = \"rsq\" }");
        assert!(random < 0.01, "{random}");
    }
}
