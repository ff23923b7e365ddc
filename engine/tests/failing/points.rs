//! Every point at which a rule can fail, with a rule that gets there and what is broken.
//!
//! The list is [OAR-OPS-3]'s: a provider, a function, a detector, a raise, a side-effect; and what
//! the standard counts among them ([OAR-FACT-23], [OAR-FACT-26], [OAR-FACT-28], [OAR-FIRE-9],
//! [OAR-FIRE-10], [OAR-OPS-19]).

use oar_engine::observe::FactValue;
use serde_json::{Value as Json, json};

/// What a part of the host does when it is asked.
#[derive(Clone, Debug, Default)]
pub(crate) enum Does {
    /// It has nothing to report, or does what it should.
    #[default]
    Works,
    /// It says that it cannot.
    Fails,
    Panics,
    /// It answers after the allotted time.
    IsLate,
    /// It answers with this.
    Gives(FactValue),
    /// A store that says that it did what it did not.
    Lies,
}

/// A rule, what is broken, and what a monitored rule comes to.
#[derive(Default)]
pub(crate) struct Point {
    pub(crate) name: &'static str,
    /// The members of the rule over its defaults.
    pub(crate) rule: Json,
    pub(crate) fact: Does,
    pub(crate) function: Does,
    /// What `detector://own` does; `None` for one that is not registered.
    pub(crate) detector: Option<Does>,
    /// What the detector reports a value for.
    pub(crate) reports: &'static str,
    /// Reading the rule's counters, and applying its actions.
    pub(crate) reading: Does,
    pub(crate) applying: Does,
    pub(crate) publishing: Does,
    pub(crate) supplied: Vec<(&'static str, Json)>,
    pub(crate) arguments: Json,
    /// Whether it fails before the side-effects, which a monitored rule has none of.
    pub(crate) before_acting: bool,
    /// The clause that the failure names, and a part of what it says.
    pub(crate) clause: &'static str,
    pub(crate) says: &'static str,
}

const RAISED: &str = "OAR-OPS-3";

/// A condition, and facts that it reaches.
fn when(condition: &str) -> Json {
    json!({"when": condition})
}

fn of_fact(
    name: &'static str,
    rule: Json,
    fact: Does,
    clause: &'static str,
    says: &'static str,
) -> Point {
    Point { name, rule, fact, clause, says, before_acting: true, ..Point::default() }
}

fn of_supplied(
    name: &'static str,
    rule: Json,
    supplied: (&'static str, Json),
    clause: &'static str,
) -> Point {
    let says = if clause == "OAR-OPS-19" { "no well-formed" } else { "declared type" };
    let supplied = vec![supplied];
    Point { name, rule, supplied, clause, says, before_acting: true, ..Point::default() }
}

fn of_function(
    name: &'static str,
    function: Does,
    clause: &'static str,
    says: &'static str,
) -> Point {
    let rule = when("acme.ask('x') == 1");
    Point { name, rule, function, clause, says, before_acting: true, ..Point::default() }
}

fn of_detector(
    name: &'static str,
    detector: Option<Does>,
    reports: &'static str,
    clause: &'static str,
    says: &'static str,
) -> Point {
    let rule = json!({"kind": "detector", "detector": {"ref": "detector://own"},
        "when": "acme.int == 0"});
    Point { name, rule, detector, reports, clause, says, before_acting: true, ..Point::default() }
}

fn raises(name: &'static str, condition: &str, says: &'static str) -> Point {
    let supplied = vec![("acme.list", json!(["a"])), ("acme.labels", json!({"a": "b"}))];
    let clause = RAISED;
    Point {
        name,
        rule: when(condition),
        supplied,
        clause,
        says,
        before_acting: true,
        ..Point::default()
    }
}

fn acting(name: &'static str, applying: Does, publishing: Does, says: &'static str) -> Point {
    Point {
        name,
        rule: json!({}),
        applying,
        publishing,
        clause: "OAR-FIRE-9",
        says,
        ..Point::default()
    }
}

/// A transform over spans.
fn over(spans: Json) -> Json {
    let mut rule = json!({"effect": "transform",
        "transform": {"action": "redact", "target": "acme.spans"}});
    if let (Some(rule), Json::Object(more)) = (rule.as_object_mut(), spans) {
        rule.extend(more);
    }
    rule
}

fn span(name: &'static str, span: Json) -> Point {
    of_supplied(
        name,
        over(json!({})),
        ("acme.spans", json!([{"start": 0, "end": 1}, span])),
        "OAR-OPS-19",
    )
}

pub(crate) fn all() -> Vec<Point> {
    let int = when("acme.int == 0");
    let made = "could not be produced";
    let mut points = vec![
        of_fact("a provider fails", int.clone(), Does::Fails, RAISED, made),
        of_fact("a provider panics", int.clone(), Does::Panics, RAISED, "it panicked"),
        of_fact("a provider is late", int.clone(), Does::IsLate, RAISED, "are allotted"),
        of_fact(
            "a provider gives another type",
            int.clone(),
            Does::Gives("0".into()),
            "OAR-FACT-26",
            "declared type",
        ),
        of_fact(
            "a provider gives null",
            int,
            Does::Gives(Json::Null.into()),
            "OAR-FACT-26",
            "declared type",
        ),
        of_fact(
            "a provider gives an infinity",
            when("acme.double < 1.0"),
            Does::Gives(f64::INFINITY.into()),
            "OAR-FACT-26",
            "declared type",
        ),
        of_fact(
            "a provider gives no number",
            when("acme.double < 1.0"),
            Does::Gives(f64::NAN.into()),
            "OAR-FACT-26",
            "declared type",
        ),
        of_fact(
            "a provider fails for a selector",
            json!({"selector": {"acme.string": ["a"]}}),
            Does::Fails,
            RAISED,
            made,
        ),
        of_fact(
            "a provider fails for a list of a selector",
            json!({"selector": {"acme.list": ["a"]}}),
            Does::Fails,
            RAISED,
            made,
        ),
        of_fact(
            "a provider fails for copy",
            json!({"copy": {"what": "{{acme.string}}"}}),
            Does::Fails,
            RAISED,
            made,
        ),
        of_fact(
            "a provider fails for a conditional of copy",
            json!({"copy": {"fix": "{% if acme.int %}a{% endif %}"}}),
            Does::Fails,
            RAISED,
            made,
        ),
        of_fact(
            "a provider fails for the spans of a transform",
            over(json!({})),
            Does::Fails,
            RAISED,
            made,
        ),
        of_fact(
            "a provider fails for the scope that a condition reads",
            json!({"counter_scope": "acme.string", "when": "fire_count == 0"}),
            Does::Fails,
            RAISED,
            made,
        ),
        // A monitored rule applies nothing, so that its scope is never asked for.
        Point {
            before_acting: false,
            ..of_fact(
                "a provider fails for the scope of the actions",
                json!({"counter_scope": "acme.string"}),
                Does::Fails,
                RAISED,
                made,
            )
        },
        of_supplied(
            "a supplied value is of another type",
            when("acme.int == 0"),
            ("acme.int", json!("0")),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a supplied value is a double for an int",
            when("acme.int == 1"),
            ("acme.int", json!(1.0)),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a supplied value is null",
            when("acme.string == ''"),
            ("acme.string", Json::Null),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a supplied list has another member",
            when("size(acme.list) > 0"),
            ("acme.list", json!(["a", 1])),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a wrong value stands where it is not read",
            when("true || acme.int == 0"),
            ("acme.int", json!("0")),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a wrong value is of a selector",
            json!({"selector": {"acme.string": ["a"]}}),
            ("acme.string", json!(1)),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a wrong value is of a scope",
            json!({"counter_scope": "acme.string"}),
            ("acme.string", json!(1)),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a wrong value is of copy",
            json!({"copy": {"what": "{{acme.string}}"}}),
            ("acme.string", json!([])),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a wrong value is of a transform",
            over(json!({})),
            ("acme.spans", json!("0-1")),
            "OAR-FACT-26",
        ),
        of_supplied(
            "a supplied result of a function is wrong",
            when("acme.ask('x') == 1"),
            ("acme.ask", json!("1")),
            "OAR-FACT-26",
        ),
        of_function("a function fails", Does::Fails, RAISED, made),
        of_function("a function panics", Does::Panics, RAISED, "it panicked"),
        of_function("a function is late", Does::IsLate, RAISED, "are allotted"),
        of_function(
            "a function gives another type",
            Does::Gives("1".into()),
            "OAR-FACT-26",
            "declared type",
        ),
        of_detector("a detector fails", Some(Does::Fails), "", RAISED, "failed"),
        of_detector("a detector panics", Some(Does::Panics), "", RAISED, "it panicked"),
        of_detector("a detector is late", Some(Does::IsLate), "", RAISED, "are allotted"),
        of_detector("a detector is not registered", None, "", RAISED, "not registered"),
        of_detector(
            "a detector reports what is not declared",
            Some(Does::Gives(1.into())),
            "acme.other",
            RAISED,
            "no fact of the host",
        ),
        of_detector(
            "a detector reports a counter",
            Some(Does::Gives(1.into())),
            "fire_count",
            RAISED,
            "no fact of the host",
        ),
        of_detector(
            "a detector reports another type",
            Some(Does::Gives("1".into())),
            "acme.int",
            "OAR-FACT-26",
            "declared type",
        ),
        raises("a division by zero", "1 / acme.int == 0", "division by zero"),
        raises("a remainder by zero", "1 % acme.int == 0", "division by zero"),
        raises("a division by zero of doubles", "1.0 / acme.double > 0.0", "division by zero"),
        raises("a sum beyond 64 bits", "9223372036854775807 + size(acme.list) > 0", "64 bits"),
        raises(
            "a product that is not finite",
            &format!(
                "(acme.double + {great}) * {great} > 0.0",
                great = format!("1{}.0", "0".repeat(200))
            ),
            "not finite",
        ),
        raises("a key that is absent", "acme.labels['x'] == ''", "no such key"),
        raises("an index behind the end", "acme.list[1] == ''", "no such index"),
        raises("a negative index", "acme.list[-1] == 'a'", "no such index"),
        Point {
            name: "an argument without a fingerprint",
            rule: when("size(tool_args_fingerprint) >= 0"),
            arguments: json!({"a": 9_007_199_254_740_993_u64}),
            clause: RAISED,
            says: made,
            before_acting: true,
            ..Point::default()
        },
        span("a span without an end", json!({"start": 0})),
        span("a span without a start", json!({"end": 1})),
        span("a span that ends before its start", json!({"start": 2, "end": 1})),
        span("a span with a negative start", json!({"start": -1, "end": 1})),
        span("a span with a double", json!({"start": 0.0, "end": 1})),
        span("a span with a text", json!({"start": "0", "end": 1})),
        span("a span that is empty", json!({})),
        acting("a store cannot apply", Does::Fails, Does::Works, "could not be applied"),
        acting("a store panics when it applies", Does::Panics, Does::Works, "it panicked"),
        acting("a store drops the events", Does::Lies, Does::Works, "did not publish"),
        acting("a sink refuses", Does::Works, Does::Fails, "could not be applied"),
        acting("a sink panics", Does::Works, Does::Panics, "it panicked"),
        Point {
            rule: json!({"on_fire": ["publish_event"]}),
            ..acting(
                "a sink refuses, and there is no counter",
                Does::Works,
                Does::Fails,
                "could not be applied",
            )
        },
    ];
    for (name, reading) in
        [("counters cannot be read", Does::Fails), ("a store panics when it reads", Does::Panics)]
    {
        for condition in ["fire_count == 0", "breaker_count == 0", "fire_count_of('R') == 0"] {
            let says = "counters could not be read";
            let reading = reading.clone();
            let rule = when(condition);
            let clause = "OAR-FIRE-9";
            points.push(Point {
                name,
                rule,
                reading,
                clause,
                says,
                before_acting: true,
                ..Point::default()
            });
        }
    }
    points
}
