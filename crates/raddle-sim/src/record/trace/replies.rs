//! When a sender heard of its packets.

use super::event::Event;
use super::log::Heard;
use crate::topology::Fabric;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

/// Replies to one flow.
#[derive(Default)]
pub(super) struct Replies {
    heard: Vec<Heard>,
    lost: Vec<Event>,
}

impl Replies {
    pub(super) fn add(&mut self, heard: Heard) {
        self.heard.push(heard);
    }

    /// One was lost on the last link, or when it had come.
    pub(super) fn lose(&mut self, lost: Event) {
        self.lost.push(lost);
    }

    /// When replies came, and how many arrivals they knew of; none is left.
    pub(super) fn take(&mut self, fabric: &Fabric) -> Vec<(Time, u32, PortId)> {
        self.heard.sort_by_key(|own| (own.left, own.port, own.number));
        let there = |own: Heard| (own.left + fabric.latency(own.port), own.number, own.port);
        let mut replies: Vec<_> = self.heard.drain(..).map(there).collect();
        self.lost.sort_by_key(Event::turn);
        for event in self.lost.drain(..) {
            let later = event.at + fabric.latency(event.port);
            let lost = replies.iter().position(|&(there, number, port)| {
                (port, number) == (event.port, event.frame.number())
                    && (there == event.at || there == later)
            });
            lost.map(|place| replies.remove(place));
        }
        replies.sort();
        replies
    }
}
