//! The buffer of SONiC switches: every packet counts at its ingress and at its egress queue, lossy and
//! lossless classes share pools, and lossless ones pause who sends to them.
//!
//! Reverie thesis, 5.1.2 (spec 3.1 to 3.3 and 4). At ingress one pool is shared by all classes, and
//! headroom lies beside it for what comes after a pause; at egress lossless and lossy classes have a
//! pool each, which may overlap. A queue's threshold is dynamic: alpha times what is free of its pool
//! (equation 5.1). A lossy packet has to be below the thresholds of either side. A lossless one is
//! dropped by none at ingress: its queue, once above the threshold, takes headroom and has the far end
//! pause, and lets it go on when the headroom is empty and the queue is short or well below its
//! threshold.
//!
//! Reading: control frames pass by all thresholds, as priority 0 does in the released code, but lie in
//! the same memory; so that headroom stays what it is, they use up the shared pools, and are dropped
//! where nothing else is left. What the pool at ingress has no room for takes headroom, reserved or not.

use super::classes::{Alpha, PerClass};
use super::headroom::{Headroom, Pools};
use super::{
    Admission, BufferContext, BufferPolicy, Candidate, Departed, Lack, MemoryView, QueueId,
};
use crate::probe::Probes;
use crate::size::{Limited, Size};
use crate::units::Bytes;
use crate::{Card, SwitchCx};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

/// What `raddle schemes sonic` says.
pub const CARD: Card = Card {
    name: "sonic",
    title: "SONiC",
    paper: "Addanki, Bai, Schmid and Apostolaki, Reverie: low pass filter-based switch buffer sharing for datacenters with RDMA and TCP traffic, NSDI 2024, section 2",
    needs: &[],
    summary: "Pools at ingress and egress with dynamic thresholds, and pauses for lossless classes (`lossless`). What switches with lossy and lossless traffic ship with.",
};

crate::parameters! {
    /// Parameters of the SONiC buffer.
    pub struct Config {
        /// Whether a data class is lossless; a list has one value for each class. Any that is turns
        /// priority flow control on.
        pub lossless: PerClass<bool> = PerClass::All(false);
        /// Of ingress queues, over what is free of their pool; `auto`: 1 for lossless classes, 10000 for
        /// lossy ones.
        pub alpha_ingress: Option<PerClass<Alpha>> = None;
        /// Of egress queues; `auto`: 10000 for lossless classes, 1 for lossy ones.
        pub alpha_egress: Option<PerClass<Alpha>> = None;
        /// Memory of a port and lossless class for what comes after a pause; `auto`: what the link needs.
        pub headroom: Option<Bytes> = None;
        /// The pool at ingress; `auto`: the memory without headroom.
        pub ingress_pool: Option<Limited> = None;
        /// The pool of lossless classes at egress; `auto`: all memory.
        pub lossless_pool: Option<Limited> = None;
        /// The pool of lossy classes at egress, over that at ingress.
        pub lossy_share: f64 = 0.8, in 0.0..=1.0;
        /// What an ingress queue may hold whatever its threshold.
        pub reserved: Bytes = Bytes(0);
        /// A queue below this lets the far end go on.
        pub xon: Limited = Limited(Size::Bytes(Bytes(1248)));
        /// So does one so far below its threshold.
        pub xon_offset: Limited = Limited(Size::Bytes(Bytes(2496)));
    }
}

/// An alpha that never decides.
const NEVER: f64 = 10_000.0;

/// A class of data, with its alphas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) lossless: bool,
    pub(super) ingress: f64,
    pub(super) egress: f64,
    /// Whether no threshold at egress drops it.
    pub(super) never_drops: bool,
}

/// Bytes of lossless and lossy classes.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    lossless: u64,
    lossy: u64,
}

impl Used {
    fn of(&mut self, lossless: bool) -> &mut u64 {
        if lossless { &mut self.lossless } else { &mut self.lossy }
    }
}

/// One switch's pools.
#[derive(Clone, Debug)]
pub struct Sonic {
    classes: Vec<Class>,
    pauses: bool,
    headroom: Headroom,
    /// All memory.
    size: u64,
    ingress_pool: u64,
    lossless_pool: u64,
    lossy_pool: u64,
    reserved: u64,
    xon: u64,
    xon_offset: u64,
    /// Shared memory by ingress, headroom aside, and all by egress.
    ingress: Used,
    egress: Used,
    pools: Pools,
}

