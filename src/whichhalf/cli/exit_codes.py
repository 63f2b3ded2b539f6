"""What the shell is told."""

FINE = 0
GATE_FAILED = 1
INPUT = 2
"""Bad usage, config or input; nothing was spent."""
INCOMPLETE = 3
"""Coverage under the floor, or stopped; what was done is kept and the same command resumes."""
