//! Protobuf's wire format, as far as it is needed: a field's number, and its value by its wire type.

/// What is wrong, and at which byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) at: u64,
    pub(super) message: String,
}

/// A longer message is a mistake, not an allocation.
const LONGEST: u64 = 64 << 20;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(&'a [u8]),
    Fixed32([u8; 4]),
}

impl<'a> Value<'a> {
    /// Its bytes, if it is made of some.
    pub(super) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }
}

/// Reads one message, field by field.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn wrong<T>(&self, message: &str) -> Result<T, Wrong> {
        Err(Wrong { at: self.at as u64, message: message.to_owned() })
    }

    fn varint(&mut self) -> Result<u64, Wrong> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return self.wrong("it ends within a number");
            };
            self.at += 1;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        self.wrong("a number with more than 64 bits")
    }

    fn part(&mut self, length: u64) -> Result<&'a [u8], Wrong> {
        let end = usize::try_from(length).ok().and_then(|length| self.at.checked_add(length));
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let Some(taken) = taken else {
            return self.wrong("it ends within what it names");
        };
        self.at += taken.len();
        Ok(taken)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        let taken = self.part(N as u64)?;
        taken.first_chunk::<N>().copied().map_or_else(|| self.wrong("it ends within a number"), Ok)
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), Wrong> {
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(self.fixed()?),
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.part(length)?)
            }
            5 => Value::Fixed32(self.fixed()?),
            other => return self.wrong(&format!("wire type {other}; it is no Chakra trace")),
        };
        if tag >> 3 == 0 {
            self.wrong("field 0; it is no Chakra trace")
        } else {
            Ok((tag >> 3, value))
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Wrong>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.at < self.bytes.len()).then(|| {
            let field = self.field();
            if field.is_err() {
                self.at = self.bytes.len();
            }
            field
        })
    }
}

/// The numbers of a repeated field, packed or one of them.
pub(super) fn numbers(value: Value<'_>, to: &mut Vec<u64>) -> Result<(), Wrong> {
    match value {
        Value::Varint(number) => to.push(number),
        Value::Bytes(bytes) => {
            let mut packed = Fields::new(bytes);
            while packed.at < bytes.len() {
                to.push(packed.varint()?);
            }
        }
        Value::Fixed64(_) | Value::Fixed32(_) => {
            return Err(Wrong { at: 0, message: "a list of numbers in another form".to_owned() });
        }
    }
    Ok(())
}

/// The messages of a file, each after its length.
pub(super) struct Stream<'a> {
    fields: Fields<'a>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { fields: Fields::new(bytes) }
    }

    fn message(&mut self) -> Result<(u64, &'a [u8]), Wrong> {
        let at = self.fields.at as u64;
        let length = self.fields.varint()?;
        let left = (self.fields.bytes.len() - self.fields.at) as u64;
        if length > LONGEST || length > left {
            let message = if length > LONGEST {
                format!("a message of {length} B; there are none above 64 MiB")
            } else {
                format!("a message of {length} B, and {left} are left")
            };
            return Err(Wrong { at, message });
        }
        let begin = self.fields.at as u64;
        Ok((begin, self.fields.part(length)?))
    }
}

impl<'a> Iterator for Stream<'a> {
    type Item = Result<(u64, &'a [u8]), Wrong>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.fields.at < self.fields.bytes.len()).then(|| {
            let message = self.message();
            if message.is_err() {
                self.fields.at = self.fields.bytes.len();
            }
            message
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_64_bits() {
        let varint = |bytes: &[u8]| Fields::new(bytes).varint().ok();
        assert_eq!(varint(&[0xac, 0x02]), Some(300));
        let mut most = [0xff; 10];
        most[9] = 1;
        assert_eq!(varint(&most), Some(u64::MAX));
        most[9] = 2;
        assert_eq!(varint(&most), None);
        assert_eq!(varint(&[0x80]), None);
    }

    #[test]
    fn lists_are_packed_or_not() {
        let mut list = Vec::new();
        numbers(Value::Varint(7), &mut list).unwrap();
        numbers(Value::Bytes(&[1, 0xac, 0x02]), &mut list).unwrap();
        assert_eq!(list, [7, 1, 300]);
    }

    #[test]
    fn a_length_beyond_the_file_is_no_allocation() {
        let error = |bytes: &[u8]| Stream::new(bytes).next().unwrap().unwrap_err().message;
        assert_eq!(error(&[5, 1]), "a message of 5 B, and 1 are left");
        let huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
        assert_eq!(error(&huge), "a message of 4294967295 B; there are none above 64 MiB");
    }
}
