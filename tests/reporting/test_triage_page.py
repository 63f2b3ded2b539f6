"""triage.html: every flagged answer, its evidence in marks, its fix; each answer counted once."""

import json
from pathlib import Path
from typing import Any

import pytest

from page_reader import Element, read_page
from run_makers import a_case, a_run, refused
from whichhalf.core.case import Case, EvidenceQuote, Passage, Question
from whichhalf.core.claim import Claim, Verdict
from whichhalf.core.diagnosis import Diagnosis, Finding, LostPassage, Replay
from whichhalf.core.outcome import Failed, Outcome, Scored
from whichhalf.reporting.fixes import fails_both_ways
from whichhalf.reporting.run_reports import write_reports
from whichhalf.reporting.triage_page import triage_page
from whichhalf.triage.flagged import Flag, FlaggedAnswer

HOSTILE = "<script>alert(1)</script>{{ 7*7 }}</style>\u202egpj.exe"


def page_of(folder: Path) -> Element:
    write_reports(folder)
    return read_page((folder / "triage.html").read_text(encoding="utf-8"))


def labels_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "triage.jsonl").read_text(encoding="utf-8").splitlines()]


def card(page: Element, question: str) -> Element:
    return next(one for one in page.all("article", "answer") if one.attributes["data-id"] == question)


