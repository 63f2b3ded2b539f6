"""Imports run strictly downwards, and each heavy library stays in its own file."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "whichhalf"

LAYERS = [
    {"cli", "pytest_plugin"},
    {"jobs"},
    {"reporting"},
    {"comparing"},
    {"running"},
    {"catalogue", "triage"},
    {"judged"},
    {"assistants"},
    {"datasets", "retrieval", "judging", "statistics"},
    {"core", "prompting"},
    {"errors"},
]
DEPTH = {room: depth for depth, rooms in enumerate(LAYERS) for room in rooms}

HOMES = {
    "openai": {"judging/sdk_worker.py"},
    "httpx2": {"assistants/endpoint.py", "jobs/hook.py", "judging/sdk_worker.py", "judging/reply_deadline.py"},
    "litellm": {"judging/sdk_worker.py"},
    "tenacity": {"judging/retrying.py"},
    "diskcache": {"judging/reply_store.py"},
    "pandas": {"core/run.py", "core/run_frame.py"},  # core/run.py names its type alone
    "jinja2": {"prompting/prompt.py", "reporting/page.py"},
    "scipy": {"statistics/distributions.py"},
    "wordllama": {"judging/embedding.py"},
}

PURE_TRIAGE = (
    "answer_checks",
    "facts",
    "findings",
    "lost_passages",
    "numbers_differ",
    "retrieval_checks",
    "source_checks",
    "textbook_rule",
    "which_half_failed",
)

FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def imports(path: Path) -> Iterator[str]:
    """Full names of everything a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield f"{node.module}"


def room(name: str) -> str:
    return name.split(".")[1]


def name_of(path: Path) -> str:
    return ".".join(["whichhalf", *path.relative_to(SOURCE).with_suffix("").parts])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_run_downwards(path: Path) -> None:
    own = room(name_of(path))
    for imported in imports(path):
        if imported.startswith("whichhalf."):
            assert room(imported) in DEPTH, f"{imported} is in no layer"
            assert room(imported) == own or DEPTH[room(imported)] > DEPTH[own], f"{own} must not import {imported}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_heavy_libraries_stay_at_home(path: Path) -> None:
    here = path.relative_to(SOURCE).as_posix()
    for imported in imports(path):
        home = HOMES.get(imported.split(".")[0])
        assert home is None or here in home, f"{imported} belongs in {home}"


@pytest.mark.parametrize(
    "path",
    [
        *(SOURCE / "retrieval").glob("*.py"),
        *(SOURCE / "statistics").glob("*.py"),
        *(SOURCE / "triage" / f"{name}.py" for name in PURE_TRIAGE),
    ],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_pure_rooms_import_the_vocabulary_only(path: Path) -> None:
    allowed = {"core", "errors", room(name_of(path))}
    for imported in imports(path):
        assert not imported.startswith("whichhalf.") or room(imported) in allowed, imported


def test_the_walk_sees_imports_inside_functions() -> None:
    assert "openai" in set(imports(SOURCE / "judging" / "sdk_worker.py"))
