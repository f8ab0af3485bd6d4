//! How full the memory of switches is: the data that their recorded ports hold.

use super::prepare::FigureRun;
use raddle::study::quantiles::Share;
use raddle_sim::topology::Node;
use std::collections::BTreeMap;

/// A percentile (nearest rank, in bytes) of what a switch's recorded ports hold together. There is a
/// value for each of these switches and each bucket until the last flow begins: the mean over the
/// bucket, which `record.queue_means` measures. `None` where it does not.
pub(super) fn held(run: &FigureRun, share: Share) -> Option<f64> {
    at(samples(run)?, share)
}

/// All these values, switch by switch.
pub(super) fn samples(run: &FigureRun) -> Option<Vec<u64>> {
    let (plan, outcome) = (&run.finished.plan, &run.finished.outcome);
    let last = outcome.flows.iter().filter_map(|flow| flow.started).max()?;
    let buckets = last.0.checked_div(plan.record.bucket.0)? as usize;
    let mut switches = BTreeMap::<usize, Vec<u64>>::new();
    for (port, series) in plan.record.ports.iter().zip(&outcome.series) {
        let Node::Switch(switch) = plan.fabric.ports[port.index()].owner else { continue };
        let sums = switches.entry(switch.index()).or_insert_with(|| vec![0; buckets]);
        sums.iter_mut().zip(&series.queue_bytes_mean).for_each(|(sum, mean)| *sum += mean);
    }
    let measured = outcome.series.iter().any(|series| !series.queue_bytes_mean.is_empty());
    measured.then(|| switches.into_values().flatten().collect())
}

/// The value of nearest rank.
fn at(mut values: Vec<u64>, share: Share) -> Option<f64> {
    values.sort_unstable();
    ranked(&values, share.permille())
}

/// The value of nearest rank of ascending ones.
pub(super) fn ranked(values: &[u64], permille: usize) -> Option<f64> {
    let rank = (values.len() * permille).div_ceil(1000).max(1);
    values.get(rank - 1).map(|&value| value as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_value_of_nearest_rank() {
        let values = || (1..=1000).rev().collect::<Vec<u64>>();
        let of = |share| at(values(), share);
        assert_eq!((of(Share::P50), of(Share::P99)), (Some(500.0), Some(990.0)));
        assert_eq!((of(Share::P99_9), at(vec![7], Share::P50)), (Some(999.0), Some(7.0)));
        assert_eq!(at(Vec::new(), Share::P99), None);
    }
}
