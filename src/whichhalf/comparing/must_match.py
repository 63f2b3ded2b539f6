"""What must be the same in two runs before their numbers may be compared.

The golden set, the judge, its prompts and its sampling, the embedding model, and what every metric means. What an
assistant retrieved and answered, and with which prompt and model, is what a comparison is about (what_changed).
"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from whichhalf.catalogue import is_judged
from whichhalf.comparing.comparison import Difference
from whichhalf.core.case import Question
from whichhalf.core.ids import a_few
from whichhalf.core.run import Run

_SHOWN_HASH = 12
_NONE = "none"


def differences_in_terms(a: Run, b: Run, metrics: Sequence[str]) -> tuple[Difference, ...]:
    """Everything that should be the same and is not, for these metrics."""
    found = [*_golden_set(a, b), *_contracts(a, b, metrics)]
    if any(is_judged(name) for name in metrics):
        found += [*_judge(a.manifest.judge, b.manifest.judge), *_prompts(a.manifest.prompts, b.manifest.prompts)]
    return tuple(found)


def _golden_set(a: Run, b: Run) -> Iterator[Difference]:
    for key in sorted({*a.manifest.golden_set, *b.manifest.golden_set}):
        one, other = a.manifest.golden_set.get(key, _NONE), b.manifest.golden_set.get(key, _NONE)
        if one != other:
            yield Difference(what=f"golden set, {key}", a=one, b=other)
    asked = {result.case.id: result.case.question for result in a.results}
    both = [result.case.question for result in b.results if result.case.id in asked]
    changed = [one.id for one in both if one != asked[one.id] and not labelled_by_ids_and_quotes(one, asked[one.id])]
    note = f"{len(changed)} of {len(both)} shared questions differ: {a_few(changed)}" if changed else ""
    one, other = a.manifest.data.get("golden", ""), b.manifest.data.get("golden", "")
    if one != other:
        same = f"the {len(both)} shared questions and their labels are the same"
        yield Difference(what="golden set file", a=_hash(one), b=_hash(other), note=note or same)
    elif changed:
        yield Difference(what="golden set", a="one reading", b="another", note=note)


def labelled_by_ids_and_quotes(one: Question, other: Question) -> bool:
    """Whether the same labels were read as passage ids in one run and as quotes in the other.

    A run reads the quotes of a question whose ids its corpus does not have: another chunking of the same documents.
    """
    is_either = bool(one.evidence) and bool(one.relevant) != bool(other.relevant)
    return is_either and one.model_copy(update={"relevant": other.relevant}) == other


def _contracts(a: Run, b: Run, metrics: Sequence[str]) -> Iterator[Difference]:
    for name in metrics:
        one, other = a.manifest.metrics[name], b.manifest.metrics[name]
        if one != other:
            yield Difference(what=f"meaning of {name}", a=f"“{one}”", b=f"“{other}”")


def _judge(a: Mapping[str, JsonValue], b: Mapping[str, JsonValue]) -> Iterator[Difference]:
    words = {
        "model": "judge model asked",
        "returned": "judge model as returned",
        "sampling": "judge sampling",
        "embedding": "embedding model",
    }
    for key, what in words.items():
        one, other = a.get(key), b.get(key)
        both_embed = key != "embedding" or (one is not None and other is not None)
        if one != other and both_embed:
            yield Difference(what=what, a=_in_words(one), b=_in_words(other))


def _prompts(a: Mapping[str, str], b: Mapping[str, str]) -> Iterator[Difference]:
    """Prompts that only one run asked belong to metrics that are not compared."""
    versions_a, versions_b = _by_name(a), _by_name(b)
    for name in sorted(versions_a.keys() & versions_b.keys()):
        if versions_a[name] == versions_b[name]:
            continue
        (version, sha256), (other, other_sha256) = versions_a[name], versions_b[name]
        if version != other:
            yield Difference(what=f"judge prompt {name}", a=version, b=other)
        else:
            note = f"both call themselves {version}"
            yield Difference(what=f"judge prompt {name}", a=_hash(sha256), b=_hash(other_sha256), note=note)


def _by_name(prompts: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Prompt → (version, sha256)."""
    return {key.partition("/")[0]: (key.partition("/")[2], sha256) for key, sha256 in prompts.items()}


def _hash(sha256: str) -> str:
    return sha256[:_SHOWN_HASH] or _NONE


def _in_words(value: JsonValue) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_in_words(one)}" for key, one in sorted(value.items()) if one is not None) or _NONE
    if isinstance(value, list):
        return ", ".join(map(_in_words, value)) or _NONE
    return _NONE if value is None else str(value)
