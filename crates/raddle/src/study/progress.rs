//! How far the runs are: a line that changes on a terminal, a line a minute in a log.

use super::run::Meter;
use super::text::short;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use raddle_schemes::units::Time;
use raddle_sim::record::Progress;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Steps of the bar, and of each job.
const STEPS: u64 = 10_000;

/// Seconds between two lines of a log.
const LINE_EVERY_S: f64 = 60.0;

/// A line: runs done, simulated time, packet-hops per second, time left. The share that is done is
/// that of data packets acknowledged. Runs that have not begun are taken for the mean of those that
/// have; runs that were there already count for nothing.
pub struct Bar {
    bar: ProgressBar,
    state: Mutex<State>,
    draw: Option<Draw>,
}

/// Draws the line somewhere else: the share that is done, and what stands beside it.
pub type Draw = Box<dyn Fn(f64, &str) + Send + Sync>;

struct State {
    jobs: Vec<JobState>,
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
    /// Data packets to send, once it has begun.
    packets: Option<u64>,
    steps: u64,
    packet_hops: u64,
    ended: bool,
}

impl Bar {
    /// Standard error: one line where that is a terminal, else a new one a minute.
    pub fn on_stderr(jobs: usize) -> Self {
        let target = ProgressDrawTarget::stderr();
        let to_log = target.is_hidden().then(|| Box::new(std::io::stderr()) as _);
        Self::new(jobs, target, to_log)
    }

    /// Where `draw` draws it.
    pub fn drawn(jobs: usize, draw: Draw) -> Self {
        Self { draw: Some(draw), ..Self::new(jobs, ProgressDrawTarget::hidden(), None) }
    }

    fn new(jobs: usize, target: ProgressDrawTarget, log: Option<Box<dyn Write + Send>>) -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        let log = log.map(|to| Log { to, next_s: LINE_EVERY_S });
        let state = State { jobs: vec![JobState::default(); jobs], now: Time::ZERO, log };
        Self { bar, state: Mutex::new(state), draw: None }
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
        let share = state.share();
        let message = format!("{}{}", state.message(elapsed_s), left(share, elapsed_s));
        self.bar.set_position((share * STEPS as f64) as u64);
        if let Some(log) = state.log.as_mut().filter(|log| elapsed_s >= log.next_s) {
            log.next_s = elapsed_s + LINE_EVERY_S;
            // Whoever closed the log does not want it.
            let _ = writeln!(log.to, "{:.0} %  {message}", (share * 100.0).floor());
        }
        if let Some(draw) = &self.draw {
            draw(share, &message);
        }
        self.bar.set_message(message);
    }
}

impl State {
    /// What is done of all that is to do; 0 as long as nothing has begun.
    fn share(&self) -> f64 {
        let weight = |job: &JobState| job.packets.unwrap_or(0).max(1) as f64;
        let begun = || self.jobs.iter().filter(|job| job.packets.is_some());
        let all: f64 = begun().map(weight).sum();
        let count = begun().count();
        if count == 0 {
            return 0.0;
        }
        let waiting = self.jobs.iter().filter(|job| job.packets.is_none() && !job.ended).count();
        let done: f64 = begun().map(|job| weight(job) * job.steps as f64 / STEPS as f64).sum();
        done / (all * (1.0 + waiting as f64 / count as f64))
    }

    fn message(&self, elapsed_s: f64) -> String {
        let hops: u64 = self.jobs.iter().map(|job| job.packet_hops).sum();
        let rate = if elapsed_s > 0.0 { hops as f64 / elapsed_s } else { 0.0 };
        let runs = match self.jobs.len() {
            1 => String::new(),
            jobs => {
                let ended = self.jobs.iter().filter(|job| job.ended).count();
                let of_models = self.jobs.iter().all(|job| job.packets.is_none_or(|n| n == 1));
                if hops == 0 && of_models {
                    // Models send no packets: what there is, is how many of them have answered.
                    let a_minute =
                        if elapsed_s > 0.0 { ended as f64 * 60.0 / elapsed_s } else { 0.0 };
                    return format!("{ended} of {jobs}, {} a minute", short(a_minute));
                }
                format!("{ended} of {jobs} runs, ")
            }
        };
        format!("{runs}{:.1} us simulated, {} packet-hops/s", self.now.as_us(), short(rate))
    }
}

