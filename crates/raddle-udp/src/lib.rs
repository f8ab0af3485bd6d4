//! The state machines of `raddle-schemes` over UDP sockets.
//!
//! What the simulator's NIC drives moves real bytes here: the same sender, the same receiver, the same
//! schemes by the same names. Each entropy is a source port, so that switches and routers which hash
//! ports spread the packets of one message over their paths.
//!
//! - [`Transport`] is what both ends agree on: how packets choose paths, what may be in flight, how
//!   losses are found. What a socket cannot give it refuses, with a word.
//! - [`Host`] is a host without sockets and without a clock: datagrams in, datagrams out. Tests and
//!   simulations drive it as well.
//! - [`Endpoint`] is a host with sockets and the clock of the machine.
//!
//! # A message over the loopback
//! ```
//! use raddle_udp::{Endpoint, Event, Path, Ports, Transport};
//! use std::net::{IpAddr, Ipv4Addr};
//! use std::time::Duration;
//!
//! let transport = Transport::named("reps", "nscc", "sack", &Path::default())?;
//! let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
//! let mut receiver = Endpoint::bind(&transport, here, Ports::any(16), 1)?;
//! let to = receiver.address();
//! let receiving = std::thread::spawn(move || receiver.wait(Duration::from_secs(10)));
//!
//! let mut sender = Endpoint::bind(&transport, here, Ports::any(16), 2)?;
//! sender.send(to, vec![7; 100_000])?;
//! let sent = sender.wait(Duration::from_secs(10))?;
//! assert!(matches!(sent, Some(Event::Sent { .. })), "{sent:?}");
//!
//! let received = receiving.join().expect("it does not panic")?;
//! assert!(matches!(received, Some(Event::Received { message, .. }) if message == vec![7; 100_000]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! Nothing is encrypted and nobody is authenticated: this is for the lab.

mod endpoint;
mod host;
mod outgoing;
mod reassembly;
mod sockets;
mod transport;
mod wire;

pub use endpoint::Endpoint;
pub use host::{Datagram, Event, Host, TooLong};
pub use sockets::{Ports, Tally};
pub use transport::{Path, Refusal, Transport};
pub use wire::{Frame, HEADER};
