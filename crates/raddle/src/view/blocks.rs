//! Numbers for the page: typed arrays one behind the other, each with a name.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Blocks, and where each begins.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    bytes: Vec<u8>,
    places: Map<String, Value>,
}

/// A type of the page's arrays.
pub(super) trait Element: Copy {
    /// Its word there.
    const WORD: &'static str;
    /// Little-endian, as all browsers have it.
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! elements {
    ($($type:ty: $word:literal;)*) => {
        $(impl Element for $type {
            const WORD: &'static str = $word;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

elements! {
    u8: "u1";
    u16: "u2";
    u32: "u4";
    f32: "f4";
    f64: "f8";
}

impl Blocks {
    /// Adds a block; the page asks for it by `name`.
    pub(super) fn put<T: Element>(&mut self, name: String, values: impl IntoIterator<Item = T>) {
        // Arrays of eight bytes begin at multiples of eight.
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let from = self.bytes.len();
        values.into_iter().for_each(|value| value.put(&mut self.bytes));
        let _ = self.places.insert(name, json!([from, self.bytes.len() - from, T::WORD]));
    }

    /// Where each block is: offset and length in bytes, and its type.
    pub(super) fn places(&self) -> Value {
        Value::Object(self.places.clone())
    }

    /// All of them, as they are.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The same behind their places: the length of these as JSON in four bytes, then the JSON, so long that
    /// the first block begins at a multiple of eight.
    pub(super) fn with_places(self) -> Vec<u8> {
        let mut json = self.places().to_string();
        while !(json.len() + 4).is_multiple_of(8) {
            json.push(' ');
        }
        let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
        [&length.to_le_bytes(), json.as_bytes(), &self.bytes].concat()
    }

    /// All of them, deflated, as text.
    pub(super) fn text(&self) -> String {
        let mut deflated = ZlibEncoder::new(Vec::new(), Compression::best());
        // A vector takes whatever it is given.
        let _ = deflated.write_all(&self.bytes);
        STANDARD.encode(deflated.finish().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::ZlibDecoder;
    use std::io::Read;

    #[test]
    fn blocks_come_back_where_they_are_said_to_be() {
        let mut blocks = Blocks::default();
        blocks.put("a".into(), [1_u8, 2, 3]);
        blocks.put("b".into(), [0.5_f64, f64::NAN]);
        assert_eq!(blocks.places(), json!({"a": [0, 3, "u1"], "b": [8, 16, "f8"]}));
        let packed = STANDARD.decode(blocks.text()).unwrap();
        let mut bytes = Vec::new();
        ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes[..3], [1, 2, 3]);
        assert_eq!(bytes[8..16], 0.5_f64.to_le_bytes());
    }
}
