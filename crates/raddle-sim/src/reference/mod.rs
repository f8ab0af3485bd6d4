//! The slow, obvious engine: one queue of events, real queues, no tricks.
//!
//! It is how a reader learns the model, and what the fast engine is tested against: outcomes are
//! identical bit for bit. The two share plans, schemes, frames, links, the memory of switches and
//! records, but no code of ports or hosts. A hop takes a departure, the wire becoming free if that
//! matters, and an arrival. Events at one instant and node are ordered by their kind (see `Kind`),
//! arrivals then by rank, others by port.

mod around;
mod cbfc;
mod faults;
mod hosts;
mod hybrid;
mod llr;
mod memory;
mod pfc;
mod port;
mod ports;
mod queue;
mod slices;
mod stop;
mod switch;
mod tor;
mod turns;
mod wheel;

use crate::faults::link::Link;
use crate::middleware::Middleware;
use crate::plan::Plan;
use crate::record::deadlock::circle;
use crate::record::followers::{Follower, in_order};
use crate::record::recorder::{Recorded, Recorder};
use crate::record::{DropCause, Observer, Outcome, Progress, Stop};
use crate::retry::RetryFacts;
use crate::topology::Node;
use crate::wire::arbitration::Arbitration;
use crate::wire::frame::{Frame, count};
use crate::wire::note::{Carriers, Note};
use crate::wire::port_facts::PortFacts;
use crate::wire::switch_memory::Memory;
use hosts::{Departure, Hosts};
use hybrid::Uplink;
use llr::{Receiver, Sender};
use port::Port;
use queue::{EventQueue, Heap};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::load_balance::switch::{AnyPortSelector, SwitchContext};
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::units::Time;
use std::collections::BTreeMap;
use stop::{Ending, StopRules};
use wheel::Wheel;

pub use queue::Queue;

/// What happens, in the order in which it happens at one instant at one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The last bit of the frame in service leaves a switch port (unless its link broke).
    Departure { port: u32, service: u32 },
    /// A port's link changes.
    Fault { port: u32 },
    /// A frame has come to the far end of a link with retry, which is at this port.
    FrameThere { port: u32 },
    /// The far end answers by this port.
    Answer { port: u32 },
    /// Its answer has come to this port.
    AnswerBack { port: u32, is_nack: bool, next: u32, life: u32 },
    /// A port with retry has waited for something for long enough.
    RetryTimer { port: u32 },
    /// The far end, at this port, is asked to begin anew, if it is not `known`.
    InitThere { port: u32, life: u32, is_known: bool },
    /// It has.
    EchoBack { port: u32, life: u32 },
    /// A pause has to be renewed.
    Refresh { port: u32 },
    /// The policy of a switch's memory, or middleware, wants to be called.
    Timer { switch: u32 },
    /// A switch port's wire becomes free.
    WireFree { port: u32 },
    /// A lane closes, where frames go by slices of circuits.
    Close { port: u32 },
    /// Middleware may have frames to send or to let go, or has `more` of them.
    Born { switch: u32, more: bool },
    /// A frame has come in through a port, of this rank among those of the instant.
    Arrival { rank: u16, port: u32 },
    /// A host's wire is free, or a timer is due.
    Local { host: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event {
    at: Time,
    /// Switches first, then hosts by rank: the way to a host may take no time.
    node: (Option<u16>, u32),
    kind: Kind,
    frame: Frame,
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.node, self.kind).cmp(&(other.at, other.node, other.kind))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct Reference<'a, Q> {
    plan: &'a Plan,
    hosts: Hosts<'a>,
    /// All ports of the fabric; hosts' entries only hold facts.
    ports: Vec<Port>,
    selectors: Vec<(AnyPortSelector, Rng)>,
    /// Where what they show is kept.
    followers: Vec<Option<Box<Follower>>>,
    /// [`Plan::edges_of_detours`].
    edges: (Vec<SwitchId>, Vec<PortId>),
    /// Which in-port of each switch goes first at an instant, and which host.
    of_in_ports: Vec<Arbitration>,
    of_hosts: Arbitration,
    /// Which port of a host goes first.
    of_host_ports: Arbitration,
    /// By port, the far end of the link that leads there, where that has retry.
    receivers: Vec<Option<Receiver>>,
    /// One per switch, where its ports share memory.
    memories: Vec<Memory>,
    /// One per switch, where it is a ToR with middleware.
    tors: Vec<Option<Middleware>>,
    /// One per switch, where it is a hybrid ToR.
    uplinks: Vec<Option<Uplink>>,
    /// When policy or middleware of each switch is called next, as far as the events know.
    timers: Vec<Time>,
    events: Q,
    /// Earliest [`Kind::Local`] among the events, per host.
    armed: Vec<Time>,
    /// Which frames carry notes, if any do.
    carriers: Option<Carriers>,
    /// The notes of frames under way that say something, by the port that each goes to and when it
    /// arrives there: no two do so at once.
    flying: BTreeMap<(PortId, Time), Note>,
    /// That of the frame being handled.
    at_hand: Note,
    recorder: Recorder,
    /// Arrivals and local events so far.
    handled: u64,
}

