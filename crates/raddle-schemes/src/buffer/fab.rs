//! FAB: dynamic thresholds, of which the first bytes of a flow have a much larger one.
//!
//! ABM spec, section 4: the switch counts the bytes of each flow at the port that it leaves through,
//! and begins anew when the flow has been silent for longer than `silence`. A packet that leaves the
//! count below `short` has `alpha_short`, any other `alpha`. What is dropped counts as well. The
//! numbers are those of the ABM authors' ns-3 code (`FlowAwareBuffer`); it, too, has a count for each
//! port.

use super::classes::{Alpha, Alphas, PerClass};
use super::flows::Flows;
use super::{Admission, Arriving, BufferContext, BufferPolicy, Candidate, MemoryView};
use crate::probe::Probes;
use crate::size::{Limited, Size};
use crate::units::{Bytes, Span};
use crate::{Card, SwitchCx};
use alloc::string::String;

/// What `raddle schemes fab` says.
pub const CARD: Card = Card {
    name: "fab",
    title: "FAB",
    paper: "Apostolaki, Vanbever and Ghobadi, FAB: toward flow-aware buffer sharing on programmable switches, BS 2019",
    needs: &[],
    summary: "Dynamic thresholds that let the first bytes of a flow take what is free. For short flows beside long ones; it counts every flow in every switch.",
};

crate::parameters! {
    /// Parameters of FAB.
    pub struct Config {
        /// The most that a queue may hold, over what is free; a list has one for each data class.
        pub alpha: PerClass<Alpha> = PerClass::All(Alpha(0.5));
        /// The same for packets of flows that are short so far.
        pub alpha_short: Alpha = Alpha(1024.0);
        /// A flow is short as long as less of it has come.
        pub short: Limited = Limited(Size::Bytes(Bytes(21_000)));
        /// A flow that has not sent for longer begins anew.
        pub silence: Span = Span::us(5_000), in Span::ns(1)..;
    }
}

/// One switch's thresholds and counts.
#[derive(Clone, Debug)]
pub struct Fab {
    alpha: Alphas,
    alpha_short: f64,
    short: u64,
    size: u64,
    flows: Flows<u64>,
}

impl Fab {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        Self {
            alpha: Alphas::of(&config.alpha, context.data_classes()),
            alpha_short: config.alpha_short.0,
            short: config.short.0.resolve(&context.base()).0,
            size: context.size.0,
            flows: Flows::new(config.silence),
        }
    }
}

impl BufferPolicy for Fab {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("flows", self.flows.len() as u64);
    }

    fn sees_switch(&self) -> bool {
        true
    }

    /// Of the class that may have most, and the first packet of a flow where that may have more.
    fn admits(&self, frame: &Arriving) -> bool {
        let short = if frame.bytes.0 < self.short { self.alpha_short } else { 0.0 };
        let free = self.size.saturating_sub(frame.used.0);
        let most = (self.alpha.most().max(short) * free as f64) as u64;
        frame.queued.0 + frame.bytes.0 <= most
    }

    fn may_refuse(&self, frame: &Arriving) -> bool {
        let free = self.size.saturating_sub(frame.used.0);
        frame.queued.0 + frame.bytes.0 > (self.alpha.least() * free as f64) as u64
    }

    fn misfit(&self, frame: Bytes) -> Option<(&'static str, String)> {
        self.alpha.misfit(frame, self.size)
    }

    fn admit(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        if !memory.is_data(frame.queue) {
            return Admission::Keep;
        }
        let count = self.flows.come(cx.now, frame).map(|count| {
            *count += frame.bytes.0;
            *count
        });
        let is_short = count.is_some_and(|count| count < self.short);
        let alpha = if is_short { self.alpha_short } else { self.alpha.at(frame.queue.class) };
        let queued = memory.queues[memory.place(frame.queue)];
        let threshold = (alpha * memory.free().0 as f64) as u64;
        match queued + frame.bytes.0 <= threshold {
            true => Admission::Keep,
            false => Admission::Refuse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bench::Bench;
    use super::super::slotted;
    use super::*;

    #[test]
    fn the_first_fifteen_packets_but_one_have_the_high_alpha_and_again_after_a_silence() {
        // ABM spec, section 6, item 11: 1,400 B packets. The queue is above what `alpha` lets it hold.
        let context = BufferContext { ports: 1, queues: 1, ..BufferContext::NOMINAL };
        let mut bench = Bench::new(Fab::new(&Config::default(), &context), 1_000_000, 1, 1);
        while bench.arrive(0, 0, 0, 1_000) {}
        let mut kept = |packets| {
            let come = |_: &u64| bench.arrive_as(0, 0, 0, 1_400, (None, Some(7)));
            (0..packets).take_while(come).count()
        };
        assert_eq!(kept(20), 14);
        assert_eq!(kept(1), 0);
        bench.now += Span::us(5_000);
        let mut kept = |packets| {
            let come = |_: &u64| bench.arrive_as(0, 0, 0, 1_400, (None, Some(7)));
            (0..packets).take_while(come).count()
        };
        assert_eq!(kept(1), 0, "5 ms are not yet a silence");
        bench.now += Span::us(5_100);
        let come = |_: &u64| bench.arrive_as(0, 0, 0, 1_400, (None, Some(7)));
        assert_eq!((0..20).take_while(come).count(), 14);
    }

    #[test]
    fn long_flows_settle_where_dynamic_thresholds_do() {
        // Item 1, scaled: alpha / (1 + n alpha) B.
        for (n, each) in [(1, 1_310), (4, 655)] {
            let context = slotted::context(n, 3_932);
            let mut policy = Fab::new(&Config::default(), &context);
            let slots = alloc::vec![(0..n).chain(0..n).collect(); 4_000];
            let run = slotted::run(&mut policy, n, 3_932, &slots);
            assert!(run.queues.iter().all(|own| own.abs_diff(each) <= 1), "{:?}", run.queues);
        }
    }
}
