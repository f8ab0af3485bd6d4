//! Switches: what their schemes see, and what their ports share.

pub(super) mod asleep;
pub(super) mod busy;
pub(super) mod closings;
pub(super) mod coupling;
pub(super) mod fast_path;
pub(super) mod next_hops;
pub(super) mod ordered;
pub(super) mod own_ports;
pub(super) mod shared_memory;
pub(super) mod told_memory;
pub(super) mod view;
pub(super) mod voqs;

use crate::engine::link::PortKind;
use crate::middleware::Middleware;
use crate::record::followers::Follower;
use crate::wire::arbitration::Arbitration;
use asleep::Asleep;
use closings::Closings;
use ordered::Ordered;
use raddle_schemes::ids::SwitchId;
use raddle_schemes::load_balance::switch::AnyPortSelector;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;
use shared_memory::Pool;
use std::ops::Range;

pub(super) struct SwitchState {
    pub(super) id: SwitchId,
    pub(super) selector: AnyPortSelector,
    /// Where what it shows is kept.
    pub(super) follower: Option<Box<Follower>>,
    pub(super) rng: Rng,
    /// Whether its scheme sends packets by way of other switches.
    pub(super) detours: bool,
    /// Which of its in-ports goes first at an instant.
    pub(super) arbitration: Arbitration,
    /// Its first port in this part.
    pub(super) first_port: u32,
    /// If its ports are all of one kind: that, and the first among those of the kind.
    pub(super) kind: Option<(PortKind, u32)>,
    /// Its first port in the fabric.
    pub(super) first_id: u32,
    /// Ports with something queued or in service: `words` bits per switch.
    pub(super) busy: Vec<u64>,
    /// Ports that sleep in place of being busy, where links have gates and it is not ordered.
    pub(super) asleep: Option<Box<Asleep>>,
    /// When its lanes close, where frames go by slices of circuits.
    pub(super) closings: Option<Box<Closings>>,
    /// Whether frames go by slices, or it keeps what waits for circuits.
    pub(super) by_slices: bool,
    /// Where it is ordered.
    pub(super) ordered: Option<Box<Ordered>>,
    /// Where its ports share memory.
    pub(super) pool: Option<Box<Pool>>,
    /// Where it is a ToR with middleware.
    pub(super) tor: Option<Box<Middleware>>,
    /// Hosts below it that run right after it, while what they share is in the caches; the others
    /// run after all switches on the edge side.
    pub(super) hosts: Range<u32>,
    /// When it is dead.
    pub(super) deaths: Vec<(Time, Time)>,
}

impl SwitchState {
    /// Whether its loop over what arrives from `start` to before `end` is one compiled for its scheme and
    /// ports, as far as it decides that; frames `may_carry_notes`.
    #[inline]
    pub(super) fn is_plain(&self, (start, end): (Time, Time), may_carry_notes: bool) -> bool {
        self.lives_through(start, end)
            && !self.has_middleware()
            && !self.shows_probes()
            && !self.has_gates()
            && !self.detours
            && (self.is_ordered() || !may_carry_notes)
    }

    fn lives_through(&self, start: Time, end: Time) -> bool {
        !self.deaths.iter().any(|&(from, until)| from < end && until > start)
    }

    fn has_middleware(&self) -> bool {
        self.tor.is_some()
    }

    fn shows_probes(&self) -> bool {
        self.follower.is_some()
    }

    /// Whether links have, at a switch that is not ordered.
    fn has_gates(&self) -> bool {
        self.asleep.is_some()
    }

    /// Whether it ever is.
    pub(super) fn is_ordered(&self) -> bool {
        self.ordered.is_some()
    }
}

/// At most `count` of `list`, from `first` on.
pub(super) fn from<T>(list: &mut [T], first: u32, count: usize) -> &mut [T] {
    let list = &mut list[first as usize..];
    let count = count.min(list.len());
    &mut list[..count]
}
