"""Greets properly and then reads nothing any more."""
import sys
import time

from fake import say

sys.stdin.readline()
say({"start": {"protocol": 1, "oar": "1.0", "engine": {"name": "deaf", "version": "2"}}})
time.sleep(30)
