//! Sizes, rates and times that only the fabric can judge: queues that hold no packet, thresholds
//! that no queue or frame reaches, paces that no link has, timeouts.

use super::fabric::FabricSection;
use super::memory;
use super::reader::Log;
use super::scheme::Chosen;
use super::sizes::Sizes;
use raddle_schemes::ids::HostId;
use raddle_schemes::load_balance::switch;
use raddle_schemes::size::{Base, Size, UNLIMITED};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_schemes::{FlowContext, congestion, marking, recovery};
use raddle_sim::faults::Faults;
use raddle_sim::lossless;
use raddle_sim::plan::Service;
use raddle_sim::topology::{Fabric, Node};
use raddle_sim::waits::{LONGEST_QUEUE, Waits};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Where packets may be lost.
pub(crate) struct Losses<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) section: &'a FabricSection,
    /// Those that are certain.
    pub(crate) faults: &'a Faults,
    /// Whether there is any fault.
    pub(crate) faulty: bool,
}

/// The longest retransmission timeout; zero if there is none. Notes one that no answer can beat, and adds a
/// problem for one that is over before a packet has left its host: packets would be sent again for
/// ever.
///
/// Where queues have no limit it is that of the largest traffic there is: how much there will be is
/// known with a seed.
pub(crate) fn rto(
    losses: &Losses<'_>,
    (recovery, key): (&Chosen<recovery::Config>, &str),
    sizes: &Sizes,
    log: &Log,
) -> Span {
    let Losses { fabric, section, faults, faulty } = *losses;
    let base_rtt = sizes.longest_rtt;
    let waits = waits(section, (fabric, faults), sizes);
    let rto = waits.rto();
    let (queue, buffer) = (&section.queue.plan, section.buffer.as_ref());
    let may_lose = queue.may_lose() || buffer.is_some() || faulty || section.tor.is_some();
    let drain = may_lose.then(|| waits.drain());
    let context = FlowContext { base_rtt, rto, drain, ..FlowContext::NOMINAL };
    // Nobody waits for a timeout that never comes.
    let built = recovery.config.build(&context);
    let rto = built.rto();
    let rates = (0..fabric.hosts).map(|host| fabric.host_rate(HostId(host)));
    let packet = rates.max().map_or(Span::ZERO, |rate| rate.serialisation(sizes.packet));
    if rto < packet {
        let place = recovery.place_of("rto").unwrap_or(&recovery.place);
        let message = format!("the timeout of {rto} in {key} is shorter than a packet's {packet}");
        let label = format!("expected at least {packet}; an unloaded round trip takes {base_rtt}");
        log.add(place.problem(message).label(label));
    }
    if rto.0 >= TIME_LIMIT.0 {
        return Span::ZERO;
    }
    if rto < base_rtt {
        log.note(format!(
            "the timeout of {rto} in {key} is shorter than the longest unloaded \
             round trip, {base_rtt}: packets count as lost before their ACKs can be there"
        ));
    }
    built.longest_wait()
}

fn waits<'a>(
    section: &'a FabricSection,
    (fabric, faults): (&'a Fabric, &'a Faults),
    sizes: &Sizes,
) -> Waits<'a> {
    let (queue, buffer) = (&section.queue.plan, section.buffer.as_ref().map(|own| &own.plan));
    let Sizes { packet, longest_rtt, .. } = *sizes;
    let detours = section.load_balance.config.makes_detours();
    Waits {
        fabric,
        faults,
        queue,
        buffer,
        host_queue: sizes.host_queue,
        packet,
        longest_rtt,
        all: LONGEST_QUEUE,
        detours,
    }
}

/// How long a full queue takes, where queues have an end.
pub(crate) fn drain(
    section: &FabricSection,
    (fabric, faults): (&Fabric, &Faults),
    sizes: &Sizes,
) -> Option<Span> {
    let is_limited = section.queue.plan.size != Size::Unlimited || section.buffer.is_some();
    is_limited.then(|| waits(section, (fabric, faults), sizes).drain())
}

/// Adds a problem for frames that a switch scheme is to treat apart because they are small, if all
/// frames are as small. Any bytes among a switch scheme's parameters are such sizes.
pub(crate) fn frames(scheme: &Chosen<switch::Config>, sizes: &Sizes, log: &Log) {
    for (key, size, place) in scheme.written::<Bytes>() {
        if size > sizes.packet {
            let name = scheme.config.card().name;
            let problem = place.problem(format!("no frame is as large as `{key}` of `{name}`"));
            log.add(problem.label(format!("expected at most a full packet, {}", sizes.packet)));
        }
    }
}

/// Adds a problem for a pace that no host's link allows, or no so many of them where a flow has several.
pub(crate) fn pace(scheme: &Chosen<congestion::Config>, fabric: &Fabric, links: u32, log: &Log) {
    let hosts = fabric.ports.iter().filter(|port| matches!(port.owner, Node::Host(_)));
    let Some(fastest) = hosts.map(|port| port.rate).max() else { return };
    let fastest = Rate(fastest.0 * u64::from(links));
    for (key, rate, place) in scheme.written::<Rate>() {
        if rate > fastest {
            let name = scheme.config.card().name;
            let problem =
                place.problem(format!("no host's link is as fast as `{key}` of `{name}`"));
            log.add(problem.label(format!("expected at most {fastest}")));
        }
    }
}

