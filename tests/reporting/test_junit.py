"""JUnit XML that any reader takes, whatever stands in the texts."""

from xml.etree import ElementTree as Xml

from scored_runs import scored_run
from whichhalf.reporting.junit import night_as_junit
from whichhalf.running.gate import GateVerdict
from whichhalf.running.night import CanaryResult, Night

HOSTILE = 'a < b & "c" ]]> \x00\x1b[31m \ufffe end'


def a_night(*gates: GateVerdict, canary: CanaryResult | None = None) -> Night:
    return Night(job="j", verdict="red", headline="h", gates=gates, baseline="b", canary=canary, seconds=2.5)


def gate(verdict: str, sentence: str = "s") -> GateVerdict:
    return GateVerdict.model_validate({"gate": f"gate {verdict}", "verdict": verdict, "sentence": sentence})


def test_one_test_a_gate_with_its_outcome() -> None:
    night = a_night(gate("passed"), gate("failed"), gate("incomplete"), gate("not_compared"))
    suites = Xml.fromstring(night_as_junit(night, scored_run({"f": [1.0]})))
    [suite] = suites
    assert {key: suite.get(key) for key in ("name", "tests", "failures", "errors", "skipped", "time")} == {
        "name": "gates",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
        "time": "2.500",
    }
    assert [[part.tag for part in test] for test in suite] == [["system-out"], ["failure"], ["error"], ["skipped"]]


def test_a_judge_that_moved_is_a_failed_test() -> None:
    canary = CanaryResult(
        anchors_sha256="a", judged=10, flipped=("x #1",), failed=0, models_returned=("m",), statistic=9.0, limit=5.0,
        moved=True, sentence="the judge has moved",
    )  # fmt: skip
    [suite] = Xml.fromstring(night_as_junit(a_night(gate("passed"), canary=canary), scored_run({"f": [1.0]})))
    [failure] = suite.iter("failure")
    assert failure.get("message") == "the judge has moved"


def test_on_request_one_test_a_case_which_errs_where_the_judge_did() -> None:
    run = scored_run({"f": [1.0, None], "g": [0.0, 0.5]})
    _, cases = Xml.fromstring(night_as_junit(a_night(gate("passed")), run, cases=True))
    assert (cases.get("tests"), cases.get("errors"), cases.get("failures")) == ("2", "1", "0")
    [error] = cases.iter("error")
    assert error.get("message") == "f: reply_cut: lost"


def test_no_text_breaks_the_file() -> None:
    text = night_as_junit(a_night(gate("failed", HOSTILE)), scored_run({"f": [1.0]}))
    [failure] = Xml.fromstring(text).iter("failure")
    assert failure.get("message") == 'a < b & "c" ]]> \ufffd\ufffd[31m \ufffd end'
