"""A comparison in words, on the terminal and as Markdown: rounding never hides a side, hostile text stays text."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from run_makers import a_case, a_run, judged, ranked
from whichhalf import compare
from whichhalf.comparing.comparison import Change, Comparison, MetricChange, PassageMove, Spend
from whichhalf.comparing.verdict_words import with_words
from whichhalf.core.outcome import Outcome
from whichhalf.errors import InputError
from whichhalf.reporting import comparison_words as words
from whichhalf.reporting.comparison_file import write_comparison
from whichhalf.reporting.comparison_json import comparisons_as_json
from whichhalf.reporting.comparison_markdown import comparison_as_markdown, inert
from whichhalf.reporting.comparison_page import comparison_page
from whichhalf.reporting.comparison_text import print_comparison

HOSTILE = "\x1b[31m|x| @everyone #12 `code` <script>alert(1)</script> [a](http://evil.example) ![i](x) \u202e\n\n# head"


@pytest.mark.parametrize(
    ("value", "border", "text"),
    [
        (0.0004, 0.0, "0.0004"),
        (0.08, 0.0, "0.080"),
        (-0.00004, 0.0, "-0.00004"),
        (0.04996, 0.05, "0.04996"),
        (0.05, 0.05, "0.050"),
        (0.0503, 0.05, "0.0503"),
        (0.0, 0.0, "0.000"),
        (-0.0, 0.0, "0.000"),
        (None, 0.0, "–"),
    ],
)
def test_a_number_shows_its_side_of_the_border(value: float | None, border: float, text: str) -> None:
    assert words.telling(value, border) == text


def test_bug_201_an_interval_never_contradicts_its_word() -> None:
    """Printed elsewhere as 0.000 to 0.08, beside the word significant."""
    found = compare(a_run({"faithfulness": [0.5] * 8}), a_run({"faithfulness": [0.52, 0.55] * 4}))
    (metric,) = found.metrics
    assert metric.paired is not None
    paired = metric.paired.model_copy(update={"low": 0.0004, "high": 0.08, "equivalence_p": 1.0})
    (worded,) = with_words([metric.model_copy(update={"paired": paired})], found.rule)
    assert worded.verdict == "better"
    shown = found.model_copy(update={"metrics": (worded,)})
    file = io.StringIO()
    print_comparison(Console(file=file, width=120), shown)
    for text in (file.getvalue(), comparison_as_markdown(shown), comparison_page([shown])):
        assert "+0.0004 to +0.080" in text


def test_small_phrases() -> None:
    assert words.telling(0.1, signed=True) == "+0.100"
    assert words.change(Change(what="context", a="", b="", questions=2), 3) == "context: differ on 2 of 3 questions"
    assert words.metric_change(MetricChange(metric="rr", before=0.5, after="refused")) == "rr 0.500 → refused"
    moved = PassageMove(passage="c1", stage="retrieved", before=None, after=3)
    assert words.passage_move(moved) == "c1 [retrieved]: absent → rank 3"
    one = Spend(what="cost_usd", n=2, mean_a=0.001, mean_b=0.002, median_a=0.001, median_b=0.002)
    assert words.spend(one) == "cost of an answer: mean 0.001 → 0.002 USD, median 0.001 → 0.002 USD (2 pairs)"


def hostile(way: int) -> Any:
    """A run in which every text that a person or a model wrote is hostile."""
    cases = [
        a_case(
            f"{HOSTILE}{number}",
            text=f"{HOSTILE}?",
            tags={HOSTILE: HOSTILE},
            relevant={HOSTILE: 1},
            retrieved=ranked(HOSTILE, "c2") if way else ranked("c2", HOSTILE),
            answer=f"{HOSTILE} {way}",
            meta={"prompt": f"{HOSTILE}{way}"},
        )
        for number in range(3)
    ]
    claim = {HOSTILE: ("supported", HOSTILE) if way else "not_mentioned"}
    scores: dict[str, list[float | Outcome]] = {
        "rr[retrieved]": [0.5 + way / 2] * 3,
        "faithfulness": [judged(float(way), **claim)] * 3,  # type: ignore[arg-type]
    }
    return a_run(scores, cases)


@pytest.fixture
def comparison() -> Comparison:
    return compare(hostile(0), hostile(1), slices=[HOSTILE], names=(HOSTILE, f"{HOSTILE} b"))


def test_markdown_is_inert(comparison: Comparison) -> None:
    text = comparison_as_markdown(comparison)
    assert [mark for mark in ("\x1b", "\u202e", "@", "<script", "](", "`", "\n# head", "http://") if mark in text] == []
    tables = [line for line in text.splitlines() if line.startswith("|")]
    widths = [line.count("|") for line in tables]
    assert len(tables) > 6
    assert set(widths) == {9, 3}  # eight columns; metric and one value of the tag
    assert text.count("<details>") == text.count("</details>")
    assert set(re.findall(r"</?(\w+)", text)) == {"code", "details", "summary"}


def test_text_in_code_reads_as_it_was() -> None:
    assert inert("a_b | @me") == "<code>a&#95;b &#124; &#64;me</code>"
    assert inert("x" * 700).removesuffix("</code>").endswith("x …")


def test_the_terminal_shows_it_inert(comparison: Comparison) -> None:
    file = io.StringIO()
    print_comparison(Console(file=file, width=120, highlight=False, markup=False, emoji=False), comparison)
    shown = file.getvalue()
    assert [mark for mark in "\x1b\u202e" if mark in shown] == []
    assert "alert(1)" in shown


def test_json_is_strict_and_whole(comparison: Comparison) -> None:
    def refuse(name: str) -> object:
        raise AssertionError(f"{name} is no JSON")

    (one,) = json.loads(comparisons_as_json([comparison]), parse_constant=refuse)["comparisons"]
    assert Comparison.model_validate(one) == comparison
    assert one["movers"][0]["answer_b"] == f"{HOSTILE} 1"


def test_nothing_changed_is_said() -> None:
    run = a_run({"faithfulness": [0.5, 1.0]})
    assert "nothing: the outputs are the same" in comparison_as_markdown(compare(run, run))


def test_the_page_escapes_and_holds_everything(comparison: Comparison) -> None:
    page = comparison_page([comparison, comparison])
    assert [mark for mark in ("<script>alert", "\x1b", "\u202e") if mark in page] == []
    assert page.count("&lt;script&gt;alert(1)") > 10
    assert page.count('<tr data-metric="faithfulness">') == 2
    assert page.count('role="img"') == 4  # two halves, two comparisons
    assert "3 questions in both" in page
    assert "Compared all the same" not in page


def test_the_page_warns_and_says_which_metrics_got_which_word() -> None:
    scores = {"faithfulness": [0.25] * 8, "recall@5[retrieved]": [1.0] * 8}
    better = {"faithfulness": [0.25 + number / 10 for number in range(1, 8)] + [1.0], "recall@5[retrieved]": [1.0] * 8}
    page = comparison_page([compare(a_run(scores), a_run(better, data={"golden": "9" * 64}), anyway=True)])
    assert "better: faithfulness; no pair differs in 1 metrics" in page
    assert "Compared all the same, although" in page
    assert "golden set file: 111111111111 in A, 999999999999 in B" in page


def test_where_the_page_goes(tmp_path: Path, comparison: Comparison) -> None:
    assert write_comparison([comparison], tmp_path / "new" / "deep") == tmp_path / "new" / "deep" / "comparison.html"
    assert write_comparison([comparison], tmp_path / "a.html") == tmp_path / "a.html"
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == comparison_page([comparison])
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"takes an \.html file or a folder"):
        write_comparison([comparison], tmp_path / "notes.txt")
