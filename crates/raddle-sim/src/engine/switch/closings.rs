//! When the lanes of a switch close, where frames go by slices of circuits: what is late is taken out
//! then.

use crate::engine::switch::busy::note_busy;
use crate::topology::Fabric;
use crate::topology::slicing::Late;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;
use std::collections::BTreeMap;
use std::ops::Range;

/// Of a switch whose frames go by slices, or which keeps what waits for circuits.
pub(in crate::engine) struct Slices {
    /// When its lanes close, where what is late is taken out then.
    pub(in crate::engine) closings: Option<Box<Closings>>,
}

impl Slices {
    /// A frame goes to the queue of a port.
    #[inline]
    pub(in crate::engine) fn touch(&mut self, port: u32) {
        if let Some(closings) = &mut self.closings {
            closings.touch(port);
        }
    }

    /// When lanes close next that may have frames then.
    pub(in crate::engine) fn next_due(&self) -> Time {
        self.closings.as_ref().map_or(Time::NEVER, |own| own.next_due())
    }
}

/// The closings of a switch's lanes, the same in each period.
#[derive(Debug)]
pub(in crate::engine) struct Closings {
    period: u64,
    /// Instants of the period, in order, and which lanes close then, in order of port within the switch.
    each: Vec<(u64, Vec<u32>)>,
    /// The next one, and when its period began.
    next: (usize, u64),
    /// A bit for each port that may have frames.
    touched: Vec<u64>,
    /// A bit for each class whose data waits for its lane.
    pub(in crate::engine) waiting: u8,
    /// Whether what is late is sent on; else it is dropped.
    pub(in crate::engine) reroutes: bool,
}

impl Closings {
    /// Of a switch with these ports; none, where nothing is ever taken out.
    pub(in crate::engine) fn of(fabric: &Fabric, ports: &Range<u32>) -> Option<Box<Self>> {
        let circuits = fabric.circuits.as_ref()?;
        let slicing = circuits.slicing.as_ref().filter(|own| own.late != Late::Wait)?;
        let mut each: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for id in ports.clone() {
            let lane = circuits.lane(PortId(id));
            for at in lane.map(|lane| circuits.closings(lane)).unwrap_or_default() {
                each.entry(at).or_default().push(id - ports.start);
            }
        }
        (!each.is_empty()).then(|| {
            Box::new(Self {
                period: circuits.period.0,
                each: each.into_iter().collect(),
                next: (0, 0),
                touched: vec![0; ports.len().div_ceil(64)],
                waiting: slicing.waiting,
                reroutes: slicing.late == Late::Reroute,
            })
        })
    }

    /// When lanes close next.
    #[inline]
    pub(in crate::engine) fn next(&self) -> Time {
        let (place, base) = self.next;
        Time(base + self.each[place].0)
    }

    /// The same, if a lane may have frames then.
    #[inline]
    pub(in crate::engine) fn next_due(&self) -> Time {
        if self.touched.iter().all(|word| *word == 0) { Time::NEVER } else { self.next() }
    }

    /// A frame has gone to a port.
    #[inline]
    pub(in crate::engine) fn touch(&mut self, port: u32) {
        note_busy(&mut self.touched, port as usize);
    }

    /// Whether a port may have frames.
    pub(in crate::engine) fn is_touched(&self, port: u32) -> bool {
        self.touched[port as usize / 64] >> (port % 64) & 1 == 1
    }

    /// A port has none.
    pub(in crate::engine) fn forget(&mut self, port: u32) {
        self.touched[port as usize / 64] &= !(1 << (port % 64));
    }

    /// The ports that may have frames.
    pub(in crate::engine) fn touched(&self) -> impl Iterator<Item = u32> {
        let words = (0..).zip(&self.touched);
        words.flat_map(|(index, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index * 64 + bit)
        })
    }

    /// The lanes that close next, of those that may have frames; the ones after them are next then.
    pub(in crate::engine) fn take(&mut self, lanes: &mut Vec<u32>) {
        let (place, base) = self.next;
        let closing = self.each[place].1.iter().copied();
        lanes.extend(closing.filter(|&port| self.is_touched(port)));
        let last = place + 1 == self.each.len();
        self.next = if last { (0, base + self.period) } else { (place + 1, base) };
    }

    /// No frame has been anywhere up to `now`: closings up to then do not matter.
    #[inline]
    pub(in crate::engine) fn skip_to(&mut self, now: Time) {
        if self.next() > now {
            return;
        }
        let base = now.0 - now.0 % self.period;
        let phase = now.0 - base;
        let place = self.each.partition_point(|(at, _)| *at <= phase);
        self.next = if place == self.each.len() { (0, base + self.period) } else { (place, base) };
    }
}
