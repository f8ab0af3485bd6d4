//! The flows of a run, as fast as each can be.

use super::chain::{self, Least};
use super::flow_alone::Lone;
use super::frames::Frames;
use super::host_link::Work;
use super::route::{Ends, Route, Routes};
use crate::plan::Plan;
use crate::topology::Fabric;
use crate::workload::pieces::Pieces;
use crate::workload::{Flow, Traffic};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::{Bytes, Span, Time};
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr;
use std::rc::Rc;

/// There and back, between two edge switches. Large runs have many flows and few ways.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The data's.
    pub(super) route: Rc<Route>,
    /// The ACKs'.
    pub(super) back: Rc<Route>,
}

/// The ways of flows, each once.
#[derive(Clone)]
struct Ways {
    ways: Vec<Way>,
    /// Of each flow, its way's place among them; `None` where there is no path.
    of_flows: Vec<Option<u32>>,
}

impl Ways {
    /// In `fabric` while nothing is broken.
    fn of(traffic: &Traffic, fabric: &Fabric) -> Self {
        let mut routes = Routes::new(fabric);
        let mut ways: Vec<Way> = Vec::new();
        let mut known = BTreeMap::new();
        let mut find = |source, destination| {
            let route = routes.find(source, destination)?;
            let back = routes.find(destination, source)?;
            // Shared routes have equal addresses; these are looked up, never iterated over.
            let key = (Rc::as_ptr(&route), Rc::as_ptr(&back));
            Some(*known.entry(key).or_insert_with(|| {
                ways.push(Way { route, back });
                ways.len() as u32 - 1
            }))
        };
        let mut last = None;
        let way_of = traffic.flows.iter().map(|&Flow { source, destination, .. }| {
            // By no link.
            if fabric.scales_up(source, destination) {
                return None;
            }
            // Often that of the flow before: from the same host to the same edge switch.
            let key = [(source, destination), (destination, source)]
                .map(|(from, to)| Ends::of(fabric, from, to));
            match last {
                Some((ends, way)) if ends == key => way,
                _ => last.insert((key, find(source, destination))).1,
            }
        });
        let of_flows = way_of.collect();
        Self { ways, of_flows }
    }

    /// Of flows that take one of so many planes: the links of one.
    fn stay_in_a_plane(&mut self, planes: u32) {
        for way in &mut self.ways {
            Rc::make_mut(&mut way.route).links.iter_mut().for_each(|links| *links /= planes);
        }
    }
}

/// What the flows of a plan would take alone, one after the other.
pub(super) struct Ideals<'a> {
    flows: &'a [Flow],
    frames: Frames,
    ways: Ways,
    /// Of messages in several pieces, each of which chooses a plane, where flows stay in one.
    of_pieces: Option<Ways>,
    next: usize,
    /// That of the last flow: the next is often alike.
    last: Option<((u32, Bytes), Span)>,
    /// Where flows are pieces of messages: then it is the messages that are meant.
    pieces: Option<&'a Pieces>,
    fabric: &'a Fabric,
}

impl<'a> Ideals<'a> {
    /// Of flows that stay in the plane that they have chosen, where they choose one.
    pub(super) fn new(plan: &'a Plan) -> Self {
        let mut own = Self::in_any_plane(plan);
        if !plan.transport.plane.is_per_packet() {
            own.of_pieces = own.pieces.map(|_| own.ways.clone());
            own.ways.stay_in_a_plane(plan.fabric.planes);
        }
        own
    }

    /// Of flows each of whose packets may take any plane.
    pub(super) fn in_any_plane(plan: &'a Plan) -> Self {
        let ways = Ways::of(&plan.traffic, &plan.fabric);
        let flows = plan.traffic.flows.as_slice();
        let pieces = plan.traffic.pieces.as_deref();
        let frames = Frames::from(plan);
        let fabric = &plan.fabric;
        Self { flows, frames, ways, of_pieces: None, next: 0, last: None, pieces, fabric }
    }

    /// That of the message of these pieces, which go one way.
    fn of_message(&self, own: Range<u32>) -> Option<Span> {
        let own = own.start as usize..own.end as usize;
        if let [one] = &self.flows[own.clone()]
            && let Some(span) = across(self.fabric, one)
        {
            return Some(span);
        }
        let several = self.of_pieces.as_ref().filter(|_| own.len() > 1);
        let ways = several.unwrap_or(&self.ways);
        let way = &ways.ways[ways.of_flows[own.start]? as usize];
        let pieces: Vec<Lone<'_>> =
            self.flows[own].iter().map(|flow| lone(flow, way, &self.frames)).collect();
        match &pieces[..] {
            [one] => Some(one.ideal()),
            [first, others @ ..] => Some(first.ideal_with(others)),
            [] => None,
        }
    }
}

impl Iterator for Ideals<'_> {
    type Item = Option<Span>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(pieces) = self.pieces {
            let message = self.next;
            self.next += 1;
            return (message < pieces.count()).then(|| self.of_message(pieces.of(message)));
        }
        let flow = self.flows.get(self.next)?;
        let way = self.ways.of_flows[self.next];
        self.next += 1;
        let Some(way) = way else { return Some(across(self.fabric, flow)) };
        let key = (way, flow.bytes);
        let ideal = match self.last {
            Some((last, ideal)) if last == key => ideal,
            _ => lone(flow, &self.ways.ways[way as usize], &self.frames).ideal(),
        };
        self.last = Some((key, ideal));
        Some(Some(ideal))
    }
}

