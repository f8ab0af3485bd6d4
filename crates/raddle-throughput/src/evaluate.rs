//! What a plan carries of a demand.

use crate::demand::Demand;
use crate::designs::Plan;
use crate::solve::{ArtifactLp, Lp, MultiHop, SolveError, multi_hop_within, single_hop};
use raddle_circuits::circuits::Capacity;

/// The numbers of a design and a demand. Absent is what the design does not define. Throughput is a
/// share of a node's capacity while circuits are up: `duty` times it is what a link carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Throughput over direct circuits alone.
    pub single_hop: Option<f64>,
    /// Throughput over all paths.
    pub multi_hop: Option<f64>,
    /// What a flow that fits carries, where that is not solved but bounded, by [`evaluate_within`].
    pub multi_hop_found: Option<f64>,
    /// What the design guarantees.
    pub bound: Option<f64>,
    /// The longest delay, in microseconds.
    pub delay_us: Option<f64>,
    /// Memory of a node that the bound needs, in bytes.
    pub buffer_bytes: Option<f64>,
    /// Slots of a period, the longest if there are several schedules.
    pub period_slots: Option<usize>,
    /// The share of time in which links are up.
    pub duty: Option<f64>,
}

/// The numbers of a plan and the demand that comes, which need not be the one that the plan was
/// made for. `lp` is left out where multi-hop throughput is not wanted.
///
/// # Errors
/// [`SolveError`].
pub fn evaluate(plan: &Plan, truth: &Demand, lp: Option<Lp>) -> Result<Answer, SolveError> {
    let mut answer = direct(plan, truth);
    if let Some(lp) = lp.filter(|_| !plan.schedules.is_empty()) {
        let mut router = Router::new(truth, lp);
        let mut expected = 0.0;
        for (chance, schedule) in &plan.schedules {
            expected += chance * router.throughput(&schedule.capacity())?;
        }
        answer.multi_hop = Some(expected);
    }
    Ok(answer)
}

/// The same with a bound of multi-hop throughput and what a flow that fits carries, `gap` of the latter
/// apart where that is found in time: for many nodes, of which the linear program takes minutes or
/// hours.
pub fn evaluate_within(plan: &Plan, truth: &Demand, gap: f64) -> Answer {
    let mut answer = direct(plan, truth);
    if !plan.schedules.is_empty() {
        let (mut least, mut most) = (0.0, 0.0);
        for (chance, schedule) in &plan.schedules {
            let found = multi_hop_within(&schedule.capacity(), truth, gap);
            least += chance * found.least;
            most += chance * found.most;
        }
        (answer.multi_hop, answer.multi_hop_found) = (Some(most), Some(least));
    }
    answer
}

/// All but multi-hop throughput, which is 1 where nothing is switched.
fn direct(plan: &Plan, truth: &Demand) -> Answer {
    let mut answer = Answer {
        bound: plan.bound,
        delay_us: plan.delay_us,
        buffer_bytes: plan.buffer_bytes,
        ..Answer::default()
    };
    if plan.schedules.is_empty() {
        answer.multi_hop = Some(1.0);
        return answer;
    }
    let mean = |of: &dyn Fn(&Capacity) -> f64| {
        plan.schedules.iter().map(|(chance, schedule)| chance * of(&schedule.capacity())).sum()
    };
    answer.single_hop = Some(mean(&|capacity| single_hop(capacity, truth)));
    answer.duty = Some(plan.schedules.iter().map(|(chance, s)| chance * s.duty()).sum());
    answer.period_slots = plan.schedules.iter().map(|(_, s)| s.period_slots()).max();
    answer
}

/// Either linear program, kept for one demand.
pub enum Router {
    /// The correct one.
    Correct(Box<MultiHop>),
    /// That of the published code.
    Artifact(ArtifactLp),
}

impl Router {
    /// For this demand.
    pub fn new(demand: &Demand, lp: Lp) -> Self {
        match lp {
            Lp::Correct => Self::Correct(Box::new(MultiHop::new(demand))),
            Lp::Artifact => Self::Artifact(ArtifactLp::new(demand)),
        }
    }

    /// Multi-hop throughput on these circuits.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn throughput(&mut self, capacity: &Capacity) -> Result<f64, SolveError> {
        match self {
            Self::Correct(program) => program.throughput(capacity),
            Self::Artifact(program) => program.throughput(capacity),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::designs::{DESIGNS, find};

    #[test]
    fn no_design_is_below_its_bound_for_the_demand_it_was_made_for() {
        for listed in DESIGNS {
            for name in ["uniform", "ring", "chessboard", "random"] {
                let demand = pattern::find(name).unwrap().demand(16, 0.0, 1);
                let plan = (listed.default)().plan(&demand, 1).unwrap();
                let answer = evaluate(&plan, &demand, Some(Lp::Correct)).unwrap();
                let multi = answer.multi_hop.unwrap();
                if let Some(single) = answer.single_hop {
                    assert!(single <= multi + 1e-7, "{} {name}", listed.card.name);
                }
                if let Some(bound) = answer.bound {
                    assert!(multi >= bound - 1e-7, "{} {name}: {multi}", listed.card.name);
                }
            }
        }
    }

    #[test]
    fn several_schedules_lie_between_two_numbers_too() {
        let demand = pattern::shift(8, 1);
        for listed in DESIGNS {
            let plan = (listed.default)().plan(&demand, 1).unwrap();
            let exact = evaluate(&plan, &demand, Some(Lp::Correct)).unwrap();
            let found = evaluate_within(&plan, &demand, 0.01);
            let (most, theta) = (found.multi_hop.unwrap(), exact.multi_hop.unwrap());
            let least = found.multi_hop_found.unwrap_or(most);
            assert!(least <= theta + 1e-7 && theta <= most + 1e-7, "{} {theta}", listed.card.name);
            assert!(most <= least * 1.01, "{}", listed.card.name);
            let same = Answer { multi_hop: exact.multi_hop, multi_hop_found: None, ..found };
            assert_eq!(same, exact, "{}", listed.card.name);
        }
    }

    #[test]
    fn a_fat_tree_has_no_circuits_and_carries_everything() {
        let demand = pattern::shift(8, 1);
        let plan = (find("fat_tree").unwrap().default)().plan(&demand, 1).unwrap();
        let answer = evaluate(&plan, &demand, Some(Lp::Correct)).unwrap();
        assert_eq!((answer.single_hop, answer.multi_hop), (None, Some(1.0)));
        assert_eq!(answer.period_slots, None);
    }
}
