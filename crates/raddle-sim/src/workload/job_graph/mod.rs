//! A job as a user has it: for each rank a graph of work, messages and collectives.
//!
//! Every import of a training step ends in a [`JobGraph`], and [`JobGraph::traffic`] makes flows and
//! triggers of it:
//!
//! | file | what it does |
//! |---|---|
//! | `check.rs` | whether all names, edges and groups are there |
//! | `matching.rs` | which receive belongs to which send, which nodes are one collective |
//! | `vertices.rs` | what waits for what, over all ranks; circles |
//! | `order.rs` | in which order the nodes of a unit go |
//! | `collectives.rs` | the sends of one collective |
//! | `style.rs`, `listed/` | collectives over rails, in chunks, in trees |
//! | `compile.rs` | all of it as sends that wait for each other |
//! | `sends.rs` | which of these waits for which, without a graph |
//! | `script.rs` | which flow each node is, for results |
//! | `counts.rs` | what there is in a job, counted |
//! | `parallelism.rs` | which ranks form groups |

mod check;
mod collectives;
mod compile;
mod counts;
mod error;
mod listed;
mod matching;
mod order;
mod parallelism;
mod script;
mod sends;
pub mod style;
#[cfg(test)]
mod tests;
mod vertices;

pub use compile::Compiled;
pub use counts::{CollectiveCount, Counts, Ways};
pub use error::JobError;
pub use listed::Listed;
pub use parallelism::{Parallelism, Split};
pub use script::{Event, Part, Script};
pub use sends::Sends;
pub use style::Style;

use crate::workload::job::Operation;
use raddle_schemes::units::{Bytes, Span};
use std::fmt;
use std::ops::Range;

/// What each rank does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobGraph {
    /// The ranks, from 0.
    pub ranks: Vec<Rank>,
    /// Who takes part in collectives.
    pub groups: Vec<Group>,
    /// When a send is done at its rank.
    pub send_done: SendDone,
    /// In which order the nodes of a unit go.
    pub order: UnitOrder,
    /// Into how many equal parts each collective on a ring is cut, each of which goes round by itself;
    /// 0 is taken for 1.
    pub channels: u32,
    /// How collectives become messages.
    pub style: Style,
}

/// One rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    /// What it does.
    pub nodes: Vec<Node>,
    /// What nodes wait for, those of one node next to each other: see [`Node::after`].
    pub edges: Vec<Edge>,
    /// With which node each of its steps begins, in order; empty where all is one step.
    pub steps: Vec<u32>,
}

/// Something that a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What its file calls it: an id, or a line.
    pub id: u64,
    /// What it is.
    pub does: Does,
    /// What goes one at a time with others: a stream, a processor. `None`: whenever it can.
    pub unit: Option<u32>,
    /// Which of [`Rank::edges`] are its own.
    pub after: Range<u32>,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// Work for some time.
    Calc(Span),
    /// A message to another rank. One of 0 bytes travels as one of 1.
    Send {
        /// The receiving rank.
        to: u32,
        /// Its size.
        bytes: Bytes,
        /// What it is told from others of the pair by.
        tag: u64,
    },
    /// Waits for a message. The message does not wait for it.
    Recv {
        /// The sending rank; `None` for any.
        from: Option<u32>,
        /// Its tag; `None` for any.
        tag: Option<u64>,
        /// Its size, if that is known here.
        bytes: Option<Bytes>,
    },
    /// One rank's part in a collective. The k-th of a group at one rank is the k-th of it at all.
    Coll {
        /// An index into [`JobGraph::groups`].
        group: u32,
        /// What is done.
        op: CollectiveOp,
        /// The size that nccl-tests would print: the larger of what a rank puts in and gets out.
        bytes: Bytes,
    },
    /// An instant with a name.
    Mark(String),
}

raddle_schemes::words! {
    /// What a collective of a job does.
    pub enum CollectiveOp {
        /// Every rank gets the sum over all ranks.
        AllReduce = "all_reduce",
        /// Every rank gets its share of the sum.
        ReduceScatter = "reduce_scatter",
        /// Every rank gets the shares of all.
        AllGather = "all_gather",
        /// Every rank gets another share from each.
        AllToAll = "all_to_all",
        /// Every rank gets what the first of the group has.
        Broadcast = "broadcast",
        /// No rank goes on before all have come.
        Barrier = "barrier",
    }
}

impl From<Operation> for CollectiveOp {
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::AllReduce => Self::AllReduce,
            Operation::ReduceScatter => Self::ReduceScatter,
            Operation::AllGather => Self::AllGather,
            Operation::AllToAll => Self::AllToAll,
        }
    }
}

impl fmt::Display for CollectiveOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Ranks that take part in collectives, in the order of their ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What its file calls it.
    pub name: String,
    /// The ranks, each once.
    pub ranks: Vec<u32>,
}

/// That a node waits for another one of its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Its place in [`Rank::nodes`].
    pub on: u32,
    /// For what of it.
    pub point: Point,
}

/// What an edge waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// That the node has begun.
    Start,
    /// That it is done.
    End,
}

raddle_schemes::words! {
    /// When a send is done.
    #[derive(Default)]
    pub enum SendDone {
        /// When the last needed ACK has come.
        #[default]
        Acked = "acked",
        /// When its last byte has arrived, which the sender knows at once.
        Delivered = "delivered",
    }
}

raddle_schemes::words! {
    /// In which order the nodes of a unit go.
    #[derive(Default)]
    pub enum UnitOrder {
        /// As they are written.
        #[default]
        Written = "written",
        /// As they would on a network that takes no time: of those that are ready the first one
        /// written. The order is set before the run.
        Ready = "ready",
    }
}

impl Rank {
    /// Adds a node, and gives its place.
    pub fn push(&mut self, id: u64, does: Does, unit: Option<u32>, after: &[Edge]) -> u32 {
        let from = self.edges.len() as u32;
        self.edges.extend_from_slice(after);
        let after = from..self.edges.len() as u32;
        self.nodes.push(Node { id, does, unit, after });
        self.nodes.len() as u32 - 1
    }

    /// What a node waits for.
    pub fn after(&self, node: &Node) -> &[Edge] {
        &self.edges[node.after.start as usize..node.after.end as usize]
    }
}

impl Edge {
    /// After the end of a node.
    pub const fn end(on: u32) -> Self {
        Self { on, point: Point::End }
    }

    /// After the start of a node.
    pub const fn start(on: u32) -> Self {
        Self { on, point: Point::Start }
    }
}
