"""Evaluate: questions and outputs in, a run with outcomes, means and counts out."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import chain
from random import Random
from typing import TypeVar

from pydantic import JsonValue

from whichhalf.catalogue import Choices, beside_ndcg, build_metrics
from whichhalf.core.case import Case, Passage
from whichhalf.core.metric import Metric
from whichhalf.core.options import STAGES, Stage
from whichhalf.core.run import CaseResult, MetricSummary, Run, RunManifest, Slices
from whichhalf.datasets.cases import join_cases
from whichhalf.datasets.golden import GoldenSet
from whichhalf.datasets.near_duplicates import representatives
from whichhalf.datasets.outputs import Outputs
from whichhalf.errors import InputError, RunStopped
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.written_questions import WRITE_QUESTIONS
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.embedding import Embedder, EmbedderIdentity
from whichhalf.judging.ledger import Ledger, LedgerEmbedder, LedgerJudge
from whichhalf.judging.offline import NOTICE
from whichhalf.judging.seam import Judge, JudgeIdentity
from whichhalf.judging.settings import EmbeddingSettings, JudgeSettings
from whichhalf.judging.stack import build_embedder, build_judge
from whichhalf.judging.traffic import Traffic
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.retrieval.family import Conventions, RetrievalMetric
from whichhalf.running.check_inputs import check_inputs
from whichhalf.running.repeating import noise_of, score_again
from whichhalf.running.score_case import score_case
from whichhalf.running.score_rankings import ScoredRankings, score_rankings, settle_labels
from whichhalf.statistics.mean import summarise

S = TypeVar("S")

Progress = Callable[[int, int], None]
"""Called with (cases done, all cases)."""


def evaluate(
    golden: GoldenSet,
    outputs: Outputs,
    metrics: Sequence[str],
    *,
    judge: str | Judge = "offline",
    embedder: Embedder | None = None,
    corpus: Mapping[str, Passage] | None = None,
    stage: Stage | None = None,
    conventions: Conventions | None = None,
    options: Mapping[str, str] | None = None,
    prompts: PromptSet | None = None,
    max_prompt_tokens: int = 24_000,
    concurrency: int = 16,
    traffic: Traffic | None = None,
    limit: int | None = None,
    seed: int = 0,
    repeats: int = 1,
    repeat_share: float = 1.0,
    slices: Sequence[str] = (),
    progress: Progress | None = None,
    config: Mapping[str, JsonValue] | None = None,
) -> Run:
    """Score every question under every metric.

    `judge` is a model name as in a config, or anything with the `ask` method; metrics share its replies. `traffic`
    is what the calls of a judge built elsewhere go through; without one, `concurrency` cases are scored at once.
    `embedder` is used by answer_relevance; by default the one that ships with the package. `options` holds run-wide
    metric options such as {"gain": "linear"}; `limit` draws a seeded sample of the questions; `slices` names tags to
    break the means down by; `config` is kept in the manifest. With `repeats` above 1 a seeded share of the cases is
    judged so many times; the outcomes are those of the first time, `noise` tells how far the others differ.

    Raises InputError before anything is asked when data, names or settings cannot work, and JudgeUnusable when no
    judge call can succeed. A single lost reply becomes a Failed outcome, never an exception.
    """
    prompts = prompts or PromptSet()
    ledger = Ledger()
    if isinstance(judge, str):
        settings = JudgeSettings(model=judge, concurrency=concurrency)
        traffic = traffic or Traffic.of(settings)
        judge = build_judge(settings, traffic=traffic)
    # the outer cache lets metrics share replies and failures: the ledger holds one line for every question
    asked = CachingJudge(LedgerJudge(judge, ledger), share_failures=True)
    embedding = LedgerEmbedder(embedder or build_embedder(EmbeddingSettings()), ledger)
    prepared = prepare(
        golden,
        outputs,
        metrics,
        ClaimTables(asked, prompts, max_prompt_tokens, embedding),
        corpus=corpus,
        stage=stage,
        conventions=conventions,
        options=options,
        limit=limit,
        seed=seed,
    )
    is_baseline = asked.identity.is_baseline
    ranked = score_rankings(
        prepared.cases, [metric for metric in prepared.metrics if isinstance(metric, RetrievalMetric)]
    )
    judged = [metric for metric in prepared.metrics if metric.card.prompts]
    workers = traffic.workers if traffic else concurrency
    threads = workers if prepared.is_judged and not is_baseline else 1
    score = partial(score_cases, workers=threads, progress=progress, traffic=traffic)
    judged_results = score(prepared.cases, judged)
    results = _joined(judged_results, ranked, [str(metric.card.name) for metric in prepared.metrics])
    repeated = score_again(prepared.cases, judged, repeats, repeat_share, seed, score)
    manifest = RunManifest(
        whichhalf=version("whichhalf"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        config=dict(config or {}),
        data={"golden": golden.sha256, "outputs": outputs.sha256},
        golden_set=golden.header,
        prompts=_prompt_hashes(prepared.metrics, prompts),
        judge=_judge_facts(asked.identity, ledger, prepared, embedding.identity) if prepared.is_judged else {},
        metrics={str(metric.card.name): metric.card.contract for metric in prepared.metrics},
        notices=(*prepared.notices, *([NOTICE] if prepared.is_judged and is_baseline else [])),
    )
    return Run(
        manifest,
        results,
        summarise_results(results, prepared.metrics, ranked.micro),
        ledger.cost(),
        tuple(ledger.records),
        slice_results(results, prepared.metrics, slices),
        ranked.curves,
        repeated,
        noise_of(results, repeated),
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that is known before the first judge call."""

    cases: tuple[Case, ...]
    metrics: list[Metric]
    notices: tuple[str, ...]

    @property
    def is_judged(self) -> bool:
        return any(metric.card.prompts for metric in self.metrics)