def test_every_flagged_answer_has_a_card_with_its_label(demo_run: Path) -> None:
    page = page_of(demo_run)
    shown = [
        tuple(one.attributes[f"data-{name}"] for name in ("id", "half", "reason"))
        for one in page.all("article", "answer")
    ]
    labels = labels_of(demo_run)
    assert shown == [(one["flag"]["id"], one["diagnosis"]["half"], one["diagnosis"]["reason"]) for one in labels]
    assert len(shown) == 12
    cases = [json.loads(line)["case"] for line in (demo_run / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = {one["question"]["id"]: one for one in cases}
    for one in labels:
        mine = card(page, one["flag"]["id"])
        assert one["flag"]["note"] in mine.text
        assert one["diagnosis"]["text"] in mine.text
        assert answers[one["flag"]["id"]]["question"]["text"] in mine.text
        bare = mine.all("div", "text")[1].text
        for mark in mine.all("div", "text")[1].all("sup"):
            bare = bare.replace(mark.text, "", 1)
        assert bare == answers[one["flag"]["id"]]["answer"]


def test_the_counts(demo_run: Path) -> None:
    page = page_of(demo_run)
    assert [one.text for one in page.all("p", "verdict")] == [
        "12 answers were marked wrong: 8 failed in retrieval, 3 in generation, and 1 must be looked at by a person."
    ]
    assert [one.text for one in page.all("desc")] == [
        "retrieval: 8; generation: 3; manual: 1",
        "not retrieved (retrieval): 5; ranked below cut (retrieval): 3; unsupported claims (generation): 2; "
        "contradicts context (generation): 1; all checks passed (manual): 1",
    ]


def test_what_to_fix_first_counts_each_answer_once(demo_run: Path) -> None:
    """The rent question fails both ways: one row has it as first fault, another only touches it."""
    page = page_of(demo_run)
    (table,) = [one for one in page.all("table") if one.attributes.get("id") == "fix-table"]
    rows = [[cell.text for cell in row.inside if cell.tag in {"th", "td"}] for row in table.all("tr")[1:]]
    assert [(row[0], row[1], row[2], row[5]) for row in rows] == [
        ("Help the search find it", "5", "5", "q01, q03, q08, q17, q22"),
        ("Keep to the passages", "5", "3", "q06, q13, q20, q01, q22"),
        ("Improve the order", "3", "3", "q11, q14, q25"),
        ("A person looks", "1", "1", "q19"),
        ("Show less that misleads", "3", "0", "q03, q14, q22"),
        ("Ask for the whole answer", "3", "0", "q06, q08, q20"),
    ]
    assert sum(int(row[2]) for row in rows) == 12
    (said,) = [one.text for one in page.all("p") if one.attributes.get("id") == "both-ways"]
    assert said.startswith("5 of these answers fail both ways (q01, q03, q08, q14, q22)")
    assert "counted once" in said


def test_the_rent_question(demo_run: Path) -> None:
    """Unsupported claim marked, supporting quotes marked, the missing passage with its text though never retrieved."""
    rent = card(page_of(demo_run), "q01")
    assert [one.text for one in rent.all("mark", "not_mentioned")] == [
        "You can claim at most Rs 1,50,000 a year for rent paid to a parent4–"
    ]
    assert [one.text for one in rent.all("mark", "quote")] == [
        "Rent you pay to a parent can be claimed as rent relief1",
        "The parent must own the home2",
        "Your parent then reports the rent as income in their own return3",
    ]
    assert "c47 from rent-to-family-proof: the search did not return it." in " ".join(rent.text.split())
    assert "retrieved: absent; context: absent" in rent.text
    assert "When the owner is a relative, the tax office looks closely at the papers." in rent.text
    assert "Also generation, unsupported claims" in rent.text
    assert "Watch: recall@k of the retrieved stage" in rent.text


def test_a_label_for_a_person_says_what_was_not_checked(demo_run: Path) -> None:
    assert "Not checked: " not in card(page_of(demo_run), "q19").text
    label = flagged("q1", "manual", "all_checks_passed", skipped=("off topic: no such metric",))
    shown = card(read_page(triage_page("t", a_run({"faithfulness": [refused()]}), [label], {})), "q1")
    assert "Not checked: off topic: no such metric" in " ".join(shown.text.split())


def test_marks_of_other_experts_are_shown() -> None:
    label = flagged("q1", "manual", "all_checks_passed")
    others = (Flag(id="q1", flagged_wrong=False, note="Looks right.", by="Ravi"), Flag(id="q1", by="Asha"))
    label = label.model_copy(update={"others": others})
    shown = card(read_page(triage_page("t", a_run({"faithfulness": [refused()]}), [label], {})), "q1")
    assert "Ravi: disputed, right to this reader Looks right." in shown.text
    assert "Asha: also wrong." in shown.text


def test_what_the_assistant_said_when_asked_again() -> None:
    again = Replay(given="needed", passages=("c1",), answer="Four euros.", correctness=1.0, right=True)
    lost = Replay(given="seen_and_missing", passages=("c1",), failed="timeout")
    label = flagged("q1", "retrieval", "not_retrieved", basis="replayed", replays=(again, lost))
    shown = card(read_page(triage_page("t", a_run({"faithfulness": [refused()]}), [label], {})), "q1")
    heads = [one.text for one in shown.all("h4") if one.text.startswith("Asked again")]
    assert heads == [
        "Asked again with only the needed passages: right",
        "Asked again with what it had and what was missing: no number",
    ]
    assert "Four euros." in shown.text
    assert "answer_correctness – · timeout" in shown.text
    assert "Found by asking the assistant again." in shown.text


def test_a_number_that_differs_is_said_in_plain_words() -> None:
    label = flagged("q1", "generation", "contradicts_context", detail="numbers_differ")
    shown = card(read_page(triage_page("t", a_run({"faithfulness": [refused()]}), [label], {})), "q1")
    assert "The answer gives another number than the passage it rests on." in shown.text


def test_facts_that_a_label_rests_on_are_listed() -> None:
    """The text of such a label counts them only."""
    fact = Verdict(claim=Claim(id=2, text="A fact of the reference."), label="not_mentioned", reason="Not there.")
    label = flagged("q1", "retrieval", "facts_missing", basis="judged", verdicts=(fact,))
    shown = card(read_page(triage_page("t", a_run({"faithfulness": [refused()]}), [label], {})), "q1")
    assert "A fact of the reference. – not mentioned" in shown.text
    assert "Found by the judge." in shown.text


def test_ranks_of_what_was_ranked_too_low(demo_run: Path) -> None:
    assert "retrieved: rank 7; context: absent" in card(page_of(demo_run), "q11").text


def test_without_the_corpus_the_page_does_without_the_text(demo_run: Path) -> None:
    manifest = json.loads((demo_run / "manifest.json").read_text(encoding="utf-8"))
    manifest["config"]["data"]["corpus"] = str(demo_run / "gone.jsonl")
    (demo_run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    rent = card(page_of(demo_run), "q01")
    assert "c47: the search did not return it." in " ".join(rent.text.split())
    assert "Its text is not known here." in rent.text


def flagged(question: str, half: Any, reason: str, *, also: tuple[Finding, ...] = (), **facts: Any) -> FlaggedAnswer:
    diagnosis = Diagnosis(
        half=half,
        reason=reason,
        basis=facts.pop("basis", "labels"),
        text=facts.pop("text", "why"),
        also=also,
        rule="default",
        thresholds={"k": 5},
        **facts,
    )
    return FlaggedAnswer(flag=Flag(id=question, note=facts.get("note", "")), diagnosis=diagnosis)


def finding(half: Any, reason: str) -> Finding:
    return Finding(half=half, reason=reason, basis="judged", text="")


@pytest.mark.parametrize(
    ("half", "also", "both"),
    [
        ("retrieval", ["generation"], True),
        ("generation", ["retrieval"], True),
        ("manual", ["generation", "retrieval"], True),
        ("retrieval", ["retrieval", "manual"], False),
        ("generation", [], False),
    ],
)
def test_failing_both_ways(half: Any, also: list[Any], both: bool) -> None:
    answer = flagged("q", half, "incomplete", also=tuple(finding(one, "incomplete") for one in also))
    assert fails_both_ways(answer.diagnosis) is both


def test_a_question_labelled_by_quotes_shows_them_and_stars_what_holds_them() -> None:
    quote = EvidenceQuote(doc="rules", quote="The fee is four euros a day.")
    found = tuple(Passage(id=one, text=text) for one, text in (("c1", "Other words."), ("c2", f"So: {quote.quote}")))
    case = a_case("q1", evidence=(quote,), retrieved=found, context=found, answer="Five.")
    page = read_page(triage_page("t", a_run({"faithfulness": [refused()]}, [case]), [flagged("q1", "manual", "x")], {}))
    text = " ".join(page.text.split())
    assert "Words of the documents that answer it The fee is four euros a day. from rules" in text
    starred = {one.text[:2]: "★ labelled as needed" in one.text for one in page.all("ol")[0].all("li")}
    assert starred == {"c1": False, "c2": True}


def test_hostile_text_stays_text() -> None:
    passage = Passage(id=HOSTILE, text=f"Text {HOSTILE}", doc=HOSTILE)
    question = Question(id=HOSTILE, text=HOSTILE, relevant={HOSTILE: 1})
    case = Case(question=question, retrieved=(passage,), context=(passage,), answer=f"{HOSTILE} {'y' * 100_000}")
    verdict = Verdict(claim=Claim(id=1, text=HOSTILE, quote=HOSTILE), label="not_mentioned", reason=HOSTILE)
    outcomes: dict[str, Outcome] = {
        "faithfulness": Scored(value=0, verdicts=(verdict,)),
        "answer_relevance": Failed(stage="embedding", error="x", message=HOSTILE),
    }
    lost = LostPassage(passage=HOSTILE, lost="chunk_split", ranks={"retrieved": None})
    label = flagged(HOSTILE, "retrieval", "brand_new" + HOSTILE, text=HOSTILE, lost=(lost,), skipped=(HOSTILE,))
    page = read_page(triage_page(HOSTILE, a_run({name: [one] for name, one in outcomes.items()}, [case]), [label], {}))
    assert len(page.all("script")) == 1
    assert len(page.all("style")) == 1
    assert "alert(1)" not in page.all("script")[0].text
    assert page.all("article", "answer")[0].attributes["data-id"] == HOSTILE.replace("\u202e", "")
    assert page.text.count("{{ 7*7 }}") > 10
    assert "\u202e" not in page.text
    assert "y" * 100_000 in page.text
    assert "This reason has no explanation yet." in page.text


def test_an_answer_that_is_missing_and_a_context_that_was_not_logged() -> None:
    question = Question(id="q1", text="?", relevant={"c9": 1})
    found = tuple(Passage(id=f"c{number}", text=f"text {number}") for number in range(1, 8))
    case = Case(question=question, retrieved=found, answer=None)
    page = read_page(
        triage_page("t", a_run({"faithfulness": [refused()]}, [case]), [flagged("q1", "manual", "cannot_tell")], {})
    )
    assert "The assistant left no answer." in page.text
    assert "the context was not logged" in page.text
    assert "text 5" in page.text
    assert "text 6" not in page.text
    assert "c6 (rank 6), c7 (rank 7)" in page.text
