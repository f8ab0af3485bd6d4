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

/// What a frame is. The low 3 bits of its flags tell what every hop asks: no bit set is data in a data
/// class, none of the low two is data at all. The kinds of the control class have bits 6 and 7, too:
/// there are codes for 23 of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A data packet.
    Data = 0,
    /// An ACK.
    Ack = 1,
    /// A NACK.
    Nack = 2,
    /// A pull or a grant: credit from a receiver to a sender. Of a grant the locator names the class of
    /// the packets that it lets go.
    Credit = 3,
    /// A data packet of which only the header is left.
    Trimmed = 4,
    /// A frame of flow control, PFC or credits: concerns the link it crosses, and goes no further.
    Pfc = 5,
    /// A sender's request for credit.
    Request = 6,
    /// A message between ToRs, which a host throws away.
    Tor = 7,
    /// A congestion notification from a receiver to a sender.
    Cnp = 7 | 1 << 6,
    /// A sender's probe of a path, or the receiver's answer, which tells what has arrived.
    Probe = 7 | 1 << 7,
    /// A sender's question what has arrived, or the receiver's answer.
    TailProbe = 7 | 3 << 6,
}

impl Kind {
    /// Every kind, in the order of their codes.
    pub const ALL: [Self; 11] = [
        Self::Data,
        Self::Ack,
        Self::Nack,
        Self::Credit,
        Self::Trimmed,
        Self::Pfc,
        Self::Request,
        Self::Tor,
        Self::Cnp,
        Self::Probe,
        Self::TailProbe,
    ];

    /// The bits of which data in a data class has none.
    const APART: u8 = 7;
    /// The bits of which data has none.
    const NOT_DATA: u8 = 3;

    /// Whether it is data, whole or trimmed.
    #[inline]
    pub const fn is_data(self) -> bool {
        self as u8 & Self::NOT_DATA == 0
    }

    /// The bits of flags that tell it from every other.
    #[inline]
    const fn mask(self) -> u8 {
        match self {
            Self::Data | Self::Trimmed => Self::APART,
            // No kind has the code beside that of a NACK.
            Self::Nack => Self::APART | 0b1000_0000,
            _ => Self::APART | 0b1100_0000,
        }
    }
}

/// What happened to a frame, and what else it says; beside its [`Kind`]. Bits of data and of the control
/// class are two sets: a bit of a kind means one thing.
pub mod flag {
    /// Carries a congestion mark; on a reply: echoes one. Of any kind.
    pub const MARKED: u8 = 8;

    /// Of data: a packet sent before.
    pub const AGAIN: u8 = 16;
    /// Of whole data: its sender wants an ACK at once.
    pub const ACK_REQUEST: u8 = 32;
    /// Of a trimmed header, which asks for nothing: it was trimmed at the port to its host.
    pub const LAST_HOP: u8 = 32;
    /// Of data: the bit of ToRs.
    pub(crate) const TOR_OF_DATA: u8 = 64;
    /// Of data: switches hash it, whatever their scheme.
    pub const HASHED: u8 = 128;

    /// Of an ACK: for a packet that had arrived before.
    pub const DUPLICATE: u8 = 16;
    /// Of a NACK: a switch made it for the receiver.
    pub const OF_SWITCH: u8 = 16;
    /// Of a NACK: its packet was trimmed at the port to its host.
    pub const OF_LAST_HOP: u8 = 64;
    /// Of credit: this packet, and those missing behind it, shall be sent again.
    pub const RESEND: u8 = 16;
    /// Of a probe of either kind: it is the answer to one.
    pub const ANSWER: u8 = 16;
    /// Of a message between ToRs: it goes from sender to receiver.
    pub(crate) const FORWARD: u8 = 16;
    /// Of all that is not data: the bit of ToRs.
    pub(crate) const TOR_OF_CONTROL: u8 = 32;
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
    /// A frame of a kind with [`flag`]s of that kind. `number` is the packet's (data, NACK), or a
    /// count: of arrivals (ACK), of credits, of packets granted, of packets that vanished (request).
    #[inline]
    pub fn new(
        to: Locator,
        number: u32,
        (kind, flags): (Kind, u8),
        entropy: Entropy,
        size: Bytes,
    ) -> Self {
        debug_assert!(number <= NUMBER_LIMIT && size <= SIZE_LIMIT);
        debug_assert!(flags & kind.mask() == 0, "{kind:?} has no flag {flags:#b}");
        let flags = kind as u8 | flags;
        Self {
            to,
            meta: [(number << 8) | u32::from(flags), (u32::from(entropy.0) << 16) | size.0 as u32],
        }
    }

