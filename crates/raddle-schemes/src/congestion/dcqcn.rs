//! DCQCN: RDMA NICs that cut their rate on congestion notifications and recover it by timers.
//!
//! Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 5, with the
//! variants of NICs and simulators as parameters; the spec is Themis's, section 3 and correction 4.
//! - **Receiver** (NP): a marked packet brings a CNP, at most one in `cnp_interval` per flow, which the
//!   NIC sends `cnp_delay` later. With `cnp = "echo"` every ACK of a marked packet is one.
//! - **Cut** (RP): target <- rate, rate <- rate (1 - alpha / 2), and increases begin anew.
//! - **alpha** grows by alpha <- (1 - g) alpha + g and decays by alpha <- (1 - g) alpha.
//! - **Increase**: every `increase_interval`, and every `byte_counter` bytes sent, first `fast_recovery`
//!   times without a change of the target, then with target + `increase`, then + `hyper_increase`; each
//!   time rate <- (rate + target) / 2.
//!
//! | parameter | `paper` | `hpcc` | `themis` | `conweave` |
//! |---|---|---|---|---|
//! | `cnp` | `frame`, each 50 us | `echo` | `frame`, each 50 us | `echo` |
//! | `cut` | `at_once` | `polled`, each 4 us | `at_once`, each 4 us at most | `polled`, each 4 us |
//! | `alpha_update`, `alpha_interval` | `cnp`, 55 us | `timer`, 1 us | `cnp`, 55 us | `timer`, 1 us |
//! | `increase_interval`, `byte_counter` | 55 us, 10 MB | 900 us, none | 300 us, none | 300 us, none |
//! | `fast_recovery` | 5 | 1 | 1 | 1 |
//! | `increase`, `hyper_increase` | 40, 200 Mbps | 50, 100 Mbps | 0.04, 0.1 % of the line | the same |
//! | `clamp_target` | yes | no | yes | no |
//! | `losses` | `all` | `all` | `all` | `nic_nacks` |
//!
//! `hpcc` is what the public simulator of HPCC does with the values of the PowerTCP study, `themis` what
//! section 3 of Themis's spec settles on, `conweave` what the public simulator of ConWeave does, which
//! Themis is compared with: there a receiver's NIC sets the notification in the ACK of a marked packet
//! and in each of its NACKs, and a timeout leaves the rate as it is.
//!
//! Reading:
//! - The paper gives no step of hyper increase: five times the additive one.
//! - Stages count the events since the last cut, the present one included. With a byte counter it is
//!   fast recovery while neither count exceeds `fast_recovery`, and hyper increase once both do; without
//!   one the first event beyond it is additive, later ones are hyper.
//! - A flow that is back at line rate, as its target is, has no timer until the next cut.
//! - alpha is 1 at the first CNP (`alpha_from`), and is brought up to the present when it is needed.
//! - A loss is a CNP (`on_loss`), of those that count (`losses`). Where a NACK carries the notification,
//!   one that a switch makes in the NIC's place has none; a paper that makes such NACKs (Themis) is
//!   silent on it.
//! - A new rate leaves the packet that waits for its pace where it is: in HPCC's simulator, which that of
//!   ConWeave and with it Themis's descend from, only HPCC moves it. The paper does not say.

mod config;

pub use config::{AlphaFrom, AlphaUpdate, Cnp, Config, Cut, Losses, OnLoss, Profile};

use config::Constants;

