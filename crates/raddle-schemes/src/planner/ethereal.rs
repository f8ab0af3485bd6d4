//! Ethereal: one path per flow, dealt out so evenly that links carry what they would under ideal
//! packet spraying.
//!
//! Addanki's thesis (2024), chapter 3; lines are those of its text, sections those of its spec. A host
//! deals the messages of a batch to one leaf evenly over the uplinks. A rest of r messages on s
//! uplinks comes out even where each is cut into s / gcd(r, s) equal parts (Theorem 4). Where sizes
//! differ, each message goes to the uplink to which the host has given the least bytes.
//!
//! Randomised starts and places in the NIC's turn (section 2.4) are keys of the transport: the thesis
//! gives them to all that it compares Ethereal with (lines 1017 to 1021).
//!
//! Reading: which of the messages are cut, and which uplink is served first, is random (the thesis is
//! silent). Were every host to serve the k-th receiver of a leaf by the k-th uplink, the bytes would be
//! even, and each downlink would feed one receiver.
//!
//! Reading: counters are those of the batch and begin at zero with each: a host takes part in one
//! collective step at a time (lines 872 to 874).
//!
//! Reading: `artifact` is what the chapter's public code does: the uplink with the least bytes to send,
//! whatever leaf they go to, ties broken at random, message after message; it cuts messages in the runs
//! of its ring alone, so there `split = true` goes with it.
//!
//! Reading: a piece that is moved goes to the path with the fewest of the host's pieces under way to
//! that leaf, of those that it has not timed out on (the thesis: a new "good" path, section 3.3). If it
//! has on all of them, it forgets that.

use super::{Message, Piece, Placed, Planner, PlannerContext};
use crate::family::Need;
use crate::ids::{Entropy, FlowId, SwitchId};
use crate::load_balance::host::Fate;
use crate::load_balance::route::first_hop;
use crate::rng::Rng;
use crate::units::Bytes;
use crate::{Card, Cx};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// What `raddle schemes ethereal` says.
pub const CARD: Card = Card {
    name: "ethereal",
    title: "Ethereal: single paths, dealt out evenly",
    paper: "Addanki, Responsive and predictable datacenter networks (thesis, 2024), chapter 3",
    needs: &[Need::SourceRouting],
    summary: "Each host deals the messages of a step evenly over the uplinks towards each leaf, and \
              cuts the few that are left over into equal parts. For collectives on two tiers; packets \
              stay in order.",
};

crate::words! {
    /// Whose planner it is.
    pub enum Profile {
        /// The thesis: evenly per leaf.
        Thesis = "thesis",
        /// Its public code: where the host has the least bytes to send.
        Artifact = "artifact",
    }
}

crate::parameters! {
    /// Parameters of Ethereal.
    pub struct Config {
        /// Whose planner: `thesis` deals evenly per leaf, `artifact` takes the uplink with the least
        /// bytes to send.
        pub profile: Profile = Profile::Thesis;
        /// Whether the messages that are left over are cut; `auto`: in the thesis, not in its code.
        pub split: Option<bool> = None;
    }
}

/// One host's planner.
#[derive(Clone, Debug)]
pub struct Ethereal {
    profile: Profile,
    split: bool,
    payload: Bytes,
    /// Pieces under way, where they are.
    placed: BTreeMap<FlowId, Placed>,
    /// How many of them there are per leaf and path.
    counts: BTreeMap<(SwitchId, Entropy), u32>,
    /// The paths that a piece has timed out on.
    bad: BTreeMap<FlowId, Vec<Entropy>>,
}

/// How the messages of a group are cut (section 2.3, steps 3 and 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Whole messages on each path.
    pub whole: u32,
    /// Messages that are left over.
    pub rest: u32,
    /// Parts of each of these.
    pub parts: u32,
}

/// The cut of `messages` on `paths`; of nothing, or on nothing, there is none.
pub fn cut(messages: u32, paths: u32) -> Cut {
    if paths == 0 {
        return Cut { whole: 0, rest: 0, parts: 1 };
    }
    let rest = messages % paths;
    Cut { whole: messages / paths, rest, parts: paths / gcd(rest, paths) }
}

