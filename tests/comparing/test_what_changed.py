"""What is not the same about the assistant is named; what is the same is not."""

from typing import Any

import pytest

from run_makers import a_case, a_run, ranked
from whichhalf import compare
from whichhalf.comparing.comparison import Change

SCORES = {"faithfulness": [0.5, 1.0]}


def two(*, first: dict[str, Any] | None = None, **fields: Any) -> Any:
    """A run of q1 and q2 with these fields; `first` holds what q1 has otherwise."""
    common = {"answer": "Yes.", "context": ranked("c1", "c2"), "meta": {"prompt": "answer/v1", "model": "m"}, **fields}
    return a_run(SCORES, [a_case("q1", **{**common, **(first or {})}), a_case("q2", **common)])


CHANGES: dict[str, tuple[dict[str, Any], list[Change]]] = {
    "nothing": ({}, []),
    "the answer prompt": (
        {"meta": {"prompt": "answer/v2", "model": "m"}},
        [Change(what="answer prompt", a="answer/v1", b="answer/v2", questions=2)],
    ),
    "the model, and with it an answer": (
        {"meta": {"prompt": "answer/v1", "model": "n"}, "first": {"answer": "No."}},
        [Change(what="answer model", a="m", b="n", questions=2), Change(what="answers", a="", b="", questions=1)],
    ),
    "a prompt that is no longer logged": (
        {"meta": {"model": "m"}},
        [Change(what="answer prompt", a="answer/v1", b="not logged", questions=2)],
    ),
    "the order of the context": (
        {"context": ranked("c2", "c1")},
        [Change(what="context", a="", b="", questions=2)],
    ),
    "a list that was not logged before": (
        {"retrieved": ranked("c1")},
        [Change(what="retrieved passages", a="", b="", questions=2)],
    ),
    "the text under a passage id": (
        {"context": tuple(one.model_copy(update={"text": "New."}) for one in ranked("c1", "c2"))},
        [Change(what="texts of passages with the same id", a="", b="", questions=2)],
    ),
    "an output that is missing, and nothing else of it": (
        {"first": {"has_output": False, "answer": None, "context": None, "meta": {}}},
        [Change(what="outputs there", a="", b="", questions=1)],
    ),
}


@pytest.mark.parametrize(("fields", "expected"), CHANGES.values(), ids=CHANGES.keys())
def test_what_changed(fields: dict[str, Any], expected: list[Change]) -> None:
    assert list(compare(two(), two(**fields)).changed) == expected


def test_several_prompts_in_one_run_are_told() -> None:
    mixed = two(first={"meta": {"prompt": "answer/v0", "model": "m"}})
    assert compare(mixed, two(meta={"prompt": "answer/v2", "model": "m"})).changed == (
        Change(what="answer prompt", a="answer/v0, answer/v1", b="answer/v2", questions=2),
    )


def test_another_version_of_this_package_is_told() -> None:
    assert compare(two(), a_run(SCORES, [result.case for result in two().results], whichhalf="9")).changed == (
        Change(what="whichhalf", a="0", b="9", questions=2),
    )
