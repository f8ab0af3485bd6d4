//! `[transport]`: the hosts.

use super::key::{Key, Section, keys};
use super::keyed::Reader;
use super::scheme::{self, Chosen, show, shown};
use super::spec::Place;
use raddle_schemes::load_balance::{host, plane};
use raddle_schemes::planner;
use raddle_schemes::recovery::AckEntropies;
use raddle_schemes::units::{Bytes, Span};
use raddle_schemes::{congestion, recovery};
use raddle_sim::plan::{Connections, HostQueue, NicOrder, PairOrder, Turns};
use raddle_sim::wire::frame::SIZE_LIMIT;

keys! {
    /// `[transport]`.
    TRANSPORT: TransportKeys = Section::new("transport", "## [transport]", "the hosts") => {
        payload: Bytes, (filled "4096 B") [>= "1 B"],
            "application bytes of a full packet";
        header: Bytes, (filled "64 B") [>= "1 B"],
            "of a data packet; also the size of a trimmed one";
        ack: Bytes, (filled "64 B") [>= "1 B"],
            "an ACK or NACK on the wire";
        load_balance: Scheme("transport.load_balance"), (filled { scheme = "ops" }),
            "the path of every packet, as far as switches go by it ([model.md](model.md#paths))";
        plane: Scheme("transport.plane"), (= { scheme = "hash" }),
            "where hosts have several ports (`planes`, `tors_per_host`): the one that a packet leaves by ([below](#transport-plane)); elsewhere it has no effect and is refused";
        plane_repair: Time, (= "0 ns"),
            "where hosts have several ports: from a change of a host's own link until the host knows of it";
        planner: Scheme("transport.planner"), (or "none"),
            "gives the messages of each host their paths before the run, whole or in pieces ([below](#transport-planner)); `load_balance` is `planned` then, unless it is written";
        congestion: Scheme("transport.congestion"), (filled { scheme = "mprdma_dctcp" }),
            "window and rate";
        recovery: Scheme("transport.recovery"), (filled { scheme = "sack" }),
            "ACKs, loss detection, retransmission; beside `cubic` and `dctcp` it is `tcp` where none is written ([below](#tcps-recovery))";
        connections: Word(Connections::WORDS), (filled "message"),
            "`message`: each is a connection of its own; `pair`: what hosts learn outlives a message ([model.md](model.md#connections))";
        pair_order: Word(PairOrder::WORDS), (= "parallel"),
            "messages from one host to another with the same class, path selector and transport: `parallel`, side by side, taking turns at the NIC; `fifo`, in the order in which they start, as on a queue pair: the first packet of one follows the last of the one before, without waiting for ACKs";
        nic: Word(NicOrder::WORDS), (filled "control_first"),
            "`control_first`, or `round_robin`: one control frame, one data frame in turn";
        turns: Word(Turns::WORDS), (= "round_robin"),
            "which of the flows that may send has its turn at the NIC: `round_robin`, each behind those that could send before it; `random_place`, they go round in a random order that stays, as in a list of queue pairs into which each is put at random; `random`, any of them, drawn for each packet; `shortest`, the one with the shortest message, as senders of Homa do";
        host_queue: Bytes, (or "none") [>= "1 B"],
            "packets wait at hosts in a queue of this size, first in, first out, as in a kernel or its driver: a flow puts one in line as soon as its window and its pace allow and there is room; without it the NIC pulls. Flows of classes that flow control may pause are pulled all the same, in turn with the queue";
        host_queue_acks: Flag, (= false),
            "whether ACKs and NACKs wait in `host_queue`, too, behind data; for them there is always room";
        phase: Time, (filled "0 ns"),
            "each flow's start, by itself or by a trigger, is delayed by a uniform draw from zero to this";
    }
}

/// What waits at hosts, and where it is asked for.
pub(crate) struct HostQueueSection {
    pub(crate) plan: HostQueue,
    pub(crate) place: Place,
}

/// The section, with the places of its schemes.
pub(crate) struct TransportSection {
    pub(crate) payload: Bytes,
    pub(crate) header: Bytes,
    pub(crate) ack: Bytes,
    pub(crate) load_balance: Chosen<host::Config>,
    /// Which of a host's ports packets leave by, if it says so or hosts have several.
    pub(crate) plane: Option<Chosen<plane::Config>>,
    /// Whether path selectors name planes in its place.
    pub(crate) plane_named: bool,
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
    /// What waits between flows and the wire.
    pub(crate) host_queue: Option<HostQueueSection>,
    pub(crate) phase: Span,
}

