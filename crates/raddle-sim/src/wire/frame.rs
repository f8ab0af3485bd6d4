//! A frame on its way: 12 bytes, so that a packet on a link is 16 with its time of arrival.
//!
//! Facts that only the ends need (sizes of messages, send times, what an ACK acknowledges) stay in
//! the flow's records and are looked up there.

use crate::topology::Fabric;
use raddle_schemes::ids::{Entropy, HostId, PortId};
use raddle_schemes::transport::ledger::SYMBOL_LIMIT;
use raddle_schemes::units::Bytes;

/// Where a frame goes and in which class: a port of a host and one of the flows that end (data) or
/// begin (ACKs) at the host. The split of the 32 bits is the run's, see [`Locators`]. Switches hash it,
/// without the class, as the flow's key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Locator(pub u32);

/// How locators are split: as many bits for the hosts' ports as the fabric needs, as many for the class
/// as there are data classes (none for one), the rest for the host's flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locators {
    flow_bits: u8,
    class_bits: u8,
    /// What is below the port's bits: those of class and flow.
    port_shift: u8,
    index_mask: u32,
    /// All bits but those of the class.
    key_mask: u32,
    hosts: u32,
}

impl Locators {
    /// The split for a fabric whose data travels in `classes` classes.
    pub fn of(fabric: &Fabric, classes: u8) -> Self {
        Self::new(fabric.hosts, fabric.planes, classes)
    }

    /// The same for a fabric of `hosts` with a port in each of `planes`.
    pub fn new(hosts: u32, planes: u32, classes: u8) -> Self {
        let bits = |values: u32| (u32::BITS - values.saturating_sub(1).leading_zeros()) as u8;
        let class_bits = bits(u32::from(classes));
        let flow_bits = u32::BITS as u8 - bits(hosts * planes).max(1) - class_bits;
        let key_mask = !(((1 << class_bits) - 1) << flow_bits);
        let port_shift = flow_bits + class_bits;
        Self {
            flow_bits,
            class_bits,
            port_shift,
            index_mask: (1 << flow_bits) - 1,
            key_mask,
            hosts,
        }
    }

    /// How many flows can begin, and how many can end, at one host.
    pub fn flows_per_host(&self) -> u64 {
        1 << self.flow_bits
    }

    /// The locator of flow `index` at `host`, whose frames travel in data class `class`, by way of the
    /// host's first port.
    pub fn locate(&self, host: HostId, class: u8, index: u32) -> Locator {
        let above = (host.0 << self.class_bits) | u32::from(class);
        Locator((above << self.flow_bits) | index)
    }

    /// The port of a host that a locator names.
    #[inline]
    pub fn port(&self, locator: Locator) -> PortId {
        PortId(locator.0 >> self.port_shift)
    }

    /// The host that a locator names.
    #[inline]
    pub fn host(&self, locator: Locator) -> HostId {
        let port = self.port(locator).0;
        HostId(if port < self.hosts { port } else { port % self.hosts })
    }

    /// The plane that a locator names.
    pub fn plane(&self, locator: Locator) -> u32 {
        self.port(locator).0 / self.hosts
    }

    /// The same by way of the host's port in a plane.
    pub fn in_plane(&self, locator: Locator, plane: u32) -> Locator {
        let port = plane * self.hosts + self.host(locator).0;
        let below = (1 << self.port_shift) - 1;
        Locator((port << self.port_shift) | (locator.0 & below))
    }

    /// The data class a locator names.
    #[inline]
    pub fn class(&self, locator: Locator) -> u8 {
        ((locator.0 >> self.flow_bits) & ((1 << self.class_bits) - 1)) as u8
    }

    /// The same in another class.
    pub(crate) fn with_class(&self, locator: Locator, class: u8) -> Locator {
        Locator((locator.0 & self.key_mask) | (u32::from(class) << self.flow_bits))
    }

    /// The same without its class, so that a flow's key does not depend on that.
    #[inline]
    pub(crate) fn key(&self, locator: Locator) -> u32 {
        locator.0 & self.key_mask
    }

    /// The flow at that host.
    #[inline]
    pub fn index(&self, locator: Locator) -> u32 {
        locator.0 & self.index_mask
    }
}

