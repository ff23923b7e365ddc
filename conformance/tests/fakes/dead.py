"""Ends before it is asked anything."""
import sys

print("no licence found", file=sys.stderr)
sys.exit(3)