/// Adds a problem for a queue without room for one frame, and for thresholds in the wrong order or
/// out of every queue's reach.
pub(crate) fn queues(
    section: &FabricSection,
    (fabric, faults): (&Fabric, &Faults),
    sizes: &Sizes,
    log: &Log,
) {
    let places = &section.queue.places;
    let queue = &section.queue.plan;
    let mut rates = BTreeMap::new();
    for port in &fabric.ports {
        if matches!(port.owner, Node::Switch(_)) {
            rates.entry(port.rate).or_insert(port.name.as_str());
        }
    }
    // Of queues that share memory, the longest of any switch, and the largest memory.
    let memories = section.buffer.iter().flat_map(|own| {
        let memory = |at| memory::Memory::new(section, &own.plan, (fabric, faults), at, sizes);
        fabric.switches.iter().map(memory)
    });
    let (mut longest, mut memory) = (None, None);
    for own in memories {
        let queue = Some(own.longest_queue(sizes.packet)).filter(|longest| longest.0 > 0);
        (longest, memory) = (longest.max(queue), memory.max(Some(own.size())));
    }
    let memory_plan = section.buffer.as_ref().map(|own| &own.plan);
    let is_lossless = lossless::classes(queue, memory_plan) != 0;
    let mut reached = rates.is_empty();
    for (&rate, port) in &rates {
        let whole = queue.size.resolve(&sizes.base(rate, Bytes(0)));
        let base = sizes.base(rate, whole);
        if whole < sizes.packet {
            let message = format!("the queue of `{port}` has room for {whole}");
            let label = format!("expected at least a full packet, {}", sizes.packet);
            log.add(places.size.problem(message).label(label));
            return;
        }
        let control = queue.control_size.resolve(&base);
        if queue.service != Service::Fifo && control < sizes.control {
            let message = format!("the control queue of `{port}` has room for {control}");
            let label = format!("expected at least a control frame, {}", sizes.control);
            log.add(places.control_size.problem(message).label(label));
            return;
        }
        for (i, marking) in queue.markings().enumerate() {
            if let [(low, from), (high, to)] = thresholds(marking, &base)[..]
                && from > to
            {
                let name = marking.card().name;
                let message = format!("marking `{name}` begins above where it is complete");
                let label = format!("at `{port}`, {low} is {} B and {high} is {} B", from.0, to.0);
                let place = places.class_markings.get(i).unwrap_or(&places.threshold);
                log.add(place.problem(message).label(label));
                return;
            }
        }
        if let Some(pfc) = queue.pfc.filter(|pfc| !pfc.by_memory()) {
            let (xoff, xon) = (pfc.xoff.resolve(&base), pfc.xon.resolve(&base));
            let message = if xon > xoff {
                "flow control resumes above where it pauses"
            } else if xoff >= whole {
                "flow control never pauses before the queue is full"
            } else if memory.is_some_and(|memory| xoff >= memory) {
                "flow control never pauses before the memory of the switch is full"
            } else {
                ""
            };
            if !message.is_empty() {
                let [xon, xoff, whole] = [xon, xoff, whole].map(|bytes| bytes.0);
                let mut label =
                    format!("at `{port}`, xon is {xon} B, xoff {xoff} B, the size {whole} B");
                if let Some(Bytes(memory)) = memory {
                    let _ = write!(label, ", the memory {memory} B");
                }
                log.add(places.xoff.problem(message).label(label));
                return;
            }
        }
        let own = if is_lossless { UNLIMITED } else { whole };
        let longest = longest.map_or(own, |longest| longest.min(own));
        reached |= queue.markings().any(|marking| {
            thresholds(marking, &base).first().is_none_or(|(_, from)| *from < longest)
        });
    }
    if !reached {
        let name = queue.markings().next().map_or("", |marking| marking.card().name);
        let message = format!("marking `{name}` never marks: no queue grows beyond its threshold");
        let label = match longest {
            None => "expected less than the queue's size".to_owned(),
            Some(longest) => format!("expected less than the longest queue, {longest}"),
        };
        log.add(
            places
                .threshold
                .problem(message)
                .label(label)
                .help("a marking that is to do nothing is `marking = { scheme = \"none\" }`"),
        );
    }
}

/// The marking's queue lengths in bytes, in the order of its parameters.
fn thresholds(marking: &marking::Config, base: &Base) -> Vec<(&'static str, Bytes)> {
    let size = |text: &str| text.trim_matches('"').parse::<Size>().ok();
    let values = marking.values().into_iter();
    values.filter_map(|(key, text)| Some((key, size(&text)?.resolve(base)))).collect()
}
