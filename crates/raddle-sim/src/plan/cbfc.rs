//! Credit-based flow control of Ultra Ethernet (CBFC, 1.0, section 5.2): what both ends of every link
//! agree on.

use super::Plan;
use crate::topology::{Fabric, Node, Switch};
use raddle_schemes::ids::PortId;
use raddle_schemes::size::{Base, Size};
use raddle_schemes::units::{Bytes, Span};

/// Who sends to a switch starts a frame of data only if the switch has room for it, counted in cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cbfc {
    /// What memory is counted in: a power of two from 32 B to 2048 B.
    pub cell: Bytes,
    /// Bytes that a frame takes beside its own, -16 to 127.
    pub overhead: i32,
    /// The room of each data class for what comes in through a port, in bytes or packets; `None`: as much
    /// as a link at full rate needs.
    pub credits: Option<Size>,
    /// Line time from one message about freed cells to the next, at least.
    pub cf_spacing: Bytes,
    /// Line time after which a message about freed cells is repeated, if it was lost; else the repeat would say
    /// nothing new.
    pub cf_refresh: Bytes,
    /// A sender with cells out says so often how many it has consumed in all.
    pub cc: Span,
}

impl Default for Cbfc {
    /// What SAI proposes, but for the cell, which is that of its example.
    fn default() -> Self {
        Self {
            cell: Bytes(256),
            overhead: 0,
            credits: None,
            cf_spacing: Bytes(6400),
            cf_refresh: Bytes(262_144),
            cc: Span::us(256),
        }
    }
}

impl Cbfc {
    /// Most data classes with credits.
    pub const CLASSES: u8 = 7;
    /// A message about freed cells on the wire: a control ordered set.
    pub const ORDERED_SET: Bytes = Bytes(8);
    /// Counts of freed cells are told in so many bits, and no class has room for as many.
    pub const BITS_TOLD: u32 = 15;
    /// The range of [`Cbfc::cf_refresh`].
    pub const REFRESH: [Bytes; 2] = [Bytes::kib(16), Bytes::mib(1)];
    /// The range of [`Cbfc::cc`].
    pub const CC: [Span; 2] = [Span::us(1), Span::ms(250)];
    /// The least [`Cbfc::cf_spacing`].
    pub const SPACING: Bytes = Bytes(800);

    /// Cells that a frame takes, at least one.
    pub fn cells(&self, frame: Bytes) -> u64 {
        let bytes = frame.0.saturating_add_signed(self.overhead.into());
        bytes.div_ceil(self.cell.0.max(1)).max(1)
    }

    /// Why its numbers are not legal, whatever the plan.
    pub(crate) fn lacks(&self) -> Option<&'static str> {
        let Self { cell, overhead, credits, cf_spacing, cf_refresh, cc } = *self;
        let within = |own, [least, most]: [Bytes; 2]| (least..=most).contains(&own);
        let cells = [Bytes(32), Bytes(2048)];
        let against = [
            (
                !(cell.0.is_power_of_two() && within(cell, cells)),
                "a cell is a power of two from 32 B to 2048 B",
            ),
            (!(-16..=127).contains(&overhead), "an overhead of -16 B to 127 B is legal"),
            (cf_spacing < Self::SPACING, "messages are at least 800 B apart"),
            (cf_spacing > cf_refresh, "messages are due before they may go"),
            (
                !matches!(credits, None | Some(Size::Bytes(_) | Size::Packets(_))),
                "credits are so many bytes or packets",
            ),
            (!within(cf_refresh, Self::REFRESH), "a refresh after 16 KiB to 1 MiB is legal"),
            (!(Self::CC[0]..=Self::CC[1]).contains(&cc), "a `cc` of 1 us to 250 ms is legal"),
        ];
        against.into_iter().find(|(is, _)| *is).map(|(_, why)| why)
    }
}

/// What credits depend on.
#[derive(Clone, Copy, Debug)]
pub struct CreditBase<'a> {
    /// Hosts, switches, cables.
    pub fabric: &'a Fabric,
    /// The settings of every link.
    pub cbfc: Cbfc,
    /// A full packet.
    pub packet: Bytes,
    /// Idle bytes between frames.
    pub gap: Bytes,
}

impl CreditBase<'_> {
    /// The cells that the far end of the link which leaves a port has for each data class; `None`, if that
    /// is a host, which takes whatever comes.
    pub fn of_link(&self, port: PortId) -> Option<u64> {
        let Self { fabric, cbfc, packet, .. } = *self;
        if matches!(fabric.destination(port), Node::Host(_)) {
            return None;
        }
        let Some(size) = cbfc.credits else {
            return Some(self.frames_at_full_rate(port).saturating_mul(cbfc.cells(packet)));
        };
        let packet = Bytes(cbfc.cells(packet) * cbfc.cell.0);
        let base = Base { packet, bdp: Bytes(0), whole: Bytes(0) };
        Some(size.resolve(&base).0 / cbfc.cell.0.max(1))
    }

    /// Full packets that a sender at full rate has out when the message comes that its first one has left
    /// the far end: it was sent, it is sent on there, a message has just gone, and the way there and back.
    fn frames_at_full_rate(&self, port: PortId) -> u64 {
        let Self { fabric, cbfc, packet, gap, .. } = *self;
        let peer = fabric.ports[port.index()].peer;
        let (there, back) = (fabric.ports[port.index()].rate, fabric.ports[peer.index()].rate);
        let one = there.serialisation(packet + gap);
        let messages = back.serialisation(cbfc.cf_spacing) + back.serialisation(Cbfc::ORDERED_SET);
        let ways = fabric.latency(port) + fabric.latency(peer);
        (2 * one.0 + messages.0 + ways.0).div_ceil(one.0.max(1))
    }

    /// The memory that a switch has promised to all who send to it, for so many data classes.
    pub fn promised(&self, switch: &Switch, classes: u8) -> Bytes {
        let ports = &self.fabric.ports;
        let links = switch.ports.clone().map(|port| ports[port as usize].peer);
        let cells: u64 = links.filter_map(|link| self.of_link(link)).sum();
        Bytes(cells.saturating_mul(classes.into()).saturating_mul(self.cbfc.cell.0))
    }
}

impl Plan {
    /// What credits depend on, where the plan has them.
    pub fn credit_base(&self) -> Option<CreditBase<'_>> {
        let (fabric, packet, gap) = (&self.fabric, self.packet(), self.queue.gap);
        self.queue.cbfc.map(|cbfc| CreditBase { fabric, cbfc, packet, gap })
    }
}
