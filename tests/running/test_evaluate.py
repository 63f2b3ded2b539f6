"""Evaluate: every case keeps its own outcome, whatever its neighbours, the threads and the judge do."""

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from whichhalf.core.case import Passage, Question
from whichhalf.core.outcome import Failed, Scored, Undefined
from whichhalf.core.run import Run
from whichhalf.datasets.golden import GoldenSet
from whichhalf.datasets.outputs import Outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import InputError, JudgeUnreachable, JudgeUnusable
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.scripted import Script, ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion, Reply, T
from whichhalf.retrieval.family import Conventions
from whichhalf.running.evaluate import evaluate

IDS = [f"q{number}" for number in range(5)]
GOLDEN = GoldenSet(tuple(Question(id=one, text=f"{one}?", relevant={f"{one}-a": 1, f"{one}-z": 1}) for one in IDS))


def sentences(question: str, good: int) -> list[str]:
    """Four statements, of which the first `good` stand in the passage."""
    return [f"Rule {number} of {question} {'holds' if number < good else 'is invented'}." for number in range(4)]


def output(question: str, good: int) -> OutputRow:
    context = Passage(id=f"{question}-a", text=" ".join(sentences(question, good)[:good]) or "Nothing.")
    ranking = (context, Passage(id="noise"))
    return OutputRow(id=question, retrieved=ranking, context=(context,), answer=" ".join(sentences(question, good)))


OUTPUTS = Outputs({one: output(one, good) for good, one in reversed(list(enumerate(IDS)))})
METRICS = ["recall@2", "rr", "faithfulness"]
FAITHFULNESS = dict(zip(IDS, [0.0, 0.25, 0.5, 0.75, 1.0], strict=True))


def honest(question: JudgeQuestion[Any]) -> str:
    """Splits at full stops, and supports what stands in the passage."""
    variables: Any = question.variables
    if question.prompt.name == "split_claims":
        claims = [f"{part}." for part in variables["answer"].split(".") if part.strip()]
        return json.dumps(
            {"refuses": False, "claims": [{"quote": one.strip(), "claim": one.strip()} for one in claims]}
        )
    text = variables["passages"][0]["text"]
    verdicts = [
        {
            "claim": claim["number"],
            "reason": "",
            "verdict": "supported" if claim["text"] in text else "not_mentioned",
            "evidence": [{"passage": 1, "quote": claim["text"]}] if claim["text"] in text else [],
        }
        for claim in variables["claims"]
    ]
    return json.dumps({"verdicts": verdicts})


def unless(bad: str, script: Script, reply: str | Exception) -> Script:
    """Answers as the script does, but for questions in which `bad` occurs."""

    def answer(question: JudgeQuestion[Any]) -> str:
        if bad not in str(question.variables):
            return script(question)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return answer


class Delayed:
    """A judge that takes its time, a different one for every question, and counts how many ask at once."""

    def __init__(self, script: Script, seed: int = 0) -> None:
        self.inner = ScriptedJudge(script)
        self.identity = self.inner.identity
        self.peak = 0
        self._seed = seed
        self._now = 0
        self._guard = threading.Lock()

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        with self._guard:
            self._now += 1
            self.peak = max(self.peak, self._now)
        time.sleep(Random(f"{self._seed}{question.variables}").random() / 50)
        with self._guard:
            self._now -= 1
        return self.inner.ask(question)


def values(run: Run, metric: str) -> dict[str, float | str]:
    """Case id → value, or the word that stands for none; in the order of the run."""
    found: dict[str, float | str] = {}
    for result in run.results:
        outcome = result.outcomes[metric]
        if isinstance(outcome, Scored):
            found[result.case.id] = outcome.value
        else:
            found[result.case.id] = outcome.because if isinstance(outcome, Undefined) else outcome.error
    return found


@pytest.mark.parametrize("concurrency", [1, 4, 16])
@pytest.mark.parametrize("seed", [1, 2])
def test_results_stand_in_the_order_of_the_golden_set(concurrency: int, seed: int) -> None:
    """bug-135, bug-258: by id, with threads that finish in any order."""
    run = evaluate(GOLDEN, OUTPUTS, METRICS, judge=Delayed(honest, seed), concurrency=concurrency)
    assert list(values(run, "faithfulness").items()) == list(FAITHFULNESS.items())
    assert values(run, "recall@2[retrieved]") == dict.fromkeys(IDS, 0.5)
    assert run.summary["faithfulness"].mean == 0.5
    assert run.summary["rr"].mean == 1.0


def test_no_more_calls_at_once_than_allowed() -> None:
    """bug-157"""
    judge = Delayed(honest)
    evaluate(GOLDEN, OUTPUTS, ["faithfulness"], judge=judge, concurrency=2)
    assert judge.peak == 2


LOST = {
    "a reply that is no JSON (bug-126)": ("not json", "reply_unreadable"),
    "a judge that cannot be reached": (JudgeUnreachable("the judge answered 503"), "judge_unreachable"),
}


