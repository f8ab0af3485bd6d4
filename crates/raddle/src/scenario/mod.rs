//! Scenarios: from a text to proved, complete descriptions of runs.
//!
//! A text becomes a tree of typed values with their places (`spec`); overrides, sweeps and
//! conditions change the tree; defaults fill it; readers turn it into a [`Scenario`], whose fields
//! are private because they fit together. All problems of a text are reported at once. See
//! [`parse`].
//!
//! A key that nothing reads is an error: an unknown one, a parameter that the scheme does not have,
//! one that another parameter leaves without effect (unless it has its default, as in the text of
//! a resolved scenario), `control_size` of a `fifo` port, a marking that no queue reaches, load
//! balancing of some hosts below switches that do not go by entropies, `[run] seed` beside the
//! seeds of a sweep, an override of what every value of an axis replaces, a fault after the run's
//! end. `on_down` and `routing` without faults that take something down, and `at` of a marking that
//! marks nothing, are errors where they change nothing in any cell of the study, and notes where
//! overrides have left only such cells. Four kinds of keys may stand where they change nothing:
//! `ack_entropies = "carry"` with one packet per ACK, the end point of a sweep of `ack_every`, the
//! hosts' `load_balance` below switches that do not go by entropies, and a `buffer` that never has
//! to refuse data (notes say so); an empty `[record]`. Of `[record]`, `ports` without a `bucket`
//! take the default one, and a `bucket` without `ports` records the fabric-wide counts.

pub mod alone;
pub(crate) mod assembled;
mod buffer;
mod build;
mod cbfc;
mod defaults;
mod fabric;
mod fault;
mod files;
mod followed;
mod host_queue;
mod idle;
mod job;
mod jobs;
mod kept;
pub mod key;
pub(crate) mod keyed;
mod limits;
mod llr;
mod memory;
mod needs;
mod notes;
mod queue;
mod reach;
pub mod reader;
mod record;
mod run;
mod scale_up;
mod scheme;
mod share;
mod sizes;
pub mod spec;
mod study;
pub(crate) mod sweep;
mod topology;
mod traffic;
mod transport;

pub use kept::{Kept, KeptFile};
pub use notes::notes_on;
pub(crate) use record::FIRST_BUCKET;
pub use study::{Axis, Cell, Outline, Study, load, load_alone, parse, parse_alone};
pub use topology::sections as topologies;
pub use traffic::{kinds, sections as traffics};

use build::Fabrics;
use fabric::{FabricKeys, FabricSection};
use fault::{FaultKeys, FaultSection};
use files::{Files, NamedFile};
use followed::Followed;
use jobs::Jobs;
use key::{Section, keys};
use keyed::Reader;
use raddle_schemes::FlowContext;
use raddle_schemes::family::{ParameterError, Raw};
use raddle_schemes::load_balance::switch;
use raddle_schemes::units::{Rate, Span, Time};
use raddle_schemes::{planner, recovery, rng, tor};
use raddle_sim::bound::rho_max::names_rho_max;
use raddle_sim::faults::{Faults, OnDown};
use raddle_sim::plan::{BufferPlan, Llr, QueuePlan, TransportPlan};
use raddle_sim::record::RecordPlan;
use raddle_sim::record::followers::words;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::HostPorts;
use raddle_sim::topology::routing::Weighting;
use reader::Log;
use record::{RecordKeys, RecordSection};
use run::{RunKeys, RunSection};
use scheme::Chosen;
use spec::{Item, Place, Table, quoted};
use std::sync::Arc;
use sweep::ConditionKeys;
use topology::Topology;
use transport::{TransportKeys, TransportSection};

/// What a scheme of the family that is selected at `key` says to a value of a parameter.
pub(crate) fn try_parameter(
    key: &str,
    scheme: &str,
    parameter: &str,
    raw: Raw<'_>,
) -> Result<(), ParameterError> {
    scheme::try_parameter(key, scheme, parameter, raw)
}

/// The keys of the whole file.
pub fn document() -> &'static Section {
    DocumentKeys::SECTION
}

/// Every section, in the order in which the whole file leads to them.
pub fn sections() -> Vec<&'static Section> {
    let mut found = Vec::new();
    document().walk(&mut found);
    found
}

