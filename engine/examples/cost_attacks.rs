//! How time and memory grow with hostile input: a table of sizes and times.
//!
//! ```sh
//! cargo run --release -p oar-engine --example cost_attacks [PART OF A NAME]
//! ```
//!
//! Each attack runs at n, 2n and 4n, each in a process of its own, whose largest memory is told
//! with the input in it. The growth is the exponent of the size that the times amount to: 1.0 is
//! linear. Times are those on the processor, the best of three. The last column is `!` where something did not end as it must or grew faster than n
//! log n within what can be measured; then the program fails.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "it is a program for people that may stop"
)]

#[path = "../tests/hostile/attacks/mod.rs"]
mod attacks;

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use attacks::{Attack, all, is_expected};

/// Three of four times are as short as this: growth is not told from them.
const TOO_SHORT: f64 = 0.004;
/// n log n from one size to four times as much grows by less than this power for all n over 1000;
/// the rest is for caches and for what else the machine does.
const GROWTH: f64 = 1.35;
/// How long one measurement may take.
const MOST: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, name, size] = arguments.as_slice()
        && mode == "--one"
    {
        return one(name, size.parse().expect("a size"));
    }
    let part = arguments.first().cloned().unwrap_or_default();
    println!(
        "| {:<58} | {:>9} | {:<12} | {:>9} | {:>9} | {:>9} | {:>6} | {:>8} | |",
        "attack", "n", "of", "ms at n", "at 2n", "at 4n", "growth", "MiB peak"
    );
    println!("|{0:-<60}|{0:-<10}:|{0:-<14}|{0:-<10}:|{0:-<10}:|{0:-<10}:|{0:-<7}:|{0:-<9}:|-|", "");
    let mut bad = 0;
    for attack in all().iter().filter(|attack| attack.name.contains(&part)) {
        bad += u32::from(!row(attack));
    }
    if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures an attack and prints its row; whether it is as it must be.
fn row(attack: &Attack) -> bool {
    let mut times = Vec::new();
    let mut peak = 0.0_f64;
    let mut wrong = None;
    for factor in [1, 2, 4] {
        let size = attack.size * factor;
        // The best of three: what else the machine does only adds.
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            // What does not end is not tried again.
            if wrong.is_some() {
                break;
            }
            match measured(attack.name, size) {
                Ok((time, memory, told)) => {
                    best = best.min(time);
                    peak = peak.max(memory);
                    if !is_expected(attack, size, &told) {
                        wrong = Some(told);
                    }
                }
                Err(reason) => wrong = Some(reason),
            }
        }
        times.push(best);
    }
    let growth = (times[2] / times[0]).log2() / 2.0;
    let (shown, grows) = if times[2] < TOO_SHORT {
        ("-".to_owned(), false)
    } else {
        (format!("{growth:.2}"), growth > GROWTH)
    };
    let good = wrong.is_none() && !grows;
    println!(
        "| {:<58} | {:>9} | {:<12} | {:>9.2} | {:>9.2} | {:>9.2} | {shown:>6} | {peak:>8.0} |{}|",
        attack.name,
        attack.size,
        attack.unit,
        times[0] * 1e3,
        times[1] * 1e3,
        times[2] * 1e3,
        if good { ' ' } else { '!' }
    );
    if let Some(told) = wrong {
        println!("|   ended in {told:?}, wanted {:?}", attack.ends);
    }
    good
}

/// Runs one attack in a process of its own: seconds, MiB, and what came of it.
fn measured(name: &str, size: usize) -> Result<(f64, f64, String), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args(["--one", name, &size.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if start.elapsed() > MOST {
            child.kill().map_err(|error| error.to_string())?;
            return Err(format!("stopped after {} s", MOST.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("crashed: {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut parts = text.trim_end().splitn(3, ' ');
    let mut number = || parts.next().and_then(|part| part.parse().ok()).ok_or("no answer");
    let (time, memory) = (number()?, number()?);
    Ok((time, memory, parts.next().unwrap_or_default().to_owned()))
}

/// One attack at one size, in this process.
fn one(name: &str, size: usize) -> ExitCode {
    let attacks = all();
    let attack = attacks.iter().find(|attack| attack.name == name).expect("an attack");
    let work = (attack.prepare)(size);
    let (start, before) = (Instant::now(), on_cpu());
    let told = work();
    let (time, after) = (start.elapsed().as_secs_f64(), on_cpu());
    let time = before.zip(after).map_or(time, |(before, after)| after - before);
    println!("{time} {} {}", peak(), told.replace('\n', " "));
    ExitCode::SUCCESS
}

/// The seconds for which this thread had a processor: what others do then is not in it. `None`
/// where the system does not tell it, and the clock has to do.
fn on_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

/// The largest memory that this process had, in MiB; 0 where the system does not tell it.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}
