//! Every transport without a simulator: a sender and a receiving host, a wire that loses, repeats,
//! reorders, marks and trims, and a loop of some fifty lines between them.

use raddle_schemes::congestion::Hop;
use raddle_schemes::family::Need;
use raddle_schemes::ids::{Entropy, HostId, PortId, Psn};
use raddle_schemes::load_balance::host;
use raddle_schemes::recovery::{self, AckForm};
use raddle_schemes::rng::Rng;
use raddle_schemes::transport::codec::{Ack, AckReader, Control};
use raddle_schemes::transport::{Data, FlowTemplate, Incoming, Sender, SenderPlan, Transmit};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_schemes::{FlowContext, congestion};
use std::collections::BTreeMap;

/// What is on its way, by when it arrives; the count tells apart what arrives together.
type Wire<T> = BTreeMap<(Time, u32), T>;

/// What the sender puts on the wire.
#[derive(Clone)]
enum Forward {
    Data(Transmit),
    Request(u32, Entropy),
}

/// What the fabric does to packets, in percent.
#[derive(Clone, Copy, Debug)]
struct Fabric {
    loses: u64,
    repeats: u64,
    reorders: u64,
    marks: u64,
    trims: u64,
}

const CALM: Fabric = Fabric { loses: 0, repeats: 0, reorders: 0, marks: 0, trims: 0 };
const ROUGH: Fabric = Fabric { loses: 2, repeats: 1, reorders: 5, marks: 10, trims: 0 };
const TRIMS: Fabric = Fabric { trims: 4, ..ROUGH };

struct Net {
    fabric: Fabric,
    chance: Rng,
    delay: Span,
    count: u32,
}

impl Net {
    fn happens(&mut self, percent: u64) -> bool {
        self.chance.below(100) < percent
    }

    /// Sends something on, so many times as it will arrive.
    fn send<T: Clone>(&mut self, wire: &mut Wire<T>, now: Time, what: &T) {
        if self.happens(self.fabric.loses) {
            return;
        }
        for _ in 0..1 + u32::from(self.happens(self.fabric.repeats)) {
            let late =
                if self.happens(self.fabric.reorders) { self.chance.below(20_000_000) } else { 0 };
            self.count += 1;
            wire.insert((now + self.delay + Span(late), self.count), what.clone());
        }
    }
}

/// The loop. Returns how many packets were sent, or what was reached when the time was over.
fn transfer(plan: &SenderPlan<'_>, bytes: Bytes, fabric: Fabric, seed: u64) -> Result<u64, String> {
    let context = FlowContext { trimming: fabric.trims > 0, classes: 7, ..FlowContext::NOMINAL };
    let template = FlowTemplate::new(plan, &context);
    let mut sender = template.sender(&context, bytes, Rng::new(seed, "flow", 0));
    let mut host = Incoming::new(context.rate, context.packet());
    let mut acks = AckReader::new(sender.total());
    host.open(Time::ZERO, 0, HostId(0), (&template, &context), sender.total());
    let delay = Span(context.base_rtt.0 / 2);
    let mut net = Net { fabric, chance: Rng::new(seed, "net", 0), delay, count: 0 };
    let (mut there, mut back) = (Wire::new(), Wire::<Vec<u8>>::new());
    let (mut now, mut line_free) = (Time::ZERO, Time::ZERO);
    sender.begin_slots(now, (0, 1, 0), &mut ());
    while !sender.complete() {
        if now >= line_free
            && let Some(packet) = sender.poll_transmit(now, &mut ())
        {
            line_free = now + context.rate.serialisation(packet.bytes);
            net.send(&mut there, now, &Forward::Data(packet));
            continue;
        }
        let line = sender.can_transmit(now).then_some(line_free);
        let timers = [line, sender.paced_until(now), sender.poll_timeout(), host.next_timer(now)];
        let arrivals = [first(&there), first(&back)];
        let next = timers.into_iter().chain(arrivals).flatten().min();
        now = next.ok_or_else(|| stuck(&sender, "nothing left to wait for"))?.max(now);
        if now > Time::ZERO + Span::ms(500) {
            return Err(stuck(&sender, "the time is over"));
        }
        while let Some(forward) = arrived(&mut there, now) {
            match forward {
                Forward::Data(packet) => host.on_data(0, &data(&mut net, now, &packet), &hop(now)),
                Forward::Request(vanished, path) => host.on_request(0, vanished, path),
            }
        }
        host.on_timer(now);
        while let Some((_, control)) = host.poll() {
            let mut frame = Vec::new();
            control.write(&mut frame);
            net.send(&mut back, now, &frame);
        }
        while let Some(frame) = arrived(&mut back, now) {
            let control = Control::read(&frame).ok_or("a frame that nobody can read")?;
            acks.deliver(now, &mut sender, &control, &mut ());
        }
        if !sender.complete() && sender.poll_timeout().is_some_and(|at| at <= now) {
            sender.on_timeout(now, &mut ());
            if let Some((vanished, path)) = sender.poll_request(now, &mut ()) {
                net.send(&mut there, now, &Forward::Request(vanished, path));
            }
        }
    }
    assert!(host.complete(0), "a sender that is done has been told of what has not arrived");
    Ok(sender.counts().sent)
}

