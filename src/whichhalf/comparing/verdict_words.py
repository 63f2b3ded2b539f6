"""From intervals and p values to a word: better, worse, equivalent, or not enough data."""

from collections.abc import Sequence

from whichhalf.comparing.comparison import MetricComparison, Rule, Word
from whichhalf.statistics.correction import holm


def rule_in_words(rule: Rule) -> tuple[str, ...]:
    """What a reader must know to check every verdict word."""
    clusters = f", clustered by {rule.cluster}" if rule.cluster else ""
    return (
        f"better, worse: p < {rule.alpha:g} after Holm over all that was tested together, and the "
        f"{rule.level:.0%} interval excludes 0{clusters}",
        f"equivalent: two one-sided tests place the difference within ±{rule.margin:g}, each p < {rule.alpha:g}",
        "not enough data: neither could be shown; that is no proof of equality",
        f"pairs: under {rule.coverage_floor:.0%} of the definable pairs scored on both sides gives no verdict",
    )


def with_words(tested: Sequence[MetricComparison], rule: Rule) -> list[MetricComparison]:
    """The same comparisons with adjusted p values and words; the p values are adjusted over all of them.

    A metric that is the same on every pair can never be called different, so it takes no part in the adjustment
    (Tarone, A modified Bonferroni method for discrete data, 1990).
    """
    family = [number for number, one in enumerate(tested) if _is_tested(one)]
    adjusted = dict(zip(family, holm([_p(tested[number]) for number in family]), strict=True))
    found = [one.model_copy(update={"p_adjusted": adjusted.get(number)}) for number, one in enumerate(tested)]
    return [_with_word(one, rule) for one in found]


def _is_tested(one: MetricComparison) -> bool:
    return one.higher_is_better is not None and one.paired is not None and one.paired.ties < one.paired.n


def _p(one: MetricComparison) -> float:
    assert one.paired is not None
    return one.paired.p


def _with_word(one: MetricComparison, rule: Rule) -> MetricComparison:
    if one.higher_is_better is None:
        return one.model_copy(update={"because": "says how far labels reach, not how good the runs are"})
    word, because = _word(one, rule)
    return one.model_copy(update={"verdict": word, "because": because})


def _word(one: MetricComparison, rule: Rule) -> tuple[Word, str]:
    found = one.paired
    if found is None:
        return "not enough data", "fewer than two pairs have a number on both sides"
    if found.low is None or found.high is None or found.difference is None:
        return "not enough data", "fewer than two clusters"
    if one.coverage < rule.coverage_floor:
        return "not enough data", f"{one.coverage:.0%} of the definable pairs scored, floor {rule.coverage_floor:.0%}"
    excludes_0 = found.low > 0 or found.high < 0
    if one.p_adjusted is not None and one.p_adjusted < rule.alpha and excludes_0:
        if one.judge_noise is not None and abs(found.difference) < one.judge_noise:
            return "not enough data", f"smaller than the judge's own noise of {one.judge_noise:.3g}"
        is_better = (found.difference > 0) == one.higher_is_better
        return "better" if is_better else "worse", f"p < {rule.alpha:g} after Holm, and the interval excludes 0"
    if found.equivalence_p < rule.alpha:
        return "equivalent", f"within ±{rule.margin:g}"
    return "not enough data", _too_few(one, rule)


def _too_few(one: MetricComparison, rule: Rule) -> str:
    assert one.paired is not None
    if one.paired.ties == one.paired.n:
        return f"no pair differs, but {one.paired.n} are too few to call the runs equivalent within ±{rule.margin:g}"
    if one.paired.detectable is None:
        return "neither a difference nor equivalence could be shown"
    needed = "" if one.questions_needed is None else f"; {rule.margin:g} would need {one.questions_needed}"
    return f"{one.paired.n} pairs can show a difference of {one.paired.detectable:.2f}{needed}"
