//! Traffic of the kinds `collective` and `fsdp`.

use super::reader::Reader;
use super::spec::{Item, Value};
use super::traffic::{Made, Pattern, line, message};
use raddle_schemes::units::Bytes;
use raddle_sim::workload::all_to_all::{self, AllToAll};
use raddle_sim::workload::collective::butterfly::Butterfly;
use raddle_sim::workload::collective::exchange;
use raddle_sim::workload::collective::fsdp::Fsdp;
use raddle_sim::workload::collective::placement::{Order, Placement};
use raddle_sim::workload::collective::ring::Ring;
use raddle_sim::workload::job::Operation;
use raddle_sim::workload::{Traffic, WorkloadError};

/// A collective, or what is made of several, and who takes part.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    what: What,
    placement: Placement,
}

#[derive(Clone, Debug)]
enum What {
    Ring(Ring),
    Butterfly(Butterfly),
    AllToAll(AllToAll),
    Fsdp(Fsdp),
}

/// Models by name, with their layers and the packets of 4096 B that a GPU sends in a phase: the
/// study of load balancing for AI training, Figure 14.
const MODELS: [(&str, u32, u64); 3] =
    [("llama_7b", 32, 104), ("llama_70b", 80, 418), ("llama_405b", 126, 1570)];

impl Placed {
    /// The flows of a run's seed.
    pub(crate) fn generate(&self, hosts: u32, seed: u64) -> Result<Traffic, WorkloadError> {
        let ranks = self.placement.ranks(hosts, seed)?;
        match &self.what {
            What::Ring(ring) => ring.generate(&ranks),
            What::Butterfly(butterfly) => butterfly.generate(&ranks),
            What::AllToAll(all_to_all) => exchange::all_to_all(all_to_all, &ranks, seed),
            What::Fsdp(fsdp) => fsdp.generate(&ranks),
        }
    }

    /// Adds nothing to memory, but finds what does not fit the fabric.
    pub(crate) fn check(&self, hosts: u32) -> Result<(), WorkloadError> {
        let ranks = self.placement.ranks(hosts, 0)?;
        let made = match &self.what {
            What::AllToAll(all_to_all) => return all_to_all.check(ranks.len() as u32),
            // The shortest pass has all that can be wrong with a long one, but for its length.
            What::Fsdp(fsdp) => Fsdp { layers: 1, steps: 1, ..fsdp.clone() }.generate(&ranks),
            What::Ring(ring) => Ring { hops: Some(1), ..ring.clone() }.generate(&ranks),
            What::Butterfly(butterfly) => butterfly.generate(&ranks),
        };
        made.map(|_| ())
    }

    /// Whether a seed decides about anything.
    pub(crate) fn draws(&self) -> bool {
        let exchanges_at_random =
            matches!(&self.what, What::AllToAll(all) if all.order == all_to_all::Order::Random);
        self.placement.order != Order::Linear || exchanges_at_random
    }

    /// The size of every message.
    pub(crate) fn message(&self) -> Bytes {
        match &self.what {
            What::Ring(ring) => ring.message,
            What::Butterfly(butterfly) => butterfly.message,
            What::AllToAll(all_to_all) => all_to_all.message,
            What::Fsdp(fsdp) => fsdp.message,
        }
    }
}

/// Reads `kind = "collective"`.
pub(crate) fn collective(reader: &mut Reader<'_>) -> Option<Made> {
    let operation: Option<Operation> = reader.need("operation", "\"all_reduce\"");
    let message = message(reader);
    let (operation_word, algorithms): (_, &[&str]) = match operation {
        Some(operation @ Operation::AllReduce) => (operation.word(), &["ring", "butterfly"]),
        Some(operation @ Operation::AllToAll) => (operation.word(), &["direct"]),
        Some(operation) => (operation.word(), &["ring"]),
        None => ("", &["ring", "butterfly", "direct"]),
    };
    let algorithm = reader.word("algorithm", algorithms, algorithms[0]);
    let placement = placement(reader, &["linear", "random"], "linear", 1);
    // Where the operation is wrong, so may be the algorithm.
    let with = operation.map(|_| format!("with `algorithm = \"{algorithm}\"`"));
    let mut limit = |key, goes_with: &str| -> Option<Option<u32>> {
        match &with {
            Some(with) if algorithm != goes_with => {
                reader.misplaced(key, with, &format!("`algorithm = \"{goes_with}\"`"));
                Some(None)
            }
            _ if reader.take(key).is_none() => Some(None),
            _ => reader.at_least(key, 1, Some(1)).map(Some),
        }
    };
    let (hops, in_flight) = (limit("hops", "ring"), limit("parallel", "direct"));
    reader.take("order");
    let (hops, in_flight) = (hops?, in_flight?);
    if algorithm != "direct"
        && let Some(with) = &with
    {
        reader.misplaced("order", with, "`algorithm = \"direct\"`");
    }
    let order = if algorithm == "direct" { order(reader, in_flight)? } else { None };
    let (what, extra): (_, Vec<String>) = match (algorithm, operation?) {
        ("direct", _) => {
            let extra = in_flight.map(|n| line("parallel", &n));
            let order = order.unwrap_or(all_to_all::Order::Shifted);
            let own = (order != all_to_all::Order::Shifted).then(|| line("order", &order));
            let extra = [extra, own].into_iter().flatten().collect();
            (What::AllToAll(AllToAll { message: message?, order, in_flight }), extra)
        }
        ("butterfly", _) => (What::Butterfly(Butterfly { message: message? }), Vec::new()),
        (_, operation) => {
            let extra = hops.map(|n| line("hops", &n)).into_iter().collect();
            (What::Ring(Ring { operation, message: message?, hops }), extra)
        }
    };
    let (message, (placement, places)) = (message?, placement?);
    let lines = [
        format!("operation = \"{operation_word}\""),
        format!("algorithm = \"{algorithm}\""),
        line("message", &message),
    ];
    let lines = lines.into_iter().chain(extra).chain(places).collect();
    let title = format!("{algorithm} {operation_word} of {message} messages");
    let pattern = Pattern::Collective(Box::new(Placed { what, placement }));
    Some((pattern, lines, title, Vec::new()))
}

