"""Join questions with outputs and passage texts into cases."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.ids import a_few
from whichhalf.datasets.corpus import Corpus
from whichhalf.datasets.golden import GoldenSet
from whichhalf.datasets.outputs import Outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import Fault, InputError


@dataclass(frozen=True, slots=True)
class CaseSet:
    """One case a question, in the order of the golden set."""

    cases: tuple[Case, ...]
    notices: tuple[str, ...]
    """Questions without output, outputs without question, and the like."""


def join_cases(golden: GoldenSet, outputs: Outputs, corpus: Mapping[str, Passage] | None = None) -> CaseSet:
    """Raises InputError when no output belongs to any question."""
    asked = {question.id for question in golden.questions}
    if not asked & outputs.rows.keys():
        raise InputError(
            "no output belongs to any question: the golden set has ids such as "
            f"{a_few(sorted(asked))}, the outputs {a_few(sorted(outputs.rows))}"
        )
    cases = tuple(_case(question, outputs.rows.get(question.id), corpus or {}) for question in golden.questions)
    notices = [*golden.notices, *outputs.notices]
    if isinstance(corpus, Corpus):
        notices += corpus.notices
    silent = [case.id for case in cases if not case.has_output]
    if silent:
        notices.append(
            f"{len(silent)} question(s) without an output, counted as nothing retrieved: {a_few(sorted(silent))}"
        )
    strangers = [one for one in outputs.rows if one not in asked]
    if strangers:
        notices.append(f"{len(strangers)} output(s) without a question, left out: {a_few(sorted(strangers))}")
    return CaseSet(cases, tuple(notices))


def keep_split(golden: GoldenSet, outputs: Outputs, split: str) -> tuple[GoldenSet, Outputs]:
    """The questions of one split and those without a split, `all` for every question; others leave with their outputs.

    Raises InputError when no question is left.
    """
    left_out = {one.id for one in golden.questions if split != "all" and one.split not in (None, split)}
    if not left_out:
        return golden, outputs
    if len(left_out) == len(golden.questions):
        raise InputError(Fault(f"no question belongs to the split {split!r}", field="[data] split"))
    kept = [one.id for one in golden.questions if one.id not in left_out]
    return keep_questions(golden, outputs, kept, f"[data] split is {split!r}")


def keep_questions(golden: GoldenSet, outputs: Outputs, ids: Collection[str], why: str) -> tuple[GoldenSet, Outputs]:
    """The questions with these ids; others leave with their outputs, and a notice says why."""
    wanted = set(ids)
    questions = tuple(one for one in golden.questions if one.id in wanted)
    left_out = {one.id for one in golden.questions} - wanted
    notice = f"{len(left_out)} question(s) left out: {why}"
    rows = {one: row for one, row in outputs.rows.items() if one not in left_out}
    return replace(golden, questions=questions, notices=(*golden.notices, notice)), replace(outputs, rows=rows)


def _case(question: Question, row: OutputRow | None, corpus: Mapping[str, Passage]) -> Case:
    if row is None or row.error is not None:
        meta = {"error": row.error} if row is not None else {}
        return Case(question=question, has_output=False, meta=meta)
    about = {"prompt": row.prompt, "model": row.model, "latency_ms": row.latency_ms, "cost_usd": row.cost_usd}
    return Case(
        question=question,
        retrieved=row.retrieved,
        reranked=row.reranked,
        context=None if row.context is None else tuple(_with_text(one, corpus) for one in row.context),
        answer=row.answer,
        meta={**{key: value for key, value in about.items() if value is not None}, **row.meta},
    )


def _with_text(passage: Passage, corpus: Mapping[str, Passage]) -> Passage:
    known = corpus.get(passage.id)
    if known is None:
        return passage
    return passage.model_copy(
        update={"text": known.text if passage.text is None else passage.text, "doc": passage.doc or known.doc}
    )