/// Runs a plan to its end.
pub fn run(plan: &Plan, observer: &mut dyn Observer) -> Outcome {
    run_with_queue(plan, Queue::Heap, observer)
}

/// Runs a plan with its events in `queue`. The outcome is the same for every queue.
pub fn run_with_queue(plan: &Plan, queue: Queue, observer: &mut dyn Observer) -> Outcome {
    fn run<Q: EventQueue>(plan: &Plan, observer: &mut dyn Observer) -> Outcome {
        let mut reference = Reference::<Q>::new(plan);
        let (ending, end) = reference.run(observer);
        reference.finish(ending, end)
    }
    match queue {
        Queue::Heap => run::<Heap>(plan, observer),
        Queue::Wheel => run::<Wheel<Event>>(plan, observer),
    }
}

impl<'a, Q: EventQueue> Reference<'a, Q> {
    fn new(plan: &'a Plan) -> Self {
        let mut links: Vec<_> = plan
            .fabric
            .ports
            .iter()
            .map(|port| Link::new(port.rate, plan.packet(), Vec::new()))
            .collect();
        for (port, changes) in &plan.faults.ports {
            let rate = plan.fabric.ports[port.index()].rate;
            links[port.index()] = Link::new(rate, plan.packet(), changes.clone());
        }
        for (id, link) in (0..).map(PortId).zip(&mut links) {
            *link = link.clone().with_gate(plan.gate(id));
        }
        let ports = PortFacts::of(plan).zip(links);
        let ports = (0..).map(PortId).zip(ports);
        let ports = ports.map(|(id, (facts, link))| {
            let retry = RetryFacts::of(plan, id).map(Sender::new);
            Port::new(&plan.queue, facts, link, retry)
        });
        let receivers = plan.fabric.ports.iter().map(|port| {
            let facts = RetryFacts::of(plan, port.peer)?;
            Some(Receiver::new(facts.llr))
        });
        let hash = plan.leaves_flows_to_ecmp();
        let selectors = (0..plan.fabric.switches.len() as u64).map(|index| {
            let stream = stream(plan.seed, "switch", index);
            let switch = &plan.fabric.switches[index as usize];
            let (edge, pod) = (switch.tier == 0, switch.pod);
            let context = SwitchContext { switch: SwitchId(index as u32), edge, pod, stream };
            let rng = Rng::new(plan.seed, "switch draws", index);
            (plan.port_selector(hash, &context), rng)
        });
        let shown = plan.switch_load_balance.probes();
        let followers = (0..plan.fabric.switches.len() as u32)
            .map(|switch| Follower::of_switch(plan, SwitchId(switch), &shown));
        let longest_rtt = PortFacts::longest_rtt(plan);
        let switches = (0..plan.fabric.switches.len() as u32).map(SwitchId);
        let of_in_ports = switches.clone().map(|id| Arbitration::of_switch(plan.seed, id));
        let memories = switches.clone().filter_map(|id| Memory::of(plan, id, longest_rtt));
        let hosts = Hosts::new(plan);
        let tors = switches.map(|switch| Middleware::of(plan, switch));
        let mut reference = Self {
            plan,
            hosts,
            ports: ports.collect(),
            selectors: selectors.collect(),
            followers: followers.collect(),
            edges: plan.edges_of_detours(),
            of_in_ports: of_in_ports.collect(),
            of_hosts: Arbitration::of_hosts(plan.seed),
            of_host_ports: Arbitration::of_host_ports(plan.seed),
            receivers: receivers.collect(),
            memories: memories.collect(),
            tors: tors.collect(),
            uplinks: Uplink::of(plan),
            timers: vec![Time::NEVER; plan.fabric.switches.len()],
            events: Q::default(),
            armed: vec![Time::NEVER; plan.fabric.hosts as usize],
            flying: BTreeMap::new(),
            at_hand: Note::default(),
            carriers: Carriers::of(plan),
            recorder: Recorder::new(plan),
            handled: 0,
        };
        for (port, changes) in &plan.faults.ports {
            let is_told =
                port.0 >= plan.fabric.host_ports() || RetryFacts::of(plan, *port).is_some();
            for (at, _) in changes.iter().filter(|_| is_told) {
                reference.push_at_port(*at, Kind::Fault { port: port.0 }, *port);
            }
        }
        for host in 0..plan.fabric.hosts {
            reference.arm(Time::ZERO, HostId(host));
        }
        reference
    }

