//! What a datagram holds, in network order.
//!
//! | frame | bytes |
//! |---|---|
//! | data | `0`, flags, home, flow, total, number, entropy, payload |
//! | request | `1`, home, flow, total, vanished, entropy |
//! | control | `2`, flow, then [`Control`] |
//! | probe | `3`, home, flow, total, entropy |
//!
//! `home` (16 bits) is the first port of the sender: where it is told of the flow. Flow, total, number
//! and vanished have 32 bits, entropy 16, flags 8: bit 0 sent before, bit 1 an ACK is wanted at once.

use raddle_schemes::ids::{Entropy, Psn};
use raddle_schemes::transport::codec::Control;

const DATA: u8 = 0;
const REQUEST: u8 = 1;
const CONTROL: u8 = 2;
const PROBE: u8 = 3;

/// Bytes of a data frame before its payload.
pub const HEADER: usize = 18;

/// What one datagram says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A packet of a message.
    Data {
        /// The first port of its sender.
        home: u16,
        /// The message, by a number of its sender's.
        flow: u32,
        /// How many packets the message has.
        total: u32,
        /// Which one this is.
        psn: Psn,
        /// Its entropy, which its source port follows.
        entropy: Entropy,
        /// Whether it was sent before.
        again: bool,
        /// Whether it is to be acknowledged at once.
        ack_request: bool,
        /// The bytes of the message that it carries.
        payload: &'a [u8],
    },
    /// The sender of a message asks for credit.
    Request {
        /// Its first port.
        home: u16,
        /// The message.
        flow: u32,
        /// How many packets the message has.
        total: u32,
        /// How many packets are known to have vanished.
        vanished: u32,
        /// The path of the request.
        path: Entropy,
    },
    /// The sender of a message asks what has arrived.
    Probe {
        /// Its first port.
        home: u16,
        /// The message.
        flow: u32,
        /// How many packets the message has.
        total: u32,
        /// The path of the probe.
        path: Entropy,
    },
    /// The receiver of a message answers.
    Control {
        /// The message.
        flow: u32,
        /// What it says.
        control: Control,
    },
}

impl<'a> Frame<'a> {
    /// Appends it to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Data { home, flow, total, psn, entropy, again, ack_request, payload } => {
                out.extend([DATA, u8::from(*again) | u8::from(*ack_request) << 1]);
                out.extend(home.to_be_bytes());
                for word in [flow, total, &psn.0] {
                    out.extend(word.to_be_bytes());
                }
                out.extend(entropy.0.to_be_bytes());
                out.extend(*payload);
            }
            Self::Request { home, flow, total, vanished, path } => {
                out.push(REQUEST);
                out.extend(home.to_be_bytes());
                for word in [flow, total, vanished] {
                    out.extend(word.to_be_bytes());
                }
                out.extend(path.0.to_be_bytes());
            }
            Self::Probe { home, flow, total, path } => {
                out.push(PROBE);
                out.extend(home.to_be_bytes());
                for word in [flow, total] {
                    out.extend(word.to_be_bytes());
                }
                out.extend(path.0.to_be_bytes());
            }
            Self::Control { flow, control } => {
                out.push(CONTROL);
                out.extend(flow.to_be_bytes());
                control.write(out);
            }
        }
    }

    /// Reads what [`write`](Self::write) wrote; `None` if it is something else.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (kind, mut rest) = bytes.split_first()?;
        let from = &mut rest;
        match *kind {
            DATA => {
                let [flags] = *take::<1>(from)?;
                let home = u16_of(from)?;
                let (flow, total, psn) = (u32_of(from)?, u32_of(from)?, Psn(u32_of(from)?));
                let entropy = Entropy(u16_of(from)?);
                let (again, ack_request) = (flags & 1 != 0, flags & 2 != 0);
                let known = flags < 4 && psn.0 < total && home > 0;
                let payload = rest;
                known.then_some(Self::Data {
                    home,
                    flow,
                    total,
                    psn,
                    entropy,
                    again,
                    ack_request,
                    payload,
                })
            }
            REQUEST => {
                let home = u16_of(from)?;
                let (flow, total, vanished) = (u32_of(from)?, u32_of(from)?, u32_of(from)?);
                let path = Entropy(u16_of(from)?);
                let whole = rest.is_empty() && total > 0 && home > 0;
                whole.then_some(Self::Request { home, flow, total, vanished, path })
            }
            PROBE => {
                let home = u16_of(from)?;
                let (flow, total) = (u32_of(from)?, u32_of(from)?);
                let path = Entropy(u16_of(from)?);
                let whole = rest.is_empty() && total > 0 && home > 0;
                whole.then_some(Self::Probe { home, flow, total, path })
            }
            CONTROL => {
                let flow = u32_of(from)?;
                Some(Self::Control { flow, control: Control::read(rest)? })
            }
            _ => None,
        }
    }
}

fn take<'a, const N: usize>(from: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (first, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(first)
}

fn u16_of(from: &mut &[u8]) -> Option<u16> {
    take(from).map(|bytes| u16::from_be_bytes(*bytes))
}

fn u32_of(from: &mut &[u8]) -> Option<u32> {
    take(from).map(|bytes| u32::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::transport::codec::Ack;

    fn frames() -> Vec<Frame<'static>> {
        let (psn, entropy) = (Psn(0x0102_0304), Entropy(0x0506));
        let data = |payload| Frame::Data {
            home: 4791,
            flow: 7,
            total: u32::MAX,
            psn,
            entropy,
            again: true,
            ack_request: false,
            payload,
        };
        let request = Frame::Request { home: 1, flow: 2, total: 3, vanished: 4, path: entropy };
        let ack = Control::Ack(Ack { psn, entropy, beyond: vec![5], ..Ack::default() });
        let control = Frame::Control { flow: 9, control: ack };
        let probe = Frame::Probe { home: 1, flow: 2, total: 3, path: entropy };
        vec![data(b"payload"), data(b""), request, control, probe]
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        for frame in frames() {
            let mut bytes = Vec::new();
            frame.write(&mut bytes);
            assert_eq!(Frame::read(&bytes), Some(frame));
        }
    }

    #[test]
    fn nobody_is_answered_at_port_0() {
        let (flow, total, vanished, path) = (1, 1, 0, Entropy(0));
        let mut bytes = Vec::new();
        Frame::Request { home: 0, flow, total, vanished, path }.write(&mut bytes);
        assert_eq!(Frame::read(&bytes), None);
    }

    #[test]
    fn a_data_frame_has_its_header_before_its_payload() {
        let mut bytes = Vec::new();
        frames()[0].write(&mut bytes);
        assert_eq!(bytes.len(), HEADER + 7);
        assert_eq!(&bytes[HEADER..], b"payload");
    }

    #[test]
    fn what_is_no_frame_is_not_read() {
        for frame in frames() {
            let mut bytes = Vec::new();
            frame.write(&mut bytes);
            let shortest = if matches!(frame, Frame::Data { .. }) { HEADER } else { bytes.len() };
            for length in 0..shortest {
                assert_eq!(Frame::read(&bytes[..length]), None, "{frame:?} cut to {length}");
            }
        }
        assert_eq!(Frame::read(&[4, 0, 0]), None, "a kind that there is not");
        let mut beyond = Vec::new();
        let frame = Frame::Data {
            home: 1,
            flow: 1,
            total: 5,
            psn: Psn(5),
            entropy: Entropy(0),
            again: false,
            ack_request: false,
            payload: b"",
        };
        frame.write(&mut beyond);
        assert_eq!(Frame::read(&beyond), None, "a packet beyond the message");
    }
}
