//! The bytes of a message that arrives.

use raddle_schemes::ids::Psn;

/// What has come of a message, in its place.
#[derive(Debug)]
pub(crate) struct Reassembly {
    total: u32,
    payload: usize,
    bytes: Vec<u8>,
    /// Bytes of the last packet, once it has come.
    last: Option<usize>,
}

impl Reassembly {
    /// That of a message of `total` packets, each but the last with so many bytes.
    pub(crate) fn new(total: u32, payload: usize) -> Self {
        Self { total, payload, bytes: vec![0; total as usize * payload], last: None }
    }

    /// Bytes that it keeps room for.
    pub(crate) fn room(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether a packet has as many bytes as its place gives it.
    pub(crate) fn takes(&self, psn: Psn, bytes: &[u8]) -> bool {
        match psn.0 + 1 == self.total {
            true => bytes.len() <= self.payload && self.last.is_none_or(|last| last == bytes.len()),
            false => bytes.len() == self.payload,
        }
    }

    /// Puts a packet, which it [takes](Self::takes), in its place.
    pub(crate) fn insert(&mut self, psn: Psn, bytes: &[u8]) {
        let from = psn.0 as usize * self.payload;
        self.bytes[from..from + bytes.len()].copy_from_slice(bytes);
        if psn.0 + 1 == self.total {
            self.last = Some(bytes.len());
        }
    }

    /// The message, when all of it has come.
    pub(crate) fn into_message(mut self) -> Vec<u8> {
        let last = self.last.unwrap_or_default();
        self.bytes.truncate((self.total as usize - 1) * self.payload + last);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_in_any_order_make_the_message() {
        let message: Vec<u8> = (0..250).collect();
        let mut own = Reassembly::new(3, 100);
        for psn in [2, 0, 1, 0] {
            let part = &message[psn * 100..250.min(psn * 100 + 100)];
            assert!(own.takes(Psn(psn as u32), part));
            own.insert(Psn(psn as u32), part);
        }
        assert!(!own.takes(Psn(2), &message[..49]), "the last packet has had 50 bytes");
        assert!(!own.takes(Psn(0), &message[..99]), "one that is too short");
        assert_eq!(own.into_message(), message);
    }

    #[test]
    fn a_message_may_be_empty() {
        let mut own = Reassembly::new(1, 100);
        assert!(own.takes(Psn(0), b""));
        own.insert(Psn(0), b"");
        assert_eq!(own.into_message(), b"");
    }
}
