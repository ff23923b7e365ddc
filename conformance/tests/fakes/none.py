"""Decides `none` whatever it is asked."""
from fake import answer, fixtures, say

for fixture in fixtures():
    say(answer(fixture))
