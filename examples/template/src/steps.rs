//! A load balancer of hosts: so many packets on a path, then another path that is drawn.

use raddle_schemes::family::{Card, Plugin};
use raddle_schemes::ids::Entropy;
use raddle_schemes::load_balance::host::{Outgoing, PathSelector};
use raddle_schemes::{Cx, FlowContext};

static CARD: Card = Card {
    name: "steps",
    title: "Steps",
    paper: "none: a template",
    needs: &[],
    summary: "Keeps a path for some packets, then draws another.",
};

raddle_schemes::parameters! {
    /// Parameters of `steps`.
    pub struct Config {
        /// Packets on a path.
        pub packets: u32 = 16, in 1..=65_536;
    }
}

/// What a flow remembers.
struct Steps {
    packets: u32,
    /// Of them still to send on the path.
    left: u32,
    path: Entropy,
}

impl PathSelector for Steps {
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        if self.left == 0 {
            // Chance comes from the flow's own stream: the same run again gives the same paths.
            self.path = Entropy(cx.rng.below(1 << 16) as u16);
            self.left = self.packets;
        }
        self.left -= 1;
        self.path
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<FlowContext, dyn PathSelector + Send> {
    Plugin::with(&CARD, |config: &Config, _flow| {
        Box::new(Steps { packets: config.packets, left: 0, path: Entropy(0) })
    })
}