@pytest.mark.parametrize(("reply", "word"), LOST.values(), ids=LOST.keys())
@pytest.mark.parametrize("with_progress", [True, False])
def test_a_lost_reply_costs_one_case_only(reply: str | Exception, word: str, with_progress: bool) -> None:
    """bug-136: the others equal a run without it; bug-140: with and without a progress bar."""
    judge = Delayed(unless("of q3", honest, reply))
    progress = (lambda _done, _total: None) if with_progress else None
    run = evaluate(GOLDEN, OUTPUTS, METRICS, judge=judge, progress=progress)
    assert values(run, "faithfulness") == {**FAITHFULNESS, "q3": word}
    assert values(run, "recall@2[retrieved]") == dict.fromkeys(IDS, 0.5)
    failed = run.results[3].outcomes["faithfulness"]
    assert isinstance(failed, Failed)
    assert (failed.stage, failed.raw) == ("faithfulness", reply if isinstance(reply, str) else None)

    summary = run.summary["faithfulness"]
    assert (summary.scored, summary.failed, summary.mean) == (4, {word: 1}, (0 + 0.25 + 0.5 + 1) / 4)
    assert summary.if_failed_were == (1.75 / 5, 2.75 / 5)

    without = GoldenSet(tuple(one for one in GOLDEN.questions if one.id != "q3"))
    alone = evaluate(without, OUTPUTS, METRICS, judge=ScriptedJudge(honest))
    assert alone.results == tuple(result for result in run.results if result.case.id != "q3")


def test_every_reply_lost_is_counted_and_has_no_mean() -> None:
    """bug-249"""
    run = evaluate(GOLDEN, OUTPUTS, ["faithfulness"], judge=ScriptedJudge(lambda _: "{"))
    summary = run.summary["faithfulness"]
    assert (summary.mean, summary.scored, summary.failed) == (None, 0, {"reply_unreadable": 5})
    assert (summary.coverage, summary.if_failed_were) == (0.0, (0.0, 1.0))


@pytest.mark.parametrize("error", [JudgeUnusable("no quota is left"), ZeroDivisionError("a bug")])
@pytest.mark.parametrize("concurrency", [1, 8])
def test_what_concerns_the_whole_run_is_raised(error: Exception, concurrency: int) -> None:
    judge = ScriptedJudge(unless("of q1", honest, error))
    with pytest.raises(type(error), match=str(error)):
        evaluate(GOLDEN, OUTPUTS, METRICS, judge=judge, concurrency=concurrency)


def test_no_call_is_started_after_the_judge_is_known_to_be_unusable() -> None:
    """bug-161"""
    ids = [f"p{number}" for number in range(200)]
    golden = GoldenSet(tuple(Question(id=one, text="?") for one in ids))
    rows = Outputs({one: output(one, 2) for one in ids})
    judge = Delayed(unless("of p", honest, JudgeUnusable("no quota is left")))
    with pytest.raises(JudgeUnusable):
        evaluate(golden, rows, ["faithfulness"], judge=judge, concurrency=2)
    assert len(judge.inner.asked) < 20


def test_metrics_together_equal_each_alone() -> None:
    """bug-137"""
    names = [*METRICS, "ndcg(gain=linear)@2", "faithfulness(no_claims=one)"]
    together = evaluate(GOLDEN, OUTPUTS, names, judge=CachingJudge(Delayed(honest, 3)))
    assert list(together.metrics) == [
        "recall@2[retrieved]",
        "rr[retrieved]",
        "faithfulness",
        "ndcg(gain=linear)@2[retrieved]",
        "judged@2[retrieved]",
        "faithfulness(no_claims=one)",
    ]
    full_names = [name for name in together.metrics if not name.startswith("judged")]
    for asked, full in zip(names, full_names, strict=True):
        alone = evaluate(GOLDEN, OUTPUTS, [asked], judge=Delayed(honest, 4))
        assert full in alone.metrics
        assert values(alone, full) == values(together, full)
        assert alone.metrics[full] == together.metrics[full]


def test_the_same_metric_asked_twice_appears_once() -> None:
    judge = ScriptedJudge(honest)
    names = ["recall@2", "recall@2[retrieved]", " recall@2", "faithfulness", "faithfulness(no_claims=undefined)"]
    run = evaluate(GOLDEN, OUTPUTS, names, judge=judge)
    assert list(run.metrics) == ["recall@2[retrieved]", "faithfulness"]
    assert len(judge.asked) == 2 * len(IDS)


def test_the_order_of_the_judge_questions_is_split_then_verify() -> None:
    judge = ScriptedJudge(honest)
    run = evaluate(GOLDEN, OUTPUTS, ["faithfulness"], judge=judge, concurrency=1)
    assert [one.prompt.name for one in judge.asked] == ["split_claims", "verify_claims"] * len(IDS)
    assert [call.result for call in run.calls] == ["ok"] * 2 * len(IDS)
    assert (run.cost.judge_calls, run.cost.cached, run.cost.usd) == (10, 0, None)
    assert list(run.manifest.prompts) == ["split_claims/v2", "verify_claims/v3"]
    assert run.manifest.judge == {
        "model": "scripted",
        "returned": ["scripted"],
        "endpoint": None,
        "sampling": {},
        "is_baseline": False,
    }


