//! Closed forms: what the designs guarantee.

use raddle_schemes::units::{Bytes, Rate, Span};

/// Throughput of a fabric that emulates a graph of this degree, in the worst case and with as much
/// memory as it wants: 1 over twice the logarithm of the nodes (Mars, Theorem 17).
pub fn mars_throughput(nodes: usize, degree: f64) -> f64 {
    libm::log(degree) / (2.0 * libm::log(nodes as f64))
}

/// The same with `buffer` at each node: at most what the buffer covers (Mars, Theorem 16).
pub fn mars_throughput_within(nodes: usize, degree: f64, buffer: Bytes, per_slot: f64) -> f64 {
    let free = mars_throughput(nodes, degree);
    free.min(free * buffer.0 as f64 / (degree * per_slot))
}

/// The longest delay, in seconds, of a fabric that emulates a graph of this degree (Mars, Theorem
/// 15 in its working form).
pub fn mars_delay(nodes: usize, uplinks: u32, slot: Span, degree: f64) -> f64 {
    let hops = 2.0 * libm::log(nodes as f64) / libm::log(degree);
    hops * degree * seconds(slot) / f64::from(uplinks)
}

/// What each node has to hold, in bytes (Mars, Theorem 16 for regular graphs).
pub fn mars_buffer(degree: f64, rate: Rate, slot: Span) -> f64 {
    degree * bytes_per_slot(rate, slot)
}

/// Bytes of a link in a slot.
pub fn bytes_per_slot(rate: Rate, slot: Span) -> f64 {
    // Whole bits, so that whole bytes come out whole.
    rate.0 as f64 * slot.0 as f64 / 8e12
}

fn seconds(span: Span) -> f64 {
    span.0 as f64 * 1e-12
}

/// Room for rounding before a degree is rounded down: a root of 3.9999999999 is 4.
const ROOM: f64 = 1e-9;

/// Both real degrees that a delay budget allows with equality, the smaller first: the solutions of
/// ln(d)/d = 2 ln(n) slot / (uplinks budget), on either side of e. `None` if the budget is shorter
/// than that of d = e, the least that any degree reaches.
///
/// The thesis argues that this never happens, by an inequality that does not hold
/// (-2 ln 2 = -1.386 is below -1/e).
pub fn degrees_by_delay(
    nodes: usize,
    uplinks: u32,
    slot: Span,
    budget: Span,
) -> Option<(f64, f64)> {
    let whole = 2.0 * libm::log(nodes as f64) * slot.0 as f64;
    let target = whole / (f64::from(uplinks) * budget.0 as f64);
    let e = std::f64::consts::E;
    if target > 1.0 / e {
        return None;
    }
    // ln(d)/d rises up to e and falls behind it.
    let solve = |mut low: f64, mut high: f64, rising: bool| {
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if (libm::log(middle) / middle < target) == rising {
                low = middle
            } else {
                high = middle
            }
        }
        f64::midpoint(low, high)
    };
    Some((solve(1.0, e, true), solve(e, 1e9, false)))
}

/// The shortest delay, in seconds, that any real degree reaches: that of d = e.
pub fn shortest_delay(nodes: usize, uplinks: u32, slot: Span) -> f64 {
    mars_delay(nodes, uplinks, slot, std::f64::consts::E)
}

/// The degree that a delay budget allows (Mars, Theorem 18): the larger root, rounded down.
pub fn degree_by_delay(nodes: usize, uplinks: u32, slot: Span, budget: Span) -> Option<u32> {
    let (_, larger) = degrees_by_delay(nodes, uplinks, slot, budget)?;
    Some((larger + ROOM).floor() as u32)
}

/// The degree that a node's buffer allows (Mars, Theorem 19).
pub fn degree_by_buffer(buffer: Bytes, rate: Rate, slot: Span) -> u32 {
    (buffer.0 as f64 / bytes_per_slot(rate, slot) + ROOM).floor() as u32
}

