use crate::problem::Problems;
use crate::scenario::{Study, parse, parse_alone};
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::plan::{AckQueue, MarkAt};
use raddle_sim::workload::Start;
use std::path::Path;

const FABRIC: &str = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n";

fn study(traffic: &str) -> Result<Study, String> {
    let problems = |p: Problems| p.render(false);
    parse("t.toml", &format!("{FABRIC}{traffic}"), Path::new("."), &[]).map_err(problems)
}

const TWO: &str = "[[traffic]]\nname = \"a\"\nkind = \"permutation\"\n\
    [[traffic]]\nname = \"b\"\nkind = \"permutation\"\nstart = \"5 us\"\n\
    load_balance = { scheme = \"reps\" }\n\
    background = { every = 10, load_balance = { scheme = \"ecmp\" } }\n";

/// Where nobody has set a recovery, each job has what belongs to its congestion control; where
/// somebody has, all have that.
#[test]
fn a_job_has_the_recovery_that_belongs_to_its_congestion_control() {
    let recoveries = |transport: &str, job: &str| {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n[transport]\n\
             {transport}\n[[traffic]]\nname = \"a\"\nkind = \"permutation\"\n[[traffic]]\n\
             name = \"b\"\nkind = \"permutation\"\n{job}\n"
        );
        let study = parse("test", &text, Path::new("."), &[]);
        let study = study.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        let scenario = &study.cells[0].scenario;
        let again = parse("again", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
        let plans = [&study, &again].map(|study| study.cells[0].scenario.resolve(1).unwrap());
        let names = plans.map(|plan| {
            let last = plan.traffic.flows.last().unwrap().transport;
            let transport = &plan.transport;
            [0, last].map(|number| transport.recovery_of(number).card().name)
        });
        assert_eq!(names[0], names[1], "resolved it is the same");
        names[0]
    };
    let (cubic, dctcp) =
        ("congestion = { scheme = \"cubic\" }", "congestion = { scheme = \"dctcp\" }");
    let swift = "congestion = { scheme = \"swift\" }";
    assert_eq!(recoveries("", ""), ["sack"; 2]);
    assert_eq!(recoveries(cubic, ""), ["tcp"; 2]);
    assert_eq!(recoveries(cubic, swift), ["tcp", "sack"]);
    assert_eq!(recoveries("", dctcp), ["sack", "tcp"]);
    assert_eq!(recoveries(cubic, dctcp), ["tcp"; 2]);
    let sack = "recovery = { scheme = \"sack\" }";
    assert_eq!(recoveries(&format!("{cubic}\n{sack}"), dctcp), ["sack"; 2]);
    assert_eq!(
        recoveries(&format!("{cubic}\nrecovery = {{ min_rto = \"1 ms\" }}"), ""),
        ["tcp"; 2]
    );
}

#[test]
fn jobs_are_drawn_independently_and_keep_their_starts_and_path_selectors() {
    let study = study(TWO).unwrap();
    let scenario = &study.cells[0].scenario;
    let plan = scenario.resolve(1).unwrap();
    let jobs = &plan.traffic.jobs;
    assert_eq!((jobs[0].name.as_str(), jobs[1].name.as_str()), ("a", "b"));
    let (a, b) = plan.traffic.flows.split_at(16);
    assert!(a.iter().zip(b).any(|(a, b)| a.destination != b.destination));
    assert!(a.iter().all(|flow| flow.load_balance == 0));
    assert!(b.iter().all(|flow| flow.start == Start::At(Time(5_000_000))));
    let name = |number| plan.transport.load_balance_of(number).card().name;
    for flow in b {
        let expected = if flow.source.0 % 10 == 0 { "ecmp" } else { "reps" };
        assert_eq!(name(flow.load_balance), expected);
    }
    let alone = parse(
        "one.toml",
        &format!("{FABRIC}[traffic]\nkind = \"permutation\"\n"),
        Path::new("."),
        &[],
    );
    let alone = alone.unwrap().cells[0].scenario.resolve(1).unwrap().traffic;
    assert_eq!(alone.flows, a);
    assert!(alone.jobs.is_empty());
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
}

