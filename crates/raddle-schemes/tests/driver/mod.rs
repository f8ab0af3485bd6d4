//! Drives any registered scheme through a random but reproducible course of events.
//!
//! A driver allocates nothing in `step`, so that what the scheme allocates can be counted.

use raddle_schemes::congestion::{self, Ack, AnyCongestionControl, Grant, Hop, Loss, LossCause};
use raddle_schemes::family::{ParameterError, Raw};
use raddle_schemes::ids::{Entropy, HostId, PortId, Psn};
use raddle_schemes::load_balance::host::{self, AnyPathSelector, Fate, Feedback, Outgoing};
use raddle_schemes::marking::{self, AnyMarker, QueueState};
use raddle_schemes::rng::{Rng, mix};
use raddle_schemes::size::Base;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Cx, Events, FlowContext};

/// A flow on a fabric of 400 Gbps whose bandwidth-delay product is 100 packets.
pub(crate) fn flow_context(trimming: bool) -> FlowContext {
    FlowContext {
        payload: Bytes(4096),
        header: Bytes(64),
        gap: Bytes(0),
        base_rtt: Span::ns(8320),
        rate: Rate::gbps(400),
        bdp: Bytes(416_000),
        rto: Span::us(42),
        drain: Some(Span::ns(8320)),
        trimming,
        classes: 7,
        source: HostId(3),
        destination: HostId(77),
    }
}

/// A port whose queue holds one bandwidth-delay product.
pub(crate) fn queue_base() -> Base {
    Base { packet: Bytes(4160), bdp: Bytes(416_000), whole: Bytes(416_000) }
}

/// The words that a refused word is answered with.
fn words(refusal: Result<(), ParameterError>) -> Vec<&'static str> {
    match refusal {
        Err(ParameterError::Word(words)) => words,
        other => panic!("expected the accepted words, not {other:?}"),
    }
}

/// Most variants of which every combination is tried.
const COMBINATIONS: usize = 64;

/// The default and what a look at the parameters suggests: every word, every flag turned, and all
/// of that again with short times, which bring what usually lies beyond a test's end. Of a scheme
/// with many words and flags not every combination, but every two of them together.
macro_rules! variants {
    ($config:expr) => {{
        let config = $config;
        let mut short = config.clone();
        let times = short.parameters().into_iter().filter(|parameter| parameter.kind == "time");
        times.for_each(|time| short.set(time.name, Raw::Text("20 us")).expect("a time"));
        let mut choices = Vec::new();
        for parameter in config.parameters() {
            let values: Vec<_> = match parameter.kind {
                "word" => words(config.clone().set(parameter.name, Raw::Text("no such word")))
                    .into_iter()
                    .map(Raw::Text)
                    .collect(),
                "true or false" => vec![Raw::Flag(true), Raw::Flag(false)],
                _ => continue,
            };
            choices.push((parameter.name, values));
        }
        let combinations = choices.iter().map(|(_, values)| values.len()).product::<usize>();
        let together = if combinations <= COMBINATIONS { choices.len() } else { 2 };
        let mut all = vec![(config, 0), (short, 0)];
        for (name, values) in choices {
            let mut further = Vec::new();
            for (config, changed) in all.iter().filter(|(_, changed)| *changed < together) {
                for value in &values {
                    let mut other = config.clone();
                    other.set(name, *value).expect("a listed value");
                    further.extend((other != *config).then_some((other, changed + 1)));
                }
            }
            all.extend(further);
        }
        all.into_iter().map(|(config, _)| config)
    }};
}

/// Host load balancers in all variants.
pub(crate) fn path_configs() -> Vec<host::Config> {
    let names = host::SCHEMES.iter().map(|scheme| scheme.card.name);
    names.filter_map(host::Config::named).flat_map(|config| variants!(config)).collect()
}

/// Congestion controls in all variants.
pub(crate) fn congestion_configs() -> Vec<congestion::Config> {
    let names = congestion::SCHEMES.iter().map(|scheme| scheme.card.name);
    names.filter_map(congestion::Config::named).flat_map(|config| variants!(config)).collect()
}

/// Markers in all variants.
pub(crate) fn marking_configs() -> Vec<marking::Config> {
    let names = marking::SCHEMES.iter().map(|scheme| scheme.card.name);
    names.filter_map(marking::Config::named).flat_map(|config| variants!(config)).collect()
}

/// All that a scheme ever answered, in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answers(pub(crate) u64);

impl Answers {
    fn add(&mut self, answer: u64) {
        self.0 = mix(self.0 ^ answer).wrapping_add(1);
    }
}

