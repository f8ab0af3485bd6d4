//! Schedules of circuits that follow others: from an instant on circuit switches connect something else.
//!
//! All turn then. Lanes are those of all schedules together; one that a schedule never opens is a link
//! that is down while it lasts.

use super::Fabric;
use super::circuits::{CircuitShape, Circuits, Lane, Later};
use super::routing::Weighting;
use super::shape_error::ShapeError;
use crate::faults::gate::Gate;
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::units::{Bytes, Span, Time};

impl CircuitShape {
    /// Whether changes come as periods end, one after the other.
    pub(super) fn check_changes(&self) -> Result<(), ShapeError> {
        if self.slicing.is_some() && !self.changes.is_empty() {
            return Err(ShapeError::ChangeOfSlices);
        }
        let (mut begins, mut period) = (Time::ZERO, self.rotors.period().0);
        for change in &self.changes {
            let since = change.at.0.saturating_sub(begins.0);
            if since == 0 || !since.is_multiple_of(period) {
                let whole = (since / period).max(1) * period;
                return Err(ShapeError::ChangeTime { at: change.at, near: begins + Span(whole) });
            }
            (begins, period) = (change.at, change.rotors.period().0);
        }
        Ok(())
    }
}

impl Circuits {
    /// When each schedule begins, in order.
    pub(crate) fn begins(&self) -> impl Iterator<Item = Time> {
        [Time::ZERO].into_iter().chain(self.later.iter().map(|own| own.begins))
    }

    /// The schedules, in order.
    pub fn schedules(&self) -> impl Iterator<Item = &Self> {
        [self].into_iter().chain(self.later.iter().map(|own| &own.circuits))
    }

    /// The number of the schedule in force at an instant.
    pub(crate) fn schedule_at(&self, now: Time) -> usize {
        self.later.partition_point(|own| own.begins <= now)
    }

    /// Whether a schedule ever opens a lane.
    pub(crate) fn opens(&self, schedule: usize, port: PortId) -> bool {
        let own = self.schedules().nth(schedule);
        let lane = own.and_then(|own| own.lane(port));
        lane.is_none_or(|lane| !lane.openings.is_empty())
    }

    /// The lane that leaves a port in the first schedule that opens it.
    pub(crate) fn first_lane(&self, port: PortId) -> Option<&Lane> {
        let all = || self.schedules().filter_map(|own| own.lane(port));
        all().find(|lane| !lane.openings.is_empty()).or_else(|| all().next())
    }

    /// The gate of a lane over all schedules, always open or not.
    pub(crate) fn any_gate(&self, port: PortId) -> Option<Gate> {
        let mut gate: Option<(Time, Gate)> = None;
        for own in self.later.iter().rev() {
            let lane = own.circuits.lane(port)?;
            let mut one = own.circuits.own_gate(lane).begun(own.begins, own.opens);
            if let Some((ends, later)) = gate {
                one = one.followed(ends, later);
            }
            gate = Some((own.begins, one));
        }
        let first = self.own_gate(self.lane(port)?);
        Some(match gate {
            Some((ends, later)) => first.followed(ends, later),
            None => first,
        })
    }

    /// Whether a frame of this size whose last bit leaves a port at `end` was within an opening of
    /// which some uplink is not `dead`, by a computation of its own; with a size of 0, whether its last
    /// bit was.
    pub(crate) fn passes(&self, port: PortId, (size, end): (Bytes, Time), dead: u64) -> bool {
        if self.lane(port).is_none() {
            return true;
        }
        let number = self.later.partition_point(|own| own.begins < end);
        if self.later.get(number).is_some_and(|next| end + self.guard > next.begins) {
            return false;
        }
        match number.checked_sub(1).map(|place| &self.later[place]) {
            None => self.passes_own(port, (size, end), dead, Span::ZERO),
            Some(Later { begins, opens, circuits }) => {
                let own = Time(end.0 - begins.0);
                circuits.passes_own(port, (size, own), dead, opens.since(*begins))
            }
        }
    }
}

impl Fabric {
    /// The first schedule of circuits that leads from one of a pair to the other or back by no way, and
    /// the pair.
    pub fn without_circuits(
        &self,
        pairs: &[(HostId, HostId)],
    ) -> Option<(usize, (HostId, HostId))> {
        let circuits = self.circuits.as_ref()?;
        (0..=circuits.later.len()).find_map(|schedule| {
            let own = match schedule {
                0 => self.forwarding.clone(),
                _ => self.shortest_paths(Weighting::Equal, &[], schedule, &|_| true),
            };
            Some((schedule, self.unrouted(pairs, &own, &|_| true)?))
        })
    }

    /// When schedules of circuits follow others, and the number of each.
    pub(crate) fn changes_of_schedule(&self) -> impl Iterator<Item = (Time, usize)> + use<'_> {
        let later = self.circuits.iter().flat_map(|own| &own.later);
        later.map(|own| own.begins).zip(1..)
    }
}
