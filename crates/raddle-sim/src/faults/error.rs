//! Why a list of faults cannot be played on a fabric.

use super::spec::Among;
use raddle_schemes::units::{Rate, Span, Time};
use std::fmt;

/// What is wrong with a list of faults. `fault` is an index into the list, from 0; texts count
/// from 1.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultError {
    /// There is no such link.
    UnknownLink {
        /// Which fault.
        fault: usize,
        /// The name given.
        name: String,
        /// Links with names like it, nearest first.
        nearest: Vec<String>,
    },
    /// There is no such switch.
    UnknownSwitch {
        /// Which fault.
        fault: usize,
        /// The name given.
        name: String,
        /// Switches with names like it, nearest first.
        nearest: Vec<String>,
    },
    /// There is no such host.
    UnknownHost {
        /// Which fault.
        fault: usize,
        /// The name given.
        name: String,
        /// Hosts with names like it, nearest first.
        nearest: Vec<String>,
    },
    /// There are fewer hosts.
    NoSuchHost {
        /// Which fault.
        fault: usize,
        /// The number given.
        host: u32,
        /// How many there are.
        hosts: u32,
    },
    /// An uplink or a circuit switch is to be something else than down.
    Uplink {
        /// Which fault.
        fault: usize,
    },
    /// A clock is that of something else than a ToR of circuits.
    Clock {
        /// Which fault.
        fault: usize,
    },
    /// A clock is off by a period or more.
    FarClock {
        /// Which fault.
        fault: usize,
        /// The shortest period.
        period: Span,
    },
    /// It never happens.
    NoWindow {
        /// Which fault.
        fault: usize,
    },
    /// A window ends before it begins, or at once.
    EmptyWindow {
        /// Which fault.
        fault: usize,
        /// Begin of the window.
        from: Time,
        /// End of the window.
        until: Time,
    },
    /// Flapping needs `0 < down_for < period`, and a first time before the last.
    Flapping,
    /// Flapping makes more than [`MAX_FLAPS`](super::spec::MAX_FLAPS) windows.
    TooManyFlaps {
        /// How many.
        windows: u64,
    },
    /// A share is not from 0 to 1.
    Share {
        /// Which fault.
        fault: usize,
        /// The share given.
        share: f64,
    },
    /// A probability that a cable or switch fails is not from 0 to 1, or is too small to be told from
    /// 0.
    Chance {
        /// Which fault.
        fault: usize,
        /// The probability given.
        value: f64,
        /// Of what.
        among: Among,
    },
    /// There is nothing to choose from.
    NoneToChoose {
        /// Which fault.
        fault: usize,
        /// What there is none of.
        among: Among,
    },
    /// The share given is less than half of one.
    NothingChosen {
        /// Which fault.
        fault: usize,
        /// The share given.
        share: f64,
        /// Of what.
        among: Among,
        /// How many there are.
        count: usize,
    },
    /// A rate is zero, not a number, or above the link's own.
    Rate {
        /// Which fault.
        fault: usize,
        /// The link.
        link: String,
        /// Its own rate.
        nominal: Rate,
    },
    /// A probability is not from 0 to 1, or is too small to be told from 0.
    Probability {
        /// Which fault.
        fault: usize,
        /// The probability given.
        value: f64,
    },
    /// Two faults change the same property of one link at the same time.
    Overlap {
        /// The fault whose window begins first.
        first: usize,
        /// The other.
        second: usize,
        /// The link.
        link: String,
        /// The property.
        property: &'static str,
        /// Since when both hold.
        at: Time,
    },
    /// Two hosts that have traffic can never reach each other again.
    Disconnected {
        /// The sender.
        source: String,
        /// The receiver.
        destination: String,
    },
    /// No random choice was found that keeps the traffic's hosts connected.
    NoDraw {
        /// Which fault.
        fault: usize,
        /// Choices tried.
        draws: u32,
        /// The sender that was cut off by the last one.
        source: String,
        /// Its receiver.
        destination: String,
    },
}

