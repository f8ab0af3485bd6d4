//! `[fabric] buffer`: the memory that the ports of a switch share.

use super::fabric::FabricSection;
use super::files::Files;
use super::key::{Section, absent, keys};
use super::keyed::Reader;
use super::reach::Sizes;
use super::reader::{Log, read, refused, with_nearest};
use super::scheme::{self, Chosen, Needy, show, shown};
use super::spec::{Item, Place, Value};
use crate::problem::Problem;
use raddle_schemes::buffer::{self, Arriving, BufferContext};
use raddle_schemes::family::{ParameterError, Raw};
use raddle_schemes::ids::SwitchId;
use raddle_schemes::size::Size;
use raddle_schemes::units::Bytes;
use raddle_sim::faults::Faults;
use raddle_sim::lossless::{self, Lossless, Shortage};
use raddle_sim::plan::BufferPlan;
use raddle_sim::topology::{Fabric, Switch};
use std::sync::Arc;

/// The oracles that come with the program: what `oracle_file` calls them, and their words. The file of
/// each says which command made it.
const ORACLES: [(&str, &str); 1] =
    [("websearch_dctcp", include_str!("../../../../figures/credence/oracle/oracle.txt"))];

keys! {
    /// `[fabric] buffer`, beside the scheme's own.
    BUFFER: BufferKeys = Section::new("buffer", "### buffer", "memory that the ports of a switch share")
        .beside("fabric.buffer", absent!(required "..")) => {
        size: Size, (required "4 MiB"),
            "memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its ports together. A note says where the queues' own sizes leave nothing to refuse";
        oracle_file: Either(&[Word(&[ORACLES[0].0]), Path]), (or "none"),
            "in place of the `oracle` of `credence`, a file that has it in its words: `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`, without a dot or a slash, is the one of `figures/credence/oracle`";
    }
}

/// The memory's settings.
pub(crate) struct BufferSection {
    pub(crate) plan: BufferPlan,
    /// As it was typed.
    policy: Chosen<buffer::Config>,
    /// Of the size.
    pub(crate) place: Place,
}

/// Reads the table.
pub(crate) fn buffer(mut reader: Reader<'_>, files: &Files) -> Option<BufferSection> {
    let item = reader.demand(&BUFFER.size);
    let size = item.and_then(|item| {
        let size = read("size", item).map_err(|problem| reader.log().add(problem)).ok()?;
        let label = match size {
            Size::Percent(_) | Size::Unlimited => "expected bytes, packets or bdp",
            _ => return Some(size),
        };
        reader.log().add(item.place.problem("wrong value for `size`").label(label));
        None
    });
    let oracle = reader.take(&BUFFER.oracle_file);
    let typed = reader.rest().any(|(key, ..)| key == "oracle");
    let log = reader.log();
    let mut policy = scheme::read_scheme::<buffer::Config>(reader)?;
    if let Some(item) = oracle {
        read_oracle(item, typed, &mut policy.config, files, log)?;
    }
    let plan = BufferPlan { size: size?, policy: policy.config.clone() };
    Some(BufferSection { plan, policy, place: item?.place.clone() })
}

/// Gives a policy the oracle that a file has in words, as `oracle` would.
fn read_oracle(
    item: &Item,
    typed: bool,
    policy: &mut buffer::Config,
    files: &Files,
    log: &Log,
) -> Option<()> {
    let Value::Text(name) = &item.value else {
        let problem = item.place.problem("wrong value for `oracle_file`");
        log.add(problem.label("expected a path, quoted"));
        return None;
    };
    if typed {
        let problem = item.place.problem("`oracle_file` stands beside `oracle`");
        log.add(problem.label("expected one of the two"));
        return None;
    }
    let text: Arc<str> = if name.contains(['.', '/']) {
        files.named(item, name, log)?.text
    } else if let Some((_, text)) = ORACLES.iter().find(|(word, _)| word == name) {
        Arc::from(*text)
    } else {
        let problem = item.place.problem(format!("unknown oracle `{name}`"));
        let words = ORACLES.iter().map(|&(word, _)| word);
        let help = format!("oracles: {}", words.clone().collect::<Vec<_>>().join(", "));
        let file = "or the path of a file that `raddle train` wrote, as in \"oracle.txt\"";
        log.add(with_nearest(problem, name, words).help(help).help(file));
        return None;
    };
    match policy.set("oracle", Raw::Text(&text)) {
        Ok(()) => return Some(()),
        Err(ParameterError::Unknown) => {
            let message = format!("`{}` has no parameter `oracle`", policy.card().name);
            log.add(item.place.problem(message).label("leave it out"));
        }
        Err(error) => log.add(refused("oracle_file", item, error)),
    }
    None
}

