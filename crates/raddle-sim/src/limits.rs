//! What the engines' field widths can hold, checked before a run.
//!
//! | limit | why |
//! |---|---|
//! | 2^24 - 1 packets per flow | 24 bits of a frame |
//! | 65 535 B per frame, at least 1 B | 16 bits of a frame; frames of one port never share an instant |
//! | 65 535 B between frames | the time of a frame is what a wire computes without overflow |
//! | flows that begin or end at one host | what 32 bits leave beside the host's number and the class |
//! | 8 data classes | 8 bits of a PFC frame; control is one queue more |
//! | shares of a round from 64 B or 1 frame to 2^24 | rounds per frame, and 32 bits of a deficit |
//! | a pause of at least 1 ns, `xon` up to `xoff`, `xoff` below the capacity | else PFC does nothing |
//! | windows of at least 10 ns | below, an event queue is faster |
//! | 2^31 ps from the start on a wire to the arrival | 32 bits of a packet on a link |
//! | an opening of each link with a gate for the largest frame, no flow control there | else it never leaves |
//! | 2^16 hosts below a switch of a tree | division by multiplication with 32 bits is exact |
//! | a queue of hosts with room for a packet, for a class that is never paused, one port and flows in turn | what comes first goes first |
//! | one port of a host where hosts name routes or ToRs have middleware | both take its switch for the way to it |
//! | 256 ports of a switch where hosts name the route | 8 bits of a frame's entropy each |
//! | 2^46 - 1 ps | the time of a packet in a sender's ledger |
//!
//! Queues have no limit of their own. Routes are to be some of the fabric.

use crate::engine::{self, HORIZON, SHORTEST_WINDOW};
use crate::faults::PortChange;
use crate::faults::gate::Opening;
use crate::plan::{BufferPlan, CLASS_LIMIT, Overflow, Per, Plan, Service, Turns};
use crate::topology::circuits::Circuits;
use crate::topology::routing::Forwarding;
use crate::topology::{RouteMisfit, Switch};
use crate::wire::frame::{Locators, NUMBER_LIMIT, PFC_SIZE, SIZE_LIMIT};
use crate::wire::port_facts::PortFacts;
use crate::workload::Start;
use raddle_schemes::congestion;
use raddle_schemes::ids::{FlowId, HostId, PortId, Psn};
use raddle_schemes::load_balance::host;
use raddle_schemes::load_balance::route::PORT_LIMIT;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{FlowContext, Need};
use std::fmt;

/// Most hosts below one switch of a tree, so that the engine's compiled forwarding is exact. With
/// one more it is not: host 65 536 of a run of 65 537 would be sent to the second run.
pub const HOSTS_BELOW_LIMIT: u64 = 1 << 16;

/// Most switches with hosts where packets go by way of one of them: 15 bits of an entropy.
pub const DETOURS_MAX: usize = 1 << 15;
/// Smallest quantum of a class in bytes: with less, a frame may wait for more than a thousand visits.
pub const LEAST_QUANTUM: u64 = 64;
/// Largest quantum in bytes, and largest weight in frames.
pub const LARGEST_SHARE: u64 = 1 << 24;
/// Shortest pause.
pub const SHORTEST_PAUSE: Span = Span::ns(1);

