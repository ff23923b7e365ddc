//! The engine beside hand-written Rust and other rule engines, in one process.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml` prints one Markdown table; `-- --help`
//! tells how to have less of it. Each contender is held against the truth before it is measured.
#![deny(unsafe_code)]

mod alloc;
mod contender;
mod counted;
mod measure;
mod native;
mod ours;
#[cfg(feature = "peers")]
mod peers;
mod spec;
mod table;
mod targets;
mod work;

use std::process::ExitCode;
use std::time::Duration;

use measure::{Cell, Effort};
use work::Settings;

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

const HELP: &str = "\
--only WORKLOAD      only workloads whose names begin so; may be given again
--contender NAME     only this one beside native; may be given again
--rounds N           interleaved rounds, 31 unless said
--batch MICROSECONDS how long a contender runs in a round, 1000 unless said
--json               one JSON document in place of the table
--targets            the targets of this engine and whether they are met, after the table
--repeat WORKLOAD    select, scan, expr or load of this engine alone, for callgrind";

struct Call {
    settings: Settings,
    json: bool,
    targets: bool,
    repeat: Option<String>,
}

fn main() -> ExitCode {
    let call = match read(std::env::args().skip(1)) {
        Ok(call) => call,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    if let Some(workload) = &call.repeat {
        return if counted::run(workload) { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    let mut all: Vec<Cell> = Vec::new();
    work::all(&call.settings, &mut |cells| {
        eprintln!("{}", table::progress(&cells));
        all.extend(cells);
    });
    if all.is_empty() {
        eprintln!("no workload is named so");
        return ExitCode::from(2);
    }
    if call.json {
        println!("{:#}", table::json(&all));
    } else {
        println!("{}\n\n{}", table::heading(), table::markdown(&all));
    }
    if call.targets {
        println!("{}", targets::markdown(&all));
    }
    // A contender that gives another answer is a fault of the bench or of that engine.
    let wrong = |own: &Cell| own.figure.as_ref().is_err_and(|why| why.starts_with("disagrees"));
    if all.iter().any(wrong) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn read(mut arguments: impl Iterator<Item = String>) -> Result<Call, String> {
    let effort = Effort { rounds: 31, batch: Duration::from_millis(1) };
    let settings = Settings { only: Vec::new(), contenders: Vec::new(), effort };
    let mut call = Call { settings, json: false, targets: false, repeat: None };
    while let Some(argument) = arguments.next() {
        let mut next = || arguments.next().ok_or_else(|| format!("`{argument}` wants a value"));
        match argument.as_str() {
            "--only" => call.settings.only.push(next()?),
            "--contender" => {
                let name = next()?;
                let all = contender::all();
                if !all.iter().any(|own| own.name == name) {
                    let names: Vec<_> = all.iter().map(|own| own.name).collect();
                    return Err(format!("`{name}` does not take part; {}", names.join(", ")));
                }
                call.settings.contenders.push(name);
            }
            "--rounds" => call.settings.effort.rounds = positive(&next()?)?,
            "--batch" => {
                let micros = u64::try_from(positive(&next()?)?).map_err(|own| own.to_string())?;
                call.settings.effort.batch = Duration::from_micros(micros);
            }
            "--json" => call.json = true,
            "--targets" => call.targets = true,
            "--repeat" => call.repeat = Some(next()?),
            "--help" => return Err(HELP.to_owned()),
            other => return Err(format!("`{other}` is no option\n{HELP}")),
        }
    }
    Ok(call)
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|own| *own > 0).ok_or_else(|| format!("`{text}` is not a count"))
}
