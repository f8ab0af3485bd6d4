//! The fabric of a run: nodes, and ports with where they lead.

use super::ResultsError;
use crate::study::tables::TableFile;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// Nodes and ports, as the page has them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fabric {
    pub(crate) nodes: Vec<String>,
    pub(crate) kinds: Vec<&'static str>,
    tiers: Vec<Option<u64>>,
    planes: Vec<Option<u64>>,
    pub(crate) pods: Vec<Option<u64>>,
    pub(crate) ports: Vec<String>,
    pub(crate) owners: Vec<usize>,
    peers: Vec<usize>,
    pub(crate) peer_ports: Vec<usize>,
    pub(crate) rates: Vec<f64>,
}

impl Fabric {
    /// From the tables `nodes` and `ports` of a run.
    pub(crate) fn read(folder: &Path) -> Result<Self, ResultsError> {
        let nodes = needed(folder, "nodes")?;
        let ports = needed(folder, "ports")?;
        let names: Vec<String> = nodes.texts("name")?.into_iter().flatten().collect();
        let number: HashMap<&str, usize> =
            names.iter().enumerate().map(|(n, name)| (name.as_str(), n)).collect();
        let known = |column: &str| -> Result<Vec<usize>, ResultsError> {
            let of = |name: Option<String>| {
                let name = name.unwrap_or_default();
                number.get(name.as_str()).copied().ok_or_else(|| {
                    let path = folder.join("ports.parquet");
                    ResultsError::Damaged(path, format!("`{column}` names no node: `{name}`"))
                })
            };
            ports.texts(column)?.into_iter().map(of).collect()
        };
        let (owners, peers) = (known("node")?, known("peer")?);
        let kinds: Vec<Option<String>> = nodes.texts("kind")?;
        let tiers = whole(nodes.numbers("tier")?);
        let top = tiers.iter().flatten().max().copied().unwrap_or(0);
        let kinds = kinds.iter().zip(&tiers).map(|(kind, tier)| word(kind.as_deref(), *tier, top));
        Ok(Self {
            kinds: kinds.collect(),
            tiers: tiers.iter().map(|tier| Some(tier.map_or(0, |tier| tier + 1))).collect(),
            planes: whole(nodes.numbers("plane")?),
            pods: whole(nodes.numbers("pod")?),
            nodes: names.clone(),
            owners,
            peers,
            peer_ports: ports.numbers("peer_port")?.into_iter().map(|n| n as usize).collect(),
            rates: ports.numbers("rate_gbps")?,
            ports: ports.texts("name")?.into_iter().map(Option::unwrap_or_default).collect(),
        })
    }

    /// The nodes at which a port's link begins and ends.
    pub(crate) fn ends(&self, port: usize) -> (&str, &str) {
        let name = |node: usize| self.nodes.get(node).map_or("", |name| name);
        (name(self.owners[port]), name(self.peers[port]))
    }

    /// Rate of a host's links together, in Gbit/s.
    pub(crate) fn rate_of(&self, host: usize) -> f64 {
        let own = self.owners.iter().zip(&self.rates).filter(|(owner, _)| **owner == host);
        own.map(|(_, rate)| rate).sum::<f64>().max(1e-9)
    }

    /// What the page reads.
    pub(crate) fn head(&self) -> Value {
        json!({
            "nodes": {
                "name": self.nodes,
                "kind": self.kinds,
                "tier": self.tiers,
                "plane": self.planes,
                "pod": self.pods,
            },
            "ports": {
                "name": self.ports,
                "node": self.owners,
                "peer": self.peers,
                "rate_gbps": self.rates,
            },
        })
    }
}

/// A table that every run has.
pub(crate) fn needed(folder: &Path, name: &str) -> Result<TableFile, ResultsError> {
    if let Some(table) = TableFile::open(folder, name)? {
        return Ok(table);
    }
    if folder.join("flows.csv").exists() {
        return Err(ResultsError::Csv(folder.to_path_buf()));
    }
    let path = folder.join(format!("{name}.parquet"));
    Err(ResultsError::Damaged(path, "it is missing; run the scenario again".to_owned()))
}

/// What the columns of the map call a node: by its tier, from hosts up.
fn word(kind: Option<&str>, tier: Option<u64>, top: u64) -> &'static str {
    match (kind, tier) {
        (Some("host"), _) => "host",
        (_, None) => "switch",
        (_, Some(0)) => "tor",
        (_, Some(tier)) if tier == top => {
            if top == 1 {
                "spine"
            } else {
                "core"
            }
        }
        _ => "agg",
    }
}

fn whole(numbers: Vec<f64>) -> Vec<Option<u64>> {
    numbers.into_iter().map(|x| (!x.is_nan()).then_some(x as u64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixture;
    use crate::study::tables::Format;
    use std::fs;

    #[test]
    fn ports_of_another_fabric_are_told() {
        let of = |hosts: u32| {
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = {hosts} }}\n\
                 [traffic]\nkind = \"permutation\"\nmessage = \"4 KiB\"\n"
            );
            fixture::kept(&text, Format::Parquet).0
        };
        let (small, large) = (of(2), of(16));
        assert!(Fabric::read(small.path()).is_ok());
        fs::copy(large.path().join("ports.parquet"), small.path().join("ports.parquet")).unwrap();
        let told = Fabric::read(small.path()).unwrap_err().to_string();
        assert!(told.contains("ports.parquet: `node` names no node: `"), "{told}");
    }
}
