//! `[fabric]`: topology, queues, switch load balancing, routing.

use super::buffer::{self, BufferKeys, BufferSection};
use super::files::Files;
use super::key::{Section, absent, keys};
use super::keyed::{Reader, span_or};
use super::llr::{self, LlrKeys, LlrSection};
use super::queue::{self, QueueKeys, QueueSection};
use super::scale_up::{self, ScaleUpKeys};
use super::scheme::{self, Chosen, show, shown};
use super::spec::{Item, Place};
use super::topology::{self, Topology};
use raddle_schemes::load_balance::switch;
use raddle_schemes::tor;
use raddle_schemes::units::Span;
use raddle_sim::faults::OnDown;
use raddle_sim::topology::routing::Weighting;
use raddle_sim::wire::frame::SIZE_LIMIT;

keys! {
    /// `[fabric]`.
    FABRIC: FabricKeys = Section::new("fabric", "## [fabric]", "hosts, switches, cables, queues, routing") => {
        topology: OneOf(topology::sections), (required { kind = "fat_tree", hosts = 128 }),
            "see below";
        scale_up: Table(ScaleUpKeys::SECTION), (or "none: each GPU is alone"),
            "servers of several GPUs, each with a crossbar";
        load_balance: Scheme("fabric.load_balance"), (filled { scheme = "ecmp" }),
            "how a switch picks among equal next hops";
        queue: Table(QueueKeys::SECTION), (or "all defaults"),
            "the queue of every switch port";
        buffer: Table(BufferKeys::SECTION), (or "none is shared"),
            "memory that the ports of a switch share";
        tor: Table(TOR), (or "none"),
            "middleware in the switches that have hosts";
        llr: Table(LlrKeys::SECTION), (or "no link sends again"),
            "link-level retry on every link";
        gap: Bytes, (filled "0 B") [<= "65535 B"],
            "idle bytes after each frame on every link (20 B for preamble and gap of Ethernet), at most 65535 B; no part of any occupancy";
        routing: Table(RoutingKeys::SECTION), (or "all defaults"),
            "how long routing stays stale";
        on_down: Word(&["drop", "keep"]), (filled "drop"),
            "frames queued at a switch port whose link goes down: `drop` or `keep`";
    }
}

/// `[fabric] tor`, where a scheme stands alone.
const TOR: &Section = &Section::new("tor", "### tor", "middleware in the switches that have hosts")
    .beside("fabric.tor", absent!(required ".."));

keys! {
    /// `[fabric] routing`.
    ROUTING: RoutingKeys = Section::new("routing", "### routing", "how long routing stays stale") => {
        convergence: Either(&[Time, Exactly("never")]), (filled "never"),
            "from a change of the fabric until every switch avoids what is down";
        local_repair: Either(&[Time, Exactly("never")]), (filled "never"),
            "from a change of a link until the switch that sends into it avoids it by itself; shorter than `convergence`";
        weights: Word(Weighting::WORDS), (filled "capacity"),
            "what equal next hops carry from then on: `capacity`, each as much as the paths behind it can (W-ECMP), or `equal`";
    }
}

/// The section without its topology.
pub(crate) struct FabricSection {
    pub(crate) load_balance: Chosen<switch::Config>,
    pub(crate) queue: QueueSection,
    pub(crate) buffer: Option<BufferSection>,
    pub(crate) tor: Option<Chosen<tor::Config>>,
    pub(crate) llr: Option<LlrSection>,
    pub(crate) convergence: Option<Span>,
    pub(crate) local_repair: Option<Span>,
    pub(crate) weights: Weighting,
    pub(crate) on_down: OnDown,
    pub(crate) places: FabricPlaces,
}

/// Where keys stand that need faults.
#[derive(Default)]
pub(crate) struct FabricPlaces {
    pub(crate) convergence: Place,
    pub(crate) local_repair: Place,
    pub(crate) weights: Place,
    pub(crate) on_down: Place,
}

