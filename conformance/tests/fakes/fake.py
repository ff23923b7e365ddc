"""Answers every fixture with the decision `none`; the other fakes change one thing about it."""

import json
import sys

NONE = {
    "decision": "none",
    "applied": [],
    "on_fire": [],
    "transforms": [],
    "skipped_transforms": [],
    "advisories": [],
    "counters": {},
    "events": [],
}


def answer(fixture):
    count = len(fixture["input"].get("occurrences", [None]))
    return {"id": fixture["id"], "report": NONE, "occurrences": [NONE] * count}


def say(value):
    print(value if isinstance(value, str) else json.dumps(value), flush=True)


def fixtures():
    """The fixtures; a handshake is answered with an error line, as by one that knows none."""
    for line in sys.stdin:
        message = json.loads(line)
        if "start" in message:
            say({"id": None, "error": "unknown message", "phase": "input"})
        else:
            yield message
