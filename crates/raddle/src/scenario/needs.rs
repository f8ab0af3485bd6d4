//! Checks that fabric and transport offer what each selected scheme needs.

use super::buffer::BufferSection;
use super::fabric::FabricSection;
use super::job::Beside;
use super::jobs::Jobs;
use super::reader::Log;
use super::scheme::{Chosen, Needy, declared};
use super::spec::Place;
use super::transport::{TRANSPORT, TransportSection};
use raddle_schemes::family::Need;
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::marking;
use raddle_schemes::marking::QueueState;
use raddle_schemes::size::{Base, Size};
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::plan::Overflow;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::HostPorts;
use raddle_sim::topology::packet_network::Counters;

/// Who fails to offer something, and what would help.
struct Lack<'a> {
    whose: String,
    remedy: &'static str,
    place: &'a Place,
}

/// Adds a problem for every need that is not met, and for every parameter that what is offered leaves
/// without effect.
pub(crate) fn check(
    fabric: &FabricSection,
    transport: &TransportSection,
    traffic: Option<&Jobs>,
    log: &Log,
) {
    for (needy, beside) in asking(fabric, transport, traffic) {
        for &need in needy.card.needs {
            if let Some(lack) = lack(need, fabric, transport, &beside) {
                report(&needy, need, &lack, log);
            }
        }
        for &(parameter, need, place) in &needy.moot {
            if lack(need, fabric, transport, &beside).is_none() {
                let what = need.text();
                let message = format!(
                    "`{parameter}` of `{}` has no effect where there is {what}",
                    needy.card.name
                );
                log.add(place.problem(message).label("leave it out"));
            }
        }
        for &(parameter, classes, place) in &needy.classes {
            let own = fabric.queue.plan.classes;
            if classes > own {
                let name = needy.card.name;
                let message =
                    format!("`{parameter}` of `{name}` is for {classes} data classes or more");
                let label = format!("there is {own}: set `classes` in [fabric] queue");
                let label = if own > 1 { label.replace("is", "are") } else { label };
                log.add(place.problem(message).label(label));
            }
        }
    }
}

/// Every scheme that a scenario's flows or switches have, and what it is beside. What every job has of
/// its own is not asked in [transport].
fn asking<'a>(
    fabric: &'a FabricSection,
    transport: &'a TransportSection,
    traffic: Option<&'a Jobs>,
) -> Vec<(Needy<'a>, Beside<'a>)> {
    let [congestion, recovery] = traffic.map_or([true; 2], Jobs::share);
    let recoveries = traffic.map(|traffic| traffic.used_recoveries(transport)).unwrap_or_default();
    let (first, key) =
        recoveries.first().copied().unwrap_or((&transport.recovery, "[transport] recovery"));
    let beside = |classes| Beside { recovery: first, key, classes };
    let mut asking = vec![
        (fabric.load_balance.needy(), Vec::new()),
        (transport.load_balance.needy(), Vec::new()),
    ];
    if congestion {
        let classes = traffic.map(Jobs::sharing_classes).unwrap_or_default();
        asking.push((transport.congestion.needy(), classes));
    }
    if recovery {
        asking.push((transport.recovery.needy(), Vec::new()));
    }
    let of_fabric = (fabric.queue.needy())
        .chain(transport.plane.iter().map(Chosen::needy))
        .chain(transport.planner.iter().map(Chosen::needy))
        .chain(fabric.buffer.iter().map(BufferSection::needy))
        .chain(fabric.tor.iter().map(Chosen::needy));
    asking.extend(of_fabric.map(|needy| (needy, Vec::new())));
    let of_jobs = traffic.map(|traffic| traffic.asking(transport));
    let common = asking.into_iter().map(|(needy, classes)| (needy, beside(classes)));
    common.chain(of_jobs.unwrap_or_default()).collect()
}

/// Adds a problem for a congestion control or a recovery that was written in [transport] and that every
/// job has its own in place of.
pub(crate) fn unshared(transport: &TransportSection, traffic: Option<&Jobs>, log: &Log) {
    let [congestion, recovery] = traffic.map_or([true; 2], Jobs::share);
    let report = |needy: Needy<'_>| {
        let message = format!(
            "`{}` in {} has no effect: every job has one of its own",
            needy.card.name, needy.key
        );
        log.add(needy.place.problem(message).label("leave it out"));
    };
    let own = &transport.congestion;
    if !congestion
        && own.place.file.is_some()
        && Some(&own.config) != declared(&TRANSPORT.congestion).as_ref()
    {
        report(own.needy());
    }
    let own = &transport.recovery;
    if !recovery
        && own.place.file.is_some()
        && Some(&own.config) != declared(&TRANSPORT.recovery).as_ref()
    {
        report(own.needy());
    }
}

