//! A host with sockets and a clock.

use crate::host::{Datagram, Event, Host};
use crate::sockets::{Arrived, Ports, Sent, Sockets, Tally};
use crate::transport::Transport;
use raddle_schemes::units::Time;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

/// Time since a host began, by the machine's clock that never goes back.
struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "over a real network time is that of a clock")]
    fn start() -> Self {
        Self(Instant::now())
    }

    fn now(&self) -> Time {
        Time(self.0.elapsed().as_nanos() as u64 * 1_000)
    }
}

/// A host that sends and receives messages over UDP, on one thread: its caller's, while it
/// [waits](Endpoint::wait).
pub struct Endpoint {
    host: Host,
    sockets: Sockets,
    clock: Clock,
    /// When timers were last looked at.
    advanced: Time,
    /// What the kernel had no room for.
    held: Option<Datagram>,
    tally: Tally,
}

/// Timers wait for so long at most while more and more comes.
const PATIENCE: Duration = Duration::from_millis(1);
/// What the kernel had no room for is tried again after this long.
const RETRY: Duration = Duration::from_micros(100);

impl Endpoint {
    /// A host at this address of the machine. Its senders draw from streams of `seed`.
    ///
    /// # Errors
    /// Where ports are taken, or the kernel has no such address.
    pub fn bind(
        transport: &Transport,
        address: IpAddr,
        ports: Ports,
        seed: u64,
    ) -> io::Result<Self> {
        let sockets = Sockets::bind(address, ports)?;
        let mut first = [0; 4];
        getrandom::fill(&mut first).map_err(io::Error::other)?;
        let first = u32::from_ne_bytes(first);
        let host = Host::new(transport, sockets.address(), seed, first);
        let (clock, advanced) = (Clock::start(), Time::ZERO);
        Ok(Self { host, sockets, clock, advanced, held: None, tally: Tally::default() })
    }

    /// Where others send to: its address and its first port.
    pub fn address(&self) -> SocketAddr {
        self.sockets.address()
    }

    /// Begins to send a message to the host at this [address](Endpoint::address). Returns its number,
    /// which [`Event`]s name.
    ///
    /// # Errors
    /// Where it is too long, and those of the operating system.
    pub fn send(&mut self, to: SocketAddr, message: Vec<u8>) -> io::Result<u32> {
        let flow = self.host.send(self.clock.now(), to, message);
        self.flush()?;
        flow.map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))
    }

    /// Sends and receives until something has become of a message, or for so long.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn wait(&mut self, at_most: Duration) -> io::Result<Option<Event>> {
        precise_timers()?;
        let at_most = u64::try_from(at_most.as_nanos()).unwrap_or(u64::MAX).saturating_mul(1_000);
        let until = self.clock.now().0.saturating_add(at_most);
        loop {
            // Those who send without a pause keep nobody from what else is due.
            let more = self.receive()?;
            self.flush()?;
            if let Some(event) = self.host.poll_event() {
                return Ok(Some(event));
            }
            let now = self.clock.now();
            if more && now.0 < until && self.patient(now) {
                continue;
            }
            self.host.advance(now);
            self.advanced = now;
            self.flush()?;
            if let Some(event) = self.host.poll_event() {
                return Ok(Some(event));
            }
            if now.0 >= until {
                return Ok(None);
            }
            let due = self.host.due().map_or(until, |at| at.0.min(until));
            let pause = Duration::from_nanos(due.saturating_sub(now.0).div_ceil(1_000));
            self.sockets.wait(if self.held.is_some() { pause.min(RETRY) } else { pause })?;
        }
    }

    /// Whether timeouts can wait for what else lies in the socket.
    fn patient(&self, now: Time) -> bool {
        now.since(self.advanced).0 < PATIENCE.as_nanos() as u64 * 1_000
    }

    /// Datagrams so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Takes what has come, if something has.
    fn receive(&mut self) -> io::Result<bool> {
        let Self { host, sockets, clock, tally, .. } = self;
        sockets.receive(|Arrived { from, marked, bytes }| {
            let known = host.on_datagram(clock.now(), from, marked, bytes);
            tally.came += 1;
            tally.marked += u64::from(marked);
            tally.refused += u64::from(!known);
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        while let Some(datagram) = self.held.take().or_else(|| self.host.poll()) {
            match self.sockets.send(&datagram)? {
                Sent::Taken => self.tally.sent += 1,
                Sent::Lost => self.tally.unsent += 1,
                Sent::Later => {
                    self.held = Some(datagram);
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Linux lets a thread oversleep by 50 us, a third of a packet at 100 Mbit/s, unless it is asked not to.
fn precise_timers() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1))?;
    Ok(())
}
