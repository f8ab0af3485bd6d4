//! How far the runs are, on a terminal.

use super::run::Meter;
use super::text::short;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use raddle_schemes::units::Time;
use raddle_sim::record::Progress;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Steps of the bar for one job.
const STEPS: u64 = 10_000;

/// A line on the terminal: runs done, simulated time, packet-hops per second, time left. The share
/// that is done is that of data packets acknowledged.
pub struct Bar {
    bar: ProgressBar,
    state: Mutex<State>,
}

struct State {
    jobs: Vec<JobState>,
    done: usize,
    now: Time,
}

#[derive(Clone, Default)]
struct JobState {
    packets: u64,
    steps: u64,
    packet_hops: u64,
}

impl Bar {
    /// A line for `jobs` jobs on standard error; nothing where that is no terminal.
    pub fn on_stderr(jobs: usize) -> Self {
        Self::new(jobs, ProgressDrawTarget::stderr())
    }

    fn new(jobs: usize, target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(Some(jobs as u64 * STEPS), target);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        let state = State { jobs: vec![JobState::default(); jobs], done: 0, now: Time::ZERO };
        Self { bar, state: Mutex::new(state) }
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: &State) {
        self.bar.set_message(state.message(self.bar.elapsed().as_secs_f64()));
        self.bar.set_position(state.jobs.iter().map(|job| job.steps).sum());
    }
}

impl State {
    fn message(&self, elapsed_s: f64) -> String {
        let hops: u64 = self.jobs.iter().map(|job| job.packet_hops).sum();
        let rate = if elapsed_s > 0.0 { hops as f64 / elapsed_s } else { 0.0 };
        let runs = match self.jobs.len() {
            1 => String::new(),
            jobs => format!("{} of {jobs} runs, ", self.done),
        };
        format!("{runs}{:.1} us simulated, {} packet-hops/s", self.now.as_us(), short(rate))
    }
}

impl Meter for Bar {
    fn begin(&self, job: usize, packets: u64) {
        self.state().jobs[job].packets = packets;
    }

    fn progress(&self, job: usize, progress: &Progress) {
        let mut state = self.state();
        let job = &mut state.jobs[job];
        let steps = u128::from(progress.packets_acked) * u128::from(STEPS);
        job.steps = (steps / u128::from(job.packets.max(1))).min(u128::from(STEPS)) as u64;
        job.packet_hops = progress.packet_hops;
        state.now = progress.now;
        self.show(&state);
    }

    fn end(&self, job: usize) {
        let mut state = self.state();
        state.jobs[job].steps = STEPS;
        state.done += 1;
        self.show(&state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_done_is_that_of_packets_acknowledged() {
        let bar = Bar::new(2, ProgressDrawTarget::hidden());
        bar.begin(0, 200);
        bar.begin(1, 100);
        let progress =
            Progress { now: Time(50_000_000), packet_hops: 1000, flows_done: 0, packets_acked: 50 };
        bar.progress(0, &progress);
        assert_eq!(bar.bar.position(), STEPS / 4);
        bar.progress(1, &progress);
        assert_eq!(bar.bar.position(), 3 * STEPS / 4);
        bar.end(0);
        assert_eq!(bar.bar.position(), 3 * STEPS / 2);
        assert_eq!(
            bar.state().message(0.001),
            "1 of 2 runs, 50.0 us simulated, 2.00 M packet-hops/s"
        );
    }
}
