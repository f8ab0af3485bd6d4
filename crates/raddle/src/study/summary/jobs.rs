//! The jobs of a run in numbers, and collectives as the table that users of nccl-tests know.

use super::by_size::{BySize, SizeClass, Told, query};
use super::object::Object;
use super::{Times, fct};
use crate::study::quantiles::Quantiles;
use crate::study::steps::StepSummary;
use crate::study::text::{plural, time};
use raddle_schemes::family::{Parameter, Raw};
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::plan::Plan;
use raddle_sim::record::{FlowRecord, Outcome, Sizes};
use raddle_sim::workload::job::{Collective, Job, Operation};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// A job, or those of its flows that have one path selector.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSummary {
    /// Its name.
    pub name: String,
    /// The job of which this is one group, if it is one.
    pub group_of: Option<String>,
    /// The path selector that these flows have; `None` for all flows of the job.
    pub load_balance: Option<String>,
    /// Number of flows.
    pub flows: u64,
    /// Of these, how many did not complete.
    pub unfinished: u64,
    /// When the first of them started, in microseconds.
    pub start_us: Option<f64>,
    /// From then to the last needed ACK of any of them; `None` unless every one completed.
    pub completion_us: Option<f64>,
    /// Flow completion times.
    pub fct_us: Times,
    /// Flow completion times over what each would take alone in the fabric without faults.
    pub slowdown: BySize,
    /// Of its queries, the share in which some flow had a timeout.
    pub timed_out: f64,
    /// Application bytes of its flows.
    pub application_bytes: u64,
    /// What they are, if they are one collective.
    pub collective: Option<Collective>,
    /// Its phases.
    pub phases: Vec<PhaseSummary>,
    /// Its steps, where it is a job of ranks that completed.
    pub step: Option<StepSummary>,
}

/// A phase of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseSummary {
    /// Its name.
    pub name: String,
    /// Its collective completion time: from the start of its first flow to the last needed ACK of
    /// any, in microseconds; `None` unless every one completed.
    pub cct_us: Option<f64>,
}

impl JobSummary {
    /// Every job of a run; behind one whose flows have several path selectors, its parts.
    pub(super) fn of(plan: &Plan, outcome: &Outcome, ideals: &[Option<Span>]) -> Vec<Self> {
        let mut summaries = Vec::new();
        for job in &plan.traffic.jobs {
            let range = job.flows.start as usize..job.flows.end as usize;
            let flows = plan.traffic.flows[range.clone()].iter();
            let flows = flows.zip(outcome.flows.range(range.clone())).zip(&ideals[range]);
            let flows = flows.map(|((flow, record), ideal)| (flow, record, *ideal));
            let mut whole = Self::new(plan.record.sizes, job, None, flows.clone());
            whole.collective = job.collective;
            whole.phases = job
                .phases
                .iter()
                .map(|phase| {
                    let range = phase.flows.start as usize..phase.flows.end as usize;
                    let cct_us = Spread::of(outcome.flows.range(range)).completion_us();
                    PhaseSummary { name: phase.name.clone(), cct_us }
                })
                .collect();
            whole.step = StepSummary::of(plan, outcome, job);
            summaries.push(whole);
            let mut selectors: Vec<u8> =
                flows.clone().map(|(flow, ..)| flow.load_balance).collect();
            selectors.sort_unstable();
            selectors.dedup();
            if selectors.len() > 1 {
                summaries.extend(selectors.iter().map(|&number| {
                    let name = plan.transport.load_balance_of(number).card().name;
                    let own = |(flow, ..): &Told<'_>| flow.load_balance == number;
                    Self::new(plan.record.sizes, job, Some(name), flows.clone().filter(own))
                }));
            }
        }
        summaries
    }

