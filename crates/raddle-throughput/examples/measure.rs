//! Times of the linear programs, cold and kept, which decide how long a figure takes. Splitting into
//! matchings is a case of `raddle bench split`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use raddle_circuits::circuits::Circuits;
use raddle_throughput::demand::{measured, pattern};
use raddle_throughput::designs::vermilion::{Recipe, Spare, circuits};
use raddle_throughput::rounding::Rounding;
use raddle_throughput::solve::{ArtifactLp, MultiHop};
use std::time::Instant;

/// The median time of a few runs, in milliseconds.
fn median_ms(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    times[runs / 2]
}

fn main() {
    println!("multi-hop throughput of 16 nodes, ms a program: demand, cold, kept");
    let names = [("permutation", 0.0), ("skew", 0.5), ("uniform", 0.0)];
    let patterns = names
        .iter()
        .filter_map(|&(name, skew)| Some((name, pattern::find(name)?.demand(16, skew, 1))));
    let jobs = measured::MEASURED.iter().map(|measured| (measured.name, measured.demand()));
    for (name, demand) in patterns.chain(jobs) {
        let of = |k: u32, seed| {
            let rounding = Rounding::Floor;
            let recipe = Recipe { k, l: 1, rounding, self_loops: true, spare: Spare::Random };
            circuits(&demand, &recipe, seed, 0).capacity(1.0 / f64::from(16 * k))
        };
        let cold = median_ms(3, || {
            assert!(MultiHop::new(&demand).throughput(&of(3, 1)).is_ok());
        });
        let mut kept = MultiHop::new(&demand);
        let mut k = 2;
        let warm = median_ms(8, || {
            k += 1;
            assert!(kept.throughput(&of(k, 1)).is_ok());
        });
        println!("  {name:18}  {cold:7.1}  {warm:7.1}");
    }
    let ring = pattern::shift(16, 8);
    let capacity = Circuits::complete(16, 1, true).capacity(1.0 / 16.0);
    let artifact = median_ms(3, || {
        assert!(ArtifactLp::new(&ring).throughput(&capacity).is_ok());
    });
    println!("published code's program of a permutation, ms: {artifact:.1}");
}
