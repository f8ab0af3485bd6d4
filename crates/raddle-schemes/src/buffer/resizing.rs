//! Resizing: the queue of a pair of racks is enlarged ahead of its circuit.
//!
//! Mukerjee et al., Adapting TCP for Reconfigurable Datacenter Networks, NSDI 2020, section 4 (dynamic
//! buffer resizing): a virtual output queue holds `small`, and `large` from `ahead` of its day until
//! that ends, unless another day of the pair comes within `ahead`. Enlarging drops nothing, nor does
//! shrinking: what waits stays, and nothing joins until there is room.
//!
//! Reading: control frames that have a queue of their own are kept; marking thresholds stay as they are.
//! Their sizes are bytes of packets of data, frame in service included where that leaves by the circuit.

use super::{Admission, Arriving, BufferContext, BufferPolicy, Candidate, Day, MemoryView};
use crate::family::Conflict;
use crate::size::{SOME, Size};
use crate::units::{Bytes, Span, Time};
use crate::{Card, Need, SwitchCx};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What `raddle schemes resizing` says.
pub const CARD: Card = Card {
    name: "resizing",
    title: "Queues that grow ahead of a circuit",
    paper: "Mukerjee et al., Adapting TCP for Reconfigurable Datacenter Networks, NSDI 2020",
    needs: &[Need::Circuits],
    summary: "Enlarges the queue of a pair of racks some time ahead of its circuit, so that the day \
              finds packets to send. Its price is what they wait until then.",
};

crate::parameters! {
    /// Parameters of resizing.
    pub struct Config {
        /// What the queue of a pair holds outside its day.
        pub small: Size = Size::Packets(16.0), in SOME;
        /// What it holds in its day, and `ahead` of it.
        pub large: Size = Size::Packets(50.0), in SOME;
        /// How long before its day a queue is enlarged.
        pub ahead: Span = Span::us(600);
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    let exceeds = config.small.exceeds(config.large);
    exceeds.then_some(Conflict::Exceeds("small", "large")).into_iter().collect()
}

/// The policy of one switch.
#[derive(Clone, Debug)]
pub struct Resizing {
    small: u64,
    large: u64,
    ahead: Span,
    days: Vec<Option<Day>>,
    data_classes: u32,
    packet: Bytes,
}

impl Resizing {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        let bytes = |size: Size| size.resolve(&context.base()).0;
        Self {
            small: bytes(config.small),
            large: bytes(config.large),
            ahead: config.ahead,
            days: context.days.clone(),
            data_classes: context.data_classes() as u32,
            packet: context.packet,
        }
    }

    /// What the queue of a port holds at `now`; nothing is said of one without a day.
    fn capacity(&self, now: Time, port: u32) -> Option<u64> {
        let day = self.days.get(port as usize)?.as_ref()?;
        Some(if day.is_within(now, self.ahead) { self.large } else { self.small })
    }
}

impl BufferPolicy for Resizing {
    /// A queue that is empty takes a packet at any time.
    fn admits(&self, frame: &Arriving) -> bool {
        frame.queued.0 + frame.bytes.0 <= self.small
    }

    fn misfit(&self, frame: Bytes) -> Option<(&'static str, String)> {
        (self.small < frame.0)
            .then(|| ("small", format!("at least {} B", self.packet.max(frame).0)))
    }

    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        let capacity = self.capacity(cx.now, frame.queue.port);
        let Some(capacity) = capacity.filter(|_| frame.queue.class < self.data_classes) else {
            return Admission::Keep;
        };
        let place = (frame.queue.port * memory.classes + frame.queue.class) as usize;
        if memory.queues[place] + frame.bytes.0 <= capacity {
            Admission::Keep
        } else {
            Admission::Refuse
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::QueueId;
    use crate::rng::Rng;
    use crate::units::Rate;
    use std::vec;

    /// A week of 1,400 us whose day is from 820 to 1,000 us; port 0 leads to a host.
    fn policy(ahead: Span) -> Resizing {
        let day = Day { period: Span::us(1400), from: Span::us(820), until: Span::us(1000) };
        let context = BufferContext {
            queues: 2,
            ports: 2,
            packet: Bytes(9000),
            days: vec![None, Some(day)],
            ..BufferContext::NOMINAL
        };
        Resizing::new(&Config { ahead, ..Config::default() }, &context)
    }

    /// How many packets the queue of a port takes at this time.
    fn takes(policy: &mut Resizing, us: u64, port: u32) -> u64 {
        let (mut queues, rates) = ([0; 4], [Rate::gbps(10); 2]);
        let mut rng = Rng::new(1, "buffer draws", 0);
        let mut cx = SwitchCx { now: Time(us * 1_000_000), rng: &mut rng };
        let queue = QueueId { port, class: 0 };
        let frame = Candidate { queue, came_in: 0, bytes: Bytes(9000), ahead: None, flow: None };
        for taken in 0..100 {
            queues[port as usize * 2] = taken * 9000;
            let memory = MemoryView {
                size: Bytes::mib(4),
                used: Bytes(0),
                classes: 2,
                queues: &queues,
                ingress: &queues,
                rates: &rates,
            };
            if policy.admit(&mut cx, &frame, &memory) == Admission::Refuse {
                return taken;
            }
        }
        100
    }

    #[test]
    fn a_queue_is_large_from_so_long_before_its_day_until_that_ends() {
        let mut own = policy(Span::us(600));
        let sizes = [0, 219, 220, 819, 820, 999, 1000, 1619, 1620, 2399, 2400];
        let taken = sizes.map(|us| takes(&mut own, us, 1));
        assert_eq!(taken, [16, 16, 50, 50, 50, 50, 16, 16, 50, 50, 16]);
        assert_eq!(takes(&mut own, 0, 0), 100, "other queues keep their own size");
    }

    #[test]
    fn with_no_time_ahead_a_queue_is_large_in_its_day() {
        let mut own = policy(Span::ZERO);
        assert_eq!([819, 820, 999, 1000].map(|us| takes(&mut own, us, 1)), [16, 50, 50, 16]);
    }

    #[test]
    fn with_more_than_a_week_less_a_day_it_is_always_large() {
        let mut own = policy(Span::us(1220));
        assert_eq!([0, 819, 1000, 1399].map(|us| takes(&mut own, us, 1)), [50; 4]);
        let mut long = policy(Span::us(5000));
        assert_eq!([0, 819, 1000, 1399].map(|us| takes(&mut long, us, 1)), [50; 4]);
    }
}
