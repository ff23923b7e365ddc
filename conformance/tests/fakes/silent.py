"""Reads, and never says anything."""
import sys

for line in sys.stdin:
    pass
