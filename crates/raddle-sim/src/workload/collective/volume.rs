//! How much data a collective moves.

use crate::workload::WorkloadError;
use raddle_schemes::units::Bytes;

/// What is given: one part, or all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// The size of each part.
    Message(Bytes),
    /// The size of all parts together, as nccl-tests counts it: the larger of what a rank puts in and
    /// gets out. Parts differ by a byte at most, the first ones being the larger.
    Size(Bytes),
}

impl Volume {
    /// Whether it comes in so many parts.
    ///
    /// # Errors
    /// An empty part.
    pub fn check(self, parts: u32) -> Result<(), WorkloadError> {
        match self {
            Self::Message(message) => crate::workload::check_message(message),
            Self::Size(size) if size.0 < parts.into() => {
                let fits = format!("at least {parts} B, one for each part");
                Err(WorkloadError::new("size", size, fits))
            }
            Self::Size(_) => Ok(()),
        }
    }

    /// The size of the parts from number `from` on, before number `to`, of so many.
    pub(crate) fn range(self, from: u32, to: u32, parts: u32) -> Bytes {
        let before = |part: u32| match self {
            Self::Message(message) => message.0 * u64::from(part),
            Self::Size(size) => {
                let (each, more) = (size.0 / u64::from(parts), size.0 % u64::from(parts));
                each * u64::from(part) + more.min(part.into())
            }
        };
        Bytes(before(to) - before(from))
    }

    /// The size of one of so many parts.
    pub(crate) fn part(self, part: u32, parts: u32) -> Bytes {
        self.range(part, part + 1, parts)
    }

    /// The size of all of so many parts.
    pub fn all(self, parts: u32) -> Bytes {
        self.range(0, parts, parts)
    }

    /// The largest of so many parts.
    pub fn largest(self, parts: u32) -> Bytes {
        self.part(0, parts.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_size_add_up_to_it() {
        let size = Volume::Size(Bytes(11));
        assert_eq!([0, 1, 2, 3].map(|part| size.part(part, 4).0), [3, 3, 3, 2]);
        assert_eq!((size.all(4), size.range(1, 3, 4)), (Bytes(11), Bytes(6)));
        assert!(size.check(11).is_ok());
        assert_eq!(size.check(12).unwrap_err().quantity, "size");
    }

    #[test]
    fn messages_are_alike() {
        let message = Volume::Message(Bytes(5));
        assert_eq!((message.part(3, 4), message.all(4)), (Bytes(5), Bytes(20)));
        assert_eq!(Volume::Message(Bytes(0)).check(1).unwrap_err().quantity, "message");
    }
}
