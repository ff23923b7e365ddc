"""Takes its time over the fixture `b`."""
import time

from fake import answer, fixtures, say

for fixture in fixtures():
    if fixture["id"] == "b":
        time.sleep(30)
    say(answer(fixture))
