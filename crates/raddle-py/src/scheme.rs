//! Schemes in Python, for prototypes: a class stands in for a load balancer or a congestion control
//! of the hosts. Each of their calls takes the GIL.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raddle::scenario::reader::nearest;
use raddle::study::run::Job;
use raddle_schemes::congestion::{self, Ack, CongestionControl, Limits, Loss, LossCause};
use raddle_schemes::family::Plugin;
use raddle_schemes::ids::Entropy;
use raddle_schemes::load_balance::host::{self, Fate, Feedback, Outgoing, PathSelector};
use raddle_schemes::units::{Bytes, Rate};
use raddle_schemes::{Card, Cx, FlowContext};
use raddle_sim::engine::{self, Options};
use raddle_sim::plan::{Plan, TransportPlan};
use raddle_sim::record::{Observer, Outcome, Progress, Stop};
use raddle_sim::workload::Flow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A class, and the scheme of the catalogue that it stands in for, if the caller names one.
pub(crate) type Class = (Option<String>, Py<PyAny>);

/// The classes of a call.
#[derive(Clone)]
pub(crate) struct Classes {
    load_balance: Arc<Vec<Class>>,
    congestion: Arc<Vec<Class>>,
    raised: Raised,
}

/// The first error that a class raised.
#[derive(Clone, Default)]
struct Raised(Arc<Mutex<Option<PyErr>>>);

const PATHS: Card = Card {
    name: "python_load_balance",
    title: "A class of Python",
    paper: "-",
    needs: &[],
    summary: "A prototype.",
};

const WINDOW: Card = Card { name: "python_congestion", ..PATHS };

static PATHS_CARD: Card = PATHS;
static WINDOW_CARD: Card = WINDOW;

/// What classes found in plans: the schemes that flows have, and those that a class stood in for.
#[derive(Default)]
struct Found {
    there: BTreeSet<&'static str>,
    replaced: BTreeMap<&'static str, String>,
}

impl Classes {
    pub(crate) fn new(load_balance: Vec<Class>, congestion: Vec<Class>) -> Self {
        let (load_balance, congestion) = (Arc::new(load_balance), Arc::new(congestion));
        Self { load_balance, congestion, raised: Raised::default() }
    }

    /// No class.
    pub(crate) fn none() -> Self {
        Self::new(Vec::new(), Vec::new())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.load_balance.is_empty() && self.congestion.is_empty()
    }

    /// Puts them into the plans of `jobs`, and their names into the settings of these in place of
    /// those of the schemes that they stand in for. With a `mark`, the jobs whose runs they change
    /// have it behind the scenario's hash: they are no runs of that scenario.
    ///
    /// A plan of each scenario is made for it, as only that tells which schemes flows have. Where the
    /// jobs are a part of others, those may have the schemes that no flow has here.
    ///
    /// # Errors
    /// Which scheme a class stands in for is not clear, or no flow of any job has it (`ValueError`).
    pub(crate) fn join(
        &self,
        py: Python<'_>,
        jobs: Vec<Job>,
        mark: Option<&str>,
        is_part: bool,
    ) -> PyResult<Vec<Job>> {
        let mut by_scenario = BTreeMap::new();
        for job in &jobs {
            if !by_scenario.contains_key(&job.scenario) {
                let found = py.detach(|| (job.plan)()).map(|mut plan| self.enter(py, &mut plan));
                // A plan that cannot be made is told of by its run.
                by_scenario.insert(job.scenario.clone(), found.unwrap_or_default());
            }
        }
        for (family, (key, classes)) in
            [("load_balance", &self.load_balance), ("congestion", &self.congestion)]
                .into_iter()
                .enumerate()
        {
            let found = by_scenario.values().map(|both| &both[family]);
            if !is_part {
                check(key, classes, found).map_err(PyValueError::new_err)?;
            }
        }
        tell_apart(&mut by_scenario);
        let joined = jobs.into_iter().map(|mut job| {
            let Some([paths, windows]) = by_scenario.get(&job.scenario) else { return job };
            for (path, value) in &mut job.settings {
                rename(path, value, "load_balance", &paths.replaced);
                rename(path, value, "congestion", &windows.replaced);
            }
            let is_changed = !paths.replaced.is_empty() || !windows.replaced.is_empty();
            if let (Some(mark), true) = (mark, is_changed) {
                job.scenario = format!("{}-{mark}", job.scenario);
            }
            let (classes, plain) = (self.clone(), job.plan);
            job.plan = Box::new(move || {
                let mut plan = plain()?;
                Python::attach(|py| classes.enter(py, &mut plan));
                Ok(plan)
            });
            job
        });
        Ok(joined.collect())
    }

