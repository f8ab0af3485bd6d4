//! REPS: recycled entropy packet spraying.
//!
//! The entropies of unmarked ACKs go into a small ring and are used once more, oldest first; a
//! marked one is forgotten; with none at hand a packet takes a random one. On a suspected failure
//! the ring is frozen: it is replayed, used up or not, and nothing is drawn at random until a
//! timeout has passed. Comments name the lines of the paper's Algorithms 1 (ACKs and failures) and
//! 2 (sending).
//!
//! ACK coalescing (section 4.5.1): "standard" is the default. "Carry" is a property of the ACK, so
//! it is the recovery's `ack_entropies = "carry"`: REPS hears of each carried entropy as of one
//! more clean ACK. "Reuse" is `reuse = n` here.
//!
//! Reading: Algorithm 2, lines 15 to 18, leaves most packets without an entropy while
//! `exploreCounter` is above 0. The text says that random ones are used "occasionally", so the
//! others take the ordinary way.
//!
//! Reading: `isEmpty` in line 19 means that nothing was ever cached. A frozen flow whose ring is
//! not full yet replays the slots that were written.
//!
//! Reading: a forced freeze (`force_freeze`, for Figure 19) also ends an exploration; its timeout
//! counts from the first packet or news after the instant.

use super::{Fate, Feedback, Outgoing, PathSelector};
use crate::family::{Conflict, Need};
use crate::ids::Entropy;
use crate::probe::Probes;
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes reps` says.
pub const CARD: Card = Card {
    name: "reps",
    title: "Recycled entropy packet spraying",
    paper: "Bonato et al., REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and \
            Failure Mitigation, EuroSys 2026",
    needs: &[Need::Ecn, Need::OutOfOrder],
    summary: "Reuses the entropies of unmarked ACKs, else draws at random; after a timeout it \
              replays known good paths. About 25 bytes of state, adapts within a round trip. \
              The load-balancing study's HOST PKT AR.",
};

crate::words! {
    /// Whose REPS it is: they differ in how a flow is frozen and what follows.
    pub enum Mode {
        /// The paper's algorithms: a frozen flow prefers entropies not used yet; after the freeze
        /// the ring is kept and one packet in `buffer` explores.
        Paper = "paper",
        /// The authors' artifact: a frozen flow goes round the ring whatever is fresh; any ACK or
        /// NACK can end the freeze; that empties the ring, and then every packet explores.
        Artifact = "artifact",
        /// The Ultra Ethernet simulator: as `artifact`, but 16 packets explore.
        Uec = "uec",
    }
}

crate::parameters! {
    /// Parameters of REPS.
    pub struct Config {
        /// How many entropy values there are to draw from (`EVS_SIZE`).
        pub entropies: u32 = 65_536, in 1..=65_536;
        /// Slots of the ring (`REPS_BUFFER_SIZE`).
        pub buffer: u32 = 8, in 1..=64;
        /// How many packets use a cached entropy (1 in the paper; more against ACK coalescing).
        pub reuse: u16 = 1, in 1..=65_535;
        /// Whose algorithm: `paper`, `artifact` or `uec`.
        pub mode: Mode = Mode::Paper;
        /// Whether the flow ever freezes.
        pub freezing: bool = true;
        /// How long a freeze lasts (`FREEZING_TIMEOUT`).
        pub freeze: Span = Span::ms(10);
        /// Packets of the exploration after a freeze (`NUM_PKTS_CWND`); `auto` is the BDP in
        /// packets, or 16 in mode `uec`.
        pub explore: Option<u32> = None;
        /// Without trimming, a timeout freezes only if the longest recent round trip is below this
        /// multiple of the unloaded one; a longer one means congestion.
        pub freeze_rtt: f64 = 1.65, in 0.0..=1000.0;
        /// Freezes, whatever the evidence, this long after the flow's first packet; `auto` is
        /// never.
        pub force_freeze: Option<Span> = None;
    }
    conflicts by conflicts
}

/// A flow that never freezes needs no more about it; with trimming, every timeout freezes.
fn conflicts(config: &Config) -> Vec<Conflict> {
    if config.freezing {
        return [Conflict::Moot("freeze_rtt", Need::Trimming)].into();
    }
    let idle = ["freeze", "explore", "freeze_rtt", "force_freeze"];
    idle.iter().map(|parameter| Conflict::Idle(parameter, "freezing")).collect()
}

/// Bits of state per connection in hardware: Table 1 of the paper.
pub const fn state_bits(buffer: u32) -> u32 {
    let (cached_ev, is_valid) = (16, 1);
    let (head, valid_evs, exit_freezing, is_freezing, explore) = (8, 8, 32, 1, 8);
    (cached_ev + is_valid) * buffer + head + valid_evs + exit_freezing + is_freezing + explore
}

/// `NUM_PKTS_CWND` of the Ultra Ethernet simulator.
const UEC_EXPLORE: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Slot {
    entropy: Entropy,
    /// Packets that may still use it; `isValid` means that some may.
    lives: u16,
}

impl Slot {
    const UNUSED: Self = Self { entropy: Entropy(0), lives: 0 };
}

/// Slots of rings that take no memory of their own.
const FEW: usize = 8;

/// One flow's ring of entropies, and whether it is frozen.
#[derive(Clone, Debug, Serialize)]
pub struct Reps {
    constants: Arc<Constants>,
    /// `repsBuffer`, unless it is larger. The slots ever written are the first `written`: `head`
    /// comes to a new one only from its predecessor.
    few: [Slot; FEW],
    /// What the defaults do without.
    more: Option<Box<More>>,
    reuse: u16,
    /// How many slots there are.
    buffer: u8,
    mode: Mode,
    written: u8,
    head: u8,
    /// `numberOfValidEVs`. Unless a mode with a replay pointer is frozen, the valid slots are those
    /// just before `head`.
    valid: u8,
    /// The slot that a frozen flow uses next, in the modes that go round the whole ring.
    replay: u8,
    /// `isFreezingMode`.
    frozen: bool,
    started: bool,
    /// `exploreCounter`.
    explore: u32,
    /// `exitFreezingMode`.
    frozen_until: Time,
    recent: RecentRtt,
}

// There may be millions of flows.
const _: () = assert!(size_of::<Reps>() <= 88);

#[derive(Clone, Debug, Serialize)]
struct More {
    /// All slots, where they are more than a few; else none.
    slots: Box<[Slot]>,
    /// When the flow is forced to freeze, known from the first packet on.
    force_at: Time,
}

/// What flows across equally long paths share.
#[derive(Debug, Serialize)]
struct Constants {
    freezing: bool,
    trimming: bool,
    entropies: u32,
    explore_packets: u32,
    freeze: Span,
    force_after: Option<Span>,
    /// The window in which the longest round trip is kept.
    recent: Span,
    /// From this one on a timeout is put down to congestion.
    congested: Span,
}

/// The longest round trip in a tumbling window of two retransmission timeouts, as the artifact
/// keeps it: the first ACK after the window's end opens the next one and is its first sample.
#[derive(Clone, Debug, Serialize)]
struct RecentRtt {
    since: Time,
    max: Span,
}

impl RecentRtt {
    fn sample(&mut self, now: Time, rtt: Span, length: Span) {
        if now.since(self.since) > length {
            self.since = now;
            self.max = Span::ZERO;
        }
        self.max = self.max.max(rtt);
    }
}

impl Reps {
    /// An empty ring. The flow's first packets are sprayed at random.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let explore_packets = config.explore.unwrap_or(match config.mode {
            Mode::Uec => UEC_EXPLORE,
            Mode::Paper | Mode::Artifact => context.bdp_packets().min(u64::from(u32::MAX)) as u32,
        });
        let congested = libm::round(config.freeze_rtt * context.base_rtt.0 as f64) as u64;
        let constants = Constants {
            freezing: config.freezing,
            trimming: context.trimming,
            entropies: config.entropies,
            explore_packets,
            freeze: config.freeze,
            force_after: config.force_freeze.filter(|_| config.freezing),
            recent: context.rto + context.rto,
            congested: Span(congested),
        };
        let many = config.buffer as usize > FEW;
        let more = || {
            let slots = vec![Slot::UNUSED; if many { config.buffer as usize } else { 0 }];
            Box::new(More { slots: slots.into_boxed_slice(), force_at: Time::NEVER })
        };
        Self {
            few: [Slot::UNUSED; FEW],
            more: (many || constants.force_after.is_some()).then(more),
            reuse: config.reuse,
            buffer: config.buffer as u8,
            mode: config.mode,
            written: 0,
            head: 0,
            valid: 0,
            replay: 0,
            frozen: false,
            started: false,
            explore: 0,
            frozen_until: Time::ZERO,
            recent: RecentRtt { since: Time::ZERO, max: Span::ZERO },
            constants: Arc::new(constants),
        }
    }

    #[inline]
    fn slots(&mut self) -> &mut [Slot] {
        match &mut self.more {
            Some(more) if !more.slots.is_empty() => &mut more.slots,
            _ => &mut self.few,
        }
    }

    fn next_index(&self, index: u8) -> u8 {
        if index + 1 == self.buffer { 0 } else { index + 1 }
    }

    /// Algorithm 1, lines 9 to 14.
    fn cache(&mut self, entropy: Entropy) {
        let (head, lives) = (usize::from(self.head), self.reuse);
        let slot = &mut self.slots()[head];
        let taken = slot.lives > 0;
        *slot = Slot { entropy, lives };
        self.valid += u8::from(!taken);
        self.written = self.written.max(self.head + 1);
        self.head = self.next_index(self.head);
    }

    /// Algorithm 1, lines 15 to 18.
    fn thaw_when_due(&mut self, cx: &mut Cx<'_>) {
        if !self.frozen || cx.now <= self.frozen_until {
            return;
        }
        self.frozen = false;
        self.explore = self.constants.explore_packets;
        if self.mode != Mode::Paper {
            self.slots().fill(Slot::UNUSED);
            (self.written, self.head, self.valid, self.replay) = (0, 0, 0, 0);
        }
        cx.events.event(cx.now, "reps: thaw");
    }

    /// Whether a timeout speaks of a failure. With trimming, congestion shows in NACKs; without, a
    /// failure is what happens while round trips are short.
    fn timeout_is_failure(&self) -> bool {
        self.constants.trimming || self.recent.max < self.constants.congested
    }

    /// Algorithm 1, lines 21 to 26.
    fn on_failure_suspected(&mut self, cx: &mut Cx<'_>) {
        if self.constants.freezing && !self.frozen && self.explore == 0 {
            self.enter_freezing(cx);
        }
    }

    fn enter_freezing(&mut self, cx: &mut Cx<'_>) {
        self.frozen = true;
        self.frozen_until = cx.now + self.constants.freeze;
        cx.events.event(cx.now, "reps: freeze");
    }

    #[inline]
    fn force_when_due(&mut self, cx: &mut Cx<'_>) {
        if self.more.as_ref().is_some_and(|more| cx.now >= more.force_at) {
            self.force(cx);
        }
    }

    #[cold]
    fn force(&mut self, cx: &mut Cx<'_>) {
        if let Some(more) = &mut self.more {
            more.force_at = Time::NEVER;
        }
        self.explore = 0;
        if !self.frozen {
            self.enter_freezing(cx);
        }
    }

    fn start(&mut self, now: Time) {
        self.started = true;
        self.recent.since = now;
        if let (Some(after), Some(more)) = (self.constants.force_after, &mut self.more) {
            more.force_at = now + after;
        }
    }

    /// Algorithm 2, lines 2 to 12. Something was cached.
    fn recycle(&mut self) -> Entropy {
        if self.frozen && self.mode != Mode::Paper {
            return self.replay_round();
        }
        if self.valid > 0 {
            let wrap = if self.head < self.valid { self.buffer } else { 0 };
            let oldest = self.head + wrap - self.valid;
            let slot = &mut self.slots()[usize::from(oldest)];
            slot.lives -= 1;
            let Slot { entropy, lives } = *slot;
            self.valid -= u8::from(lives == 0);
            entropy
        } else {
            let index = if self.head < self.written { self.head } else { 0 };
            self.head = self.next_index(index);
            self.slots()[usize::from(index)].entropy
        }
    }

    /// The artifact's way of going round the written slots while frozen.
    fn replay_round(&mut self) -> Entropy {
        let replayed = usize::from(self.replay);
        let slot = &mut self.slots()[replayed];
        let Slot { entropy, lives } = *slot;
        slot.lives = 0;
        self.valid -= u8::from(lives > 0);
        self.replay = (self.replay + 1) % self.written;
        entropy
    }

    fn random(&self, cx: &mut Cx<'_>) -> Entropy {
        Entropy(cx.rng.below(u64::from(self.constants.entropies)) as u16)
    }
}

impl PathSelector for Reps {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("cache", self.valid.into());
        to.flag("frozen", self.frozen);
        to.count("explore", self.explore.into());
    }

    /// Algorithm 2, lines 14 to 24.
    #[inline]
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        if !self.started {
            self.start(cx.now);
        }
        self.force_when_due(cx);
        if self.explore > 0 {
            self.explore -= 1;
            if self.mode != Mode::Paper || self.explore.is_multiple_of(u32::from(self.buffer)) {
                return self.random(cx);
            }
        }
        if self.written == 0 || (self.valid == 0 && !self.frozen) {
            self.random(cx)
        } else {
            self.recycle()
        }
    }

    fn learns_entropies(&self) -> bool {
        true
    }

    /// Algorithm 1.
    #[inline]
    fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        self.force_when_due(cx);
        if news.fate == Fate::TimedOut {
            if self.timeout_is_failure() {
                self.on_failure_suspected(cx);
            }
            return;
        }
        if let (Fate::Clean | Fate::Marked, Some(rtt)) = (news.fate, news.rtt) {
            self.recent.sample(cx.now, rtt, self.constants.recent);
        }
        let clean = news.fate == Fate::Clean;
        if self.mode != Mode::Paper {
            self.thaw_when_due(cx);
            if clean {
                self.cache(news.path);
            }
        } else if clean {
            self.cache(news.path);
            self.thaw_when_due(cx);
        }
    }
}

#[cfg(test)]
mod tests;