#[test]
fn each_job_may_have_a_transport_of_its_own() {
    let text = "[transport]\ncongestion = { scheme = \"hpcc\" }\n\
        [[traffic]]\nname = \"a\"\nkind = \"permutation\"\n\
        congestion = { scheme = \"dcqcn\" }\nrecovery = { scheme = \"go_back_n\" }\n\
        load_balance = { scheme = \"ecmp\" }\n\
        [[traffic]]\nname = \"b\"\nkind = \"tornado\"\n\
        [[traffic]]\nname = \"c\"\nkind = \"tornado\"\ncongestion = { scheme = \"cubic\" }\n";
    let study = study(text).unwrap();
    let scenario = &study.cells[0].scenario;
    let plan = scenario.resolve(1).unwrap();
    let names: Vec<_> = plan.traffic.flows.iter().step_by(16).map(|flow| flow.transport).collect();
    assert_eq!(names, [1, 0, 2]);
    let schemes = [0, 1, 2].map(|number| {
        let congestion = plan.transport.congestion_of(number).card().name;
        (congestion, plan.transport.recovery_of(number).card().name)
    });
    assert_eq!(schemes, [("hpcc", "sack"), ("dcqcn", "go_back_n"), ("cubic", "tcp")]);
    // All data has room for what the telemetry of any takes.
    assert_eq!(plan.transport.header, Bytes(64 + 42));
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
    assert_eq!(again.cells[0].scenario.resolve(1).unwrap().transport, plan.transport);
}

#[test]
fn a_job_s_transport_meets_the_needs_of_its_flows() {
    let refuse = |rest: &str| study(&format!("[traffic]\nkind = \"tornado\"\n{rest}")).unwrap_err();
    // `ops`, which the job has from [transport].
    let error = refuse("recovery = { scheme = \"go_back_n\" }\n");
    let message = "`ops` in [transport] load_balance needs a receiver that accepts packets out of \
                   order, which `go_back_n` as set in [traffic] recovery does not offer";
    assert!(error.contains(message), "{error}");
    let error = refuse("congestion = { scheme = \"cubc\" }\n");
    assert!(error.contains("nearest: `cubic`"), "{error}");
    let error = refuse("recovery = { scheme = \"cubic\" }\n");
    assert!(error.contains("`cubic` is one of the congestion controls"), "{error}");
    let error = refuse("congestion = { scheme = \"fixed_rate\", rate = \"9 Tbps\" }\n");
    assert!(error.contains("no host's link is as fast as `rate` of `fixed_rate`"), "{error}");
    let plain = "[fabric.queue]\nmarking = { scheme = \"none\" }\n[transport]\n\
                 congestion = { scheme = \"fixed_rate\" }\nload_balance = { scheme = \"ops\" }\n\
                 [traffic]\nkind = \"tornado\"\n";
    assert_eq!(study(plain).err(), None);
    let error = study(&format!("{plain}congestion = {{ scheme = \"dctcp\" }}\n")).unwrap_err();
    assert!(error.contains("`dctcp` in [traffic] congestion needs ECN"), "{error}");
    // rho_max is for flows that begin together; the key to blame is the job's.
    let apart = "[[traffic]]\nname = \"a\"\nkind = \"tornado\"\n[[traffic]]\nname = \"b\"\n\
        kind = \"tornado\"\nstart = \"1 us\"\n\
        congestion = { scheme = \"fixed_rate\", rate = \"rho_max\" }\n";
    let study = study(apart).unwrap();
    let problem = study.cells[0].scenario.resolve(1).unwrap_err();
    let error = study.problem(problem).render(false);
    assert!(error.contains("there is no `rho_max`"), "{error}");
    assert!(error.contains("congestion = { scheme = \"fixed_rate\""), "{error}");
}