keys! {
    /// The whole file.
    DOCUMENT: DocumentKeys = Section::new("scenario", "## The whole file", "one experiment, or a grid of them") => {
        fabric: Table(FabricKeys::SECTION), (required { topology = .. }),
            "hosts, switches, cables, queues, routing";
        transport: Table(TransportKeys::SECTION), (or "all defaults"),
            "the hosts";
        traffic: Either(&[OneOf(traffic::sections), List(&OneOf(traffic::sections))]),
            (required { kind = "permutation" }),
            "who sends what to whom, and when; a list, `[[traffic]]`, holds several jobs";
        fault: List(&Table(FaultKeys::SECTION)), (or "none"),
            "what breaks, how, and when";
        record: Table(RecordKeys::SECTION), (or "nothing"),
            "what is kept over time";
        run: Table(RunKeys::SECTION), (or "all defaults"),
            "seed, and when a run ends";
        sweep: Paths, (or "one run"),
            "values to try";
        condition: List(&Table(ConditionKeys::SECTION)), (or "none"),
            "named variants";
    }
}

/// A complete, valid experiment; only the seed is missing.
#[derive(Clone, Debug)]
pub struct Scenario {
    topology: Topology,
    fabric: Arc<Fabric>,
    switch_load_balance: switch::Config,
    queue: QueuePlan,
    buffer: Option<BufferPlan>,
    /// Of the memory's size.
    buffer_place: Place,
    tor: Option<tor::Config>,
    llr: Option<Llr>,
    convergence: Option<Span>,
    local_repair: Option<Span>,
    weights: Weighting,
    on_down: OnDown,
    transport: TransportPlan,
    planner: Option<Chosen<planner::Config>>,
    /// Of the name of the congestion control that rho_max is asked for.
    pace_place: Place,
    traffic: Jobs,
    faults: Vec<FaultSection>,
    record: RecordPlan,
    /// Whose probes its runs keep.
    followed: Option<Followed>,
    end: Option<Time>,
    /// The longest retransmission timeout.
    rto: Span,
    patience: Span,
    resolved: String,
}

/// The sections of a scenario, valid each for itself.
struct Sections {
    topology: Option<Topology>,
    fabric: Option<FabricSection>,
    transport: Option<TransportSection>,
    traffic: Option<Jobs>,
    faults: Vec<FaultSection>,
    record: Option<RecordSection>,
    run: Option<RunSection>,
}

impl Sections {
    fn read<'a>(table: &'a Table, place: &'a Place, files: &Files, log: &'a Log) -> Self {
        let mut reader = Reader::document(table, place, log);
        let of = |name: &str, item: Option<&'a Item>| Reader::of(name, item?, log);
        let fabric = of("[fabric]", reader.demand(&DOCUMENT.fabric));
        let transport = of("[transport]", reader.take(&DOCUMENT.transport));
        let traffic = reader.take(&DOCUMENT.traffic);
        if traffic.is_none() {
            let problem = place.problem("the scenario lacks [traffic]");
            log.add(problem.label("add [traffic] with a `kind`, as in `kind = \"permutation\"`"));
        }
        let faults = reader.list(&DOCUMENT.fault, "tables: write [[fault]]");
        let record = reader.take(&DOCUMENT.record);
        let run = of("[run]", reader.take(&DOCUMENT.run));
        for other in [&DOCUMENT.sweep, &DOCUMENT.condition] {
            reader.take(other);
        }
        reader.finish();
        let (topology, fabric) =
            fabric.map_or((None, None), |reader| fabric::fabric(reader, files));
        let transport = transport.and_then(transport::transport);
        let implied = transport.as_ref().and_then(TransportSection::implied_recovery);
        let traffic = traffic.and_then(|item| jobs::jobs(item, files, implied, log));
        Self {
            topology,
            fabric,
            transport,
            traffic,
            faults: faults.iter().filter_map(|item| fault::fault(item, log)).collect(),
            record: RecordSection::read(record, log),
            run: run.map(RunSection::read),
        }
    }

    /// Adds a problem for every scheme that something it needs does not go with.
    fn check_needs(&self, log: &Log) {
        if let (Some(fabric), Some(transport)) = (&self.fabric, &self.transport) {
            needs::check(fabric, transport, self.traffic.as_ref(), log);
            needs::entropies(fabric, transport, self.traffic.as_ref(), log);
            needs::planner(transport, self.traffic.as_ref(), log);
            needs::queue_pairs(transport, self.traffic.as_ref(), log);
            needs::unshared(transport, self.traffic.as_ref(), log);
            let ports = self.topology.as_ref().map(|own| own.shape.host_ports());
            needs::host_ports(
                ports.unwrap_or(HostPorts::One),
                fabric,
                transport,
                self.traffic.as_ref(),
                log,
            );
        }
    }

    /// Settles what has no effect without faults, or where hosts have one port.
    fn settle(&mut self, topology: &Topology, faults: &[FaultSection], log: &Log) {
        let ports = topology.shape.host_ports().count();
        if let Some(section) = &mut self.fabric {
            idle::settle(section, !topology.shape.changes().is_empty(), faults, log);
        }
        if let Some(transport) = &mut self.transport {
            let converges = self.fabric.as_ref().is_some_and(|own| own.convergence.is_some());
            let traffic = self.traffic.as_ref();
            idle::settle_planes(transport, traffic, ports, converges, faults, log);
        }
        let end = self.run.as_ref().and_then(|run| run.end);
        idle::late_faults(faults, end, log);
        idle::late_changes(topology, end, log);
    }
}

