//! Whose turn it is among the data classes of a port.

use crate::plan::{CLASS_LIMIT, QueuePlan, Service};

const CLASSES: usize = CLASS_LIMIT as usize;

/// A discipline's memory. Masks have a bit per data class.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Turns {
    /// The highest class goes first.
    Strict,
    /// Deficit round robin.
    Drr(Drr),
    /// Weighted round robin.
    Wrr(Wrr),
}

/// Shreedhar and Varghese, SIGCOMM 1995, section 3.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Drr {
    /// Classes with frames in the order of their visits, the first in the lowest 4 bits.
    active: u32,
    count: u32,
    /// Whether the first has got its quantum in this visit.
    visiting: bool,
    quantum: [u32; CLASSES],
    deficit: [u32; CLASSES],
}

/// Classes in order of their numbers, each up to its weight in frames.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Wrr {
    weight: [u32; CLASSES],
    /// The class visited last, and the frames it may still send.
    class: u32,
    left: u32,
}

impl Turns {
    pub(in crate::engine) fn new(plan: &QueuePlan) -> Self {
        let mut shares = [0; CLASSES];
        for (share, &planned) in shares.iter_mut().zip(&plan.shares) {
            *share = planned as u32;
        }
        match plan.service {
            Service::Priority | Service::Fifo => Self::Strict,
            Service::Drr => Self::Drr(Drr {
                active: 0,
                count: 0,
                visiting: false,
                quantum: shares,
                deficit: [0; CLASSES],
            }),
            Service::Wrr => {
                Self::Wrr(Wrr { weight: shares, class: u32::from(plan.classes) - 1, left: 0 })
            }
        }
    }

    /// A frame joined `class`, which had none.
    #[inline]
    pub(in crate::engine) fn joined(&mut self, class: usize) {
        if let Self::Drr(drr) = self {
            drr.push(class as u32);
        }
    }

    /// A frame of `class` started when it joined: no class had any.
    #[inline]
    pub(in crate::engine) fn passed(&mut self, class: usize) {
        // In a deficit round a class that runs empty leaves nothing behind.
        if let Self::Wrr(wrr) = self {
            wrr.next(1 << class);
        }
    }

    /// The last frames of `class` were taken out of turn.
    pub(in crate::engine) fn emptied(&mut self, class: usize) {
        if let Self::Drr(drr) = self {
            drr.remove(class as u32);
        }
    }

    /// All frames of all classes are gone.
    pub(in crate::engine) fn clear(&mut self) {
        if let Self::Drr(drr) = self {
            (drr.active, drr.count, drr.visiting) = (0, 0, false);
            drr.deficit = [0; CLASSES];
        }
    }

    /// The class that goes now, of those in `ready`, which is not empty. `first` tells of a class
    /// with frames how large its first one is, and whether it is the only one.
    #[inline]
    pub(in crate::engine) fn next(
        &mut self,
        ready: u8,
        first: impl Fn(usize) -> (u32, bool),
    ) -> usize {
        match self {
            Self::Strict => ready.ilog2() as usize,
            Self::Drr(drr) => drr.next(ready, first),
            Self::Wrr(wrr) => wrr.next(ready),
        }
    }
}

impl Drr {
    fn push(&mut self, class: u32) {
        self.active |= class << (4 * self.count);
        self.count += 1;
    }

    fn pop(&mut self) -> u32 {
        let class = self.active & 15;
        self.active >>= 4;
        self.count -= 1;
        self.visiting = false;
        class
    }

    /// Takes a class that has run empty from the round; what it may still send is forfeit.
    fn remove(&mut self, class: u32) {
        let place = (0..self.count).find(|place| self.active >> (4 * place) & 15 == class);
        let Some(place) = place else { return };
        let before = (1 << (4 * place)) - 1;
        self.active = self.active & before | (self.active >> 4) & !before;
        self.count -= 1;
        self.visiting &= place > 0;
        self.deficit[class as usize] = 0;
    }

    fn next(&mut self, ready: u8, first: impl Fn(usize) -> (u32, bool)) -> usize {
        loop {
            let class = (self.active & 15) as usize;
            if ready >> class & 1 == 1 {
                if !self.visiting {
                    self.visiting = true;
                    self.deficit[class] += self.quantum[class];
                }
                let (size, only) = first(class);
                if size <= self.deficit[class] {
                    self.deficit[class] -= size;
                    if only {
                        self.deficit[class] = 0;
                        self.pop();
                    }
                    return class;
                }
            } else {
                // Paused.
                self.deficit[class] = 0;
            }
            let class = self.pop();
            self.push(class);
        }
    }
}

