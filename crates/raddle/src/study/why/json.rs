//! `tail` in `run.json`.

use super::{Parts, Step, Stretch, Why, WhyLink};
use serde_json::{Value, json};

impl Why {
    /// The object of `tail`.
    pub fn to_json(&self) -> Value {
        json!({
            "flow": self.flow,
            "sentence": self.sentence(),
            "waiting_us": self.waiting_us,
            "parts": self.parts.to_json(),
            "links": self.links.iter().map(|link| json!({
                "name": link.name,
                "held_by": link.held_by,
                "held_us": link.held_us,
                "others": link.others,
                "waiting": link.waiting,
            })).collect::<Vec<_>>(),
            "lost_packets": self.lost_packets,
            "lost_at": self.lost_at,
            "timeouts": self.timeouts,
            "path": self.path.iter().map(|step| json!({
                "flow": step.flow,
                "start_us": step.start_us,
                "end_us": step.end_us,
            })).collect::<Vec<_>>(),
            "before": self.before.to_json(),
            "spans": self.spans.iter().map(|own| json!({
                "held_by": own.held_by,
                "from_us": own.from_us,
                "until_us": own.until_us,
            })).collect::<Vec<_>>(),
        })
    }

    /// Reads it.
    pub fn from_json(value: &Value) -> Option<Self> {
        let count = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
        let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64);
        let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let link = |value: &Value| {
            Some(WhyLink {
                name: text(value, "name")?,
                held_by: text(value, "held_by")?,
                held_us: number(value, "held_us")?,
                others: count(value, "others")?,
                waiting: number(value, "waiting")?,
            })
        };
        let step = |value: &Value| {
            Some(Step {
                flow: count(value, "flow")?,
                start_us: number(value, "start_us")?,
                end_us: number(value, "end_us")?,
            })
        };
        let stretch = |value: &Value| {
            Some(Stretch {
                held_by: text(value, "held_by")?,
                from_us: number(value, "from_us")?,
                until_us: number(value, "until_us")?,
            })
        };
        Some(Self {
            flow: count(value, "flow")?,
            waiting_us: number(value, "waiting_us")?,
            parts: Parts::from_json(value.get("parts")?)?,
            links: value.get("links")?.as_array()?.iter().map(link).collect::<Option<_>>()?,
            lost_packets: count(value, "lost_packets")?,
            lost_at: text(value, "lost_at")?,
            timeouts: count(value, "timeouts")?,
            path: value.get("path")?.as_array()?.iter().map(step).collect::<Option<_>>()?,
            before: Parts::from_json(value.get("before")?)?,
            spans: value.get("spans")?.as_array()?.iter().map(stretch).collect::<Option<_>>()?,
        })
    }
}

impl Parts {
    fn to_json(self) -> Value {
        json!({
            "fault_us": self.fault_us,
            "timeout_us": self.timeout_us,
            "link_us": self.link_us,
            "receiver_us": self.receiver_us,
            "nic_us": self.nic_us,
            "window_us": self.window_us,
            "at_speed_us": self.at_speed_us,
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let number = |key: &str| value.get(key).and_then(Value::as_f64);
        Some(Self {
            fault_us: number("fault_us")?,
            timeout_us: number("timeout_us")?,
            link_us: number("link_us")?,
            receiver_us: number("receiver_us")?,
            nic_us: number("nic_us")?,
            window_us: number("window_us")?,
            at_speed_us: number("at_speed_us")?,
        })
    }
}
