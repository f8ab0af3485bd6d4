//! The flows of a run, as fast as each can be.

use super::chain::{self, Least};
use super::flow_alone::Lone;
use super::frames::Frames;
use super::host_link::Work;
use super::route::{Route, Routes};
use crate::topology::Fabric;
use crate::workload::{Flow, Traffic};
use raddle_schemes::units::{Bytes, Time};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the bounds of a flow depend on. Large runs have many flows and few kinds.
#[derive(Debug)]
pub(super) struct Kind {
    /// The data's way.
    pub(super) route: Rc<Route>,
    /// The ACKs' way.
    pub(super) back: Rc<Route>,
    /// How long the flow takes at least.
    pub(super) least: Least,
    /// The sender's link's work, if the flow starts at time zero.
    sending: Work,
    /// The receiver's link's work, if the flow starts at time zero.
    receiving: Work,
}

impl Kind {
    fn new(message: Bytes, frames: &Frames, route: Rc<Route>, back: Rc<Route>) -> Self {
        let lone = Lone { message, frames, route: &route, back: &back };
        let least = Least { delivered: lone.delivered_at_least(), acked: lone.at_least() };
        let (sending, receiving) = (Work::at_sender(&lone), Work::at_receiver(&lone));
        Self { route, back, least, sending, receiving }
    }
}

/// A flow that can start and finish.
#[derive(Clone, Copy)]
pub(super) struct Running<'a> {
    /// The flow.
    pub(super) flow: &'a Flow,
    /// Its kind.
    pub(super) kind: &'a Kind,
    /// Its earliest start.
    pub(super) start: Time,
}

impl Running<'_> {
    /// Its work at its sender's link.
    pub(super) fn sending(&self) -> Work {
        self.kind.sending.delayed(self.start)
    }

    /// Its work at its receiver's link.
    pub(super) fn receiving(&self) -> Work {
        self.kind.receiving.delayed(self.start)
    }
}

/// The flows of a run.
pub(super) struct Flows<'a> {
    traffic: &'a Traffic,
    /// The kinds of all flows.
    pub(super) kinds: Vec<Kind>,
    /// Each flow's kind; `None` where there is no path.
    kind_of: Vec<Option<usize>>,
    /// Each flow's earliest start.
    starts: Vec<Option<Time>>,
}

impl<'a> Flows<'a> {
    /// The flows of `traffic`, with their routes in `fabric` while nothing is broken.
    pub(super) fn new(traffic: &'a Traffic, fabric: &Fabric, frames: &Frames) -> Self {
        let mut routes = Routes::new(fabric);
        let mut kinds: Vec<Kind> = Vec::new();
        let mut known = BTreeMap::new();
        let mut kind_of = Vec::with_capacity(traffic.flows.len());
        for flow in &traffic.flows {
            let route = routes.find(flow.source, flow.destination);
            let back = routes.find(flow.destination, flow.source);
            kind_of.push(route.zip(back).map(|(route, back)| {
                // Shared routes have equal addresses; these are looked up, never iterated over.
                let key = (flow.bytes, Rc::as_ptr(&route), Rc::as_ptr(&back));
                *known.entry(key).or_insert_with(|| {
                    kinds.push(Kind::new(flow.bytes, frames, route, back));
                    kinds.len() - 1
                })
            }));
        }
        let least = |kind: &Option<usize>| kind.map(|kind| kinds[kind].least);
        let least: Vec<_> = kind_of.iter().map(least).collect();
        let starts = chain::earliest_starts(traffic, &least);
        Self { traffic, kinds, kind_of, starts }
    }

    /// Those that can start and finish, in the traffic's order.
    pub(super) fn running(&self) -> impl Iterator<Item = Running<'_>> {
        let flows = self.traffic.flows.iter().zip(&self.kind_of).zip(&self.starts);
        flows.filter_map(|((flow, kind), start)| {
            Some(Running { flow, kind: &self.kinds[(*kind)?], start: (*start)? })
        })
    }

    /// Whether that is all of them, and there are some.
    pub(super) fn all_run(&self) -> bool {
        let all = self.running().count();
        all > 0 && all == self.traffic.flows.len()
    }
}