#[test]
fn what_every_job_has_of_its_own_is_not_asked_for_in_the_transport() {
    let both = |transport: &str, first: &str, second: &str| {
        study(&format!(
            "queue = {{ marking = {{ scheme = \"none\" }} }}\n[transport]\n{transport}\n\
             [[traffic]]\nname = \"a\"\nkind = \"tornado\"\n{first}\n\
             [[traffic]]\nname = \"b\"\nkind = \"tornado\"\n{second}\n"
        ))
    };
    // `mprdma_dctcp`, which is what nothing is said of, needs marks and nobody has it.
    let own = "congestion = { scheme = \"fixed_rate\" }";
    let swift = "congestion = { scheme = \"swift\" }";
    let study = both("", own, swift).unwrap();
    let scenario = &study.cells[0].scenario;
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
    let error = both("", own, "").unwrap_err();
    assert!(error.contains("`mprdma_dctcp` in [transport] congestion needs ECN"), "{error}");
    // Its telemetry takes no bytes, and its words are refused.
    let error = both("congestion = { scheme = \"hpcc\" }", own, swift).unwrap_err();
    let message = "`hpcc` in [transport] congestion has no effect: every job has one of its own";
    assert!(error.contains(message), "{error}");
    let hpcc = both("congestion = { scheme = \"hpcc\" }", "", swift).unwrap();
    assert_eq!(hpcc.cells[0].scenario.resolve(1).unwrap().transport.header, Bytes(64 + 42));
    let plain = "congestion = { scheme = \"swift\" }\nrecovery = { scheme = \"sack\" }";
    let late = "recovery = { scheme = \"sack\", rto = \"9 s\" }";
    let error = both(late, plain, plain).unwrap_err();
    let message = "`sack` in [transport] recovery has no effect: every job has one of its own";
    assert!(error.contains(message), "{error}");
    // A run does not wait for timeouts that nobody has.
    let patience = |study: Result<Study, String>| study.unwrap().cells[0].scenario.patience;
    assert!(patience(both("", plain, plain)) < patience(both(late, plain, own)));
    let slow = "congestion = { scheme = \"fixed_rate\", rate = \"1 Mbps\" }";
    assert!(patience(both("", plain, own)) < patience(both(slow, plain, "")));
}

#[test]
fn marks_are_needed_in_the_class_of_the_flows() {
    let of = |first: &str, second: &str| {
        study(&format!(
            "queue = {{ classes = 2, markings = [{{ scheme = \"none\" }}, {{ scheme = \"red\" }}] }}\n\
             [[traffic]]\nname = \"a\"\nkind = \"tornado\"\n{first}\n\
             [[traffic]]\nname = \"b\"\nkind = \"tornado\"\n{second}\n"
        ))
    };
    let (dctcp, swift) =
        ("congestion = { scheme = \"dctcp\" }", "congestion = { scheme = \"swift\" }");
    assert_eq!(of(&format!("{dctcp}\nclass = 1"), swift).err(), None);
    let error = of(dctcp, &format!("{swift}\nclass = 1")).unwrap_err();
    let message = "`dctcp` in [traffic] congestion needs ECN marking in the switches, which `none` of class 0 in [fabric] \
                   queue.markings does not offer";
    assert!(error.contains(message), "{error}");
    // The common one is asked for all that have it.
    let error = of("class = 1", "").unwrap_err();
    assert!(error.contains("`none` of class 0 in [fabric] queue.markings"), "{error}");
    assert_eq!(of("class = 1", "class = 1").err(), None);
}

#[test]
fn a_class_is_refused_where_the_congestion_control_chooses_it() {
    let of = |kind: &str, scheme: &str| {
        study(&format!(
            "queue = {{ classes = 7 }}\n[transport]\ncongestion = {{ scheme = \"{scheme}\" }}\n\
             [traffic]\n{kind}\n"
        ))
    };
    let message = "`class` has no effect: `homa` chooses the class of each packet";
    let flow = "kind = \"flows\"\nflow = [{ from = 0, to = 1, bytes = \"1 B\", class = 3 }]";
    for kind in ["kind = \"tornado\"\nclass = 3", flow] {
        let error = of(kind, "homa").unwrap_err();
        assert!(error.contains(message), "{error}");
        assert_eq!(of(kind, "swift").err(), None);
    }
    assert_eq!(of("kind = \"tornado\"", "homa").err(), None);
}

