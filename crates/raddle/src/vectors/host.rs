//! Host load balancing as machines: the entropy of each packet, and news about those sent.

use super::course::Course;
use super::machine::{Machine, Recorded, json, step};
use super::state::Word;
use raddle_schemes::ids::{Entropy, Psn};
use raddle_schemes::load_balance::host::{
    AnyPathSelector, Config, Fate, Feedback, Outgoing, PathSelector,
};
use raddle_schemes::load_balance::plane::Paths;
use raddle_schemes::load_balance::route::Rotation;
use raddle_schemes::probe::Probes;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_schemes::{Cx, FlowContext};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Planes of a selector that names them, where it is driven through random events.
const PLANES: u32 = 4;

/// What can happen to a flow's path selector.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// The next message of the connection begins.
    BeginMessage,
    /// The route that is due, or the path that a planner gives.
    OnRoute { route: Entropy },
    /// A packet leaves: the answer is its entropy.
    NextPath(Outgoing),
    /// News about a packet.
    OnFeedback(Feedback),
    /// Whether packets were lost on its path: the answer is the path and their fate.
    PollLost,
    /// What the host knows of the paths to the destination.
    BeginPaths { paths: Paths },
    /// Which of the free planes, a bit each, the next packet shall take: the answer is the plane.
    ChoosePlane { free: u8 },
    /// The next packet leaves by this plane.
    OnPlane { plane: u32 },
    /// Its timer has come.
    OnTimer,
    /// A path to probe: the answer is the path.
    PollProbe,
    /// A probe of this path was answered.
    OnProbeAnswered { path: Entropy },
}

impl Machine for AnyPathSelector {
    type Event = Event;

    fn apply(&mut self, now: Time, rng: &mut Rng, event: &Event) -> Value {
        let cx = &mut Cx { now, rng, events: &mut () };
        match event {
            Event::BeginMessage => self.begin_message(),
            Event::OnRoute { route } => self.on_route(*route),
            Event::NextPath(packet) => return json!(self.next_path(cx, packet).0),
            Event::OnFeedback(news) => self.on_feedback(cx, news),
            Event::PollLost => {
                let lost = self.poll_lost();
                return json(&lost.map(|(path, fate)| json!({ "path": path, "fate": fate })));
            }
            Event::BeginPaths { paths } => self.begin_paths(cx, paths),
            Event::ChoosePlane { free } => return json(&self.choose_plane(cx, *free)),
            Event::OnPlane { plane } => self.on_plane(*plane),
            Event::OnTimer => self.on_timer(cx),
            Event::PollProbe => return json(&self.poll_probe()),
            Event::OnProbeAnswered { path } => self.on_probe_answered(cx, *path),
        }
        Value::Null
    }

    fn state(&self) -> Word {
        Word::of(self)
    }
}

impl PathSelector for Recorded<AnyPathSelector> {
    fn probes(&self, to: &mut dyn Probes) {
        self.machine.probes(to);
    }
    fn begin(&mut self, context: &FlowContext) {
        self.machine.begin(context);
        self.began(json(context));
    }
    fn begin_message(&mut self) {
        self.apply(self.now, &mut Rng::new(0, "unused", 0), &Event::BeginMessage);
    }
    fn rotation(&self, routes: Vec<Entropy>, rng: &mut Rng) -> Rotation {
        self.machine.rotation(routes, rng)
    }
    fn knows_at_once(&self) -> bool {
        self.machine.knows_at_once()
    }
    fn on_route(&mut self, route: Entropy) {
        self.apply(self.now, &mut Rng::new(0, "unused", 0), &Event::OnRoute { route });
    }
    fn poll_lost(&mut self) -> Option<(Entropy, Fate)> {
        if self.is_full() {
            return self.machine.poll_lost();
        }
        let before = self.machine.copy()?;
        let lost = self.machine.poll_lost();
        if lost.is_some() {
            // Told as a step of the machine as it was.
            let now = self.now;
            self.machine = before;
            self.apply(now, &mut Rng::new(0, "unused", 0), &Event::PollLost);
        }
        lost
    }
    fn next_path(&mut self, cx: &mut Cx<'_>, packet: &Outgoing) -> Entropy {
        let answer = self.apply(cx.now, cx.rng, &Event::NextPath(*packet));
        Entropy(answer.as_u64().unwrap_or(0) as u16)
    }
    fn learns_entropies(&self) -> bool {
        self.machine.learns_entropies()
    }
    fn names_planes(&self) -> bool {
        self.machine.names_planes()
    }
    fn begin_paths(&mut self, cx: &mut Cx<'_>, paths: &Paths) {
        self.apply(cx.now, cx.rng, &Event::BeginPaths { paths: paths.clone() });
    }
    fn hears_of_ports(&self) -> Option<Span> {
        self.machine.hears_of_ports()
    }
    fn healthy_planes(&self) -> u8 {
        self.machine.healthy_planes()
    }
    fn choose_plane(&mut self, cx: &mut Cx<'_>, free: u8) -> Option<u32> {
        let answer = self.apply(cx.now, cx.rng, &Event::ChoosePlane { free });
        answer.as_u64().map(|plane| plane as u32)
    }
    fn on_plane(&mut self, plane: u32) {
        self.apply(self.now, &mut Rng::new(0, "unused", 0), &Event::OnPlane { plane });
    }
    fn hears_of_overtaken(&self) -> bool {
        self.machine.hears_of_overtaken()
    }
    fn knows_last_hop(&self) -> bool {
        self.machine.knows_last_hop()
    }
    fn next_timer(&self) -> Option<Time> {
        self.machine.next_timer()
    }
    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        self.apply(cx.now, cx.rng, &Event::OnTimer);
    }
    fn poll_probe(&mut self) -> Option<Entropy> {
        if !self.machine.names_planes() {
            return self.machine.poll_probe();
        }
        let answer = self.apply(self.now, &mut Rng::new(0, "unused", 0), &Event::PollProbe);
        answer.as_u64().map(|path| Entropy(path as u16))
    }
    fn on_probe_answered(&mut self, cx: &mut Cx<'_>, path: Entropy) {
        self.apply(cx.now, cx.rng, &Event::OnProbeAnswered { path });
    }
    fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        self.apply(cx.now, cx.rng, &Event::OnFeedback(*news));
    }
}

