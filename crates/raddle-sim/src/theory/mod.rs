//! Models that published figures rest on and that need no simulation.
//!
//! A model is a struct of parameters; [`MODELS`] lists all of them. The same parameters, seed and
//! version give the same numbers on every platform.

pub mod batched_balls;
pub mod cache_state;
pub mod collisions;
pub mod load_imbalance;
pub mod memory_adversary;
pub mod memory_optimum;
mod memory_policies;
pub mod memory_sharing;
pub mod packet_size;
pub mod periodic_queue;
pub mod power_law;
pub mod recycled_balls;
pub mod recycled_colours;
pub mod rotation;
pub mod shared_thresholds;
pub mod sonic_pools;
pub mod spray_queue;
pub mod themis_memory;

use raddle_schemes::family::{ParameterError, ParameterInfo, Parameters, Raw};

/// A number that a model gives; its name ends with the unit, where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its word.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
}

/// What a model says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// The model's word: command line and claims.
    pub name: &'static str,
    /// What it is a model of, in a line.
    pub title: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// The numbers it gives, in the order of [`Model::values`].
    pub quantities: &'static [Quantity],
}

/// A model with its parameters set.
pub trait Model {
    /// Sets one parameter.
    ///
    /// # Errors
    /// [`ParameterError`]; the parameters are unchanged then.
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError>;
    /// The parameters, as a scenario would hold them.
    fn parameters(&self) -> Vec<(&'static str, String)>;
    /// Whether the parameters fit together.
    ///
    /// # Errors
    /// Why not, and what would.
    fn check(&self) -> Result<(), String>;
    /// The value of each of the card's quantities; those that are drawn depend on `seed`. The
    /// parameters must have passed [`Model::check`].
    fn values(&self, seed: u64) -> Vec<f64>;
}

/// What a model's own file gives; the rest of [`Model`] follows from its parameters.
trait Answers: Parameters {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    /// About how many random numbers the values take; 0 for formulas.
    fn draws(&self) -> f64 {
        0.0
    }
    fn values(&self, seed: u64) -> Vec<f64>;
}

/// The most random numbers that a model draws: half a minute of them.
const MOST_DRAWS: f64 = 2e9;

impl<T: Answers> Model for T {
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError> {
        Parameters::set(self, name, raw)
    }
    fn parameters(&self) -> Vec<(&'static str, String)> {
        Parameters::values(self)
    }
    fn check(&self) -> Result<(), String> {
        Answers::check(self)?;
        let draws = self.draws();
        if draws > MOST_DRAWS {
            let most = format!("expected at most {MOST_DRAWS:e}");
            return Err(format!("this takes about {draws:.0e} random draws; {most}"));
        }
        Ok(())
    }
    fn values(&self, seed: u64) -> Vec<f64> {
        Answers::values(self, seed)
    }
}

/// A model of the list.
#[derive(Clone, Copy)]
pub struct Listed {
    /// What it says of itself.
    pub card: &'static Card,
    /// Its parameters with their defaults.
    pub parameters: fn() -> Vec<ParameterInfo>,
    /// The model with its defaults.
    pub default: fn() -> Box<dyn Model>,
}

impl std::fmt::Debug for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Listed").field(&self.card.name).finish()
    }
}

macro_rules! models {
    ($($module:ident: $model:ident,)*) => {
        /// Every model there is.
        pub const MODELS: &[Listed] = &[$(Listed {
            card: &$module::CARD,
            parameters: <$module::$model as Parameters>::list,
            default: || Box::new($module::$model::default()),
        }),*];
    };
}

models! {
    load_imbalance: LoadImbalance,
    batched_balls: BatchedBalls,
    recycled_balls: RecycledBalls,
    recycled_colours: RecycledColours,
    cache_state: CacheState,
    collisions: Collisions,
    spray_queue: SprayQueue,
    periodic_queue: PeriodicQueue,
    rotation: Rotation,
    packet_size: PacketSize,
    memory_sharing: MemorySharing,
    memory_optimum: MemoryOptimum,
    memory_adversary: MemoryAdversary,
    shared_thresholds: SharedThresholds,
    sonic_pools: SonicPools,
    power_law: PowerLaw,
    themis_memory: ThemisMemory,
}

/// The model of this name.
pub fn find(name: &str) -> Option<&'static Listed> {
    MODELS.iter().find(|model| model.card.name == name)
}

/// Layers of switch queues in a fat tree of three tiers, each of as many queues as there are hosts.
const LAYERS: f64 = 5.0;

/// A fat tree's switches have an even number of ports.
fn even_ports(k: u32) -> Result<(), String> {
    if k.is_multiple_of(2) { Ok(()) } else { Err(format!("k is {k}; a fat tree's is even")) }
}

/// The mean; 0 of nothing.
fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The value below which a share `p` of all lies: of n values in order, the one at p·(n − 1),
/// rounded; 0 of nothing.
fn percentile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((p * last as f64).round() as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_answers_what_its_card_lists_and_documents_everything() {
        for listed in MODELS {
            let name = listed.card.name;
            let mut model = (listed.default)();
            // The fewest trials: the numbers are not looked at.
            let _ = model.set("trials", Raw::Integer(1));
            assert_eq!(model.check(), Ok(()), "{name}");
            let values = model.values(1);
            assert_eq!(values.len(), listed.card.quantities.len(), "{name}");
            assert!(values.iter().all(|value| value.is_finite()), "{name}: {values:?}");
            assert_eq!(values, model.values(1), "{name}");
            assert!((listed.parameters)().iter().all(|p| !p.doc.is_empty()), "{name}");
            assert_eq!(find(name).map(|found| found.card.title), Some(listed.card.title));
        }
    }

    #[test]
    fn a_model_that_draws_refuses_to_go_on_for_hours() {
        for listed in MODELS {
            let mut model = (listed.default)();
            if model.set("trials", Raw::Integer(1_000_000_000)) == Ok(()) {
                let why = model.check().unwrap_err();
                assert!(why.ends_with("random draws; expected at most 2e9"), "{why}");
            }
        }
    }

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let values: Vec<f64> = (0..=20).rev().map(f64::from).collect();
        assert_eq!((percentile(&values, 0.05), percentile(&values, 0.95)), (1.0, 19.0));
        assert_eq!((percentile(&[], 0.5), mean(&[])), (0.0, 0.0));
    }
}
