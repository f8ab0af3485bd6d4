//! Groups of ranks: from a side file, and from metadata nodes.

use super::node::Node;
use raddle_sim::workload::job_graph::Group;
use serde_json::Value;
use std::collections::BTreeMap;

/// The groups of a trace, by their names.
#[derive(Debug, Default)]
pub(super) struct Groups {
    known: BTreeMap<String, Vec<u32>>,
    /// Those that are used, in order of first use.
    used: Vec<Group>,
    numbers: BTreeMap<String, u32>,
}

impl Groups {
    /// Those of a side file: `{"1": [0, 4]}`.
    pub(super) fn of_file(text: Option<&str>) -> Result<Self, String> {
        let Some(text) = text else { return Ok(Self::default()) };
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Value::Object(groups) = value else { return Err("no JSON object".to_owned()) };
        let mut own = Self::default();
        for (name, ranks) in groups {
            if name.parse::<u64>().is_ok_and(|number| number > 0) {
                let ranks = ranks_of(&ranks)
                    .ok_or_else(|| format!("group `{name}` is no list of ranks"))?;
                own.known.insert(name, ranks);
            } else {
                return Err(format!("group `{name}`; names are whole numbers above 0"));
            }
        }
        Ok(own)
    }

    /// Adds what metadata of a rank defines, unless the side file has it.
    pub(super) fn learn(&mut self, nodes: &[Node]) {
        for node in nodes.iter().filter(|node| node.kind == 1) {
            let Some(list) = node.inputs.as_deref().and_then(listed) else { continue };
            for group in list {
                let Some(Value::String(name)) = group.get("pg_name") else { continue };
                let Some(ranks) = group.get("ranks").and_then(ranks_of) else { continue };
                self.known.entry(name.clone()).or_insert(ranks);
            }
        }
    }

    /// The number of the group of this name, among `all` ranks.
    pub(super) fn number(&mut self, name: Option<&str>, all: u32) -> Option<u32> {
        let name = name.filter(|name| !name.is_empty()).unwrap_or("0");
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let everyone = || (0..all).collect();
        let ranks = match self.known.get(name) {
            Some(ranks) if ranks.is_empty() => everyone(),
            Some(ranks) => ranks.clone(),
            None if name == "0" => everyone(),
            None => return None,
        };
        let number = self.used.len() as u32;
        self.used.push(Group { name: name.to_owned(), ranks });
        self.numbers.insert(name.to_owned(), number);
        Some(number)
    }

    /// How many ranks a group that is used has.
    pub(super) fn ranks(&self, number: u32) -> u64 {
        self.used[number as usize].ranks.len() as u64
    }

    /// The names there are.
    pub(super) fn names(&self) -> Vec<&str> {
        self.known.keys().map(String::as_str).collect()
    }

    pub(super) fn finish(self) -> Vec<Group> {
        self.used
    }
}

/// Ranks as numbers.
fn ranks_of(value: &Value) -> Option<Vec<u32>> {
    let number = |rank: &Value| rank.as_u64().and_then(|rank| u32::try_from(rank).ok());
    value.as_array()?.iter().map(number).collect()
}

/// The list of groups among the inputs of a node: JSON, perhaps as a text within a list of Python.
fn listed(inputs: &str) -> Option<Vec<Value>> {
    let (from, to) = (inputs.find("[{")?, inputs.rfind("}]")? + 2);
    let list = inputs.get(from..to)?;
    let read = |text: &str| serde_json::from_str(text).ok();
    read(list).or_else(|| read(&list.replace("\\\"", "\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_from_a_side_file_or_from_metadata() {
        let mut groups = Groups::of_file(Some("{\"1\": [0, 4], \"2\": []}")).unwrap();
        let inputs = r#"["[{\"pg_name\": \"7\", \"ranks\": [1, 2]}, {\"pg_name\": \"1\", \"ranks\": [3]}]"]"#;
        let node = Node { kind: 1, inputs: Some(inputs.to_owned()), ..Node::default() };
        groups.learn(&[node]);
        let names = [Some("1"), Some("7"), Some("2"), None, Some(""), Some("0"), Some("9")];
        let numbers = names.map(|name| groups.number(name, 3));
        assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(3), Some(3), Some(3), None]);
        let ranks: Vec<Vec<u32>> = groups.finish().into_iter().map(|group| group.ranks).collect();
        assert_eq!(ranks, [vec![0, 4], vec![1, 2], vec![0, 1, 2], vec![0, 1, 2]]);
    }

    #[test]
    fn a_side_file_has_numbers_and_lists() {
        for wrong in ["[]", "{\"0\": [1]}", "{\"a\": [1]}", "{\"1\": 1}", "{\"1\": [-1]}", "{"] {
            assert!(Groups::of_file(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
