//! A running engine: lines in, lines out, and its log.
//!
//! Each pipe has a thread of its own, so that neither an engine that does not read nor one that
//! writes without end can stop the runner. The threads end when the pipes do.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest answer: far beyond any report, and a bound for an engine that writes no line break.
const LONGEST_LINE: usize = 64 << 20;

/// How much of the log is kept: its end.
const LOG_KEPT: usize = 16 << 10;

/// How long an engine that was told to end, or whose output ended, may take for it.
const GRACE: Duration = Duration::from_secs(1);

/// Why there is no line.
pub(super) enum Silence {
    /// None came in time.
    Late,
    /// None can come any more.
    Ended,
    /// What came is no line of text.
    Garbled(String),
}

pub(super) struct Process {
    child: Child,
    requests: Option<Sender<String>>,
    lines: Receiver<Result<String, String>>,
    log: Arc<Mutex<Vec<u8>>>,
}

impl Process {
    /// Starts `command` through the shell.
    pub(super) fn start(command: &str) -> Result<Self, String> {
        let mut shell = shell(command);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            shell.spawn().map_err(|error| format!("`{command}` cannot be started: {error}"))?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let (requests, to_write) = mpsc::channel();
        let (to_report, lines) = mpsc::channel();
        if let Some(stdin) = child.stdin.take() {
            thread::spawn(move || write_lines(stdin, &to_write));
        }
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read_lines(stdout, &to_report));
        }
        if let Some(stderr) = child.stderr.take() {
            let log = Arc::clone(&log);
            thread::spawn(move || keep_log(stderr, &log));
        }
        Ok(Self { child, requests: Some(requests), lines, log })
    }

    /// Sends `line`. That the engine is gone shows when its answer is waited for.
    pub(super) fn send(&self, line: String) {
        if let Some(requests) = &self.requests {
            let _ = requests.send(line);
        }
    }

    /// The next line, which must come within `limit`.
    pub(super) fn line(&self, limit: Duration) -> Result<String, Silence> {
        match self.lines.recv_timeout(limit) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(detail)) => Err(Silence::Garbled(detail)),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Ended),
        }
    }

    /// How the engine ended, after its output did.
    pub(super) fn end(&mut self) -> String {
        match self.wait(GRACE) {
            Some(status) => format!("the engine ended: {}", told(status)),
            None => "the engine closed its output".to_owned(),
        }
    }

    /// Ends the engine and everything that it started.
    pub(super) fn kill(&mut self) {
        self.requests = None;
        kill_group(&mut self.child);
        // Reaps it; that it was reaped already is no trouble.
        let _ = self.child.wait();
        // What it logged last is on its way through the pipe.
        thread::sleep(Duration::from_millis(20));
    }

    /// What it logged since this was asked last, or the end of it.
    pub(super) fn take_log(&self) -> String {
        let log = std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&log).into_owned()
    }

    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }
}

/// The end of its input tells an engine to end; one that does not is made to.
impl Drop for Process {
    fn drop(&mut self) {
        self.requests = None;
        if self.wait(GRACE).is_none() {
            kill_group(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

fn told(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => status.to_string(),
    }
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut shell = Command::new("sh");
    // A group of its own, so that what the engine started ends with it.
    shell.arg("-c").arg(command).process_group(0);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C").arg(command);
    shell
}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // That nobody is left in the group is what is wanted.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

fn write_lines(mut stdin: ChildStdin, requests: &Receiver<String>) {
    while let Ok(mut line) = requests.recv() {
        line.push('\n');
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: ChildStdout, lines: &Sender<Result<String, String>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut bytes = Vec::new();
        let mut part = stdout.by_ref().take(LONGEST_LINE as u64);
        let line = match part.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) if bytes.len() >= LONGEST_LINE => {
                Err(format!("a line is longer than {} MiB", LONGEST_LINE >> 20))
            }
            Ok(_) => String::from_utf8(bytes).map_err(|_| "the line is not UTF-8".to_owned()),
        };
        let is_over = line.is_err();
        if lines.send(line).is_err() || is_over {
            return;
        }
    }
}

fn keep_log(mut stderr: ChildStderr, log: &Mutex<Vec<u8>>) {
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut part) {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend(part.iter().take(count));
        let surplus = log.len().saturating_sub(LOG_KEPT);
        log.drain(..surplus);
    }
}