use super::{Ack, CnpPlan, CongestionControl, Limits, Loss, LossCause};
use crate::family::Need;
use crate::probe::Probes;
use crate::units::{Bytes, Rate, Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::sync::Arc;
use serde::Serialize;

/// What `raddle schemes dcqcn` says.
pub const CARD: Card = Card {
    name: "dcqcn",
    title: "DCQCN",
    paper: "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015",
    needs: &[Need::Ecn],
    summary: "Cuts the rate on congestion notifications of the receiver and recovers it by timers: \
              what RDMA NICs do.",
};

/// One flow's rate.
#[derive(Clone, Debug, Serialize)]
pub struct Dcqcn {
    constants: Arc<Constants>,
    rate: f64,
    target: f64,
    alpha: f64,
    /// When alpha last changed, or could have.
    alpha_at: Option<Time>,
    /// Whether a CNP came since.
    noted: bool,
    /// The first CNP.
    first_cnp: Option<Time>,
    last_cut: Option<Time>,
    /// When a CNP that came will cut.
    cut_at: Option<Time>,
    increase_at: Option<Time>,
    /// Increases since the last cut, by timer and by bytes, and bytes since the last.
    by_time: u32,
    by_bytes: u32,
    bytes: u64,
    /// Of losses: the last answered counts until all packets below this one have arrived.
    answered_until: Option<u32>,
    una: u32,
}

impl Dcqcn {
    /// A flow at line rate.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let constants = Constants::new(config, context);
        let line = constants.line;
        Self {
            rate: line,
            target: line,
            alpha: 1.0,
            alpha_at: None,
            noted: false,
            first_cnp: None,
            last_cut: None,
            cut_at: None,
            increase_at: None,
            by_time: 0,
            by_bytes: 0,
            bytes: 0,
            answered_until: None,
            una: 0,
            constants: Arc::new(constants),
        }
    }

    /// Brings alpha up to the present.
    fn age_alpha(&mut self, now: Time) {
        let Constants { gain, alpha_interval, .. } = *self.constants;
        let Some(at) = self.alpha_at else { return };
        let ticks = now.since(at).0 / alpha_interval.0;
        if ticks == 0 {
            return;
        }
        let mut decays = ticks;
        if core::mem::take(&mut self.noted) {
            self.alpha = (1.0 - gain) * self.alpha + gain;
            decays -= 1;
        }
        self.alpha *= libm::pow(1.0 - gain, decays as f64);
        self.alpha_at = Some(at + Span(ticks * alpha_interval.0));
    }

    /// A CNP, or what counts as one.
    fn notice(&mut self, now: Time) {
        self.age_alpha(now);
        let constants = Arc::clone(&self.constants);
        let first = *self.first_cnp.get_or_insert(now);
        let begins = self.alpha_at.is_none();
        self.alpha_at.get_or_insert(now);
        // The news that makes alpha 1 does not make it grow.
        self.noted = constants.alpha_update == AlphaUpdate::Timer && (self.noted || !begins);
        match constants.cut {
            Cut::AtOnce => {
                let next = self.last_cut.map(|last| last + constants.cut_interval);
                if next.is_none_or(|next| next <= now) {
                    self.cut(now);
                }
            }
            Cut::Polled => {
                let interval = constants.cut_interval.0;
                let next = first + Span((now.since(first).0 / interval + 1) * interval);
                self.cut_at.get_or_insert(next);
            }
        }
    }

    fn cut(&mut self, now: Time) {
        let Constants { gain, alpha_update, .. } = *self.constants;
        let less = self.rate * (1.0 - self.alpha / 2.0);
        self.fall_to(less, now);
        if alpha_update == AlphaUpdate::Cnp {
            self.alpha = (1.0 - gain) * self.alpha + gain;
            self.alpha_at = Some(now);
        }
    }

    /// The rate falls, and increases begin anew.
    fn fall_to(&mut self, rate: f64, now: Time) {
        let constants = &self.constants;
        if constants.clamp_target || self.by_time + self.by_bytes > 0 {
            self.target = self.rate;
        }
        self.rate = rate.max(constants.min);
        (self.by_time, self.by_bytes, self.bytes) = (0, 0, 0);
        self.last_cut = Some(now);
        self.increase_at = Some(now + constants.increase_interval);
    }

    /// One of the counts of increases has gone up.
    fn raise(&mut self) {
        let constants = &self.constants;
        let (time, bytes, fast) = (self.by_time, self.by_bytes, constants.fast_recovery);
        let hyper = match constants.byte_counter {
            Some(_) => time.min(bytes) > fast,
            None => time > fast + 1,
        };
        if hyper {
            self.target += constants.hyper_increase;
        } else if time.max(bytes) > fast {
            self.target += constants.increase;
        }
        self.target = self.target.min(constants.line);
        self.rate = (self.rate + self.target) / 2.0;
        // Halves of a rest never come to an end.
        if constants.line - self.rate < 1.0 {
            self.rate = constants.line;
        }
        if self.rate >= constants.line {
            self.increase_at = None;
        }
    }
}

