"""A toy engine. It knows one thing: a rule without selector or condition, on a host that adds
nothing to what every host has. It says so where it is asked for more."""
import json
import re

CORE = {
    "tool.pre_invoke", "tool.handler", "tool.post_invoke", "agent.post_turn",
    "agent.finalize", "model.input", "model.output", "model.tool_result",
}
MEMBERS = {
    "oar": r"1\.0",
    "id": r"[A-Z][A-Z0-9_]*",
    "kind": "schema|policy|invariant",
    "anchor": "|".join(map(re.escape, CORE)),
    "effect": "block|warn|nudge|allow",
    "namespace": r"[a-z]+(\.[a-z]+)*",
}
BARE_HOST = {
    "oar_capability_version": "1.0", "profiles": [], "activity_window": 0,
    "detectors": [], "supports_transform": False,
}


class Refused(Exception):
    """The rule must not load."""


class CannotDo(Exception):
    """The toy does not know."""


def decide(rules, given):
    """The reports of all occurrences, which is always one here."""
    if not given.keys() <= {"capability", "anchor", "session_id"}:
        raise CannotDo("no facts, content, tool calls, configuration or several occurrences")
    supported = anchors_of(given["capability"])
    if len(rules) != 1 or not isinstance(rules[0], dict):
        raise CannotDo("no sets of rules")
    rule = rules[0]
    for member, value in rule.items():
        known = MEMBERS.get(member)
        if not known or not isinstance(value, str) or not re.fullmatch(known, value):
            raise CannotDo(f"nothing is known of this `{member}`")
    for member in MEMBERS:
        if member not in rule and member != "namespace":
            raise Refused(f"OAR-DOC-2: `{member}` is missing")
    if rule["anchor"] not in supported:
        raise Refused(f"OAR-PROF-4: the host does not support `{rule['anchor']}`")
    return [report(rule, rule["anchor"] == given["anchor"])]


def anchors_of(host):
    """The core anchors of a host that spells them as the standard does, and claims nothing."""
    try:
        rest = {name: host[name] for name in BARE_HOST}
        core, unsupported = host["anchors"]["core"], host["anchors"]["unsupported"]
        plain = (
            # As text, since `0 == False` in Python.
            json.dumps(rest) == json.dumps(BARE_HOST)
            and json.dumps(host["expression_nodes_max"]) in ("256", "1024")
            and re.fullmatch(r"[a-z]+(\.[a-z]+)*", host["host"])
            and len(host) == len(rest) + 3 and len(host["anchors"]) == 2
            and sorted([*core, *unsupported]) == sorted(CORE)
            and all(name == local for name, local in core.items())
        )
    except (KeyError, TypeError, AttributeError):
        plain = False
    if not plain:
        raise CannotDo("no host but the plainest")
    return core


def report(rule, fires):
    """What the standard wants to know of an occurrence."""
    decided = fires and rule["effect"] != "allow"
    qualified = rule["namespace"] + "/" + rule["id"] if "namespace" in rule else rule["id"]
    name = {"code": rule["id"], "rule": qualified}
    advises = decided and rule["effect"] in ("warn", "nudge")
    return {
        "decision": rule["effect"] if decided else "none",
        **(name | {"copy": {}} if decided else {}),
        "applied": [qualified + ":fired"] if fires else [],
        "on_fire": [],
        "transforms": [],
        "skipped_transforms": [],
        "advisories": [name | {"copy": {}}] if advises else [],
        "counters": {},
        "events": [],
    }
