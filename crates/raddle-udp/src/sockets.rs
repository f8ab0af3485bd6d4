//! The sockets of a host: one for each source port, of which the first also listens.

use crate::host::Datagram;
use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSocketState};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

/// The source ports of a host, one after the other. An entropy takes the one that it leaves as a
/// remainder, so there are as many paths as these at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    first: Option<u16>,
    count: u16,
}

impl Ports {
    /// So many, from this one on.
    pub fn from(first: u16, count: u16) -> Self {
        Self { first: Some(first), count }
    }

    /// So many, wherever they are free.
    pub fn any(count: u16) -> Self {
        Self { first: None, count }
    }
}

/// Counts of datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that the kernel took.
    pub sent: u64,
    /// Those that it did not take: no route, no memory. Their packets count as lost.
    pub unsent: u64,
    /// Those that came.
    pub came: u64,
    /// Of these, those that a switch had marked.
    pub marked: u64,
    /// Of these, those that were no frames of messages under way.
    pub refused: u64,
}

/// A datagram as it came.
pub(crate) struct Arrived<'a> {
    pub(crate) from: SocketAddr,
    pub(crate) marked: bool,
    pub(crate) bytes: &'a [u8],
}

/// Room for what is read at once, and for datagrams that the kernel joined.
const BUFFERS: usize = 16;
const ROOM: usize = 65_536;

/// How often free ports are looked for.
const TRIES: u32 = 64;

pub(crate) struct Sockets {
    sockets: Vec<(UdpSocket, UdpSocketState)>,
    buffers: Vec<u8>,
    address: SocketAddr,
}

impl Sockets {
    pub(crate) fn bind(address: IpAddr, ports: Ports) -> io::Result<Self> {
        if address.is_unspecified() {
            let why = "a host needs an address of its own: answers go there";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        if ports.count == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a host needs a port"));
        }
        let sockets = match ports.first {
            Some(first) => Self::in_row(address, first, ports.count)?,
            None => Self::anywhere(address, ports.count)?,
        };
        let address = sockets[0].local_addr()?;
        let with_state = |socket: UdpSocket| {
            let state = UdpSocketState::new((&socket).into())?;
            Ok((socket, state))
        };
        let sockets = sockets.into_iter().map(with_state).collect::<io::Result<Vec<_>>>()?;
        // A burst waits in the kernel while the host is not on the processor.
        let (listener, state) = &sockets[0];
        state.set_recv_buffer_size(listener.into(), 4 << 20)?;
        Ok(Self { sockets, buffers: vec![0; BUFFERS * ROOM], address })
    }

    fn in_row(address: IpAddr, first: u16, count: u16) -> io::Result<Vec<UdpSocket>> {
        let last = first.checked_add(count - 1).filter(|_| first > 0).ok_or_else(|| {
            let why = format!("{count} ports from {first} on: ports are 1 to 65535");
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })?;
        (first..=last).map(|port| UdpSocket::bind((address, port))).collect()
    }

    fn anywhere(address: IpAddr, count: u16) -> io::Result<Vec<UdpSocket>> {
        let mut why = None;
        for _ in 0..TRIES {
            let listener = UdpSocket::bind((address, 0))?;
            let first = listener.local_addr()?.port();
            let rest = match (first.checked_add(1), count) {
                (_, 1) => Ok(Vec::new()),
                (Some(second), _) => Self::in_row(address, second, count - 1),
                (None, _) => continue,
            };
            match rest {
                Ok(rest) => return Ok(std::iter::once(listener).chain(rest).collect()),
                Err(error) => why = Some(error),
            }
        }
        Err(why.unwrap_or_else(|| io::ErrorKind::AddrInUse.into()))
    }

