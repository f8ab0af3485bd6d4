//! A buffer policy with a clock, dice and a memory of what has left.

use raddle_schemes::buffer::{
    Admission, BufferContext, BufferPolicy, Candidate, Departed, MemoryView,
};
use raddle_schemes::family::Plugin;
use raddle_schemes::units::{Span, Time};
use raddle_schemes::{Card, SwitchCx};

const CARD: Card = Card {
    name: "moody",
    title: "Moods",
    paper: "-",
    needs: &[],
    summary: "Refuses some frames; how many changes while frames leave, and every 1.5 us while any are there.",
};

#[derive(Default)]
struct Moody {
    mood: u64,
    timer: Option<Time>,
}

impl BufferPolicy for Moody {
    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        self.timer = self.timer.or(Some(cx.now + Span::ns(1_500)));
        let came_in = memory.ingress[frame.came_in as usize * memory.classes as usize];
        match (self.mood ^ (came_in / 64) ^ cx.rng.below(8)) % 16 {
            0 => Admission::Refuse,
            // Whoever that is: often nobody waits there.
            1 => Admission::PushOut(memory.at(self.mood as usize % memory.queues.len())),
            _ => Admission::Keep,
        }
    }

    fn on_departure(&mut self, cx: &mut SwitchCx<'_>, frame: &Departed, memory: &MemoryView<'_>) {
        let left = memory.queues[memory.place(frame.queue)] + memory.used.0;
        self.mood = self.mood.wrapping_mul(31) + cx.now.0 + left + u64::from(frame.sent);
    }

    fn next_timer(&self) -> Option<Time> {
        self.timer
    }

    fn on_timer(&mut self, cx: &mut SwitchCx<'_>, memory: &MemoryView<'_>) {
        self.mood += 1;
        self.timer = (memory.used.0 > 0).then_some(cx.now + Span::ns(1_500));
    }
}

pub(crate) fn plugin() -> Plugin<BufferContext, dyn BufferPolicy + Send> {
    Plugin::new(&CARD, |_| Box::<Moody>::default())
}
