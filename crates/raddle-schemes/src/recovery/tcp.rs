//! TCP's loss recovery, as simulators have it and as hosts have it.
//!
//! Every packet is acknowledged, and ACKs tell of all that have arrived, as SACK does without its
//! limit of blocks. What is in flight is RFC 6675's pipe: packets sent, less those that have arrived
//! and those found lost. So a packet that has overtaken others lets a new one go before anything is
//! found lost, which is limited transmit (RFC 3042).
//!
//! - `ns3`: a packet that three later ones have overtaken is lost (RFC 6675). One that was sent again is
//!   not found lost again: it waits for the timeout. An ACK for some of what was under way when the
//!   loss was found, with nothing else left to send, repeats the first missing packet.
//! - `modern`: a packet is lost when one that was sent later has arrived and the round trip of that
//!   one, and some time for reordering, have passed since it left (RACK, RFC 8985), however often it
//!   was sent. Where ACKs stop, the newest packet goes again after two round trips, as a probe.
//!
//! Both send by proportional rate reduction while they recover (PRR with slow start reduction bound,
//! RFC 6937): the window, cut at once, is where they are to arrive. It rules wherever the congestion
//! control answers a loss by its window; paces and receivers' credits go on as they are. The timeout is
//! RFC 6298's, doubled each time it runs out until a packet that was sent once is acknowledged
//! (Karn), and finds lost all that is in flight, with RACK all that is overdue.
//!
//! Reading, where RFCs leave a choice:
//! - Each ACK of a packet that was sent once is a sample of the round trip.
//! - The timer starts anew when the first missing packet becomes another one or is sent again, as in
//!   Linux.
//! - Before the first sample the timeout is what a handshake on an idle path would leave: thrice the
//!   unloaded round trip, `min_rto` at least.
//! - The probe repeats the newest packet also where a new one is left: what may be sent is the
//!   congestion control's affair. Receivers that pace their senders see to the last packets
//!   themselves: then there is no probe.
//! - The reordering timer runs for the first packet that is not overdue yet, not for the last.

