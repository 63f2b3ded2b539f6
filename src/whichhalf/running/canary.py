"""The canary: claims with frozen verdicts, judged afresh every night to see whether the judge itself has moved.

The claims, passages and verdicts never change, so a verdict that differs is the judge's doing, not the assistant's.
Only support is compared: it is what the metrics count.
"""

import hashlib
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pydantic import Field, ValidationError

from whichhalf.core.case import Passage
from whichhalf.core.claim import Claim
from whichhalf.core.outcome import Scored
from whichhalf.core.record import Record
from whichhalf.core.run import CaseResult, Run
from whichhalf.core.validation_words import in_plain_words
from whichhalf.datasets.json_lines import read_json_lines
from whichhalf.errors import Fault, InputError, JudgeError
from whichhalf.judged.verdicts import verify_claims
from whichhalf.judging.seam import Judge
from whichhalf.prompting.prompt_folder import PromptSet

FROZEN_METRIC = "faithfulness"


class FrozenClaim(Record):
    text: str = Field(min_length=1)
    supported: bool


class AnchorRow(Record):
    """One line of an anchors file: the claims of one answer with the passages they are checked against."""

    id: str = Field(min_length=1)
    passages: tuple[Passage, ...] = Field(min_length=1)
    claims: tuple[FrozenClaim, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Anchors:
    """A canary set in file order."""

    rows: tuple[AnchorRow, ...]
    sha256: str

    @property
    def count(self) -> int:
        """Number of claims."""
        return sum(len(row.claims) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Judged:
    """What tonight's judge says of the anchors."""

    judged: int
    flipped: tuple[str, ...]
    """`row id #number of the claim`."""
    not_judged: tuple[str, ...]
    """Likewise: claims that got no verdict."""
    lost: dict[str, int]
    """Reason → claims that got no verdict."""

    @property
    def failed(self) -> int:
        return len(self.not_judged)


def read_anchors(path: Path) -> Anchors:
    """Raises InputError listing every fault of the file."""
    faults: list[Fault] = []
    rows: dict[str, AnchorRow] = {}
    for row in read_json_lines(path, faults):
        try:
            one = AnchorRow.model_validate_json(json.dumps(row.data))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            faults.append(Fault(in_plain_words(first), str(path), row.line, ".".join(map(str, first["loc"]))))
            continue
        if one.id in rows:
            faults.append(Fault(f"{one.id!r} is used twice", str(path), row.line, "id"))
        rows[one.id] = one
    if not rows and not faults:
        faults.append(Fault("holds no anchor", str(path)))
    if faults:
        raise InputError(faults)
    return Anchors(tuple(rows.values()), hashlib.sha256(path.read_bytes()).hexdigest())


def freeze_anchors(run: Run, size: int, seed: int = 0) -> tuple[AnchorRow, ...]:
    """Anchors drawn from the judged answers of a run, whole answers, until `size` claims are had.

    Raises InputError when the run did not score faithfulness, or has too few claims.
    """
    try:
        name = run.summary.full_name(FROZEN_METRIC)
    except KeyError:
        raise InputError(f"the run did not score {FROZEN_METRIC}: there are no verdicts to freeze") from None
    rows = [row for result in run.results if (row := _anchor_row(result, name)) is not None]
    Random(seed).shuffle(rows)
    chosen: list[AnchorRow] = []
    claims = 0
    for row in rows:
        if claims >= size:
            break
        chosen.append(row)
        claims += len(row.claims)
    if claims < size:
        raise InputError(f"the run has {claims} claims with a verdict, fewer than the {size} wanted")
    return tuple(sorted(chosen, key=lambda row: row.id))


def _anchor_row(result: CaseResult, name: str) -> AnchorRow | None:
    outcome = result.outcomes.get(name)
    passages = tuple(one for one in result.case.context or () if one.text and one.text.strip())
    if not isinstance(outcome, Scored) or not passages or any(one.label == "unsure" for one in outcome.verdicts):
        return None
    claims = tuple(FrozenClaim(text=one.claim.text, supported=one.label == "supported") for one in outcome.verdicts)
    return AnchorRow(id=result.case.id, passages=passages, claims=claims) if claims else None


def claim_name(row: str, number: int) -> str:
    """How a claim of an anchors file is called in results; numbers count from 1."""
    return f"{row} #{number}"


def judge_anchors(
    judge: Judge, prompts: PromptSet, anchors: Anchors, *, max_prompt_tokens: int, workers: int
) -> Judged:
    """Ask for every verdict again. A row without an answer counts as lost; JudgeUnusable is raised."""

    def flips(row: AnchorRow) -> list[str] | str:
        claims = [Claim(id=number, text=one.text) for number, one in enumerate(row.claims, start=1)]
        try:
            verdicts = verify_claims(judge, prompts, claims, row.passages, max_prompt_tokens=max_prompt_tokens)
        except JudgeError as error:
            return error.reason
        pairs = zip(row.claims, verdicts, strict=True)
        return [claim_name(row.id, new.claim.id) for old, new in pairs if (new.label == "supported") != old.supported]

    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(flips, anchors.rows))
    flipped = tuple(name for one in found if not isinstance(one, str) for name in one)
    lost = {
        claim_name(row.id, number): one
        for row, one in zip(anchors.rows, found, strict=True)
        if isinstance(one, str)
        for number in range(1, len(row.claims) + 1)
    }
    return Judged(anchors.count - len(lost), flipped, tuple(lost), dict(Counter(lost.values())))