/// Throughput of Vermilion of trust `gamma` where the prediction is right: at least 1/2 of what is
/// possible, by the oblivious graph, or (gamma - 1)/gamma (Theorems 22 and 24).
pub fn consistency(gamma: f64) -> f64 {
    (1.0 - 1.0 / gamma).max(0.5)
}

/// Throughput of Vermilion of trust `gamma` whatever was predicted, over two hops (Theorem 25).
pub fn robustness(gamma: f64) -> f64 {
    0.5 / gamma
}

/// Consistency and robustness where each trust r comes with its chance, 1 first (Theorems 26, 27).
pub fn mixture(chances: &[f64]) -> (f64, f64) {
    let each = |of: fn(f64) -> f64| {
        (1..).zip(chances).map(|(r, chance)| chance * of(f64::from(r))).sum::<f64>()
    };
    (each(consistency), each(robustness))
}

/// Every trust from 1 to `gamma` alike.
pub fn uniform(gamma: u32) -> Vec<f64> {
    vec![1.0 / f64::from(gamma); gamma as usize]
}

/// Trust 1 and trust `gamma` alone, as often as it takes for this consistency: the mixture of the
/// greatest robustness, as the upper edge of the trade-off region joins the two. With a gamma below
/// 3 nothing is to be gained, and trust 1 is all.
pub fn two_points(gamma: u32, consistent: f64) -> Vec<f64> {
    let mut chances = vec![0.0; gamma as usize];
    let reach = consistency(f64::from(gamma)) - 0.5;
    let share = if reach > 0.0 { ((consistent - 0.5) / reach).clamp(0.0, 1.0) } else { 0.0 };
    chances[0] = 1.0 - share;
    if let Some(last) = chances.last_mut() {
        *last += share;
    }
    chances
}

