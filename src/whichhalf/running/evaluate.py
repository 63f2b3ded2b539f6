"""Evaluate: questions and outputs in, a run with outcomes, means and counts out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import chain
from random import Random
from typing import TypeVar

from pydantic import JsonValue

from whichhalf.catalogue import Choices, beside_ndcg, build_metrics, check_is_a_list_of_names
from whichhalf.core.case import Case, Passage
from whichhalf.core.metric import Metric
from whichhalf.core.options import STAGES, Stage
from whichhalf.core.run import CaseResult, MetricSummary, Run, RunManifest, Slices
from whichhalf.datasets.cases import join_cases
from whichhalf.datasets.golden import GoldenSet
from whichhalf.datasets.near_duplicates import representatives
from whichhalf.datasets.outputs import Outputs
from whichhalf.errors import InputError
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.written_questions import WRITE_QUESTIONS
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.embedding import Embedder
from whichhalf.judging.ledger import Ledger, LedgerEmbedder, LedgerJudge
from whichhalf.judging.model_names import OFFLINE
from whichhalf.judging.seam import Judge
from whichhalf.judging.settings import EmbeddingSettings, JudgeSettings
from whichhalf.judging.stack import build_embedder, build_judge
from whichhalf.judging.traffic import Traffic
from whichhalf.judging.window import passage_tokens
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.retrieval.family import Conventions, RetrievalMetric
from whichhalf.running.case_needs import case_needs
from whichhalf.running.check_inputs import check_inputs, check_slices
from whichhalf.running.judge_facts import judge_facts, judge_notices
from whichhalf.running.repeating import noise_of, score_again
from whichhalf.running.score_cases import Progress, score_cases
from whichhalf.running.score_rankings import ScoredRankings, score_rankings, settle_labels
from whichhalf.running.spread import spread_order
from whichhalf.statistics import distributions
from whichhalf.statistics.mean import summarise

S = TypeVar("S")


def evaluate(
    golden: GoldenSet,
    outputs: Outputs,
    metrics: Sequence[str],
    *,
    judge: str | Judge = OFFLINE,
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
    check_slices(golden.questions, slices)
    if isinstance(judge, str):
        settings = JudgeSettings(model=judge, concurrency=concurrency, max_prompt_tokens=max_prompt_tokens)
        traffic = traffic or Traffic.of(settings)
        judge = build_judge(settings, traffic=traffic)
        max_prompt_tokens = passage_tokens(settings, judge.identity)
    embedder = embedder or build_embedder(EmbeddingSettings())
    prepared = prepare(
        golden,
        outputs,
        metrics,
        ClaimTables(judge, prompts, max_prompt_tokens, embedder),
        corpus=corpus,
        stage=stage,
        conventions=conventions,
        options=options,
        limit=limit,
        seed=seed,
    )
    return score_prepared(
        prepared,
        judge,
        embedder,
        prompts,
        max_prompt_tokens=max_prompt_tokens,
        workers=traffic.workers if traffic else concurrency,
        traffic=traffic,
        slices=slices,
        seed=seed,
        repeats=repeats,
        repeat_share=repeat_share,
        progress=progress,
        config=config,
    )


def score_prepared(
    prepared: "Prepared",
    judge: Judge,
    embedder: Embedder,
    prompts: PromptSet,
    *,
    max_prompt_tokens: int = 24_000,
    workers: int = 1,
    traffic: Traffic | None = None,
    estimators: tuple[Judge, Embedder] | None = None,
    slices: Sequence[str] = (),
    seed: int = 0,
    repeats: int = 1,
    repeat_share: float = 1.0,
    progress: Progress | None = None,
    config: Mapping[str, JsonValue] | None = None,
) -> Run:
    """The second half of `evaluate`: ask and score.

    With a budget, cases are begun in a seeded order spread over the slices; `estimators` tell what each may take.
    """
    ledger = Ledger()
    # the outer cache lets metrics share replies and failures: the ledger holds one line for every question
    asked = CachingJudge(LedgerJudge(judge, ledger), share_failures=True)
    tables = ClaimTables(asked, prompts, max_prompt_tokens, LedgerEmbedder(embedder, ledger))
    if traffic is not None:
        traffic.before_first_call(distributions.load)
    metrics = prepared.build(tables)
    ranked = score_rankings(prepared.cases, [metric for metric in metrics if isinstance(metric, RetrievalMetric)])
    limited = traffic is not None and traffic.budget.is_limited
    judged = [metric for metric in metrics if metric.card.prompts]
    threads = workers if prepared.is_judged and not asked.identity.is_baseline else 1
    kept_first = isinstance(judge, CachingJudge) and judge.traffic is traffic and judge.holds_replies
    score = partial(score_cases, workers=threads, progress=progress, traffic=traffic, kept_first=kept_first)
    judged_results = score(
        prepared.cases,
        judged,
        order=spread_order(prepared.cases, slices, seed) if limited else None,
        need=case_needs(prepared.build, *estimators, prompts, max_prompt_tokens) if limited and estimators else None,
    )
    results = _joined(judged_results, ranked, [str(metric.card.name) for metric in metrics])
    repeated = score_again(prepared.cases, judged, repeats, repeat_share, seed, score)
    embeds = any(WRITE_QUESTIONS in metric.card.prompts for metric in metrics)
    manifest = RunManifest(
        whichhalf=version("whichhalf"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        config=dict(config or {}),
        data=prepared.data,
        golden_set=prepared.golden_set,
        questions=len(prepared.cases),
        prompts=_prompt_hashes(metrics, prompts),
        judge=judge_facts(asked.identity, ledger, embedder.identity if embeds else None) if prepared.is_judged else {},
        metrics={str(metric.card.name): metric.card.contract for metric in metrics},
        notices=(*prepared.notices, *(judge_notices(asked.identity, ledger) if prepared.is_judged else [])),
    )
    return Run(
        manifest,
        results,
        summarise_results(results, metrics, ranked.micro),
        ledger.cost(),
        ledger.sorted_records(),
        slice_results(results, metrics, slices),
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
    data: dict[str, str]
    """File role → sha256 of its bytes."""
    golden_set: dict[str, str]
    build: Callable[[ClaimTables], list[Metric]]
    """The same metrics on other tables: those of another judge."""

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
    check_is_a_list_of_names(metrics)
    joined = join_cases(golden, outputs, corpus)
    settled = settle_labels(joined.cases if limit is None else draw_sample(joined.cases, limit, seed), corpus)
    cases = settled.cases
    conventions, collapsed = _collapsing(conventions or Conventions(), corpus, cases)
    choices = Choices(stage or default_stage(cases), conventions, options)

    def build(tables: ClaimTables) -> list[Metric]:
        return build_metrics(beside_ndcg(metrics), choices, tables)

    built = build(tables)
    for metric in built:  # a broken one is found before any is asked
        for prompt in metric.card.prompts:
            tables.prompts[prompt]
    sampled = len(cases) < len(joined.cases)
    drawn = [f"a sample of {len(cases)} of {len(joined.cases)} questions, drawn with seed {seed}"] if sampled else []
    return Prepared(
        cases,
        built,
        (*joined.notices, *drawn, *settled.notices, *collapsed, *check_inputs(cases, built)),
        {"golden": golden.sha256, "outputs": outputs.sha256},
        golden.header,
        build,
    )


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
    """The summaries again, for the questions with each value of each tag; a sample may have none."""
    slices: Slices = {}
    for tag in tags:
        values = sorted({one for result in results if (one := result.case.question.tags.get(tag)) is not None})
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


def _prompt_hashes(metrics: Sequence[Metric], prompts: PromptSet) -> dict[str, str]:
    used = [prompts[name] for name in sorted({name for metric in metrics for name in metric.card.prompts})]
    return {f"{prompt.name}/{prompt.version}": prompt.sha256 for prompt in used}
