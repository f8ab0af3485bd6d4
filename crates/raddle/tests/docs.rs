//! What the documents say, the program does: examples load and run, and tables of keys, parameters
//! and columns are complete.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use raddle::catalogue::{fill, fill_columns, fill_question};
use raddle::scenario::key::{Absent, Section};
use raddle::scenario::{Study, load, parse, sections, topologies, traffics};
use raddle_sim::{check, engine};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The files of a folder with this extension, sorted.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    paths.sort();
    paths
}

/// The fenced blocks of a document: line, info string, text.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some((number + 1, info.to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some((.., body))) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

/// The rows of the table below a heading, without head and rule; cells as they are written.
fn table(text: &str, heading: &str) -> Vec<Vec<String>> {
    let below = text.lines().skip_while(|line| *line != heading).skip(1);
    let section = below.take_while(|line| !line.starts_with('#'));
    let rows =
        section.skip_while(|line| !line.starts_with("| ")).take_while(|l| l.starts_with('|'));
    let cells = |line: &str| {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
    };
    let rows: Vec<_> = rows.skip(2).map(cells).collect();
    assert!(!rows.is_empty(), "no table below `{heading}`");
    rows
}

fn bare(cell: &str) -> &str {
    cell.trim_matches('`')
}

#[test]
fn every_toml_block_of_the_documents_is_a_scenario_or_a_marked_fragment() {
    let folders = ["docs", "docs/tutorials", "docs/howto"];
    let mut documents: Vec<_> = folders.iter().flat_map(|folder| files(folder, "md")).collect();
    documents.push(root().join("README.md"));
    let mut scenarios = 0;
    for path in documents {
        let text = fs::read_to_string(&path).unwrap();
        for (line, info, body) in blocks(&text) {
            let place = format!("{}:{line}", path.display());
            match info.as_str() {
                "toml" => {
                    let study = parse(&place, &body, path.parent().unwrap(), &[]);
                    let study = study.unwrap_or_else(|problems| panic!("{problems}"));
                    resolve(&study);
                    scenarios += 1;
                }
                "toml fragment" => {
                    let read = body.parse::<toml::Table>();
                    assert!(read.is_ok(), "{place}: {read:?}");
                }
                other => assert!(!other.starts_with("toml"), "{place}: `{other}`"),
            }
        }
    }
    assert!(scenarios >= 4, "{scenarios}");
}

fn resolve(study: &Study) {
    for cell in &study.cells {
        if let Err(problem) = cell.scenario.resolve(1) {
            panic!("{}", study.problem(problem));
        }
    }
}

#[test]
fn every_shipped_scenario_resolves_and_its_first_cell_runs_by_the_laws() {
    let paths = files("scenarios", "toml");
    assert!(paths.len() >= 7);
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        resolve(&load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}")));
        // As the scenario is, but short.
        let smaller: &[(&str, &str)] = match name.as_str() {
            "all_to_all.toml" => &[("traffic.message", "8 KiB")],
            "rails.toml" => &[("traffic.size", "256 KiB")],
            "web_search.toml" => &[("traffic.until", "20 us"), ("traffic.load", "0.2")],
            "conweave.toml" => &[("traffic.until", "50 us")],
            "opera.toml" => &[("traffic.until", "1 ms")],
            "graph.toml" | "htsim.toml" | "jobs.toml" | "two_transports.toml" => &[],
            "all_reduce.toml" => &[("traffic.message", "8 KiB")],
            _ => &[("traffic.message", "64 KiB")],
        };
        let smaller: Vec<(String, String)> =
            smaller.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
        let study = load(&path, &smaller).unwrap_or_else(|problems| panic!("{problems}"));
        let plan = study.cells[0].scenario.resolve(1).unwrap();
        let outcome = engine::run(&plan, &mut ());
        assert_eq!(outcome.stop, raddle_sim::record::Stop::Completed, "{name}");
        assert_eq!(check::violations(&plan, &outcome), Vec::<String>::new(), "{name}");
    }
}

const FABRIC: &str = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n";
const TRAFFIC: &str = "[traffic]\nkind = \"permutation\"\n";

/// A section's name, and scenarios.
type Probe = (String, Vec<String>);