/// Reads the section.
pub(crate) fn transport(mut reader: Reader<'_>) -> Option<TransportSection> {
    let payload = frame_part(&mut reader, &TRANSPORT.payload);
    let header = frame_part(&mut reader, &TRANSPORT.header);
    let ack = frame_part(&mut reader, &TRANSPORT.ack);
    if let (Some(payload), Some(header)) = (payload, header)
        && payload.0 + header.0 > SIZE_LIMIT.0
        && let Some(item) = reader.take(&TRANSPORT.payload)
    {
        let problem = item.place.problem("payload and header make too large a packet");
        reader.log().add(problem.label(format!("expected at most {SIZE_LIMIT} in all")));
    }
    if let (Some(payload), Some(header), Some(ack)) = (payload, header, ack)
        && ack.0 > payload.0 + header.0
        && let Some(item) = reader.take(&TRANSPORT.ack)
    {
        let problem = item.place.problem("an ACK is larger than a packet");
        let most = payload + header;
        reader.log().add(problem.label(format!("expected at most {most}, payload and header")));
    }
    let mut load_balance = scheme::scheme(&mut reader, &TRANSPORT.load_balance);
    let given = reader.take(&TRANSPORT.plane).is_some();
    let plane = given.then(|| scheme::scheme::<plane::Config>(&mut reader, &TRANSPORT.plane));
    let plane_repair_place = reader.take(&TRANSPORT.plane_repair).map(|item| item.place.clone());
    let plane_repair = reader.or(&TRANSPORT.plane_repair);
    // What is there and wrong has been reported.
    let given = reader.take(&TRANSPORT.planner).is_some();
    let planner = given.then(|| scheme::scheme::<planner::Config>(&mut reader, &TRANSPORT.planner));
    if let (Some(Some(planner)), Some(own)) = (&planner, &mut load_balance)
        && own.place.file.is_none()
        && let Some(planned) = host::Config::named("planned")
    {
        *own = planner.gives(planned);
    }
    let congestion: Option<Chosen<congestion::Config>> =
        scheme::scheme(&mut reader, &TRANSPORT.congestion);
    let implied = congestion.as_ref().and_then(|own| own.config.recovery());
    let recovery = recovery(&mut reader, &TRANSPORT.recovery, implied);
    let connections = reader.need(&TRANSPORT.connections);
    let pair_order = reader.or(&TRANSPORT.pair_order);
    let nic = reader.need(&TRANSPORT.nic);
    let turns = reader.or(&TRANSPORT.turns);
    let host_queue = host_queue(&mut reader);
    let phase = reader.need(&TRANSPORT.phase);
    reader.finish();
    Some(TransportSection {
        payload: payload?,
        header: header?,
        ack: ack?,
        load_balance: load_balance?,
        plane: plane.map_or(Some(None), |read| read.map(Some))?,
        plane_named: false,
        plane_repair,
        plane_repair_place: plane_repair_place.unwrap_or_default(),
        planner: planner.map_or(Some(None), |read| read.map(Some))?,
        congestion: congestion?,
        recovery: recovery?,
        connections: connections?,
        pair_order,
        nic: nic?,
        turns,
        host_queue: host_queue?,
        phase: phase?,
    })
}

/// Reads the keys of a host's queue.
fn host_queue(reader: &mut Reader<'_>) -> Option<Option<HostQueueSection>> {
    let Some(item) = reader.take(&TRANSPORT.host_queue) else {
        reader.misplaced(&TRANSPORT.host_queue_acks, "without `host_queue`", "`host_queue`");
        return Some(None);
    };
    let (size, acks) =
        (reader.at_least(&TRANSPORT.host_queue), reader.or(&TRANSPORT.host_queue_acks));
    let plan = HostQueue { size: size?, acks };
    Some(Some(HostQueueSection { plan, place: item.place.clone() }))
}

/// Reads the recovery; where nobody has written its name, it is `implied`, if that is there.
pub(crate) fn recovery(
    reader: &mut Reader<'_>,
    key: &'static Key,
    implied: Option<&'static str>,
) -> Option<Chosen<recovery::Config>> {
    let recovery = scheme::scheme_beside(reader, key, implied);
    if let Some(Chosen { config: recovery::Config::Sack(sack), .. }) = &recovery
        && (sack.ack_every, sack.ack_entropies) == (1, AckEntropies::Carry)
    {
        let note = "`ack_entropies = \"carry\"` tells no more than \"trigger\" where every packet \
                    has its own ACK (`ack_every = 1`)";
        reader.log().note(note.to_owned());
    }
    recovery
}

fn frame_part(reader: &mut Reader<'_>, key: &'static Key) -> Option<Bytes> {
    let bytes = reader.at_least(key)?;
    if bytes > SIZE_LIMIT {
        let item = reader.take(key)?;
        let problem = item.place.problem(format!("`{}` is too large", key.word));
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

    /// How packets choose their planes, where hosts have several ports.
    pub(crate) fn plane(&self) -> Chosen<plane::Config> {
        let declared = || scheme::declared(&TRANSPORT.plane).expect("a declared scheme is one");
        self.plane.clone().unwrap_or_else(|| self.load_balance.gives(declared()))
    }

    /// The section's lines with every default filled in, but for what `connections`, `pair_order`,
    /// `turns`, `host_queue`, `plane` and `plane_repair` have by default.
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
        if let Some(HostQueueSection { plan, .. }) = &self.host_queue {
            lines.push(format!("host_queue = {}", shown(&plan.size)));
            lines.push(format!("host_queue_acks = {}", shown(&plan.acks)));
        }
        if let Some(plane) = self.plane.as_ref().filter(|_| !self.plane_named) {
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
