//! The cases of the performance suite.

use raddle::problem::Problems;
use raddle::scenario::{self, Study};
use raddle::study::timing::Stopwatch;
use raddle_sim::engine::{self, CriticalPath, Options};
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::reference::{self, Queue};
use std::path::Path;

/// What all cases start from.
const BASE: &str = r#"
[fabric]
topology = { kind = "fat_tree", tiers = 3, hosts = 16, rate = "400 Gbps", link_delay = "500 ns", switch_delay = "500 ns" }
[transport]
load_balance = { scheme = "reps" }
[traffic]
kind = "permutation"
message = "1 MiB"
"#;

/// A scenario, and what is to run it.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Service of the switches' queues.
    pub(super) queue: &'static str,
    /// Ports per switch of the three-tier fat tree.
    pub(super) k: u32,
    /// Keys of the base scenario that are changed, and their values.
    set: &'static [(&'static str, &'static str)],
    /// Who runs it, in turn; comparisons are with the first.
    pub(super) runners: &'static [Runner],
    /// Part of the quick suite.
    pub(super) quick: bool,
    /// Long enough for a single round.
    pub(super) large: bool,
}

/// What runs a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Runner {
    pub(super) engine: Engine,
    /// Threads, or parts in turn on one.
    pub(super) threads: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// The engine as it comes.
    Windowed,
    /// The same in parts, one after the other on one thread, each measured.
    InParts,
    /// The reference, its events by value in a timing wheel.
    TimingWheel,
}

const ENGINE: Runner = Runner { engine: Engine::Windowed, threads: 1 };
const TWO_THREADS: Runner = Runner { engine: Engine::Windowed, threads: 2 };
const fn in_parts(parts: u32) -> Runner {
    Runner { engine: Engine::InParts, threads: parts }
}
const WHEEL: Runner = Runner { engine: Engine::TimingWheel, threads: 1 };

/// What most cases have in common.
const CASE: Case = Case {
    name: "permutation",
    queue: "priority",
    k: 8,
    set: &[],
    runners: &[ENGINE],
    quick: false,
    large: false,
};

/// What as many threads could win on as many free cores.
const CRITICAL_PATH: Case = Case {
    name: "critical_path",
    runners: &[in_parts(2), in_parts(4), in_parts(8), in_parts(16)],
    ..CASE
};

const MIB_8: (&str, &str) = ("traffic.message", "\"8 MiB\"");
const MIB_2: (&str, &str) = ("traffic.message", "\"2 MiB\"");
const TRIM: (&str, &str) = ("fabric.queue.overflow", "\"trim\"");
const SHALLOW: (&str, &str) = ("fabric.queue.size", "\"20 packets\"");
/// Two cables of a hundred are cut for good; two more flap.
const FAULTS: (&str, &str) = (
    "fault",
    "[{ random = { share = \"2%\" }, down = \"10 us..\" }, \
      { link = \"tor1.up0\", flap = { period = \"20 us\", down = \"5 us\", until = \"10 ms\" } }, \
      { link = \"core3.down2\", flap = { period = \"20 us\", down = \"5 us\", until = \"10 ms\" } }]",
);

/// A cable is cut, and from 10 us on all switches forward around it: by a table, as in a graph.
const REROUTED: &[(&str, &str)] = &[
    ("fault", "[{ link = \"tor0.up1\", down = \"5 us..\" }]"),
    ("fabric.routing.convergence", "\"5 us\""),
    MIB_2,
];

/// Replays departures node by node, in order of time.
const PFC: (&str, &str) = ("fabric.queue.pfc", "{ xoff = \"50%\", xon = \"40%\" }");

/// Credits for every frame of data, in place of pauses.
const CBFC: (&str, &str) = ("fabric.queue.cbfc", "{}");

/// Links number every frame and send it again where noise spoils it: one in 3,000.
const LLR: (&str, &str) = ("fabric.llr", "{}");
const NOISE: (&str, &str) = ("fault", "[{ link = \"*\", ber = 1e-8 }]");

/// Ports share their switch's memory; a quarter of what their queues could hold.
const SHARED: (&str, &str) =
    ("fabric.buffer", "{ scheme = \"dynamic_thresholds\", size = \"0.25 bdp\" }");

