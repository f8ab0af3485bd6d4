//! Planners: each message in two halves, on two paths.

use raddle_schemes::family::{Card, Need, Plugin};
use raddle_schemes::planner::{Message, Piece, Planner, PlannerContext};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Bytes;

static CARD: Card = Card {
    name: "halves",
    title: "Two halves",
    paper: "none: an example",
    needs: &[Need::SourceRouting],
    summary: "Cuts each message in two, and draws a path for each half.",
};

struct Halves {
    payload: Bytes,
}

impl Planner for Halves {
    fn plan(&mut self, rng: &mut Rng, batch: &[Message<'_>], pieces: &mut Vec<Piece>) {
        for (message, of) in (0..).zip(batch) {
            let half = Bytes(of.bytes.0 / 2);
            let is_cut = of.paths.len() > 1 && half >= self.payload;
            let rest = Bytes(of.bytes.0 - half.0);
            let parts = if is_cut { vec![half, rest] } else { vec![of.bytes] };
            let first = rng.below(of.paths.len().max(1) as u64) as usize;
            for (place, bytes) in (first..).zip(parts) {
                let path = of.paths.get(place % of.paths.len().max(1)).copied();
                pieces.push(Piece { message, bytes, path });
            }
        }
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<PlannerContext, dyn Planner + Send> {
    Plugin::new(&CARD, |context| Box::new(Halves { payload: context.payload }))
}
