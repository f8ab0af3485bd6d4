//! Hosts without sockets: over a wire that a test has, and packet for packet as in simulation.

mod transports;

use raddle::scenario;
use raddle_schemes::congestion;
use raddle_schemes::ids::Entropy;
use raddle_schemes::transport::codec::Control;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine;
use raddle_udp::{Datagram, Event, Frame, Host, Path, TooLong, Transport};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use transports::Names;

const RATE: Rate = Rate::gbps(10);
const DELAY: Span = Span::us(1);
/// Links from one host to the other: its own, and those of two leaves and a spine.
const LINKS: usize = 4;
const ACK: u64 = 90;
const OVERHEAD: u64 = 42;

fn path() -> Path {
    let packet = Bytes(1_514);
    let there = RATE.serialisation(packet) + RATE.serialisation(Bytes(ACK)) + DELAY + DELAY;
    Path {
        rate: RATE,
        base_rtt: Span(there.0 * LINKS as u64),
        queue: Some(Bytes(300_000)),
        ..Path::default()
    }
}

fn address(host: u8) -> SocketAddr {
    (Ipv4Addr::new(10, 0, 0, host), 4_791).into()
}

/// A packet of data: its number, its entropy, when its last bit left its host.
type Packet = (u32, Entropy, Time);

/// Two hosts and the links between them, each first in, first out.
struct Net {
    hosts: [Host; 2],
    /// When each link is free again, by the host that sends over it.
    free: [[Time; LINKS]; 2],
    /// On their way: by when they are at the end of a link, and in order of sending.
    wire: BTreeMap<(Time, u64), (usize, usize, Datagram)>,
    count: u64,
    /// Each packet of data that the first host sent.
    sent: Vec<Packet>,
    /// Every so many-th datagram vanishes, if that is not 0.
    loses: u64,
}

impl Net {
    fn new(transport: &Transport, seed: u64, loses: u64) -> Self {
        let host = |own| Host::new(transport, address(own), seed, u32::MAX);
        let free = [[Time::ZERO; LINKS]; 2];
        let (wire, sent) = (BTreeMap::new(), Vec::new());
        Self { hosts: [host(0), host(1)], free, wire, count: 0, sent, loses }
    }

    fn enter(&mut self, now: Time, from: usize, link: usize, datagram: Datagram) -> Time {
        let size = match Frame::read(&datagram.bytes) {
            Some(Frame::Data { .. }) => datagram.bytes.len() as u64 + OVERHEAD,
            _ => ACK,
        };
        let free = &mut self.free[from][link];
        *free = (*free).max(now) + RATE.serialisation(Bytes(size));
        let left = *free;
        self.count += 1;
        if self.loses == 0 || !self.count.is_multiple_of(self.loses) {
            self.wire.insert((left + DELAY, self.count), (from, link, datagram));
        }
        left
    }

    /// Runs until nothing is left to do or `limit`. Returns what became of messages, by host.
    fn run(&mut self, limit: Time) -> Vec<(usize, Event)> {
        let mut now = Time::ZERO;
        let mut events = Vec::new();
        loop {
            for from in 0..2 {
                while let Some(datagram) = self.hosts[from].poll() {
                    let data = match Frame::read(&datagram.bytes) {
                        Some(Frame::Data { psn, entropy, .. }) if from == 0 => Some((psn, entropy)),
                        _ => None,
                    };
                    let left = self.enter(now, from, 0, datagram);
                    self.sent.extend(data.map(|(psn, entropy)| (psn.0, entropy, left)));
                }
                while let Some(event) = self.hosts[from].poll_event() {
                    events.push((from, event));
                }
            }
            let arrival = self.wire.first_key_value().map(|((at, _), _)| *at);
            let due = self.hosts.iter_mut().filter_map(Host::due).min();
            let Some(next) = [arrival, due].into_iter().flatten().min() else { return events };
            if next > limit {
                return events;
            }
            now = next;
            if arrival != Some(next) {
                self.hosts.iter_mut().for_each(|host| host.advance(now));
                continue;
            }
            let Some((_, (from, link, datagram))) = self.wire.pop_first() else { continue };
            if link + 1 < LINKS {
                self.enter(now, from, link + 1, datagram);
            } else {
                let peer = address(from as u8);
                let known = self.hosts[1 - from].on_datagram(now, peer, false, &datagram.bytes);
                // An answer may come when its message is done.
                assert!(known || !datagram.is_data);
            }
        }
    }
}

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 7 + at / 256) as u8).collect()
}