/// A quantity of a plan that the engines cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitError {
    /// Hosts have several ports, and something knows of one only.
    Planes {
        /// What.
        what: &'static str,
    },
    /// Hosts have a queue that they cannot have.
    HostQueue {
        /// Why not.
        why: &'static str,
    },
    /// A flow has too many packets.
    Packets {
        /// The flow.
        flow: FlowId,
        /// Its packets.
        packets: u64,
    },
    /// A kind of frame, or the gap behind it, is too large.
    FrameTooLarge {
        /// Which.
        frame: &'static str,
        /// Its bytes.
        bytes: Bytes,
    },
    /// A size must not be zero.
    Empty {
        /// Which size.
        what: &'static str,
    },
    /// Too many flows begin, or end, at one host.
    FlowsPerHost {
        /// The host.
        host: HostId,
        /// Whether they begin there.
        begin: bool,
        /// How many do.
        flows: u64,
        /// How many may.
        limit: u64,
    },
    /// There are no data classes, or too many.
    Classes {
        /// How many there are.
        classes: u8,
        /// How many there may be.
        most: u8,
    },
    /// A `fifo` port has no control of its own that could wait for data.
    ControlWeight,
    /// A flow begins or ends at a host that does not exist, or does both at one host.
    Ends {
        /// The flow.
        flow: FlowId,
        /// Where it begins.
        source: HostId,
        /// Where it ends.
        destination: HostId,
        /// How many hosts there are.
        hosts: u32,
    },
    /// A flow or a trigger names a trigger or a flow that does not exist.
    Missing {
        /// What names it, and its number.
        by: (&'static str, u32),
        /// What is named, and its number.
        named: (&'static str, u32),
        /// How many of these there are.
        count: usize,
    },
    /// A flow travels in a class that does not exist.
    Class {
        /// The flow.
        flow: FlowId,
        /// Its class.
        class: u8,
        /// The number of data classes.
        classes: u8,
    },
    /// A list has not one entry for each data class.
    ClassTable {
        /// What it lists.
        what: &'static str,
        /// Its length.
        listed: usize,
        /// The number of data classes.
        classes: u8,
    },
    /// ACKs shall travel with data where one class has everything.
    AcksWithData,
    /// A flow names a transport that does not exist.
    Transport {
        /// The flow.
        flow: FlowId,
        /// The number it names.
        number: u8,
        /// The largest number there is.
        most: usize,
    },
    /// A flow names a path selector that does not exist.
    LoadBalance {
        /// The flow.
        flow: FlowId,
        /// The number it names.
        number: u8,
        /// The largest number there is.
        most: usize,
    },
    /// Not each data class has a share of a round.
    Shares {
        /// The number of shares.
        shares: usize,
        /// The number of data classes.
        classes: u8,
    },
    /// A data class has too small or too large a share of a round.
    Share {
        /// The class.
        class: usize,
        /// Its share, in bytes or frames.
        share: u64,
        /// The least it may be.
        least: u64,
    },
    /// A pause is too short or too long.
    Pause {
        /// Its length.
        quanta: Span,
    },
    /// A time of the watchdog is too short or too long.
    Watchdog {
        /// Its length.
        span: Span,
    },
    /// The thresholds of flow control at a port of a switch are in the wrong order.
    Thresholds {
        /// The port's name.
        port: String,
        /// At or below this, data flows again.
        xon: Bytes,
        /// Above this, data is paused.
        xoff: Bytes,
        /// The capacity of each class.
        capacity: Bytes,
    },
    /// Flow control goes by the memory's policy and that has nobody pause, or the other way round.
    Pauses {
        /// Whether the policy has any pause.
        decides: bool,
    },
    /// A parameter of the memory's policy lists another number of classes than there are.
    PerClass {
        /// The parameter.
        parameter: &'static str,
        /// Values in its list.
        listed: usize,
        /// Data classes.
        classes: u8,
    },
    /// The shortest way into a switch is too short.
    Window {
        /// Cable delay plus switch latency.
        window: Span,
    },
    /// A link is or becomes too slow for its largest frame.
    Horizon {
        /// The link, by its port's name.
        link: String,
        /// The link's lowest rate.
        rate: Rate,
        /// From a largest frame's start on the wire to its arrival; `None` at rate zero.
        time: Option<Span>,
    },
    /// A link has a gate, and no opening is long enough for the largest frame.
    Gate {
        /// The link, by its port's name.
        link: String,
        /// The largest frame.
        bytes: Bytes,
        /// Its longest opening.
        open: Span,
        /// The time that the frame takes in it, guard included.
        time: Span,
    },
    /// A memory for each uplink, where there are no uplinks of circuits or its policy sees the switch.
    MemoryPerUplink {
        /// What is in the way.
        what: &'static str,
    },
    /// Flow control on links with gates.
    GatesWithPauses,
    /// Something that does not go with hybrid ToRs.
    Hybrid(&'static str),
    /// A circuit of hybrid ToRs goes down.
    HybridFault {
        /// The link, by its port's name.
        link: String,
    },
    /// A switch of a tree has too many hosts below it.
    HostsBelow {
        /// The switch's name.
        switch: String,
        /// Hosts below it.
        hosts: u64,
    },
    /// A switch has more ports than a host can name in a route.
    SourceRoute {
        /// The switch's name.
        switch: String,
        /// Its ports.
        ports: usize,
    },
    /// Routes are none of the fabric.
    Routes(RouteMisfit),
    /// ToRs have middleware, and switches a scheme that looks at queues as they were before.
    Middleware,
    /// Switches send packets by way of others, beside something that this does not go with.
    Detours {
        /// What.
        what: &'static str,
    },
    /// Frames go by slices of circuits, beside something that this does not go with.
    Slices {
        /// What.
        what: &'static str,
    },
    /// ToRs are to keep bulk data, and there is none that waits for circuits.
    Bulk {
        /// Why not.
        why: &'static str,
    },
    /// The congestion control's pace is still a word.
    RhoMax,
    /// The end time is not in range.
    End {
        /// The end time.
        end: Time,
    },
    /// A flow may start too late.
    FlowStart {
        /// The flow.
        flow: FlowId,
        /// Its latest start, phase included.
        start: Time,
    },
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Planes { what } => {
                write!(f, "hosts have several ports, and {what} know of one only")
            }
            Self::HostQueue { why } => write!(f, "hosts have a queue, and {why}"),
            Self::Packets { flow, packets } => write!(
                f,
                "flow {} has {packets} packets; at most {NUMBER_LIMIT} fit, so send less or choose \
                 a larger payload",
                flow.0
            ),
            Self::FrameTooLarge { frame, bytes } => {
                write!(f, "the {frame} takes {} B on the wire; at most {} B", bytes.0, SIZE_LIMIT.0)
            }
            Self::Empty { what } => write!(f, "the {what} has 0 B; at least 1 B"),
            Self::FlowsPerHost { host, begin, flows, limit } => {
                let verb = if *begin { "begin" } else { "end" };
                write!(
                    f,
                    "{flows} flows {verb} at host {}; at most {limit} in a fabric of this size",
                    host.0
                )
            }
            Self::Classes { classes, most } => {
                write!(f, "the queues have {classes} data classes; from 1 to {most}")
            }
            Self::Ends { flow, source, destination, hosts } => write!(
                f,
                "flow {} goes from host {} to host {}; these are to be two of 0 to {}",
                flow.0,
                source.0,
                destination.0,
                hosts.saturating_sub(1)
            ),
            Self::Missing { by, named, count } => {
                write!(f, "{} {} names {} {}; there are {count}", by.0, by.1, named.0, named.1)
            }
            Self::Class { flow, class, classes } => write!(
                f,
                "flow {} travels in class {class}; the queues have {classes} data classes",
                flow.0
            ),
            Self::LoadBalance { flow, number, most } => {
                write!(f, "flow {} names path selector {number}; there are 0 to {most}", flow.0)
            }
            Self::ControlWeight => write!(f, "a turn of data at a port with one class for all"),
            Self::ClassTable { what, listed, classes } => {
                write!(f, "{listed} {what} for {classes} data classes; none, or one for each")
            }
            Self::AcksWithData => f.write_str(
                "ACKs shall travel with data, but the ports have one class for everything; leave that out",
            ),
            Self::Transport { flow, number, most } => {
                write!(f, "flow {} names transport {number}; there are 0 to {most}", flow.0)
            }
            Self::Shares { shares, classes } => {
                write!(f, "{shares} shares of a round for {classes} data classes; one for each")
            }
            Self::Share { class, share, least } => write!(
                f,
                "class {class} may send {share} in a round; from {least} to {LARGEST_SHARE}"
            ),
            Self::Pause { quanta } => {
                write!(f, "a pause lasts {quanta}; from {SHORTEST_PAUSE} to {TIME_LIMIT}")
            }
            Self::Watchdog { span } => write!(
                f,
                "the watchdog over pauses waits for {span}; from {SHORTEST_PAUSE} to {TIME_LIMIT}"
            ),
            Self::Thresholds { port, xon, xoff, capacity } => write!(
                f,
                "at `{port}`, xon is {} B, xoff {} B and the capacity {} B; in this order, and \
                 xoff below the capacity",
                xon.0, xoff.0, capacity.0
            ),
            Self::Pauses { decides: true } => {
                write!(f, "the memory's policy decides on pauses, and flow control does not ask it")
            }
            Self::Pauses { decides: false } => {
                write!(f, "flow control asks the memory's policy, which has nobody pause")
            }
            Self::PerClass { parameter, listed, classes } => write!(
                f,
                "`{parameter}` of the memory's policy lists {listed} classes; there are {classes}"
            ),
            Self::Window { window } => write!(
                f,
                "the shortest way into a switch, cable delay and switch latency, takes {window}; \
                 at least {SHORTEST_WINDOW}"
            ),
            Self::Horizon { link, rate, time: Some(time) } => write!(
                f,
                "at {rate} the largest frame takes {time} across link `{link}`, cable delay and \
                 switch latency included; less than {}",
                Span(HORIZON.0)
            ),
            Self::Horizon { link, rate, time: None } => {
                write!(f, "the rate of link `{link}` is {rate}; at least 1 bps, or take it down")
            }
            Self::Gate { link, bytes, open, time } => write!(
                f,
                "link `{link}` is open for {open} at most, and a frame of {} B takes {time}, guard \
                 included; make slots longer",
                bytes.0
            ),
            Self::MemoryPerUplink { what } => {
                write!(f, "a memory for each uplink, and {what}; make it one for each switch")
            }
            Self::Hybrid(what) => write!(
                f,
                "{what} and ToRs with circuits beside a packet network, whose queues are of pairs"
            ),
            Self::HybridFault { link } => write!(
                f,
                "link `{link}` goes down, whose queue the packet network drains, too; let that of a \
                 host or of the packet network go down"
            ),
            Self::GatesWithPauses => f.write_str(
                "flow control and links that are open in slots: a pause does not say which slot",
            ),
            Self::HostsBelow { switch, hosts } => write!(
                f,
                "switch `{switch}` has {hosts} hosts below it; at most {HOSTS_BELOW_LIMIT} in a \
                 tree"
            ),
            Self::SourceRoute { switch, ports } => write!(
                f,
                "switch `{switch}` has {ports} ports; at most {PORT_LIMIT} where hosts name the \
                 route"
            ),
            Self::Routes(misfit) => misfit.fmt(f),
            Self::Slices { what } => write!(f, "routes by slices of circuits, and {what}"),
            Self::Bulk { why } => write!(f, "ToRs that keep bulk data, and {why}"),
            Self::Middleware => write!(
                f,
                "middleware in ToRs beside switches that look at queues as they were before the \
                 instant; only beside others"
            ),
            Self::Detours { what } => {
                write!(f, "switches send packets by way of others, beside {what}")
            }
            Self::RhoMax => write!(
                f,
                "the pace `rho_max` is still to be put in; `Plan::resolve_rho_max` does that"
            ),
            Self::End { end } => {
                write!(f, "the end time is {end}; from 1 ps to {TIME_LIMIT}")
            }
            Self::FlowStart { flow, start } => write!(
                f,
                "flow {} may start at {start}, phase included; at the latest at {TIME_LIMIT}",
                flow.0
            ),
        }
    }
}

