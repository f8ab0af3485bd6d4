//! Numbers of frames: 20 bits that go round.

/// How many there are.
const COUNT: u32 = 1 << 20;

/// A frame's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Number(u32);

impl Number {
    /// So many numbers later.
    pub(super) fn plus(self, count: u32) -> Self {
        Self((self.0 + count) % COUNT)
    }

    /// How many numbers it is behind another, going round.
    pub(super) fn since(self, earlier: Self) -> u32 {
        (self.0 + COUNT - earlier.0) % COUNT
    }

    /// Whether it is one of the half of all numbers that comes after another.
    pub(super) fn is_after(self, other: Self) -> bool {
        (1..COUNT / 2).contains(&self.since(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_round() {
        let last = Number(COUNT - 1);
        assert_eq!(last.plus(1), Number(0));
        assert_eq!(Number(3).since(last), 4);
        assert!(Number(0).is_after(last) && !last.is_after(Number(0)));
        assert!(!last.is_after(last));
        // In a window of half of all, its first frame again is before what comes next.
        let next = Number(5).plus(COUNT / 2);
        assert!(!Number(5).is_after(next) && next.plus(COUNT / 2 - 1).is_after(next));
    }
}
