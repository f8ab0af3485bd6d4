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
use raddle_sim::net::frame::SIZE_LIMIT;
use raddle_sim::plan::{MarkAt, Overflow, QueuePlan, Service};

/// What markings call the queue lengths at which they begin and are complete.
const THRESHOLDS: [&str; 3] = ["low", "threshold", "high"];

/// The section without its topology.
pub(crate) struct FabricSection {
    pub(crate) load_balance: Chosen<switch::Config>,
    pub(crate) queue: QueuePlan,
    pub(crate) queue_places: QueuePlaces,
    pub(crate) convergence: Option<Span>,
    pub(crate) on_down: OnDown,
}

/// Where the queues' settings stand.
pub(crate) struct QueuePlaces {
    pub(crate) size: Place,
    pub(crate) control_size: Place,
    /// The name of the marking.
    pub(crate) marking: Place,
    /// A threshold of the marking; its name where all thresholds are defaults.
    pub(crate) threshold: Place,
    pub(crate) overflow: Place,
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
    let queue = reader.table("queue").and_then(|inner| queue(inner, gap));
    let convergence = reader.table("routing").map(|mut routing| {
        let convergence = span_or(&mut routing, "convergence", "never");
        routing.finish();
        convergence
    });
    let on_down = reader.choice("on_down", &["drop", "keep"]);
    reader.finish();
    let section = || {
        let (queue, queue_places) = queue?;
        Some(FabricSection {
            load_balance: load_balance?,
            queue,
            queue_places,
            convergence: convergence?,
            on_down: if on_down? == "keep" { OnDown::Keep } else { OnDown::Drop },
        })
    };
    (topology, section())
}

fn queue(mut reader: Reader<'_>, gap: Bytes) -> Option<(QueuePlan, QueuePlaces)> {
    let size_item = reader.demand("size", "\"1 bdp\"");
    let size = size_item.and_then(|item| capacity(&reader, "size", item));
    let control_item = reader.demand("control_size", "\"unlimited\"");
    let control_size = control_item.and_then(|item| capacity(&reader, "control_size", item));
    let service: Option<Service> = reader.need("service", "\"priority\"");
    let overflow: Option<Overflow> = reader.need("overflow", "\"drop\"");
    let overflow_item = reader.take("overflow");
    let mut mark_at = None;
    let mut threshold = None;
    let marking = reader.table("marking").and_then(|mut inner| {
        let thresholds = inner.rest().filter(|(key, ..)| THRESHOLDS.contains(key));
        threshold = thresholds.map(|(_, _, item)| item.place.clone()).next();
        mark_at = inner.need::<MarkAt>("at", "\"dequeue\"");
        scheme::read_scheme::<marking::Config>(inner)
    });
    if let (Some(Size::Unlimited), Some(item), Some(marking)) = (size, size_item, &marking) {
        relative_to_nothing(&reader, item, marking);
    }
    if service == Some(Service::Fifo) {
        one_class(&mut reader, overflow);
    }
    reader.finish();
    let marking = marking?;
    let places = QueuePlaces {
        size: size_item?.place.clone(),
        control_size: control_item?.place.clone(),
        threshold: threshold.unwrap_or_else(|| marking.place.clone()),
        marking: marking.place,
        overflow: overflow_item?.place.clone(),
    };
    let plan = QueuePlan {
        size: size?,
        control_size: control_size?,
        service: service?,
        marking: marking.config,
        mark_at: mark_at?,
        overflow: overflow?,
        gap,
    };
    Some((plan, places))
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

/// What has no meaning where a port has one class for everything.
fn one_class(reader: &mut Reader<'_>, overflow: Option<Overflow>) {
    if let (Some(Overflow::Trim), Some(item)) = (overflow, reader.take("overflow")) {
        let problem = item.place.problem("a `fifo` port cannot trim");
        let help = "trimmed headers travel in the control class: set `service = \"priority\"`";
        reader.log().add(problem.label("expected \"drop\"").help(help));
    }
    if let Some(item) = reader.take("control_size").filter(|item| item.place.file.is_some()) {
        let problem = item.place.problem("`control_size` has no effect on a `fifo` port");
        let label = "leave it out: control frames share the data frames' queue";
        reader.log().add(problem.label(label));
    }
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
        let control_size = match queue.service {
            Service::Priority => format!("control_size = {}, ", shown(&queue.control_size)),
            Service::Fifo => String::new(),
        };
        [
            "[fabric]".to_owned(),
            format!("topology = {}", topology.resolved),
            format!("load_balance = {}", show(&self.load_balance.config, &[])),
            format!(
                "queue = {{ size = {}, {control_size}service = {}, marking = {marking}, \
                 overflow = {} }}",
                shown(&queue.size),
                shown(&queue.service),
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
