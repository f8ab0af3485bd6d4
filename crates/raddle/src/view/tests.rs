use super::*;
use crate::results::{fixture, runs};
use crate::study::tables::Format;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use raddle_sim::record::{FlowRecord, Outcome};
use std::fs;
use std::io::Read;

/// Sixteen hosts whose hashed flows collide, with an uplink that dies and comes back.
const SCENARIO: &str = "[fabric]\n\
    topology = { kind = \"fat_tree\", hosts = 16, rate = \"100 Gbps\" }\n\
    [transport]\nload_balance = { scheme = \"ecmp\" }\n\
    [traffic]\nkind = \"permutation\"\nmessage = \"1 MiB\"\n\
    [[fault]]\nlink = \"tor0.up1\"\ndown = \"20 us..60 us\"\n";
const ALL: &str = "[record]\nmap = true\nflows = [0, 5]\npackets = true\nprobes = [\"window\"]\n";

/// A folder with a run of the scenario, and what came of it.
fn run(record: &str, format: Format) -> (tempfile::TempDir, Outcome) {
    let (folder, _, outcome) = fixture::kept(&format!("{SCENARIO}{record}"), format);
    (folder, outcome)
}

/// What a page carries.
struct Carried {
    head: Value,
    bytes: Vec<u8>,
}

impl Carried {
    fn of(page: &str) -> Self {
        let between = |from: &str| {
            let (_, rest) = page.split_once(from).unwrap();
            rest.split_once("</script>").unwrap().0
        };
        let head = between("<script type=\"application/json\" id=\"head\">");
        let blocks = between("<script type=\"text/plain\" id=\"blocks\">");
        let packed = STANDARD.decode(blocks).unwrap();
        let mut bytes = Vec::new();
        ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        Self { head: serde_json::from_str(head).unwrap(), bytes }
    }

    /// A block, as numbers.
    fn block(&self, name: &str) -> Vec<f64> {
        let place = &self.head["blocks"][name];
        let [from, length] = [0, 1].map(|at| place[at].as_u64().expect(name) as usize);
        let bytes = &self.bytes[from..from + length];
        fn read<const N: usize>(bytes: &[u8], of: fn([u8; N]) -> f64) -> Vec<f64> {
            bytes.chunks(N).map(|chunk| of(chunk.try_into().unwrap())).collect()
        }
        match place[2].as_str().unwrap() {
            "u1" => read(bytes, |b| u8::from_le_bytes(b).into()),
            "u2" => read(bytes, |b| u16::from_le_bytes(b).into()),
            "u4" => read(bytes, |b| u32::from_le_bytes(b).into()),
            "f4" => read(bytes, |b| f32::from_le_bytes(b).into()),
            _ => read(bytes, f64::from_le_bytes),
        }
    }

    fn sum(&self, name: &str) -> f64 {
        self.block(name).iter().sum()
    }
}

/// The page of a folder's run.
fn carried(folder: &tempfile::TempDir) -> Carried {
    Carried::of(&page(&runs(folder.path()).unwrap()).unwrap())
}

