"""Two readers of the same claims beside what people said of them, and beside plain word overlap."""

from collections import Counter
from collections.abc import Mapping, Sequence

from whichhalf.core.record import Record
from whichhalf.datasets.claim_labels import ClaimLabel
from whichhalf.judging.word_overlap import word_overlap
from whichhalf.statistics.agreement import Detection, detection, paired_detection
from whichhalf.statistics.paired import PairedDifference

Said = Mapping[str, bool | str]
"""Id of a label → whether the claim was called supported, or the reason word of the reply that was lost."""


class LabelFlip(Record):
    """A claim that the two readers call differently."""

    id: str
    claim: str
    supported: bool
    """What people said."""
    a: bool
    b: bool


class LabelledReader(Record):
    """One reader beside the labels it had a reply for."""

    name: str
    found: Detection
    lost: dict[str, int] = {}
    """Reason → claims without a verdict."""


class LabelComparison(Record):
    """Sensitivity is the share of supported claims that were called so, specificity that of the others left alone."""

    labels: int
    a: LabelledReader
    b: LabelledReader
    overlap: LabelledReader
    """Plain word overlap, with the cut that suits these very labels best: that flatters it."""
    difference: PairedDifference
    """Right answers of b − right answers of a, over the claims both had a verdict for."""
    flips: tuple[LabelFlip, ...]


def compare_with_labels(labels: Sequence[ClaimLabel], names: tuple[str, str], a: Said, b: Said) -> LabelComparison:
    """Compare two readers over all labels."""
    both = [one for one in labels if isinstance(a[one.id], bool) and isinstance(b[one.id], bool)]
    truth, said_a, said_b = [one.supported for one in both], _called(both, a), _called(both, b)
    scores = [word_overlap(one.claim, one.texts) for one in labels]
    cut = best_cut([one.supported for one in labels], scores)
    overlap = {one.id: score >= cut for one, score in zip(labels, scores, strict=True)}
    flipped = [one for one, first, second in zip(both, said_a, said_b, strict=True) if first != second]
    return LabelComparison(
        labels=len(labels),
        a=_reader(names[0], labels, a),
        b=_reader(names[1], labels, b),
        overlap=_reader(f"word overlap ≥ {cut:.2f}", labels, overlap),
        difference=paired_detection(truth, said_a, said_b),
        flips=tuple(
            LabelFlip(id=one.id, claim=one.claim, supported=one.supported, a=bool(a[one.id]), b=bool(b[one.id]))
            for one in flipped
        ),
    )


def best_cut(truth: Sequence[bool], scores: Sequence[float]) -> float:
    """The cut with the highest balanced accuracy on these very rows; the highest such cut."""

    def balanced(cut: float) -> float:
        shares = [
            sum((score >= cut) == kind for score, one in zip(scores, truth, strict=True) if one == kind)
            / max(1, truth.count(kind))
            for kind in (True, False)
        ]
        return sum(shares)

    return max(sorted(set(scores), reverse=True), key=balanced)


def _reader(name: str, labels: Sequence[ClaimLabel], said: Said) -> LabelledReader:
    told = [one for one in labels if isinstance(said[one.id], bool)]
    lost = Counter(str(said[one.id]) for one in labels if not isinstance(said[one.id], bool))
    return LabelledReader(
        name=name, found=detection([one.supported for one in told], _called(told, said)), lost=dict(lost)
    )


def _called(labels: Sequence[ClaimLabel], said: Said) -> list[bool]:
    return [bool(said[one.id]) for one in labels]
