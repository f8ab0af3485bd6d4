//! Ports that switches choose: the one with the fewest bytes in its queues.

use raddle_schemes::SwitchCx;
use raddle_schemes::family::{Card, Need, Plugin};
use raddle_schemes::load_balance::switch::{Choices, Header, PortSelector, SwitchContext};

static CARD: Card = Card {
    name: "emptiest",
    title: "The emptiest port",
    paper: "none: an example",
    needs: &[Need::QueueLengths, Need::OutOfOrder],
    summary: "Each packet takes the port with the fewest bytes in its queues, of equals the first.",
};

struct Emptiest;

impl PortSelector for Emptiest {
    fn select(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        _packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        (0..choices.count).min_by_key(|&port| choices.fabric.queue(port).bytes).unwrap_or(0)
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<SwitchContext, dyn PortSelector + Send> {
    Plugin::new(&CARD, |_| Box::new(Emptiest))
}
