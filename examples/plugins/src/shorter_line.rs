//! Planes of hosts with several ports: the shorter of two lines.

use raddle_schemes::family::{Card, Need, Plugin};
use raddle_schemes::load_balance::plane::{PlaneContext, PlaneSelector, Planes};
use raddle_schemes::rng::coin;

static CARD: Card = Card {
    name: "shorter_line",
    title: "The shorter of two lines",
    paper: "none: an example",
    needs: &[Need::OutOfOrder],
    summary: "Draws two planes for each packet, and takes the one at whose port fewer wait.",
};

struct ShorterLine {
    stream: u64,
    drawn: u64,
}

impl ShorterLine {
    fn draw(&mut self, planes: &Planes<'_>) -> u32 {
        self.drawn += 1;
        planes.nth(coin(self.stream, self.drawn) % planes.count())
    }
}

impl PlaneSelector for ShorterLine {
    fn is_per_packet(&self) -> bool {
        true
    }

    fn next_plane(&mut self, planes: &Planes<'_>) -> u32 {
        let (one, other) = (self.draw(planes), self.draw(planes));
        if (planes.waiting)(other) < (planes.waiting)(one) { other } else { one }
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<PlaneContext, dyn PlaneSelector + Send> {
    Plugin::new(&CARD, |context| Box::new(ShorterLine { stream: context.stream, drawn: 0 }))
}
