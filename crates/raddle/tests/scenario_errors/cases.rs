//! One mistake after the other: what is marked, what is said, what would be right.

use super::{check, fabric, more, topology, traffic};

#[test]
fn toml_syntax_errors_are_shown_where_they_are() {
    check(
        r#"[fabric
topology = 1
[traffic]
kind = "permutation"
"#,
        r#" | unclosed table, expected `]` | -"#,
    );
    fabric(
        r#"[fabric]
topology = { kind = "fat_tree", hosts = 128 }
"#,
        r#"fabric | duplicate key | -
topology | duplicate key | -"#,
    );
}

#[test]
fn missing_and_misspelt_keys_are_named() {
    check(
        r#""#,
        r#" | the scenario lacks [traffic] | add [traffic] with a `kind`, as in `kind = "permutation"`
 | [fabric] lacks `topology` | add `topology = { kind = "fat_tree", hosts = 128 }`"#,
    );
    check(
        r#"[fabric]
topology = { kind = "fat_tree", hosts = 128 }
"#,
        r#" | the scenario lacks [traffic] | add [traffic] with a `kind`, as in `kind = "permutation"`"#,
    );
    more(
        r#"[trafic]
x = 1
"#,
        r#"trafic | unknown key `trafic` in the scenario | nearest: `traffic`"#,
    );
    check(
        r#"fabric = 3
[traffic]
kind = "permutation"
"#,
        r#"3 | wrong value for `[fabric]` | expected a table, as in `{ key = value }`"#,
    );
    check(
        r#"[fabric]
gap = "20 B"
[traffic]
kind = "permutation"
"#,
        r#"[fabric] | [fabric] lacks `topology` | add `topology = { kind = "fat_tree", hosts = 128 }`"#,
    );
    fabric(
        r#"gap = 20
"#,
        r#"20 | wrong value for `gap` | expected a text with a unit, as in "4096 B""#,
    );
    fabric(
        r#"gapp = "20 B"
"#,
        r#"gapp | unknown key `gapp` in [fabric] | nearest: `gap`"#,
    );
}

#[test]
fn a_topology_says_what_would_fit() {
    topology(
        r#""fat_tree""#,
        r#""fat_tree" | wrong value for `topology` | expected a table, as in `{ key = value }`"#,
    );
    topology(
        r#"{ hosts = 128 }"#,
        r#"{ hosts = 128 } | topology lacks `kind` | add `kind = "fat_tree"`"#,
    );
    topology(
        r#"{ kind = "fattree", hosts = 128 }"#,
        r#""fattree" | unknown word `fattree` for `kind` | nearest: `fat_tree`"#,
    );
    topology(
        r#"{ kind = "fat_tree" }"#,
        r#"{ kind = "fat_tree" } | topology lacks `hosts` | add `hosts = 128`"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 100 }"#,
        r#"100 | hosts = 100 is not the size of a k-ary fat tree of three tiers (k^3 / 4 for an even k) | nearest: 54 or 128; or give hosts_per_tor and tors_per_pod"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = -4 }"#,
        r#"-4 | wrong value for `hosts` | expected a whole number that is not negative and fits"#,
    );
    topology(
        r#"{ kind = "fat_tree", tiers = 4, hosts = 128 }"#,
        r#"4 | tiers = 4 | a tree has 2 or 3 tiers"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, rate = "400 GB" }"#,
        r#""400 GB" | wrong value for `rate` | expected a number and one of the units bps, kbps, Mbps, Gbps, Tbps, as in "400 Gbps""#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, rate = "0 Gbps" }"#,
        r#""0 Gbps" | wrong value for `rate` | expected a rate above 0 bps"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, link_delay = "2 ns", switch_delay = "0 ns" }"#,
        r#"{ kind = "fat_tree", hosts = 128, link_delay = "2 ns", switch_delay = "0 ns" } | a link and the switch behind it have a delay of 2 ns in all | expected at least 10 ns: the width of the time window"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, oversubscription = 3.0 }"#,
        r#"3.0 | oversubscription = 3 would give each ToR of 4 hosts 1.3333333333333333 uplink cables, which is not a multiple of parallel = 1 | nearest oversubscription: 4 or 2"#,
    );
    topology(
        r#"{ kind = "leaf_spine", leaves = 4, hosts_per_leaf = 4 }"#,
        r#"{ kind = "leaf_spine", leaves = 4, hosts_per_leaf = 4 } | topology lacks `spines` | add `spines = 8`"#,
    );
    topology(
        r#"{ kind = "dumbbell", hosts_per_side = 0 }"#,
        r#"0 | `hosts_per_side` is too small | expected at least 1"#,
    );
    topology(
        r#"{ kind = "graph", file = "no_such_file.txt" }"#,
        r#""no_such_file.txt" | cannot read `no_such_file.txt`: No such file or directory (os error 2) | -"#,
    );
}