fn lack<'a>(
    need: Need,
    fabric: &'a FabricSection,
    transport: &'a TransportSection,
    beside: &Beside<'a>,
) -> Option<Lack<'a>> {
    match need {
        Need::Ecn => unmarked(fabric, &beside.classes),
        Need::Trimming => (fabric.queue.plan.overflow != Overflow::Trim).then(|| Lack {
            whose: "overflow = \"drop\" in [fabric] queue".to_owned(),
            remedy: "set `overflow = \"trim\"`, or choose another scheme",
            place: &fabric.queue.places.overflow,
        }),
        Need::PacketAcks | Need::OutOfOrder | Need::ExpectedPsn => {
            let recovery = beside.recovery;
            (!recovery.config.offers(need)).then(|| Lack {
                whose: format!("`{}` as set in {}", recovery.config.card().name, beside.key),
                remedy: "change the recovery or its parameters, or choose another scheme",
                place: &recovery.place,
            })
        }
        // Switches write telemetry and notes where they are asked for, hosts answer probes; path maps and
        // circuits hang on the fabric: see `middleware` and `circuits`.
        Need::QueueLengths
        | Need::Groups
        | Need::PathMap
        | Need::Telemetry
        | Need::Notes
        | Need::EverySwitch
        | Need::Circuits
        | Need::Bulk
        | Need::Probes => None,
        Need::QueueLimit => (fabric.queue.plan.size == Size::Unlimited).then(|| Lack {
            whose: "size = \"unlimited\" in [fabric] queue".to_owned(),
            remedy: "give the queues a `size`, or choose another scheme",
            place: &fabric.queue.places.size,
        }),
        Need::Pfc => (fabric.queue.plan.pfc.is_none() && fabric.queue.cbfc.is_none()).then(|| Lack {
            whose: "[fabric] queue".to_owned(),
            remedy: "set `pfc = { xoff = .., xon = .. }` or `cbfc = {}`, or choose another scheme",
            place: &fabric.queue.places.overflow,
        }),
        Need::SourceRouting => (!fabric.load_balance.config.offers(need)).then(|| Lack {
            whose: format!("`{}` in [fabric] load_balance", fabric.load_balance.config.card().name),
            remedy: "set [fabric] `load_balance = { scheme = \"source_route\" }`, or choose \
                     another scheme",
            place: &fabric.load_balance.place,
        }),
        Need::Planner => transport.planner.is_none().then(|| Lack {
            whose: "[transport]".to_owned(),
            remedy: "set [transport] `planner = { scheme = \"ethereal\" }`, or choose another scheme",
            place: &transport.load_balance.place,
        }),
    }
}

/// The lack of marks, in any of these data classes that has none; without classes, in all.
fn unmarked<'a>(fabric: &'a FabricSection, classes: &[u8]) -> Option<Lack<'a>> {
    let (plan, places) = (&fabric.queue.plan, &fabric.queue.places);
    let remedy = "choose a marking that marks, or another scheme";
    if !plan.markings().any(marks) {
        return Some(Lack { whose: fabric.queue.named_marking(), remedy, place: &places.marking });
    }
    // A class that there is not has a problem of its own.
    let own = classes.iter().map(|&class| usize::from(class));
    let mut own = own.filter_map(|class| Some((class, plan.class_markings.get(class)?)));
    let (class, marking) = own.find(|(_, marking)| !marks(marking))?;
    let name = marking.card().name;
    let whose = format!("`{name}` of class {class} in [fabric] queue.markings");
    let place = places.class_markings.get(class).unwrap_or(&places.marking);
    Some(Lack { whose, remedy, place })
}

