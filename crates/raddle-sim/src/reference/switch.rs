//! A switch: which of its ports takes a frame that has come in.

use super::Reference;
use super::around::Around;
use super::queue::EventQueue;
use crate::record::DropCause;
use crate::topology::Node;
use crate::topology::routing::Ports;
use crate::wire::frame::Frame;
use raddle_schemes::SwitchCx;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch::{Choices, Header, Waypoint};
use raddle_schemes::units::Time;

impl<'a, Q: EventQueue> Reference<'a, Q> {
    pub(super) fn arrive_at_switch(
        &mut self,
        now: Time,
        switch: SwitchId,
        port: PortId,
        mut frame: Frame,
    ) {
        let came_from = self.ports[port.index()].facts.peer;
        if self.is_dead(now, Node::Switch(switch)) {
            return self.drop(now, came_from, frame, DropCause::NodeDown);
        }
        if frame.is_pfc() {
            if self.ports[port.index()].credits.is_some() {
                return self.take_message(now, port, frame);
            }
            return self.obey(now, port, frame);
        }
        if let Some(via) = self.show(now, switch, port, &mut frame) {
            self.forward(now, switch, port, frame, via);
        }
    }

    /// Sends a frame on that came in through `port`, `via` this of its equal ways if it is chosen.
    pub(super) fn forward(
        &mut self,
        now: Time,
        switch: SwitchId,
        port: PortId,
        mut frame: Frame,
        via: Option<usize>,
    ) {
        let came_from = self.ports[port.index()].facts.peer;
        let destination = self.hosts.addresses.locators.port(frame.to);
        let by_way_of = self.detour(now, switch, came_from, &mut frame);
        let to = by_way_of.unwrap_or(destination);
        match self.choose(now, switch, (frame, to), via) {
            Some(out) => self.enqueue(now, out, port, frame),
            None => {
                self.store(port, frame);
                self.free_at_once(now, port, frame);
                self.drop(now, came_from, frame, DropCause::NoRoute);
            }
        }
    }

    /// The port that a frame to a host's port takes, `via` this of its equal ways if it is chosen; none
    /// without a way.
    pub(super) fn choose(
        &mut self,
        now: Time,
        switch: SwitchId,
        (frame, to): (Frame, PortId),
        via: Option<usize>,
    ) -> Option<PortId> {
        let (epoch, choices) = self.choices(now, switch, (frame, to))?;
        let forwarding = &self.plan.routes[epoch].1;
        let chosen = match choices.count() {
            0 => return None,
            1 => 0,
            count if let Some(way) = via => way.min(count - 1),
            count => {
                let header = self.header(frame);
                let fabric = &self.plan.fabric;
                let ports = &self.ports;
                let (selector, rng) = &mut self.selectors[switch.index()];
                if let Some(own) = &mut self.followers[switch.index()] {
                    own.before(now, |to| selector.probes(to));
                }
                let before = selector.looks_before().then_some(now);
                let mut around = Around { fabric, forwarding, ports, switch, to, choices, before };
                let mut choices = Choices {
                    count,
                    next_hops: choices.number(),
                    epoch: (epoch as u32).wrapping_add(forwarding.epoch(now)),
                    weights: choices.weights(),
                    fabric: &mut around,
                };
                selector.select(&mut SwitchCx { now, rng }, &header, &mut choices)
            }
        };
        Some(choices.get(chosen))
    }

    /// What a switch's scheme sees of a frame.
    fn header(&self, frame: Frame) -> Header {
        Header {
            flow_key: self.hosts.addresses.flow_key(frame),
            entropy: frame.entropy(),
            bytes: frame.size(),
            control: frame.is_control(),
            hashed: frame.is_hashed(),
        }
    }

    /// Where a frame from `came_from` goes first: a port of a host there. Its entropy remembers it.
    fn detour(
        &mut self,
        now: Time,
        switch: SwitchId,
        came_from: PortId,
        frame: &mut Frame,
    ) -> Option<PortId> {
        let fabric = &self.plan.fabric;
        let edge = fabric.edge_of(self.hosts.addresses.locators.port(frame.to));
        let (edges, hosts) = &self.edges;
        if edges.is_empty() || edge == switch {
            return None;
        }
        let from_host = came_from.0 < fabric.host_ports();
        let stop = Waypoint { switch, edge, from_host, edges };
        let header = self.header(*frame);
        let (selector, rng) = &mut self.selectors[switch.index()];
        let detour = selector.detour(&mut SwitchCx { now, rng }, &header, &stop);
        if let Some((place, entropy)) = detour.towards
            && self
                .choices(now, switch, (*frame, hosts[place]))
                .is_some_and(|(_, ways)| ways.count() > 0)
        {
            frame.set_entropy(entropy);
            return Some(hosts[place]);
        }
        frame.set_entropy(detour.straight);
        None
    }

    /// The routes in force, and the ports that a frame to a host's port may take.
    pub(super) fn choices(
        &self,
        now: Time,
        switch: SwitchId,
        (frame, to): (Frame, PortId),
    ) -> Option<(usize, Ports<'a>)> {
        let routes = &self.plan.routes;
        let epoch = routes.iter().rposition(|(from, _)| *from <= now)?;
        let class = self.hosts.addresses.locators.class(frame.to);
        let class = (!frame.is_control()).then_some(class);
        Some((epoch, routes[epoch].1.ports_at(now, class, switch, to)))
    }
}
