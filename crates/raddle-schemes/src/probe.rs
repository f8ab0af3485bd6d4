//! Probes: what a scheme shows of its state while it runs, a number with a name for each.
//!
//! A scheme is asked, and does not tell: whoever wants to see it calls its `probes` between two
//! events, and a run in which nobody does pays nothing. So a count is a field of the scheme like
//! any other, and what is shown depends on nothing but its state.

use crate::units::{Bytes, Rate, Span};
use alloc::vec::Vec;

crate::words! {
    /// What a number is measured in.
    #[derive(PartialOrd, Ord)]
    pub enum Unit {
        /// Nothing: a share, a factor, a flag.
        None = "",
        /// How often something has happened, or how many there are.
        Count = "count",
        /// Bytes.
        Bytes = "B",
        /// Rates.
        Gbps = "Gbit/s",
        /// Times.
        Us = "us",
    }
}

/// One number that a scheme shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Its word: a user asks for it by that.
    pub name: &'static str,
    /// What it is measured in.
    pub unit: Unit,
    /// The port that it is of, counted within the switch, if it is of one.
    pub port: Option<u32>,
    /// What it is now.
    pub value: f64,
}

/// Takes what a scheme shows.
pub trait Probes {
    /// Takes a number.
    fn take(&mut self, probe: Probe);

    /// A share, a factor.
    fn number(&mut self, name: &'static str, value: f64) {
        self.take(Probe { name, unit: Unit::None, port: None, value });
    }

    /// Whether something is so: 1 or 0.
    fn flag(&mut self, name: &'static str, value: bool) {
        self.number(name, f64::from(u8::from(value)));
    }

    /// How often, or how many.
    fn count(&mut self, name: &'static str, value: u64) {
        self.take(Probe { name, unit: Unit::Count, port: None, value: value as f64 });
    }

    /// Bytes, in whole ones.
    fn bytes(&mut self, name: &'static str, value: Bytes) {
        self.take(Probe { name, unit: Unit::Bytes, port: None, value: value.0 as f64 });
    }

    /// A rate.
    fn rate(&mut self, name: &'static str, value: Rate) {
        self.take(Probe { name, unit: Unit::Gbps, port: None, value: value.0 as f64 / 1e9 });
    }

    /// A time that something takes.
    fn span(&mut self, name: &'static str, value: Span) {
        self.take(Probe { name, unit: Unit::Us, port: None, value: value.as_us() });
    }
}

/// The names of all that is shown, each once, in order.
#[derive(Clone, Debug, Default)]
pub struct Names(pub Vec<&'static str>);

impl Probes for Names {
    fn take(&mut self, probe: Probe) {
        if !self.0.contains(&probe.name) {
            self.0.push(probe.name);
        }
    }
}

/// Takes for a port of the switch what is shown.
pub struct OfPort<'a> {
    /// The port, counted within the switch.
    pub port: u32,
    /// Who takes it.
    pub to: &'a mut dyn Probes,
}

impl Probes for OfPort<'_> {
    fn take(&mut self, probe: Probe) {
        self.to.take(Probe { port: Some(self.port), ..probe });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_has_a_unit_and_the_port_that_it_is_of() {
        struct All(Vec<Probe>);
        impl Probes for All {
            fn take(&mut self, probe: Probe) {
                self.0.push(probe);
            }
        }
        let mut all = All(Vec::new());
        all.rate("rate", Rate::gbps(400));
        all.span("rtt", Span::ns(8_500));
        OfPort { port: 3, to: &mut all }.bytes("threshold", Bytes(5));
        let words: Vec<_> = all.0.iter().map(|p| (p.value, p.unit.word(), p.port)).collect();
        assert_eq!(words, [(400.0, "Gbit/s", None), (8.5, "us", None), (5.0, "B", Some(3))]);
        let mut names = Names::default();
        (0..2).for_each(|_| names.flag("frozen", true));
        assert_eq!(names.0, ["frozen"]);
    }
}