    fn new<'a>(
        sizes: Sizes,
        job: &Job,
        load_balance: Option<&str>,
        flows: impl Iterator<Item = Told<'a>> + Clone,
    ) -> Self {
        let records = || flows.clone().map(|(_, record, _)| record);
        let spread = Spread::of(records());
        let [_, slowdown] = BySize::of(sizes, flows.clone());
        Self {
            name: job.name.clone(),
            group_of: job.group_of.clone(),
            load_balance: load_balance.map(str::to_owned),
            flows: spread.flows,
            unfinished: spread.unfinished,
            start_us: spread.first.map(|at| at as f64 / 1e6),
            completion_us: spread.completion_us(),
            fct_us: Times::of(records().filter_map(|flow| fct(&flow))),
            slowdown,
            timed_out: timed_out(flows.clone()),
            application_bytes: flows.map(|(flow, ..)| flow.bytes.0).sum(),
            collective: None,
            phases: Vec::new(),
            step: None,
        }
    }

    /// What one of its steps takes, the median of several, in microseconds.
    pub fn step_us(&self) -> Option<f64> {
        self.step.as_ref().map(|step| step.time_us.median)
    }

    /// Algorithm and bus bandwidth of a collective that completed, in GB/s (10^9 bytes): its size
    /// over its time, and that times its bus factor.
    pub fn bandwidths_gb_s(&self) -> Option<[f64; 2]> {
        let (collective, us) = (self.collective?, self.completion_us?);
        if us <= 0.0 {
            return None;
        }
        let algorithm = collective.bytes.0 as f64 / us / 1e3;
        Some([algorithm, algorithm * collective.bus_factor()])
    }

    /// Whether it is a whole collective, or a group that does one.
    pub fn is_collective(&self) -> bool {
        self.collective.is_some()
    }

    /// The bytes that each rank's link has to carry, if it is a collective: bus bandwidth is this over
    /// the time it takes.
    pub fn bus_bytes(&self) -> Option<f64> {
        let collective = self.collective?;
        Some(collective.bytes.0 as f64 * collective.bus_factor())
    }

    /// Its bus bandwidth in GB/s (10^9 bytes), if it is a collective that completed.
    pub fn busbw_gb_s(&self) -> Option<f64> {
        self.bandwidths_gb_s().map(|[_, bus]| bus)
    }

    /// The lines for people, names apart.
    pub(super) fn lines(&self) -> Vec<(String, String)> {
        let mut text = plural(self.flows, "flow");
        if let Some(load_balance) = &self.load_balance {
            let _ = write!(text, " by {load_balance}");
        }
        let _ = match (self.completion_us, self.unfinished) {
            (Some(us), _) => {
                write!(text, " in {}; flow completion {}", time(us), self.fct_us.text())
            }
            (None, unfinished) => write!(text, ", {unfinished} not completed"),
        };
        let name = if self.load_balance.is_some() { String::new() } else { self.name.clone() };
        let mut lines = vec![(name, text)];
        let ccts: Vec<f64> = self.phases.iter().filter_map(|phase| phase.cct_us).collect();
        if let (Some(longest), Some(shortest)) =
            (ccts.iter().copied().reduce(f64::max), ccts.iter().copied().reduce(f64::min))
        {
            let mean = ccts.iter().sum::<f64>() / ccts.len() as f64;
            let phases = plural(ccts.len() as u64, "phase");
            let text = format!(
                "{phases} of {}: CCT max {}, mean {}, min {}",
                self.phases.len(),
                time(longest),
                time(mean),
                time(shortest)
            );
            lines.push((String::new(), text));
        }
        let step = self.step.iter().flat_map(StepSummary::lines);
        lines.extend(step.map(|(name, text)| (name.to_owned(), text)));
        lines
    }

    pub(super) fn to_json(&self) -> Value {
        let bandwidths = self.bandwidths_gb_s();
        let collective = self.collective.map(|collective| {
            json!({
                "operation": collective.operation.word(),
                "ranks": collective.ranks,
                "size_bytes": collective.bytes.0,
                "algbw_gb_s": bandwidths.map(|[algorithm, _]| algorithm),
                "busbw_gb_s": bandwidths.map(|[_, bus]| bus),
            })
        });
        let phases: Vec<Value> = self
            .phases
            .iter()
            .map(|phase| json!({"name": phase.name, "cct_us": phase.cct_us}))
            .collect();
        let mut whole = json!({
            "name": self.name,
            "group_of": self.group_of,
            "load_balance": self.load_balance,
            "flows": self.flows,
            "unfinished": self.unfinished,
            "start_us": self.start_us,
            "completion_us": self.completion_us,
            "fct_us": self.fct_us.to_json(),
            "slowdown": self.slowdown.of_class(SizeClass::All).map(|own| own.to_json()),
            "slowdown_by_size": self.slowdown.classes_to_json(),
            "queries_timed_out": self.timed_out,
            "application_bytes": self.application_bytes,
            "collective": collective,
            "phases": phases,
        });
        if let Some(step) = &self.step {
            whole["step"] = json!(step);
        }
        whole
    }

    pub(super) fn from_json(value: &Value) -> Result<Self, String> {
        let object = Object(value);
        let collective = match value.get("collective") {
            None | Some(Value::Null) => None,
            Some(_) => {
                let inner = object.object("collective")?;
                let word = inner.text("operation")?;
                let wrong = |_| "`operation` is not a collective operation".to_owned();
                Some(Collective {
                    operation: Operation::read(Raw::Text(&word)).map_err(wrong)?,
                    ranks: u32::try_from(inner.count("ranks")?).unwrap_or(u32::MAX),
                    bytes: Bytes(inner.count("size_bytes")?),
                })
            }
        };
        let phase = |value: &Value| {
            let object = Object(value);
            Ok(PhaseSummary { name: object.text("name")?, cct_us: object.number("cct_us")? })
        };
        let phases = object.get("phases", Value::as_array)?;
        Ok(Self {
            name: object.text("name")?,
            // Absent in what versions wrote that did not tell groups and these numbers.
            group_of: value.get("group_of").and_then(Value::as_str).map(str::to_owned),
            slowdown: {
                let mut own = BySize::from_json(value.get("slowdown_by_size"))?;
                own.0[SizeClass::All as usize] = match value.get("slowdown") {
                    None | Some(Value::Null) => None,
                    Some(value) => Some(Quantiles::from_json(value)?),
                };
                own
            },
            timed_out: value["queries_timed_out"].as_f64().unwrap_or(0.0),
            application_bytes: value["application_bytes"].as_u64().unwrap_or(0),
            load_balance: match value.get("load_balance") {
                Some(Value::Null) => None,
                _ => Some(object.text("load_balance")?),
            },
            flows: object.count("flows")?,
            unfinished: object.count("unfinished")?,
            start_us: object.number("start_us")?,
            completion_us: object.number("completion_us")?,
            fct_us: Times::from_json(&object.object("fct_us")?)?,
            collective,
            phases: phases.iter().map(phase).collect::<Result<_, String>>()?,
            // Absent of jobs that are flows alone.
            step: match value.get("step") {
                None | Some(Value::Null) => None,
                Some(step) => Some(
                    StepSummary::deserialize(step)
                        .map_err(|error| format!("`step` is not what steps are: {error}"))?,
                ),
            },
        })
    }
}