/// The same in simulation: when the last ACK came, and the packets that were sent. Nothing where a
/// scenario does not take these together.
fn simulated(
    [load_balance, congestion, recovery]: Names,
    bytes: usize,
    seed: u64,
) -> Option<(Span, Vec<Packet>)> {
    // What a simulated packet carries for its congestion control: over sockets its sender remembers it.
    let known = congestion::Config::named(congestion).expect("a listed name");
    let less = known.telemetry_bytes().0;
    let (header, ack) = (60 - less, ACK - less);
    let text = format!(
        r#"
[fabric]
topology = {{ kind = "leaf_spine", leaves = 2, hosts_per_leaf = 1, spines = 1, rate = "10 Gbps", link_delay = "1 us", switch_delay = "0 ns" }}
queue = {{ size = "300000 B" }}
[transport]
payload = "1454 B"
header = "{header} B"
ack = "{ack} B"
load_balance = {{ scheme = "{load_balance}" }}
congestion = {{ scheme = "{congestion}" }}
recovery = {{ scheme = "{recovery}" }}
[traffic]
kind = "flows"
flow = [{{ from = 0, to = 1, bytes = "{bytes} B" }}]
[record]
flows = [0]
"#
    );
    let study = scenario::parse("two.toml", &text, std::path::Path::new("."), &[]).ok()?;
    let plan = study.cells[0].scenario.resolve(seed).unwrap_or_else(|why| panic!("{why:?}"));
    let outcome = engine::run(&plan, &mut ());
    let flow = outcome.flows.iter().next().expect("one flow");
    let took = flow.acked.expect("it ends").since(flow.started.expect("it starts"));
    let packets = outcome.packets.rows().map(|own| (own.number, own.entropy, own.sent)).collect();
    Some((took, packets))
}

#[test]
fn a_host_sends_the_packets_of_a_simulation_each_at_the_same_picosecond() {
    let bytes = 300_001;
    let reps = ["reps", "nscc", "sack"];
    let known = Transport::named(reps[0], reps[1], reps[2], &path()).expect("known words");
    let mut count = 0;
    for (names, transport) in transports::all(&path()).into_iter().chain([(reps, known)]) {
        let Some((took, packets)) = simulated(names, bytes, 5) else { continue };
        let mut net = Net::new(&transport, 5, 0);
        net.hosts[0].send(Time::ZERO, address(1), message(bytes)).expect("short enough");
        let events = net.run(Time(1_000_000_000_000));
        assert_eq!(net.sent, packets, "{names:?}");
        let arrived = |own: &(usize, Event)| matches!(own, (1, Event::Received { message: own, .. }) if *own == message(bytes));
        assert!(events.iter().any(arrived), "{names:?}: {events:?}");
        let sent = events.iter().find_map(|own| match own {
            (0, Event::Sent { took, .. }) => Some(*took),
            _ => None,
        });
        assert_eq!(sent, Some(took), "{names:?}");
        count += 1;
    }
    // REPS, and each pair of congestion control and recovery.
    assert_eq!(count, 79);
}

#[test]
fn a_message_arrives_whole_where_every_eleventh_datagram_is_lost_and_the_run_repeats() {
    let transport = Transport::named("reps", "nscc", "sack", &path()).expect("known words");
    let run = || {
        let mut net = Net::new(&transport, 3, 11);
        for bytes in [0, 1, 200_000, 1_454, 2_908] {
            net.hosts[0].send(Time::ZERO, address(1), message(bytes)).expect("short enough");
        }
        net.hosts[1].send(Time::ZERO, address(0), message(70_000)).expect("short enough");
        (net.run(Time(60_000_000_000_000)), net.sent)
    };
    let (events, sent) = run();
    let mut received: Vec<usize> = Vec::new();
    for (host, event) in &events {
        match event {
            Event::Received { message: own, from, .. } => {
                assert_eq!((from, own), (&address(1 - *host as u8), &message(own.len())));
                received.push(own.len());
            }
            Event::Sent { .. } => {}
            Event::Failed { .. } => panic!("{event:?}"),
        }
    }
    received.sort_unstable();
    assert_eq!(received, [0, 1, 1_454, 2_908, 70_000, 200_000]);
    assert_eq!(events.len(), 12);
    assert_eq!(run(), (events, sent));
}

/// What a host does that begins anew, at the address of one that is gone.
#[test]
fn a_host_that_begins_anew_numbers_its_messages_otherwise() {
    let transport = Transport::named("ops", "nscc", "sack", &path()).expect("known words");
    let mut net = Net::new(&transport, 1, 0);
    let received = |events: Vec<(usize, Event)>| {
        let own = events.into_iter().filter_map(|(host, event)| match event {
            Event::Received { message, .. } if host == 1 => Some(message),
            _ => None,
        });
        own.collect::<Vec<_>>()
    };
    for (first, bytes, arrives) in [(7, 5_000, true), (8, 6_000, true), (7, 5_000, false)] {
        net.hosts[0] = Host::new(&transport, address(0), 1, first);
        net.free = [[Time::ZERO; LINKS]; 2];
        net.hosts[0].send(Time::ZERO, address(1), message(bytes)).expect("short enough");
        let expected = if arrives { vec![message(bytes)] } else { Vec::new() };
        assert_eq!(received(net.run(Time(1_000_000_000_000))), expected, "from {first} on");
    }
}

