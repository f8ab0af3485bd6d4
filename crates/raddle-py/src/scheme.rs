//! Schemes in Python, for prototypes: a class stands in for a load balancer or a congestion control
//! of the hosts. Each of their calls takes the GIL.

use pyo3::prelude::*;
use raddle_schemes::congestion::{self, Ack, CongestionControl, Limits, Loss, LossCause};
use raddle_schemes::family::Plugin;
use raddle_schemes::ids::Entropy;
use raddle_schemes::load_balance::host::{self, Fate, Feedback, Outgoing, PathSelector};
use raddle_schemes::units::{Bytes, Rate};
use raddle_schemes::{Card, Cx, FlowContext};
use raddle_sim::engine::{self, Options};
use raddle_sim::plan::{Plan, TransportPlan};
use raddle_sim::record::{Observer, Outcome, Progress};
use raddle_sim::workload::Flow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// A class, and the scheme of the catalogue that it stands in for, if the caller names one.
pub(crate) type Class = (Option<String>, Py<PyAny>);

/// The classes of a run.
#[derive(Clone)]
pub(crate) struct Classes {
    load_balance: Option<Arc<Class>>,
    congestion: Option<Arc<Class>>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

thread_local! {
    /// The classes of the run that this thread is at: a plugin is a function without surroundings.
    static CLASSES: RefCell<Option<Classes>> = const { RefCell::new(None) };
}

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

impl Classes {
    pub(crate) fn new(load_balance: Option<Class>, congestion: Option<Class>) -> Self {
        Self {
            load_balance: load_balance.map(Arc::new),
            congestion: congestion.map(Arc::new),
            raised: Arc::default(),
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.load_balance.is_none() && self.congestion.is_none()
    }

    /// Puts them into a plan.
    ///
    /// # Errors
    /// Which scheme a class stands in for is not clear; [`raised`](Self::raised) says so, too.
    pub(crate) fn enter(&self, plan: &mut Plan) -> Result<(), String> {
        self.stand_in(&mut plan.transport, &plan.traffic.flows).inspect_err(|why| {
            self.or(Err(pyo3::exceptions::PyValueError::new_err(why.clone())), ());
        })
    }

    fn stand_in(&self, transport: &mut TransportPlan, flows: &[Flow]) -> Result<(), String> {
        if let Some((scheme, _)) = self.load_balance.as_deref() {
            let used =
                |number: usize| flows.iter().any(|own| usize::from(own.load_balance) == number);
            let others = transport.other_load_balances.iter_mut();
            let all = std::iter::once(&mut transport.load_balance).chain(others);
            let all =
                all.enumerate().filter(|(number, _)| used(*number)).map(|(_, own)| own).collect();
            let name = |config: &host::Config| config.card().name;
            let class = host::Config::Custom(Plugin::new(&PATHS_CARD, paths));
            stand_in("load_balance", scheme.as_deref(), all, name, &class)?;
        }
        if let Some((scheme, _)) = self.congestion.as_deref() {
            let used = |number: usize| flows.iter().any(|own| usize::from(own.transport) == number);
            let others = transport.other_transports.iter_mut().map(|other| &mut other.congestion);
            let all = std::iter::once(&mut transport.congestion).chain(others);
            let all =
                all.enumerate().filter(|(number, _)| used(*number)).map(|(_, own)| own).collect();
            let name = |config: &congestion::Config| config.card().name;
            let class = congestion::Config::Custom(Plugin::new(&WINDOW_CARD, window));
            stand_in("congestion", scheme.as_deref(), all, name, &class)?;
        }
        Ok(())
    }

    /// Runs a plan that they are in, on this thread; what they raise ends it.
    pub(crate) fn run(&self, plan: &Plan, observer: &mut dyn Observer) -> Outcome {
        let before = CLASSES.replace(Some(self.clone()));
        let options = Options { threads: 1, width: None };
        let mut watched = Watched { classes: self, observer };
        // Attached all the time: to attach anew for each call makes and ends a state of the thread.
        // Python hands the lock on while it runs the classes, to a handler of signals, too.
        let outcome = Python::attach(|_| engine::run_with(plan, &options, &mut watched));
        CLASSES.set(before);
        outcome
    }

    /// What they raised, if they did.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn has_raised(&self) -> bool {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Keeps the first error, and goes on with `instead` until the run has noticed.
    fn or<T>(&self, result: PyResult<T>, instead: T) -> T {
        result.unwrap_or_else(|error| {
            let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
            raised.get_or_insert(error);
            instead
        })
    }
}

/// Puts a class in the place of a scheme, wherever flows have it.
///
/// # Errors
/// Flows have several and none is named, or none has the one that is.
fn stand_in<C: Clone>(
    key: &str,
    scheme: Option<&str>,
    all: Vec<&mut C>,
    name: impl Fn(&C) -> &'static str,
    class: &C,
) -> Result<(), String> {
    let names: BTreeSet<&str> = all.iter().map(|config| name(config)).collect();
    let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let place = match (scheme, names.first()) {
        (Some(scheme), _) if names.contains(scheme) => scheme,
        (Some(scheme), _) => {
            return Err(format!("{key}: no flow has `{scheme}`; they have {listed}"));
        }
        (None, Some(only)) if names.len() == 1 => only,
        (None, first) => {
            let first = first.unwrap_or(&"");
            return Err(format!(
                "{key}: flows have {listed}; name the one that the class stands in for: \
                 {key}={{\"{first}\": Class}}"
            ));
        }
    };
    all.into_iter().filter(|config| name(config) == place).for_each(|own| own.clone_from(class));
    Ok(())
}

struct Watched<'a> {
    classes: &'a Classes,
    observer: &'a mut dyn Observer,
}

impl Observer for Watched<'_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.observer.progress(progress) && !self.classes.has_raised()
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
    classes: Classes,
    scheme: Option<Py<PyAny>>,
}