use super::{AckEntropies, AckNews, Answered, Recovery, RoundTrips};
use crate::congestion::LossCause;
use crate::family::{Conflict, Need};
use crate::ids::Psn;
use crate::probe::Probes;
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::{Bytes, Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::sync::Arc;
use alloc::vec::Vec;

mod prr;
mod rack;
mod round_trips;
mod rules;

use prr::Prr;
use rack::Rack;
pub use rules::RULES;

/// What `raddle schemes tcp` says.
pub const CARD: Card = Card {
    name: "tcp",
    title: "TCP's loss recovery",
    paper: "RFC 6675, 6937, 6298 (2011 to 2013); Cheng et al., RACK-TLP, RFC 8985, 2021",
    needs: &[],
    summary: "Selective acknowledgements, proportional rate reduction, a timeout that follows round \
              trips. What goes with TCP's congestion controls: it holds behind deep queues.",
};

crate::words! {
    /// Whose way of finding losses.
    pub enum Profile {
        /// That of ns-3: three later packets, no RACK, no probe.
        Ns3 = "ns3",
        /// That of hosts: RACK and a probe for the tail.
        Modern = "modern",
    }
}

crate::parameters! {
    /// Parameters of `tcp`.
    pub struct Config {
        /// How losses are found: `modern`, by RACK and a tail loss probe, or `ns3`, by three later
        /// packets.
        pub profile: Profile = Profile::Modern;
        /// Shortest retransmission timeout. The default is that of ABM, Credence and DCTCP's
        /// deployments; hosts have 200 ms unless they are told otherwise.
        pub min_rto: Span = Span::ms(10), in Span(1)..;
        /// The timeout before the first round trip is known; `auto` is three unloaded round trips, and
        /// `min_rto` at least.
        pub initial_rto: Option<Span> = None, in Span(1)..;
        /// Doublings end at this timeout; `auto` is 64 times `min_rto`, as many doublings as ns-3 has
        /// retries.
        pub max_rto: Option<Span> = None, in Span(1)..;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    let below = config.max_rto.is_some_and(|most| most < config.min_rto);
    below.then_some(Conflict::Exceeds("min_rto", "max_rto")).into_iter().collect()
}

/// Later packets that tell a loss (DupThresh).
const DUPLICATES: u32 = 3;

/// Doublings of the shortest timeout, unless there is a longest.
const DOUBLINGS: u32 = 6;

/// What a sender is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing is known to be lost.
    Open,
    /// Something was found lost, and not all that was under way then has arrived.
    Recovery,
    /// The same after a timeout.
    Loss,
}

/// One end's state.
#[derive(Clone, Debug)]
pub struct Tcp {
    constants: Arc<Constants>,
    trips: Option<RoundTrips>,
    /// How often the timeout was doubled.
    doublings: u32,
    /// When the timer last started anew, and its timeout then.
    since: Time,
    timeout: Span,
    /// The first missing packet at the last ACK.
    una: u32,
    /// How many packets had arrived by then.
    heard: u32,
    stage: Stage,
    /// The stage ends when all packets below this one have arrived.
    point: u32,
    /// Bytes that the present ACK is the first to acknowledge.
    delivered: Bytes,
    prr: Option<Prr>,
    /// A packet leaves whatever the window, unless one has since so many transmissions.
    forced: Option<u64>,
    receiver_paced: bool,
    /// All packets below this one that were sent once have been found lost.
    examined: u32,
    rack: Rack,
    /// A probe is out; of all packets below this one it was the newest.
    probe: Option<u32>,
}

/// What flows across equally long paths share.
#[derive(Debug)]
struct Constants {
    profile: Profile,
    min_rto: Span,
    initial_rto: Span,
    max_rto: Span,
}

impl Tcp {
    /// State of one end of a flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let min_rto = config.min_rto;
        let auto = min_rto.max(Span(context.base_rtt.0.saturating_mul(3)));
        let initial_rto = config.initial_rto.unwrap_or(auto);
        let most = Span(min_rto.0.saturating_mul(1 << DOUBLINGS));
        let max_rto = config.max_rto.unwrap_or(most);
        let constants = Constants { profile: config.profile, min_rto, initial_rto, max_rto };
        Self {
            constants: Arc::new(constants),
            trips: None,
            doublings: 0,
            since: Time::ZERO,
            timeout: initial_rto,
            una: 0,
            heard: 0,
            stage: Stage::Open,
            point: 0,
            delivered: Bytes(0),
            prr: None,
            forced: None,
            receiver_paced: false,
            examined: 0,
            rack: Rack::default(),
            probe: None,
        }
    }

    fn is_modern(&self) -> bool {
        self.constants.profile == Profile::Modern
    }

    /// RFC 6298, 2.2 to 2.5 and 5.5.
    fn present_timeout(&self) -> Span {
        let Constants { min_rto, initial_rto, max_rto, .. } = *self.constants;
        let own = self.trips.map_or(initial_rto, |trips| trips.timeout().max(min_rto));
        let doubled =
            own.0.checked_shl(self.doublings).filter(|long| long >> self.doublings == own.0);
        Span(doubled.unwrap_or(u64::MAX)).min(max_rto.max(own))
    }

    fn restart(&mut self, now: Time) {
        self.since = now;
        self.timeout = self.present_timeout();
    }

    /// The first missing packet may have left after the last start, and is about to be sent again: the
    /// timer goes on from where it began.
    fn hold(&mut self, ledger: &Ledger) {
        self.since = self.began(ledger);
    }

    fn began(&self, ledger: &Ledger) -> Time {
        ledger.sent_at(Psn(ledger.low())).map_or(self.since, |sent| sent.max(self.since))
    }

    /// Something was found lost.
    fn enter(&mut self, ledger: &Ledger) {
        if self.stage == Stage::Open {
            self.stage = Stage::Recovery;
            self.point = ledger.next();
            self.probe = None;
        }
    }

    fn leave_when_due(&mut self, ledger: &Ledger) {
        if self.stage != Stage::Open && ledger.low() >= self.point {
            self.stage = Stage::Open;
            self.prr = None;
            self.rack.recovered();
        }
    }

    /// Finds losses, and when to look again.
    fn look(&mut self, now: Time, ledger: &mut Ledger) {
        let before = ledger.in_flight();
        if self.is_modern() {
            let certain =
                self.stage != Stage::Open || self.heard.saturating_sub(ledger.low()) >= DUPLICATES;
            self.rack.look(now, certain, self.trips.as_ref(), ledger);
        } else if ledger.high() > ledger.low() {
            let end = ledger.overtaken_by(DUPLICATES);
            if end > self.examined {
                ledger.declare_once_sent_lost(self.examined..end, LossCause::Reordering);
                self.examined = end;
            }
        }
        if ledger.in_flight() < before {
            self.enter(ledger);
        }
    }

    /// RFC 8985, 7.4: without a duplicate ACK the probe has repaired a loss, once it is known that all
    /// before it has arrived.
    fn hear_of_probe(&mut self, news: &AckNews, ledger: &mut Ledger) {
        let Some(end) = self.probe else { return };
        if news.duplicate {
            self.probe = None;
        } else if ledger.low() > end {
            self.probe = None;
            ledger.note_repaired(Psn(end - 1), LossCause::Reordering);
        }
    }

    /// When the newest packet goes again as a probe (RFC 8985, 7.2 and 7.3).
    fn probe_at(&self, ledger: &Ledger) -> Option<Time> {
        let idle = self.stage == Stage::Open && self.probe.is_none() && !self.receiver_paced;
        if !self.is_modern() || !idle || self.heard > ledger.low() {
            return None;
        }
        let newest = ledger.sent_at(Psn(ledger.next().checked_sub(1)?))?;
        let trips = self.trips?;
        let at = newest.max(self.since) + Span(trips.smoothed.0.saturating_mul(2));
        Some(at.min(self.began(ledger) + self.timeout))
    }

    /// The size of the first missing packet, which goes first.
    fn next_size(ledger: &Ledger) -> Bytes {
        ledger.size(Psn(ledger.low()))
    }

    /// Lets the packet that is due leave whatever the window.
    fn force(&mut self, ledger: &Ledger) {
        self.forced = (!self.receiver_paced).then(|| ledger.transmissions());
    }

    /// The timeout has run out (RFC 6298, 5.4 to 5.6; RFC 8985, 6.3).
    fn run_out(&mut self, now: Time, head: Psn, ledger: &mut Ledger) {
        let found = self.is_modern() && {
            let trips = self.trips.as_ref();
            self.rack.run_out(now, self.stage != Stage::Open, trips, head, ledger)
        };
        if !found {
            ledger.declare_all_lost(LossCause::Timeout);
        }
        self.stage = Stage::Loss;
        self.point = ledger.next();
        self.prr = None;
        self.probe = None;
        self.doublings = self.doublings.saturating_add(1).min(u64::BITS - 1);
        self.restart(now);
        self.force(ledger);
    }
}

