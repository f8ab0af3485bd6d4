//! What a plan has that the engines cannot hold, in words.

use super::{HOSTS_BELOW_LIMIT, LARGEST_SHARE, SHORTEST_PAUSE};
use crate::engine::{HORIZON, SHORTEST_WINDOW};
use crate::topology::RouteMisfit;
use crate::wire::frame::{NUMBER_LIMIT, SIZE_LIMIT};
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::load_balance::route::PORT_LIMIT;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use std::fmt;

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
    /// Links have retry, and something of it does not go.
    Retry {
        /// Why not.
        why: &'static str,
    },
    /// Servers have crossbars, and something of them does not go.
    ScaleUp {
        /// Why not.
        why: &'static str,
    },
    /// Links have credits, and something of it does not go.
    Credits {
        /// Why not.
        why: &'static str,
    },
    /// A link has too few credits, or too many.
    CreditsOf {
        /// The port that it leaves.
        link: String,
        /// The cells of each data class.
        cells: u64,
        /// Those of the largest frame.
        least: u64,
        /// As many as can be told.
        most: u64,
    },
    /// A switch has promised more memory than it has.
    Promised {
        /// The switch.
        switch: String,
        /// Bytes of all credits.
        promised: Bytes,
        /// Bytes of its memory.
        size: Bytes,
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
    /// A trigger may act too late.
    TriggerStart {
        /// The trigger.
        trigger: u32,
        /// Its earliest time, work included.
        start: Time,
    },
    /// A trigger that is fired after work has to wait for all that fires it.
    LateFiring {
        /// The trigger.
        trigger: u32,
        /// How often it may be fired.
        firings: u64,
        /// How many firings it waits for; `None` if each of them starts another flow.
        count: Option<u32>,
    },
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Planes { what } => {
                write!(f, "hosts have several ports, and {what} know of one only")
            }
            Self::HostQueue { why } => write!(f, "hosts have a queue, and {why}"),
            Self::Retry { why } => write!(f, "links have retry, and {why}"),
            Self::ScaleUp { why } => write!(f, "servers have crossbars, and {why}"),
            Self::Credits { why } => write!(f, "links have credits, and {why}"),
            Self::CreditsOf { link, cells, least, most } => {
                write!(f, "link `{link}` has {cells} cells of credit; {least} to {most} are legal")
            }
            Self::Promised { switch, promised, size } => write!(
                f,
                "switch `{switch}` has promised {} B to those who send to it, of a memory of {} B",
                promised.0, size.0
            ),
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
            Self::TriggerStart { trigger, start } => {
                write!(f, "trigger {trigger} acts at {start}; at the latest at {TIME_LIMIT}")
            }
            Self::LateFiring { trigger, firings, count } => {
                let waits = match count {
                    Some(count) => format!("waits for {count}"),
                    None => "starts a flow with each".to_owned(),
                };
                write!(
                    f,
                    "trigger {trigger} is fired {firings} times, after work among it, and {waits}; it \
                     has to wait for all of them"
                )
            }
        }
    }
}

impl std::error::Error for LimitError {}
