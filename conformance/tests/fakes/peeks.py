"""Fails every fixture that shows it what is expected."""
import json
import sys

from fake import answer, fixtures, say

for fixture in fixtures():
    shown = "expected" in json.dumps(fixture)
    if shown:
        sys.exit("I was shown what is expected")
    say(answer(fixture))
