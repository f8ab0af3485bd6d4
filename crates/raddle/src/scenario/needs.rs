//! Checks that fabric and transport offer what each selected scheme needs.

use super::fabric::FabricSection;
use super::jobs::Jobs;
use super::reader::Log;
use super::scheme::Needy;
use super::spec::Place;
use super::transport::TransportSection;
use raddle_schemes::family::Need;
use raddle_schemes::marking;
use raddle_schemes::marking::QueueState;
use raddle_schemes::size::Base;
use raddle_schemes::units::Bytes;
use raddle_sim::plan::Overflow;

/// Who fails to offer something, and what would help.
struct Lack<'a> {
    whose: String,
    remedy: &'static str,
    place: &'a Place,
}

/// Adds a problem for every need that is not met.
pub(crate) fn check(
    fabric: &FabricSection,
    transport: &TransportSection,
    traffic: Option<&Jobs>,
    log: &Log,
) {
    let asking = [
        fabric.load_balance.needy(),
        transport.load_balance.needy(),
        transport.congestion.needy(),
        transport.recovery.needy(),
    ];
    for needy in asking.into_iter().chain(traffic.map(Jobs::needy).unwrap_or_default()) {
        for &need in needy.card.needs {
            if let Some(lack) = lack(need, fabric, transport) {
                report(&needy, need, &lack, log);
            }
        }
    }
}

fn lack<'a>(
    need: Need,
    fabric: &'a FabricSection,
    transport: &'a TransportSection,
) -> Option<Lack<'a>> {
    match need {
        Need::Ecn => (!marks(&fabric.queue.plan.marking)).then(|| Lack {
            whose: format!("`{}` in [fabric] queue.marking", fabric.queue.plan.marking.card().name),
            remedy: "choose a marking that marks, or another scheme",
            place: &fabric.queue.places.marking,
        }),
        Need::Trimming => (fabric.queue.plan.overflow != Overflow::Trim).then(|| Lack {
            whose: "overflow = \"drop\" in [fabric] queue".to_owned(),
            remedy: "set `overflow = \"trim\"`, or choose another scheme",
            place: &fabric.queue.places.overflow,
        }),
        Need::PacketAcks | Need::OutOfOrder => {
            let recovery = &transport.recovery;
            (!recovery.config.offers(need)).then(|| Lack {
                whose: format!("`{}` as set in [transport] recovery", recovery.config.card().name),
                remedy: "change the recovery or its parameters, or choose another scheme",
                place: &recovery.place,
            })
        }
        Need::QueueLengths | Need::Groups => None,
        Need::Pfc => fabric.queue.plan.pfc.is_none().then(|| Lack {
            whose: "[fabric] queue".to_owned(),
            remedy: "set `pfc = { xoff = .., xon = .. }`, or choose another scheme",
            place: &fabric.queue.places.overflow,
        }),
        Need::SourceRouting => (!fabric.load_balance.config.offers(need)).then(|| Lack {
            whose: format!("`{}` in [fabric] load_balance", fabric.load_balance.config.card().name),
            remedy: "set [fabric] `load_balance = { scheme = \"source_route\" }`, or choose \
                     another scheme",
            place: &fabric.load_balance.place,
        }),
        Need::Telemetry => Some(Lack {
            whose: "this fabric".to_owned(),
            remedy: "choose another scheme",
            place: &fabric.load_balance.place,
        }),
    }
}

/// Whether a marker marks anything: a frame that leaves a very full queue behind.
fn marks(marking: &marking::Config) -> bool {
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
