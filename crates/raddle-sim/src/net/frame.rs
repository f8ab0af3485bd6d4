//! A frame on its way: 12 bytes, so that a packet on a link is 16 with its time of arrival.
//!
//! Facts that only the ends need (sizes of messages, send times, what an ACK acknowledges) stay in
//! the flow's records and are looked up there.

use raddle_schemes::ids::{Entropy, HostId};
use raddle_schemes::units::Bytes;

/// Where a frame goes: a host and one of the flows that end (data) or begin (ACKs) there. The
/// split of the 32 bits is the run's, see [`Locators`]. Switches hash it as the flow's key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Locator(pub u32);

/// How locators are split: as many bits for the host as the fabric needs, the rest for its flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locators {
    flow_bits: u32,
    index_mask: u32,
}

impl Locators {
    /// The split for a fabric of `hosts`.
    pub fn new(hosts: u32) -> Self {
        let host_bits = u32::BITS - hosts.saturating_sub(1).leading_zeros();
        let flow_bits = u32::BITS - host_bits.max(1);
        Self { flow_bits, index_mask: (1 << flow_bits) - 1 }
    }

    /// How many flows can begin, and how many can end, at one host.
    pub fn flows_per_host(&self) -> u64 {
        1 << self.flow_bits
    }

    /// The locator of flow `index` at `host`.
    pub fn locate(&self, host: HostId, index: u32) -> Locator {
        Locator((host.0 << self.flow_bits) | index)
    }

    /// The host a locator names.
    #[inline]
    pub fn host(&self, locator: Locator) -> HostId {
        HostId(locator.0 >> self.flow_bits)
    }

    /// The flow at that host.
    #[inline]
    pub fn index(&self, locator: Locator) -> u32 {
        locator.0 & self.index_mask
    }
}

/// What a frame is and what happened to it.
pub mod flag {
    /// An ACK.
    pub const ACK: u8 = 1;
    /// A NACK.
    pub const NACK: u8 = 2;
    /// Carries a congestion mark; on an ACK: echoes one.
    pub const MARKED: u8 = 4;
    /// A data packet of which only the header is left.
    pub const TRIMMED: u8 = 8;
    /// A data packet sent before.
    pub const AGAIN: u8 = 16;
    /// A data packet whose sender wants an ACK at once.
    pub const ACK_REQUEST: u8 = 32;
    /// An ACK for a packet that had arrived before.
    pub const DUPLICATE: u8 = 64;
    /// What makes a frame a control frame.
    pub const CONTROL: u8 = ACK | NACK | TRIMMED;
}

/// Largest packet number, and largest count of arrivals, that a frame can hold.
pub const NUMBER_LIMIT: u32 = (1 << 24) - 1;
/// Largest frame, in bytes.
pub const SIZE_LIMIT: Bytes = Bytes(u16::MAX as u64);

/// A frame: locator, and in 64 bits: number 24 | flags 8 | entropy 16 | size 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Where it goes.
    pub to: Locator,
    meta: [u32; 2],
}

impl Frame {
    /// A frame. `number` is the packet's (data, NACK) or the count of arrivals (ACK).
    #[inline]
    pub fn new(to: Locator, number: u32, flags: u8, entropy: Entropy, size: Bytes) -> Self {
        debug_assert!(number <= NUMBER_LIMIT && size <= SIZE_LIMIT);
        Self {
            to,
            meta: [(number << 8) | u32::from(flags), (u32::from(entropy.0) << 16) | size.0 as u32],
        }
    }

    /// Packet number or count of arrivals.
    #[inline]
    pub fn number(&self) -> u32 {
        self.meta[0] >> 8
    }

    /// The flags of [`flag`].
    #[inline]
    pub fn flags(&self) -> u8 {
        self.meta[0] as u8
    }

    /// Whether any of `flags` is set.
    #[inline]
    pub fn has(&self, flags: u8) -> bool {
        self.flags() & flags != 0
    }

    /// Whether it is a data packet, whole or trimmed.
    #[inline]
    pub fn is_data(&self) -> bool {
        !self.has(flag::ACK | flag::NACK)
    }

    /// Whether it belongs to the control class.
    #[inline]
    pub fn is_control(&self) -> bool {
        self.has(flag::CONTROL)
    }

    /// The entropy value in its header.
    #[inline]
    pub fn entropy(&self) -> Entropy {
        Entropy((self.meta[1] >> 16) as u16)
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

    /// Cuts it to its header.
    pub fn trim(&mut self, header: Bytes) {
        self.meta[0] |= u32::from(flag::TRIMMED);
        self.meta[1] = (self.meta[1] & 0xffff_0000) | header.0 as u32;
    }
}

const _: () = assert!(size_of::<Frame>() == 12);

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
        assert_eq!(frame.flags(), flag::AGAIN | flag::MARKED | flag::TRIMMED);
        assert_eq!((frame.number(), frame.size()), (NUMBER_LIMIT, Bytes(64)));
        assert!(frame.is_data() && frame.is_control());
    }

    #[test]
    fn locators_split_where_the_fabric_needs_it() {
        for hosts in [2, 3, 128, 129, 65_536] {
            let locators = Locators::new(hosts);
            let last = (locators.flows_per_host() - 1) as u32;
            let locator = locators.locate(HostId(hosts - 1), last);
            assert_eq!(locators.host(locator), HostId(hosts - 1));
            assert_eq!(locators.index(locator), last);
        }
        assert_eq!(Locators::new(65_536).flows_per_host(), 65_536);
        assert_eq!(Locators::new(128).flows_per_host(), 1 << 25);
    }
}
