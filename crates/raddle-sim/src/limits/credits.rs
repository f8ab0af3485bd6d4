//! What credits ask of a plan.

use super::LimitError;
use crate::plan::{Cbfc, Per, Plan, Service};
use raddle_schemes::buffer;
use raddle_schemes::ids::PortId;

impl Plan {
    /// Why links cannot have credits as the plan has them.
    fn lacks_of_credits(&self, cbfc: &Cbfc) -> Option<&'static str> {
        let queue = &self.queue;
        let shares = self.buffer.as_ref().filter(|own| own.per == Per::Switch);
        let first_come = |own: &buffer::Config| matches!(own, buffer::Config::CompleteSharing(_));
        let against = [
            (queue.pfc.is_some(), "pauses"),
            (queue.service == Service::Fifo, "control has no queue of its own"),
            (queue.classes > Cbfc::CLASSES, "at most 7 data classes are legal"),
            (self.tor.is_some(), "middleware holds and sends packets that no credit is for"),
            (self.fabric.circuits.is_some(), "some are circuits"),
            (
                self.buffer.is_some() && !shares.is_some_and(|own| first_come(&own.policy)),
                "a policy of the memory decides what is kept",
            ),
        ];
        cbfc.lacks().or_else(|| against.into_iter().find(|(is, _)| *is).map(|(_, why)| why))
    }

    /// Credits are enough for a packet, few enough for their counters, and fit into the memory of switches.
    pub(super) fn check_credits(&self) -> Result<(), LimitError> {
        let (Some(base), Some(cbfc)) = (self.credit_base(), &self.queue.cbfc) else {
            return Ok(());
        };
        if let Some(why) = self.lacks_of_credits(cbfc) {
            return Err(LimitError::Credits { why });
        }
        let least = cbfc.cells(self.packet().max(self.transport.ack));
        let most = (1 << Cbfc::BITS_TOLD) - 1;
        let links = (0..).map(PortId).zip(&self.fabric.ports);
        for (id, port) in links {
            if let Some(cells) = base.of_link(id).filter(|own| !(least..=most).contains(own)) {
                let link = port.name.clone();
                return Err(LimitError::CreditsOf { link, cells, least, most });
            }
        }
        let Some(buffer) = &self.buffer else { return Ok(()) };
        let longest_rtt = crate::wire::port_facts::PortFacts::longest_rtt(self);
        for switch in &self.fabric.switches {
            let size = buffer.size_at(&self.fabric, switch, self.packet(), longest_rtt);
            let promised = base.promised(switch, self.queue.classes);
            if promised > size {
                let switch = switch.name.clone();
                return Err(LimitError::Promised { switch, promised, size });
            }
        }
        Ok(())
    }
}
