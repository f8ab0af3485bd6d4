//! The hosts of a run, or of a part of it.
//!
//! The engine drives hosts through a few calls: a frame arrives, or the next local event (wire free,
//! or a timer) is due. At one instant an arrival goes first, then the wire, then timers. The
//! reference has hosts of its own.

pub(crate) mod addresses;
mod drop_counts;
pub(crate) mod endpoints;
mod events;
pub mod layout;
pub mod nic;
mod results;
mod slab;
pub mod stop;
pub mod totals;

use crate::host::nic::reach::Reach;
use crate::host::nic::timers::TimerKind;
use crate::plan::Plan;
use crate::record::{CreditFrames, CreditRecord, Finished, RetryRecord, ScaleUpRecord};
use crate::topology::Node;
use crate::waits::Waits;
use crate::wire::frame::{Frame, Locator, Locators, count};
use crate::wire::note::Hops;
use crate::workload::Flow;
use addresses::Ahead;
use endpoints::Ends;
pub use endpoints::first_rto;
use endpoints::scale_up::Crossing;
use endpoints::starts::phase_of;
use layout::Layout;
use nic::{Departure, Nic};
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::transport::Entry;
use raddle_schemes::units::Time;
use std::sync::Arc;
use totals::HostTotals;

/// The hosts of one part of a run, and the ends of flows that lie there. What one part's hosts do
/// touches no other part but through messages: frames, and [`Hosts::outgoing`].
///
/// A host is addressed by its place: its index among the part's own hosts.
pub struct Hosts<'a> {
    nics: Vec<Nic>,
    ends: Ends<'a>,
    /// Places other than that of the host being run to which a trigger gave a new local event.
    pub woken: Vec<u32>,
}

/// One host, to be run for a while.
pub struct Host<'h, 'a> {
    nic: &'h mut Nic,
    ends: &'h mut Ends<'a>,
}

impl<'a> Host<'_, 'a> {
    /// A look at it.
    #[inline]
    pub(crate) fn ahead(&self) -> Ahead<'_, 'a> {
        Ahead { nic: self.nic, ends: self.ends }
    }

    /// When its next local event is due.
    #[inline]
    pub fn next_local(&self) -> Time {
        self.nic.next_local()
    }

    /// The plane that a frame goes by which the wire has just taken.
    pub(crate) fn plane(&self, frame: Frame) -> u32 {
        if frame.is_pfc() { self.nic.plane_at_hand() } else { self.ends.locators.plane(frame.to) }
    }

    /// What happens next happens in this plane: a frame has come.
    pub(crate) fn select(&mut self, plane: u32) {
        self.nic.select(plane);
    }

    /// A frame reached it. Returns when its next local event is due. On the way of every packet.
    #[inline(always)]
    pub fn on_frame(&mut self, now: Time, frame: Frame) -> Time {
        self.ends.on_frame(now, self.nic, frame)
    }

    /// What the data frame that reaches it next carries of the switches on its way.
    pub(crate) fn bring(&mut self, note: Hops) {
        self.ends.bring(note);
    }

    /// Runs the local event that is due at `now`: the wire takes a frame, or a timer fires. Returns
    /// what the wire took, and when the next local event is due.
    #[inline(always)]
    pub fn run_local(&mut self, now: Time) -> (Option<Departure>, Time) {
        self.ends.run_local(now, self.nic)
    }

    /// Whether a trigger has fired: [`Hosts::start_fired`] has to be called before anything else
    /// happens at this host or at one of its group.
    #[inline]
    pub fn fired(&self) -> bool {
        !self.ends.fired.is_empty()
    }
}