impl fmt::Display for FaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownLink { fault, name, nearest } => {
                write!(f, "fault {}: there is no link `{name}`", fault + 1)?;
                list(f, nearest)
            }
            Self::UnknownSwitch { fault, name, nearest } => {
                write!(f, "fault {}: there is no switch `{name}`", fault + 1)?;
                list(f, nearest)
            }
            Self::UnknownHost { fault, name, nearest } => {
                write!(f, "fault {}: there is no host `{name}`", fault + 1)?;
                list(f, nearest)
            }
            Self::NoSuchHost { fault, host, hosts } => {
                let last = hosts.saturating_sub(1);
                write!(f, "fault {}: there is no host {host}; hosts are 0 to {last}", fault + 1)
            }
            Self::Uplink { fault } => write!(
                f,
                "fault {}: uplinks and circuit switches can be `down` or `flap`; rates and losses are \
                 those of links between two ToRs",
                fault + 1
            ),
            Self::Clock { fault } => write!(
                f,
                "fault {}: clocks are those of switches whose uplinks are circuits",
                fault + 1
            ),
            Self::FarClock { fault, period } => write!(
                f,
                "fault {}: a clock is off by less than a period of the circuits, {period}",
                fault + 1
            ),
            Self::NoWindow { fault } => {
                write!(f, "fault {}: it has no time; say when it begins", fault + 1)
            }
            Self::EmptyWindow { fault, from, until } => {
                write!(f, "fault {}: from {from} until {until} is no time at all", fault + 1)
            }
            Self::Flapping => f.write_str(
                "flapping needs a time down above 0 and below the period, and an end after the \
                 first time down",
            ),
            Self::TooManyFlaps { windows } => write!(
                f,
                "flapping goes down {windows} times; at most {} are possible",
                super::spec::MAX_FLAPS
            ),
            Self::Share { fault, share } => {
                write!(f, "fault {}: the share {share} is not from 0 to 1", fault + 1)
            }
            Self::Chance { fault, value, among } => write!(
                f,
                "fault {}: {value} is no probability of a {}'s failure; use 0, or from 2.4e-10 \
                 to 1",
                fault + 1,
                among.one()
            ),
            Self::NoneToChoose { fault, among } => {
                write!(f, "fault {}: ", fault + 1)?;
                match among {
                    Among::Cables { tier: Some(tier), .. } => {
                        write!(f, "no cable leads up from switches of tier {tier}")
                    }
                    Among::Cables { tier: None, .. } => {
                        f.write_str("there are no cables between switches")
                    }
                    Among::Switches { tier: Some(tier) } => {
                        write!(f, "no switch of tier {tier} is without hosts")
                    }
                    Among::Switches { tier: None } => f.write_str("no switch is without hosts"),
                }
            }
            Self::NothingChosen { fault, share, among, count } => write!(
                f,
                "fault {}: the share {share} of {count} {} is less than half a {}; one {2} is {}",
                fault + 1,
                among.many(),
                among.one(),
                1.0 / *count as f64
            ),
            Self::Rate { fault, link, nominal } => write!(
                f,
                "fault {}: the rate of `{link}` must be above 0 and at most its own, {nominal}",
                fault + 1
            ),
            Self::Probability { fault, value } => write!(
                f,
                "fault {}: {value} is no probability; use 0, or from 2.4e-10 to 1 (bit errors: \
                 any from 0 to 1)",
                fault + 1
            ),
            Self::Overlap { first, second, link, property, at } => write!(
                f,
                "faults {} and {} both set the {property} of `{link}` at {at}",
                first + 1,
                second + 1
            ),
            Self::Disconnected { source, destination } => write!(
                f,
                "the faults cut `{source}` off from `{destination}` until the end, and there is \
                 traffic between them"
            ),
            Self::NoDraw { fault, draws, source, destination } => write!(
                f,
                "fault {}: none of {draws} random choices keeps all hosts with traffic \
                 connected (the last one cuts `{source}` off from `{destination}`); use a \
                 smaller share or probability",
                fault + 1
            ),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, nearest: &[String]) -> fmt::Result {
    if nearest.is_empty() {
        return Ok(());
    }
    let quoted: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
    write!(f, "; nearest: {}", quoted.join(", "))
}

impl std::error::Error for FaultError {}
