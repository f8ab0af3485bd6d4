//! scratch
#[path = "../tests/common/mod.rs"]
mod common;
use raddle_schemes::units::Bytes;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let tiers: u32 = a[1].parse().unwrap();
    let hosts: u32 = a[2].parse().unwrap();
    let mib: u64 = a[3].parse().unwrap();
    let scheme = &a[4];
    for seed in 1..=a[5].parse::<u64>().unwrap() {
        let mut plan =
            common::permutation(common::fat_tree(tiers, hosts), Bytes::mib(mib), scheme, seed);
        if a.get(7).is_some() {
            plan.routes[0].1 = plan.fabric.forwarding.clone();
        }
        #[allow(clippy::disallowed_methods)]
        let t = std::time::Instant::now();
        let o = if a.get(6).map(|s| s == "ref").unwrap_or(false) {
            raddle_sim::reference::run(&plan, &mut ())
        } else {
            raddle_sim::engine::run(&plan, &mut ())
        };
        let dt = t.elapsed().as_secs_f64();
        let max =
            o.flows.iter().map(|f| f.acked.map_or(f64::NAN, |t| t.as_us())).fold(0.0, f64::max);
        let mean = o.flows.iter().map(|f| f.acked.map_or(f64::NAN, |t| t.as_us())).sum::<f64>()
            / hosts as f64;
        let drops: u64 = o.ports.iter().map(|p| p.dropped_total()).sum();
        let marks: u64 = o.ports.iter().map(|p| p.marked).sum();
        println!(
            "seed {seed} {:?} max {max:.2} mean {mean:.2} drops {drops} marks {marks} hops {} ev {} {:.3}s {:.1} M hops/s inflight {}",
            if let raddle_sim::record::Stop::Completed = o.stop { "ok" } else { "BAD" },
            o.packet_hops,
            o.events,
            dt,
            o.packet_hops as f64 / dt / 1e6,
            o.in_flight_data
        );
    }
}