impl Recovery for Tcp {
    fn probes(&self, to: &mut dyn Probes) {
        let smoothed = self.trips.map_or(Span::ZERO, |trips| trips.smoothed);
        to.span("smoothed_rtt", smoothed);
        to.span("timeout", self.timeout);
        to.flag("recovering", self.stage != Stage::Open);
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, news: &AckNews, ledger: &mut Ledger) {
        if let Some(rtt) = news.rtt {
            self.trips = Some(RoundTrips::after(self.trips, rtt));
            self.doublings = 0;
        }
        (self.heard, self.delivered) = (news.heard, news.bytes);
        let advanced = ledger.low() > self.una;
        if advanced {
            self.una = ledger.low();
            self.restart(cx.now);
        } else {
            self.hold(ledger);
        }
        if self.is_modern() {
            self.rack.hear(cx.now, news, self.trips.as_ref(), ledger);
            self.hear_of_probe(news, ledger);
        }
        self.leave_when_due(ledger);
        self.look(cx.now, ledger);
        let partial = advanced && self.stage == Stage::Recovery && !self.receiver_paced;
        if partial && !self.is_modern() && ledger.due().is_none() {
            ledger.repeat(Psn(ledger.low()));
        }
        if let Some(prr) = &mut self.prr {
            prr.on_ack(news.bytes, ledger);
        }
    }