impl<'a> Hosts<'a> {
    /// The hosts `own` of a plan, ascending and with every group ([`Layout::groups`]) whole; all
    /// flows wait for their start.
    pub fn of(plan: &'a Plan, layout: &Arc<Layout>, waits: &Waits<'_>, own: &[HostId]) -> Self {
        debug_assert!(own.is_sorted());
        let (drain, rto) = (waits.drain(), waits.rto());
        let mut ends = Ends::new(plan, layout, own, rto, drain);
        let mut nics = Vec::with_capacity(own.len());
        let reach = Reach::of(plan).map(Arc::new);
        let (mut senders, mut receivers) = (0, 0);
        for (place, &host) in (0..).zip(own) {
            let flows = layout.senders.at(host);
            let mut nic = Nic::new(plan, host, (place, senders, receivers), flows, reach.as_ref());
            senders += flows.len() as u32;
            receivers += layout.receivers.at(host).len() as u32;
            ends.list_starts(&mut nic);
            nics.push(nic);
        }
        Self { nics, ends, woken: Vec::new() }
    }

    /// The split of this run's locators.
    #[inline]
    pub fn locators(&self) -> Locators {
        self.ends.locators
    }

    /// What a switch takes for the flow of a frame.
    #[inline]
    pub(crate) fn flow_key(&self, frame: Frame) -> u32 {
        match self.ends.layout.shares_keys() {
            true => self.ends.layout.flow_key(frame),
            false => self.ends.locators.key(frame.to),
        }
    }

    /// Whether a host lies behind a port.
    pub(crate) fn is_next(&self, port: PortId) -> bool {
        matches!(self.ends.plan.fabric.destination(port), Node::Host(_))
    }

