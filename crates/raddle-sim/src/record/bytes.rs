//! Whole numbers in few bytes: seven bits a byte, the lowest first.

/// Appends a number: one byte below 128, two below 16,384.
#[inline]
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends how far `to` is from `from`, in either direction.
#[inline]
pub(super) fn put_step(out: &mut Vec<u8>, from: u64, to: u64) {
    let step = to.wrapping_sub(from) as i64;
    put(out, ((step << 1) ^ (step >> 63)) as u64);
}

/// Takes what [`put`] appended off the front; 0 where nothing is left.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    while let Some((&first, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first < 0x80 {
            break;
        }
        shift += 7;
    }
    value
}

/// Takes what [`put_step`] appended off the front: where it leads.
#[inline]
pub(super) fn take_step(bytes: &mut &[u8], from: u64) -> u64 {
    let coded = take(bytes);
    from.wrapping_add((coded >> 1) ^ (coded & 1).wrapping_neg())
}

/// Takes so many bytes off the front.
#[inline]
pub(super) fn take_array<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let Some((first, rest)) = bytes.split_first_chunk() else { return [0; N] };
    *bytes = rest;
    *first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_steps_come_back() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
        let mut out = Vec::new();
        for own in numbers {
            put(&mut out, own);
            numbers.iter().for_each(|from| put_step(&mut out, *from, own));
        }
        let mut left = &out[..];
        for own in numbers {
            assert_eq!(take(&mut left), own);
            numbers.iter().for_each(|from| assert_eq!(take_step(&mut left, *from), own));
        }
        assert_eq!((left.len(), take(&mut left), take_array(&mut left)), (0, 0, [0; 2]));
    }

    #[test]
    fn small_ones_take_one_byte() {
        let mut out = Vec::new();
        put(&mut out, 127);
        put_step(&mut out, 1_000, 1_063);
        put_step(&mut out, 1_000, 936);
        assert_eq!(out.len(), 3);
    }
}
