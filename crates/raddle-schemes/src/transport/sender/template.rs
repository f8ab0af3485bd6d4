//! What the flows of a run begin with.

use super::{Sender, SenderPlan, packets};
use crate::FlowContext;
use crate::congestion::{self, AnyCongestionControl, CnpPlan, GrantPlan, PullPlan};
use crate::load_balance::host::{self, AnyPathSelector};
use crate::recovery::{self, AckEntropies, AckForm, Coding, RoundTrips};
use crate::rng::Rng;
use crate::transport::arrivals::KEPT;
use crate::transport::pacer::Pacer;
use crate::transport::{Arrivals, Ledger, Receiver};
use crate::units::{Bytes, Span};
use alloc::boxed::Box;

/// The parts of both ends of flows across equally long paths, built once for all of them.
pub struct FlowTemplate {
    paths: host::Template,
    congestion: congestion::Template,
    recovery: recovery::Template,
    rto: Span,
}

/// What a message leaves to the next one of its connection, where connections outlive messages: all
/// that its sender has learned of paths, congestion and round trips, and its pace.
pub struct Connection {
    paths: AnyPathSelector,
    congestion: AnyCongestionControl,
    pacer: Option<Box<Pacer>>,
    round_trips: Option<RoundTrips>,
}

impl Sender {
    /// What is left when the message is complete.
    pub fn into_connection(self) -> Connection {
        let round_trips = self.recovery.learned();
        let Self { paths, congestion, pacer, .. } = self;
        Connection { paths, congestion, pacer, round_trips }
    }
}

impl FlowTemplate {
    /// The parts for flows of this context, but for its source and destination.
    pub fn new(plan: &SenderPlan<'_>, context: &FlowContext) -> Self {
        let recovery = recovery::Template::new(plan.recovery, context);
        let rto = recovery.first().rto();
        let context = &FlowContext { rto, ..*context };
        Self {
            paths: host::Template::new(plan.load_balance, context),
            congestion: congestion::Template::new(plan.congestion, context),
            recovery,
            rto,
        }
    }

    /// The sender of a message of `bytes` application bytes. `rng` is the flow's own stream.
    pub fn sender(&self, context: &FlowContext, bytes: Bytes, rng: Rng) -> Sender {
        self.next_sender(None, context, bytes, rng)
    }

    /// The same for a message that begins with what an earlier one of its connection has left. A
    /// scheme that is in no list begins anew.
    pub fn next_sender(
        &self,
        connection: Option<&Connection>,
        context: &FlowContext,
        bytes: Bytes,
        rng: Rng,
    ) -> Sender {
        let total = packets(bytes, context.payload);
        let mut recovery = self.recovery.make(context);
        if let Some(learned) = connection.and_then(|left| left.round_trips.as_ref()) {
            recovery.begin_with(learned);
        }
        let context = &FlowContext { rto: self.rto, ..*context };
        let last = bytes.0 - u64::from(total - 1) * context.payload.0 + context.header.0;
        let mut congestion = match connection.and_then(|left| left.congestion.copy()) {
            Some(mut congestion) => {
                congestion.begin_message();
                congestion
            }
            None => self.congestion.make(context),
        };
        congestion.on_message(bytes);
        let paths = match connection.and_then(|left| left.paths.copy()) {
            Some(mut paths) => {
                paths.begin_message();
                paths
            }
            None => {
                let mut paths = self.paths.make(context);
                paths.begin(context);
                paths
            }
        };
        let mut ledger = match recovery.coding() {
            Coding::None => Ledger::new(total, context.packet(), Bytes(last)),
            Coding::AnyOf => Ledger::coded(total, context.packet()),
        };
        let mut most = recovery.psn_window().unwrap_or(u32::MAX);
        if let AckForm::Expected { span } = recovery.ack_form() {
            ledger = ledger.in_order(span);
            most = span;
        }
        if let Some(grants) = congestion.grants() {
            ledger.grant(grants.window, most);
        }
        if congestion.pulls().is_some() || congestion.grants().is_some() {
            recovery.on_receiver_paced();
        }
        if let Some(span) = recovery.psn_window() {
            ledger.allow_span(span);
        }
        if recovery.counts_overtaking() {
            ledger = ledger.counting_overtaking();
        }
        ledger.gap = context.gap.0 as u16;
        let carries = recovery.ack_entropies() == AckEntropies::Carry;
        Sender {
            ledger,
            arrivals: Arrivals::keeping(if carries { KEPT } else { 0 }),
            window: congestion.limits().window,
            rng,
            pacer: connection
                .and_then(|left| left.pacer.as_ref())
                .map(|pacer| Box::new(pacer.handed_on())),
            congestion,
            paths,
            recovery,
        }
    }

    /// How receivers pace the senders, if they do.
    pub fn pulls(&self) -> Option<PullPlan> {
        self.congestion.first().pulls()
    }

    /// How receivers grant messages, if they do.
    pub fn grants(&self) -> Option<GrantPlan> {
        self.congestion.first().grants()
    }

