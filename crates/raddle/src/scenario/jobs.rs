//! `[traffic]`, or several `[[traffic]]`: the jobs of a scenario.

use super::fault::FaultSection;
use super::files::{Files, NamedFile};
use super::job::{Beside, Numbers};
use super::limits;
use super::reader::Log;
use super::scheme::{Chosen, Needy};
use super::spec::{Item, Place};
use super::topology::Topology;
use super::traffic::{self, TrafficSection};
use super::transport::TransportSection;
use crate::problem::Problem;
use crate::study::metric::Metric;
use raddle_schemes::ids::Psn;
use raddle_schemes::load_balance::host;
use raddle_schemes::rng;
use raddle_schemes::units::Bytes;
use raddle_schemes::{FlowContext, congestion, recovery};
use raddle_sim::plan::{Transport, TransportPlan};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;

/// Most sections: each may name two path selectors, and flows number them in 8 bits.
const MOST: usize = 100;

/// All traffic of a scenario.
#[derive(Clone, Debug)]
pub(crate) struct Jobs {
    /// At least one.
    sections: Vec<TrafficSection>,
}

/// Reads the section or the sections; `implied` is the common recovery, if the scenario has not set it.
pub(crate) fn jobs(
    item: &Item,
    files: &Files,
    implied: Option<&recovery::Config>,
    log: &Log,
) -> Option<Jobs> {
    let Some(items) = item.list() else {
        let section = traffic::traffic("[traffic]", item, files, implied, log)?;
        if !section.job.runs() {
            let problem = section.place_of("runs").problem("no traffic runs");
            log.add(problem.label("leave it out"));
        }
        return Some(Jobs { sections: vec![section] });
    };
    if items.is_empty() || items.len() > MOST {
        let problem = item.place.problem(format!("there are {} traffics", items.len()));
        log.add(problem.label(format!("expected from 1 to {MOST}")));
        return None;
    }
    let read = items.iter().map(|item| traffic::traffic("[[traffic]]", item, files, implied, log));
    let sections: Vec<Option<TrafficSection>> = read.collect();
    let sections = sections.into_iter().collect::<Option<Vec<_>>>()?;
    if sections.iter().all(|section| !section.job.runs()) {
        let problem = item.place.problem("no traffic runs");
        log.add(problem.label("expected one without `runs = false`"));
    }
    for (i, section) in sections.iter().enumerate() {
        if sections[..i].iter().any(|earlier| earlier.job.name == section.job.name) {
            let name = section.job.name.as_deref().unwrap_or_default();
            let problem = section.place_of("name").problem(format!("two jobs are called `{name}`"));
            log.add(problem.label("expected a name of its own"));
        }
    }
    Some(Jobs { sections })
}

impl Jobs {
    /// The hosts, as engines take them; jobs may have transports and path selectors of their own.
    pub(crate) fn plan(&self, transport: &TransportSection) -> TransportPlan {
        // What telemetry takes is not part of the scenario's own sizes. Switches write it into all data,
        // so every packet has room for the largest.
        let used = self.used_congestions(transport);
        let telemetry = used.iter().map(|(own, _)| own.config.telemetry_bytes()).max();
        let telemetry = telemetry.unwrap_or_default();
        TransportPlan {
            payload: transport.payload,
            header: transport.header + telemetry,
            ack: transport.ack + telemetry,
            load_balance: transport.load_balance.config.clone(),
            plane: transport.plane().config,
            plane_repair: transport.plane_repair,
            other_load_balances: self.load_balances(),
            other_transports: self.transports(transport),
            congestion: transport.congestion.config.clone(),
            recovery: transport.recovery.config.clone(),
            connections: transport.connections,
            pair_order: transport.pair_order,
            nic: transport.nic,
            turns: transport.turns,
            host_queue: transport.host_queue.as_ref().map(|own| own.plan),
            phase: transport.phase,
        }
    }