/// Policies that see the whole switch in the same memory.
const ABM: (&str, &str) = ("fabric.buffer", "{ scheme = \"abm\", size = \"0.25 bdp\" }");
const LONGEST: (&str, &str) =
    ("fabric.buffer", "{ scheme = \"longest_queue_drop\", size = \"0.25 bdp\" }");
const FOLLOW: (&str, &str) = ("fabric.buffer", "{ scheme = \"follow_lqd\", size = \"0.25 bdp\" }");
/// With a forest, which reads averages.
const CREDENCE: (&str, &str) = (
    "fabric.buffer",
    "{ scheme = \"credence\", size = \"0.25 bdp\", oracle_file = \"websearch_dctcp\" }",
);
const REVERIE: (&str, &str) = ("fabric.buffer", "{ scheme = \"reverie\", size = \"0.25 bdp\" }");

/// Hosts with a port in each of eight planes.
const PLANES: (&str, &str) = ("fabric.topology.planes", "8");

/// The same memory of lossless classes: it decides on pauses, and counts at both ends of a switch.
const LOSSLESS: (&str, &str) =
    ("fabric.buffer", "{ scheme = \"sonic\", size = \"0.25 bdp\", lossless = true }");

/// PowerTCP on web search: every switch writes telemetry into packets, and memory is lossless.
const TELEMETRY: &[(&str, &str)] = &[
    ("traffic", "{ kind = \"poisson\", law = \"websearch\", load = 0.4, until = \"400 us\" }"),
    ("run.end", "\"400 us\""),
    ("transport.load_balance", "{ scheme = \"ecmp\" }"),
    ("transport.congestion", "{ scheme = \"powertcp\" }"),
    ("fabric.buffer", "{ scheme = \"sonic\", size = \"8 bdp\", lossless = true }"),
];

/// Middleware in ToRs, which sees every frame of NICs that repeat selectively.
const THEMIS: &[(&str, &str)] = &[
    ("fabric.tor", "{ scheme = \"themis\" }"),
    ("fabric.load_balance", "{ scheme = \"ecmp_linear\" }"),
    ("transport.load_balance", "{ scheme = \"ecmp\" }"),
    ("transport.recovery", "{ scheme = \"rnic_sr\" }"),
    MIB_2,
];

/// What NICs keep of a million flows that repeat selectively and have rates.
const RNIC_TO_ALL: &[(&str, &str)] = &[
    ("traffic", "{ kind = \"all_to_all\", message = \"16 KiB\" }"),
    ("transport.load_balance", "{ scheme = \"ecmp\" }"),
    ("transport.congestion", "{ scheme = \"dcqcn\", profile = \"themis\" }"),
    ("transport.recovery", "{ scheme = \"rnic_sr\" }"),
];

/// 64 ToRs whose uplinks turn through a complete graph. Everybody sends to everybody else, as fast as
/// the hosts can, into endless queues: all lanes have something to send when they open.
const CIRCUITS: (&str, &str) = (
    "fabric.topology",
    "{ kind = \"circuits\", tors = 64, hosts_per_tor = 2, uplinks = 4, rate = \"100 Gbps\", \
     design = \"round_robin\", slot = \"10 us\", dark = \"1 us\" }",
);
const ENDLESS: (&str, &str) = (
    "fabric.queue",
    "{ service = \"priority\", size = \"unlimited\", marking = { scheme = \"none\" } }",
);
const UNPACED: (&str, &str) = ("transport.congestion", "{ scheme = \"fixed_rate\" }");
const SPRAYED: (&str, &str) = ("transport.load_balance", "{ scheme = \"ops\" }");
const TO_ALL: (&str, &str) = ("traffic", "{ kind = \"all_to_all\", message = \"256 KiB\" }");
const VALIANT: (&str, &str) = ("fabric.load_balance", "{ scheme = \"valiant\" }");
const CIRCUITS_DIRECT: &[(&str, &str)] = &[CIRCUITS, ENDLESS, UNPACED, SPRAYED, TO_ALL];
const CIRCUITS_VALIANT: &[(&str, &str)] = &[CIRCUITS, ENDLESS, UNPACED, SPRAYED, TO_ALL, VALIANT];
/// By the lanes of each slice: two to three of them a packet.
const OPERA: (&str, &str) = (
    "fabric.topology",
    "{ kind = \"circuits\", tors = 64, hosts_per_tor = 2, uplinks = 8, rate = \"100 Gbps\", \
     design = \"opera\", slot = \"10 us\", dark = \"1 us\", routes = \"slices\" }",
);
const OPERA_SLICES: &[(&str, &str)] = &[OPERA, ENDLESS, UNPACED, SPRAYED, TO_ALL];
/// All of it waits at ToRs for direct circuits.
const ROTORLB: &[(&str, &str)] = &[
    OPERA,
    ("fabric.topology.bulk", "\"1 B\""),
    ("fabric.tor", "{ scheme = \"rotorlb\" }"),
    ENDLESS,
    ("fabric.queue.classes", "2"),
    UNPACED,
    ("transport.recovery", "{ scheme = \"sack\", rto = \"10 s\", ack_every = 16 }"),
    SPRAYED,
    TO_ALL,
];