#[test]
fn queues_and_routing_refuse_what_has_no_meaning() {
    fabric(
        r#"queue = { size = "20%" }
"#,
        r#""20%" | wrong value for `size` | expected bytes, packets or bdp: a capacity is not a share of anything"#,
    );
    fabric(
        r#"queue = { service = "prio" }
"#,
        r#""prio" | unknown word `prio` for `service` | nearest: `priority`"#,
    );
    fabric(
        r#"queue = { size = "unlimited" }
"#,
        r#""unlimited" | marking `red` has low = "20%" of an unlimited queue | a share of this has no meaning"#,
    );
    fabric(
        r#"queue = { marking = { scheme = "red", at = "dequeu" } }
"#,
        r#""dequeu" | unknown word `dequeu` for `at` | nearest: `dequeue`"#,
    );
    fabric(
        r#"queue = { marking = { scheme = "red", lo = "10%" } }
"#,
        r#"lo | `red` has no parameter `lo` | nearest: `low`"#,
    );
    traffic(
        r#"queue = { marking = { scheme = "none" } }
[traffic]
kind = "permutation"
[transport]
load_balance = { scheme = "reps" }
"#,
        r#""none" | `mprdma_dctcp` in [transport] congestion needs ECN marking in the switches, which `none` in [fabric] queue.marking does not offer | -
"reps" | `reps` in [transport] load_balance needs ECN marking in the switches, which `none` in [fabric] queue.marking does not offer | -"#,
    );
    traffic(
        r#"[traffic]
kind = "permutation"
[transport]
load_balance = { scheme = "host_dr" }
"#,
        r#""host_dr" | `host_dr` in [transport] load_balance needs source routing, which `ecmp` in [fabric] load_balance does not offer | -"#,
    );
    fabric(
        r#"routing = { convergence = "soon" }
"#,
        r#""soon" | wrong value for `convergence` | expected a number with a unit, as in "70 us", or "never""#,
    );
}

#[test]
fn classes_and_their_shares_fit_together() {
    fabric(
        r#"queue = { service = "dr" }
"#,
        r#""dr" | unknown word `dr` for `service` | nearest: `drr`"#,
    );
    fabric(
        r#"queue = { classes = 9 }
"#,
        r#"9 | wrong value for `classes` | expected 1 to 8 data classes; control is one more"#,
    );
    fabric(
        r#"queue = { classes = 2, service = "fifo" }
"#,
        r#"2 | a `fifo` port has one class for everything | expected 1"#,
    );
    fabric(
        r#"queue = { classes = 2, quantum = ["1 packets", "2 packets"] }
"#,
        r#"["1 packets", "2 packets"] | `quantum` has no effect on a `priority` port | leave it out, or set `service = "drr"`"#,
    );
    fabric(
        r#"queue = { classes = 2, service = "drr", weights = [1, 2] }
"#,
        r#"[1, 2] | `weights` has no effect on a `drr` port | leave it out, or set `service = "wrr"`"#,
    );
    fabric(
        r#"queue = { classes = 2, service = "wrr", weights = [1] }
"#,
        r#"[1] | wrong value for `weights` | expected a list of 2, one for each data class"#,
    );
    fabric(
        r#"queue = { classes = 2, service = "wrr", weights = [1, 0] }
"#,
        r#"0 | wrong value for `weights` | expected 1 to 16777216 frames"#,
    );
    fabric(
        r#"queue = { control_weight = 0 }
"#,
        r#"0 | wrong value for `control_weight` | expected at least 1 frame"#,
    );
    fabric(
        r#"queue = { control_weight = 10, service = "fifo" }
"#,
        r#"10 | `control_weight` has no effect on a `fifo` port | leave it out: control frames share the data frames' queue"#,
    );
    fabric(
        r#"queue = { classes = 2, service = "drr", quantum = ["1 bdp", "9 kB"] }
"#,
        r#""1 bdp" | wrong value for `quantum` | expected bytes or packets"#,
    );
    fabric(
        r#"queue = { classes = 2, service = "drr", quantum = ["1 kB", "0.01 packets"] }
"#,
        r#"["1 kB", "0.01 packets"] | class 1 has a quantum of 42 B | expected 64 B to 16777216 B"#,
    );
    traffic(
        r#"[traffic]
kind = "permutation"
class = 1
"#,
        r#"1 | `class` is 1 | expected 0: the queues have one data class"#,
    );
    traffic(
        r#"queue = { classes = 3 }
[traffic]
kind = "flows"
class = 2
flow = [{ from = 0, to = 1, bytes = "1 B" }, { from = 0, to = 1, bytes = "1 B", class = 3 }]
"#,
        r#"3 | `class` is 3 | expected 0 to 2: the queues have 3 classes"#,
    );
    traffic(
        r#"queue = { classes = 3 }
[traffic]
kind = "permutation"
class = [0, 3]
"#,
        r#"[0, 3] | `class` is 3 | expected 0 to 2: the queues have 3 classes"#,
    );
    traffic(
        r#"queue = { classes = 3 }
[traffic]
kind = "flows"
class = [0, 2]
flow = [{ from = 0, to = 1, bytes = "1 B" }]
"#,
        r#"class | `class` lists several, and flows name their own | expected one: that of the flows that name none"#,
    );
}

