//! The lab's fabric in simulation.

use crate::lab::{Message, Shape};
use raddle::scenario;
use raddle_sim::engine;
use std::path::Path;
use std::time::Duration;

/// Propagation of a link, which stands for what the kernel takes to hand a packet on.
const LINK_DELAY_US: u64 = 15;
/// Bytes of a data packet beside its payload: Ethernet, IPv4, UDP and the frame's own.
pub(crate) const HEADER: u64 = 60;
/// Bytes of an ACK on the wire.
const ACK: u64 = 90;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Nothing,
    /// A link between a ToR and a spine has a quarter of its rate.
    Slow,
    /// It is down for a while, of which routes do not hear.
    Dead {
        from: Duration,
        until: Duration,
    },
}

/// The spine that has trouble, with the first ToR.
pub(crate) const SPINE: u8 = 1;

/// What became of a message in simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    /// Nothing, if it never ended.
    pub(crate) took: Option<Duration>,
    /// The spine by which most of it went.
    pub(crate) spine: u8,
}

/// Round trip of a full packet and its ACK: four links each way.
pub(crate) fn base_rtt_ns(shape: &Shape, packet: u64) -> u64 {
    let on_wire = |bytes: u64| bytes * 8 * 1_000 / shape.rate;
    4 * (on_wire(packet) + on_wire(ACK)) + 8 * LINK_DELAY_US * 1_000
}

/// The same messages with the same schemes.
pub(crate) fn carry(
    shape: &Shape,
    [load_balance, congestion, recovery]: [&str; 3],
    messages: &[Message],
    trouble: Trouble,
    seed: u64,
) -> Vec<Done> {
    let Shape { hosts_per_tor, spines, rate, queue } = shape;
    let payload = raddle_udp::Path::default().payload;
    let line = |Message { from, to, bytes, .. }: &Message| {
        format!("{{ from = {from}, to = {to}, bytes = \"{bytes} B\" }}")
    };
    let flows: Vec<String> = messages.iter().map(line).collect();
    let fault = match trouble {
        Trouble::Nothing => String::new(),
        Trouble::Slow => {
            format!("[[fault]]\nlink = \"tor0.up{SPINE}\"\nrate = \"25%\"\nscale_queue = false")
        }
        Trouble::Dead { from, until } => {
            let (from, until) = (from.as_micros(), until.as_micros());
            format!("[[fault]]\nlink = \"tor0.up{SPINE}\"\ndown = \"{from} us..{until} us\"")
        }
    };
    let text = format!(
        r#"
[fabric]
topology = {{ kind = "leaf_spine", leaves = 2, hosts_per_leaf = {hosts_per_tor}, spines = {spines}, rate = "{rate} Mbps", link_delay = "{LINK_DELAY_US} us", switch_delay = "0 ns" }}
queue = {{ size = "{queue} B" }}
[transport]
payload = "{payload} B"
header = "{HEADER} B"
ack = "{ACK} B"
load_balance = {{ scheme = "{load_balance}" }}
congestion = {{ scheme = "{congestion}" }}
recovery = {{ scheme = "{recovery}" }}
[traffic]
kind = "flows"
flow = [{}]
[record]
map = true
[run]
end = "10 s"
{fault}
"#,
        flows.join(", ")
    );
    let study = scenario::parse("lab.toml", &text, Path::new("."), &[]);
    let study = study.unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    let plan = study.cells[0].scenario.resolve(seed);
    let plan = plan.unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    let outcome = engine::run(&plan, &mut ());
    let up = |spine: u8| plan.fabric.port_named(&format!("tor0.up{spine}"));
    let packets = |flow: u32, spine: u8| {
        let by = |row: &&raddle_sim::record::rows::RouteRow| {
            row.flow.0 == flow && Some(row.port) == up(spine)
        };
        outcome.routes.iter().find(by).map_or(0, |row| row.packets)
    };
    let spine = |flow| (0..*spines).max_by_key(|spine| packets(flow, *spine)).expect("a spine");
    let done = |(flow, record): (usize, raddle_sim::record::FlowRecord)| Done {
        took: record.acked.map(|at| Duration::from_nanos(at.0 / 1_000)),
        spine: spine(flow as u32),
    };
    outcome.flows.iter().enumerate().map(done).collect()
}