/// The greatest common divisor; that of 0 and `b` is `b`.
fn gcd(mut a: u32, mut b: u32) -> u32 {
    while a > 0 {
        (a, b) = (b % a, a);
    }
    b
}

/// `bytes` in equal parts: the first of them are a byte larger where they do not divide.
fn shares(bytes: Bytes, parts: u32) -> impl Iterator<Item = Bytes> {
    let (each, larger) = (bytes.0 / u64::from(parts), bytes.0 % u64::from(parts));
    (0..u64::from(parts)).map(move |part| Bytes(each + u64::from(part < larger)))
}

/// One of the indices with the least load, drawn at random.
fn least(rng: &mut Rng, loads: impl Iterator<Item = u64> + Clone) -> usize {
    let smallest = loads.clone().min().unwrap_or_default();
    let ties = loads.clone().filter(|load| *load == smallest).count().max(1);
    let chosen = rng.below(ties as u64) as usize;
    let mut tied = loads.enumerate().filter(|(_, load)| *load == smallest);
    tied.nth(chosen).map_or(0, |(index, _)| index)
}

impl Ethereal {
    /// A host that has nothing under way.
    pub fn new(config: &Config, context: &PlannerContext) -> Self {
        Self {
            profile: config.profile,
            split: config.split.unwrap_or(config.profile == Profile::Thesis),
            payload: context.payload,
            placed: BTreeMap::new(),
            counts: BTreeMap::new(),
            bad: BTreeMap::new(),
        }
    }

    /// Into how many parts each message that is left over is cut, if messages are: no part needs to
    /// be smaller than a packet (step 7).
    fn parts(&self, cut: Cut, bytes: Bytes) -> u32 {
        let most = bytes.0.div_ceil(self.payload.0.max(1)).max(1);
        if self.split { u64::from(cut.parts).min(most) as u32 } else { 1 }
    }