fn stuck(sender: &Sender, why: &str) -> String {
    format!("{why}: {} of {} packets, {:?}", sender.heard(), sender.total(), sender.counts())
}

fn first<T>(wire: &Wire<T>) -> Option<Time> {
    wire.first_key_value().map(|((at, _), _)| *at)
}

fn arrived<T>(wire: &mut Wire<T>, now: Time) -> Option<T> {
    let first = wire.first_entry().filter(|first| first.key().0 <= now)?;
    Some(first.remove())
}

/// A packet as it reaches its host.
fn data(net: &mut Net, at: Time, packet: &Transmit) -> Data {
    let Transmit { psn, entropy, again, ack_request, .. } = *packet;
    let (marked, trimmed) = (net.happens(net.fabric.marks), net.happens(net.fabric.trims));
    Data { at, psn, entropy, marked, trimmed, again, ack_request }
}

/// What a port that is half idle says of itself.
fn hop(at: Time) -> [Hop; 1] {
    let rate = FlowContext::NOMINAL.rate;
    let sent = Bytes(at.0 / 1000 * (rate.0 / 16) / 1_000_000_000);
    [Hop { port: PortId(3), at, queue: Bytes(0), sent, entered: sent, rate }]
}

fn configs<C>(names: impl Iterator<Item = &'static str>, named: fn(&str) -> Option<C>) -> Vec<C> {
    names.map(|name| named(name).unwrap_or_else(|| panic!("{name} is in no list"))).collect()
}

fn congestions() -> Vec<congestion::Config> {
    configs(congestion::SCHEMES.iter().map(|own| own.card.name), congestion::Config::named)
}

fn recoveries() -> Vec<recovery::Config> {
    configs(recovery::SCHEMES.iter().map(|own| own.card.name), recovery::Config::named)
}

/// Whether the ends can have both.
fn go_together(congestion: &congestion::Config, recovery: &recovery::Config) -> bool {
    let of_ends = [Need::PacketAcks, Need::OutOfOrder, Need::ExpectedPsn];
    let needs = congestion.card().needs.iter().filter(|need| of_ends.contains(need));
    needs.into_iter().all(|need| recovery.offers(*need))
}

/// Every congestion control with every recovery that it can have.
fn transports() -> impl Iterator<Item = (congestion::Config, recovery::Config)> {
    let pairs = congestions().into_iter().flat_map(|congestion| {
        recoveries().into_iter().map(move |recovery| (congestion.clone(), recovery))
    });
    pairs.filter(|(congestion, recovery)| go_together(congestion, recovery))
}

/// Packets of one message take any path where its receiver bears that.
fn paths(recovery: &recovery::Config) -> host::Config {
    let name = if recovery.offers(Need::OutOfOrder) { "ops" } else { "ecmp" };
    host::Config::named(name).expect("a listed name")
}

