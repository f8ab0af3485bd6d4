//! Congestion control: a packet more in a round trip, and a cut by a factor at each mark or loss.

use raddle_schemes::congestion::{Ack, CongestionControl, Limits, Loss};
use raddle_schemes::family::{Card, Need, Plugin};
use raddle_schemes::probe::Probes;
use raddle_schemes::{Cx, FlowContext};

static CARD: Card = Card {
    name: "cautious",
    title: "Cautious",
    paper: "none: an example",
    needs: &[Need::Ecn],
    summary: "Grows by a packet a round trip and shrinks by a factor at each mark.",
};

raddle_schemes::parameters! {
    /// Parameters of `cautious`.
    pub struct Config {
        /// What is left of the window after a mark.
        pub keep: f64 = 0.9, in 0.1..=1.0;
    }
}

struct Cautious {
    keep: f64,
    window: f64,
    packet: f64,
    most: f64,
    cuts: u64,
}

impl Cautious {
    fn cut(&mut self) {
        self.window = (self.window * self.keep).max(self.packet);
        self.cuts += 1;
    }
}

impl CongestionControl for Cautious {
    fn on_ack(&mut self, _cx: &mut Cx<'_>, ack: &Ack<'_>) {
        if ack.marked {
            return self.cut();
        }
        let grown = self.window + self.packet * ack.bytes.0 as f64 / self.window;
        self.window = grown.min(self.most);
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {
        self.cut();
    }

    fn limits(&self) -> Limits {
        Limits::of_window(self.window)
    }

    fn probes(&self, to: &mut dyn Probes) {
        to.count("cuts", self.cuts);
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<FlowContext, dyn CongestionControl + Send> {
    Plugin::with(&CARD, |config: &Config, flow| {
        let packet = flow.packet().0 as f64;
        let window = (flow.bdp.0 as f64).max(packet);
        Box::new(Cautious { keep: config.keep, window, packet, most: 2.0 * window, cuts: 0 })
    })
}
