//! Samples with something wrong in them: each ends in a job or in a message.

use super::{Options, data, of_bytes};
use raddle_schemes::rng::Rng;

/// Mutations of each sample; some thousands take a second.
const MUTATIONS: u64 = 300;

/// Changes, takes out, repeats or puts in some bytes.
fn mutated(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(3) {
        let at = rng.below(bytes.len() as u64) as usize;
        let end = (at + 1 + rng.below(12) as usize).min(bytes.len());
        match rng.below(6) {
            0 => bytes[at] = rng.below(256) as u8,
            1 => bytes[at] ^= 1 << rng.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            4 => bytes.truncate(at.max(1)),
            _ => {
                let more =
                    [&b"0"[..], b"99999999999999999999", b"\n", b" ", b"-1", b"\xff\xff\xff\x7f"];
                let more = more[rng.below(more.len() as u64) as usize];
                bytes.splice(at..at, more.iter().copied());
            }
        }
        if bytes.is_empty() {
            bytes.push(b'0');
        }
    }
    bytes
}

#[test]
fn mutated_samples_end_in_a_job_or_in_a_message() {
    let goal = std::fs::read_to_string(data("goal/binary_tree_32.goal")).unwrap();
    let small =
        b"num_ranks 2\nrank 0 {\na: calc 7 cpu 3\nb: send 9b to 1 tag 4 nic 0\nb requires a\n}\n\
                  rank 1 {\nrecv 9b from -1 tag -1 // x\n}\n";
    let flows =
        b"src,dst,bytes,id,after,end,start_ns,class,job\n0,1,9,a,b,acked,1.5,0,x\n1,2,3,b,,,,,\n";
    let samples = [
        ("t.goal", goal.into_bytes()),
        ("t.goal", small.to_vec()),
        ("t.csv", flows.to_vec()),
        ("t.txt", std::fs::read(data("simai/microAllReduce.txt")).unwrap()),
        ("t.txt", std::fs::read(data("simai/all_reduce.txt")).unwrap()),
        ("t.0.et", std::fs::read(data("microbenchmarks/all_gather.1.et")).unwrap()),
        ("t.0.et", std::fs::read(data("custom_ring/custom_allreduce.1.et")).unwrap()),
    ];
    for (number, (name, bytes)) in (0..).zip(&samples) {
        let mut rng = Rng::new(7, "mutations", number);
        for _ in 0..MUTATIONS {
            let changed = mutated(bytes, &mut rng);
            let read =
                std::panic::catch_unwind(|| match of_bytes(name, &changed, &Options::default()) {
                    Ok(trace) => drop((trace.to_json(), trace.to_string(), trace.flows())),
                    Err(errors) => assert!(!errors.is_empty() && errors.len() <= 21),
                });
            assert!(read.is_ok(), "{name}: {:?}", String::from_utf8_lossy(&changed));
        }
    }
}
