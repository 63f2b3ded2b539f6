"""The command line: parse arguments, call one function, print, choose the exit code."""

from whichhalf.cli.main import main

__all__ = ["main"]
