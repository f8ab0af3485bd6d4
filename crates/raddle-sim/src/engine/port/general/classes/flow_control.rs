//! Flow control at a port: what came in, who is to pause, and who has to hear of it.

use super::{Classes, QUEUES};
use crate::plan::Watchdog;
use crate::wire::frame::Frame;
use crate::wire::port_facts::{PfcFacts, PortFacts};
use crate::wire::watchdog::Storm;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Span, Time};

/// A watchdog, and what it knows of each class.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) watchdog: Watchdog,
    pub(super) storms: [Storm; QUEUES],
}

/// Both directions of flow control at a port.
#[derive(Debug)]
pub(super) struct Pfc {
    /// When all data classes may start frames again.
    pub(super) free_from: Time,
    /// When the far end is told again.
    pub(super) refresh_at: Time,
    /// Counts up to this are neither above the threshold nor a maximum.
    pub(super) quiet_to: u64,
    pub(super) facts: PfcFacts,
    /// Classes that the far end is to pause.
    pub(super) pausing: u8,
    /// Classes of which the far end has not been told the latest.
    pub(super) news: u8,
    /// Classes that flow control has taken on: their queues have no limit of their own.
    pub(super) lossless: u8,
}

/// The count of a class after a frame that came in.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Counted {
    /// Bytes that came in and have not left the switch.
    pub(in crate::engine) bytes: u64,
    /// Whether the far end is to pause the class from now on.
    pub(in crate::engine) pauses: bool,
}

/// Flow control; without it, nothing is ever counted, paused or told.
impl Classes {
    /// Whether `frame`, coming in here, could take the count of its class above the threshold, or
    /// make it the largest so far.
    #[inline]
    pub(in crate::engine) fn may_be_noted(&self, frame: Frame) -> bool {
        let class = self.queue_of(frame);
        let Some(pfc) = &self.pfc else { return false };
        class < self.control() && self.own[class].ingress + frame.size().0 > pfc.quiet_to
    }

    /// A frame that came in here joined a queue of `class`. Returns the count if it is one to note.
    #[inline]
    pub(in crate::engine) fn entered(&mut self, class: usize, size: u64) -> Option<Counted> {
        let pfc = self.pfc.as_mut()?;
        self.own[class].ingress += size;
        let bytes = self.own[class].ingress;
        (bytes > pfc.quiet_to).then(|| pfc.note(class, bytes))
    }

    /// A frame of `class` that had come in here is gone. Returns whether the far end may resume.
    #[inline]
    pub(in crate::engine) fn departed(&mut self, class: usize, size: u64) -> bool {
        let control = self.control();
        let Some(pfc) = self.pfc.as_mut().filter(|_| class < control) else { return false };
        self.own[class].ingress -= size;
        let bit = 1 << class;
        let below = self.own[class].ingress <= pfc.facts.xon && !pfc.facts.by_memory;
        let resumes = below && pfc.pausing & bit != 0;
        if resumes {
            pfc.pausing &= !bit;
            pfc.news |= bit;
        }
        resumes
    }

    /// Whether the far end is to pause a class; nothing for control, or without flow control.
    pub(in crate::engine) fn is_pausing(&self, class: usize) -> Option<bool> {
        let pfc = self.pfc.as_ref().filter(|_| class < self.control())?;
        Some(u16::from(pfc.pausing) >> class & 1 == 1)
    }

    /// The far end is to pause a class from now on, or may resume.
    pub(in crate::engine) fn turn(&mut self, class: usize, pauses: bool) {
        let Some(pfc) = &mut self.pfc else { return };
        let bit = 1 << class;
        pfc.news |= bit;
        pfc.pausing = if pauses { pfc.pausing | bit } else { pfc.pausing & !bit };
    }

    /// A bit for each class that the far end is to pause.
    pub(in crate::engine) fn pausing(&self) -> u8 {
        self.pfc.as_ref().map_or(0, |pfc| pfc.pausing)
    }

