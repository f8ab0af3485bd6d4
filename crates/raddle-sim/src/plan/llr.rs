//! Link-level retry of Ultra Ethernet (LLR, 1.0, section 5.1): the settings of both directions of every
//! link.

use raddle_schemes::units::{Bytes, Span};

/// Each direction of a link numbers its frames, keeps copies of what the far end has not acknowledged,
/// and sends again from the first that was lost on. Order is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Llr {
    /// Most frames sent and not acknowledged, 1 to [`FRAMES_LIMIT`].
    pub frames_max: u32,
    /// Most bytes of them, at least a packet; `None`: as many as a link that loses nothing can fill.
    pub bytes_max: Option<Bytes>,
    /// Without an acknowledgement for this long, all is sent again.
    pub timer: Span,
    /// So often in a row, 1 to 254, and then the copies are given up; [`WITHOUT_END`]: never.
    pub replays_max: u32,
    /// Line time from one answer of the far end to the next, at least.
    pub spacing: Bytes,
    /// The copies are given up, too, when the link has been down for this long.
    pub down_timeout: Span,
    /// What becomes of frames from then until the far end is ready to begin anew.
    pub flush: Flush,
    /// Whether a link begins anew after that; if not, it goes on as `flush` says.
    pub reinit: bool,
    /// What the far end knows of a spoiled frame.
    pub detect: Detect,
    /// Whether it asks again when what it asked for is spoiled, too.
    pub renack: bool,
    /// Line rate that answers and their spacing take.
    pub tax: Tax,
}

/// Most frames under way: half of all numbers.
pub const FRAMES_LIMIT: u32 = 1 << 19;

/// Of [`Llr::replays_max`].
pub const WITHOUT_END: u32 = 255;

impl Default for Llr {
    /// What switches have: as SAI proposes, and SONiC where they differ.
    fn default() -> Self {
        Self {
            frames_max: FRAMES_LIMIT,
            bytes_max: None,
            timer: Span::us(5),
            replays_max: 3,
            spacing: Bytes(2048),
            down_timeout: Span::us(50),
            flush: Flush::Discard,
            reinit: true,
            detect: Detect::Own,
            renack: true,
            tax: Tax::None,
        }
    }
}

raddle_schemes::words! {
    /// What becomes of frames while a link has no retry.
    pub enum Flush {
        /// They go, and the far end throws them away.
        Discard = "discard",
        /// They wait.
        Block = "block",
        /// They go without a number, and those that noise spoils are lost.
        BestEffort = "best_effort",
    }
}

raddle_schemes::words! {
    /// What the far end knows of a spoiled frame.
    pub enum Detect {
        /// Its number: it asks for the frame when that comes.
        Own = "own",
        /// Nothing: it asks when the next one comes.
        Next = "next",
    }
}

raddle_schemes::words! {
    /// Line rate that goes to answers.
    pub enum Tax {
        /// None: they fit in between.
        None = "none",
        /// All that answers at their spacing would take, also where fewer go.
        Constant = "constant",
    }
}

impl Llr {
    /// Bytes of an answer: a control ordered set.
    pub const CONTROL: Bytes = Bytes(8);
}