    /// A PFC frame: the data classes it speaks of, and of these the ones that pause; the others
    /// resume. A bit per class.
    pub fn pfc(classes: u8, pause: u8) -> Self {
        let number = (u32::from(classes) << 8) | u32::from(pause);
        Self::new(Locator(0), number, (Kind::Pfc, 0), Entropy(0), PFC_SIZE)
    }

    /// A congestion notification (CNP) to a sender, on the path of the packet that brought it.
    pub fn cnp(to: Locator, entropy: Entropy, size: Bytes) -> Self {
        Self::new(to, 0, (Kind::Cnp, 0), entropy, size)
    }

    /// Whether it is a congestion notification (CNP).
    #[inline]
    pub fn is_cnp(&self) -> bool {
        self.is(Kind::Cnp)
    }

    /// Whether it is a probe of either kind, or the answer to one.
    #[inline]
    pub fn is_probe(self) -> bool {
        self.is(Kind::Probe) || self.is(Kind::TailProbe)
    }

    /// Whether it is a frame of flow control.
    #[inline]
    pub fn is_pfc(&self) -> bool {
        self.is(Kind::Pfc)
    }

    /// Of a PFC frame: each class it speaks of, and whether that class pauses.
    pub fn pfc_classes(&self) -> impl Iterator<Item = (usize, bool)> {
        let (classes, pause) = (self.number() >> 8, self.number() & 0xff);
        let spoken_of = (0..8).filter(move |class| classes >> class & 1 == 1);
        spoken_of.map(move |class| (class, pause >> class & 1 == 1))
    }

    /// A frame of what [`bits`](Self::bits) and `to` tell.
    pub(crate) fn of_bits(to: Locator, bits: u64) -> Self {
        Self { to, meta: [(bits >> u32::BITS) as u32, bits as u32] }
    }

    /// All that it says beside where it goes.
    pub(crate) fn bits(&self) -> u64 {
        u64::from(self.meta[0]) << u32::BITS | u64::from(self.meta[1])
    }

    /// A frame of its parts, with all flags.
    #[inline]
    pub(crate) fn of_parts(to: Locator, number: u32, flags: u8, entropy: u16, size: u16) -> Self {
        let above = (number << 8) | u32::from(flags);
        Self { to, meta: [above, (u32::from(entropy) << 16) | u32::from(size)] }
    }

    /// The same with the congestion mark, or without.
    #[inline]
    pub(crate) fn with_mark(mut self, marked: bool) -> Self {
        self.meta[0] &= !u32::from(flag::MARKED);
        self.meta[0] |= if marked { flag::MARKED.into() } else { 0 };
        self
    }

    /// All flags, those of its kind included.
    pub(crate) fn flags(&self) -> u8 {
        self.meta[0] as u8
    }

    /// Packet number or count of arrivals.
    #[inline]
    pub fn number(&self) -> u32 {
        self.meta[0] >> 8
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        let of_it = |kind: &Kind| self.is(*kind);
        Kind::ALL.into_iter().find(of_it).unwrap_or(Kind::Data)
    }

    /// Whether it is of this kind.
    #[inline]
    pub fn is(&self, kind: Kind) -> bool {
        self.meta[0] as u8 & kind.mask() == kind as u8
    }

    /// Whether any of the bits `flags` of [`flag`] is set: of its kind, or of any.
    #[inline]
    pub fn has(&self, flags: u8) -> bool {
        self.meta[0] as u8 & flags != 0
    }

    /// Whether it is a data packet, whole or trimmed.
    #[inline]
    pub fn is_data(&self) -> bool {
        !self.has(Kind::NOT_DATA)
    }

    /// How many packets of its message go before it, if it is a whole data packet that is sent for
    /// the first time.
    #[inline]
    pub(crate) fn ahead(&self) -> Option<u32> {
        let is_first = self.is(Kind::Data) && !self.has(flag::AGAIN);
        is_first.then(|| self.number())
    }

    /// Whether it is part of handing out credit.
    #[inline]
    pub fn is_about_credit(&self) -> bool {
        self.is(Kind::Credit) | self.is(Kind::Request)
    }

    /// Whether it is an ACK or a NACK.
    #[inline]
    pub fn is_reply(&self) -> bool {
        self.is(Kind::Ack) | self.is(Kind::Nack)
    }

    /// Whether it belongs to the control class.
    #[inline]
    pub fn is_control(&self) -> bool {
        self.has(Kind::APART)
    }

    /// Whether it is data that switches hash, whatever their scheme.
    #[inline]
    pub fn is_hashed(&self) -> bool {
        self.is_data() & self.has(flag::HASHED)
    }

    /// Whether it is a data packet of which only the header is left.
    #[inline]
    pub fn is_trimmed(&self) -> bool {
        self.is(Kind::Trimmed)
    }

    /// The entropy value in its header.
    #[inline]
    pub fn entropy(&self) -> Entropy {
        Entropy((self.meta[1] >> 16) as u16)
    }

