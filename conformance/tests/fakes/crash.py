"""Ends when it is asked the fixture `b`."""
import sys

from fake import answer, fixtures, say

for fixture in fixtures():
    if fixture["id"] == "b":
        print("out of luck", file=sys.stderr, flush=True)
        sys.exit(7)
    say(answer(fixture))
