//! How far the runs are: a line that changes on a terminal, a line a minute in a log.

use super::run::Meter;
use super::text::short;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use raddle_schemes::units::Time;
use raddle_sim::record::Progress;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Steps of the bar for one job.
const STEPS: u64 = 10_000;

/// Seconds between two lines of a log.
const LINE_EVERY_S: f64 = 60.0;

/// A line: runs done, simulated time, packet-hops per second, time left. The share
/// that is done is that of data packets acknowledged.
pub struct Bar {
    bar: ProgressBar,
    state: Mutex<State>,
}

struct State {
    jobs: Vec<JobState>,
    done: usize,
    now: Time,
    log: Option<Log>,
}

/// Where lines go that stay.
struct Log {
    to: Box<dyn Write + Send>,
    next_s: f64,
}

#[derive(Clone, Default)]
struct JobState {
    packets: u64,
    steps: u64,
    packet_hops: u64,
}

impl Bar {
    /// Standard error: one line where that is a terminal, else a new one a minute.
    pub fn on_stderr(jobs: usize) -> Self {
        let target = ProgressDrawTarget::stderr();
        let to_log = target.is_hidden().then(|| Box::new(std::io::stderr()) as _);
        Self::new(jobs, target, to_log)
    }

    fn new(jobs: usize, target: ProgressDrawTarget, log: Option<Box<dyn Write + Send>>) -> Self {
        let bar = ProgressBar::with_draw_target(Some(jobs as u64 * STEPS), target);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        let log = log.map(|to| Log { to, next_s: LINE_EVERY_S });
        let state = State { jobs: vec![JobState::default(); jobs], done: 0, now: Time::ZERO, log };
        Self { bar, state: Mutex::new(state) }
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: &mut State) {
        let elapsed_s = self.bar.elapsed().as_secs_f64();
        let (message, steps) =
            (state.message(elapsed_s), state.jobs.iter().map(|job| job.steps).sum());
        self.bar.set_position(steps);
        let percent = 100 * steps / (state.jobs.len() as u64 * STEPS).max(1);
        if let Some(log) = state.log.as_mut().filter(|log| elapsed_s >= log.next_s) {
            log.next_s = elapsed_s + LINE_EVERY_S;
            // Whoever closed the log does not want it.
            let _ =
                writeln!(log.to, "{percent} %  {message}, {} left", HumanDuration(self.bar.eta()));
        }
        self.bar.set_message(message);
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
        self.show(&mut state);
    }

    fn end(&self, job: usize) {
        let mut state = self.state();
        state.jobs[job].steps = STEPS;
        state.done += 1;
        self.show(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_share_done_is_that_of_packets_acknowledged() {
        let bar = Bar::new(2, ProgressDrawTarget::hidden(), None);
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

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_log_gets_a_line_when_it_is_due_and_then_none_for_a_while() {
        let lines = Lines::default();
        let bar = Bar::new(4, ProgressDrawTarget::hidden(), Some(Box::new(lines.clone())));
        bar.end(0);
        assert!(lines.0.lock().unwrap().is_empty());
        bar.state().log.as_mut().unwrap().next_s = 0.0;
        bar.end(1);
        bar.end(2);
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert!(text.starts_with("50 %  2 of 4 runs, "), "{text}");
        assert!(text.ends_with(" left\n") && text.lines().count() == 1, "{text}");
    }
}
