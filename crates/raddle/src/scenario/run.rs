//! `[run]`: seed, and when a run ends.

use super::key::{Section, keys};
use super::keyed::{Reader, span_or};
use super::limits::LATEST;
use super::reader::Log;
use super::scheme::shown;
use super::spec::{Place, quoted};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::topology::Fabric;

keys! {
    /// `[run]`.
    RUN: RunKeys = Section::new("run", "## [run]", "seed, and when a run ends") => {
        seed: Whole, (filled 1),
            "seed of every random stream";
        end: Either(&[Time, Exactly("never")]), (filled "never"),
            "simulated time at which the run stops, finished or not";
        patience: Either(&[Time, Exactly("auto")]), (filled "auto"),
            "a run stops as stalled when for this long no new packet was delivered and nothing is scheduled that could change it; has to exceed the longest timeout. `auto` is the longest of ten thousand times the slowest hop, ten retransmission timeouts, ten packets at the slowest pace, and 100 ms";
    }
}

/// `[run]`: when the run ends. Its seed belongs to the study.
#[derive(Clone, Debug)]
pub(crate) struct RunSection {
    pub(crate) end: Option<Time>,
    patience: Option<Span>,
    patience_place: Place,
}

impl RunSection {
    /// Reads the section.
    pub(crate) fn read(mut reader: Reader<'_>) -> Self {
        reader.need::<u64>(&RUN.seed);
        let end = span_or(&mut reader, &RUN.end);
        let patience: Option<Span> = reader.get(&RUN.patience).unwrap_or_default();
        let patience_place = reader.take(&RUN.patience).map(|item| item.place.clone());
        let patience_place = patience_place.unwrap_or_default();
        if patience.is_some_and(|patience| patience > LATEST) {
            let problem = patience_place.problem("`patience` is too long");
            reader.log().add(problem.label(format!("expected at most {LATEST}, or \"auto\"")));
        }
        if let (Some(Span::ZERO), Some(item)) = (end, reader.take(&RUN.end)) {
            let problem = item.place.problem("the run would end before it starts");
            reader.log().add(problem.label("expected a time, as in \"1 ms\", or \"never\""));
        }
        if let (true, Some(item)) = (end.is_some_and(|end| end > LATEST), reader.take(&RUN.end)) {
            let problem = item.place.problem("the end is too late");
            reader.log().add(problem.label(format!("expected at most {LATEST}, or \"never\"")));
        }
        reader.finish();
        Self { end: end.map(|end| Time(end.0)), patience, patience_place }
    }

    /// The given patience, or one that is long against anything a packet of this size can meet on
    /// this fabric: ten thousand times the slowest link's serialisation and latency, ten
    /// retransmission timeouts, ten packets at the slowest pace, and no less than 100 ms, which is
    /// ten times the longest timer of any scheme. A run whose patience ends before a timeout would give up on packets that are
    /// only lost, so that is a problem.
    pub(crate) fn patience(
        &self,
        fabric: &Fabric,
        packet: Bytes,
        rto: Span,
        pace: Option<Rate>,
        log: &Log,
    ) -> Span {
        if self.patience.is_some_and(|patience| patience <= rto) {
            let problem = self.patience_place.problem("the run would not wait for a lost packet");
            let label = format!("expected more than the retransmission timeout, {rto}");
            log.add(problem.label(label));
        }
        let hop = |(port, id): (&raddle_sim::topology::Port, u32)| {
            port.rate.serialisation(packet) + fabric.latency(PortId(id))
        };
        let slowest = fabric.ports.iter().zip(0..).map(hop).max().unwrap_or_default();
        let long = Span(slowest.0.saturating_mul(10_000));
        let timeouts = Span(rto.0.saturating_mul(10));
        let slot = pace.map_or(Span::ZERO, |rate| rate.serialisation(packet));
        let slots = Span(slot.0.saturating_mul(10));
        let auto = long.max(timeouts).max(slots).max(Span::ms(100));
        self.patience.unwrap_or(auto.min(LATEST))
    }

    /// The section's lines, without the seed: it is not part of what a scenario is.
    pub(crate) fn resolved(&self, patience: Span) -> String {
        let end = self.end.map_or(quoted("never"), |end| quoted(&end.to_string()));
        format!("[run]\nend = {end}\npatience = {}\n", shown(&patience))
    }
}
