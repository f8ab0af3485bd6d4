//! What circuits and hybrid ToRs ask of a plan.

use super::LimitError;
use crate::engine::HORIZON;
use crate::faults::PortChange;
use crate::faults::gate::Opening;
use crate::plan::{BufferPlan, Plan, Service};
use crate::topology::circuits::Circuits;
use raddle_schemes::Need;
use raddle_schemes::load_balance::host;
use raddle_schemes::units::{Bytes, Rate, Span, Time};

impl Plan {
    /// ToRs that keep bulk data need a class of it beside another, and circuits for which it waits.
    pub(super) fn check_bulk(&self) -> Result<(), LimitError> {
        let against = [
            (self.waiting_classes() == 0, "no class that waits for circuits"),
            (self.queue.classes < 2, "one class of data"),
            (self.queue.service == Service::Fifo, "one queue for everything"),
            (self.fabric.switches.len() > 1 << 16, "numbers of ToRs that do not fit a message"),
        ];
        let found = against.into_iter().find(|(is, _)| *is && self.keeps_bulk());
        found.map_or(Ok(()), |(_, why)| Err(LimitError::Bulk { why }))
    }

    /// What is taken out of its queue needs nothing else than its way.
    pub(super) fn check_slices(&self) -> Result<(), LimitError> {
        let circuits = self.fabric.circuits.as_ref();
        if circuits.is_none_or(|circuits| circuits.slicing.is_none()) {
            return Ok(());
        }
        let sees_switch = |own: &BufferPlan| own.policy.sees_switch();
        let transport = &self.transport;
        let mut hosts = transport.other_load_balances.iter().chain([&transport.load_balance]);
        let names = |own: &host::Config| {
            let needs = own.card().needs;
            needs.contains(&Need::SourceRouting) || needs.contains(&Need::Planner)
        };
        let beside = [
            (
                self.switch_load_balance.makes_detours(),
                "switches that send packets by way of others",
            ),
            (self.switch_load_balance.looks_before(), "a scheme that looks at queues as they were"),
            (
                self.tor.is_some() && !self.keeps_bulk(),
                "middleware, which may hold what is sent on",
            ),
            (self.has_telemetry(), "telemetry, which is of queues that a packet left"),
            (self.buffer.as_ref().is_some_and(sees_switch), "memory that sees the whole switch"),
            (hosts.any(names), "hosts that name routes"),
            (!self.faults.clocks.is_empty(), "clocks that are off"),
        ];
        let found = beside.into_iter().find(|(is, _)| *is);
        found.map_or(Ok(()), |(_, what)| Err(LimitError::Slices { what }))
    }

    /// What hybrid ToRs go with.
    pub(super) fn check_hybrid(&self) -> Result<(), LimitError> {
        if self.fabric.packet_network().is_none() {
            return Ok(());
        }
        let resizes = |own: &BufferPlan| own.policy.card().needs.contains(&Need::Circuits);
        if self.tor.is_some() {
            return Err(LimitError::Hybrid("middleware"));
        }
        if self.buffer.as_ref().is_some_and(|own| !resizes(own)) {
            return Err(LimitError::Hybrid("memory that ports share"));
        }
        for (port, changes) in &self.faults.ports {
            let goes_down = changes.iter().any(|(_, change)| *change == PortChange::Down);
            if goes_down && self.fabric.day(*port).is_some() {
                let link = self.fabric.ports[port.index()].name.clone();
                return Err(LimitError::HybridFault { link });
            }
        }
        Ok(())
    }

    /// The largest frame fits into some opening of each link, at its slowest.
    pub(super) fn check_gates(&self, largest: Bytes, slowest: &[Rate]) -> Result<(), LimitError> {
        let Some(whole) = &self.fabric.circuits else { return Ok(()) };
        for circuits in whole.schedules() {
            self.check_gates_of(circuits, largest, slowest)?;
        }
        Ok(())
    }

    pub(super) fn check_gates_of(
        &self,
        circuits: &Circuits,
        largest: Bytes,
        slowest: &[Rate],
    ) -> Result<(), LimitError> {
        let gates = circuits
            .lanes
            .iter()
            .filter_map(|lane| self.gate(lane.port).map(|_| (lane, circuits.own_gate(lane))));
        for (lane, mut gate) in gates.filter(|(lane, _)| !lane.openings.is_empty()) {
            if self.queue.pfc.is_some() {
                return Err(LimitError::GatesWithPauses);
            }
            let port = &self.fabric.ports[lane.port.index()];
            let rate = slowest[lane.port.index()];
            gate.scale(rate.0, port.rate.0);
            let changes = self.faults.changes_of(lane.port).iter();
            let dead = changes.filter_map(|(_, change)| match change {
                PortChange::Uplinks { dead } => Some(*dead),
                _ => None,
            });
            let dead: Vec<u64> = dead.collect();
            // Fewer uplinks at once are slower.
            let never_fits = [0].iter().chain(&dead).any(|&dead| {
                let is_left = lane.uplinks.iter().any(|own| *own == 0 || own & !dead != 0);
                gate.set_dead(dead);
                is_left && gate.next_start(Time::ZERO, largest) == Time::NEVER
            });
            if never_fits {
                let length = |own: &Opening| Span(own.until.0 - own.from.0);
                let open = lane.openings.iter().map(length).max().unwrap_or(Span::ZERO);
                let time = rate.serialisation(largest) + circuits.guard;
                let link = port.name.clone();
                return Err(LimitError::Gate { link, bytes: largest, open, time });
            }
            // An opening may be slower than the fastest, which the rates of faults refer to.
            let together =
                |uplinks: u64| if dead.is_empty() { 1 } else { uplinks.count_ones().max(1) };
            let rates = lane.openings.iter().zip(&lane.uplinks);
            let rates =
                rates.map(|(own, &uplinks)| Rate(own.rate.0 / u64::from(together(uplinks))));
            let least = rates.min().unwrap_or(port.rate);
            let slower = u128::from(least.0) * u128::from(rate.0) / u128::from(port.rate.0.max(1));
            let rate = Rate(slower as u64);
            let latency = self.fabric.latency(lane.port);
            let time = Span(Rate(rate.0.max(1)).serialisation(largest).0.saturating_add(latency.0));
            if rate.0 == 0 || time.0 >= HORIZON.0 {
                let link = port.name.clone();
                return Err(LimitError::Horizon { link, rate, time: Some(time) });
            }
        }
        Ok(())
    }
}