    /// The names of the sections that have one.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().filter_map(|section| section.job.name.as_deref())
    }

    /// The lines of all sections with every default filled in.
    pub(crate) fn resolved(&self) -> String {
        let lines: Vec<&str> = self.sections.iter().map(|s| s.resolved.as_str()).collect();
        lines.join("\n")
    }

    /// `8 MiB permutation`.
    pub(crate) fn title(&self) -> String {
        let titles: Vec<&str> = self.sections.iter().map(|s| s.title.as_str()).collect();
        titles.join(" + ")
    }

    /// What each is asked by where nobody says.
    pub(crate) fn asked_by(&self) -> impl Iterator<Item = &'static [&'static Metric]> {
        self.sections.iter().map(|section| section.asked_by)
    }

    /// Files that decide about the traffic.
    pub(crate) fn files(&self) -> impl Iterator<Item = &NamedFile> {
        self.sections.iter().flat_map(|section| &section.files)
    }

    /// Where the first section stands.
    pub(crate) fn place(&self) -> &Place {
        self.sections[0].place()
    }

    /// The path selectors that flows name beside that of all, in the order of their numbers.
    pub(crate) fn load_balances(&self) -> Vec<host::Config> {
        self.sections.iter().flat_map(|section| section.job.load_balances()).cloned().collect()
    }

    /// The path selectors that flows have, where those without one of their own have this.
    pub(crate) fn selectors_in_use(&self, common: &host::Config) -> Vec<host::Config> {
        let lacks_own = |section: &TrafficSection| !section.job.has_selector();
        let shared = self.sections.iter().any(lacks_own).then(|| common.clone());
        shared.into_iter().chain(self.load_balances()).collect()
    }

    /// Where jobs spread messages over queue pairs although their path selector, or the common one where
    /// they have none, is `such`.
    pub(crate) fn spread<'a>(
        &'a self,
        such: impl Fn(&host::Config) -> bool + 'a,
        common: &'a host::Config,
    ) -> impl Iterator<Item = &'a Place> {
        let spread = self.sections.iter().filter(|section| section.job.is_spread());
        let such = move |section: &&TrafficSection| such(section.job.selector().unwrap_or(common));
        spread.filter(such).map(|section| section.place_of("qps"))
    }

    /// About how many flows all have, known without making them.
    pub(crate) fn flows(&self, fabric: &Fabric) -> u64 {
        let flows = self
            .sections
            .iter()
            .filter(|section| section.job.runs())
            .map(|section| section.flows(fabric).saturating_mul(section.job.qps().into()));
        flows.fold(0, u64::saturating_add)
    }

    /// The congestion controls and recoveries that flows have in place of those of `common`, in the
    /// order of their numbers.
    pub(crate) fn transports(&self, common: &TransportSection) -> Vec<Transport> {
        self.sections.iter().filter_map(|section| section.job.transport(common)).collect()
    }

    /// The congestion controls of jobs that have their own.
    pub(crate) fn congestions(&self) -> impl Iterator<Item = &Chosen<congestion::Config>> {
        self.sections.iter().filter_map(|section| section.job.congestion())
    }

    /// The congestion controls that flows have, that of `common` where some job has none of its own, and
    /// the largest message under each.
    pub(crate) fn used_congestions<'a>(
        &'a self,
        common: &'a TransportSection,
    ) -> Vec<(&'a Chosen<congestion::Config>, Bytes)> {
        let sharing = self.sections.iter().filter(|section| section.job.congestion().is_none());
        let largest = sharing.map(TrafficSection::largest).max();
        let shared = largest.map(|largest| (&common.congestion, largest));
        let of_jobs = self
            .sections
            .iter()
            .filter_map(|section| section.job.congestion().map(|own| (own, section.largest())));
        shared.into_iter().chain(of_jobs).collect()
    }

    /// The recoveries that flows have, that of `common` where some job has none of its own, and where
    /// each stands.
    pub(crate) fn used_recoveries<'a>(
        &'a self,
        common: &'a TransportSection,
    ) -> Vec<(&'a Chosen<recovery::Config>, &'static str)> {
        let shares = self.sections.iter().any(|section| section.job.recovery().is_none());
        let shared = shares.then_some((&common.recovery, "[transport] recovery"));
        let own = self.sections.iter().filter_map(|section| section.job.recovery());
        shared.into_iter().chain(own.map(|own| (own, "[traffic] recovery"))).collect()
    }

    /// The congestion controls and recoveries that flows have together, and where the latter stand.
    pub(crate) fn used_pairs<'a>(
        &'a self,
        common: &'a TransportSection,
    ) -> Vec<(&'a Chosen<congestion::Config>, (&'a recovery::Config, &'static str))> {
        let mut pairs: Vec<(&Chosen<congestion::Config>, (&recovery::Config, _))> = Vec::new();
        for section in &self.sections {
            let congestion = section.job.congestion().unwrap_or(&common.congestion);
            let (recovery, key) = match section.job.recovery() {
                Some(own) => (own, "[traffic] recovery"),
                None => (&common.recovery, "[transport] recovery"),
            };
            let known =
                |(own, (other, _)): &(&Chosen<congestion::Config>, (&recovery::Config, _))| {
                    own.config.card() == congestion.config.card() && *other == &recovery.config
                };
            if !pairs.iter().any(known) {
                pairs.push((congestion, (&recovery.config, key)));
            }
        }
        pairs
    }

    /// Whether some job has the common congestion control, and whether some has the common recovery.
    pub(crate) fn share(&self) -> [bool; 2] {
        let any = |lacks: fn(&TrafficSection) -> bool| self.sections.iter().any(lacks);
        [any(|section| section.job.congestion().is_none()), any(|s| s.job.recovery().is_none())]
    }

    /// The data classes of the flows that have the common congestion control.
    pub(crate) fn sharing_classes(&self) -> Vec<u8> {
        let sharing = self.sections.iter().filter(|section| section.job.congestion().is_none());
        sharing.flat_map(TrafficSection::classes).collect()
    }

    /// Every scheme of jobs, and what it is beside.
    pub(crate) fn asking<'a>(
        &'a self,
        common: &'a TransportSection,
    ) -> Vec<(Needy<'a>, Beside<'a>)> {
        let of_job = |section: &'a TrafficSection| section.job.asking(common, &section.classes());
        self.sections.iter().flat_map(of_job).collect()
    }

    /// Adds a problem for every class of flows whose congestion control chooses the class of each of
    /// their packets.
    pub(crate) fn check_chosen_classes(&self, common: &TransportSection, classes: u8, log: &Log) {
        for section in &self.sections {
            let congestion = section.job.congestion().unwrap_or(&common.congestion);
            let context = FlowContext { classes, ..FlowContext::NOMINAL };
            if congestion.config.build(&context).class(Psn(0)).is_some() {
                section.refuse_classes(congestion.config.card().name, log);
            }
        }
    }

    /// The path selectors, as far as their needs are concerned.
    pub(crate) fn needy(&self) -> Vec<Needy<'_>> {
        self.sections.iter().flat_map(|section| section.job.needy()).collect()
    }

    /// Those that need switches that go by entropies.
    pub(crate) fn unhashed(&self) -> Vec<Needy<'_>> {
        self.sections.iter().filter_map(|section| section.job.unhashed()).collect()
    }

    /// What ToRs send to each other on the mean, by the numbers of their switches.
    ///
    /// # Errors
    /// What does not fit the fabric, or a run's seed that decides about it.
    pub(crate) fn demand(&self, fabric: &Fabric) -> Result<Vec<Vec<f64>>, Problem> {
        let tors = fabric.switches.len();
        let mut rates = vec![vec![0.0; tors]; tors];
        self.sections.iter().try_for_each(|section| section.add_demand(fabric, &mut rates))?;
        Ok(rates)
    }

    /// Faults that come with the traffic.
    pub(crate) fn faults(&self, topology: &Topology, log: &Log) -> Vec<FaultSection> {
        self.sections.iter().flat_map(|section| section.faults(topology, log)).collect()
    }

    /// Adds the problems that the traffic has on this fabric, as far as they show without a seed
    /// and without generating large traffic.
    pub(crate) fn check(&self, fabric: &Fabric, log: &Log) {
        self.sections.iter().for_each(|section| section.check(fabric, log));
    }

    /// Adds a problem for every class of flows, where something else chooses it.
    pub(crate) fn refuse_classes(&self, chooser: &str, log: &Log) {
        self.sections.iter().for_each(|section| section.refuse_classes(chooser, log));
    }

    /// Adds a problem for every class that the queues do not have.
    pub(crate) fn check_classes(&self, classes: u8, log: &Log) {
        self.sections.iter().for_each(|section| section.check_classes(classes, log));
    }

    /// Adds a problem for every section whose messages have too many packets.
    pub(crate) fn check_messages(&self, payload: Bytes, log: &Log) {
        for section in &self.sections {
            limits::messages(section.largest(), section.message_place(), payload, log);
        }
    }

    /// The flows of a run's seed: job after job.
    ///
    /// # Errors
    /// What does not fit the fabric.
    pub(crate) fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Problem> {
        let mut all = Traffic::default();
        let mut before = Numbers::default();
        let mut none = true;
        for (i, section) in self.sections.iter().enumerate() {
            if !section.job.runs() {
                before = section.job.count(before);
                continue;
            }
            // Jobs draw independently; the first draws what it would draw alone.
            let seed = if i == 0 { seed } else { rng::stream(seed, "job", i as u64) };
            let traffic = section.generate(fabric, seed)?;
            let draw = (fabric.hosts, section.seed(seed));
            let traffic = section.job.apply(traffic, before, self.sections.len() > 1, draw);
            before = section.job.count(before);
            if u32::try_from(all.flows.len() + traffic.flows.len()).is_err() {
                let message = "all jobs together have more flows than 32 bits can number";
                return Err(section.place().problem(message));
            }
            if std::mem::take(&mut none) { all = traffic } else { all.append(traffic) }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