    /// How receivers notify of marked packets, if they do beside their ACKs.
    pub fn cnps(&self) -> Option<CnpPlan> {
        self.congestion.first().cnps()
    }

    /// The receiver of a message of `total` packets.
    pub fn receiver(&self, context: &FlowContext, total: u32) -> Receiver {
        Receiver::of(total, self.recovery.make(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Plugin;
    use crate::ids::{Entropy, Psn};
    use crate::load_balance::host::{Outgoing, PathSelector, reps};
    use crate::recovery::sack;
    use crate::transport::sender::AckHeader;
    use crate::transport::{Data, Receiver};
    use crate::units::{Rate, Time};
    use crate::{Card, Cx};
    use alloc::boxed::Box;
    use alloc::vec;
    use alloc::vec::Vec;

    fn template(load_balance: &host::Config, congestion: &congestion::Config) -> FlowTemplate {
        let recovery = &recovery::Config::Sack(sack::Config::default());
        FlowTemplate::new(&SenderPlan { load_balance, congestion, recovery }, &FlowContext::NOMINAL)
    }

    /// A message of these packets, from its first packet to its last ACK. Returns their entropies and
    /// what it has left.
    fn message(
        template: &FlowTemplate,
        left: Option<&Connection>,
        packets: u32,
        marked: bool,
    ) -> (Vec<u16>, Connection) {
        let context = &FlowContext::NOMINAL;
        let bytes = Bytes(u64::from(packets) * context.payload.0);
        let mut sender = template.next_sender(left, context, bytes, Rng::new(1, "flow", 0));
        let mut receiver: Receiver = template.receiver(context, packets);
        let mut entropies = Vec::new();
        while !sender.complete() {
            let Some(sent) = sender.poll_transmit(Time::ZERO, &mut ()) else { break };
            entropies.push(sent.entropy.0);
            let received = receiver.on_data(&Data {
                at: Time::ZERO,
                psn: sent.psn,
                entropy: sent.entropy,
                marked,
                trimmed: false,
                again: sent.again,
                ack_request: sent.ack_request,
            });
            received.arrival.into_iter().for_each(|entry| sender.on_arrival(entry));
            let upto = receiver.arrived().count();
            let ack = AckHeader {
                upto,
                entropy: sent.entropy,
                marked,
                duplicate: false,
                hops: &[],
                circuit: false,
            };
            sender.on_ack(Time::ZERO, &ack, &mut ());
        }
        assert!(sender.complete());
        (entropies, sender.into_connection())
    }

    #[test]
    fn the_next_message_of_a_connection_goes_on_with_its_paths_and_window() {
        let dctcp = congestion::Config::named("mprdma_dctcp").unwrap();
        let template = template(&host::Config::Reps(reps::Config::default()), &dctcp);
        let (first, left) = message(&template, None, 3, false);
        let (second, left) = message(&template, Some(&left), 3, true);
        assert_eq!(second[0], first[2], "the entropy of the last clean ACK");
        let window = left.congestion.limits().window;
        assert!(window < template.congestion.first().limits().window);
        let context = &FlowContext::NOMINAL;
        let rng = Rng::new(1, "flow", 1);
        assert_eq!(template.next_sender(Some(&left), context, Bytes(1), rng).window, window);
    }

    #[test]
    fn slots_of_a_pace_go_on_from_message_to_message() {
        use crate::congestion::fixed_rate::{Config, Pace};
        let pace = Config { rate: Pace::At(Rate::gbps(10)), ..Config::default() };
        let ops = host::Config::named("ops").unwrap();
        let template = template(&ops, &congestion::Config::FixedRate(pace));
        let (_, left) = message(&template, None, 1, false);
        let context = &FlowContext::NOMINAL;
        let rng = Rng::new(1, "flow", 1);
        let mut next = template.next_sender(Some(&left), context, Bytes(1), rng);
        next.begin_slots(Time::ZERO, (0, 1, 0), &mut ());
        let slot = Time(Rate::gbps(10).serialisation(context.packet()).0);
        assert_eq!(next.paced_until(Time::ZERO), Some(slot));
    }

    /// Counts its packets.
    struct Counter(u16);

    impl PathSelector for Counter {
        fn next_path(&mut self, _cx: &mut Cx<'_>, packet: &Outgoing) -> Entropy {
            assert!(packet.psn >= Psn(0));
            self.0 += 1;
            Entropy(self.0)
        }
    }

    #[test]
    fn a_scheme_that_is_in_no_list_begins_anew() {
        const CARD: Card = Card {
            name: "counter",
            title: "Counter",
            paper: "none",
            needs: &[],
            summary: "Counts its packets.",
        };
        let counter = Plugin::new(&CARD, |_: &FlowContext| Box::new(Counter(0)) as _);
        let dctcp = congestion::Config::named("mprdma_dctcp").unwrap();
        let template = template(&host::Config::Custom(counter), &dctcp);
        let (first, left) = message(&template, None, 2, false);
        assert_eq!((first, message(&template, Some(&left), 2, false).0), (vec![1, 2], vec![1, 2]));
    }
}
