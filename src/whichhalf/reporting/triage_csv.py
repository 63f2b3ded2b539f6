"""triage.csv: the flagged answers for a spreadsheet, with empty columns for the expert's own verdict."""

import csv
import io
from collections.abc import Iterator, Sequence

from whichhalf.core.run import Run
from whichhalf.datasets.spreadsheet_cells import defused
from whichhalf.reporting.inert_text import inert
from whichhalf.reporting.reason_words import LOSS_WORDS, words_of
from whichhalf.triage.flagged import FlaggedAnswer

COLUMNS = (
    *("id", "half", "reason", "expert_half", "expert_note", "question", "answer", "explanation"),
    *("missing_passages", "unsupported_claims", "also", "usual_fix", "note", "by", "other_marks"),
)
_LONGEST = 32_000
"""Spreadsheet programs break cells of more than 32,767 characters over several rows."""


def triage_csv(run: Run, answers: Sequence[FlaggedAnswer]) -> str:
    """The whole file, with the byte order mark by which spreadsheet programs know that it is UTF-8.

    `expert_half` and `expert_note` are empty, for the expert to fill in.
    """
    cases = {result.case.id: result.case for result in run.results}
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(COLUMNS)
    for answer in answers:
        case = cases[answer.flag.id]
        row = dict(_cells(answer), question=case.question.text, answer=case.answer or "")
        table.writerow(
            [defused(row.get(column, "")) for column in ("id",)] + [_cell(row.get(c, "")) for c in COLUMNS[1:]]
        )
    return "\ufeff" + file.getvalue()


def _cells(answer: FlaggedAnswer) -> Iterator[tuple[str, str]]:
    diagnosis = answer.diagnosis
    words = words_of(diagnosis.reason, diagnosis.half)
    yield "id", answer.flag.id
    yield "half", diagnosis.half
    yield "reason", diagnosis.reason
    yield "explanation", f"{words.plain} {diagnosis.text}"
    yield "missing_passages", "\n".join(f"{one.passage}: {LOSS_WORDS[one.lost]}" for one in diagnosis.lost)
    yield "unsupported_claims", "\n".join(f"{one.claim.text} ({one.label})" for one in diagnosis.verdicts)
    yield "also", "\n".join(f"{one.half}: {one.reason}. {one.text}" for one in diagnosis.also)
    yield "usual_fix", f"{words.fix.name}. {words.fix.what}"
    yield "note", answer.flag.note
    yield "by", answer.flag.by
    marks = [f"{one.by}: {'wrong' if one.flagged_wrong else 'right'}. {one.note}" for one in answer.others]
    yield "other_marks", "\n".join(marks)


def _cell(text: str) -> str:
    kept = inert(text)
    if len(kept) > _LONGEST:
        kept = f"{kept[:_LONGEST]}… (cut; the whole of it is in triage.html)"
    return defused(kept)