    /// Puts them into a plan, wherever flows have the schemes that they stand in for; what was there,
    /// of load balancers and of congestion controls.
    fn enter(&self, py: Python<'_>, plan: &mut Plan) -> [Found; 2] {
        let TransportPlan {
            load_balance, other_load_balances, congestion, other_transports, ..
        } = &mut plan.transport;
        let flows = &plan.traffic.flows;
        let paths = std::iter::once(load_balance).chain(other_load_balances);
        let others = other_transports.iter_mut().map(|other| &mut other.congestion);
        let windows = std::iter::once(congestion).chain(others);
        let name = |config: &host::Config| config.card().name;
        let path = |class: &Class| {
            let (class, raised) = (class.1.clone_ref(py), self.raised.clone());
            host::Config::Custom(Plugin::made(&PATHS_CARD, move |_: &FlowContext| {
                Box::new(Paths::new(&class, &raised)) as Box<dyn PathSelector + Send>
            }))
        };
        let paths =
            replace(py, &self.load_balance, used(paths, flows, |f| f.load_balance), name, path);
        let name = |config: &congestion::Config| config.card().name;
        let window = |class: &Class| {
            let (class, raised) = (class.1.clone_ref(py), self.raised.clone());
            congestion::Config::Custom(Plugin::made(&WINDOW_CARD, move |flow: &FlowContext| {
                Box::new(Window::new(&class, &raised, flow)) as Box<dyn CongestionControl + Send>
            }))
        };
        let windows =
            replace(py, &self.congestion, used(windows, flows, |f| f.transport), name, window);
        [paths, windows]
    }

    /// Runs a plan that they are in, on this thread; what they raise ends it.
    pub(crate) fn run(&self, plan: &Plan, observer: &mut dyn Observer) -> Outcome {
        let options = Options { threads: 1, width: None };
        let mut watched = Watched { raised: &self.raised, observer };
        // Attached all the time: to attach anew for each call makes and ends a state of the thread.
        // Python hands the lock on while it runs the classes, to a handler of signals, too.
        let mut outcome = Python::attach(|_| engine::run_with(plan, &options, &mut watched));
        if self.raised.is_set() {
            // Also where the run came to its end before it noticed: nobody keeps it.
            outcome.stop = Stop::Interrupted;
        }
        outcome
    }

    /// What they raised, if they did.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether they did.
    pub(crate) fn have_raised(&self) -> bool {
        self.raised.is_set()
    }
}

impl Raised {
    fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Keeps the first error, and goes on with `instead` until the run has noticed.
    fn or<T>(&self, result: PyResult<T>, instead: T) -> T {
        result.unwrap_or_else(|error| {
            let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            raised.get_or_insert(error);
            instead
        })
    }
}

/// Those of the schemes of a plan that flows have, by their numbers.
fn used<'a, C, N: Into<usize>>(
    all: impl Iterator<Item = &'a mut C>,
    flows: &[Flow],
    number: impl Fn(&Flow) -> N,
) -> Vec<&'a mut C> {
    let numbers: BTreeSet<usize> = flows.iter().map(|flow| number(flow).into()).collect();
    let all = all.enumerate().filter(|(number, _)| numbers.contains(number));
    all.map(|(_, own)| own).collect()
}