#[test]
fn what_lies_in_the_socket_is_heard_before_a_late_host_takes_it_for_lost() {
    let transport = Transport::named("ops", "nscc", "sack", &path()).expect("known words");
    let mut net = Net::new(&transport, 1, 0);
    net.hosts[0].send(Time::ZERO, address(1), message(2_000)).expect("short enough");
    let mut answers = Vec::new();
    while let Some(packet) = net.hosts[0].poll() {
        net.hosts[1].on_datagram(Time(1), address(0), false, &packet.bytes);
        answers.extend(std::iter::from_fn(|| net.hosts[1].poll()));
        net.hosts[0].advance(Time(5_000_000));
    }
    // Long after any timeout.
    let late = Time(500_000_000_000);
    for answer in answers {
        assert!(net.hosts[0].on_datagram(late, address(1), false, &answer.bytes));
    }
    net.hosts[0].advance(late);
    let Some(Event::Sent { counts, .. }) = net.hosts[0].poll_event() else { panic!("it is there") };
    assert_eq!((counts.sent, counts.retransmitted, counts.timeouts), (2, 0, 0));
}

/// Whoever begins messages and ends none takes no more room than there is, and for a minute.
#[test]
fn messages_that_never_end_are_forgotten_and_take_no_room() {
    let path = Path { room: Bytes(10_000), ..path() };
    let transport = Transport::named("homa", "homa", "sack", &path);
    assert!(transport.is_err(), "`homa` chooses no paths");
    let transport = Transport::named("ops", "homa", "sack", &path).expect("known words");
    let mut host = Host::new(&transport, address(0), 1, 0);
    let mut begins = |now: u64, flow: u32| {
        let psn = raddle_schemes::ids::Psn(0);
        let (home, total, entropy) = (4_791, 4, Entropy(0));
        let (again, ack_request, payload) = (false, false, &[0; 1_454][..]);
        let mut bytes = Vec::new();
        Frame::Data { home, flow, total, psn, entropy, again, ack_request, payload }
            .write(&mut bytes);
        host.on_datagram(Time(now * 1_000_000_000_000), address(1), false, &bytes)
    };
    assert!(begins(1, 1));
    assert!(!begins(2, 2), "there is room for one of them");
    assert!(begins(59, 1));
    assert!(begins(62, 2), "the first is forgotten");
    assert!(!begins(63, 1));
}

#[test]
fn a_message_that_nobody_answers_fails_after_a_minute() {
    let transport = Transport::named("ops", "nscc", "sack", &path()).expect("known words");
    let mut net = Net::new(&transport, 1, 1);
    net.hosts[0].send(Time::ZERO, address(1), message(3_000)).expect("short enough");
    let events = net.run(Time(61_000_000_000_000));
    assert_eq!(events, [(0, Event::Failed { flow: u32::MAX, heard: 0, total: 3 })]);
    assert!(net.hosts[0].due().is_none(), "nothing more is to be done");
}

#[test]
fn what_is_none_of_its_messages_is_refused() {
    let path = Path { room: Bytes(10_000), ..path() };
    let transport = Transport::named("ops", "nscc", "sack", &path).expect("known words");
    let mut host = Host::new(&transport, address(0), 1, 0);
    let peer = address(1);
    let packet = |total, psn, payload: &'static [u8]| Frame::Data {
        home: 4_791,
        flow: 1,
        total,
        psn: raddle_schemes::ids::Psn(psn),
        entropy: Entropy(0),
        again: false,
        ack_request: false,
        payload,
    };
    let full = &[0; 1_454];
    let cnp = Control::Cnp { entropy: Entropy(0) };
    let mut takes = |frame: Frame<'_>| {
        let mut bytes = Vec::new();
        frame.write(&mut bytes);
        host.on_datagram(Time(1), peer, false, &bytes)
    };
    assert!(!takes(packet(8, 0, full)), "a message that it has no room for");
    assert!(!takes(Frame::Control { flow: 0, control: cnp }), "an answer to nothing");
    assert!(takes(packet(3, 0, full)));
    assert!(!takes(packet(4, 1, full)), "a message that has become longer");
    assert!(!takes(packet(3, 1, &full[..100])), "a packet that is too short");
    assert!(!host.on_datagram(Time(2), peer, false, b"something else"));
    let long = host.send(Time(3), peer, vec![0; 10_001]);
    assert_eq!(long, Err(TooLong { bytes: 10_001, room: 10_000 }));
}