/// Scenarios with an unknown key `zzz` in the section of a name. The reader's complaint lists the keys
/// that it may have.
fn probes() -> Vec<Probe> {
    let data = root().join("data").display().to_string();
    let mut probes = vec![
        ("scenario".to_owned(), vec![format!("zzz = 1\n{FABRIC}{TRAFFIC}")]),
        ("fabric".to_owned(), vec![format!("{FABRIC}zzz = 1\n{TRAFFIC}")]),
        ("queue".to_owned(), vec![format!("{FABRIC}queue = {{ zzz = 1 }}\n{TRAFFIC}")]),
        ("llr".to_owned(), vec![format!("{FABRIC}llr = {{ zzz = 1 }}\n{TRAFFIC}")]),
        ("scale_up".to_owned(), vec![format!("{FABRIC}scale_up = {{ zzz = 1 }}\n{TRAFFIC}")]),
        ("pfc".to_owned(), vec![format!("{FABRIC}queue = {{ pfc = {{ zzz = 1 }} }}\n{TRAFFIC}")]),
        ("cbfc".to_owned(), vec![format!("{FABRIC}queue = {{ cbfc = {{ zzz = 1 }} }}\n{TRAFFIC}")]),
        ("routing".to_owned(), vec![format!("{FABRIC}routing = {{ zzz = 1 }}\n{TRAFFIC}")]),
        (
            "transport".to_owned(),
            vec![format!("{FABRIC}{TRAFFIC}[transport]\nhost_queue = \"64 KiB\"\nzzz = 1\n")],
        ),
        ("record".to_owned(), vec![format!("{FABRIC}{TRAFFIC}[record]\nzzz = 1\n")]),
        ("run".to_owned(), vec![format!("{FABRIC}{TRAFFIC}[run]\nzzz = 1\n")]),
        (
            "condition".to_owned(),
            vec![format!("{FABRIC}{TRAFFIC}[[condition]]\nname = \"a\"\nzzz = 1\n")],
        ),
        (
            "flow".to_owned(),
            vec![format!(
                "{FABRIC}[traffic]\nkind = \"flows\"\n\
                 flow = [{{ from = 0, to = 1, bytes = \"1 B\", zzz = 1 }}]\n"
            )],
        ),
    ];
    let data = data.as_str();
    probes.extend(of_topologies(data));
    let change = "tors = 16, hosts_per_tor = 4, uplinks = 4, design = \"vermilion:k=3\", slot = \"22 us\", \
                  change = [{ at = \"1 ms\", demand = \"ring\", zzz = 1 }]";
    let change = format!("[fabric]\ntopology = {{ kind = \"circuits\", {change} }}\n{TRAFFIC}");
    probes.push(("change".to_owned(), vec![change]));
    probes.extend(of_traffics(data));
    probes.push((
        "background".to_owned(),
        vec![
            format!("{FABRIC}{TRAFFIC}background = {{ every = 2, zzz = 1 }}\n"),
            format!("{FABRIC}{TRAFFIC}background = {{ share = \"5%\", zzz = 1 }}\n"),
        ],
    ));
    let ring = "kind = \"collective\"\noperation = \"all_reduce\"";
    let by_size = "by_size = [{ algorithm = \"ring\", zzz = 1 }]";
    probes.push(("by_size".to_owned(), vec![format!("{FABRIC}[traffic]\n{ring}\n{by_size}\n")]));
    let straggler = "straggler = { distribution = \"lognormal\", zzz = 1 }";
    probes.push((
        "straggler".to_owned(),
        vec![format!("{FABRIC}[traffic]\nkind = \"fsdp\"\nmodel = \"llama_7b\"\n{straggler}\n")],
    ));
    probes.extend(of_faults());
    let sizes = "sizes = { short_below = \"1 kB\", long_above = \"1 MB\", zzz = 1 }";
    let sizes = format!("{FABRIC}{TRAFFIC}[record]\n{sizes}\n");
    probes.push(("sizes".to_owned(), vec![sizes]));
    probes
}