/// Three permutations at once, each in a data class of its own.
const THREE_CLASSES: (&str, &str) = ("fabric.queue.classes", "3");
const IN_CLASSES: (&str, &str) = (
    "traffic",
    "[{ name = \"low\", kind = \"permutation\", message = \"1 MiB\" }, \
      { name = \"middle\", kind = \"permutation\", message = \"1 MiB\", class = 1 }, \
      { name = \"high\", kind = \"permutation\", message = \"1 MiB\", class = 2 }]",
);

/// An open loop, stopped while flows still come.
const WEBSEARCH_10: &[(&str, &str)] = &[
    ("traffic", "{ kind = \"poisson\", law = \"websearch\", load = 0.1, until = \"1 ms\" }"),
    ("run.end", "\"1 ms\""),
];
const WEBSEARCH_20: &[(&str, &str)] = &[
    ("traffic", "{ kind = \"poisson\", law = \"websearch\", load = 0.2, until = \"600 us\" }"),
    ("run.end", "\"600 us\""),
];
const WEBSEARCH_40: &[(&str, &str)] = &[
    ("traffic", "{ kind = \"poisson\", law = \"websearch\", load = 0.4, until = \"400 us\" }"),
    ("run.end", "\"400 us\""),
];
/// On 8192 hosts a fourth of that.
const WEBSEARCH_40_SHORT: &[(&str, &str)] = &[
    ("traffic", "{ kind = \"poisson\", law = \"websearch\", load = 0.4, until = \"100 us\" }"),
    ("run.end", "\"100 us\""),
];

const BOTH: &[Runner] = &[ENGINE, TWO_THREADS];
const AGAINST_WHEEL: &[Runner] = &[ENGINE, WHEEL];

