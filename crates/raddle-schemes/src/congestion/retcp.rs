//! reTCP: a TCP that is told of circuits.
//!
//! Mukerjee et al., Adapting TCP for Reconfigurable Datacenter Networks, NSDI 2020, section 5; its
//! authors' kernel module (etalon at 750ef82, `reTCP/retcp.c`). ToRs write into ACKs whether the pair of
//! racks has a circuit, or will have one soon. When that turns on the window is multiplied by `factor`,
//! when it turns off it is divided; all else is the TCP below.
//!
//! Reading: the module does that in its additive increase, which pauses while the kernel repairs losses;
//! here each ACK may. Neither touches the slow start threshold.

use super::cubic::{self, Cubic};
use super::reno::{self, Reno};
use super::{Ack, CongestionControl, Limits, Loss};
use crate::family::Conflict;
use crate::size::{SOME, Size};
use crate::{Card, Cx, FlowContext, Need, recovery};
use alloc::boxed::Box;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes retcp` says.
pub const CARD: Card = Card {
    name: "retcp",
    title: "reTCP",
    paper: "Mukerjee et al., Adapting TCP for Reconfigurable Datacenter Networks, NSDI 2020",
    needs: &[Need::Circuits],
    summary: "Multiplies its window when ACKs tell of a circuit, and divides it when they no longer \
              do. For ToRs with circuits beside a packet network; wants queues that grow ahead of the day.",
};

crate::words! {
    /// Whose window it is.
    pub enum Base {
        /// Reno's, as its authors have it.
        Reno = "reno",
        /// CUBIC's.
        Cubic = "cubic",
    }
}

crate::parameters! {
    /// Parameters of reTCP.
    pub struct Config {
        /// The TCP below: `reno` or `cubic`, with their defaults.
        pub base: Base = Base::Reno;
        /// What the window is multiplied by while there is a circuit.
        pub factor: f64 = 2.0, in 1.0..=64.0;
        /// The window at the start.
        pub initial_window: Size = Size::Packets(10.0), in SOME;
        /// The window never grows beyond this.
        pub max_window: Size = Size::Unlimited, in SOME;
        /// The window never shrinks below this, nor below one packet; a timeout goes there.
        pub min_window: Size = Size::Packets(1.0), in SOME;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    super::windows_in_order(Some(config.min_window), Some(config.initial_window), config.max_window)
}

#[derive(Clone, Debug, Serialize)]
enum Below {
    Reno(Reno),
    Cubic(Box<Cubic>),
}

/// One flow's window.
#[derive(Clone, Debug, Serialize)]
pub struct Retcp {
    below: Below,
    factor: f64,
    /// Whether the window is multiplied.
    jumped: bool,
}

macro_rules! below {
    ($below:expr, $tcp:ident => $call:expr) => {
        match $below {
            Below::Reno($tcp) => $call,
            Below::Cubic($tcp) => $call,
        }
    };
}

impl Retcp {
    /// The window at its start, without a circuit.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let Config { initial_window, max_window, min_window, .. } = *config;
        let below = match config.base {
            Base::Reno => {
                let own =
                    reno::Config { initial_window, max_window, min_window, ..Default::default() };
                Below::Reno(Reno::new(&own, context))
            }
            Base::Cubic => {
                let own =
                    cubic::Config { initial_window, max_window, min_window, ..Default::default() };
                Below::Cubic(Box::new(Cubic::new(&own, context)))
            }
        };
        Self { below, factor: config.factor, jumped: false }
    }
}

impl CongestionControl for Retcp {
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        below!(&mut self.below, tcp => tcp.on_ack(cx, ack));
        if ack.circuit != self.jumped {
            self.jumped = ack.circuit;
            let by = if ack.circuit { self.factor } else { 1.0 / self.factor };
            below!(&mut self.below, tcp => tcp.scale(by));
        }
    }

    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        below!(&mut self.below, tcp => tcp.on_loss(cx, loss));
    }

    fn begin_message(&mut self) {
        below!(&mut self.below, tcp => tcp.begin_message());
    }

    fn recovery(&self) -> Option<&'static str> {
        Some(recovery::tcp::CARD.name)
    }

    fn limits(&self) -> Limits {
        below!(&self.below, tcp => tcp.limits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::LossCause;
    use crate::rng::Rng;
    use crate::units::{Bytes, Time};

    const PACKET: u64 = 1000;

    fn flow(config: Config) -> Retcp {
        let context = FlowContext { payload: Bytes(936), ..FlowContext::NOMINAL };
        Retcp::new(&config, &context)
    }

    fn ack(flow: &mut Retcp, circuit: bool) -> u64 {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        // Nothing grows: less than half of the window is in flight.
        let (bytes, in_flight) = (Bytes(PACKET), Bytes(0));
        let (marked, rtt, cumulative, next_new, hops) = (false, None, 1, 5, &[]);
        let ack = Ack { bytes, marked, rtt, in_flight, cumulative, next_new, hops, circuit };
        flow.on_ack(&mut cx, &ack);
        flow.limits().window.0
    }

    #[test]
    fn the_window_is_multiplied_once_while_there_is_a_circuit() {
        for base in [Base::Reno, Base::Cubic] {
            let mut flow = flow(Config { base, ..Config::default() });
            let seen =
                [false, true, true, false, false, true].map(|on| ack(&mut flow, on) / PACKET);
            assert_eq!(seen, [10, 20, 20, 10, 10, 20]);
        }
    }

    #[test]
    fn a_loss_on_the_circuit_leaves_a_quarter_when_it_is_gone() {
        let mut flow = flow(Config { factor: 4.0, ..Config::default() });
        assert_eq!(ack(&mut flow, true), 40 * PACKET);
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let (bytes, in_flight, cause) = (Bytes(PACKET), Bytes(0), LossCause::Nack);
        flow.on_loss(&mut cx, &Loss { bytes, packets: 1, cause, in_flight, next_new: 0 });
        assert_eq!(flow.limits().window, Bytes(20 * PACKET));
        assert_eq!(ack(&mut flow, false), 5 * PACKET);
    }

    #[test]
    fn windows_keep_their_bounds() {
        let max_window = Size::Packets(15.0);
        let mut flow = flow(Config { max_window, ..Config::default() });
        assert_eq!(ack(&mut flow, true), 15 * PACKET);
        assert_eq!(ack(&mut flow, false), 7_500);
    }
}
