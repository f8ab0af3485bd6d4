//! The search: which runs are needed next, as a function of those that are there. A search that was
//! killed and goes on with its store asks for the same, and ends the same.

use super::cell::{Cell, State, When, table_of};
use super::counts::{Counts, price_all};
use super::measured::{
    Counted, Draw, Ended, Left, Measured, OfCandidate, OfStratum, OfWork, Weighing,
};
use super::odds::{Placed, Strata, Stratum};
use super::parts::Broken;
use super::question::Question;
use super::race::{LOOKS, Rules};
use super::rank::Order;
use crate::problem::{Problem, Problems};
use crate::scenario::Scenario;
use crate::scenario::assembled::Assembler;
use crate::study::jobs;
use crate::study::run::Job;
use crate::study::stats::Spread;
use crate::study::text::time;
use raddle_schemes::rng::{Rng, mix};
use std::collections::{BTreeMap, BTreeSet};

/// Seeds of each drawn state.
const SEEDS: usize = 3;
/// Draws of a stratum that matters little.
const FEW: usize = 4;
/// An exchange is to be longer than so many times routing's convergence and a timeout.
pub(super) const LONGER: f64 = 5.0;

/// What remains of a run for the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ran {
    /// Microseconds of the exchange; `None` if it did not finish.
    pub us: Option<f64>,
    /// Microseconds that none can be faster than.
    pub bound_us: Option<f64>,
}

/// Runs by the hash of their scenario and their seed.
pub type Results = BTreeMap<(String, u64), Ran>;

/// What a search needs next.
pub enum Next {
    /// These runs.
    Runs(Vec<Job>),
    /// Nothing: this is what runs gave.
    Done(Box<Measured>),
}

/// A search under way.
pub struct Search<'a> {
    pub(super) question: &'a Question,
    assembler: Assembler,
    /// By candidate and work.
    pub(super) cells: Vec<Vec<Cell>>,
    counts: Vec<Counts>,
    left: Vec<Option<Left>>,
    /// Scenarios that were put together before, or `None` where they cut hosts off.
    made: BTreeMap<(usize, usize, State), Option<(Scenario, String)>>,
}

/// Runs that a step has found to be missing.
#[derive(Default)]
struct Wanted {
    known: BTreeSet<(String, u64)>,
    jobs: Vec<Job>,
}

impl<'a> Search<'a> {
    /// The search of a question. Reads all candidates under all works; runs nothing.
    ///
    /// # Errors
    /// Every problem of a candidate's scenario, and of prices.
    pub fn new(question: &'a Question) -> Result<Self, Problems> {
        let mut assembler = Assembler::new(&question.folder);
        let read = Self::read(question, &mut assembler);
        match read {
            Ok((cells, counts, left)) => {
                Ok(Self { question, assembler, cells, counts, left, made: BTreeMap::new() })
            }
            Err(mut problems) => {
                // One mistake of the base is one of all candidates.
                let mut known = Vec::new();
                problems.retain(|problem| {
                    let is_new = !known.contains(problem);
                    if is_new {
                        known.push(problem.clone());
                    }
                    is_new
                });
                Err(question.problems(problems, assembler.sources()))
            }
        }
    }

