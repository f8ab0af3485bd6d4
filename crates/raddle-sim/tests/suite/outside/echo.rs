//! A congestion control that listens to telemetry: its window is made of all that switches say, so that
//! two engines which say anything different part ways at once.

use raddle_schemes::congestion::{Ack, CongestionControl, Limits, Loss};
use raddle_schemes::family::Plugin;
use raddle_schemes::rng::mix;
use raddle_schemes::units::Bytes;
use raddle_schemes::{Card, Cx, FlowContext, Need};

const CARD: Card = Card {
    name: "echo",
    title: "Echo",
    paper: "-",
    needs: &[Need::Telemetry],
    summary: "The window is some function of what the switches on the way said last.",
};

struct Echo {
    packet: Bytes,
    heard: u64,
}

impl CongestionControl for Echo {
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack<'_>) {
        for hop in ack.hops {
            assert!(hop.at < cx.now && hop.entered >= hop.sent + hop.queue);
            let words =
                [hop.port.0.into(), hop.at.0, hop.queue.0, hop.sent.0, hop.entered.0, hop.rate.0];
            self.heard = words.into_iter().fold(self.heard, |heard, word| mix(heard ^ word));
        }
        if ack.hops.len() > 1 && ack.hops.iter().any(|hop| hop.queue.0 > 0) {
            cx.events.event(cx.now, "echo: a queue on the way");
        }
    }

    fn on_loss(&mut self, _: &mut Cx<'_>, _: &Loss) {}

    fn limits(&self) -> Limits {
        Limits { window: Bytes(self.packet.0 * (4 + self.heard % 13)), rate: None }
    }
}

pub(crate) fn plugin() -> Plugin<FlowContext, dyn CongestionControl + Send> {
    Plugin::new(&CARD, |context| Box::new(Echo { packet: context.packet(), heard: 0 }))
}
