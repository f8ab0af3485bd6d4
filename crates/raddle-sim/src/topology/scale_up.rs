//! The scale-up domain of servers: what the GPUs of one send each other without a NIC
//! (`docs/design/0036-scale-up.md`).
//!
//! Each GPU has a port out and a port in, of one rate, at a crossbar that loses nothing. A message goes
//! in quanta. A port out takes one of each of its messages in turn; a latency later it reaches the port
//! in, which takes one of each message in turn, while it still comes in. So a message that is alone takes
//! its time on a port and the latency, and hears of its end a latency later. Hosts are GPUs, neighbours
//! by number in one server.

use super::Fabric;
use super::shape_error::ShapeError;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Rate, Span};

/// The crossbar of each server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleUp {
    /// GPUs of a server, which are as many hosts.
    pub gpus: u32,
    /// Rate of each of a GPU's two ports.
    pub rate: Rate,
    /// From the port out of one to the port in of another.
    pub latency: Span,
    /// What a port takes of a message before it is another's turn.
    pub quantum: Bytes,
}

impl ScaleUp {
    /// The server of a host.
    pub const fn server(&self, host: HostId) -> u32 {
        host.0 / self.gpus
    }

    /// How long a port takes for a message: for one quantum after the other.
    pub fn serialisation(&self, message: Bytes) -> Span {
        let Self { rate, quantum, .. } = *self;
        let (whole, rest) = (message.0 / quantum.0, Bytes(message.0 % quantum.0));
        Span(whole * rate.serialisation(quantum).0 + rate.serialisation(rest).0)
    }

    /// From the start of a message that is alone until its last byte has come.
    pub fn delivered(&self, message: Bytes) -> Span {
        self.serialisation(message) + self.latency
    }
}

impl Fabric {
    /// This fabric with hosts that are GPUs of servers.
    ///
    /// # Errors
    /// If hosts are no whole servers of at least two, or if ports have no rate or no quantum.
    pub fn with_scale_up(mut self, scale_up: ScaleUp) -> Result<Self, ShapeError> {
        let ScaleUp { gpus, rate, quantum, .. } = scale_up;
        ShapeError::at_least_one(&[
            ("gpus", u64::from(gpus)),
            ("the rate of scale-up ports", rate.0),
            ("the quantum of scale-up ports", quantum.0),
        ])?;
        if gpus == 1 || !self.hosts.is_multiple_of(gpus) {
            let parts = format!("servers of {gpus} GPUs");
            let (what, multiple) = ("hosts", gpus.max(2));
            return Err(ShapeError::Split { what, total: self.hosts, parts, multiple });
        }
        self.scale_up = Some(scale_up);
        Ok(self)
    }

    /// The scale-up domain, if a message between these hosts goes by it: then it goes by nothing else.
    #[inline]
    pub fn scale_up_between(&self, source: HostId, destination: HostId) -> Option<&ScaleUp> {
        let domain = self.scale_up.as_ref()?;
        (domain.server(source) == domain.server(destination)).then_some(domain)
    }

    /// Whether a message between these hosts goes by a scale-up domain.
    #[inline]
    pub fn scales_up(&self, source: HostId, destination: HostId) -> bool {
        self.scale_up_between(source, destination).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tree::TreeShape;

    fn domain(gpus: u32) -> ScaleUp {
        let (rate, latency) = (Rate::gbps(3600), Span::ns(500));
        ScaleUp { gpus, rate, latency, quantum: Bytes::kib(64) }
    }

    fn tree(hosts: u32) -> Fabric {
        let (link, switch) = (Span::ns(500), Span::ns(500));
        let shape = TreeShape::fat_tree(2, hosts, Rate::gbps(400), link, switch).unwrap();
        shape.build().unwrap()
    }

    #[test]
    fn neighbours_are_one_server() {
        let fabric = tree(16).with_scale_up(domain(8)).unwrap();
        let inside = |from, to| fabric.scales_up(HostId(from), HostId(to));
        assert_eq!([(0, 7), (7, 8), (8, 15)].map(|(a, b)| inside(a, b)), [true, false, true]);
        assert!(!tree(16).scales_up(HostId(0), HostId(1)), "without a domain each is alone");
    }

    #[test]
    fn hosts_are_whole_servers_of_several() {
        for gpus in [1, 3, 32] {
            let refused = tree(16).with_scale_up(domain(gpus)).unwrap_err();
            assert!(matches!(refused, ShapeError::Split { what: "hosts", .. }), "{refused}");
        }
        let none = ScaleUp { quantum: Bytes(0), ..domain(8) };
        assert!(matches!(tree(16).with_scale_up(none), Err(ShapeError::Zero { .. })));
    }

    /// 64 KiB at 450 GB/s take 145.636 ns, and 1 MiB sixteen times that.
    #[test]
    fn a_message_takes_as_long_as_its_quanta() {
        let domain = domain(8);
        assert_eq!(domain.serialisation(Bytes::kib(64)), Span(145_636));
        assert_eq!(domain.serialisation(Bytes::mib(1)), Span(16 * 145_636));
        assert_eq!(domain.delivered(Bytes(1)), Span(500_000 + 3));
        assert_eq!(domain.serialisation(Bytes(65_537)), Span(145_636 + 3));
    }
}
