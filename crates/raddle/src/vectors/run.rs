//! Schemes in a run whose transitions are kept.

use super::machine::{Choice, Log, Recorded, Trajectory, json};
use super::switch::InRun;
use super::variants::blank;
use crate::scenario::parse;
use raddle_schemes::family::Plugin;
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::{Card, Need, congestion, tor};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use std::path::Path;
use std::sync::Arc;

/// The run: shallow queues that mark early, a permutation and requests to one host, and an uplink that
/// is down for a while.
const SCENARIO: &str = r#"
[fabric]
topology = { kind = "fat_tree", tiers = 2, hosts = 16 }
queue = { size = "30 packets", marking = { scheme = "step", threshold = "5 packets" } }
[[traffic]]
name = "all"
kind = "permutation"
message = "64 KiB"
[[traffic]]
name = "requests"
kind = "incast"
message = "32 KiB"
receiver = 0
senders = 6
[[fault]]
link = "tor0.up0"
down = "2 us..40 us"
[run]
end = "1 ms"
"#;

/// Machines of a run that are kept: those to which most happened.
const KEPT: usize = 2;

/// Keys of a scenario that put a scheme where its needs are met, and what the run is then.
fn settings(key: &str, card: &Card) -> (Vec<(String, String)>, &'static str) {
    let needs = |need| card.needs.contains(&need);
    let scheme = format!("{{ scheme = \"{}\" }}", card.name);
    let mut settings = vec![(key.to_owned(), scheme)];
    let mut origin = "a run: 16 hosts, an uplink that is down from 2 to 40 us";
    let mut set = |key: &str, value: &str| settings.push((key.to_owned(), value.to_owned()));
    if needs(Need::Planner) {
        set("transport.planner.scheme", "ethereal");
    }
    if needs(Need::Planner) || needs(Need::SourceRouting) {
        set("fabric.load_balance.scheme", "source_route");
    }
    if needs(Need::Trimming) {
        set("fabric.queue.overflow", "trim");
    }
    if needs(Need::ExpectedPsn) {
        set("transport.recovery", "{ scheme = \"rnic_sr\" }");
        set("transport.congestion", "{ scheme = \"dcqcn\" }");
        set("transport.load_balance", "{ scheme = \"ecmp\" }");
    }
    if needs(Need::Circuits) {
        let topology =
            "{ kind = \"hybrid\", tors = 4, hosts_per_tor = 4, day = \"30 us\", night = \"2 us\" }";
        set("fabric.topology", topology);
        set("fault", "[{ link = \"host0\", down = \"5 us..40 us\" }]");
        origin = "a run: 16 hosts below ToRs with circuits, one that is down from 5 to 40 us";
    }
    if needs(Need::Bulk) {
        let topology = "{ kind = \"circuits\", tors = 8, hosts_per_tor = 2, uplinks = 4, \
                        design = \"opera\", slot = \"20 us\", routes = \"slices\", bulk = \"1 B\" }";
        set("fabric.topology", topology);
        set("fabric.queue", "{ classes = 2, service = \"priority\" }");
        set("transport.congestion", "{ scheme = \"fixed_rate\" }");
        set("transport.recovery", "{ scheme = \"sack\", rto = \"10 s\", ack_every = 16 }");
        set("fault", "[]");
        origin = "a run: 16 hosts below ToRs with circuits";
    }
    (settings, origin)
}

/// The plan of the run in which a scheme stands at a key; why there is none.
pub(super) fn plan(key: &str, card: &Card) -> Result<(Plan, &'static str), String> {
    let (settings, origin) = settings(key, card);
    let study = parse("vectors.toml", SCENARIO, Path::new("."), &settings)
        .map_err(|problems| problems.render(false))?;
    let plan = study.cells[0].scenario.resolve(1).map_err(|problem| format!("{problem:?}"))?;
    Ok((plan, origin))
}

/// A run with a scheme whose transitions are kept.
pub(super) struct Recording {
    pub(super) plan: Plan,
    log: Log,
}

impl Recording {
    /// The machines to which most happened.
    pub(super) fn busiest(self) -> Vec<Trajectory> {
        engine::run(&self.plan, &mut ());
        let mut all = self.log.take();
        all.sort_by_key(|(events, _)| std::cmp::Reverse(*events));
        let kept = all.into_iter().filter(|(events, _)| *events > 0).take(KEPT);
        kept.map(|(_, own)| own).collect()
    }
}

/// A host's scheme.
pub(super) fn of_host(config: &host::Config, most: usize) -> Result<Recording, String> {
    let (mut plan, origin) = plan("transport.load_balance", config.card())?;
    let (log, own, first) = (Log::default(), config.clone(), blank("host", config, origin));
    let (kept, card) = (log.clone(), Choice::card(config));
    plan.transport.load_balance = host::Config::Custom(Plugin::made(card, move |context| {
        let first = Trajectory { context: json(context), ..first.clone() };
        Box::new(Recorded::new(own.build(context), &kept, first, most)) as Box<_>
    }));
    Ok(Recording { plan, log })
}

/// A congestion control.
pub(super) fn of_congestion(config: &congestion::Config, most: usize) -> Result<Recording, String> {
    let (mut plan, origin) = plan("transport.congestion", config.card())?;
    // With the numbers that the plan has put in place of words.
    let config = plan.transport.congestion.clone();
    let (log, own, first) = (Log::default(), config.clone(), blank("congestion", &config, origin));
    let (kept, card) = (log.clone(), Choice::card(&config));
    plan.transport.congestion = congestion::Config::Custom(Plugin::made(card, move |context| {
        let first = Trajectory { context: json(context), ..first.clone() };
        Box::new(Recorded::new(own.build(context), &kept, first, most)) as Box<_>
    }));
    Ok(Recording { plan, log })
}

/// A switch's scheme.
pub(super) fn of_switch(config: &switch::Config, most: usize) -> Result<Recording, String> {
    let (mut plan, origin) = plan("fabric.load_balance", config.card())?;
    let (log, first) = (Log::default(), blank("switch", config, origin));
    let (kept, card, own) = (log.clone(), Choice::card(config), Arc::new(config.clone()));
    plan.switch_load_balance = switch::Config::Custom(Plugin::made(card, move |context| {
        let first = Trajectory { context: json(context), ..first.clone() };
        let machine = Recorded::new(own.build(context), &kept, first, most);
        Box::new(InRun { own: machine, config: Arc::clone(&own) }) as Box<_>
    }));
    Ok(Recording { plan, log })
}

/// A ToR's middleware.
pub(super) fn of_tor(config: &tor::Config, most: usize) -> Result<Recording, String> {
    let (mut plan, origin) = plan("fabric.tor", config.card())?;
    let (log, own, first) = (Log::default(), config.clone(), blank("tor", config, origin));
    let (kept, card) = (log.clone(), Choice::card(config));
    plan.tor = Some(tor::Config::Custom(Plugin::made(card, move |context| {
        let first = Trajectory { context: json(context), ..first.clone() };
        Box::new(Recorded::new(own.build(context), &kept, first, most)) as Box<_>
    })));
    Ok(Recording { plan, log })
}
