//! Routes that hosts choose: what an entropy means to switches that follow it.
//!
//! An entropy is a route of two digits of 8 bits, each the number of a port within a switch: the
//! lower one is for edge switches, the upper one for those above. In a fat tree they name the way
//! up to a switch in which source and destination meet; from there on there is one way down.

use crate::ids::Entropy;
use alloc::boxed::Box;
use alloc::vec::Vec;
use serde::Serialize;

/// The most ports that a switch may have, so that a digit can name each.
pub const PORT_LIMIT: u32 = 1 << 8;

/// The route through port `edge` of the edge switch, then port `above` of the next. Both are below
/// [`PORT_LIMIT`].
pub fn route(edge: u32, above: u32) -> Entropy {
    Entropy((above << 8 | edge) as u16)
}

/// The port of the edge switch that a route takes.
pub fn first_hop(route: Entropy) -> u8 {
    route.0 as u8
}

/// One pointer of a host: routes to one destination, in turn.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Rotation {
    order: Box<[Entropy]>,
    next: u32,
}

impl Rotation {
    /// A rotation over `routes` as they are, from place `next` on.
    pub fn new(routes: Vec<Entropy>, next: u32) -> Self {
        Self { order: routes.into_boxed_slice(), next }
    }

    /// The route whose turn it is; a route of zeros where there is none.
    #[inline]
    pub fn due(&self) -> Entropy {
        self.order.get(self.next as usize).copied().unwrap_or(Entropy(0))
    }

    /// A packet has taken the route that was due.
    #[inline]
    pub fn turn(&mut self) {
        self.next += 1;
        if self.next as usize >= self.order.len() {
            self.next = 0;
        }
    }
}
