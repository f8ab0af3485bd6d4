//! Sends a message from one machine to another.
//!
//!     cargo run --release -p raddle-udp --example transfer -- receive 10.0.0.2:20000
//!     cargo run --release -p raddle-udp --example transfer -- send 10.0.0.1:20000 10.0.0.2:20000 --bytes "100 MiB"
//!
//! Both ends have to be told the same of schemes and path.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use clap::{Args, Parser, Subcommand};
use raddle_schemes::family::{Parameter, Raw};
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_udp::{Endpoint, Event, Path, Ports, Transport};
use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

/// A message from one machine to another, by any of the schemes.
#[derive(Parser)]
#[command(about)]
struct Command {
    #[command(subcommand)]
    end: End,
    #[command(flatten)]
    transport: Options,
}

#[derive(Subcommand)]
enum End {
    /// Takes in messages until it is interrupted
    Receive {
        /// Its address and first port
        here: SocketAddr,
    },
    /// Sends a message and says how long it took
    Send {
        /// Its address and first port
        here: SocketAddr,
        /// Those of the receiver
        there: SocketAddr,
        /// How long the message is
        #[arg(long, default_value = "10 MiB", value_parser = read::<Bytes>)]
        bytes: Bytes,
        /// Of the random streams
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

#[derive(Args)]
struct Options {
    /// The path of every packet
    #[arg(long, default_value = "reps", global = true)]
    load_balance: String,
    /// Window and rate
    #[arg(long, default_value = "nscc", global = true)]
    congestion: String,
    /// How losses are found
    #[arg(long, default_value = "sack", global = true)]
    recovery: String,
    /// Rate of the link
    #[arg(long, default_value = "1 Gbps", global = true, value_parser = read::<Rate>)]
    rate: Rate,
    /// Round trip through empty queues
    #[arg(long, default_value = "200 us", global = true, value_parser = read::<Span>)]
    rtt: Span,
    /// How many source ports there are
    #[arg(long, default_value_t = 64, global = true)]
    ports: u16,
}

fn read<T: Parameter>(text: &str) -> Result<T, String> {
    T::read(Raw::Text(text)).map_err(|_| format!("expected {}", T::KIND))
}

fn main() -> ExitCode {
    let Err(why) = run(Command::parse()) else { return ExitCode::SUCCESS };
    eprintln!("error: {why}");
    ExitCode::FAILURE
}

fn run(Command { end, transport }: Command) -> Result<(), Box<dyn Error>> {
    let Options { load_balance, congestion, recovery, rate, rtt, ports } = transport;
    let path = Path { rate, base_rtt: rtt, ..Path::default() };
    let transport = Transport::named(&load_balance, &congestion, &recovery, &path)?;
    let bind = |here: SocketAddr, seed| {
        Endpoint::bind(&transport, here.ip(), Ports::from(here.port(), ports), seed)
    };
    match end {
        End::Receive { here } => {
            let mut endpoint = bind(here, 1)?;
            println!("listens at {}", endpoint.address());
            loop {
                if let Some(Event::Received { from, message, .. }) =
                    endpoint.wait(Duration::from_secs(3600))?
                {
                    println!("{} B from {from}; {:?}", message.len(), endpoint.tally());
                }
            }
        }
        End::Send { here, there, bytes, seed } => {
            let mut endpoint = bind(here, seed)?;
            let message = (0..bytes.0).map(|at| at as u8).collect();
            endpoint.send(there, message)?;
            match endpoint.wait(Duration::from_secs(70))? {
                Some(Event::Sent { took, counts, .. }) => {
                    let rate = bytes.0 as f64 * 8.0 / took.as_us();
                    println!(
                        "{} B in {:.0} us, {rate:.1} Mbit/s: {counts:?}",
                        bytes.0,
                        took.as_us()
                    );
                    Ok(())
                }
                other => {
                    Err(format!("it did not arrive: {other:?}, {:?}", endpoint.tally()).into())
                }
            }
        }
    }
}
