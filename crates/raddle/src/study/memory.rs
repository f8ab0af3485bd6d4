//! Memory that runs take, and that there is for them.

use super::estimate::{BYTES_PER_FLOW, BYTES_PER_PORT, BYTES_PER_PROCESS};
use super::text::plural;
use std::fs;
use std::path::Path;

/// What a run needs memory for, known without its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    /// Ports of hosts and switches.
    pub ports: u64,
    /// Flows, about.
    pub flows: u64,
}

impl Needed {
    /// The least that it takes.
    pub fn bytes(&self) -> u64 {
        BYTES_PER_PROCESS.saturating_add(self.of_ports()).saturating_add(self.of_flows())
    }

    fn of_ports(&self) -> u64 {
        self.ports.saturating_mul(BYTES_PER_PORT)
    }

    fn of_flows(&self) -> u64 {
        self.flows.saturating_mul(BYTES_PER_FLOW)
    }

    /// Refuses a run that takes more than is `available`, where that is known; `bytes` is what it
    /// takes, if more is known of it than here.
    ///
    /// # Errors
    /// Both numbers, and what would make the first smaller.
    pub fn fit(&self, bytes: u64, available: Option<u64>) -> Result<(), String> {
        let bytes = bytes.max(self.bytes());
        let Some(available) = available.filter(|available| bytes > *available) else {
            return Ok(());
        };
        let smaller = if self.of_flows() < self.of_ports() {
            "fewer hosts take less"
        } else {
            "fewer hosts take less, and so does traffic with fewer flows (`load`, `until`, `ranks`, \
             `layers`, `steps`)"
        };
        Err(format!(
            "a run with {} and {} takes about {} of memory, and {} are available: {smaller}",
            plural(self.flows, "flow"),
            plural(self.ports, "port"),
            gigabytes(bytes),
            gigabytes(available)
        ))
    }
}

/// Refuses runs of which so many at a time would take more than is `available`.
///
/// # Errors
/// Of the largest, if it does not fit alone; else how many at a time do.
pub fn fit_together(
    runs: impl IntoIterator<Item = Needed>,
    at_a_time: usize,
    available: Option<u64>,
) -> Result<(), String> {
    let mut runs: Vec<Needed> = runs.into_iter().collect();
    runs.sort_unstable_by_key(|run| std::cmp::Reverse(run.bytes()));
    let Some(largest) = runs.first() else { return Ok(()) };
    largest.fit(0, available)?;
    let Some(available) = available else { return Ok(()) };
    let mut together = 0u64;
    for (run, fitting) in runs.iter().take(at_a_time).zip(0..) {
        together = together.saturating_add(run.bytes());
        if together > available {
            return Err(format!(
                "{at_a_time} runs at a time take more than the {} of memory that are available: \
                 `--parallel {fitting}` takes less",
                gigabytes(available)
            ));
        }
    }
    Ok(())
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

/// Bytes that can be taken without swapping: what Linux says is available, or less where a control
/// group allows less. `None` where neither can be read.
pub fn available() -> Option<u64> {
    available_in(Path::new("/"))
}

fn available_in(root: &Path) -> Option<u64> {
    let text = |path: &str| fs::read_to_string(root.join(path)).ok();
    let machine = text("proc/meminfo").and_then(|text| kibibytes(&text, "MemAvailable:"));
    let groups = text("proc/self/cgroup").unwrap_or_default();
    let of_groups = groups.lines().filter_map(|line| of_group(root, line));
    machine.map(|kib| kib * 1024).into_iter().chain(of_groups).min()
}

/// Files of a version of control groups: its place, limit, use, and what of the use can be had back.
const GROUPS: [(&str, [&str; 2], &str); 2] = [
    ("sys/fs/cgroup", ["memory.max", "memory.current"], "inactive_file "),
    (
        "sys/fs/cgroup/memory",
        ["memory.limit_in_bytes", "memory.usage_in_bytes"],
        "total_inactive_file ",
    ),
];

/// What the group in a line of `/proc/self/cgroup`, and all above it, leave.
fn of_group(root: &Path, line: &str) -> Option<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let version = match controllers {
        "" => 0,
        list if list.split(',').any(|controller| controller == "memory") => 1,
        _ => return None,
    };
    let (place, [limit, used], reclaimable) = GROUPS[version];
    let place = root.join(place);
    let levels = Path::new(path.trim_start_matches('/')).ancestors();
    let left = levels.filter_map(|level| {
        let text = |name: &str| fs::read_to_string(place.join(level).join(name)).ok();
        let number = |name: &str| text(name)?.trim().parse::<u64>().ok();
        let back = text("memory.stat").and_then(|text| number_after(&text, reclaimable));
        let used = number(used)?.saturating_sub(back.unwrap_or(0));
        Some(number(limit)?.saturating_sub(used))
    });
    left.min()
}

fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn number_after(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Needed = Needed { ports: 96, flows: 16 };

    #[test]
    fn a_run_that_does_not_fit_is_refused_with_both_numbers_and_what_is_smaller() {
        // 8 MB, 96 ports of 2048 B, 16 flows of 164 B.
        assert_eq!(SMALL.bytes(), 8_199_232);
        assert_eq!(SMALL.fit(0, None), Ok(()));
        assert_eq!(SMALL.fit(0, Some(8_199_232)), Ok(()));
        assert!(SMALL.fit(0, Some(8_199_231)).unwrap_err().ends_with("fewer hosts take less"));
        assert!(SMALL.fit(9_000_000, Some(8_999_999)).is_err());
        let flows = Needed { ports: 96, flows: 3_600_000_000 };
        let told = flows.fit(0, Some(4_000_000_000)).unwrap_err();
        let words = "takes about 590.4 GB of memory, and 4.0 GB are available: fewer hosts";
        assert!(told.contains(words) && told.contains("`until`"), "{told}");
        assert!(Needed { ports: u64::MAX, flows: u64::MAX }.fit(0, Some(1 << 60)).is_err());
    }

    #[test]
    fn so_many_runs_at_a_time_fit() {
        let runs = || [SMALL; 5];
        assert_eq!(fit_together([], 4, Some(0)), Ok(()));
        assert_eq!(fit_together(runs(), 4, None), Ok(()));
        assert_eq!(fit_together(runs(), 4, Some(4 * SMALL.bytes())), Ok(()));
        let told = fit_together(runs(), 4, Some(3 * SMALL.bytes())).unwrap_err();
        assert!(told.ends_with("`--parallel 3` takes less"), "{told}");
        let told = fit_together(runs(), 4, Some(1)).unwrap_err();
        assert!(told.starts_with("a run with 16 flows and 96 ports takes"), "{told}");
    }

    fn machine(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        available_in(root.path())
    }

    const MEMORY: (&str, &str) = ("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:  4000 kB\n");

    #[test]
    fn the_least_of_the_machine_and_its_control_groups_is_available() {
        assert_eq!(machine(&[]), None);
        assert_eq!(machine(&[MEMORY]), Some(4_096_000));
        let own = ("proc/self/cgroup", "0::/a/b\n");
        let unlimited = ("sys/fs/cgroup/a/b/memory.max", "max\n");
        let used = ("sys/fs/cgroup/a/b/memory.current", "700000\n");
        assert_eq!(machine(&[MEMORY, own, unlimited, used]), Some(4_096_000));
        let above = [
            ("sys/fs/cgroup/a/memory.max", "1000000\n"),
            ("sys/fs/cgroup/a/memory.current", "700000\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 600000\ninactive_file 100000\n"),
        ];
        let files = [&[MEMORY, own, unlimited, used][..], &above].concat();
        assert_eq!(machine(&files), Some(400_000));
        let first_version = [
            MEMORY,
            ("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/x\n"),
            ("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "500000\n"),
            ("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "600000\n"),
            ("sys/fs/cgroup/memory/x/memory.stat", "total_inactive_file 200000\n"),
        ];
        assert_eq!(machine(&first_version), Some(100_000));
    }
}