fn all_complete(fabric: Fabric, bytes: Bytes) {
    let mut count = 0;
    for (congestion, recovery) in transports() {
        let expected = matches!(recovery.ack_form(), AckForm::Expected { .. });
        if fabric.trims > 0 && expected {
            continue;
        }
        let load_balance = paths(&recovery);
        let plan = SenderPlan {
            load_balance: &load_balance,
            congestion: &congestion,
            recovery: &recovery,
        };
        for seed in 0..4 {
            let sent = transfer(&plan, bytes, fabric, seed);
            let names = (congestion.card().name, recovery.card().name);
            match sent {
                Ok(sent) => assert!(sent >= bytes.0.div_ceil(4096), "{names:?}"),
                Err(told) => panic!("{names:?}, seed {seed}, {fabric:?}: {told}"),
            }
        }
        count += 1;
    }
    assert!(count > 30, "{count} transports");
}

#[test]
fn every_transport_completes_where_nothing_is_lost_and_sends_each_packet_once() {
    all_complete(CALM, Bytes(500_000));
    for (congestion, recovery) in transports() {
        let load_balance = paths(&recovery);
        let plan = SenderPlan {
            load_balance: &load_balance,
            congestion: &congestion,
            recovery: &recovery,
        };
        let names = (congestion.card().name, recovery.card().name);
        assert_eq!(transfer(&plan, Bytes(500_000), CALM, 1), Ok(123), "{names:?}");
    }
}

#[test]
fn every_transport_completes_under_loss_repetition_and_reordering() {
    all_complete(ROUGH, Bytes(1_000_000));
    all_complete(ROUGH, Bytes(1));
}

#[test]
fn every_transport_that_knows_trimming_completes_under_it() {
    all_complete(TRIMS, Bytes(1_000_000));
}

/// ACKs and NACKs that nobody made: a sender goes on as if they had not come.
#[test]
fn what_is_said_of_packets_that_were_never_sent_does_no_harm() {
    let bytes = Bytes(100_000);
    for (congestion, recovery) in transports() {
        let load_balance = paths(&recovery);
        let plan = SenderPlan {
            load_balance: &load_balance,
            congestion: &congestion,
            recovery: &recovery,
        };
        let context = FlowContext { classes: 7, ..FlowContext::NOMINAL };
        let template = FlowTemplate::new(&plan, &context);
        let mut sender = template.sender(&context, bytes, Rng::new(1, "flow", 0));
        let mut acks = AckReader::new(sender.total());
        sender.begin_slots(Time::ZERO, (0, 1, 0), &mut ());
        assert!(sender.poll_transmit(Time::ZERO, &mut ()).is_some());
        let far = Psn(u32::MAX - 70);
        let nack = Control::Nack { psn: far, entropy: Entropy(0), marked: false };
        let ack = Ack { psn: far, low: far.0, beyond: vec![u64::MAX], ..Ack::default() };
        let ahead = Ack { psn: Psn(9), beyond: vec![u64::MAX], ..Ack::default() };
        for control in [nack, Control::Ack(ack), Control::Ack(ahead)] {
            acks.deliver(Time(1), &mut sender, &control, &mut ());
            assert!(sender.heard() <= 1, "{:?}", (congestion.card().name, recovery.card().name));
        }
    }
}

/// REPS, whose entropies come back in ACKs, one by one and in lists.
#[test]
fn entropies_come_back_in_acks_whatever_becomes_of_those() {
    let congestion = congestion::Config::named("mprdma_dctcp").expect("a listed name");
    let reps = host::Config::named("reps").expect("a listed name");
    for recovery in recoveries().iter().filter(|own| own.offers(Need::OutOfOrder)) {
        let plan = SenderPlan { load_balance: &reps, congestion: &congestion, recovery };
        for fabric in [CALM, ROUGH, TRIMS] {
            if let Err(told) = transfer(&plan, Bytes(1_000_000), fabric, 7) {
                panic!("{}, {fabric:?}: {told}", recovery.card().name);
            }
        }
    }
}