impl BufferSection {
    /// Adds a problem for a list of the policy that is not one of the data classes.
    pub(crate) fn check_classes(&self, classes: u8, log: &Log) {
        for (parameter, listed) in self.plan.policy.per_class() {
            if listed != usize::from(classes) {
                let policy = self.plan.policy.card().name;
                let message = format!("`{parameter}` of `{policy}` lists {listed} classes");
                let label = format!("expected a list of {classes}, one for each data class");
                log.add(self.policy.place.problem(message).label(label));
            }
        }
    }

    /// What the policy needs.
    pub(crate) fn needy(&self) -> Needy<'_> {
        self.policy.needy()
    }

    /// The line of the table with every default filled in.
    pub(crate) fn resolved(&self) -> String {
        format!("buffer = {}", show(&self.plan.policy, &[("size", shown(&self.plan.size))]))
    }
}

/// Adds a problem for a memory that keeps no packet or no control frame. Notes one that refuses data
/// at most where control frames take its room: the queues' own sizes are all that counts then.
/// A problem, too, is one in which lossless classes can lose packets, `faults` being those that are
/// certain.
pub(crate) fn check(
    section: &FabricSection,
    fabric: &Fabric,
    faults: &Faults,
    sizes: &Sizes,
    log: &Log,
) {
    let Some(own) = &section.buffer else { return };
    let policy = own.plan.policy.card().name;
    let mut refuses = fabric.switches.is_empty();
    let mut queues_hold = 0;
    for switch in &fabric.switches {
        let memory = Memory::new(section, &own.plan, (fabric, faults), switch, sizes);
        let (name, size) = (&switch.name, memory.size());
        let largest = sizes.packet.max(sizes.control);
        let message = if size < largest {
            format!("the memory of `{name}` has room for {size}")
        } else if !memory.admits(sizes.packet, Bytes(0), Bytes(0)) {
            format!("`{policy}` lets no packet into the empty memory of `{name}`")
        } else if let Some(shared) = memory.shared().filter(|shared| *shared < largest) {
            format!("headroom leaves {shared} of {size} to share in the memory of `{name}`")
        } else if let Some((parameter, expected)) = memory.policy.misfit(largest) {
            let value = own.policy.config.values().into_iter().find(|(key, _)| *key == parameter);
            // A forest is pages long.
            let value = value.filter(|(_, value)| value.len() <= 60);
            let value = value.map_or(String::new(), |(_, value)| format!(" = {value}"));
            let message = format!("`{parameter}{value}` of `{policy}` does not go with `{name}`");
            let place = own.policy.place_of(parameter).unwrap_or(&own.place);
            log.add(place.problem(message).label(format!("expected {expected}")));
            return;
        } else {
            refuses |= memory.ever_refuses(sizes.packet);
            queues_hold = queues_hold.max(memory.queues_hold);
            continue;
        };
        let label = format!("expected more: the largest frame has {largest}");
        log.add(own.place.problem(message).label(label));
        return;
    }
    let (queue, buffer) = (&section.queue.plan, &own.plan);
    let (packet, longest_rtt) = (sizes.packet, sizes.longest_rtt);
    let lossless = Lossless { fabric, faults, queue, buffer, packet, longest_rtt };
    if let Some(shortage) = lossless.shortage() {
        let pfc = &section.queue.places.xoff;
        let of_pauses = matches!(shortage, Shortage::Links | Shortage::Quanta { .. });
        let place = if of_pauses && pfc.file.is_some() { pfc } else { &own.place };
        log.add(short(&shortage, policy, fabric, place));
        return;
    }
    if !refuses {
        log.note(format!(
            "`{policy}` in [fabric] buffer refuses no data unless control frames fill the memory: \
             all queues of data of a switch together hold at most {}; with `size = \"unlimited\"` \
             in [fabric] queue the memory alone decides",
            Bytes(queues_hold)
        ));
    }
}

