//! Controlled rounding (Bacharach 1966) of a scaled demand: every entry, every row sum, every column
//! sum and the total becomes the whole number below or above it; whole ones stay.

mod flow;

use crate::demand::Demand;
use flow::Transport;

raddle_schemes::words! {
    /// Which of the legal roundings.
    pub enum Rounding {
        /// The largest fractional parts first: the sum of the fractional parts of the entries that
        /// are rounded up is as large as it can be.
        Any = "any",
        /// The smallest ratio of circuits to demand is as large as it can be; then as `any`.
        Bottleneck = "bottleneck",
        /// Every entry rounded down, which keeps no sum: what the published code does.
        Floor = "floor",
    }
}

/// Numbers this close to a whole one are that one.
const SNAP: f64 = 1e-9;
/// Weights of fractional parts are whole numbers up to this.
const WEIGHT: f64 = (1_u64 << 24) as f64;

/// The demand, normalised, times `scale`, in whole circuits: one number a pair, by rows. Each pair
/// gets `residual` more circuits later, which the rule `bottleneck` has to know.
pub fn round(demand: &Demand, scale: u32, residual: u32, rule: Rounding) -> Vec<u32> {
    let largest = demand.largest_sum();
    let nodes = demand.nodes();
    let factor = f64::from(scale) / largest;
    let scaled: Vec<f64> =
        (0..nodes).flat_map(|from| demand.row(from)).map(|rate| snap(rate * factor)).collect();
    let floors: Vec<u32> = scaled.iter().map(|entry| entry.floor() as u32).collect();
    if rule == Rounding::Floor {
        return floors;
    }
    let rest: Vec<f64> = scaled.iter().zip(&floors).map(|(x, f)| x - f64::from(*f)).collect();
    let weight = |part: &f64| if *part > 0.0 { ((part * WEIGHT) as i64).max(1) } else { 0 };
    let weights = rest.iter().map(weight).collect();
    let transport = Transport::new(nodes, weights, limits(nodes, &scaled, &floors));
    let up = match rule {
        Rounding::Bottleneck => bottleneck(&transport, &scaled, &floors, residual),
        _ => transport.choose(&vec![false; scaled.len()]),
    };
    let up = up.unwrap_or_else(|| vec![false; scaled.len()]);
    floors.iter().zip(up).map(|(floor, up)| floor + u32::from(up)).collect()
}

/// The least single-hop throughput of any legal rounding with one residual graph: each entry rounded
/// down, and one circuit more. A bound, not the value of a rounding.
pub fn floor_bound(demand: &Demand, k: u32) -> f64 {
    let scale = f64::from((k - 1) * demand.nodes() as u32) / demand.largest_sum();
    let ratios = demand.pairs().map(|(_, _, rate)| snap(rate * scale));
    let least = ratios.map(|entry| (entry.floor() + 1.0) / entry).fold(f64::INFINITY, f64::min);
    least * f64::from(k - 1) / f64::from(k)
}

fn snap(x: f64) -> f64 {
    let whole = x.round();
    if (x - whole).abs() < SNAP * whole.max(1.0) { whole } else { x }
}

/// How many entries of each row, of each column and of all have to be rounded up, at least and at
/// most.
struct Limits {
    rows: Vec<(u32, u32)>,
    columns: Vec<(u32, u32)>,
    total: (u32, u32),
}

fn limits(nodes: usize, scaled: &[f64], floors: &[u32]) -> Limits {
    let line = |pairs: &mut dyn Iterator<Item = usize>| {
        let (mut sum, mut floor) = (0.0, 0);
        for pair in pairs {
            sum += scaled[pair];
            floor += floors[pair];
        }
        let sum = snap(sum);
        (sum.floor() as u32 - floor, sum.ceil() as u32 - floor)
    };
    Limits {
        rows: (0..nodes).map(|row| line(&mut (row * nodes..(row + 1) * nodes))).collect(),
        columns: (0..nodes).map(|j| line(&mut (j..nodes * nodes).step_by(nodes))).collect(),
        total: line(&mut (0..nodes * nodes)),
    }
}

