//! NDP: the receiver pulls packet by packet, and switches trim what finds no room.
//!
//! Handley et al., Re-architecting datacenter networks and stacks for low latency and high
//! performance, SIGCOMM 2017, section 3. A sender sends a first window at line rate. From then on each
//! packet or trimmed header that arrives adds one pull to a queue of its receiver, which serves its
//! messages in turn at the rate of its link; a pull lets one packet go, what was trimmed before what
//! was never sent. The machinery is that of [`eqds`](super::eqds), in NDP's measures: one packet a
//! pull, the whole rate of the link, and never more on its way than the first window.
//!
//! Readings:
//! - A timeout sends its packet again at once, without a pull (section 3.2; htsim's `NdpSrc`), and so
//!   does any other loss that a recovery finds: the receiver saw nothing, so nothing is pulled for it.
//! - Pulls count from the start of the message, so that one makes up for lost ones before it (section
//!   3.2). Where the last one is lost a sender asks for it after `retry`, as in EQDS; NDP's would
//!   rely on a timeout of a packet that is not on its way.
//! - Headers that find no room are dropped and not returned to their sender (section 3.2.4); a timeout
//!   makes up for them.
//! - The first window is 20 packets, that of the studies of rotor fabrics; theirs of static fabrics
//!   have 30. NDP's authors size it to fill the path: it is what a message may have on its way.
//! - `pacer = "flow"` is that of the public simulator of these studies, which has a pacer for each
//!   flow; NDP has one for each host.
//! - The switch's part is the fabric's: `overflow = "trim"`, and headers before data by 10 to 1
//!   (`control_weight = 10`, section 3.1). The paper's timeout is 1 ms (`rto = "1 ms"` of the recovery).

use super::eqds::{Eqds, packets};
use super::{Ack, CongestionControl, Limits, Loss, LossCause, PullPlan};
use crate::probe::Probes;
use crate::size::{SOME, Size};
use crate::units::{Bytes, Span, Time};
use crate::{Card, Cx, FlowContext, Need};
use serde::Serialize;

/// What `raddle schemes ndp` says.
pub const CARD: Card = Card {
    name: "ndp",
    title: "NDP, pulls by the packet",
    paper: "Handley et al., Re-architecting datacenter networks and stacks for low latency and high \
            performance, SIGCOMM 2017",
    needs: &[Need::Trimming],
    summary: "A first window at line rate, then a pull for each packet or trimmed header that \
              arrives, at the rate of the receiver's link. Its first window has to fill the path.",
};

crate::words! {
    /// Whose pulls have a pace in common.
    pub enum Pacer {
        /// Those of a receiving host.
        Host = "host",
        /// Those of a message.
        Flow = "flow",
    }
}

crate::parameters! {
    /// Parameters of NDP.
    pub struct Config {
        /// What a sender sends without a pull, and the most that it has on its way; at least one packet.
        pub initial_window: Size = Size::Packets(20.0), in SOME;
        /// The pace of pulls, as a share of the receiver's link.
        pub pull_rate: f64 = 1.0, in 0.01..=1.0;
        /// Packets that one pull lets go.
        pub packets_per_pull: u32 = 1, in 1..=1024;
        /// Whose pulls have that pace together: those of a host, or each flow's by themselves.
        pub pacer: Pacer = Pacer::Host;
        /// A sender that got no pull and no ACK for this long asks for one; `auto` is the
        /// retransmission timeout.
        pub retry: Option<Span> = None, in Span(1)..;
    }
}

/// The sending end.
#[derive(Clone, Debug, Serialize)]
pub struct Ndp(Eqds);

impl Ndp {
    /// A sender with its first window.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let window = packets(config.initial_window, context);
        let plan = PullPlan {
            unsolicited: window,
            outstanding: window,
            packets_per_pull: config.packets_per_pull,
            rate_share: config.pull_rate,
            paced_alone: config.pacer == Pacer::Flow,
        };
        let retry = config.retry.unwrap_or(context.rto);
        Self(Eqds::beginning(plan, context.packet().0 as u32, context.base_rtt, retry))
    }
}