/// Reads the section; the topology is of use even where the rest is not right.
pub(crate) fn fabric(
    mut reader: Reader<'_>,
    files: &Files,
) -> (Option<Topology>, Option<FabricSection>) {
    let topology = reader.demand(&FABRIC.topology);
    let mut topology = topology.and_then(|item| topology::read(item, files, reader.log()));
    let has_servers = reader.take(&FABRIC.scale_up).is_some();
    let scale_up = reader.table(&FABRIC.scale_up).filter(|_| has_servers);
    let scale_up = scale_up.and_then(scale_up::scale_up);
    let is_right = scale_up.is_some() == has_servers;
    topology.iter_mut().for_each(|own| own.scale_up.clone_from(&scale_up));
    let load_balance = scheme::scheme(&mut reader, &FABRIC.load_balance);
    let gap = reader.or(&FABRIC.gap);
    if let (true, Some(item)) = (gap > SIZE_LIMIT, reader.take(&FABRIC.gap)) {
        let problem = item.place.problem("`gap` is too large");
        reader.log().add(problem.label(format!("expected at most {SIZE_LIMIT}")));
    }
    let queue = reader.table(&FABRIC.queue).and_then(|inner| queue::queue(inner, gap));
    let shares_memory = reader.take(&FABRIC.buffer).is_some();
    let buffer = reader.table(&FABRIC.buffer).and_then(|inner| buffer::buffer(inner, files));
    let mut queue = queue;
    if let Some(queue) = &mut queue
        && (buffer.is_some() || !shares_memory)
    {
        let decides = buffer.as_ref().map(|own| &own.plan.policy);
        let decides = decides.filter(|policy| policy.decides_pauses());
        queue.by_memory(decides.map(|policy| policy.card().name), reader.log());
        buffer.iter().for_each(|own| own.check_classes(queue.plan.classes, reader.log()));
    }
    if let (Some(own), Some(_)) = (&buffer, queue.as_ref().and_then(|own| own.cbfc.as_ref()))
        && !matches!(own.plan.policy, raddle_schemes::buffer::Config::CompleteSharing(_))
    {
        let policy = own.plan.policy.card().name;
        let message = format!("`{policy}` has nothing to decide: all memory is promised as credit");
        let label = "choose `complete_sharing`, or leave `buffer` or `cbfc` out";
        reader.log().add(own.policy.place.problem(message).label(label));
    }
    let has_retry = reader.take(&FABRIC.llr).is_some();
    let llr = reader.table(&FABRIC.llr).and_then(llr::llr);
    let has_middleware = reader.take(&FABRIC.tor).is_some();
    let tor = if has_middleware { scheme::scheme(&mut reader, &FABRIC.tor) } else { None };
    if let (Some(tor), Some(_)) = (&tor, queue.as_ref().and_then(|own| own.cbfc.as_ref())) {
        let problem = tor.place.problem("middleware holds and sends packets that no credit is for");
        reader.log().add(problem.label("leave `tor` or `cbfc` out"));
    }
    let mut places = FabricPlaces::default();
    let place = |item: Option<&Item>| item.map(|item| item.place.clone()).unwrap_or_default();
    let routing = reader.table(&FABRIC.routing).map(|mut routing| {
        places.convergence = place(routing.take(&ROUTING.convergence));
        places.weights = place(routing.take(&ROUTING.weights));
        places.local_repair = place(routing.take(&ROUTING.local_repair));
        let convergence = span_or(&mut routing, &ROUTING.convergence);
        let local_repair = span_or(&mut routing, &ROUTING.local_repair);
        let weights = routing.or(&ROUTING.weights);
        routing.finish();
        (convergence, weights, local_repair)
    });
    let on_down = reader.choice(&FABRIC.on_down);
    places.on_down = place(reader.take(&FABRIC.on_down));
    reader.finish();
    let section = move || {
        is_right.then_some(FabricSection {
            load_balance: load_balance?,
            queue: queue?,
            buffer: if shares_memory { Some(buffer?) } else { None },
            tor: if has_middleware { Some(tor?) } else { None },
            llr: if has_retry { Some(llr?) } else { None },
            convergence: routing?.0,
            local_repair: routing?.2,
            weights: routing?.1,
            on_down: if on_down? == "keep" { OnDown::Keep } else { OnDown::Drop },
            places,
        })
    };
    (topology, section())
}

impl FabricSection {
    /// The section's lines with every default filled in.
    pub(crate) fn resolved(&self, topology: &Topology) -> String {
        // Weights do nothing where routes never change.
        let repair = |time| format!(", local_repair = {}", shown(&time));
        let repair = self.local_repair.map_or(String::new(), repair);
        let routing = match self.convergence {
            None => "convergence = \"never\"".to_owned(),
            Some(time) => {
                format!("convergence = {}, weights = {}", shown(&time), shown(&self.weights))
            }
        };
        let on_down = if self.on_down == OnDown::Keep { "keep" } else { "drop" };
        let buffer = self.buffer.as_ref();
        let buffer = buffer.map_or(String::new(), |own| format!("\n{}", own.resolved()));
        let tor = self.tor.as_ref();
        let tor = tor.map_or(String::new(), |own| format!("\ntor = {}", show(&own.config, &[])));
        let llr = self.llr.as_ref();
        let llr = llr.map_or(String::new(), |own| format!("\n{}", own.resolved()));
        let scale_up = topology.scale_up.as_ref();
        let scale_up = scale_up.map_or(String::new(), |own| format!("\n{}", own.resolved()));
        [
            "[fabric]".to_owned(),
            format!("topology = {}{scale_up}", topology.resolved),
            format!("load_balance = {}", show(&self.load_balance.config, &[])),
            self.queue.resolved() + &buffer + &tor + &llr,
            format!("gap = {}", shown(&self.queue.plan.gap)),
            format!("routing = {{ {routing}{repair} }}"),
            format!("on_down = \"{on_down}\""),
            String::new(),
        ]
        .join("\n")
    }
}
