//! Homa: receivers grant the shortest messages, and packets have priorities.
//!
//! Montazeri, Li, Alizadeh and Ousterhout, Homa: a receiver-driven low-latency transport protocol
//! using network priorities, SIGCOMM 2018, section 3. The first RTTbytes of a message leave
//! unscheduled. For the rest a receiver grants, packet by packet, the messages that lack the least,
//! so that each of those that it grants has RTTbytes granted and not arrived; `overcommitment` says
//! how many they are, each of another sender. Data classes are the priorities: the upper ones for
//! unscheduled packets, by the length of the message, the lower ones for granted packets, by the
//! message's place among those that the receiver grants. Of `n` messages the last has the lowest
//! class, so that a shorter one that comes finds a higher class free. A receiver that has heard
//! nothing for a while of a message of which something is to come grants it anew and asks for the
//! first packets that are missing to be sent again.
//!
//! The scheme has three parts: the sender's ([`Homa`]), the cutoffs that a run's messages give
//! ([`cutoffs`]), and the receiving host's [`Granter`](crate::transport::Granter).
//!
//! Reading, where it departs from the paper:
//! - There are ACKs, as with every transport here, and the sender's recovery has timeouts beside the
//!   receiver's requests. A paper's sender learns nothing until the response.
//! - Grants and requests travel as control, above all data, like ACKs. With 7 classes of data there
//!   are 8 priorities, none of which control shares with data.
//! - Bytes are counted in packets. Between messages that lack the same number of packets the one that
//!   comes first in the run's list of flows wins.
//! - How many classes unscheduled packets have, and the cutoffs between them, are worked out once, from
//!   all messages of the run, as the paper's are from recent ones ([`unscheduled_classes`],
//!   [`cutoffs`]).
//! - A sender that is asked for a packet that it has not sent says nothing (there: BUSY); the wait of
//!   the receiver doubles with each request that nothing follows, up to 64 times. A sender with nothing
//!   in flight that has had no news for 64 such waits asks its receiver, which may have all.
//! - Packets sent again keep the class of their part of the message.
//! - A sender's own messages take turns by the transport's `turns`. With `shortest` the one with the
//!   fewest bytes goes first; the paper goes by the bytes that remain (section 3.2).

