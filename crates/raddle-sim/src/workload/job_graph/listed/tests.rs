use super::*;
use crate::workload::job_graph::style::{Choice, Rails, WHOLE};
use raddle_schemes::units::Span;

const GPUS: u32 = 8;

fn style(rails: Rails) -> Style {
    Style { gpus: GPUS, rails, ..Style::default() }
}

fn listed(style: &Style, op: CollectiveOp, bytes: u64, channels: u32, n: u32) -> Listed {
    let hosts: Vec<HostId> = (0..n).map(HostId).collect();
    let list = Listed::of(style, op, Bytes(bytes), channels, &hosts);
    let most = at_most(style, op, &hosts, Bytes(bytes), channels);
    assert!(u64::from(list.len()) <= most, "{} of {most}", list.len());
    list
}

/// Of sends: those inside servers, between servers on one rail, and between rails.
fn counted(list: &Listed) -> [u64; 3] {
    let mut counts = [0; 3];
    for send in 0..list.len() {
        let (from, to) = list.ends(send);
        let is_inside = from / GPUS == to / GPUS;
        let is_on_rail = from % GPUS == to % GPUS;
        counts[if is_inside { 0 } else { 2 - usize::from(is_on_rail) }] += 1;
    }
    counts
}

/// Bytes that each host sends to other servers.
fn by_nic(list: &Listed, n: u32) -> Vec<u64> {
    let mut bytes = vec![0; n as usize];
    for send in 0..list.len() {
        let (from, to) = list.ends(send);
        bytes[from as usize] += if from / GPUS == to / GPUS { 0 } else { list.bytes(send).0 };
    }
    bytes
}

/// Whatever a send waits for has come to its sender, or was sent by it; each rank hears, through the sends
/// that it gets, of all others.
fn check(list: &Listed, n: u32, reduces: bool) {
    // Which ranks' data each rank may have.
    let mut heard: Vec<Vec<bool>> = Vec::new();
    for send in 0..list.len() {
        let (from, _) = list.ends(send);
        let mut own = vec![false; n as usize];
        own[from as usize] = true;
        for (before, acked) in list.after(send) {
            assert!(before < send, "in order");
            let (source, there) = list.ends(before);
            assert_eq!(if acked { source } else { there }, from, "who waits knows");
            if !acked {
                own.iter_mut().zip(&heard[before as usize]).for_each(|(own, other)| *own |= other);
            }
        }
        heard.push(own);
    }
    if !reduces {
        return;
    }
    let mut of_rank = vec![vec![false; n as usize]; n as usize];
    for (send, heard) in (0..).zip(&heard) {
        let to = list.ends(send).1 as usize;
        of_rank[to].iter_mut().zip(heard).for_each(|(own, other)| *own |= other);
    }
    assert!(of_rank.iter().enumerate().all(|(rank, own)| {
        own.iter().enumerate().all(|(other, heard)| *heard || other == rank)
    }));
}

/// An all-reduce of 1 GiB over servers of eight on as many channels.
#[test]
fn rings_leave_servers_by_the_rails_that_are_asked_for() {
    let gib = 1 << 30;
    let ring = |rails, servers: u32| {
        let list = listed(&style(rails), CollectiveOp::AllReduce, gib, 8, servers * GPUS);
        check(&list, servers * GPUS, true);
        list
    };
    for (rails, servers, expected) in [
        // 3,840 sends of rings, of which PXN has 480 in two hops.
        (Rails::Pxn, 2, [3_360 + 480, 480, 0]),
        (Rails::Alternate, 2, [3_360, 480, 0]),
        (Rails::Cross, 2, [3_360, 0, 480]),
        // With an odd number of servers the hop that closes the ring leaves its rail.
        (Rails::Alternate, 3, [7_728, 736, 368]),
        (Rails::Pxn, 3, [7_728 + 1_104, 1_104, 0]),
    ] {
        let list = ring(rails, servers);
        assert_eq!(counted(&list), expected, "{rails:?} {servers}");
        if servers == 2 {
            assert!((0..list.len()).all(|send| list.bytes(send) == Bytes::mib(8)));
        }
    }
    for rails in [Rails::Pxn, Rails::Alternate, Rails::Cross] {
        assert_eq!(by_nic(&ring(rails, 2), 16), [251_658_240; 16], "{rails:?}");
    }
    let large = listed(&style(Rails::Pxn), CollectiveOp::AllReduce, gib, 8, 128);
    assert_eq!(counted(&large), [260_096, 32_512, 0]);
    assert_eq!(by_nic(&large, 128), [266_338_304; 128]);
    assert_eq!(large.bytes(0), Bytes::mib(1));
}

