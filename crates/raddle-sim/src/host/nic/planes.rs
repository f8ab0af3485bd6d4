//! Hosts with several ports: which of them each packet leaves by, and what becomes of what waits at one
//! whose link is down.

use super::Nic;
use super::port::NicPort;
use super::reach::Reach;
use crate::faults::PortChange;
use crate::faults::intervals::{Window, covers, merge};
use crate::plan::{Connections, Plan};
use crate::wire::frame::{Frame, Locator, Locators};
use raddle_schemes::ids::{FlowId, HostId, PortId};
use raddle_schemes::load_balance::plane::{self, AnyPlaneSelector, PlaneContext};
use raddle_schemes::rng::stream;
use raddle_schemes::units::{Span, Time};
use std::collections::BTreeMap;
use std::mem::swap;
use std::sync::Arc;

/// What a host with several ports has beside the one at hand.
pub(super) struct Planes {
    locators: Locators,
    host: HostId,
    /// In order of planes. In the place of the one at hand is one that nobody uses.
    ports: Vec<NicPort>,
    at_hand: u32,
    /// By plane, when the host takes its link for down.
    out: Vec<Vec<Window>>,
    reach: Arc<Reach>,
    /// Of each flow that begins here, in order, where it goes and how it chooses.
    flows: Vec<(HostId, AnyPlaneSelector)>,
}

impl Planes {
    /// Of `host`, at which `flows` begin.
    pub(super) fn of(plan: &Plan, host: HostId, flows: &[FlowId], reach: &Arc<Reach>) -> Self {
        let ports = || plan.fabric.ports_of(host);
        let mut first_to = BTreeMap::new();
        let mut choosing = |&id: &FlowId| {
            let to = plan.traffic.flows[id.index()].destination;
            let hashed = match plan.transport.connections {
                Connections::Message => id,
                Connections::Pair => *first_to.entry(to).or_insert(id),
            };
            let stream = stream(plan.seed, "plane", hashed.0.into());
            let context = PlaneContext { planes: plan.fabric.planes, stream };
            (to, plan.transport.plane.build(&context))
        };
        Self {
            locators: Locators::of(&plan.fabric, plan.queue.classes),
            host,
            ports: ports().map(|port| NicPort::new(plan, port, flows)).collect(),
            at_hand: 0,
            out: ports().map(|port| taken_for_down(plan, port)).collect(),
            reach: Arc::clone(reach),
            flows: flows.iter().map(&mut choosing).collect(),
        }
    }

    /// The same locator, by way of the plane at hand.
    #[cold]
    #[inline(never)]
    pub(super) fn here(&self, to: Locator) -> Locator {
        self.locators.in_plane(to, self.at_hand)
    }

    /// When the link at hand is next taken for down.
    pub(super) fn next_out(&self, now: Time) -> Time {
        let later = self.out[self.at_hand as usize].iter().find(|(from, _)| *from > now);
        later.map_or(Time::NEVER, |(from, _)| *from)
    }

    fn is_out(&self, plane: u32, now: Time) -> bool {
        covers(&self.out[plane as usize], now)
    }

    /// A bit for each plane by which the host can send.
    fn own(&self, now: Time) -> u8 {
        let planes = 0..self.ports.len() as u32;
        planes.filter(|&plane| !self.is_out(plane, now)).fold(0, |mask, plane| mask | 1 << plane)
    }

    /// When the first plane is taken for up again.
    fn next_in(&self, now: Time) -> Time {
        let until =
            |windows: &Vec<Window>| windows.iter().map(|(_, until)| *until).find(|&at| at > now);
        self.out.iter().filter_map(until).min().unwrap_or(Time::NEVER)
    }

    /// A bit for each plane by which the host can send to another, as far as it knows; all by which it
    /// can send if there is none, and all that there are if it can send by none.
    fn usable(&self, now: Time, to: HostId) -> u8 {
        let own = self.own(now);
        match own & self.reach.planes(now, self.host, to) {
            0 if own == 0 => u8::MAX >> (u8::BITS - self.ports.len() as u32),
            0 => own,
            both => both,
        }
    }
}

/// When a host takes the link of a port of its own for down.
fn taken_for_down(plan: &Plan, port: PortId) -> Vec<Window> {
    let later = |at: Time, by: Span| Time(at.0.saturating_add(by.0));
    let (repair, mut down) = (plan.transport.plane_repair, None);
    let mut windows = Vec::new();
    for &(at, change) in plan.faults.changes_of(port) {
        match change {
            PortChange::Down => down = Some(later(at, repair)),
            PortChange::Up => windows.extend(down.take().map(|from| (from, later(at, repair)))),
            _ => {}
        }
    }
    windows.extend(down.map(|from| (from, Time::NEVER)));
    merge(windows)
}