impl std::error::Error for LimitError {}

impl Plan {
    /// Whether the engines can run this plan exactly.
    ///
    /// # Errors
    /// The first limit that it exceeds.
    pub fn check_limits(&self) -> Result<(), LimitError> {
        if self.lacks_rho_max() {
            return Err(LimitError::RhoMax);
        }
        self.check_frames()?;
        if let Some(why) = self.lacks_of_host_queue().next() {
            return Err(LimitError::HostQueue { why });
        }
        self.check_queues()?;
        self.check_flows()?;
        self.check_switches()?;
        if self.tor.is_some() && self.switch_load_balance.looks_before() {
            return Err(LimitError::Middleware);
        }
        self.check_detours()?;
        self.check_bulk()?;
        self.check_slices()?;
        self.check_links()?;
        match self.end {
            Some(end) if end == Time::ZERO || end > TIME_LIMIT => Err(LimitError::End { end }),
            _ => Ok(()),
        }
    }

    /// Nothing else needs the entropies that switches write over, or chooses among other ways.
    fn check_detours(&self) -> Result<(), LimitError> {
        if !self.switch_load_balance.makes_detours() {
            return Ok(());
        }
        let learns = |own: &host::Config| own.build(&FlowContext::NOMINAL).learns_entropies();
        let transport = &self.transport;
        let mut hosts = transport.other_load_balances.iter().chain([&transport.load_balance]);
        let edges = self.fabric.switches.iter().filter(|switch| switch.tier == 0).count();
        let beside = [
            (hosts.any(learns), "hosts that learn which entropies are good"),
            (self.tor.is_some(), "middleware, which chooses among ways to the destination"),
            (self.fabric.planes > 1, "hosts with several ports"),
            (edges > DETOURS_MAX, "more than 32,768 switches with hosts, whose numbers do not fit"),
        ];
        let found = beside.into_iter().find(|(is, _)| *is);
        found.map_or(Ok(()), |(_, what)| Err(LimitError::Detours { what }))
    }

