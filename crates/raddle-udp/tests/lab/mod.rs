//! A fabric of two tiers made of network namespaces: hosts, two ToRs, spines, links with a rate and a
//! queue (`tbf`), routes over all spines that hash ports.

mod node;

use node::Node;

use raddle_udp::{Endpoint, Event, Ports, Transport};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// Source ports of a host.
const PORTS: u16 = 64;
/// The first port of a receiver.
const FIRST_PORT: u16 = 20_000;
/// The first port of a sender is one of so many from here on, so that ECMP has some by each path.
const SENDERS: u16 = 30_000;
const CHOICES: u16 = 64;

/// What the fabric is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) hosts_per_tor: u8,
    pub(crate) spines: u8,
    /// Mbit/s of every link.
    pub(crate) rate: u64,
    /// Bytes that a queue of a switch holds.
    pub(crate) queue: u64,
}

/// So much leaves a link at once after it idled: a timer that is late must not cost rate.
const BURST: u64 = 6_000;

pub(crate) struct Lab {
    shape: Shape,
    hosts: Vec<Node>,
    tors: Vec<Node>,
    spines: Vec<Node>,
}

/// Runs a test in such a fabric. Who is not root is root in a namespace of users, where the kernel has
/// them: the test is run once more there, by its name. Where namespaces or programs are missing the test
/// says so, and is skipped, unless it is `asked` for by its name.
pub(crate) fn inside(name: &str, shape: Shape, asked: bool, test: impl FnOnce(&Lab)) {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    match possible() {
        Ok(()) => test(&Lab::new(shape).unwrap_or_else(|why| panic!("{why}"))),
        Err(_) if !is_root && becomes_root() => {
            let own = std::env::current_exe().expect("this program");
            let again = Command::new("unshare")
                .args(["--user", "--map-root-user", "--"])
                .arg(own)
                .args([name, "--exact", "--include-ignored", "--nocapture"])
                .status();
            assert!(again.is_ok_and(|status| status.success()), "{name} fails as root");
        }
        Err(why) if asked => panic!("{why}"),
        Err(why) => skipped(name, &why),
    }
}

/// What a fabric is made of, tried on the least of it.
fn possible() -> Result<(), String> {
    let node = Node::new()?;
    node.program("ip", &["link add a0 type veth peer name b0".into(), "link set a0 up".into()])?;
    node.program("tc", &["qdisc add dev a0 root tbf rate 1mbit burst 3000 limit 3000".into()])
}

/// Whether the kernel has namespaces of users.
fn becomes_root() -> bool {
    let tried = Command::new("unshare").args(["--user", "--map-root-user", "--", "true"]).output();
    tried.is_ok_and(|out| out.status.success())
}

/// Says why a test shows nothing here, also where tests that pass are not heard.
pub(crate) fn skipped(name: &str, why: &str) {
    let line = format!("skipped: {name}: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("somebody listens");
}

/// A message from one host to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) from: u8,
    pub(crate) to: u8,
    pub(crate) bytes: usize,
    /// The spine by which it goes if it goes by one.
    pub(crate) spine: Option<u8>,
}

/// What became of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub(crate) took: Duration,
    pub(crate) retransmitted: u64,
    /// Of its packets, those that came with a mark.
    pub(crate) marked: u64,
}

impl Lab {
    /// Builds the fabric; the reason if the kernel does not let it.
    fn new(shape: Shape) -> Result<Self, String> {
        let nodes = |count: u8| (0..count).map(|_| Node::new()).collect::<Result<Vec<_>, _>>();
        let hosts = nodes(2 * shape.hosts_per_tor)?;
        let lab = Self { shape, hosts, tors: nodes(2)?, spines: nodes(shape.spines)? };
        for node in lab.tors.iter().chain(&lab.spines) {
            node.set("ipv4/ip_forward", "1")?;
            // By addresses and ports.
            node.set("ipv4/fib_multipath_hash_policy", "1")?;
        }
        for host in 0..2 * shape.hosts_per_tor {
            lab.join_host(host)?;
        }
        for tor in 0..2 {
            for spine in 0..shape.spines {
                lab.join_spine(tor, spine)?;
            }
        }
        for tor in 0..2 {
            let hop = |spine| format!("nexthop via {} dev up{spine}", above(tor, spine, 2));
            let hops: Vec<String> = (0..shape.spines).map(hop).collect();
            let route = format!("route add 10.{}.0.0/16 {}", 1 - tor, hops.join(" "));
            lab.tors[usize::from(tor)].program("ip", &[route])?;
        }
        Ok(lab)
    }