impl Wrr {
    fn next(&mut self, ready: u8) -> usize {
        if ready >> self.class & 1 == 0 || self.left == 0 {
            // The next one above, or else the lowest.
            let above = u32::from(ready) & (!0 << (self.class + 1));
            let from = if above == 0 { u32::from(ready) } else { above };
            self.class = from.trailing_zeros();
            self.left = self.weight[self.class as usize];
        }
        self.left -= 1;
        self.class as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(service: Service, shares: &[u64]) -> Turns {
        let marking = raddle_schemes::marking::Config::named("none").unwrap();
        Turns::new(&QueuePlan {
            size: raddle_schemes::size::Size::Unlimited,
            control_size: raddle_schemes::size::Size::Unlimited,
            service,
            classes: shares.len() as u8,
            shares: shares.to_vec(),
            control_weight: None,
            marking,
            class_markings: Vec::new(),
            last_hop_marking: None,
            acks: Vec::new(),
            mark_at: crate::plan::MarkAt::Dequeue,
            overflow: crate::plan::Overflow::Drop,
            gap: raddle_schemes::units::Bytes(0),
            pfc: None,
            cbfc: None,
        })
    }

    /// The classes of the next `count` frames while every class of `ready` has frames of its size.
    fn turns(turns: &mut Turns, ready: u8, sizes: &[u32], count: usize) -> Vec<usize> {
        (0..count).map(|_| turns.next(ready, |class| (sizes[class], false))).collect()
    }

    #[test]
    fn the_highest_class_goes_first() {
        let mut strict = plan(Service::Priority, &[1; 7]);
        assert_eq!(turns(&mut strict, 0b110_1101, &[1; 7], 2), [6, 6]);
        assert_eq!(turns(&mut strict, 0b000_1101, &[1; 7], 1), [3]);
    }

    #[test]
    fn deficits_are_those_of_the_papers_figures() {
        // Figures 2 and 3: quanta of 500; the first queue holds 200, 750, 20, 750.
        let mut drr = plan(Service::Drr, &[500, 500]);
        drr.joined(0);
        drr.joined(1);
        assert_eq!(drr.next(0b11, |class| ([200, 500][class], false)), 0);
        assert_eq!(drr.next(0b11, |class| ([750, 500][class], false)), 1);
        let Turns::Drr(state) = &drr else { panic!() };
        assert_eq!(state.deficit, [300, 0, 0, 0, 0, 0, 0, 0]);
        // 300 + 500 pay for 750 and then for 20, not for the next 750.
        assert_eq!(drr.next(0b11, |class| ([750, 500][class], false)), 0);
        assert_eq!(drr.next(0b11, |class| ([20, 500][class], false)), 0);
        assert_eq!(drr.next(0b11, |class| ([750, 500][class], false)), 1);
        let Turns::Drr(state) = &drr else { panic!() };
        assert_eq!(state.deficit[0], 30);
    }

    #[test]
    fn a_class_that_runs_empty_or_is_paused_forfeits_its_deficit() {
        let mut drr = plan(Service::Drr, &[1000, 1000]);
        drr.joined(0);
        assert_eq!(drr.next(0b01, |_| (10, true)), 0);
        drr.joined(1);
        drr.joined(0);
        assert_eq!(drr.next(0b11, |_| (400, false)), 1);
        // Class 1 is paused in its visit.
        assert_eq!(drr.next(0b01, |_| (400, false)), 0);
        let Turns::Drr(state) = &drr else { panic!() };
        assert_eq!(state.deficit[..2], [600, 0]);
    }

    #[test]
    fn a_class_emptied_out_of_turn_leaves_the_round() {
        let mut drr = plan(Service::Drr, &[1000; 3]);
        (0..3).for_each(|class| drr.joined(class));
        assert_eq!(drr.next(0b111, |_| (400, false)), 0);
        drr.emptied(1);
        assert_eq!(turns(&mut drr, 0b101, &[400; 3], 4), [0, 2, 2, 0]);
        // In its visit.
        drr.emptied(0);
        assert_eq!(turns(&mut drr, 0b100, &[400; 3], 2), [2, 2]);
        let Turns::Drr(state) = &drr else { panic!() };
        assert_eq!((state.count, state.deficit[0]), (1, 0));
        drr.joined(0);
        assert_eq!(turns(&mut drr, 0b101, &[400; 3], 3), [2, 0, 0]);
    }

    #[test]
    fn weights_count_frames_of_any_size() {
        let mut wrr = plan(Service::Wrr, &[1, 3, 2]);
        assert_eq!(turns(&mut wrr, 0b111, &[1, 9, 5], 8), [0, 1, 1, 1, 2, 2, 0, 1]);
        // The rest of a visit is lost with it.
        assert_eq!(turns(&mut wrr, 0b001, &[1, 9, 5], 2), [0, 0]);
        assert_eq!(turns(&mut wrr, 0b110, &[1, 9, 5], 4), [1, 1, 1, 2]);
    }
}