#[test]
fn counts_of_a_page_are_those_of_the_run() {
    let (folder, outcome) = run(ALL, Format::Parquet);
    let page = carried(&folder);
    let total =
        |of: fn(&FlowRecord) -> u64| outcome.flows.iter().map(|own| of(&own)).sum::<u64>() as f64;
    assert!(total(|flow| flow.dropped) > 0.0, "the fault has to lose something");
    assert_eq!(page.sum("0.flow.resent"), total(|flow| flow.retransmitted));
    assert_eq!(page.sum("0.flow.lost"), total(|flow| flow.dropped));
    assert_eq!(page.sum("0.port.lost"), total(|flow| flow.dropped));
    assert_eq!(page.sum("0.port.marks") + page.sum("0.port.trims"), page.sum("0.time.marks"));
    // Each packet of a flow left its host once.
    let owner = page.head["fabrics"][0]["ports"]["node"].as_array().unwrap();
    let kind = page.head["fabrics"][0]["nodes"]["kind"].as_array().unwrap();
    let of_host = |port: f64| kind[owner[port as usize].as_u64().unwrap() as usize] == "host";
    let [flows, ports, packets] =
        ["flow", "port", "packets"].map(|name| page.block(&format!("0.route.{name}")));
    for flow in [0, 5] {
        let rows = (0..flows.len()).filter(|row| flows[*row] as usize == flow);
        let sent: f64 = rows.filter(|row| of_host(ports[*row])).map(|row| packets[row]).sum();
        assert_eq!(sent, outcome.flows.at(flow).sent as f64);
        assert_eq!(page.block(&format!("0.of{flow}.sent")).len() as f64, sent);
        let hops = page.sum(&format!("0.of{flow}.hops"));
        assert_eq!(page.block(&format!("0.of{flow}.hop.port")).len() as f64, hops);
    }
    assert_eq!(page.head["runs"][0]["probes"], json!([{"word": "window", "unit": "B"}]));
}

#[test]
fn the_heat_of_links_is_what_they_carried() {
    let (folder, outcome) = run(ALL, Format::Parquet);
    let page = carried(&folder);
    let head = &page.head["runs"][0];
    let buckets = head["buckets"].as_u64().unwrap() as usize;
    let scale = head["scales"]["queue"].as_f64().unwrap();
    let longest = outcome.ports.iter().map(|port| port.queue_bytes_max).max().unwrap() as f64;
    assert!(scale > 0.5 * longest && scale <= longest, "{scale} of {longest}");
    let queues = page.block("0.cells.queue");
    assert_eq!(queues.len(), outcome.ports.len() * buckets);
    assert_eq!(queues.iter().copied().fold(0.0, f64::max), 255.0);
    // What leaves a link at its rate is 250; the frame that ends a bucket may begin before it.
    let used = page.block("0.cells.use");
    assert!(used.iter().any(|share| *share > 200.0));
}

#[test]
fn the_sentence_leads_to_links_and_its_flow() {
    let (folder, _) = run(ALL, Format::Parquet);
    let page = carried(&folder);
    let head = &page.head["runs"][0];
    assert_eq!(head["name"], "ecmp");
    let parts = head["why"].as_array().unwrap();
    assert_eq!(parts[1]["flow"], head["tail"]);
    let names = page.head["fabrics"][0]["ports"]["name"].as_array().unwrap();
    let link = parts.iter().find(|part| !part["port"].is_null()).expect("a link is named");
    assert_eq!(names[link["port"].as_u64().unwrap() as usize], link["text"]);
    // The flow's life from its first bucket to its last, without a gap.
    let went = page.block(&format!("0.of{}.went", head["tail"]));
    let lived = went.iter().filter(|held| **held < 7.0).count() as f64;
    let end = head["completion_us"].as_f64().unwrap() / head["bucket_us"].as_f64().unwrap();
    assert!((lived - end).abs() <= 2.0, "{lived} of {end}");
}

#[test]
fn the_critical_path_of_a_collective_leads_to_its_slowest_sends() {
    let ring = "kind = \"collective\"\noperation = \"all_reduce\"\nsize = \"1 MiB\"\n";
    let permutation = "kind = \"permutation\"\nmessage = \"1 MiB\"\n";
    let scenario = SCENARIO.replace(permutation, ring);
    let (folder, ..) = fixture::kept(&format!("{scenario}{ALL}"), Format::Parquet);
    let head = &carried(&folder).head["runs"][0];
    let parts = head["why"].as_array().unwrap();
    let told: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    assert!(told.contains(" Its critical path of collective: 30 sends, each "), "{told}");
    let flows = parts.iter().filter(|part| part["flow"].is_u64()).skip(1);
    let names: Vec<String> = flows.clone().map(|part| format!("flow {}", part["flow"])).collect();
    assert_eq!(names.len(), 3, "{told}");
    assert!(flows.zip(&names).all(|(part, name)| part["text"] == *name), "{told}");
}

