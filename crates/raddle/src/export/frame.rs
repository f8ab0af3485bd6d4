//! A frame's first bytes, as RoCEv2 has them: Ethernet, IPv4, UDP and the base transport header of
//! InfiniBand (RFC 791, RFC 768; InfiniBand Architecture Specification, volume 1, sections 9.2 and
//! A17).

/// How many bytes of a frame are captured.
pub(super) const CAPTURED: usize = 64;
/// The UDP port of RoCEv2.
const ROCE: u16 = 4791;
/// Bytes of Ethernet's header, and of it with IPv4's.
const ETHERNET: u16 = 14;
const IP_END: u16 = ETHERNET + 20;
/// The least that can be said in a frame's lengths: all headers and the invariant CRC.
const LEAST: u16 = IP_END + 8 + 12 + 4;
/// DSCP of the class of control, in which trimmed headers go: expedited forwarding (RFC 3246). Data
/// classes have the class selectors (RFC 2474), which are multiples of 8.
const CONTROL: u8 = 46;

/// Flows' numbers with this bit are their queue pairs: pairs 0 and 1 are for management.
const QUEUE_PAIRS: u32 = 1 << 23;

/// What a frame says.
pub(super) struct Frame {
    pub(super) source: u32,
    pub(super) destination: u32,
    /// Its data class; none of a header, which goes in the class of control.
    pub(super) class: Option<u8>,
    /// Whether it has a congestion mark.
    pub(super) marked: bool,
    pub(super) entropy: u16,
    /// Number of its flow, as the queue pair.
    pub(super) flow: u64,
    /// Number of the packet.
    pub(super) psn: u32,
    /// How many switches it has passed.
    pub(super) passed: u8,
    /// Its length on the wire.
    pub(super) bytes: u32,
}

/// A host's address in 10.0.0.0/8.
pub(super) fn address(host: u32) -> [u8; 4] {
    let [_, b, c, d] = host.wrapping_add(1).to_be_bytes();
    [10, b, c, d]
}

/// A host's address on the link, one of those that nobody has been given.
fn mac(host: u32) -> [u8; 6] {
    let [a, b, c, d] = host.to_be_bytes();
    [0x02, 0x00, a, b, c, d]
}

impl Frame {
    /// Its first bytes.
    pub(super) fn captured(&self) -> Vec<u8> {
        let length = u16::try_from(self.bytes).unwrap_or(u16::MAX).max(LEAST);
        let mut out = Vec::with_capacity(CAPTURED);
        out.extend(mac(self.destination));
        out.extend(mac(self.source));
        out.extend([0x08, 0x00]);
        out.extend(self.ip(length - ETHERNET));
        out.extend(self.entropy.to_be_bytes());
        out.extend(ROCE.to_be_bytes());
        // Of what is captured: beyond it Wireshark takes what lacks for a mistake of the sender.
        out.extend((length.min(CAPTURED as u16) - IP_END).to_be_bytes());
        // No checksum over data that is not there, which UDP may leave out.
        out.extend([0, 0]);
        // A reliable connection's "RDMA write middle", with the default partition.
        out.extend([0x07, 0x00, 0xff, 0xff, 0]);
        out.extend(&(QUEUE_PAIRS | self.flow as u32).to_be_bytes()[1..]);
        out.push(0);
        out.extend(&self.psn.to_be_bytes()[1..]);
        out.resize(CAPTURED, 0);
        out.truncate(self.bytes as usize);
        out
    }

    fn ip(&self, length: u16) -> [u8; 20] {
        let dscp = self.class.map_or(CONTROL, |class| 8 * class);
        // Congestion experienced, or ECT(0) (RFC 3168).
        let ecn = if self.marked { 0b11 } else { 0b10 };
        let mut ip = [0; 20];
        ip[0] = 0x45;
        ip[1] = dscp << 2 | ecn;
        ip[2..4].copy_from_slice(&length.to_be_bytes());
        ip[4..6].copy_from_slice(&(self.psn as u16).to_be_bytes());
        // Not to be fragmented.
        ip[6] = 0x40;
        ip[8] = 64_u8.saturating_sub(self.passed);
        ip[9] = 17;
        ip[12..16].copy_from_slice(&address(self.source));
        ip[16..20].copy_from_slice(&address(self.destination));
        let sum = checksum(&ip);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        ip
    }
}

/// The checksum of a header whose own field is zero (RFC 1071).
fn checksum(header: &[u8; 20]) -> u16 {
    let words = header.chunks_exact(2).map(|two| u32::from(two[0]) << 8 | u32::from(two[1]));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_that_of_a_known_header() {
        // The example of RFC 1071's article in Wikipedia, "Internet checksum": b861.
        let header = [
            0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0, 0, 0xc0, 0xa8, 0x00,
            0x01, 0xc0, 0xa8, 0x00, 0xc7,
        ];
        assert_eq!(checksum(&header), 0xb861);
    }
}
