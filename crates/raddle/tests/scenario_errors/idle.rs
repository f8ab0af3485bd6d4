//! Keys that would change nothing: refused, or noted where other cells of a study need them.

use super::{FABRIC, TRAFFIC, check, fabric, more, topology, traffic};
use raddle::scenario::{Study, parse};
use std::path::Path;

fn accepted(text: &str) -> Study {
    parse("demo.toml", text, Path::new("."), &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn transport(keys: &str, expected: &str) {
    more(&format!("[transport]\n{keys}\n"), expected);
}

#[test]
fn parameters_that_another_one_s_value_idles_are_refused() {
    transport(
        r#"load_balance = { scheme = "plb", profile = "lb_study", rounds = 3, round = "5 us", share = 0.3 }"#,
        r#"rounds | `rounds` of `plb` has no effect with `profile = "lb_study"` | leave it out, or change `profile`
round | `round` of `plb` has no effect with `profile = "lb_study"` | leave it out, or change `profile`"#,
    );
    transport(
        r#"load_balance = { scheme = "plb", window = 50, hold = 9 }"#,
        r#"window | `window` of `plb` has no effect with `profile = "reps"` | leave it out, or change `profile`
hold | `hold` of `plb` has no effect with `profile = "reps"` | leave it out, or change `profile`"#,
    );
    transport(
        r#"load_balance = { scheme = "reps", freezing = false, freeze = "1 ms", explore = 9, freeze_rtt = 2.0, force_freeze = "9 us" }"#,
        r#"freeze | `freeze` of `reps` has no effect with `freezing = false` | leave it out, or change `freezing`
explore | `explore` of `reps` has no effect with `freezing = false` | leave it out, or change `freezing`
freeze_rtt | `freeze_rtt` of `reps` has no effect with `freezing = false` | leave it out, or change `freezing`
force_freeze | `force_freeze` of `reps` has no effect with `freezing = false` | leave it out, or change `freezing`"#,
    );
    transport(
        r#"congestion = { scheme = "fixed_rate", pacing = "slots" }"#,
        r#"pacing | `pacing` of `fixed_rate` has no effect with `rate = "auto"` | leave it out, or change `rate`"#,
    );
    transport(
        r#"congestion = { scheme = "fixed_rate", rate = "50 Gbps", slots = "shuffled" }"#,
        r#"slots | `slots` of `fixed_rate` has no effect with `pacing = "spacing"` | leave it out, or change `pacing`"#,
    );
    transport(
        r#"congestion = { scheme = "fixed_rate", slots = "together" }"#,
        r#"slots | `slots` of `fixed_rate` has no effect with `rate = "auto"` | leave it out, or change `rate`"#,
    );
}

#[test]
fn a_parameter_that_the_fabric_leaves_without_effect_is_refused() {
    let hosts = |ratio: &str| {
        format!("[transport]\nload_balance = {{ scheme = \"reps\", freeze_rtt = {ratio} }}\n")
    };
    let fabric =
        |overflow: &str| format!("{FABRIC}queue = {{ overflow = \"{overflow}\" }}\n{TRAFFIC}");
    check(
        &format!("{}{}", fabric("trim"), hosts("2.0")),
        "freeze_rtt | `freeze_rtt` of `reps` has no effect where there is packet trimming | leave it out",
    );
    check(
        &format!(
            "{}background = {{ every = 2, load_balance = {{ scheme = \"reps\", freeze_rtt = 2.0 }} }}\n",
            fabric("trim")
        ),
        "freeze_rtt | `freeze_rtt` of `reps` has no effect where there is packet trimming | leave it out",
    );
    accepted(&format!("{}{}", fabric("drop"), hosts("2.0")));
    let study = accepted(&format!("{}{}", fabric("trim"), hosts("1.65")));
    accepted(study.cells[0].scenario.resolved_toml());
}

#[test]
fn an_idle_parameter_may_have_its_default() {
    let hosts = "[transport]\nload_balance = { scheme = \"plb\", window = \"auto\", rounds = 3 }\n";
    let study = accepted(&format!("{FABRIC}{TRAFFIC}{hosts}"));
    let text = study.cells[0].scenario.resolved_toml();
    assert!(text.contains("hold = \"auto\""), "{text}");
    assert_eq!(accepted(text).cells[0].scenario.hash(), study.cells[0].scenario.hash());
}

#[test]
fn flow_scaling_needs_a_range() {
    for scheme in ["swift", "mswift"] {
        transport(
            &format!(
                "congestion = {{ scheme = \"{scheme}\", scaling_range = 0, scaling_min = \"1 packets\" }}"
            ),
            &format!(
                "scaling_min | `scaling_min` of `{scheme}` has no effect with `scaling_range = 0.0` | leave it out, or change `scaling_range`"
            ),
        );
    }
}

/// Why keys that wait for something to go down are idle.
const CALM: &str = "has no effect where nothing goes down, and no [[fault]] says `down` or `flap`";

#[test]
fn routing_that_waits_for_something_to_go_down_needs_a_fault_that_does() {
    fabric(
        "routing = { convergence = \"1 us\", weights = \"equal\" }\non_down = \"keep\"\n",
        &format!(
            "\"1 us\" | `convergence` {CALM} | leave it out\n\
             \"equal\" | `weights` {CALM} | leave it out\n\
             \"keep\" | `on_down` {CALM} | leave it out"
        ),
    );
    let down = "[[fault]]\nlink = \"tor0.up1\"\ndown = \"1 us..\"\n";
    check(
        &format!("{FABRIC}routing = {{ weights = \"equal\" }}\n{TRAFFIC}{down}"),
        "\"equal\" | `weights` has no effect with `convergence = \"never\"` | leave it out",
    );
    fabric(
        "routing = { local_repair = \"1 us\" }\n",
        &format!("\"1 us\" | `local_repair` {CALM} | leave it out"),
    );
    let late = "routing = { convergence = \"5 us\", local_repair = \"6 us\" }\n";
    check(
        &format!("{FABRIC}{late}{TRAFFIC}{down}"),
        "\"6 us\" | `local_repair` has no effect unless it is shorter than `convergence` | leave it out",
    );
    let slow = "[[fault]]\nlink = \"tor0.up1\"\nrate = \"50%\"\n";
    check(
        &format!("{FABRIC}on_down = \"keep\"\n{TRAFFIC}{slow}"),
        &format!("\"keep\" | `on_down` {CALM} | leave it out"),
    );
}

#[test]
fn a_key_may_be_idle_in_some_cells_of_a_study() {
    let text = format!(
        "{FABRIC}routing = {{ convergence = \"1 us\" }}\n{TRAFFIC}\
         [[condition]]\nname = \"calm\"\n\
         [[condition]]\nname = \"cut\"\nfault = [{{ link = \"tor0.up1\", down = \"1 us..\" }}]\n"
    );
    let study = accepted(&text);
    assert_eq!(study.notes, [""; 0]);
    let resolved = |cell: usize| study.cells[cell].scenario.resolved_toml();
    assert!(resolved(0).contains("routing = { convergence = \"never\" }"), "{}", resolved(0));
    assert!(resolved(1).contains("convergence = \"1 us\""), "{}", resolved(1));
    for cell in [0, 1] {
        accepted(resolved(cell));
    }
    let only = [("condition".to_owned(), "calm".to_owned())];
    let narrowed = parse("demo.toml", &text, Path::new("."), &only);
    let narrowed = narrowed.unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(narrowed.notes, [format!("`convergence` {CALM}")]);
}

#[test]
fn when_to_mark_matters_where_something_is_marked() {
    let queue = |marking: &str| {
        format!("queue = {{ marking = {{ scheme = \"{marking}\", at = \"enqueue\" }} }}\n")
    };
    let plain = "[transport]\ncongestion = { scheme = \"fixed_rate\" }\n";
    check(
        &format!("{FABRIC}{}{TRAFFIC}{plain}", queue("none")),
        "\"enqueue\" | `at` has no effect with a marking that marks nothing | leave it out",
    );
    accepted(&format!("{FABRIC}{}{TRAFFIC}{plain}", queue("red")));
}

#[test]
fn a_fault_comes_before_the_run_ends() {
    let late = "[[fault]]\nlink = \"tor0.up1\"\ndown = [\"5 us..6 us\", \"7 us..\"]\n";
    check(
        &format!("{FABRIC}{TRAFFIC}{late}[run]\nend = \"5 us\"\n"),
        "[\"5 us..6 us\", \"7 us..\"] | the fault comes when the run has ended | `end` in [run] is 5 us",
    );
    accepted(&format!("{FABRIC}{TRAFFIC}{late}[run]\nend = \"6 us\"\n"));
}

#[test]
fn bins_rise_and_belong_to_queues_with_a_limit() {
    fabric(
        r#"load_balance = { scheme = "quantized_adaptive", first = 30 }
"#,
        r#"first | `first` of `quantized_adaptive` exceeds its `second` | `first` is 30.0, `second` is 10.0"#,
    );
    fabric(
        r#"load_balance = { scheme = "quantized_adaptive", second = 15, third = 12.5 }
"#,
        r#"third | `second` of `quantized_adaptive` exceeds its `third` | `second` is 15.0, `third` is 12.5"#,
    );
    fabric(
        r#"load_balance = { scheme = "quantized_adaptive" }
queue = { size = "unlimited", marking = { scheme = "step", threshold = "9 kB" } }
"#,
        r#""quantized_adaptive" | `quantized_adaptive` in [fabric] load_balance needs queues with a limit, which size = "unlimited" in [fabric] queue does not offer | -"#,
    );
}

#[test]
fn sizes_of_small_frames_leave_frames_that_are_large() {
    for (scheme, key) in
        [("ofan", "small"), ("simple_rr", "small"), ("quantized_adaptive", "hash_below")]
    {
        fabric(
            &format!("load_balance = {{ scheme = \"{scheme}\", {key} = \"4161 B\" }}\n"),
            &format!(
                "{key} | no frame is as large as `{key}` of `{scheme}` | expected at most a full packet, 4160 B"
            ),
        );
        accepted(&format!(
            "{FABRIC}load_balance = {{ scheme = \"{scheme}\", {key} = \"4160 B\" }}\n{TRAFFIC}"
        ));
    }
}

#[test]
fn a_pace_is_no_faster_than_the_hosts_links() {
    transport(
        r#"congestion = { scheme = "fixed_rate", rate = "401 Gbps" }"#,
        r#"rate | no host's link is as fast as `rate` of `fixed_rate` | expected at most 400 Gbps"#,
    );
}

#[test]
fn spans_and_sizes_that_stand_for_nothing_are_refused() {
    transport(
        r#"recovery = { scheme = "sack", rto = "0 ns" }"#,
        r#""0 ns" | wrong value for `rto` | expected at least "1 ps""#,
    );
    transport(
        r#"recovery = { scheme = "erasure", timeout = "0 ns" }"#,
        r#""0 ns" | wrong value for `timeout` | expected at least "1 ps""#,
    );
    for scheme in ["swift", "mswift"] {
        transport(
            &format!("congestion = {{ scheme = \"{scheme}\", queue = \"unlimited\" }}"),
            r#""unlimited" | wrong value for `queue` | expected a size with a limit"#,
        );
    }
}

#[test]
fn a_timeout_that_no_answer_can_beat_is_noted() {
    let notes = |rto: &str| {
        let hosts = format!("[transport]\nrecovery = {{ scheme = \"sack\", rto = \"{rto}\" }}\n");
        accepted(&format!("{FABRIC}{TRAFFIC}{hosts}")).notes
    };
    let note = "the timeout of 3 us in [transport] recovery is shorter than the longest unloaded \
                round trip, ";
    let found = notes("3 us");
    assert!(found.len() == 1 && found[0].starts_with(note), "{found:?}");
    assert_eq!(notes("30 us"), [""; 0]);
}

#[test]
fn path_selectors_of_some_flows_need_switches_that_read_entropies_unless_they_are_a_background() {
    let why = "`jsq` in [fabric] load_balance chooses without a look at entropies";
    let own =
        format!("\"plb\" | `plb` in [traffic] load_balance has no effect: {why} | leave it out");
    let switches = "load_balance = { scheme = \"jsq\" }\n";
    traffic(&format!("{switches}{TRAFFIC}load_balance = {{ scheme = \"plb\" }}\n"), &own);
    let text = format!(
        "{FABRIC}load_balance = {{ scheme = \"source_route\" }}\n{TRAFFIC}\
         load_balance = {{ scheme = \"plb\" }}\n"
    );
    assert_eq!(accepted(&text).notes, [""; 0]);
    let text = format!(
        "{FABRIC}{switches}{TRAFFIC}\
         background = {{ every = 9, load_balance = {{ scheme = \"plb\" }} }}\n"
    );
    assert_eq!(accepted(&text).notes, [""; 0]);
}

#[test]
fn a_path_selector_that_no_switch_heeds_is_noted() {
    let notes = |hosts: &str, switches: &str| {
        let sweep = format!("[sweep]\n\"fabric.load_balance.scheme\" = {switches}\n");
        accepted(&format!("{FABRIC}{TRAFFIC}[transport]\n{hosts}\n{sweep}")).notes
    };
    let reps = "load_balance = { scheme = \"reps\" }";
    assert_eq!(
        notes(reps, "[\"ofan\", \"ecmp\"]"),
        ["[transport] load_balance has no effect on paths: `ofan` in [fabric] load_balance \
          chooses without a look at entropies"]
    );
    assert_eq!(notes(reps, "[\"ecmp\", \"source_route\"]"), [""; 0]);
    assert_eq!(notes("load_balance = { scheme = \"ops\" }", "[\"ofan\"]"), [""; 0]);
    assert_eq!(notes("load_balance = { scheme = \"ops\", entropies = 8 }", "[\"ofan\"]").len(), 1);
}

#[test]
fn middleware_that_chooses_paths_needs_some_to_choose_from() {
    let text = |spines: u32, tor: &str| {
        let shape = "kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 2";
        let topology = format!("topology = {{ {shape}, spines = {spines} }}");
        let nics = "[transport]\nrecovery = { scheme = \"rnic_sr\" }";
        format!("[fabric]\n{topology}\ntor = {{ {tor} }}\n{TRAFFIC}{nics}\n")
    };
    for name in ["themis", "conweave", "conga"] {
        let label = "no two ToRs have more than one path between them";
        let expected = format!("\"{name}\" | `{name}` in [fabric] tor has no effect | {label}");
        check(&text(1, &format!("scheme = \"{name}\"")), &expected);
    }
    check(
        &text(2, "scheme = \"conweave\", notify = false, path_busy = \"3 us\""),
        "path_busy | `path_busy` of `conweave` has no effect with `notify = false` | leave it out, or change `notify`",
    );
}

#[test]
fn keys_that_go_with_other_keys_say_so() {
    more(
        "[[fault]]\nlink = \"tor0.up1\"\ndown = \"..\"\nscale_queue = false\n",
        "scale_queue | `scale_queue` has no effect on `down` | it goes with `rate`",
    );
    more(
        "[[fault]]\nhost = 1\nflap = { period = \"2 us\", down = \"1 us\", until = \"9 us\" }\n\
         during = \"1 us..\"\ndirection = \"out\"\n",
        "during | `during` has no effect on `flap` | it goes with `rate`, `loss` and `ber`\n\
         direction | `direction` has no effect on `host` | it goes with `link`",
    );
    let collective = |keys: &str, expected: &str| {
        traffic(&format!("[traffic]\nkind = \"collective\"\n{keys}"), expected);
    };
    collective(
        "operation = \"all_reduce\"\nalgorithm = \"butterfly\"\nhops = 3\nparallel = 2\n",
        "hops | `hops` has no effect with `algorithm = \"butterfly\"` | it goes with `algorithm = \"ring\"`\n\
         parallel | `parallel` has no effect with `algorithm = \"butterfly\"` | it goes with `operation = \"all_to_all\"`, or `algorithm = \"tree\"` or \"double_tree\"",
    );
    collective(
        "operation = \"all_to_all\"\nhops = 3\n",
        "hops | `hops` has no effect with `algorithm = \"direct\"` | it goes with `algorithm = \"ring\"`",
    );
    collective(
        "operation = \"all_gather\"\nseed = 3\n",
        "seed | `seed` has no effect with `placement = \"linear\"` | leave it out: nothing is drawn",
    );
}

#[test]
fn no_more_messages_are_in_flight_than_there_are_receivers() {
    traffic(
        "[traffic]\nkind = \"all_to_all\"\nparallel = 128\n",
        "128 | `parallel` is 128 | expected at most 127, the number of other hosts",
    );
    traffic(
        "[traffic]\nkind = \"collective\"\noperation = \"all_to_all\"\nranks = 8\nparallel = 8\n",
        "8 | `parallel` is 8 | expected at most 7, the number of other hosts",
    );
    accepted(&format!("{FABRIC}[traffic]\nkind = \"all_to_all\"\nparallel = 127\n"));
}

#[test]
fn every_misspelt_key_has_its_nearest_word_whatever_else_is_wrong() {
    traffic(
        "[traffic]\nkind = \"fsdp\"\nmodel = \"llama_8b\"\nbarier = false\nhosts = 3\nrank = 8\n",
        "\"llama_8b\" | unknown word `llama_8b` for `model` | nearest: `llama_7b`\n\
         barier | unknown key `barier` in [traffic] | nearest: `barrier`\n\
         3 | wrong value for `hosts` | expected a range, both ends included: \"0..63\"\n\
         rank | unknown key `rank` in [traffic] | nearest: `ranks`",
    );
}

#[test]
fn a_share_of_less_than_a_cable_says_how_much_one_is() {
    check(
        "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n[traffic]\nkind = \"tornado\"\n\
         [[fault]]\nrandom = { share = \"1%\" }\ndown = \"..\"\n",
        "{ share = \"1%\" } | 1% of 32 cables is less than half a cable | expected at least 1.563%",
    );
    topology(
        "{ kind = \"fat_tree\", hosts = 16 }\n[[fault]]\nrandom = { share = \"1.5%\" }\ndown = \"..\"",
        "{ share = \"1.5%\" } | 1.5% of 32 cables is less than half a cable | expected at least 1.563%",
    );
    topology(
        "{ kind = \"fat_tree\", hosts = 16 }\n\
         [[fault]]\nrandom = { share = \"3%\", of = \"switches\" }\ndown = \"..\"",
        "{ share = \"3%\", of = \"switches\" } | 3% of 12 switches is less than half a switch \
         | expected at least 4.167%",
    );
}

#[test]
fn flows_that_do_not_begin_together_have_no_pace_in_common() {
    let job = "[traffic]\nkind = \"all_to_all\"\nparallel = 2\n";
    let pace = "[transport]\ncongestion = { scheme = \"fixed_rate\", rate = \"rho_max\" }\n";
    let study = accepted(&format!("{FABRIC}{job}{pace}"));
    let problem = study.cells[0].scenario.resolve(1).unwrap_err();
    assert!(problem.message.contains("begin later or wait for others"), "{problem:?}");
}

#[test]
fn circuits_are_refused_at_the_key_that_is_wrong() {
    let circuits = |keys: &str| {
        let sizes = "tors = 8, hosts_per_tor = 2, uplinks = 2";
        format!("{{ kind = \"circuits\", {sizes}, {keys} }}")
    };
    topology(
        &circuits(r#"design = "mars:degree=4", slot = "1 us", dark = "1 us""#),
        "\"1 us\" | `slot` is 1 us, and 1 us of it are `dark` | expected a longer one",
    );
    topology(
        "{ kind = \"circuits\", tors = 8, hosts_per_tor = 2, uplinks = 300, design = \"expander\", slot = \"9 us\" }",
        "300 | uplinks = 300 | a ToR has at most 64 to circuit switches",
    );
    topology(
        &circuits(r#"design = "mars:degree=4", slot = "10 us", demand = "ring""#),
        "\"ring\" | `demand` has no effect on `mars:degree=4` | leave it out: the schedule is the same for \
         all of them",
    );
    topology(
        &circuits(r#"design = "round_robin", slot = "10 us", design_seed = 7"#),
        "7 | `design_seed` has no effect on `round_robin` | leave it out: the schedule is the same for all \
         of them",
    );
    for (key, value) in [("demand", "\"ring\""), ("design_seed", "7")] {
        let change = format!("{{ at = \"1 ms\", design = \"round_robin\", {key} = {value} }}");
        topology(
            &circuits(&format!("design = \"vermilion\", slot = \"10 us\", change = [{change}]")),
            &format!(
                "{value} | `{key}` has no effect on `round_robin` | leave it out: the schedule is the same \
                 for all of them"
            ),
        );
    }
    for (keys, expected) in [
        (
            r#"design = "mars:degree=4", slot = "10 us", late = "drop""#,
            "\"drop\" | `late` has no effect: packets do not go by slices | leave it out, or set `routes = \
             \"slices\"`",
        ),
        (
            r#"design = "mars:degree=4", slot = "10 us", bulk = "15 MB""#,
            "\"15 MB\" | `bulk` has no effect: packets do not go by slices | leave it out, or set `routes = \
             \"slices\"`",
        ),
        (
            r#"design = "mars:degree=4", slot = "10 us", routes = "slices""#,
            "\"slices\" | the circuits that stay up through slot 0 do not connect all ToRs, as slices need | \
             take a design whose switches turn one after another, as `opera`",
        ),
    ] {
        topology(&circuits(keys), expected);
    }
    // One that asks for a demand or draws has it, and any has what would hold without the key.
    for keys in [
        r#"design = "expander", slot = "10 us", design_seed = 7"#,
        r#"design = "round_robin", slot = "10 us", design_seed = 1"#,
        r#"design = "vermilion", slot = "10 us", demand = "ring""#,
        r#"design = "round_robin", slot = "10 us", demand = "uniform""#,
    ] {
        accepted(&format!("[fabric]\ntopology = {}\n{TRAFFIC}", circuits(keys)));
    }
}
