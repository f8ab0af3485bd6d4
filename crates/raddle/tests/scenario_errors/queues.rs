//! Queues, their classes and shares, and routing.

use super::{fabric, traffic};

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
