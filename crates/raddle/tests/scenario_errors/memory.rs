//! Mistakes about flow control and about memory that ports share.

use super::{fabric, good};

#[test]
fn flow_control_pauses_before_the_queue_is_full_and_resumes_below() {
    fabric(
        r#"queue = { pfc = { xoff = "50%" } }
"#,
        r#"{ xoff = "50%" } | pfc lacks `xon` | add `xon = "40%"`"#,
    );
    fabric(
        r#"queue = { pfc = { xoff = "50%", xon = "40%", quant = "1 us" } }
"#,
        r#"quant | unknown key `quant` in pfc | nearest: `quanta`"#,
    );
    fabric(
        r#"queue = { pfc = { xoff = "50%", xon = "40%", quanta = "0.5 ns" } }
"#,
        r#""0.5 ns" | `quanta` is too small | expected at least "1 ns""#,
    );
    fabric(
        r#"queue = { pfc = { xoff = "50%", xon = "40%", restoration = "1 ms" } }
"#,
        r#""1 ms" | `restoration` has no effect without a `watchdog` | add `watchdog = "200 ms"`, or leave it out"#,
    );
    fabric(
        r#"queue = { pfc = { xoff = "50%", xon = "40%", watchdog = "0.5 ns" } }
"#,
        r#""0.5 ns" | `watchdog` is too small | expected at least "1 ns""#,
    );
    fabric(
        r#"queue = { pfc = true }
"#,
        r#"true | wrong value for `pfc` | expected a table, as in `{ key = value }`"#,
    );
    fabric(
        r#"queue = { size = "unlimited", marking = { scheme = "step", threshold = "9 kB" }, pfc = { xoff = "50%", xon = "40%" } }
"#,
        r#""unlimited" | `pfc` has xoff = "50%" of an unlimited queue | a share of this has no meaning"#,
    );
    fabric(
        r#"queue = { size = "100 packets", pfc = { xoff = "100 packets", xon = "40%" } }
"#,
        r#""100 packets" | flow control never pauses before the queue is full | at `tor0.down0`, xon is 166400 B, xoff 416000 B, the size 416000 B"#,
    );
    fabric(
        r#"queue = { size = "100 packets", pfc = { xoff = "20 packets", xon = "21 packets" } }
"#,
        r#""20 packets" | flow control resumes above where it pauses | at `tor0.down0`, xon is 87360 B, xoff 83200 B, the size 416000 B"#,
    );
    fabric(
        r#"queue = { size = "100 packets", pfc = { xoff = "20 packets", xon = "10 packets" } }
buffer = { scheme = "complete_sharing", size = "83200 B" }
"#,
        r#""20 packets" | flow control never pauses before the memory of the switch is full | at `tor0.down0`, xon is 41600 B, xoff 83200 B, the size 416000 B, the memory 83200 B"#,
    );
}

#[test]
fn shared_memory_has_a_size_that_keeps_something_and_refuses_something() {
    fabric(
        "buffer = { scheme = \"dynamic_thresholds\" }\n",
        r#"{ scheme = "dynamic_thresholds" } | buffer lacks `size` | add `size = "4 MiB"`"#,
    );
    fabric(
        "buffer = { size = \"4 MiB\" }\n",
        r#"{ size = "4 MiB" } | buffer lacks `scheme` | add `scheme = ".."`"#,
    );
    fabric(
        "buffer = { scheme = \"dynamic_treshold\", size = \"4 MiB\" }\n",
        r#""dynamic_treshold" | unknown scheme `dynamic_treshold` | nearest: `dynamic_thresholds`"#,
    );
    fabric(
        "buffer = { scheme = \"red\", size = \"4 MiB\" }\n",
        r#""red" | unknown scheme `red` | not one of the buffer policies"#,
    );
    fabric(
        "buffer = { scheme = \"dynamic_thresholds\", size = \"4 MiB\", alpa = 2 }\n",
        r#"alpa | `dynamic_thresholds` has no parameter `alpa` | nearest: `alpha`"#,
    );
    fabric(
        "buffer = { scheme = \"dynamic_thresholds\", size = \"4 MiB\", alpha = 0 }\n",
        r#"0 | wrong value for `alpha` | expected at least 0.001 and at most 1000000"#,
    );
    for (size, label) in [("50%", "\"50%\""), ("unlimited", "\"unlimited\"")] {
        fabric(
            &format!("buffer = {{ scheme = \"complete_sharing\", size = \"{size}\" }}\n"),
            &format!("{label} | wrong value for `size` | expected bytes, packets or bdp"),
        );
    }
    fabric(
        "buffer = { scheme = \"complete_sharing\", size = \"4 kB\" }\n",
        r#""4 kB" | the memory of `tor0` has room for 4 kB | expected more: the largest frame has 4160 B"#,
    );
    fabric(
        "buffer = { scheme = \"dynamic_thresholds\", size = \"100 packets\", alpha = 0.005 }\n",
        r#""100 packets" | `dynamic_thresholds` lets no packet into the empty memory of `tor0` | expected more: the largest frame has 4160 B"#,
    );
    fabric(
        "queue = { size = \"unlimited\", marking = { scheme = \"step\", threshold = \"1 MiB\" } }\nbuffer = { scheme = \"dynamic_thresholds\", size = \"1 MiB\" }\n",
        r#""1 MiB" | marking `step` never marks: no queue grows beyond its threshold | expected less than the longest queue, 511.875 KiB"#,
    );
    // By the class that may have most; a third of 3 MiB is less, three quarters of it are more.
    let marks_at = |policy: &str, threshold: &str| {
        format!(
            "queue = {{ size = \"unlimited\", classes = 2, marking = {{ scheme = \"step\", threshold = \"{threshold}\" }} }}\nbuffer = {{ scheme = \"{policy}\", size = \"3 MiB\", alpha = [0.5, 3.0] }}\n",
        )
    };
    for policy in ["dynamic_thresholds", "cisco_ib", "fab"] {
        good(&marks_at(policy, "2 MiB"));
    }
    for policy in ["dynamic_thresholds", "cisco_ib"] {
        fabric(
            &marks_at(policy, "2.5 MiB"),
            r#""2.5 MiB" | marking `step` never marks: no queue grows beyond its threshold | expected less than the longest queue, 2.24945068359375 MiB"#,
        );
    }
    // The first bytes of flows may have all of it.
    good(&marks_at("fab", "2.5 MiB"));
    fabric(
        "queue = { size = \"unlimited\", marking = { scheme = \"step\", threshold = \"10 packets\" } }\nbuffer = { scheme = \"fab\", size = \"100 packets\", alpha = 0.005 }\n",
        r#"alpha | `alpha = 0.005` of `fab` does not go with `tor0` | expected at least 0.0100 for each class, to keep a packet"#,
    );
}