/// What a server answers: the places of blocks, then the blocks.
fn answered(answer: &[u8]) -> Carried {
    let (length, rest) = answer.split_first_chunk::<4>().unwrap();
    let (json, bytes) = rest.split_at(u32::from_le_bytes(*length) as usize);
    assert!((answer.len() - bytes.len()).is_multiple_of(8), "arrays begin where they may");
    let head = json!({ "blocks": serde_json::from_slice::<Value>(json).unwrap() });
    Carried { head, bytes: bytes.to_vec() }
}

#[test]
fn a_server_has_the_same_numbers_those_of_a_flow_when_asked() {
    let (folder, _) = run(ALL, Format::Parquet);
    let file = carried(&folder);
    let served = Served::new(runs(folder.path()).unwrap()).unwrap();
    assert!(served.page().contains("connect-src 'self'"));
    let head = served.page().split_once("id=\"head\">").unwrap().1;
    let head = head.split_once("</script>").unwrap().0;
    let page =
        Carried { head: serde_json::from_str(head).unwrap(), bytes: served.blocks().to_vec() };
    assert_eq!(page.head["served"], true);
    assert_eq!(page.head["runs"][0]["recorded"], json!([0, 5]));
    let flow = answered(&served.flow(0, 5).unwrap().unwrap());
    let blocks = file.head["blocks"].as_object().unwrap();
    let mut of_flow = 0;
    for name in blocks.keys().filter(|name| !name.contains(".of0.")) {
        let is_asked = name.starts_with("0.of5.") && !name.ends_with(".went");
        of_flow += u32::from(is_asked);
        let own = if is_asked { flow.block(name) } else { page.block(name) };
        let same = own.iter().zip(file.block(name)).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same && own.len() == file.block(name).len(), "{name}");
    }
    assert!(of_flow > 12, "{of_flow}");
    let none = answered(&served.flow(0, 1).unwrap().unwrap());
    assert!(none.block("0.of1.sent").is_empty());
    assert!(served.flow(1, 0).unwrap().is_none(), "there is no second run");
    assert!(
        answered(&served.flow(0, u64::MAX).unwrap().unwrap())
            .block("0.of18446744073709551615.sent")
            .is_empty()
    );
    let file = runs(folder.path()).unwrap()[0].folder.join("run.json");
    let mut summary: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    summary["results_hash"] = json!("of another run");
    fs::write(&file, summary.to_string()).unwrap();
    let why = served.flow(0, 5).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("another run is there now"), "{why}");
    fs::remove_file(&file).unwrap();
    assert!(served.flow(0, 5).is_err(), "the run has gone");
}

