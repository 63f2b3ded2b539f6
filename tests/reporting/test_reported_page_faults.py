"""Faults reported of the reports of other tools, each made to fail here if it came back."""

import json
from pathlib import Path
from typing import Any

import pytest

from page_reader import Element, numbers_of, read_page, rows_of
from run_makers import a_run
from whichhalf.core.claim import Claim, Evidence, Verdict
from whichhalf.core.outcome import Failed, Outcome, Scored
from whichhalf.reporting.run_page import run_page
from whichhalf.reporting.run_reports import write_reports


@pytest.fixture(scope="module")
def rent(whole_demo: Path) -> Element:
    """The card of the rent question."""
    write_reports(whole_demo)
    page = read_page((whole_demo / "triage.html").read_text(encoding="utf-8"))
    return next(one for one in page.all("article", "answer") if one.attributes["data-id"] == "q01")


@pytest.fixture(scope="module")
def outcomes(whole_demo: Path) -> dict[str, Any]:
    line = (whole_demo / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    found: dict[str, Any] = json.loads(line)["outcomes"]
    return found


def test_the_claims_behind_a_correctness_are_shown(rent: Element, outcomes: dict[str, Any]) -> None:
    """bug-092: claim, direction, verdict and the judge's reason, for every claim of every metric."""
    items = [one.text for one in rent.all("li")]
    for verdict in outcomes["answer_correctness"]["verdicts"]:
        (shown, *_) = [one for one in items if verdict["claim"]["text"] in one and "Compared with" in one]
        assert verdict["label"].replace("_", " ") in shown
        assert verdict["reason"] in shown
        assert all(f"{place['passage']}: “{place['quote']}”" in shown for place in verdict["evidence"])


def test_the_shown_parts_give_the_shown_number(rent: Element, outcomes: dict[str, Any]) -> None:
    """bug-263: faithfulness can be counted again from the claims under it, by the rule in its contract."""
    (numbers,) = rent.all("details")
    at = [one.text for one in numbers.all("h4")].index("faithfulness")
    claims = numbers.all("ul")[at].all("li")
    supported = [one for one in claims if "✓ supported" in one.text]
    assert len(supported) / len(claims) == outcomes["faithfulness"]["value"] == 0.75
    (row,) = [one for one in numbers.all("tr") if one.all("th")[0].text == "faithfulness"]
    assert [cell.text for cell in row.all("td")][:2] == ["generation", "0.750"]


def test_one_metric_with_two_settings_has_two_rows() -> None:
    """bug-138: the second silently overwrote the first."""
    names = ["ndcg@5[retrieved]", "ndcg(gain=linear)@5[retrieved]"]
    page = read_page(run_page("t", a_run({names[0]: [Scored(value=0.25)], names[1]: [Scored(value=0.5)]})))
    assert {name: numbers_of(row)["mean"] for name, row in rows_of(page).items()} == {names[0]: 0.25, names[1]: 0.5}


def test_a_case_without_any_score_is_no_success_and_no_minimum() -> None:
    """bug-250: a row with no scores was counted as a success, and as the lowest value."""
    lost = Failed(stage="verify_claims", error="timeout", message="")
    page = read_page(run_page("t", a_run({"faithfulness": [lost, Scored(value=0.5)]})))
    assert numbers_of(rows_of(page)["faithfulness"])["scored"] == 1
    assert [card.all("summary")[0].text.split()[:2] for card in page.all("details", "card")] == [["q2", "0.500"]]


def test_a_judges_reason_cannot_add_an_attribute() -> None:
    """bug-220: escaping angle brackets alone is not enough."""
    reason = 'fine" onmouseover="alert(1)'
    place = Evidence(passage="c1", quote=reason, start=0)
    verdict = Verdict(claim=Claim(id=1, text=reason), label="supported", evidence=(place,), reason=reason)
    outcome: Outcome = Scored(value=0.5, verdicts=(verdict,), notes=(reason,))
    page = read_page(run_page(reason, a_run({"faithfulness": [outcome]}, notices=(reason,))))
    assert [one for one in page.inside if "onmouseover" in one.attributes] == []
    assert page.text.count(reason) >= 5


def test_words_that_look_like_numbers_are_left_alone() -> None:
    """bug-218: replacing NaN by text search changed what users wrote; bug-217: no NaN of ours is on the page."""
    text = run_page("t", a_run({"faithfulness": [Scored(value=1)]}, notices=("The NaN store; Infinity Pool.",)))
    assert text.count("NaN") == 1
    assert text.count("Infinity") == 1
