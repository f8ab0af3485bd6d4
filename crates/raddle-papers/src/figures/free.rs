//! Constants that a paper does not print, and what a claim's value is with others.

use super::reading::{text, words};
use raddle::scenario::reader::{Log, Reader};
use raddle::scenario::spec::Item;
use serde_json::{Value, json};

/// A constant that the paper does not print, and that moves a claim's value twofold or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    /// Which.
    pub constant: String,
    /// The least value of the claim over what it may be.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// What was run: the values of the constant, or the figure with the axis.
    pub tested: String,
}

/// An entry of a claim's `free`.
pub(super) fn read_free(item: &Item, log: &Log) -> Option<Free> {
    let mut reader = Reader::of("free", item, log)?;
    let constant = text(&mut reader, "constant");
    let low: Option<f64> = reader.need("low", "0.5");
    let high: Option<f64> = reader.need("high", "2.0");
    let tested = reader.demand("tested", "\"what was run\"");
    let tested = tested.and_then(|item| words("tested", item, log));
    reader.finish();
    let free = Free { constant: constant?, low: low?, high: high?, tested: tested? };
    if !free.is_twofold() {
        let problem = item.place.problem("this constant moves the claim less than twofold");
        log.add(
            problem.label("`free` is for `high` of at least twice `low`; `turns` for the rest"),
        );
        return None;
    }
    Some(free)
}

impl Free {
    /// Whether the greatest is at least twice the least, or they lie on both sides of 0.
    fn is_twofold(&self) -> bool {
        let (least, most) =
            (self.low.abs().min(self.high.abs()), self.low.abs().max(self.high.abs()));
        self.low < self.high
            && (self.low.min(0.0) * self.high.max(0.0) < 0.0 || most >= 2.0 * least)
    }

    /// Whether it has the value, to the digits that a claim is written with.
    pub fn has(&self, value: f64) -> bool {
        let room = 0.01 * value.abs();
        (self.low - room..=self.high + room).contains(&value)
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "constant": self.constant, "low": self.low, "high": self.high, "tested": self.tested,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::figures::Claims;

    fn of(free: &str) -> Result<Claims, String> {
        let text = format!(
            "title = \"t\"\n[[claim]]\nid = \"a\"\ntext = \"b\"\nsource = \"c\"\npublished = 1\n\
             low = 0.5\nhigh = 1.5\nfree = [{{ {free} }}]\n\
             measure = {{ kind = \"value\", metric = \"dropped\", cell = {{ \"condition\" = \"x\" }} }}\n"
        );
        Claims::parse("c", &text).map_err(|problems| problems.render(false))
    }

    #[test]
    fn a_free_constant_has_two_ends_a_factor_of_two_apart() {
        let with = |ends: &str| of(&format!("constant = \"alpha\", {ends}, tested = \"both\""));
        let free = with("low = 0.4, high = 0.8").unwrap().claims[0].free.clone();
        assert!(free[0].has(0.4) && free[0].has(0.6) && !free[0].has(0.9));
        assert!(with("low = -0.1, high = 0.1").is_ok() && with("low = 0, high = 3").is_ok());
        assert!(with("low = 0.5, high = 0.9").unwrap_err().contains("less than twofold"));
        assert!(with("low = 0.9, high = 0.1").unwrap_err().contains("less than twofold"));
        assert!(with("low = 0.5").unwrap_err().contains("`high`"));
        let untested = of("constant = \"alpha\", low = 1, high = 2").unwrap_err();
        assert!(untested.contains("`tested`"), "{untested}");
    }
}
