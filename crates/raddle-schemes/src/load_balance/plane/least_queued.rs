//! Each packet takes the plane at whose port the fewest wait.

use super::{PlaneContext, PlaneSelector, Planes};
use crate::Card;
use crate::family::Need;

/// What `raddle schemes` says of it.
pub const CARD: Card = Card {
    name: "least_queued",
    title: "The plane with the shortest line",
    paper: "Joining the shortest queue, with ports of a host in place of next hops",
    needs: &[Need::OutOfOrder],
    summary: "Each packet takes the usable plane at whose port of the host the fewest flows and \
              frames wait; of equals the first behind the last one taken. Ports that are slow or \
              paused get less; what happens further on it does not see.",
};

crate::parameters! {
    /// Parameters: none.
    pub struct Config {}
}

/// A flow's last plane.
#[derive(Clone, Debug)]
pub struct LeastQueued {
    planes: u32,
    next: u32,
}

impl LeastQueued {
    /// Of a flow that has sent nothing.
    pub fn new(_: &Config, context: &PlaneContext) -> Self {
        Self { planes: context.planes, next: 0 }
    }
}

impl PlaneSelector for LeastQueued {
    fn is_per_packet(&self) -> bool {
        true
    }

    fn next_plane(&mut self, planes: &Planes<'_>) -> u32 {
        let behind = |plane: u32| (plane + self.planes - self.next) % self.planes;
        let least = planes.iter().min_by_key(|&plane| ((planes.waiting)(plane), behind(plane)));
        let plane = least.unwrap_or(0);
        self.next = (plane + 1) % self.planes;
        plane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_line_is_joined_and_equals_take_turns() {
        let mut selector = LeastQueued::new(&Config {}, &PlaneContext { planes: 3, stream: 0 });
        let mut next = |usable, waiting: [u32; 3]| {
            selector.next_plane(&Planes { usable, waiting: &|plane| waiting[plane as usize] })
        };
        assert_eq!([(); 4].map(|()| next(0b111, [2, 2, 2])), [0, 1, 2, 0]);
        assert_eq!(next(0b111, [3, 4, 1]), 2);
        assert_eq!(next(0b011, [3, 4, 1]), 0);
    }
}
