//! The tables and the meaning of every column.

use super::{ColumnSpec, TableSpec};

/// Every kind of table.
pub const TABLES: [&TableSpec; 11] = [
    &RUNS, &FLOWS, &PIECES, &PORTS, &SWITCHES, &TORS, &TRAINING, &LAYERS, &SERIES, &TIMELINE,
    &EVENTS,
];

const fn col(name: &'static str, unit: &'static str, meaning: &'static str) -> ColumnSpec {
    ColumnSpec { name, unit, meaning }
}

const SCENARIO: ColumnSpec = col("scenario", "", "hash of the resolved scenario");
const SEED: ColumnSpec = col("seed", "", "seed of every random stream of the run");
const TIME: ColumnSpec = col("time_us", "us", "start of the time bucket, since the run's start");

pub(super) const RUNS: TableSpec = TableSpec {
    name: "runs",
    meaning: "One row per run; behind these columns, one per key that the sweep set.",
    columns: &[
        SCENARIO,
        SEED,
        col("version", "", "version of raddle"),
        col("completed", "", "whether every flow completed"),
        col("flows", "flows", "number of flows"),
        col("unfinished", "flows", "flows that did not complete"),
        col("unstarted", "flows", "of these, flows that had not started when the run ended"),
        col("at_dead_hosts", "flows", "flows that did not complete with an end at a dead host"),
        col(
            "completion_us",
            "us",
            "time zero to the last needed ACK of any flow; empty unless every flow completed",
        ),
        col("bound_us", "us", "lower bound on the completion; empty where none is known"),
        col("bound", "", "name of that bound"),
        col("increase_pct", "%", "completion over the bound"),
        col("fct_max_us", "us", "longest flow completion time, of completed flows"),
        col("fct_mean_us", "us", "mean flow completion time, of completed flows"),
        col("fct_p50_us", "us", "median flow completion time, of completed flows, nearest rank"),
        col("fct_p99_us", "us", "99th percentile of them, nearest rank"),
        col("delivered_max_us", "us", "longest time from a flow's start to its last byte"),
        col("delivered_mean_us", "us", "mean time from a flow's start to its last byte"),
        col("delivered_p50_us", "us", "median time from a flow's start to its last byte"),
        col("delivered_p99_us", "us", "99th percentile of times to the last byte"),
        col("slowdown_mean", "", "mean of completion times over those alone in the idle fabric"),
        col("slowdown_p50", "", "median of these slowdowns, nearest rank"),
        col("slowdown_p95", "", "95th percentile; empty if fewer than 20 flows are beyond it"),
        col("slowdown_p99", "", "99th percentile; empty if fewer than 20 flows are beyond it"),
        col("slowdown_p99_9", "", "99.9th percentile; empty if fewer than 20 flows are beyond it"),
        col("busbw_gb_s", "GB/s", "bus bandwidth of the slowest collective; empty without one"),
        col("goodput_gbps", "Gbps", "application bits of all flows over the completion"),
        col("sent_packets", "packets", "data packets sent, retransmissions included"),
        col("delivered_packets", "packets", "data packets that arrived whole and were new"),
        col("retransmitted_packets", "packets", "data packets sent again"),
        col(
            "refused_packets",
            "packets",
            "data packets that arrived whole and new, thrown away there for being out of order",
        ),
        col("dropped_overflow_packets", "packets", "data packets lost: the queue was full"),
        col("dropped_link_down_packets", "packets", "data packets lost: the link was down"),
        col("dropped_node_down_packets", "packets", "data packets lost: the node was dead"),
        col("dropped_loss_packets", "packets", "data packets lost: random loss or bit errors"),
        col("dropped_no_route_packets", "packets", "data packets lost: no port led there"),
        col(
            "dropped_middleware_packets",
            "packets",
            "data packets that middleware in ToRs dropped",
        ),
        col(
            "lossless_refused_frames",
            "frames",
            "frames of lossless classes for which there was no room, dropped or trimmed",
        ),
        col("trimmed_packets", "packets", "data packets cut to their header in a switch"),
        col("marked_packets", "packets", "data packets that got a congestion mark"),
        col("queue_bytes_max", "B", "most bytes of one data class in a switch port's queue"),
        col("memory_bytes_max", "B", "most bytes of a switch's shared memory; 0 if none is shared"),
        col("pauses", "pauses", "how often flow control paused a class at a port"),
        col("timeouts", "timeouts", "retransmission timeouts"),
        col("packet_hops", "packet-hops", "packets that left any queue, host or switch"),
        col("results_hash", "", "hash of all flow and port records"),
        col("cpu_s", "s", "CPU time of the run"),
        col("wall_s", "s", "elapsed time of the run"),
    ],
};