/// What is counted before it is made is what there is.
#[test]
fn sends_are_counted_by_servers() {
    let exact = |rails, op, apart, n: u32| {
        let hosts: Vec<HostId> = (0..n).map(HostId).collect();
        let style = Style { apart, ..style(rails) };
        let list = Listed::of(&style, op, Bytes::mib(64), 8, &hosts);
        (u64::from(list.len()), at_most(&style, op, &hosts, Bytes::mib(64), 8))
    };
    for rails in [Rails::Pxn, Rails::Alternate, Rails::Cross] {
        for n in [8, 16, 24] {
            for op in [CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::AllToAll] {
                let (made, counted) = exact(rails, op, false, n);
                assert_eq!(made, counted, "{op} {rails:?} {n}");
            }
        }
    }
    let (made, counted) = exact(Rails::Pxn, CollectiveOp::AllToAll, true, 24);
    assert!(made <= counted && counted < 2 * made);
    // 200 servers: 3,198 hops round 1,600 GPUs and 200 relays, on eight channels.
    let hosts: Vec<HostId> = (0..1_600).map(HostId).collect();
    let most = at_most(&style(Rails::Pxn), CollectiveOp::AllReduce, &hosts, Bytes::mib(64), 8);
    assert_eq!(most, 46_051_200);
}

/// An all-to-all of 1 MiB a pair, among four servers of eight.
#[test]
fn an_all_to_all_stays_on_rails_with_pxn() {
    let all = |style: &Style| {
        let list = listed(style, CollectiveOp::AllToAll, 32 << 20, 1, 32);
        check(&list, 32, false);
        list
    };
    assert_eq!(counted(&all(&style(Rails::Cross))), [224, 96, 672]);
    let joined = all(&style(Rails::Pxn));
    assert_eq!(counted(&joined), [224 + 672, 96, 0]);
    let of_network = (0..joined.len()).filter(|send| {
        let (from, to) = joined.ends(*send);
        from / GPUS != to / GPUS
    });
    let of_network: Vec<u64> = of_network.map(|send| joined.bytes(send).0).collect();
    assert_eq!(of_network, [8 << 20; 96]);
    let apart = all(&Style { apart: true, ..style(Rails::Pxn) });
    assert_eq!(counted(&apart), [224 + 672, 96 + 672, 0]);
}

#[test]
fn all_collectives_keep_to_rails_with_pxn() {
    for op in CollectiveOp::ALL {
        let list = listed(&style(Rails::Pxn), *op, 1 << 20, 4, 24);
        let [_, on_rail, across] = counted(&list);
        assert!(on_rail > 0 && across == 0, "{op}");
        let of_all = [CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::Barrier];
        check(&list, 24, of_all.contains(op));
    }
}

/// Hosts in any order, and servers of which the group has unequal shares: who has the number of a channel
/// is who it enters servers by, and what all servers have are the rails of rings.
#[test]
fn rings_and_trees_keep_to_rails_wherever_their_ranks_are() {
    let shuffled = [13, 2, 8, 7, 0, 15, 5, 10, 3, 9, 12, 6, 1, 14, 11, 4];
    let groups: [&[u32]; 5] = [
        &shuffled,
        // Two servers of which the second has a part; one GPU of each; some, without a neighbour.
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        &[5, 13, 21, 29],
        &[0, 2, 5, 8, 10, 13, 14, 15],
        // The ring's rails are 1 and 6.
        &[1, 3, 6, 9, 14, 17, 20, 22],
    ];
    for (group, rails) in groups.iter().flat_map(|own| [(own, Rails::Pxn), (own, Rails::Alternate)])
    {
        let hosts: Vec<HostId> = group.iter().copied().map(HostId).collect();
        for algorithm in [Algorithm::Ring, Algorithm::DoubleTree] {
            let style = Style { choice: Choice::One(algorithm), ..style(rails) };
            let op = CollectiveOp::AllReduce;
            let list = Listed::of(&style, op, Bytes::mib(1), 8, &hosts);
            check(&list, hosts.len() as u32, true);
            let most = at_most(&style, op, &hosts, Bytes::mib(1), 8);
            assert!(u64::from(list.len()) <= most);
            let leaves = (0..list.len()).filter(|send| {
                let (from, to) = list.ends(*send);
                let [from, to] = [from, to].map(|place| hosts[place as usize].0);
                from / GPUS != to / GPUS && from % GPUS != to % GPUS
            });
            // An odd number of servers that alternate have one hop that leaves its rail.
            let closes =
                rails == Rails::Alternate && group.contains(&22) && algorithm == Algorithm::Ring;
            assert_eq!(leaves.count() > 0, closes, "{group:?} {rails:?} {algorithm:?}");
        }
    }
    // Where servers are shuffled, each channel's bytes are on its own rail.
    let hosts = shuffled.map(HostId);
    let one = Listed::of(&style(Rails::Pxn), CollectiveOp::AllReduce, Bytes::mib(1), 1, &hosts);
    let between = (0..one.len()).map(|send| one.ends(send));
    let between = between.map(|(from, to)| [hosts[from as usize].0, hosts[to as usize].0]);
    assert!(between.filter(|[from, to]| from / GPUS != to / GPUS).all(|[_, to]| to % GPUS == 0));
}

