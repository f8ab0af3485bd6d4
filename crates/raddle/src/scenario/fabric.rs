//! `[fabric]`: topology, queues, switch load balancing, routing.

use super::buffer::{self, BufferSection};
use super::files::Files;
use super::queue::{self, QueueSection};
use super::reader::{Reader, read};
use super::scheme::{self, Chosen, show, shown};
use super::spec::{Item, Place, Value};
use super::topology::{self, Topology};
use raddle_schemes::load_balance::switch;
use raddle_schemes::tor;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::faults::OnDown;
use raddle_sim::topology::routing::Weighting;
use raddle_sim::wire::frame::SIZE_LIMIT;

/// The section without its topology.
pub(crate) struct FabricSection {
    pub(crate) load_balance: Chosen<switch::Config>,
    pub(crate) queue: QueueSection,
    pub(crate) buffer: Option<BufferSection>,
    pub(crate) tor: Option<Chosen<tor::Config>>,
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
    let topology = topology::read(&mut reader, files);
    let load_balance = scheme::scheme(&mut reader, "load_balance");
    let gap = reader.or("gap", Bytes(0));
    if let (true, Some(item)) = (gap > SIZE_LIMIT, reader.take("gap")) {
        let problem = item.place.problem("`gap` is too large");
        reader.log().add(problem.label(format!("expected at most {SIZE_LIMIT}")));
    }
    let queue = reader.table("queue").and_then(|inner| queue::queue(inner, gap));
    let shares_memory = reader.take("buffer").is_some();
    let buffer = reader.table("buffer").and_then(|inner| buffer::buffer(inner, files));
    let mut queue = queue;
    if let Some(queue) = &mut queue
        && (buffer.is_some() || !shares_memory)
    {
        let decides = buffer.as_ref().map(|own| &own.plan.policy);
        let decides = decides.filter(|policy| policy.decides_pauses());
        queue.by_memory(decides.map(|policy| policy.card().name), reader.log());
        buffer.iter().for_each(|own| own.check_classes(queue.plan.classes, reader.log()));
    }
    let has_middleware = reader.take("tor").is_some();
    let tor = if has_middleware { scheme::scheme(&mut reader, "tor") } else { None };
    let mut places = FabricPlaces::default();
    let place = |item: Option<&Item>| item.map(|item| item.place.clone()).unwrap_or_default();
    let routing = reader.table("routing").map(|mut routing| {
        places.convergence = place(routing.take("convergence"));
        places.weights = place(routing.take("weights"));
        places.local_repair = place(routing.take("local_repair"));
        let convergence = span_or(&mut routing, "convergence", "never");
        let local_repair = span_or(&mut routing, "local_repair", "never");
        let weights = routing.or("weights", Weighting::default());
        routing.finish();
        (convergence, weights, local_repair)
    });
    let on_down = reader.choice("on_down", &["drop", "keep"]);
    places.on_down = place(reader.take("on_down"));
    reader.finish();
    let section = move || {
        Some(FabricSection {
            load_balance: load_balance?,
            queue: queue?,
            buffer: if shares_memory { Some(buffer?) } else { None },
            tor: if has_middleware { Some(tor?) } else { None },
            convergence: routing?.0,
            local_repair: routing?.2,
            weights: routing?.1,
            on_down: if on_down? == "keep" { OnDown::Keep } else { OnDown::Drop },
            places,
        })
    };
    (topology, section())
}

/// A time, or a word that stands for none.
pub(crate) fn span_or(reader: &mut Reader<'_>, key: &'static str, word: &str) -> Option<Span> {
    let item = reader.take(key)?;
    if item.value == Value::Text(word.to_owned()) {
        return None;
    }
    let wrong = |problem: crate::problem::Problem| {
        let label = problem.label.clone().unwrap_or_default();
        reader.log().add(problem.label(format!("{label}, or \"{word}\"")));
    };
    read(key, item).map_err(wrong).ok()
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
        [
            "[fabric]".to_owned(),
            format!("topology = {}", topology.resolved),
            format!("load_balance = {}", show(&self.load_balance.config, &[])),
            self.queue.resolved() + &buffer + &tor,
            format!("gap = {}", shown(&self.queue.plan.gap)),
            format!("routing = {{ {routing}{repair} }}"),
            format!("on_down = \"{on_down}\""),
            String::new(),
        ]
        .join("\n")
    }
}
