//! What schemes show of their state over time: the same few calls from both engines.
//!
//! A flow's sender, a switch's load balancing, its memory and its middleware are looked at before
//! each of their calls: what they show then is what they came to in the bucket of the call before.
//! A number has a row where it differs from the row before it, so that a call that changes nothing
//! leaves no trace: an engine may make it or not.

use super::probes::{Holder, ProbeRow};
use super::series::Buckets;
use crate::plan::{Plan, TransportPlan};
use raddle_schemes::ids::{FlowId, PortId, SwitchId};
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::probe::{Probe, Probes};
use raddle_schemes::transport::Sender;
use raddle_schemes::units::{Span, Time};
use raddle_schemes::{buffer, congestion, recovery, tor};
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

/// The words of what flows show whatever their schemes: see [`Sender::probes`]. `rtt` is the last
/// round trip that an ACK told.
const OF_ALL_FLOWS: [&str; 8] =
    ["rtt", "window", "rate", "in_flight", "acked", "sent", "resent", "timeouts"];

/// What flows and switches show under these schemes, each word once.
pub fn words(
    transport: &TransportPlan,
    selector: &switch::Config,
    policy: Option<&buffer::Config>,
    tor: Option<&tor::Config>,
) -> [Vec<&'static str>; 2] {
    let mut of_flows = OF_ALL_FLOWS.to_vec();
    let paths = std::iter::once(&transport.load_balance).chain(&transport.other_load_balances);
    of_flows.extend(paths.flat_map(host::Config::probes));
    of_flows.extend(transport.congestions().flat_map(congestion::Config::probes));
    let others = transport.other_transports.iter().map(|other| &other.recovery);
    let recoveries = std::iter::once(&transport.recovery).chain(others);
    of_flows.extend(recoveries.flat_map(recovery::Config::probes));
    let mut of_switches = selector.probes();
    let policy = policy.filter(|policy| policy.sees_switch());
    of_switches.extend(policy.into_iter().flat_map(buffer::Config::probes));
    of_switches.extend(tor.into_iter().flat_map(tor::Config::probes));
    [of_flows, of_switches].map(|words| {
        let mut each = Vec::new();
        for word in words {
            if !each.contains(&word) {
                each.push(word);
            }
        }
        each
    })
}

impl Plan {
    /// What flows and switches of this plan show, each word once.
    pub fn probes(&self) -> [Vec<&'static str>; 2] {
        let policy = self.buffer.as_ref().map(|own| &own.policy);
        words(&self.transport, &self.switch_load_balance, policy, self.tor.as_ref())
    }
}

/// Follows one holder.
pub(crate) struct Follower {
    holder: Holder,
    /// The switch's first port.
    first_port: u32,
    wanted: Arc<[String]>,
    buckets: Buckets,
    /// The bucket of the last call, or its instant.
    last: Option<u64>,
    /// The last round trip.
    rtt: Option<Span>,
    /// What was last shown, and in the same order what is shown now.
    known: Vec<Probe>,
    shown: Vec<Probe>,
    rows: Vec<ProbeRow>,
}

/// Takes what is wanted.
struct Wanted<'a> {
    words: &'a [String],
    shown: &'a mut Vec<Probe>,
}

impl Probes for Wanted<'_> {
    fn take(&mut self, probe: Probe) {
        if self.words.iter().any(|word| word == probe.name) {
            self.shown.push(probe);
        }
    }
}