/// Of a host with several ports; others never ask.
impl Nic {
    /// Something happens at the port in a plane: it is the one at hand.
    pub(crate) fn select(&mut self, plane: u32) {
        let Some(planes) = &mut self.planes else { return };
        if planes.at_hand != plane {
            swap(&mut self.port, &mut planes.ports[planes.at_hand as usize]);
            swap(&mut self.port, &mut planes.ports[plane as usize]);
            planes.at_hand = plane;
        }
    }

    /// Of the ports that want their wires now the first is the one at hand.
    #[inline]
    pub(crate) fn select_due(&mut self, now: Time) {
        if self.planes.is_some() {
            self.select_first_due(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn select_first_due(&mut self, now: Time) {
        let due = self.all_ports().position(|port| port.wants_at(now) <= now);
        self.select(due.unwrap_or(0) as u32);
    }

    /// All ports, in order of planes.
    pub(in crate::host) fn all_ports(&self) -> impl Iterator<Item = &NicPort> {
        let others = self.planes.as_ref().map_or(&[][..], |planes| &planes.ports);
        let at_hand = self.planes.as_ref().map_or(0, |planes| planes.at_hand as usize);
        (0..others.len().max(1)).map(move |i| if i == at_hand { &self.port } else { &others[i] })
    }

    fn port_in(&mut self, plane: u32) -> &mut NicPort {
        match &mut self.planes {
            Some(planes) if planes.at_hand != plane => &mut planes.ports[plane as usize],
            _ => &mut self.port,
        }
    }

    /// When the first port wants its wire.
    #[cold]
    #[inline(never)]
    pub(super) fn first_wants_at(&self, now: Time) -> Time {
        self.all_ports().map(|port| port.wants_at(now)).min().unwrap_or(Time::NEVER)
    }

    /// A locator by way of the plane at hand, in which an answer goes back.
    #[inline]
    pub(in crate::host) fn here(&self, to: Locator) -> Locator {
        self.planes.as_ref().map_or(to, |planes| planes.here(to))
    }

    /// A flow takes its turns from now on, at the port that it chooses.
    #[cold]
    #[inline(never)]
    pub(super) fn join_a_plane(&mut self, now: Time, slot: u32) {
        let plane = self.choose(now, slot);
        let first = self.first_sender;
        self.port_in(plane).join(slot, first);
    }

    /// The plane of the next packet of the sender in `slot`.
    fn choose(&mut self, now: Time, slot: u32) -> u32 {
        let mut waiting = [u32::MAX; plane::MOST_PLANES as usize];
        waiting.iter_mut().zip(self.all_ports()).for_each(|(own, port)| *own = port.waiting(now));
        let Some(planes) = &mut self.planes else { return 0 };
        let index = (slot - self.first_sender) as usize;
        let usable = planes.usable(now, planes.flows[index].0);
        let waiting = &|plane: u32| waiting[plane as usize];
        planes.flows[index].1.next_plane(&plane::Planes { usable, waiting })
    }

    /// A sender's frame takes the plane that its next packet would.
    #[inline]
    pub(in crate::host) fn send_as_packet(&mut self, now: Time, slot: u32, mut frame: Frame) {
        if self.planes.is_some() {
            let plane = self.choose(now, slot);
            if let Some(planes) = &self.planes {
                frame.to = planes.locators.in_plane(frame.to, plane);
            }
        }
        self.send_control(now, frame);
    }

    /// A control frame waits at the port in its plane, or in the next that is usable.
    #[cold]
    #[inline(never)]
    pub(super) fn send_in_a_plane(&mut self, now: Time, mut frame: Frame) {
        let Some(planes) = &self.planes else { return };
        let usable = planes.usable(now, planes.locators.host(frame.to));
        let choices = plane::Planes { usable, waiting: &|_| 0 };
        let plane = choices.from(planes.locators.plane(frame.to));
        frame.to = planes.locators.in_plane(frame.to, plane);
        self.port_in(plane).control.push_back(frame);
    }

    /// Whether the host takes the link at hand for up, or has no other: what waits for one that it takes
    /// for down goes to others, or waits until there is one.
    #[cold]
    #[inline(never)]
    pub(super) fn is_in(&mut self, now: Time) -> bool {
        let (Some(planes), Some(faults)) = (&self.planes, &self.port.faults) else { return true };
        if !planes.is_out(planes.at_hand, now) {
            return true;
        }
        if planes.own(now) != 0 {
            self.clear(now);
            return false;
        }
        if faults.link.is_up() {
            return true;
        }
        self.port.free_at = faults.link.next_up().min(planes.next_in(now));
        false
    }

    /// What waits at the port at hand goes to others.
    fn clear(&mut self, now: Time) {
        let control = std::mem::take(&mut self.port.control);
        let mut flows = std::mem::take(&mut self.port.ready);
        if let Some(pauses) = &mut self.port.pauses {
            pauses.give_up(&mut flows);
        }
        control.into_iter().for_each(|frame| self.send_in_a_plane(now, frame));
        flows.into_iter().for_each(|slot| self.join_a_plane(now, slot));
    }
}