    fn tor_of(&self, host: u8) -> u8 {
        host / self.shape.hosts_per_tor
    }

    fn join_host(&self, host: u8) -> Result<(), String> {
        let tor = self.tor_of(host);
        let (own, above) = (&self.hosts[usize::from(host)], &self.tors[usize::from(tor)]);
        let (here, there) = (address(tor, host, 2), address(tor, host, 1));
        self.join((own, "eth0", here), (above, &format!("host{host}"), there))?;
        own.program("ip", &[format!("route add default via {there}")])?;
        // A NIC drops nothing of its own.
        self.shape(own, "eth0", self.shape.rate, 1_000_000)?;
        self.shape(above, &format!("host{host}"), self.shape.rate, self.shape.queue)
    }

    fn join_spine(&self, tor: u8, spine: u8) -> Result<(), String> {
        let (below, own) = (&self.tors[usize::from(tor)], &self.spines[usize::from(spine)]);
        let (here, there) = (above(tor, spine, 1), above(tor, spine, 2));
        let (up, down) = (format!("up{spine}"), format!("down{tor}"));
        self.join((below, &up, here), (own, &down, there))?;
        own.program("ip", &[format!("route add 10.{tor}.0.0/16 via {here}")])?;
        self.slow(tor, spine, self.shape.rate)
    }

    /// Both directions of a link of a spine have this rate from now on.
    pub(crate) fn slow(&self, tor: u8, spine: u8, rate: u64) -> Result<(), String> {
        let (below, own) = (&self.tors[usize::from(tor)], &self.spines[usize::from(spine)]);
        self.shape(below, &format!("up{spine}"), rate, self.shape.queue)?;
        self.shape(own, &format!("down{tor}"), rate, self.shape.queue)
    }

    /// A link of a spine goes down or up at the spine's end, of which the ToR's routes hear nothing.
    pub(crate) fn cut(&self, tor: u8, spine: u8, down: bool) -> Result<(), String> {
        let word = if down { "down" } else { "up" };
        let mut lines = vec![format!("link set down{tor} {word}")];
        if !down {
            // What went with the link.
            let below = above(tor, spine, 1);
            lines.push(neighbour(below, &format!("down{tor}")));
            lines.push(format!("route replace 10.{tor}.0.0/16 via {below}"));
        }
        self.spines[usize::from(spine)].program("ip", &lines)
    }

    fn join(
        &self,
        (a, a_name, a_address): (&Node, &str, Ipv4Addr),
        (b, b_name, b_address): (&Node, &str, Ipv4Addr),
    ) -> Result<(), String> {
        let peer = b.thread;
        let (a_mac, b_mac) = (mac(a_address), mac(b_address));
        let far = format!("peer name {b_name} address {b_mac} netns {peer}");
        a.program("ip", &[format!("link add {a_name} address {a_mac} type veth {far}")])?;
        // Nobody has to ask for the other's address, which a link that was down could take a second for.
        let up = |name: &str, own: Ipv4Addr, other: Ipv4Addr| {
            [
                format!("addr add {own}/30 dev {name}"),
                format!("link set {name} up"),
                neighbour(other, name),
            ]
        };
        a.program("ip", &up(a_name, a_address, b_address))?;
        b.program("ip", &up(b_name, b_address, a_address))
    }

    fn shape(&self, node: &Node, name: &str, rate: u64, queue: u64) -> Result<(), String> {
        let line = format!(
            "qdisc replace dev {name} root handle 1: tbf rate {rate}mbit burst {BURST} limit {queue}"
        );
        node.program("tc", &[line])
    }