/// The time left, if what is done tells it.
fn left(share: f64, elapsed_s: f64) -> String {
    if share <= 0.0 {
        return String::new();
    }
    let left = Duration::from_secs_f64(elapsed_s * (1.0 - share).max(0.0) / share);
    format!(", {} left", HumanDuration(left))
}

impl Meter for Bar {
    fn begin(&self, job: usize, packets: u64) {
        self.state().jobs[job].packets = Some(packets);
    }

    fn progress(&self, job: usize, progress: &Progress) {
        let mut state = self.state();
        let job = &mut state.jobs[job];
        let steps = u128::from(progress.packets_acked) * u128::from(STEPS);
        let packets = job.packets.unwrap_or(0).max(1);
        job.steps = (steps / u128::from(packets)).min(u128::from(STEPS)) as u64;
        job.packet_hops = progress.packet_hops;
        state.now = progress.now;
        self.show(&mut state);
    }

    fn end(&self, job: usize) {
        let mut state = self.state();
        state.jobs[job].steps = STEPS;
        state.jobs[job].ended = true;
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
        let shares = |share: f64| assert!((bar.state().share() - share).abs() < 1e-9, "{share}");
        bar.progress(0, &progress);
        shares(50.0 / 300.0);
        bar.progress(1, &progress);
        shares(100.0 / 300.0);
        bar.end(0);
        shares(250.0 / 300.0);
        assert_eq!(bar.bar.position(), STEPS * 5 / 6);
        assert_eq!(
            bar.state().message(0.001),
            "1 of 2 runs, 50.0 us simulated, 2.00 M packet-hops/s"
        );
    }

    #[test]
    fn runs_to_come_are_like_those_that_began_and_kept_ones_are_nothing() {
        let bar = Bar::new(4, ProgressDrawTarget::hidden(), None);
        bar.end(0);
        assert_eq!(bar.state().share(), 0.0);
        bar.begin(1, 100);
        bar.end(1);
        assert!((bar.state().share() - 1.0 / 3.0).abs() < 1e-9);
        // Ten times as large: of 1100 known and as much again per run to come.
        bar.begin(2, 1000);
        assert!((bar.state().share() - 100.0 / 1650.0).abs() < 1e-9);
    }

    #[test]
    fn a_line_is_drawn_where_it_is_asked_for() {
        let drawn = Arc::new(Mutex::new(Vec::new()));
        let own = Arc::clone(&drawn);
        let draw = move |share: f64, text: &str| own.lock().unwrap().push((share, text.to_owned()));
        let bar = Bar::drawn(2, Box::new(draw));
        bar.begin(0, 10);
        bar.end(0);
        let drawn = drawn.lock().unwrap();
        assert!(
            matches!(&drawn[..], [(share, text)] if *share == 0.5 && text.starts_with("1 of 2"))
        );
    }

    #[test]
    fn models_are_counted_and_timed() {
        let bar = Bar::new(4, ProgressDrawTarget::hidden(), None);
        bar.begin(0, 1);
        bar.end(0);
        assert!((bar.state().share() - 0.25).abs() < 1e-9);
        assert_eq!(bar.state().message(30.0), "1 of 4, 2 a minute");
    }

    #[test]
    fn the_time_left_follows_the_share() {
        assert_eq!(left(0.0, 10.0), "");
        assert_eq!(left(0.25, 60.0), ", 3 minutes left");
        assert_eq!(left(1.0, 60.0), ", 0 seconds left");
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
        (0..3).for_each(|job| bar.begin(job, 10));
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
