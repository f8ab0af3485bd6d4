//! What queues, those of hosts too, and policies of memory ask of a plan.

use super::{LARGEST_SHARE, LEAST_QUANTUM, LimitError, SHORTEST_PAUSE};
use crate::plan::{CLASS_LIMIT, Per, Plan, Service, Turns};
use crate::wire::port_facts::PortFacts;
use raddle_schemes::ids::Psn;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::Bytes;
use raddle_schemes::{FlowContext, congestion};

impl Plan {
    /// Why hosts cannot have the queue that they are to have.
    pub(super) fn lacks_of_host_queue(&self) -> impl Iterator<Item = &'static str> {
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

    pub(super) fn check_queues(&self) -> Result<(), LimitError> {
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
    pub(super) fn check_policy(&self) -> Result<(), LimitError> {
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
}