/// What a frame is: exactly one of these, in the low 3 bits of its flags. Two masks tell what
/// every hop asks: no bit set is data in a data class, none of the low two is data at all.
pub mod kind {
    /// A data packet.
    pub const DATA: u8 = 0;
    /// An ACK.
    pub const ACK: u8 = 1;
    /// A NACK.
    pub const NACK: u8 = 2;
    /// A pull or a grant: credit from a receiver to a sender. Of a grant the locator names the class of
    /// the packets that it lets go. With [`flag::AGAIN`](super::flag::AGAIN): this packet, and those
    /// missing behind it, shall be sent again.
    pub const CREDIT: u8 = 3;
    /// A data packet of which only the header is left.
    pub const TRIMMED: u8 = 4;
    /// A PFC frame: concerns the link it crosses, and goes no further.
    pub const PFC: u8 = 5;
    /// A sender's request for credit.
    pub const REQUEST: u8 = 6;
    /// A message between ToRs, which a host throws away; with [`flag::CNP`](super::flag::CNP) a
    /// congestion notification from a receiver to a sender.
    pub const TOR: u8 = 7;
    /// The bits of the kind.
    pub(crate) const MASK: u8 = 7;
    /// The bits of which data has none.
    pub(crate) const NOT_DATA: u8 = 3;
}

/// What happened to a frame, and what else it says; beside its kind.
pub mod flag {
    /// Carries a congestion mark; on an ACK: echoes one.
    pub const MARKED: u8 = 8;
    /// A data packet sent before; a receiver's request to send some again.
    pub const AGAIN: u8 = 16;
    /// A message between ToRs that goes from sender to receiver.
    pub(crate) const FORWARD: u8 = 16;
    /// A data packet whose sender wants an ACK at once.
    pub const ACK_REQUEST: u8 = 32;
    /// The bit of ToRs, of all that is not data.
    pub(crate) const TOR_OF_CONTROL: u8 = 32;
    /// An ACK for a packet that had arrived before.
    pub const DUPLICATE: u8 = 64;
    /// Of kind [`TOR`](super::kind::TOR): a congestion notification (CNP).
    pub const CNP: u8 = 64;
    /// A NACK that a switch made for the receiver.
    pub const OF_SWITCH: u8 = 64;
    /// The bit of ToRs, of data.
    pub(crate) const TOR_OF_DATA: u8 = 64;
    /// A data packet that switches hash, whatever their scheme.
    pub const HASHED: u8 = 128;
}

/// Largest packet number, and largest count of arrivals, that a frame can hold.
pub const NUMBER_LIMIT: u32 = (1 << 24) - 1;
/// Largest frame, in bytes.
pub const SIZE_LIMIT: Bytes = Bytes(u16::MAX as u64);

/// A PFC frame on the wire (IEEE 802.1Q, priority-based flow control).
pub const PFC_SIZE: Bytes = Bytes(64);

/// A frame: locator, and in 64 bits: number 24 | flags 8 | entropy 16 | size 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Where it goes.
    pub to: Locator,
    meta: [u32; 2],
}

impl Frame {
    /// A frame; `flags` are its [`kind`] and [`flag`]s. `number` is the packet's (data, NACK), or a
    /// count: of arrivals (ACK), of credits, of packets granted, of packets that vanished (request).
    #[inline]
    pub fn new(to: Locator, number: u32, flags: u8, entropy: Entropy, size: Bytes) -> Self {
        debug_assert!(number <= NUMBER_LIMIT && size <= SIZE_LIMIT);
        Self {
            to,
            meta: [(number << 8) | u32::from(flags), (u32::from(entropy.0) << 16) | size.0 as u32],
        }
    }

    /// A PFC frame: the data classes it speaks of, and of these the ones that pause; the others
    /// resume. A bit per class.
    pub fn pfc(classes: u8, pause: u8) -> Self {
        let number = (u32::from(classes) << 8) | u32::from(pause);
        Self::new(Locator(0), number, kind::PFC, Entropy(0), PFC_SIZE)
    }

    /// A congestion notification (CNP) to a sender, on the path of the packet that brought it.
    pub fn cnp(to: Locator, entropy: Entropy, size: Bytes) -> Self {
        Self::new(to, 0, kind::TOR | flag::CNP, entropy, size)
    }

    /// Whether it is a congestion notification (CNP).
    #[inline]
    pub fn is_cnp(&self) -> bool {
        self.kind() == kind::TOR && self.has(flag::CNP)
    }

    /// Whether it is a PFC frame.
    #[inline]
    pub fn is_pfc(&self) -> bool {
        self.kind() == kind::PFC
    }