/// The same of kinds of topology.
fn of_topologies(data: &str) -> Vec<Probe> {
    // Files that are there, in place of the examples.
    let of_file = [
        ("graph", "graphs/two_halls.graph"),
        ("htsim_topo", "htsim/leaf_spine_tiny.topo"),
        ("hpcc_topology", "hpcc/leaf_spine_8.txt"),
    ];
    let of_kind = |section: &'static Section| {
        let kind = section.kind.unwrap();
        let file = of_file.iter().find(|(own, _)| *own == kind).map(|(_, file)| *file);
        let required = section.keys.iter().filter_map(|key| match (key.absent, file) {
            (Absent::Required(_), Some(file)) => Some(format!("{} = '{data}/{file}'", key.word)),
            (Absent::Required(example), None) => Some(format!("{} = {example}", key.word)),
            _ => None,
        });
        let more: Vec<String> = required.collect();
        let topology = format!("topology = {{ kind = \"{kind}\", {}, zzz = 1 }}", more.join(", "));
        let text = format!("[fabric]\n{topology}\n{TRAFFIC}");
        (kind.to_owned(), vec![text])
    };
    topologies().into_iter().map(of_kind).collect()
}

/// The same of kinds of traffic.
fn of_traffics(data: &str) -> Vec<Probe> {
    // What is more than the examples of the keys that have to be there.
    let written = [
        ("incast", "senders = 2".to_owned()),
        ("collective", "operation = \"all_reduce\"".to_owned()),
        ("fsdp", "model = \"llama_7b\"".to_owned()),
        ("poisson", "law = \"websearch\"\nload = 0.1\nuntil = \"1 us\"".to_owned()),
        ("poisson_incast", "rate = 2.0\nfan_in = 2\nsize = \"1 MB\"\nuntil = \"1 us\"".to_owned()),
        ("partners", "law = \"websearch\"\nload = 0.1\nuntil = \"1 us\"".to_owned()),
        ("flows", "flow = [{ from = 0, to = 1, bytes = \"1 B\" }]".to_owned()),
        ("htsim_cm", format!("file = '{data}/htsim/one.cm'")),
        ("hpcc_flows", format!("file = '{data}/hpcc/flows_8.txt'")),
        ("trace", format!("file = '{data}/traces/custom_ring/custom_allreduce'")),
        ("training", "layers = 1\nforward = \"1 us\"\ndata = 2".to_owned()),
    ];
    let of_kind = |section: &'static Section| {
        let kind = section.kind.unwrap();
        let own = written.iter().find(|(own, _)| *own == kind).map(|(_, more)| more.clone());
        let more = own.unwrap_or_else(|| {
            let required = section.keys.iter().filter_map(|key| match key.absent {
                Absent::Required(example) => Some(format!("{} = {example}\n", key.word)),
                _ => None,
            });
            required.collect()
        });
        let text = format!("{FABRIC}[traffic]\nkind = \"{kind}\"\n{more}\nzzz = 1\n");
        let mut texts = vec![text];
        if kind == "collective" {
            texts.push(texts[0].replace("all_reduce", "all_to_all"));
            texts.push(texts[0].replace("zzz", "algorithm = \"tree\"\nzzz"));
        }
        if kind == "training" {
            let more = "schedule = \"interleaved\"\nlayers = 2\nparameters = \"1 B\"\nzzz";
            texts.push(texts[0].replace("layers = 1\n", "").replace("zzz", more));
        }
        if kind == "trace" {
            let ring = "custom_ring/custom_allreduce";
            for other in ["goal/binary_tree_32.goal", "simai/microAllReduce.txt"] {
                texts.push(texts[0].replace(ring, other));
            }
        }
        (kind.to_owned(), texts)
    };
    traffics().into_iter().map(of_kind).collect()
}

/// The same of faults.
fn of_faults() -> Vec<Probe> {
    let fault = |lines: &str| format!("{FABRIC}{TRAFFIC}[[fault]]\n{lines}\n");
    let all = ["rate = \"50%\"", "down = \"..\""]
        .map(|effect| fault(&format!("link = \"tor0.up1\"\n{effect}\nzzz = 1")));
    let random = fault("random = { share = \"5%\", zzz = 1 }\ndown = \"..\"");
    let flap = "period = \"2 us\", down = \"1 us\", until = \"9 us\", zzz = 1";
    let flap = fault(&format!("host = 1\nflap = {{ {flap} }}"));
    [("fault", all.to_vec()), ("random", vec![random]), ("flap", vec![flap])]
        .map(|(name, texts)| (name.to_owned(), texts))
        .to_vec()
}

