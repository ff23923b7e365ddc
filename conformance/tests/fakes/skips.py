"""Skips the fixture `b`, and greets."""
import json
import sys

from fake import answer, say

for line in sys.stdin:
    message = json.loads(line)
    if "start" in message:
        limits = {"activity_window": 16}
        engine = {"name": "skipper", "version": "0.1"}
        start = {"protocol": 1, "oar": "1.0", "engine": engine, "profiles": [], "limits": limits}
        say({"start": start})
    elif message["id"] == "b":
        say({"id": "b", "skipped": "b is not my letter"})
    else:
        say(answer(message))