def prepare(
    golden: GoldenSet,
    outputs: Outputs,
    metrics: Sequence[str],
    tables: ClaimTables,
    *,
    corpus: Mapping[str, Passage] | None = None,
    stage: Stage | None = None,
    conventions: Conventions | None = None,
    options: Mapping[str, str] | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> Prepared:
    """Join, build and check; nothing is asked. Raises InputError listing what cannot work."""
    joined = join_cases(golden, outputs, corpus)
    settled = settle_labels(joined.cases if limit is None else draw_sample(joined.cases, limit, seed), corpus)
    cases = settled.cases
    conventions, collapsed = _collapsing(conventions or Conventions(), corpus, cases)
    choices = Choices(stage or default_stage(cases), conventions, options)
    built = build_metrics(beside_ndcg(metrics), choices, tables)
    sampled = len(cases) < len(joined.cases)
    drawn = [f"a sample of {len(cases)} of {len(joined.cases)} questions, drawn with seed {seed}"] if sampled else []
    return Prepared(cases, built, (*joined.notices, *drawn, *settled.notices, *collapsed, *check_inputs(cases, built)))


def _collapsing(
    conventions: Conventions, corpus: Mapping[str, Passage] | None, cases: Sequence[Case]
) -> tuple[Conventions, tuple[str, ...]]:
    """The conventions with the passages that count as one, where that is asked for, and what to tell of it."""
    if conventions.unit == "doc":
        logged = (passage for case in cases for stage in STAGES for passage in case.ranking(stage) or ())
        docs = {passage.id: passage.doc for passage in chain(logged, (corpus or {}).values()) if passage.doc}
        if not docs:
            raise InputError("unit = doc: neither the corpus nor the outputs say which doc a passage belongs to")
        return replace(conventions, same=docs), (f"labels name documents; the doc of {len(docs)} passages is known",)
    if conventions.near_duplicates == "keep":
        return conventions, ()
    if corpus is None:
        raise InputError("near_duplicates = collapse compares passage texts: give [data] corpus")
    same = representatives({one: passage.text for one, passage in corpus.items() if passage.text})
    return replace(conventions, same=same), (f"{len(same)} passage(s) count as the near-duplicate they repeat",)


def default_stage(cases: Sequence[Case]) -> Stage:
    """The order the assistant worked with, resolved once for a run: reranked if any case logged it."""
    return "reranked" if any(case.reranked is not None for case in cases) else "retrieved"


def score_cases(
    cases: Sequence[Case],
    metrics: Sequence[Metric],
    workers: int = 1,
    progress: Progress | None = None,
    traffic: Traffic | None = None,
) -> tuple[CaseResult, ...]:
    """Results in the order of the cases. An exception, also Ctrl-C, lets the calls in flight end and starts no more."""
    results: list[CaseResult] = []
    if workers == 1:
        for case in cases:
            results.append(score_case(case, metrics))
            _tell(progress, len(results), len(cases))
        return tuple(results)
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(score_case, case, metrics) for case in cases]
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                future.result()
                _tell(progress, done, len(cases))
        except BaseException:
            if traffic is not None:
                traffic.pace.stop(RunStopped("the run was stopped"))
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return tuple(future.result() for future in futures)


