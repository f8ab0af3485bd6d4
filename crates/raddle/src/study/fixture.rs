//! A fabric of three hosts at one switch and an engine that makes up its outcome, for tests.

use super::memory::Needed;
use super::run::{Engine, Job};
use crate::scenario::Kept;
use raddle_schemes::ids::{FlowId, HostId, PortId, SwitchId};
use raddle_schemes::load_balance::{host, plane, switch};
use raddle_schemes::rng::Rng;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{congestion, marking, recovery};
use raddle_sim::faults::Faults;
use raddle_sim::plan::{
    Connections, MarkAt, NicOrder, Overflow, PairOrder, Plan, QueuePlan, Service, TransportPlan,
    Turns,
};
use raddle_sim::record::packets::Packets;
use raddle_sim::record::{
    FlowRecord, Observer, Outcome, PortRecord, PortSeries, Progress, RecordPlan, Stop, Timeline,
};
use raddle_sim::topology::routing::{Forwarding, Table, Weighting};
use raddle_sim::topology::{Fabric, Node, Port, Switch};
use raddle_sim::workload::{Flow, Start, Traffic};

const HOSTS: u32 = 3;

/// Three hosts at one switch, 400 Gbps and 500 ns everywhere.
fn fabric() -> Fabric {
    let port = |name: String, owner, peer| Port {
        name,
        owner,
        peer: PortId(peer),
        rate: Rate::gbps(400),
        delay: Span::ns(500),
        up: false,
    };
    let nics = (0..HOSTS).map(|h| port(format!("host{h}"), Node::Host(HostId(h)), HOSTS + h));
    let downs = (0..HOSTS).map(|h| port(format!("tor0.down{h}"), Node::Switch(SwitchId(0)), h));
    Fabric {
        circuits: None,
        scale_up: None,
        host_latency: Span::ZERO,
        hosts: HOSTS,
        planes: 1,
        switches: vec![Switch {
            name: "tor0".into(),
            tier: 0,
            pod: Some(0),
            ports: HOSTS..2 * HOSTS,
            latency: Span::ns(500),
        }],
        ports: nics.chain(downs).collect(),
        forwarding: Forwarding::Table(Table {
            weighting: Weighting::Capacity,
            edge_of: vec![SwitchId(0); HOSTS as usize],
            host_port: (HOSTS..2 * HOSTS).map(|port| Some(PortId(port))).collect(),
            column: vec![0],
            columns: 1,
            groups: vec![0],
            starts: vec![0, 0],
            ports: Vec::new(),
            weights: Vec::new(),
        }),
    }
}

/// Flows 0 to 1 and 1 to 2 of 10 000 bytes each, payload 4096.
pub(crate) fn plan(seed: u64) -> Plan {
    let fabric = fabric();
    let flow = |source, destination| Flow {
        source: HostId(source),
        destination: HostId(destination),
        bytes: Bytes(10_000),
        class: 0,
        load_balance: 0,
        transport: 0,
        hashed: false,
        qps: 1,
        qp: 0,
        start: Start::At(Time::ZERO),
        on_acked: None,
        on_delivered: None,
    };
    Plan {
        routes: vec![(Time::ZERO, fabric.forwarding.clone())],
        known_routes: Vec::new(),
        fabric,
        queue: QueuePlan {
            size: Size::Bdp(1.0),
            control_size: Size::Bdp(1.0),
            service: Service::Priority,
            classes: 1,
            shares: Vec::new(),
            control_weight: None,
            marking: marking::Config::named("none").unwrap(),
            class_markings: Vec::new(),
            last_hop_marking: None,
            acks: Vec::new(),
            mark_at: MarkAt::Dequeue,
            overflow: Overflow::Drop,
            gap: Bytes(0),
            pfc: None,
            cbfc: None,
        },
        llr: None,
        buffer: None,
        switch_load_balance: switch::Config::named("ecmp").unwrap(),
        tor: None,
        faults: Faults::default(),
        transport: TransportPlan {
            payload: Bytes(4096),
            header: Bytes(64),
            ack: Bytes(64),
            load_balance: host::Config::named("ops").unwrap(),
            plane: plane::Config::named("hash").unwrap(),
            plane_repair: Span::ZERO,
            other_load_balances: Vec::new(),
            other_transports: Vec::new(),
            congestion: congestion::Config::named("fixed_rate").unwrap(),
            recovery: recovery::Config::Sack(recovery::sack::Config::default()),
            connections: Connections::Message,
            pair_order: PairOrder::Parallel,
            nic: NicOrder::ControlFirst,
            turns: Turns::RoundRobin,
            host_queue: None,
            phase: Span::ZERO,
        },
        traffic: Traffic { flows: vec![flow(0, 1), flow(1, 2)], ..Traffic::default() },
        record: RecordPlan { ports: vec![PortId(4)], bucket: Span::us(1), ..RecordPlan::default() },
        seed,
        end: None,
        patience: Span::ms(1),
    }
}