    /// Of a PFC frame: each class it speaks of, and whether that class pauses.
    pub fn pfc_classes(&self) -> impl Iterator<Item = (usize, bool)> {
        let (classes, pause) = (self.number() >> 8, self.number() & 0xff);
        let spoken_of = (0..8).filter(move |class| classes >> class & 1 == 1);
        spoken_of.map(move |class| (class, pause >> class & 1 == 1))
    }

    /// Packet number or count of arrivals.
    #[inline]
    pub fn number(&self) -> u32 {
        self.meta[0] >> 8
    }

    /// Its [`kind`].
    #[inline]
    pub fn kind(&self) -> u8 {
        self.meta[0] as u8 & kind::MASK
    }

    /// Whether any of the bits `flags` of [`flag`] is set.
    #[inline]
    pub fn has(&self, flags: u8) -> bool {
        self.meta[0] as u8 & flags != 0
    }

    /// Whether it is a data packet, whole or trimmed.
    #[inline]
    pub fn is_data(&self) -> bool {
        !self.has(kind::NOT_DATA)
    }

    /// How many packets of its message go before it, if it is a whole data packet that is sent for
    /// the first time.
    #[inline]
    pub(crate) fn ahead(&self) -> Option<u32> {
        let is_first = self.kind() == kind::DATA && !self.has(flag::AGAIN);
        is_first.then(|| self.number())
    }

    /// Whether it is part of handing out credit.
    #[inline]
    pub fn is_about_credit(&self) -> bool {
        matches!(self.kind(), kind::CREDIT | kind::REQUEST)
    }

    /// Whether it is an ACK or a NACK.
    #[inline]
    pub fn is_reply(&self) -> bool {
        matches!(self.kind(), kind::ACK | kind::NACK)
    }

    /// Whether it belongs to the control class.
    #[inline]
    pub fn is_control(&self) -> bool {
        self.has(kind::MASK)
    }

    /// Whether it is a data packet of which only the header is left.
    #[inline]
    pub fn is_trimmed(&self) -> bool {
        self.kind() == kind::TRIMMED
    }

    /// The entropy value in its header.
    #[inline]
    pub fn entropy(&self) -> Entropy {
        Entropy((self.meta[1] >> 16) as u16)
    }

    /// Whether it goes from the flow's sender to its receiver.
    #[inline]
    pub(crate) fn goes_to_receiver(&self) -> bool {
        match self.kind() {
            kind::DATA | kind::TRIMMED | kind::REQUEST => true,
            kind::TOR => self.has(flag::FORWARD),
            _ => false,
        }
    }

    /// The flag that holds the bit of ToRs.
    fn tor_flag(&self) -> u8 {
        if self.is_data() { flag::TOR_OF_DATA } else { flag::TOR_OF_CONTROL }
    }

    /// The bit that only ToRs write and read.
    pub(crate) fn tor_bit(&self) -> bool {
        self.has(self.tor_flag())
    }

    /// What a ToR writes: the entropy value, and the bit of ToRs.
    pub(crate) fn rewrite(&mut self, entropy: Entropy, tor_bit: bool) {
        let flag = u32::from(self.tor_flag());
        self.meta[0] = if tor_bit { self.meta[0] | flag } else { self.meta[0] & !flag };
        self.meta[1] = (u32::from(entropy.0) << 16) | (self.meta[1] & 0xffff);
    }

    /// Its bytes on the wire, without the gap.
    #[inline]
    pub fn size(&self) -> Bytes {
        Bytes(u64::from(self.meta[1] & 0xffff))
    }

    /// Sets the congestion mark.
    #[inline]
    pub fn mark(&mut self) {
        self.meta[0] |= u32::from(flag::MARKED);
    }

    /// Cuts it, a data packet, to its header.
    pub fn trim(&mut self, header: Bytes) {
        debug_assert!(self.is_data());
        self.meta[0] |= u32::from(kind::TRIMMED);
        self.meta[1] = (self.meta[1] & 0xffff_0000) | header.0 as u32;
    }
}

/// How many of these frames are data, and how many are about credit.
pub(crate) fn count(frames: impl Iterator<Item = Frame>) -> (u64, u64) {
    frames.fold((0, 0), |(data, credit), frame| {
        (data + u64::from(frame.is_data()), credit + u64::from(frame.is_about_credit()))
    })
}

