//! The targets of this engine, read from the cells of a run.

use std::fmt::Write as _;

use crate::contender::OURS;
use crate::measure::{Cell, Figure};

struct Cells<'a>(&'a [Cell]);

impl Cells<'_> {
    fn figure(&self, workload: &str, contender: &str) -> Option<Figure> {
        let own = |cell: &&Cell| cell.workload == workload && cell.contender == contender;
        self.0.iter().find(own)?.figure.as_ref().ok().copied()
    }

    fn ratio(&self, workload: &str) -> Option<f64> {
        self.figure(workload, OURS)?.ratio
    }

    fn value(&self, workload: &str, contender: &str) -> Option<f64> {
        Some(self.figure(workload, contender)?.value)
    }

    fn growth(&self, from: &str, to: &str, contender: &str) -> Option<f64> {
        Some(self.value(to, contender)? / self.value(from, contender)?)
    }
}

/// Each target: what it is about, how much is allowed, what was measured.
fn all(cells: &Cells<'_>) -> Vec<(String, f64, Option<f64>)> {
    let mut all = Vec::new();
    let mut target = |name: &str, most: f64, measured: Option<f64>| {
        all.push((name.to_owned(), most, measured));
    };
    for count in ["10", "100", "1,000", "10,000", "100,000"] {
        let workload = format!("select {count}");
        target(&format!("{workload}, decision and trace, × native"), 3.0, cells.ratio(&workload));
    }
    let growth = |contender| cells.growth("select 10", "select 100,000", contender);
    let beside = growth(OURS).zip(growth("native")).map(|(own, native)| own / native);
    target("select, growth from 10 to 100,000, × native's", 1.3, beside);
    let fires = |which: &str| format!("select 1,000, allocations, {which}");
    target("allocations, nothing fires", 0.0, cells.value(&fires("nothing fires"), OURS));
    target("allocations, one rule without copy fires", 4.0, cells.value(&fires("one fires"), OURS));
    let scan = "scan 1,000, the trace left unread";
    target("scan 1,000, whole trace read, × native", 0.25, cells.ratio("scan 1,000"));
    target("scan 1,000, trace left unread, × native", 0.25, cells.ratio(scan));
    let growth = cells.growth("scan 1,000", "scan 10,000", OURS);
    target("scan, 10,000 rules to 1,000, whole trace read", 4.0, growth);
    let growth = cells.growth(scan, "scan 10,000, the trace left unread", OURS);
    target("scan, 10,000 rules to 1,000, trace left unread", 4.0, growth);
    let expr = "expr, one condition of 20 nodes";
    let alone = format!("{expr}, evaluated alone");
    let to_zen = |row: &str| Some(cells.value(row, OURS)? / cells.value(expr, "zen")?);
    target("expr, a decision of the engine, × zen", 1.0 / 15.0, to_zen(expr));
    target("expr, evaluated alone, × zen", 1.0 / 15.0, to_zen(&alone));
    let json = "load 10,000 from JSON text, to `serde_json::Value` of it, a rule";
    target("load from JSON text, × `serde_json::Value`", 5.0, cells.ratio(json));
    let yaml = "load 10,000 from YAML text, to the events of saphyr-parser, a rule";
    target("load from YAML text, × the parser alone", 2.0, cells.ratio(yaml));
    let memory = |set: &str| format!("memory, {set} 10,000, heap a rule");
    target("memory of the select set, bytes a rule", 600.0, cells.value(&memory("select"), OURS));
    target("memory of the scan set, bytes a rule", 2500.0, cells.value(&memory("scan"), OURS));
    target("cold select 10,000, × native", 2.0, cells.ratio("cold, select 10,000"));
    let transform = "transform, 64 KiB, 200 spans, to counting the code points and one copy";
    target("transform 64 KiB, × counting and one copy", 3.0, cells.ratio(transform));
    let growth = cells.growth("transform, 16 KiB, 50 spans", "transform, 256 KiB, 800 spans", OURS);
    target("transform, 256 KiB and 800 spans to 16 KiB and 50 (16 is linear)", 17.6, growth);
    // At least, and so turned round.
    let threads = cells.ratio("threads, gain of two over one").map(|own| 1.0 / own);
    target("threads, native's gain of two over ours", 1.0 / 0.95, threads);
    all
}

/// A table of the targets that could be read.
pub fn markdown(cells: &[Cell]) -> String {
    let mut text = "| target | at most | measured | |\n|---|---:|---:|---|\n".to_owned();
    for (name, most, measured) in all(&Cells(cells)) {
        let Some(measured) = measured else { continue };
        let met = if measured <= most { "met" } else { "**missed**" };
        let _ = writeln!(text, "| {name} | {most:.3} | {measured:.3} | {met} |");
    }
    text
}
