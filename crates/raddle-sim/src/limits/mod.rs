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
//! | of link-level retry: a window of 1 to 2^19 frames with room for a packet, cables that take time, no circuits | numbers have 20 bits; both ends meet by a link |
//! | of crossbars of servers: a latency of at least 10 ns, whole servers of at least 2 GPUs | what crosses comes in a later window |
//! | of credits: 1 to 7 data classes, room for a packet and below 2^15 cells of each, all of them in the switch's memory, control in a queue of its own, no pauses, middleware or circuits | counts are told in 15 bits; a promise is kept |
//! | 256 ports of a switch where hosts name the route | 8 bits of a frame's entropy each |
//! | 2^46 - 1 ps | the time of a packet in a sender's ledger |
//!
//! Queues have no limit of their own. Routes are to be some of the fabric.

mod circuits;
mod credits;
mod error;
mod late;
mod queues;
mod switches;

pub use error::LimitError;

use crate::engine::SHORTEST_WINDOW;
use crate::plan::{FRAMES_LIMIT, Overflow, Plan, WITHOUT_END};
use crate::wire::frame::{Locators, NUMBER_LIMIT, SIZE_LIMIT};
use crate::workload::Start;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Span, Time};

/// Most hosts below one switch of a tree, so that the engine's compiled forwarding is exact. With
/// one more it is not: host 2^20 of a run of 2^20 + 1 would be sent to the second run.
pub const HOSTS_BELOW_LIMIT: u64 = 1 << 20;

/// Most switches with hosts where packets go by way of one of them: 15 bits of an entropy.
pub const DETOURS_MAX: usize = 1 << 15;
/// Smallest quantum of a class in bytes: with less, a frame may wait for more than a thousand visits.
pub const LEAST_QUANTUM: u64 = 64;
/// Largest quantum in bytes, and largest weight in frames.
pub const LARGEST_SHARE: u64 = 1 << 24;
/// Shortest pause.
pub const SHORTEST_PAUSE: Span = Span::ns(1);

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
        if let Some(why) = self.lacks_of_retry() {
            return Err(LimitError::Retry { why });
        }
        if let Some(why) = self.lacks_of_scale_up() {
            return Err(LimitError::ScaleUp { why });
        }
        self.check_queues()?;
        self.check_credits()?;
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

    /// Why links cannot have retry as the plan has it.
    fn lacks_of_retry(&self) -> Option<&'static str> {
        let llr = self.llr?;
        let largest = self.packet().max(self.transport.ack);
        let against = [
            (self.fabric.circuits.is_some(), "some are circuits"),
            (
                self.fabric.ports.iter().any(|port| port.delay == Span::ZERO),
                "a cable takes no time",
            ),
            (
                !(1..=FRAMES_LIMIT).contains(&llr.frames_max),
                "a window of 1 to 524288 frames is legal",
            ),
            (llr.bytes_max.is_some_and(|own| own < largest), "no packet fits into its window"),
            (!(1..=WITHOUT_END).contains(&llr.replays_max), "1 to 255 replays are legal"),
            (llr.timer == Span::ZERO, "its timer takes no time"),
            (llr.spacing.0 == 0, "answers have no distance"),
        ];
        against.into_iter().find(|(is, _)| *is).map(|(_, why)| why)
    }

    /// Why servers cannot have crossbars as the plan has them.
    fn lacks_of_scale_up(&self) -> Option<&'static str> {
        let domain = self.fabric.scale_up?;
        let slow = Bytes(u64::from(u32::MAX));
        let against = [
            (domain.gpus < 2, "a GPU alone needs none"),
            (!self.fabric.hosts.is_multiple_of(domain.gpus.max(1)), "hosts are no whole servers"),
            (domain.rate.0 == 0 || domain.quantum.0 == 0, "a port passes nothing"),
            (domain.quantum > slow, "a quantum of at most 4294967295 B is legal"),
            (domain.latency < SHORTEST_WINDOW, "their latency is less than 10 ns"),
            (domain.latency > Span(TIME_LIMIT.0), "their latency is longer than any run"),
        ];
        against.into_iter().find(|(is, _)| *is).map(|(_, why)| why)
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
            let start = Time(trigger.not_before.0.saturating_add(trigger.work.0));
            if start > TIME_LIMIT {
                return Err(LimitError::TriggerStart { trigger: id, start });
            }
        }
        late::check(traffic)
    }
}