const CASES: &[Case] = &[
    Case { queue: "fifo", set: &[MIB_8], runners: BOTH, quick: true, ..CASE },
    Case { set: &[MIB_8], runners: BOTH, quick: true, ..CASE },
    Case { name: "trimming", set: &[MIB_8, TRIM, SHALLOW], quick: true, ..CASE },
    Case {
        name: "incast",
        set: &[("traffic", "{ kind = \"incast\", senders = 64, message = \"8 MiB\" }")],
        quick: true,
        ..CASE
    },
    Case { name: "faults", set: &[MIB_8, FAULTS], quick: true, ..CASE },
    Case { name: "rerouted", set: REROUTED, quick: true, ..CASE },
    // Round robin, if only of one class, is what computed departures do not serve.
    Case { queue: "drr", set: &[MIB_8], quick: true, ..CASE },
    Case { name: "classes", set: &[THREE_CLASSES, IN_CLASSES], quick: true, ..CASE },
    Case { name: "classes", queue: "drr", set: &[THREE_CLASSES, IN_CLASSES], quick: true, ..CASE },
    Case { name: "pfc", set: &[MIB_8, PFC], quick: true, ..CASE },
    Case { name: "cbfc", set: &[MIB_8, CBFC], quick: true, ..CASE },
    Case { name: "llr", set: &[MIB_8, LLR, NOISE], quick: true, ..CASE },
    Case { name: "shared_memory", set: &[MIB_8, SHARED], quick: true, ..CASE },
    Case { name: "abm", set: &[MIB_8, ABM], quick: true, ..CASE },
    Case { name: "longest_queue_drop", set: &[MIB_8, LONGEST], quick: true, ..CASE },
    Case { name: "follow_lqd", set: &[MIB_8, FOLLOW], quick: true, ..CASE },
    Case { name: "credence", set: &[MIB_8, CREDENCE], quick: true, ..CASE },
    Case { name: "reverie", set: &[MIB_8, REVERIE], quick: true, ..CASE },
    Case { name: "planes", set: &[MIB_8, PLANES], quick: true, ..CASE },
    Case { name: "lossless", set: &[MIB_8, LOSSLESS], quick: true, ..CASE },
    Case { name: "telemetry", set: TELEMETRY, quick: true, ..CASE },
    Case { name: "themis", set: THEMIS, quick: true, ..CASE },
    Case { name: "circuits_direct", set: CIRCUITS_DIRECT, quick: true, ..CASE },
    Case { name: "circuits_valiant", set: CIRCUITS_VALIANT, quick: true, ..CASE },
    Case { name: "opera_slices", set: OPERA_SLICES, quick: true, ..CASE },
    Case { name: "rotorlb", set: ROTORLB, quick: true, ..CASE },
    Case { name: "websearch_40", set: WEBSEARCH_40, runners: AGAINST_WHEEL, quick: true, ..CASE },
    Case { quick: true, ..CRITICAL_PATH },
    Case { queue: "fifo", k: 16, set: &[MIB_2], runners: BOTH, ..CASE },
    Case { k: 16, set: &[MIB_2], runners: BOTH, ..CASE },
    Case { name: "trimming", k: 16, set: &[MIB_2, TRIM, SHALLOW], runners: BOTH, ..CASE },
    Case {
        name: "incast",
        k: 16,
        set: &[("traffic", "{ kind = \"incast\", senders = 512, message = \"1 MiB\" }")],
        runners: BOTH,
        ..CASE
    },
    Case { name: "faults", k: 16, set: &[MIB_2, FAULTS], runners: BOTH, ..CASE },
    Case { name: "rerouted", k: 16, set: REROUTED, runners: BOTH, ..CASE },
    Case { queue: "drr", k: 16, set: &[MIB_2], runners: BOTH, ..CASE },
    Case { name: "classes", k: 16, set: &[THREE_CLASSES, IN_CLASSES], ..CASE },
    Case { name: "classes", queue: "drr", k: 16, set: &[THREE_CLASSES, IN_CLASSES], ..CASE },
    Case { name: "pfc", k: 16, set: &[MIB_2, PFC], runners: BOTH, ..CASE },
    Case { name: "cbfc", k: 16, set: &[MIB_2, CBFC], ..CASE },
    Case { name: "llr", k: 16, set: &[MIB_2, LLR, NOISE], ..CASE },
    Case { name: "shared_memory", k: 16, set: &[MIB_2, SHARED], runners: BOTH, ..CASE },
    Case { name: "abm", k: 16, set: &[MIB_2, ABM], ..CASE },
    Case { name: "longest_queue_drop", k: 16, set: &[MIB_2, LONGEST], ..CASE },
    Case { name: "follow_lqd", k: 16, set: &[MIB_2, FOLLOW], ..CASE },
    Case { name: "credence", k: 16, set: &[MIB_2, CREDENCE], ..CASE },
    Case { name: "reverie", k: 16, set: &[MIB_2, REVERIE], ..CASE },
    Case { name: "planes", k: 16, set: &[MIB_2, PLANES], ..CASE },
    Case { name: "lossless", k: 16, set: &[MIB_2, LOSSLESS], ..CASE },
    Case { name: "telemetry", k: 16, set: TELEMETRY, ..CASE },
    Case { name: "themis", k: 16, set: THEMIS, ..CASE },
    Case { name: "websearch_10", k: 16, set: WEBSEARCH_10, runners: AGAINST_WHEEL, ..CASE },
    Case { name: "websearch_20", k: 16, set: WEBSEARCH_20, runners: AGAINST_WHEEL, ..CASE },
    Case { name: "websearch_40", k: 16, set: WEBSEARCH_40, runners: AGAINST_WHEEL, ..CASE },
    Case { k: 16, ..CRITICAL_PATH },
    Case { queue: "fifo", k: 32, runners: BOTH, ..CASE },
    Case { k: 32, runners: BOTH, ..CASE },
    Case { name: "trimming", k: 32, set: &[TRIM, SHALLOW], ..CASE },
    Case {
        name: "incast",
        k: 32,
        set: &[("traffic", "{ kind = \"incast\", senders = 4096, message = \"256 KiB\" }")],
        ..CASE
    },
    Case { name: "faults", k: 32, set: &[FAULTS], ..CASE },
    Case { queue: "drr", k: 32, ..CASE },
    Case { name: "pfc", k: 32, set: &[PFC], ..CASE },
    Case { name: "shared_memory", k: 32, set: &[SHARED], ..CASE },
    Case { name: "websearch_40", k: 32, set: WEBSEARCH_40_SHORT, runners: AGAINST_WHEEL, ..CASE },
    Case { k: 32, ..CRITICAL_PATH },
    Case { name: "permutation_8_mib", k: 32, set: &[MIB_8], large: true, ..CASE },
    Case {
        name: "all_to_all",
        k: 16,
        set: &[("traffic", "{ kind = \"all_to_all\", message = \"16 KiB\" }")],
        large: true,
        ..CASE
    },
    Case { name: "all_to_all_rnic", k: 16, set: RNIC_TO_ALL, large: true, ..CASE },
    Case { k: 64, large: true, ..CASE },
];