#[test]
fn an_oracle_is_a_forest_from_one_place() {
    let credence =
        |more: &str| format!("buffer = {{ scheme = \"credence\", size = \"4 MiB\", {more} }}\n");
    fabric(
        &credence("oracle = \"queue 5 0\""),
        r#""queue 5 0" | wrong value for `oracle` | expected a share of drops or a feature at the end"#,
    );
    fabric(
        &credence("oracle = \"0\", oracle_file = \"forest.txt\""),
        r#""forest.txt" | `oracle_file` stands beside `oracle` | expected one of the two"#,
    );
    fabric(
        &credence("oracle_file = \"websearch_dctpc\""),
        r#""websearch_dctpc" | unknown oracle `websearch_dctpc` | nearest: `websearch_dctcp`"#,
    );
    fabric(
        &credence("oracle_file = 5"),
        r#"5 | wrong value for `oracle_file` | expected a path, quoted"#,
    );
}

#[test]
fn lossless_classes_decide_who_pauses_and_leave_memory_to_share() {
    let sonic = "buffer = { scheme = \"sonic\", size = \"4 MiB\", lossless = true }\n";
    fabric(
        &format!("queue = {{ pfc = {{ xoff = \"9 kB\", xon = \"1 kB\" }} }}\n{sonic}"),
        r#""9 kB" | `xoff` has no effect: `sonic` decides who pauses | leave `xoff` and `xon` out, or let no class be `lossless`"#,
    );
    fabric(
        "queue = { pfc = { quanta = \"5 us\" } }\n",
        r#"{ quanta = "5 us" } | pfc lacks `xoff` | add `xoff = "50%"` and `xon = "40%"`, or a `buffer` with `lossless` classes"#,
    );
    fabric(
        "queue = { pfc = { xoff = \"unlimited\", xon = \"1 kB\" } }\n",
        r#""unlimited" | wrong value for `xoff` | expected a size with a limit"#,
    );
    fabric(
        "buffer = { scheme = \"reverie\", size = \"4 MiB\", lossless = [true, false] }\n",
        r#""reverie" | `lossless` of `reverie` lists 2 classes | expected a list of 1, one for each data class"#,
    );
    fabric(
        "buffer = { scheme = \"sonic\", size = \"4 MiB\", lossless = 1 }\n",
        r#"1 | wrong value for `lossless` | expected true or false"#,
    );
    fabric(
        "buffer = { scheme = \"sonic\", size = \"4 MiB\", headroom = \"1 MiB\", lossless = true }\n",
        r#""4 MiB" | headroom leaves 0 B of 4 MiB to share in the memory of `tor0` | expected more: the largest frame has 4160 B"#,
    );
    fabric(
        "buffer = { scheme = \"reverie\", size = \"4 MiB\", unscheduled = \"9 kB\" }\n",
        r#"unscheduled | `unscheduled` of `reverie` has no effect with `alpha_unscheduled = "auto"` | leave it out, or change `alpha_unscheduled`"#,
    );
}

#[test]
fn lossless_classes_that_could_lose_packets_are_refused_with_what_would_do() {
    fabric(
        r#"buffer = { scheme = "sonic", size = "4 MiB", lossless = true, headroom = "1 kB" }
"#,
        r#""4 MiB" | lossless classes of `sonic` can lose packets: `headroom` is 1000 B in the memory of `tor0` | expected at least 112544 B"#,
    );
    fabric(
        r#"buffer = { scheme = "sonic", size = "4 MiB", lossless = true, lossless_pool = "1 MiB" }
"#,
        r#""4 MiB" | lossless classes of `sonic` can lose packets: `lossless_pool` is 1048576 B in the memory of `tor0` | expected at least 4194304 B"#,
    );
    fabric(
        r#"buffer = { scheme = "sonic", size = "4 MiB", lossless = true, alpha_egress = 1.0 }
"#,
        r#""4 MiB" | lossless classes of `sonic` can lose packets: `alpha_egress` is 1 in the memory of `tor0` | expected at least 10000 where lossless"#,
    );
    fabric(
        r#"buffer = { scheme = "reverie", size = "4 MiB", lossless = true }
queue = { pfc = { quanta = "150 ns" } }
"#,
        r#"{ quanta = "150 ns" } | lossless classes of `reverie` can lose packets: a pause can end while its renewal waits behind a full frame | expected a `quanta` above 168.96 ns in `pfc`"#,
    );
    fabric(
        r#"buffer = { scheme = "reverie", size = "4 MiB", lossless = true }
queue = { pfc = { links = "hosts" } }
"#,
        r#"{ links = "hosts" } | lossless classes of `reverie` can lose packets: `links = "hosts"` leaves links between switches without pauses | expected "all""#,
    );
}