    fn run(&mut self, observer: &mut dyn Observer) -> (Ending, Time) {
        let mut rules = StopRules::new(self.plan);
        loop {
            let next = self.events.peek().map_or(Time::NEVER, |event| event.at);
            while rules.next <= next {
                if let Some(ending) = rules.look(&self.hosts.progress) {
                    return ending;
                }
            }
            let Some(event) = self.events.pop() else { continue };
            self.handle(event);
            if self.handled.is_multiple_of(1 << 18) {
                let switches: u64 = self.ports.iter().map(|port| port.record.frames).sum();
                let progress = Progress {
                    now: event.at,
                    packet_hops: switches + self.hosts.frames_sent(),
                    flows_done: self.hosts.progress.flows_done,
                    packets_acked: self.hosts.progress.packets_acked,
                };
                if !observer.progress(&progress) {
                    return (Ending::Interrupted, event.at);
                }
            }
        }
    }

    fn handle(&mut self, event: Event) {
        let now = event.at;
        match event.kind {
            Kind::Departure { port, service } => self.depart(now, PortId(port), service),
            Kind::Fault { port } if port < self.plan.fabric.host_ports() => {
                self.host_fault(now, PortId(port));
            }
            Kind::Fault { port } => self.fault(now, PortId(port)),
            Kind::FrameThere { port } => self.frame_there(now, PortId(port)),
            Kind::Answer { port } => self.answer(now, PortId(port)),
            Kind::AnswerBack { port, is_nack, next, life } => {
                self.answer_back(now, PortId(port), (is_nack, next, life));
            }
            Kind::RetryTimer { port } => self.on_retry_timer(now, PortId(port)),
            Kind::InitThere { port, life, is_known } => {
                self.init_there(now, PortId(port), life, is_known);
            }
            Kind::EchoBack { port, life } => self.echo_back(now, PortId(port), life),
            Kind::Refresh { port } => self.refresh(now, PortId(port)),
            Kind::Timer { switch } => self.on_timer(now, SwitchId(switch)),
            Kind::Born { switch, more } => self.queue_born(now, SwitchId(switch), more),
            Kind::Close { port } => self.close(now, PortId(port)),
            Kind::WireFree { port } => {
                self.serve(now, PortId(port));
                self.feed(now, PortId(port));
            }
            Kind::Arrival { port, .. } => {
                self.handled += 1;
                self.at_hand = self.flying.remove(&(PortId(port), now)).unwrap_or_default();
                match self.plan.fabric.ports[port as usize].owner {
                    Node::Host(host) => self.arrive_at_host(now, host, PortId(port), event.frame),
                    Node::Switch(switch) => {
                        self.arrive_at_switch(now, switch, PortId(port), event.frame);
                    }
                }
            }
            Kind::Local { host } => {
                let host = HostId(host);
                if self.armed[host.index()] == now {
                    self.armed[host.index()] = Time::NEVER;
                }
                if self.hosts.next_local(now, host) == now {
                    self.handled += 1;
                    self.run_local(now, host);
                }
                self.arm(now, host);
            }
        }
    }

