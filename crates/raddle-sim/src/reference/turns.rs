//! Whose turn it is at a port: the four disciplines, as their papers have them.

use crate::plan::{QueuePlan, Service};
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::ids::PortId;
use std::collections::VecDeque;

/// Frames that wait, each with the port that it came in through and what switches wrote into it.
pub(super) type Queue = VecDeque<(Frame, PortId, Note)>;

/// What a discipline remembers of a port's data classes. Control always goes first.
#[derive(Clone)]
pub(super) enum Turns {
    /// The highest class goes first (one class: first come, first served).
    Strict,
    /// Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995, section 3).
    Drr {
        /// Classes that have frames, in the order of their visits.
        active: VecDeque<usize>,
        /// Bytes that a class may still send.
        deficit: Vec<u64>,
        quantum: Vec<u64>,
        /// Whether the first of `active` has got its quantum in this visit.
        visiting: bool,
    },
    /// Weighted round robin: classes in order of their numbers, up to `weight` frames a visit.
    Wrr {
        weight: Vec<u64>,
        /// The class visited last.
        class: usize,
        /// Frames it may still send.
        left: u64,
    },
}

impl Turns {
    pub(super) fn new(plan: &QueuePlan) -> Self {
        let classes = usize::from(plan.classes);
        match plan.service {
            Service::Priority | Service::Fifo => Self::Strict,
            Service::Drr => Self::Drr {
                active: VecDeque::new(),
                deficit: vec![0; classes],
                quantum: plan.shares.clone(),
                visiting: false,
            },
            Service::Wrr => Self::Wrr { weight: plan.shares.clone(), class: classes - 1, left: 0 },
        }
    }

    /// A frame joined `class`, which had none.
    pub(super) fn joined(&mut self, class: usize) {
        if let Self::Drr { active, .. } = self {
            active.push_back(class);
        }
    }

    /// The last frames of `class` were taken out of turn.
    pub(super) fn emptied(&mut self, class: usize) {
        if let Self::Drr { active, deficit, visiting, .. } = self {
            *visiting &= active.front() != Some(&class);
            active.retain(|&other| other != class);
            deficit[class] = 0;
        }
    }

    /// All frames were dropped.
    pub(super) fn clear(&mut self) {
        if let Self::Drr { active, deficit, visiting, .. } = self {
            active.clear();
            deficit.fill(0);
            *visiting = false;
        }
    }

    /// The class whose first frame goes now, of those that are `ready`: they have a frame and are
    /// not paused. Nothing changes if none is.
    pub(super) fn next(&mut self, queues: &[Queue], ready: &[bool]) -> Option<usize> {
        if !ready.contains(&true) {
            return None;
        }
        match self {
            Self::Strict => ready.iter().rposition(|&ready| ready),
            Self::Drr { active, deficit, quantum, visiting } => loop {
                let class = *active.front()?;
                if ready[class] {
                    if !*visiting {
                        *visiting = true;
                        deficit[class] += quantum[class];
                    }
                    let size = queues[class].front()?.0.size().0;
                    if size <= deficit[class] {
                        deficit[class] -= size;
                        if queues[class].len() == 1 {
                            // Its last frame: it leaves the round, and forfeits what is left.
                            deficit[class] = 0;
                            *visiting = false;
                            active.pop_front();
                        }
                        return Some(class);
                    }
                } else {
                    // Paused: as a class without frames, it forfeits what it may still send.
                    deficit[class] = 0;
                }
                *visiting = false;
                active.rotate_left(1);
            },
            Self::Wrr { weight, class, left } => {
                if !ready[*class] || *left == 0 {
                    let others = (1..=ready.len()).map(|step| (*class + step) % ready.len());
                    *class = others.into_iter().find(|&other| ready[other])?;
                    *left = weight[*class];
                }
                *left -= 1;
                Some(*class)
            }
        }
    }
}