/// Adds a problem for middleware that does not go with the switches' load balancing, or with the
/// fabric.
pub(crate) fn middleware(section: &FabricSection, fabric: &Fabric, log: &Log) {
    let Some(tor) = &section.tor else { return };
    let needy = tor.needy();
    let switches = &section.load_balance;
    let (name, own) = (needy.card.name, switches.config.card().name);
    if switches.config.build(&switch::NOMINAL).looks_before() {
        let message = format!("`{name}` in [fabric] tor does not go with `{own}` as it is set");
        let label = "it chooses before an instant that middleware is told of";
        log.add(tor.place.problem(message).label(label));
    }
    let needs_any = |needs: &[Need]| needs.iter().any(|need| needy.card.needs.contains(need));
    let ways = fabric.ways_up();
    if ways == [1, 1] && needs_any(&[Need::PathMap, Need::EverySwitch]) {
        let message = format!("`{name}` in [fabric] tor has no effect");
        let label = "no two ToRs have more than one path between them";
        log.add(tor.place.problem(message).label(label).help("leave it out"));
    }
    if ways[1] == 1 || !needs_any(&[Need::PathMap]) {
        return;
    }
    let message = format!("`{name}` in [fabric] tor needs {}", Need::PathMap.text());
    if !ways.iter().all(|ways| ways.is_power_of_two()) {
        let [low, high] = ways;
        let label = format!("ToRs have {low} ways up and the switches above {high}");
        let help = "choose powers of two, or a fabric of two tiers";
        log.add(tor.place.problem(message).label(label).help(help));
    } else if !switches.config.offers(Need::PathMap) {
        let label = format!("switches above the ToRs choose, too, and `{own}` does not let ToRs");
        let help = "set [fabric] `load_balance = { scheme = \"ecmp_linear\" }`";
        log.add(tor.place.problem(message).label(label).help(help));
    }
}

/// Adds a problem for every scheme that needs ToRs with circuits beside a packet network and has none,
/// and where there are such for what does not go with them or what nobody reads of them.
pub(crate) fn circuits(
    section: &FabricSection,
    transport: &TransportSection,
    traffic: &Jobs,
    (fabric, topology): (&Fabric, &Place),
    log: &Log,
) {
    let asking = asking(section, transport, Some(traffic));
    let wants = |need: Need| asking.iter().any(|(needy, _)| needy.card.needs.contains(&need));
    let slicing = fabric.circuits.as_ref().and_then(|own| own.slicing.as_ref());
    if slicing.is_none_or(|own| own.waiting == 0) {
        for (needy, _) in asking.iter().filter(|(own, _)| own.card.needs.contains(&Need::Bulk)) {
            let lack = Lack {
                whose: "[fabric] topology".to_owned(),
                remedy: "set `routes = \"slices\"` and `bulk` of circuits, or choose another scheme",
                place: topology,
            };
            report(needy, Need::Bulk, &lack, log);
        }
    }
    let Some(network) = fabric.packet_network() else {
        for (needy, _) in &asking {
            if needy.card.needs.contains(&Need::Circuits) {
                let lack = Lack {
                    whose: "[fabric] topology".to_owned(),
                    remedy: "set `topology = { kind = \"hybrid\", .. }`, or choose another scheme",
                    place: topology,
                };
                report(needy, Need::Circuits, &lack, log);
            }
        }
        return;
    };
    let misfits = section.buffer.iter().map(BufferSection::needy);
    let misfits = misfits.filter(|needy| !needy.card.needs.contains(&Need::Circuits));
    for misfit in misfits.chain(section.tor.iter().map(Chosen::needy)) {
        let (name, key) = (misfit.card.name, misfit.key);
        let message = format!("`{name}` in {key} does not go with hybrid ToRs");
        let label = "their queues are of pairs of racks; `resizing` is their memory";
        log.add(misfit.place.problem(message).label(label));
    }
    let tells = network.notice > Span::ZERO;
    let hears = |(needy, _): &(Needy<'_>, Beside<'_>)| {
        needy.key.ends_with("congestion") && needy.card.needs.contains(&Need::Circuits)
    };
    if tells && !asking.iter().any(hears) {
        let message =
            "`notice` in [fabric] topology has no effect: no congestion control hears of it";
        log.add(topology.problem(message).label("leave it out"));
    }
    if network.counters != Counters::Voq && !wants(Need::Telemetry) {
        let message = "`int` in [fabric] topology has no effect: nobody reads telemetry";
        log.add(topology.problem(message).label("leave it out"));
    }
}