/// The problem that lossless classes of a policy can lose packets, with the number that would do.
pub(super) fn short(shortage: &Shortage, policy: &str, fabric: &Fabric, place: &Place) -> Problem {
    let name = |switch: &SwitchId| &fabric.switches[switch.index()].name;
    let (why, label) = match shortage {
        Shortage::Links => (
            "`links = \"hosts\"` leaves links between switches without pauses".to_owned(),
            "expected \"all\"".to_owned(),
        ),
        Shortage::Quanta { above } => (
            "a pause can end while its renewal waits behind a full frame".to_owned(),
            format!("expected a `quanta` above {above} in `pfc`"),
        ),
        Shortage::Memory { switch, shared, needs } => (
            format!("headroom leaves {shared} to share in the memory of `{}`", name(switch)),
            format!("expected at least {} B", needs.0),
        ),
        Shortage::Parameter { switch, lack } => (
            format!("`{}` is {} in the memory of `{}`", lack.parameter, lack.is, name(switch)),
            format!("expected {}", lack.would_do),
        ),
    };
    place.problem(format!("lossless classes of `{policy}` can lose packets: {why}")).label(label)
}

/// The memory of one switch, and what its queues may hold.
pub(super) struct Memory {
    context: BufferContext,
    policy: buffer::AnyBufferPolicy,
    /// All queues of data together.
    queues_hold: u64,
    largest_queue: u64,
}

impl Memory {
    pub(super) fn new(
        section: &FabricSection,
        plan: &BufferPlan,
        (fabric, faults): (&Fabric, &Faults),
        switch: &Switch,
        sizes: &Sizes,
    ) -> Self {
        let queue = &section.queue.plan;
        let classes = queue.classes;
        let context = plan.context(fabric, faults, switch, queue, sizes.packet, sizes.longest_rtt);
        let is_lossless = lossless::classes(queue, Some(plan)) != 0;
        let capacity = |port: u32| {
            if is_lossless {
                return u64::MAX;
            }
            let base = sizes.base(fabric.ports[port as usize].rate, Bytes(0));
            queue.size.resolve(&base).0
        };
        let of_one = || switch.ports.clone().map(capacity);
        let sum = of_one().fold(0u64, u64::saturating_add).saturating_mul(classes.into());
        let policy = plan.policy.build(&context);
        Self { context, policy, queues_hold: sum, largest_queue: of_one().max().unwrap_or(0) }
    }

    /// All of it.
    pub(super) fn size(&self) -> Bytes {
        self.context.size
    }

    /// What headroom leaves, where there is any.
    fn shared(&self) -> Option<Bytes> {
        self.policy.shared_size()
    }

    /// Whether a frame of data is kept, control aside.
    pub(super) fn admits(&self, bytes: Bytes, queued: Bytes, used: Bytes) -> bool {
        used.0.saturating_add(bytes.0) <= self.size().0
            && self.policy.admits(&Arriving { bytes, queued, used })
    }

    /// Whether the last packet that all queues have room for might be refused, control aside.
    fn ever_refuses(&self, packet: Bytes) -> bool {
        let before = |whole: u64| Bytes(whole.saturating_sub(packet.0));
        !self.admits(packet, before(self.largest_queue), before(self.queues_hold))
    }

    /// The longest that a queue of packets can get in an otherwise empty memory.
    pub(super) fn longest_queue(&self, packet: Bytes) -> Bytes {
        let most = self.largest_queue.min(self.size().0) / packet.0;
        let fits = |count: &u64| {
            let before = Bytes((count - 1) * packet.0);
            self.admits(packet, before, before)
        };
        // The more there are, the less is admitted: the first that is not, by halves.
        let (mut fit, mut beyond) = (0, most + 1);
        while beyond - fit > 1 {
            let middle = fit + (beyond - fit) / 2;
            if fits(&middle) { fit = middle } else { beyond = middle }
        }
        Bytes(fit * packet.0)
    }
}
