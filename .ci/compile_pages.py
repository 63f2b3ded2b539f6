"""A step of building the wheel: its pages are compiled once, then, and not by every command that makes one."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompilePages(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._made = TemporaryDirectory()
        if version == "editable":  # templates are edited there
            return
        source = Path(self.root, "src")
        sys.path.insert(0, str(source))
        from whichhalf.reporting.page import COMPILED, compile_templates

        compile_templates(Path(self._made.name))
        build_data["force_include"][self._made.name] = str(COMPILED.relative_to(source))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        self._made.cleanup()
