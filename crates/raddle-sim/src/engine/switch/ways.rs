//! Where frames can go from the switches of a part.

use super::next_hops::Forward;
use crate::host::layout::Layout;
use crate::plan::Plan;
use crate::wire::frame::{Frame, Locators};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::Time;

/// The routes of a part, and what else says where frames go.
pub(in crate::engine) struct Ways<'s, 'a> {
    pub(in crate::engine) plan: &'a Plan,
    /// Each with when it comes into force.
    pub(in crate::engine) routes: &'s [(Time, Forward<'a>)],
    /// Index of the one in force at the start of the half of a window that is being run.
    pub(in crate::engine) route: usize,
    /// Where the keys of flows are, if flows share them.
    pub(in crate::engine) keys: Option<&'s Layout>,
    /// Switches with hosts, and a port of one of each one's hosts, where packets make detours.
    pub(in crate::engine) edges: (&'s [SwitchId], &'s [PortId]),
}

impl<'s, 'a> Ways<'s, 'a> {
    /// Whether no route changes from the start of this half of a window to before `end`.
    pub(super) fn stand_until(&self, end: Time) -> bool {
        self.routes.get(self.route + 1).is_none_or(|(from, _)| *from >= end)
    }

    /// Index of the routes in force at `now`, which is not before the window.
    #[inline]
    pub(super) fn number_at(&self, now: Time) -> usize {
        let later = self.routes[self.route + 1..].iter();
        self.route + later.take_while(|(from, _)| *from <= now).count()
    }

    /// The routes in force at `now`, which is not before the window.
    #[inline]
    pub(super) fn routes_at(&self, now: Time) -> &'s Forward<'a> {
        &self.routes[self.number_at(now)].1
    }

    /// The key of the flow of a frame.
    #[inline]
    pub(super) fn key_of(&self, frame: Frame, locators: Locators) -> u32 {
        self.keys.map_or_else(|| locators.key(frame.to), |own| own.flow_key(frame))
    }
}