#[test]
fn data_classes_may_have_markings_and_acks_of_their_own() {
    let of = |queue: &str| {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\nqueue = {{ {queue} }}\n\
             [traffic]\nkind = \"permutation\"\n"
        );
        let problems = |p: Problems| p.render(false);
        parse("t.toml", &text, Path::new("."), &[]).map_err(problems)
    };
    let both = "classes = 2, marking = { at = \"enqueue\" }, acks = [\"data\", \"control\"], \
        markings = [{ scheme = \"step\", threshold = \"9 packets\" }, { scheme = \"red\" }]";
    let study = of(both).unwrap();
    let scenario = &study.cells[0].scenario;
    let queue = scenario.resolve(1).unwrap().queue;
    let names: Vec<_> = queue.markings().map(|marking| marking.card().name).collect();
    assert_eq!((names, queue.mark_at), (vec!["step", "red"], MarkAt::Enqueue));
    assert_eq!(queue.acks, [AckQueue::Data, AckQueue::Control]);
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
    assert_eq!(again.cells[0].scenario.resolve(1).unwrap().queue, queue);
    // What is as everywhere is not part of a scenario.
    let hash = |queue| of(queue).unwrap().cells[0].scenario.hash();
    assert_eq!(hash("acks = \"control\", classes = 2"), hash("classes = 2"));
    for (queue, expected) in [
        ("acks = \"dta\"", "nearest: `data`"),
        ("acks = [\"data\"], classes = 2", "expected a list of 2, one for each data class"),
        ("acks = \"data\", service = \"fifo\"", "`acks` has no effect on a `fifo` port"),
        ("markings = [{ scheme = \"red\" }], classes = 2", "expected a list of 2"),
        ("markings = [{ scheme = \"rd\" }]", "nearest: `red`"),
        (
            "markings = [{ scheme = \"red\" }], marking = { scheme = \"red\" }",
            "`marking` has no `scheme` beside `markings`",
        ),
        (
            "markings = [{ scheme = \"red\", low = \"90%\", high = \"10%\" }]",
            "markings = [{ scheme = \"red\", low",
        ),
        (
            "markings = [{ scheme = \"none\" }]",
            "which `none` in [fabric] queue.markings does not offer",
        ),
    ] {
        let error = of(queue).err().unwrap_or_default();
        assert!(error.contains(expected), "{queue}: {error}");
    }
}

#[test]
fn a_share_of_the_hosts_is_drawn_with_each_seed_and_loads_again() {
    let text = "[traffic]\nkind = \"permutation\"\n\
        background = { share = \"25%\", load_balance = { scheme = \"ecmp\" } }\n";
    let study = study(text).unwrap();
    let scenario = &study.cells[0].scenario;
    let behind = |seed| -> Vec<u32> {
        let traffic = scenario.resolve(seed).unwrap().traffic;
        let hashed = traffic.flows.iter().filter(|flow| flow.hashed);
        hashed.map(|flow| flow.source.0).collect()
    };
    for seed in 1..=5 {
        assert_eq!(behind(seed).len(), 4);
    }
    assert_eq!(behind(1), behind(1));
    assert_ne!(behind(1), behind(2));
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
}