impl Follower {
    fn new(plan: &Plan, wanted: &Arc<[String]>, holder: Holder) -> Self {
        let first_port = match holder {
            Holder::Flow(_) => 0,
            Holder::Switch(switch) => plan.fabric.switches[switch.index()].ports.start,
        };
        Self {
            holder,
            first_port,
            wanted: Arc::clone(wanted),
            buckets: Buckets::new(plan.record.probes.every),
            last: None,
            rtt: None,
            known: Vec::new(),
            shown: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Of a part of a switch that shows these words, if one of them is wanted.
    pub(crate) fn of_switch(plan: &Plan, switch: SwitchId, words: &[&str]) -> Option<Box<Self>> {
        let wanted = &plan.record.probes.words;
        let any = wanted.iter().any(|word| words.contains(&word.as_str()));
        let follower = || Self::new(plan, &wanted[..].into(), Holder::Switch(switch));
        any.then(|| Box::new(follower()))
    }

    /// A call is about to be made of what `show` shows. Out of line: who follows nobody pays nothing.
    #[cold]
    #[inline(never)]
    pub(crate) fn before(&mut self, now: Time, show: impl FnOnce(&mut dyn Probes)) {
        let bucket = now.0.checked_div(self.buckets.width()).unwrap_or(now.0);
        if self.last.is_some_and(|last| last != bucket) {
            self.look(show);
        }
        self.last = Some(bucket);
    }

    /// There will be no more calls.
    pub(crate) fn end(mut self, show: impl FnOnce(&mut dyn Probes)) -> Vec<ProbeRow> {
        self.look(show);
        self.rows
    }

    fn look(&mut self, show: impl FnOnce(&mut dyn Probes)) {
        let Some(bucket) = self.last else { return };
        let Self { holder, first_port, known, shown, rows, .. } = self;
        let mut wanted = Wanted { words: &self.wanted, shown };
        if let Some(rtt) = self.rtt {
            wanted.span("rtt", rtt);
        }
        show(&mut wanted);
        let at = Time(bucket * self.buckets.width().max(1));
        for (place, probe) in shown.iter().enumerate() {
            let same = |other: &&Probe| (other.name, other.port) == (probe.name, probe.port);
            let before = known.get(place).filter(same).or_else(|| known.iter().find(same));
            if before != Some(probe) {
                let Probe { name, unit, port, value } = *probe;
                let port = port.map(|port| PortId(*first_port + port));
                rows.push(ProbeRow { at, holder: *holder, port, probe: name, unit, value });
            }
        }
        mem::swap(known, shown);
        shown.clear();
    }
}

/// Follows the senders of flows.
pub(crate) struct FlowProbes {
    followers: BTreeMap<FlowId, Follower>,
    rows: Vec<ProbeRow>,
}

impl FlowProbes {
    /// Of the flows that the plan names, if it wants anything of them. `own` are those that begin
    /// here.
    pub(crate) fn of(plan: &Plan, own: impl Fn(FlowId) -> bool) -> Option<Box<Self>> {
        let record = &plan.record.probes;
        if record.words.is_empty() {
            return None;
        }
        let wanted: Arc<[String]> = record.words[..].into();
        let own = record.flows.iter().filter(|flow| own(**flow));
        let followers: BTreeMap<_, _> =
            own.map(|&flow| (flow, Follower::new(plan, &wanted, Holder::Flow(flow)))).collect();
        (!followers.is_empty()).then(|| Box::new(Self { followers, rows: Vec::new() }))
    }

    /// A call is about to be made of a flow's sender.
    #[cold]
    #[inline(never)]
    pub(crate) fn before(&mut self, now: Time, flow: FlowId, sender: &Sender) {
        if let Some(follower) = self.followers.get_mut(&flow) {
            follower.before(now, |to| sender.probes(to));
        }
    }

    /// An ACK has told of a round trip.
    pub(crate) fn note_rtt(&mut self, flow: FlowId, rtt: Option<Span>) {
        if let (Some(follower), Some(rtt)) = (self.followers.get_mut(&flow), rtt) {
            follower.rtt = Some(rtt);
        }
    }

    /// The flow has ended, or the run has.
    pub(crate) fn end(&mut self, flow: FlowId, sender: &Sender) {
        if let Some(follower) = self.followers.remove(&flow) {
            self.rows.extend(follower.end(|to| sender.probes(to)));
        }
    }

    /// All rows, flow by flow as they ended.
    pub(crate) fn rows(self) -> Vec<ProbeRow> {
        self.rows
    }
}

/// Rows of all parts of a run, in the order of an outcome: by holder, then by time.
pub(crate) fn in_order(mut rows: Vec<ProbeRow>) -> Vec<ProbeRow> {
    rows.sort_by_key(|row| (row.holder, row.at));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::probe::OfPort;

    fn follower(bucket: Span) -> Follower {
        Follower {
            holder: Holder::Switch(SwitchId(2)),
            first_port: 10,
            wanted: ["late".to_owned(), "threshold".to_owned()].into(),
            buckets: Buckets::new(bucket),
            last: None,
            rtt: None,
            known: Vec::new(),
            shown: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// What a scheme shows whose count is so high.
    fn shows(late: u64) -> impl FnOnce(&mut dyn Probes) {
        move |to| {
            to.count("late", late);
            to.count("unwanted", late);
            OfPort { port: 3, to }.number("threshold", 0.5);
        }
    }

    #[test]
    fn a_number_has_a_row_at_the_end_of_each_bucket_in_which_it_changed() {
        let mut own = follower(Span(100));
        // Calls at 5, 50 and 120 and 350: each begins with what the ones before have left.
        for (at, late) in [(5, 0), (50, 1), (120, 2), (350, 2)] {
            own.before(Time(at), shows(late));
        }
        let rows = own.end(shows(7));
        let told: Vec<_> = rows.iter().map(|row| (row.at.0, row.probe, row.value)).collect();
        assert_eq!(told, [(0, "late", 2.0), (0, "threshold", 0.5), (300, "late", 7.0)]);
        assert_eq!(rows[1].port, Some(PortId(13)));
    }

    #[test]
    fn without_buckets_instants_are_told_apart_and_calls_that_change_nothing_are_not() {
        let rows = |calls: &[(u64, u64)]| {
            let mut own = follower(Span::ZERO);
            calls.iter().for_each(|&(at, late)| own.before(Time(at), shows(late)));
            own.end(shows(2))
        };
        let all = rows(&[(5, 0), (5, 0), (6, 1), (7, 1), (9, 2)]);
        assert_eq!(all.iter().map(|row| row.at.0).collect::<Vec<_>>(), [5, 5, 7]);
        // Those at 6 and 9 changed nothing.
        assert_eq!(all, rows(&[(5, 0), (7, 1)]));
    }
}