impl CongestionControl for Dcqcn {
    fn probes(&self, to: &mut dyn Probes) {
        to.number("alpha", self.alpha);
        to.rate("target_rate", Rate(self.target as u64));
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        self.una = ack.cumulative;
        if ack.marked && self.constants.cnp == Cnp::Echo {
            self.notice(cx.now);
        }
    }

    fn on_cnp(&mut self, cx: &mut Cx<'_>) {
        self.notice(cx.now);
    }

    fn cnps(&self) -> Option<CnpPlan> {
        (self.constants.cnp == Cnp::Frame).then_some(self.constants.cnps)
    }

    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        let counts = match (self.constants.losses, loss.cause) {
            (Losses::All, _) => true,
            (Losses::Nacks, cause) => cause != LossCause::Timeout,
            (Losses::NicNacks, LossCause::Timeout | LossCause::SwitchNack) => false,
            (Losses::NicNacks, _) => true,
        };
        if !counts {
            return;
        }
        match self.constants.on_loss {
            OnLoss::Cnp => self.notice(cx.now),
            OnLoss::Reset => self.fall_to(0.0, cx.now),
            OnLoss::Episode => {
                if self.answered_until.is_none_or(|until| until <= self.una) {
                    self.answered_until = Some(loss.next_new);
                    self.notice(cx.now);
                }
            }
            OnLoss::None => {}
        }
    }

    /// Packets are numbered from 0 again.
    fn begin_message(&mut self) {
        (self.answered_until, self.una) = (None, 0);
    }

    fn on_sent(&mut self, cx: &mut Cx<'_>, bytes: Bytes) {
        if self.constants.alpha_from == AlphaFrom::Start {
            self.alpha_at.get_or_insert(cx.now);
        }
        let (Some(counter), true) = (self.constants.byte_counter, self.increase_at.is_some())
        else {
            return;
        };
        self.bytes += bytes.0;
        while self.bytes >= counter {
            self.bytes -= counter;
            self.by_bytes = self.by_bytes.saturating_add(1);
            self.raise();
        }
    }

    fn next_timer(&self) -> Option<Time> {
        match (self.cut_at, self.increase_at) {
            (Some(cut), Some(increase)) => Some(cut.min(increase)),
            (cut, increase) => cut.or(increase),
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        // Several are due where a connection had no message for a while.
        while let Some(at) = self.next_timer().filter(|at| *at <= cx.now) {
            if self.cut_at == Some(at) {
                self.cut_at = None;
                self.age_alpha(at);
                self.cut(at);
            } else {
                self.increase_at = Some(at + self.constants.increase_interval);
                self.by_time = self.by_time.saturating_add(1);
                self.raise();
            }
        }
    }

    fn least_rate(&self) -> Option<Rate> {
        Some(Rate(self.constants.min as u64))
    }

    fn limits(&self) -> Limits {
        Limits { window: self.constants.window, rate: Some(Rate(self.rate as u64)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Conflict;
    use crate::rng::Rng;
    use crate::size::Size;

    fn flow(gbps: u64, config: Config) -> Dcqcn {
        let rate = Rate::gbps(gbps);
        Dcqcn::new(&config, &FlowContext { rate, ..FlowContext::NOMINAL })
    }

    fn of(profile: Profile) -> Config {
        Config { profile, ..Config::default() }
    }

    fn at<T>(us: u64, call: impl FnOnce(&mut Cx<'_>) -> T) -> T {
        let now = Time::ZERO + Span::us(us);
        call(&mut Cx { now, rng: &mut Rng::new(1, "flow", 0), events: &mut () })
    }

    fn cnp(flow: &mut Dcqcn, us: u64) {
        at(us, |cx| flow.on_cnp(cx));
    }

    fn ack(flow: &mut Dcqcn, us: u64, marked: bool, cumulative: u32) {
        let (bytes, rtt, in_flight) = (Bytes(1000), None, Bytes(0));
        let ack = Ack { bytes, marked, rtt, in_flight, cumulative, next_new: 100, ..Ack::EMPTY };
        at(us, |cx| flow.on_ack(cx, &ack));
    }

    fn lose(flow: &mut Dcqcn, us: u64, next_new: u32) {
        lose_by(flow, LossCause::Nack, us, next_new);
    }

    fn lose_by(flow: &mut Dcqcn, cause: LossCause, us: u64, next_new: u32) {
        let (bytes, packets, in_flight) = (Bytes(1000), 1, Bytes(0));
        at(us, |cx| flow.on_loss(cx, &Loss { bytes, packets, cause, in_flight, next_new }));
    }

    /// Lets every timer up to then fire.
    fn pass(flow: &mut Dcqcn, us: u64) {
        while let Some(due) = flow.next_timer().filter(|due| *due <= Time::ZERO + Span::us(us)) {
            flow.on_timer(&mut Cx { now: due, rng: &mut Rng::new(1, "flow", 0), events: &mut () });
        }
    }

    #[track_caller]
    fn assert_gbps(flow: &Dcqcn, expected: f64) {
        let found = flow.limits().rate.unwrap().0 as f64 / 1e9;
        assert!((found - expected).abs() < 0.0005 * expected, "{found}, not {expected}");
    }

    /// Spec of PowerTCP, item 7: alpha has decayed four times when the first CNP cuts.
    #[test]
    fn the_first_cnp_of_a_nic_that_polls_cuts_25_to_12_694_gbps() {
        let mut flow = flow(25, of(Profile::Hpcc));
        assert_eq!(flow.limits().rate, Some(Rate::gbps(25)));
        ack(&mut flow, 10, true, 0);
        assert_gbps(&flow, 25.0);
        pass(&mut flow, 13);
        assert_gbps(&flow, 25.0);
        pass(&mut flow, 14);
        assert_gbps(&flow, 12.694);
        pass(&mut flow, 914);
        assert_gbps(&flow, 18.847);
        pass(&mut flow, 1814);
        assert_gbps(&flow, 21.924);
    }

    #[test]
    fn the_first_cnp_of_the_paper_cuts_25_to_12_5_gbps() {
        for profile in [Profile::Paper, Profile::Themis] {
            let mut flow = flow(25, of(profile));
            cnp(&mut flow, 10);
            assert_gbps(&flow, 12.5);
            assert_eq!(flow.cnps().map(|plan| plan.interval), Some(Span::us(50)));
            ack(&mut flow, 11, true, 0);
            assert_gbps(&flow, 12.5);
        }
    }

    #[test]
    fn cuts_keep_their_distance() {
        let mut flow = flow(200, of(Profile::Themis));
        cnp(&mut flow, 10);
        cnp(&mut flow, 13);
        assert_gbps(&flow, 100.0);
        cnp(&mut flow, 14);
        assert_gbps(&flow, 50.0);
        // alpha after two cuts is still 1: (1 - g) 1 + g.
        assert_eq!(flow.alpha, 1.0);
    }

    /// 55 us later it has decayed once, and a cut makes it grow.
    #[test]
    fn alpha_decays_between_cuts_and_grows_with_them() {
        let g = 1.0 / 256.0;
        let mut flow = flow(200, of(Profile::Themis));
        cnp(&mut flow, 0);
        cnp(&mut flow, 120);
        let alpha = (1.0 - g) * (1.0 - g);
        assert_gbps(&flow, 100.0 * (1.0 - alpha / 2.0));
        assert!((flow.alpha - ((1.0 - g) * alpha + g)).abs() < 1e-12);
    }

    /// 200 Gbps have steps of 80 and 200 Mbps (spec of Themis, section 3).
    #[test]
    fn increases_go_from_fast_recovery_to_hyper_increase() {
        let mut flow = flow(200, of(Profile::Themis));
        (0..2).for_each(|i| cnp(&mut flow, i * 10));
        assert_gbps(&flow, 50.0);
        assert_eq!(flow.target, 100e9);
        let (mut rate, mut target) = (50.0, 100.0);
        for (i, step) in (1..).zip([0.0, 0.08, 0.2, 0.2]) {
            pass(&mut flow, 10 + 300 * i);
            target += step;
            rate = (rate + target) / 2.0;
            assert_gbps(&flow, rate);
        }
        assert_eq!(flow.target, 100.48e9);
    }

    /// Five events of either kind are fast recovery, and hyper increase takes more than five of both.
    #[test]
    fn bytes_count_beside_the_timer() {
        let mut flow =
            flow(40, Config { byte_counter: Some(Size::Bytes(Bytes(1000))), ..of(Profile::Paper) });
        at(0, |cx| flow.on_sent(cx, Bytes(5_000)));
        (0..2).for_each(|i| cnp(&mut flow, i));
        assert_eq!((flow.by_bytes, flow.target), (0, 20e9), "what went before does not count");
        at(2, |cx| flow.on_sent(cx, Bytes(5_500)));
        assert_eq!((flow.by_bytes, flow.target), (5, 20e9));
        at(3, |cx| flow.on_sent(cx, Bytes(500)));
        assert_eq!((flow.by_bytes, flow.target), (6, 20.04e9), "the sixth is additive");
        pass(&mut flow, 1 + 5 * 55);
        assert_eq!(flow.target, 20.24e9);
        pass(&mut flow, 1 + 6 * 55);
        assert_eq!(flow.target, 20.44e9, "six of both");
    }

    #[test]
    fn a_target_that_is_not_clamped_outlives_cuts_without_an_increase_between() {
        for (clamp_target, target) in [(false, 200e9), (true, 50e9)] {
            let config = Config { clamp_target: Some(clamp_target), ..of(Profile::Themis) };
            let mut flow = flow(200, config);
            (0..3).for_each(|i| cnp(&mut flow, i * 10));
            assert_eq!((flow.target, flow.rate), (target, 25e9));
        }
    }

    #[test]
    fn a_loss_does_what_it_is_told() {
        let after = |on_loss| {
            let mut flow = flow(200, Config { on_loss, ..of(Profile::Themis) });
            lose(&mut flow, 0, 100);
            ack(&mut flow, 5, false, 99);
            lose(&mut flow, 10, 120);
            let first = flow.rate;
            ack(&mut flow, 15, false, 100);
            lose(&mut flow, 20, 140);
            (first, flow.rate)
        };
        assert_eq!(after(OnLoss::Cnp), (50e9, 25e9));
        assert_eq!(after(OnLoss::Episode), (100e9, 50e9));
        assert_eq!(after(OnLoss::None), (200e9, 200e9));
        assert_eq!(after(OnLoss::Reset), (1e8, 1e8));
    }

    #[test]
    fn a_loss_counts_if_it_is_among_those_that_do() {
        let causes = [LossCause::Nack, LossCause::SwitchNack, LossCause::Timeout];
        for (losses, cuts) in [
            (Losses::All, [true, true, true]),
            (Losses::Nacks, [true, true, false]),
            (Losses::NicNacks, [true, false, false]),
        ] {
            for (cause, cut) in causes.into_iter().zip(cuts) {
                let mut flow = flow(200, Config { losses: Some(losses), ..of(Profile::Themis) });
                lose_by(&mut flow, cause, 0, 100);
                assert_eq!(flow.rate < 200e9, cut, "{losses:?} {cause:?}");
            }
        }
        let idle = Config { on_loss: OnLoss::None, losses: Some(Losses::All), ..Config::default() };
        assert_eq!(config::conflicts(&idle), [Conflict::Idle("losses", "on_loss")]);
    }

    /// ConWeave's simulator: cuts 4 us after the first notification and every 4 us from then on, alpha
    /// 1 at first and less by 1/256 each microsecond; the target stays at the line's rate until there
    /// was an increase, 300 us after a cut, of which the second adds 80 Mbps of 200 Gbps and each
    /// later one 200; a NACK cuts, a timeout does not.
    #[test]
    fn a_nic_of_conweaves_simulator_comes_back_in_the_time_of_its_timer() {
        let mut flow = flow(200, of(Profile::Conweave));
        assert_eq!(flow.cnps().map(|plan| plan.interval), None);
        lose_by(&mut flow, LossCause::Timeout, 5, 100);
        pass(&mut flow, 9);
        assert_gbps(&flow, 200.0);
        lose(&mut flow, 10, 100);
        ack(&mut flow, 11, true, 0);
        pass(&mut flow, 13);
        assert_gbps(&flow, 200.0);
        pass(&mut flow, 14);
        let g = 1.0 / 256.0;
        // The first microsecond has its notification, the one at 11 us is of the second.
        let alpha = ((1.0 - g) * (1.0 - g) + g) * (1.0 - g) * (1.0 - g);
        let rate = 200.0 * (1.0 - alpha / 2.0);
        assert_gbps(&flow, rate);
        assert_eq!(flow.target, 200e9);
        // Alpha is 1/3 after 280 us: a cut takes a sixth.
        ack(&mut flow, 290, true, 0);
        pass(&mut flow, 294);
        let decayed = alpha * libm::pow(1.0 - g, 277.0);
        let alpha = (decayed + g) * libm::pow(1.0 - g, 3.0);
        assert!((alpha - 1.0 / 3.0).abs() < 0.001);
        let later = rate * (1.0 - alpha / 2.0);
        assert_gbps(&flow, later);
        assert_eq!(flow.target, 200e9, "no increase between");
        pass(&mut flow, 594);
        let fast = (later + 200.0) / 2.0;
        assert_gbps(&flow, fast);
        pass(&mut flow, 894);
        assert_gbps(&flow, (fast + 200.0) / 2.0);
        assert_eq!(flow.target, 200e9, "never above the line's");
    }

    #[test]
    fn a_flow_that_is_back_at_line_rate_has_no_timer() {
        let mut flow = flow(25, of(Profile::Themis));
        cnp(&mut flow, 0);
        pass(&mut flow, 1_000_000);
        assert_eq!((flow.next_timer(), flow.limits().rate), (None, Some(Rate::gbps(25))));
    }

    /// With `timer` alpha grows once in an interval, however many CNPs came in it.
    #[test]
    fn a_timer_counts_the_cnps_of_an_interval_once() {
        let g = 1.0 / 256.0;
        let mut flow = flow(25, of(Profile::Hpcc));
        for us in [0, 50, 50, 50] {
            pass(&mut flow, us);
            ack(&mut flow, us, true, 0);
        }
        let decayed = libm::pow(1.0 - g, 50.0);
        pass(&mut flow, 52);
        let grown = ((1.0 - g) * decayed + g) * (1.0 - g);
        assert!((flow.alpha - grown).abs() < 1e-12, "{} {grown}", flow.alpha);
    }
}
