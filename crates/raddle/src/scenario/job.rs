//! Keys that every kind of traffic has: what the job is called, when it starts, and the path
//! selectors and the transport of its flows.

use super::key::{Section, keys};
use super::keyed::Reader;
use super::limits::LATEST;
use super::reader::Log;
use super::scheme::{self, Chosen, Needy, line, show};
use super::share::{at_least, share};
use super::spec::{Place, Value, quoted};
use super::transport::{self, TRANSPORT, TransportSection};
use raddle_schemes::load_balance::host;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Span, Time};
use raddle_schemes::{congestion, recovery};
use raddle_sim::plan::Transport;
use raddle_sim::workload::{Flow, Start, Traffic};

keys! {
    /// What every traffic has.
    JOB: JobKeyWords = Section::new("traffic", "### Every traffic", "who sends what to whom, and when") => {
        name: Text, (some "training", "none; required in `[[traffic]]`"),
            "what results call the job";
        start: Time, (= "0 ns"),
            "added to the start of every flow that is not triggered";
        runs: Flag, (= true),
            "whether its flows are there; without them the other traffic draws what it draws beside them. `raddle compare --alone` sets it";
        qps: Whole, (= 1) [>= 1],
            "queue pairs over which each message is spread, in equal parts of whole packets, at most 255; each part is a flow of its own, and results tell of messages";
        load_balance: Scheme("transport.load_balance"), (or "that of `[transport]`"),
            "of the flows of this traffic";
        background: Table(BackgroundKeys::SECTION), (or "none"),
            "hosts whose flows have another one";
        congestion: Scheme("transport.congestion"), (or "that of `[transport]`"),
            "of the flows of this traffic";
        recovery: Scheme("transport.recovery"), (or "that of `[transport]`"),
            "of the flows of this traffic; where none is written in `[transport]` either, it is what belongs to the job's own `congestion`";
    }
}

keys! {
    /// `background`.
    BACKGROUND: BackgroundKeys = Section::new("background", "### background", "a share of the hosts that uses another path selector") => {
        every: Whole, (some 1, "required, or `share`") [>= 1],
            "the hosts whose numbers are multiples of this";
        share: Share, (some "1%", "required, or `every`"),
            "so many of the hosts, rounded to whole ones, drawn anew with each seed of the run, or of traffic that has its own: `\"10%\"`. `\"0%\"` is as if there were no `background`: the baseline of a sweep, and an error where no cell has another share";
        load_balance: Scheme("transport.load_balance"), (required { scheme = ".." }),
            "of the flows that they send";
    }
}

/// The keys.
#[derive(Clone, Debug)]
pub(crate) struct JobKeys {
    /// What results call the job, if it has a name.
    pub(crate) name: Option<String>,
    kind: &'static str,
    /// Added to every start.
    start: Span,
    /// Whether its flows are there.
    runs: bool,
    /// Over how many queue pairs each message is spread.
    qps: u8,
    /// The path selector of its flows, if they have one of their own.
    load_balance: Option<Chosen<host::Config>>,
    background: Option<Background>,
    /// The congestion control and the recovery of its flows, where they have one of their own.
    congestion: Option<Chosen<congestion::Config>>,
    recovery: Option<Chosen<recovery::Config>>,
}

/// How many path selectors and transports of their own jobs have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers {
    selectors: u8,
    transports: u8,
}

/// Hosts whose flows have another path selector than the others', and are hashed by any switch.
#[derive(Clone, Debug)]
struct Background {
    hosts: Hosts,
    load_balance: Chosen<host::Config>,
    place: Place,
}

impl Background {
    /// Whether it is of any hosts: a share of 0 is as if there were none.
    fn is_any(&self) -> bool {
        self.hosts != Hosts::Share(0.0)
    }
}

/// Which hosts are in the background.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hosts {
    /// Those whose numbers are multiples of this.
    Every(u32),
    /// So many percent of all, drawn at random.
    Share(f64),
}

impl Hosts {
    /// For each of `hosts` whether it is in the background of a job with this seed.
    fn choose(self, hosts: u32, seed: u64) -> Vec<bool> {
        match self {
            Self::Every(every) => (0..hosts).map(|host| host.is_multiple_of(every)).collect(),
            Self::Share(percent) => {
                let drawn = percent_of(percent, hosts);
                let mut chosen: Vec<bool> = (0..hosts).map(|host| host < drawn).collect();
                Rng::new(seed, "background", 0).shuffle(&mut chosen);
                chosen
            }
        }
    }
}

