//! Middleware in ToRs that does all there is to do: it holds packets back, drops some, sends others
//! another way, and tells the ToR at the other end of what it has seen.

use raddle_schemes::family::Plugin;
use raddle_schemes::ids::FlowId;
use raddle_schemes::probe::Probes;
use raddle_schemes::tor::{
    Kind, Message, Output, Packet, Side, TorContext, TorHook, Verdict, Ways,
};
use raddle_schemes::units::{Span, Time};
use raddle_schemes::{Card, SwitchCx};
use std::collections::{BTreeMap, VecDeque};

const CARD: Card = Card {
    name: "juggler",
    title: "A juggler",
    paper: "-",
    needs: &[],
    summary: "Holds, drops, reroutes and sends, by the throw of a die.",
};

#[derive(Default)]
struct Juggler {
    held: u32,
    /// When each packet that is held goes on, in order.
    due: VecDeque<(Time, u32)>,
    /// What each flow's receiver last told. A NACK of the juggler's own tells no more: it may count as
    /// an ACK for all below.
    told: BTreeMap<FlowId, u32>,
    out: VecDeque<Output>,
}

impl TorHook for Juggler {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("juggled", self.held.into());
        to.count("in_the_air", self.due.len() as u64);
    }

    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        p: &mut Packet,
        from: Side,
        ways: &dyn Ways,
    ) -> Verdict {
        if matches!(p.kind, Kind::Ack | Kind::Nack) && from == Side::Host {
            self.told.insert(p.flow, p.number);
        }
        match (p.kind, from, cx.rng.below(16)) {
            (Kind::Tor, Side::Fabric, 0..15) => Verdict::Drop,
            (Kind::Data, Side::Host, 0..4) => {
                (p.entropy.0, p.flagged) = (p.entropy.0 ^ 1, true);
                Verdict::Via(cx.rng.below(ways.count() as u64) as usize)
            }
            (Kind::Data | Kind::Ack, _, 4) => {
                let last = self.due.back().map_or(Time::ZERO, |(at, _)| *at);
                self.due.push_back((last.max(cx.now + Span::ns(700)), self.held));
                self.held += 1;
                Verdict::Hold
            }
            (Kind::Data, Side::Host, 5) => Verdict::Drop,
            (Kind::Data, Side::Fabric, _) if p.flagged => {
                let (flow, entropy) = (p.flow, p.entropy);
                let (kind, number) = match p.number % 8 {
                    0 => {
                        (Message::Nack, self.told.get(&flow).map_or(0, |&told| told.min(p.number)))
                    }
                    _ => (Message::ToSender, p.number),
                };
                self.out.push_back(Output::Send {
                    flow,
                    kind,
                    number,
                    entropy,
                    flagged: true,
                    through: None,
                });
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    fn on_egress(&mut self, cx: &mut SwitchCx<'_>, packet: &Packet) -> bool {
        packet.kind != Kind::Data || cx.rng.below(32) > 0
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    fn next_timer(&self) -> Option<Time> {
        self.due.front().map(|(at, _)| *at)
    }

    fn on_timer(&mut self, cx: &mut SwitchCx<'_>) {
        let due = self.due.iter().take_while(|(at, _)| *at <= cx.now).count();
        let free = self.due.drain(..due);
        self.out.extend(free.map(|(_, ticket)| Output::Release { ticket, via: None }));
    }
}

pub(crate) fn plugin() -> Plugin<TorContext, dyn TorHook + Send> {
    Plugin::new(&CARD, |_| Box::<Juggler>::default())
}
