//! Probes that ask what has arrived, where nothing else tells.
//!
//! The last packets of a message have nothing behind them that could show their loss. After some
//! unloaded round trips without news a probe asks the receiver, which answers with what it has; more
//! follow until there is news (MRC, tail loss; the spans are those of the Ultra Ethernet consortium's
//! simulator).
//!
//! Reading: MRC's probe waits in the queues of data, and its own delay tells whether a packet may still be
//! on its way. Here probes go before data, so a packet has to have left some time before the probe.

use super::Config;
use crate::FlowContext;
use crate::units::{Span, Time};
use alloc::collections::VecDeque;

#[derive(Clone, Debug)]
pub(super) struct Tail {
    first: Span,
    again: Span,
    margin: Span,
    /// When there was news last.
    news: Time,
    /// When the probes left that no answer has been counted for.
    asked: VecDeque<Time>,
    /// When the next probe may leave at the earliest.
    not_before: Time,
    /// Whether one is to leave now.
    leaves: bool,
}

impl Tail {
    pub(super) fn new(config: &Config, context: &FlowContext) -> Option<Self> {
        let trips = |count: f64| Span((context.base_rtt.0 as f64 * count) as u64);
        let of_queues = || match context.drain {
            Some(drain) => Span(2 * drain.0),
            None => trips(2.0),
        };
        (config.tail > 0.0).then(|| Self {
            first: trips(config.tail),
            again: trips(config.tail_again),
            margin: config.tail_margin.unwrap_or_else(of_queues),
            news: Time::ZERO,
            asked: VecDeque::new(),
            not_before: Time::ZERO,
            leaves: false,
        })
    }

    /// When a probe is due if the oldest packet in flight left at `oldest`.
    pub(super) fn due(&self, oldest: Time) -> Time {
        (self.news.max(oldest) + self.first).max(self.not_before)
    }

    /// An ACK or a NACK told of packets.
    pub(super) fn on_news(&mut self, now: Time) {
        (self.news, self.leaves) = (now, false);
    }

    /// A probe is due now.
    pub(super) fn ask(&mut self, now: Time) {
        self.asked.push_back(now);
        self.not_before = now + self.again;
        self.leaves = true;
    }

    /// Whether a probe is to leave; says so once.
    pub(super) fn poll(&mut self) -> bool {
        core::mem::take(&mut self.leaves)
    }

    /// A probe was answered. What left by the time that is returned and is missing is lost. Answers do not
    /// say to which probe: each counts for the first that has none, and is one to it or to a later one.
    pub(super) fn on_answer(&mut self, now: Time) -> Option<Time> {
        let asked = self.asked.pop_front()?;
        self.on_news(now);
        Some(Time(asked.0.saturating_sub(self.margin.0)))
    }
}
