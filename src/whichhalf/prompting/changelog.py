"""`<folder>/<name>/CHANGELOG.md`: under the heading `## v2`, why that version is as it is."""

import re
from pathlib import Path

CHANGELOG = "CHANGELOG.md"


def read_entry(folder: Path, name: str, version: str) -> str:
    """What the changelog says of a version, with its line breaks; empty where it says nothing."""
    path = folder / name / CHANGELOG
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    match = re.search(rf"^## {re.escape(version)}[ \t]*$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1].strip() if match else ""
