//! Hosts with several ports: which of them each packet leaves by, and what becomes of what waits at one
//! whose link is down.

use super::Nic;
use super::port::NicPort;
use super::reach::{Reach, taken_for_down};
use crate::faults::intervals::{Window, covers};
use crate::plan::{Connections, Plan};
use crate::wire::frame::{Frame, Kind, Locator, Locators, flag};
use raddle_schemes::ids::{Entropy, FlowId, HostId};
use raddle_schemes::load_balance::plane::{
    self, AnyPlaneSelector, MOST_PLANES, PlaneContext, plane_of,
};
use raddle_schemes::rng::stream;
use raddle_schemes::transport::Sender;
use raddle_schemes::units::{Span, Time};
use std::collections::{BTreeMap, VecDeque};
use std::mem::swap;
use std::sync::Arc;

const MOST: usize = MOST_PLANES as usize;

/// What a host with several ports has beside the one at hand.
pub(super) struct Planes {
    locators: Locators,
    host: HostId,
    others: Others,
    /// The plane in which something happens: of the port at hand, or of one that a frame came to.
    here: u32,
    /// By plane, when its port next wants its wire, were it idle now; never, where there is none.
    wants: [Time; MOST],
    /// A bit for each plane whose port may want it at another time than `wants` has.
    touched: u8,
    /// By plane, when the host takes its link for down.
    out: Vec<Vec<Window>>,
    /// Whether it ever does.
    ever_out: bool,
    reach: Arc<Reach>,
    /// Of each flow that begins here, in order.
    flows: Vec<Choosing>,
    moved: VecDeque<u32>,
    /// A bit for the plane whose wire takes a packet now, while that is in the making.
    taken: u8,
}

/// Where a flow goes, and how its packets choose their planes.
struct Choosing {
    to: HostId,
    /// Whether its path selector does.
    named: bool,
    selector: AnyPlaneSelector,
}

impl Planes {
    /// Of `host`, at which `flows` begin.
    pub(super) fn of(plan: &Plan, host: HostId, flows: &[FlowId], reach: &Arc<Reach>) -> Self {
        let ports = || plan.fabric.ports_of(host);
        let mut first_to = BTreeMap::new();
        let mut choosing = |&id: &FlowId| {
            let flow = &plan.traffic.flows[id.index()];
            let to = flow.destination;
            let hashed = match plan.transport.connections {
                Connections::Message => id,
                Connections::Pair => *first_to.entry((to, flow.qp)).or_insert(id),
            };
            let stream = stream(plan.seed, "plane", hashed.0.into());
            let context = PlaneContext { planes: plan.fabric.planes, stream };
            let paths = plan.transport.load_balance_of(flow.load_balance);
            Choosing {
                to,
                named: paths.names_planes(),
                selector: plan.transport.plane.build(&context),
            }
        };
        let out: Vec<Vec<Window>> = ports().map(|port| taken_for_down(plan, port)).collect();
        let mut places = [0; MOST];
        places.iter_mut().skip(1).zip(0..).for_each(|(place, other)| *place = other);
        Self {
            locators: Locators::of(&plan.fabric, plan.queue.classes),
            host,
            others: Others {
                ports: ports().skip(1).map(|port| NicPort::new(plan, port, flows)).collect(),
                places,
                at_hand: 0,
            },
            here: 0,
            wants: [Time::NEVER; MOST],
            touched: 0,
            ever_out: out.iter().any(|windows| !windows.is_empty()),
            out,
            reach: Arc::clone(reach),
            flows: flows.iter().map(&mut choosing).collect(),
            moved: VecDeque::new(),
            taken: 0,
        }
    }

    /// The same locator, by way of the plane in which something happens.
    #[cold]
    #[inline(never)]
    pub(super) fn here(&self, to: Locator) -> Locator {
        self.locators.in_plane(to, self.here)
    }

    /// The plane of the port at hand.
    pub(super) fn at_hand(&self) -> u32 {
        self.others.at_hand
    }

    fn count(&self) -> u32 {
        self.out.len() as u32
    }

