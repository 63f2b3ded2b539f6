"""Readers beside human labels: shares and tests by hand, a baseline that is flattered, real labels where they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from whichhalf.comparing.labelled_claims import LabelComparison, best_cut, compare_with_labels
from whichhalf.core.case import Passage
from whichhalf.core.claim import Claim
from whichhalf.datasets.claim_labels import ClaimLabel, read_claim_labels
from whichhalf.errors import InputError
from whichhalf.judged.verdicts import verify_claims
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.word_overlap import word_overlap
from whichhalf.prompting.prompt_folder import PromptSet

WICE = Path(__file__).parents[3] / "shared" / "data" / "faithfulness" / "wice_claims_oracle_chunk.jsonl"
COLUMNS = {"claim": "answer", "passages": "contexts", "supported": "labels.supported"}


def label(number: int, supported: bool, claim: str = "a b c d", text: str = "a b") -> ClaimLabel:
    return ClaimLabel(id=f"l{number}", claim=claim, passages=(Passage(id="p", text=text),), supported=supported)


def test_shares_and_the_paired_test_by_hand() -> None:
    """Three supported, two not. A: 2 of 3 and 2 of 2. B: 3 of 3 and 0 of 2. Right on four, and on three."""
    labels = [label(number, number <= 3) for number in range(1, 6)]
    a = {"l1": True, "l2": True, "l3": False, "l4": False, "l5": False}
    b = dict.fromkeys(a, True)
    found = compare_with_labels(labels, ("v1", "v2"), a, b)
    values = [
        [one.value for one in (side.found.sensitivity, side.found.specificity, side.found.balanced_accuracy) if one]
        for side in (found.a, found.b)
    ]
    assert values == [[pytest.approx(2 / 3), 1.0, pytest.approx(5 / 6)], [1.0, 0.0, 0.5]]
    assert (found.difference.wins, found.difference.losses) == (1, 2)
    assert found.difference.p == 1.0  # exact McNemar of 1 against 2: 2 · P(at most 1 of 3) = 1
    assert [one.id for one in found.flips] == ["l3", "l4", "l5"]


def test_a_lost_reply_is_no_verdict() -> None:
    labels = [label(1, True), label(2, False), label(3, False)]
    found = compare_with_labels(
        labels, ("v1", "v2"), {"l1": True, "l2": "reply_cut", "l3": True}, {"l1": "reply_cut", "l2": False, "l3": False}
    )
    assert (found.a.lost, found.b.lost) == ({"reply_cut": 1}, {"reply_cut": 1})
    assert (found.a.found.n, found.b.found.n, found.difference.n) == (2, 2, 1)


def test_word_overlap() -> None:
    assert word_overlap("The fee is ten", ["the FEE", "ten!"]) == 0.75
    assert word_overlap("?!", ["?!"]) == 0.0
    assert best_cut([True, True, False, False], [0.9, 0.6, 0.5, 0.1]) == 0.6


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(**changes: Any) -> dict[str, Any]:
    return {"id": "l1", "claim": "c", "passages": [{"id": "p", "text": "t"}], "supported": True, **changes}


@pytest.mark.parametrize(
    ("word", "truth"),
    [(True, True), (False, False), ("supported", True), ("Not supported", False), (1, True), ("no", False)],
)
def test_words_for_true_and_false(tmp_path: Path, word: object, truth: bool) -> None:
    assert read_claim_labels(write(tmp_path / "l.jsonl", row(supported=word)))[0].supported is truth


FAULTS: dict[str, tuple[list[object], str]] = {
    "neither true nor false": ([row(supported="partly")], "l.jsonl:1: supported: 'partly' is neither true nor false"),
    "no claim": ([row(), row(id="l2", claim="")], "l.jsonl:2: claim: must not be empty"),
    "an id twice": ([row(), row()], "l.jsonl:2: id: 'l1' is used twice"),
    "no text to check against": ([row(passages=["p"])], "l.jsonl:1: passages: holds no text"),
    "an unknown key": ([row(verdict="yes")], "l.jsonl:1: verdict: unknown key"),
    "nothing": ([], "holds no label"),
}


@pytest.mark.parametrize(("rows", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_of_a_label_file_are_named(tmp_path: Path, rows: list[object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_claim_labels(write(tmp_path / "l.jsonl", *rows))
    assert said in str(caught.value)


def by_offline_judge(labels: tuple[ClaimLabel, ...], *, joined: bool) -> dict[str, bool | str]:
    """Sentences each as a passage of its own, or all of a row as one passage."""
    said: dict[str, bool | str] = {}
    for one in labels:
        passages = (Passage(id="all", text="\n\n".join(one.texts)),) if joined else one.passages or ()
        (verdict,) = verify_claims(OfflineJudge(), PromptSet(), [Claim(id=1, text=one.claim)], passages)
        said[one.id] = verdict.label == "supported"
    return said


@pytest.mark.skipif(not WICE.is_file(), reason="the labelled claims are not here")
def test_real_labels_with_the_offline_judge_in_two_settings() -> None:
    labels = read_claim_labels(WICE, COLUMNS)
    apart, joined = (by_offline_judge(labels, joined=joined) for joined in (False, True))
    found = compare_with_labels(labels, ("apart", "joined"), apart, joined)
    assert found.labels == 249
    truth = {one.id: one.supported for one in labels}
    for side, said in ((found.a, apart), (found.b, joined)):
        hits = sum(said[one] is True for one in truth if truth[one])
        left = sum(said[one] is False for one in truth if not truth[one])
        assert side.found.sensitivity is not None
        assert side.found.specificity is not None
        assert side.found.sensitivity.value == pytest.approx(hits / 110, abs=1e-12)
        assert side.found.specificity.value == pytest.approx(left / 139, abs=1e-12)
    # a window of three sentences sees more than each sentence alone: joining can only add support
    assert all(joined[one] or not apart[one] for one in truth)
    assert found.difference.wins == sum(truth[one.id] for one in found.flips)
    assert LabelComparison.model_validate_json(found.model_dump_json()) == found