/// Of the queries that some flows answer, the share in which one of them had a timeout.
pub(super) fn timed_out<'a>(flows: impl Iterator<Item = Told<'a>> + Clone) -> f64 {
    if flows.clone().all(|(_, record, _)| record.timeouts == 0) {
        return 0.0;
    }
    let told = |(flow, record, _): Told<'a>| Some((query(flow, &record)?, record.timeouts > 0));
    let mut flows: Vec<_> = flows.filter_map(told).collect();
    flows.sort_unstable();
    let queries = flows.chunk_by(|a, b| a.0 == b.0);
    let (all, late) = queries.fold((0_u64, 0_u64), |(all, late), query| {
        (all + 1, late + u64::from(query.last().is_some_and(|(_, late)| *late)))
    });
    late as f64 / all.max(1) as f64
}

/// From the first start to the last end of some flows.
#[derive(Default)]
struct Spread {
    flows: u64,
    unfinished: u64,
    /// In picoseconds.
    first: Option<u64>,
    last: u64,
}

impl Spread {
    fn of(flows: impl Iterator<Item = FlowRecord>) -> Self {
        let mut spread = Self::default();
        for flow in flows {
            spread.flows += 1;
            spread.unfinished += u64::from(flow.acked.is_none());
            let first = [spread.first, flow.started.map(|at| at.0)].into_iter().flatten().min();
            spread.first = first;
            spread.last = spread.last.max(flow.acked.map_or(0, |at| at.0));
        }
        spread
    }

    fn completion_us(&self) -> Option<f64> {
        let complete = self.unfinished == 0 && self.flows > 0;
        let first = self.first.filter(|_| complete)?;
        Some(self.last.saturating_sub(first) as f64 / 1e6)
    }
}

