//! A transport of another crate beside a listed one: a window of one packet, and after every ACK a
//! rest. On one fabric it shares switches with whatever else flows have.

use raddle_schemes::congestion::{self, Ack, CongestionControl, Limits, Loss};
use raddle_schemes::family::Plugin;
use raddle_schemes::recovery;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Card, Cx, FlowContext};
use raddle_sim::plan::Transport;

const CARD: Card = Card {
    name: "sleeper",
    title: "Sleeper",
    paper: "-",
    needs: &[],
    summary: "One packet in flight, at half the rate for a while after each ACK.",
};

struct Sleeper {
    packet: Bytes,
    rate: Rate,
    wakes: Option<Time>,
}

impl CongestionControl for Sleeper {
    fn on_ack(&mut self, cx: &mut Cx<'_>, _: &Ack<'_>) {
        self.wakes = Some(cx.now + Span::us(2));
    }

    fn on_loss(&mut self, _: &mut Cx<'_>, _: &Loss) {}

    fn next_timer(&self) -> Option<Time> {
        self.wakes
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        self.wakes = None;
        cx.events.event(cx.now, "sleeper: awake");
    }

    fn limits(&self) -> Limits {
        let rate = if self.wakes.is_some() { Rate(self.rate.0 / 2) } else { self.rate };
        Limits { window: self.packet, rate: Some(rate) }
    }
}

pub(crate) fn transport(recovery: recovery::Config) -> Transport {
    let build = |context: &FlowContext| -> Box<dyn CongestionControl + Send> {
        Box::new(Sleeper { packet: context.packet(), rate: context.rate, wakes: None })
    };
    Transport { congestion: congestion::Config::Custom(Plugin::new(&CARD, build)), recovery }
}