#[test]
fn trees_send_twice_what_there_is_and_stay_on_rails() {
    let choice = Choice::One(Algorithm::DoubleTree);
    let rails = [Rails::Cross, Rails::Pxn, Rails::Alternate];
    for (servers, rails) in [1, 2, 3, 5].into_iter().flat_map(|n| rails.map(|own| (n, own))) {
        let trees = Style { choice: choice.clone(), ..style(rails) };
        let n = servers * GPUS;
        let list = listed(&trees, CollectiveOp::AllReduce, 64 << 20, 8, n);
        check(&list, n, true);
        assert_eq!(list.algorithm, "double_tree");
        let [inside, on_rail, across] = counted(&list);
        // Two trees of each of eight channels, in two chunks of 2 MiB each, up and down.
        let each = 2 * 8 * 2 * 2;
        let (tree, chains) = (u64::from(servers - 1), u64::from(servers * (GPUS - 1)));
        assert_eq!([inside, on_rail, across], [each * chains, each * tree, 0], "{servers}");
    }
}

/// Eight steps of 512 KiB are under way: two chunks of 2 MiB, or eight of up to 512 KiB.
#[test]
fn chunks_follow_each_other_as_eight_steps_let_them() {
    for (kib, window) in [(2_048, 2), (1_024, 4), (256, 8)] {
        let chunk = Some(Bytes::kib(kib));
        let chunks = Style { chunk, ..style(Rails::Cross) };
        // Sixteen chunks of each of sixteen parts, over fifteen hops.
        let list = listed(&chunks, CollectiveOp::AllGather, kib << 18, 1, 16);
        check(&list, 16, true);
        assert_eq!(list.len(), 16 * 15 * 16);
        let waits = |send: &u32| list.after(*send).any(|(_, acked)| acked);
        assert_eq!((0..list.len()).filter(waits).count() as u32, list.len() - window * 16);
        let (before, acked) = list.after(window).next().unwrap();
        assert_eq!((before, acked, list.ends(window)), (0, true, list.ends(0)));
    }
    let whole = Style { chunk: Some(WHOLE), ..style(Rails::Cross) };
    let list = listed(&whole, CollectiveOp::AllGather, 64 << 20, 1, 16);
    assert!((0..list.len()).all(|send| list.after(send).all(|(_, acked)| !acked)));
}

#[test]
fn who_works_before_each_send_does_so_in_turn() {
    let works = Style { overhead: Span::us(1), ..style(Rails::Pxn) };
    let list = listed(&works, CollectiveOp::AllReduce, 1 << 20, 1, 8);
    let turns = (0..list.len()).filter_map(|send| Some((send, list.turn(send)?)));
    assert!(turns.clone().all(|(send, turn)| list.ends(send) == list.ends(turn) && turn < send));
    assert_eq!(turns.count() as u32, list.len() - 8);
}

#[test]
fn one_ring_of_gpus_alone_is_that_of_their_numbers() {
    let plain = Style { overhead: Span::ns(1), ..Style::default() };
    let list = listed(&plain, CollectiveOp::AllReduce, 1 << 20, 2, 5);
    let numbers = crate::workload::job_graph::Sends::of_numbers(CollectiveOp::AllReduce, 5, 2);
    assert_eq!(list.len(), 2 * 8 * 5);
    for send in 0..list.len() {
        assert_eq!(list.ends(send), numbers.ends(send));
        assert!(list.after(send).eq(numbers.after(send)));
    }
}
