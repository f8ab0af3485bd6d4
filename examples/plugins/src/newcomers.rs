//! Shared memory with a count for each flow: from a level on it is for flows that are new to the switch.

use raddle_schemes::SwitchCx;
use raddle_schemes::buffer::{Admission, BufferContext, BufferPolicy, Candidate, MemoryView};
use raddle_schemes::family::{Card, Plugin};
use raddle_schemes::probe::Probes;
use std::collections::BTreeMap;

static CARD: Card = Card {
    name: "newcomers",
    title: "Newcomers first",
    paper: "none: an example",
    needs: &[],
    summary: "A memory that is half full takes no more than the first packets of each flow.",
};

raddle_schemes::parameters! {
    /// Parameters of `newcomers`.
    pub struct Config {
        /// Packets of a flow that are taken while there is room at all.
        pub first: u32 = 8;
    }
}

struct Newcomers {
    first: u32,
    /// How many packets of each flow have joined.
    joined: BTreeMap<u32, u32>,
    refused: u64,
}

impl BufferPolicy for Newcomers {
    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        let Some(flow) = frame.flow else { return Admission::Keep };
        let is_old = self.joined.get(&flow).is_some_and(|&joined| joined >= self.first);
        if is_old && memory.used.0 > memory.size.0 / 2 {
            self.refused += 1;
            return Admission::Refuse;
        }
        Admission::Keep
    }

    fn on_join(&mut self, _cx: &mut SwitchCx<'_>, frame: &Candidate, _memory: &MemoryView<'_>) {
        if let Some(flow) = frame.flow {
            *self.joined.entry(flow).or_default() += 1;
        }
    }

    fn probes(&self, to: &mut dyn Probes) {
        to.count("refused", self.refused);
    }
}

/// The scheme, as a program takes it in.
pub(crate) fn plugin() -> Plugin<BufferContext, dyn BufferPolicy + Send> {
    Plugin::with(&CARD, |config: &Config, _| {
        Box::new(Newcomers { first: config.first, joined: BTreeMap::new(), refused: 0 })
    })
}
