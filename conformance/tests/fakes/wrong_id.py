"""Answers the fixture `b` under the name of another."""
from fake import answer, fixtures, say

for fixture in fixtures():
    reply = answer(fixture)
    if fixture["id"] == "b":
        reply["id"] = "a"
    say(reply)