/// A flow that can start and finish.
#[derive(Clone, Copy)]
pub(super) struct Running<'a> {
    /// The flow.
    pub(super) flow: &'a Flow,
    /// Its way.
    pub(super) way: &'a Way,
    /// Its earliest start.
    pub(super) start: Time,
    frames: &'a Frames,
}

/// Remembers what was worked out of a flow last: the next is often alike.
pub(super) struct Memo<T> {
    work_out: fn(&Running<'_>) -> T,
    last: Option<((*const Way, Bytes, Time), T)>,
}

impl<T: Copy> Memo<T> {
    /// Of something that flows of one way, size and start have in common.
    pub(super) fn of(work_out: fn(&Running<'_>) -> T) -> Self {
        Self { work_out, last: None }
    }

    pub(super) fn get(&mut self, running: &Running<'_>) -> T {
        let key = (ptr::from_ref(running.way), running.flow.bytes, running.start);
        match self.last {
            Some((last, known)) if last == key => known,
            _ => self.last.insert((key, (self.work_out)(running))).1,
        }
    }
}

impl Running<'_> {
    /// How long it takes at least to its last ACK.
    pub(super) fn acked_at_least(&self) -> Span {
        acked_at_least(&self.lone())
    }

    /// Its work at its sender's link.
    pub(super) fn sending(&self) -> Work {
        Work::at_sender(&self.lone()).delayed(self.start)
    }

    /// Its work at its receiver's link.
    pub(super) fn receiving(&self) -> Work {
        Work::at_receiver(&self.lone()).delayed(self.start)
    }

    fn lone(&self) -> Lone<'_> {
        lone(self.flow, self.way, self.frames)
    }
}

fn lone<'a>(flow: &Flow, way: &'a Way, frames: &'a Frames) -> Lone<'a> {
    Lone { message: flow.bytes, frames, route: &way.route, back: &way.back }
}

/// What a message takes alone to its answer at its sender, if it goes by the crossbar of a server.
fn across(fabric: &Fabric, flow: &Flow) -> Option<Span> {
    let domain = fabric.scale_up_between(flow.source, flow.destination)?;
    Some(domain.delivered(flow.bytes) + domain.latency)
}

fn acked_at_least(lone: &Lone<'_>) -> Span {
    lone.delivered_at_least() + lone.ack_return()
}

/// The flows of a run.
pub(super) struct Flows<'a> {
    pub(super) traffic: &'a Traffic,
    pub(super) frames: &'a Frames,
    /// The ways of all flows.
    pub(super) ways: Vec<Way>,
    /// Those that can start and finish, in the traffic's order: their places among `ways` and
    /// earliest starts. There may be millions.
    running: Vec<(FlowId, u32, Time)>,
    /// When the last of those that go by crossbars of servers ends at the earliest.
    pub(super) across: Option<Time>,
}

impl<'a> Flows<'a> {
    /// The flows of `traffic`, with their routes in `fabric` while nothing is broken.
    pub(super) fn new(traffic: &'a Traffic, fabric: &Fabric, frames: &'a Frames) -> Self {
        let Ways { ways, of_flows: way_of } = Ways::of(traffic, fabric);
        let least = |flow: FlowId| {
            let Some(way) = way_of[flow.index()] else {
                let flow = &traffic.flows[flow.index()];
                let domain = fabric.scale_up_between(flow.source, flow.destination);
                let delivered = domain.map(|domain| domain.delivered(flow.bytes));
                return Least { delivered, acked: across(fabric, flow) };
            };
            let lone = lone(&traffic.flows[flow.index()], &ways[way as usize], frames);
            let delivered = Some(lone.delivered_at_least());
            Least { delivered, acked: Some(acked_at_least(&lone)) }
        };
        let starts = chain::earliest_starts(traffic, least);
        let ends = traffic.flows.iter().zip(&starts);
        let across = ends.filter_map(|(flow, start)| Some((*start)? + across(fabric, flow)?)).max();
        let running = (0..).map(FlowId).zip(&way_of).zip(starts);
        let running = running.filter_map(|((flow, way), start)| Some((flow, (*way)?, start?)));
        let mut running: Vec<_> = running.collect();
        running.shrink_to_fit();
        Self { traffic, frames, ways, running, across }
    }

    /// Those that can start and finish, in the traffic's order.
    pub(super) fn running(&self) -> impl ExactSizeIterator<Item = Running<'_>> {
        (0..self.running.len() as u32).map(|number| self.at(number))
    }

    /// The first of each series of consecutive ones that have way, size and start in common, and how
    /// many there are in it.
    pub(super) fn alike(&self) -> impl Iterator<Item = (Running<'_>, u64)> {
        let bytes = |flow: FlowId| self.traffic.flows[flow.index()].bytes;
        let alike = move |a: &(FlowId, u32, Time), b: &(FlowId, u32, Time)| {
            (a.1, a.2) == (b.1, b.2) && bytes(a.0) == bytes(b.0)
        };
        let mut next = 0;
        self.running.chunk_by(alike).map(move |series| {
            let first = self.at(next);
            next += series.len() as u32;
            (first, series.len() as u64)
        })
    }

    /// The one of this number among [`running`](Self::running).
    pub(super) fn at(&self, number: u32) -> Running<'_> {
        let (flow, way, start) = self.running[number as usize];
        Running {
            flow: &self.traffic.flows[flow.index()],
            way: &self.ways[way as usize],
            start,
            frames: self.frames,
        }
    }

    /// Whether that is all of them, and there are some.
    pub(super) fn all_run(&self) -> bool {
        let all = self.running.len();
        all > 0 && all == self.traffic.flows.len()
    }
}
