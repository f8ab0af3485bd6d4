//! That frames go by slices of circuits: which do, when a slice begins, what becomes of the late.

use raddle_schemes::units::Span;

raddle_schemes::words! {
    /// What becomes of a frame that goes by slices and still waits when its lane closes.
    #[derive(Default)]
    pub enum Late {
        /// It is taken out and sent on by the slice of then.
        #[default]
        Reroute = "reroute",
        /// It waits for the lane to open again.
        Wait = "wait",
        /// It is dropped.
        Drop = "drop",
    }
}

/// That frames go by slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slicing {
    /// When each slice begins within the period, in order; one lasts until the next begins.
    pub starts: Vec<Span>,
    /// What becomes of frames that are late.
    pub late: Late,
    /// A bit for each class whose data waits for the shortest way.
    pub waiting: u8,
}

impl Slicing {
    /// Whether frames of a class, none being control, go by slices.
    #[inline]
    pub fn follows(&self, class: Option<u8>) -> bool {
        follows(self.waiting, class)
    }
}

/// Whether frames of a class go by slices, the classes in `waiting` not being among them.
#[inline]
pub(super) fn follows(waiting: u8, class: Option<u8>) -> bool {
    class.is_none_or(|class| waiting >> class & 1 == 0)
}
