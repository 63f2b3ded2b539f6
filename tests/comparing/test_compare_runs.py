"""Means, differences, words and what is left out, with figures worked by hand."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import fsum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from run_makers import JUDGE, a_case, a_run, failed, refused
from whichhalf import compare
from whichhalf.comparing.compare_runs import Settings, compare_all
from whichhalf.comparing.comparison import Comparison, MetricComparison
from whichhalf.core.outcome import Outcome, Undefined
from whichhalf.core.run import JudgeNoise
from whichhalf.errors import InputError
from whichhalf.reporting.comparison_words import unpaired

FAITHFULNESS = "faithfulness"


def only(found: Comparison) -> MetricComparison:
    (metric,) = found.metrics
    return metric


def compare_scores(
    a: Sequence[float | Outcome], b: Sequence[float | Outcome], metric: str = FAITHFULNESS, **how: Any
) -> MetricComparison:
    return only(compare(a_run({metric: a}), a_run({metric: b}), **how))


def exact_sign_flip_p(differences: list[float]) -> float:
    """Over all sign patterns, two-sided."""
    seen = abs(fsum(differences))
    sums = [
        abs(fsum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(one >= seen - 1e-12 for one in sums) / len(sums)


def test_bug_198_pairs_are_joined_by_id_never_by_position() -> None:
    """A has q1 q2 q3, B has q2 q3 q4, in another order, from another golden set."""
    a = a_run({FAITHFULNESS: [0.0, 0.5, 1.0]}, [a_case(one) for one in ("q1", "q2", "q3")])
    scores = {FAITHFULNESS: [0.25, 1.0, 0.75]}
    b = a_run(scores, [a_case(one) for one in ("q4", "q3", "q2")], data={"golden": "9" * 64})
    with pytest.raises(InputError, match="golden set file"):
        compare(a, b)
    found = compare(a, b, anyway=True)
    (warning,) = found.warnings
    assert str(warning).startswith("golden set file: ")
    assert list(unpaired(found)) == ["1 question(s) only in A, left out: q1", "1 question(s) only in B, left out: q4"]
    assert (found.pairing.paired, found.pairing.only_a, found.pairing.only_b) == (2, ("q1",), ("q4",))
    paired = only(found).paired
    assert paired is not None
    assert (paired.mean_a, paired.mean_b, paired.difference) == (0.75, 0.875, 0.125)
    assert (paired.wins, paired.ties, paired.losses) == (1, 1, 0)


def test_mcnemar_on_pass_and_fail() -> None:
    """Stats case: two questions only B passes, none only A passes: exact p 0.5, so no difference is shown."""
    found = compare_scores([1, 1, 0, 1, 0, 1, 1, 0, 1, 1], [1, 1, 1, 1, 0, 1, 1, 1, 1, 1])
    assert found.paired is not None
    assert (found.paired.p, found.paired.wins, found.paired.losses) == (0.5, 2, 0)
    assert found.paired.difference == pytest.approx(0.2, abs=1e-12)
    assert found.verdict == "not enough data"


def test_one_changed_question_of_forty_shows_nothing() -> None:
    """Stats case: nightly alerts on one question would be muted."""
    found = compare_scores([0.5] * 40, [*[0.5] * 39, 0.0])
    assert found.paired is not None
    assert found.paired.p == 1.0
    assert found.verdict in ("not enough data", "equivalent")
    assert found.paired.low is not None
    assert found.paired.low < 0


UP = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.4]


def test_better_worse_and_the_direction_of_a_metric() -> None:
    low, high = [0.2] * 10, [0.2 + one for one in UP]
    expected = exact_sign_flip_p(UP)
    assert expected == 2 / 1024
    found = compare_scores(low, high)
    assert found.p_adjusted == pytest.approx(expected, abs=1e-12)
    assert found.verdict == "better"
    assert compare_scores(high, low).verdict == "worse"
    assert compare_scores(low, high, "hallucination").verdict == "worse"
    assert compare_scores(high, low, "refusal_rate").verdict == "better"


def test_a_share_of_labels_gets_no_word_and_no_part_in_holm() -> None:
    low, high = [0.2] * 10, [0.2 + one for one in UP]
    scores = [{FAITHFULNESS: values, "judged@5[retrieved]": values} for values in (low, high)]
    faithfulness, labels = compare(a_run(scores[0]), a_run(scores[1])).metrics
    assert (labels.verdict, labels.p_adjusted) == (None, None)
    assert faithfulness.p_adjusted == pytest.approx(2 / 1024, abs=1e-12)


def test_holm_over_the_compared_metrics() -> None:
    """p values of 2/1024 and 1.0: the smaller is doubled; a metric that is the same on every pair is not counted."""
    low, high, mixed = [0.2] * 10, [0.2 + one for one in UP], [0.1, 0.3] + [0.2] * 8
    a = a_run({FAITHFULNESS: low, "context_recall": low, "answer_recall": low})
    b = a_run({FAITHFULNESS: high, "context_recall": mixed, "answer_recall": low})
    found = {one.metric: one for one in compare(a, b).metrics}
    assert found[FAITHFULNESS].p_adjusted == pytest.approx(4 / 1024, abs=1e-12)
    assert found["context_recall"].p_adjusted == 1.0
    assert found["answer_recall"].p_adjusted is None


def test_several_challengers_are_tested_together() -> None:
    low, high = [0.2] * 10, [0.2 + one for one in UP]
    runs = [(name, a_run({FAITHFULNESS: values})) for name, values in (("a", low), ("b", high), ("c", high))]
    first, second = compare_all(runs[0], runs[1:], Settings())
    assert (first.name_a, first.name_b, second.name_a, second.name_b) == ("a", "b", "a", "c")
    assert only(first).p_adjusted == only(second).p_adjusted == pytest.approx(4 / 1024, abs=1e-12)


def test_equivalent_is_shown_never_assumed() -> None:
    near = [0.5 + 0.001 * (-1) ** number for number in range(200)]
    assert compare_scores([0.5] * 200, near).verdict == "equivalent"
    few = compare_scores([0.5, 0.7, 0.6], [0.6, 0.6, 0.6])
    assert few.verdict == "not enough data"
    assert "3 pairs can show a difference of" in few.because
    assert few.questions_needed is not None
    assert few.questions_needed > 3


def test_pairs_without_a_number_are_counted_by_reason_and_side() -> None:
    no_claims = Undefined(because="no_claims")
    a: list[float | Outcome] = [1.0, refused(), refused(), 0.5, failed(), 0.5]
    b: list[float | Outcome] = [1.0, refused(), 0.5, refused(), 0.5, no_claims]
    found = compare_scores(a, b)
    assert {one.reason: (one.questions, one.lost) for one in found.left_out} == {
        "refused in both": (("q2",), False),
        "refused in A": (("q3",), False),
        "refused in B": (("q4",), False),
        "failed (reply_cut) in A": (("q5",), True),
        "no_claims in B": (("q6",), False),
    }
    assert found.paired is None
    assert found.because == "fewer than two pairs have a number on both sides"


def test_under_the_coverage_floor_there_is_no_verdict() -> None:
    """Stats case: judge errors on the five unfaithful rows make the rest look better."""
    a: list[float | Outcome] = [0.5] * 10
    b: list[float | Outcome] = [*[0.9] * 5, *[failed() for _ in range(5)]]
    found = compare_scores(a, b)
    assert found.coverage == 0.5
    assert (found.verdict, found.because) == ("not enough data", "50% of the definable pairs scored, floor 95%")
    assert compare_scores(a, b, coverage_floor=0.5).verdict == "not enough data"
    missing: list[float | Outcome] = [*[0.9] * 5, *[Undefined(because="missing_output") for _ in range(5)]]
    assert compare_scores(a, missing).coverage == 0.5


def test_smaller_than_the_judges_own_noise() -> None:
    low, high = [0.2] * 10, [0.2 + one for one in UP]
    found = compare_scores(low, high, judge_noise={FAITHFULNESS: 0.3})
    assert (found.verdict, found.because) == ("not enough data", "smaller than the judge's own noise of 0.3")
    assert compare_scores(low, high, judge_noise={FAITHFULNESS: 0.1}).verdict == "better"


def test_the_repeats_of_the_runs_tell_the_judges_noise() -> None:
    """1.96 · √(0.06² + 0.08²) = 0.196; a run that was judged once is taken to be as noisy as the other."""
    low, high = [0.2] * 10, [0.2 + one for one in UP]
    a, b = a_run({FAITHFULNESS: low}), a_run({FAITHFULNESS: high})
    noise = JudgeNoise(
        repeats=1, cases=5, lost=0, claims=9, flipped=1, flip_rate=1 / 9, low=0.0, high=0.5, deviation=0.06
    )
    a = replace(a, noise={FAITHFULNESS: noise})
    assert only(compare(a, b)).judge_noise == pytest.approx(1.959964 * 0.06 * 2**0.5, abs=1e-6)
    b = replace(b, noise={FAITHFULNESS: noise.model_copy(update={"deviation": 0.08})})
    found = only(compare(a, b))
    assert found.judge_noise == pytest.approx(0.1959964, abs=1e-6)
    assert found.verdict == "better"
    b = replace(b, noise={FAITHFULNESS: noise.model_copy(update={"deviation": 0.2})})
    assert only(compare(a, b)).because == "smaller than the judge's own noise of 0.409"


def test_clusters_are_flipped_whole() -> None:
    """Ten questions from two documents: two clusters can never show a difference."""
    cases = [a_case(f"q{number}", tags={"doc": "x" if number < 6 else "y"}) for number in range(1, 11)]
    a, b = (a_run({FAITHFULNESS: values}, cases) for values in ([0.2] * 10, [0.2 + one for one in UP]))
    assert only(compare(a, b)).verdict == "better"
    clustered = only(compare(a, b, cluster="doc"))
    assert clustered.paired is not None
    assert clustered.paired.clusters == 2
    assert clustered.verdict == "not enough data"
    bare = a_run({FAITHFULNESS: [0.2] * 10})
    with pytest.raises(InputError, match="10 question\\(s\\) have no tag 'doc' to cluster by: q1, q2"):
        compare(bare, bare, cluster="doc")


def test_slices_by_tag() -> None:
    cases = [a_case(f"q{number}", tags={"topic": topic}) for number, topic in enumerate(("rent", "rent", "salary"), 1)]
    a, b = (a_run({FAITHFULNESS: values}, cases) for values in ([0.0, 0.5, 1.0], [0.5, 1.0, 0.0]))
    slices = compare(a, b, slices=["topic"]).slices["topic"]
    (rent,), (salary,) = slices["rent"], slices["salary"]
    assert rent.paired is not None
    assert (rent.paired.n, rent.paired.difference) == (2, 0.5)
    assert (salary.paired, salary.verdict) == (None, "not enough data")
    with pytest.raises(InputError, match="no question has the tag 'tpoic'; there are topic"):
        compare(a, b, slices=["tpoic"])


def test_metrics_of_one_run_only_are_named() -> None:
    found = compare(a_run({FAITHFULNESS: [1.0]}), a_run({FAITHFULNESS: [1.0], "context_recall": [1.0]}))
    assert found.notes == ("only in B, not compared: context_recall",)


def test_the_offline_judge_and_two_endpoints_are_told() -> None:
    scores = {FAITHFULNESS: [1.0]}
    offline = a_run(scores, judge={**JUDGE, "is_baseline": True})
    assert "a lexical baseline, no judge model" in compare(offline, offline).notes[0]
    elsewhere = a_run(scores, judge={**JUDGE, "endpoint": "http://127.0.0.1:2/v1"})
    assert compare(a_run(scores), elsewhere).notes == (
        "the judge was asked at two places: http://127.0.0.1:1/v1 and http://127.0.0.1:2/v1",
    )


WORDS = {"better": "worse", "worse": "better", "equivalent": "equivalent", "not enough data": "not enough data"}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40), st.booleans())
def test_turning_the_runs_round_turns_the_word_round(pairs: list[tuple[float, float]], lower_is_better: bool) -> None:
    metric = "hallucination" if lower_is_better else FAITHFULNESS
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    there, back = compare_scores(a, b, metric), compare_scores(b, a, metric)
    assert there.verdict is not None
    assert back.verdict == WORDS[there.verdict]
    if there.paired is not None and back.paired is not None:
        assert there.paired.difference == pytest.approx(-(back.paired.difference or 0.0), abs=1e-12)
        assert (there.paired.wins, there.paired.losses) == (back.paired.losses, back.paired.wins)


def test_a_run_against_itself() -> None:
    run = a_run({FAITHFULNESS: [0.1, 0.9, 0.5], "recall@5[retrieved]": [1.0, 0.0, 0.5]})
    found = compare(run, run)
    assert (found.changed, found.movers) == ((), ())
    assert [one.paired.difference if one.paired else None for one in found.metrics] == [0.0, 0.0]
    assert {one.verdict for one in found.metrics} == {"not enough data"}
