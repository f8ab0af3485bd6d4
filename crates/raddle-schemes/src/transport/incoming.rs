//! A receiving host without its wire: the receivers of the messages that arrive there, and what they
//! share, which is a pace of pulls, grants, and notifications of congestion.

use super::codec::{AckWriter, Control};
use super::{Data, FlowTemplate, Granter, Notice, Notifier, Puller, Receiver, Reply};
use crate::FlowContext;
use crate::congestion::Hop;
use crate::ids::{Entropy, HostId};
use crate::units::{Bytes, Rate, Time};
use alloc::collections::{BTreeMap, VecDeque};

/// The receiving end of all messages of one host, each under a number of the caller's. After each
/// call [`Incoming::poll`] gives what is to be sent back.
pub struct Incoming {
    rate: Rate,
    packet: Bytes,
    messages: BTreeMap<u32, Message>,
    puller: Option<Puller<()>>,
    granter: Option<Granter>,
    notifier: Notifier<Entropy>,
    out: VecDeque<(u32, Control)>,
}

struct Message {
    receiver: Receiver,
    acks: AckWriter,
}

impl Incoming {
    /// A host whose links have this rate together; a full packet takes `packet` bytes of it.
    pub fn new(rate: Rate, packet: Bytes) -> Self {
        Self {
            rate,
            packet,
            messages: BTreeMap::new(),
            puller: None,
            granter: None,
            notifier: Notifier::default(),
            out: VecDeque::new(),
        }
    }

    /// A message of `total` packets begins to arrive from `sender`, whose flow has these parts. To be
    /// called before the other calls about it.
    pub fn open(
        &mut self,
        now: Time,
        message: u32,
        sender: HostId,
        (template, context): (&FlowTemplate, &FlowContext),
        total: u32,
    ) {
        if let Some(plan) = template.pulls() {
            let puller = self.puller.get_or_insert_with(|| Puller::new(self.rate, self.packet));
            puller.begin(message, (), &plan, total);
        }
        if let Some(plan) = template.grants() {
            self.granter.get_or_insert_default().begin(now, message, sender, total, plan);
        }
        if let Some(plan) = template.cnps() {
            self.notifier.begin(message, plan);
        }
        let receiver = template.receiver(context, total);
        self.messages.insert(message, Message { receiver, acks: AckWriter::default() });
    }

    /// A message is not heard of any more: neither are its packets.
    pub fn close(&mut self, message: u32) {
        self.messages.remove(&message);
        self.notifier.end(message);
        if let Some(puller) = &mut self.puller {
            puller.end(message);
        }
        if let Some(granter) = &mut self.granter {
            granter.end(message);
        }
    }

    /// Whether all of a message has arrived.
    pub fn complete(&self, message: u32) -> bool {
        self.messages.get(&message).is_some_and(|own| own.receiver.arrived().complete())
    }

    /// A packet of data has come, or its header, with what switches wrote into it.
    pub fn on_data(&mut self, message: u32, data: &Data, hops: &[Hop]) {
        let Some(own) = self.messages.get_mut(&message) else { return };
        if own.receiver.arrived().complete() {
            // Who sends as if it had not is told again.
            let marked = data.marked || data.trimmed;
            let ack = own.acks.again(own.receiver.arrived(), data.entropy, marked);
            return self.out.push_back((message, ack));
        }
        let received = own.receiver.on_data(data);
        let arrived = own.receiver.arrived();
        if let Some(control) = own.acks.answer(data, &received, arrived, hops) {
            self.out.push_back((message, control));
        }
        let now = data.at;
        if data.marked && !data.trimmed {
            self.notifier.on_mark(now, message, || data.entropy);
        }
        if received.completed {
            self.notifier.end(message);
        }
        if let Some(puller) = &mut self.puller {
            match received.completed {
                true => puller.end(message),
                false => puller.on_data(message, received.reply == Reply::Nack),
            }
        }
        if let Some(granter) = &mut self.granter {
            match received.completed {
                true => granter.end(message),
                false => granter.on_data(now, message, arrived.count(), arrived.low()),
            }
            granter.grant(now, |notice| self.out.push_back(told(notice)));
        }
    }

    /// The sender of a message asks for credit, and says how many of its packets vanished.
    pub fn on_request(&mut self, message: u32, vanished: u32, path: Entropy) {
        if let Some(own) = self.messages.get(&message)
            && own.receiver.arrived().complete()
        {
            // The last ACK was lost: it is said again.
            let ack = own.acks.again(own.receiver.arrived(), path, false);
            return self.out.push_back((message, ack));
        }
        if let Some(puller) = &mut self.puller {
            puller.on_request(message, vanished);
        }
    }

    /// The sender of a message asks what has arrived.
    pub fn on_probe(&mut self, message: u32, path: Entropy) {
        if let Some(own) = self.messages.get(&message) {
            let answer = own.acks.answer_probe(own.receiver.arrived(), path);
            self.out.push_back((message, answer));
        }
    }

    /// When it wants to be woken.
    pub fn next_timer(&self, now: Time) -> Option<Time> {
        let pull = self.puller.as_ref().and_then(|puller| puller.due(now));
        let grant = self.granter.as_ref().and_then(Granter::due);
        [pull, grant, self.notifier.due()].into_iter().flatten().min()
    }

    /// The time asked for has come; without effect if called early.
    pub fn on_timer(&mut self, now: Time) {
        while let Some((message, entropy)) = self.notifier.poll(now) {
            self.out.push_back((message, Control::Cnp { entropy }));
        }
        if let Some(puller) = self.puller.as_mut().filter(|own| own.due(now) == Some(now))
            && let Some(pull) = puller.pull(now)
        {
            let control = Control::Pull { count: pull.count, path: pull.path };
            self.out.push_back((pull.message, control));
        }
        if let Some(granter) = self.granter.as_mut().filter(|own| own.due() <= Some(now)) {
            granter.on_timer(now, |notice| self.out.push_back(told(notice)));
        }
    }

    /// What is to be sent to the sender of a message.
    pub fn poll(&mut self) -> Option<(u32, Control)> {
        self.out.pop_front()
    }
}

fn told(notice: Notice) -> (u32, Control) {
    match notice {
        Notice::Grant(message, grant) => (message, Control::Grant(grant)),
        Notice::Resend(message, psn) => (message, Control::Resend(psn)),
    }
}