pub(super) const FLOWS: TableSpec = TableSpec {
    name: "flows",
    meaning: "One row per flow.",
    columns: &[
        SCENARIO,
        SEED,
        col("flow", "", "number of the flow"),
        col("source", "", "sending host"),
        col("destination", "", "receiving host"),
        col("size_bytes", "B", "application bytes"),
        col("start_us", "us", "when it started; empty if it never did"),
        col("fct_us", "us", "start to last needed ACK at the sender; empty if not completed"),
        col("delivered_us", "us", "start to last byte at the receiver; empty if not delivered"),
        col("ideal_us", "us", "`fct_us` alone in the fabric without faults; empty without a path"),
        col("slowdown", "", "`fct_us` over `ideal_us`; empty if not completed"),
        col("sent_packets", "packets", "data packets sent, retransmissions included"),
        col("retransmitted_packets", "packets", "data packets sent again"),
        col("received_packets", "packets", "data packets that arrived whole and were new"),
        col("duplicate_packets", "packets", "data packets that arrived whole a second time"),
        col(
            "refused_packets",
            "packets",
            "data packets that arrived whole and new, thrown away there for being out of order",
        ),
        col("marked_packets", "packets", "data packets that arrived with a congestion mark"),
        col("trimmed_packets", "packets", "data packets that arrived as trimmed headers"),
        col("dropped_packets", "packets", "data packets lost on the way, whatever the cause"),
        col("timeouts", "timeouts", "retransmission timeouts"),
        col(
            "unfinished",
            "",
            "why it did not complete: `dead_host` at one of its ends, `not_started`, or still \
             `under_way`; empty if it did",
        ),
    ],
};

pub(super) const PIECES: TableSpec = TableSpec {
    name: "pieces",
    meaning: "One row per piece of a flow, where a planner gives flows their paths.",
    columns: &[
        SCENARIO,
        SEED,
        col("piece", "", "number of the piece"),
        col("flow", "", "number of the flow that it belongs to"),
        col("size_bytes", "B", "application bytes"),
        col(
            "path",
            "",
            "port of the source's switch that it was given; empty if there is no choice",
        ),
        col("start_us", "us", "when it started; empty if it never did"),
        col("fct_us", "us", "start to last needed ACK at the sender; empty if not completed"),
        col("sent_packets", "packets", "data packets sent, retransmissions included"),
        col("retransmitted_packets", "packets", "data packets sent again"),
        col("dropped_packets", "packets", "data packets lost on the way, whatever the cause"),
        col("timeouts", "timeouts", "retransmission timeouts"),
    ],
};

pub(super) const PORTS: TableSpec = TableSpec {
    name: "ports",
    meaning: "One row per port, that is per directed link.",
    columns: &[
        SCENARIO,
        SEED,
        col("port", "", "number of the port"),
        col("name", "", "name of the port"),
        col("node", "", "host or switch that the port belongs to"),
        col("peer", "", "host or switch at the other end of the cable"),
        col("rate_gbps", "Gbps", "rate of the link when nothing is broken"),
        col("frames", "frames", "frames whose last bit left, lost ones included"),
        col("sent_bytes", "B", "their bytes"),
        col("data_frames", "frames", "of these frames, data packets"),
        col("marked_packets", "packets", "data packets marked here"),
        col("trimmed_packets", "packets", "data packets trimmed here"),
        col("dropped_overflow_frames", "frames", "frames lost here: the queue was full"),
        col("dropped_link_down_frames", "frames", "frames lost here: the link was down"),
        col("dropped_node_down_frames", "frames", "frames lost here: the node was dead"),
        col("dropped_loss_frames", "frames", "frames lost here: random loss or bit errors"),
        col("dropped_no_route_frames", "frames", "frames lost here: no port led there"),
        col("dropped_packets", "packets", "of all frames lost here, data packets"),
        col("queue_bytes_max", "B", "most bytes of one data class queued, in service included"),
        col("pauses", "pauses", "how often a class of what came in here was paused"),
        col("paused_us", "us", "for how long, added up over the classes"),
        col(
            "pfc_frames",
            "frames",
            "frames of flow control whose last bit left, lost ones included",
        ),
        col("pfc_lost_frames", "frames", "frames of flow control lost"),
        col(
            "ignored_pauses",
            "pauses",
            "pauses of the far end, a class and frame each, that the watchdog did not heed",
        ),
        col(
            "ingress_bytes_max",
            "B",
            "under flow control, most bytes of one class that came in here",
        ),
        col(
            "lossless_refused_frames",
            "frames",
            "frames of lossless classes for which there was no room here",
        ),
    ],
};

