//! What the steps of a job came to. All of it is told from the job and the records of its flows: a run
//! knows of flows alone, and computation at a rank's end, which no message waits for, is in no run.
//!
//! | file | what it tells |
//! |---|---|
//! | `replay.rs` | when each node of a job began and ended |
//! | `ranks.rs` | what a rank did over the time of a step |
//! | `collectives.rs` | when ranks came to collectives, and whom they waited for |
//! | `path.rs` | the critical path, back from the last end |
//! | `parts.rs` | where the time of a message on it went, by its last needed packet |
//! | `again.rs` | a plan that keeps these packets |

mod again;
pub mod collectives;
pub mod parts;
pub mod path;
pub mod ranks;
pub mod replay;

raddle_schemes::words! {
    /// What a rank takes part in beside computation.
    #[derive(Hash)]
    pub enum Kind {
        /// Collectives over tensors.
        Tensor = "tp",
        /// Over data.
        Data = "dp",
        /// Over experts.
        Expert = "ep",
        /// Messages to another rank.
        Send = "send",
        /// Collectives of other groups.
        Group = "group",
    }
}

impl Kind {
    /// How many there are.
    pub const COUNT: usize = 5;

    /// That of a group, by its name: those that a step is made with say what they are for.
    pub fn of_group(name: &str) -> Self {
        match name.split_once(' ').map_or(name, |(word, _)| word) {
            "tp" => Self::Tensor,
            "dp" | "dp_ep" => Self::Data,
            "ep" => Self::Expert,
            _ => Self::Group,
        }
    }
}