    /// Whether it goes from the flow's sender to its receiver.
    #[inline]
    pub(crate) fn goes_to_receiver(&self) -> bool {
        self.is_data()
            || self.is(Kind::Request)
            || self.is(Kind::Tor) && self.has(flag::FORWARD)
            || self.is_probe() && !self.has(flag::ANSWER)
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
        self.set_entropy(entropy);
    }

    /// What a switch that makes detours writes.
    #[inline]
    pub(crate) fn set_entropy(&mut self, entropy: Entropy) {
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

    /// Cuts it, a data packet, to its header, at the port to its host or before.
    pub fn trim(&mut self, header: Bytes, last_hop: bool) {
        debug_assert!(self.is_data());
        self.meta[0] &= !u32::from(flag::LAST_HOP);
        self.meta[0] |= if last_hop { flag::LAST_HOP.into() } else { 0 };
        self.meta[0] |= u32::from(Kind::Trimmed as u8);
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
        let mut frame = Frame::new(
            Locator(u32::MAX),
            NUMBER_LIMIT,
            (Kind::Data, flag::AGAIN),
            Entropy(u16::MAX),
            SIZE_LIMIT,
        );
        assert_eq!(frame.number(), NUMBER_LIMIT);
        assert_eq!(frame.entropy(), Entropy(u16::MAX));
        assert_eq!(frame.size(), SIZE_LIMIT);
        frame.mark();
        frame.trim(Bytes(64), false);
        assert!(frame.has(flag::AGAIN) && frame.has(flag::MARKED) && frame.is_trimmed());
        assert!(!frame.has(flag::ACK_REQUEST | flag::HASHED));
        assert_eq!((frame.number(), frame.size()), (NUMBER_LIMIT, Bytes(64)));
        assert!(frame.is_data() && frame.is_control());
    }

    #[test]
    fn a_frame_is_of_one_kind() {
        let of_data = [0, flag::MARKED, flag::AGAIN | flag::ACK_REQUEST | flag::TOR_OF_DATA];
        let of_data = [of_data.as_slice(), &[flag::HASHED, 0b1111_1000]].concat();
        let of_control = [0, flag::MARKED, flag::DUPLICATE, flag::TOR_OF_CONTROL, 0b0011_1000];
        let of_nacks = [0, flag::OF_LAST_HOP, 0b0111_1000];
        for kind in Kind::ALL {
            let flags = match kind {
                Kind::Data | Kind::Trimmed => of_data.as_slice(),
                Kind::Nack => &of_nacks,
                _ => &of_control,
            };
            for &flags in flags {
                let frame = Frame::new(Locator(1), 2, (kind, flags), Entropy(3), Bytes(64));
                assert_eq!(frame.kind(), kind);
                assert_eq!(Kind::ALL.into_iter().filter(|own| frame.is(*own)).count(), 1);
                let data = matches!(kind, Kind::Data | Kind::Trimmed);
                assert_eq!((frame.is_data(), frame.is_control()), (data, kind != Kind::Data));
                assert_eq!(frame.has(flag::MARKED), flags & flag::MARKED != 0);
            }
        }
    }

    #[test]
    fn a_header_tells_whether_it_was_cut_at_the_last_hop() {
        let asks = (Kind::Data, flag::ACK_REQUEST);
        for last_hop in [false, true] {
            let mut frame = Frame::new(Locator(1), 2, asks, Entropy(3), Bytes(4_160));
            frame.trim(Bytes(64), last_hop);
            assert_eq!(frame.has(flag::LAST_HOP), last_hop);
        }
    }

    /// What a byte of flags can tell apart: two kinds of data with five flags each, and kinds of the
    /// control class with three, but for one, which has the flag of a code beside it.
    #[test]
    fn there_is_room_for_sixteen_kinds_and_more() {
        let codes = |mask: u8, data: bool| {
            let all = (0..=u8::MAX).filter(|code| code & !mask == 0);
            all.filter(|code| (code & Kind::NOT_DATA == 0) == data).count()
        };
        assert_eq!(codes(Kind::Data.mask(), true), 2);
        assert_eq!(codes(Kind::Ack.mask(), false) - 1, 23);
    }

    #[test]
    fn a_cnp_goes_to_the_sender_and_is_no_message_between_tors() {
        let frame = Frame::cnp(Locator(9), Entropy(7), Bytes(64));
        assert!(frame.is_cnp() && frame.is_control() && !frame.is_data());
        assert!(!frame.goes_to_receiver() && !frame.is_about_credit() && !frame.tor_bit());
        for flags in [0, flag::FORWARD, flag::MARKED] {
            let message = Frame::new(Locator(9), 7, (Kind::Tor, flags), Entropy(7), Bytes(64));
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