    fn arrive_at_host(&mut self, now: Time, host: HostId, port: PortId, frame: Frame) {
        if self.is_dead(now, Node::Host(host)) {
            self.drop(now, self.ports[port.index()].facts.peer, frame, DropCause::NodeDown);
            return;
        }
        self.hosts.at_hand = std::mem::take(&mut self.at_hand).into_hops();
        self.hosts.on_frame(now, port, frame);
        self.arm(now, host);
        self.arm_woken(now);
    }

    fn run_local(&mut self, now: Time, host: HostId) {
        if let Some((plane, departure)) = self.hosts.run_local(now, host) {
            let Departure { frame, departs, lost, numbered } = departure;
            let port = self.plan.fabric.host_port(host, plane);
            if let Some(numbered) = numbered {
                if !numbered.is_copy && !frame.is_pfc() {
                    self.recorder.sent_in_vain(port, departs, frame);
                }
                self.put_on_link(departs, port, numbered, (frame, Note::default()));
                self.arm_retry(port);
                return self.arm_woken(now);
            }
            if frame.is_pfc() {
                if lost.is_none() {
                    self.launch(departs, port, frame, Note::default());
                }
                return self.arm_woken(now);
            }
            match lost {
                Some(cause) => self.recorder.dropped(port, now, frame, cause),
                None => self.launch(departs, port, frame, Note::default()),
            }
            if lost != Some(DropCause::LinkDown) {
                self.recorder.departed(port, departs, frame);
            }
        }
        self.arm_woken(now);
    }

    fn is_dead(&self, now: Time, node: Node) -> bool {
        let own = self.plan.faults.nodes.iter().filter(|(dead, _)| *dead == node);
        own.flat_map(|(_, windows)| windows).any(|(from, until)| (*from..*until).contains(&now))
    }

    /// When it is a node's turn among those that have something to do at `at`.
    fn turn(&self, at: Time, node: Node) -> (Option<u16>, u32) {
        match node {
            Node::Switch(switch) => (None, switch.0),
            Node::Host(host) => (Some(self.of_hosts.rank(host.0, at)), host.0),
        }
    }

    fn push_at_port(&mut self, at: Time, kind: Kind, port: PortId) {
        let node = self.turn(at, self.plan.fabric.ports[port.index()].owner);
        self.events.push(Event { at, node, kind, frame: Frame::default() });
    }

    fn arm(&mut self, now: Time, host: HostId) {
        let next = self.hosts.next_local(now, host);
        if next < self.armed[host.index()] {
            self.armed[host.index()] = next;
            self.push_at_port(next, Kind::Local { host: host.0 }, PortId(host.0));
        }
    }

    fn arm_woken(&mut self, now: Time) {
        for host in std::mem::take(&mut self.hosts.woken) {
            self.arm(now, host);
        }
    }

