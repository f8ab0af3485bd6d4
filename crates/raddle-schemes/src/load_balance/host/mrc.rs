//! MRC's choice of paths: a set of entropy values, spread evenly over planes, each of known health.
//!
//! The sender names the plane and the path of every packet, when the packet leaves. A mark or a trim
//! makes it pass over an entropy value once; silence makes it retire the value and take a spare of the
//! same plane; probes bring it back. OCP MRC 1.0 and its paper, sections 2.1 to 2.4.
//!
//! Reading:
//! - The rotation is over all planes. A plane without a free port keeps its turn, so that within each
//!   plane every value comes up once before one comes up twice.
//! - A value that was retired gives its position to a spare, and is a spare itself when it comes back;
//!   where there was none its position is served by the others of its plane (`balance`).
//! - Probes travel in the control class: they show whether a path lives, and are never marked.
//!
//! With several planes the three highest bits of an entropy are the plane; the rest is a route, or what
//! switches hash.

mod probing;
mod set;
#[cfg(test)]
mod tests;

use super::{Fate, Feedback, Outgoing, PathSelector};
use crate::family::{Conflict, Need};
use crate::ids::Entropy;
use crate::load_balance::plane::Paths;
use crate::probe::Probes;
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::sync::Arc;
use alloc::vec::Vec;
use probing::Probing;
use serde::Serialize;
use set::{Set, State};

/// What `raddle schemes mrc` says.
pub const CARD: Card = Card {
    name: "mrc",
    title: "MRC: entropy values of known health over all planes",
    paper: "Multipath Reliable Connection (MRC), OCP specification 1.0 (2026); Resilient AI \
            supercomputer networking using MRC and SRv6, arXiv:2605.04333",
    needs: &[Need::OutOfOrder, Need::Probes],
    summary: "Rotates over a set of entropy values, the same share in each plane. Passes over one \
              that was marked or trimmed, retires one that lost a packet, and probes it until it \
              lives. Names the plane of each packet itself.",
};

crate::words! {
    /// In which order the rotation goes through the set.
    pub enum Order {
        /// Another one in each rotation, so that flows do not march in step.
        Shuffle = "shuffle",
        /// Always the same.
        Fixed = "fixed",
    }
}

crate::words! {
    /// How long a value that was marked is passed over.
    pub enum Skip {
        /// Until its turn has passed; one value a packet.
        Token = "token",
        /// Until the next rotation.
        Rotation = "rotation",
        /// For `skip_time`, or until its turn has passed, if that is sooner.
        Time = "time",
    }
}

crate::words! {
    /// What a mark or a trim does to a value.
    pub enum OnMark {
        /// It is passed over.
        Skip = "skip",
        /// It changes places with a spare of its plane; without one it is passed over.
        Swap = "swap",
    }
}

crate::words! {
    /// What becomes of the turns of a value that was retired and has no spare.
    pub enum Balance {
        /// Others of its plane have them: planes carry the same.
        Planes = "planes",
        /// Nobody: every value carries the same.
        Evs = "evs",
    }
}

crate::words! {
    /// What a retired value is that has answered its probes.
    pub enum ReturnTo {
        /// A spare, unless a place of its plane is vacant.
        Backup = "backup",
        /// It has a turn again, in the place of a spare that has one.
        Active = "active",
    }
}

crate::words! {
    /// How a host learns which ports of its peer are dead.
    pub enum PortStatus {
        /// The peer says so: half an unloaded round trip after it knows.
        Update = "update",
        /// Not at all.
        Off = "off",
    }
}

