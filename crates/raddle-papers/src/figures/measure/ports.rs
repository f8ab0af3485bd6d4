//! `port_share`, `port_shares`, `port_rate_gbps`, `port_fairness`: what recorded ports did in a
//! window.

use super::super::reading::{text, words};
use super::super::run::FigureRun;
use super::super::statistic::Across;
use super::in_cell::OfRun;
use super::series::{
    Each, Window, fairness, offered_share, offered_shares, rate_gbps, read_window,
};
use raddle::scenario::reader::Reader;

/// Packets that a port was given, lost ones included, over the mean of the other recorded ports.
#[derive(Debug)]
pub(super) struct Share {
    port: String,
    window: Window,
}

/// The same of each recorded port over the mean of them all.
#[derive(Debug)]
pub(super) struct Shares {
    /// Over the ports.
    across: Across,
    window: Window,
}

/// Gbit/s that left recorded ports.
#[derive(Debug)]
pub(super) struct Rate {
    /// One port; all recorded ones if none is given.
    port: Option<String>,
    /// One that is left out.
    except: Option<String>,
    /// Over the ports, and over the buckets if each has a rate.
    across: Across,
    each: Each,
    window: Window,
}

/// Jain's index of the rates of some recorded ports.
#[derive(Debug)]
pub(super) struct Fairness {
    ports: Vec<String>,
    window: Window,
}

impl OfRun for Share {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let port = text(reader, "port");
        let window = read_window(reader);
        Some(Self { port: port?, window })
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        offered_share(run, &self.port, self.window)
    }
}

impl OfRun for Shares {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let across = reader.need("across", "\"max\"");
        let window = read_window(reader);
        Some(Self { across: across?, window })
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        self.across.of(offered_shares(run, self.window)?)
    }
}

impl OfRun for Rate {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut optional = |key| reader.take(key).is_some().then(|| text(reader, key)).flatten();
        let (port, except) = (optional("port"), optional("except"));
        let across = reader.or("across", Across::Mean);
        let each = reader.or("each", Each::Window);
        let window = read_window(reader);
        Some(Self { port, except, across, each, window })
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        let chosen = |name: &str| {
            self.port.as_ref().is_none_or(|port| port == name)
                && self.except.as_ref().is_none_or(|except| except != name)
        };
        self.across.of(rate_gbps(run, chosen, self.each, self.window)?)
    }
}

impl OfRun for Fairness {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let item = reader.demand("ports", "[\"host0\", \"host1\"]")?;
        let log = reader.log();
        let Some(items) = item.list() else {
            log.add(item.place.problem("`ports` is a list of names of ports"));
            return None;
        };
        let ports: Option<Vec<String>> =
            items.iter().map(|item| words("ports", item, log)).collect();
        let window = read_window(reader);
        Some(Self { ports: ports?, window })
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        fairness(run, &self.ports, self.window)
    }
}