    /// The spine by which a ToR sends what goes from one port of a host to another host's first.
    fn spine_of(&self, from: u8, to: u8, port: u16) -> Result<u8, String> {
        let (here, there) = (self.address(from), self.address(to));
        let line = format!(
            "route get {} from {} iif host{from} ipproto udp sport {port} dport {FIRST_PORT}",
            there.ip(),
            here.ip()
        );
        let answer = self.tors[usize::from(self.tor_of(from))].ask("ip", &line)?;
        let spine = answer.split("dev up").nth(1).and_then(|rest| rest.split(' ').next());
        spine.and_then(|own| own.parse().ok()).ok_or_else(|| format!("{line}: {answer}"))
    }

    /// A first port from which what has the entropy of its host, as under ECMP, goes by this spine.
    fn port_by(&self, message: &Message, spine: u8) -> Result<u16, String> {
        let IpAddr::V4(own) = self.address(message.from).ip() else { return Err("no IPv4".into()) };
        let offset = own.to_bits() as u16 % PORTS;
        for first in (SENDERS..SENDERS + CHOICES * PORTS).step_by(usize::from(PORTS)) {
            if self.spine_of(message.from, message.to, first + offset)? == spine {
                return Ok(first);
            }
        }
        Err(format!("no port leads over spine {spine}"))
    }

    /// Sends these messages at once, each from a host of its own to another, while `meanwhile` happens.
    /// An error if one did not arrive, or not as it was sent.
    pub(crate) fn carry(
        &self,
        transport: &Transport,
        messages: &[Message],
        seed: u64,
        meanwhile: impl FnOnce(&Self) -> Result<(), String>,
    ) -> Result<Vec<Done>, String> {
        // All that can fail comes before somebody waits for the others.
        let first = |own: &Message| own.spine.map_or(Ok(SENDERS), |spine| self.port_by(own, spine));
        let firsts = messages.iter().map(first).collect::<Result<Vec<u16>, String>>()?;
        let ready = Arc::new(Barrier::new(2 * messages.len() + 1));
        let left = Arc::new(AtomicUsize::new(messages.len()));
        let mut senders = Vec::new();
        let mut receivers = Vec::new();
        for (index, message) in messages.iter().enumerate() {
            let (to, own) = (self.address(message.to), transport.clone());
            let (go, rest) = (ready.clone(), left.clone());
            receivers.push(self.hosts[usize::from(message.to)].start(move || {
                let bound = bind(&own, to.ip(), FIRST_PORT, 1);
                go.wait();
                let mut endpoint = bound?;
                let mut came = None;
                while rest.load(Ordering::SeqCst) > 0 {
                    if let Some(Event::Received { message, .. }) = endpoint.wait(PATIENCE)? {
                        came = Some((message, endpoint.tally().marked));
                    }
                }
                Ok::<_, io::Error>(came)
            }));
            let first = firsts[index];
            let (from, own, bytes) = (self.address(message.from), transport.clone(), message.bytes);
            let (go, rest) = (ready.clone(), left.clone());
            let seed = seed * 1_000 + index as u64;
            senders.push(self.hosts[usize::from(message.from)].start(move || {
                let bound = bind(&own, from.ip(), first, seed);
                let _one_less = OneLess(rest);
                go.wait();
                bound.and_then(|mut endpoint| {
                    endpoint.send(to, content(bytes))?;
                    endpoint.wait(AT_MOST)
                })
            }));
        }
        ready.wait();
        meanwhile(self)?;
        let mut done = Vec::new();
        for ((message, sender), receiver) in messages.iter().zip(senders).zip(receivers) {
            let sent = sender.recv().map_err(|why| why.to_string())?;
            let came = receiver.recv().map_err(|why| why.to_string())?;
            let whole = content(message.bytes);
            match (sent, came) {
                (Ok(Some(Event::Sent { took, counts, .. })), Ok(Some((came, marked))))
                    if came == whole =>
                {
                    let took = Duration::from_nanos(took.0 / 1_000);
                    done.push(Done { took, retransmitted: counts.retransmitted, marked });
                }
                (sent, came) => {
                    let came = came.map(|came| came.map(|(bytes, _)| bytes == whole));
                    return Err(format!("{message:?}: {sent:?}, came whole: {came:?}"));
                }
            }
        }
        Ok(done)
    }

