use super::super::bench::Bench;
use super::*;
use crate::rng::Rng;

const PACKET: u64 = 1_000;

/// Class 1 is lossless; `ports` ports with headroom of their own beside a pool of `ingress`.
fn switch(ports: u32, ingress: u64, lossy: u64) -> Bench<Sonic> {
    let size = ingress + u64::from(ports) * 50_000;
    let context = BufferContext {
        size: Bytes(size),
        queues: 2 * ports,
        ports,
        packet: Bytes(PACKET),
        ..BufferContext::NOMINAL
    };
    let config = Config {
        lossless: PerClass::Each(alloc::vec![false, true]),
        headroom: Some(Bytes(50_000)),
        lossy_share: lossy as f64 / ingress as f64,
        ..Config::default()
    };
    Bench::new(Sonic::new(&config, &context), size, ports, 2)
}

/// Bytes of lossy and lossless classes after `lossless` queues at ingress and `lossy` ones at egress
/// have been offered twice what they send for long.
fn settled(lossless: u32, lossy: u32) -> (Bench<Sonic>, f64, f64) {
    let (ports, mb) = (lossless + lossy, 1_000_000.0);
    let mut bench = switch(ports, 18_000_000, 14_000_000);
    let rounds = 25_000;
    let mut sum = Used::default();
    for round in 0..rounds {
        for port in 0..lossless {
            for _ in 0..2 {
                if !bench.paused[bench.place(port, 1)] {
                    assert!(bench.arrive(port, 1, port, PACKET));
                }
            }
        }
        for port in lossless..ports {
            bench.arrive(port, 0, port, PACKET);
            bench.arrive(port, 0, port, PACKET);
        }
        let full = bench.policy.ingress;
        (0..ports).for_each(|port| [0, 1].iter().for_each(|&class| bench.depart(port, class)));
        // In the mean of a round, and over those of the second half.
        if round >= rounds / 2 {
            let left = bench.policy.ingress;
            sum.lossy += full.lossy + left.lossy;
            sum.lossless += full.lossless + left.lossless;
        }
    }
    let mean = |sum: u64| sum as f64 / f64::from(rounds) / mb;
    (bench, mean(sum.lossy), mean(sum.lossless))
}

#[test]
fn lossy_and_lossless_queues_settle_where_the_thesis_has_them() {
    // Reverie spec, section 6, items 1 to 3 (equations 5.5 to 5.8): b_in 18 MB, b_lossy 14 MB.
    for (n, m, lossy, lossless, pause, drop) in [
        (1, 1, 7.0, 5.5, 5.5, 7.0),
        (10, 10, 12.727, 4.793, 0.4793, 1.2727),
        (1, 4, 11.2, 3.4, 3.4, 2.8),
        (4, 1, 7.0, 8.8, 2.2, 7.0),
    ] {
        let (bench, has_lossy, has_lossless) = settled(n, m);
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.02;
        assert!(near(has_lossy, lossy), "{n}, {m}: {has_lossy}");
        assert!(near(has_lossless, lossless), "{n}, {m}: {has_lossless}");
        let caps = (18.0 - has_lossy - has_lossless, 14.0 - has_lossy);
        assert!(near(caps.0, pause) && near(caps.1, drop), "{n}, {m}: {caps:?}");
        let pools = bench.policy.pools;
        assert_eq!((pools.unbalanced, pools.lossless_refused), (0, 0));
    }
}

#[test]
fn the_whole_first_packet_above_the_threshold_goes_to_headroom_and_pauses_once() {
    let mut bench = switch(2, 20 * PACKET, 0);
    // After adding, q <= 20 - q: the tenth packet is the last in shared memory.
    for _ in 0..10 {
        assert!(bench.arrive(0, 1, 1, PACKET) && !bench.paused[bench.place(0, 1)]);
    }
    for _ in 0..3 {
        assert!(bench.arrive(0, 1, 1, PACKET) && bench.paused[bench.place(0, 1)]);
    }
    assert_eq!(bench.policy.headroom.used(), 3 * PACKET);
    // Three departures empty the headroom; 2,496 B below the threshold it goes on: q = 8.
    for expected in [true, true, true, true, false] {
        bench.depart(1, 1);
        assert_eq!(bench.paused[bench.place(0, 1)], expected);
    }
    assert_eq!(bench.policy.ingress.lossless, 8 * PACKET);
    (0..8).for_each(|_| bench.depart(1, 1));
    assert_eq!(bench.policy.pools.left, 0);
}