impl Events for Answers {
    fn event(&mut self, _now: Time, name: &'static str) {
        name.bytes().for_each(|byte| self.add(u64::from(byte)));
    }
}

/// The clock and the two streams of a course of events: the scheme's own, and the events'.
struct Course {
    now: Time,
    flow: Rng,
    chance: Rng,
    answers: Answers,
}

impl Course {
    fn new(seed: u64, start: Time) -> Self {
        let (flow, chance) = (Rng::new(seed, "flow", 0), Rng::new(seed, "course", 0));
        Self { now: start, flow, chance, answers: Answers(0) }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.chance.below(n)
    }

    /// Mostly a packet's time, now and then a pause.
    fn pass_time(&mut self) {
        let pause = if self.below(200) == 0 { 50_000_000 } else { 0 };
        let packets = self.below(160_000);
        self.now += Span(packets + pause);
    }

    fn cx(&mut self) -> Cx<'_> {
        Cx { now: self.now, rng: &mut self.flow, events: &mut self.answers }
    }
}

const REMEMBERED: usize = 64;

/// Sends packets and returns news about some of the latest ones, in any order.
pub(crate) struct Paths {
    course: Course,
    sent: [Entropy; REMEMBERED],
    count: usize,
}

impl Paths {
    /// A course of events from `start` on.
    pub(crate) fn new(seed: u64, start: Time) -> Self {
        let sent = [Entropy(0); REMEMBERED];
        Self { course: Course::new(seed, start), sent, count: 0 }
    }

    /// A packet, whose entropy is returned, or a piece of news.
    pub(crate) fn step(&mut self, scheme: &mut AnyPathSelector) -> Option<Entropy> {
        let course = &mut self.course;
        course.pass_time();
        if self.count == 0 || course.below(2) == 0 {
            let psn = Psn(self.count as u32);
            let again = course.below(20) == 0;
            let entropy = scheme.next_path(&mut course.cx(), &Outgoing { psn, again });
            self.sent[self.count % REMEMBERED] = entropy;
            self.count += 1;
            course.answers.add(u64::from(entropy.0));
            return Some(entropy);
        }
        let fate = match course.below(100) {
            0..70 => Fate::Clean,
            70..90 => Fate::Marked,
            90..97 => Fate::Trimmed,
            _ => Fate::TimedOut,
        };
        let heard = matches!(fate, Fate::Clean | Fate::Marked) && course.below(10) > 0;
        let rtt = heard.then(|| Span(8_320_000 + course.below(8_000_000)));
        let news = Feedback {
            path: self.sent[course.below(self.count.min(REMEMBERED) as u64) as usize],
            fate,
            rtt,
            window_before: Bytes(course.below(600_000) + 4160),
            window_after: Bytes(course.below(600_000) + 4160),
            in_flight: Bytes(course.below(600_000)),
        };
        scheme.on_feedback(&mut course.cx(), &news);
        None
    }

    /// The answers of `steps` more steps, and of all before.
    pub(crate) fn run(&mut self, scheme: &mut AnyPathSelector, steps: u32) -> Answers {
        (0..steps).for_each(|_| _ = self.step(scheme));
        self.course.answers
    }
}

const PACKET: Bytes = Bytes(4160);
const RING: u32 = 256;

/// Fills the window and acknowledges, marks and loses packets in any order.
pub(crate) struct Window {
    course: Course,
    arrived: [bool; RING as usize],
    in_flight: u32,
    cumulative: u32,
    next_new: u32,
    /// Where receivers pace: credits so far.
    credits: u32,
}

impl Window {
    /// A course of events from `start` on.
    pub(crate) fn new(seed: u64, start: Time) -> Self {
        let arrived = [false; RING as usize];
        let course = Course::new(seed, start);
        Self { course, arrived, in_flight: 0, cumulative: 0, next_new: 0, credits: 0 }
    }

    fn fill(&mut self, scheme: &mut AnyCongestionControl) {
        while u64::from(self.in_flight + 1) * PACKET.0 <= scheme.limits().window.0
            && self.next_new < self.cumulative + RING
        {
            scheme.on_sent(&mut self.course.cx(), PACKET);
            self.arrived[(self.next_new % RING) as usize] = false;
            self.next_new += 1;
            self.in_flight += 1;
        }
    }

    fn in_flight(&self) -> Bytes {
        Bytes(u64::from(self.in_flight) * PACKET.0)
    }