    /// When the link at hand is next taken for down.
    pub(super) fn next_out(&self, now: Time) -> Time {
        let later = self.out[self.others.at_hand as usize].iter().find(|(from, _)| *from > now);
        later.map_or(Time::NEVER, |(from, _)| *from)
    }

    /// The plane of the next packet of a sender that names them. If wires are idle it chooses among their
    /// planes; else the packet waits at the port whose wire it has soonest. Where one of its packets takes
    /// a wire now, as many wait there as where one more does: it would stand there again and again, and
    /// have one plane alone, where a line of the whole host gives it whatever wire is free next.
    fn choose_named(
        &self,
        now: Time,
        at_hand: &NicPort,
        flow: usize,
        sender: Option<&mut Sender>,
    ) -> u32 {
        let named = self.named(now, self.flows[flow].to, sender.as_deref());
        let taken = |plane: u32| self.taken >> plane & 1 == 1;
        let port = |plane: u32| self.others.port(at_hand, plane);
        let waiting = |plane: u32| port(plane).waiting(now) + 2 * u32::from(taken(plane));
        let choices = plane::Planes { usable: named, waiting: &waiting };
        let idle = choices.iter().filter(|&plane| waiting(plane) == 0);
        let idle = idle.fold(0, |bits, plane| bits | 1 << plane);
        let chosen = sender.filter(|_| idle != 0).and_then(|own| own.choose_plane(now, idle));
        let free_at = |plane: u32| if taken(plane) { Time::NEVER } else { port(plane).free_at };
        let soonest = |&plane: &u32| (waiting(plane), free_at(plane));
        chosen.or_else(|| choices.iter().min_by_key(soonest)).unwrap_or(0)
    }

    fn is_out(&self, plane: u32, now: Time) -> bool {
        covers(&self.out[plane as usize], now)
    }

    /// A bit for each plane by which the host can send.
    fn own(&self, now: Time) -> u8 {
        if !self.ever_out {
            return self.all();
        }
        let planes = 0..self.count();
        planes.filter(|&plane| !self.is_out(plane, now)).fold(0, |mask, plane| mask | 1 << plane)
    }

    /// A bit for each plane.
    fn all(&self) -> u8 {
        u8::MAX >> (u8::BITS - self.count())
    }

    /// When the first plane is taken for up again.
    fn next_in(&self, now: Time) -> Time {
        let until =
            |windows: &Vec<Window>| windows.iter().map(|(_, until)| *until).find(|&at| at > now);
        self.out.iter().filter_map(until).min().unwrap_or(Time::NEVER)
    }

    /// The planes that a packet of a sender which names them may take: those in which its peer hears,
    /// if it is told of that, and in which it knows of a path; without the last, or both, if none is left.
    fn named(&self, now: Time, to: HostId, sender: Option<&Sender>) -> u8 {
        let usable = self.usable(now, to);
        let Some(sender) = sender else { return usable };
        let among = |some: u8, all: u8| if some & all == 0 { all } else { some & all };
        let heard = |after: Span| self.reach.told(now, after, self.host, to);
        let dead = sender.hears_of_ports().map_or(0, heard);
        among(sender.healthy_planes(), among(!dead, usable))
    }

    /// A bit for each plane by which the host can send to another, as far as it knows; all by which it
    /// can send if there is none, and all that there are if it can send by none.
    fn usable(&self, now: Time, to: HostId) -> u8 {
        let own = self.own(now);
        match own & self.reach.planes(now, self.host, to) {
            0 if own == 0 => self.all(),
            0 => own,
            both => both,
        }
    }
}

/// A host's ports but the one at hand.
struct Others {
    ports: Vec<NicPort>,
    /// Where each is, by plane; nowhere, the one at hand.
    places: [u8; MOST],
    /// The plane of the port at hand.
    at_hand: u32,
}

impl Others {
    /// The port in a plane, where this is the one `at_hand`.
    #[inline]
    fn port<'a>(&'a self, at_hand: &'a NicPort, plane: u32) -> &'a NicPort {
        match plane == self.at_hand {
            true => at_hand,
            false => &self.ports[usize::from(self.places[plane as usize])],
        }
    }
}

