//! The hosts: what flows are sent with, and how those of a host share its wire.

use raddle_schemes::load_balance::{host, plane};
use raddle_schemes::units::{Bytes, Span};
use raddle_schemes::{FlowContext, Need, congestion, recovery};

raddle_schemes::words! {
    /// How a NIC shares its wire between control frames and data.
    pub enum NicOrder {
        /// Control frames first.
        ControlFirst = "control_first",
        /// One control frame, one data frame, in turn.
        RoundRobin = "round_robin",
    }
}

/// A queue of each host, first in, first out, in front of its wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostQueue {
    /// A flow whose packet does not fit waits; at least a full packet.
    pub size: Bytes,
    /// Whether ACKs and NACKs wait in it, too; for them there is always room.
    pub acks: bool,
}

raddle_schemes::words! {
    /// Which of the flows that may send has its turn at the NIC.
    pub enum Turns {
        /// They go round, each behind those that could send before it.
        RoundRobin = "round_robin",
        /// They go round in an order that is random and stays, as in a list of queue pairs into which
        /// each is put at random: one that could not send for a while comes back to its place.
        RandomPlace = "random_place",
        /// Any of them, drawn for each packet.
        Random = "random",
        /// The one with the shortest message; of those with equal ones the first in the run's list of
        /// flows.
        Shortest = "shortest",
    }
}

raddle_schemes::words! {
    /// What a connection carries, and so how long what its sender has learned lasts.
    pub enum Connections {
        /// One message: every flow begins anew.
        Message = "message",
        /// All messages from one host to another with the same class, path selector and transport. One begins
        /// with what the one before that ended last has left, and switches hash the pair of hosts
        /// in place of the flow.
        Pair = "pair",
    }
}

raddle_schemes::words! {
    /// How messages of a pair share their sender, the pair being that of [`Connections::Pair`].
    pub enum PairOrder {
        /// Side by side: all of them take turns at the NIC.
        Parallel = "parallel",
        /// One after the other, in the order in which they start, as on a queue pair: a message sends
        /// its first packet when the one before has sent its last one for the first time. It does
        /// not wait for ACKs, and what is lost is sent again beside later messages.
        Fifo = "fifo",
    }
}

/// How both ends of a flow send and acknowledge.
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    /// Window and rate.
    pub congestion: congestion::Config,
    /// Loss detection, ACKs and retransmission.
    pub recovery: recovery::Config,
}

/// The hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct TransportPlan {
    /// Payload of a full packet.
    pub payload: Bytes,
    /// Header of a data packet, telemetry included; also the size of a trimmed one.
    pub header: Bytes,
    /// Size of an ACK or NACK on the wire, telemetry included.
    pub ack: Bytes,
    /// Path of every packet, but for the flows that name another.
    pub load_balance: host::Config,
    /// The plane of every packet, where hosts have several ports.
    pub plane: plane::Config,
    /// How long a host with several ports takes to see that a link of its own went down or came up.
    pub plane_repair: Span,
    /// The others, of which flows name one by number.
    pub other_load_balances: Vec<host::Config>,
    /// Window and rate, but for the flows that name another transport.
    pub congestion: congestion::Config,
    /// Loss detection, ACKs and retransmission, but for the same flows.
    pub recovery: recovery::Config,
    /// Other congestion controls and recoveries, of which flows name one pair by number.
    pub other_transports: Vec<Transport>,
    /// What outlives a message.
    pub connections: Connections,
    /// How messages of a pair share their sender.
    pub pair_order: PairOrder,
    /// Who goes first at the NIC.
    pub nic: NicOrder,
    /// Which flow has its turn.
    pub turns: Turns,
    /// What waits at hosts between flows and the wire, if anything does: else NICs pull.
    pub host_queue: Option<HostQueue>,
    /// Each flow's start, by itself or by a trigger, is delayed by a uniform draw from `0..=phase`.
    pub phase: Span,
}

impl TransportPlan {
    /// The path selector that flows with this number have: 0 is that of all, n the n-th of the
    /// others. One that does not exist is refused by
    /// [`Plan::check_limits`](super::Plan::check_limits).
    pub fn load_balance_of(&self, number: u8) -> &host::Config {
        let other = usize::from(number).checked_sub(1);
        other.and_then(|i| self.other_load_balances.get(i)).unwrap_or(&self.load_balance)
    }

    /// The congestion control that flows with this transport number have: 0 is that of all, n that
    /// of the n-th of the others. One that does not exist is refused by
    /// [`Plan::check_limits`](super::Plan::check_limits).
    pub fn congestion_of(&self, number: u8) -> &congestion::Config {
        self.other(number).map_or(&self.congestion, |other| &other.congestion)
    }

    /// The recovery that flows with this transport number have.
    pub fn recovery_of(&self, number: u8) -> &recovery::Config {
        self.other(number).map_or(&self.recovery, |other| &other.recovery)
    }

    fn other(&self, number: u8) -> Option<&Transport> {
        self.other_transports.get(usize::from(number).checked_sub(1)?)
    }

    /// Every congestion control that flows may have.
    pub fn congestions(&self) -> impl Iterator<Item = &congestion::Config> {
        let others = self.other_transports.iter().map(|other| &other.congestion);
        std::iter::once(&self.congestion).chain(others)
    }

    /// Whether any host knows at once what is down.
    pub fn hosts_know(&self) -> bool {
        let all = std::iter::once(&self.load_balance).chain(&self.other_load_balances);
        let routes_packets =
            |config: &&host::Config| config.card().needs.contains(&Need::SourceRouting);
        all.filter(routes_packets).any(|config| config.build(&FlowContext::NOMINAL).knows_at_once())
    }
}