def test_arithmetic_alone_asks_no_judge() -> None:
    judge = ScriptedJudge([])
    run = evaluate(GOLDEN, OUTPUTS, ["recall@2"], judge=judge)
    assert judge.asked == []
    assert (run.manifest.judge, run.manifest.prompts, run.calls) == ({}, {}, ())
    assert run.manifest.notices == ()


def sampled(limit: int, seed: int) -> list[str]:
    return [one.case.id for one in evaluate(GOLDEN, OUTPUTS, ["rr"], limit=limit, seed=seed).results]


def test_a_limit_is_a_seeded_sample() -> None:
    expected = [IDS[number] for number in sorted(Random(0).sample(range(5), 2))]
    assert sampled(2, 0) == sampled(2, 0) == expected
    assert len({tuple(sampled(2, seed)) for seed in range(20)}) > 3
    assert sampled(5, 0) == sampled(99, 0) == IDS


def test_a_sample_is_said_to_be_one() -> None:
    run = evaluate(GOLDEN, OUTPUTS, ["rr"], limit=2, seed=7)
    assert run.manifest.notices == ("a sample of 2 of 5 questions, drawn with seed 7",)


@pytest.mark.parametrize("metrics", [["rr"], METRICS], ids=["arithmetic", "judged"])
def test_progress_counts_up_to_all(metrics: list[str]) -> None:
    told: list[tuple[int, int]] = []
    evaluate(GOLDEN, OUTPUTS, metrics, judge=Delayed(honest), progress=lambda done, total: told.append((done, total)))
    assert told == [(number, 5) for number in range(1, 6)]


def without_stage(stage: str) -> Outputs:
    return Outputs({one: row.model_copy(update={stage: None}) for one, row in OUTPUTS.rows.items()})


REFUSED = {
    "a stage nobody logged": (
        without_stage("reranked"),
        ["recall@2[reranked]"],
        "recall@2[reranked] needs the stage 'reranked', which 5 output(s) do not log: q0, q1, q2, q3, q4",
    ),
    "no retrieval at all": (
        without_stage("retrieved"),
        ["rr", "faithfulness"],
        "rr[retrieved] needs the stage 'retrieved', which 5 output(s) do not log: q0, q1, q2, q3, q4",
    ),
    "an unknown metric": (OUTPUTS, ["recal@2"], "there is no metric 'recal'"),
    "no cut": (OUTPUTS, ["recall"], "metric 'recall' needs a cut, for example recall@5"),
    "no answer": (without_stage("answer"), ["faithfulness"], "faithfulness needs answers, and no output has one"),
    "outputs of other questions": (
        Outputs({"other": output("other", 1)}),
        ["faithfulness"],
        "no output belongs to any question: the golden set has ids such as q0, q1, q2, q3, q4, the outputs other",
    ),
}


@pytest.mark.parametrize(("rows", "metrics", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_work_is_refused_before_anything_is_asked(rows: Outputs, metrics: list[str], message: str) -> None:
    """bug-205"""
    judge = ScriptedJudge(honest)
    with pytest.raises(InputError) as caught:
        evaluate(GOLDEN, rows, metrics, judge=judge)
    assert str(caught.value).startswith(message)
    assert len(caught.value.faults) == 1
    assert judge.asked == []


@pytest.mark.parametrize(
    ("metrics", "message"),
    [("recall@2", "metrics is a list of names; did you mean ['recall@2']?"), ([], "no metric is asked for")],
)
def test_one_name_or_none_in_place_of_a_list(metrics: Sequence[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(GOLDEN, OUTPUTS, metrics)
    assert str(caught.value) == message


def test_a_repeated_passage_is_refused_early_where_that_is_asked_for() -> None:
    twice = Outputs(
        {one: row.model_copy(update={"retrieved": (Passage(id="c"),) * 2}) for one, row in OUTPUTS.rows.items()}
    )
    judge = ScriptedJudge(honest)
    with pytest.raises(InputError, match=r"5 retrieved list\(s\) repeat a passage id, and duplicates = error: q0, q1"):
        evaluate(GOLDEN, twice, METRICS, judge=judge, conventions=Conventions(duplicates="error"))
    assert judge.asked == []


def test_it_works_where_an_event_loop_runs() -> None:
    """bug-143: a notebook, twice."""

    async def notebook() -> list[Run]:
        return [evaluate(GOLDEN, OUTPUTS, METRICS, judge=ScriptedJudge(honest)) for _ in range(2)]

    first, second = asyncio.run(notebook())
    assert values(first, "faithfulness") == values(second, "faithfulness") == FAITHFULNESS


def test_it_works_in_a_worker_thread() -> None:
    """bug-145"""
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda _: evaluate(GOLDEN, OUTPUTS, METRICS, judge=ScriptedJudge(honest)), range(2)))
    assert [values(run, "faithfulness") for run in runs] == [FAITHFULNESS, FAITHFULNESS]
