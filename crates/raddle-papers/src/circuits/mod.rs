//! Models of figures about circuit-switched fabrics: parameters in, numbers of the throughput
//! laboratory out.
//!
//! They answer as the models of `raddle_sim::theory` do, so that claims and curves measure both alike
//! (docs/design/0015). A number that the parameters leave undefined is not finite.

mod floor_bound;
mod gain;
mod mars;
mod optimum;
mod predictions;
mod slice_hops;
mod text;
mod throughput;
mod trade_off;
mod worst_case;

use raddle_schemes::family::{ParameterError, Parameters, Raw};
use raddle_sim::theory::{Listed, Model};

/// What a model's own file gives; the rest of [`Model`] follows from its parameters.
trait Answers: Parameters {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    fn values(&self, seed: u64) -> Vec<f64>;
}

macro_rules! models {
    ($($module:ident: $model:ident,)*) => {
        $(
            impl Model for $module::$model {
                fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError> {
                    Parameters::set(self, name, raw)
                }
                fn parameters(&self) -> Vec<(&'static str, String)> {
                    Parameters::values(self)
                }
                fn check(&self) -> Result<(), String> {
                    Answers::check(self)
                }
                fn values(&self, seed: u64) -> Vec<f64> {
                    Answers::values(self, seed)
                }
            }
        )*

        /// Every model of circuits.
        pub(crate) const MODELS: &[Listed] = &[$(Listed {
            card: &$module::CARD,
            parameters: <$module::$model as Parameters>::list,
            default: || Box::new($module::$model::default()),
        }),*];
    };
}

models! {
    throughput: Throughput,
    mars: Mars,
    worst_case: WorstCase,
    trade_off: TradeOff,
    predictions: Predictions,
    floor_bound: FloorBound,
    gain: Gain,
    optimum: Optimum,
    slice_hops: SliceHops,
}

/// A number, or one that is not finite where there is none.
fn or_none(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_model_answers_what_its_card_lists_and_documents_everything() {
        let mut names: BTreeSet<&str> =
            raddle_sim::theory::MODELS.iter().map(|m| m.card.name).collect();
        for listed in MODELS {
            let name = listed.card.name;
            assert!(names.insert(name), "{name} twice");
            let model = (listed.default)();
            assert_eq!(model.check(), Ok(()), "{name}");
            let values = model.values(1);
            assert_eq!(values.len(), listed.card.quantities.len(), "{name}");
            assert!(values.iter().any(|value| value.is_finite()), "{name}: {values:?}");
            assert!((listed.parameters)().iter().all(|p| !p.doc.is_empty()), "{name}");
        }
    }
}