    /// Which part of the ports of the first ToR's hosts this kernel hashes to a spine: by the secret of its
    /// boot, so not a quarter of them.
    pub(crate) fn share_of(&self, spine: u8) -> Result<f64, String> {
        let hosts = self.shape.hosts_per_tor;
        let ports =
            (0..hosts).flat_map(|from| (SENDERS..SENDERS + PORTS).map(move |at| (from, at)));
        let spines = ports.map(|(from, port)| self.spine_of(from, hosts + from, port));
        let spines = spines.collect::<Result<Vec<u8>, String>>()?;
        Ok(spines.iter().filter(|own| **own == spine).count() as f64 / spines.len() as f64)
    }

    /// How many packets the first ToR has sent to each spine.
    pub(crate) fn packets_up(&self) -> Result<Vec<u64>, String> {
        let read = || std::fs::read_to_string("/proc/thread-self/net/dev");
        let lines = self.tors[0].start(read).recv().map_err(|why| why.to_string())?;
        let lines = lines.map_err(|why| why.to_string())?;
        let sent = |spine: u8| {
            let start = format!("up{spine}:");
            let line = lines.lines().find_map(|line| line.trim().strip_prefix(&start));
            // Behind eight numbers of what was received there is first bytes, then packets.
            let sent = line.and_then(|line| line.split_whitespace().nth(9));
            sent.and_then(|own| own.parse().ok()).ok_or_else(|| format!("{start} {lines}"))
        };
        (0..self.shape.spines).map(sent).collect()
    }

    /// Has the first ToR's links to spines mark or lose packets by this discipline of `tc`; false if the
    /// kernel has none such.
    pub(crate) fn discipline(&self, words: &str) -> bool {
        let line = |spine| format!("qdisc replace dev up{spine} parent 1: handle 10: {words}");
        let lines: Vec<String> = (0..self.shape.spines).map(line).collect();
        match self.tors[0].program("tc", &lines) {
            Err(why) if why.contains("Specified qdisc kind is unknown") => false,
            Err(why) => panic!("{why}"),
            Ok(()) => true,
        }
    }

    /// Address and first port of a host.
    fn address(&self, host: u8) -> SocketAddr {
        SocketAddr::new(IpAddr::V4(address(self.tor_of(host), host, 2)), FIRST_PORT)
    }
}

/// How long a receiver waits before it looks whether the others are done.
const PATIENCE: Duration = Duration::from_millis(20);
/// How long a message may take; after a minute its sender gives it up.
const AT_MOST: Duration = Duration::from_secs(61);

/// A sender that is done, however it ends.
struct OneLess(Arc<AtomicUsize>);

impl Drop for OneLess {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A program that another test begins holds this one's sockets for a moment.
fn bind(transport: &Transport, address: IpAddr, first: u16, seed: u64) -> io::Result<Endpoint> {
    for _ in 0..100 {
        match Endpoint::bind(transport, address, Ports::from(first, PORTS), seed) {
            Err(why) if why.kind() == io::ErrorKind::AddrInUse => {
                std::thread::sleep(Duration::from_millis(10));
            }
            other => return other,
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}

fn content(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 31 + at / 251) as u8).collect()
}

fn mac(address: Ipv4Addr) -> String {
    let [a, b, c, d] = address.octets();
    format!("02:00:{a:02x}:{b:02x}:{c:02x}:{d:02x}")
}

fn neighbour(address: Ipv4Addr, name: &str) -> String {
    format!("neigh replace {address} lladdr {} dev {name} nud permanent", mac(address))
}

/// On the link between a host and its ToR.
fn address(tor: u8, host: u8, end: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, tor, host, end)
}

/// On the link between a ToR and a spine.
fn above(tor: u8, spine: u8, end: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 100 + tor, spine, end)
}
