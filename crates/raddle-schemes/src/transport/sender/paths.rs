//! A path selector that names planes, knows the health of its paths, and probes them.

use super::Sender;
use crate::ids::{Entropy, Psn};
use crate::load_balance::host::Outgoing;
use crate::load_balance::plane::Paths;
use crate::units::{Span, Time};
use crate::{Cx, Events};

impl Sender {
    /// Whether its path selector names the plane of each packet, where hosts have several ports.
    pub fn names_planes(&self) -> bool {
        self.paths.names_planes()
    }

    /// What its host knows of the paths to the destination, before the first packet.
    pub fn begin_paths(&mut self, now: Time, paths: &Paths, events: &mut dyn Events) {
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.paths.begin_paths(&mut cx, paths);
    }

    /// How long after the word of the destination, which ports are dead there, it goes by it; `None`
    /// if it never does.
    pub fn hears_of_ports(&self) -> Option<Span> {
        self.paths.hears_of_ports()
    }

    /// A bit for each plane in which it knows of a path that works.
    pub fn healthy_planes(&self) -> u8 {
        self.paths.healthy_planes()
    }

    /// The plane of the next packet, one of the `free` ones, if it knows of a path there.
    pub fn choose_plane(&mut self, now: Time, free: u8) -> Option<u32> {
        let mut cx = Cx { now, rng: &mut self.rng, events: &mut () };
        self.paths.choose_plane(&mut cx, free)
    }

    /// The plane by which the next packet leaves, before it is asked for.
    pub fn on_plane(&mut self, plane: u32) {
        self.paths.on_plane(plane);
    }

    /// A path to probe now; asked until there is none, after [`Sender::on_timeout`].
    pub fn poll_probe(&mut self) -> Option<Entropy> {
        self.paths.poll_probe()
    }

    /// Whether a probe is to ask the receiver now what has arrived; says so once, and is asked after
    /// [`Sender::on_timeout`]. It goes where the next packet would.
    pub fn poll_tail_probe(&mut self) -> bool {
        self.recovery.poll_probe()
    }

    /// The path of a frame that goes where the next packet would.
    pub fn next_path(&mut self, now: Time, events: &mut dyn Events) -> Entropy {
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.paths.next_path(&mut cx, &Outgoing { psn: Psn(self.ledger.next()), again: true })
    }
}