/// A percentage of the hosts, rounded to whole ones.
fn percent_of(percent: f64, hosts: u32) -> u32 {
    (percent / 100.0 * f64::from(hosts)).round() as u32
}

/// Reads the keys of traffic of this kind; a name may be needed. `implied` is the common recovery, if
/// the scenario has not set it.
pub(crate) fn keys(
    reader: &mut Reader<'_>,
    kind: &'static str,
    named: bool,
    implied: Option<&recovery::Config>,
) -> Option<JobKeys> {
    let name = name(reader, named);
    let start = reader.or(&JOB.start);
    if start > LATEST
        && let Some(item) = reader.take(&JOB.start)
    {
        let problem = item.place.problem("`start` is too late");
        reader.log().add(problem.label(format!("expected at most {LATEST}")));
    }
    let runs = reader.or(&JOB.runs);
    let qps = qps(reader);
    // What is there and wrong has been reported.
    let given = reader.take(&JOB.load_balance).is_some();
    let load_balance = given.then(|| scheme::scheme(reader, &JOB.load_balance));
    let given = reader.take(&JOB.background).is_some();
    let background = given.then(|| reader.table(&JOB.background).and_then(background));
    let given = reader.take(&JOB.congestion).is_some();
    let congestion = given.then(|| scheme::scheme(reader, &JOB.congestion));
    let given = reader.take(&JOB.recovery).is_some();
    let recovery = match (&congestion, implied) {
        _ if given => Some(transport::recovery(reader, &JOB.recovery, None)),
        (Some(Some(own)), Some(common)) => beside(own, common).map(Some),
        _ => None,
    };
    Some(JobKeys {
        name: name?,
        kind,
        start,
        runs,
        qps: qps?,
        load_balance: load_balance.map_or(Some(None), |read| read.map(Some))?,
        background: background
            .map_or(Some(None), |read| read.map(Some))?
            .filter(Background::is_any),
        congestion: congestion.map_or(Some(None), |read| read.map(Some))?,
        recovery: recovery.map_or(Some(None), |read| read.map(Some))?,
    })
}

/// Over how many queue pairs each message is spread; `None` if that has been reported.
fn qps(reader: &mut Reader<'_>) -> Option<u8> {
    let qps: u32 = reader.at_least_or(&JOB.qps, Some(1))?;
    let read = u8::try_from(qps);
    if read.is_err()
        && let Some(item) = reader.take(&JOB.qps)
    {
        let problem = item.place.problem(format!("{qps} queue pairs for each message"));
        reader.log().add(problem.label(format!("expected at most {}", u8::MAX)));
    }
    read.ok()
}

/// The recovery of a job that has this congestion control of its own, where nobody has set one: what
/// belongs to it, or to none, if that is not the common one.
fn beside(
    own: &Chosen<congestion::Config>,
    common: &recovery::Config,
) -> Option<Chosen<recovery::Config>> {
    let recovery = match own.config.recovery() {
        Some(name) => recovery::Config::named(name),
        None => scheme::declared(&TRANSPORT.recovery),
    };
    let recovery = recovery?;
    (recovery.card() != common.card()).then(|| own.gives(recovery))
}

/// What the job is called; `None` if the name is wrong, or absent where one is needed.
fn name(reader: &mut Reader<'_>, needed: bool) -> Option<Option<String>> {
    let item = if needed { reader.demand(&JOB.name) } else { reader.take(&JOB.name) };
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
    let place = reader.place().clone();
    let hosts = match reader.take(&BACKGROUND.share) {
        None if reader.take(&BACKGROUND.every).is_none() => {
            let problem = reader.place().problem("`background` lacks `share` or `every`");
            reader.log().add(problem.label("add `share = \"10%\"` or `every = 10`"));
            None
        }
        None => reader.at_least(&BACKGROUND.every).map(Hosts::Every),
        Some(item) => {
            if reader.take(&BACKGROUND.every).is_some() {
                let problem = item.place.problem("`background` has both `share` and `every`");
                reader.log().add(problem.label("hosts drawn at random, or every so many"));
            }
            share(&mut reader, &BACKGROUND.share).map(Hosts::Share)
        }
    };
    let load_balance = scheme::scheme(&mut reader, &BACKGROUND.load_balance);
    reader.finish();
    Some(Background { hosts: hosts?, load_balance: load_balance?, place })
}

