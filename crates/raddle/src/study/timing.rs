//! What a run cost: wall-clock time, CPU time, memory. Nothing here reaches a result.

use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Cost {
    /// Wall-clock seconds.
    pub wall_s: f64,
    /// CPU seconds of the thread, or the process, that ran it; `None` where the system does not
    /// tell.
    pub cpu_s: Option<f64>,
    /// Most memory the process ever held, in MB (10^6 bytes); `None` where the system does not
    /// tell. Runs in the same process share it.
    pub peak_rss_mb: Option<f64>,
}

/// Measures from its start on, one thread or the process.
#[derive(Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu_s: Option<f64>,
    clock: fn() -> Option<f64>,
}

impl Stopwatch {
    /// Starts measuring the calling thread.
    pub fn start() -> Self {
        Self::with(thread_cpu_s)
    }

    /// Starts measuring all threads of the process.
    pub fn start_process() -> Self {
        Self::with(process_cpu_s)
    }

    #[expect(clippy::disallowed_methods, reason = "measures what a run cost, not what it gave")]
    fn with(clock: fn() -> Option<f64>) -> Self {
        Self { wall: Instant::now(), cpu_s: clock(), clock }
    }

    /// Nanoseconds of CPU time since the start, of wall-clock time where the system does not tell.
    pub fn elapsed_ns(&self) -> u64 {
        let cpu_s = self.cpu_s.zip((self.clock)()).map(|(start, end)| end - start);
        (cpu_s.unwrap_or_else(|| self.wall.elapsed().as_secs_f64()) * 1e9) as u64
    }

    /// The cost since the start; to be called on the thread that started.
    pub fn stop(&self) -> Cost {
        Cost {
            wall_s: self.wall.elapsed().as_secs_f64(),
            cpu_s: self.cpu_s.zip((self.clock)()).map(|(start, end)| end - start),
            peak_rss_mb: peak_rss_mb(),
        }
    }
}

fn thread_cpu_s() -> Option<f64> {
    #[cfg(unix)]
    return Some(seconds(rustix::time::ClockId::ThreadCPUTime));
    #[cfg(not(unix))]
    None
}

fn process_cpu_s() -> Option<f64> {
    #[cfg(unix)]
    return Some(seconds(rustix::time::ClockId::ProcessCPUTime));
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
fn seconds(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Linux states it in `/proc/self/status`; other systems have no such file.
fn peak_rss_mb() -> Option<f64> {
    rss_mb_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn rss_mb_of(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status_file() {
        assert_eq!(rss_mb_of("VmPeak:\t 9 kB\nVmHWM:\t  125000 kB\n"), Some(128.0));
        assert_eq!(rss_mb_of("VmPeak:\t 9 kB\n"), None);
    }

    #[test]
    fn work_costs_time() {
        let watches = [Stopwatch::start(), Stopwatch::start_process()];
        let sum = (0..1_000_000u64).fold(0, |a, b| raddle_schemes::rng::mix(a ^ b));
        for cost in watches.map(|watch| watch.stop()) {
            assert!(sum != 0 && cost.wall_s > 0.0);
            if cfg!(unix) {
                assert!(cost.cpu_s.is_some_and(|s| s > 0.0));
            }
        }
    }
}