    fn finish(mut self, ending: Ending, end: Time) -> Outcome {
        let (retries, kept) = self.end_retries();
        let on_links = self.events.into_events();
        let on_links = on_links.filter(|event| matches!(event.kind, Kind::Arrival { .. }));
        let queued = self.ports.iter().flat_map(|port| {
            let waiting = port.queues.iter().flatten().map(|(frame, ..)| *frame);
            // What has a number is on its link or kept.
            let on_wire = port.in_service.as_ref().filter(|service| service.numbered.is_none());
            waiting.chain(on_wire.map(|service| service.frame))
        });
        let held = self.tors.iter().flatten().flat_map(Middleware::held);
        let under_way = on_links.map(|event| event.frame).chain(queued).chain(held);
        let under_way = under_way.chain(self.hosts.in_line()).chain(kept);
        let (in_flight_data, credit) = count(under_way);
        let host_ports = self.plan.fabric.host_ports() as usize;
        let of_hosts = self.hosts.end_credits(end);
        let scale_up = self.hosts.scale_up_records();
        let ((flows, nics, timeline, mut probes), mut credit_frames) = self.hosts.finish();
        credit_frames.in_flight += credit;
        let pausing: Vec<u8> = self.ports.iter().map(|port| port.ingress.pausing).collect();
        let data = |queues: &[turns::Queue]| queues.len() - 1;
        let waiting: Vec<_> = (0..)
            .zip(&self.ports)
            .flat_map(|(id, port)| {
                let classes = (0..).zip(&port.queues[..data(&port.queues)]);
                classes.flat_map(move |(class, queue)| {
                    queue.iter().map(move |(_, came_in, _)| (PortId(id), class, *came_in))
                })
            })
            .collect();
        let mut withheld = vec![0; self.ports.len()];
        for port in &self.ports[host_ports..] {
            withheld[port.facts.peer.index()] = port.waiting_for_credit();
        }
        let credits = |port: &mut Port| port.credits.take().map(|own| own.end(end));
        let mut credits: Vec<_> = self.ports.iter_mut().filter_map(credits).collect();
        credits.iter_mut().zip(of_hosts).for_each(|(own, of_host)| *own = of_host);
        let mut ports: Vec<_> = self.ports.into_iter().map(|port| port.record).collect();
        for (port, classes) in ports.iter_mut().zip(&pausing) {
            port.pfc.iter_mut().for_each(|pfc| pfc.end(end, classes.count_ones()));
        }
        for (own, mut nic) in ports.iter_mut().zip(nics).take(host_ports) {
            // Frames that a dead switch or one without a route lost are noted at the host's port.
            nic.add_losses(own);
            *own = nic;
        }
        let outside_openings = self.recorder.outside_openings();
        let mut recorder = self.recorder;
        recorder.end_pauses(end, &pausing);
        let late_frames = recorder.late_frames();
        let clipped_frames = recorder.clipped_frames();
        let stop = ending.with(&flows);
        let stopped = (stop != Stop::Completed).then_some(end);
        let Recorded { bucket, series, timeline, routes, progress, packets, occupancy } =
            recorder.finish(self.plan, timeline, &flows, stopped);

        let deadlock = match stop {
            Stop::Stalled(_) if self.plan.queue.cbfc.is_some() => {
                circle(&self.plan.fabric, &withheld, &waiting)
            }
            Stop::Stalled(_) => circle(&self.plan.fabric, &pausing, &waiting),
            _ => Vec::new(),
        };
        let record = |tor: &Option<Middleware>| tor.as_ref().map(|tor| tor.record);
        let records: Vec<_> = self.tors.iter().map(|tor| record(tor).unwrap_or_default()).collect();
        for (own, (selector, _)) in self.followers.into_iter().zip(&self.selectors) {
            probes.extend(own.into_iter().flat_map(|own| own.end(|to| selector.probes(to))));
        }
        let mut tors = self.tors;
        probes.extend(tors.iter_mut().flatten().flat_map(Middleware::probes));
        let mut memories = self.memories;
        probes.extend(memories.iter_mut().flat_map(Memory::probes));
        Outcome {
            packet_hops: ports.iter().map(|port| port.frames).sum(),
            flows,
            ports,
            series,
            timeline,
            bucket,
            routes,
            progress,
            packets,
            occupancy,
            stop,
            end,
            in_flight_data,
            credit_frames,
            events: self.handled,
            pools: memories.iter().filter_map(Memory::pools).collect(),
            training: memories.iter().filter_map(Memory::training).collect(),
            deadlock,
            outside_openings,
            late_frames,
            retries,
            credits,
            scale_up,
            clipped_frames,
            memory_bytes_max: memories.iter().map(Memory::most).collect(),
            tors: self.plan.tor.iter().flat_map(|_| records.iter().copied()).collect(),
            probes: in_order(probes),
            pieces: None,
            parts: 1,
        }
    }
}
