//! Parameters of DCQCN, and what a flow makes of them.

use crate::FlowContext;
use crate::congestion::CnpPlan;
use crate::family::Conflict;
use crate::size::{SOME, Size};
use crate::units::{Bytes, Rate, Span};
use alloc::vec::Vec;
use serde::Serialize;

crate::words! {
    /// Whose values the parameters have that are not set.
    pub enum Profile {
        /// Those of the paper.
        Paper = "paper",
        /// Those of HPCC's simulator, as the PowerTCP study sets it.
        Hpcc = "hpcc",
        /// Those of section 3 of Themis's spec.
        Themis = "themis",
        /// Those of ConWeave's simulator.
        Conweave = "conweave",
    }
}

crate::words! {
    /// How a sender hears of marks.
    pub enum Cnp {
        /// By frames that the receiver sends at intervals.
        Frame = "frame",
        /// By the ACK of each marked packet.
        Echo = "echo",
    }
}

crate::words! {
    /// When a CNP cuts the rate.
    pub enum Cut {
        /// As it comes, unless the last cut was less than an interval ago.
        AtOnce = "at_once",
        /// At the next of the instants that follow the first CNP at intervals.
        Polled = "polled",
    }
}

crate::words! {
    /// When alpha grows.
    pub enum AlphaUpdate {
        /// At each cut, from which on it decays at intervals.
        Cnp = "cnp",
        /// At intervals: it grows if a CNP came since the last, and decays if not.
        Timer = "timer",
    }
}

crate::words! {
    /// Since when alpha changes.
    pub enum AlphaFrom {
        /// Since the first CNP.
        FirstCnp = "first_cnp",
        /// Since the first packet.
        Start = "start",
    }
}

crate::words! {
    /// What a loss does to the rate.
    pub enum OnLoss {
        /// What a CNP does.
        Cnp = "cnp",
        /// The minimum, from where it recovers.
        Reset = "reset",
        /// What a CNP does, once until all that was sent before has arrived.
        Episode = "episode",
        /// Nothing.
        None = "none",
    }
}

crate::words! {
    /// Which losses change the rate.
    pub enum Losses {
        /// All.
        All = "all",
        /// All but timeouts.
        Nacks = "nacks",
        /// Those that a NIC tells of: neither timeouts nor NACKs that a switch made.
        NicNacks = "nic_nacks",
    }
}

crate::parameters! {
    /// Parameters of DCQCN; `auto` is what the profile has.
    pub struct Config {
        /// Whose values the parameters have that are `auto`: `paper`, `hpcc`, `themis` or
        /// `conweave`.
        pub profile: Profile = Profile::Paper;
        /// How the sender hears of marks: `frame`, by frames of the receiver, or `echo`, by each ACK.
        pub cnp: Option<Cnp> = None;
        /// Least time between two CNP frames of a flow.
        pub cnp_interval: Option<Span> = None, in Span(1)..;
        /// How long the receiver's NIC takes before it sends one.
        pub cnp_delay: Span = Span::ZERO;
        /// When a CNP cuts the rate: `at_once`, or `polled`, at instants an interval apart.
        pub cut: Option<Cut> = None;
        /// Least time between two cuts, or the time between those instants.
        pub cut_interval: Option<Span> = None, in Span(1)..;
        /// Weight of the newest news in alpha (g).
        pub gain: f64 = 0.00390625, in 0.0..=1.0;
        /// When alpha grows: `cnp`, at each cut, or `timer`, at intervals in which a CNP came.
        pub alpha_update: Option<AlphaUpdate> = None;
        /// Interval at which alpha decays.
        pub alpha_interval: Option<Span> = None, in Span(1)..;
        /// Since when it changes: `first_cnp` or `start`.
        pub alpha_from: AlphaFrom = AlphaFrom::FirstCnp;
        /// Interval of increases.
        pub increase_interval: Option<Span> = None, in Span(1)..;
        /// Bytes sent from increase to increase; `unlimited` is no byte counter.
        pub byte_counter: Option<Size> = None, in SOME;
        /// Increases in which the target stays.
        pub fast_recovery: Option<u32> = None, in ..=1000;
        /// Step of the target after that.
        pub increase: Option<Rate> = None;
        /// Step of the target in hyper increase.
        pub hyper_increase: Option<Rate> = None;
        /// The rate never falls below this, nor below 10^-5 of the line's, so that
        /// packets leave within any run.
        pub min_rate: Rate = Rate(100_000_000);
        /// Whether every cut sets the target to the rate before it; else only the first since an
        /// increase.
        pub clamp_target: Option<bool> = None;
        /// What a NACK, a timeout or another loss does to the rate: `cnp`, what a CNP does, `episode`,
        /// the same once until all that was sent before has arrived, `reset`, the minimum, or `none`.
        pub on_loss: OnLoss = OnLoss::Cnp;
        /// Which losses do: `all`, `nacks`, all but timeouts, or `nic_nacks`, neither timeouts nor NACKs
        /// that a switch made.
        pub losses: Option<Losses> = None;
        /// Most bytes in flight.
        pub window: Size = Size::Unlimited, in SOME;
    }
    conflicts by conflicts
}

pub(super) fn conflicts(config: &Config) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    if config.resolved_cnp() == Cnp::Echo {
        if config.cnp_interval.is_some() {
            conflicts.push(Conflict::Idle("cnp_interval", "cnp"));
        }
        if config.cnp_delay > Span::ZERO {
            conflicts.push(Conflict::Idle("cnp_delay", "cnp"));
        }
    }
    if config.on_loss == OnLoss::None && config.losses.is_some() {
        conflicts.push(Conflict::Idle("losses", "on_loss"));
    }
    conflicts
}

