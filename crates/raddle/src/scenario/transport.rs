//! `[transport]`: the hosts.

use super::jobs::Jobs;
use super::reader::Reader;
use super::scheme::{self, Chosen, show, shown};
use super::spec::Place;
use raddle_schemes::load_balance::{host, plane};
use raddle_schemes::planner;
use raddle_schemes::recovery::AckEntropies;
use raddle_schemes::units::{Bytes, Span};
use raddle_schemes::{congestion, recovery};
use raddle_sim::plan::{Connections, NicOrder, PairOrder, TransportPlan, Turns};
use raddle_sim::wire::frame::SIZE_LIMIT;

/// The section, with the places of its schemes.
pub(crate) struct TransportSection {
    pub(crate) payload: Bytes,
    pub(crate) header: Bytes,
    pub(crate) ack: Bytes,
    pub(crate) load_balance: Chosen<host::Config>,
    /// Which of a host's ports packets leave by, if it says so or hosts have several.
    pub(crate) plane: Option<Chosen<plane::Config>>,
    pub(crate) plane_repair: Span,
    pub(crate) plane_repair_place: Place,
    /// What gives flows their paths before the run.
    pub(crate) planner: Option<Chosen<planner::Config>>,
    pub(crate) congestion: Chosen<congestion::Config>,
    pub(crate) recovery: Chosen<recovery::Config>,
    pub(crate) connections: Connections,
    pub(crate) pair_order: PairOrder,
    pub(crate) nic: NicOrder,
    pub(crate) turns: Turns,
    pub(crate) phase: Span,
}

/// Reads the section.
pub(crate) fn transport(mut reader: Reader<'_>) -> Option<TransportSection> {
    let payload = frame_part(&mut reader, "payload");
    let header = frame_part(&mut reader, "header");
    let ack = frame_part(&mut reader, "ack");
    if let (Some(payload), Some(header)) = (payload, header)
        && payload.0 + header.0 > SIZE_LIMIT.0
        && let Some(item) = reader.take("payload")
    {
        let problem = item.place.problem("payload and header make too large a packet");
        reader.log().add(problem.label(format!("expected at most {SIZE_LIMIT} in all")));
    }
    if let (Some(payload), Some(header), Some(ack)) = (payload, header, ack)
        && ack.0 > payload.0 + header.0
        && let Some(item) = reader.take("ack")
    {
        let problem = item.place.problem("an ACK is larger than a packet");
        let most = payload + header;
        reader.log().add(problem.label(format!("expected at most {most}, payload and header")));
    }
    let mut load_balance = scheme::scheme(&mut reader, "load_balance");
    let given = reader.take("plane").is_some();
    let plane = given.then(|| scheme::scheme::<plane::Config>(&mut reader, "plane"));
    let plane_repair_place = reader.take("plane_repair").map(|item| item.place.clone());
    let plane_repair = reader.or("plane_repair", Span::ZERO);
    // What is there and wrong has been reported.
    let given = reader.take("planner").is_some();
    let planner = given.then(|| scheme::scheme::<planner::Config>(&mut reader, "planner"));
    if let (Some(Some(planner)), Some(own)) = (&planner, &mut load_balance)
        && own.place.file.is_none()
        && let Some(planned) = host::Config::named("planned")
    {
        *own = planner.gives(planned);
    }
    let congestion: Option<Chosen<congestion::Config>> = scheme::scheme(&mut reader, "congestion");
    let implied = congestion.as_ref().and_then(|own| own.config.recovery());
    let recovery = recovery(&mut reader, implied);
    let connections = reader.need("connections", "\"message\"");
    let pair_order = reader.or("pair_order", PairOrder::Parallel);
    let nic = reader.need("nic", "\"control_first\"");
    let turns = reader.or("turns", Turns::RoundRobin);
    let phase = reader.need("phase", "\"0 ns\"");
    reader.finish();
    Some(TransportSection {
        payload: payload?,
        header: header?,
        ack: ack?,
        load_balance: load_balance?,
        plane: plane.map_or(Some(None), |read| read.map(Some))?,
        plane_repair,
        plane_repair_place: plane_repair_place.unwrap_or_default(),
        planner: planner.map_or(Some(None), |read| read.map(Some))?,
        congestion: congestion?,
        recovery: recovery?,
        connections: connections?,
        pair_order,
        nic: nic?,
        turns,
        phase: phase?,
    })
}