impl Scenario {
    /// The names that its traffic has.
    pub fn job_names(&self) -> impl Iterator<Item = &str> {
        self.traffic.names()
    }

    /// The longest timeout after which a packet is sent again; zero where none ever comes.
    pub(crate) fn timeout(&self) -> Span {
        self.rto
    }

    /// What its runs record.
    pub(crate) fn record(&self) -> &RecordPlan {
        &self.record
    }

    /// Reads a tree whose defaults are filled in.
    fn read(
        table: &Table,
        place: &Place,
        files: &Files,
        fabrics: &mut Fabrics,
        log: &Log,
    ) -> Option<Self> {
        let before = log.count();
        let mut sections = Sections::read(table, place, files, log);
        sections.check_needs(log);
        let topology = sections.topology.take()?;
        let mut faults = std::mem::take(&mut sections.faults);
        faults.extend(topology.faults());
        if let Some(traffic) = &sections.traffic {
            faults.extend(traffic.faults(&topology, log));
        }
        sections.settle(&topology, &faults, log);
        let fabric = fabrics.get(&topology, sections.traffic.as_ref(), log)?;
        let mut record = sections.record.as_ref().map(|record| record.plan(&fabric, log));
        let (certain, slowed) = build::check_faults(&faults, &fabric, &topology, log);
        if let Some(traffic) = &sections.traffic {
            traffic.check(&fabric, log);
        }
        let mut section = sections.fabric?;
        let (transport, traffic, run) = (sections.transport?, sections.traffic?, sections.run?);
        let plan = traffic.plan(&transport);
        let queue = &section.queue.plan;
        let pfc = queue.pfc.is_some() || queue.cbfc.is_some();
        limits::links(&fabric, &slowed, &plan, pfc, topology.place(), log);
        traffic.check_messages(plan.payload, log);
        let sizes = sizes::Sizes::new(&fabric, &plan);
        section.queue.resolve_shares(sizes.packet, log);
        if topology.bulk().is_some() {
            traffic.refuse_classes("bulk", log);
            limits::bulk(section.queue.plan.classes, topology.place(), log);
        }
        traffic.check_classes(section.queue.plan.classes, log);
        traffic.check_chosen_classes(&transport, section.queue.plan.classes, log);
        host_queue::check(&transport, (&section, &fabric), &traffic, sizes.packet, log);
        reach::queues(&section, (&fabric, &certain), &sizes, log);
        if section.queue.cbfc.is_none() {
            memory::check(&section, &fabric, &certain, &sizes, log);
        }
        let mut followed = None;
        if let (Some(section_of), Some(plan_of)) = (&sections.record, &mut record) {
            let policy = section.buffer.as_ref().map(|own| &own.plan.policy);
            let tor = section.tor.as_ref().map(|tor| &tor.config);
            let shown = words(&plan, &section.load_balance.config, policy, tor);
            (plan_of.probes.words, followed) = section_of.followed(shown, log);
        }
        if let Some(record) = &sections.record {
            record.check_training(section.buffer.as_ref().map(|own| &own.plan.policy), log);
        }
        needs::middleware(&section, &fabric, log);
        if let Some(llr) = &section.llr {
            llr.check(&fabric, sizes.packet.max(plan.ack), log);
        }
        if let Some(cbfc) = &section.queue.cbfc {
            let queue = &section.queue.plan;
            let buffer = section.buffer.as_ref().map(|own| (&own.plan, &own.place));
            let loses = section.llr.is_none() && build::loses(&certain);
            cbfc.check((&fabric, queue.gap, queue.classes), (buffer, loses), &sizes, log);
        }
        needs::routes_in_planes(&section, &transport, &traffic, &fabric, log);
        needs::circuits(&section, &transport, &traffic, (&fabric, topology.place()), log);
        reach::frames(&section.load_balance, &sizes, log);
        let users = (&section, &transport, &traffic);
        let faulted = (&*fabric, &certain, !faults.is_empty());
        let (rto, pace) = Self::settle_hosts(users, faulted, (&plan, &sizes), log);
        let patience = run.patience(&fabric, sizes.packet, rto, pace, log);
        if let (Some(section), Some(plan)) = (&sections.record, &record) {
            let time = run.end.map_or(patience, |end| Span(end.0));
            section.check_length(plan.ports.len(), time, log);
        }
        let lines = faults.iter().map(|fault| fault.resolved.clone()).filter(|l| !l.is_empty());
        let parts: Vec<String> =
            [section.resolved(&topology), transport.resolved(), traffic.resolved()]
                .into_iter()
                .chain(lines)
                .chain([sections.record.map(|r| r.resolved())?, run.resolved(patience)])
                .collect();
        let paced = traffic.congestions().find(|own| names_rho_max(&own.config));
        let pace_place = paced.map_or(transport.congestion.place, |own| own.place.clone());
        (log.count() == before).then(|| Self {
            topology,
            fabric,
            switch_load_balance: section.load_balance.config,
            queue: section.queue.plan,
            buffer_place: section.buffer.as_ref().map(|own| own.place.clone()).unwrap_or_default(),
            buffer: section.buffer.map(|buffer| buffer.plan),
            tor: section.tor.map(|tor| tor.config),
            llr: section.llr.map(|own| own.llr),
            convergence: section.convergence,
            local_repair: section.local_repair,
            weights: section.weights,
            on_down: section.on_down,
            transport: plan,
            planner: transport.planner,
            pace_place,
            traffic,
            faults,
            record: record.unwrap_or_default(),
            followed,
            end: run.end,
            rto,
            patience,
            resolved: parts.join("\n"),
        })
    }