/// Packets, and news about some of the last 64 in any order: clean, marked, trimmed, timed out.
pub(super) fn course(config: &Config, number: u64, events: usize) -> Course {
    let context = FlowContext { trimming: number.is_multiple_of(2), ..FlowContext::NOMINAL };
    let mut machine = config.build(&context);
    machine.begin(&context);
    let mut course = Course::new("host", config, number, json(&context), machine.state());
    let mut sent: Vec<Entropy> = Vec::new();
    let mut probed = None;
    for count in 0..events {
        let now = course.pass_time();
        let event = if machine.names_planes()
            && let Some(event) = about_paths(&mut course, &machine, (now, count), &mut probed)
        {
            event
        } else if sent.is_empty() || course.below(2) == 0 {
            let psn = Psn(sent.len() as u32);
            Event::NextPath(Outgoing { psn, again: course.below(20) == 0 })
        } else if course.below(40) == 0 {
            let route = Entropy(course.below(64) as u16);
            if course.below(2) == 0 { Event::BeginMessage } else { Event::OnRoute { route } }
        } else {
            let back = course.below(sent.len().min(64) as u64) as usize;
            Event::OnFeedback(news(&mut course, sent[sent.len() - 1 - back]))
        };
        let step = step(&mut machine, now, &mut course.own, &event);
        if let Event::NextPath(_) = event {
            sent.push(Entropy(step.answer.as_u64().unwrap_or(0) as u16));
        }
        if let Event::PollProbe = event {
            probed = step.answer.as_u64().map(|path| Entropy(path as u16));
        }
        course.trajectory.steps.push(step);
    }
    course
}

/// What happens to a path selector that names planes beside packets and news: it is told of its paths
/// first, every second probe is answered.
fn about_paths(
    course: &mut Course,
    machine: &AnyPathSelector,
    (now, count): (Time, usize),
    probed: &mut Option<Entropy>,
) -> Option<Event> {
    if count == 0 {
        return Some(Event::BeginPaths { paths: Paths::Hashed { planes: PLANES } });
    }
    if let Some(path) = probed.take() {
        let answered = course.below(2) == 0;
        return Some(if answered { Event::OnProbeAnswered { path } } else { Event::PollProbe });
    }
    if machine.next_timer().is_some_and(|at| at <= now) {
        return Some(Event::OnTimer);
    }
    match course.below(8) {
        0 => Some(Event::ChoosePlane { free: course.below(1 << PLANES) as u8 }),
        1 => Some(Event::OnPlane { plane: course.below(PLANES.into()) as u32 }),
        2 => Some(Event::PollProbe),
        _ => None,
    }
}

fn news(course: &mut Course, path: Entropy) -> Feedback {
    let fate = match course.below(100) {
        0..70 => Fate::Clean,
        70..90 => Fate::Marked,
        90..97 => Fate::Trimmed,
        _ => Fate::TimedOut,
    };
    let heard = matches!(fate, Fate::Clean | Fate::Marked) && course.below(10) > 0;
    Feedback {
        path,
        fate,
        rtt: heard.then(|| Span(8_320_000 + course.below(8_000_000))),
        window_before: Bytes(course.below(600_000) + 4160),
        window_after: Bytes(course.below(600_000) + 4160),
        in_flight: Bytes(course.below(600_000)),
    }
}