    /// Address and first port.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a datagram by the port of its entropy.
    pub(crate) fn send(&self, datagram: &Datagram) -> io::Result<Sent> {
        let at = usize::from(datagram.entropy.0) % self.sockets.len();
        let (socket, state) = &self.sockets[at];
        let transmit = Transmit {
            destination: datagram.to,
            ecn: Some(EcnCodepoint::Ect0),
            contents: &datagram.bytes,
            segment_size: None,
            src_ip: None,
        };
        match state.try_send(socket.into(), &transmit) {
            Ok(()) => Ok(Sent::Taken),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Sent::Later),
            // Answers are short; of one that is not the next says the same.
            Err(error) if quinn_udp::is_msg_size_err(&error) && datagram.is_data => {
                let bytes = datagram.bytes.len();
                let why = format!("{bytes} B do not fit the MTU; a smaller `payload` does");
                Err(io::Error::new(io::ErrorKind::InvalidInput, why))
            }
            Err(_) => Ok(Sent::Lost),
        }
    }

    /// Waits until a datagram has come, or so long.
    pub(crate) fn wait(&self, at_most: Duration) -> io::Result<()> {
        let timeout = Timespec::try_from(at_most).map_err(io::Error::other)?;
        let mut listener = [PollFd::new(&self.sockets[0].0, PollFlags::IN)];
        match poll(&mut listener, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Hands over what has come. Returns whether there was something.
    pub(crate) fn receive(&mut self, mut take: impl FnMut(Arrived<'_>)) -> io::Result<bool> {
        let (listener, state) = &self.sockets[0];
        let mut meta = [RecvMeta::default(); BUFFERS];
        let mut slices: Vec<_> = self.buffers.chunks_mut(ROOM).map(IoSliceMut::new).collect();
        let count = match state.recv(listener.into(), &mut slices, &mut meta) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            // An answer of the network to what was sent before.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Ok(true),
            Err(error) => return Err(error),
        };
        for (meta, buffer) in meta[..count].iter().zip(self.buffers.chunks(ROOM)) {
            let marked = meta.ecn == Some(EcnCodepoint::Ce);
            for bytes in buffer[..meta.len].chunks(meta.stride.max(1)) {
                take(Arrived { from: meta.addr, marked, bytes });
            }
        }
        Ok(true)
    }
}

/// What the kernel made of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Taken,
    /// Its buffer is full.
    Later,
    /// It has no route or no memory.
    Lost,
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::ids::Entropy;
    use std::net::Ipv4Addr;

    fn datagram(to: SocketAddr, entropy: u16, bytes: Vec<u8>) -> Datagram {
        Datagram { to, entropy: Entropy(entropy), is_data: true, bytes }
    }

    #[test]
    fn an_entropy_is_a_source_port_and_only_the_first_listens() {
        let mut sockets = Sockets::bind(Ipv4Addr::LOCALHOST.into(), Ports::any(4)).unwrap();
        let to = sockets.address();
        for entropy in [0, 3, 4, 65_535] {
            assert_eq!(sockets.send(&datagram(to, entropy, vec![1])).unwrap(), Sent::Taken);
        }
        let mut from = Vec::new();
        while from.len() < 4 {
            sockets.wait(Duration::from_secs(1)).unwrap();
            sockets.receive(|own| from.push(own.from.port() - to.port())).unwrap();
        }
        assert_eq!(from, [0, 3, 0, 3]);
    }

    #[test]
    fn a_mark_of_a_switch_is_seen() {
        let mut sockets = Sockets::bind(Ipv4Addr::LOCALHOST.into(), Ports::any(1)).unwrap();
        let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let state = UdpSocketState::new((&sender).into()).unwrap();
        let mut marks = Vec::new();
        for ecn in [EcnCodepoint::Ce, EcnCodepoint::Ect0] {
            let (destination, contents) = (sockets.address(), &[7][..]);
            let ecn = Some(ecn);
            let own = Transmit { destination, ecn, contents, segment_size: None, src_ip: None };
            state.try_send((&sender).into(), &own).unwrap();
            sockets.wait(Duration::from_secs(1)).unwrap();
            sockets.receive(|own| marks.push(own.marked)).unwrap();
        }
        assert_eq!(marks, [true, false]);
    }

    #[test]
    fn what_does_not_fit_the_mtu_says_so() {
        let sockets = Sockets::bind(Ipv4Addr::LOCALHOST.into(), Ports::any(1)).unwrap();
        let long = datagram(sockets.address(), 0, vec![0; 65_530]);
        let why = sockets.send(&long).unwrap_err().to_string();
        assert_eq!(why, "65530 B do not fit the MTU; a smaller `payload` does");
    }

    #[test]
    fn ports_that_there_are_not_are_refused() {
        let bind =
            |ports| Sockets::bind(Ipv4Addr::LOCALHOST.into(), ports).map(|_| ()).unwrap_err();
        let why = bind(Ports::from(65_530, 10)).to_string();
        assert_eq!(why, "10 ports from 65530 on: ports are 1 to 65535");
        assert_eq!(bind(Ports::from(0, 1)).to_string(), "1 ports from 0 on: ports are 1 to 65535");
        assert_eq!(bind(Ports::any(0)).to_string(), "a host needs a port");
    }
}
