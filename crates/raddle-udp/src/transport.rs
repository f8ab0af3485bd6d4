//! What both ends of messages agree on, and what a socket cannot give it.

use crate::wire::HEADER;
use raddle_schemes::family::{Card, Need};
use raddle_schemes::load_balance::host;
use raddle_schemes::recovery::Coding;
use raddle_schemes::transport::ledger::SYMBOL_LIMIT;
use raddle_schemes::transport::{FlowTemplate, SenderPlan};
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_schemes::{FlowContext, congestion, recovery};
use std::fmt;

/// The most that a UDP datagram holds over IPv4.
const DATAGRAM: u64 = 65_507;

/// What is known of the paths between hosts before anything is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Rate of a host's link, which paces what it sends.
    pub rate: Rate,
    /// Round trip of a full packet and its ACK through empty queues.
    pub base_rtt: Span,
    /// Bytes of a message in a full packet; [`HEADER`] and the headers of UDP and IP come on top and
    /// have to fit the MTU.
    pub payload: u16,
    /// What a link carries beside what a UDP datagram holds: Ethernet, IPv4 and UDP take 42 B.
    pub overhead: u16,
    /// Bytes that the queues of switches hold; `None` if that is not known.
    pub queue: Option<Bytes>,
    /// Bytes of messages that a host takes in at once, hence of the longest message.
    pub room: Bytes,
}

impl Default for Path {
    /// A lab's: 1 Gbit/s, 200 us, frames of 1,500 B on IP, queues of 100 of them, room for 1 GiB.
    fn default() -> Self {
        Self {
            rate: Rate::gbps(1),
            base_rtt: Span::us(200),
            payload: 1_454,
            overhead: 42,
            queue: Some(Bytes(151_400)),
            room: Bytes::mib(1_024),
        }
    }
}

/// Why a transport cannot run over sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No scheme of the family is called so.
    Unknown {
        /// The family, as scenarios call it.
        family: &'static str,
        /// The word.
        name: String,
        /// The word that it may be.
        nearest: &'static str,
    },
    /// It needs what sockets and the kernel's switches do not have.
    Needs {
        /// The scheme.
        scheme: &'static str,
        /// What it needs.
        need: Need,
    },
    /// It needs what the recovery's receiver does not do.
    NeedsOfRecovery {
        /// The scheme.
        scheme: &'static str,
        /// The recovery.
        recovery: &'static str,
        /// What the scheme needs of it.
        need: Need,
    },
    /// The recovery is an ideal without a code.
    Coded {
        /// The recovery.
        recovery: &'static str,
    },
    /// A size of the path is out of its bounds.
    Path {
        /// The field.
        field: &'static str,
        /// What it may be.
        allowed: &'static str,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { family, name, nearest } => {
                write!(f, "no scheme `{name}` in `{family}`; the nearest is `{nearest}`")
            }
            Self::Needs { scheme, need } => {
                write!(f, "`{scheme}` needs {}, which a socket does not have", need.text())
            }
            Self::NeedsOfRecovery { scheme, recovery, need } => {
                let need = need.text();
                write!(f, "`{scheme}` needs {need}, which recovery `{recovery}` does not offer")
            }
            Self::Coded { recovery } => {
                write!(f, "`{recovery}` counts symbols and has no code that restores bytes")
            }
            Self::Path { field, allowed } => write!(f, "`{field}` of the path: {allowed}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// Path selector, congestion control and recovery of all messages of a host, and the path they take.
#[derive(Clone, Debug)]
pub struct Transport {
    load_balance: host::Config,
    congestion: congestion::Config,
    recovery: recovery::Config,
    path: Path,
}

impl Transport {
    /// The transport of these schemes, with the parameters that they have.
    ///
    /// # Errors
    /// [`Refusal`] where they need what a socket does not have, or what the recovery does not offer.
    pub fn new(plan: &SenderPlan<'_>, path: &Path) -> Result<Self, Refusal> {
        let frame = u64::from(path.payload) + HEADER as u64;
        let packets = path.room.0 / u64::from(path.payload.max(1));
        let bounds = [
            ("rate", path.rate.0 > 0, "above 0"),
            ("base_rtt", path.base_rtt.0 > 0, "above 0"),
            ("payload", path.payload > 0, "at least a byte"),
            ("payload", frame <= DATAGRAM, "at most 65,489 B: a datagram has 65,507"),
            (
                "overhead",
                frame + u64::from(path.overhead) <= u16::MAX.into(),
                "at most 65,535 B a packet",
            ),
            ("room", packets < SYMBOL_LIMIT.into(), "fewer than 16,777,215 payloads"),
        ];
        if let Some(&(field, _, allowed)) = bounds.iter().find(|(_, holds, _)| !holds) {
            return Err(Refusal::Path { field, allowed });
        }
        if plan.recovery.coding() == Coding::AnyOf {
            return Err(Refusal::Coded { recovery: plan.recovery.card().name });
        }
        for card in [plan.load_balance.card(), plan.congestion.card(), plan.recovery.card()] {
            fits(card, plan.recovery)?;
        }
        let SenderPlan { load_balance, congestion, recovery } = plan;
        Ok(Self {
            load_balance: (*load_balance).clone(),
            congestion: (*congestion).clone(),
            recovery: (*recovery).clone(),
            path: *path,
        })
    }

    /// The same by the names of schemes, with their defaults.
    ///
    /// # Errors
    /// [`Refusal`], also of a name that is in no list.
    pub fn named(
        load_balance: &str,
        congestion: &str,
        recovery: &str,
        path: &Path,
    ) -> Result<Self, Refusal> {
        let unknown = |family, name: &str, cards: Vec<&'static str>| {
            let near = |own: &&str| (strsim::jaro_winkler(name, own) * 1e6) as u32;
            let nearest = cards.into_iter().max_by_key(near).unwrap_or_default();
            Refusal::Unknown { family, name: name.to_string(), nearest }
        };
        let names =
            |list: &[raddle_schemes::Scheme]| list.iter().map(|own| own.card.name).collect();
        let load_balance = host::Config::named(load_balance)
            .ok_or_else(|| unknown("load_balance", load_balance, names(host::SCHEMES)))?;
        let congestion = congestion::Config::named(congestion)
            .ok_or_else(|| unknown("congestion", congestion, names(congestion::SCHEMES)))?;
        let recovery = recovery::Config::named(recovery)
            .ok_or_else(|| unknown("recovery", recovery, names(recovery::SCHEMES)))?;
        let plan = SenderPlan {
            load_balance: &load_balance,
            congestion: &congestion,
            recovery: &recovery,
        };
        Self::new(&plan, path)
    }

    /// What is known of the paths.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What flows may know of their path: the same in a simulation of the same fabric.
    pub fn context(&self) -> FlowContext {
        let Path { rate, base_rtt, payload, overhead, queue, .. } = self.path;
        let drain = queue.map(|bytes| rate.serialisation(bytes));
        FlowContext {
            payload: Bytes(payload.into()),
            header: Bytes(HEADER as u64 + u64::from(overhead)),
            gap: Bytes(0),
            base_rtt,
            rate,
            bdp: rate.bytes_in(base_rtt),
            // As in simulations: the round trip and the time to drain four full queues.
            rto: Span(base_rtt.0 + 4 * drain.unwrap_or(base_rtt).0),
            drain,
            trimming: false,
            classes: 1,
            ..FlowContext::NOMINAL
        }
    }

    pub(crate) fn template(&self, context: &FlowContext) -> FlowTemplate {
        let Self { load_balance, congestion, recovery, .. } = self;
        FlowTemplate::new(&SenderPlan { load_balance, congestion, recovery }, context)
    }
}