#[test]
fn a_background_names_its_hosts_in_one_way_and_has_some() {
    let refused = |hosts: &str| {
        let scheme = "load_balance = { scheme = \"ecmp\" }";
        let text =
            format!("[traffic]\nkind = \"permutation\"\nbackground = {{ {hosts}, {scheme} }}\n");
        study(&text).unwrap_err()
    };
    let both = refused("share = \"25%\", every = 4");
    assert!(both.contains("`background` has both `share` and `every`"), "{both}");
    let none = refused("share = \"3%\"");
    assert!(none.contains("3% of 16 hosts is less than half a host"), "{none}");
    assert!(none.contains("expected at least 3.125%"), "{none}");
    let wrong = refused("share = 0.25");
    assert!(wrong.contains("as in \"1%\""), "{wrong}");
    let text = "[traffic]\nkind = \"permutation\"\nbackground = { load_balance = { scheme = \"ecmp\" } }\n";
    let neither = study(text).unwrap_err();
    assert!(neither.contains("lacks `share` or `every`"), "{neither}");
}

#[test]
fn a_share_of_0_is_the_baseline_of_a_sweep() {
    let text = "[traffic]\nkind = \"permutation\"\n\
        background = { share = \"25%\", load_balance = { scheme = \"ecmp\" } }\n";
    let swept = format!("{text}[sweep]\n\"traffic.background.share\" = [\"0%\", \"25%\"]\n");
    let swept = study(&swept).unwrap();
    let plain = study("[traffic]\nkind = \"permutation\"\n").unwrap();
    // It is the scenario without a background, and loads again as such.
    assert_eq!(swept.cells[0].scenario.hash(), plain.cells[0].scenario.hash());
    assert!(!swept.cells[0].scenario.resolved_toml().contains("background"));
    assert!(swept.cells[1].scenario.resolved_toml().contains("share = \"25%\""));
    let alone = study(&text.replace("25%", "0%")).unwrap_err();
    assert!(alone.contains("a `share` of 0% has no effect"), "{alone}");
    let faults = "[traffic]\nkind = \"permutation\"\n\
        [[condition]]\nname = \"none\"\n\
        fault = [{ random = { share = \"0%\" }, down = \"1 us..9 us\" }]\n\
        [[condition]]\nname = \"some\"\n\
        fault = [{ random = { share = \"10%\" }, down = \"1 us..9 us\" }]\n";
    let faults = study(faults).unwrap();
    assert_eq!(faults.cells[0].scenario.hash(), plain.cells[0].scenario.hash());
    assert_ne!(faults.cells[1].scenario.hash(), plain.cells[0].scenario.hash());
}

#[test]
fn a_seed_has_an_effect_where_only_the_background_is_drawn() {
    let text = "[traffic]\nkind = \"all_to_all\"\nmessage = \"4 kB\"\nseed = 3\n\
        background = { share = \"25%\", load_balance = { scheme = \"ecmp\" } }\n";
    let scenario = &study(text).unwrap().cells[0].scenario;
    let traffic = |seed| scenario.resolve(seed).unwrap().traffic;
    assert_eq!(traffic(1), traffic(2));
    assert_eq!(traffic(1).flows.iter().filter(|flow| flow.hashed).count(), 4 * 15);
}

#[test]
fn collectives_load_again_as_they_were() {
    for lines in [
        "kind = \"collective\"\noperation = \"all_reduce\"\nhops = 9\nhosts = \"2..12\"\nranks = 8\n",
        "kind = \"collective\"\noperation = \"all_to_all\"\nparallel = 2\nplacement = \"random\"\n",
        "kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"butterfly\"\n",
        "kind = \"fsdp\"\nmodel = \"llama_70b\"\nlayers = 2\ngpus_per_server = 4\n",
        "kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"tree\"\nchunks = 7\nsize = \"100 kB\"\n",
        "kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"double_tree\"\ngroups = [3, 5]\nplacement = \"random\"\n",
        "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"direct\"\ngroups = [[1, 7], [3, 2, 9]]\n\
         compute = \"3 us\"\nstraggler = { per = \"host\", share = \"7%\", distribution = \"constant\", time = \"9 us\" }\n",
        "kind = \"fsdp\"\nmodel = \"llama_70b\"\nlayers = 2\ngpus_per_server = 4\ngroups = [8, 8]\n\
         straggler = { per = \"step\", distribution = \"lognormal\", time = \"9 us\", sigma = 0.3 }\n",
    ] {
        let study = study(&format!("[traffic]\n{lines}")).unwrap();
        let scenario = &study.cells[0].scenario;
        let text = scenario.resolved_toml();
        let again = parse("again.toml", text, Path::new("."), &[]).unwrap();
        assert_eq!(again.cells[0].scenario.hash(), scenario.hash(), "{text}");
        let draw = |study: &Study| study.cells[0].scenario.resolve(3).unwrap().traffic;
        assert_eq!(draw(&again), draw(&study));
        let groups = if lines.contains("groups = ") { 2 } else { 1 };
        assert_eq!(draw(&study).jobs.len(), groups);
    }
}

