//! Ideal erasure coding: any m distinct packets complete a message of m packets.
//!
//! The load-balancing study's ideal recovery, which takes recovery out of the comparison: a code
//! without overhead, whose receiver needs no particular packet. Every packet is a new symbol; the
//! receiver acknowledges each. After m symbols the sender sends more only while acknowledged + in
//! flight is less than m (spec 3.2.1, step 2), so that no symbol is sent for nothing near the end.
//!
//! Reading: the study does not say when a symbol counts as lost. Here: when it is not acknowledged
//! within the unloaded round trip of its flow and the time to drain 5 full queues, its path's
//! worst (spec 3.2); never where queues have no limit and links no faults, since nothing is lost there
//! and a long queue would pass for a loss. The ACK of a symbol that counted as lost counts in full.

use super::{AckEntropies, AckNews, Coding, Recovery};
use crate::congestion::LossCause;
use crate::family::{Need, Parameter, ParameterError, Raw, check_range};
use crate::ids::Psn;
use crate::transport::ledger::TIME_LIMIT;
use crate::transport::receiver::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::Span;
use crate::{Card, Cx, FlowContext};
use alloc::string::{String, ToString};

/// What `raddle schemes erasure` says.
pub const CARD: Card = Card {
    name: "erasure",
    title: "Ideal erasure coding",
    paper: "Load balancing for AI training (OFAN), section 3: ideal loss recovery",
    needs: &[],
    summary: "Any m packets complete a message of m; for comparing load balancers alone.",
};

/// When a symbol that is not acknowledged counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// After the flow's unloaded round trip and the time to drain 5 full queues; never if queues
    /// have no limit and there are no faults.
    Auto,
    /// Never, unless a NACK says so.
    Never,
    /// After this long.
    After(Span),
}

impl Parameter for Timeout {
    const KIND: &'static str = Span::KIND;
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match raw {
            Raw::Text("auto") => Ok(Self::Auto),
            Raw::Text("never") => Ok(Self::Never),
            other => {
                let after = Span::read(other)?;
                check_range(&after, &(Span(1)..))?;
                Ok(Self::After(after))
            }
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Auto => "\"auto\"".to_string(),
            Self::Never => "\"never\"".to_string(),
            Self::After(span) => span.show(),
        }
    }
}

crate::parameters! {
    /// Parameters of `erasure`.
    pub struct Config {
        /// A symbol not acknowledged for so long counts as lost; `auto` is the unloaded round trip
        /// plus the time to drain 5 full queues (46.25 us in the study), and `never` where queues
        /// are unlimited and there are no faults.
        pub timeout: Timeout = Timeout::Auto;
    }
}

/// One end's state: none but a constant.
#[derive(Clone, Debug)]
pub struct Erasure {
    timeout: Span,
}

/// Nothing is in flight for longer than a run can last.
const NEVER: Span = Span(TIME_LIMIT.0);

/// Full queues on the way, in the timeout.
const QUEUES: u64 = 5;

impl Erasure {
    /// State of one end of a flow.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let timeout = match config.timeout {
            Timeout::After(span) => span,
            Timeout::Never => NEVER,
            Timeout::Auto => context.drain.map_or(NEVER, |drain| {
                Span(context.base_rtt.0.saturating_add(drain.0.saturating_mul(QUEUES)))
            }),
        };
        Self { timeout: timeout.min(NEVER) }
    }
}

