//! Paths that hosts choose: one is kept until a packet on it is marked or lost.

use raddle_schemes::family::{Card, Plugin};
use raddle_schemes::ids::Entropy;
use raddle_schemes::load_balance::host::{Fate, Feedback, Outgoing, PathSelector};
use raddle_schemes::probe::Probes;
use raddle_schemes::{Cx, FlowContext};

static CARD: Card = Card {
    name: "fickle",
    title: "Fickle",
    paper: "none: an example",
    needs: &[],
    summary: "Keeps a path until a packet on it is marked or lost, then draws another.",
};

#[derive(Default)]
struct Fickle {
    path: Option<Entropy>,
    moves: u64,
}

impl PathSelector for Fickle {
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        *self.path.get_or_insert_with(|| Entropy(cx.rng.below(1 << 16) as u16))
    }

    fn on_feedback(&mut self, _cx: &mut Cx<'_>, news: &Feedback) {
        if news.fate != Fate::Clean && self.path.take_if(|path| *path == news.path).is_some() {
            self.moves += 1;
        }
    }

    fn probes(&self, to: &mut dyn Probes) {
        to.count("moves", self.moves);
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<FlowContext, dyn PathSelector + Send> {
    Plugin::new(&CARD, |_| Box::<Fickle>::default())
}
