"""`CHANGELOG.md` in the folder of a prompt: under the heading `## v2`, why that version is as it is."""

import re
from pathlib import Path

CHANGELOG = "CHANGELOG.md"


def read_entry(folder: Path, version: str) -> str:
    """What the changelog in a prompt's folder says of a version, line breaks and all; empty where it says nothing."""
    path = folder / CHANGELOG
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    match = re.search(rf"^## {re.escape(version)}[ \t]*$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1].strip() if match else ""
