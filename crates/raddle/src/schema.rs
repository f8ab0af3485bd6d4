//! A JSON Schema (draft 2020-12) of scenario files, so that editors complete and check them: what
//! sections declare of their keys, and schemes of their parameters.
//!
//! It says what a value has to look like, and which keys there are. What goes together, and with
//! which fabric, a reader says.

use crate::catalogue::{FAMILIES, Family};
use crate::scenario::key::{Absent, Key, Kind, Range, Section};
use crate::scenario::{document, try_parameter};
use raddle_schemes::family::{ParameterError, ParameterInfo, Raw};
use serde_json::{Map, Value, json};

/// Texts that some parameters take beside values of their kind.
const WORDS: [&str; 2] = ["auto", "never"];

/// What some paces end with: the highest that all flows can keep.
const RHO_MAX: &str = "rho_max";

/// The schema.
pub fn schema() -> Value {
    let mut definitions = quantities();
    let document = section(document(), &mut definitions);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of Raddle",
        "$ref": document["$ref"],
        "$defs": definitions,
    })
}

/// Texts with units.
fn quantities() -> Map<String, Value> {
    let number = r"^\s*[0-9][0-9_]*(\.[0-9_]*)?\s*";
    let bytes = "(B|kB|KB|MB|GB|KiB|MiB|GiB)";
    let sizes = "(B|kB|KB|MB|GB|KiB|MiB|GiB|packets?|bdp|%)";
    let text = |pattern: String| json!({ "type": "string", "pattern": pattern });
    let quantities = [
        ("time", text(format!(r"{number}(ps|ns|us|ms|s)\s*$"))),
        ("rate", text(format!(r"{number}(bps|kbps|Mbps|Gbps|Tbps)\s*$"))),
        ("bytes", text(format!(r"{number}{bytes}\s*$"))),
        ("size", text(format!(r"({number}{sizes}|^\s*unlimited)\s*$"))),
        ("share", text(format!(r"{number}%\s*$"))),
        ("window", text(r"\.\.".to_owned())),
        ("path", json!({ "type": "string" })),
    ];
    quantities.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// A definition that is made once, and a reference to it.
fn defined(
    name: &str,
    definitions: &mut Map<String, Value>,
    make: impl FnOnce(&mut Map<String, Value>) -> Value,
) -> Value {
    if !definitions.contains_key(name) {
        // Its place is before what it refers to, as in the document.
        definitions.insert(name.to_owned(), Value::Null);
        let made = make(definitions);
        definitions.insert(name.to_owned(), made);
    }
    reference(name)
}

fn section(section: &Section, definitions: &mut Map<String, Value>) -> Value {
    if let Some((family, absent)) = section.family {
        return schemes(section.name, family, Some((section, absent)), definitions);
    }
    let name = match (section.kind, section.common) {
        (Some(kind), Some(common)) => format!("{}.{kind}", common.name),
        _ => section.name.to_owned(),
    };
    defined(&name, definitions, |definitions| {
        let mut table = Properties::default();
        if let Some(kind) = section.kind {
            table.add("kind", json!({ "const": kind }), true);
        }
        table.keys(section.keys.iter(), definitions);
        table.keys(section.common.iter().flat_map(|common| common.keys), definitions);
        table.finish(section.summary)
    })
}

/// The properties of a table.
#[derive(Default)]
struct Properties {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Properties {
    fn add(&mut self, name: &str, schema: Value, required: bool) {
        if required {
            self.required.push(name.to_owned());
        }
        self.properties.insert(name.to_owned(), schema);
    }

    fn keys<'a>(
        &mut self,
        keys: impl Iterator<Item = &'a Key>,
        definitions: &mut Map<String, Value>,
    ) {
        for key in keys {
            let schema = property(key, definitions);
            self.add(key.word, schema, matches!(key.absent, Absent::Required(_)));
        }
    }

    fn finish(self, summary: &str) -> Value {
        let Self { properties, required } = self;
        json!({
            "type": "object",
            "description": summary,
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

fn property(key: &Key, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = kind(&key.kind, &key.range, definitions);
    schema["description"] = json!(key.meaning);
    match key.absent {
        Absent::Required(example) => {
            if let Some(example) = value(example) {
                schema["examples"] = json!([example]);
            }
        }
        Absent::Value(text) | Absent::Filled(text) => {
            schema["default"] = value(text).unwrap_or_default();
        }
        Absent::Sometimes(_, words) | Absent::Words(words) => schema["x-default"] = json!(words),
    }
    schema
}

/// A value of TOML in JSON; an example of which a part is left out is none.
fn value(text: &str) -> Option<Value> {
    let table: toml::Table = format!("value = {text}").parse().ok()?;
    serde_json::to_value(table.get("value")?).ok()
}

fn kind(kind: &Kind, range: &Range, definitions: &mut Map<String, Value>) -> Value {
    let mut of = |kind: &Kind| self::kind(kind, &Range::default(), definitions);
    match kind {
        Kind::Time => reference("time"),
        Kind::Rate => reference("rate"),
        Kind::Bytes => reference("bytes"),
        Kind::Size => reference("size"),
        Kind::Share => reference("share"),
        Kind::Window => reference("window"),
        Kind::Path => reference("path"),
        Kind::Whole => within(json!({ "type": "integer", "minimum": 0 }), range),
        Kind::Number => within(json!({ "type": "number" }), range),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Exactly(word) => json!({ "const": word }),
        Kind::Scheme(family) => schemes(family, family, None, definitions),
        Kind::Table(table) => section(table, definitions),
        Kind::OneOf(sections) => {
            let sections = sections();
            let common = sections.iter().find_map(|section| section.common);
            let (name, summary) = common.map_or(("", ""), |common| (common.name, common.summary));
            defined(name, definitions, |definitions| {
                let kinds = sections.iter().map(|own| section(own, definitions));
                json!({ "description": summary, "oneOf": kinds.collect::<Vec<_>>() })
            })
        }
        Kind::Paths => json!({ "type": "object" }),
        Kind::List(kind) => json!({ "type": "array", "items": of(kind) }),
        Kind::Either(kinds) => {
            json!({ "anyOf": kinds.iter().map(of).collect::<Vec<_>>() })
        }
    }
}

fn within(mut schema: Value, range: &Range) -> Value {
    let ends =
        [("minimum", range.least), ("exclusiveMinimum", range.above), ("maximum", range.most)];
    for (word, end) in ends {
        if let Some(end) = end.and_then(value) {
            schema[word] = end;
        }
    }
    schema
}

/// The schemes of a family, alone or beside the keys of a section.
fn schemes(
    name: &str,
    path: &str,
    beside: Option<(&Section, Absent)>,
    definitions: &mut Map<String, Value>,
) -> Value {
    defined(name, definitions, |definitions| {
        let family = FAMILIES.iter().find(|own| own.key == path);
        let mut kinds = Vec::new();
        for scheme in family.map(Family::schemes).unwrap_or_default() {
            let own = format!("{name}.{}", scheme.card.name);
            kinds.push(defined(&own, definitions, |definitions| {
                let mut table = Properties::default();
                let implied = beside.and_then(|(_, absent)| absent.value()).and_then(value);
                let word = json!({ "const": scheme.card.name });
                table.add("scheme", word, implied != Some(json!(scheme.card.name)));
                if let Some((section, _)) = beside {
                    table.keys(section.keys.iter(), definitions);
                }
                for parameter in &scheme.parameters {
                    let schema = of_parameter(path, scheme.card.name, parameter);
                    table.add(parameter.name, schema, false);
                }
                let title = scheme.card.title.trim_end_matches('.');
                table.finish(&format!("{title}. {}", scheme.card.summary))
            }));
        }
        let summary = family.map(|family| format!("{}: `{}`", family.title, family.key));
        json!({ "description": summary, "oneOf": kinds })
    })
}

/// What a scheme's parameter takes: its kind, and what it is seen to take beside that.
fn of_parameter(family: &str, scheme: &str, parameter: &ParameterInfo) -> Value {
    let set = |raw: Raw<'_>| try_parameter(family, scheme, parameter.name, raw);
    let (own, examples): (Value, &[Raw<'_>]) = match (parameter.kind, set(Raw::List(&[]))) {
        (_, Err(ParameterError::Word(words))) => (json!({ "enum": words }), &[]),
        ("time", _) => (reference("time"), &[Raw::Text("1 ms"), Raw::Text("1 us")]),
        ("rate", _) => (reference("rate"), &[Raw::Text("1 Gbps")]),
        ("size", _) => (reference("size"), &[Raw::Text("1 kB"), Raw::Text("1 MiB")]),
        ("whole number" | "power of two", _) => {
            (json!({ "type": "integer", "minimum": 0 }), &[Raw::Integer(1), Raw::Integer(1024)])
        }
        ("number", _) => (json!({ "type": "number" }), &[Raw::Float(1.0), Raw::Float(0.5)]),
        ("true or false", _) => (json!({ "type": "boolean" }), &[Raw::Flag(true)]),
        _ => (json!({}), &[]),
    };
    let mut any = vec![own.clone()];
    let words = own.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    let more = WORDS.iter().filter(|word| !words.contains(&json!(word)));
    any.extend(
        more.filter(|word| set(Raw::Text(word)).is_ok()).map(|word| json!({ "const": word })),
    );
    if set(Raw::Text(RHO_MAX)).is_ok() && own != json!({}) {
        any.push(json!({ "type": "string", "pattern": format!("{RHO_MAX}$") }));
    }
    if examples.iter().any(|example| set(Raw::List(&[*example])).is_ok()) {
        any.push(json!({ "type": "array", "items": own }));
    }
    let mut schema = if any.len() == 1 { any.remove(0) } else { json!({ "anyOf": any }) };
    schema["description"] = json!(parameter.doc.trim_end_matches('.'));
    schema["default"] = value(&parameter.default).unwrap_or_default();
    schema
}