/// Of a host with several ports; others never ask.
impl Nic {
    /// Something happens in a plane.
    #[inline]
    pub(crate) fn select(&mut self, plane: u32) {
        if let Some(planes) = &mut self.planes {
            planes.here = plane;
        }
    }

    /// The port in a plane is the one at hand.
    fn take_in_hand(&mut self, plane: u32) {
        let Some(planes) = &mut self.planes else { return };
        planes.here = plane;
        let Others { ports, places, at_hand } = &mut planes.others;
        if *at_hand != plane {
            let place = places[plane as usize];
            swap(&mut self.port, &mut ports[usize::from(place)]);
            places[*at_hand as usize] = place;
            planes.touched |= 1 << *at_hand;
            *at_hand = plane;
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
        let Some(planes) = &self.planes else { return };
        let due = planes.wants.iter().position(|&at| at <= now);
        self.take_in_hand(due.unwrap_or(0) as u32);
    }

    /// The port is at hand that a frame has come to.
    pub(super) fn select_here(&mut self) {
        if let Some(planes) = &self.planes {
            self.take_in_hand(planes.here);
        }
    }

    /// All ports, in order of planes.
    pub(in crate::host) fn all_ports(&self) -> impl Iterator<Item = &NicPort> {
        let planes = self.planes.as_deref();
        let port = move |plane| match planes {
            Some(planes) => planes.others.port(&self.port, plane),
            None => &self.port,
        };
        (0..planes.map_or(1, Planes::count)).map(port)
    }

    fn port_in(&mut self, plane: u32) -> &mut NicPort {
        match &mut self.planes {
            Some(planes) if planes.others.at_hand != plane => {
                planes.touched |= 1 << plane;
                let Others { ports, places, .. } = &mut planes.others;
                &mut ports[usize::from(places[plane as usize])]
            }
            _ => &mut self.port,
        }
    }

    /// When the first port wants its wire.
    #[cold]
    #[inline(never)]
    pub(super) fn first_wants_at(&mut self, now: Time) -> Time {
        let Some(planes) = &mut self.planes else { return Time::NEVER };
        let mut touched = planes.touched | 1 << planes.others.at_hand;
        (planes.touched, planes.taken) = (0, 0);
        while touched != 0 {
            let plane = touched.trailing_zeros();
            planes.wants[plane as usize] =
                planes.others.port(&self.port, plane).wants_at(Time::ZERO);
            touched &= touched - 1;
        }
        // Whatever keeps a port lasts until some instant: it wants its wire then, or now.
        planes.wants.iter().fold(Time::NEVER, |first, &at| first.min(at)).max(now)
    }

    /// A locator by way of the plane in which something happens, in which an answer goes back.
    #[inline]
    pub(in crate::host) fn here(&self, to: Locator) -> Locator {
        self.planes.as_ref().map_or(to, |planes| planes.here(to))
    }

    /// A flow takes its turns from now on, at the port that it chooses.
    #[cold]
    #[inline(never)]
    pub(super) fn join_a_plane(&mut self, now: Time, slot: u32, sender: Option<&mut Sender>) {
        let plane = self.choose(now, slot, sender);
        let first = self.first_sender;
        self.port_in(plane).join(slot, first);
    }

    /// The plane of the next packet of the sender in `slot`.
    fn choose(&mut self, now: Time, slot: u32, sender: Option<&mut Sender>) -> u32 {
        let Self { port, planes: Some(planes), first_sender, .. } = self else { return 0 };
        let index = (slot - *first_sender) as usize;
        if planes.flows[index].named {
            return planes.choose_named(now, port, index, sender);
        }
        let usable = planes.usable(now, planes.flows[index].to);
        let Planes { others, flows, .. } = &mut **planes;
        let waiting = &|plane| others.port(port, plane).waiting(now);
        flows[index].selector.next_plane(&plane::Planes { usable, waiting })
    }

    /// A sender's frame takes the plane that its next packet would.
    #[inline]
    pub(in crate::host) fn send_as_packet(
        &mut self,
        now: Time,
        slot: u32,
        sender: &mut Sender,
        mut frame: Frame,
    ) {
        if self.planes.is_some() {
            let plane = self.choose(now, slot, Some(sender));
            if let Some(planes) = &self.planes {
                frame.to = planes.locators.in_plane(frame.to, plane);
            }
        }
        self.send_control(now, frame);
    }

    /// A locator by way of the plane that the next packet of a sender would take, which is told of it.
    #[inline]
    pub(in crate::host) fn next_plane(
        &mut self,
        now: Time,
        slot: u32,
        sender: &mut Sender,
        to: Locator,
    ) -> Locator {
        if self.planes.is_none() {
            return to;
        }
        let plane = self.choose(now, slot, Some(sender));
        sender.on_plane(plane);
        self.planes.as_ref().map_or(to, |planes| planes.locators.in_plane(to, plane))
    }

    /// A control frame waits at the port in its plane, or in the next that is usable.
    #[cold]
    #[inline(never)]
    pub(super) fn send_in_a_plane(&mut self, now: Time, mut frame: Frame) {
        let Some(planes) = &self.planes else { return };
        let usable = planes.usable(now, planes.locators.host(frame.to));
        let choices = plane::Planes { usable, waiting: &|_| 0 };
        let named = planes.locators.plane(frame.to);
        let plane = if choices.has(named) { named } else { choices.from(named) };
        if plane != named {
            frame.to = planes.locators.in_plane(frame.to, plane);
        }
        self.port_in(plane).control.push_back(frame);
    }

    /// Whether the host takes the link at hand for up, or has no other: what waits for one that it takes
    /// for down goes to others, or waits until there is one.
    #[cold]
    #[inline(never)]
    pub(super) fn is_in(&mut self, now: Time) -> bool {
        let (Some(planes), Some(faults)) = (&self.planes, &self.port.faults) else { return true };
        if !planes.is_out(planes.others.at_hand, now) {
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

    /// The same locator, in the plane that a path names.
    pub(in crate::host) fn along(&self, to: Locator, path: Entropy) -> Locator {
        let Some(planes) = &self.planes else { return to };
        planes.locators.in_plane(to, plane_of(path, planes.count()))
    }

    /// Whether the host takes its link in the plane of a path for up.
    pub(in crate::host) fn can_probe(&self, now: Time, path: Entropy) -> bool {
        let Some(planes) = &self.planes else { return true };
        planes.own(now) >> plane_of(path, planes.count()) & 1 == 1
    }

    /// Whether a sender that names planes sends by the port at hand, where its turn has come; if not it
    /// takes its turns elsewhere from now on.
    #[cold]
    #[inline(never)]
    pub(in crate::host) fn stays(&mut self, now: Time, slot: u32, sender: &mut Sender) -> bool {
        let Some(planes) = &self.planes else { return true };
        let flow = &planes.flows[(slot - self.first_sender) as usize];
        if !flow.named {
            return true;
        }
        let here = planes.others.at_hand;
        if planes.named(now, flow.to, Some(sender)) >> here & 1 == 1 {
            sender.on_plane(here);
            if let Some(planes) = &mut self.planes {
                planes.taken = 1 << here;
            }
            return true;
        }
        self.port.ready.pop_front();
        self.join_a_plane(now, slot, Some(sender));
        false
    }

    /// Flows that waited at a port whose link is taken for down, and wait nowhere since.
    #[cold]
    pub(in crate::host) fn take_moved(&mut self) -> VecDeque<u32> {
        self.planes.as_mut().map(|planes| std::mem::take(&mut planes.moved)).unwrap_or_default()
    }

    /// What waits at the port at hand goes to others, flows by and by.
    fn clear(&mut self, now: Time) {
        let control = std::mem::take(&mut self.port.control);
        let mut flows = std::mem::take(&mut self.port.ready);
        if let Some(pauses) = &mut self.port.pauses {
            pauses.give_up(&mut flows);
        }
        // A probe by another plane would tell of another path.
        let probes = |frame: &Frame| frame.is(Kind::Probe) && !frame.has(flag::ANSWER);
        let control = control.into_iter().filter(|frame| !probes(frame));
        control.for_each(|frame| self.send_in_a_plane(now, frame));
        if let Some(planes) = &mut self.planes {
            planes.moved.extend(flows);
        }
    }
}