    /// Judges how hosts send over the fabric, whose faults are certain: the longest timeout, and the
    /// least pace.
    fn settle_hosts(
        (section, transport, traffic): (&FabricSection, &TransportSection, &Jobs),
        (fabric, certain, faulty): (&Fabric, &Faults, bool),
        (plan, sizes): (&TransportPlan, &sizes::Sizes),
        log: &Log,
    ) -> (Span, Option<Rate>) {
        let congestions = traffic.used_congestions(transport);
        let links = if plan.plane.is_per_packet() { fabric.planes } else { 1 };
        for (congestion, largest) in &congestions {
            reach::pace(congestion, fabric, links, log);
            notes::windows(&congestion.config, fabric, sizes, *largest, log);
        }
        notes::headroom(section, (fabric, certain), sizes, log);
        let drain = reach::drain(section, (fabric, certain), sizes);
        for (congestion, recovery) in traffic.used_pairs(transport) {
            notes::recovery(&congestion.config, recovery, drain, sizes, log);
        }
        let recoveries = traffic.used_recoveries(transport).into_iter();
        let rto = |(own, key): (&Chosen<recovery::Config>, _)| {
            let context = reach::Losses { fabric, section, faults: certain, faulty };
            reach::rto(&context, (own, key), sizes, log)
        };
        let rto = recoveries.map(rto).max().unwrap_or_default();
        let paces = congestions.iter().map(|(own, _)| own.config.build(&FlowContext::NOMINAL));
        (rto, paces.filter_map(|control| control.limits().rate).min())
    }

    /// The number of hosts.
    pub fn hosts(&self) -> u32 {
        self.fabric.hosts
    }

    /// Hosts, switches and cables.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// About how many flows it has, known without making them.
    pub fn flows(&self) -> u64 {
        self.traffic.flows(&self.fabric)
    }

    /// What it is, in a line: `128 hosts, 3-tier fat tree, 400 Gbps, 8 MiB permutation`.
    pub fn title(&self) -> String {
        let rate = self.topology.rate.map_or(String::new(), |rate: Rate| format!(", {rate}"));
        let (hosts, topology, traffic) = (self.hosts(), &self.topology.title, self.traffic.title());
        format!("{hosts} hosts, {topology}{rate}, {traffic}")
    }

    /// The whole scenario with every default filled in, ready to be loaded again. Files are named
    /// by their absolute paths; the seed is not part of it. What a run keeps is [`kept`](Self::kept).
    pub fn resolved_toml(&self) -> &str {
        &self.resolved
    }

    /// 64 bits in hexadecimal that depend on [`resolved_toml`](Self::resolved_toml) and the
    /// contents of the files it names (not their paths), and on nothing else: neither on the order
    /// of keys, nor on comments, nor on the seed.
    pub fn hash(&self) -> String {
        let mut text = self.resolved.clone();
        for file in self.files() {
            let contents = format!("{:016x}", rng::stream(0, &file.text, 0));
            text = text.replace(&quoted(&file.path.display().to_string()), &contents);
        }
        format!("{:016x}", rng::stream(0, &text, 0))
    }

    /// The files that it names, some of them perhaps twice.
    fn files(&self) -> impl Iterator<Item = &NamedFile> {
        self.traffic.files().chain(&self.topology.file)
    }
}
