//! A run as the JSON object `raddle.run/1`, written and read.

use super::object::Object;
use super::{BySize, Held, JobSummary, LayerSummary, Packets, RunSummary, Tails, Times};
use crate::study::circuits::Throughput;
use crate::study::timing::Cost;
use raddle_sim::record::DropCause;
use serde_json::{Map, Value, json};

/// The value of `schema`.
const SCHEMA: &str = "raddle.run/1";

/// What middleware in ToRs dropped, behind the causes.
const MIDDLEWARE: &str = "middleware";

/// The order of the causes in JSON.
const DROPPED_ORDER: [DropCause; 5] = [
    DropCause::Overflow,
    DropCause::LinkDown,
    DropCause::Loss,
    DropCause::NodeDown,
    DropCause::NoRoute,
];

impl RunSummary {
    /// The object of `raddle.run/1`.
    pub fn to_json(&self) -> Value {
        let mut dropped: Map<String, Value> = DROPPED_ORDER
            .iter()
            .map(|cause| (cause.word().to_string(), json!(self.packets.dropped[*cause as usize])))
            .collect();
        dropped.insert(MIDDLEWARE.to_string(), json!(self.packets.dropped_by_middleware));
        let layers: Vec<Value> = self.layers.iter().map(LayerSummary::to_json).collect();
        let mut whole = json!({
            "schema": SCHEMA,
            "scenario": self.scenario,
            "seed": self.seed,
            "threads": self.threads,
            "completed": self.completed,
            "flows": self.flows,
            "unfinished": self.unfinished,
            "unstarted": self.unstarted,
            "at_dead_hosts": self.at_dead_hosts,
            "completion_us": self.completion_us,
            "fct_us": self.fct_us.to_json(),
            "delivered_us": self.delivered_us.to_json(),
            "fct_by_size_us": self.fct_by_size_us.to_json(),
            "slowdown": self.slowdown.to_json(),
            "ideal_us": self.ideal_us.to_json(),
            "application_bytes": self.application_bytes,
            "tails": self.tails.to_json(),
            "tail": self.tails.spent(),
            "bound_us": self.bound_us,
            "bound": self.bound,
            "increase_pct": self.increase_pct,
            "jobs": self.jobs.iter().map(JobSummary::to_json).collect::<Vec<_>>(),
            "packets": {
                "sent": self.packets.sent,
                "delivered": self.packets.delivered,
                "retransmitted": self.packets.retransmitted,
                "refused": self.packets.refused,
                "dropped": dropped,
                "lossless_refused": self.packets.lossless_refused,
                "trimmed": self.packets.trimmed,
                "marked": self.packets.marked,
            },
            "queue_bytes_max": self.queue_bytes_max,
            "memory_bytes_max": self.memory_bytes_max,
            "layers": layers,
            "memory": self.memory.map(Held::to_json),
            "uplinks": self.uplinks,
            "downlinks": self.downlinks,
            "circuit_utilisation": self.circuit_utilisation,
            "bandwidth_tax": self.bandwidth_tax,
            "throughput": self.throughput.map(Throughput::to_json),
        });
        // One object is too long for the macro.
        let rest = json!({
            "pauses": self.pauses,
            "paused_us": self.paused_us,
            "without_credit_us": self.without_credit_us,
            "credit_cells_max": self.credit_cells_max,
            "timeouts": self.timeouts,
            "queries_timed_out": self.timed_out,
            "packet_hops": self.packet_hops,
            "results_hash": self.results_hash,
            "cpu_s": self.cost.cpu_s,
            "wall_s": self.cost.wall_s,
            "hops_per_s": self.hops_per_s(),
            "peak_rss_mb": self.cost.peak_rss_mb,
        });
        if let (Value::Object(whole), Value::Object(rest)) = (&mut whole, rest) {
            whole.extend(rest);
        }
        whole
    }

