//! Which links have retry, and what it knows of them.

use crate::faults::link::Link;
use crate::plan::{FRAMES_LIMIT, Llr, Plan, Tax};
use raddle_schemes::ids::PortId;
use raddle_schemes::rng::stream;
use raddle_schemes::units::{Bytes, Rate, Span};

/// Retry of one direction of a link.
#[derive(Clone, Debug)]
pub(crate) struct RetryFacts {
    pub(crate) llr: Llr,
    /// Most bytes sent and not acknowledged.
    pub(crate) bytes_max: u64,
    /// The largest frame, but for those of flow control.
    pub(crate) largest: u64,
    /// The time of the cable, each way.
    pub(crate) delay: Span,
    /// The link's rate when nothing is broken.
    pub(crate) rate: Rate,
    /// The other direction, which answers take.
    pub(crate) back: Link,
    /// Stream of the coins of answers.
    pub(crate) answer_stream: u64,
}

impl RetryFacts {
    /// Of the link that leaves a port. None where retry would change nothing: nothing is ever lost, the
    /// window is wide enough for any frames, and no tax is due.
    pub(crate) fn of(plan: &Plan, id: PortId) -> Option<Self> {
        let llr = plan.llr?;
        let ports = &plan.fabric.ports;
        let (own, peer) = (&ports[id.index()], ports[id.index()].peer);
        let largest = plan.packet().max(plan.transport.ack);
        let auto = auto(&llr, largest, own.delay, (own.rate, ports[peer.index()].rate));
        let bytes_max = llr.bytes_max.map_or(auto, |own| own.0);
        let never_fails = [id, peer].iter().all(|&port| plan.faults.changes_of(port).is_empty());
        let is_wide = bytes_max >= auto && llr.frames_max == FRAMES_LIMIT;
        if never_fails && is_wide && llr.tax == Tax::None {
            return None;
        }
        let changes = plan.faults.changes_of(peer).to_vec();
        Some(Self {
            llr,
            bytes_max,
            largest: largest.0,
            delay: own.delay,
            rate: own.rate,
            back: Link::new(ports[peer.index()].rate, plan.packet(), changes),
            answer_stream: stream(plan.seed, "llr", peer.0.into()),
        })
    }
}

/// Bytes that a link without losses may have under way whatever the sizes of its frames: what goes from
/// the start of a frame until the answer to it is back, when another was given right before it came; and
/// the next frame.
fn auto(llr: &Llr, largest: Bytes, delay: Span, (rate, back): (Rate, Rate)) -> u64 {
    let answers = back.serialisation(llr.spacing) + back.serialisation(Llr::CONTROL);
    let way = Span(2 * delay.0) + answers;
    let whole = rate.bytes_in(way);
    2 * largest.0 + whole.0 + u64::from(rate.serialisation(whole) < way)
}

impl Llr {
    /// The rate that is left for frames.
    pub(crate) fn taxed(&self, rate: Rate) -> Rate {
        match self.tax {
            Tax::None => rate,
            Tax::Constant => {
                let (spacing, both) = (self.spacing.0, self.spacing.0 + Self::CONTROL.0);
                let left = u128::from(rate.0) * u128::from(spacing) / u128::from(both);
                Rate(u64::try_from(left).unwrap_or(u64::MAX))
            }
        }
    }
}