/// The collectives that completed, in the columns of nccl-tests; empty if there are none.
pub(super) fn table(jobs: &[JobSummary]) -> String {
    let mut text = String::new();
    for job in jobs {
        let (Some(collective), Some(us)) = (job.collective, job.completion_us) else { continue };
        let Some([algorithm, bus]) = job.bandwidths_gb_s() else { continue };
        if text.is_empty() {
            text.push_str(
                "#        size         count      type   redop        time    algbw    busbw\n\
                 #         (B)    (elements)                          (us)   (GB/s)   (GB/s)\n",
            );
        }
        let reduction = if collective.reduces() { "sum" } else { "none" };
        let _ = writeln!(
            text,
            "{:>13} {:>13} {:>9} {:>7} {:>11.2} {:>8.2} {:>8.2}  # {}, {} on {} ranks",
            collective.bytes.0,
            collective.count(),
            "float",
            reduction,
            us,
            algorithm,
            bus,
            job.name,
            collective.operation.word(),
            collective.ranks,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::text::over_groups;
    use super::*;
    use crate::study::fixture;
    use raddle_schemes::load_balance::host;
    use raddle_schemes::units::Time;
    use raddle_sim::bound::ideals;
    use raddle_sim::workload::job::Phase;

    fn run() -> (Plan, Outcome) {
        let mut plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        for i in 0..outcome.flows.len() {
            outcome.flows.change(i, |flow| {
                flow.started = Some(Time(1_000_000 * (i as u64 + 1)));
                flow.acked = Some(Time(5_000_000 + 1_000_000 * i as u64));
            });
        }
        plan.transport.other_load_balances = vec![host::Config::named("ecmp").unwrap()];
        plan.traffic.flows[1].load_balance = 1;
        let operation = Operation::AllReduce;
        plan.traffic.jobs = vec![Job {
            name: "ring".to_owned(),
            group_of: None,
            flows: 0..2,
            collective: Some(Collective { operation, ranks: 2, bytes: Bytes(20_000) }),
            phases: vec![Phase { name: "first".to_owned(), flows: 0..1 }],
            script: None,
        }];
        (plan, outcome)
    }

    fn of(plan: &Plan, outcome: &Outcome) -> Vec<JobSummary> {
        JobSummary::of(plan, outcome, &ideals(plan))
    }

    #[test]
    fn a_job_is_told_as_a_whole_and_by_path_selector() {
        let (plan, outcome) = run();
        let jobs = of(&plan, &outcome);
        assert_eq!(jobs.len(), 3);
        assert_eq!(jobs[0].completion_us, Some(5.0));
        assert_eq!(jobs[0].phases[0].cct_us, Some(4.0));
        assert_eq!(jobs[0].bandwidths_gb_s(), Some([4.0, 4.0]));
        assert_eq!(jobs[1].load_balance.as_deref(), Some("ops"));
        assert_eq!((jobs[2].load_balance.as_deref(), jobs[2].start_us), (Some("ecmp"), Some(2.0)));
        assert_eq!(jobs[0].application_bytes, 20_000);
        assert_eq!(jobs[1].slowdown.of_class(SizeClass::All).map(|own| own.flows), Some(1));
        for job in &jobs {
            assert_eq!(JobSummary::from_json(&job.to_json()).as_ref(), Ok(job));
        }
    }

    #[test]
    fn groups_are_told_by_their_least_median_and_most() {
        let (mut plan, outcome) = run();
        let whole = plan.traffic.jobs[0].clone();
        plan.traffic.jobs = (0..2)
            .map(|number| Job {
                name: format!("ring {number}"),
                group_of: Some("ring".to_owned()),
                flows: number..number + 1,
                phases: Vec::new(),
                ..whole.clone()
            })
            .collect();
        assert_eq!(
            over_groups(&of(&plan, &outcome)),
            ["2 groups of ring: completion min 4.000 us, median 4.000 us, max 4.000 us; \
              bus bandwidth min 5.000 GB/s, median 5.000 GB/s, max 5.000 GB/s"]
        );
        assert!(over_groups(&[]).is_empty());
    }

    #[test]
    fn a_collective_reads_as_in_nccl_tests() {
        let (plan, mut outcome) = run();
        let expected = "\
#        size         count      type   redop        time    algbw    busbw
#         (B)    (elements)                          (us)   (GB/s)   (GB/s)
        20000          5000     float     sum        5.00     4.00     4.00  # ring, all_reduce on 2 ranks
";
        assert_eq!(table(&of(&plan, &outcome)), expected);
        outcome.flows.change(1, |flow| flow.acked = None);
        assert_eq!(table(&of(&plan, &outcome)), "");
        assert_eq!(of(&plan, &outcome)[0].unfinished, 1);
    }
}