impl Sonic {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        let class = |class| {
            let lossless = config.lossless.of(class);
            let alpha = |own: &Option<PerClass<Alpha>>, auto: f64| {
                own.as_ref().map_or(auto, |own| own.of(class).0)
            };
            let (ingress, egress) = if lossless { (1.0, NEVER) } else { (NEVER, 1.0) };
            let ingress = alpha(&config.alpha_ingress, ingress);
            let egress = alpha(&config.alpha_egress, egress);
            Class { lossless, ingress, egress, never_drops: lossless && egress >= NEVER }
        };
        let classes: Vec<Class> = (0..context.data_classes()).map(class).collect();
        let lossless: Vec<bool> = classes.iter().map(|class| class.lossless).collect();
        let headroom = Headroom::new(context, config.headroom, &lossless);
        let base = context.base();
        let size = |own: Option<Limited>, auto| own.map_or(auto, |own| own.0.resolve(&base).0);
        let shared = context.size.0.saturating_sub(headroom.size());
        let ingress_pool = size(config.ingress_pool, shared);
        Self {
            classes,
            pauses: config.lossless.any(|lossless| lossless),
            headroom,
            size: context.size.0,
            ingress_pool,
            lossless_pool: size(config.lossless_pool, context.size.0),
            lossy_pool: (config.lossy_share * ingress_pool as f64) as u64,
            reserved: config.reserved.0,
            xon: config.xon.0.resolve(&base).0,
            xon_offset: config.xon_offset.0.resolve(&base).0,
            ingress: Used::default(),
            egress: Used::default(),
            pools: Pools::default(),
        }
    }

    /// Bytes of control frames.
    fn control(&self, memory: &MemoryView<'_>) -> u64 {
        memory.used.0.saturating_sub(self.egress.lossless + self.egress.lossy)
    }

    /// What is used of the pool at ingress.
    fn ingress_used(&self, memory: &MemoryView<'_>) -> u64 {
        self.ingress.lossless + self.ingress.lossy + self.control(memory)
    }

    /// T_in (spec 3.3), where so much of the pool at ingress is used.
    fn threshold_beside(&self, class: Class, used: u64) -> u64 {
        (class.ingress * self.ingress_pool.saturating_sub(used) as f64) as u64
    }

    /// T_in as it is.
    fn ingress_threshold(&self, class: Class, memory: &MemoryView<'_>) -> u64 {
        self.threshold_beside(class, self.ingress_used(memory))
    }

    /// Whether a queue of so many bytes at ingress, the packet in it and in what is used, sends that to
    /// headroom (spec 3.2.5: the threshold is taken with the packet in the pool).
    fn is_above(&self, class: Class, queued: u64, used: u64) -> bool {
        let has_reserve = || queued <= self.reserved && used <= self.ingress_pool;
        queued > self.threshold_beside(class, used) && !has_reserve()
    }

    /// Whether a packet may be kept, by either side (spec 3.2.3 and 3.2.4).
    fn fits(&self, frame: &Candidate, class: Class, memory: &MemoryView<'_>) -> bool {
        let bytes = frame.bytes.0;
        let origin = QueueId { port: frame.came_in, class: frame.queue.class };
        let place = memory.place(origin);
        let queued = memory.ingress[place] + bytes;
        let (pool, used) = match class.lossless {
            true => (self.lossless_pool, self.egress.lossless),
            false => (self.lossy_pool, self.egress.lossy),
        };
        let at_ingress = if class.lossless {
            queued <= self.reserved || self.headroom.has_room(origin, place, bytes)
        } else {
            (queued <= self.ingress_threshold(class, memory) || queued <= self.reserved)
                && bytes + self.ingress_used(memory) <= self.ingress_pool
        };
        let out = memory.queues[memory.place(frame.queue)] + bytes;
        let threshold = (class.egress * pool.saturating_sub(used) as f64) as u64;
        let at_egress = out <= threshold || class.never_drops;
        at_ingress && at_egress && used + bytes <= pool && frame.bytes <= memory.free()
    }

    /// A class of data.
    pub(super) fn class(&self, number: usize) -> Option<Class> {
        self.classes.get(number).copied()
    }

    /// What becomes of a frame of control.
    pub(super) fn admit_control(&self, frame: &Candidate, memory: &MemoryView<'_>) -> Admission {
        let spares = self.headroom.spares(frame.bytes, memory);
        if spares { Admission::Keep } else { Admission::Refuse }
    }

    /// What becomes of a packet whose class has these alphas.
    pub(super) fn admit_as(
        &mut self,
        class: Class,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        if self.fits(frame, class, memory) {
            return Admission::Keep;
        }
        self.pools.lossless_refused += u64::from(class.lossless);
        Admission::Refuse
    }

    /// A packet has joined whose class has these alphas.
    pub(super) fn join_as(&mut self, class: Class, frame: &Candidate, memory: &MemoryView<'_>) {
        let bytes = frame.bytes.0;
        let place = memory.place(QueueId { port: frame.came_in, class: frame.queue.class });
        *self.ingress.of(class.lossless) += bytes;
        *self.egress.of(class.lossless) += bytes;
        // Spec 3.2.5: all of the packet goes to headroom.
        let has_headroom = self.headroom.of(place) > 0;
        let is_above = || self.is_above(class, memory.ingress[place], self.ingress_used(memory));
        if class.lossless && (has_headroom || is_above()) {
            self.ingress.lossless -= bytes;
            self.headroom.take(place, bytes, &mut self.pools);
        }
        self.balance(memory);
    }

    /// Whether the far end of a port shall pause a class with these alphas.
    pub(super) fn pauses_as(
        &self,
        class: Class,
        ingress: QueueId,
        paused: bool,
        memory: &MemoryView<'_>,
    ) -> bool {
        let place = memory.place(ingress);
        self.headroom.pauses(place, paused, || {
            let queued = memory.ingress[place];
            let threshold = self.ingress_threshold(class, memory);
            queued < self.xon || queued + self.xon_offset <= threshold
        })
    }

    /// Notes maxima, and whether the sides fit together (thesis, equations 5.2 to 5.4).
    fn balance(&mut self, memory: &MemoryView<'_>) {
        let Self { ingress, egress, headroom, pools, .. } = self;
        let fits = egress.lossy == ingress.lossy
            && egress.lossless == ingress.lossless + headroom.used()
            && egress.lossless + egress.lossy <= memory.used.0;
        pools.unbalanced += u64::from(!fits);
        pools.lossless_max = pools.lossless_max.max(egress.lossless);
        pools.lossy_max = pools.lossy_max.max(egress.lossy);
        pools.left = egress.lossless + egress.lossy;
    }
}