#[test]
fn hosts_refuse_what_no_scheme_offers() {
    more(
        r#"[transport]
load_balance = "reps"
"#,
        r#""reps" | wrong value for `load_balance` | write `{ scheme = "reps" }`"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "repss" }
"#,
        r#""repss" | unknown scheme `repss` | nearest: `reps`"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "red" }
"#,
        r#""red" | unknown scheme `red` | not one of the host load balancers"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "ops", entropies = 0 }
"#,
        r#"0 | wrong value for `entropies` | expected at least 1 and at most 65536"#,
    );
    more(
        r#"[transport]
payload = "80 KiB"
"#,
        r#""80 KiB" | `payload` is too large | expected at most 65535 B"#,
    );
    more(
        r#"[transport]
payload = "0 B"
"#,
        r#""0 B" | `payload` is too small | expected at least "1 B""#,
    );
}

#[test]
fn traffic_is_checked_against_the_fabric() {
    traffic(
        r#"[traffic]
kind = "permutations"
"#,
        r#""permutations" | unknown word `permutations` for `kind` | nearest: `permutation`"#,
    );
    traffic(
        r#"[traffic]
kind = "incast", senders = 8
"#,
        r#" | unexpected key or value, expected newline, `#` | -"#,
    );
    traffic(
        r#"[traffic]
kind = "incast"
senders = 200
receiver = 3
"#,
        r#"200 | `senders` is 200 | expected 1 to 127: all hosts but the receiver"#,
    );
    traffic(
        r#"[traffic]
kind = "poisson"
law = "websearc"
load = 0.6
until = "1 ms"
"#,
        r#""websearc" | unknown flow-size law `websearc` | nearest: `websearch`"#,
    );
    traffic(
        r#"[traffic]
kind = "poisson"
law = "websearch"
load = 60
until = "1 ms"
"#,
        r#"60 | wrong value for `load` | expected more than 0 and at most 1"#,
    );
    traffic(
        r#"[traffic]
kind = "flows"
flow = [{ from = 0, to = 0, bytes = "1 MiB" }, { from = 1, to = 128, bytes = "0 B" }, { from = 300, to = 1, bytes = "1 MiB" }]
"#,
        r#"0 | `to` is 0 | expected a host other than the source
"0 B" | `bytes` is too small | expected at least "1 B"
300 | `from` is 300 | expected a host below 128"#,
    );
    traffic(
        r#"[traffic]
kind = "flows"
"#,
        r#"[traffic] | [traffic] lacks `flow` | add `flow = [{ from = 0, to = 1, bytes = "1 MiB" }]`"#,
    );
}

