"""Every metric over all pairs, and over those of every slice."""

from collections.abc import Mapping, Sequence
from math import ceil

from whichhalf.catalogue import half_of, higher_is_better
from whichhalf.comparing.comparison import MetricComparison, Rule
from whichhalf.comparing.pairs import Pair, pair_values
from whichhalf.comparing.verdict_words import with_words
from whichhalf.core.ids import a_few
from whichhalf.errors import InputError
from whichhalf.statistics.paired import PairedDifference, paired_difference

Part = tuple[str, str]
"""(tag, value) of a slice."""
ALL: Part = ("", "")
"""All pairs."""
Measured = dict[Part, list[MetricComparison]]


def measure(
    parts: Mapping[Part, Sequence[Pair]], contracts: Mapping[str, str], rule: Rule, judge_noise: Mapping[str, float]
) -> Measured:
    """Differences, intervals and p values of the metrics that have a contract here; no word yet.

    The judge's noise is that of the mean over all pairs, so slices, which are smaller, are not held against it.
    Raises InputError when a question lacks the tag to cluster by.
    """
    return {
        part: [
            _measure(pairs, name, contracts[name], rule, judge_noise.get(name) if part == ALL else None)
            for name in contracts
        ]
        for part, pairs in parts.items()
    }


def add_words(measured: Sequence[Measured], rule: Rule) -> list[Measured]:
    """Words for all; tested together are all pairs of every comparison, and all values of one tag."""
    worded: list[Measured] = [{} for _ in measured]
    for tag in dict.fromkeys(part[0] for one in measured for part in one):
        places = [(at, part) for at, one in enumerate(measured) for part in one if part[0] == tag]
        told = iter(with_words([metric for at, part in places for metric in measured[at][part]], rule))
        for at, part in places:
            worded[at][part] = [next(told) for _ in measured[at][part]]
    return worded


def _measure(
    pairs: Sequence[Pair], metric: str, contract: str, rule: Rule, judge_noise: float | None
) -> MetricComparison:
    values = pair_values(pairs, metric)
    paired = None
    if len(values.pairs) > 1:
        clusters = _clusters(values.pairs, rule.cluster) if rule.cluster else None
        paired = paired_difference(
            values.a, values.b, margin=rule.margin, level=rule.level, seed=rule.seed, clusters=clusters
        )
    return MetricComparison(
        metric=metric,
        half=half_of(metric),
        higher_is_better=higher_is_better(metric),
        contract=contract,
        paired=paired,
        left_out=values.left_out,
        coverage=values.coverage,
        questions_needed=_needed(paired) if paired else None,
        judge_noise=judge_noise,
    )


def _clusters(pairs: Sequence[Pair], tag: str) -> list[str]:
    bare = [pair.id for pair in pairs if tag not in pair.tags]
    if bare:
        raise InputError(f"{len(bare)} question(s) have no tag {tag!r} to cluster by: {a_few(bare)}")
    return [pair.tags[tag] for pair in pairs]


def _needed(paired: PairedDifference) -> int | None:
    """The detectable difference shrinks with the root of the number of questions."""
    return ceil(paired.n * (paired.detectable / paired.margin) ** 2) if paired.detectable else None