/// Where hosts have several ports: adds a problem for every scheme that knows of one only.
pub(crate) fn host_ports(
    ports: HostPorts,
    fabric: &FabricSection,
    transport: &TransportSection,
    traffic: Option<&Jobs>,
    log: &Log,
) {
    if ports == HostPorts::One {
        return;
    }
    let routes = |needy: &Needy<'_>| {
        [Need::SourceRouting, Need::Planner].iter().any(|need| needy.card.needs.contains(need))
    };
    let mut misfits = vec![transport.load_balance.needy()];
    misfits.extend(traffic.map(Jobs::needy).unwrap_or_default());
    misfits.retain(routes);
    misfits.extend(transport.planner.iter().map(Chosen::needy));
    misfits.extend(fabric.tor.iter().map(Chosen::needy));
    for misfit in misfits {
        let message = format!("`{}` in {} knows of one port a host", misfit.card.name, misfit.key);
        let problem = misfit.place.problem(message);
        let (count, said) = (ports.count(), ports.said());
        log.add(problem.label(format!("hosts have {count}: {said} in [fabric] topology")));
    }
}

/// Adds a problem for a path selector that names planes where a route through the fabric leaves it no
/// room for that.
pub(crate) fn routes_in_planes(
    section: &FabricSection,
    transport: &TransportSection,
    traffic: &Jobs,
    fabric: &Fabric,
    log: &Log,
) {
    let follows = section.load_balance.config.offers(Need::SourceRouting);
    if fabric.planes == 1 || !follows || fabric.ways_up()[1] == 1 {
        return;
    }
    let selectors = [&transport.load_balance.config].into_iter().cloned();
    if selectors.chain(traffic.load_balances()).any(|own| own.names_planes()) {
        let own = section.load_balance.config.card().name;
        let message = format!(
            "`{own}` in [fabric] load_balance leaves no room for the plane in a route with two choices"
        );
        let label = "choose `ecmp`, or two tiers without parallel cables";
        log.add(section.load_balance.place.problem(message).label(label));
    }
}

/// Adds a problem for a planner that no flow follows.
pub(crate) fn planner(transport: &TransportSection, traffic: Option<&Jobs>, log: &Log) {
    let Some(planner) = &transport.planner else { return };
    let own = [transport.load_balance.needy()];
    let jobs = traffic.map(Jobs::needy).unwrap_or_default();
    if !own.iter().chain(&jobs).any(|needy| needy.card.needs.contains(&Need::Planner)) {
        let name = planner.needy().card.name;
        let message = format!("`{name}` in [transport] planner has no effect: no flow follows it");
        let help = "leave `load_balance` out, or write `load_balance = { scheme = \"planned\" }`";
        let label = format!("[transport] load_balance is `{}`", own[0].card.name);
        log.add(planner.place.problem(message).label(label).help(help));
    }
}

/// Adds a problem for every job whose messages a planner cuts and that would spread them as well.
pub(crate) fn queue_pairs(transport: &TransportSection, traffic: Option<&Jobs>, log: &Log) {
    let Some(traffic) = traffic else { return };
    let planned = |own: &host::Config| own.card().needs.contains(&Need::Planner);
    for place in traffic.spread(planned, &transport.load_balance.config) {
        let message = "`qps` in [traffic] has no effect: a planner cuts these messages";
        log.add(place.problem(message).label("leave it out, or choose a `load_balance`"));
    }
}

/// Where switches choose paths by themselves: adds a problem for every scheme that only some flows
/// were given, unless they are a background, and a note where all were given another one than the
/// default, for some scheme they need.
pub(crate) fn entropies(
    fabric: &FabricSection,
    transport: &TransportSection,
    traffic: Option<&Jobs>,
    log: &Log,
) {
    if fabric.load_balance.config.reads_entropy() {
        return;
    }
    let switches = fabric.load_balance.needy();
    let choice =
        format!("`{}` in {} chooses without a look at entropies", switches.card.name, switches.key);
    for idle in traffic.map(Jobs::unhashed).unwrap_or_default() {
        let message = format!("`{}` in {} has no effect: {choice}", idle.card.name, idle.key);
        let readers: Vec<&str> = switch::SCHEMES
            .iter()
            .map(|scheme| scheme.card.name)
            .filter(|name| switch::Config::named(name).is_some_and(|own| own.reads_entropy()))
            .collect();
        let help = format!("switch load balancers that go by entropies: {}", readers.join(", "));
        log.add(idle.place.problem(message).label("leave it out").help(help));
    }
    let own = &transport.load_balance;
    if own.place.file.is_some() && Some(&own.config) != declared(&TRANSPORT.load_balance).as_ref() {
        log.note(format!("{} has no effect on paths: {choice}", own.needy().key));
    }
}