    /// Reads the object that [`RunSummary::to_json`] wrote.
    ///
    /// # Errors
    /// The key that is missing or of the wrong type.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        let object = Object(value);
        if object.text("schema")? != SCHEMA {
            return Err(format!("`schema` is not `{SCHEMA}`"));
        }
        let packets = object.object("packets")?;
        let lost = packets.object("dropped")?;
        let mut dropped = [0; 5];
        for cause in DropCause::ALL {
            dropped[cause as usize] = lost.count(cause.word())?;
        }
        Ok(Self {
            scenario: object.text("scenario")?,
            seed: object.count("seed")?,
            threads: object.count("threads")?,
            completed: object.get("completed", Value::as_bool)?,
            flows: object.count("flows")?,
            unfinished: object.count("unfinished")?,
            // Absent in what versions wrote that did not tell these apart.
            unstarted: value.get("unstarted").and_then(Value::as_u64).unwrap_or(0),
            at_dead_hosts: value.get("at_dead_hosts").and_then(Value::as_u64).unwrap_or(0),
            completion_us: object.number("completion_us")?,
            fct_us: Times::from_json(&object.object("fct_us")?)?,
            delivered_us: Times::from_json(&object.object("delivered_us")?)?,
            fct_by_size_us: BySize::from_json(value.get("fct_by_size_us"))?,
            slowdown: BySize::from_json(value.get("slowdown"))?,
            // Absent in what versions wrote that did not tell these.
            ideal_us: match value.get("ideal_us") {
                None => Times::default(),
                Some(value) => Times::from_json(&Object(value))?,
            },
            application_bytes: value["application_bytes"].as_u64().unwrap_or(0),
            tails: {
                let mut tails = Tails::from_json(value.get("tails"))?;
                tails.read_spent(value.get("tail"));
                tails
            },
            bound_us: object.number("bound_us")?,
            bound: match value.get("bound") {
                Some(Value::Null) => None,
                _ => Some(object.text("bound")?),
            },
            increase_pct: object.number("increase_pct")?,
            // Absent in what versions without jobs wrote.
            jobs: match value.get("jobs").and_then(Value::as_array) {
                Some(jobs) => jobs.iter().map(JobSummary::from_json).collect::<Result<_, _>>()?,
                None => Vec::new(),
            },
            packets: Packets {
                sent: packets.count("sent")?,
                delivered: packets.count("delivered")?,
                retransmitted: packets.count("retransmitted")?,
                // Absent in what versions wrote that did not tell these.
                refused: value["packets"]["refused"].as_u64().unwrap_or(0),
                lossless_refused: packets.0["lossless_refused"].as_u64().unwrap_or(0),
                dropped_by_middleware: lost.0[MIDDLEWARE].as_u64().unwrap_or(0),
                dropped,
                trimmed: packets.count("trimmed")?,
                marked: packets.count("marked")?,
            },
            queue_bytes_max: object.count("queue_bytes_max")?,
            // Absent in what versions without shared memory wrote.
            memory_bytes_max: value.get("memory_bytes_max").and_then(Value::as_u64).unwrap_or(0),
            // Absent in what versions without layers wrote.
            layers: match value.get("layers").and_then(Value::as_array) {
                Some(layers) => {
                    layers.iter().map(LayerSummary::from_json).collect::<Result<_, _>>()?
                }
                None => Vec::new(),
            },
            // Absent in what versions without flow control wrote.
            pauses: value.get("pauses").and_then(Value::as_u64).unwrap_or(0),
            // Absent in what versions wrote that did not tell these.
            memory: Held::from_json(value.get("memory"))?,
            uplinks: value["uplinks"].as_f64(),
            downlinks: value["downlinks"].as_f64(),
            circuit_utilisation: value.get("circuit_utilisation").and_then(Value::as_f64),
            bandwidth_tax: value.get("bandwidth_tax").and_then(Value::as_f64),
            throughput: value.get("throughput").and_then(Throughput::from_json),
            paused_us: value["paused_us"].as_f64().unwrap_or(0.0),
            without_credit_us: value["without_credit_us"].as_f64().unwrap_or(0.0),
            credit_cells_max: value["credit_cells_max"].as_u64().unwrap_or(0),
            timed_out: value["queries_timed_out"].as_f64().unwrap_or(0.0),
            timeouts: object.count("timeouts")?,
            packet_hops: object.count("packet_hops")?,
            results_hash: object.text("results_hash")?,
            cost: Cost {
                cpu_s: object.number("cpu_s")?,
                wall_s: object.get("wall_s", Value::as_f64)?,
                peak_rss_mb: object.number("peak_rss_mb")?,
            },
        })
    }
}

impl Times {
    pub(super) fn to_json(self) -> Value {
        json!({"max": self.max, "mean": self.mean, "p50": self.p50, "p99": self.p99})
    }

    pub(super) fn from_json(object: &Object<'_>) -> Result<Self, String> {
        Ok(Self {
            max: object.number("max")?,
            mean: object.number("mean")?,
            p50: object.number("p50")?,
            p99: object.number("p99")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;
    use crate::study::summary::Bound;
    use raddle_schemes::units::Span;

    fn summary() -> RunSummary {
        let plan = fixture::plan(1);
        let outcome = fixture::engine(&plan, &mut ());
        let bound = Bound { name: "permutation", time: Span::us(3) };
        let cost = Cost { wall_s: 0.1, cpu_s: Some(0.3), peak_rss_mb: None };
        RunSummary::new("5ce7a110", &plan, &outcome, Some(&bound), cost)
    }

    #[test]
    fn the_object_has_the_published_keys_in_order() {
        let json = summary().to_json();
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(
            keys(&json).join(" "),
            "schema scenario seed threads completed flows unfinished unstarted at_dead_hosts \
             completion_us fct_us delivered_us fct_by_size_us slowdown ideal_us application_bytes \
             tails tail bound_us bound increase_pct jobs packets queue_bytes_max memory_bytes_max layers memory uplinks downlinks circuit_utilisation bandwidth_tax throughput pauses paused_us without_credit_us credit_cells_max timeouts queries_timed_out packet_hops results_hash cpu_s wall_s \
             hops_per_s peak_rss_mb"
        );
        assert_eq!(keys(&json["fct_us"]).join(" "), "max mean p50 p99");
        assert_eq!(
            keys(&json["packets"]).join(" "),
            "sent delivered retransmitted refused dropped lossless_refused trimmed marked"
        );
        assert_eq!(
            keys(&json["packets"]["dropped"]).join(" "),
            "overflow link_down loss node_down no_route middleware"
        );
        assert!(json["peak_rss_mb"].is_null());
        assert_eq!(json["hops_per_s"], 80.0);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let summary = summary();
        let text = summary.to_json().to_string();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(RunSummary::from_json(&value), Ok(summary));
    }

    #[test]
    fn a_missing_key_is_named() {
        let mut value = summary().to_json();
        value.as_object_mut().unwrap().remove("timeouts");
        let error = RunSummary::from_json(&value).unwrap_err();
        assert_eq!(error, "`timeouts` is missing or of the wrong type");
    }
}
