//! Planners: before anything is sent, which path each message takes, whole or in pieces.
//!
//! A planner belongs to one host. It is given the messages that its host sends at one time, and
//! answers with pieces: so many bytes of a message on a path. Each piece is a flow of its own; the
//! message is done when the last of them is. While the pieces are under way, the planner may move
//! one whose packets get lost to another path.

use crate::Cx;
use crate::ids::{Entropy, FlowId, SwitchId};
use crate::load_balance::host::Fate;
use crate::rng::Rng;
use crate::units::Bytes;
use alloc::vec::Vec;

pub mod ethereal;

/// What a host's planner may know when it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannerContext {
    /// Payload of a full packet: pieces need not be smaller.
    pub payload: Bytes,
}

/// A message of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The switch that its receiver is attached to.
    pub leaf: SwitchId,
    /// Its size, at least 1 B.
    pub bytes: Bytes,
    /// The [routes](crate::load_balance::route) that lead there, in order of the ports that they take
    /// first; none if sender and receiver are attached to the same switch.
    pub paths: &'a [Entropy],
}

/// A part of a message, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which message of the batch.
    pub message: u32,
    /// Its size, at least 1 B.
    pub bytes: Bytes,
    /// One of the message's paths; `None` if it has none.
    pub path: Option<Entropy>,
}

/// A piece under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its flow.
    pub flow: FlowId,
    /// The switch that its receiver is attached to.
    pub leaf: SwitchId,
    /// The path that it is on.
    pub path: Entropy,
}

/// Chooses paths; one instance per host for what it sends, in order of time. Paths are chosen before
/// a run, with an instance that does not hear of pieces under way.
pub trait Planner {
    /// The pieces of a batch, appended in the order of their messages. Those of a message add up to
    /// it. The random stream is the host's.
    fn plan(&mut self, rng: &mut Rng, batch: &[Message<'_>], pieces: &mut Vec<Piece>);

    /// A piece with a path begins to send.
    fn on_start(&mut self, _piece: &Placed) {}

    /// All of it has been acknowledged.
    fn on_end(&mut self, _flow: FlowId) {}

    /// Packets of a piece are lost on the path that it is on: the path, one of `paths`, that its
    /// packets take from now on.
    fn reroute(
        &mut self,
        _cx: &mut Cx<'_>,
        piece: &Placed,
        _fate: Fate,
        _paths: &[Entropy],
    ) -> Entropy {
        piece.path
    }
}

crate::family! { Planner, AnyPlanner, PlannerContext;
    Ethereal: ethereal,
}

impl AnyPlanner {
    /// See [`Planner::plan`].
    pub fn plan(&mut self, rng: &mut Rng, batch: &[Message<'_>], pieces: &mut Vec<Piece>) {
        dispatch!(self, scheme => scheme.plan(rng, batch, pieces));
    }

    /// See [`Planner::on_start`].
    pub fn on_start(&mut self, piece: &Placed) {
        dispatch!(self, scheme => scheme.on_start(piece));
    }

    /// See [`Planner::on_end`].
    pub fn on_end(&mut self, flow: FlowId) {
        dispatch!(self, scheme => scheme.on_end(flow));
    }

    /// See [`Planner::reroute`].
    pub fn reroute(
        &mut self,
        cx: &mut Cx<'_>,
        piece: &Placed,
        fate: Fate,
        paths: &[Entropy],
    ) -> Entropy {
        dispatch!(self, scheme => scheme.reroute(cx, piece, fate, paths))
    }
}