    /// An ACK, a loss, or a timer; the window and the rate after it are returned.
    pub(crate) fn step(&mut self, scheme: &mut AnyCongestionControl) -> congestion::Limits {
        self.course.pass_time();
        if scheme.next_timer().is_some_and(|due| due <= self.course.now) {
            scheme.on_timer(&mut self.course.cx());
            if let Some(request) = scheme.poll_request() {
                self.course.answers.add(u64::from(request));
            }
        }
        if scheme.pulls().is_some() {
            self.credits += 2;
            scheme.on_credit(&mut self.course.cx(), self.credits);
        }
        if scheme.grants().is_some() {
            let upto = self.next_new + self.course.below(4) as u32;
            let class = self.course.below(5) as u8;
            scheme.on_grant(&mut self.course.cx(), &Grant { upto, class });
            let class = scheme.class(Psn(self.course.below(200) as u32));
            self.course.answers.add(class.map_or(0, |class| 1 + u64::from(class)));
        }
        if scheme.cnps().is_some() && self.course.below(50) == 0 {
            scheme.on_cnp(&mut self.course.cx());
        }
        self.fill(scheme);
        let outstanding = u64::from(self.next_new - self.cumulative);
        let psn = self.cumulative + self.course.below(outstanding) as u32;
        let arrived = self.arrived[(psn % RING) as usize];
        if !arrived && self.course.below(20) == 0 {
            let cause = [LossCause::Trim, LossCause::Timeout, LossCause::Reordering]
                [self.course.below(3) as usize];
            let loss = Loss {
                bytes: PACKET,
                packets: 1,
                cause,
                in_flight: self.in_flight(),
                next_new: self.next_new,
            };
            scheme.on_loss(&mut self.course.cx(), &loss);
        } else {
            self.acknowledge(scheme, psn, arrived);
        }
        let limits = scheme.limits();
        self.course.answers.add(limits.window.0);
        self.course.answers.add(limits.rate.map_or(0, |rate| rate.0));
        limits
    }

    fn acknowledge(&mut self, scheme: &mut AnyCongestionControl, psn: u32, duplicate: bool) {
        if !duplicate {
            self.arrived[(psn % RING) as usize] = true;
            self.in_flight -= 1;
        }
        while self.cumulative < self.next_new && self.arrived[(self.cumulative % RING) as usize] {
            self.cumulative += 1;
        }
        let rtt = Span(8_320_000 + self.course.below(8_000_000));
        let hops = [hop(self.course.now, self.next_new)];
        let ack = Ack {
            bytes: if duplicate { Bytes(0) } else { PACKET },
            marked: self.course.below(4) == 0,
            rtt: (!duplicate).then_some(rtt),
            in_flight: self.in_flight(),
            cumulative: self.cumulative,
            next_new: self.next_new,
            hops: if duplicate { &[] } else { &hops },
            circuit: self.next_new >> 6 & 1 == 1,
        };
        scheme.on_ack(&mut self.course.cx(), &ack);
    }

    /// The answers of `steps` more steps, and of all before.
    pub(crate) fn run(&mut self, scheme: &mut AnyCongestionControl, steps: u32) -> Answers {
        (0..steps).for_each(|_| _ = self.step(scheme));
        self.course.answers
    }
}

/// What a port that has sent so many packets, and whose queue goes up and down, says of itself.
fn hop(at: Time, packets: u32) -> Hop {
    let bytes = |packets: u32| Bytes(u64::from(packets) * PACKET.0);
    let (queue, sent) = (bytes(packets % 60), bytes(packets));
    Hop { port: PortId(3), at, queue, sent, entered: sent + queue, rate: Rate::gbps(400) }
}

/// Shows a marker one queue after the other.
pub(crate) struct Queue {
    course: Course,
}

impl Queue {
    /// A course of events from `start` on.
    pub(crate) fn new(seed: u64, start: Time) -> Self {
        Self { course: Course::new(seed, start) }
    }

    /// The bytes of a queue, and whether the frame that saw it was marked.
    pub(crate) fn step(&mut self, scheme: &AnyMarker) -> (Bytes, bool) {
        let bytes = Bytes(self.course.below(101) * PACKET.0);
        let (stream, event) = (self.course.flow.next_u64(), self.course.chance.next_u64());
        let mark = scheme.mark(&QueueState { bytes, stream, event });
        self.course.answers.add(u64::from(mark));
        (bytes, mark)
    }

    /// The answers of `steps` more steps, and of all before.
    pub(crate) fn run(&mut self, scheme: &AnyMarker, steps: u32) -> Answers {
        (0..steps).for_each(|_| _ = self.step(scheme));
        self.course.answers
    }
}
