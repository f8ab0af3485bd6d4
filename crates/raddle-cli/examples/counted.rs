//! Runs of `raddle bench --once` under a counter of instructions, for `.ci/instructions`.
//!
//! A counter such as valgrind's translates what a program executes, and tells its count when a process
//! ends. Both are paid once here: cases run in forks of one process, which has translated what they have
//! in common, and a fork that ends at once tells the count so far.
//!
//! A line of the input is a case: its word, the setting of the shorter run and that of the longer one,
//! then further settings, with tabs between. The output begins with what the first case's shorter run
//! gives, which has the program translated. Then it has six lines a case: its word; the number of a
//! process; what the shorter run gives; another process; the longer run; the last process. What those
//! processes counted is the case's count before, between and after its runs.

#![cfg_attr(unix, expect(clippy::print_stdout, reason = "its output is what the script reads"))]

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    cases::run()
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod cases {
    use std::process::ExitCode;

    pub(super) fn run() -> ExitCode {
        let mut warm = false;
        for line in std::io::stdin().lines() {
            let Ok(line) = line else { return ExitCode::FAILURE };
            let words: Vec<_> = line.split('\t').collect();
            let [case, shorter, longer, settings @ ..] = &words[..] else {
                return ExitCode::FAILURE;
            };
            if !warm {
                once(case, shorter, settings);
                warm = true;
            }
            let case = || {
                println!("{case}");
                mark();
                once(case, shorter, settings);
                mark();
                once(case, longer, settings);
                mark();
            };
            if fork(case).is_none_or(|(_, done)| !done) {
                return ExitCode::FAILURE;
            }
        }
        ExitCode::SUCCESS
    }

    /// Prints what `raddle bench --once` does.
    fn once(case: &str, setting: &str, settings: &[&str]) {
        let mut arguments = vec!["raddle", "bench", "--once", case];
        for setting in settings.iter().chain([&setting]) {
            arguments.extend(["--set", setting]);
        }
        if raddle_cli::main_of(arguments.into_iter().map(Into::into)) != 0 {
            std::process::exit(1);
        }
    }

    /// Has the count so far told, and prints the number of the process that tells it.
    fn mark() {
        match fork(|| {}) {
            Some((process, true)) => println!("{process}"),
            _ => std::process::exit(1),
        }
    }

    /// Does something in a fork of this process, which ends then: its number and whether it ended well.
    fn fork(work: impl FnOnce()) -> Option<(i32, bool)> {
        // SAFETY: this process has one thread, so whatever another could hold is free in the fork.
        let process = unsafe { libc::fork() };
        if process == 0 {
            work();
            // SAFETY: ends the process, without what others of its kind will do once more.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: `status` outlives the call.
        let waited = unsafe { libc::waitpid(process, &raw mut status, 0) };
        (process > 0 && waited == process).then_some((process, status == 0))
    }
}
