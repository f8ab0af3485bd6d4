//! Longest queue drop: a buffer policy that sees the whole switch and pushes frames out.

use raddle_schemes::buffer::{Admission, BufferContext, BufferPolicy, Candidate, MemoryView};
use raddle_schemes::family::Plugin;
use raddle_schemes::{Card, Cx};

const CARD: Card = Card {
    name: "longest_queue_drop",
    title: "Longest queue drop",
    paper: "Wei, Coyle and Hsiao, An optimal buffer management policy for high-performance packet switching, Globecom 1991",
    needs: &[],
    summary: "A frame that finds the memory full takes the place of the last one of the longest queue.",
};

struct LongestQueueDrop;

impl BufferPolicy for LongestQueueDrop {
    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(&mut self, _: &mut Cx<'_>, frame: &Candidate, memory: &MemoryView<'_>) -> Admission {
        if frame.bytes <= memory.free() {
            return Admission::Keep;
        }
        let own = memory.queues[memory.place(frame.queue)];
        let longest = (0..memory.queues.len()).max_by_key(|&place| memory.queues[place]);
        match longest.filter(|&place| memory.queues[place] > own) {
            Some(place) => Admission::PushOut(memory.at(place)),
            None => Admission::Refuse,
        }
    }
}

pub(crate) fn plugin() -> Plugin<BufferContext, dyn BufferPolicy + Send> {
    Plugin { card: &CARD, build: |_| Box::new(LongestQueueDrop) }
}
