//! `kind = "poisson"`: flows at random times, whatever became of earlier ones.

use super::open_loop::OpenLoop;
use super::placement::{range, range_line};
use super::{Kind, Made, Misfit, Pattern, TrafficSection, line};
use crate::scenario::files::Files;
use crate::scenario::reader::{Log, Reader};
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::poisson::{LoadBase, Poisson, Receivers};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "poisson",
    summary: "flows of random sizes arrive at random times, between random hosts",
    draws: true,
    read,
};

fn read(reader: &mut Reader<'_>, files: &Files, _: u8) -> Option<Made> {
    let base: LoadBase = reader.or("base", LoadBase::HostLink);
    let receivers: Receivers = reader.or("receivers", Receivers::Any);
    let (senders, destinations) = (range(reader, "senders"), range(reader, "destinations"));
    let open = OpenLoop::read(reader, files);
    let (senders, destinations, open) = (senders.ok()?, destinations.ok()?, open?);
    let (mut lines, title) = (open.lines(line("base", &base)), open.title());
    // Not shown where it is what scenarios had before there was a choice.
    lines.extend((receivers != Receivers::Any).then(|| line("receivers", &receivers)));
    lines.extend(senders.map(|hosts| range_line("senders", hosts)));
    lines.extend(destinations.map(|hosts| range_line("destinations", hosts)));
    let OpenLoop { law, sampling, load, until, files, .. } = open;
    let horizon = Time(until.0);
    let pattern =
        Arc::new(Poisson { law, sampling, load, base, senders, receivers, destinations, horizon });
    Some(Made { pattern, lines, title, files })
}

impl Pattern for Poisson {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        Ok(Poisson::generate(self, fabric, seed)?)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        self.expected_flows(fabric)
    }

    fn largest(&self) -> Bytes {
        self.law.quantile(self.sampling, 1.0)
    }

    fn message_key(&self) -> &'static str {
        "law"
    }

    /// What it generates may be large: it is checked with the run's seed.
    fn check(&self, _: &TrafficSection, _: &Fabric, _: &Log) {}
}
