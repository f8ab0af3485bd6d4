//! The link that answers take, at any instant: what the far end has in mind to do later may be forgotten.

use crate::faults::link::Link;
use crate::plan::Llr;
use raddle_schemes::units::Time;

pub(super) struct WayBack {
    /// The link from each change of it on.
    states: Vec<(Time, Link)>,
    /// Stream of the coins of answers.
    stream: u64,
}

impl WayBack {
    pub(super) fn new(mut link: Link, stream: u64) -> Self {
        let mut states = vec![(Time::ZERO, link.as_it_is())];
        while link.next_change() < Time::NEVER {
            let at = link.next_change();
            link.play();
            states.push((at, link.as_it_is()));
        }
        Self { states, stream }
    }

    fn place(&self, at: Time) -> usize {
        self.states.partition_point(|(from, _)| *from <= at).saturating_sub(1)
    }

    pub(super) fn at(&self, at: Time) -> &Link {
        &self.states[self.place(at)].1
    }

    /// When it is up, at `at` or after; never, if it is down for good.
    pub(super) fn up_from(&self, at: Time) -> Time {
        let place = self.place(at);
        if self.states[place].1.is_up() {
            return at;
        }
        let later = self.states[place..].iter().find(|(_, link)| link.is_up());
        later.map_or(Time::NEVER, |(from, _)| *from)
    }

    /// When an answer that begins at `at` has left.
    pub(super) fn sent(&self, at: Time) -> Time {
        at + self.at(at).rate().serialisation(Llr::CONTROL)
    }

    /// When the link, which is up at `at`, goes down under an answer that begins then, if it does.
    pub(super) fn cut_of(&self, at: Time) -> Option<Time> {
        let (later, sent) = (&self.states[self.place(at)..], self.sent(at));
        let down = later.iter().find(|(_, link)| !link.is_up()).map(|(from, _)| *from);
        down.filter(|down| *down < sent)
    }

    /// Whether one that begins at `at` is lost.
    pub(super) fn loses(&self, at: Time) -> bool {
        self.cut_of(at).is_some() || self.at(at).loses(self.stream, at, Llr::CONTROL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::PortChange;
    use raddle_schemes::units::{Bytes, Rate};

    #[test]
    fn any_instant_can_be_asked_for() {
        let half = PortChange::Rate { rate: Rate::gbps(200), scale: false };
        let changes = [
            (100, PortChange::Down),
            (200, half),
            (300, PortChange::Up),
            (300, PortChange::Loss { probability: 1 << 32 }),
            (900, PortChange::Down),
        ];
        let changes = changes.map(|(at, change)| (Time(at * 1000), change)).to_vec();
        let way = WayBack::new(Link::new(Rate::gbps(400), Bytes(1), changes), 1);
        assert_eq!(way.up_from(Time(99_999)), Time(99_999));
        assert_eq!(way.up_from(Time(100_000)), Time(300_000));
        assert_eq!(way.up_from(Time(900_000)), Time::NEVER);
        // 8 B take 160 ps, and 320 at half the rate.
        assert_eq!((way.sent(Time(5)), way.sent(Time(300_000))), (Time(165), Time(300_320)));
        assert_eq!(way.cut_of(Time(99_841)), Some(Time(100_000)));
        assert_eq!(way.cut_of(Time(99_840)), None, "its last bit has left");
        assert!(way.loses(Time(99_841)) && !way.loses(Time(99_840)) && way.loses(Time(300_000)));
    }
}
