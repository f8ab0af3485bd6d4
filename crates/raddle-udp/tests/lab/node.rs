//! A network namespace, and the thread that lives in it.

use rustix::thread::{UnshareFlags, gettid, unshare_unsafe};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

type Job = Box<dyn FnOnce() + Send>;

/// A machine of the lab: what runs in it sees its links alone. It ends with its thread, and its links
/// with it.
pub(crate) struct Node {
    /// By which `ip` finds its namespace.
    pub(crate) thread: i32,
    jobs: Option<Sender<Job>>,
    handle: Option<JoinHandle<()>>,
}

impl Node {
    /// A namespace of its own, if that is allowed here.
    pub(crate) fn new() -> Result<Self, String> {
        let (told, tell) = channel();
        let (jobs, todo) = channel::<Job>();
        let handle = thread::spawn(move || {
            // SAFETY: the thread has a network of its own from here on; files and memory stay shared.
            let alone = unsafe { unshare_unsafe(UnshareFlags::NEWNET) };
            let own =
                alone.map(|()| gettid().as_raw_nonzero().get()).map_err(|why| why.to_string());
            let lives = own.is_ok();
            if told.send(own).is_ok() && lives {
                todo.into_iter().for_each(|job| job());
            }
        });
        let thread = tell.recv().map_err(|why| why.to_string())??;
        Ok(Self { thread, jobs: Some(jobs), handle: Some(handle) })
    }

    /// Begins to do something in it; the answer comes when it is done.
    pub(crate) fn start<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Receiver<T> {
        let (told, tell) = channel();
        let job = Box::new(move || _ = told.send(job()));
        self.jobs.as_ref().expect("it lives").send(job).expect("its thread lives");
        tell
    }

    /// Runs a program in it, with these lines as its input.
    pub(crate) fn program(&self, name: &'static str, lines: &[String]) -> Result<(), String> {
        let input = lines.join("\n") + "\n";
        let done = self.start(move || run(name, &input));
        done.recv().map_err(|why| why.to_string())?
    }

    /// What a program in it says.
    pub(crate) fn ask(&self, name: &'static str, words: &str) -> Result<String, String> {
        let words: Vec<String> = words.split(' ').map(String::from).collect();
        let done = self.start(move || {
            let out = Command::new(name).args(&words).output();
            out.map(|out| String::from_utf8_lossy(&out.stdout).into_owned())
        });
        let answer = done.recv().map_err(|why| why.to_string())?;
        answer.map_err(|why| format!("{name}: {why}"))
    }

    /// Sets one of the kernel's settings of its network.
    pub(crate) fn set(&self, key: &'static str, value: &'static str) -> Result<(), String> {
        let done = self.start(move || std::fs::write(format!("/proc/sys/net/{key}"), value));
        let answer = done.recv().map_err(|why| why.to_string())?;
        answer.map_err(|why| format!("{key}: {why}"))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(handle) = self.handle.take() {
            _ = handle.join();
        }
    }
}

fn run(name: &str, input: &str) -> Result<(), String> {
    let told = |why: std::io::Error| format!("{name}: {why}");
    let mut child = Command::new(name)
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(told)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(told)?;
    }
    let out = child.wait_with_output().map_err(told)?;
    match out.status.success() {
        true => Ok(()),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&out.stderr).trim())),
    }
}