/// Outcomes that depend on the seed alone; reports progress ten times and obeys.
pub(crate) fn engine(plan: &Plan, observer: &mut dyn Observer) -> Outcome {
    let mut rng = Rng::new(plan.seed, "fixture", 0);
    let total = 6;
    let mut go_on = true;
    for step in 1..=10 {
        go_on &= observer.progress(&Progress {
            now: Time(step * 100_000),
            packet_hops: step * 24 / 10,
            flows_done: step * 2 / 10,
            packets_acked: step * total / 10,
        });
    }
    let flows = (0..plan.traffic.flows.len())
        .map(|i| {
            let delivered = 2_000_000 + 1_000_000 * i as u64 + rng.below(100_000);
            FlowRecord {
                started: Some(Time::ZERO),
                acked: Some(Time(delivered + 1_000_000)),
                delivered: Some(Time(delivered)),
                sent: 4,
                retransmitted: 1,
                received: 3,
                dropped: 1,
                ..FlowRecord::default()
            }
        })
        .collect();
    let mut ports = vec![PortRecord::default(); plan.fabric.ports.len()];
    ports[4] = PortRecord {
        frames: 12,
        bytes: 30_000,
        data_frames: 4,
        marked: 5,
        dropped: [2, 0, 0, 1, 0],
        dropped_data: [2, 0, 0, 0, 0],
        queue_bytes_max: 8_320,
        ..PortRecord::default()
    };
    Outcome {
        memory_bytes_max: Vec::new(),
        pools: Vec::new(),
        training: Vec::new(),
        deadlock: Vec::new(),
        outside_openings: 0,
        late_frames: Vec::new(),
        retries: Vec::new(),
        credits: Vec::new(),
        clipped_frames: Vec::new(),
        tors: Vec::new(),
        scale_up: Vec::new(),
        probes: Vec::new(),
        pieces: None,
        flows,
        ports,
        series: vec![PortSeries {
            data_frames: vec![3, 1],
            bytes: vec![12_480, 4_160],
            queue_bytes_max: vec![8_320, 0],
            dropped: vec![2, 0],
            dropped_data: vec![2, 0],
            queue_bytes_mean: Vec::new(),
            lossless_bytes_mean: Vec::new(),
            marked: vec![5, 0],
            trimmed: vec![0, 0],
            paused: Vec::new(),
        }],
        bucket: plan.record.bucket,
        routes: Vec::new(),
        progress: Vec::new(),
        packets: Packets::default(),
        timeline: Timeline {
            dropped: vec![2, 0],
            marked: vec![5, 0],
            trimmed: vec![0, 0],
            retransmitted: vec![0, 2],
            timeouts: vec![0, 0],
            events: vec![(Time(1_500_000), FlowId(1), "reps: freeze".into())],
        },
        occupancy: None,
        stop: if go_on { Stop::Completed } else { Stop::Interrupted },
        end: Time(4_100_000),
        in_flight_data: 0,
        credit_frames: Default::default(),
        packet_hops: 24,
        events: 30,
        parts: 1,
    }
}

/// One job per seed, of a scenario with hash `5ce7a110`.
pub(crate) fn jobs(seeds: std::ops::RangeInclusive<u64>) -> Vec<Job> {
    seeds
        .map(|seed| Job {
            scenario: "5ce7a110".into(),
            seed,
            settings: vec![("transport.load_balance.scheme".into(), "ops".into())],
            kept: Kept { toml: "[fabric]\n".into(), files: Vec::new() },
            needed: Needed { ports: 6, flows: 2 },
            plan: Box::new(move || Ok(plan(seed))),
        })
        .collect()
}

/// The engine above, as jobs want it.
pub(crate) const ENGINE: Engine<'static> = &engine;
