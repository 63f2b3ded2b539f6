"""What is not the same about the assistant in two runs: first what it says of itself, then what came out."""

from collections.abc import Callable, Iterator, Sequence

from whichhalf.comparing.comparison import Change
from whichhalf.core.case import Case, Passage
from whichhalf.core.run import Run

Pair = tuple[Case, Case]
_NOT_LOGGED = "not logged"
_FEW = 3


def what_changed(a: Run, b: Run, pairs: Sequence[Pair]) -> tuple[Change, ...]:
    """The answer prompt, the model, and what else outputs say of themselves; then rankings, texts and answers."""
    return (*_said(pairs), *_came_out(pairs), *_package(a, b, len(pairs)))


def _said(pairs: Sequence[Pair]) -> Iterator[Change]:
    for key, what in (("prompt", "answer prompt"), ("model", "answer model")):
        differing = [(one.meta.get(key), other.meta.get(key)) for one, other in pairs if _both_answered(one, other)]
        differing = [(one, other) for one, other in differing if one != other]
        if differing:
            yield Change(
                what=what,
                a=_some([one for one, _ in differing]),
                b=_some([other for _, other in differing]),
                questions=len(differing),
            )


def _came_out(pairs: Sequence[Pair]) -> Iterator[Change]:
    kinds: tuple[tuple[str, Callable[[Case], object]], ...] = (
        ("outputs there", lambda case: case.has_output),
        ("retrieved passages", lambda case: _ids(case.retrieved)),
        ("reranked passages", lambda case: _ids(case.reranked)),
        ("context", lambda case: _ids(case.context)),
        ("answers", lambda case: case.answer),
    )
    for what, read in kinds:
        differing = [pair for pair in pairs if what == "outputs there" or _both_answered(*pair)]
        count = sum(read(one) != read(other) for one, other in differing)
        if count:
            yield Change(what=what, a="", b="", questions=count)
    texts = sum(_texts_differ(*pair) for pair in pairs)
    if texts:
        yield Change(what="texts of passages with the same id", a="", b="", questions=texts)


def _package(a: Run, b: Run, questions: int) -> Iterator[Change]:
    if a.manifest.whichhalf != b.manifest.whichhalf:
        yield Change(what="whichhalf", a=a.manifest.whichhalf, b=b.manifest.whichhalf, questions=questions)


def _both_answered(one: Case, other: Case) -> bool:
    return one.has_output and other.has_output


def _ids(passages: tuple[Passage, ...] | None) -> tuple[str, ...] | None:
    return None if passages is None else tuple(passage.id for passage in passages)


def _texts_differ(one: Case, other: Case) -> bool:
    texts = {passage.id: passage.text for passage in one.context or ()}
    return any(texts.get(passage.id, passage.text) != passage.text for passage in other.context or ())


def _some(values: Sequence[object]) -> str:
    """The distinct values, most frequent first."""
    words = [_NOT_LOGGED if value is None else str(value) for value in values]
    distinct = sorted(dict.fromkeys(words), key=lambda word: -words.count(word))
    more = f" and {len(distinct) - _FEW} more" if len(distinct) > _FEW else ""
    return ", ".join(distinct[:_FEW]) + more