    /// ToRs that keep bulk data need a class of it beside another, and circuits for which it waits.
    fn check_bulk(&self) -> Result<(), LimitError> {
        let against = [
            (self.waiting_classes() == 0, "no class that waits for circuits"),
            (self.queue.classes < 2, "one class of data"),
            (self.queue.service == Service::Fifo, "one queue for everything"),
            (self.fabric.switches.len() > 1 << 16, "numbers of ToRs that do not fit a message"),
        ];
        let found = against.into_iter().find(|(is, _)| *is && self.keeps_bulk());
        found.map_or(Ok(()), |(_, why)| Err(LimitError::Bulk { why }))
    }

    /// What is taken out of its queue needs nothing else than its way.
    fn check_slices(&self) -> Result<(), LimitError> {
        let circuits = self.fabric.circuits.as_ref();
        if circuits.is_none_or(|circuits| circuits.slicing.is_none()) {
            return Ok(());
        }
        let sees_switch = |own: &BufferPlan| own.policy.sees_switch();
        let transport = &self.transport;
        let mut hosts = transport.other_load_balances.iter().chain([&transport.load_balance]);
        let names = |own: &host::Config| {
            let needs = own.card().needs;
            needs.contains(&Need::SourceRouting) || needs.contains(&Need::Planner)
        };
        let beside = [
            (
                self.switch_load_balance.makes_detours(),
                "switches that send packets by way of others",
            ),
            (self.switch_load_balance.looks_before(), "a scheme that looks at queues as they were"),
            (
                self.tor.is_some() && !self.keeps_bulk(),
                "middleware, which may hold what is sent on",
            ),
            (self.has_telemetry(), "telemetry, which is of queues that a packet left"),
            (self.buffer.as_ref().is_some_and(sees_switch), "memory that sees the whole switch"),
            (hosts.any(names), "hosts that name routes"),
            (!self.faults.clocks.is_empty(), "clocks that are off"),
        ];
        let found = beside.into_iter().find(|(is, _)| *is);
        found.map_or(Ok(()), |(_, what)| Err(LimitError::Slices { what }))
    }