#[test]
fn training_has_a_lane_a_rank_and_a_bar_a_phase() {
    let fsdp = |hosts: u32| {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", tiers = 2, hosts = {hosts} }}\n\
             [traffic]\nkind = \"fsdp\"\nmodel = \"llama_7b\"\nlayers = 2\n\
             compute = \"5 us\"\n[record]\nmap = true\n"
        );
        let (folder, _, outcome) = fixture::kept(&text, Format::Parquet);
        (carried(&folder), outcome)
    };
    let (page, outcome) = fsdp(32);
    let told = &page.head["runs"][0]["training"];
    let phases = ["1 all_gather", "1 reduce_scatter", "0 all_gather", "0 reduce_scatter"];
    assert_eq!(told["phases"], json!(phases.map(|own| format!("layer {own}"))));
    assert_eq!(told["lanes"].as_array().unwrap().len(), 32);
    assert_eq!(told["lanes"][31], "host31");
    let block = |name: &str| page.block(&format!("0.training.{name}"));
    let [phase, after, after_at, from, began, until, decided] =
        ["phase", "after_lane", "after_at", "from", "began", "until", "decided"].map(block);
    assert_eq!(phase.len(), 32 * 4);
    let none = f64::from(u32::MAX);
    for bar in 0..phase.len() {
        assert!(from[bar] <= began[bar] && began[bar] < until[bar]);
        // The first phase begins by itself, the others compute for 5 us once a message has come.
        assert_eq!(after[bar] == none, phase[bar] == 0.0);
        if after[bar] != none {
            assert!((began[bar] - after_at[bar] - 5.0).abs() < 1e-2, "{bar}");
        }
    }
    // The path to the last flow comes into each phase but the first once.
    assert_eq!(decided.iter().sum::<f64>(), 3.0);
    let last = outcome.flows.iter().filter_map(|flow| flow.delivered).max().unwrap().as_us();
    let most = until.iter().copied().fold(0.0, f64::max);
    assert!((most - last).abs() < 1e-2, "{most} {last}");
    // Two hosts a lane.
    let (page, _) = fsdp(64);
    let told = &page.head["runs"][0]["training"];
    assert_eq!(
        (told["lanes"].as_array().unwrap().len(), &told["lanes"][1]),
        (32, &json!("host2 to host3"))
    );
    assert_eq!(page.block("0.training.phase").len(), 32 * 4);
    let (folder, _) = run("", Format::Parquet);
    assert!(carried(&folder).head["runs"][0]["training"].is_null());
}

#[test]
fn both_directions_of_a_broken_cable_are_one_fault() {
    let (folder, _) = run(ALL, Format::Parquet);
    let page = carried(&folder);
    let faults = page.head["runs"][0]["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0]["ports"].as_array().unwrap().len(), 2);
    assert_eq!(faults[0]["from_us"].as_f64(), Some(20.0));
    assert_eq!(faults[0]["until_us"].as_f64(), Some(60.0));
    assert_eq!(faults[0]["label"], "tor0.up1 down");
}

#[test]
fn a_run_without_records_says_how_to_have_them() {
    let (folder, _) = run("", Format::Parquet);
    let page = carried(&folder);
    let head = &page.head["runs"][0];
    assert!(head["bucket_us"].is_null());
    assert_eq!(head["left_out"][0]["paste"], "record.map = true");
    assert!(page.sum("0.port.queue") > 0.0);
}

#[test]
fn names_cannot_end_the_page() {
    let (folder, _) = run("", Format::Parquet);
    let mut shown = runs(folder.path()).unwrap();
    shown[0].name = "</script><script>alert(1)</script>".into();
    let page = page(&shown).unwrap();
    assert!(!page.contains("<script>alert"));
    assert_eq!(Carried::of(&page).head["runs"][0]["name"], shown[0].name.as_str());
}

#[test]
fn what_cannot_be_viewed_is_told() {
    let empty = tempfile::tempdir().unwrap();
    let told = runs(empty.path()).unwrap_err().to_string();
    assert!(told.contains("no run is in this folder") && told.contains("run.json"), "{told}");
    let (csv, _) = run("", Format::Csv);
    let told = page(&runs(csv.path()).unwrap()).unwrap_err().to_string();
    assert!(told.contains("without `--csv`"), "{told}");
    let (good, _) = run("", Format::Parquet);
    let found = runs(good.path()).unwrap();
    assert!(choose(&found, &[2]).unwrap_err().to_string().contains("runs 1 to 1"));
    assert!(choose(&found, &[1, 1, 1]).unwrap_err().to_string().contains("two at most"));
    fs::write(good.path().join("flows.parquet"), "PAR1").unwrap();
    let told = page(&found).unwrap_err().to_string();
    assert!(told.contains("flows.parquet"), "{told}");
    fs::write(good.path().join("run.json"), "{").unwrap();
    assert!(page(&found).unwrap_err().to_string().contains("run.json"));
}
