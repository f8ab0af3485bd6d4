//! `[fabric]`: topology, queues, switch load balancing, routing.

use super::files::Files;
use super::reader::{Reader, read};
use super::scheme::{self, Chosen, show, shown};
use super::spec::{Item, Place, Value};
use super::topology::{self, Topology};
use raddle_schemes::load_balance::switch;
use raddle_schemes::marking;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::net::faults::OnDown;
use raddle_sim::plan::{MarkAt, Overflow, QueuePlan, Service};

/// The section without its topology.
pub(crate) struct FabricSection {
    pub(crate) load_balance: Chosen<switch::Config>,
    pub(crate) queue: QueuePlan,
    pub(crate) marking_place: Place,
    pub(crate) overflow_place: Place,
    pub(crate) convergence: Option<Span>,
    pub(crate) on_down: OnDown,
}

/// Reads the section; the topology is of use even where the rest is not right.
pub(crate) fn fabric(
    mut reader: Reader<'_>,
    files: &Files,
) -> (Option<Topology>, Option<FabricSection>) {
    let topology = topology::read(&mut reader, files);
    let load_balance = scheme::scheme(&mut reader, "load_balance");
    let gap = reader.or("gap", Bytes(0));
    let queue = reader.table("queue").and_then(|inner| queue(inner, gap));
    let convergence = reader.table("routing").map(|mut routing| {
        let convergence = span_or(&mut routing, "convergence", "never");
        routing.finish();
        convergence
    });
    let on_down = reader.choice("on_down", &["drop", "keep"]);
    reader.finish();
    let section = || {
        let (queue, marking_place, overflow_place) = queue?;
        Some(FabricSection {
            load_balance: load_balance?,
            queue,
            marking_place,
            overflow_place,
            convergence: convergence?,
            on_down: if on_down? == "keep" { OnDown::Keep } else { OnDown::Drop },
        })
    };
    (topology, section())
}

fn queue(mut reader: Reader<'_>, gap: Bytes) -> Option<(QueuePlan, Place, Place)> {
    let size_item = reader.demand("size", "\"1 bdp\"");
    let size = size_item.and_then(|item| capacity(&reader, "size", item));
    let control_item = reader.demand("control_size", "\"unlimited\"");
    let control_size = control_item.and_then(|item| capacity(&reader, "control_size", item));
    let service = reader.need("service", "\"priority\"");
    let overflow: Option<Overflow> = reader.need("overflow", "\"drop\"");
    let overflow_place = reader.take("overflow").map(|item| item.place.clone());
    let mut mark_at = None;
    let marking = reader.table("marking").and_then(|mut inner| {
        mark_at = inner.need::<MarkAt>("at", "\"dequeue\"");
        scheme::read_scheme::<marking::Config>(inner)
    });
    if let (Some(Size::Unlimited), Some(item), Some(marking)) = (size, size_item, &marking) {
        relative_to_nothing(&reader, item, marking);
    }
    reader.finish();
    let marking = marking?;
    let plan = QueuePlan {
        size: size?,
        control_size: control_size?,
        service: service?,
        marking: marking.config,
        mark_at: mark_at?,
        overflow: overflow?,
        gap,
    };
    Some((plan, marking.place, overflow_place?))
}

/// A capacity: at least one packet, and not a percentage, for there is nothing it could be of.
fn capacity(reader: &Reader<'_>, key: &str, item: &Item) -> Option<Size> {
    let size = read(key, item).map_err(|problem| reader.log().add(problem)).ok()?;
    let label = match size {
        Size::Percent(_) => "expected bytes, packets or bdp: a capacity is not a share of anything",
        Size::Packets(n) if n < 1.0 => "expected at least 1 packet",
        Size::Bdp(n) if n <= 0.0 => "expected more than 0 bdp",
        Size::Bytes(Bytes(0)) => "expected room for at least one packet",
        _ => return Some(size),
    };
    reader.log().add(item.place.problem(format!("wrong value for `{key}`")).label(label));
    None
}

fn relative_to_nothing(reader: &Reader<'_>, size: &Item, marking: &Chosen<marking::Config>) {
    let values = marking.config.values();
    let Some((key, value)) = values.iter().find(|(_, value)| value.ends_with("%\"")) else {
        return;
    };
    let name = marking.config.card().name;
    let message = format!("marking `{name}` has {key} = {value} of an unlimited queue");
    let problem = size.place.problem(message).label("a share of this has no meaning");
    reader.log().add(problem.help(format!("give `{key}` in bytes, packets or bdp")));
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
        let queue = &self.queue;
        let marking = show(&queue.marking, &[("at", shown(&queue.mark_at))]);
        let convergence = self.convergence.map_or("\"never\"".to_owned(), |span| shown(&span));
        let on_down = if self.on_down == OnDown::Keep { "keep" } else { "drop" };
        [
            "[fabric]".to_owned(),
            format!("topology = {}", topology.resolved),
            format!("load_balance = {}", show(&self.load_balance.config, &[])),
            format!(
                "queue = {{ size = {}, control_size = {}, service = {}, marking = {marking}, \
                 overflow = {} }}",
                shown(&queue.size),
                shown(&queue.control_size),
                shown::<Service>(&queue.service),
                shown(&queue.overflow),
            ),
            format!("gap = {}", shown(&queue.gap)),
            format!("routing = {{ convergence = {convergence} }}"),
            format!("on_down = \"{on_down}\""),
            String::new(),
        ]
        .join("\n")
    }
}
