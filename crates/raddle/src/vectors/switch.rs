//! Switch load balancing as machines: which of its equal ports takes a packet.

use super::course::Course;
use super::machine::{Machine, Recorded, json, step};
use super::state::Word;
use raddle_schemes::ids::{Entropy, SwitchId};
use raddle_schemes::load_balance::switch::{
    AnyPortSelector, Choices, Config, Detour, Group, Header, PortSelector, Queue, Surroundings,
    SwitchContext, Waypoint,
};
use raddle_schemes::probe::Probes;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Time};
use raddle_schemes::{Need, SwitchCx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// What can happen to a switch's port selector.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// A packet takes one of these ports: the answer is its place among them.
    Select(Box<Select>),
    /// Where a packet goes before its destination: the answer is the place of a switch and the
    /// entropy that it has then, if it goes to any, and the one that it has else.
    Detour {
        packet: Header,
        switch: SwitchId,
        edge: SwitchId,
        from_host: bool,
        edges: Vec<SwitchId>,
    },
}

/// A packet and its equal ports.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Select {
    packet: Header,
    next_hops: u32,
    epoch: u32,
    /// Equal if there are none.
    weights: Option<Vec<u32>>,
    /// Counted within the switch.
    ports: Vec<u32>,
    /// Of schemes that read it.
    group: Option<Group>,
    queues: Option<Vec<Queue>>,
    towards_pod: Option<Vec<(u32, u32)>>,
}

/// The same as schemes look at it.
struct Seen<'a>(&'a Select);

impl Surroundings for Seen<'_> {
    fn port(&self, choice: usize) -> u32 {
        self.0.ports[choice]
    }
    fn group(&self) -> Group {
        self.0.group.unwrap_or(Group { edge: 0, pod: 0 })
    }
    fn queue(&mut self, choice: usize) -> Queue {
        let queues = self.0.queues.as_deref().unwrap_or_default();
        let none = Queue { bytes: Bytes(0), capacity: Bytes(0) };
        queues.get(choice).copied().unwrap_or(none)
    }
    fn towards_pod(&self) -> Vec<(u32, u32)> {
        self.0.towards_pod.clone().unwrap_or_default()
    }
}

impl Machine for AnyPortSelector {
    type Event = Event;

    fn apply(&mut self, now: Time, rng: &mut Rng, event: &Event) -> Value {
        let cx = &mut SwitchCx { now, rng };
        match event {
            Event::Select(select) => {
                let mut choices = Choices {
                    count: select.ports.len(),
                    next_hops: select.next_hops,
                    epoch: select.epoch,
                    weights: select.weights.as_deref(),
                    fabric: &mut Seen(select),
                };
                json!(self.select(cx, &select.packet, &mut choices))
            }
            Event::Detour { packet, switch, edge, from_host, edges } => {
                let stop = Waypoint { switch: *switch, edge: *edge, from_host: *from_host, edges };
                let Detour { towards, straight } = self.detour(cx, packet, &stop);
                let towards = towards.map(|(place, entropy)| json!([place, entropy.0]));
                json!({ "towards": towards, "straight": straight.0 })
            }
        }
    }

    fn state(&self) -> Word {
        Word::of(self)
    }

    fn fits(event: &Event) -> Result<(), String> {
        let Event::Select(select) = event else { return Ok(()) };
        let ports = select.ports.len();
        let weights = select.weights.as_ref();
        if ports == 0 {
            return Err("a packet without ports".to_owned());
        }
        if weights.is_some_and(|weights| weights.len() != ports || weights.iter().sum::<u32>() == 0)
        {
            return Err(format!("weights that are not those of {ports} ports"));
        }
        let queues = select.queues.as_ref();
        if queues.is_some_and(|queues| queues.len() != ports) {
            return Err(format!("queues that are not those of {ports} ports"));
        }
        Ok(())
    }
}

/// A switch's scheme in a run, and what it was made of.
pub(super) struct InRun {
    pub(super) own: Recorded<AnyPortSelector>,
    pub(super) config: Arc<Config>,
}

