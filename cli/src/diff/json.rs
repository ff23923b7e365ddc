//! The difference for machines (`schema/diff.schema.json`).

use serde_json::{Value, json};

use super::Side;
use super::compare::{Alone, Changed, Difference};
use super::host::HostChange;

pub(super) fn of(difference: &Difference, before: &Side, after: &Side) -> Value {
    let side = |side: &Side| json!({"path": side.path, "rules": side.rules.len()});
    let order = difference.moved.iter().map(|moved| {
        json!({
            "anchor": moved.anchor,
            "rule": moved.rule,
            "now_before": moved.now_before,
            "now_after": moved.now_after,
        })
    });
    json!({
        "changes": difference.class().map_or("nothing", |class| class.name()),
        "before": side(before),
        "after": side(after),
        "added": difference.added.iter().map(alone).collect::<Vec<_>>(),
        "removed": difference.removed.iter().map(alone).collect::<Vec<_>>(),
        "changed": difference.changed.iter().map(changed).collect::<Vec<_>>(),
        "same": difference.same,
        "order": order.collect::<Vec<_>>(),
        "needs": difference.needs.iter().map(host).collect::<Vec<_>>(),
        "host": difference.host.iter().map(host).collect::<Vec<_>>(),
    })
}

fn alone(rule: &Alone) -> Value {
    let related = rule.related.iter().map(|(relation, id)| json!({"type": relation, "rule": id}));
    json!({
        "rule": rule.name,
        "kind": rule.kind,
        "effect": rule.effect,
        "anchor": rule.anchor,
        "enforcement": rule.in_force.name(),
        "related": related.collect::<Vec<_>>(),
    })
}

fn changed(rule: &Changed) -> Value {
    let changes = rule.changes.iter().map(|change| {
        json!({
            "member": change.member,
            "changes": change.class.name(),
            "before": change.before,
            "after": change.after,
        })
    });
    json!({"rule": rule.name, "was": rule.was, "members": changes.collect::<Vec<_>>()})
}

fn host(change: &HostChange) -> Value {
    let new = change.new.iter().map(|name| {
        json!({"name": name, "rules": change.rules.get(name).map(Vec::as_slice).unwrap_or_default()})
    });
    json!({"what": change.what, "gone": change.gone, "new": new.collect::<Vec<_>>()})
}
