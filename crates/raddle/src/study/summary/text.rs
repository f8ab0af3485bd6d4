//! A run for people: about fifteen lines with units.

use super::{JobSummary, Packets, RunSummary, Times, jobs};
use crate::study::metric::{BUSBW, COMPLETION, Measured, Metric};
use crate::study::stats::least_median_most;
use crate::study::text::{count, left, percent, plural, short, time};
use crate::study::unfinished::{Cause, Causes};
use raddle_schemes::ids::{FlowId, HostId, PortId};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::transport::sender::packets;
use raddle_schemes::units::Bytes;
use raddle_sim::lossless::{Leak, leak};
use raddle_sim::plan::Plan;
use raddle_sim::record::{DropCause, Outcome, Stop};
use std::fmt::Write;

impl RunSummary {
    /// The run for people, about fifteen lines, each ended by a newline.
    pub fn text(&self, plan: &Plan, outcome: &Outcome) -> String {
        let mut lines = Vec::new();
        let mut line = |name: &str, text: String| {
            lines.push(format!("  {}{text}", left(name, 17)));
        };
        line("flows", format!("{}, {}", plural(self.flows, "flow"), self.stop_text(outcome)));
        if let Some(pieces) = outcome.pieces.as_deref() {
            let (all, split) = (pieces.records.len() as u64, pieces.split() as u64);
            line("pieces", format!("{}; {} split", count(all), plural(split, "flow")));
        }
        for text in stuck_flows(plan, outcome) {
            line("", text);
        }
        line("completion", self.completion_text(outcome));
        let of = match (self.unfinished, self.flows - self.unfinished) {
            (0, _) | (_, 0) => String::new(),
            (_, completed) => format!(", of the {} that completed", count(completed)),
        };
        line("flow completion", self.fct_us.text() + &of);
        line("delivery", self.delivered_us.text());
        for (name, text) in self.slowdown.lines("slowdown") {
            line(&name, text);
        }
        for (name, text) in self.tails.lines() {
            line(&name, text);
        }
        for (name, text) in self.jobs.iter().flat_map(JobSummary::lines) {
            line(&name, text);
        }
        for text in over_groups(&self.jobs) {
            line("", text);
        }
        let p = &self.packets;
        line("data packets", format!("{} sent, {} delivered", count(p.sent), count(p.delivered)));
        line(
            "sent again",
            format!("{}, {}", count(p.retransmitted), plural(self.timeouts, "timeout")),
        );
        if p.refused > 0 {
            line("", format!("{} refused where they arrived, out of order", count(p.refused)));
        }
        line("dropped", dropped_text(p));
        for text in top_ports(plan, outcome, 3) {
            line("", text);
        }
        if p.lossless_refused > 0 {
            let lost = plural(p.lossless_refused, "frame");
            let leak = leak(&plan.queue, plan.buffer.as_ref(), &plan.faults, plan.tor.is_some());
            let why = leak.map_or("there should be none", Leak::text);
            line("", format!("{lost} of lossless classes found no room: {why}"));
        }
        line("trimmed, marked", format!("{}, {}", count(p.trimmed), count(p.marked)));
        line("longest queue", longest_queue(plan, outcome));
        if !outcome.memory_bytes_max.is_empty() {
            line("fullest memory", fullest_memory(plan, outcome));
        }
        if let Some(across) = across(plan, outcome) {
            line("inside servers", across);
        }
        if let Some(used) = self.circuit_utilisation {
            let tax = self.bandwidth_tax.map_or(String::new(), |tax| {
                format!(", {:.1}% more packets than arrived", tax * 100.0)
            });
            line("circuits", format!("{:.1}% of what they could carry{tax}", used * 100.0));
        }
        if let Some(throughput) = self.throughput {
            line("throughput", throughput.text());
        }
        if plan.queue.pfc.is_some() {
            line("pauses", pauses(self.pauses, outcome));
        }
        if plan.queue.cbfc.is_some() {
            line("without credit", without_credit(self, outcome));
        }
        if let Some(circle) = deadlock(plan, outcome) {
            line("deadlock", circle);
        }
        line(
            "packet-hops",
            format!(
                "{} in {} CPU ({} per s), {} elapsed",
                count(self.packet_hops),
                time(self.cost.cpu_s.unwrap_or(self.cost.wall_s) * 1e6),
                short(self.hops_per_s()),
                time(self.cost.wall_s * 1e6)
            ),
        );
        if let Some(mb) = self.cost.peak_rss_mb {
            line("peak memory", format!("{mb:.0} MB"));
        }
        line("results hash", self.results_hash.clone());
        let mut text = format!("scenario {}, seed {}\n", self.scenario, self.seed);
        for line in lines {
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text.push_str(&jobs::table(&self.jobs));
        text
    }

    fn stop_text(&self, outcome: &Outcome) -> String {
        let counts = [(self.unstarted, "never started"), (self.at_dead_hosts, "at dead hosts")];
        let counts = counts.iter().filter(|(flows, _)| *flows > 0);
        let causes: Vec<String> =
            counts.map(|(flows, what)| format!("{} {what}", count(*flows))).collect();
        let unstarted = match &causes[..] {
            [] => String::new(),
            causes => format!(" ({})", causes.join(", ")),
        };
        let open =
            |open: &[FlowId]| format!("{} not completed{unstarted}", count(open.len() as u64));
        match &outcome.stop {
            Stop::Completed => "all completed".to_string(),
            Stop::EndTime(flows) if outcome.end == TIME_LIMIT => {
                format!("{} at {}, the longest that is simulated", open(flows), outcome.end)
            }
            Stop::EndTime(flows) => format!("{} at the end time", open(flows)),
            Stop::Stalled(flows) => format!("{}: no more progress is possible", open(flows)),
            Stop::Interrupted => "interrupted".to_string(),
        }
    }

    fn completion_text(&self, outcome: &Outcome) -> String {
        let bound = match (self.bound_us, &self.bound) {
            (Some(us), Some(name)) => format!("the bound of {} ({name})", time(us)),
            _ => "no bound".to_string(),
        };
        match (self.completion_us, self.increase_pct) {
            (Some(us), Some(increase)) => {
                let increase = percent(increase);
                format!("{}, {} over {bound}", time(us), increase.trim_start_matches('+'))
            }
            (Some(us), None) => format!("{}, {bound} known for this traffic", time(us)),
            (None, _) => {
                let when = match outcome.stop {
                    Stop::Stalled(_) => "never".to_owned(),
                    _ => format!("not by {}", outcome.end),
                };
                format!("{when}: {} not completed", plural(self.unfinished, "flow"))
            }
        }
    }
}

impl Times {
    pub(super) fn text(self) -> String {
        match (self.max, self.p99, self.p50, self.mean) {
            (Some(max), Some(p99), Some(p50), Some(mean)) => format!(
                "max {}, p99 {}, p50 {}, mean {}",
                time(max),
                time(p99),
                time(p50),
                time(mean)
            ),
            _ => "none completed".to_string(),
        }
    }
}

/// How many stuck flows are named.
const NAMED: usize = 10;

/// The first flows that did not complete and what they lack, one line each, and how many more.
fn stuck_flows(plan: &Plan, outcome: &Outcome) -> Vec<String> {
    let (Stop::EndTime(open) | Stop::Stalled(open)) = &outcome.stop else { return Vec::new() };
    let causes = Causes::of(plan, outcome);
    let mut lines: Vec<String> = open
        .iter()
        .take(NAMED)
        .map(|&flow| {
            let ends = &plan.traffic.flows[flow.index()];
            let (from, to) = (ends.source.0, ends.destination.0);
            let lacks = missing(plan, outcome, flow);
            let why = match causes.cause(flow) {
                Some(Cause::DeadHost(host)) => format!("; host{} is dead", host.0),
                Some(Cause::RetryExceeded) => "; its sender has given up".to_owned(),
                _ => String::new(),
            };
            format!("flow {}, host{from} to host{to}: {lacks}{why}", flow.0)
        })
        .collect();
    if open.len() > NAMED {
        lines.push(format!("and {} more", count((open.len() - NAMED) as u64)));
    }
    lines
}

fn missing(plan: &Plan, outcome: &Outcome, flow: FlowId) -> String {
    let record = outcome.flows.at(flow.index());
    if record.started.is_none() {
        return "never started".to_owned();
    }
    let bytes = plan.traffic.flows[flow.index()].bytes;
    let all = u64::from(packets(bytes, plan.transport.payload));
    match all.saturating_sub(record.received) {
        0 => "delivered, but its last ACK is missing".to_owned(),
        missing => format!("{} of {} missing", count(missing), plural(all, "packet")),
    }
}

fn dropped_text(packets: &Packets) -> String {
    let by_cause = DropCause::ALL.map(|cause| (cause.word(), packets.dropped[cause as usize]));
    let by_cause = by_cause.into_iter().chain([("middleware", packets.dropped_by_middleware)]);
    let total: u64 = by_cause.clone().map(|(_, lost)| lost).sum();
    let causes: Vec<String> = by_cause
        .filter(|(_, lost)| *lost > 0)
        .map(|(word, lost)| format!("{word} {}", count(lost)))
        .collect();
    if causes.is_empty() {
        count(total)
    } else {
        format!("{}: {}", count(total), causes.join(", "))
    }
}

/// One line for each of the `n` ports that lost most data packets.
fn top_ports(plan: &Plan, outcome: &Outcome, n: usize) -> Vec<String> {
    let lost = |i: usize| outcome.ports[i].dropped_data.iter().sum::<u64>();
    let mut ports: Vec<usize> = (0..outcome.ports.len()).filter(|&i| lost(i) > 0).collect();
    ports.sort_by_key(|&i| std::cmp::Reverse(lost(i)));
    let others = ports.len().saturating_sub(n);
    let mut lines: Vec<String> = ports
        .iter()
        .take(n)
        .map(|&i| format!("{} at {}", count(lost(i)), plan.fabric.ports[i].name))
        .collect();
    if others > 0
        && let Some(last) = lines.last_mut()
    {
        let _ = write!(last, ", and at {}", plural(others as u64, "other port"));
    }
    lines
}

fn longest_queue(plan: &Plan, outcome: &Outcome) -> String {
    let hosts = plan.fabric.host_ports() as usize;
    let longest = (hosts..outcome.ports.len())
        .max_by_key(|&i| (outcome.ports[i].queue_bytes_max, std::cmp::Reverse(i)));
    match longest {
        Some(i) => format!(
            "{} B at {}",
            count(outcome.ports[i].queue_bytes_max),
            plan.fabric.ports[i].name
        ),
        None => "no switch ports".to_string(),
    }
}

/// How long ports had no credit for a full packet, and the most cells out.
fn without_credit(summary: &RunSummary, outcome: &Outcome) -> String {
    let leaked = outcome.credits.iter().map(|own| own.sum(|class| class.leaked));
    let leaked = match leaked.sum() {
        0 => String::new(),
        cells => format!(", {} leaked", count(cells)),
    };
    let (all, most) = (time(summary.without_credit_us), count(summary.credit_cells_max));
    format!("{all} in all, at most {most} cells out{leaked}")
}

/// How often, and for how long in all, far ends were to pause a class.
fn pauses(pauses: u64, outcome: &Outcome) -> String {
    let own = outcome.ports.iter().filter_map(|port| port.pfc.as_ref());
    let paused: f64 = own.map(|pfc| pfc.paused.as_us()).sum();
    if pauses == 0 { count(0) } else { format!("{}, {} in all", count(pauses), time(paused)) }
}

/// The links round which pauses wait for each other.
fn deadlock(plan: &Plan, outcome: &Outcome) -> Option<String> {
    let name = |port: &PortId| format!("`{}`", plan.fabric.ports[port.index()].name);
    let names: Vec<String> = outcome.deadlock.iter().map(name).collect();
    let (first, all) = (names.first()?, names.join(", "));
    let who = if plan.queue.cbfc.is_some() { "links without credit" } else { "pauses" };
    Some(format!("{who} wait for each other in a circle: {all}, {first}"))
}

/// What the crossbars of servers passed.
fn across(plan: &Plan, outcome: &Outcome) -> Option<String> {
    let domain = plan.fabric.scale_up.as_ref()?;
    let bytes: u64 = outcome.scale_up.iter().map(|own| own.received_bytes).sum();
    let hosts = (0..outcome.scale_up.len() as u32).map(HostId).zip(&outcome.scale_up).rev();
    let (host, most) = hosts.max_by_key(|(_, own)| own.sent_bytes.max(own.received_bytes))?;
    let busiest = domain.serialisation(Bytes(most.sent_bytes.max(most.received_bytes)));
    let share = 100.0 * busiest.0 as f64 / outcome.end.0.max(1) as f64;
    let name = plan.fabric.host_name(host);
    Some(format!("{} B, the busiest port {share:.1}% of the time, at {name}", count(bytes)))
}

fn fullest_memory(plan: &Plan, outcome: &Outcome) -> String {
    let memories = outcome.memory_bytes_max.iter().zip(&plan.fabric.switches);
    let fullest = memories.rev().max_by_key(|(most, _)| **most);
    fullest.map_or("no switches".to_string(), |(most, switch)| {
        format!("{} B of {}", count(*most), switch.name)
    })
}

/// Of each job of several groups, a line with the least, the median and the most of what its groups took,
/// and of their bus bandwidths.
pub(super) fn over_groups(jobs: &[JobSummary]) -> Vec<String> {
    let whole = || jobs.iter().filter(|job| job.load_balance.is_none());
    let mut names: Vec<&str> = whole().filter_map(|job| job.group_of.as_deref()).collect();
    names.dedup();
    let line = |name: &str| {
        let groups = || whole().filter(|job| job.group_of.as_deref() == Some(name));
        let all = |metric: &Metric| {
            let values = groups().map(|job| metric.measure(&Measured::of_job(job)));
            let [min, median, max] = least_median_most(values.collect::<Option<_>>()?)?;
            let [min, median, max] = [min, median, max].map(|value| metric.text(value));
            Some(format!("{} min {min}, median {median}, max {max}", metric.noun))
        };
        let parts: Vec<String> = [&COMPLETION, &BUSBW].into_iter().filter_map(all).collect();
        (!parts.is_empty()).then(|| {
            format!("{} of {name}: {}", plural(groups().count() as u64, "group"), parts.join("; "))
        })
    };
    names.into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::stuck_flows;
    use crate::study::fixture;
    use crate::study::summary::{Bound, RunSummary};
    use crate::study::timing::Cost;
    use raddle_schemes::ids::FlowId;
    use raddle_schemes::units::{Span, Time};
    use raddle_sim::record::{FlowRecord, Stop};

    #[test]
    fn a_run_reads_as_this() {
        let plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        for i in 0..outcome.flows.len() {
            outcome.flows.change(i, |flow| {
                flow.delivered = Some(Time(3_000_000 + 1_000_000 * i as u64));
                flow.acked = Some(Time(4_000_000 + 1_000_000 * i as u64));
            });
        }
        let bound = Bound { name: "permutation", time: Span::us(4) };
        let cost = Cost { wall_s: 0.1, cpu_s: Some(0.08), peak_rss_mb: Some(12.3) };
        let summary = RunSummary::new("5ce7a110", &plan, &outcome, Some(&bound), cost);
        let text = summary.text(&plan, &outcome).replace(&summary.results_hash, "0123456789abcdef");
        assert_eq!(text, EXPECTED);
    }

    #[test]
    fn stuck_flows_are_named_with_their_hosts_and_what_they_lack() {
        let mut plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        plan.traffic.flows = (0..12).map(|_| plan.traffic.flows[1].clone()).collect();
        let record = FlowRecord { received: 1, acked: None, ..outcome.flows.at(0) };
        outcome.flows = std::iter::repeat_n(record, 12).collect();
        outcome.flows.change(1, |flow| flow.received = 3);
        outcome.flows.change(2, |flow| *flow = FlowRecord::default());
        outcome.stop = Stop::Stalled((0..12).map(FlowId).collect());
        let lines = stuck_flows(&plan, &outcome);
        assert_eq!(lines.len(), 11);
        assert_eq!(lines[0], "flow 0, host1 to host2: 2 of 3 packets missing");
        assert_eq!(lines[1], "flow 1, host1 to host2: delivered, but its last ACK is missing");
        assert_eq!(lines[2], "flow 2, host1 to host2: never started");
        assert_eq!(lines[10], "and 2 more");
        outcome.stop = Stop::EndTime(vec![FlowId(2)]);
        assert_eq!(stuck_flows(&plan, &outcome), lines[2..3]);
        outcome.stop = Stop::Completed;
        assert!(stuck_flows(&plan, &outcome).is_empty());
    }

    const EXPECTED: &str = "\
scenario 5ce7a110, seed 1
  flows            2 flows, all completed
  completion       5.000 us, 25 % over the bound of 4.000 us (permutation)
  flow completion  max 5.000 us, p99 5.000 us, p50 4.000 us, mean 4.500 us
  delivery         max 4.000 us, p99 4.000 us, p50 3.000 us, mean 3.500 us
  slowdown         mean 1.37, p50 1.22; p95, p99 and p99.9 not resolved
  last             flow 1, host1 to host2, 10 000 B, ended at 5.000 us, 1.5 times what it takes alone
                   1 packet lost on its way
  data packets     8 sent, 6 delivered
  sent again       2, 0 timeouts
  dropped          2: overflow 2
                   2 at tor0.down1
  trimmed, marked  0, 5
  longest queue    8 320 B at tor0.down1
  packet-hops      24 in 80.00 ms CPU (300 per s), 100.0 ms elapsed
  peak memory      12 MB
  results hash     0123456789abcdef
";
}