fn needy(chosen: &Chosen<host::Config>) -> Needy<'_> {
    Needy { key: "[traffic] load_balance", ..chosen.needy() }
}

/// What is beside a scheme that needs something.
#[derive(Clone)]
pub(crate) struct Beside<'a> {
    /// The recovery of its flows, and where it stands.
    pub(crate) recovery: &'a Chosen<recovery::Config>,
    pub(crate) key: &'static str,
    /// The data classes of its flows; none where it has no flows of its own.
    pub(crate) classes: Vec<u8>,
}

impl JobKeys {
    /// The lines of what is not as the defaults have it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let background = self.background.as_ref().map(|background| {
            let scheme = show(&background.load_balance.config, &[]);
            let hosts = match background.hosts {
                Hosts::Every(every) => format!("every = {every}"),
                Hosts::Share(percent) => format!("share = \"{percent}%\""),
            };
            format!("background = {{ {hosts}, load_balance = {scheme} }}")
        });
        let own = self.load_balance.as_ref();
        let lines = [
            self.name.as_ref().map(|name| format!("name = {}", quoted(name))),
            (self.start > Span::ZERO).then(|| line("start", &self.start)),
            (!self.runs).then(|| "runs = false".to_owned()),
            (self.qps > 1).then(|| line("qps", &self.qps)),
            own.map(|own| format!("load_balance = {}", show(&own.config, &[]))),
            background,
            self.congestion.as_ref().map(|own| format!("congestion = {}", show(&own.config, &[]))),
            self.recovery.as_ref().map(|own| format!("recovery = {}", show(&own.config, &[]))),
        ];
        lines.into_iter().flatten().collect()
    }

    /// The path selectors of its own: that of its flows, then that of its background.
    pub(crate) fn load_balances(&self) -> impl Iterator<Item = &host::Config> {
        self.selectors().map(|chosen| &chosen.config)
    }

    /// Whether its flows are there.
    pub(crate) fn runs(&self) -> bool {
        self.runs
    }

    /// Over how many queue pairs each message is spread.
    pub(crate) fn qps(&self) -> u8 {
        self.qps
    }

    /// Whether each message is spread over several queue pairs.
    pub(crate) fn is_spread(&self) -> bool {
        self.qps > 1
    }

    /// The path selector of its flows, if they have one of their own.
    pub(crate) fn selector(&self) -> Option<&host::Config> {
        self.load_balance.as_ref().map(|chosen| &chosen.config)
    }

    /// Whether its flows have one of its own, whatever its background has.
    pub(crate) fn has_selector(&self) -> bool {
        self.load_balance.is_some()
    }

    /// The same, as far as their needs are concerned.
    pub(crate) fn needy(&self) -> impl Iterator<Item = Needy<'_>> {
        self.selectors().map(needy)
    }

    /// Its congestion control, if it has one of its own.
    pub(crate) fn congestion(&self) -> Option<&Chosen<congestion::Config>> {
        self.congestion.as_ref()
    }

    /// Its recovery, if it has one of its own.
    pub(crate) fn recovery(&self) -> Option<&Chosen<recovery::Config>> {
        self.recovery.as_ref()
    }

    /// What its flows have beside `common`, if that is anything.
    pub(crate) fn transport(&self, common: &TransportSection) -> Option<Transport> {
        self.has_transport().then(|| Transport {
            congestion: self.congestion.as_ref().unwrap_or(&common.congestion).config.clone(),
            recovery: self.recovery.as_ref().unwrap_or(&common.recovery).config.clone(),
        })
    }

    fn has_transport(&self) -> bool {
        self.congestion.is_some() || self.recovery.is_some()
    }

    /// Every scheme that its flows have and that those of `common` alone have not, and the recovery
    /// that is to meet its needs; its flows have these classes.
    pub(crate) fn asking<'a>(
        &'a self,
        common: &'a TransportSection,
        classes: &[u8],
    ) -> Vec<(Needy<'a>, Beside<'a>)> {
        let (recovery, key) = match &self.recovery {
            Some(recovery) => (recovery, "[traffic] recovery"),
            None => (&common.recovery, "[transport] recovery"),
        };
        let beside = Beside { recovery, key, classes: classes.to_vec() };
        let mut asking: Vec<Needy<'a>> = self.needy().collect();
        let own = self.congestion.iter().map(Chosen::needy);
        asking.extend(own.map(|needy| Needy { key: "[traffic] congestion", ..needy }));
        if let Some(recovery) = &self.recovery {
            asking.push(Needy { key: "[traffic] recovery", ..recovery.needy() });
            // What the job takes over has been asked about its parameters.
            let load_balance = self.load_balance.is_none().then(|| common.load_balance.needy());
            let congestion = self.congestion.is_none().then(|| common.congestion.needy());
            let taken = [load_balance, congestion].into_iter().flatten();
            asking.extend(taken.map(|needy| Needy { moot: Vec::new(), ..needy }));
        }
        asking.into_iter().map(|needy| (needy, beside.clone())).collect()
    }

    /// Of these, what steers packets only where switches go by entropies: those of a background are
    /// hashed anywhere.
    pub(crate) fn unhashed(&self) -> Option<Needy<'_>> {
        self.load_balance.as_ref().map(needy)
    }

    /// Those of the jobs up to this one.
    pub(crate) fn count(&self, before: Numbers) -> Numbers {
        Numbers {
            selectors: before.selectors + self.selectors().count() as u8,
            transports: before.transports + u8::from(self.has_transport()),
        }
    }

    fn selectors(&self) -> impl Iterator<Item = &Chosen<host::Config>> {
        let background = self.background.as_ref().map(|background| &background.load_balance);
        self.load_balance.iter().chain(background)
    }

    /// Whether a seed decides which hosts are in the background.
    pub(crate) fn draws(&self) -> bool {
        matches!(&self.background, Some(Background { hosts: Hosts::Share(_), .. }))
    }

    /// Adds the problem of a background in which no host would be.
    pub(crate) fn check(&self, hosts: u32, log: &Log) {
        let Some(Background { hosts: Hosts::Share(percent), place, .. }) = &self.background else {
            return;
        };
        if percent_of(*percent, hosts) == 0 {
            let message = format!("{percent}% of {hosts} hosts is less than half a host");
            log.add(place.problem(message).label(at_least(hosts as usize)));
        }
    }

    /// Generated flows with the start, the path selectors and the transport of the job, and with its
    /// name if it is one of several or has anything to tell apart. `before` are those of jobs before it;
    /// a background is drawn from the `hosts` of the fabric with `seed`.
    pub(crate) fn apply(
        &self,
        mut traffic: Traffic,
        before: Numbers,
        several: bool,
        (hosts, seed): (u32, u64),
    ) -> Traffic {
        let Numbers { selectors, transports } = before;
        let transport = if self.has_transport() { transports + 1 } else { 0 };
        let own = self.load_balance.as_ref().map_or(0, |_| selectors + 1);
        let behind = selectors + u8::from(self.load_balance.is_some()) + 1;
        let chosen =
            self.background.as_ref().map(|background| background.hosts.choose(hosts, seed));
        let plain =
            !several && self.name.is_none() && self.background.is_none() && traffic.jobs.is_empty();
        let change = |flow: &mut Flow| {
            let in_background = chosen.as_ref().is_some_and(|chosen| chosen[flow.source.index()]);
            flow.load_balance = if in_background { behind } else { own };
            flow.hashed = in_background;
            flow.transport = transport;
            flow.qps = self.qps;
            if let Start::At(at) = &mut flow.start {
                *at = Time(at.0.saturating_add(self.start.0));
            }
        };
        // What is known to be done by a time is so by the job's time.
        for trigger in traffic.triggers.iter_mut().filter(|own| own.not_before > Time::ZERO) {
            trigger.not_before = Time(trigger.not_before.0.saturating_add(self.start.0));
        }
        for own in traffic.jobs.iter_mut().filter_map(|job| job.script.as_mut()) {
            own.start = Time(own.start.0.saturating_add(self.start.0));
        }
        if plain {
            traffic.flows.iter_mut().for_each(change);
            return traffic;
        }
        traffic.into_job(self.name.as_deref().unwrap_or(self.kind), change)
    }
}
