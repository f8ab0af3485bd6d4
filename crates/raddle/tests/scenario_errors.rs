//! What a user sees who makes a mistake.

use raddle::problem::{Problem, Problems};
use raddle::scenario::parse;
use std::path::Path;

/// A scenario that is right; cases replace or add to its sections.
const FABRIC: &str = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 128 }\n";
const TRAFFIC: &str = "[traffic]\nkind = \"permutation\"\n";

fn problems(text: &str) -> Problems {
    problems_with(text, &[])
}

fn problems_with(text: &str, overrides: &[(&str, &str)]) -> Problems {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    match parse("demo.toml", text, Path::new("."), &overrides) {
        Ok(study) => panic!("accepted: {}", study.cells[0].scenario.resolved_toml()),
        Err(problems) => problems,
    }
}

/// `marked text: message; label`, one line for each problem.
fn brief(problems: &Problems) -> String {
    let line = |problem: &Problem| {
        let source = problems.sources.iter().find(|s| Some(&s.path) == problem.file.as_ref());
        let span = problem.span.clone().unwrap_or_default();
        let marked = source.map_or("", |source| &source.text[span]);
        let label = problem.label.as_deref().unwrap_or("-");
        format!("{marked} | {} | {label}", problem.message)
    };
    problems.list.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn check(text: &str, expected: &str) {
    assert_eq!(brief(&problems(text)), expected, "for\n{text}");
}

#[test]
fn probe() {
    let cases: &[String] = &[
        // syntax
        format!("[fabric\ntopology = 1\n{TRAFFIC}"),
        format!("{FABRIC}{FABRIC}{TRAFFIC}"),
        // sections and keys
        String::new(),
        format!("{FABRIC}"),
        format!("{FABRIC}{TRAFFIC}[trafic]\nx = 1\n"),
        format!("fabric = 3\n{TRAFFIC}"),
        format!("[fabric]\ngap = \"20 B\"\n{TRAFFIC}"),
        format!("{FABRIC}gap = 20\n{TRAFFIC}"),
        format!("{FABRIC}gapp = \"20 B\"\n{TRAFFIC}"),
        // topology
        format!("[fabric]\ntopology = \"fat_tree\"\n{TRAFFIC}"),
        format!("[fabric]\ntopology = {{ hosts = 128 }}\n{TRAFFIC}"),
        format!("[fabric]\ntopology = {{ kind = \"fattree\", hosts = 128 }}\n{TRAFFIC}"),
        format!("[fabric]\ntopology = {{ kind = \"fat_tree\" }}\n{TRAFFIC}"),
        format!("[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 100 }}\n{TRAFFIC}"),
        format!("[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = -4 }}\n{TRAFFIC}"),
        format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", tiers = 4, hosts = 128 }}\n{TRAFFIC}"
        ),
        format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 128, rate = \"400 GB\" }}\n{TRAFFIC}"
        ),
        format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 128, rate = \"0 Gbps\" }}\n{TRAFFIC}"
        ),
        format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 128, link_delay = \"2 ns\", switch_delay = \"0 ns\" }}\n{TRAFFIC}"
        ),
        format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 128, oversubscription = 3.0 }}\n{TRAFFIC}"
        ),
        format!(
            "[fabric]\ntopology = {{ kind = \"leaf_spine\", leaves = 4, hosts_per_leaf = 4 }}\n{TRAFFIC}"
        ),
        format!("[fabric]\ntopology = {{ kind = \"dumbbell\", hosts_per_side = 0 }}\n{TRAFFIC}"),
        format!(
            "[fabric]\ntopology = {{ kind = \"graph\", file = \"no_such_file.txt\" }}\n{TRAFFIC}"
        ),
        // queue
        format!("{FABRIC}queue = {{ size = \"20%\" }}\n{TRAFFIC}"),
        format!("{FABRIC}queue = {{ service = \"prio\" }}\n{TRAFFIC}"),
        format!("{FABRIC}queue = {{ size = \"unlimited\" }}\n{TRAFFIC}"),
        format!(
            "{FABRIC}queue = {{ marking = {{ scheme = \"red\", at = \"dequeu\" }} }}\n{TRAFFIC}"
        ),
        format!("{FABRIC}queue = {{ marking = {{ scheme = \"red\", lo = \"10%\" }} }}\n{TRAFFIC}"),
        format!(
            "{FABRIC}queue = {{ marking = {{ scheme = \"none\" }} }}\n{TRAFFIC}[transport]\nload_balance = {{ scheme = \"reps\" }}\n"
        ),
        format!("{FABRIC}routing = {{ convergence = \"soon\" }}\n{TRAFFIC}"),
        // transport
        format!("{FABRIC}{TRAFFIC}[transport]\nload_balance = \"reps\"\n"),
        format!("{FABRIC}{TRAFFIC}[transport]\nload_balance = {{ scheme = \"repss\" }}\n"),
        format!("{FABRIC}{TRAFFIC}[transport]\nload_balance = {{ scheme = \"red\" }}\n"),
        format!(
            "{FABRIC}{TRAFFIC}[transport]\nload_balance = {{ scheme = \"ops\", entropies = 0 }}\n"
        ),
        format!("{FABRIC}{TRAFFIC}[transport]\npayload = \"80 KiB\"\n"),
        format!("{FABRIC}{TRAFFIC}[transport]\npayload = \"0 B\"\n"),
        // traffic
        format!("{FABRIC}[traffic]\nkind = \"permutations\"\n"),
        format!("{FABRIC}[traffic]\nkind = \"incast\", senders = 8\n"),
        format!("{FABRIC}[traffic]\nkind = \"incast\"\nsenders = 200\nreceiver = 3\n"),
        format!(
            "{FABRIC}[traffic]\nkind = \"poisson\"\nlaw = \"websearc\"\nload = 0.6\nuntil = \"1 ms\"\n"
        ),
        format!(
            "{FABRIC}[traffic]\nkind = \"poisson\"\nlaw = \"websearch\"\nload = 60\nuntil = \"1 ms\"\n"
        ),
        format!(
            "{FABRIC}[traffic]\nkind = \"flows\"\nflow = [{{ from = 0, to = 0, bytes = \"1 MiB\" }}, {{ from = 1, to = 128, bytes = \"0 B\" }}, {{ from = 300, to = 1, bytes = \"1 MiB\" }}]\n"
        ),
        format!("{FABRIC}[traffic]\nkind = \"flows\"\n"),
        // faults
        format!(
            "{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\nswitch = \"tor0\"\ndown = \"..\"\n"
        ),
        format!("{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\n"),
        format!("{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.upp1\"\ndown = \"..\"\n"),
        format!("{FABRIC}{TRAFFIC}[[fault]]\nswitch = \"tor99\"\ndown = \"..\"\n"),
        format!("{FABRIC}{TRAFFIC}[[fault]]\nhost = 128\ndown = \"..\"\n"),
        format!("{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\ndown = \"100..200 us\"\n"),
        format!(
            "{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\ndown = [\"100 us..200 us\", \"150 us..\"]\n"
        ),
        format!(
            "{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\nloss = 1.5\nduring = \"5 us..1 us\"\n"
        ),
        format!("{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\nrate = \"800 Gbps\"\n"),
        format!(
            "{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\ndirection = \"up\"\nrate = \"0%\"\n"
        ),
        format!(
            "{FABRIC}{TRAFFIC}[[fault]]\nrandom = {{ share = 3, layer = \"tor-agg\" }}\ndown = \"..\"\n"
        ),
        format!(
            "{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\nflap = {{ period = \"10 us\", down = \"20 us\", until = \"1 ms\" }}\n"
        ),
        format!(
            "{FABRIC}{TRAFFIC}[[fault]]\nlink = \"tor0.up1\"\nrate = \"50%\"\nduring = \"1 us..9 us\"\n[[fault]]\nlink = \"tor0.up1\"\nrate = \"25%\"\nduring = \"5 us..\"\n"
        ),
        // record and run
        format!("{FABRIC}{TRAFFIC}[record]\nports = [\"tor0.upp*\"]\n"),
        format!("{FABRIC}{TRAFFIC}[run]\nseed = -1\nend = \"0 ns\"\n"),
        // sweep and conditions
        format!(
            "{FABRIC}{TRAFFIC}[sweep]\n\"transport.load_balance.scheme\" = [\"ops\", \"resp\"]\n"
        ),
        format!(
            "{FABRIC}{TRAFFIC}[sweep]\n\"transport.load_balanc.scheme\" = [\"ops\", \"reps\"]\n"
        ),
        format!("{FABRIC}{TRAFFIC}[sweep]\n\"trnsport.payload\" = [\"1 KiB\"]\nseed = \"5..1\"\n"),
        format!("{FABRIC}{TRAFFIC}[sweep]\n\"transport.payload\" = \"1 KiB\"\n"),
        format!("{FABRIC}{TRAFFIC}[sweep]\n\"transport.payload\" = [\"1 KiB\", \"1 KiB\"]\n"),
        format!(
            "{FABRIC}{TRAFFIC}[[condition]]\nname = \"healthy\"\n[[condition]]\nfault = [{{ link = \"tor9.up9\", down = \"..\" }}]\n"
        ),
        format!(
            "{FABRIC}{TRAFFIC}[[condition]]\nname = \"slow\"\nfault = [{{ link = \"tor9.up9\", rate = \"50%\" }}]\nset = {{ \"transport.paylod\" = \"1 KiB\" }}\n"
        ),
    ];
    for case in cases {
        let text = match parse("demo.toml", case, Path::new("."), &[]) {
            Ok(_) => "ACCEPTED".to_owned(),
            Err(problems) => brief(&problems),
        };
        eprintln!("-----\n{case}>>>\n{text}");
    }
}