impl CongestionControl for Ndp {
    fn probes(&self, to: &mut dyn Probes) {
        self.0.probes(to);
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        self.0.on_ack(cx, ack);
    }

    /// What was trimmed waits for a pull, what vanished does not.
    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        match loss.cause {
            LossCause::Trim => self.0.on_loss(cx, loss),
            _ => self.0.resend(loss.packets, loss.in_flight),
        }
    }

    fn on_sent(&mut self, cx: &mut Cx<'_>, bytes: Bytes) {
        self.0.on_sent(cx, bytes);
    }

    fn on_credit(&mut self, cx: &mut Cx<'_>, count: u32) {
        self.0.on_credit(cx, count);
    }

    fn begin_message(&mut self) {
        self.0.begin_message();
    }

    fn next_timer(&self) -> Option<Time> {
        self.0.next_timer()
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        self.0.on_timer(cx);
    }

    fn poll_request(&mut self) -> Option<u32> {
        self.0.poll_request()
    }

    fn pulls(&self) -> Option<PullPlan> {
        self.0.pulls()
    }

    fn limits(&self) -> Limits {
        self.0.limits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const PACKET: u64 = 4160;

    fn flow() -> Ndp {
        Ndp::new(&Config::default(), &FlowContext::NOMINAL)
    }

    fn at<T>(flow: &mut Ndp, us: u64, call: impl FnOnce(&mut Ndp, &mut Cx<'_>) -> T) -> T {
        let mut rng = Rng::new(1, "flow", 0);
        call(flow, &mut Cx { now: Time(us * 1_000_000), rng: &mut rng, events: &mut () })
    }

    fn lose(flow: &mut Ndp, cause: LossCause, in_flight: u64) {
        let (bytes, in_flight) = (Bytes(PACKET), Bytes(in_flight * PACKET));
        let loss = Loss { bytes, packets: 1, cause, in_flight, next_new: 0 };
        at(flow, 9, |flow, cx| flow.on_loss(cx, &loss));
    }

    #[test]
    fn a_pull_lets_one_packet_go_and_the_window_never_grows() {
        let mut flow = flow();
        assert_eq!(flow.limits().window, Bytes(20 * PACKET));
        let plan = flow.pulls().unwrap();
        assert_eq!((plan.unsolicited, plan.outstanding, plan.packets_per_pull), (20, 20, 1));
        assert_eq!((plan.rate_share, plan.paced_alone), (1.0, false));
        (0..20).for_each(|_| at(&mut flow, 0, |flow, cx| flow.on_sent(cx, Bytes(PACKET))));
        at(&mut flow, 8, |flow, cx| flow.on_credit(cx, 1));
        assert_eq!(flow.limits().window, Bytes(21 * PACKET));
    }

    #[test]
    fn what_was_trimmed_waits_for_a_pull_and_what_timed_out_does_not() {
        let mut flow = flow();
        (0..20).for_each(|_| at(&mut flow, 0, |flow, cx| flow.on_sent(cx, Bytes(PACKET))));
        lose(&mut flow, LossCause::Trim, 19);
        assert_eq!(flow.limits().window, Bytes(19 * PACKET));
        lose(&mut flow, LossCause::Timeout, 18);
        assert_eq!(flow.limits().window, Bytes(19 * PACKET), "18 and itself");
        at(&mut flow, 9, |flow, cx| flow.on_sent(cx, Bytes(PACKET)));
        assert_eq!(flow.limits().window, Bytes(19 * PACKET));
    }

    #[test]
    fn a_pacer_for_each_flow_is_a_choice() {
        let config = Config { pacer: Pacer::Flow, ..Config::default() };
        assert!(Ndp::new(&config, &FlowContext::NOMINAL).pulls().unwrap().paced_alone);
    }
}