crate::parameters! {
    /// Parameters of MRC.
    pub struct Config {
        /// Entropy values that are rotated over, in all planes together; one a plane at least.
        pub active: u32 = 128, in 1..=4096;
        /// Spares, in all planes together.
        pub backup: u32 = 64, in 0..=4096;
        /// A value is not retired where a smaller share of all would be left.
        pub min_active: f64 = 0.25, in 0.0..=1.0;
        /// Whether values have several turns in a rotation where there are fewer paths than `active`;
        /// else the set is smaller.
        pub repeat: bool = false => quiet;
        /// In which order the rotation goes: `shuffle` or `fixed`.
        pub order: Order = Order::Shuffle;
        /// How long a value that was marked is passed over: `token`, `rotation` or `time`.
        pub skip: Skip = Skip::Token;
        /// The time of `skip = "time"`; `auto` is one unloaded round trip.
        pub skip_time: Option<Span> = None, in Span(1)..;
        /// What a mark or a trim does: `skip` or `swap`.
        pub on_mark: OnMark = OnMark::Skip;
        /// Who has the turns of a retired value without a spare: `planes` or `evs`.
        pub balance: Balance = Balance::Planes;
        /// Whether an ACK for a packet on a retired value brings it back.
        pub late_ack_revives: bool = false;
        /// Probes in a row that a retired value has to answer.
        pub probes: u32 = 3, in 1..=1000;
        /// Time between probes of a value; `auto` is the retransmission timeout.
        pub probe_interval: Option<Span> = None, in Span::ns(100)..;
        /// What a value is that is back: `backup`, a spare where no place is vacant, or `active`, in the
        /// place of a spare.
        pub return_to: ReturnTo = ReturnTo::Backup => quiet;
        /// How a host learns which ports of its peer are dead: `update` or `off`.
        pub port_status: PortStatus = PortStatus::Update;
        /// How long after that word a host goes by it.
        pub remap_delay: Span = Span(0) => quiet;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    let mut found = Vec::new();
    if config.skip != Skip::Time {
        found.push(Conflict::Idle("skip_time", "skip"));
    }
    if config.port_status == PortStatus::Off {
        found.push(Conflict::Idle("remap_delay", "port_status"));
    }
    if config.backup == 0 {
        found.push(Conflict::Idle("return_to", "backup"));
    }
    found
}

/// What flows across equally long paths share.
#[derive(Debug, Serialize)]
struct Constants {
    active: u32,
    backup: u32,
    min_active: f64,
    order: Order,
    skip: Skip,
    skip_time: Span,
    on_mark: OnMark,
    balance: Balance,
    late_ack_revives: bool,
    probes: u32,
    probe_interval: Span,
    repeat: bool,
    return_to: ReturnTo,
    port_status: PortStatus,
    remap_delay: Span,
}

/// One flow's set of entropy values.
#[derive(Clone, Debug, Serialize)]
pub struct Mrc {
    constants: Arc<Constants>,
    set: Set,
    probing: Probing,
    /// The planes that the next packet may leave by.
    free: u8,
    /// The value that the next packet is to have, while it is good and its plane free.
    due: Option<u16>,
}

impl Mrc {
    /// A flow whose host has not told it of paths yet.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let constants = Constants {
            active: config.active,
            backup: config.backup,
            min_active: config.min_active,
            order: config.order,
            skip: config.skip,
            skip_time: config.skip_time.unwrap_or(context.base_rtt),
            on_mark: config.on_mark,
            balance: config.balance,
            late_ack_revives: config.late_ack_revives,
            probes: config.probes,
            probe_interval: config.probe_interval.unwrap_or(context.rto),
            repeat: config.repeat,
            return_to: config.return_to,
            port_status: config.port_status,
            remap_delay: config.remap_delay,
        };
        Self {
            constants: Arc::new(constants),
            set: Set::default(),
            probing: Probing::default(),
            free: u8::MAX,
            due: None,
        }
    }

    /// The value for a packet that may leave by the `free` planes. A good one that was named for it
    /// stays.
    fn choose(&mut self, cx: &mut Cx<'_>, free: u8) -> Option<u16> {
        let stays =
            |ev: &u16| self.set.state(*ev) == State::Good && free >> self.set.plane(*ev) & 1 == 1;
        self.due.filter(stays).or_else(|| self.set.choose(cx.now, cx.rng, free, &self.constants))
    }

    /// Bad news of a value that is no congestion.
    fn retire(&mut self, cx: &mut Cx<'_>, ev: u16) {
        if self.set.retire(ev) {
            self.probing.begin(ev, cx.now + self.constants.probe_interval);
            cx.events.event(cx.now, "mrc: retire");
        }
    }

    fn revive(&mut self, cx: &mut Cx<'_>, ev: u16) {
        self.probing.end(ev);
        self.set.revive(ev, self.constants.return_to);
        cx.events.event(cx.now, "mrc: revive");
    }
}

impl PathSelector for Mrc {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("good", self.set.count(State::Good));
        to.count("skipped", self.set.count(State::Skip));
        to.count("retired", self.set.count(State::Bad));
    }

    fn begin_message(&mut self) {
        (self.free, self.due) = (u8::MAX, None);
    }

    fn names_planes(&self) -> bool {
        true
    }

    fn begin_paths(&mut self, cx: &mut Cx<'_>, paths: &Paths) {
        if self.set.is_empty() {
            self.set = Set::new(paths, &self.constants, cx.rng);
            self.probing = Probing::of(self.set.len());
        }
    }

    fn hears_of_ports(&self) -> Option<Span> {
        let hears = self.constants.port_status == PortStatus::Update;
        hears.then_some(self.constants.remap_delay)
    }

    fn healthy_planes(&self) -> u8 {
        self.set.healthy_planes()
    }

    fn choose_plane(&mut self, cx: &mut Cx<'_>, free: u8) -> Option<u32> {
        self.due = self.choose(cx, free);
        self.due.map(|ev| self.set.plane(ev).into())
    }

    fn on_plane(&mut self, plane: u32) {
        self.free = 1 << plane;
    }

    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        if self.set.is_empty() {
            self.begin_paths(cx, &Paths::Hashed { planes: 1 });
        }
        let chosen = self.choose(cx, self.free);
        if self.due == chosen {
            self.due = None;
        }
        chosen.map_or(Entropy(0), |ev| self.set.entropy(ev))
    }

    fn learns_entropies(&self) -> bool {
        true
    }

    fn hears_of_overtaken(&self) -> bool {
        true
    }

    /// Specification, states of an entropy value: `TRIMMED_LASTHOP` changes none.
    fn knows_last_hop(&self) -> bool {
        true
    }

    /// Specification, states of an entropy value: news is for exactly the one that it names.
    fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        if news.fate == Fate::Clean && !self.constants.late_ack_revives {
            return;
        }
        let Some(ev) = self.set.find(news.path) else { return };
        match news.fate {
            Fate::Marked | Fate::Trimmed => self.set.on_mark(cx.now, ev, &self.constants),
            Fate::TimedOut | Fate::Overtaken => self.retire(cx, ev),
            Fate::Clean if self.set.state(ev) == State::Bad => self.revive(cx, ev),
            Fate::Clean => {}
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.probing.next()
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        self.probing.on_timer(cx.now, self.constants.probe_interval);
    }

    fn poll_probe(&mut self) -> Option<Entropy> {
        self.probing.poll().map(|ev| self.set.entropy(ev))
    }

    fn on_probe_answered(&mut self, cx: &mut Cx<'_>, path: Entropy) {
        let Some(ev) = self.set.find(path) else { return };
        if self.probing.answered(ev, self.constants.probes) {
            self.revive(cx, ev);
        }
    }
}