/// The keys that the reader lists when it complains about `zzz`.
fn keys(text: &str) -> BTreeSet<String> {
    let problems = parse("probe.toml", text, &root(), &[]).map(|_| ()).unwrap_err();
    let about = |message: &str| message.starts_with("unknown key `zzz`");
    let complaint = problems.list.iter().find(|problem| about(&problem.message));
    let complaint = complaint.unwrap_or_else(|| panic!("{problems}"));
    let list = complaint.help.iter().find_map(|line| line.strip_prefix("keys of ")).unwrap();
    let (_, list) = list.split_once(": ").unwrap();
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_declared_keys_are_those_that_the_reader_knows() {
    let probes = probes();
    for section in sections() {
        let texts = probes.iter().find(|(name, _)| name == section.name).map(|(_, texts)| texts);
        let Some(texts) = texts else {
            // Where a scheme's parameters stand beside the keys, others are parameters it does not
            // have; what all of a kind have is read with each of them.
            let shared =
                sections().iter().any(|own| own.common.is_some_and(|c| c.name == section.name));
            assert!(section.family.is_some() || shared, "`{}` is not probed", section.name);
            continue;
        };
        let known: BTreeSet<String> = texts.iter().flat_map(|text| keys(text)).collect();
        let common = section.common.iter().flat_map(|common| common.keys);
        let declared = section.keys.iter().chain(common).map(|key| key.word);
        let declared: BTreeSet<String> =
            declared.chain(section.kind.map(|_| "kind")).map(str::to_owned).collect();
        assert_eq!(declared, known, "`{}`", section.name);
    }
}

#[test]
fn the_schema_is_the_programs() {
    let written = document("docs/scenario.schema.json");
    let schema = format!("{:#}\n", raddle::schema::schema());
    assert!(schema == written, "docs/scenario.schema.json: run `make docs`");
}

#[test]
fn the_tables_of_keys_and_schemes_are_the_programs() {
    let text = document("docs/scenario.md");
    assert!(fill(&text).unwrap() == text, "docs/scenario.md: run `make docs`");
    let text = document("docs/advise.md");
    assert!(fill_question(&text).unwrap() == text, "docs/advise.md: run `make docs`");
}

#[test]
fn the_names_of_the_load_balancing_study_select_schemes() {
    let text = document("docs/scenario.md");
    for row in table(&text, "### Names in the load-balancing study") {
        let mut overrides = vec![(bare(&row[1]).to_owned(), bare(&row[2]).to_owned())];
        if !row[3].is_empty() {
            overrides.push(("fabric.queue.marking".to_owned(), bare(&row[3]).to_owned()));
        }
        let study = parse(&row[0], &format!("{FABRIC}{TRAFFIC}"), Path::new("."), &overrides);
        resolve(&study.unwrap_or_else(|problems| panic!("{}: {problems}", row[0])));
    }
}

#[test]
fn the_tables_of_columns_are_the_programs() {
    let text = document("docs/formats.md");
    assert!(fill_columns(&text).unwrap() == text, "docs/formats.md: run `make docs`");
}

/// The folders below `folder` that hold source files, relative to `from`, with a `/` at their ends.
fn source_folders(folder: &Path, from: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.insert(format!("{}/", path.strip_prefix(from).unwrap().display()));
            source_folders(&path, from, found);
        }
    }
}

#[test]
fn the_map_names_every_source_folder_and_nothing_that_is_missing() {
    let text = document("docs/ARCHITECTURE.md");
    let (_, map) = text.split_once("\n## The map\n").unwrap();
    let map = map.split("\n## ").next().unwrap();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        let (name, source) = (path.file_name().unwrap().to_str().unwrap(), path.join("src"));
        let mut folders = BTreeSet::new();
        source_folders(&source, &source, &mut folders);
        let section = map.split_once(&format!("\n**`{name}`**"));
        let (_, section) = section.unwrap_or_else(|| panic!("the map lacks {name}"));
        let section = section.split("\n**`").next().unwrap();
        let mut named = BTreeSet::new();
        for row in section.lines().filter(|line| line.starts_with("| `")) {
            let (places, rest) = row[2..].split_once(" | ").unwrap();
            let spans = |cell: &str| -> Vec<String> {
                cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
            };
            let places = spans(places);
            for place in &places {
                assert!(source.join(place).exists(), "{name}: the map names {place}");
            }
            for file in spans(rest).iter().filter(|span| span.ends_with(".rs")) {
                let there = source.join(&places[0]).join(file);
                assert!(there.exists(), "{name}: the map names {file} in {}", places[0]);
            }
            named.extend(places.into_iter().filter(|place| place.ends_with('/')));
        }
        assert_eq!(folders, named, "{name}: folders, and those that the map names");
    }
}
