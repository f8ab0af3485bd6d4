//! What credits came to.

use raddle_schemes::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// What credit-based flow control did at one port. Its frames are not among
/// [`PortRecord::frames`](super::PortRecord::frames) and [`PortRecord::bytes`](super::PortRecord::bytes).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct CreditRecord {
    /// By data class.
    pub classes: Vec<ClassCredit>,
    /// Messages about freed cells whose last bit left here, lost ones included; 8 B each.
    pub freed_frames: u64,
    /// The same about consumed cells; 64 B each.
    pub consumed_frames: u64,
    /// Of both, those lost on the link.
    pub lost_frames: u64,
}

/// Cells of one data class at a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct ClassCredit {
    /// Of the link that leaves the port: cells that its frames have consumed.
    pub consumed: u64,
    /// Cells that its far end has told of as freed.
    pub told: u64,
    /// Most cells consumed and not known to be free.
    pub in_use_max: u64,
    /// How long there was no credit for a full packet.
    pub without: Span,
    /// Of what came in through the port: cells stored, or consumed by frames that never came.
    pub stored: u64,
    /// Cells freed.
    pub freed: u64,
    /// Most cells that were not free.
    pub held_max: u64,
    /// Cells of frames that never came, given back when the sender told how many it had consumed.
    pub leaked: u64,
}

impl ClassCredit {
    /// There was no credit for a full packet from an instant until another: none, if that is earlier.
    pub(crate) fn was_without(&mut self, (since, until): (Time, Time)) {
        self.without.0 += until.0.saturating_sub(since.0);
    }

    /// The same port as the sending end of its link and as the receiving end of the other.
    fn and(self, receiving: Self) -> Self {
        let Self { stored, freed, held_max, leaked, .. } = receiving;
        Self { stored, freed, held_max, leaked, ..self }
    }
}

impl CreditRecord {
    /// The same port as the sending end of its link and as the receiving end of the other.
    pub(crate) fn and(mut self, receiving: Self) -> Self {
        if self.classes.is_empty() {
            self.classes.resize(receiving.classes.len(), ClassCredit::default());
        }
        for (own, other) in self.classes.iter_mut().zip(receiving.classes) {
            *own = own.and(other);
        }
        self.freed_frames += receiving.freed_frames;
        self.consumed_frames += receiving.consumed_frames;
        self.lost_frames += receiving.lost_frames;
        self
    }

    /// A message, about freed cells or consumed ones, has left, or was cut or otherwise lost.
    pub(crate) fn note(&mut self, is_freed: bool, left: bool, lost: bool) {
        let sent = if is_freed { &mut self.freed_frames } else { &mut self.consumed_frames };
        *sent += u64::from(left);
        self.lost_frames += u64::from(lost);
    }

    /// A sum over the classes.
    pub fn sum(&self, of: impl Fn(&ClassCredit) -> u64) -> u64 {
        self.classes.iter().map(of).sum()
    }

    /// The most of any class.
    pub fn most(&self, of: impl Fn(&ClassCredit) -> u64) -> u64 {
        self.classes.iter().map(of).max().unwrap_or(0)
    }
}
