//! A part's switches: what arrives is taken off the links, and each switch runs.

use crate::engine::link::arrivals::Arrivals;
use crate::engine::part::Part;
use crate::engine::switch::SwitchState;
use crate::engine::switch::run::OfPart;
use crate::engine::switch::ways::Ways;
use raddle_schemes::units::Time;

impl Part<'_> {
    pub(in crate::engine) fn run_switch(&mut self, number: u32, start: Time, end: Time) {
        let mut arrivals = std::mem::take(&mut self.scratch.arrivals);
        self.gather(number, start, end, &mut arrivals);
        self.events += arrivals.len() as u64;
        let Self { plan, switches, lines, ports, world, routes, route, .. } = self;
        let ways = Ways {
            plan,
            routes,
            route: *route,
            keys: self.keys.as_deref(),
            edges: (&self.edges.0, &self.edges.1),
        };
        let of_part = OfPart { ways, lines, ports, world };
        switches[number as usize].run(number, (start, end), &mut arrivals, of_part);
        self.scratch.arrivals = arrivals;
    }

    /// Takes what arrives at a switch off its links, in-port by in-port.
    #[inline]
    fn gather(&mut self, number: u32, start: Time, end: Time, arrivals: &mut Arrivals) {
        let SwitchState { first_port, arbitration, .. } = self.switches[number as usize];
        let width = (end.0 - start.0) as u32;
        let Self { lines, feeders, world, .. } = self;
        arrivals.clear();
        world.calendar.take_in_ports(number, |in_port| {
            let line = &mut lines[feeders[(first_port + in_port) as usize] as usize];
            let (front, back) = line.ring.slices(0);
            let own = (in_port, arbitration.contender(in_port));
            let mut arrived = arrivals.extend(front, start, width, own);
            if arrived == front.len() {
                arrived += arrivals.extend(back, start, width, own);
            }
            line.take(arrived as u32);
        });
    }
}
