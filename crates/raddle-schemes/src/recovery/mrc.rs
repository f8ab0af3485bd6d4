//! MRC's recovery: packets in any order, one ACK a packet, and a packet counts as lost when about a
//! window of later ones has arrived.
//!
//! The receiver's half is that of `sack`, with a NACK for each trimmed header. A packet counts as lost
//!
//! - when x packets sent after its last transmission have been acknowledged, x being the smaller of
//!   `gap_factor` windows and `gap_most`, and at least `gap_least`: the rule of the Ultra Ethernet
//!   consortium's simulator. MRC's own is not published ("a few tens of microseconds", section 2.4 of
//!   the paper);
//! - when the answer to a tail probe tells that it is missing;
//! - when it times out.

mod tail;
#[cfg(test)]
mod tests;
mod waits;

use super::sack::{self, Sack};
use super::{AckEntropies, AckNews, Recovery};
use crate::congestion::LossCause;
use crate::family::{Conflict, Need};
use crate::ids::Psn;
use crate::size::{SOME, Size};
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::{Bytes, Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::vec::Vec;
use tail::Tail;
use waits::{ENDLESS, Waits};

/// What `raddle schemes mrc` says.
pub const CARD: Card = Card {
    name: "mrc",
    title: "MRC: selective repeat by gaps of a window, and tail probes",
    paper: "Multipath Reliable Connection (MRC), OCP specification 1.0 (2026); the rule for gaps is \
            that of the Ultra Ethernet consortium's simulator",
    needs: &[],
    summary: "As `sack`, and a packet is sent again when about a window of later ones has arrived, \
              or when the answer to a probe tells that it has not. For flows whose packets take many \
              paths.",
};

crate::words! {
    /// What shows that a packet was lost, beside NACKs, probes and the clock.
    pub enum Gap {
        /// About a window of later packets has arrived, by whatever path.
        Window = "window",
        /// A later packet of the same entropy has arrived.
        Path = "path",
    }
}

crate::words! {
    /// What is sent again when a gap shows that a packet was lost.
    pub enum GapScope {
        /// That packet.
        Packet = "packet",
        /// All that is in flight.
        All = "all",
    }
}

/// Packets in a unit of the window of packet numbers.
const PSN_UNIT: u32 = 128;

crate::parameters! {
    /// Parameters of MRC's recovery.
    pub struct Config {
        /// Retransmission timeout; `auto` is that of `sack`.
        pub rto: Option<Span> = None, in Span(1)..;
        /// So many timeouts of a packet are each as long as the first; the later ones take twice as long
        /// as the one before. `auto`: all are as long as the first.
        pub linear: Option<u32> = None, in 0..=1_000_000;
        /// So many more timeouts there are beside the first `linear + 1`; the last gives the message
        /// up. 25 is without end.
        pub exponential: u32 = ENDLESS, in 0..=ENDLESS;
        /// What shows a loss: `window`, that about a window of later packets has arrived, or `path`,
        /// that one of the same entropy has (of several in one ACK, the one that was sent last).
        pub gap: Gap = Gap::Window;
        /// Windows of later packets that have to arrive before a packet counts as lost.
        pub gap_factor: f64 = 1.5, in 0.0..=1000.0;
        /// Later packets that have to arrive, however small the window is.
        pub gap_least: u32 = 5, in 1..;
        /// As many bytes of later packets are enough, however large the window is.
        pub gap_most: Size = Size::Bdp(1.5), in SOME;
        /// What is then sent again: `packet`, the one that is lost, or `all` that is in flight.
        pub gap_scope: GapScope = GapScope::Packet;
        /// Unloaded round trips without news, with packets in flight, after which a probe asks what has
        /// arrived; 0 is never.
        pub tail: f64 = 3.0, in 0.0..=1000.0;
        /// Unloaded round trips from such a probe to the next.
        pub tail_again: f64 = 5.0, in 0.1..=1000.0;
        /// A packet that has not arrived at the answer counts as lost if it left so long before the
        /// probe, which queues do not hold up; `auto` is the time to drain two full queues, or two
        /// unloaded round trips where they have no limit.
        pub tail_margin: Option<Span> = None;
        /// Most packets from the first unacknowledged to the newest, in units of 128 (`MPR`); `auto`
        /// is no limit.
        pub mpr: Option<u32> = None, in 1..=255;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    let defaults = Config::default();
    let mut idle = |is_set: bool, name, beside| {
        if is_set {
            conflicts.push(Conflict::Idle(name, beside));
        }
    };
    idle(config.linear.is_none() && config.exponential != ENDLESS, "exponential", "linear");
    if config.gap == Gap::Path {
        idle(config.gap_factor != defaults.gap_factor, "gap_factor", "gap");
        idle(config.gap_least != defaults.gap_least, "gap_least", "gap");
        idle(config.gap_most != defaults.gap_most, "gap_most", "gap");
    }
    if config.tail == 0.0 {
        idle(config.tail_again != defaults.tail_again, "tail_again", "tail");
        idle(config.tail_margin.is_some(), "tail_margin", "tail");
    }
    conflicts
}

/// One end's state.
#[derive(Clone, Debug)]
pub struct Mrc {
    sack: Sack,
    packet: u64,
    gap: Gap,
    factor: f64,
    least: u32,
    most: Bytes,
    scope: GapScope,
    psn_window: Option<u32>,
    waits: Waits,
    tail: Option<Tail>,
}

impl Mrc {
    /// State of one end of a flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let sack = sack::Config { rto: config.rto, ..sack::Config::default() };
        let sack = Sack::new(&sack, context);
        Self {
            waits: Waits::new(sack.rto(), config.linear, config.exponential),
            tail: Tail::new(config, context),
            sack,
            packet: context.packet().0.max(1),
            gap: config.gap,
            factor: config.gap_factor,
            least: config.gap_least,
            most: config.gap_most.resolve(&context.sizes()),
            scope: config.gap_scope,
            psn_window: config.mpr.map(|units| units * PSN_UNIT),
        }
    }

    /// So many later packets have to arrive under a window.
    fn gap(&self, window: Bytes) -> u32 {
        let bytes = Bytes((self.factor * window.0 as f64) as u64).min(self.most);
        (bytes.0 / self.packet).min(u32::MAX.into()).max(self.least.into()) as u32
    }
}

impl Recovery for Mrc {
    #[inline]
    fn on_ack(&mut self, cx: &mut Cx<'_>, news: &AckNews, ledger: &mut Ledger) {
        let found = match self.gap {
            Gap::Window => ledger.declare_overtaken(self.gap(news.window), LossCause::Reordering),
            Gap::Path => news
                .latest
                .is_some_and(|sent| ledger.declare_overtaken_on_path(&sent, LossCause::Reordering)),
        };
        if found && self.scope == GapScope::All {
            ledger.declare_lost_below(Psn(ledger.next()), Time::NEVER, LossCause::Reordering);
        }
        if news.latest.is_some()
            && let Some(tail) = &mut self.tail
        {
            tail.on_news(cx.now);
        }
        if let Some(span) = self.psn_window {
            ledger.allow_span(span);
        }
    }

    fn allowance(&self, _window: Bytes, _ledger: &Ledger) -> Option<Bytes> {
        self.waits.given_up().then_some(Bytes(0))
    }

    fn on_nack(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        if let Some(tail) = &mut self.tail {
            tail.on_news(cx.now);
        }
        self.sack.on_nack(cx, psn, ledger);
    }

    fn deadline(&self, ledger: &mut Ledger) -> Option<(Time, Psn)> {
        let timeout = self.waits.deadline(ledger)?;
        let oldest = ledger.oldest();
        let probe = self.tail.as_ref().zip(oldest).map(|(tail, (at, psn))| (tail.due(at), psn));
        Some(probe.map_or(timeout, |probe| probe.min(timeout)))
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>, _psn: Psn, ledger: &mut Ledger) -> bool {
        match self.waits.deadline(ledger) {
            Some((at, psn)) if at <= cx.now => {
                self.waits.note(psn, ledger);
                self.sack.on_timeout(cx, psn, ledger)
            }
            _ => {
                if let Some(tail) = &mut self.tail {
                    tail.ask(cx.now);
                }
                false
            }
        }
    }

    fn has_given_up(&self) -> bool {
        self.waits.given_up()
    }

    fn poll_probe(&mut self) -> bool {
        self.tail.as_mut().is_some_and(Tail::poll)
    }

    fn on_probe_answered(&mut self, cx: &mut Cx<'_>, ledger: &mut Ledger) {
        if let Some(before) = self.tail.as_mut().and_then(|tail| tail.on_answer(cx.now)) {
            ledger.declare_lost_below(Psn(ledger.next()), before, LossCause::Reordering);
        }
    }

    fn psn_window(&self) -> Option<u32> {
        self.psn_window
    }

    #[inline]
    fn on_data(&mut self, data: &Data, fresh: bool, arrived: &PacketSet) -> Reply {
        self.sack.on_data(data, fresh, arrived)
    }

    fn ack_entropies(&self) -> AckEntropies {
        AckEntropies::Trigger
    }

    fn counts_overtaking(&self) -> bool {
        true
    }

    fn rto(&self) -> Span {
        self.sack.rto()
    }

    /// A packet that is sent for the first time waits for less than one that has timed out.
    fn comes_closer(&self) -> bool {
        self.waits.grow()
    }

    fn longest_wait(&self) -> Span {
        self.waits.longest()
    }

    fn offers(&self, need: Need) -> bool {
        self.sack.offers(need)
    }
}