/// Reads the order in which those that all send to all serve their receivers, if it is given.
/// `None` if it is wrong.
pub(super) fn order(
    reader: &mut Reader<'_>,
    in_flight: Option<u32>,
) -> Option<Option<all_to_all::Order>> {
    let Some(item) = reader.take("order") else { return Some(None) };
    let order = reader.get("order")?;
    if order == all_to_all::Order::Strided && in_flight.is_none() {
        let problem = item.place.problem("`order` is strided, and all messages start at once");
        reader
            .log()
            .add(problem.label("expected `parallel`, the messages that are sent at a time"));
        return None;
    }
    Some(Some(order))
}

/// Reads `kind = "fsdp"`.
pub(crate) fn fsdp(reader: &mut Reader<'_>) -> Option<Made> {
    let names = MODELS.map(|(name, ..)| name);
    let model = reader.choice("model", &names);
    // All keys are read, so that each mistake is found whatever the others are.
    let known = MODELS.into_iter().find(|(name, ..)| Some(*name) == model);
    let (_, layers, packets) = known.unwrap_or(MODELS[0]);
    let layers = reader.at_least("layers", 1, Some(layers));
    let message = reader.at_least("message", Bytes(1), Some(Bytes(packets * 4096)));
    let gpus_per_server = reader.at_least("gpus_per_server", 1, Some(8));
    let steps = reader.at_least("steps", 1, Some(1));
    let barrier = reader.or("barrier", true);
    let words = ["linear", "random", "servers"];
    let placement = placement(reader, &words, "servers", gpus_per_server.unwrap_or(1));
    let (model, layers, message) = (model?, layers?, message?);
    let (gpus_per_server, steps, (placement, places)) = (gpus_per_server?, steps?, placement?);
    let fsdp = Fsdp { layers, message, gpus_per_server, steps, barrier };
    let lines = [
        format!("model = \"{model}\""),
        line("layers", &layers),
        line("message", &message),
        line("gpus_per_server", &gpus_per_server),
        line("steps", &steps),
        line("barrier", &barrier),
    ];
    let lines = lines.into_iter().chain(places).collect();
    let title = format!("FSDP backward pass of {model}, {layers} layers");
    let pattern = Pattern::Collective(Box::new(Placed { what: What::Fsdp(fsdp), placement }));
    Some((pattern, lines, title, Vec::new()))
}

/// Reads who takes part, and gives the lines that say it.
fn placement(
    reader: &mut Reader<'_>,
    orders: &[&'static str],
    default: &'static str,
    server: u32,
) -> Option<(Placement, Vec<String>)> {
    let mut lines = Vec::new();
    let range = reader.take("hosts");
    let hosts = range.and_then(range_of);
    if let (Some(item), None) = (range, hosts) {
        let problem = item.place.problem("wrong value for `hosts`");
        reader.log().add(problem.label("expected a range, both ends included: \"0..63\""));
    }
    lines.extend(hosts.map(|(first, last)| format!("hosts = \"{first}..{last}\"")));
    let given = reader.take("ranks").is_some();
    let ranks = if given { reader.at_least("ranks", 2, Some(2)) } else { None };
    lines.extend(ranks.map(|ranks| line("ranks", &ranks)));
    let order = reader.word("placement", orders, default);
    if range.is_some() && hosts.is_none() || given && ranks.is_none() {
        return None;
    }
    lines.push(format!("placement = \"{order}\""));
    let order = [Order::Linear, Order::Random, Order::Servers]
        .into_iter()
        .find(|known| known.word() == order)?;
    Some((Placement { hosts, ranks, order, server }, lines))
}

/// The first and the last of `"0..63"`.
fn range_of(item: &Item) -> Option<(u32, u32)> {
    let Value::Text(text) = &item.value else { return None };
    let (first, last) = text.split_once("..")?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}