    /// The class of each frame of data that waits, and the port that it came in through.
    pub(in crate::engine) fn waiting(&self) -> impl Iterator<Item = (u8, PortId)> {
        let data = (0..).zip(&self.own[..self.control()]);
        data.flat_map(|(class, own)| own.queue.iter().map(move |e| (class, PortId(e.tag()))))
    }

    /// A PFC frame from the far end has come. Returns how many of the pauses that it asks for the
    /// watchdog does not heed.
    pub(in crate::engine) fn on_pause(&mut self, now: Time, frame: Frame) -> u64 {
        if self.credits.is_some() {
            self.on_message(now, frame);
            return 0;
        }
        let Some(pfc) = &mut self.pfc else { return 0 };
        let mut ignored = 0;
        for (class, pause) in frame.pfc_classes() {
            let quanta = pfc.facts.quanta;
            self.own[class].paused_until = match self.watchdog.as_deref_mut() {
                None if pause => now + quanta,
                None => now,
                Some(Watched { watchdog, storms }) => {
                    let pause = pause.then_some(quanta);
                    let obeyed = storms[class].on_pfc(*watchdog, now, pause);
                    ignored += u64::from(obeyed.ignored);
                    obeyed.until
                }
            };
        }
        pfc.free_from = self.own.iter().map(|class| class.paused_until).max().unwrap_or(now);
        ignored
    }

    /// From when on all classes may start frames and the far end knows the latest; never, while it
    /// has to be told something.
    #[inline]
    pub(in crate::engine) fn calm_from(&self) -> Time {
        let Some(pfc) = &self.pfc else { return Time::ZERO };
        let told = pfc.news == 0 && pfc.refresh_at == Time::NEVER;
        if told { pfc.free_from } else { Time::NEVER }
    }

    /// Whether the far end has to be told something.
    pub(in crate::engine) fn has_news(&self) -> bool {
        self.pfc.as_ref().is_some_and(|pfc| pfc.news != 0)
    }

    /// When a pause has to be renewed.
    #[inline]
    pub(in crate::engine) fn refresh_at(&self) -> Time {
        self.pfc.as_ref().map_or(Time::NEVER, |pfc| pfc.refresh_at)
    }

    /// A pause that is due at `now` is renewed: the far end is to be told again which classes pause.
    #[inline]
    pub(in crate::engine) fn renew(&mut self, now: Time) {
        if let Some(pfc) = self.pfc.as_mut().filter(|pfc| pfc.refresh_at == now) {
            pfc.refresh_at = Time::NEVER;
            pfc.news |= pfc.pausing;
        }
    }
}

impl Pfc {
    /// Of a port; with credits nobody is ever paused, but all have to be asked.
    pub(super) fn of(facts: &PortFacts) -> Option<Self> {
        let credits = facts.credits.is_some().then_some(PfcFacts {
            xoff: u64::MAX,
            xon: 0,
            quanta: Span::ZERO,
            by_memory: true,
        });
        Some(Self {
            free_from: if credits.is_some() { Time::NEVER } else { Time::ZERO },
            refresh_at: Time::NEVER,
            quiet_to: if credits.is_some() { u64::MAX } else { 0 },
            facts: facts.pfc.or(credits)?,
            pausing: 0,
            news: 0,
            lossless: facts.lossless,
        })
    }

    /// A count that is above the threshold, or the largest so far.
    fn note(&mut self, class: usize, bytes: u64) -> Counted {
        self.quiet_to = self.quiet_to.max(bytes).min(self.facts.xoff);
        let bit = 1 << class;
        let pauses = bytes > self.facts.xoff && self.pausing & bit == 0;
        if pauses {
            self.pausing |= bit;
            self.news |= bit;
        }
        Counted { bytes, pauses }
    }

    /// What the wire takes at `now` tells the far end the latest.
    pub(super) fn tell(&mut self, now: Time) -> Frame {
        let frame = Frame::pfc(self.pausing | self.news, self.pausing);
        self.news = 0;
        let half = Span(self.facts.quanta.0 / 2);
        self.refresh_at = if self.pausing == 0 { Time::NEVER } else { now + half };
        frame
    }
}