impl Profile {
    /// Its value among these.
    fn of<T>(self, paper: T, hpcc: T, themis: T, conweave: T) -> T {
        match self {
            Self::Paper => paper,
            Self::Hpcc => hpcc,
            Self::Themis => themis,
            Self::Conweave => conweave,
        }
    }
}

impl Config {
    fn resolved_cnp(&self) -> Cnp {
        let (frame, echo) = (Cnp::Frame, Cnp::Echo);
        self.cnp.unwrap_or(self.profile.of(frame, echo, frame, echo))
    }
}

/// What all flows of a rate share. Rates are bps.
#[derive(Debug, Serialize)]
pub(super) struct Constants {
    pub(super) cnp: Cnp,
    pub(super) cnps: CnpPlan,
    pub(super) cut: Cut,
    pub(super) cut_interval: Span,
    pub(super) gain: f64,
    pub(super) alpha_update: AlphaUpdate,
    pub(super) alpha_interval: Span,
    pub(super) alpha_from: AlphaFrom,
    pub(super) increase_interval: Span,
    pub(super) byte_counter: Option<u64>,
    pub(super) fast_recovery: u32,
    pub(super) increase: f64,
    pub(super) hyper_increase: f64,
    pub(super) min: f64,
    pub(super) line: f64,
    pub(super) clamp_target: bool,
    pub(super) on_loss: OnLoss,
    pub(super) losses: Losses,
    pub(super) window: Bytes,
}

impl Constants {
    /// Those of a flow.
    pub(super) fn new(config: &Config, context: &FlowContext) -> Self {
        let profile = config.profile;
        let line = context.rate.0 as f64;
        let mbps = |rate: f64| rate * 1e6;
        let rate = |own: Option<Rate>, auto: f64| own.map_or(auto, |rate| rate.0 as f64);
        let (at_once, polled) = (Cut::AtOnce, Cut::Polled);
        let (by_cnp, by_timer) = (AlphaUpdate::Cnp, AlphaUpdate::Timer);
        let bytes = match config.byte_counter {
            None => (profile == Profile::Paper).then_some(10_000_000),
            Some(Size::Unlimited) => None,
            Some(size) => Some(size.resolve(&context.sizes()).0.max(1)),
        };
        let us =
            |paper, hpcc, themis, conweave| Span::us(profile.of(paper, hpcc, themis, conweave));
        let cut_interval = if profile == Profile::Paper { Span(1) } else { Span::us(4) };
        let increase = profile.of(mbps(40.0), mbps(50.0), line * 0.0004, line * 0.0004);
        let hyper_increase = profile.of(mbps(200.0), mbps(100.0), line * 0.001, line * 0.001);
        let told = if profile == Profile::Conweave { Losses::NicNacks } else { Losses::All };
        Self {
            cnp: config.resolved_cnp(),
            cnps: CnpPlan {
                interval: config.cnp_interval.unwrap_or(Span::us(50)),
                delay: config.cnp_delay,
            },
            cut: config.cut.unwrap_or(profile.of(at_once, polled, at_once, polled)),
            cut_interval: config.cut_interval.unwrap_or(cut_interval),
            gain: config.gain,
            alpha_update: config
                .alpha_update
                .unwrap_or(profile.of(by_cnp, by_timer, by_cnp, by_timer)),
            alpha_interval: config.alpha_interval.unwrap_or(us(55, 1, 55, 1)),
            alpha_from: config.alpha_from,
            increase_interval: config.increase_interval.unwrap_or(us(55, 900, 300, 300)),
            byte_counter: bytes,
            fast_recovery: config.fast_recovery.unwrap_or(if profile == Profile::Paper {
                5
            } else {
                1
            }),
            increase: rate(config.increase, increase),
            hyper_increase: rate(config.hyper_increase, hyper_increase),
            min: (config.min_rate.0 as f64).max(line * 1e-5).min(line),
            line,
            clamp_target: config.clamp_target.unwrap_or(profile.of(true, false, true, false)),
            on_loss: config.on_loss,
            losses: config.losses.unwrap_or(told),
            window: config.window.resolve(&context.sizes()).max(context.packet()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the notifications of a NIC are paced and delayed: marks that ACKs echo are not.
    #[test]
    fn how_cnps_come_matters_where_there_are_any() {
        let idle = |cnp, profile, interval, delay| {
            let config = Config {
                cnp,
                profile,
                cnp_interval: interval,
                cnp_delay: Span(delay),
                ..Config::default()
            };
            conflicts(&config)
        };
        let [interval, delay] =
            ["cnp_interval", "cnp_delay"].map(|parameter| Conflict::Idle(parameter, "cnp"));
        let some = Some(Span::us(4));
        assert_eq!(idle(Some(Cnp::Echo), Profile::Paper, some, 1), [interval, delay]);
        assert_eq!(idle(None, Profile::Hpcc, some, 0), [interval]);
        assert_eq!(idle(None, Profile::Hpcc, None, 1), [delay]);
        assert_eq!(idle(None, Profile::Hpcc, None, 0), []);
        assert_eq!(idle(None, Profile::Paper, some, 1), []);
        assert_eq!(idle(Some(Cnp::Frame), Profile::Hpcc, some, 1), []);
    }
}