/// Puts classes in the place of schemes: each in that of the one that it names, one without a name in
/// that of all.
fn replace<C>(
    py: Python<'_>,
    classes: &[Class],
    all: Vec<&mut C>,
    name: impl Fn(&C) -> &'static str,
    made: impl Fn(&Class) -> C,
) -> Found {
    let mut found = Found::default();
    for own in all {
        let here = name(own);
        found.there.insert(here);
        let stands_in = |(scheme, _): &&Class| scheme.as_deref().is_none_or(|word| word == here);
        if let Some(class) = classes.iter().find(stands_in) {
            found.replaced.insert(here, called(py, &class.1));
            *own = made(class);
        }
    }
    found
}

/// The name of a class, or of what a `functools.partial` is of.
fn called(py: Python<'_>, class: &Py<PyAny>) -> String {
    let name = |of: &Py<PyAny>| of.getattr(py, "__name__")?.extract::<String>(py);
    let name = name(class).or_else(|_| name(&class.getattr(py, "func")?));
    name.unwrap_or_else(|_| "a class of Python".to_owned())
}

/// Puts the scheme behind the names of classes that are called as another one, or as a scheme.
fn tell_apart(by_scenario: &mut BTreeMap<String, [Found; 2]>) {
    for family in 0..2 {
        let mut taken: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for both in by_scenario.values() {
            let Found { there, replaced } = &both[family];
            for (scheme, name) in replaced {
                taken.entry(name.clone()).or_default().insert(scheme);
            }
            for scheme in there {
                taken.entry((*scheme).to_owned()).or_default().insert(scheme);
            }
        }
        let replaced = by_scenario.values_mut().flat_map(|both| &mut both[family].replaced);
        for (scheme, name) in replaced {
            if taken.get(name).is_some_and(|schemes| schemes.len() > 1) {
                *name = format!("{name} ({scheme})");
            }
        }
    }
}