const _: () = assert!(size_of::<Frame>() == 12);
// Every packet that a sender can name has a number.
const _: () = assert!(SYMBOL_LIMIT - 1 <= NUMBER_LIMIT);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_limits() {
        let mut frame =
            Frame::new(Locator(u32::MAX), NUMBER_LIMIT, flag::AGAIN, Entropy(u16::MAX), SIZE_LIMIT);
        assert_eq!(frame.number(), NUMBER_LIMIT);
        assert_eq!(frame.entropy(), Entropy(u16::MAX));
        assert_eq!(frame.size(), SIZE_LIMIT);
        frame.mark();
        frame.trim(Bytes(64));
        assert!(frame.has(flag::AGAIN) && frame.has(flag::MARKED) && frame.is_trimmed());
        assert!(!frame.has(flag::ACK_REQUEST | flag::DUPLICATE));
        assert_eq!((frame.number(), frame.size()), (NUMBER_LIMIT, Bytes(64)));
        assert!(frame.is_data() && frame.is_control());
    }

    #[test]
    fn a_frame_is_of_one_kind() {
        for (kind, data, control) in [
            (kind::DATA, true, false),
            (kind::ACK, false, true),
            (kind::NACK, false, true),
            (kind::TRIMMED, true, true),
            (kind::PFC, false, true),
            (kind::CREDIT, false, true),
            (kind::REQUEST, false, true),
        ] {
            for flags in
                [0, flag::MARKED, flag::DUPLICATE | flag::AGAIN | flag::ACK_REQUEST, flag::HASHED]
            {
                let frame = Frame::new(Locator(1), 2, kind | flags, Entropy(3), Bytes(64));
                assert_eq!((frame.is_data(), frame.is_control()), (data, control), "{kind}");
                assert_eq!(frame.kind(), kind);
                assert_eq!(frame.is_pfc(), kind == kind::PFC);
                assert_eq!(frame.is_trimmed(), kind == kind::TRIMMED);
            }
        }
    }

    #[test]
    fn a_cnp_goes_to_the_sender_and_is_no_message_between_tors() {
        let frame = Frame::cnp(Locator(9), Entropy(7), Bytes(64));
        assert!(frame.is_cnp() && frame.is_control() && !frame.is_data());
        assert!(!frame.goes_to_receiver() && !frame.is_about_credit() && !frame.tor_bit());
        for flags in [0, flag::FORWARD, flag::MARKED] {
            let message = Frame::new(Locator(9), 7, kind::TOR | flags, Entropy(7), Bytes(64));
            assert!(!message.is_cnp());
        }
    }

    #[test]
    fn locators_split_where_the_fabric_needs_it() {
        for hosts in [2, 3, 128, 129, 65_536] {
            for classes in 1..=8 {
                let locators = Locators::new(hosts, 1, classes);
                let last = (locators.flows_per_host() - 1) as u32;
                let locator = locators.locate(HostId(hosts - 1), classes - 1, last);
                assert_eq!(locators.host(locator), HostId(hosts - 1));
                assert_eq!(locators.class(locator), classes - 1);
                assert_eq!(locators.index(locator), last);
            }
        }
        assert_eq!(Locators::new(65_536, 1, 1).flows_per_host(), 65_536);
        assert_eq!(Locators::new(65_536, 1, 7).flows_per_host(), 8_192);
        assert_eq!(Locators::new(128, 1, 1).flows_per_host(), 1 << 25);
        assert_eq!(Locators::new(128, 1, 2).flows_per_host(), 1 << 24);
    }

    #[test]
    fn a_locator_leads_to_any_port_of_its_host() {
        let locators = Locators::new(5, 3, 2);
        let first = locators.locate(HostId(4), 1, 77);
        for plane in 0..3 {
            let there = locators.in_plane(first, plane);
            assert_eq!((locators.host(there), locators.plane(there)), (HostId(4), plane));
            assert_eq!(locators.port(there), PortId(plane * 5 + 4));
            assert_eq!((locators.class(there), locators.index(there)), (1, 77));
            assert_eq!(locators.in_plane(there, 0), first);
        }
    }

    #[test]
    fn a_pfc_frame_tells_each_class_its_own() {
        let frame = Frame::pfc(0b101_0010, 0b100_0010);
        assert!(frame.is_pfc() && frame.is_control() && !frame.is_data());
        let told: Vec<_> = frame.pfc_classes().collect();
        assert_eq!(told, [(1, true), (4, false), (6, true)]);
    }
}