    /// Why hosts cannot have the queue that they are to have.
    fn lacks_of_host_queue(&self) -> impl Iterator<Item = &'static str> {
        let own = self.transport.host_queue;
        let (paused, classes) = (self.paused_classes(), self.queue.classes);
        let chooses =
            |own: &congestion::Config| own.build(&FlowContext::NOMINAL).class(Psn(0)).is_some();
        let found = [
            (own.is_some_and(|own| own.size < self.packet()), "no packet fits into it"),
            (self.fabric.planes > 1, "several ports know nothing of it"),
            (self.transport.turns != Turns::RoundRobin, "flows do not take turns"),
            (u32::from(classes) == paused.count_ones(), "flow control may pause every class"),
            (
                paused != 0 && self.transport.congestions().any(chooses),
                "packets have classes of their own, of which flow control may pause some",
            ),
        ];
        found.into_iter().filter(move |(is, _)| *is && own.is_some()).map(|(_, why)| why)
    }

    fn check_frames(&self) -> Result<(), LimitError> {
        let transport = &self.transport;
        // The last packet of a message may carry a single byte, a trimmed one carries none.
        let trimmed = self.queue.overflow == Overflow::Trim;
        for (what, bytes, needed) in [
            ("payload", transport.payload, true),
            ("ACK", transport.ack, true),
            ("trimmed header", transport.header, trimmed),
        ] {
            if needed && bytes.0 == 0 {
                return Err(LimitError::Empty { what });
            }
        }
        let packet = Bytes(transport.payload.0.saturating_add(transport.header.0));
        let gap = self.queue.gap;
        for (frame, bytes) in [("data packet", packet), ("ACK", transport.ack), ("gap", gap)] {
            if bytes > SIZE_LIMIT {
                return Err(LimitError::FrameTooLarge { frame, bytes });
            }
        }
        Ok(())
    }

    fn check_queues(&self) -> Result<(), LimitError> {
        let queue = &self.queue;
        let classes = queue.classes;
        let most = if queue.service == Service::Fifo { 1 } else { CLASS_LIMIT };
        if classes == 0 || classes > most {
            return Err(LimitError::Classes { classes, most });
        }
        let least = match queue.service {
            Service::Priority | Service::Fifo => None,
            Service::Drr => Some(LEAST_QUANTUM),
            Service::Wrr => Some(1),
        };
        if let Some(least) = least {
            let shares = &queue.shares;
            if shares.len() != usize::from(classes) {
                return Err(LimitError::Shares { shares: shares.len(), classes });
            }
            let unfit = |&(_, &share): &(usize, &u64)| !(least..=LARGEST_SHARE).contains(&share);
            if let Some((class, &share)) = shares.iter().enumerate().find(unfit) {
                return Err(LimitError::Share { class, share, least });
            }
        }
        if queue.service == Service::Fifo && queue.control_weight.is_some() {
            return Err(LimitError::ControlWeight);
        }
        let (markings, acks) = (queue.class_markings.len(), queue.acks.len());
        for (what, listed) in [("markings", markings), ("places of ACKs", acks)] {
            if listed != 0 && listed != usize::from(classes) {
                return Err(LimitError::ClassTable { what, listed, classes });
            }
        }
        if queue.service == Service::Fifo && queue.ack_classes() != 0 {
            return Err(LimitError::AcksWithData);
        }
        self.check_policy()?;
        let Some(pfc) = queue.pfc else { return Ok(()) };
        if pfc.quanta < SHORTEST_PAUSE || pfc.quanta.0 > TIME_LIMIT.0 {
            return Err(LimitError::Pause { quanta: pfc.quanta });
        }
        if let Some(watchdog) = pfc.watchdog {
            for span in [watchdog.detection, watchdog.restoration] {
                if span < SHORTEST_PAUSE || span.0 > TIME_LIMIT.0 {
                    return Err(LimitError::Watchdog { span });
                }
            }
        }
        let ports = self.fabric.ports.iter().zip(PortFacts::of(self));
        for (port, facts) in ports.skip(self.fabric.host_ports() as usize) {
            let Some(pfc) = facts.pfc.filter(|pfc| !pfc.by_memory) else { continue };
            if pfc.xon > pfc.xoff || pfc.xoff >= facts.capacity {
                return Err(LimitError::Thresholds {
                    port: port.name.clone(),
                    xon: Bytes(pfc.xon),
                    xoff: Bytes(pfc.xoff),
                    capacity: Bytes(facts.capacity),
                });
            }
        }
        Ok(())
    }

    /// Who decides on pauses is asked, and lists of the policy have a value for each class.
    fn check_policy(&self) -> Result<(), LimitError> {
        let policy = self.buffer.as_ref().map(|buffer| &buffer.policy);
        let decides = policy.is_some_and(|policy| policy.decides_pauses());
        if self.queue.pfc.is_some_and(|pfc| pfc.by_memory()) != decides {
            return Err(LimitError::Pauses { decides });
        }
        if self.buffer.as_ref().is_some_and(|buffer| buffer.per == Per::Uplink) {
            let sees = policy.is_some_and(|policy| policy.sees_switch());
            if self.fabric.circuits.is_none() {
                let what = "the fabric has no circuits";
                return Err(LimitError::MemoryPerUplink { what });
            }
            if sees {
                let what = "a policy that sees the whole switch";
                return Err(LimitError::MemoryPerUplink { what });
            }
        }
        let lists = policy.map(|policy| policy.per_class()).unwrap_or_default();
        let classes = self.queue.classes;
        match lists.into_iter().find(|(_, listed)| *listed != usize::from(classes)) {
            Some((parameter, listed)) => Err(LimitError::PerClass { parameter, listed, classes }),
            None => Ok(()),
        }
    }

    fn check_flows(&self) -> Result<(), LimitError> {
        let limit = Locators::of(&self.fabric, self.queue.classes).flows_per_host();
        let mut ends = vec![[0u64; 2]; self.fabric.hosts as usize];
        for (i, flow) in self.traffic.flows.iter().enumerate() {
            let id = FlowId(i as u32);
            let (source, destination, hosts) = (flow.source, flow.destination, self.fabric.hosts);
            if source.0 >= hosts || destination.0 >= hosts || source == destination {
                return Err(LimitError::Ends { flow: id, source, destination, hosts });
            }
            let (class, classes) = (flow.class, self.queue.classes);
            if class >= classes {
                return Err(LimitError::Class { flow: id, class, classes });
            }
            let (number, most) = (flow.load_balance, self.transport.other_load_balances.len());
            if usize::from(number) > most {
                return Err(LimitError::LoadBalance { flow: id, number, most });
            }
            let (number, most) = (flow.transport, self.transport.other_transports.len());
            if usize::from(number) > most {
                return Err(LimitError::Transport { flow: id, number, most });
            }
            if flow.bytes.0 == 0 {
                return Err(LimitError::Empty { what: "message" });
            }
            let packets = flow.bytes.0.div_ceil(self.transport.payload.0);
            if packets > u64::from(NUMBER_LIMIT) {
                return Err(LimitError::Packets { flow: id, packets });
            }
            let earliest = match flow.start {
                Start::At(at) => at,
                Start::After(delay) => Time::ZERO + delay,
            };
            let start = Time(earliest.0.saturating_add(self.transport.phase.0));
            if start > TIME_LIMIT {
                return Err(LimitError::FlowStart { flow: id, start });
            }
            ends[flow.source.index()][0] += 1;
            ends[flow.destination.index()][1] += 1;
        }
        self.check_triggers()?;
        for (host, counts) in (0..).map(HostId).zip(ends) {
            for (flows, begin) in counts.into_iter().zip([true, false]) {
                if flows > limit {
                    return Err(LimitError::FlowsPerHost { host, begin, flows, limit });
                }
            }
        }
        Ok(())
    }

    fn check_triggers(&self) -> Result<(), LimitError> {
        let traffic = &self.traffic;
        let (flows, triggers) = (traffic.flows.len(), traffic.triggers.len());
        let known = |by, named: &'static str, number: usize, count: usize| {
            let missing = LimitError::Missing { by, named: (named, number as u32), count };
            if number < count { Ok(()) } else { Err(missing) }
        };
        for (id, flow) in (0..).zip(&traffic.flows) {
            for trigger in [flow.on_delivered, flow.on_acked].into_iter().flatten() {
                known(("flow", id), "trigger", trigger.index(), triggers)?;
            }
        }
        for (id, trigger) in (0..).zip(&traffic.triggers) {
            for target in &trigger.targets {
                known(("trigger", id), "flow", target.index(), flows)?;
            }
            for fired in &trigger.fires {
                known(("trigger", id), "trigger", fired.index(), triggers)?;
            }
        }
        Ok(())
    }

    fn check_switches(&self) -> Result<(), LimitError> {
        let transport = &self.transport;
        let mut selectors = transport.other_load_balances.iter().chain([&transport.load_balance]);
        let needs = |own: &host::Config, need| own.card().needs.contains(&need);
        let named = [Need::SourceRouting, Need::Planner];
        let name_routes = selectors.any(|own| named.iter().any(|&need| needs(own, need)));
        if self.fabric.planes > 1 {
            let what = [
                (name_routes, "hosts that name routes"),
                (self.tor.is_some(), "switches with middleware"),
            ];
            if let Some((_, what)) = what.into_iter().find(|(is, _)| *is) {
                return Err(LimitError::Planes { what });
            }
        }
        let too_wide = |switch: &&Switch| switch.ports.len() > PORT_LIMIT as usize;
        if let Some(switch) = self.fabric.switches.iter().find(too_wide).filter(|_| name_routes) {
            let (switch, ports) = (switch.name.clone(), switch.ports.len());
            return Err(LimitError::SourceRoute { switch, ports });
        }
        for (_, forwarding) in &self.routes {
            let Forwarding::Tree(switches) = forwarding else { continue };
            for (tree, switch) in switches.iter().zip(&self.fabric.switches) {
                let hosts = u64::from(tree.hosts_high.saturating_sub(tree.hosts_low));
                if hosts > HOSTS_BELOW_LIMIT {
                    return Err(LimitError::HostsBelow { switch: switch.name.clone(), hosts });
                }
            }
        }
        self.check_routes().map_err(LimitError::Routes)
    }

    fn check_routes(&self) -> Result<(), RouteMisfit> {
        self.fabric.check_routes(self.routes.iter().map(|(at, own)| (*at, own)))?;
        if self.known_routes.is_empty() {
            return Ok(());
        }
        self.fabric.check_routes(self.known_routes.iter().map(|(at, own)| (*at, &**own)))
    }

    /// What hybrid ToRs go with.
    fn check_hybrid(&self) -> Result<(), LimitError> {
        if self.fabric.packet_network().is_none() {
            return Ok(());
        }
        let resizes = |own: &BufferPlan| own.policy.card().needs.contains(&Need::Circuits);
        if self.tor.is_some() {
            return Err(LimitError::Hybrid("middleware"));
        }
        if self.buffer.as_ref().is_some_and(|own| !resizes(own)) {
            return Err(LimitError::Hybrid("memory that ports share"));
        }
        for (port, changes) in &self.faults.ports {
            let goes_down = changes.iter().any(|(_, change)| *change == PortChange::Down);
            if goes_down && self.fabric.day(*port).is_some() {
                let link = self.fabric.ports[port.index()].name.clone();
                return Err(LimitError::HybridFault { link });
            }
        }
        Ok(())
    }

    /// The largest frame fits into some opening of each link, at its slowest.
    fn check_gates(&self, largest: Bytes, slowest: &[Rate]) -> Result<(), LimitError> {
        let Some(whole) = &self.fabric.circuits else { return Ok(()) };
        for circuits in whole.schedules() {
            self.check_gates_of(circuits, largest, slowest)?;
        }
        Ok(())
    }

    fn check_gates_of(
        &self,
        circuits: &Circuits,
        largest: Bytes,
        slowest: &[Rate],
    ) -> Result<(), LimitError> {
        let gates = circuits
            .lanes
            .iter()
            .filter_map(|lane| self.gate(lane.port).map(|_| (lane, circuits.own_gate(lane))));
        for (lane, mut gate) in gates.filter(|(lane, _)| !lane.openings.is_empty()) {
            if self.queue.pfc.is_some() {
                return Err(LimitError::GatesWithPauses);
            }
            let port = &self.fabric.ports[lane.port.index()];
            let rate = slowest[lane.port.index()];
            gate.scale(rate.0, port.rate.0);
            let changes = self.faults.changes_of(lane.port).iter();
            let dead = changes.filter_map(|(_, change)| match change {
                PortChange::Uplinks { dead } => Some(*dead),
                _ => None,
            });
            let dead: Vec<u64> = dead.collect();
            // Fewer uplinks at once are slower.
            let never_fits = [0].iter().chain(&dead).any(|&dead| {
                let is_left = lane.uplinks.iter().any(|own| *own == 0 || own & !dead != 0);
                gate.set_dead(dead);
                is_left && gate.next_start(Time::ZERO, largest) == Time::NEVER
            });
            if never_fits {
                let length = |own: &Opening| Span(own.until.0 - own.from.0);
                let open = lane.openings.iter().map(length).max().unwrap_or(Span::ZERO);
                let time = rate.serialisation(largest) + circuits.guard;
                let link = port.name.clone();
                return Err(LimitError::Gate { link, bytes: largest, open, time });
            }
            // An opening may be slower than the fastest, which the rates of faults refer to.
            let together =
                |uplinks: u64| if dead.is_empty() { 1 } else { uplinks.count_ones().max(1) };
            let rates = lane.openings.iter().zip(&lane.uplinks);
            let rates =
                rates.map(|(own, &uplinks)| Rate(own.rate.0 / u64::from(together(uplinks))));
            let least = rates.min().unwrap_or(port.rate);
            let slower = u128::from(least.0) * u128::from(rate.0) / u128::from(port.rate.0.max(1));
            let rate = Rate(slower as u64);
            let latency = self.fabric.latency(lane.port);
            let time = Span(Rate(rate.0.max(1)).serialisation(largest).0.saturating_add(latency.0));
            if rate.0 == 0 || time.0 >= HORIZON.0 {
                let link = port.name.clone();
                return Err(LimitError::Horizon { link, rate, time: Some(time) });
            }
        }
        Ok(())
    }

    fn check_links(&self) -> Result<(), LimitError> {
        let window = engine::shortest_way_into_a_switch(&self.fabric);
        if window < SHORTEST_WINDOW {
            return Err(LimitError::Window { window });
        }
        let pfc = self.queue.pfc.map(|_| PFC_SIZE);
        let largest = self.packet().max(self.transport.ack).max(pfc.unwrap_or_default());
        let mut slowest: Vec<Rate> = self.fabric.ports.iter().map(|port| port.rate).collect();
        for (port, changes) in &self.faults.ports {
            for (_, change) in changes {
                if let PortChange::Rate { rate, .. } = *change {
                    slowest[port.index()] = slowest[port.index()].min(rate);
                }
            }
        }
        for (index, port) in self.fabric.ports.iter().enumerate() {
            let (link, rate) = (|| port.name.clone(), slowest[index]);
            if rate.0 == 0 {
                return Err(LimitError::Horizon { link: link(), rate, time: None });
            }
            let wire = rate.serialisation(largest).0;
            let latency = self.fabric.latency(PortId(index as u32));
            let time = Span(wire.saturating_add(latency.0));
            if time.0 >= HORIZON.0 {
                return Err(LimitError::Horizon { link: link(), rate, time: Some(time) });
            }
        }
        self.check_hybrid()?;
        self.check_gates(largest, &slowest)
    }
}