    /// Equal messages, of these numbers, to one leaf (steps 3 to 7).
    fn deal(&self, rng: &mut Rng, batch: &[Message<'_>], group: &[u32], pieces: &mut Vec<Piece>) {
        let Some(Message { bytes, paths, .. }) = group.first().map(|&i| batch[i as usize]) else {
            return;
        };
        let cut = cut(group.len() as u32, paths.len() as u32);
        let parts = self.parts(cut, bytes);
        let mut messages = group.to_vec();
        rng.shuffle(&mut messages);
        let mut uplinks = paths.to_vec();
        rng.shuffle(&mut uplinks);
        let (whole, rest) = messages.split_at(messages.len() - cut.rest as usize);
        let mut turns = uplinks.iter().copied().cycle();
        for &message in whole {
            pieces.push(Piece { message, bytes, path: turns.next() });
        }
        let mut loads = vec![0; uplinks.len()];
        for &message in rest {
            for bytes in shares(bytes, parts) {
                let path = if parts == cut.parts {
                    // Parts of one message follow each other, hence on paths of their own.
                    turns.next()
                } else {
                    let uplink = least(rng, loads.iter().copied());
                    loads[uplink] += bytes.0;
                    uplinks.get(uplink).copied()
                };
                pieces.push(Piece { message, bytes, path });
            }
        }
    }

    /// Each of these messages, or its parts, where `loads` has the least bytes, by what `key` makes of
    /// leaf and path (step 8).
    fn place<K: Ord + Copy>(
        rng: &mut Rng,
        messages: impl Iterator<Item = (u32, u32)>,
        batch: &[Message<'_>],
        key: impl Fn(SwitchId, Entropy) -> K,
        pieces: &mut Vec<Piece>,
    ) {
        let mut loads: BTreeMap<K, u64> = BTreeMap::new();
        for (message, parts) in messages {
            let Message { leaf, bytes, paths } = batch[message as usize];
            for bytes in shares(bytes, parts) {
                let load = |path: &Entropy| loads.get(&key(leaf, *path)).copied().unwrap_or(0);
                let path = paths[least(rng, paths.iter().map(load))];
                *loads.entry(key(leaf, path)).or_default() += bytes.0;
                pieces.push(Piece { message, bytes, path: Some(path) });
            }
        }
    }

    /// Into how many parts each message of a batch is cut where each goes to the least uplink: of
    /// those to one leaf that are of one size, the last are left over.
    fn parts_of(&self, batch: &[Message<'_>], groups: &BTreeMap<SwitchId, Vec<u32>>) -> Vec<u32> {
        let mut parts = vec![1; batch.len()];
        for group in groups.values().filter(|group| self.split && equal(batch, group)) {
            let paths = batch[group[0] as usize].paths.len() as u32;
            let cut = cut(group.len() as u32, paths);
            for &message in &group[group.len() - cut.rest as usize..] {
                parts[message as usize] = self.parts(cut, batch[message as usize].bytes);
            }
        }
        parts
    }

    fn count(&mut self, piece: &Placed) -> &mut u32 {
        self.counts.entry((piece.leaf, piece.path)).or_default()
    }
}

/// Whether all messages of a group are of one size.
fn equal(batch: &[Message<'_>], group: &[u32]) -> bool {
    let mut sizes = group.iter().map(|&message| batch[message as usize].bytes);
    let first = sizes.next();
    first.is_some() && sizes.all(|size| Some(size) == first)
}

impl Planner for Ethereal {
    fn plan(&mut self, rng: &mut Rng, batch: &[Message<'_>], pieces: &mut Vec<Piece>) {
        let begin = pieces.len();
        let mut groups: BTreeMap<SwitchId, Vec<u32>> = BTreeMap::new();
        for (number, message) in (0..).zip(batch) {
            if message.paths.is_empty() {
                // Step 2: its own leaf.
                pieces.push(Piece { message: number, bytes: message.bytes, path: None });
            } else {
                groups.entry(message.leaf).or_default().push(number);
            }
        }
        match self.profile {
            Profile::Thesis => {
                for group in groups.values() {
                    if equal(batch, group) {
                        self.deal(rng, batch, group, pieces);
                    } else {
                        let whole = group.iter().map(|&message| (message, 1));
                        Self::place(rng, whole, batch, |leaf, path| (leaf, path), pieces);
                    }
                }
            }
            Profile::Artifact => {
                let parts = self.parts_of(batch, &groups);
                let all = (0..).zip(batch).filter(|(_, message)| !message.paths.is_empty());
                let all = all.map(|(number, _)| (number, parts[number as usize]));
                Self::place(rng, all, batch, |_, path| first_hop(path), pieces);
            }
        }
        pieces[begin..].sort_by_key(|piece| piece.message);
    }

    fn on_start(&mut self, piece: &Placed) {
        *self.count(piece) += 1;
        self.placed.insert(piece.flow, *piece);
    }

    fn on_end(&mut self, flow: FlowId) {
        self.bad.remove(&flow);
        if let Some(piece) = self.placed.remove(&flow) {
            *self.count(&piece) -= 1;
        }
    }

    /// Section 2.7, steps 1 and 3; section 2.8.
    fn reroute(
        &mut self,
        cx: &mut Cx<'_>,
        piece: &Placed,
        fate: Fate,
        paths: &[Entropy],
    ) -> Entropy {
        if fate == Fate::TimedOut {
            self.bad.entry(piece.flow).or_default().push(piece.path);
        }
        let others = || paths.iter().copied().filter(|path| *path != piece.path);
        let bad = self.bad.get(&piece.flow).map_or(&[][..], Vec::as_slice);
        let mut good: Vec<Entropy> = others().filter(|path| !bad.contains(path)).collect();
        if good.is_empty() {
            self.bad.remove(&piece.flow);
            good = others().collect();
        }
        if good.is_empty() {
            return piece.path;
        }
        let load = |path: &Entropy| self.counts.get(&(piece.leaf, *path)).copied().unwrap_or(0);
        let path = good[least(cx.rng, good.iter().map(|path| u64::from(load(path))))];
        let moved = Placed { path, ..*piece };
        if self.placed.insert(piece.flow, moved).is_some() {
            *self.count(piece) -= 1;
            *self.count(&moved) += 1;
        }
        cx.events.event(cx.now, "ethereal: reroute");
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_balance::route::route;
    use crate::units::Time;

    const PAYLOAD: Bytes = Bytes(1_000);

    fn paths(uplinks: u32) -> Vec<Entropy> {
        (0..uplinks).map(|uplink| route(100 + uplink, 0)).collect()
    }

    fn planner(profile: Profile, split: Option<bool>) -> Ethereal {
        Ethereal::new(&Config { profile, split }, &PlannerContext { payload: PAYLOAD })
    }

    /// The pieces of messages of these sizes to these leaves.
    fn planned(
        mut planner: Ethereal,
        messages: &[(u32, u64)],
        paths: &[Entropy],
        seed: u64,
    ) -> Vec<Piece> {
        let message = |&(leaf, bytes): &(u32, u64)| Message {
            leaf: SwitchId(leaf),
            bytes: Bytes(bytes),
            paths,
        };
        let batch: Vec<Message<'_>> = messages.iter().map(message).collect();
        let mut rng = Rng::new(seed, "test", 0);
        let mut pieces = Vec::new();
        planner.plan(&mut rng, &batch, &mut pieces);
        assert!(pieces.is_sorted_by_key(|piece| piece.message));
        for (number, &(_, bytes)) in (0..).zip(messages) {
            let own = pieces.iter().filter(|piece| piece.message == number);
            assert_eq!(own.map(|piece| piece.bytes.0).sum::<u64>(), bytes);
        }
        pieces
    }

    /// Bytes, and pieces, on each path.
    fn loads(pieces: &[Piece], paths: &[Entropy]) -> Vec<(u64, usize)> {
        let on = |path: &Entropy| {
            let own: Vec<u64> = pieces
                .iter()
                .filter(|piece| piece.path == Some(*path))
                .map(|piece| piece.bytes.0)
                .collect();
            (own.iter().sum(), own.len())
        };
        paths.iter().map(on).collect()
    }

    /// Acceptance 1: per uplink whole, rest, divisor, parts, parts per uplink, more queue pairs.
    #[test]
    fn the_table_of_cuts() {
        for (n, s, whole, rest, divisor, parts, each, more) in [
            (6, 3, 2, 0, 3, 1, 0, 0),
            (16, 16, 1, 0, 16, 1, 0, 0),
            (4, 16, 0, 4, 4, 4, 1, 12),
            (10, 4, 2, 2, 2, 2, 1, 2),
            (14, 8, 1, 6, 2, 4, 3, 18),
            (17, 16, 1, 1, 1, 16, 1, 15),
            (15, 16, 0, 15, 1, 16, 15, 225),
        ] {
            assert_eq!(cut(n, s), Cut { whole, rest, parts }, "({n}, {s})");
            assert_eq!(gcd(rest, s), divisor, "({n}, {s})");
            assert_eq!((rest * parts / s, rest * (parts - 1)), (each, more), "({n}, {s})");
            let (messages, paths) = (vec![(1, 1_600_000); n as usize], paths(s));
            let pieces = planned(planner(Profile::Thesis, None), &messages, &paths, 1);
            assert_eq!(pieces.len() as u32, n + more);
            let expected = (1_600_000 * u64::from(n) / u64::from(s), (whole + each) as usize);
            assert_eq!(loads(&pieces, &paths), vec![expected; s as usize], "({n}, {s})");
        }
        assert_eq!(cut(0, 7), Cut { whole: 0, rest: 0, parts: 1 });
        assert!(planned(planner(Profile::Thesis, None), &[], &paths(7), 1).is_empty());
    }

    /// Acceptance 2: to the byte where sizes divide, else to a byte for each part.
    #[test]
    fn each_uplink_carries_what_it_would_under_ideal_spraying() {
        for (n, s, share) in [(10, 4, 2.5), (14, 8, 1.75)] {
            for bytes in [100_000_u64, 99_991] {
                let paths = paths(s);
                let messages = vec![(3, bytes); n];
                let pieces = planned(planner(Profile::Thesis, None), &messages, &paths, 5);
                for (load, parts) in loads(&pieces, &paths) {
                    let off = (load as f64 - share * bytes as f64).abs();
                    assert!(off <= if bytes == 100_000 { 0.0 } else { parts as f64 }, "{load}");
                }
            }
        }
    }

    /// Acceptance 3.
    #[test]
    fn four_channels_of_a_ring_become_sixteen_queue_pairs_one_on_each_uplink() {
        for (message, part) in [(16 << 10, 4_096), (1 << 20, 262_144)] {
            let paths = paths(16);
            let pieces = planned(planner(Profile::Thesis, None), &[(2, message); 4], &paths, 9);
            assert_eq!(loads(&pieces, &paths), vec![(part, 1); 16]);
        }
    }

    #[test]
    fn the_parts_of_a_message_lie_on_paths_of_their_own() {
        let paths = paths(16);
        let pieces = planned(planner(Profile::Thesis, None), &[(1, 160_000); 10], &paths, 2);
        for message in 0..10 {
            let own = pieces.iter().filter(|piece| piece.message == message);
            let mut own: Vec<_> = own.map(|piece| piece.path).collect();
            assert_eq!(own.len(), 8);
            own.sort_unstable();
            own.dedup();
            assert_eq!(own.len(), 8);
        }
    }

    /// Section 7: the group below the host's own switch would give 225 useless queue pairs.
    #[test]
    fn what_stays_below_its_own_switch_is_neither_cut_nor_placed() {
        let pieces = planned(planner(Profile::Thesis, None), &[(0, 9_999); 15], &[], 1);
        assert_eq!(pieces.len(), 15);
        assert!(pieces.iter().all(|piece| piece.path.is_none() && piece.bytes == Bytes(9_999)));
    }

    /// Step 7: no part is smaller than a packet, and bytes are as even as that allows.
    #[test]
    fn parts_are_no_smaller_than_packets() {
        let paths = paths(16);
        let pieces = planned(planner(Profile::Thesis, None), &[(1, 2_500); 4], &paths, 3);
        assert_eq!(pieces.len(), 12);
        assert!(pieces.iter().all(|piece| (833..=834).contains(&piece.bytes.0)));
        let most = loads(&pieces, &paths).into_iter().map(|(_, parts)| parts).max();
        assert_eq!(most, Some(1));
    }

    /// Step 8: without a split, equal messages still come out even, and unequal ones as even as
    /// greed makes them.
    #[test]
    fn unequal_messages_go_where_there_is_the_least() {
        let sizes = [5_000, 3_000, 1_000, 1_000, 2_000, 9_000];
        let messages = sizes.map(|bytes| (1, bytes));
        for profile in [Profile::Thesis, Profile::Artifact] {
            let paths = paths(3);
            let pieces = planned(planner(profile, None), &messages, &paths, 4);
            let mut found: Vec<u64> =
                loads(&pieces, &paths).into_iter().map(|(load, _)| load).collect();
            found.sort_unstable();
            assert_eq!(found, [4_000, 5_000, 12_000]);
        }
        let pieces = planned(planner(Profile::Thesis, Some(false)), &[(1, 7); 11], &paths(4), 6);
        let mut counts: Vec<usize> =
            loads(&pieces, &paths(4)).into_iter().map(|(_, pieces)| pieces).collect();
        counts.sort_unstable();
        assert_eq!(counts, [2, 3, 3, 3]);
    }

    /// Section 8: over all leaves, and whole unless asked.
    #[test]
    fn the_artifact_balances_bytes_over_all_leaves() {
        let (paths, sixteen) = (paths(4), paths(16));
        let messages: Vec<(u32, u64)> = (0..8).map(|leaf| (leaf, 16_000)).collect();
        let pieces = planned(planner(Profile::Artifact, None), &messages, &paths, 1);
        assert_eq!(loads(&pieces, &paths), vec![(32_000, 2); 4]);
        let ring = planned(planner(Profile::Artifact, Some(true)), &[(5, 16_000); 4], &sixteen, 1);
        assert_eq!(loads(&ring, &sixteen), vec![(4_000, 1); 16]);
    }

    #[test]
    fn choices_are_random_and_the_seed_s() {
        let paths = paths(8);
        let plan = |seed| planned(planner(Profile::Thesis, None), &[(1, 80_000); 12], &paths, seed);
        assert_eq!(plan(1), plan(1));
        let cut = |pieces: &[Piece]| pieces.iter().filter(|p| p.bytes.0 < 80_000).count();
        assert_eq!((cut(&plan(1)), cut(&plan(2))), (8, 8));
        assert_ne!(plan(1), plan(2));
    }

    /// Theorem 4: 1,000 hosts' groups, any n and s: the largest load is the ideal's.
    #[test]
    fn loads_equal_those_of_ideal_spraying() {
        let mut draw = Rng::new(7, "instances", 0);
        for instance in 0..1_000 {
            let (n, s) = (1 + draw.below(200), 1 + draw.below(64) as u32);
            let bytes = 64_000 + draw.below(64_000);
            let paths = paths(s);
            let messages = vec![(1, bytes); n as usize];
            let pieces = planned(planner(Profile::Thesis, None), &messages, &paths, instance);
            for (load, parts) in loads(&pieces, &paths) {
                let ideal = (n * bytes) as f64 / f64::from(s);
                assert!((load as f64 - ideal).abs() <= parts as f64, "{n} on {s}: {load}");
            }
        }
        // No smaller number of parts would do for all that are left over.
        for (rest, s) in (2..=16).flat_map(|s| (1..s).map(move |rest| (rest, s))) {
            let parts = cut(rest, s).parts;
            assert!((1..parts).all(|fewer| rest * fewer % s > 0), "({rest}, {s})");
        }
    }

    /// Sections 2.7 and 2.8.
    #[test]
    fn a_piece_moves_to_the_least_path_that_it_has_not_timed_out_on() {
        let mut planner = planner(Profile::Thesis, None);
        let (paths, leaf) = (paths(4), SwitchId(3));
        let placed = |flow, path: usize| Placed { flow: FlowId(flow), leaf, path: paths[path] };
        for (flow, path) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 3), (5, 3)] {
            planner.on_start(&placed(flow, path));
        }
        let mut rng = Rng::new(1, "test", 0);
        let mut cx = Cx { now: Time::ZERO, rng: &mut rng, events: &mut () };
        // One piece each on paths 1 and 2.
        let first = planner.reroute(&mut cx, &placed(0, 0), Fate::TimedOut, &paths);
        assert!(first == paths[1] || first == paths[2]);
        let second = if first == paths[1] { 2 } else { 1 };
        let moved = Placed { path: first, ..placed(0, 0) };
        let next = planner.reroute(&mut cx, &moved, Fate::TimedOut, &paths);
        assert_eq!(next, paths[second]);
        let moved = Placed { path: next, ..moved };
        let last = planner.reroute(&mut cx, &moved, Fate::TimedOut, &paths);
        assert_eq!(last, paths[3], "all others have timed out");
        // Then it begins anew, anywhere but where it is.
        let moved = Placed { path: last, ..moved };
        let again = planner.reroute(&mut cx, &moved, Fate::TimedOut, &paths);
        assert!(again != last);
        planner.on_end(FlowId(0));
        let left: u32 = planner.counts.values().sum();
        assert_eq!((left, planner.bad.len()), (5, 0));
        let only = planner.reroute(&mut cx, &placed(1, 0), Fate::Trimmed, &paths[..1]);
        assert_eq!(only, paths[0]);
    }
}
