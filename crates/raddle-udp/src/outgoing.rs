//! A message on its way to another host.

use crate::wire::Frame;
use raddle_schemes::FlowContext;
use raddle_schemes::ids::Entropy;
use raddle_schemes::rng::Rng;
use raddle_schemes::transport::codec::{AckReader, Control};
use raddle_schemes::transport::{FlowTemplate, Sender, sender::SenderCounts};
use raddle_schemes::units::{Bytes, Span, Time};
use std::net::SocketAddr;

/// A message that is under way for longer has failed: its sender's clock, which begins with it, counts
/// picoseconds in 46 bits.
pub(crate) const LONGEST: Span = Span::ms(60_000);

/// What a sender asks its receiver.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Questions {
    /// For credit: how many packets have vanished, and the path.
    pub(crate) request: Option<(u32, Entropy)>,
    /// What has arrived: the path.
    pub(crate) probe: Option<Entropy>,
}

/// A message and its sender. Times are the host's; the sender has a clock of its own.
pub(crate) struct Outgoing {
    pub(crate) to: SocketAddr,
    message: Vec<u8>,
    payload: usize,
    began: Time,
    sender: Sender,
    acks: AckReader,
}

impl Outgoing {
    pub(crate) fn new(
        (template, context): (&FlowTemplate, &FlowContext),
        to: SocketAddr,
        message: Vec<u8>,
        began: Time,
        rng: Rng,
    ) -> Self {
        let mut sender = template.sender(context, Bytes(message.len() as u64), rng);
        sender.begin_slots(Time::ZERO, (0, 1, 0), &mut ());
        let acks = AckReader::new(sender.total());
        let payload = context.payload.0 as usize;
        Self { to, message, payload, began, sender, acks }
    }

    /// The sender's time.
    fn own(&self, now: Time) -> Time {
        Time(now.0 - self.began.0)
    }

    /// When it next has something to do, where the link is free from `line_free` on; its timers count if
    /// they are asked for.
    pub(crate) fn due(&mut self, now: Time, line_free: Time, timers: bool) -> Time {
        let own = self.own(now);
        let line = self.sender.can_transmit(own).then_some(line_free.max(now));
        let timeout = if timers { self.sender.poll_timeout() } else { None };
        let timers = [self.sender.paced_until(own), timeout];
        let began = self.began;
        let timers = timers.into_iter().flatten().map(|at| (began + Span(at.0)).max(now));
        timers.chain(line).chain([began + LONGEST]).min().unwrap_or(now)
    }

    /// The packet that leaves now, if one may: its frame goes to `out`. Returns its bytes on the wire and
    /// its entropy.
    pub(crate) fn transmit(
        &mut self,
        now: Time,
        (home, flow): (u16, u32),
        out: &mut Vec<u8>,
    ) -> Option<(Bytes, Entropy)> {
        let packet = self.sender.poll_transmit(self.own(now), &mut ())?;
        let from = packet.psn.0 as usize * self.payload;
        let upto = self.message.len().min(from + self.payload);
        let frame = Frame::Data {
            home,
            flow,
            total: self.sender.total(),
            psn: packet.psn,
            entropy: packet.entropy,
            again: packet.again,
            ack_request: packet.ack_request,
            payload: &self.message[from..upto],
        };
        frame.write(out);
        Some((packet.bytes, packet.entropy))
    }

    /// Carries out the timers that are due. Returns the paths of what it asks its receiver, if anything:
    /// for credit, where so many packets have vanished, and what has arrived.
    pub(crate) fn on_timers(&mut self, now: Time) -> Questions {
        let own = self.own(now);
        if self.sender.poll_timeout().is_none_or(|at| at > own) {
            return Questions::default();
        }
        self.sender.on_timeout(own, &mut ());
        let request = self.sender.poll_request(own, &mut ());
        let asks = self.sender.poll_tail_probe();
        Questions { request, probe: asks.then(|| self.sender.next_path(own, &mut ())) }
    }

    /// The receiver has answered.
    pub(crate) fn on_control(&mut self, now: Time, control: &Control) {
        let own = self.own(now);
        self.acks.deliver(own, &mut self.sender, control, &mut ());
    }

    pub(crate) fn complete(&self) -> bool {
        self.sender.complete()
    }

    /// Whether it has taken [too long](LONGEST), or its sender has given it up.
    pub(crate) fn failed(&self, now: Time) -> bool {
        self.own(now).0 >= LONGEST.0 || self.counts().gave_up
    }

    /// Packets that are known to have arrived, and packets of the message.
    pub(crate) fn progress(&self) -> (u32, u32) {
        (self.sender.heard(), self.sender.total())
    }

    pub(crate) fn counts(&self) -> SenderCounts {
        self.sender.counts()
    }

    /// How long it has been under way.
    pub(crate) fn took(&self, now: Time) -> Span {
        Span(self.own(now).0)
    }
}
