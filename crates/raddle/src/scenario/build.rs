//! The glue to the simulator: fabrics from topologies, plans from scenarios.

use super::Scenario;
use super::fault::{FaultSection, fault_problem};
use super::followed::Chosen;
use super::jobs::Jobs;
use super::limits;
use super::memory;
use super::reader::Log;
use super::spec::Place;
use super::topology::Topology;
use crate::problem::Problem;
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::units::Rate;
use raddle_sim::faults::spec::FaultPlan;
use raddle_sim::faults::{Faults, PortChange};
use raddle_sim::limits::LimitError;
use raddle_sim::plan::Plan;
use raddle_sim::record::{RecordPlan, Slowest};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::routing::Forwarding;
use raddle_sim::workload::{Flow, Traffic};
use std::sync::Arc;

/// Fabrics built so far, by their resolved topology: the cells of a study share them.
#[derive(Default)]
pub(crate) struct Fabrics {
    built: Vec<(String, Option<Arc<Fabric>>)>,
}

impl Fabrics {
    /// The fabric of a topology, made for the traffic if its circuits are; its problems are added once.
    pub(crate) fn get(
        &mut self,
        topology: &Topology,
        traffic: Option<&Jobs>,
        log: &Log,
    ) -> Option<Arc<Fabric>> {
        let mut key = topology.resolved.clone();
        key.extend(topology.scale_up.iter().map(|own| own.resolved()));
        let follows = topology.shape.follows_traffic();
        if follows {
            key += &traffic?.resolved();
        }
        if let Some((_, fabric)) = self.built.iter().find(|(built, _)| *built == key) {
            return fabric.clone();
        }
        let mut fabric = build(topology, log);
        if let (true, Some(hosts), Some(traffic)) = (follows, &fabric, traffic) {
            fabric = match traffic.demand(hosts) {
                Ok(rates) => topology.shape.build_for(&rates, topology, log),
                Err(problem) => {
                    log.add(problem);
                    None
                }
            };
        }
        let fabric = match (&topology.scale_up, fabric) {
            (Some(servers), Some(hosts)) => servers.give(hosts, topology.shape.gpus(), log),
            (_, fabric) => fabric,
        };
        let fabric = fabric
            .map(|fabric| Fabric { host_latency: topology.host_delay, ..fabric })
            .filter(|fabric| limits::hosts(fabric.hosts.into(), topology.place(), log))
            .filter(|fabric| limits::shortest_way(fabric, topology.place(), log));
        let fabric = fabric.map(Arc::new);
        self.built.push((key, fabric.clone()));
        fabric
    }
}

fn build(topology: &Topology, log: &Log) -> Option<Fabric> {
    // Known before a fabric is built that would be thrown away.
    let fits = limits::hosts(topology.shape.hosts(), topology.place(), log);
    if fits { topology.shape.build(topology, log) } else { None }
}

impl Scenario {
    /// The run of one seed: everything the engines need.
    ///
    /// # Errors
    /// What only a draw can show: random faults that cut hosts off whatever is drawn, that set one
    /// property of a link twice or slow a slow link down too far, or traffic that does not fit the
    /// fabric.
    pub fn resolve(&self, seed: u64) -> Result<Plan, Problem> {
        let mut traffic = self.traffic.generate(&self.fabric, seed)?;
        if let Some(bulk) = self.topology.bulk() {
            traffic.flows.iter_mut().for_each(|flow| flow.class = u8::from(flow.bytes < bulk));
        }
        if let Some(message) = limits::traffic(&traffic, &self.fabric, self.queue.classes) {
            return Err(self.traffic.place().problem(message));
        }
        let pairs = pairs_of(&traffic, &self.fabric);
        self.check_ways(&traffic, &pairs)?;
        if let Some((schedule, (from, to))) = self.fabric.without_circuits(&pairs) {
            let [from, to] = [from, to].map(|host| self.fabric.host_name(host));
            let after = match schedule {
                0 => String::new(),
                _ => format!(" after change {schedule}"),
            };
            let message = format!("no circuits lead from `{from}` to `{to}` and back{after}");
            let problem = self.topology.place().problem(message);
            return Err(problem.label("expected a design that connects whoever sends"));
        }
        let plan = FaultPlan {
            on_down: self.on_down,
            convergence: self.convergence,
            local_repair: self.local_repair,
            weights: self.weights,
            hosts_know: self.transport.hosts_know(),
            ..fault_plan(&self.faults)
        };
        let resolved = plan.resolve(&self.fabric, &pairs, seed).map_err(|errors| {
            let place = self.topology.place();
            let problem = errors.first().map(|error| fault_problem(error, &self.faults, place));
            problem.unwrap_or_default()
        })?;
        let mut plan = Plan {
            fabric: Fabric::clone(&self.fabric),
            routes: resolved.routes,
            known_routes: resolved.known_routes,
            queue: self.queue.clone(),
            llr: self.llr,
            buffer: self.buffer.clone(),
            switch_load_balance: self.switch_load_balance.clone(),
            tor: self.tor.clone(),
            faults: resolved.faults,
            transport: self.transport.clone(),
            record: self.record_of(&traffic, seed)?,
            traffic,
            seed,
            end: self.end,
            patience: self.patience,
        };
        plan.resolve_rho_max().map_err(|none| self.pace_place.problem(none.to_string()))?;
        plan.resolve_unscheduled();
        let planner = self.planner.as_ref();
        let cut = plan.cut_messages(planner.map(|planner| &planner.config));
        cut.map_err(|misfit| match planner {
            Some(planner) => planner.place.problem(misfit.to_string()),
            None => self.traffic.place().problem(misfit.to_string()),
        })?;
        if let (Some(shortage), Some(buffer)) = (plan.lossless_shortage(), &self.buffer) {
            let policy = buffer.policy.card().name;
            return Err(memory::short(&shortage, policy, &self.fabric, &self.buffer_place));
        }
        // Most limits have been checked with the keys they come from; draws can break the others.
        match plan.check_limits() {
            Ok(()) => Ok(plan),
            Err(error) => Err(self.limit_place(&error).problem(error.to_string())),
        }
    }