/// A switch of four ports whose class 1 is lossless, of any parameters.
fn any_switch(pick: &mut impl FnMut(u64) -> u64) -> Bench<Sonic> {
    let alpha = |choice: u64| [None, Some(0.1), Some(0.5), Some(2.0)][choice as usize];
    let alpha = |choice| alpha(choice).map(|alpha| PerClass::All(Alpha(alpha)));
    let pool = 20_000 + pick(80_000);
    let size = pool + 4 * 10_000;
    let context = BufferContext {
        size: Bytes(size),
        queues: 8,
        ports: 4,
        packet: Bytes(PACKET),
        ..BufferContext::NOMINAL
    };
    let config = Config {
        lossless: PerClass::Each(alloc::vec![false, true]),
        alpha_ingress: alpha(pick(4)),
        alpha_egress: alpha(pick(4)),
        headroom: Some(Bytes(10_000)),
        lossy_share: 0.2 * pick(6) as f64,
        reserved: Bytes(pick(2) * 3_000),
        ..Config::default()
    };
    Bench::new(Sonic::new(&config, &context), size, 4, 2)
}

#[test]
fn where_it_ignores_order_any_comes_to_the_same() {
    let mut rng = Rng::new(3, "order", 0);
    let mut ignored = 0;
    for _ in 0..100 {
        let mut pick = |below: u64| rng.below(below);
        let mut bench = any_switch(&mut pick);
        for _ in 0..200 {
            let mut port = || pick(4) as u32;
            let ports: Vec<_> = (0..6).map(|_| (port(), port())).collect();
            // Class 2 is control.
            let arrivals: Vec<_> =
                ports.into_iter().map(|ports| (ports, pick(3) as u32, 64 + pick(3_000))).collect();
            let arrivals = &arrivals[..pick(7) as usize];
            let queues: Vec<_> = (0..pick(10)).map(|_| (pick(4) as u32, pick(3) as u32)).collect();
            let incoming = arrivals.iter().map(|(_, _, bytes)| bytes).sum();
            let ignores =
                bench.ignores_order(incoming) && bench.paused.iter().all(|paused| !paused);
            let before = bench.policy.pools;
            let arrive = |bench: &mut Bench<Sonic>| {
                for &((came_in, out), class, bytes) in arrivals {
                    let kept = bench.arrive(came_in, class, out, bytes);
                    assert!(!ignores || kept && bench.paused.iter().all(|paused| !paused));
                }
            };
            // Only frames that were there before leave, in both orders.
            let (mut arrivals_first, mut arrivals_last) = (bench.clone(), bench);
            arrive(&mut arrivals_first);
            for (port, class) in queues {
                if arrivals_last.has_frame(port, class) {
                    arrivals_last.depart(port, class);
                    arrivals_first.depart(port, class);
                }
            }
            arrive(&mut arrivals_last);
            if ignores && incoming > 0 {
                ignored += 1;
                let came_to = |bench: &Bench<Sonic>| alloc::format!("{:?}", bench.policy);
                assert_eq!(came_to(&arrivals_first), came_to(&arrivals_last));
                let after = Pools { left: before.left, ..arrivals_first.policy.pools };
                assert_eq!(after, before);
            }
            bench = arrivals_last;
        }
    }
    assert!(ignored > 500, "{ignored} of 20,000 batches");
}