/// Reads the recovery; where nobody has written its name, it is `implied`, if that is there.
pub(crate) fn recovery(
    reader: &mut Reader<'_>,
    implied: Option<&'static str>,
) -> Option<Chosen<recovery::Config>> {
    let recovery = scheme::scheme_beside(reader, "recovery", implied);
    if let Some(Chosen { config: recovery::Config::Sack(sack), .. }) = &recovery
        && (sack.ack_every, sack.ack_entropies) == (1, AckEntropies::Carry)
    {
        let note = "`ack_entropies = \"carry\"` tells no more than \"trigger\" where every packet \
                    has its own ACK (`ack_every = 1`)";
        reader.log().note(note.to_owned());
    }
    recovery
}

fn frame_part(reader: &mut Reader<'_>, key: &'static str) -> Option<Bytes> {
    let bytes = reader.at_least(key, Bytes(1), None)?;
    if bytes > SIZE_LIMIT {
        let item = reader.take(key)?;
        let problem = item.place.problem(format!("`{key}` is too large"));
        reader.log().add(problem.label(format!("expected at most {SIZE_LIMIT}")));
        return None;
    }
    Some(bytes)
}

impl TransportSection {
    /// The recovery, if the scenario has not set it.
    pub(crate) fn implied_recovery(&self) -> Option<&recovery::Config> {
        self.recovery.place.file.is_none().then_some(&self.recovery.config)
    }

    /// The hosts, as engines take them; jobs may have transports and path selectors of their own.
    pub(crate) fn plan(&self, traffic: &Jobs) -> TransportPlan {
        // What telemetry takes is not part of the scenario's own sizes. Switches write it into all data,
        // so every packet has room for the largest.
        let used = traffic.used_congestions(self);
        let telemetry = used.iter().map(|(own, _)| own.config.telemetry_bytes()).max();
        let telemetry = telemetry.unwrap_or_default();
        TransportPlan {
            payload: self.payload,
            header: self.header + telemetry,
            ack: self.ack + telemetry,
            load_balance: self.load_balance.config.clone(),
            plane: self.plane().config,
            plane_repair: self.plane_repair,
            other_load_balances: traffic.load_balances(),
            other_transports: traffic.transports(self),
            congestion: self.congestion.config.clone(),
            recovery: self.recovery.config.clone(),
            connections: self.connections,
            pair_order: self.pair_order,
            nic: self.nic,
            turns: self.turns,
            phase: self.phase,
        }
    }

    /// How packets choose their planes, where hosts have several ports.
    pub(crate) fn plane(&self) -> Chosen<plane::Config> {
        let default = || self.load_balance.gives(plane::Config::Hash(plane::hash::Config {}));
        self.plane.clone().unwrap_or_else(default)
    }

    /// The section's lines with every default filled in, but for what `connections`, `pair_order`,
    /// `turns`, `plane` and `plane_repair` have by default.
    pub(crate) fn resolved(&self) -> String {
        let mut lines = vec![
            "[transport]".to_owned(),
            format!("payload = {}", shown(&self.payload)),
            format!("header = {}", shown(&self.header)),
            format!("ack = {}", shown(&self.ack)),
            format!("load_balance = {}", show(&self.load_balance.config, &[])),
            format!("congestion = {}", show(&self.congestion.config, &[])),
            format!("recovery = {}", show(&self.recovery.config, &[])),
            format!("nic = {}", shown(&self.nic)),
            format!("phase = {}", shown(&self.phase)),
        ];
        if self.connections != Connections::Message {
            lines.push(format!("connections = {}", shown(&self.connections)));
        }
        if self.pair_order != PairOrder::Parallel {
            lines.push(format!("pair_order = {}", shown(&self.pair_order)));
        }
        if self.turns != Turns::RoundRobin {
            lines.push(format!("turns = {}", shown(&self.turns)));
        }
        if let Some(plane) = &self.plane {
            lines.push(format!("plane = {}", show(&plane.config, &[])));
        }
        if self.plane_repair > Span::ZERO {
            lines.push(format!("plane_repair = {}", shown(&self.plane_repair)));
        }
        if let Some(planner) = &self.planner {
            lines.push(format!("planner = {}", show(&planner.config, &[])));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}
