//! Nodes and metadata as they stand in a file.

use super::wire::{Fields, Value, Wrong, numbers};

/// What a file says of its form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) version: Option<String>,
    pub(super) schema: Option<String>,
}

/// A node, with the attributes that mean something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// The byte of the file where it stands.
    pub(super) at: u64,
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) kind: u64,
    pub(super) ctrl: Vec<u64>,
    pub(super) data: Vec<u64>,
    pub(super) duration_us: u64,
    /// The values of its inputs, of metadata.
    pub(super) inputs: Option<String>,
    pub(super) attributes: Attributes,
}

/// Attributes with a meaning. Any kind of integer will do for each of the numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) is_cpu_op: Option<u64>,
    pub(super) comm_type: Option<u64>,
    pub(super) comm_size: Option<u64>,
    pub(super) comm_src: Option<u64>,
    pub(super) comm_dst: Option<u64>,
    pub(super) comm_tag: Option<u64>,
    pub(super) pg_name: Option<String>,
    pub(super) stream: Option<u64>,
    pub(super) tid: Option<u64>,
}

/// A value of an attribute.
enum Content {
    Number(u64),
    Negative,
    Float,
    Text(String),
    Other,
}

/// Reads metadata of a file. Of an attribute `schema` the text.
pub(super) fn version(message: &[u8]) -> Result<Version, Wrong> {
    let mut version = Version::default();
    for field in Fields::new(message) {
        match field? {
            (1, Value::Bytes(text)) => version.version = Some(lossy(text)),
            (2, Value::Bytes(bytes)) => {
                let (name, content) = attribute(bytes)?;
                if let ("schema", Some(Content::Text(text))) = (&name[..], content) {
                    version.schema = Some(text);
                }
            }
            (other, _) => {
                let message = format!("metadata with field {other}; it is no Chakra trace");
                return Err(Wrong { at: 0, message });
            }
        }
    }
    Ok(version)
}

/// Reads a node.
pub(super) fn node(message: &[u8], at: u64) -> Result<Node, Wrong> {
    let mut node = Node { at, ..Node::default() };
    for field in Fields::new(message) {
        let field = field?;
        let wrong = |part: &[u8]| within(message, part);
        match field {
            (1, Value::Varint(id)) => node.id = id,
            (2, Value::Bytes(name)) => node.name = lossy(name),
            (3, Value::Varint(kind)) => node.kind = kind,
            (4, value) => numbers(value, &mut node.ctrl).map_err(wrong(value.bytes()))?,
            (5, value) => numbers(value, &mut node.data).map_err(wrong(value.bytes()))?,
            (7, Value::Varint(duration)) => node.duration_us = duration,
            (8, Value::Bytes(bytes)) => {
                for field in Fields::new(bytes) {
                    if let (1, Value::Bytes(values)) = field.map_err(wrong(bytes))? {
                        node.inputs = Some(lossy(values));
                    }
                }
            }
            (10, Value::Bytes(bytes)) => {
                let (name, content) = attribute(bytes).map_err(wrong(bytes))?;
                if let Some(content) = content {
                    node.attributes.set(&name, content).map_err(wrong(bytes))?;
                }
            }
            // Its start, its outputs, and what later versions add.
            _ => {}
        }
    }
    Ok(node)
}

/// A mistake of a part of a message, told by its place in the message. An empty part has none.
fn within(message: &[u8], part: &[u8]) -> impl Fn(Wrong) -> Wrong + use<> {
    let from = part.as_ptr().addr().checked_sub(message.as_ptr().addr());
    let from = from.filter(|from| *from < message.len()).unwrap_or(0);
    move |wrong| Wrong { at: wrong.at + from as u64, ..wrong }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn attribute(bytes: &[u8]) -> Result<(String, Option<Content>), Wrong> {
    let (mut name, mut content) = (String::new(), None);
    for field in Fields::new(bytes) {
        let signed = |number: i64| u64::try_from(number).map_or(Content::Negative, Content::Number);
        let zigzag = |raw: u64| signed((raw >> 1) as i64 ^ -((raw & 1) as i64));
        match field? {
            (1, Value::Bytes(text)) => name = lossy(text),
            (3 | 5, _) => content = Some(Content::Float),
            (7 | 9, Value::Varint(raw)) => content = Some(signed(raw as i64)),
            (11 | 13 | 27, Value::Varint(raw)) => content = Some(Content::Number(raw)),
            (15 | 17, Value::Varint(raw)) => content = Some(zigzag(raw)),
            (19, Value::Fixed32(raw)) => {
                content = Some(Content::Number(u32::from_le_bytes(raw).into()));
            }
            (21, Value::Fixed64(raw)) => content = Some(Content::Number(u64::from_le_bytes(raw))),
            (23, Value::Fixed32(raw)) => content = Some(signed(i32::from_le_bytes(raw).into())),
            (25, Value::Fixed64(raw)) => content = Some(signed(i64::from_le_bytes(raw))),
            (29, Value::Bytes(text)) => content = Some(Content::Text(lossy(text))),
            (1 | 2, _) => {}
            _ => content = Some(Content::Other),
        }
    }
    Ok((name, content))
}

impl Attributes {
    fn set(&mut self, name: &str, content: Content) -> Result<(), Wrong> {
        let place = match name {
            "is_cpu_op" => &mut self.is_cpu_op,
            "comm_type" => &mut self.comm_type,
            "comm_size" => &mut self.comm_size,
            "comm_src" => &mut self.comm_src,
            "comm_dst" => &mut self.comm_dst,
            "comm_tag" => &mut self.comm_tag,
            "stream" => &mut self.stream,
            "tid" => &mut self.tid,
            "pg_name" => {
                self.pg_name = match content {
                    Content::Text(text) => Some(text),
                    Content::Number(number) => Some(number.to_string()),
                    _ => return wrong(name, "neither a text nor a number"),
                };
                return Ok(());
            }
            _ => return Ok(()),
        };
        match content {
            Content::Number(number) => *place = Some(number),
            // A thread may have any name.
            _ if matches!(name, "stream" | "tid") => {}
            Content::Negative => return wrong(name, "a number below 0"),
            Content::Float => return wrong(name, "a floating-point number"),
            Content::Text(_) | Content::Other => return wrong(name, "no number"),
        }
        Ok(())
    }
}

fn wrong<T>(name: &str, found: &str) -> Result<T, Wrong> {
    let message = format!("attribute `{name}` is {found}; expected a whole number");
    Err(Wrong { at: 0, message })
}