impl BufferPolicy for Sonic {
    fn probes(&self, to: &mut dyn Probes) {
        for (name, bytes) in [
            ("ingress_lossless", self.ingress.lossless),
            ("ingress_lossy", self.ingress.lossy),
            ("egress_lossless", self.egress.lossless),
            ("egress_lossy", self.egress.lossy),
        ] {
            to.bytes(name, Bytes(bytes));
        }
    }

    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        match self.class(frame.queue.class as usize) {
            Some(class) => self.admit_as(class, frame, memory),
            None => self.admit_control(frame, memory),
        }
    }

    fn answers_early(&self) -> bool {
        true
    }

    /// What has left unseen makes thresholds too low and queues too long, and headroom not less.
    fn admit_early(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<bool> {
        let Some(class) = self.class(frame.queue.class as usize) else {
            return self.headroom.spares(frame.bytes, memory).then_some(true);
        };
        let bytes = frame.bytes.0;
        let (used, most) = match class.lossless {
            true => (self.egress.lossless, self.pools.lossless_max),
            false => (self.egress.lossy, self.pools.lossy_max),
        };
        let place = memory.place(QueueId { port: frame.came_in, class: frame.queue.class });
        let (queued, shared) = (memory.ingress[place], self.ingress_used(memory));
        let surely = self.headroom.used() == 0
            && used + bytes <= most
            && !(class.lossless && self.is_above(class, queued + bytes, shared + bytes))
            && self.fits(frame, class, memory);
        surely.then_some(true)
    }

    fn on_join(&mut self, _: &mut SwitchCx<'_>, frame: &Candidate, memory: &MemoryView<'_>) {
        if let Some(class) = self.class(frame.queue.class as usize) {
            self.join_as(class, frame, memory);
        }
    }

    fn on_departure(&mut self, _: &mut SwitchCx<'_>, frame: &Departed, memory: &MemoryView<'_>) {
        let Some(&class) = self.classes.get(frame.queue.class as usize) else { return };
        let bytes = frame.bytes.0;
        let place = memory.place(QueueId { port: frame.came_in, class: frame.queue.class });
        *self.egress.of(class.lossless) -= bytes;
        // Spec 3.2.6: headroom first.
        *self.ingress.of(class.lossless) -= self.headroom.release(place, bytes);
        self.balance(memory);
    }

    fn decides_pauses(&self) -> bool {
        self.pauses
    }

    fn pauses(&self, ingress: QueueId, paused: bool, memory: &MemoryView<'_>) -> bool {
        let class = self.class(ingress.class as usize);
        class.is_some_and(|class| self.pauses_as(class, ingress, paused, memory))
    }

    fn is_lossless(&self, class: usize) -> bool {
        self.classes.get(class).is_some_and(|own| own.lossless)
    }

    fn lacks(&self) -> Option<Lack> {
        if !self.pauses {
            return None;
        }
        let (shared, held) = (
            self.size.saturating_sub(self.headroom.size()),
            (self.ingress_pool + self.headroom.size()).min(self.size),
        );
        let lack = |parameter, is, would_do| Some(Lack { parameter, is, would_do });
        let lossless = self.classes.iter().filter(|own| own.lossless).map(|own| own.egress);
        let egress = lossless.fold(NEVER, f64::min);
        if egress < NEVER {
            lack("alpha_egress", format!("{egress}"), format!("at least {NEVER} where lossless"))
        } else if self.ingress_pool > shared {
            let is = format!("{} B", self.ingress_pool);
            lack("ingress_pool", is, format!("at most {shared} B, what headroom leaves"))
        } else if self.lossless_pool < held {
            let is = format!("{} B", self.lossless_pool);
            lack("lossless_pool", is, format!("at least {held} B"))
        } else {
            self.headroom.lacks()
        }
    }

    /// What it keeps beside these bounds are sums, which no order changes. Any class may be that of all
    /// that comes in.
    fn ignores_order(&self, incoming: Bytes, memory: &MemoryView<'_>) -> bool {
        let (incoming, used) = (incoming.0, memory.used.0);
        if used + incoming + self.headroom.size() > memory.size.0 || self.headroom.used() > 0 {
            return false;
        }
        let at_ingress = Longest::new(memory.ingress, used, incoming);
        let at_egress = Longest::new(memory.queues, used, incoming);
        let threshold =
            |alpha: f64, pool: u64, used| (alpha * pool.saturating_sub(used) as f64) as u64;
        self.classes.iter().all(|class| {
            let (pool, used, most) = match class.lossless {
                true => (self.lossless_pool, self.egress.lossless, self.pools.lossless_max),
                false => (self.lossy_pool, self.egress.lossy, self.pools.lossy_max),
            };
            let shared = self.ingress_used(memory) + incoming;
            used + incoming <= most
                && at_ingress.is_within(threshold(class.ingress, self.ingress_pool, shared))
                && at_egress.is_within(threshold(class.egress, pool, used + incoming))
        })
    }

    fn misfit(&self, frame: Bytes) -> Option<(&'static str, String)> {
        let lossless = self.classes.iter().any(|class| class.lossless);
        if lossless && self.lossless_pool < frame.0 {
            return Some(("lossless_pool", format!("at least {frame}, the largest frame")));
        }
        let all = self.ingress_pool;
        (self.pauses && self.xon >= all)
            .then(|| ("xon", format!("less than {}, the pool at ingress", Bytes(all))))
    }

    fn shared_size(&self) -> Option<Bytes> {
        self.pauses.then_some(Bytes(self.ingress_pool))
    }

    fn pools(&self) -> Option<Pools> {
        Some(self.pools)
    }
}

/// The longest of some queues after so much has joined.
struct Longest<'q> {
    queues: &'q [u64],
    /// What it is at most.
    bound: u64,
    incoming: u64,
    known: Cell<Option<u64>>,
}

impl<'q> Longest<'q> {
    /// Of queues that have `all` together.
    fn new(queues: &'q [u64], all: u64, incoming: u64) -> Self {
        Self { queues, bound: all + incoming, incoming, known: Cell::new(None) }
    }

    /// Whether it exceeds no threshold; looked for only where that is not known without.
    fn is_within(&self, threshold: u64) -> bool {
        let find = || self.queues.iter().copied().max().unwrap_or(0) + self.incoming;
        self.bound <= threshold || {
            let longest = self.known.get().unwrap_or_else(find);
            self.known.set(Some(longest));
            longest <= threshold
        }
    }
}

#[cfg(test)]
mod tests;
