//! What the cases of a pack exercise, and what they leave out.
//!
//! There is a point for each rule that was selected, that fired, and, where it can, that passed;
//! and one for each operand of `&&`, `||` and `? :` that decided its operation at least once.

use std::collections::{BTreeMap, BTreeSet};

use oar_engine::decide::{End, RuleExplanation, TraceOutcome};
use oar_engine::document::rule::Enforcement;
use oar_engine::load::RuleTexts;
use oar_engine::{RuleSet, diagnostic::Location};
use oar_expr::{BinaryOperator, CameTo, NodeKind};

use crate::output::{DOUBT, GOOD, HEAD, Output, counted, styled};

/// The coverage of the rules of one pack.
#[derive(Default)]
pub(super) struct Coverage {
    rules: BTreeMap<String, RuleCoverage>,
}

#[derive(Default)]
struct RuleCoverage {
    place: String,
    when: Option<String>,
    can_pass: bool,
    selected: bool,
    fired: bool,
    passed: bool,
    /// The operands of the condition: their places, and whether they decided.
    operands: BTreeMap<(u32, u32), bool>,
}

impl Coverage {
    /// Takes up the rules of a pack, none of them exercised yet.
    pub(super) fn enter(&mut self, rules: &RuleSet, texts: &RuleTexts) {
        for rule in rules.rules().filter(|rule| rule.enforcement() != Enforcement::Off) {
            let Some(text) = texts.get(rule.qualified()) else { continue };
            let entry = self.rules.entry(rule.qualified().to_owned()).or_default();
            let Location { file, span, .. } = text.location();
            let line = file.line_column(span.start).line;
            entry.place = format!("{}:{line}", file.name());
            entry.can_pass = text.when().is_some() || text.has_flow();
            entry.when = text.when().map(str::to_owned);
            let operands = text.when().map(operands).unwrap_or_default();
            for operand in operands {
                entry.operands.entry(operand).or_default();
            }
        }
    }

    /// Counts what one occurrence exercised.
    pub(super) fn count(&mut self, explained: &[RuleExplanation<'_>]) {
        for explanation in explained {
            let Some(entry) = self.rules.get_mut(explanation.rule.qualified()) else { continue };
            entry.selected |= explanation.places.is_some();
            match explanation.end {
                End::Traced(TraceOutcome::Fired | TraceOutcome::MonitoredFired) => {
                    entry.fired = true
                }
                End::Traced(TraceOutcome::Passed | TraceOutcome::MonitoredPassed) => {
                    entry.passed = true;
                }
                _ => {}
            }
            let Some(condition) = &explanation.condition else { continue };
            let ast = condition.explanation.ast();
            for (_, kind, came_to) in condition.explanation.steps() {
                if !matches!(came_to, CameTo::Value(_)) {
                    continue;
                }
                let came_to = |id| condition.explanation.came_to(id);
                let evaluated = |id| matches!(came_to(id), Some(CameTo::Value(_)));
                let decider = match kind {
                    NodeKind::Binary {
                        operator: BinaryOperator::And | BinaryOperator::Or,
                        left,
                        right,
                    } => Some(if evaluated(right) { right } else { left }),
                    NodeKind::Ternary { first, second, .. } => {
                        Some(if evaluated(first) { first } else { second })
                    }
                    _ => None,
                };
                if let Some(node) = decider.and_then(|id| ast.node(id)) {
                    entry.operands.insert((node.span.start, node.span.end), true);
                }
            }
        }
    }

    /// The points reached, and all there are.
    fn points(&self) -> (usize, usize) {
        let (mut reached, mut all) = (0, 0);
        let mut point = |is_reached: bool| {
            all += 1;
            reached += usize::from(is_reached);
        };
        for rule in self.rules.values() {
            point(rule.selected);
            point(rule.fired);
            if rule.can_pass {
                point(rule.passed);
            }
            rule.operands.values().for_each(|decided| point(*decided));
        }
        (reached, all)
    }
}

/// The places of the operands of `&&`, `||` and `? :`.
fn operands(when: &str) -> BTreeSet<(u32, u32)> {
    let Ok(ast) = oar_expr::parse(when) else { return BTreeSet::new() };
    let pairs = ast.nodes().iter().filter_map(|node| match node.kind {
        NodeKind::Binary { operator: BinaryOperator::And | BinaryOperator::Or, left, right } => {
            Some([left, right])
        }
        NodeKind::Ternary { first, second, .. } => Some([first, second]),
        _ => None,
    });
    let spans = pairs.flatten().filter_map(|id| ast.node(id)).map(|node| node.span);
    spans.map(|span| (span.start, span.end)).collect()
}

/// Writes the coverage of all packs; answers with the percentage, rounded down.
pub(super) fn write(packs: &[Coverage], output: &mut Output) -> usize {
    let (mut reached, mut all) = (0, 0);
    for pack in packs {
        let (own, of) = pack.points();
        reached += own;
        all += of;
    }
    let percent = (reached * 100).checked_div(all).unwrap_or(100);
    let style = if reached == all { GOOD } else { DOUBT };
    let rules: usize = packs.iter().map(|pack| pack.rules.len()).sum();
    output.text("\n");
    output.line(&format!(
        "{} of {} ({reached} of {} reached)",
        styled(style, &format!("coverage {percent}%")),
        counted(rules, "rule"),
        counted(all, "point")
    ));
    for (name, rule) in packs.iter().flat_map(|pack| &pack.rules) {
        missing(name, rule, output);
    }
    percent
}

fn missing(name: &str, rule: &RuleCoverage, output: &mut Output) {
    let mut never = Vec::new();
    if !rule.selected {
        never.push("selected");
    } else {
        if !rule.fired {
            never.push("fired");
        }
        if rule.can_pass && !rule.passed {
            never.push("passed");
        }
    }
    let operands: Vec<&(u32, u32)> =
        rule.operands.iter().filter(|(_, decided)| !**decided).map(|(span, _)| span).collect();
    if never.is_empty() && operands.is_empty() {
        return;
    }
    output.line(&format!("  {} ({})", styled(HEAD, name), rule.place));
    if !never.is_empty() {
        output.line(&format!("    never {}", never.join(", never ")));
    }
    // Of a rule that is never selected, every operand is left out.
    if !rule.selected {
        return;
    }
    let when = rule.when.as_deref().unwrap_or_default();
    for (start, end) in operands {
        let text = when.get(*start as usize..*end as usize).unwrap_or_default();
        let text: Vec<&str> = text.split_whitespace().collect();
        output.line(&format!("    never decided: {}", text.join(" ")));
    }
}
