"""Answers the fixture `a` twice, so that every later line is one behind."""
from fake import answer, fixtures, say

for fixture in fixtures():
    say(answer(fixture))
    if fixture["id"] == "a":
        say(answer(fixture))