#[test]
fn faults_have_one_target_one_effect_and_a_time() {
    more(
        r#"[[fault]]
link = "tor0.up1"
switch = "tor0"
down = ".."
"#,
        r#""tor0" | the fault has both `link` and `switch` | make it a second fault"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
"#,
        r#"[[fault]] | the fault has no effect | add one, as in `down = "100 us..200 us"`"#,
    );
    more(
        r#"[[fault]]
link = "tor0.upp1"
down = ".."
"#,
        r#""tor0.upp1" | no link is called `tor0.upp1` | nearest: `tor0.up1`, `tor0.up0`, `tor0.up2`"#,
    );
    more(
        r#"[[fault]]
switch = "tor99"
down = ".."
"#,
        r#""tor99" | no switch is called `tor99` | nearest: `tor9`, `tor19`, `tor29`"#,
    );
    more(
        r#"[[fault]]
host = 128
down = ".."
"#,
        r#"128 | there is no host 128 | hosts are 0 to 127"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
down = "100..200 us"
"#,
        r#""100..200 us" | wrong value for `down` | expected a number and one of the units ps, ns, us, ms, s, as in "100 us..200 us""#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
down = ["100 us..200 us", "150 us.."]
"#,
        r#""150 us.." | the times of `down` overlap or are not in order | expected a time after the one before it"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
loss = 1.5
during = "5 us..1 us"
"#,
        r#"1.5 | wrong value for `loss` | expected a probability from 0 to 1
"5 us..1 us" | wrong value for `during` | expected an end after the start"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
rate = "800 Gbps"
"#,
        r#""800 Gbps" | the rate of `tor0.up1` must be above 0 and at most its own, 400 Gbps | -"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
direction = "up"
rate = "0%"
"#,
        r#""up" | unknown word `up` for `direction` | -
"0%" | wrong value for `rate` | expected more than 0: a link without rate is `down`"#,
    );
    more(
        r#"[[fault]]
random = { share = 3, layer = "tor-agg" }
down = ".."
"#,
        r#"3 | wrong value for `share` | expected a share from 0% to 100%, as in "1%"
"tor-agg" | unknown word `tor-agg` for `layer` | nearest: `tor_agg`"#,
    );
    more(
        r#"[[fault]]
random = { share = "1%", probability = 0.01 }
down = ".."
[[fault]]
random = { probability = 1.5 }
loss = 0.1
[[fault]]
random = { probability = 1e-11 }
down = ".."
"#,
        r#"0.01 | `random` has both `share` and `probability` | a number of them, or a chance for each
1.5 | wrong value for `probability` | expected a probability from 0 to 1
{ probability = 1e-11 } | 0.00000000001 is no probability of a cable's failure; use 0, or from 2.4e-10 to 1 | -"#,
    );
    more(
        r#"[[fault]]
random = { share = "50%", of = "switch" }
down = ".."
[[fault]]
random = { share = "50%", of = "switches", layer = "tor_agg", two_way = false }
down = ".."
"#,
        r#""switch" | unknown word `switch` for `of` | nearest: `switches`
"tor_agg" | unknown word `tor_agg` for `layer` | -
two_way | `two_way` has no effect on `switches` | it goes with `cables`"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
flap = { period = "10 us", down = "20 us", until = "1 ms" }
"#,
        r#"{ period = "10 us", down = "20 us", until = "1 ms" } | flapping needs a time down above 0 and below the period, and an end after the first time down | -"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
rate = "50%"
during = "1 us..9 us"
[[fault]]
link = "tor0.up1"
rate = "25%"
during = "5 us.."
"#,
        r#""25%" | faults 1 and 2 both set the rate of `tor0.up1` at 5 us | -"#,
    );
}

#[test]
fn records_and_runs_are_checked() {
    more(
        r#"[record]
ports = ["tor0.upp*"]
"#,
        r#""tor0.upp*" | no port is called `tor0.upp*` | nearest: `tor0.up0`"#,
    );
    more(
        r#"[run]
seed = -1
end = "0 ns"
"#,
        r#"-1 | wrong value for `seed` | expected a whole number that is not negative and fits
"0 ns" | the run would end before it starts | expected a time, as in "1 ms", or "never""#,
    );
}

#[test]
fn sweeps_and_conditions_are_checked_cell_by_cell() {
    more(
        r#"[sweep]
"transport.load_balance.scheme" = ["ops", "resp"]
"#,
        r#""resp" | unknown scheme `resp` | nearest: `reps`"#,
    );
    more(
        r#"[sweep]
"transport.load_balanc.scheme" = ["ops", "reps"]
"#,
        r#""transport.load_balanc.scheme" | unknown key `load_balanc` in [transport] | nearest: `load_balance`"#,
    );
    more(
        r#"[sweep]
"trnsport.payload" = ["1 KiB"]
seed = "5..1"
"#,
        r#""trnsport.payload" | no scenario has a value at `trnsport.payload` | nearest: `transport`
"5..1" | wrong value for `seed` | expected seeds, each once, as in "1..5" (both included) or [1, 7]"#,
    );
    more(
        r#"[sweep]
"transport.payload" = "1 KiB"
"#,
        r#""1 KiB" | `transport.payload` is swept over nothing | expected a list of values, as in [1, 2]"#,
    );
    more(
        r#"[sweep]
"transport.payload" = ["1 KiB", "1 KiB"]
"#,
        r#""1 KiB" | `1 KiB` occurs twice | expected each value of `transport.payload` once"#,
    );
    more(
        r#"[sweep]
"transport.payload" = ["1 KiB", "2 KiB"]
transport.payload = ["4 KiB"]
"#,
        r#"payload | `transport.payload` is swept twice | expected each path once"#,
    );
    more(
        r#"[[condition]]
name = "healthy"
[[condition]]
fault = [{ link = "tor9.up9", down = ".." }]
"#,
        r#"[[condition]] | [[condition]] lacks `name` | add `name = "healthy"`"#,
    );
    more(
        r#"[[condition]]
name = "slow"
fault = [{ link = "tor9.up9", rate = "50%" }]
set = { "transport.paylod" = "1 KiB" }
"#,
        r#""tor9.up9" | no link is called `tor9.up9` | nearest: `tor9.up0`, `tor9.up1`, `tor9.up2`
"transport.paylod" | unknown key `paylod` in [transport] | nearest: `payload`"#,
    );
}

