//! What comes before a new frame at a host whose link has retry or credits.

use super::Ends;
use crate::host::nic::retried::BeforeNew;
use crate::host::nic::{Departure, Nic};
use raddle_schemes::units::Time;

impl Ends<'_> {
    /// What a link with retry or credits has to do before a new frame may go; nothing, if it may.
    #[cold]
    #[inline(never)]
    pub(super) fn before_new(
        &mut self,
        now: Time,
        nic: &mut Nic,
    ) -> Option<(Option<Departure>, Time)> {
        let before = nic.before_new(now);
        self.rejoin(now, nic);
        let departure = match before {
            BeforeNew::Nothing => return None,
            BeforeNew::Wait => None,
            BeforeNew::Departure(departure) => Some(departure),
        };
        if let Some(departure) = departure.filter(Departure::is_dropped) {
            self.note_dropped(departure.frame);
        }
        Some((departure, nic.settle(now)))
    }
}
