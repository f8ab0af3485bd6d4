//! Thinning: no more points than a screen can show, with every minimum and maximum kept.

use super::data::Detail;

/// Most buckets of one series in a page.
const BUCKETS_MAX: usize = 2000;
/// Fewest buckets a series is thinned to.
const BUCKETS_MIN: usize = 50;
/// Numbers of all port series together; about one and a half megabytes of JSON.
const NUMBERS_MAX: usize = 200_000;
/// Numbers a page keeps per port and bucket: sum, least and most of bytes, frames, and least and
/// most of the queue.
const NUMBERS_PER_BUCKET: usize = 6;
/// Events listed one by one, all details together.
const EVENTS_MAX: usize = 5000;
/// Most events listed of one detail.
const EVENTS_PER_DETAIL_MAX: usize = 500;
/// Completion times of all distributions together.
const TIMES_MAX: usize = 58_000;
/// Most points of one distribution.
const POINTS_MAX: usize = 2000;
/// Fewest points a distribution is thinned to.
const POINTS_MIN: usize = 100;
/// Of the points of a thinned distribution, one in so many is spent on the slowest flows, each of
/// which is kept.
const TAIL_SHARE: usize = 10;

/// How many buckets to join into one so that all details fit a page.
pub(super) fn group(details: &[Detail], buckets: usize) -> usize {
    // The network-wide counts of a detail weigh about as much as a port.
    let series: usize = details.iter().map(|detail| detail.ports.len() + 1).sum();
    let share = NUMBERS_MAX / (NUMBERS_PER_BUCKET * series.max(1));
    buckets.div_ceil(share.clamp(BUCKETS_MIN, BUCKETS_MAX)).max(1)
}

/// How many events of each of `details` a page lists one by one.
pub(super) fn events(details: usize) -> usize {
    (EVENTS_MAX / details.max(1)).min(EVENTS_PER_DETAIL_MAX)
}

/// The sum of every group.
pub(super) fn sums<T: Copy + Into<u64>>(series: &[T], group: usize) -> Vec<u64> {
    series.chunks(group).map(|chunk| chunk.iter().map(|&value| value.into()).sum()).collect()
}

/// The greatest value of every group.
pub(super) fn most(series: &[u64], group: usize) -> Vec<u64> {
    series.chunks(group).map(|chunk| chunk.iter().copied().max().unwrap_or(0)).collect()
}

/// The least value of every group.
pub(super) fn least(series: &[u64], group: usize) -> Vec<u64> {
    series.chunks(group).map(|chunk| chunk.iter().copied().min().unwrap_or(0)).collect()
}

/// How many points each of `distributions` may keep so that all of them fit a page.
pub(super) fn points(distributions: usize) -> usize {
    (TIMES_MAX / distributions.max(1)).clamp(POINTS_MIN, POINTS_MAX)
}

/// The ranks of a sorted sample of `count` that stand for all of it, at most `points`: first,
/// last, the tail, and evenly spaced ones between.
pub(super) fn ranks(count: usize, points: usize) -> Vec<usize> {
    if count <= points {
        return (0..count).collect();
    }
    let tail = points / TAIL_SHARE;
    let (body, even) = (count - tail, points - tail);
    (0..even).map(|i| i * body / even).chain(body..count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Port;

    #[test]
    fn short_series_stay_as_they_are() {
        let details = [Detail { ports: vec![Port::default(); 8], ..Detail::default() }];
        assert_eq!(group(&details, 2000), 1);
        assert_eq!(group(&[], 0), 1);
    }

    #[test]
    fn long_series_shrink_to_the_limit() {
        let details = [Detail { ports: vec![Port::default(); 8], ..Detail::default() }];
        assert_eq!(group(&details, 2001), 2);
        assert_eq!(group(&details, 20_000), 10);
    }

    #[test]
    fn many_ports_share_one_budget() {
        let details = vec![Detail { ports: vec![Port::default(); 16], ..Detail::default() }; 9];
        let buckets = 1000usize.div_ceil(group(&details, 1000));
        assert!(buckets * 16 * 9 * NUMBERS_PER_BUCKET <= NUMBERS_MAX);
    }

    #[test]
    fn groups_keep_sum_least_and_most() {
        let series = [3u64, 9, 1, 4, 7];
        assert_eq!(sums(&series, 2), [12, 5, 7]);
        assert_eq!(most(&series, 2), [9, 4, 7]);
        assert_eq!(least(&series, 2), [3, 1, 7]);
    }

    #[test]
    fn many_distributions_share_one_budget() {
        assert_eq!(points(9), 2000);
        assert_eq!(points(100), TIMES_MAX / 100);
        assert_eq!(points(10_000), 100);
    }

    #[test]
    fn a_thinned_distribution_keeps_both_ends_and_the_tail() {
        assert_eq!(ranks(3, 2000), [0, 1, 2]);
        let ranks = ranks(100_000, 2000);
        assert_eq!(ranks.len(), 2000);
        assert_eq!(ranks[0], 0);
        assert_eq!(ranks[1800..], (99_800..100_000).collect::<Vec<_>>());
        assert!(ranks.is_sorted());
    }
}