/// The corners of the region that mixtures of trust 1 to `gamma` reach: consistency, robustness.
pub fn hull(gamma: u32) -> Vec<(f64, f64)> {
    let corner = |r: u32| (consistency(f64::from(r)), robustness(f64::from(r)));
    let mut corners = vec![corner(1)];
    corners.extend([2, gamma].into_iter().filter(|&r| r > 1 && r <= gamma).map(corner));
    corners.dedup();
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Span = Span::us(100);
    const MB: u64 = 1_000_000;

    fn near(found: f64, expected: f64, room: f64) {
        assert!((found - expected).abs() <= room, "{found} {expected}");
    }

    #[test]
    fn a_delay_of_850_us_allows_degree_4_on_the_larger_branch() {
        let (smaller, larger) = degrees_by_delay(16, 2, SLOT, Span::us(850)).unwrap();
        near(larger, 4.8247, 1e-3);
        near(smaller, 1.797, 1e-3);
        assert_eq!(degree_by_delay(16, 2, SLOT, Span::us(850)), Some(4));
    }

    #[test]
    fn a_delay_of_800_us_allows_4_and_2_exactly_and_one_of_750_none() {
        let (smaller, larger) = degrees_by_delay(16, 2, SLOT, Span::us(800)).unwrap();
        near(smaller, 2.0, 1e-9);
        near(larger, 4.0, 1e-9);
        assert_eq!(degree_by_delay(16, 2, SLOT, Span::us(800)), Some(4));
        assert_eq!(degree_by_delay(16, 2, SLOT, Span::us(1600)), Some(16));
        assert_eq!(degree_by_delay(16, 2, SLOT, Span::us(750)), None);
        near(shortest_delay(16, 2, SLOT) * 1e6, 753.67, 0.1);
        // Of whole degrees 3 is the best.
        let delay = |degree| mars_delay(16, 2, SLOT, degree) * 1e6;
        assert!(delay(3.0) < delay(2.0) && delay(3.0) < delay(4.0));
        near(delay(2.0), delay(4.0), 1e-9);
    }

    #[test]
    fn a_buffer_of_20_mb_allows_degree_4_and_80_mb_allow_16() {
        let rate = Rate::gbps(400);
        assert_eq!(degree_by_buffer(Bytes(20 * MB), rate, SLOT), 4);
        assert_eq!(degree_by_buffer(Bytes(80 * MB), rate, SLOT), 16);
    }

    #[test]
    fn the_worked_example_of_16_nodes_is_best_at_degree_4() {
        let per_slot = bytes_per_slot(Rate::gbps(400), SLOT);
        near(per_slot, 5e6, 1e-3);
        let within = |degree: f64| mars_throughput_within(16, degree, Bytes(20 * MB), per_slot);
        for (degree, expected) in
            [(3.0, 0.1981), (4.0, 0.25), (5.0, 0.2322), (8.0, 0.1875), (16.0, 0.125)]
        {
            near(within(degree), expected, 5e-5);
        }
        near(mars_throughput(16, 2.0), 0.125, 1e-9);
        let best = (2..=16).max_by(|a, b| within(f64::from(*a)).total_cmp(&within(f64::from(*b))));
        assert_eq!(best, Some(4));
        for (degree, delay, buffer) in [
            (3.0, 757.0, 15e6),
            (4.0, 800.0, 20e6),
            (5.0, 861.0, 25e6),
            (8.0, 1067.0, 40e6),
            (16.0, 1600.0, 80e6),
        ] {
            near(mars_delay(16, 2, SLOT, degree) * 1e6, delay, 0.5);
            near(mars_buffer(degree, Rate::gbps(400), SLOT), buffer, 1.0);
        }
        // A static graph ties with the complete one at 20 MB and beats it at 10 MB.
        near(mars_throughput_within(16, 16.0, Bytes(10 * MB), per_slot), 0.0625, 1e-9);
    }

    #[test]
    fn consistency_and_robustness_are_as_printed() {
        for (gamma, consistent, robust, mixed, mixed_robust) in [
            (1, 0.5, 0.5, 0.5, 0.5),
            (2, 0.5, 0.25, 0.5, 0.375),
            (3, 0.66667, 0.16667, 0.55556, 0.30556),
            (5, 0.8, 0.1, 0.64333, 0.22833),
            (10, 0.9, 0.05, 0.75710, 0.14645),
            (100, 0.99, 0.005, 0.95313, 0.02594),
        ] {
            near(consistency(f64::from(gamma)), consistent, 5e-6);
            near(robustness(f64::from(gamma)), robust, 5e-6);
            let (all, any) = mixture(&uniform(gamma));
            near(all, mixed, 5e-6);
            near(any, mixed_robust, 5e-6);
        }
    }

    #[test]
    fn hulls_are_nested_triangles() {
        let corners = |gamma| hull(gamma);
        assert_eq!(corners(3)[..2], [(0.5, 0.5), (0.5, 0.25)]);
        for (gamma, last) in [(3, (0.66667, 0.16667)), (5, (0.8, 0.1)), (100, (0.99, 0.005))] {
            near(corners(gamma)[2].0, last.0, 5e-6);
            near(corners(gamma)[2].1, last.1, 5e-6);
        }
        // A corner is inside a larger hull if it lies between its edges.
        for (small, large) in [(3, 5), (5, 100)] {
            let (a, b) = corners(small)[2];
            let (end, low) = corners(large)[2];
            assert!(a <= end && b >= (1.0 - a) / 2.0 - 1e-12);
            assert!(b <= 0.5 + (a - 0.5) * (low - 0.5) / (end - 0.5));
        }
    }

    #[test]
    fn two_points_beat_uniform_chances_at_the_same_consistency() {
        let (consistent, robust) = mixture(&uniform(10));
        let chances = two_points(10, consistent);
        near(chances[0], 0.35724, 5e-6);
        near(chances[9], 0.64276, 5e-6);
        let (same, better) = mixture(&chances);
        near(same, 0.75710, 1e-5);
        near(better, 0.21076, 1e-5);
        assert!(better > robust);
        assert_eq!(two_points(2, 0.5), [1.0, 0.0]);
    }
}