impl Recovery for Erasure {
    #[inline]
    fn on_ack(&mut self, _cx: &mut Cx<'_>, _news: &AckNews, _ledger: &mut Ledger) {}

    fn on_nack(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        ledger.declare_lost(psn, LossCause::Trim);
    }

    fn on_timeout(&mut self, _cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) -> bool {
        ledger.declare_lost(psn, LossCause::Timeout);
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
        self.timeout
    }

    fn coding(&self) -> Coding {
        Coding::AnyOf
    }

    fn offers(&self, need: Need) -> bool {
        matches!(need, Need::OutOfOrder | Need::PacketAcks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::{self, fixed_rate};
    use crate::family::Parameters;
    use crate::ids::Entropy;
    use crate::load_balance::host;
    use crate::recovery;
    use crate::rng::Rng;
    use crate::transport::sender::AckHeader;
    use crate::transport::{Receiver, Sender, SenderPlan};
    use crate::units::{Bytes, Time};
    use std::vec::Vec;

    fn timeout(config: Timeout, drain: Option<Span>) -> Span {
        let context = FlowContext { base_rtt: Span(6_253_320), drain, ..FlowContext::NOMINAL };
        Erasure::new(&Config { timeout: config }, &context).rto()
    }

    #[test]
    fn the_timeout_follows_the_buffer() {
        assert_eq!(timeout(Timeout::Auto, Some(Span::us(8))), Span(46_253_320), "the study's");
        assert_eq!(timeout(Timeout::Auto, None), NEVER);
        assert_eq!(timeout(Timeout::Never, Some(Span::us(8))), NEVER);
        assert_eq!(timeout(Timeout::After(Span::us(9)), None), Span::us(9));
    }

    #[test]
    fn words_and_times_are_read_and_shown() {
        let mut config = Config::default();
        for (text, timeout) in [
            ("never", Timeout::Never),
            ("46.25 us", Timeout::After(Span::ns(46_250))),
            ("auto", Timeout::Auto),
        ] {
            assert_eq!(config.set("timeout", Raw::Text(text)), Ok(()));
            assert_eq!(config.timeout, timeout);
            let shown = timeout.show();
            assert_eq!(Timeout::read(Raw::Text(shown.trim_matches('"'))), Ok(timeout));
        }
        assert!(config.set("timeout", Raw::Text("soon")).is_err());
        let refused = ParameterError::Value("expected at least \"1 ps\"".into());
        assert_eq!(config.set("timeout", Raw::Text("0 ns")), Err(refused));
    }

    /// Both ends of a message of `total` packets; the test is the network.
    struct Flow {
        sender: Sender,
        receiver: Receiver,
        now: Time,
    }

    const TIMEOUT: Span = Span::us(50);

    impl Flow {
        fn new(total: u64) -> Self {
            let paths = host::Config::named("ops").unwrap();
            let config = Config { timeout: Timeout::After(TIMEOUT) };
            let plan = SenderPlan {
                load_balance: &paths,
                congestion: &congestion::Config::FixedRate(fixed_rate::Config::default()),
                recovery: &recovery::Config::Erasure(config),
            };
            let context = &FlowContext::NOMINAL;
            // A short last packet: symbols are full all the same.
            let bytes = Bytes((total - 1) * context.payload.0 + 1);
            let sender = Sender::new(&plan, context, bytes, Rng::new(1, "flow", 0));
            let receiver = Receiver::new(total as u32, plan.recovery, context);
            Self { sender, receiver, now: Time::ZERO }
        }

        fn send_all(&mut self) -> Vec<u32> {
            let mut sent = Vec::new();
            while let Some(packet) = self.sender.poll_transmit(self.now, &mut ()) {
                assert_eq!((packet.bytes, packet.again), (Bytes(4160), false));
                sent.push(packet.psn.0);
            }
            sent
        }

        /// A symbol arrives. Returns the header of its ACK, and whether the message is complete.
        fn arrive(&mut self, psn: u32) -> (AckHeader<'static>, bool) {
            let data = Data {
                at: Time::ZERO,
                psn: Psn(psn),
                entropy: Entropy(0),
                marked: false,
                trimmed: false,
                again: false,
                ack_request: false,
            };
            let received = self.receiver.on_data(&data);
            assert_eq!(received.reply, Reply::Ack);
            received.arrival.into_iter().for_each(|entry| self.sender.on_arrival(entry));
            let upto = self.receiver.arrived().count();
            let ack = AckHeader {
                upto,
                entropy: Entropy(0),
                marked: false,
                duplicate: false,
                hops: &[],
                circuit: false,
            };
            (ack, received.completed)
        }

        fn deliver(&mut self, psn: u32) -> bool {
            let (ack, completed) = self.arrive(psn);
            self.sender.on_ack(self.now, &ack, &mut ());
            completed
        }
    }

    #[test]
    fn any_symbols_complete_the_message_and_each_lost_one_is_replaced_once() {
        let mut flow = Flow::new(10);
        assert_eq!(flow.send_all(), Vec::from_iter(0..10));
        assert!([1, 2, 4, 5, 6, 8, 9].map(|psn| flow.deliver(psn)).iter().all(|done| !done));
        assert_eq!(flow.send_all(), [], "seven arrived and three in flight");
        flow.now = Time::ZERO + TIMEOUT;
        assert_eq!(flow.sender.on_timeout(flow.now, &mut ()), 3);
        assert_eq!(flow.send_all(), [10, 11, 12]);
        assert!(!flow.deliver(12));
        assert!(!flow.deliver(3), "later than the timeout, and not too late");
        assert!(flow.deliver(10), "the tenth");
        assert!(flow.sender.complete());
        assert_eq!((flow.sender.counts().sent, flow.sender.counts().retransmitted), (13, 0));
    }

    #[test]
    fn the_last_ack_tells_of_symbols_whose_own_acks_were_lost() {
        let mut flow = Flow::new(4);
        flow.send_all();
        assert!(!flow.arrive(2).1 && !flow.arrive(0).1 && !flow.arrive(1).1);
        assert!(flow.deliver(3) && flow.sender.complete());
    }
}