pub(super) const SWITCHES: TableSpec = TableSpec {
    name: "switches",
    meaning: "One row per switch, where ports share a switch's memory.",
    columns: &[
        SCENARIO,
        SEED,
        col("switch", "", "number of the switch"),
        col("name", "", "name of the switch"),
        col("memory_bytes", "B", "its memory"),
        col("memory_bytes_max", "B", "most bytes of it used at once, frames in service included"),
        col("headroom_bytes_max", "B", "most bytes of headroom used at once; 0 without"),
        col("headroom_queue_bytes_max", "B", "most bytes in headroom of one port and class"),
        col("lossless_bytes_max", "B", "where classes are lossless, most bytes of those"),
        col("lossy_bytes_max", "B", "and of the others"),
        col("lossless_refused_frames", "frames", "frames of lossless classes that were refused"),
    ],
};

pub(super) const TORS: TableSpec = TableSpec {
    name: "tors",
    meaning: "One row per ToR with middleware.",
    columns: &[
        SCENARIO,
        SEED,
        col("switch", "", "number of the switch"),
        col("name", "", "name of the switch"),
        col(
            "dropped_frames",
            "frames",
            "frames that it dropped, those it let go without a route too",
        ),
        col("dropped_packets", "packets", "of these, data packets"),
        col("sent_frames", "frames", "frames of its own"),
        col("sent_bytes", "B", "their bytes"),
        col("held_frames_max", "frames", "most frames that it held at once"),
    ],
};

pub(super) const TRAINING: TableSpec = TableSpec {
    name: "training",
    meaning: "One row per packet of data that a switch's memory was asked for and whose fate is known: \
              what Credence's oracle is trained on.",
    columns: &[
        SCENARIO,
        SEED,
        col("switch", "", "number of the switch"),
        col("name", "", "name of the switch"),
        col("queue_bytes", "B", "in the packet's queue when it came"),
        col("queue_average_bytes", "B", "the average of that, over a round trip"),
        col("occupancy_bytes", "B", "in the switch's memory when it came"),
        col("occupancy_average_bytes", "B", "the average of that, over a round trip"),
        col("dropped", "", "whether it was refused or pushed out; else it left"),
    ],
};

pub(super) const LAYERS: TableSpec = TableSpec {
    name: "layers",
    meaning: "One row per layer, that is all links from one tier to another.",
    columns: &[
        SCENARIO,
        SEED,
        col("layer", "", "where the links lead, as in `tor_agg`"),
        col("links", "links", "how many there are"),
        col(
            "queue_bytes_max",
            "B",
            "most bytes of one data class in a queue of the layer; empty at hosts",
        ),
        col(
            "queue_bytes_mean",
            "B",
            "bytes of data queued, mean over queues and sending time; empty unless recorded",
        ),
        col("bytes_overload", "", "bytes of the busiest link over the links' mean, less 1"),
        col("frames_overload", "", "the same for frames of any kind"),
        col("data_overload", "", "the same for data packets"),
    ],
};

pub(super) const SERIES: TableSpec = TableSpec {
    name: "series",
    meaning: "One row per recorded port and time bucket.",
    columns: &[
        SCENARIO,
        SEED,
        col("port", "", "number of the port"),
        col("name", "", "name of the port"),
        TIME,
        col("data_frames", "frames", "data packets whose last bit left in the bucket"),
        col("sent_bytes", "B", "bytes of all frames whose last bit left in the bucket"),
        col("utilisation_pct", "%", "these bytes over what the healthy link carries in a bucket"),
        col("queue_bytes_max", "B", "most data bytes queued, as arrivals saw it; 0 if none came"),
        col("dropped_frames", "frames", "frames lost at the port in the bucket"),
        col("queue_bytes_mean", "B", "mean data bytes queued; only with `queue_means`"),
        col(
            "lossless_bytes_mean",
            "B",
            "of these, of lossless classes; only where others are not lossless",
        ),
    ],
};

pub(super) const TIMELINE: TableSpec = TableSpec {
    name: "timeline",
    meaning: "One row per time bucket, over the whole fabric.",
    columns: &[
        SCENARIO,
        SEED,
        TIME,
        col("dropped_frames", "frames", "frames lost"),
        col("marked_packets", "packets", "data packets marked"),
        col("trimmed_packets", "packets", "data packets trimmed"),
        col("retransmitted_packets", "packets", "data packets sent again"),
        col("timeouts", "timeouts", "retransmission timeouts"),
    ],
};

pub(super) const EVENTS: TableSpec = TableSpec {
    name: "events",
    meaning: "One row per noteworthy moment of a scheme; the first 10 000 of the run.",
    columns: &[
        SCENARIO,
        SEED,
        col("time_us", "us", "when it happened, since the run's start"),
        col("flow", "", "number of the flow whose scheme it is"),
        col("event", "", "scheme and moment"),
    ],
};