    /// Where the ends of all flows lie.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.ends.layout
    }

    /// What these hosts brought about so far.
    pub fn totals(&self) -> &HostTotals {
        &self.ends.totals
    }

    /// The host at `place`, to be run until it fires a trigger.
    #[inline]
    pub fn host(&mut self, place: u32) -> Host<'_, 'a> {
        Host { nic: &mut self.nics[place as usize], ends: &mut self.ends }
    }

    /// Where the state of the host at `place` itself lies.
    #[inline]
    pub(crate) fn address(&self, place: u32) -> *const u8 {
        (&raw const self.nics[place as usize]).cast()
    }

    /// A look at the host at `place`.
    #[inline]
    pub(crate) fn ahead(&self, place: u32) -> Ahead<'_, 'a> {
        Ahead { nic: &self.nics[place as usize], ends: &self.ends }
    }

    /// How many flows have started and not completed.
    #[inline]
    pub(crate) fn flows_under_way(&self) -> usize {
        self.ends.live_senders.len()
    }

    /// Whether a trigger may fire at `place` in a window in which at most `arrivals` frames arrive
    /// there.
    pub(crate) fn may_fire(&self, place: u32, arrivals: u32) -> bool {
        self.ends.may_fire(place, arrivals)
    }

    /// When the next local event of the host at `place` is due.
    #[inline]
    pub fn next_local(&self, place: u32) -> Time {
        self.nics[place as usize].next_local()
    }

    /// A frame reached the host at `place`.
    pub fn on_frame(&mut self, now: Time, place: u32, frame: Frame) {
        self.host(place).on_frame(now, frame);
        self.start_fired(place);
    }

    /// Runs the local event that is due at `now`: the wire takes a frame, or a timer fires.
    pub fn run_local(&mut self, now: Time, place: u32) -> Option<Departure> {
        let (departure, _) = self.host(place).run_local(now);
        self.start_fired(place);
        departure
    }

    /// Sets timers for the flows that triggers have started while the host at `place` ran.
    pub fn start_fired(&mut self, place: u32) {
        for (at, flow) in std::mem::take(&mut self.ends.fired) {
            let Flow { source, start, .. } = self.ends.plan.traffic.flows[flow.index()];
            let at = at + start.delay() + phase_of(self.ends.plan, flow);
            // Until then nothing more may happen.
            self.ends.totals.last_progress = self.ends.totals.last_progress.max(at);
            // Hosts tied by a trigger lie in one part.
            let Some(there) = self.ends.place(source) else { continue };
            let nic = &mut self.nics[there as usize];
            let slot = nic.first_sender + self.ends.layout.senders.index(source, flow);
            nic.set_timer(at, TimerKind::Start, slot);
            if there != place {
                self.woken.push(there);
            }
        }
    }

    /// Entries for the logs of senders in other parts, in order of arrival, each with where it
    /// goes. They have to be there ([`Hosts::take_log_entry`]) before the next window.
    pub fn outgoing(&mut self) -> &mut Vec<(Locator, Entry)> {
        &mut self.ends.outgoing
    }

    /// An entry for the log of the sender at `to`, from a receiver in another part.
    pub fn take_log_entry(&mut self, to: Locator, entry: Entry) {
        if let Some(slot) = self.ends.sender_slot(to) {
            self.ends.log_arrival(slot, entry);
        }
    }

    /// What crosses to GPUs from others of their server, to be taken ([`Hosts::take_crossing`]) before the
    /// next window.
    pub(crate) fn crossings(&mut self) -> &mut Vec<Crossing> {
        &mut self.ends.scale_up.crossings
    }

    /// What crosses to a host of this part. Returns its place.
    pub(crate) fn take_crossing(&mut self, crossing: &Crossing) -> Option<u32> {
        let place = self.ends.place(crossing.host)?;
        self.ends.cross(&mut self.nics[place as usize], crossing);
        Some(place)
    }

    /// What passed the ports to crossbars, by host.
    pub(crate) fn scale_up_records(&self) -> impl Iterator<Item = (HostId, ScaleUpRecord)> {
        let own = self.ends.own.iter().copied();
        own.zip(self.ends.scale_up.ports.iter().map(|ports| ports.record))
    }

    /// Under telemetry, what goes with the entries of [`Hosts::outgoing`], in the same order.
    pub(crate) fn outgoing_hops(&mut self) -> Vec<(Locator, Hops)> {
        self.ends.outgoing_hops()
    }

    /// What goes with an entry for the log of the sender at `to`.
    pub(crate) fn take_log_hops(&mut self, to: Locator, note: Hops) {
        self.ends.log_hops(to, note);
    }

    /// Pulls and requests so far; those in flight are in NICs.
    pub(crate) fn credit_frames(&self) -> CreditFrames {
        let ports = self.nics.iter().flat_map(Nic::all_ports);
        let waiting = ports.flat_map(|port| port.control.iter().copied());
        CreditFrames { in_flight: count(waiting).1, ..self.ends.credit_frames }
    }

    /// Data packets that wait between flows and wires.
    pub(crate) fn in_line(&self) -> u64 {
        let fifos = self.nics.iter().filter_map(|nic| nic.port.fifo.as_ref());
        count(fifos.flat_map(|fifo| fifo.frames())).0
    }

    /// Data packets that left hosts by links with retry and have not been taken in, and frames about credit.
    pub(crate) fn kept(&self) -> (u64, u64) {
        count(self.nics.iter().flat_map(Nic::all_ports).flat_map(|port| port.kept()))
    }

    /// What retry did on the links that leave hosts.
    pub(crate) fn retries(&self) -> impl Iterator<Item = (PortId, RetryRecord)> {
        let fabric = &self.ends.plan.fabric;
        let hosts = self.ends.own.iter().zip(&self.nics);
        let ports = hosts.flat_map(|(host, nic)| fabric.ports_of(*host).zip(nic.all_ports()));
        ports.filter_map(|(id, port)| Some((id, port.retry_record()?)))
    }

    /// What credits came to on the links that leave hosts, in a run that ends at `end`.
    pub(crate) fn credits(&self, end: Time) -> impl Iterator<Item = (PortId, CreditRecord)> {
        let fabric = &self.ends.plan.fabric;
        let hosts = self.ends.own.iter().zip(&self.nics);
        hosts.flat_map(move |(host, nic)| nic.credit_records(fabric.ports_of(*host), end))
    }

    /// Frames that left hosts so far.
    pub fn frames_sent(&self) -> u64 {
        let ports = self.nics.iter().flat_map(Nic::all_ports);
        ports.map(|port| port.record.frames).sum()
    }

    /// Notes that a frame was lost on its way.
    pub fn note_dropped(&mut self, frame: Frame) {
        self.ends.note_dropped(frame);
    }

    /// What all parts of a run have left.
    pub fn finish(parts: Vec<Self>) -> Finished {
        results::finish(parts)
    }
}
