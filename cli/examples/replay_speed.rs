//! How long `oar replay` takes, beside reading and parsing the log alone.
//!
//! usage: cargo build --release -p oar-cli && cargo run --release -p oar-cli --example `replay_speed` -- [OCCURRENCES]
//!
//! Writes a log of records (a million, if not said) for a pack that detects repeated calls, in
//! sessions of 200, and times both in turn, five times. Prints medians and the median ratio.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use oar_engine::audit::Chain;
use serde_json::{Value, json};

type Done<T> = Result<T, Box<dyn std::error::Error>>;

const CAPABILITY: &str = "
oar_capability_version: '1.0'
host: acme
anchors:
  core: {tool.pre_invoke: before_tool}
  unsupported: [tool.handler, tool.post_invoke, agent.post_turn, agent.finalize, model.input, model.output, model.tool_result]
profiles: [tool]
activity_window: 8
detectors: []
expression_nodes_max: 256
supports_transform: false
";

const RULES: &str = "
oar: '1.0'
id: TALLY
kind: schema
anchor: tool.pre_invoke
requires: {profiles: [tool]}
counter_scope: tool_args_fingerprint
effect: allow
on_fire: [increment_counter]
---
oar: '1.0'
id: SLOW_DOWN
kind: policy
anchor: tool.pre_invoke
requires: {profiles: [tool]}
when: fire_count_of('TALLY') >= 3 && fire_count_of('TALLY') < 10
effect: nudge
copy: {what: This call was made before with the same arguments.}
---
oar: '1.0'
id: LOOP
kind: policy
anchor: tool.pre_invoke
requires: {profiles: [tool]}
when: fire_count_of('TALLY') >= 10
effect: block
copy: {what: This call is made over and over.}
";

const IN_SESSION: usize = 200;
const ROUNDS: usize = 5;

/// Writes the log; a call in five repeats the one before it.
fn write(path: &Path, count: usize) -> Done<()> {
    let mut log = BufWriter::new(File::create(path)?);
    let mut chain = Chain::new();
    for number in 0..count {
        let call = number - number % 5 / 4;
        let record = json!({
            "time": format!("2026-05-04T{:02}:{:02}:{:02}Z", number / 3600 % 24, number / 60 % 60, number % 60),
            "session": format!("session-{}", number / IN_SESSION),
            "anchor": "before_tool", "facts": {},
            "tool_call": {"name": "read_file", "arguments": {"path": format!("src/part_{call}.rs"), "limit": 200}},
        });
        writeln!(log, "{}", chain.link(&record)?)?;
    }
    log.flush()?;
    Ok(())
}

/// Reads every line and parses it to a value.
fn parsed(path: &Path) -> Done<Duration> {
    let begun = Instant::now();
    let mut log = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut line = Vec::new();
    while log.read_until(b'\n', &mut line)? > 0 {
        let value: Value = serde_json::from_slice(&line)?;
        std::hint::black_box(value);
        line.clear();
    }
    Ok(begun.elapsed())
}

fn replayed(oar: &Path, directory: &Path) -> Done<Duration> {
    let begun = Instant::now();
    let mut command = Command::new(oar);
    command.args(["replay", "--rules", "pack", "log.jsonl"]).current_dir(directory);
    let status = command.stdout(Stdio::null()).stderr(Stdio::inherit()).status()?;
    match status.success() {
        true => Ok(begun.elapsed()),
        false => Err(format!("oar ended with {status}").into()),
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

fn main() -> Done<()> {
    let count = std::env::args().nth(1).map_or(Ok(1_000_000), |count| count.parse())?;
    let own = std::env::current_exe()?;
    let built = own.parent().and_then(Path::parent).ok_or("no directory of programs")?;
    let oar = built.join("oar");
    let directory = tempfile::tempdir()?;
    let pack = directory.path().join("pack");
    std::fs::create_dir(&pack)?;
    std::fs::write(pack.join("capability.yaml"), CAPABILITY)?;
    std::fs::write(pack.join("rules.yaml"), RULES)?;
    let log = directory.path().join("log.jsonl");
    write(&log, count)?;
    let (mut alone, mut whole, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (parse, replay) =
            (parsed(&log)?.as_secs_f64(), replayed(&oar, directory.path())?.as_secs_f64());
        alone.push(parse);
        whole.push(replay);
        ratios.push(replay / parse);
    }
    let bytes = std::fs::metadata(&log)?.len();
    println!("{count} occurrences, {bytes} bytes, {ROUNDS} rounds, medians");
    println!("read and parse alone: {:.3} s", median(alone));
    println!("oar replay:           {:.3} s, {:.2} x", median(whole), median(ratios));
    Ok(())
}
