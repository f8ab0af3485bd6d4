//! What only the fabric can judge of `[fabric] buffer`: memory without room, or that never refuses.

use super::fabric::FabricSection;
use super::reader::Log;
use super::sizes::Sizes;
use super::spec::Place;
use crate::problem::Problem;
use raddle_schemes::buffer::{self, Arriving, BufferContext};
use raddle_schemes::ids::SwitchId;
use raddle_schemes::units::Bytes;
use raddle_sim::faults::Faults;
use raddle_sim::lossless::{self, Lossless, Shortage};
use raddle_sim::plan::BufferPlan;
use raddle_sim::topology::{Fabric, Switch};

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
        self.may_refuse(packet, before(self.largest_queue), before(self.queues_hold))
    }

    /// Whether a frame of data of some class or flow might be refused, control aside.
    pub(super) fn may_refuse(&self, bytes: Bytes, queued: Bytes, used: Bytes) -> bool {
        used.0.saturating_add(bytes.0) > self.size().0
            || self.policy.may_refuse(&Arriving { bytes, queued, used })
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
