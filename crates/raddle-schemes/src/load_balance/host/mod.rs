//! Host load balancing: the entropy value of every data packet a sender emits.

use crate::ids::{Entropy, Psn};
use crate::load_balance::plane::Paths;
use crate::load_balance::route::Rotation;
use crate::probe::{Names, Probes};
use crate::rng::Rng;
use crate::units::{Bytes, Span, Time};
use crate::{Cx, FlowContext};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

pub mod bitmap;
pub mod ecmp;
pub mod flowlet;
pub mod host_dr;
pub mod mprdma;
pub mod mrc;
pub mod ops;
pub mod planned;
pub mod plb;
pub mod reps;
pub mod reps_legacy;
pub mod subflow;

/// A data packet about to be sent, new or again.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Outgoing {
    /// Its number in the flow.
    pub psn: Psn,
    /// Whether it was sent before.
    pub again: bool,
}

/// What became of a packet, as far as its sender can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Fate {
    /// Acknowledged, not marked.
    Clean,
    /// Acknowledged with a congestion mark.
    Marked,
    /// Trimmed: it met a full queue.
    Trimmed,
    /// Not heard of within the retransmission timeout.
    TimedOut,
    /// Not heard of when enough later ones were. Told where it is
    /// [asked for](PathSelector::hears_of_overtaken).
    Overtaken,
}

/// One piece of news about a path.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Feedback {
    /// The entropy of the packet that the news is about.
    pub path: Entropy,
    /// What became of it.
    pub fate: Fate,
    /// Its round trip, where the news is an ACK that gives one.
    pub rtt: Option<Span>,
    /// Congestion window before the congestion control heard the same news.
    pub window_before: Bytes,
    /// Congestion window after it.
    pub window_after: Bytes,
    /// Bytes in flight after it.
    pub in_flight: Bytes,
}

/// Chooses the entropy of each data packet; one instance per flow.
pub trait PathSelector {
    /// What it shows of its state: at all times the same names, and nothing that changes but by
    /// the other calls.
    fn probes(&self, _to: &mut dyn Probes) {}

    /// A flow with this context begins. The instance was made for it, or for another flow across
    /// as long a path.
    fn begin(&mut self, _context: &FlowContext) {}

    /// The next message of the connection begins, where connections outlive messages: nothing is in
    /// flight.
    fn begin_message(&mut self) {}

    /// The rotation over these routes that a host keeps for flows like this one, where the card needs
    /// [`SourceRouting`](crate::Need::SourceRouting).
    fn rotation(&self, routes: Vec<Entropy>, _rng: &mut Rng) -> Rotation {
        Rotation::new(routes, 0)
    }

    /// Whether the host knows at once which routes are left, not when switches have converged; where
    /// the card needs [`SourceRouting`](crate::Need::SourceRouting).
    fn knows_at_once(&self) -> bool {
        false
    }

    /// The route that is due in its host's rotation towards the destination, told before each
    /// packet where the card needs [`SourceRouting`](crate::Need::SourceRouting); its turn passes
    /// when the packet has left. Also the path that a [planner](crate::planner) gives the flow, when
    /// it starts and when it is moved.
    fn on_route(&mut self, _route: Entropy) {}

    /// The path that the flow is on and what became of packets on it, if some have been lost since this
    /// was last asked and a planner may name another.
    fn poll_lost(&mut self) -> Option<(Entropy, Fate)> {
        None
    }

    /// Whether it names the plane of each packet, where hosts have several ports.
    fn names_planes(&self) -> bool {
        false
    }