impl PortSelector for InRun {
    fn probes(&self, to: &mut dyn Probes) {
        self.own.machine.probes(to);
    }
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        if self.own.is_full() {
            self.own.pass();
            return self.own.machine.select(cx, packet, choices);
        }
        let needs = self.config.card().needs;
        let reads_groups = needs.contains(&Need::Groups);
        let reads_queues = reads_groups || needs.contains(&Need::QueueLengths);
        let all = 0..choices.count;
        let select = Select {
            packet: *packet,
            next_hops: choices.next_hops,
            epoch: choices.epoch,
            weights: choices.weights.map(<[u32]>::to_vec),
            ports: all.clone().map(|choice| choices.fabric.port(choice)).collect(),
            group: reads_groups.then(|| choices.fabric.group()),
            queues: reads_queues.then(|| all.map(|choice| choices.fabric.queue(choice)).collect()),
            towards_pod: reads_groups.then(|| choices.fabric.towards_pod()),
        };
        let answer = self.own.apply(cx.now, cx.rng, &Event::Select(Box::new(select)));
        answer.as_u64().unwrap_or(0) as usize
    }
    fn offers(&self, need: Need) -> bool {
        self.config.offers(need)
    }
    fn looks_before(&self) -> bool {
        self.own.machine.looks_before()
    }
    fn reads_entropy(&self) -> bool {
        self.config.reads_entropy()
    }
    fn makes_detours(&self) -> bool {
        self.config.makes_detours()
    }
    fn detour(&mut self, cx: &mut SwitchCx<'_>, packet: &Header, stop: &Waypoint<'_>) -> Detour {
        let event = Event::Detour {
            packet: *packet,
            switch: stop.switch,
            edge: stop.edge,
            from_host: stop.from_host,
            edges: stop.edges.to_vec(),
        };
        let answer = self.own.apply(cx.now, cx.rng, &event);
        let entropy = |value: &Value| Entropy(value.as_u64().unwrap_or(0) as u16);
        let towards = answer["towards"]
            .as_array()
            .map(|pair| (pair[0].as_u64().unwrap_or(0) as usize, entropy(&pair[1])));
        Detour { towards, straight: entropy(&answer["straight"]) }
    }
}

/// Packets of 16 flows to 4 ToRs, small ones and control among them, over 1 to 8 ports with queues of
/// any length, with weights and without; routes change at times.
pub(super) fn course(config: &Config, number: u64, events: usize) -> Course {
    let context =
        SwitchContext { switch: SwitchId(2), edge: true, pod: Some(0), stream: 7 + number };
    let mut machine = config.build(&context);
    let mut course = Course::new("switch", config, number, json(&context), machine.state());
    let mut epoch = 0;
    for _ in 0..events {
        let now = course.pass_time();
        epoch += u32::from(course.below(50) == 0);
        let event = if config.makes_detours() && course.below(2) == 0 {
            Event::Detour {
                packet: packet(&mut course),
                switch: SwitchId(2),
                edge: SwitchId(course.below(4) as u32),
                from_host: course.below(2) == 0,
                edges: (0..4).map(SwitchId).collect(),
            }
        } else {
            Event::Select(Box::new(select(&mut course, epoch)))
        };
        let own = step(&mut machine, now, &mut course.own, &event);
        course.trajectory.steps.push(own);
    }
    course
}

fn packet(course: &mut Course) -> Header {
    let control = course.below(8) == 0;
    Header {
        flow_key: course.below(16) as u32 * 0x0101_0101,
        entropy: Entropy(course.below(65_536) as u16),
        bytes: Bytes(if control { 64 } else { 4160 - 1000 * course.below(2) }),
        control,
        hashed: false,
    }
}

fn select(course: &mut Course, epoch: u32) -> Select {
    // One group of next hops is the same ports with the same weights within an epoch.
    let edge = course.below(4) as u32;
    let count = 1 + (edge * 3 + epoch) % 8;
    let queue = |bytes: u64| Queue { bytes: Bytes(bytes), capacity: Bytes(416_000) };
    let queues = (0..count).map(|_| queue(course.below(4) * course.below(100_000)));
    let queues = Some(queues.collect());
    Select {
        packet: packet(course),
        next_hops: edge,
        epoch,
        weights: (epoch % 2 == 1).then(|| (0..count).map(|port| 1 + port % 2).collect()),
        ports: (8..8 + count).collect(),
        group: Some(Group { edge, pod: edge / 2 }),
        queues,
        towards_pod: Some((8..8 + count).map(|port| (port, 1)).collect()),
    }
}