use super::{Ack, CongestionControl, Grant, GrantPlan, Limits, Loss};
use crate::family::{Conflict, Parameter, ParameterError, Raw};
use crate::ids::Psn;
use crate::probe::Probes;
use crate::size::{SOME, Size, UNLIMITED};
use crate::units::{Bytes, Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes homa` says.
pub const CARD: Card = Card {
    name: "homa",
    title: "Homa, grants to the shortest messages",
    paper: "Montazeri et al., Homa: a receiver-driven low-latency transport protocol using network \
            priorities, SIGCOMM 2018",
    needs: &[],
    summary: "Receivers grant the messages that lack the least, and choose the data class of each \
              packet; the first round trip goes unscheduled, short messages above long ones. Wants \
              several data classes served by priority.",
};

/// A sender with nothing in flight waits for news so many times as long as a receiver.
const WAITS: u64 = 64;

/// Most data classes that there are.
const MOST_CLASSES: usize = 8;

/// The largest message of each class of unscheduled packets, from the highest class on; the lowest
/// has the rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Cutoffs {
    /// Those of [`cutoffs`], which whoever makes a plan puts in place of it; else RTTbytes are
    /// divided equally.
    Auto,
    /// These, in ascending order.
    At(Vec<Bytes>),
}

impl Parameter for Cutoffs {
    const KIND: &'static str = Bytes::KIND;

    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        let wrong = |text: &str| Err(ParameterError::Value(text.to_string()));
        match raw {
            Raw::Text("auto") => Ok(Self::Auto),
            Raw::List(values) if values.len() < MOST_CLASSES => {
                let sizes: Result<Vec<_>, _> = values.iter().map(|&v| Bytes::read(v)).collect();
                let sizes = sizes?;
                if sizes.is_sorted() {
                    Ok(Self::At(sizes))
                } else {
                    wrong("expected sizes in ascending order")
                }
            }
            Raw::List(_) => wrong("expected at most 6 sizes"),
            _ => wrong("expected `auto`, or a list of sizes, as in [\"2 kB\", \"10 kB\"]"),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Auto => "\"auto\"".to_string(),
            Self::At(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(Parameter::show).collect();
                format!("[{}]", sizes.join(", "))
            }
        }
    }
}

crate::parameters! {
    /// Parameters of Homa.
    pub struct Config {
        /// RTTbytes: what a sender sends without a grant, and what a receiver keeps granted and not
        /// arrived of each message that it grants; at least one packet.
        pub rtt_bytes: Size = Size::Bdp(1.0), in SOME;
        /// How many messages a receiver grants at a time; `auto` is one for each class of granted
        /// packets.
        pub overcommitment: Option<u32> = None, in 1..=65_536;
        /// How many of the data classes unscheduled packets have: the highest ones, and all but one at
        /// most; `auto` is the share of unscheduled bytes in those of the run's messages, or what
        /// `cutoffs` divide where they are given. With one data class all packets share it.
        pub unscheduled_classes: Option<u8> = None, in 1..=7;
        /// The largest message of each class of unscheduled packets but the last, from the highest
        /// class on; `auto` gives each as many unscheduled bytes of the run's messages.
        pub cutoffs: Cutoffs = Cutoffs::Auto;
        /// A receiver that has heard nothing of a message for this long asks for what is missing;
        /// `auto` is 50 us, or two unloaded round trips if they take longer.
        pub resend: Option<Span> = None, in Span(1)..;
    }
    conflicts by conflicts
}

/// Each class of unscheduled packets but the last has a cutoff, and granted packets have a class.
fn conflicts(config: &Config) -> Vec<Conflict> {
    let cutoffs = match &config.cutoffs {
        Cutoffs::At(sizes) => Some(sizes.len()),
        Cutoffs::Auto => None,
    };
    let found = match (config.unscheduled_classes, cutoffs) {
        (Some(own), Some(cutoffs)) if cutoffs + 1 != usize::from(own) => {
            Some(Conflict::Length("cutoffs", "unscheduled_classes", usize::from(own) - 1))
        }
        (Some(own), _) => Some(Conflict::Classes("unscheduled_classes", own + 1)),
        (None, Some(cutoffs)) => Some(Conflict::Classes("cutoffs", cutoffs as u8 + 2)),
        (None, None) => None,
    };
    found.into_iter().collect()
}

/// How many of `classes` data classes granted packets have.
fn scheduled_classes(config: &Config, classes: u8) -> u8 {
    let divided = match &config.cutoffs {
        Cutoffs::At(sizes) => sizes.len() as u8 + 1,
        // Whoever makes a plan puts that of its messages in place of it.
        Cutoffs::Auto => 2,
    };
    let unscheduled = config.unscheduled_classes.unwrap_or(divided);
    let unscheduled = unscheduled.min(classes.saturating_sub(1)).max(1);
    classes.saturating_sub(unscheduled).max(1)
}

/// How many of `classes` data classes unscheduled packets have, if so many of all `bytes` are
/// `unscheduled`: the same share, to the nearest class, at least one and all but one at most (section
/// 3.4).
pub fn unscheduled_classes(classes: u8, unscheduled: u128, bytes: u128) -> u8 {
    let share = (2 * u128::from(classes) * unscheduled + bytes) / (2 * bytes).max(1);
    (share as u8).min(classes.saturating_sub(1)).max(1)
}

/// The cutoffs that give each of `levels` classes as many unscheduled bytes (section 3.4).
/// `messages` have these bytes, and so many of them unscheduled.
pub fn cutoffs(levels: u8, mut messages: Vec<(Bytes, Bytes)>) -> Vec<Bytes> {
    messages.sort_unstable();
    let all: u64 = messages.iter().map(|(_, unscheduled)| unscheduled.0).sum();
    let mut cutoffs = Vec::new();
    let mut sum = 0;
    for (bytes, unscheduled) in messages {
        sum += unscheduled.0;
        // The share of the classes that have a cutoff, and of one more.
        let share = |cutoffs: &Vec<Bytes>| u128::from(all) * (cutoffs.len() as u128 + 1);
        while cutoffs.len() + 1 < usize::from(levels)
            && u128::from(sum) * u128::from(levels) >= share(&cutoffs)
        {
            cutoffs.push(bytes);
        }
    }
    cutoffs
}

/// The sending end.
#[derive(Clone, Debug, Serialize)]
pub struct Homa {
    plan: GrantPlan,
    /// How many data classes there are.
    classes: u8,
    /// The largest message of each class of unscheduled packets, from the highest class on.
    cutoffs: [Bytes; MOST_CLASSES],
    /// The class of the message's unscheduled packets, and that of the others.
    unscheduled: u8,
    scheduled: u8,
    granted: u32,
    in_flight: Bytes,
    /// When to ask the receiver for news.
    ask_at: Time,
    /// Whether a request waits to be sent.
    asking: bool,
}

impl Homa {
    /// A sender that has not begun a message.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let packet = context.packet().0;
        let window = config.rtt_bytes.resolve(&context.sizes()).0.div_ceil(packet);
        let window = u32::try_from(window).unwrap_or(u32::MAX).max(1);
        let scheduled = scheduled_classes(config, context.classes);
        let plan = GrantPlan {
            window,
            overcommitment: config.overcommitment.unwrap_or(u32::from(scheduled)),
            classes: scheduled,
            resend: config.resend.unwrap_or(Span(2 * context.base_rtt.0).max(Span::us(50))),
            base_rtt: context.base_rtt,
        };
        let mut limits = [Bytes(u64::MAX); MOST_CLASSES];
        match &config.cutoffs {
            Cutoffs::At(sizes) => limits.iter_mut().zip(sizes).for_each(|(own, size)| *own = *size),
            Cutoffs::Auto => {
                let levels = usize::from(context.classes.saturating_sub(scheduled));
                let all = u64::from(window) * context.payload.0;
                for level in 1..levels {
                    limits[level - 1] = Bytes(all * level as u64 / levels as u64);
                }
            }
        }
        Self {
            plan,
            classes: context.classes,
            cutoffs: limits,
            unscheduled: 0,
            scheduled: 0,
            granted: 0,
            in_flight: Bytes(0),
            ask_at: Time::NEVER,
            asking: false,
        }
    }

    /// So much is in flight: with nothing, the sender waits for its receiver.
    fn flies(&mut self, now: Time, in_flight: Bytes) {
        self.in_flight = in_flight;
        let patience = Span(self.plan.resend.0.saturating_mul(WAITS));
        self.ask_at = if in_flight.0 == 0 { now + patience } else { Time::NEVER };
    }
}

impl CongestionControl for Homa {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("granted", self.granted.into());
        to.count("class", self.scheduled.into());
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack<'_>) {
        self.flies(cx.now, ack.in_flight);
    }

    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        self.flies(cx.now, loss.in_flight);
    }

    fn on_sent(&mut self, cx: &mut Cx<'_>, bytes: Bytes) {
        self.flies(cx.now, self.in_flight + bytes);
    }

    /// Nothing outlives a message.
    fn begin_message(&mut self) {
        (self.in_flight, self.ask_at, self.asking) = (Bytes(0), Time::NEVER, false);
    }

    fn on_message(&mut self, bytes: Bytes) {
        let levels = self.classes.saturating_sub(self.plan.classes).max(1);
        let longer = self.cutoffs.iter().take_while(|cutoff| bytes > **cutoff).count();
        let level = (longer as u8).min(levels - 1);
        self.unscheduled = self.classes.saturating_sub(1 + level);
        (self.scheduled, self.granted) = (0, 0);
    }

    fn on_grant(&mut self, cx: &mut Cx<'_>, grant: &Grant) {
        if grant.upto >= self.granted {
            (self.granted, self.scheduled) = (grant.upto, grant.class);
        }
        self.flies(cx.now, self.in_flight);
    }

    fn next_timer(&self) -> Option<Time> {
        (self.ask_at < Time::NEVER).then_some(self.ask_at)
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        if self.ask_at <= cx.now {
            self.asking = true;
            self.flies(cx.now, self.in_flight);
        }
    }

    fn poll_request(&mut self) -> Option<u32> {
        core::mem::take(&mut self.asking).then_some(0)
    }

    fn class(&self, psn: Psn) -> Option<u8> {
        let class = if psn.0 < self.plan.window { self.unscheduled } else { self.scheduled };
        (self.classes > 1).then_some(class)
    }

    fn grants(&self) -> Option<GrantPlan> {
        Some(self.plan)
    }

    fn limits(&self) -> Limits {
        Limits { window: UNLIMITED, rate: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::vec;

    /// 8 us at 400 Gbps are 400 kB, 97 packets of 4160 B; 7 data classes.
    fn flow(config: &Config) -> Homa {
        Homa::new(config, &FlowContext { classes: 7, ..FlowContext::NOMINAL })
    }

    fn grant(flow: &mut Homa, upto: u32, class: u8) {
        let mut rng = Rng::new(1, "flow", 0);
        let mut cx = Cx { now: Time::ZERO, rng: &mut rng, events: &mut () };
        flow.on_grant(&mut cx, &Grant { upto, class });
    }

    #[test]
    fn classes_are_split_between_unscheduled_and_granted_packets() {
        let split = |unscheduled_classes, classes| {
            let unscheduled_classes = Some(unscheduled_classes);
            scheduled_classes(&Config { unscheduled_classes, ..Config::default() }, classes)
        };
        assert_eq!((split(2, 7), split(6, 7), split(1, 2), split(6, 2)), (5, 1, 1, 1));
        assert_eq!((split(2, 1), split(6, 3)), (1, 1));
        let two = Config { unscheduled_classes: Some(2), ..Config::default() };
        let plan = flow(&two).plan;
        assert_eq!((plan.window, plan.classes, plan.overcommitment), (97, 5, 5));
        // Given cutoffs say how many they divide; else the run's messages do.
        let cutoffs = Cutoffs::At(vec![Bytes(1_000), Bytes(50_000)]);
        assert_eq!(scheduled_classes(&Config { cutoffs, ..Config::default() }, 7), 4);
        assert_eq!(scheduled_classes(&Config::default(), 7), 5);
        assert_eq!(plan.resend, Span::us(50));
    }

    #[test]
    fn the_length_of_a_message_chooses_the_class_of_its_unscheduled_packets() {
        let cutoffs = Cutoffs::At(vec![Bytes(1_000), Bytes(50_000)]);
        let mut flow = flow(&Config { unscheduled_classes: Some(3), cutoffs, ..Config::default() });
        let expected = [(1, 6), (1_000, 6), (1_001, 5), (50_000, 5), (50_001, 4), (1 << 30, 4)];
        for (bytes, class) in expected {
            flow.on_message(Bytes(bytes));
            assert_eq!(flow.class(Psn(0)), Some(class), "{bytes}");
            assert_eq!(flow.class(Psn(96)), Some(class), "{bytes}");
            assert_eq!(flow.class(Psn(97)), Some(0), "granted, in the lowest until told");
        }
    }

    #[test]
    fn a_grant_brings_the_class_of_what_follows_the_first_round_trip() {
        let mut flow = flow(&Config { unscheduled_classes: Some(2), ..Config::default() });
        flow.on_message(Bytes(1 << 20));
        grant(&mut flow, 120, 3);
        assert_eq!((flow.class(Psn(50)), flow.class(Psn(110))), (Some(5), Some(3)));
        grant(&mut flow, 119, 1);
        assert_eq!(flow.class(Psn(110)), Some(3), "one that was overtaken says nothing");
        grant(&mut flow, 121, 0);
        assert_eq!(flow.class(Psn(110)), Some(0));
        flow.begin_message();
        flow.on_message(Bytes(1));
        assert_eq!((flow.class(Psn(0)), flow.class(Psn(110))), (Some(6), Some(0)));
    }

    #[test]
    fn one_class_is_everybody_s() {
        let mut flow = Homa::new(&Config::default(), &FlowContext::NOMINAL);
        flow.on_message(Bytes(1));
        grant(&mut flow, 120, 3);
        assert_eq!((flow.class(Psn(0)), flow.class(Psn(110))), (None, None));
    }

    /// The paper's examples: of its heaviest workload one class of 8 is for unscheduled packets, of one
    /// whose messages are all short 7 are.
    #[test]
    fn unscheduled_packets_have_their_share_of_the_classes() {
        let of = |percent| unscheduled_classes(8, percent, 100);
        assert_eq!([0, 3, 18, 19, 50, 80, 99, 100].map(of), [1, 1, 1, 2, 4, 6, 7, 7]);
        assert_eq!((unscheduled_classes(1, 5, 9), unscheduled_classes(7, 0, 0)), (1, 1));
    }

    #[test]
    fn cutoffs_give_each_class_as_many_unscheduled_bytes() {
        // 100 messages of 1 kB, 10 of 10 kB, and 2 of a megabyte, of which 100 kB are unscheduled:
        // 400 kB, 100 kB for each class.
        let mut messages = vec![(Bytes(1_000_000), Bytes(100_000)); 2];
        messages.extend(vec![(Bytes(1_000), Bytes(1_000)); 100]);
        messages.extend(vec![(Bytes(10_000), Bytes(10_000)); 10]);
        let expected = [1_000, 10_000, 1_000_000].map(Bytes);
        assert_eq!(cutoffs(4, messages.clone()), expected);
        assert_eq!(cutoffs(1, messages), []);
        assert_eq!(cutoffs(4, vec![(Bytes(5), Bytes(5))]), [Bytes(5); 3]);
    }

    #[test]
    fn cutoffs_are_a_list_of_sizes_in_order() {
        let read = Cutoffs::read(Raw::List(&[Raw::Text("2 kB"), Raw::Text("10 kB")])).unwrap();
        assert_eq!(read, Cutoffs::At(vec![Bytes(2_000), Bytes(10_000)]));
        assert_eq!(read.show(), "[\"2 kB\", \"10 kB\"]");
        assert!(Cutoffs::read(Raw::List(&[Raw::Text("2 kB"), Raw::Text("1 kB")])).is_err());
        assert!(Cutoffs::read(Raw::Text("2 kB")).is_err());
    }
}
