//! Queues and loads by layer of the fabric.

use super::object::Object;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::record::layers::{LayerRecord, layers};
use serde_json::{Value, json};

/// One layer: all links from one tier to another. Overload is what the busiest link carried over
/// the mean of the layer's links, less 1; `None` where nothing was carried.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerSummary {
    /// Where its links lead: `tor_agg`.
    pub layer: String,
    /// How many links it has.
    pub links: u64,
    /// Most bytes of one data class in any of its queues; `None` at hosts.
    pub queue_bytes_max: Option<u64>,
    /// Mean bytes of data over its queues and over the sending time; `None` unless recorded.
    pub queue_bytes_mean: Option<f64>,
    /// Overload in bytes.
    pub bytes_overload: Option<f64>,
    /// Overload in frames of any kind.
    pub frames_overload: Option<f64>,
    /// Overload in data packets.
    pub data_overload: Option<f64>,
}

impl LayerSummary {
    /// The layers of a run.
    pub fn of(plan: &Plan, outcome: &Outcome) -> Vec<Self> {
        layers(&plan.fabric, outcome).iter().map(Self::from).collect()
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "layer": self.layer,
            "links": self.links,
            "queue_bytes_max": self.queue_bytes_max,
            "queue_bytes_mean": self.queue_bytes_mean,
            "bytes_overload": self.bytes_overload,
            "frames_overload": self.frames_overload,
            "data_overload": self.data_overload,
        })
    }

    pub(super) fn from_json(value: &Value) -> Result<Self, String> {
        let object = Object(value);
        Ok(Self {
            layer: object.text("layer")?,
            links: object.count("links")?,
            queue_bytes_max: value.get("queue_bytes_max").and_then(Value::as_u64),
            queue_bytes_mean: object.number("queue_bytes_mean")?,
            bytes_overload: object.number("bytes_overload")?,
            frames_overload: object.number("frames_overload")?,
            data_overload: object.number("data_overload")?,
        })
    }
}

impl From<&LayerRecord> for LayerSummary {
    fn from(record: &LayerRecord) -> Self {
        Self {
            layer: record.layer.word().to_owned(),
            links: record.links as u64,
            queue_bytes_max: record.queue_bytes_max,
            queue_bytes_mean: record.queue_bytes_mean,
            bytes_overload: record.bytes_overload,
            frames_overload: record.frames_overload,
            data_overload: record.data_overload,
        }
    }
}
