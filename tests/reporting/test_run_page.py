"""report.html: every number as in summary.json, with its counts and its contract; texts of others stay text."""

import base64
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from page_reader import numbers_of, read_page, rows_of
from run_makers import a_case, a_run
from whichhalf.core.case import Passage
from whichhalf.core.claim import Claim, Evidence, Verdict
from whichhalf.core.outcome import Failed, Scored, Undefined
from whichhalf.core.run import CallRecord, Cost, JudgeNoise, MetricSummary
from whichhalf.reporting.page import render_page
from whichhalf.reporting.run_page import run_page
from whichhalf.reporting.run_reports import write_reports
from whichhalf.reporting.run_view import Section
from whichhalf.reporting.verdict_line import VerdictLine, run_verdict

HOSTILE = '</p><script>alert(1)</script>{{ 7*7 }}{% raw %}</style>" onmouseover="alert(2)" x="\u202egpj\u2066'
SHOWN = '</p><script>alert(1)</script>{{ 7*7 }}{% raw %}</style>" onmouseover="alert(2)" x="gpj'


def numbers_in(summary: dict[str, Any]) -> dict[str, float]:
    told = {name: summary[name] for name in ("mean", "low", "high", "micro", "scored")}
    if summary["failed"]:
        told["worst"], told["best"] = summary["if_failed_were"]
    return {name: value for name, value in told.items() if value is not None}


def _slice_cell(one: dict[str, Any]) -> list[str]:
    total = one["scored"] + sum(one["undefined"].values()) + sum(one["failed"].values())
    return ["–" if one["mean"] is None else f"{one['mean']:.3f}", f"({one['scored']}", "of", f"{total})"]


def check_numbers(folder: Path) -> None:
    """Every number of summary.json stands on the page, exactly in the markup and rounded in the text."""
    page = read_page((folder / "report.html").read_text(encoding="utf-8"))
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    rows = rows_of(page)
    assert set(rows) == set(summary["metrics"])
    for name, row in rows.items():
        facts = summary["metrics"][name]
        assert numbers_of(row) == numbers_in(facts)
        for one in row.all("data"):
            exact = one.attributes["value"]
            assert one.text == (f"{float(exact):.3f}" if "." in exact else exact)
        for kind in ("undefined", "failed"):
            counts = [int(one.attributes["value"]) for one in row.all("data", kind)]
            assert counts == list(facts[kind].values())
            assert all(reason.replace("_", " ") in row.text for reason in facts[kind])
        assert facts["contract"] in page.text
    for tag, values in summary["slices"].items():
        (table,) = [one for one in page.all("table", "slices") if f"By {tag}" in one.text]
        for name, row in zip(summary["metrics"], table.all("tr")[1:], strict=True):
            shown = [cell.text.split() for cell in row.all("td")]
            assert shown == [_slice_cell(one[name]) for one in values.values()]
    for curve in summary["curves"].values():
        assert f"k = {curve['enough']}" in page.text
        assert f"{curve['recall'][-1]:.3f}" in page.text
    cost = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["spent"]
    assert [one.attributes["value"] for one in page.all("data", "judge-calls")] == [str(cost["judge_calls"])]
    assert [one.attributes["value"] for one in page.all("data", "cached")] == [str(cost["cached"])]


def test_the_numbers_of_the_demo(demo_run: Path) -> None:
    write_reports(demo_run)
    check_numbers(demo_run)


