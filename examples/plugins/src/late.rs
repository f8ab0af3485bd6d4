//! Middleware in ToRs: a count of packets that come behind later ones of their flow.

use raddle_schemes::SwitchCx;
use raddle_schemes::family::{Card, Plugin};
use raddle_schemes::ids::FlowId;
use raddle_schemes::probe::Probes;
use raddle_schemes::tor::{Kind, Packet, Side, TorContext, TorHook, Verdict, Ways};
use std::collections::BTreeMap;

static CARD: Card = Card {
    name: "late",
    title: "A count of late packets",
    paper: "none: an example",
    needs: &[],
    summary: "Counts packets that come to a ToR behind later ones of their flow; does nothing else.",
};

#[derive(Default)]
struct Late {
    next: BTreeMap<FlowId, u32>,
    late: u64,
}

impl TorHook for Late {
    fn on_ingress(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        packet: &mut Packet,
        from: Side,
        _ways: &dyn Ways,
    ) -> Verdict {
        if packet.kind == Kind::Data && from == Side::Fabric {
            let next = self.next.entry(packet.flow).or_default();
            self.late += u64::from(packet.number < *next);
            *next = (*next).max(packet.number + 1);
        }
        Verdict::Pass
    }

    fn probes(&self, to: &mut dyn Probes) {
        to.count("late", self.late);
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<TorContext, dyn TorHook + Send> {
    Plugin::new(&CARD, |_| Box::<Late>::default())
}
