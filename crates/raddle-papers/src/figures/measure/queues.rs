//! `queue_max`, `queue_above`, `queue_mean`: queues of recorded ports in a window, and those of all
//! switches.

use super::super::layer::queue_packets_mean;
use super::super::run::FigureRun;
use super::in_cell::OfRun;
use super::series::{Window, queue_above, queue_max, read_window};
use raddle::scenario::reader::Reader;
use raddle_schemes::size::Size;

/// The longest queue, in units of a size.
#[derive(Debug)]
pub(super) struct Max {
    unit: Size,
    window: Window,
}

/// The share of the buckets in which the longest queue exceeds a threshold.
#[derive(Debug)]
pub(super) struct Above {
    threshold: Size,
    window: Window,
}

/// The mean data queued in all switch queues over the sending time, in full packets.
#[derive(Debug)]
pub(super) struct Mean;

const SIZE: &str = "\"20 packets\"";

impl OfRun for Max {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let unit = reader.need("unit", SIZE);
        let window = read_window(reader);
        Some(Self { unit: unit?, window })
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        queue_max(run, self.unit, self.window)
    }
}

impl OfRun for Above {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let threshold = reader.need("threshold", SIZE);
        let window = read_window(reader);
        Some(Self { threshold: threshold?, window })
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        queue_above(run, self.threshold, self.window)
    }
}

impl OfRun for Mean {
    fn read(_: &mut Reader<'_>) -> Option<Self> {
        Some(Self)
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        queue_packets_mean(run)
    }
}
