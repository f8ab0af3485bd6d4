//! How fast the machine is at this moment.

use raddle::study::timing::Stopwatch;
use raddle_schemes::rng::{Rng, mix};
use std::hint::black_box;

/// CPU seconds of a fixed walk through 16 MiB and a fixed loop of multiplications.
pub(super) fn calibrate() -> f64 {
    let places = 1usize << 21;
    let mut next: Vec<u64> = (0..places as u64).collect();
    // One cycle through all places (Sattolo), so that every step is a new cache line.
    let mut rng = Rng::new(1, "calibration", 0);
    for i in (1..places).rev() {
        next.swap(i, rng.below(i as u64) as usize);
    }
    let watch = Stopwatch::start();
    let mut at = 0u64;
    for _ in 0..4_000_000 {
        at = next[at as usize];
    }
    let mut hash = at;
    for _ in 0..50_000_000u64 {
        hash = mix(hash);
    }
    black_box(hash);
    let cost = watch.stop();
    cost.cpu_s.unwrap_or(cost.wall_s)
}
