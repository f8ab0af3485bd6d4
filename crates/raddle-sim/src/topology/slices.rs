//! Routes that follow circuits (Opera): a table for each slice, over the lanes open all through it.
//!
//! A **slice** lasts from the end of a slot's dark time to that of the next one, so nothing opens within
//! it, and a lane that closes before it is over, or as it is, is not in its table: what a rotor connects
//! that turns at the end of the slice has the rest of that slot to drain what was sent to it in the slice
//! before (Opera, section 4.1: no packet is sent to a switch that is about to turn).
//!
//! Control frames and data of most classes go by slices. Data of classes that **wait** goes by the
//! shortest way over lanes, whenever those are open: where each two ToRs have a lane, by that one.

use super::slicing::follows;
use super::table::{NextHops, Ports, Table};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::{Span, Time};

/// How switches forward by slices.
#[derive(Clone, Debug, PartialEq)]
pub struct Slices {
    /// The shortest ways over lanes that are ever open.
    pub whenever: Table,
    /// After so long all comes again.
    pub period: Span,
    /// When each slice begins within the period, in order.
    pub starts: Vec<Span>,
    /// The shortest ways in each slice.
    pub tables: Vec<Table>,
    /// A bit for each class whose data goes by `whenever`.
    pub waiting: u8,
}

impl Slices {
    /// The same without the ports that are `dead`, at all times or in a slice, but for sets of which
    /// nothing would be left.
    pub fn without(&self, dead: &dyn Fn(Option<usize>, PortId) -> bool) -> Self {
        let in_slice =
            |(slice, table): (usize, &Table)| table.without(&|port| dead(Some(slice), port));
        Self {
            whenever: self.whenever.without(&|port| dead(None, port)),
            tables: self.tables.iter().enumerate().map(in_slice).collect(),
            period: self.period,
            starts: self.starts.clone(),
            waiting: self.waiting,
        }
    }

    /// How many slices have begun before and at `now`, the one that it begins in included, and the place
    /// of the one in force.
    #[inline]
    pub(super) fn slice(&self, now: Time) -> (u64, usize) {
        let (period, count) = (self.period.0.max(1), self.starts.len());
        let phase = now.0 % period;
        let begun = self.starts.partition_point(|start| start.0 <= phase);
        let number = now.0 / period * count as u64 + begun as u64;
        (number, if begun == 0 { count - 1 } else { begun - 1 })
    }

    /// A number that is another in each slice.
    pub(crate) fn epoch(&self, now: Time) -> u32 {
        self.slice(now).0 as u32
    }

    /// The ports of `switch` at `now` towards `to`, a port of a host, for a frame of a class, none being
    /// control.
    #[inline]
    pub fn ports(&self, now: Time, class: Option<u8>, switch: SwitchId, to: PortId) -> Ports<'_> {
        if !follows(self.waiting, class) {
            return self.whenever.ports(switch, to);
        }
        // Numbers of groups of the two kinds of table are apart.
        let below = self.whenever.starts.len() as u32;
        match self.tables[self.slice(now).1].ports(switch, to) {
            Ports::List(own) if own.number < u32::MAX - below => {
                Ports::List(NextHops { number: own.number + below, ..own })
            }
            ports => ports,
        }
    }
}
