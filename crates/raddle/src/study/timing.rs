//! What a run cost: wall-clock time, CPU time, memory. Nothing here reaches a result.

use std::time::Instant;

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Wall-clock seconds.
    pub wall_s: f64,
    /// CPU seconds of the thread that ran it; `None` where the system does not tell.
    pub cpu_s: Option<f64>,
    /// Most memory the process ever held, in MB (10^6 bytes); `None` where the system does not
    /// tell. Runs in the same process share it.
    pub peak_rss_mb: Option<f64>,
}

/// Measures from [`Stopwatch::start`] on, on one thread.
#[derive(Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu_s: Option<f64>,
}

impl Stopwatch {
    /// Starts measuring the calling thread.
    #[expect(clippy::disallowed_methods, reason = "measures what a run cost, not what it gave")]
    pub fn start() -> Self {
        Self { wall: Instant::now(), cpu_s: thread_cpu_s() }
    }

    /// The cost since the start; to be called on the thread that started.
    pub fn stop(&self) -> Cost {
        Cost {
            wall_s: self.wall.elapsed().as_secs_f64(),
            cpu_s: self.cpu_s.zip(thread_cpu_s()).map(|(start, end)| end - start),
            peak_rss_mb: peak_rss_mb(),
        }
    }
}

#[cfg(unix)]
fn thread_cpu_s() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
fn thread_cpu_s() -> Option<f64> {
    None
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
        let watch = Stopwatch::start();
        let sum = (0..1_000_000u64).fold(0, |a, b| raddle_schemes::rng::mix(a ^ b));
        let cost = watch.stop();
        assert!(sum != 0 && cost.wall_s > 0.0);
        if cfg!(unix) {
            assert!(cost.cpu_s.is_some_and(|s| s > 0.0));
        }
    }
}
