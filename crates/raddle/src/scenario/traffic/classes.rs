//! `class`: the data class of a job's flows, or those of which each flow draws one.

use raddle_schemes::family::{Parameter, ParameterError, Raw};
use raddle_schemes::rng::Rng;
use raddle_sim::workload::Traffic;

/// One class, or several of which each flow draws one, each entry as likely as any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Classes(Vec<u8>);

impl Classes {
    /// That of flows that name none.
    pub(super) const DEFAULT: u8 = 0;

    /// The class of a flow that draws none.
    pub(super) fn first(&self) -> u8 {
        self.0[0]
    }

    /// All of them, as typed.
    pub(super) fn listed(&self) -> &[u8] {
        &self.0
    }

    /// Whether flows draw theirs.
    pub(super) fn draws(&self) -> bool {
        self.0.len() > 1
    }

    /// Whether they are what they are where none is typed.
    pub(super) fn is_default(&self) -> bool {
        self.0 == [Self::DEFAULT]
    }

    /// Gives the flows of a job their classes: from stream "flow classes", in the order of the flows.
    pub(super) fn give(&self, traffic: &mut Traffic, seed: u64) {
        let mut rng = Rng::new(seed, "flow classes", 0);
        for flow in &mut traffic.flows {
            flow.class = match self.draws() {
                true => self.0[rng.below(self.0.len() as u64) as usize],
                false => self.first(),
            };
        }
    }
}

impl Default for Classes {
    fn default() -> Self {
        Self(vec![Self::DEFAULT])
    }
}

impl Parameter for Classes {
    const KIND: &'static str = "whole number";

    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        match raw {
            Raw::List([]) => Err(ParameterError::Value("expected at least one class".into())),
            Raw::List(listed) => {
                listed.iter().map(|&class| u8::read(class)).collect::<Result<_, _>>().map(Self)
            }
            class => u8::read(class).map(|class| Self(vec![class])),
        }
    }

    fn show(&self) -> String {
        match self.draws() {
            false => self.first().show(),
            true => {
                let listed: Vec<String> = self.0.iter().map(Parameter::show).collect();
                format!("[{}]", listed.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::units::Bytes;
    use raddle_sim::workload::Flow;

    #[test]
    fn each_flow_draws_one_of_the_classes_as_often_as_they_are_listed() {
        let classes = Classes::read(Raw::List(&[3, 4, 4].map(Raw::Integer))).unwrap();
        assert_eq!(classes.show(), "[3, 4, 4]");
        let of = |seed| {
            let flows = vec![Flow::at_zero(0, 1, Bytes(1)); 3_000];
            let mut traffic = Traffic::from(flows);
            classes.give(&mut traffic, seed);
            traffic.flows.iter().map(|flow| flow.class).collect::<Vec<_>>()
        };
        let count = |class| of(1).iter().filter(|own| **own == class).count();
        assert!((900..1_100).contains(&count(3)) && count(3) + count(4) == 3_000);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn one_class_draws_nothing() {
        for raw in [Raw::Integer(2), Raw::List(&[Raw::Integer(2)])] {
            let one = Classes::read(raw).unwrap();
            assert_eq!((one.draws(), one.first(), one.show().as_str()), (false, 2, "2"));
        }
        assert!(Classes::read(Raw::List(&[])).is_err());
        assert!(Classes::read(Raw::Integer(256)).is_err());
    }
}
