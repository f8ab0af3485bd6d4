//! Keys that every kind of traffic has: what the job is called, when it starts, and the path
//! selectors of its flows.

use super::limits::LATEST;
use super::reader::Reader;
use super::scheme::{self, Chosen, Needy, show};
use super::spec::{Value, quoted};
use super::traffic::line;
use raddle_schemes::load_balance::host;
use raddle_schemes::units::{Span, Time};
use raddle_sim::workload::{Flow, Start, Traffic};

/// The keys.
#[derive(Clone, Debug)]
pub(crate) struct JobKeys {
    /// What results call the job, if it has a name.
    pub(crate) name: Option<String>,
    kind: &'static str,
    /// Added to every start.
    start: Span,
    /// The path selector of its flows, if they have one of their own.
    load_balance: Option<Chosen<host::Config>>,
    background: Option<Background>,
}

/// Hosts whose flows have another path selector than the others', and are hashed by any switch.
#[derive(Clone, Debug)]
struct Background {
    /// The hosts whose numbers are multiples of this.
    every: u32,
    load_balance: Chosen<host::Config>,
}

/// Reads the keys of traffic of this kind; a name may be needed.
pub(crate) fn keys(reader: &mut Reader<'_>, kind: &'static str, named: bool) -> Option<JobKeys> {
    let name = name(reader, named);
    let start = reader.or("start", Span::ZERO);
    if start > LATEST
        && let Some(item) = reader.take("start")
    {
        let problem = item.place.problem("`start` is too late");
        reader.log().add(problem.label(format!("expected at most {LATEST}")));
    }
    // What is there and wrong has been reported.
    let given = reader.take("load_balance").is_some();
    let load_balance = given.then(|| scheme::scheme(reader, "load_balance"));
    let given = reader.take("background").is_some();
    let background = given.then(|| reader.table("background").and_then(background));
    Some(JobKeys {
        name: name?,
        kind,
        start,
        load_balance: load_balance.map_or(Some(None), |read| read.map(Some))?,
        background: background.map_or(Some(None), |read| read.map(Some))?,
    })
}

/// What the job is called; `None` if the name is wrong, or absent where one is needed.
fn name(reader: &mut Reader<'_>, needed: bool) -> Option<Option<String>> {
    let item = if needed { reader.demand("name", "\"training\"") } else { reader.take("name") };
    let Some(item) = item else { return (!needed).then_some(None) };
    match &item.value {
        Value::Text(name) if !name.trim().is_empty() && !name.contains(char::is_control) => {
            Some(Some(name.clone()))
        }
        _ => {
            let problem = item.place.problem("wrong value for `name`");
            reader.log().add(problem.label("expected a name in one line, as in \"training\""));
            None
        }
    }
}

fn background(mut reader: Reader<'_>) -> Option<Background> {
    let every = reader.at_least("every", 1, None);
    let load_balance = scheme::scheme(&mut reader, "load_balance");
    reader.finish();
    Some(Background { every: every?, load_balance: load_balance? })
}

fn needy(chosen: &Chosen<host::Config>) -> Needy<'_> {
    Needy { key: "[traffic] load_balance", ..chosen.needy() }
}

impl JobKeys {
    /// The lines of what is not as the defaults have it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let background = self.background.as_ref().map(|background| {
            let scheme = show(&background.load_balance.config, &[]);
            format!("background = {{ every = {}, load_balance = {scheme} }}", background.every)
        });
        let own = self.load_balance.as_ref();
        let lines = [
            self.name.as_ref().map(|name| format!("name = {}", quoted(name))),
            (self.start > Span::ZERO).then(|| line("start", &self.start)),
            own.map(|own| format!("load_balance = {}", show(&own.config, &[]))),
            background,
        ];
        lines.into_iter().flatten().collect()
    }

    /// The path selectors of its own: that of its flows, then that of its background.
    pub(crate) fn load_balances(&self) -> impl Iterator<Item = &host::Config> {
        self.selectors().map(|chosen| &chosen.config)
    }

    /// The same, as far as their needs are concerned.
    pub(crate) fn needy(&self) -> impl Iterator<Item = Needy<'_>> {
        self.selectors().map(needy)
    }

    /// Of these, what steers packets only where switches go by entropies: those of a background are
    /// hashed anywhere.
    pub(crate) fn unhashed(&self) -> Option<Needy<'_>> {
        self.load_balance.as_ref().map(needy)
    }

    fn selectors(&self) -> impl Iterator<Item = &Chosen<host::Config>> {
        let background = self.background.as_ref().map(|background| &background.load_balance);
        self.load_balance.iter().chain(background)
    }

    /// Generated flows with the start and the path selectors of the job, and with its name if it
    /// is one of several or has anything to tell apart. `selectors` are those of jobs before it.
    pub(crate) fn apply(&self, mut traffic: Traffic, selectors: u8, several: bool) -> Traffic {
        let own = self.load_balance.as_ref().map_or(0, |_| selectors + 1);
        let behind = selectors + u8::from(self.load_balance.is_some()) + 1;
        let every = self.background.as_ref().map(|background| background.every);
        let plain =
            !several && self.name.is_none() && self.background.is_none() && traffic.jobs.is_empty();
        let change = |flow: &mut Flow| {
            let in_background = every.is_some_and(|every| flow.source.0.is_multiple_of(every));
            flow.load_balance = if in_background { behind } else { own };
            flow.hashed = in_background;
            if let Start::At(at) = &mut flow.start {
                *at = Time(at.0.saturating_add(self.start.0));
            }
        };
        if plain {
            traffic.flows.iter_mut().for_each(change);
            return traffic;
        }
        traffic.into_job(self.name.as_deref().unwrap_or(self.kind), change)
    }
}