fn paths(_: &FlowContext) -> Box<dyn PathSelector + Send> {
    let classes = CLASSES.with_borrow(Clone::clone);
    Box::new(Paths { classes: classes.unwrap_or_else(|| Classes::new(None, None)), scheme: None })
}

impl PathSelector for Paths {
    fn begin(&mut self, context: &FlowContext) {
        let Some(class) = &self.classes.load_balance else { return };
        let made = Python::attach(|py| instance(py, &class.1, context)).map(Some);
        self.scheme = self.classes.or(made, None);
    }

    fn next_path(&mut self, cx: &mut Cx<'_>, packet: &Outgoing) -> Entropy {
        let Some(scheme) = &self.scheme else { return Entropy(0) };
        let arguments = (cx.now.0, packet.psn.0, packet.again, cx.rng.next_u64());
        let path = Python::attach(|py| {
            scheme.call_method1(py, pyo3::intern!(py, "next_path"), arguments)?.extract::<u16>(py)
        });
        Entropy(self.classes.or(path, 0))
    }

    fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        let Some(scheme) = &self.scheme else { return };
        let fate = match news.fate {
            Fate::Clean => "clean",
            Fate::Marked => "marked",
            Fate::Trimmed => "trimmed",
            Fate::TimedOut => "timed_out",
        };
        let rtt = news.rtt.map(|rtt| rtt.0);
        let arguments = (cx.now.0, news.path.0, fate, rtt, news.window_after.0, news.in_flight.0);
        let heard = Python::attach(|py| {
            scheme.call_method1(py, pyo3::intern!(py, "on_feedback"), arguments).map(drop)
        });
        self.classes.or(heard, ());
    }
}

struct Window {
    classes: Classes,
    scheme: Option<Py<PyAny>>,
    packet: Bytes,
    limits: Limits,
}

fn window(context: &FlowContext) -> Box<dyn CongestionControl + Send> {
    let classes = CLASSES.with_borrow(Clone::clone);
    let classes = classes.unwrap_or_else(|| Classes::new(None, None));
    let packet = context.packet();
    let made = Python::attach(|py| {
        let class = classes.congestion.as_deref();
        class.map(|(_, class)| instance(py, class, context)).transpose()
    });
    let scheme = classes.or(made, None);
    let limits = Limits { window: packet, rate: None };
    let mut own = Window { classes, scheme, packet, limits };
    own.after(|_, _| Ok(()));
    Box::new(own)
}

impl Window {
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
        self.limits = self.classes.or(limits, self.limits);
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
