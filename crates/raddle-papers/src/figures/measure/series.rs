//! Measures over time: what recorded ports did in a window.

use super::super::run::FigureRun;
use raddle::scenario::reader::Reader;
use raddle_schemes::size::{Base, Size};
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::record::PortSeries;
use std::ops::Range;

raddle_schemes::words! {
    /// What has a rate.
    pub enum Each {
        /// The whole window.
        Window = "window",
        /// Each of its buckets.
        Bucket = "bucket",
    }
}

/// A stretch of a run. Only buckets that lie wholly inside count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// When it begins; at the start if not given.
    from: Option<Span>,
    /// When it ends; when the first flow completes if not given.
    until: Option<Span>,
}

/// Reads `from` and `until`.
pub(super) fn read_window(reader: &mut Reader<'_>) -> Window {
    Window { from: reader.get("from"), until: reader.get("until") }
}

impl Window {
    /// The buckets; `None` if there are none.
    fn buckets(self, run: &FigureRun) -> Option<Range<usize>> {
        let width = run.finished.outcome.bucket.0;
        if width == 0 {
            return None;
        }
        let first_done = run.finished.outcome.flows.iter().filter_map(|flow| flow.acked).min();
        let until = self.until.map(|until| until.0).or(first_done.map(|time| time.0))?;
        let from = self.from.unwrap_or_default().0;
        let buckets = from.div_ceil(width) as usize..(until / width) as usize;
        (!buckets.is_empty()).then_some(buckets)
    }
}

/// The recorded ports: names and series.
fn ports(run: &FigureRun) -> impl Iterator<Item = (&str, &PortSeries)> {
    let plan = &run.finished.plan;
    let names = plan.record.ports.iter().map(|port| plan.fabric.ports[port.index()].name.as_str());
    names.zip(&run.finished.outcome.series)
}

fn sum<T: Copy + Into<u64>>(series: &[T], buckets: &Range<usize>) -> u64 {
    series.iter().skip(buckets.start).take(buckets.len()).map(|&n| n.into()).sum()
}

/// Data packets that a port was given, those lost there included.
fn offered(series: &PortSeries, buckets: &Range<usize>) -> u64 {
    sum(&series.data_frames, buckets) + sum(&series.dropped_data, buckets)
}

/// What `port` was given over the mean of the other recorded ports.
pub(super) fn offered_share(run: &FigureRun, port: &str, window: Window) -> Option<f64> {
    let buckets = window.buckets(run)?;
    let offered = |series: &PortSeries| offered(series, &buckets);
    let own = ports(run).find(|(name, _)| *name == port).map(|(_, series)| offered(series))?;
    let others: Vec<u64> =
        ports(run).filter(|(name, _)| *name != port).map(|(_, series)| offered(series)).collect();
    let mean = others.iter().sum::<u64>() as f64 / others.len() as f64;
    (mean > 0.0).then(|| own as f64 / mean)
}

/// What each recorded port was given over the mean of them all.
pub(super) fn offered_shares(run: &FigureRun, window: Window) -> Option<Vec<f64>> {
    let buckets = window.buckets(run)?;
    let offered: Vec<u64> = ports(run).map(|(_, series)| offered(series, &buckets)).collect();
    let mean = offered.iter().sum::<u64>() as f64 / offered.len() as f64;
    (mean > 0.0).then(|| offered.into_iter().map(|own| own as f64 / mean).collect())
}

/// Gbit/s that left each of the chosen ports, in the window or in each of its buckets.
pub(super) fn rate_gbps(
    run: &FigureRun,
    chosen: impl Fn(&str) -> bool,
    each: Each,
    window: Window,
) -> Option<Vec<f64>> {
    let buckets = window.buckets(run)?;
    let parts: Vec<Range<usize>> = match each {
        Each::Window => vec![buckets],
        Each::Bucket => buckets.map(|bucket| bucket..bucket + 1).collect(),
    };
    let width = run.finished.outcome.bucket.0 as f64;
    let rate = |series: &PortSeries, part: &Range<usize>| {
        sum(&series.bytes, part) as f64 * 8e3 / (width * part.len() as f64)
    };
    let chosen = ports(run).filter(|(name, _)| chosen(name));
    let rates = chosen.flat_map(|(_, series)| parts.iter().map(move |part| rate(series, part)));
    Some(rates.collect())
}

/// Jain's index of the rates of these ports in the window: 1 if all are equal, 1 over their number if
/// one has it all.
pub(super) fn fairness(run: &FigureRun, names: &[String], window: Window) -> Option<f64> {
    let rates = rate_gbps(run, |name| names.iter().any(|own| own == name), Each::Window, window)?;
    jain(&rates)
}

fn jain(rates: &[f64]) -> Option<f64> {
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
    (squares > 0.0).then(|| sum * sum / (rates.len() as f64 * squares))
}

/// Per bucket, the longest queue of all recorded ports in bytes.
fn longest_queues(run: &FigureRun, window: Window) -> Option<Vec<u64>> {
    let longest = |bucket: usize| {
        ports(run).filter_map(|(_, series)| series.queue_bytes_max.get(bucket).copied()).max()
    };
    Some(window.buckets(run)?.map(|bucket| longest(bucket).unwrap_or(0)).collect())
}

fn bytes(run: &FigureRun, size: Size) -> f64 {
    let plan = &run.finished.plan;
    let whole = Bytes(0);
    size.resolve(&Base { packet: plan.packet(), bdp: Bytes(0), whole }).0 as f64
}

/// The longest queue of all recorded ports, in units of `unit`.
pub(super) fn queue_max(run: &FigureRun, unit: Size, window: Window) -> Option<f64> {
    let longest = longest_queues(run, window)?.into_iter().max()?;
    Some(longest as f64 / bytes(run, unit))
}

/// The share of buckets in which the longest queue exceeds `threshold`.
pub(super) fn queue_above(run: &FigureRun, threshold: Size, window: Window) -> Option<f64> {
    let queues = longest_queues(run, window)?;
    let threshold = bytes(run, threshold);
    let above = queues.iter().filter(|&&queue| queue as f64 > threshold).count();
    Some(above as f64 / queues.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_s_index_is_one_for_equals_and_the_least_for_one_that_has_all() {
        assert_eq!(jain(&[3.0, 3.0, 3.0]), Some(1.0));
        assert_eq!(jain(&[3.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[2.0, 1.0]), Some(0.9));
        assert_eq!((jain(&[]), jain(&[0.0])), (None, None));
    }
}
