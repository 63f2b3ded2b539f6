"""Runs as assertions: what passes, what fails, and what the message shows."""

from pathlib import Path

import pytest

from run_makers import a_run, judged
from scored_runs import scored_run
from whichhalf.pytest_plugin import assert_no_regression, assert_scores

ROOT = Path(__file__).parents[1]
pytest_plugins = ["pytester"]


def message_of(call: object, *arguments: object, **options: object) -> str:
    assert callable(call)
    with pytest.raises(pytest.fail.Exception) as caught:
        call(*arguments, **options)
    return str(caught.value)


def test_a_mean_below_its_floor_fails_with_the_claims_that_lack_support() -> None:
    run = a_run(
        {"faithfulness": [judged(0.5, The_fee_is_500="supported", The_fee_is_due_in_May=("contradicted", "p7"))]}
    )
    assert_scores(run, {"faithfulness": 0.5})
    text = message_of(assert_scores, run, {"faithfulness": 0.75})
    assert "faithfulness: 0.5 < 0.75 over 1 cases" in text
    assert "contradicted: The fee is due in May (p7 says “quote of p7”)" in text
    assert "The fee is 500" not in text


def test_too_little_scored_fails_whatever_the_mean() -> None:
    run = scored_run({"faithfulness": [1.0, None]})
    assert "1 of 2 cases scored" in message_of(assert_scores, run, {"faithfulness": 0.5})
    assert_scores(run, {"faithfulness": 0.5}, coverage_floor=0.5)


def test_a_real_drop_is_a_regression_and_chance_is_none() -> None:
    before = scored_run({"faithfulness": [1.0, 0.9, 0.8, 1.0] * 10})
    worse = scored_run({"faithfulness": [0.7, 0.6, 0.5, 0.7] * 10})
    assert "a real loss" in message_of(assert_no_regression, worse, before)
    assert_no_regression(worse, before, max_drop=0.5)
    one_changed = scored_run({"faithfulness": [0.0, 0.9, 0.8, 1.0] + [1.0, 0.9, 0.8, 1.0] * 9})
    assert_no_regression(one_changed, before)


def test_runs_that_may_not_be_compared_fail() -> None:
    text = message_of(assert_no_regression, scored_run({"f": [1.0]}), scored_run({"f": [1.0]}, golden="g2"))
    assert text == "the runs may not be compared: golden set differ"


def test_the_fixture_is_there_without_an_import(pytester: pytest.Pytester) -> None:
    config = ROOT / "configs" / "demo.toml"
    text = config.read_text(encoding="utf-8").replace('"../fixtures', f'"{ROOT.as_posix()}/fixtures')
    text = text.replace('"../runs"', '"runs"').replace('"../.whichhalf-cache"', '"cache"')
    (pytester.path / "demo.toml").write_text(text, encoding="utf-8")
    pytester.makepyfile(
        """
        from whichhalf.pytest_plugin import assert_scores

        def test_one(whichhalf_run):
            assert_scores(whichhalf_run("demo.toml"), {"recall@5": 0.7})

        def test_two(whichhalf_run):
            assert_scores(whichhalf_run("demo.toml"), {"recall@5": 0.99})
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*recall@5: 0.75 < 0.99 over 26 cases*"])
    assert len(list((pytester.path / "runs").glob("demo-*"))) == 1
