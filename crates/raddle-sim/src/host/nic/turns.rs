//! Whose turn it is among the flows that are ready, where they do not simply go round.

use crate::plan::{Plan, Turns as Order};
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::rng::{coin, stream};
use raddle_schemes::units::Time;
use std::collections::VecDeque;

/// The turns at one port.
pub(crate) struct Turns {
    /// Where each sender stands, by its number at the host; empty if each turn is drawn.
    places: Vec<u64>,
    /// Whether turns go round; else the first place that is ready has each.
    round: bool,
    /// The place of the one whose turn came last, where they go round.
    last: u64,
    /// Of the draws.
    stream: u64,
}

impl Turns {
    /// Of a host's port, at which these flows may send; none where they go round as they become ready.
    pub(crate) fn of(plan: &Plan, port: PortId, flows: &[FlowId]) -> Option<Box<Self>> {
        let place = |flow: &FlowId| stream(plan.seed, "place", flow.0.into());
        let places = match plan.transport.turns {
            Order::RoundRobin => return None,
            Order::RandomPlace => flows.iter().map(place).collect(),
            Order::Random => Vec::new(),
            Order::Shortest => by_length(plan, flows),
        };
        let round = plan.transport.turns == Order::RandomPlace;
        let stream = stream(plan.seed, "turn", port.0.into());
        Some(Box::new(Self { places, round, last: 0, stream }))
    }

    /// Lets a flow, by its number at the host, stand where it belongs: slots of the host begin at
    /// `first`.
    pub(crate) fn join(&self, slot: u32, first: u32, ready: &mut VecDeque<u32>) {
        if self.places.is_empty() {
            return ready.push_back(slot);
        }
        // Of the others those come first that are nearer behind the one whose turn came last, or, where
        // turns do not go round, behind a place before all.
        let behind = |slot: u32| {
            self.places[(slot - first) as usize].wrapping_sub(self.last).wrapping_sub(1)
        };
        let own = behind(slot);
        let at = ready.partition_point(|&other| behind(other) <= own);
        ready.insert(at, slot);
    }

    /// Brings the flow whose turn it is to the front.
    pub(crate) fn begin(&mut self, now: Time, first: u32, ready: &mut VecDeque<u32>) {
        if ready.is_empty() {
            return;
        }
        if self.places.is_empty() {
            let drawn = (u64::from(coin(self.stream, now.0)) * ready.len() as u64) >> 32;
            return ready.swap(0, drawn as usize);
        }
        if let (true, Some(&slot)) = (self.round, ready.front()) {
            self.last = self.places[(slot - first) as usize];
        }
    }

    /// Whether flows have places.
    pub(crate) fn have_places(&self) -> bool {
        !self.places.is_empty()
    }
}

/// Places from 1 on, shorter messages first.
fn by_length(plan: &Plan, flows: &[FlowId]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..flows.len()).collect();
    order.sort_unstable_by_key(|&i| (plan.traffic.flows[flows[i].index()].bytes, flows[i]));
    let mut places = vec![0; flows.len()];
    order.into_iter().zip(1..).for_each(|(i, place)| places[i] = place);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_keeps_its_place_in_the_round_while_it_is_away() {
        let mut turns = Turns { places: vec![50, 10, 40, 20], round: true, last: 0, stream: 0 };
        let mut ready = VecDeque::new();
        for slot in 100..104 {
            turns.join(slot, 100, &mut ready);
        }
        let mut served = Vec::new();
        for turn in 0..9 {
            turns.begin(Time::ZERO, 100, &mut ready);
            let slot = ready.pop_front().unwrap();
            served.push(slot - 100);
            // The one at 40 is away for a while.
            match turn {
                2 => {}
                6 => {
                    ready.push_back(slot);
                    turns.join(102, 100, &mut ready);
                }
                _ => ready.push_back(slot),
            }
        }
        assert_eq!(served, [1, 3, 2, 0, 1, 3, 0, 1, 3]);
        turns.begin(Time::ZERO, 100, &mut ready);
        assert_eq!(ready[0], 102);
    }

    #[test]
    fn without_rounds_the_first_place_has_every_turn() {
        let mut turns = Turns { places: vec![3, 1, 2], round: false, last: 0, stream: 0 };
        let mut ready = VecDeque::new();
        for slot in [100, 102] {
            turns.join(slot, 100, &mut ready);
        }
        let serve = |turns: &mut Turns, ready: &mut VecDeque<u32>| {
            turns.begin(Time::ZERO, 100, ready);
            let slot = ready.pop_front().unwrap();
            turns.join(slot, 100, ready);
            slot
        };
        assert_eq!([0; 3].map(|_| serve(&mut turns, &mut ready)), [102; 3]);
        turns.join(101, 100, &mut ready);
        assert_eq!([0; 3].map(|_| serve(&mut turns, &mut ready)), [101; 3]);
        assert_eq!(ready, [101, 102, 100]);
    }

    #[test]
    fn drawn_turns_are_even() {
        let stream = stream(1, "turn", 3);
        let mut turns = Turns { places: Vec::new(), round: false, last: 0, stream };
        let mut ready: VecDeque<u32> = (0..5).collect();
        let mut counts = [0; 5];
        for packet in 0..5_000 {
            turns.begin(Time(packet * 83_200), 0, &mut ready);
            let slot = ready.pop_front().unwrap();
            counts[slot as usize] += 1;
            turns.join(slot, 0, &mut ready);
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }
}