def test_numbers_with_intervals_and_failures(demo_run: Path) -> None:
    summary = json.loads((demo_run / "summary.json").read_text(encoding="utf-8"))
    summary["metrics"]["faithfulness"] |= {
        "low": 0.123456789,
        "high": 0.987654321,
        "failed": {"timeout": 2, "reply_cut": 1},
        "if_failed_were": [0.8275862068965517, 0.9310344827586207],
    }
    summary["metrics"]["answer_relevance"] |= {"mean": None, "scored": 0, "if_failed_were": None}
    (demo_run / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    write_reports(demo_run)
    check_numbers(demo_run)


def test_halves_stand_beside_each_other(demo_run: Path) -> None:
    write_reports(demo_run)
    page = read_page((demo_run / "report.html").read_text(encoding="utf-8"))
    retrieval, generation = page.all("table", "metrics")
    assert {"recall@5[retrieved]", "context_precision", "context_recall"} <= set(rows_of(retrieval))
    assert set(rows_of(generation)) == {
        "faithfulness",
        "answer_relevance",
        "answer_correctness",
        "context_utilization",
        "noise_sensitivity_irrelevant",
    }


def test_a_failure_of_the_judge_is_counted_and_shown() -> None:
    failed = Failed(stage="verify_claims", error="timeout", message=f"no reply {HOSTILE}")
    run = a_run({"faithfulness": [Scored(value=0.5), failed, Undefined(because="refused")]})
    page = read_page(run_page("night", run))
    assert [one.text for one in page.all("p", "verdict")] == [
        "3 questions under 1 metric (judge openai/judge-a): 1 score, 1 undefined, 1 failed (1 timeout)."
    ]
    assert "warn" in page.all("p", "verdict")[0].classes
    assert numbers_of(rows_of(page)["faithfulness"]) == {"mean": 0.5, "scored": 1, "worst": 0.25, "best": 0.75}
    assert "faithfulness: verify_claims: timeout" in page.text
    assert "no reply </p><script>" in page.text


def test_a_metric_under_the_coverage_floor_is_named() -> None:
    failed = Failed(stage="verify_claims", error="timeout", message="")
    run = a_run({"faithfulness": [failed, failed]}, config={"run": {"coverage_floor": 0.95}})
    verdict = run_verdict(run)
    assert verdict.state == "bad"
    assert "Not to be trusted: faithfulness: 0 of 2 cases scored, under the coverage floor 0.95" in verdict.text
    assert run_verdict(a_run({"faithfulness": [Scored(value=0.1)]})).state == "good"


def test_the_judges_own_noise_stands_on_the_page_as_in_the_summary() -> None:
    noise = JudgeNoise(
        repeats=2,
        cases=5,
        lost=1,
        claims=9,
        flipped=2,
        flip_rate=2 / 9,
        low=0.0123,
        high=0.6789,
        deviation=0.0456,
        mean=0.7891,
    )
    none = noise.model_copy(
        update={"cases": 0, "claims": 0, "flipped": 0, "lost": 0}
        | dict.fromkeys(["flip_rate", "low", "high", "deviation", "mean"])
    )
    run = a_run({"faithfulness": [0.5], "context_recall": [0.5]})
    page = read_page(run_page("night", replace(run, noise={"faithfulness": noise, "context_recall": none})))
    first, second = page.all("table", "noise")[0].all("tr")[1:]
    facts = {one.attributes["class"]: float(one.attributes["value"]) for one in first.all("data")}
    told = ("flip_rate", "low", "high", "mean", "deviation", "flipped", "claims", "cases", "lost")
    assert facts == {name.replace("_", "-"): getattr(noise, name) for name in told}
    shown = [" ".join(cell.text.split()) for cell in first.all("td")]
    assert shown == [
        "0.2220.012 to 0.679",
        "0.789",
        "0.046",
        "2 of 9 verdicts flipped, over 5 cases; 1 repeat gave no score",
    ]
    assert [cell.text for cell in second.all("td")] == ["–", "–", "–", "0 of 0 verdicts flipped, over 0 cases"]
    assert "asked again about the same answers, 3 times in all" in page.text
    assert set(rows_of(page)) == {"faithfulness", "context_recall"}
    assert [one for one in page.all("a") if one.attributes["href"] == "#noise"]


def test_a_run_that_asked_once_tells_of_no_noise() -> None:
    assert "own noise" not in read_page(run_page("night", a_run({"faithfulness": [0.5]}))).text


def call_record(**changes: Any) -> CallRecord:
    facts: dict[str, Any] = {
        "prompt": "verify_claims",
        "version": "v1",
        "prompt_sha256": "0",
        "repeat": 0,
        "model_asked": "m",
        "model_returned": "m",
        "cached": False,
        "attempts": 1,
        "latency_seconds": 2.0,
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "cost_usd": 0.25,
        "result": "ok",
        **changes,
    }
    return CallRecord(**facts)


def test_cost_by_prompt_says_what_is_unknown() -> None:
    """bug-193: calls, kept replies, tokens and cost in one table. bug-190: an unknown price is never 0."""
    calls = (
        call_record(),
        call_record(attempts=3, cost_usd=None, prompt_tokens=None, completion_tokens=None, latency_seconds=4.5),
        call_record(cached=True, attempts=0, cost_usd=None),
        call_record(result="timeout", attempts=2, cost_usd=None, prompt_tokens=None),
        call_record(prompt="split_claims"),
    )
    cost = Cost(judge_calls=7, cached=1)
    page = read_page(run_page("t", replace(a_run({"faithfulness": [1.0]}, cost=cost), calls=calls)))
    (table,) = [one for one in page.all("table") if "kept replies" in one.text]
    shown = [[cell.text for cell in row.inside if cell.tag in {"th", "td"}] for row in table.all("tr")[1:]]
    assert shown == [
        [
            *("verify_claims/v1", "4", "1", "6", "1 timeout", "100"),
            *("10unknown for 1", "0.2500unknown for 1", "8.5", "4.50"),
        ],
        ["split_claims/v1", "1", "0", "1", "–", "100", "10", "0.2500", "2.0", "2.00"],
    ]
    assert "price unknown" in page.text


def test_worst_cases_are_the_lowest_with_their_evidence(demo_run: Path) -> None:
    write_reports(demo_run)
    page = read_page((demo_run / "report.html").read_text(encoding="utf-8"))
    cards = page.all("details", "card")
    heads = [card.all("summary")[0].text.split()[:2] for card in cards]
    cases = [json.loads(line) for line in (demo_run / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    for metric, part in (("recall@5[retrieved]", heads[:5]), ("faithfulness", heads[5:])):
        values = {one["case"]["question"]["id"]: one["outcomes"][metric].get("value") for one in cases}
        low = sorted((value, place) for place, value in enumerate(values.values()) if value is not None and value < 1)
        ids = list(values)
        assert part == [[ids[place], f"{value:.3f}"] for value, place in low[:5]]
    rent = next(card for card in cards if card.all("summary")[0].text.split()[0] == "q01")
    assert [one.text for one in rent.all("mark", "not_mentioned")] == [
        "You can claim at most Rs 1,50,000 a year for rent paid to a parent4–"
    ]
    assert "Rent you pay to a parent can be claimed as rent relief1" in [one.text for one in rent.all("mark", "quote")]


def test_sections_and_a_verdict_of_another_job() -> None:
    section = Section("gates", "Gates & more", Markup("<p>2 passed</p>"))
    verdict = VerdictLine("bad", "Red: recall fell.")
    page = read_page(run_page("t", a_run({"rr": [Scored(value=1)]}), verdict=verdict, sections=[section]))
    assert page.all("p", "verdict")[0].text == "Red: recall fell."
    headings = [one.text for one in page.all("h2")]
    assert headings.index("Gates & more") < headings.index("Metrics")
    assert "#gates" in [one.attributes.get("href") for one in page.all("a")]


def hostile_page() -> str:
    place = Evidence(passage=HOSTILE, quote="Rule", start=0)
    verdict = Verdict(claim=Claim(id=1, text=HOSTILE, quote=HOSTILE), label="contradicted", evidence=(place,))
    passage = Passage(id=HOSTILE, text=f"Rule {HOSTILE}", doc=HOSTILE)
    case = a_case(
        HOSTILE,
        text=HOSTILE,
        relevant={HOSTILE: 1, "lost": 1},
        reference_answers=(HOSTILE,),
        retrieved=(passage,),
        context=(passage,),
        answer=f"{HOSTILE} {'x' * 100_000}",
    )
    outcome = Scored(value=0, verdicts=(verdict,), notes=(HOSTILE,))
    run = a_run({"faithfulness": [outcome]}, [case], notices=(HOSTILE,))
    return run_page(HOSTILE, run)


def test_hostile_text_stays_text() -> None:
    page = read_page(hostile_page())
    assert page.all("script") == []
    assert [one for one in page.inside if any(name.startswith("on") for name in one.attributes)] == []
    assert len(page.all("style")) == 1
    assert page.all("h1")[0].text == SHOWN
    assert "49" not in page.all("h1")[0].text
    assert [one.text for one in page.all("mark", "contradicted")][1:] == [f"{SHOWN}1✗"]
    assert "\u202e" not in page.text
    assert "x" * 100_000 in page.text


def test_a_page_asks_for_nothing_from_elsewhere(demo_run: Path) -> None:
    """The policy forbids all, and nothing in the page wants it. Only the script whose hash is named may run."""
    write_reports(demo_run)
    for name in ("report.html", "triage.html"):
        text = (demo_run / name).read_text(encoding="utf-8")
        page = read_page(text)
        (policy,) = [one.attributes["content"] for one in page.all("meta") if "http-equiv" in one.attributes]
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
        links = [value for one in page.inside for key, value in one.attributes.items() if key in {"href", "src"}]
        assert {link for link in links if not link.startswith("#")} <= {"data:,", "triage.html"}
        assert "url(" not in page.all("style")[0].text
        assert "@import" not in page.all("style")[0].text
        hashes = [base64.b64encode(hashlib.sha256(one.text.encode()).digest()).decode() for one in page.all("script")]
        assert [part for part in policy.split("'") if part.startswith("sha256-")] == [f"sha256-{one}" for one in hashes]
        assert len(hashes) == (name == "triage.html")


def test_a_template_that_asks_for_what_is_not_there_is_an_error() -> None:
    with pytest.raises(Exception, match="has no attribute 'title'"):
        render_page("run.html", object())


def test_an_empty_summary() -> None:
    """A metric that is defined nowhere shows a dash, never a 0."""
    run = a_run({"faithfulness": [Undefined(because="refused")]})
    row = rows_of(read_page(run_page("t", run)))["faithfulness"]
    assert numbers_of(row) == {"scored": 0}
    assert row.all("td")[0].text == "–"
    assert isinstance(run.metrics["faithfulness"], MetricSummary)