    fn on_answered(&mut self, _cx: &mut Cx<'_>, answered: &Answered, ledger: &Ledger) {
        let Answered { cause, before, after } = *answered;
        let cut = after < before && cause != LossCause::Timeout;
        if !cut || self.stage != Stage::Recovery || self.receiver_paced {
            return;
        }
        match &mut self.prr {
            Some(prr) => prr.aim_at(after),
            None => self.prr = Some(Prr::begin(after, self.delivered, ledger)),
        }
    }

    fn allowance(&self, window: Bytes, ledger: &Ledger) -> Option<Bytes> {
        // With nothing in flight no ACK will come to let another leave: a loss that a timer finds may
        // take the last one.
        let least = if ledger.in_flight() == Bytes(0) { Self::next_size(ledger) } else { Bytes(0) };
        let own = self.prr.as_ref().map(|prr| prr.window().max(least));
        if self.forced.is_some_and(|sent| sent == ledger.transmissions()) {
            let one_more = ledger.in_flight() + Self::next_size(ledger);
            return Some(own.unwrap_or(window).max(one_more));
        }
        own
    }

    fn on_receiver_paced(&mut self) {
        self.receiver_paced = true;
    }

    fn begin_with(&mut self, learned: &RoundTrips) {
        self.trips = Some(*learned);
        self.timeout = self.present_timeout();
    }

    fn learned(&self) -> Option<RoundTrips> {
        self.trips
    }

    fn on_nack(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        self.hold(ledger);
        self.delivered = Bytes(0);
        if ledger.declare_lost(psn, LossCause::Trim) {
            self.enter(ledger);
        }
        self.look(cx.now, ledger);
    }

    fn on_resend(&mut self, cx: &mut Cx<'_>, psn: Psn, before: Time, ledger: &mut Ledger) {
        self.hold(ledger);
        self.delivered = Bytes(0);
        let in_flight = ledger.in_flight();
        ledger.declare_run_lost(psn, before, LossCause::Nack);
        if ledger.in_flight() < in_flight {
            self.enter(ledger);
        }
        self.look(cx.now, ledger);
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) -> bool {
        self.delivered = Bytes(0);
        if self.rack.reorder_at().is_some_and(|at| at <= cx.now) {
            self.hold(ledger);
            self.look(cx.now, ledger);
            return false;
        }
        if self.probe_at(ledger).is_some_and(|at| at <= cx.now) {
            ledger.repeat(Psn(ledger.next() - 1));
            self.probe = Some(ledger.next());
            self.look(cx.now, ledger);
            self.restart(cx.now);
            self.force(ledger);
            return false;
        }
        self.run_out(cx.now, psn, ledger);
        true
    }

    #[inline]
    fn on_data(&mut self, data: &Data, _fresh: bool, arrived: &PacketSet) -> Reply {
        if data.trimmed && !arrived.has(data.psn) { Reply::Nack } else { Reply::Ack }
    }

    fn ack_entropies(&self) -> AckEntropies {
        AckEntropies::Trigger
    }

    fn rto(&self) -> Span {
        self.constants.initial_rto
    }

    fn longest_wait(&self) -> Span {
        self.constants.max_rto.max(self.constants.initial_rto)
    }

    fn comes_closer(&self) -> bool {
        true
    }

    fn deadline(&self, ledger: &mut Ledger) -> Option<(Time, Psn)> {
        if ledger.in_flight() == Bytes(0) {
            return None;
        }
        let rto = self.began(ledger) + self.timeout;
        let sooner = [self.rack.reorder_at(), self.probe_at(ledger)];
        let at = sooner.into_iter().flatten().fold(rto, Time::min);
        Some((at, Psn(ledger.low())))
    }

    fn offers(&self, need: Need) -> bool {
        matches!(need, Need::OutOfOrder | Need::PacketAcks)
    }
}

#[cfg(test)]
mod tests;