/// Whether a scheme has what it needs.
fn fits(card: &'static Card, recovery: &recovery::Config) -> Result<(), Refusal> {
    for need in card.needs.iter().copied() {
        match need {
            // Set by the switches of the kernel that can (`red`), and read from IP's header.
            Need::Ecn => {}
            Need::PacketAcks | Need::OutOfOrder | Need::ExpectedPsn => {
                if !recovery.offers(need) {
                    let (scheme, recovery) = (card.name, recovery.card().name);
                    return Err(Refusal::NeedsOfRecovery { scheme, recovery, need });
                }
            }
            _ => return Err(Refusal::Needs { scheme: card.name, need }),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(load_balance: &str, congestion: &str, recovery: &str) -> String {
        let path = Path::default();
        match Transport::named(load_balance, congestion, recovery, &path) {
            Err(why) => why.to_string(),
            Ok(_) => panic!("{load_balance}, {congestion}, {recovery} is taken"),
        }
    }

    #[test]
    fn refusals_name_what_is_missing_and_the_nearest_word() {
        assert_eq!(
            refused("rep", "nscc", "sack"),
            "no scheme `rep` in `load_balance`; the nearest is `reps`"
        );
        assert_eq!(
            refused("reps", "cubik", "sack"),
            "no scheme `cubik` in `congestion`; the nearest is `cubic`"
        );
        assert_eq!(
            refused("ops", "powertcp", "sack"),
            "`powertcp` needs per-hop telemetry, which a socket does not have"
        );
        assert_eq!(
            refused("ops", "ndp", "sack"),
            "`ndp` needs packet trimming, which a socket does not have"
        );
        assert_eq!(
            refused("host_dr", "cubic", "sack"),
            "`host_dr` needs source routing, which a socket does not have"
        );
        assert_eq!(
            refused("ops", "nscc", "go_back_n"),
            "`ops` needs a receiver that accepts packets out of order, which recovery `go_back_n` \
             does not offer"
        );
        assert_eq!(
            refused("ops", "nscc", "erasure"),
            "`erasure` counts symbols and has no code that restores bytes"
        );
        let wrong = [
            (Path { payload: 0, ..Path::default() }, "`payload` of the path: at least a byte"),
            (
                Path { payload: 65_490, ..Path::default() },
                "`payload` of the path: at most 65,489 B: a datagram has 65,507",
            ),
            (
                Path { payload: 65_489, ..Path::default() },
                "`overhead` of the path: at most 65,535 B a packet",
            ),
            (
                Path { payload: 64, ..Path::default() },
                "`room` of the path: fewer than 16,777,215 payloads",
            ),
        ];
        for (path, told) in wrong {
            let why = Transport::named("ops", "nscc", "sack", &path).map(|_| ()).unwrap_err();
            assert_eq!(why.to_string(), told);
        }
        let most = Path { payload: 64, room: Bytes(64 * 16_777_214), ..Path::default() };
        assert!(Transport::named("ops", "nscc", "sack", &most).is_ok());
    }

    #[test]
    fn a_full_packet_of_the_default_path_fits_an_mtu_of_1500() {
        let transport = Transport::named("reps", "nscc", "sack", &Path::default()).unwrap();
        let context = transport.context();
        let ethernet = 14;
        assert_eq!(context.packet().0 - ethernet, 1_500);
        assert_eq!((context.bdp, context.rto), (Bytes(25_000), Span::ns(200_000 + 4_844_800)));
    }
}
