//! Demand from a name: a pattern's, or a measured one's.

use super::pattern::{self, PATTERNS};
use super::read::{ReadError, rows};
use super::{Demand, DemandError, measured};

/// The names of all patterns and measured demands.
pub fn names() -> Vec<&'static str> {
    let patterns = PATTERNS.iter().map(|pattern| pattern.name);
    patterns.chain(measured::MEASURED.iter().map(|measured| measured.name)).collect()
}

/// The demand of a pattern, `uniform` or `skew:0.5`, or a measured one or rows, `0 1; 2 0`, which
/// have their own number of nodes.
///
/// # Errors
/// [`ReadError`] if there is no such pattern, or its argument is wrong.
pub fn named(text: &str, nodes: usize, seed: u64) -> Result<Demand, ReadError> {
    if text.contains(';') {
        return rows(text);
    }
    let (name, argument) = text.split_once(':').map_or((text, None), |(n, a)| (n, Some(a)));
    if let (Some(measured), None) = (measured::find(text), argument) {
        return Ok(measured.demand());
    }
    let pattern = pattern::find(name).ok_or_else(|| ReadError::Unknown(names()))?;
    if !(2..=raddle_circuits::matching::NODES_MAX).contains(&nodes) {
        return Err(DemandError::Nodes(nodes).into());
    }
    let number = match (pattern.argument, argument) {
        (false, None) => 0.0,
        (true, Some(text)) => {
            let number = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
            number.ok_or(ReadError::Argument(pattern.name))?
        }
        (true, None) => return Err(ReadError::Argument(pattern.name)),
        (false, Some(_)) => return Err(ReadError::Unknown(names())),
    };
    Ok(pattern.demand(nodes, number, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_an_argument_where_they_have_one() {
        assert_eq!(named("skew:0.5", 8, 1).unwrap().nodes(), 8);
        assert_eq!(named("0 1; 2 0", 8, 1).unwrap().rate(1, 0), 2.0);
        for (text, message) in [
            ("skew", "expected a number from 0 to 1, as in `skew:0.5`"),
            ("skew:2", "expected a number from 0 to 1, as in `skew:0.5`"),
            ("skewed:0.5", "no file and no pattern"),
            ("0 1; x 0", "line 2, entry 1: `x` is no number"),
            ("0 1; 1 0 1", "row 1 has 3 entries"),
        ] {
            let found = named(text, 8, 1).unwrap_err().to_string();
            assert!(found.starts_with(message), "{found}");
        }
        assert!(named("ring", 1, 1).is_err());
    }
}