    /// What the host knows of the paths to the destination: told before the first packet where it
    /// [names planes](Self::names_planes). One that has been told, in an earlier message of the
    /// connection, keeps to that.
    fn begin_paths(&mut self, _cx: &mut Cx<'_>, _paths: &Paths) {}

    /// How long after the word of the destination, which ports are dead there, it goes by it; `None`
    /// if it never does.
    fn hears_of_ports(&self) -> Option<Span> {
        None
    }

    /// A bit for each plane in which it knows of a path that works.
    fn healthy_planes(&self) -> u8 {
        u8::MAX
    }

    /// The plane of the next packet, one of the `free` ones, where nothing waits: it leaves at once,
    /// unless a control frame goes before it. `None` if it knows of no path in any.
    fn choose_plane(&mut self, _cx: &mut Cx<'_>, _free: u8) -> Option<u32> {
        None
    }

    /// The plane by which the next packet leaves, told before it is asked for its path.
    fn on_plane(&mut self, _plane: u32) {}

    /// Whether it hears of packets that count as lost because later ones arrived. Where several paths
    /// are taken that need not say anything of the path.
    fn hears_of_overtaken(&self) -> bool {
        false
    }

    /// Whether it knows that no path is to blame for a packet trimmed at the port to its host, and hears
    /// of none.
    fn knows_last_hop(&self) -> bool {
        false
    }

    /// When it next has something to do by itself.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The time of [`next_timer`](Self::next_timer) has come; it lies in the future afterwards.
    fn on_timer(&mut self, _cx: &mut Cx<'_>) {}

    /// A path to probe now. Asked after [`on_timer`](Self::on_timer), again and again until there is none.
    fn poll_probe(&mut self) -> Option<Entropy> {
        None
    }

    /// A probe of a path was answered.
    fn on_probe_answered(&mut self, _cx: &mut Cx<'_>, _path: Entropy) {}

    /// The entropy for the packet that leaves now.
    fn next_path(&mut self, cx: &mut Cx<'_>, packet: &Outgoing) -> Entropy;

    /// Whether it learns which entropies are good: switches must not write over them.
    fn learns_entropies(&self) -> bool {
        false
    }

    /// News about a packet sent earlier. A coalesced ACK brings one piece for the packet that
    /// triggered it and, if it carries entropies, one for each of those, in order of arrival.
    fn on_feedback(&mut self, _cx: &mut Cx<'_>, _news: &Feedback) {}

    /// Where its state lies, for whoever wants it in the caches ahead of time.
    #[doc(hidden)]
    #[inline]
    fn address(&self) -> *const u8 {
        (&raw const *self).cast()
    }
}

crate::family! { PathSelector, AnyPathSelector, FlowContext, with state;
    Ecmp: ecmp,
    Ops: ops,
    Reps: reps in Box,
    Bitmap: bitmap in Box,
    Subflow: subflow in Box,
    Plb: plb in Box,
    Flowlet: flowlet in Box,
    Mprdma: mprdma,
    RepsLegacy: reps_legacy in Box,
    HostDr: host_dr,
    Planned: planned,
    Mrc: mrc in Box,
}

impl Config {
    /// See [`PathSelector::names_planes`].
    pub fn names_planes(&self) -> bool {
        self.build(&FlowContext::NOMINAL).names_planes()
    }

    /// The names of what the selected scheme shows of itself.
    pub fn probes(&self) -> Vec<&'static str> {
        let mut names = Names::default();
        self.build(&FlowContext::NOMINAL).probes(&mut names);
        names.0
    }
}

impl AnyPathSelector {
    /// See [`PathSelector::probes`].
    pub fn probes(&self, to: &mut dyn Probes) {
        dispatch!(self, scheme => scheme.probes(to));
    }

    /// See [`PathSelector::begin`].
    pub fn begin(&mut self, context: &FlowContext) {
        dispatch!(self, scheme => scheme.begin(context));
    }

    /// See [`PathSelector::begin_message`].
    pub fn begin_message(&mut self) {
        dispatch!(self, scheme => scheme.begin_message());
    }

    /// See [`PathSelector::rotation`].
    pub fn rotation(&self, routes: Vec<Entropy>, rng: &mut Rng) -> Rotation {
        dispatch!(self, scheme => scheme.rotation(routes, rng))
    }

    /// See [`PathSelector::knows_at_once`].
    pub fn knows_at_once(&self) -> bool {
        dispatch!(self, scheme => scheme.knows_at_once())
    }

    /// See [`PathSelector::learns_entropies`].
    pub fn learns_entropies(&self) -> bool {
        dispatch!(self, scheme => scheme.learns_entropies())
    }

    /// See [`PathSelector::on_route`].
    #[inline]
    pub fn on_route(&mut self, route: Entropy) {
        dispatch!(self, scheme => scheme.on_route(route));
    }

    /// See [`PathSelector::poll_lost`].
    pub fn poll_lost(&mut self) -> Option<(Entropy, Fate)> {
        dispatch!(self, scheme => scheme.poll_lost())
    }

    /// See [`PathSelector::names_planes`].
    pub fn names_planes(&self) -> bool {
        dispatch!(self, scheme => scheme.names_planes())
    }

    /// See [`PathSelector::begin_paths`].
    pub fn begin_paths(&mut self, cx: &mut Cx<'_>, paths: &Paths) {
        dispatch!(self, scheme => scheme.begin_paths(cx, paths));
    }

    /// See [`PathSelector::hears_of_ports`].
    pub fn hears_of_ports(&self) -> Option<Span> {
        dispatch!(self, scheme => scheme.hears_of_ports())
    }

    /// See [`PathSelector::healthy_planes`].
    pub fn healthy_planes(&self) -> u8 {
        dispatch!(self, scheme => scheme.healthy_planes())
    }

    /// See [`PathSelector::choose_plane`].
    pub fn choose_plane(&mut self, cx: &mut Cx<'_>, free: u8) -> Option<u32> {
        dispatch!(self, scheme => scheme.choose_plane(cx, free))
    }

    /// See [`PathSelector::on_plane`].
    pub fn on_plane(&mut self, plane: u32) {
        dispatch!(self, scheme => scheme.on_plane(plane));
    }

    /// See [`PathSelector::knows_last_hop`].
    pub fn knows_last_hop(&self) -> bool {
        dispatch!(self, scheme => scheme.knows_last_hop())
    }

    /// See [`PathSelector::hears_of_overtaken`].
    pub fn hears_of_overtaken(&self) -> bool {
        dispatch!(self, scheme => scheme.hears_of_overtaken())
    }

    /// See [`PathSelector::next_timer`].
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        dispatch!(self, scheme => scheme.next_timer())
    }

    /// See [`PathSelector::on_timer`].
    pub fn on_timer(&mut self, cx: &mut Cx<'_>) {
        dispatch!(self, scheme => scheme.on_timer(cx));
    }

    /// See [`PathSelector::poll_probe`].
    pub fn poll_probe(&mut self) -> Option<Entropy> {
        dispatch!(self, scheme => scheme.poll_probe())
    }

    /// See [`PathSelector::on_probe_answered`].
    pub fn on_probe_answered(&mut self, cx: &mut Cx<'_>, path: Entropy) {
        dispatch!(self, scheme => scheme.on_probe_answered(cx, path));
    }

    /// See [`PathSelector::next_path`].
    #[inline]
    pub fn next_path(&mut self, cx: &mut Cx<'_>, packet: &Outgoing) -> Entropy {
        dispatch!(self, scheme => scheme.next_path(cx, packet))
    }

    /// See [`PathSelector::address`].
    #[inline]
    pub(crate) fn address(&self) -> *const u8 {
        dispatch!(self, scheme => scheme.address())
    }

    /// See [`PathSelector::on_feedback`].
    pub fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        self.on_feedback_inlined(cx, news);
    }

    /// The same for the one caller that is on every packet's way.
    #[inline(always)]
    pub(crate) fn on_feedback_inlined(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        dispatch!(self, scheme => scheme.on_feedback(cx, news));
    }
}

// A fat scheme would tax every flow: it is kept in a box.
const _: () = assert!(size_of::<AnyPathSelector>() <= 16);