    /// Who sends to whom with a seed, each pair once.
    ///
    /// # Errors
    /// The traffic does not fit the fabric.
    pub(crate) fn pairs(&self, seed: u64) -> Result<Vec<(HostId, HostId)>, Problem> {
        self.traffic.generate(&self.fabric, seed).map(|traffic| pairs_of(&traffic, &self.fabric))
    }

    /// Whether links lead from each sender to its receiver, where there are tables: trees have all ways.
    fn check_ways(&self, traffic: &Traffic, pairs: &[(HostId, HostId)]) -> Result<(), Problem> {
        let is_table = matches!(self.fabric.forwarding, Forwarding::Table(_));
        if !is_table || self.fabric.circuits.is_some() {
            return Ok(());
        }
        let Some((from, to)) = self.fabric.disconnected(pairs, &|_| true) else { return Ok(()) };
        let is_own = |flow: &Flow| (flow.source, flow.destination) == (from, to);
        let flow = traffic.flows.iter().position(is_own).unwrap_or(0) as u32;
        let job = traffic.jobs.iter().find(|job| job.flows.contains(&flow));
        let phase = job.and_then(|job| job.phases.iter().find(|own| own.flows.contains(&flow)));
        let what = match (phase, job) {
            (Some(phase), Some(job)) => format!("`{}` of `{}`", phase.name, job.name),
            (None, Some(job)) if !job.name.is_empty() => format!("`{}`", job.name),
            _ => format!("flow {flow}"),
        };
        let [from, to] = [from, to].map(|host| self.fabric.host_name(host));
        let message = format!("no way leads from `{from}` to `{to}`, for {what}");
        let problem = self.topology.place().problem(message);
        let help = "rails are apart without spines: give them some, or keep messages on their rail. With \
                    [fabric] scale_up `rails = \"pxn\"` does, where the collective has a GPU on the \
                    receiver's rail in the sender's server";
        Err(problem.label("expected a fabric that connects whoever sends").help(help))
    }

    /// What a run of this traffic records.
    fn record_of(&self, traffic: &Traffic, seed: u64) -> Result<RecordPlan, Problem> {
        let mut record = self.record.clone();
        let Some(followed) = &self.followed else { return Ok(record) };
        match followed.of(traffic, seed)? {
            Chosen::Slowest(count) => {
                record.slowest = Some(Slowest { count, packets: followed.packets });
            }
            Chosen::Critical => record.critical = true,
            Chosen::These(flows) => {
                if followed.packets {
                    record.packets.clone_from(&flows);
                }
                record.probes.flows = flows;
            }
        }
        Ok(record)
    }

    /// The key to blame for a limit that only a draw has shown.
    fn limit_place(&self, error: &LimitError) -> &Place {
        let topology = self.topology.place();
        match error {
            LimitError::Packets { .. }
            | LimitError::FlowsPerHost { .. }
            | LimitError::FlowStart { .. }
            | LimitError::TriggerStart { .. }
            | LimitError::LateFiring { .. } => self.traffic.place(),
            // The fabric's own links are known without a draw, so a fault has slowed this one down.
            LimitError::Horizon { .. } => {
                self.faults.iter().find_map(FaultSection::slows_down).unwrap_or(topology)
            }
            _ => topology,
        }
    }
}

/// Who sends to whom over links, each pair once.
fn pairs_of(traffic: &Traffic, fabric: &Fabric) -> Vec<(HostId, HostId)> {
    let pairs = traffic.flows.iter().map(|flow| (flow.source, flow.destination));
    let on_links = pairs.filter(|(from, to)| !fabric.scales_up(*from, *to));
    let mut pairs: Vec<_> = on_links.collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Faults without a routing, as the simulator resolves them.
pub(crate) fn fault_plan(faults: &[FaultSection]) -> FaultPlan {
    let faults = faults.iter().map(|section| section.fault.clone()).collect();
    FaultPlan { faults, ..FaultPlan::default() }
}

/// Whether some link loses frames to chance.
pub(crate) fn loses(faults: &Faults) -> bool {
    let mut changes = faults.ports.iter().flat_map(|(_, own)| own);
    changes
        .any(|(_, change)| matches!(change, PortChange::Loss { .. } | PortChange::BitErrors { .. }))
}

/// Adds the problems that the faults have on this fabric, whatever the traffic and whatever is drawn.
/// Returns those that are certain, and the links that they slow down, with the rates.
pub(crate) fn check_faults(
    faults: &[FaultSection],
    fabric: &Fabric,
    topology: &Topology,
    log: &Log,
) -> (Faults, Vec<(PortId, Rate)>) {
    match fault_plan(faults).certain(fabric) {
        Err(errors) => {
            for error in &errors {
                log.add(fault_problem(error, faults, topology.place()));
            }
            (Faults::default(), Vec::new())
        }
        Ok(certain) => {
            let changes = certain.ports.iter();
            let changes = changes.flat_map(|(port, list)| list.iter().map(|(_, c)| (*port, c)));
            let slowed = changes.filter_map(|(port, change)| match change {
                PortChange::Rate { rate, .. } => Some((port, *rate)),
                _ => None,
            });
            let slowed = slowed.collect();
            (certain, slowed)
        }
    }
}
