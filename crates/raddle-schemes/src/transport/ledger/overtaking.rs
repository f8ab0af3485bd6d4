//! What overtook a packet: how many have arrived that were sent later.

use super::{Ledger, Losses};
use crate::congestion::LossCause;
use crate::ids::Psn;
use crate::transport::data::Sent;
use crate::units::Time;
use alloc::boxed::Box;
use alloc::collections::VecDeque;

/// Last transmissions of packets that have arrived, in order, but for those before the oldest in flight.
#[derive(Clone, Debug, Default)]
pub(super) struct Overtaking {
    arrived: VecDeque<(Time, Psn)>,
}

impl Losses {
    /// A packet has arrived that was last sent at `at`. They come nearly in order.
    #[inline]
    pub(super) fn note_arrived(&mut self, at: Time, psn: Psn) {
        let Some(overtaking) = &mut self.overtaking else { return };
        let arrived = &mut overtaking.arrived;
        let behind = arrived.iter().rev().take_while(|other| **other > (at, psn)).count();
        arrived.insert(arrived.len() - behind, (at, psn));
    }
}

impl Ledger {
    /// The same book, which counts how many arrived that were sent later than one in flight.
    pub(crate) fn counting_overtaking(mut self) -> Self {
        self.losses.get_or_insert_default().overtaking = Some(Box::default());
        self
    }

    /// Declares packets in flight lost, in the order of their last transmissions, after each of which so
    /// many were sent that have arrived; each is a loss by itself. Nothing but where this is
    /// counted. Returns whether there were any.
    pub fn declare_overtaken(&mut self, count: u32, cause: LossCause) -> bool {
        let mut any = false;
        while let Some(oldest) = self.oldest() {
            let Some(losses) = &mut self.losses else { return any };
            let Some(overtaking) = &mut losses.overtaking else { return any };
            let arrived = &mut overtaking.arrived;
            while arrived.front().is_some_and(|first| *first <= oldest) {
                arrived.pop_front();
            }
            if (arrived.len() as u64) < u64::from(count) {
                return any;
            }
            any |= self.declare_lost(oldest.1, cause);
        }
        if let Some(overtaking) = self.losses.as_mut().and_then(|own| own.overtaking.as_mut()) {
            overtaking.arrived.clear();
        }
        any
    }

    /// Declares packets in flight lost that left before one that has arrived, with the same entropy; each
    /// is a loss by itself. Returns whether there were any.
    pub fn declare_overtaken_on_path(&mut self, later: &Sent, cause: LossCause) -> bool {
        let mut any = false;
        for psn in self.low..self.next {
            let record = self.record(psn);
            let before = (record.sent_at(), Psn(psn)) < (later.at, later.psn);
            if record.entropy() == later.entropy && before {
                any |= self.declare_lost(Psn(psn), cause);
            }
        }
        any
    }
}
