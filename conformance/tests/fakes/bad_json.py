"""Answers the fixture `b` with something that is no JSON."""
from fake import answer, fixtures, say

for fixture in fixtures():
    say("{decision: none}" if fixture["id"] == "b" else answer(fixture))