#[test]
fn what_the_simulator_cannot_hold_is_refused() {
    topology(
        r#"{ kind = "fat_tree", hosts = 128, rate = "15 Mbps" }"#,
        r#"{ kind = "fat_tree", hosts = 128, rate = "15 Mbps" } | the largest frame takes 2.219666667 ms to cross link `host0` | expected less than 2.147483648 ms, delays included"#,
    );
    topology(
        r#"{ kind = "fat_tree", tiers = 2, hosts = 131072 }"#,
        r#"{ kind = "fat_tree", tiers = 2, hosts = 131072 } | the fabric has 131072 hosts | expected at most 65536"#,
    );
    traffic(
        "[traffic]\nkind = \"tornado\"\nmessage = \"64 GiB\"\n",
        r#""64 GiB" | a message of 64 GiB has 16777216 packets of 4 KiB | expected at most 16777215 packets"#,
    );
    more(
        "[run]\nend = \"100 s\"\n",
        r#""100 s" | the end is too late | expected at most 70.368744177663 s, or "never""#,
    );
}

#[test]
fn sizes_and_times_of_nothing_and_an_ack_beyond_a_packet_are_refused() {
    more(
        "[record]\nbucket = \"0 ps\"\n",
        r#""0 ps" | nothing can be recorded in buckets of no length | expected a time, as in "20 us""#,
    );
    more(
        "[transport]\npayload = \"100 B\"\nheader = \"20 B\"\nack = \"121 B\"\n",
        r#""121 B" | an ACK is larger than a packet | expected at most 120 B, payload and header"#,
    );
    more(
        "[transport]\ncongestion = { scheme = \"fixed_rate\", window = \"0 B\" }\n",
        r#""0 B" | wrong value for `window` | expected more than "0 B""#,
    );
}

#[test]
fn a_planner_needs_switches_that_follow_routes_and_flows_that_follow_it() {
    more(
        "[transport]\nplanner = { scheme = \"ethereal\" }\n",
        "\"ethereal\" | `ethereal` in [transport] planner needs source routing, which `ecmp` in \
         [fabric] load_balance does not offer | -",
    );
    let follows = "load_balance = { scheme = \"source_route\" }\n";
    check(
        &format!(
            "{}{follows}[transport]\nload_balance = {{ scheme = \"planned\" }}\n{}",
            super::FABRIC,
            super::TRAFFIC
        ),
        "\"planned\" | `planned` in [transport] load_balance needs a planner of paths, which \
         [transport] does not offer | -",
    );
    check(
        &format!(
            "{}{follows}[transport]\nplanner = {{ scheme = \"ethereal\" }}\n\
             load_balance = {{ scheme = \"ops\" }}\n{}",
            super::FABRIC,
            super::TRAFFIC
        ),
        "\"ethereal\" | `ethereal` in [transport] planner has no effect: no flow follows it | \
         [transport] load_balance is `ops`",
    );
    more(
        "[transport]\nplanner = { scheme = \"etherial\" }\n",
        "\"etherial\" | unknown scheme `etherial` | nearest: `ethereal`",
    );
    more(
        "[transport]\nturns = \"randomly\"\n",
        "\"randomly\" | unknown word `randomly` for `turns` | nearest: `random`",
    );
    more(
        "[transport]\nhost_queue = \"4 kB\"\n",
        "\"4 kB\" | `host_queue` is too small | expected at least 4160 B, a full packet",
    );
    more(
        "[transport]\nhost_queue = \"1 MB\"\nturns = \"random\"\n",
        "\"1 MB\" | `host_queue` needs flows that take turns | leave out `turns`: packets go as \
         they have come into the queue",
    );
}
