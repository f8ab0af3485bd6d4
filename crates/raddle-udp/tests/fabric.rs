//! Over a fabric of network namespaces that the tests make themselves.
#![cfg(target_os = "linux")]

mod lab;
mod simulated;
mod transports;

use lab::{Lab, Message, Shape};
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_udp::{Path, Transport};
use simulated::{SPINE, Trouble};
use std::io::Write;
use std::time::Duration;

const SHAPE: Shape = Shape { hosts_per_tor: 4, spines: 4, rate: 40, queue: 60_000 };

fn path(shape: &Shape) -> Path {
    let base = Path::default();
    let packet = u64::from(base.payload) + simulated::HEADER;
    Path {
        rate: Rate(shape.rate * 1_000_000),
        base_rtt: Span::ns(simulated::base_rtt_ns(shape, packet)),
        queue: Some(Bytes(shape.queue)),
        ..base
    }
}

/// A message from each host of the first ToR to one of the second.
fn permutation(shape: &Shape, bytes: usize) -> Vec<Message> {
    let hosts = shape.hosts_per_tor;
    (0..hosts).map(|from| Message { from, to: hosts + from, bytes, spine: None }).collect()
}

fn nothing(_: &Lab) -> Result<(), String> {
    Ok(())
}

fn named([load_balance, congestion, recovery]: [&str; 3], path: &Path) -> Transport {
    Transport::named(load_balance, congestion, recovery, path).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn every_transport_delivers_over_links_that_lose() {
    let name = "every_transport_delivers_over_links_that_lose";
    // Four hosts share two links of a host's rate, before which eight packets can wait.
    let shape = Shape { spines: 2, queue: 12_200, ..SHAPE };
    lab::inside(name, shape, false, |lab| {
        let path = path(&shape);
        let (mut count, mut lose) = (0, 0);
        for (names, transport) in transports::all(&path) {
            let done = lab.carry(&transport, &permutation(&shape, 60_000), 1, nothing);
            let done = done.unwrap_or_else(|why| panic!("{names:?}: {why}"));
            count += 1;
            lose += u32::from(done.iter().any(|own| own.retransmitted > 0));
        }
        assert!(2 * lose > count, "{count} transports, {lose} of them lost packets");
    });
}

#[test]
fn reps_sends_less_over_a_slow_link_than_ops() {
    let name = "reps_sends_less_over_a_slow_link_than_ops";
    lab::inside(name, SHAPE, false, |lab| {
        lab.slow(0, SPINE, SHAPE.rate / 4).expect("a rate");
        let share = |scheme: &str| {
            let before = lab.packets_up().expect("counts");
            let transport = named([scheme, "nscc", "sack"], &path(&SHAPE));
            lab.carry(&transport, &permutation(&SHAPE, 500_000), 1, nothing).expect("it arrives");
            let after = lab.packets_up().expect("counts");
            let sent: Vec<u64> = after.iter().zip(before).map(|(now, then)| now - then).collect();
            sent[usize::from(SPINE)] as f64 / sent.iter().sum::<u64>() as f64
        };
        // One link of four has a quarter of a rate: 1 of 13 packets are its part. OPS sends what the hash
        // gives it.
        let (ops, hashed) = (share("ops"), lab.share_of(SPINE).expect("routes"));
        assert!((ops - hashed).abs() < 0.05, "OPS: {ops}, of its ports {hashed}");
        // Where the machine is busy with other things links are idle, and REPS has nothing to learn.
        let reps: Vec<f64> = (0..3).map(|_| share("reps")).collect();
        assert!(reps.iter().any(|own| *own < 0.7 * ops), "REPS {reps:?}, OPS {ops}");
    });
}

#[test]
fn marks_of_switches_reach_the_sender() {
    let name = "marks_of_switches_reach_the_sender";
    let shape = Shape { spines: 2, ..SHAPE };
    lab::inside(name, shape, false, |lab| {
        let red = "red limit 60000 min 6000 max 18000 avpkt 1500 burst 5 probability 1 ecn";
        if !lab.discipline(red) {
            return lab::skipped(name, "the kernel has no `red`");
        }
        let transport = named(["reps", "dctcp", "sack"], &path(&shape));
        let done = lab.carry(&transport, &permutation(&shape, 300_000), 1, nothing);
        let done = done.expect("it arrives");
        assert!(done.iter().any(|own| own.marked > 0), "{done:?}");
    });
}

#[test]
fn a_message_arrives_where_packets_are_lost_at_random() {
    let name = "a_message_arrives_where_packets_are_lost_at_random";
    lab::inside(name, SHAPE, false, |lab| {
        if !lab.discipline("netem loss 3% limit 40") {
            return lab::skipped(name, "the kernel has no `netem`");
        }
        let transport = named(["reps", "nscc", "sack"], &path(&SHAPE));
        let done = lab.carry(&transport, &permutation(&SHAPE, 300_000), 1, nothing);
        let done = done.expect("it arrives");
        assert!(done.iter().any(|own| own.retransmitted > 0), "{done:?}");
    });
}

const SCHEMES: [&str; 3] = ["ecmp", "ops", "reps"];
const SEEDS: u64 = 10;

/// Time until the last of the messages is there, in ms, over sockets and in simulation.
fn last(lab: &Lab, scheme: &str, trouble: Trouble, seed: u64) -> [f64; 2] {
    let names = [scheme, "nscc", "sack"];
    let transport = named(names, &path(&SHAPE));
    let mut messages = permutation(&SHAPE, 1_000_000);
    let simulated = simulated::carry(&SHAPE, names, &messages, trouble, seed);
    if scheme == "ecmp" {
        // Which messages meet decides all: ports are chosen that the kernel hashes to the same spines.
        messages.iter_mut().zip(&simulated).for_each(|(own, sim)| own.spine = Some(sim.spine));
    }
    let done = lab.carry(&transport, &messages, seed, |lab| {
        if let Trouble::Dead { from, until } = trouble {
            std::thread::sleep(from);
            lab.cut(0, SPINE, true)?;
            std::thread::sleep(until - from);
            lab.cut(0, SPINE, false)?;
        }
        Ok(())
    });
    let most = |times: &mut dyn Iterator<Item = Duration>| {
        times.max().expect("messages").as_secs_f64() * 1e3
    };
    let done = done.unwrap_or_else(|why| panic!("{scheme}, {trouble:?}, seed {seed}: {why}"));
    let there = &mut simulated.iter().map(|own| own.took.expect("it ends"));
    [most(&mut done.iter().map(|own| own.took)), most(there)]
}

/// The same of one message that has the fabric to itself.
fn alone(lab: &Lab) -> (f64, f64) {
    let names = ["ecmp", "nscc", "sack"];
    let message = &permutation(&SHAPE, 1_000_000)[..1];
    let done = lab.carry(&named(names, &path(&SHAPE)), message, 1, nothing).expect("it arrives");
    let simulated = simulated::carry(&SHAPE, names, message, Trouble::Nothing, 1);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    (ms(done[0].took), ms(simulated[0].took.expect("it ends")))
}

/// What two fabrics, one of the kernel and one in simulation, say of the same schemes: for times, so for
/// an idle machine (`make sockets`).
#[test]
#[ignore = "times are those of an idle machine: `make sockets`"]
fn sockets_take_the_time_of_a_simulation() {
    let name = "sockets_take_the_time_of_a_simulation";
    let dead = Trouble::Dead { from: Duration::from_millis(20), until: Duration::from_millis(220) };
    lab::inside(name, SHAPE, true, |lab| {
        let mut page = String::from(
            "\n| link | scheme | sockets, ms | simulation, ms | over ECMP: sockets | simulation |\n\
             |---|---|---|---|---|---|\n",
        );
        let (mut off, mut orders) = (Vec::new(), Vec::new());
        let tries: Vec<(f64, f64)> = (0..3).map(|_| alone(lab)).collect();
        let best = |a: &(f64, f64), b: &(f64, f64)| if b.0 < a.0 { *b } else { *a };
        let (alone, expected) = tries.iter().fold(tries[0], |a, b| best(&a, b));
        let carried = (alone / expected - 1.0).abs() < 0.05;
        assert!(
            carried,
            "the machine is busy: a message alone takes {alone:.0} ms, not {expected:.0}"
        );
        for (word, trouble) in
            [("healthy", Trouble::Nothing), ("slow", Trouble::Slow), ("down", dead)]
        {
            let rate = if trouble == Trouble::Slow { SHAPE.rate / 4 } else { SHAPE.rate };
            lab.slow(0, SPINE, rate).expect("a rate");
            let mut over = [0.0; 2];
            let mut means = Vec::new();
            for scheme in SCHEMES {
                let all: Vec<[f64; 2]> =
                    (1..=SEEDS).map(|seed| last(lab, scheme, trouble, seed)).collect();
                let mean = [0, 1].map(|side| {
                    all.iter().map(|own: &[f64; 2]| own[side]).sum::<f64>() / SEEDS as f64
                });
                let range = [0, 1].map(|side| {
                    let (least, most) =
                        all.iter().fold((f64::MAX, 0.0_f64), |(least, most), own| {
                            (least.min(own[side]), most.max(own[side]))
                        });
                    format!("{:.0} ({least:.0} to {most:.0})", mean[side])
                });
                if scheme == "ecmp" {
                    over = mean;
                }
                means.push(mean);
                let ratio = [0, 1].map(|side| mean[side] / over[side]);
                let [sockets, simulation] = range;
                page += &format!(
                    "| {word} | {scheme} | {sockets} | {simulation} | {:.2} | {:.2} |\n",
                    ratio[0], ratio[1]
                );
                let agree = ratio[0] / ratio[1];
                if !(1.0 / 1.15..=1.15).contains(&agree) {
                    off.push(format!("{word}, {scheme}: {ratio:?}"));
                }
            }
            // Where the simulation tells two schemes apart, sockets have them in the same order.
            for (one, other) in [(0, 1), (0, 2), (1, 2)] {
                let [sockets, simulation] =
                    [0, 1].map(|side| means[one][side] / means[other][side]);
                let told_apart = (simulation - 1.0).abs() > 0.05;
                if told_apart && (sockets > 1.0) != (simulation > 1.0) {
                    orders.push(format!("{word}: {} and {}", SCHEMES[one], SCHEMES[other]));
                }
            }
        }
        std::io::stdout().write_all(page.as_bytes()).expect("somebody reads");
        assert!(off.is_empty(), "more than 15 % apart: {off:?}\n{page}");
        assert!(orders.is_empty(), "in another order: {orders:?}\n{page}");
    });
}
