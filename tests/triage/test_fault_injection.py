"""Answers broken on purpose: the half that broke is named. benchmarks/triage.py does the same with more of them."""

from fault_injection import measure


def test_a_judge_that_reads_well() -> None:
    found = measure(rounds=1)
    assert found.cases > 400
    assert found.halves == 1.0
    assert found.reasons >= 0.97
    assert found.confidently_wrong == 0.0


def test_repeats_keep_a_judge_that_errs_from_being_confidently_wrong() -> None:
    once, thrice = measure(rounds=1, flips=0.05), measure(rounds=1, flips=0.05, repeats=3)
    assert thrice.halves >= 0.9
    assert thrice.confidently_wrong <= min(0.03, once.confidently_wrong)
    assert thrice.calls > once.calls
