//! Flow control: who is paused, when, and for how long.

use raddle_schemes::size::Size;
use raddle_schemes::units::Span;

/// Priority-based flow control (IEEE 802.1Qbb). A switch counts, for each of its ports and each
/// data class, the bytes that came in there and have not left yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pfc {
    /// More than this, and the far end is told to pause the class (`bdp`: of the port's rate;
    /// percent: of its queue). Unlimited where the memory's policy decides.
    pub xoff: Size,
    /// Down to this, and it may go on.
    pub xon: Size,
    /// A pause lasts this long at who is paused. While it is needed, it is renewed half a `quanta`
    /// after it was last told.
    pub quanta: Span,
    /// Whose pauses are obeyed: switches tell all that send to them, or hosts alone.
    pub links: PfcLinks,
    /// What switches do where they are to pause for too long; `None`, and they do.
    pub watchdog: Option<Watchdog>,
}

impl Pfc {
    /// Whether the memory's policy says who pauses whom: there are no thresholds then.
    pub fn by_memory(&self) -> bool {
        self.xoff == Size::Unlimited
    }

    /// Pauses that the memory's policy decides on.
    pub fn of_memory(quanta: Span) -> Self {
        let (xoff, xon) = (Size::Unlimited, Size::Unlimited);
        Self { xoff, xon, quanta, links: PfcLinks::All, watchdog: None }
    }
}

raddle_schemes::words! {
    /// Links with flow control.
    pub enum PfcLinks {
        /// All of them.
        All = "all",
        /// Those between a host and its switch.
        Hosts = "hosts",
    }
}

/// A watchdog over pauses, as switches have it against circles of them and NICs that never let go: a
/// class that a port was to pause without a break for `detection` is sent all the same from then on,
/// until no pause has come for `restoration`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watchdog {
    /// How long pauses are obeyed without a break.
    pub detection: Span,
    /// How long none has to be in force until they are obeyed again.
    pub restoration: Span,
}