    #[expect(clippy::type_complexity, reason = "three lists of candidates, taken apart at once")]
    fn read(
        question: &Question,
        assembler: &mut Assembler,
    ) -> Result<(Vec<Vec<Cell>>, Vec<Counts>, Vec<Option<Left>>), Vec<Problem>> {
        let mut problems = Vec::new();
        let mut cells = Vec::new();
        for candidate in 0..question.candidates.len() {
            let table = match table_of(question, candidate) {
                Ok(table) => table,
                Err(own) => {
                    problems.extend(own);
                    continue;
                }
            };
            let mut own = Vec::new();
            for work in &question.works {
                match Cell::of(&table, work, question, assembler) {
                    Ok(cell) => own.push(cell),
                    Err(list) => problems.extend(list),
                }
            }
            cells.push(own);
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let of = |own: &Vec<Cell>| {
            own.first().and_then(|cell| Counts::of(cell.healthy.fabric())).unwrap_or_default()
        };
        let mut counts: Vec<Counts> = cells.iter().map(of).collect();
        let wrong = price_all(&mut counts, &question.prices);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let left = counts.iter().map(|own| {
            let (constraint, has) = own.breaks(&question.ask.constraints)?;
            Some(Left::Constraint { text: constraint.text.clone(), has })
        });
        let left = left.collect();
        Ok((cells, counts, left))
    }

    /// What each candidate is built of, in the order of the question, and why it is out, if it is.
    pub fn counts(&self) -> impl Iterator<Item = (&str, &Counts, Option<&Left>)> {
        let names = self.question.candidates.iter().map(|own| own.name.as_str());
        let both = names.zip(&self.counts).zip(&self.left);
        both.map(|((name, counts), left)| (name, counts, left.as_ref()))
    }

    /// How candidates are put in order, by the question's rates.
    pub(super) fn order(&self) -> Order {
        order_of(self.question, self.counts.iter().map(|own| own.cost).collect())
    }

    /// What is needed next, with these runs there; no further look is begun if `enough`.
    ///
    /// # Errors
    /// A scenario of a state that cannot be read, or exchanges that are too short for what breaks.
    pub fn next(&mut self, results: &Results, enough: bool) -> Result<Next, Problems> {
        self.step(results, enough)
            .map_err(|problems| self.question.problems(problems, self.assembler.sources()))
    }

    fn step(&mut self, results: &Results, enough: bool) -> Result<Next, Vec<Problem>> {
        let candidates = self.cells.len();
        let mut left = self.left.clone();
        let mut works: Vec<Vec<OfWork>> = vec![Vec::new(); candidates];
        let mut runs = vec![0_u64; candidates];
        let mut ended = Ended::Looks;
        let rules = Rules {
            candidates: left.iter().filter(|own| own.is_none()).count(),
            alpha: 1.0 - self.question.ask.confidence,
            margin: self.question.ask.margin,
        };
        for (index, look) in LOOKS.into_iter().enumerate() {
            let alive: Vec<usize> = (0..candidates).filter(|own| left[*own].is_none()).collect();
            if alive.is_empty() || (index > 0 && alive.len() < 2) {
                ended = Ended::Told;
                break;
            }
            let mut wanted = Wanted::default();
            let mut measured = Vec::new();
            for candidate in &alive {
                let own = self.measure(*candidate, look, results, &mut wanted)?;
                measured.push((*candidate, own));
            }
            if !wanted.jobs.is_empty() {
                if enough && index > 0 {
                    ended = Ended::Budget;
                    break;
                }
                return Ok(Next::Runs(wanted.jobs));
            }
            for (candidate, own) in measured {
                let Some((own, digest)) = own else { continue };
                let unfinished = own.iter().zip(&self.question.works);
                let mut unfinished = unfinished.filter(|(own, _)| own.healthy().is_none());
                if let Some((_, work)) = unfinished.next() {
                    left[candidate] = Some(Left::Unfinished { work: work.name.clone() });
                }
                works[candidate] = own;
                runs[candidate] = digest;
            }
            let measured = self.measured(&works, &left, &runs, Ended::Looks, results);
            let standings = self.order().standings(&measured);
            let standings: Vec<_> =
                standings.iter().filter(|own| left[own.candidate].is_none()).collect();
            let behind = |candidate: usize, behind: super::race::Behind| {
                let same =
                    standings.first().is_some_and(|first| runs[first.candidate] == runs[candidate]);
                (!same).then_some(behind)
            };
            let mut settled = true;
            for own in standings.iter().skip(1) {
                let Some(own_behind) = own.behind else {
                    // Nothing tells how sure it is: all looks are taken.
                    settled = false;
                    continue;
                };
                let Some(behind) = behind(own.candidate, own_behind) else { continue };
                if rules.leaves(&behind) {
                    left[own.candidate] = Some(Left::Behind { blocks: look });
                } else {
                    settled &= rules.is_settled(&behind);
                }
            }
            let alive = left.iter().filter(|own| own.is_none()).count();
            if alive < 2 || settled {
                ended = if alive < 2 { Ended::Told } else { Ended::WithinMargin };
                break;
            }
        }
        Ok(Next::Done(Box::new(self.measured(&works, &left, &runs, ended, results))))
    }

    fn measured(
        &self,
        works: &[Vec<OfWork>],
        left: &[Option<Left>],
        runs: &[u64],
        ended: Ended,
        results: &Results,
    ) -> Measured {
        let question = self.question;
        let candidates = question.candidates.iter().enumerate().map(|(index, own)| OfCandidate {
            name: own.name.clone(),
            counts: self.counts[index].clone(),
            works: works[index].clone(),
            left: left[index].clone(),
            runs: format!("{:016x}", runs[index]),
        });
        Measured {
            candidates: candidates.collect(),
            works: counted(question),
            classes: question.failures.iter().map(super::question::Failure::noun).collect(),
            rates: question.failures.iter().map(|own| own.rates).collect(),
            ended,
            runs: results.len(),
        }
    }

    /// What a candidate's runs gave up to a look, by work; `None` while some are missing, which are put
    /// into `wanted`. With it, what the runs are, as one number.
    fn measure(
        &mut self,
        candidate: usize,
        look: usize,
        results: &Results,
        wanted: &mut Wanted,
    ) -> Result<Option<(Vec<OfWork>, u64)>, Vec<Problem>> {
        let before = wanted.jobs.len();
        let mut digest = 0;
        let mut all = Vec::new();
        for work in 0..self.question.works.len() {
            let mut at = At { candidate, work, results, wanted: &mut *wanted, digest: &mut digest };
            let healthy = self.healthy(look, &mut at)?;
            // What follows is asked for when it is known that healthy steps finish.
            let Some(exchange_us) = Spread::of(&healthy.1).map(|own| own.mean) else {
                all.push(healthy.0);
                continue;
            };
            if healthy.0.healthy_s.len() < look || healthy.0.healthy().is_none() {
                all.push(healthy.0);
                continue;
            }
            self.check_length(candidate, work, exchange_us)?;
            let mut own = healthy.0;
            self.states(look, &mut own, &mut at)?;
            self.events(&healthy.1, &mut own, &mut at)?;
            all.push(own);
        }
        Ok((wanted.jobs.len() == before).then_some((all, digest)))
    }

    /// Healthy steps, and microseconds of exchanges.
    fn healthy(
        &mut self,
        look: usize,
        at: &mut At<'_>,
    ) -> Result<(OfWork, Vec<f64>), Vec<Problem>> {
        let work = &self.question.works[at.work];
        let cell = &self.cells[at.candidate][at.work];
        let mut own = OfWork {
            classes: cell.parts.classes.clone(),
            cut_pairs: cell.parts.cut_pairs.clone(),
            ..OfWork::default()
        };
        let mut exchanges = Vec::new();
        for seed in 1..=look as u64 {
            let Some(ran) = self.run(&(Vec::new(), When::Always), seed, at)? else { continue };
            own.healthy_s.push(ran.us.map(|us| work.step_s(us)));
            exchanges.extend(ran.us);
            let bound = ran.bound_us.map(|us| work.step_s(us));
            own.bound_s = match (own.bound_s, bound) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        Ok((own, exchanges))
    }

    /// Refuses exchanges that see little but an outage.
    fn check_length(
        &self,
        candidate: usize,
        work: usize,
        exchange_us: f64,
    ) -> Result<(), Vec<Problem>> {
        let settles_us = self.cells[candidate][work].settles_us;
        let work = &self.question.works[work];
        if self.question.failures.is_empty() || work.short || exchange_us > LONGER * settles_us {
            return Ok(());
        }
        let name = &self.question.candidates[candidate].name;
        let message = format!(
            "an exchange of `{}` takes {} with {name}, which is too short for what breaks",
            work.name,
            time(exchange_us)
        );
        let label = format!(
            "expected more than {LONGER} times routing's convergence and a timeout, {} together",
            time(settles_us)
        );
        let help = "of short messages under faults only outages and timeouts show: take longer ones, or \
                    say `short = true` if the job's are so short";
        Err(vec![work.place.problem(message).label(label).help(help)])
    }

    /// Steps in drawn states.
    fn states(
        &mut self,
        look: usize,
        own: &mut OfWork,
        at: &mut At<'_>,
    ) -> Result<(), Vec<Problem>> {
        let question = self.question;
        let rates: Vec<_> = question.failures.iter().map(|failure| failure.rates).collect();
        let margin = question.ask.margin;
        let strata = Strata::choose(&own.classes, &rates, margin / 4.0);
        own.left_out = strata.left_out;
        for stratum in strata.list.into_iter().filter(|own| !own.is_healthy()) {
            let weight = stratum.weight(&own.classes, &rates);
            let mut draws = Vec::new();
            let count = match stratum.cut_share(&own.classes, &own.cut_pairs) {
                share if share >= 1.0 => 0,
                _ if weight <= margin / 8.0 => FEW,
                _ => look,
            };
            for draw in 0..count {
                let state = self.drawn(&stratum, draw, at);
                let parts = &self.cells[at.candidate][at.work].parts;
                let counts = match stratum.placed {
                    Placed::AsTheyCome => parts.counts(&state),
                    _ => Vec::new(),
                };
                draws.push(self.draw(state, draw, counts, (&own.healthy_s, &mut *at))?);
            }
            if let Some(draws) = draws.into_iter().collect() {
                own.strata.push(OfStratum { stratum, draws });
            }
        }
        Ok(())
    }

    /// The state of a draw: the same in every candidate whose parts are as many.
    fn drawn(&self, stratum: &Stratum, draw: usize, at: &At<'_>) -> Vec<Broken> {
        let name = format!("advise {:?} {:?}", stratum.counts, stratum.placed);
        let rates: Vec<_> = self.question.failures.iter().map(|own| own.rates).collect();
        let mut rng = Rng::new(1, &name, draw as u64);
        self.cells[at.candidate][at.work].parts.draw(stratum, &rates, &mut rng)
    }

    /// The mean step of a state; `None` while runs are missing.
    fn draw(
        &mut self,
        state: Vec<Broken>,
        draw: usize,
        counts: Vec<u32>,
        (healthy, at): (&[Option<f64>], &mut At<'_>),
    ) -> Result<Option<Draw>, Vec<Problem>> {
        let state = (state, When::Always);
        // Of seeds that healthy steps have: those of a look in turn, and each as often.
        let first = draw / LOOKS[0] * LOOKS[0];
        let seeds = (0..SEEDS).map(|own| first + (SEEDS * draw + own) % LOOKS[0]);
        let seeds: Vec<usize> = seeds.collect();
        let healthy: Vec<f64> = seeds.iter().filter_map(|own| *healthy.get(*own)?).collect();
        let healthy_s = Spread::of(&healthy).map(|own| own.mean).unwrap_or_default();
        if self.made(&state, at)?.is_none() {
            return Ok(Some(Draw { counts, step_s: None, healthy_s, cut: true, stuck: 1.0 }));
        }
        let mut rates = Vec::new();
        let mut stuck = 0_usize;
        for (seed, healthy) in seeds.into_iter().zip(&healthy) {
            let seed = seed as u64 + 1;
            let cell = &self.cells[at.candidate][at.work];
            let is_cut = cell.is_cut_with(&state.0, seed).map_err(|problem| vec![problem])?;
            let ran = match is_cut {
                true => Some(Ran { us: None, bound_us: None }),
                false => self.run(&state, seed, at)?,
            };
            let Some(ran) = ran else { continue };
            stuck += usize::from(ran.us.is_none());
            let elsewhere = is_cut && self.question.job.spare;
            let step_s = ran.us.map(|us| self.question.works[at.work].step_s(us));
            rates.push(step_s.map_or(f64::from(u8::from(elsewhere)), |step_s| healthy / step_s));
        }
        if rates.len() < SEEDS {
            return Ok(None);
        }
        let rate = rates.iter().sum::<f64>() / SEEDS as f64;
        let step_s = (rate > 0.0).then(|| healthy_s / rate);
        let stuck = stuck as f64 / SEEDS as f64;
        Ok(Some(Draw { counts, step_s, healthy_s, cut: false, stuck }))
    }

    /// A run, if it is there; else it is asked for. Of a state that cuts hosts off: one that does not
    /// finish.
    pub(super) fn run(
        &mut self,
        state: &State,
        seed: u64,
        at: &mut At<'_>,
    ) -> Result<Option<Ran>, Vec<Problem>> {
        let settings = self.question.candidates[at.candidate].settings.clone();
        let work = self.question.works[at.work].name.clone();
        let Some((scenario, hash)) = self.made(state, at)? else {
            return Ok(Some(Ran { us: None, bound_us: None }));
        };
        let key = (hash.clone(), seed);
        let own = u64::from_str_radix(hash, 16).unwrap_or_default();
        *at.digest = mix(*at.digest ^ own) ^ mix(seed ^ own);
        if let Some(ran) = at.results.get(&key) {
            return Ok(Some(*ran));
        }
        if at.wanted.known.insert(key) {
            let settings = settings.into_iter().chain([("work".to_owned(), work)]).collect();
            at.wanted.jobs.push(jobs::job(scenario, seed, settings, |_| None));
        }
        Ok(None)
    }

    /// The scenario of a state and its hash; `None` if the state cuts hosts off for good.
    fn made(
        &mut self,
        state: &State,
        at: &At<'_>,
    ) -> Result<Option<&(Scenario, String)>, Vec<Problem>> {
        let key = (at.candidate, at.work, state.clone());
        if !self.made.contains_key(&key) {
            let cell = &self.cells[at.candidate][at.work];
            let for_good = !matches!(state.1, When::Between(..));
            let made = if !state.0.is_empty() && for_good && cell.is_cut(&state.0) {
                None
            } else {
                let scenario = cell.scenario(state, self.question, &mut self.assembler)?;
                let hash = scenario.hash();
                Some((scenario, hash))
            };
            self.made.insert(key.clone(), made);
        }
        Ok(self.made.get(&key).and_then(Option::as_ref))
    }
}

/// Where a search is.
pub(super) struct At<'a> {
    pub(super) candidate: usize,
    pub(super) work: usize,
    results: &'a Results,
    wanted: &'a mut Wanted,
    /// What runs are, as one number.
    digest: &'a mut u64,
}

fn counted(question: &Question) -> Vec<Counted> {
    let works = question.works.iter();
    works.map(|own| Counted { name: own.name.clone(), weight: own.weight }).collect()
}

/// How candidates of these costs are put in order, by the question's rates.
pub(super) fn order_of(question: &Question, costs: Vec<Option<f64>>) -> Order {
    let rates: Vec<_> = question.failures.iter().map(|own| own.rates).collect();
    Order {
        left_last: true,
        objective: question.ask.objective,
        works: counted(question),
        weighing: Weighing { drawn_by: rates.clone(), rates, job: question.job },
        costs,
    }
}
