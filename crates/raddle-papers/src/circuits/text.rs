//! Demands and designs as parameters.

use raddle_schemes::family::{Parameter, ParameterError, Raw};
use raddle_throughput::demand::{self, Demand};
use raddle_throughput::designs;

/// A demand by its name, with its number behind it if it has one, or by its rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DemandText(pub(crate) String);

/// A design with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DesignText(pub(crate) String);

impl DemandText {
    /// The demand; `argument` is the number behind the name where the name has none.
    pub(crate) fn demand(
        &self,
        argument: Option<f64>,
        nodes: u32,
        seed: u64,
    ) -> Result<Demand, String> {
        let text = match argument {
            Some(number) => format!("{}:{number}", self.0),
            None => self.0.clone(),
        };
        demand::named(&text, nodes as usize, seed).map_err(|why| format!("{text}: {why}"))
    }
}

impl Parameter for DemandText {
    const KIND: &'static str = "demand";
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        let Raw::Text(text) = raw else {
            return Err(ParameterError::Value("expected a demand's name".to_owned()));
        };
        let name = text.split(':').next().unwrap_or(text);
        if text.contains(';') || demand::names().contains(&name) {
            return Ok(Self(text.to_owned()));
        }
        Err(ParameterError::Word(demand::names()))
    }
    fn show(&self) -> String {
        format!("\"{}\"", self.0)
    }
}

impl Parameter for DesignText {
    const KIND: &'static str = "design";
    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        let Raw::Text(text) = raw else {
            return Err(ParameterError::Value("expected a design".to_owned()));
        };
        designs::parse(text).map_err(|why| ParameterError::Value(why.to_string()))?;
        Ok(Self(text.to_owned()))
    }
    fn show(&self) -> String {
        format!("\"{}\"", self.0)
    }
}