#[test]
fn what_it_says_early_holds_whatever_has_left_other_queues() {
    let mut rng = Rng::new(4, "early", 0);
    let (mut early, mut all) = (0, 0);
    for _ in 0..100 {
        let mut pick = |below: u64| rng.below(below);
        let mut bench = any_switch(&mut pick);
        for _ in 0..1_000 {
            let [came_in, out, class] = [pick(4), pick(4), pick(3)].map(|n| n as u32);
            let bytes = 64 + pick(3_000);
            let queues: Vec<_> = (0..pick(8)).map(|_| (pick(4) as u32, pick(3) as u32)).collect();
            let nobody_pauses = |bench: &Bench<Sonic>| bench.paused.iter().all(|paused| !paused);
            let asks = nobody_pauses(&bench);
            let mut unseen = bench.clone();
            let answer = if asks { unseen.admit_early(came_in, class, out, bytes) } else { None };
            let before = bench.policy.pools;
            let kept = answer.is_some() && unseen.arrive(came_in, class, out, bytes);
            for (port, class) in queues.into_iter().filter(|queue| *queue != (out, class)) {
                bench.depart(port, class);
                unseen.depart(port, class);
            }
            let joins = bench.arrive(came_in, class, out, bytes);
            all += u32::from(asks);
            if let Some(answer) = answer {
                early += 1;
                assert_eq!((kept, joins), (answer, answer));
                assert!(nobody_pauses(&bench) && nobody_pauses(&unseen));
                let came_to = |bench: &Bench<Sonic>| alloc::format!("{:?}", bench.policy);
                assert_eq!(came_to(&unseen), came_to(&bench));
                let after = Pools { left: before.left, ..bench.policy.pools };
                assert_eq!(after, before);
            }
        }
    }
    assert!(early > all / 3, "{early} of {all}");
}

#[test]
fn what_would_take_a_queue_or_a_sum_past_its_bound_asks_for_order() {
    let mut bench = switch(2, 20 * PACKET, 18 * PACKET);
    assert!(bench.ignores_order(0) && !bench.ignores_order(1), "it has no maximum to stay below");
    // At ingress q <= 20 - q at least: ten packets.
    (0..9).for_each(|_| assert!(bench.arrive(0, 1, 1, PACKET)));
    (0..9).for_each(|_| assert!(bench.arrive(1, 0, 1, PACKET)));
    (0..9).for_each(|_| bench.depart(1, 0));
    (0..4).for_each(|_| bench.depart(1, 1));
    // Five of at most nine are left, lossy ones have been nine.
    assert!(bench.ignores_order(4 * PACKET) && !bench.ignores_order(4 * PACKET + 1));
}

#[test]
fn headroom_has_an_end() {
    let mut bench = switch(2, 20 * PACKET, 0);
    let kept = (0..100).filter(|_| bench.arrive(0, 1, 1, PACKET)).count();
    // Ten of the pool and the 50 of its own headroom.
    assert_eq!(kept, 60);
    assert_eq!(bench.policy.pools.lossless_refused, 40);
    assert_eq!(bench.policy.pools.headroom_queue_max, 50 * PACKET);
}

#[test]
fn control_uses_up_the_pool_and_leaves_headroom_alone() {
    let mut bench = switch(2, 20 * PACKET, 0);
    let control =
        |bench: &mut Bench<Sonic>| (0..50).filter(|_| bench.arrive(0, 2, 1, PACKET)).count();
    assert_eq!(control(&mut bench), 20);
    assert_eq!((0..100).filter(|_| bench.arrive(0, 1, 1, PACKET)).count(), 50);
    assert_eq!((control(&mut bench), bench.arrive(1, 1, 0, PACKET)), (0, true));
}

#[test]
fn parameters_with_which_lossless_classes_lose_packets_are_named() {
    let lack = |config: Config| {
        let size = Bytes(1_000_000);
        let headroom = alloc::vec![Bytes(50_000); 2];
        let (queues, ports, packet) = (2, 2, Bytes(PACKET));
        let context =
            BufferContext { size, queues, ports, packet, headroom, ..BufferContext::NOMINAL };
        let config = Config { lossless: PerClass::All(true), ..config };
        let lack = Sonic::new(&config, &context).lacks()?;
        Some((lack.parameter, lack.would_do))
    };
    let bytes = |bytes| Some(Limited(Size::Bytes(Bytes(bytes))));
    assert_eq!(lack(Config::default()), None);
    assert_eq!(
        lack(Config { headroom: Some(Bytes(49_999)), ..Config::default() }),
        Some(("headroom", "at least 50000 B".into()))
    );
    assert_eq!(
        lack(Config { ingress_pool: bytes(900_001), ..Config::default() }),
        Some(("ingress_pool", "at most 900000 B, what headroom leaves".into()))
    );
    assert_eq!(
        lack(Config { lossless_pool: bytes(999_999), ..Config::default() }),
        Some(("lossless_pool", "at least 1000000 B".into()))
    );
    let egress = Some(PerClass::All(Alpha(9_999.0)));
    let lack = lack(Config { alpha_egress: egress, ..Config::default() });
    assert_eq!(lack, Some(("alpha_egress", "at least 10000 where lossless".into())));
}
