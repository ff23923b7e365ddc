//! transform: multi-byte content and the spans of five rules; 64 KiB and 200 spans in the middle.
//!
//! No other engine changes content.

use std::hint::black_box;

use oar_engine::observe::{Anchor, JsonMap};
use oar_engine::{FactId, Host, Occurrence, Session};
use serde_json::{Value as Json, json};

use super::{Print, Settings};
use crate::contender::OURS;
use crate::measure::{Contender, prove, rounds};
use crate::ours::Ours;
use crate::spec::Random;

const RULES: usize = 5;

/// The spans of each rule, in code points; none touches another.
type Spans = Vec<Vec<(usize, usize)>>;

fn content(bytes: usize) -> String {
    let mut text =
        "größte Übersicht – naïve 東京 and plain ASCII words in between; ".repeat(bytes / 60);
    while text.len() > bytes {
        text.pop();
    }
    text
}

fn spans(points: usize, count: usize, random: &mut Random) -> Spans {
    let mut spans = vec![Vec::new(); RULES];
    let room = points / count;
    for number in 0..count {
        let start = number * room + random.below(room / 2);
        let end = start + 1 + random.below(room / 3);
        spans[random.below(RULES)].push((start, end));
    }
    spans
}

/// By hand: the spans in their order, and one pass over the content.
fn by_hand(text: &str, spans: &Spans) -> String {
    let mut all: Vec<(usize, usize)> = spans.iter().flatten().copied().collect();
    all.sort_unstable();
    let mut redacted = String::with_capacity(text.len());
    let (mut point, mut rest) = (0, text);
    for (start, end) in all {
        let (kept, behind) = rest.split_at(bytes(rest, start - point));
        redacted.push_str(kept);
        redacted.push_str("[REDACTED]");
        (point, rest) = (end, behind.split_at(bytes(behind, end - start)).1);
    }
    redacted.push_str(rest);
    redacted
}

/// The bytes of the first code points.
fn bytes(text: &str, points: usize) -> usize {
    text.char_indices().nth(points).map_or(text.len(), |(offset, _)| offset)
}

/// By definition: one code point after the other.
fn truth(text: &str, spans: &Spans) -> String {
    let mut spanned = vec![false; text.chars().count()];
    let mut first = spanned.clone();
    for (start, end) in spans.iter().flatten() {
        first[*start] = true;
        spanned[*start..*end].fill(true);
    }
    let mut redacted = String::new();
    for (point, char) in text.chars().enumerate() {
        if first[point] {
            redacted.push_str("[REDACTED]");
        }
        if !spanned[point] {
            redacted.push(char);
        }
    }
    redacted
}

struct Redacting {
    ours: Ours,
    anchor: Anchor,
    facts: Vec<FactId>,
    host: Host,
    session: Session,
}

impl Redacting {
    fn new() -> Self {
        let rule = |number: usize| {
            let target = format!("acme.spans{number}");
            json!({"oar": "1.0", "id": format!("T{number}"), "kind": "policy",
                "anchor": "model.output", "effect": "transform", "requires": {"facts": [target]},
                "transform": {"action": "redact", "target": target}})
        };
        let ours = Ours::of((1..=RULES).map(rule).collect::<Vec<_>>().into());
        let fact = |number| ours.rules.fact(&format!("acme.spans{number}")).expect("declared");
        let facts = (1..=RULES).map(fact).collect();
        let anchor = ours.rules.anchor("model.output").expect("a declared anchor");
        Self { ours, anchor, facts, host: Host::new(), session: Session::new("bench") }
    }

    fn redact<T>(
        &mut self,
        text: &str,
        lists: &[Vec<JsonMap>],
        read: impl FnOnce(Option<&str>) -> T,
    ) -> T {
        let mut occurrence =
            Occurrence::at_anchor(&self.ours.rules, self.anchor).expect("our own anchor");
        occurrence.content(text);
        for (fact, list) in self.facts.iter().zip(lists) {
            occurrence.set(*fact, list).expect("a declared fact");
        }
        read(self.host.decide(&mut self.session, &occurrence).content())
    }
}

/// The spans as the fact of a host.
fn facts(spans: &Spans) -> Vec<Vec<JsonMap>> {
    let span = |(start, end): &(usize, usize)| match json!({"start": start, "end": end}) {
        Json::Object(span) => JsonMap::new(span),
        _ => unreachable!("an object was written"),
    };
    spans.iter().map(|own| own.iter().map(span).collect()).collect()
}

pub fn run(settings: &Settings, print: &mut Print<'_>) {
    if !settings.has(OURS) {
        return;
    }
    for (kib, count) in [(16, 50), (64, 200), (256, 800)] {
        one(settings, kib, count, print);
    }
}

fn one(settings: &Settings, kib: usize, count: usize, print: &mut Print<'_>) {
    let name = format!("transform, {kib} KiB, {count} spans");
    let text = content(kib << 10);
    let points = text.chars().count();
    let mut random = Random::new(29);
    let inputs: Vec<Spans> = (0..20).map(|_| spans(points, count, &mut random)).collect();
    let mut redacting = Redacting::new();
    let hand = prove(&inputs, |own| truth(&text, own), |own| by_hand(&text, own));
    let ours = prove(
        &inputs,
        |own| truth(&text, own),
        |own| redacting.redact(&text, &facts(own), |text| text.unwrap_or_default().to_owned()),
    );
    let (hand, ours) = match (hand, ours) {
        (Ok(hand), Ok(ours)) => (hand, ours),
        (hand, ours) => panic!("{name}: {:?}", (hand.err(), ours.err())),
    };
    let (spans, lists) = (&inputs[0], facts(&inputs[0]));
    let redacting = std::cell::RefCell::new(&mut redacting);
    let run = || {
        let (text, lists, redacting) = (&text, &lists, &redacting);
        Contender::new(OURS, ours, move |_| {
            redacting.borrow_mut().redact(black_box(text), black_box(lists), |text| {
                black_box(text);
            });
        })
    };
    let by_hand = Contender::new("native", hand, |_| {
        black_box(by_hand(black_box(&text), black_box(spans)));
    });
    print(rounds(&name, settings.effort, &mut [by_hand, run()]));
    let counted = Contender::new("native", hand, |_| {
        let text = black_box(&text);
        black_box((text.chars().count(), text.clone()));
    });
    let name = format!("{name}, to counting the code points and one copy");
    print(rounds(&name, settings.effort, &mut [counted, run()]));
}