/// Rounds up every entry whose ratio would else be below a threshold, the highest that leaves a
/// legal rounding.
fn bottleneck(
    transport: &Transport,
    scaled: &[f64],
    floors: &[u32],
    residual: u32,
) -> Option<Vec<bool>> {
    let ratio = |pair: usize| f64::from(floors[pair] + residual) / scaled[pair];
    let is_whole = |pair: usize| scaled[pair] == f64::from(floors[pair]);
    let demanded = |pair: &usize| scaled[*pair] > 0.0;
    let whole = (0..scaled.len()).filter(demanded).filter(|&pair| is_whole(pair)).map(ratio);
    let cap = whole.fold(f64::INFINITY, f64::min);
    let parts = (0..scaled.len()).filter(demanded).filter(|&pair| !is_whole(pair));
    let mut ratios: Vec<f64> = parts.map(ratio).filter(|ratio| *ratio < cap).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.dedup();
    let with = |many: usize| {
        let below = |pair: usize| many > 0 && ratio(pair) <= ratios[many - 1];
        let forced = |pair| scaled[pair] > 0.0 && !is_whole(pair) && below(pair);
        transport.choose(&(0..scaled.len()).map(forced).collect::<Vec<bool>>())
    };
    let (mut good, mut bad) = (0, ratios.len() + 1);
    let mut best = with(0);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        match with(middle) {
            Some(up) => (good, best) = (middle, Some(up)),
            None => bad = middle,
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use raddle_schemes::rng::Rng;

    fn random(nodes: usize, seed: u64) -> Demand {
        let mut rng = Rng::new(seed, "rounding", 0);
        let share = rng.unit();
        let rates: Vec<f64> = (0..nodes * nodes)
            .map(|_| if rng.unit() < share { rng.exponential(1.0) } else { 0.0 })
            .collect();
        let demand = Demand::of(nodes, |i, j| rates[i * nodes + j]);
        if demand.largest_sum() > 0.0 { demand } else { pattern::uniform(nodes) }
    }

    fn sums(nodes: usize, of: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let rows = (0..nodes).map(|i| (0..nodes).map(|j| of(i, j)).sum());
        let columns = (0..nodes).map(|j| (0..nodes).map(|i| of(i, j)).sum());
        let all = (0..nodes * nodes).map(|pair| of(pair / nodes, pair % nodes)).sum();
        rows.chain(columns).chain([all]).collect()
    }

    #[test]
    fn entries_sums_and_total_go_to_the_whole_number_below_or_above() {
        for seed in 0..1000 {
            let nodes = 2 + seed as usize % 15;
            let k = 2 + (seed as u32 / 15) % 7;
            let (demand, scale) = (random(nodes, seed), (k - 1) * nodes as u32);
            let factor = f64::from(scale) / demand.largest_sum();
            let real = |i: usize, j: usize| snap(demand.rate(i, j) * factor);
            for rule in [Rounding::Any, Rounding::Bottleneck] {
                let rounded = round(&demand, scale, 1, rule);
                let whole = |i: usize, j: usize| f64::from(rounded[i * nodes + j]);
                for (pair, &whole) in rounded.iter().enumerate() {
                    let (real, whole) = (real(pair / nodes, pair % nodes), f64::from(whole));
                    assert!(whole == real.floor() || whole == real.ceil(), "{seed} {real} {whole}");
                }
                for (real, whole) in sums(nodes, real).into_iter().zip(sums(nodes, whole)) {
                    let real = snap(real);
                    assert!(whole == real.floor() || whole == real.ceil(), "{seed} {real} {whole}");
                }
            }
        }
    }

    #[test]
    fn the_bottleneck_rule_is_never_below_any_and_any_never_below_the_bound() {
        for seed in 0..100 {
            let (nodes, k) = (3 + seed as usize % 8, 3);
            let demand = random(nodes, seed);
            let scale = (k - 1) * nodes as u32;
            let factor = f64::from(scale) / demand.largest_sum();
            let theta = |rule| {
                let rounded = round(&demand, scale, 1, rule);
                let ratios = demand
                    .pairs()
                    .map(|(i, j, rate)| f64::from(rounded[i * nodes + j] + 1) / (rate * factor));
                ratios.fold(f64::INFINITY, f64::min) * 2.0 / 3.0
            };
            let (any, best) = (theta(Rounding::Any), theta(Rounding::Bottleneck));
            assert!(best >= any - 1e-12 && any >= floor_bound(&demand, k) - 1e-9, "{seed}");
        }
    }

    /// Every legal rounding of tiny matrices is tried.
    #[test]
    fn both_rules_reach_what_no_legal_rounding_exceeds() {
        for seed in 0..40 {
            let (nodes, scale) = (3, 6);
            let demand = random(nodes, seed);
            let factor = f64::from(scale) / demand.largest_sum();
            let real: Vec<f64> =
                (0..9).map(|pair| snap(demand.rate(pair / 3, pair % 3) * factor)).collect();
            let legal = |up: &[f64]| {
                let to = sums(3, |i, j| up[i * 3 + j]);
                let from = sums(3, |i, j| real[i * 3 + j]);
                let near = |(to, from): (&f64, &f64)| {
                    *to == snap(*from).floor() || *to == snap(*from).ceil()
                };
                to.iter().zip(&from).all(near)
            };
            let (mut weight, mut ratio) = (0.0_f64, 0.0_f64);
            for mask in 0..512_u32 {
                let bit = |pair: usize| f64::from(mask >> pair & 1);
                let up: Vec<f64> = (0..9).map(|p| real[p].floor() + bit(p)).collect();
                let inside = (0..9).all(|p| up[p] <= real[p].ceil());
                if inside && legal(&up) {
                    weight = weight.max((0..9).map(|p| bit(p) * real[p].fract()).sum());
                    let ratios = (0..9).filter(|&p| real[p] > 0.0).map(|p| (up[p] + 1.0) / real[p]);
                    ratio = ratio.max(ratios.fold(f64::INFINITY, f64::min));
                }
            }
            let any = round(&demand, scale, 1, Rounding::Any);
            let found: f64 =
                (0..9).map(|p| (f64::from(any[p]) - real[p].floor()) * real[p].fract()).sum();
            assert!((found - weight).abs() < 1e-5, "{seed}: {found} {weight}");
            let best = round(&demand, scale, 1, Rounding::Bottleneck);
            let ratios =
                (0..9).filter(|&p| real[p] > 0.0).map(|p| f64::from(best[p] + 1) / real[p]);
            let found = ratios.fold(f64::INFINITY, f64::min);
            assert!((found - ratio).abs() < 1e-9, "{seed}: {found} {ratio}");
        }
    }

    #[test]
    fn dust_of_products_is_no_fraction() {
        let demand = Demand::of(4, |i, j| [0.0, 0.7, 0.2, 0.1][(j + 4 - i) % 4]);
        let rounded = round(&demand, 10, 1, Rounding::Bottleneck);
        assert_eq!(rounded[..4], [0, 7, 2, 1]);
    }
}
