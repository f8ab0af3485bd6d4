//! What every listed plane selector and planner must do, whatever it is: what an engine relies on.

use raddle_schemes::Cx;
use raddle_schemes::ids::{Entropy, FlowId, SwitchId};
use raddle_schemes::load_balance::host::Fate;
use raddle_schemes::load_balance::plane::{self, MOST_PLANES, PlaneContext, Planes};
use raddle_schemes::planner::{self, AnyPlanner, Message, Piece, Placed, PlannerContext};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Time};

const PAYLOAD: u64 = 4096;

fn selectors() -> impl Iterator<Item = plane::Config> {
    plane::SCHEMES.iter().filter_map(|scheme| plane::Config::named(scheme.card.name))
}

fn planners() -> impl Iterator<Item = planner::Config> {
    planner::SCHEMES.iter().filter_map(|scheme| planner::Config::named(scheme.card.name))
}

/// The planes that packets of a flow take while planes fail and queues change.
fn planes_taken(config: &plane::Config, stream: u64, seed: u64) -> Vec<u32> {
    let mut selector = config.build(&PlaneContext { planes: MOST_PLANES, stream });
    let mut chance = Rng::new(seed, "course", 0);
    let mut take = || {
        let usable = chance.below(255) as u8 + 1;
        let queues = chance.next_u64();
        let waiting = |plane: u32| (queues >> (8 * plane) & 0xff) as u32;
        let planes = Planes { usable, waiting: &waiting };
        let plane = selector.next_plane(&planes);
        assert!(planes.has(plane), "{config:?} takes plane {plane} of {usable:b}");
        plane
    };
    (0..2_000).map(|_| take()).collect()
}

#[test]
fn a_plane_that_is_taken_is_usable_and_the_same_events_give_the_same_planes() {
    for config in selectors() {
        assert_eq!(planes_taken(&config, 3, 1), planes_taken(&config, 3, 1), "{config:?}");
    }
}

#[test]
fn a_selector_that_says_so_takes_several_planes_and_no_other_does() {
    for config in selectors() {
        let mut selector = config.build(&PlaneContext { planes: 4, stream: 9 });
        let mut taken: Vec<u32> = Vec::new();
        for packet in 0..100 {
            // The plane taken last has a packet more.
            let waiting = |plane: u32| u32::from(taken.last() == Some(&plane)) + packet / 50;
            let plane = selector.next_plane(&Planes { usable: 0b1111, waiting: &waiting });
            taken.push(plane);
        }
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len() > 1, config.is_per_packet(), "{config:?}: {taken:?}");
    }
}

/// A batch of messages to a few leaves, some of which have no paths.
struct Batch {
    paths: Vec<Vec<Entropy>>,
    messages: Vec<(u32, u64)>,
}

impl Batch {
    fn draw(chance: &mut Rng) -> Self {
        let paths = (0..5).map(|leaf| (0..leaf * 3).map(|path| Entropy(path * 7)).collect());
        let count = chance.below(12) + 1;
        let sizes = [1, PAYLOAD, PAYLOAD + 1, 100_000, 9_999_999];
        let message = |_| (chance.below(5) as u32, sizes[chance.below(5) as usize]);
        Self { paths: paths.collect(), messages: (0..count).map(message).collect() }
    }

    fn messages(&self) -> Vec<Message<'_>> {
        let message = |&(leaf, bytes): &(u32, u64)| Message {
            leaf: SwitchId(leaf),
            bytes: Bytes(bytes),
            paths: &self.paths[leaf as usize],
        };
        self.messages.iter().map(message).collect()
    }

    fn plan(&self, planner: &mut AnyPlanner, rng: &mut Rng) -> Vec<Piece> {
        let mut pieces = Vec::new();
        planner.plan(rng, &self.messages(), &mut pieces);
        pieces
    }
}

#[test]
fn pieces_add_up_to_their_messages_in_order_and_their_paths_exist() {
    for config in planners() {
        let mut planner = config.build(&PlannerContext { payload: Bytes(PAYLOAD) });
        let (mut own, mut chance) = (Rng::new(1, "plan", 0), Rng::new(1, "course", 0));
        for _ in 0..200 {
            let batch = Batch::draw(&mut chance);
            let pieces = batch.plan(&mut planner, &mut own);
            assert!(pieces.is_sorted_by_key(|piece| piece.message), "{config:?}");
            for (number, message) in (0..).zip(batch.messages()) {
                let own = pieces.iter().filter(|piece| piece.message == number);
                let sum: u64 = own.clone().map(|piece| piece.bytes.0).sum();
                assert_eq!(sum, message.bytes.0, "{config:?}");
                for piece in own {
                    assert!(piece.bytes.0 > 0, "{config:?}");
                    let exists = |path| message.paths.contains(&path);
                    assert_eq!(piece.path.is_some(), !message.paths.is_empty(), "{config:?}");
                    assert!(piece.path.is_none_or(exists), "{config:?}");
                }
            }
        }
    }
}

#[test]
fn a_piece_that_loses_packets_moves_to_a_path_that_exists_and_the_same_events_move_it_the_same() {
    for config in planners() {
        let course = || {
            let mut planner = config.build(&PlannerContext { payload: Bytes(PAYLOAD) });
            let (mut own, mut chance) = (Rng::new(2, "plan", 0), Rng::new(2, "course", 0));
            let paths: Vec<Entropy> = (0..8).map(Entropy).collect();
            let mut under_way: Vec<Placed> = Vec::new();
            let mut taken = Vec::new();
            for flow in 0..500 {
                let path = paths[chance.below(8) as usize];
                let piece = Placed { flow: FlowId(flow), leaf: SwitchId(flow % 3), path };
                planner.on_start(&piece);
                under_way.push(piece);
                let place = chance.below(under_way.len() as u64) as usize;
                let fate = [Fate::Trimmed, Fate::TimedOut][chance.below(2) as usize];
                let mut cx = Cx { now: Time(u64::from(flow)), rng: &mut own, events: &mut () };
                let path = planner.reroute(&mut cx, &under_way[place], fate, &paths);
                assert!(paths.contains(&path), "{config:?}");
                under_way[place].path = path;
                taken.push(path);
                if chance.below(2) == 0 {
                    planner.on_end(under_way.swap_remove(place).flow);
                }
            }
            taken
        };
        assert_eq!(course(), course(), "{config:?}");
    }
}
