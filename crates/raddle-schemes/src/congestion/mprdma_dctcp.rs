//! The DCTCP variant of MP-RDMA that the REPS paper runs under every load balancer.
//!
//! Each ACK moves the window by itself: no rounds, no average, so packets may arrive in any order.
//! REPS spec, sections 3 and 4.1 (last step). A full packet, payload and header, is the unit
//! (`MTU` in the artifact).

use super::{Ack, CongestionControl, Limits, Loss};
use crate::family::{Conflict, Need};
use crate::size::{SOME, Size};
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes mprdma_dctcp` says.
pub const CARD: Card = Card {
    name: "mprdma_dctcp",
    title: "DCTCP, MP-RDMA's variant",
    paper: "Lu et al., Multi-Path Transport for RDMA in Datacenters, NSDI 2018, with the constants \
            of Bonato et al., EuroSys 2026",
    needs: &[Need::Ecn],
    summary: "Grows by a packet per round trip and shrinks by a quarter of each marked packet. \
              Indifferent to reordering; starts at line rate.",
};

crate::parameters! {
    /// Parameters of the DCTCP variant.
    pub struct Config {
        /// The window at the start.
        pub initial_window: Size = Size::Bdp(1.5), in SOME;
        /// The window never grows beyond this.
        pub max_window: Size = Size::Bdp(1.5), in SOME;
        /// The window never shrinks below this, nor below one packet.
        pub min_window: Size = Size::Packets(1.0), in SOME;
        /// Packets of growth per window of unmarked bytes.
        pub increase: f64 = 1.0, in 0.0..=1000.0;
        /// Share of the marked bytes by which the window shrinks: 0.25 in the REPS artifact, 0.5
        /// in MP-RDMA itself.
        pub decrease: f64 = 0.25, in 0.0..=1.0;
        /// Packets by which the window shrinks for each one lost or trimmed.
        pub loss_decrease: f64 = 1.0, in 0.0..=1000.0;
        /// This long after the flow's first ACK, and from then on: once a window of bytes in a row
        /// was acknowledged unmarked and queued for less than 1 us, an unmarked ACK adds half of
        /// its bytes to the window besides, until an unmarked packet queues for longer; `auto` is
        /// never. The artifact's code for Figure 7 of the REPS paper does so from 650 us of the run
        /// on; the paper does not mention it. There packets that are sent again count, too.
        pub fast_increase_after: Option<Span> = None;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    super::windows_in_order(Some(config.min_window), Some(config.initial_window), config.max_window)
}

/// One flow's window, in bytes.
#[derive(Clone, Debug, Serialize)]
pub struct MprdmaDctcp {
    window: f64,
    /// Only with `fast_increase_after`.
    fast: Option<Box<Fast>>,
    constants: Arc<Constants>,
}

/// Whether the window opens fast (`fast_increase` in the artifact's `uec.cpp`).
#[derive(Clone, Debug, Serialize)]
struct Fast {
    after: Span,
    /// When the first ACK came; never, until then.
    first_ack: Time,
    /// Bytes in a row that were acknowledged unmarked and hardly queued (`_fi_count`).
    clear: f64,
    /// From a window of them until one queued (`_increase`).
    open: bool,
}

/// What flows across equally long paths share. All sizes are bytes.
#[derive(Debug, Serialize)]
struct Constants {
    min: f64,
    max: f64,
    /// Growth per unmarked byte, times the window.
    gain: f64,
    decrease: f64,
    loss_decrease: f64,
    /// Round trips below this show a queueing delay that is small enough.
    fast_below: Span,
}

/// The queueing delay up to which the artifact increases fast.
const FAST_DELAY: Span = Span::us(1);

impl MprdmaDctcp {
    /// The window at its start, between its bounds. A maximum below the minimum gives way.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let sizes = context.sizes();
        let bytes = |size: Size| size.resolve(&sizes).0 as f64;
        let packet = context.packet().0 as f64;
        let min = bytes(config.min_window).max(packet);
        let max = bytes(config.max_window).max(min);
        let constants = Constants {
            min,
            max,
            gain: config.increase * packet,
            decrease: config.decrease,
            loss_decrease: config.loss_decrease * packet,
            fast_below: context.base_rtt + FAST_DELAY,
        };
        Self {
            window: bytes(config.initial_window).clamp(min, max),
            fast: config.fast_increase_after.map(|after| Box::new(Fast::new(after))),
            constants: Arc::new(constants),
        }
    }

    #[inline]
    fn grow(&mut self, bytes: f64) {
        let window = self.window + bytes;
        self.window = if window < self.constants.max { window } else { self.constants.max };
    }

    #[inline]
    fn shrink(&mut self, bytes: f64) {
        self.window = (self.window - bytes).max(self.constants.min);
    }
}

impl Fast {
    fn new(after: Span) -> Self {
        Self { after, first_ack: Time::NEVER, clear: 0.0, open: false }
    }

    /// Whether this ACK opens the window fast. A mark begins the count anew and leaves the window
    /// open.
    fn hear(&mut self, now: Time, ack: &Ack, window: f64, below: Span) -> bool {
        self.first_ack = self.first_ack.min(now);
        if now.since(self.first_ack) < self.after {
            return false;
        }
        match ack.rtt {
            _ if ack.marked => self.clear = 0.0,
            Some(rtt) if rtt >= below => (self.clear, self.open) = (0.0, false),
            Some(_) => {
                self.clear += ack.bytes.0 as f64;
                self.open |= self.clear > window;
            }
            // Sent more than once: which of its packets was acknowledged is not known here.
            None => {}
        }
        self.open && !ack.marked
    }
}

impl CongestionControl for MprdmaDctcp {
    #[inline]
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        let acked = ack.bytes.0 as f64;
        if let Some(fast) = &mut self.fast
            && fast.hear(cx.now, ack, self.window, self.constants.fast_below)
        {
            self.grow(acked / 2.0);
        }
        if ack.marked {
            self.shrink(self.constants.decrease * acked);
        } else {
            self.grow(self.constants.gain * acked / self.window);
        }
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {
        self.shrink(self.constants.loss_decrease);
    }

    fn limits(&self) -> Limits {
        Limits::of_window(self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::LossCause;

    use crate::rng::Rng;
    use crate::units::Bytes;

    const PACKET: u64 = 4150;

    /// 100 packets in flight fill the path.
    fn flow(config: &Config) -> MprdmaDctcp {
        let context = FlowContext {
            payload: Bytes(4086),
            base_rtt: Span::ns(8300),
            bdp: Bytes(100 * PACKET),
            ..FlowContext::NOMINAL
        };
        MprdmaDctcp::new(config, &context)
    }

    fn ack(flow: &mut MprdmaDctcp, packets: u64, marked: bool) {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let bytes = Bytes(packets * PACKET);
        let (in_flight, rtt) = (Bytes(0), None);
        flow.on_ack(&mut cx, &Ack { bytes, marked, rtt, in_flight, ..Ack::EMPTY });
    }

    fn lose(flow: &mut MprdmaDctcp, cause: LossCause) {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        flow.on_loss(
            &mut cx,
            &Loss { bytes: Bytes(PACKET), packets: 1, cause, in_flight: Bytes(0), next_new: 0 },
        );
    }

    #[test]
    fn it_starts_at_one_and_a_half_bdp_and_stays_below() {
        let mut flow = flow(&Config::default());
        assert_eq!(flow.limits(), Limits { window: Bytes(150 * PACKET), rate: None });
        ack(&mut flow, 1, false);
        assert_eq!(flow.limits().window, Bytes(150 * PACKET));
    }

    #[test]
    fn the_fast_increase_waits_for_its_time_and_for_a_window_without_queues() {
        let config = Config {
            initial_window: Size::Packets(10.0),
            fast_increase_after: Some(Span::us(650)),
            ..Config::default()
        };
        let mut flow = flow(&config);
        let mut rng = Rng::new(1, "flow", 0);
        // Packets by which the window grows with an ACK; the usual growth is at most 0.1.
        let mut acked = |us: u64, rtt: Option<u64>, marked: bool| {
            let before = flow.window;
            let mut cx = Cx { now: Time(us * 1_000_000), rng: &mut rng, events: &mut () };
            let (bytes, rtt, in_flight) = (Bytes(PACKET), rtt.map(Span::ns), Bytes(0));
            flow.on_ack(&mut cx, &Ack { bytes, marked, rtt, in_flight, ..Ack::EMPTY });
            (flow.window - before) / PACKET as f64
        };
        let (clear, queued) = (Some(9299), Some(9300));
        assert!((0..20).all(|_| acked(12, clear, false) < 0.11), "before its time");
        // The window is just under twelve packets by now, and grows by one with so many.
        assert!((0..12).all(|_| acked(662, clear, false) < 0.11), "less than a window");
        assert!((0..2).any(|_| acked(662, clear, false) > 0.5), "a window");
        assert!(acked(662, None, false) > 0.5, "what was sent twice tells nothing");
        assert!(acked(662, clear, true) < 0.0, "a mark");
        assert!(acked(662, clear, false) > 0.5, "a mark leaves it open");
        assert!(acked(662, queued, false) < 0.11, "a queue closes it");
        assert!((0..9).all(|_| acked(662, clear, false) < 0.11), "and the count begins anew");
    }

    #[test]
    fn a_marked_packet_costs_a_quarter_of_itself_and_a_lost_one_itself() {
        let mut flow = flow(&Config::default());
        ack(&mut flow, 4, true);
        assert_eq!(flow.window, 149.0 * 4150.0);
        for cause in [LossCause::Trim, LossCause::Timeout, LossCause::Reordering] {
            lose(&mut flow, cause);
        }
        assert_eq!(flow.window, 146.0 * 4150.0);
    }

    #[test]
    fn a_window_of_clean_packets_adds_one_packet() {
        let mut flow = flow(&Config { initial_window: Size::Packets(50.0), ..Config::default() });
        ack(&mut flow, 10, false);
        assert_eq!(flow.window, 50.2 * 4150.0);
        (0..40).for_each(|_| ack(&mut flow, 1, false));
        assert!((50.98..51.0).contains(&(flow.window / 4150.0)));
    }

    #[test]
    fn the_window_holds_at_least_one_packet() {
        let tiny = Config { min_window: Size::Bytes(Bytes(1)), ..Config::default() };
        let mut flow = flow(&tiny);
        (0..200).for_each(|_| lose(&mut flow, LossCause::Timeout));
        assert_eq!(flow.limits().window, Bytes(PACKET));
        ack(&mut flow, 1, true);
        assert_eq!(flow.limits().window, Bytes(PACKET));
    }
}
