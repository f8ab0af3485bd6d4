//! Switches: what their schemes see, and what their ports share.

pub(super) mod asleep;
pub(super) mod build;
pub(super) mod busy;
pub(super) mod closings;
pub(super) mod coupling;
pub(super) mod fast_path;
pub(super) mod general;
pub(super) mod next_hops;
pub(super) mod ordered;
pub(super) mod own_ports;
pub(super) mod run;
pub(super) mod shared_memory;
pub(super) mod slices;
pub(super) mod told_memory;
pub(super) mod view;
pub(super) mod voqs;
pub(super) mod ways;

use crate::engine::link::PortKind;
use crate::middleware::Middleware;
use crate::record::followers::Follower;
use crate::record::probes::ProbeRow;
use crate::wire::arbitration::Arbitration;
use asleep::Asleep;
use closings::Slices;
use ordered::Ordered;
use raddle_schemes::ids::SwitchId;
use raddle_schemes::load_balance::switch::AnyPortSelector;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;
use shared_memory::Pool;
use std::ops::Range;

pub(super) struct SwitchState {
    pub(super) id: SwitchId,
    /// Which of its in-ports goes first at an instant.
    pub(super) arbitration: Arbitration,
    /// When it is dead.
    pub(super) deaths: Vec<(Time, Time)>,
    /// Its first port in this part.
    pub(super) first_port: u32,
    /// Its first port in the fabric.
    pub(super) first_id: u32,
    /// If its ports are all of one kind: that, and the first among those of the kind.
    pub(super) kind: Option<(PortKind, u32)>,
    pub(super) scheme: Scheme,
    pub(super) shared: Shared,
    /// Where frames go by slices, or it keeps what waits for circuits.
    pub(super) slices: Option<Slices>,
    /// Hosts below it that run right after it, while what they share is in the caches; the others
    /// run after all switches on the edge side.
    pub(super) hosts: Range<u32>,
}

/// How a switch chooses ports.
pub(super) struct Scheme {
    pub(super) selector: AnyPortSelector,
    /// Where what it shows is kept.
    pub(super) follower: Option<Box<Follower>>,
    pub(super) rng: Rng,
    /// Whether it sends packets by way of other switches.
    pub(super) detours: bool,
}

impl Scheme {
    /// What it has shown, when the run has ended.
    pub(super) fn end_probes(&mut self) -> Vec<ProbeRow> {
        let Self { selector, follower, .. } = self;
        follower.take().map_or_else(Vec::new, |own| own.end(|to| selector.probes(to)))
    }
}

/// What the ports of a switch share.
pub(super) struct Shared {
    /// Ports with something queued or in service: `words` bits per switch.
    pub(super) busy: Vec<u64>,
    /// Ports that sleep in place of being busy, where links have gates and it is not ordered.
    pub(super) asleep: Option<Box<Asleep>>,
    /// Where it is ordered.
    pub(super) ordered: Option<Box<Ordered>>,
    /// Where ports share memory.
    pub(super) pool: Option<Box<Pool>>,
    /// Where it is a ToR with middleware.
    pub(super) tor: Option<Box<Middleware>>,
}
