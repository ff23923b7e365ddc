//! Sessions do not touch each other: any interleaving of the occurrences of two sessions equals
//! running them apart.

use oar_engine::{Host, MemoryStore, Session};
use proptest::prelude::*;
use serde_json::json;

use crate::faults::{decide, rule, rules};

const TOOLS: [&str; 3] = ["read", "write", "send"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn of_two_sessions_is_as_if_apart(turns in prop::collection::vec((any::<bool>(), 0..3_usize), 0..40)) {
        let rules = rules(json!([
            rule("COUNT", json!({"selector": {"tool": ["read"]},
                "on_fire": ["increment_counter", "increment_breaker", "publish_event"]})),
            rule("BY_TOOL", json!({"counter_scope": "tool", "on_fire": ["increment_counter"]})),
            rule("LIMIT", json!({"when": "fire_count_of('COUNT') >= 3", "effect": "block"})),
            rule("RESET", json!({"selector": {"tool": ["write"]},
                "when": "breaker_count_of('COUNT') >= 2", "on_fire": ["reset_counter"]})),
            rule("FLOW", json!({"flow": ["read", "write"], "selector": {"tool": ["send"]},
                "effect": "block", "on_fire": ["increment_breaker"]})),
        ]));
        for stored in [false, true] {
            let host = || if stored { Host::new().store(MemoryStore::new()) } else { Host::new() };
            let together = host();
            let mut sessions = [Session::new("a"), Session::new("b")];
            let mut interleaved = [Vec::new(), Vec::new()];
            for (second, tool) in &turns {
                let own = usize::from(*second);
                let found = decide(&together, &rules, &mut sessions[own], TOOLS[*tool]);
                interleaved[own].push(found);
            }
            for (own, name) in [(0, "a"), (1, "b")] {
                let alone = host();
                let mut session = Session::new(name);
                let apart: Vec<_> = turns
                    .iter()
                    .filter(|(second, _)| usize::from(*second) == own)
                    .map(|(_, tool)| decide(&alone, &rules, &mut session, TOOLS[*tool]))
                    .collect();
                prop_assert_eq!(&interleaved[own], &apart);
            }
        }
    }
}