def summarise_results(
    results: Sequence[CaseResult], metrics: Sequence[Metric], micro: Mapping[str, float | None] | None = None
) -> dict[str, MetricSummary]:
    """Metric name → mean with its counts."""
    return {
        name: summarise([result.outcomes[name] for result in results], metric.card.contract, (micro or {}).get(name))
        for metric in metrics
        for name in [str(metric.card.name)]
    }


def slice_results(results: Sequence[CaseResult], metrics: Sequence[Metric], tags: Sequence[str]) -> Slices:
    """The summaries again, for the questions with each value of each tag. Raises InputError for an unknown tag."""
    slices: Slices = {}
    for tag in tags:
        values = sorted({one for result in results if (one := result.case.question.tags.get(tag)) is not None})
        if not values:
            known = sorted({one for result in results for one in result.case.question.tags})
            raise InputError(f"no question has the tag {tag!r}; there are {', '.join(known) or 'none'}")
        slices[tag] = {
            value: summarise_results([one for one in results if one.case.question.tags.get(tag) == value], metrics)
            for value in values
        }
    return slices


def _joined(judged: Sequence[CaseResult], ranked: ScoredRankings, names: Sequence[str]) -> tuple[CaseResult, ...]:
    """Each case with all its outcomes, in the order the metrics were asked for."""
    return tuple(
        CaseResult(
            case=result.case,
            outcomes={
                name: ranked.outcomes[name][place] if name in ranked.outcomes else result.outcomes[name]
                for name in names
            },
        )
        for place, result in enumerate(judged)
    )


def draw_sample(items: Sequence[S], limit: int, seed: int) -> tuple[S, ...]:
    """At most `limit` of the items, in their order; the same places for the same number of items and seed."""
    chosen = set(Random(seed).sample(range(len(items)), min(limit, len(items))))
    return tuple(item for number, item in enumerate(items) if number in chosen)


def _tell(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def _prompt_hashes(metrics: Sequence[Metric], prompts: PromptSet) -> dict[str, str]:
    used = [prompts[name] for name in sorted({name for metric in metrics for name in metric.card.prompts})]
    return {f"{prompt.name}/{prompt.version}": prompt.sha256 for prompt in used}


def _judge_facts(
    identity: JudgeIdentity, ledger: Ledger, prepared: Prepared, embedding: EmbedderIdentity
) -> dict[str, JsonValue]:
    facts: dict[str, JsonValue] = {
        "model": identity.model,
        "returned": list[JsonValue](ledger.models_returned),
        "endpoint": identity.endpoint,
        "sampling": dict(identity.sampling),
        "is_baseline": identity.is_baseline,
    }
    if any(WRITE_QUESTIONS in metric.card.prompts for metric in prepared.metrics):
        facts["embedding"] = {"model": embedding.model, "endpoint": embedding.endpoint}
    return facts