/// Whether a marker marks anything: a frame that leaves a very full queue behind.
pub(crate) fn marks(marking: &marking::Config) -> bool {
    let base = Base { packet: Bytes(4160), bdp: Bytes(400_000), whole: Bytes(400_000) };
    marking.build(&base).mark(&QueueState { bytes: Bytes(1 << 31), stream: 0, event: 0 })
}

fn report(needy: &Needy<'_>, need: Need, lack: &Lack<'_>, log: &Log) {
    let what = need.text();
    let name = needy.card.name;
    // A scheme that a default put there has no place; then the other side's is shown.
    let place = if needy.place.file.is_some() { needy.place } else { lack.place };
    let message =
        format!("`{name}` in {} needs {what}, which {} does not offer", needy.key, lack.whose);
    log.add(place.problem(message).help(lack.remedy));
}

#[cfg(test)]
mod tests {
    use super::asking;
    use crate::scenario::defaults;
    use crate::scenario::files::Files;
    use crate::scenario::reader::Log;
    use crate::scenario::spec::{self, Place};
    use crate::scenario::{Sections, parse};
    use raddle_schemes::{Need, Scheme, congestion};
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::Arc;

    #[test]
    fn every_scheme_of_a_scenario_is_asked_what_it_needs() {
        let text = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n\
                    buffer = { scheme = \"complete_sharing\", size = \"1 MB\" }\n\
                    tor = { scheme = \"themis\" }\n\
                    [transport]\nplanner = { scheme = \"ethereal\" }\n\
                    plane = { scheme = \"hash\" }\n\
                    [[traffic]]\nname = \"a\"\nkind = \"tornado\"\n\
                    [[traffic]]\nname = \"b\"\nkind = \"permutation\"\n\
                    load_balance = { scheme = \"reps\" }\n\
                    congestion = { scheme = \"cubic\" }\nrecovery = { scheme = \"sack\" }\n";
        let file: Arc<Path> = Arc::from(Path::new("test"));
        let start = Place { file: Some(file.clone()), span: 0..0 };
        let mut table = spec::document(&file, text).unwrap();
        table.fill(&defaults::defaults(), &start);
        let (files, log) = (Files::new(Path::new(".")), Log::default());
        let sections = Sections::read(&table, &start, &files, &log);
        let (fabric, transport) = (sections.fabric.unwrap(), sections.transport.unwrap());
        let asked = asking(&fabric, &transport, sections.traffic.as_ref());
        let keys: BTreeSet<&str> = asked.iter().map(|(needy, _)| needy.key).collect();
        let families = crate::families::FAMILIES.iter().map(|family| family.place);
        let of_jobs = ["[traffic] load_balance", "[traffic] congestion", "[traffic] recovery"];
        let expected: BTreeSet<&str> = families.chain(of_jobs).collect();
        assert_eq!(keys, expected);
    }

    /// docs/composition.md: any congestion control runs with any load balancer, if the receivers take
    /// packets out of order where they are sprayed.
    #[test]
    fn congestion_controls_go_with_load_balancers_and_recoveries_may_not() {
        let error = |scheme: &str, balance: &str, recovery: &str| {
            let switches = if balance == "ofan" { "ofan" } else { "ecmp" };
            let hosts = if balance == "ofan" { "ecmp" } else { balance };
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n\
                 queue.overflow = \"trim\"\n\
                 load_balance = {{ scheme = \"{switches}\" }}\n[transport]\n\
                 load_balance = {{ scheme = \"{hosts}\" }}\n\
                 congestion = {{ scheme = \"{scheme}\" }}\nrecovery = {{ scheme = \"{recovery}\" }}\n\
                 [traffic]\nkind = \"permutation\"\n"
            );
            parse("t.toml", &text, Path::new("."), &[]).err().map(|problems| problems.render(false))
        };
        let on_trees = |scheme: &&Scheme| !scheme.card.needs.contains(&Need::Circuits);
        for scheme in congestion::SCHEMES.iter().filter(on_trees) {
            for balance in ["ecmp", "ops", "reps", "ofan"] {
                assert_eq!(error(scheme.card.name, balance, "sack"), None);
            }
            for balance in ["ops", "reps"] {
                let error = error(scheme.card.name, balance, "go_back_n").unwrap();
                let message = "needs a receiver that accepts packets out of order, which `go_back_n` as \
                               set in [transport] recovery does not offer";
                assert!(
                    error.contains(&format!("`{balance}` in [transport] load_balance {message}"))
                );
            }
        }
    }
}
