//! At most one reduction for a window of data (RFC 5681, RFC 8257, RFC 9438).

use super::Ack;
use serde::Serialize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
enum Kind {
    #[default]
    Nothing,
    Reduction,
    Timeout,
}

/// How the present window of data was answered so far.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Answer {
    kind: Kind,
    /// It stands until all packets below this one have arrived; a loss leaves it to the next ACK to
    /// say which.
    until: Option<u32>,
}

impl Answer {
    /// Forgets it if this ACK is of data sent since.
    pub(super) fn forget_when_due(&mut self, ack: &Ack) {
        if self.kind != Kind::Nothing && ack.cumulative >= *self.until.get_or_insert(ack.next_new) {
            self.kind = Kind::Nothing;
        }
    }

    /// Whether this window may be reduced now; it may not again.
    pub(super) fn reduces(&mut self, until: Option<u32>) -> bool {
        let first = self.kind == Kind::Nothing;
        if first {
            *self = Self { kind: Kind::Reduction, until };
        }
        first
    }

    /// Whether this timeout is the window's first; what was reduced before it does not count.
    pub(super) fn times_out(&mut self) -> bool {
        let first = self.kind != Kind::Timeout;
        if first {
            *self = Self { kind: Kind::Timeout, until: None };
        }
        first
    }
}