/// Whether it is clear what classes stand in for, over all scenarios of a call.
///
/// # Errors
/// Flows have several schemes and none is named, or none has the one that is.
fn check<'a>(
    key: &str,
    classes: &[Class],
    found: impl Iterator<Item = &'a Found>,
) -> Result<(), String> {
    let there: BTreeSet<&str> = found.flat_map(|own| &own.there).copied().collect();
    let listed = there.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    for (scheme, _) in classes {
        match scheme.as_deref() {
            Some(scheme) if !there.contains(scheme) => {
                let near = nearest(scheme, there.iter().copied());
                let near = near.map_or(String::new(), |near| format!("; nearest: `{near}`"));
                return Err(format!("{key}: no flow has `{scheme}`; they have {listed}{near}"));
            }
            None if there.len() > 1 => {
                let first = there.first().unwrap_or(&"");
                return Err(format!(
                    "{key}: flows have {listed}; name the one that the class stands in for: \
                     {key}={{\"{first}\": Class}}"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Puts the name of a class where a setting has the scheme that it stands in for.
fn rename(path: &str, value: &mut String, key: &str, replaced: &BTreeMap<&str, String>) {
    if !path.starts_with("transport.") && !path.starts_with("traffic") {
        return;
    }
    for (scheme, class) in replaced {
        if path.ends_with(&format!("{key}.scheme")) && value == scheme {
            value.clone_from(class);
            return;
        }
        let table = format!("{{ scheme = \"{scheme}\"");
        if path.ends_with(key) && value.starts_with(&table) {
            *value = format!("{{ scheme = \"{class}\"{}", &value[table.len()..]);
            return;
        }
    }
}

struct Watched<'a> {
    raised: &'a Raised,
    observer: &'a mut dyn Observer,
}

impl Observer for Watched<'_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.observer.progress(progress) && !self.raised.is_set()
    }
}

/// An instance of a class for a flow.
fn instance(py: Python<'_>, class: &Py<PyAny>, flow: &FlowContext) -> PyResult<Py<PyAny>> {
    let of = py.import("raddle.scheme")?.getattr("Flow")?;
    let flow = of.call1((
        flow.source.0,
        flow.destination.0,
        flow.payload.0,
        flow.header.0,
        flow.base_rtt.0,
        flow.rate.0,
        flow.bdp.0,
        flow.rto.0,
        flow.trimming,
    ))?;
    class.call1(py, (flow,))
}

struct Paths {
    class: Py<PyAny>,
    raised: Raised,
    scheme: Option<Py<PyAny>>,
}

impl Paths {
    fn new(class: &Py<PyAny>, raised: &Raised) -> Self {
        let class = Python::attach(|py| class.clone_ref(py));
        Self { class, raised: raised.clone(), scheme: None }
    }
}

impl PathSelector for Paths {
    fn begin(&mut self, context: &FlowContext) {
        let made = Python::attach(|py| instance(py, &self.class, context)).map(Some);
        self.scheme = self.raised.or(made, None);
    }

    fn next_path(&mut self, cx: &mut Cx<'_>, packet: &Outgoing) -> Entropy {
        let Some(scheme) = &self.scheme else { return Entropy(0) };
        let arguments = (cx.now.0, packet.psn.0, packet.again, cx.rng.next_u64());
        let path = Python::attach(|py| {
            scheme.call_method1(py, pyo3::intern!(py, "next_path"), arguments)?.extract::<u16>(py)
        });
        Entropy(self.raised.or(path, 0))
    }

    fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        let Some(scheme) = &self.scheme else { return };
        let fate = match news.fate {
            Fate::Clean => "clean",
            Fate::Marked => "marked",
            Fate::Trimmed => "trimmed",
            Fate::TimedOut => "timed_out",
            // Told to those alone that ask for it, which classes of Python do not.
            Fate::Overtaken => return,
        };
        let rtt = news.rtt.map(|rtt| rtt.0);
        let arguments = (cx.now.0, news.path.0, fate, rtt, news.window_after.0, news.in_flight.0);
        let heard = Python::attach(|py| {
            scheme.call_method1(py, pyo3::intern!(py, "on_feedback"), arguments).map(drop)
        });
        self.raised.or(heard, ());
    }
}

struct Window {
    raised: Raised,
    scheme: Option<Py<PyAny>>,
    packet: Bytes,
    limits: Limits,
}

impl Window {
    fn new(class: &Py<PyAny>, raised: &Raised, context: &FlowContext) -> Self {
        let packet = context.packet();
        let made = Python::attach(|py| instance(py, class, context)).map(Some);
        let scheme = raised.or(made, None);
        let limits = Limits { window: packet, rate: None };
        let mut own = Self { raised: raised.clone(), scheme, packet, limits };
        own.after(|_, _| Ok(()));
        own
    }

    /// Makes a call, and asks for the limits that are in force behind it.
    fn after(&mut self, call: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<()>) {
        let Some(scheme) = &self.scheme else { return };
        let limits = Python::attach(|py| {
            call(py, scheme)?;
            let limits = scheme.call_method0(py, pyo3::intern!(py, "limits"))?;
            let (window, rate) = limits.extract::<(u64, Option<u64>)>(py)?;
            if window < self.packet.0 || rate == Some(0) {
                let message = format!(
                    "limits() = {:?}: the window is at least a packet, {} B, and the rate above 0",
                    (window, rate),
                    self.packet.0
                );
                return Err(pyo3::exceptions::PyValueError::new_err(message));
            }
            Ok(Limits { window: Bytes(window), rate: rate.map(Rate) })
        });
        self.limits = self.raised.or(limits, self.limits);
    }
}

impl CongestionControl for Window {
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack<'_>) {
        let rtt = ack.rtt.map(|rtt| rtt.0);
        let arguments = (cx.now.0, ack.bytes.0, ack.marked, rtt, ack.in_flight.0);
        self.after(|py, scheme| {
            scheme.call_method1(py, pyo3::intern!(py, "on_ack"), arguments).map(drop)
        });
    }

    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        let cause = match loss.cause {
            LossCause::Trim => "trim",
            LossCause::Timeout => "timeout",
            LossCause::Reordering => "reordering",
            LossCause::Nack => "nack",
            LossCause::SwitchNack => "switch_nack",
        };
        let arguments = (cx.now.0, loss.bytes.0, loss.packets, cause, loss.in_flight.0);
        self.after(|py, scheme| {
            scheme.call_method1(py, pyo3::intern!(py, "on_loss"), arguments).map(drop)
        });
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}
