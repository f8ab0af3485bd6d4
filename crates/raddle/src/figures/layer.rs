//! Measures of a layer of the fabric: its queues and how evenly its links are loaded.

use super::prepare::FigureRun;
use crate::scenario::reader::Reader;
use raddle_sim::record::layers::{Layer, layers};

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
    }
}

/// Which number of which layer.
#[derive(Clone, Copy, Debug)]
pub struct LayerNumber {
    layer: Layer,
    metric: LayerMetric,
}

/// Reads `layer` and `metric`.
pub(super) fn read_layer_number(reader: &mut Reader<'_>) -> Option<LayerNumber> {
    let layer = reader.need("layer", "\"edge_agg\"");
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
            LayerMetric::FramesExcess => {
                let mean = layer.frames as f64 / layer.links as f64;
                layer.frames_overload.map(|overload| overload * mean)
            }
        }
    }
}