/// The cases of the suite whose name contains one of `words`, or all of them.
pub(super) fn cases(words: &[String], quick: bool) -> Vec<&'static Case> {
    let wanted = |case: &&Case| {
        let id = case.id();
        words.is_empty() || words.iter().any(|word| id.contains(word.as_str()))
    };
    CASES.iter().filter(|case| case.quick || !quick).filter(wanted).collect()
}

impl Case {
    /// The name to choose it by, `permutation-fifo-k8`.
    pub(super) fn id(&self) -> String {
        format!("{}-{}-k{}", self.name, self.queue, self.k)
    }

    pub(super) fn hosts(&self) -> u32 {
        self.k.pow(3) / 4
    }

    /// The scenario, with further changes.
    pub(super) fn study(&self, more: &[(String, String)]) -> Result<Study, Problems> {
        let owned = |(path, value): (&str, &str)| (path.to_owned(), value.to_owned());
        let own = [
            ("fabric.topology.hosts", self.hosts().to_string()),
            ("fabric.queue.service", format!("\"{}\"", self.queue)),
        ];
        let own = own.into_iter().map(|(path, value)| (path.to_owned(), value));
        let set: Vec<_> =
            own.chain(self.set.iter().copied().map(owned)).chain(more.iter().cloned()).collect();
        scenario::parse("bench", BASE, Path::new("."), &set)
    }
}

impl Engine {
    /// The word for it in JSON and in tables.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Windowed => "windowed",
            Self::InParts => "in_parts",
            Self::TimingWheel => "timing_wheel",
        }
    }
}

impl Runner {
    /// The outcome, and what its parts took where they were measured.
    pub(super) fn run(self, plan: &Plan) -> (Outcome, Option<CriticalPath>) {
        let options = Options { threads: self.threads, ..Options::default() };
        match self.engine {
            Engine::Windowed => (engine::run_with(plan, &options, &mut ()), None),
            Engine::InParts => {
                let watch = Stopwatch::start();
                let (outcome, cost) = engine::measure(plan, &options, &|| watch.elapsed_ns());
                (outcome, Some(cost))
            }
            Engine::TimingWheel => (reference::run_with_queue(plan, Queue::Wheel, &mut ()), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_case_is_a_valid_scenario_with_a_name_of_its_own() {
        let names: BTreeSet<_> = CASES.iter().map(Case::id).collect();
        assert_eq!(names.len(), CASES.len());
        for case in CASES.iter().filter(|case| !case.large) {
            let study = case.study(&[]).map_err(|problems| problems.render(false)).unwrap();
            study.cells[0].scenario.resolve(1).unwrap();
        }
    }

    #[test]
    fn cases_are_chosen_by_parts_of_their_names() {
        let chosen = |words: &[&str], quick| {
            let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            cases(&words, quick).into_iter().map(Case::id).collect::<Vec<_>>()
        };
        assert_eq!(
            chosen(&["fifo-k8", "incast-"], true),
            ["permutation-fifo-k8", "incast-priority-k8"]
        );
        assert_eq!(chosen(&["rubbish"], false), Vec::<String>::new());
        assert_eq!(chosen(&[], false).len(), CASES.len());
    }
}
