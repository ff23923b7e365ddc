//! What is printed: one row a workload, one column a contender.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::measure::{Cell, Figure};

/// Every contender in the order in which they first appear.
fn columns(cells: &[Cell]) -> Vec<&'static str> {
    let mut columns = Vec::new();
    for cell in cells {
        if !columns.contains(&cell.contender) {
            columns.push(cell.contender);
        }
    }
    columns
}

fn rows(cells: &[Cell]) -> Vec<&str> {
    let mut rows: Vec<&str> = Vec::new();
    for cell in cells {
        if !rows.contains(&cell.workload.as_str()) {
            rows.push(&cell.workload);
        }
    }
    rows
}

/// Three digits that count.
fn digits(value: f64) -> String {
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}

fn value(figure: &Figure) -> String {
    let Figure { value, unit, .. } = *figure;
    match unit {
        "ns" if value >= 999_500.0 => format!("{} ms", digits(value / 1e6)),
        "ns" if value >= 999.5 => format!("{} µs", digits(value / 1e3)),
        "ns" => format!("{} ns", digits(value)),
        "B" => format!("{value:.0} B"),
        "x" => format!("{value:.2}"),
        _ => format!("{value:.1}"),
    }
}

fn ratio(figure: &Figure) -> String {
    match figure.ratio {
        Some(ratio) if ratio < 0.01 => format!(" ×{ratio:.4}"),
        Some(ratio) if ratio < 0.1 => format!(" ×{ratio:.3}"),
        Some(ratio) => format!(" ×{}", digits(ratio)),
        None => String::new(),
    }
}

/// The cells of one workload on one line.
pub fn progress(cells: &[Cell]) -> String {
    let name = cells.first().map(|cell| cell.workload.clone()).unwrap_or_default();
    cells.iter().fold(name, |mut line, cell| {
        let _ = match &cell.figure {
            Ok(own) => write!(line, " | {} {}{}", cell.contender, value(own), ratio(own)),
            Err(reason) => write!(line, " | {}: {}", cell.contender, first_line(reason)),
        };
        line
    })
}

fn first_line(reason: &str) -> &str {
    reason.lines().next().unwrap_or_default()
}

/// A table of all cells, and why some are empty.
pub fn markdown(cells: &[Cell]) -> String {
    let columns = columns(cells);
    let mut text = format!("| workload | {} |\n|---|", columns.join(" | "));
    text.push_str(&"---:|".repeat(columns.len()));
    text.push('\n');
    let mut notes: Vec<&str> = Vec::new();
    for row in rows(cells) {
        let _ = write!(text, "| {row} |");
        for column in &columns {
            let own = cells.iter().find(|own| own.workload == row && own.contender == *column);
            let _ = match own.map(|own| &own.figure) {
                None => write!(text, " |"),
                Some(Ok(figure)) => write!(text, " {}{} |", value(figure), ratio(figure)),
                Some(Err(reason)) => {
                    let reason = first_line(reason);
                    let known = notes.iter().position(|own| *own == reason);
                    let number = known.unwrap_or_else(|| {
                        notes.push(reason);
                        notes.len() - 1
                    });
                    write!(text, " – ({}) |", number + 1)
                }
            };
        }
        text.push('\n');
    }
    for (number, note) in (1..).zip(notes) {
        let _ = write!(text, "\n({number}) {note}");
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// What was measured where.
pub fn heading() -> String {
    let machine = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = machine.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map(|own| own.trim_start_matches([' ', '\t', ':'])).unwrap_or("a machine");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let versions: Vec<String> = versions().map(|(name, own)| format!("{name} {own}")).collect();
    let rustc = std::process::Command::new("rustc").arg("-V").output();
    let rustc = rustc.map(|own| String::from_utf8_lossy(&own.stdout).trim().to_owned());
    let rustc = rustc.unwrap_or_default();
    format!("{cores} cores of {model}, {rustc}; {}", versions.join(", "))
}

/// The versions of the contenders in the lock file.
fn versions() -> impl Iterator<Item = (&'static str, &'static str)> {
    const LOCK: &str = include_str!("../Cargo.lock");
    const NAMED: [&str; 6] =
        ["oar-engine", "aho-corasick", "zen-expression", "cel", "cedar-policy", "regorus"];
    NAMED.into_iter().filter_map(|name| {
        let (_, behind) = LOCK.split_once(&format!("name = \"{name}\"\nversion = \""))?;
        Some((name, behind.split_once('"')?.0))
    })
}

/// The same as one JSON document.
pub fn json(cells: &[Cell]) -> Json {
    let cells: Vec<Json> = cells.iter().map(Cell::json).collect();
    json!({"machine": heading(), "cells": cells})
}
