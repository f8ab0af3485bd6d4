//! A machine's state as a tree of words, each with the width that it has in the machine.

use serde::Serialize;
use serde::ser::{self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant};
use serde_json::{Map, Number, Value, json};
use std::fmt::Display;

/// A word, or words together.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// A flag.
    Flag(bool),
    /// A whole number, and how it is held: `u16`, `i64`.
    Whole(Number, &'static str),
    /// A number with decimals.
    Decimal(f64),
    /// A name.
    Text(String),
    /// What may be there and is not.
    Absent,
    /// What may be there and is.
    Present(Box<Word>),
    /// Words of one kind.
    List(Vec<Word>),
    /// Words with names.
    Record(Vec<(String, Word)>),
    /// One of several kinds of words, by its name.
    Case(&'static str, Box<Word>),
}

impl Word {
    /// What a scheme holds.
    ///
    /// # Panics
    /// If it has numbers of 128 bits, which no machine has.
    #[expect(clippy::expect_used, reason = "else a state would be nothing, and agree with itself")]
    pub fn of(state: &impl Serialize) -> Self {
        state.serialize(Reader).expect("words of at most 64 bits")
    }

    /// The same as JSON: records are objects, what is absent is null, and numbers that JSON does not
    /// have are the texts "inf", "-inf" and "nan".
    pub fn to_json(&self) -> Value {
        match self {
            Self::Flag(flag) => json!(flag),
            Self::Whole(number, _) => Value::Number(number.clone()),
            Self::Decimal(number) => decimal(*number),
            Self::Text(text) => json!(text),
            Self::Absent => Value::Null,
            Self::Present(word) => word.to_json(),
            Self::List(words) => words.iter().map(Self::to_json).collect(),
            Self::Record(words) => {
                let named = words.iter().map(|(name, word)| (name.clone(), word.to_json()));
                Value::Object(named.collect())
            }
            Self::Case(name, word) => {
                let mut own = Map::new();
                own.insert((*name).to_owned(), word.to_json());
                Value::Object(own)
            }
        }
    }
}

/// A number with decimals as JSON.
pub fn decimal(number: f64) -> Value {
    let text = || Value::String(format!("{number}").to_lowercase());
    Number::from_f64(number).map_or_else(text, Value::Number)
}

/// What this form cannot hold: numbers of 128 bits.
#[derive(Debug)]
pub struct Never(String);

impl Display for Never {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type Read = Result<Word, Never>;

/// Reads words.
struct Reader;

/// Words that are read one after the other.
struct Words {
    list: Vec<Word>,
    case: Option<&'static str>,
}

/// Words with names.
struct Named {
    words: Vec<(String, Word)>,
    case: Option<&'static str>,
}

/// Entries of a map: records of key and value.
struct Entries {
    entries: Vec<Word>,
    key: Option<Word>,
}

fn in_case(case: Option<&'static str>, word: Word) -> Word {
    match case {
        Some(name) => Word::Case(name, Box::new(word)),
        None => word,
    }
}

macro_rules! whole {
    ($($name:ident: $type:ident,)*) => {$(
        fn $name(self, value: $type) -> Read {
            Ok(Word::Whole(Number::from(value), stringify!($type)))
        }
    )*};
}

impl ser::Serializer for Reader {
    type Ok = Word;
    type Error = Never;
    type SerializeSeq = Words;
    type SerializeTuple = Words;
    type SerializeTupleStruct = Words;
    type SerializeTupleVariant = Words;
    type SerializeMap = Entries;
    type SerializeStruct = Named;
    type SerializeStructVariant = Named;

    whole! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
    }

    fn serialize_bool(self, value: bool) -> Read {
        Ok(Word::Flag(value))
    }
    fn serialize_f32(self, value: f32) -> Read {
        Ok(Word::Decimal(value.into()))
    }
    fn serialize_f64(self, value: f64) -> Read {
        Ok(Word::Decimal(value))
    }
    fn serialize_char(self, value: char) -> Read {
        Ok(Word::Text(value.to_string()))
    }
    fn serialize_str(self, value: &str) -> Read {
        Ok(Word::Text(value.to_owned()))
    }
    fn serialize_bytes(self, value: &[u8]) -> Read {
        let words = value.iter().map(|byte| Word::Whole(Number::from(*byte), "u8"));
        Ok(Word::List(words.collect()))
    }
    fn serialize_none(self) -> Read {
        Ok(Word::Absent)
    }
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Read {
        Ok(Word::Present(Box::new(value.serialize(self)?)))
    }
    fn serialize_unit(self) -> Read {
        Ok(Word::Record(Vec::new()))
    }
    fn serialize_unit_struct(self, _name: &'static str) -> Read {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Read {
        Ok(Word::Text(variant.to_owned()))
    }
    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Read {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Read {
        Ok(in_case(Some(variant), value.serialize(self)?))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Words, Never> {
        Ok(Words { list: Vec::new(), case: None })
    }
    fn serialize_tuple(self, length: usize) -> Result<Words, Never> {
        self.serialize_seq(Some(length))
    }
    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Words, Never> {
        self.serialize_seq(Some(length))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Words, Never> {
        Ok(Words { list: Vec::new(), case: Some(variant) })
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Entries, Never> {
        Ok(Entries { entries: Vec::new(), key: None })
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Named, Never> {
        Ok(Named { words: Vec::new(), case: None })
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Named, Never> {
        Ok(Named { words: Vec::new(), case: Some(variant) })
    }
}

impl SerializeSeq for Words {
    type Ok = Word;
    type Error = Never;
    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Never> {
        self.list.push(value.serialize(Reader)?);
        Ok(())
    }
    fn end(self) -> Read {
        Ok(in_case(self.case, Word::List(self.list)))
    }
}

impl ser::SerializeTuple for Words {
    type Ok = Word;
    type Error = Never;
    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Never> {
        SerializeSeq::serialize_element(self, value)
    }
    fn end(self) -> Read {
        SerializeSeq::end(self)
    }
}

impl ser::SerializeTupleStruct for Words {
    type Ok = Word;
    type Error = Never;
    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Never> {
        SerializeSeq::serialize_element(self, value)
    }
    fn end(self) -> Read {
        SerializeSeq::end(self)
    }
}

impl ser::SerializeTupleVariant for Words {
    type Ok = Word;
    type Error = Never;
    fn serialize_field<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Never> {
        SerializeSeq::serialize_element(self, value)
    }
    fn end(self) -> Read {
        SerializeSeq::end(self)
    }
}

impl SerializeStruct for Named {
    type Ok = Word;
    type Error = Never;
    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        self.words.push((name.to_owned(), value.serialize(Reader)?));
        Ok(())
    }
    fn end(self) -> Read {
        Ok(in_case(self.case, Word::Record(self.words)))
    }
}

impl SerializeStructVariant for Named {
    type Ok = Word;
    type Error = Never;
    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        SerializeStruct::serialize_field(self, name, value)
    }
    fn end(self) -> Read {
        SerializeStruct::end(self)
    }
}

impl SerializeMap for Entries {
    type Ok = Word;
    type Error = Never;
    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Never> {
        self.key = Some(key.serialize(Reader)?);
        Ok(())
    }
    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Never> {
        let key = self.key.take().unwrap_or(Word::Absent);
        let value = value.serialize(Reader)?;
        self.entries.push(Word::Record(vec![("key".to_owned(), key), ("value".to_owned(), value)]));
        Ok(())
    }
    fn end(self) -> Read {
        Ok(Word::List(self.entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Serialize)]
    struct Inner(u16);

    #[derive(Serialize)]
    enum Stage {
        Idle,
        Slow { left: u8 },
    }

    #[derive(Serialize)]
    struct Machine {
        entropy: Inner,
        window: f64,
        last: Option<u64>,
        stages: [Stage; 2],
        by: BTreeMap<(u32, u32), bool>,
    }

    #[test]
    fn a_state_keeps_widths_and_is_plain_json() {
        let by = BTreeMap::from([((1, 2), true)]);
        let stages = [Stage::Idle, Stage::Slow { left: 3 }];
        let machine = Machine { entropy: Inner(7), window: f64::INFINITY, last: None, stages, by };
        let word = Word::of(&machine);
        let Word::Record(fields) = &word else { panic!("{word:?}") };
        assert_eq!(fields[0], ("entropy".to_owned(), Word::Whole(Number::from(7), "u16")));
        assert_eq!(
            word.to_json(),
            json!({
                "entropy": 7, "window": "inf", "last": null,
                "stages": ["Idle", { "Slow": { "left": 3 } }],
                "by": [{ "key": [1, 2], "value": true }],
            })
        );
    }
}
