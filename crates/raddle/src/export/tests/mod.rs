mod pcapng;
mod perfetto;
mod tables;

use crate::results::{Kept, fixture, runs};
use crate::study::tables::Format;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::record::rows::{HopRow, PacketRow};
use std::path::PathBuf;

/// Losses by a full queue, a dead link and chance; marks, trims, two classes; names with all that
/// files may stumble over.
const SCENARIO: &str = r#"[fabric]
topology = { kind = "fat_tree", hosts = 16, rate = "100 Gbps" }
queue = { size = "60 kB", overflow = "trim", control_size = "200 B", classes = 2 }
[transport]
load_balance = { scheme = "reps" }
[[traffic]]
name = "incast"
kind = "incast"
senders = 8
message = "256 KiB"
class = 1
[[traffic]]
name = "all, \"ü\""
kind = "permutation"
message = "256 KiB"
[[fault]]
link = "tor0.up1"
down = "20 us..60 us"
[[fault]]
link = "tor2.up0"
loss = 0.02
"#;
const PACKETS: &str = "[record]\nmap = true\nflows = \"every 1st\"\n";

/// A run of the scenario, and a place for what is exported.
struct Exported {
    folder: tempfile::TempDir,
    run: Kept,
    plan: Plan,
    outcome: Outcome,
}

impl Exported {
    fn of(record: &str) -> Self {
        let (folder, plan, outcome) =
            fixture::kept(&format!("{SCENARIO}{record}"), Format::Parquet);
        let run = runs(folder.path()).unwrap().remove(0);
        Self { folder, run, plan, outcome }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Packets and hops of a run.
fn rows(outcome: &Outcome) -> (Vec<PacketRow>, Vec<HopRow>) {
    (outcome.packets.rows().collect(), outcome.packets.hops().collect())
}