#[test]
fn mistakes_are_named_with_their_keys() {
    let refuse = |traffic: &str| study(traffic).unwrap_err();
    let error = refuse("[[traffic]]\nkind = \"permutation\"\n");
    assert!(error.contains("[[traffic]] lacks `name`"), "{error}");
    let error = refuse(&TWO.replace("\"b\"", "\"a\""));
    assert!(error.contains("two jobs are called `a`"), "{error}");
    let collective = |rest: &str| refuse(&format!("[traffic]\nkind = \"collective\"\n{rest}"));
    let error = collective("operation = \"all_reduc\"\n");
    assert!(error.contains("nearest: `all_reduce`"), "{error}");
    let error = collective("operation = \"all_gather\"\nalgorithm = \"butterfly\"\n");
    assert!(error.contains("unknown word `butterfly` for `algorithm`"), "{error}");
    let error = collective("operation = \"all_gather\"\nparallel = 2\n");
    assert!(error.contains("it goes with `operation = \"all_to_all\"`"), "{error}");
    let error = collective("operation = \"all_reduce\"\nalgorithm = \"butterfly\"\nranks = 6\n");
    assert!(error.contains("`ranks` is 6") && error.contains("power of two"), "{error}");
    let error = collective("operation = \"all_reduce\"\nhosts = \"8..16\"\n");
    assert!(error.contains("`hosts` is 8..16"), "{error}");
    let error = refuse("[traffic]\nkind = \"fsdp\"\nmodel = \"llama_8b\"\n");
    assert!(error.contains("nearest: `llama_7b`"), "{error}");
    let error = refuse("[traffic]\nkind = \"fsdp\"\nmodel = \"llama_7b\"\ngpus_per_server = 16\n");
    assert!(error.contains("`gpus_per_server` is 16"), "{error}");
    let error = refuse("[traffic]\nkind = \"tornado\"\nload_balance = { scheme = \"repss\" }\n");
    assert!(error.contains("nearest: `reps`"), "{error}");
}

/// Who is left out changes nothing of who is there.
#[test]
fn jobs_alone_are_what_they_are_beside_others() {
    let text = format!("{FABRIC}{TWO}");
    let alone = parse_alone("t.toml", &text, Path::new("."), &[]).unwrap();
    let shown: Vec<&str> = alone.cells.iter().map(|cell| cell.settings[0].1.as_str()).collect();
    assert_eq!(shown, ["all", "a alone", "b alone"]);
    let flows = |cell: usize| alone.cells[cell].scenario.resolve(3).unwrap().traffic.flows;
    assert_eq!([flows(1), flows(2)].concat(), flows(0));
    let scenario = &alone.cells[2].scenario;
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
    assert_eq!(scenario.flows(), 16);

    let refused = |text: &str| {
        let study = parse_alone("t.toml", text, Path::new("."), &[]);
        study.unwrap_err().render(false)
    };
    let one = refused(&format!("{FABRIC}[traffic]\nkind = \"permutation\"\n"));
    assert!(one.contains("there are no jobs of which each could run alone"), "{one}");
    let off = "[traffic]\nkind = \"permutation\"\nruns = false\n";
    assert!(study(off).unwrap_err().contains("no traffic runs"));
}
