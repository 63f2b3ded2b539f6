"""Every metric there is, and how a name in a config becomes one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from whichhalf.core.metric import Metric, MetricName, settle_options
from whichhalf.core.options import Stage
from whichhalf.errors import InputError
from whichhalf.judged.answer_correctness import ANSWER_CORRECTNESS, ANSWER_PRECISION, ANSWER_RECALL
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.context_precision import CONTEXT_PRECISION, CONTEXT_PRECISION_RANKED
from whichhalf.judged.context_recall import CONTEXT_RECALL
from whichhalf.judged.context_utilization import CONTEXT_UTILIZATION
from whichhalf.judged.faithfulness import FAITHFULNESS
from whichhalf.judged.family import JudgedFamily, JudgedMetric
from whichhalf.judged.refusals import NO_ANSWER_ACCURACY, REFUSAL_RATE
from whichhalf.judged.wrong_claims import (
    HALLUCINATION,
    NOISE_SENSITIVITY_IRRELEVANT,
    NOISE_SENSITIVITY_RELEVANT,
    SELF_KNOWLEDGE,
)
from whichhalf.retrieval.average_precision import AVERAGE_PRECISION
from whichhalf.retrieval.family import Conventions, Family, RetrievalMetric
from whichhalf.retrieval.hit_rate import HIT_RATE
from whichhalf.retrieval.ndcg import NDCG
from whichhalf.retrieval.precision import PRECISION
from whichhalf.retrieval.recall import RECALL
from whichhalf.retrieval.reciprocal_rank import RECIPROCAL_RANK

RETRIEVAL: Mapping[str, Family] = {
    family.name: family for family in (RECALL, PRECISION, HIT_RATE, RECIPROCAL_RANK, AVERAGE_PRECISION, NDCG)
}
JUDGED: Mapping[str, JudgedFamily] = {
    family.name: family
    for family in (
        FAITHFULNESS,
        CONTEXT_PRECISION,
        CONTEXT_PRECISION_RANKED,
        CONTEXT_RECALL,
        ANSWER_CORRECTNESS,
        ANSWER_PRECISION,
        ANSWER_RECALL,
        HALLUCINATION,
        SELF_KNOWLEDGE,
        NOISE_SENSITIVITY_RELEVANT,
        NOISE_SENSITIVITY_IRRELEVANT,
        CONTEXT_UTILIZATION,
        REFUSAL_RATE,
        NO_ANSWER_ACCURACY,
    )
}


@dataclass(frozen=True, slots=True)
class Choices:
    """Run-wide settings that become part of metric names or contracts."""

    stage: Stage = "retrieved"
    conventions: Conventions = Conventions()
    defaults: Mapping[str, str] | None = None
    """Option → value for every metric that has the option and does not name it, such as gain → linear."""


def build_metrics(names: Iterable[str], choices: Choices, tables: ClaimTables | None = None) -> list[Metric]:
    """The metrics for these names, without repeats. Raises InputError listing what is wrong with a name."""
    metrics: dict[MetricName, Metric] = {}
    for text in names:
        metric = build_metric(text, choices, tables)
        metrics.setdefault(metric.card.name, metric)
    return list(metrics.values())


def build_metric(text: str, choices: Choices, tables: ClaimTables | None = None) -> Metric:
    """One metric. `tables` is needed for judged metrics only."""
    name = MetricName.parse(text)
    if name.family in RETRIEVAL:
        return _retrieval_metric(RETRIEVAL[name.family], name, choices)
    if name.family in JUDGED:
        if tables is None:
            raise InputError(f"metric {text!r} needs a judge; here only retrieval metrics are scored")
        family = JUDGED[name.family]
        return JudgedMetric(family, _judged_name(family, name, choices), tables)
    raise InputError(f"there is no metric {name.family!r}; there are {', '.join([*RETRIEVAL, *JUDGED])}")


def example_names() -> list[str]:
    """Every family once, with a usual cut."""
    return [*(f"{family.name}@10" for family in RETRIEVAL.values()), *JUDGED]


def source_of(name: MetricName) -> str:
    """Where the formula comes from."""
    return RETRIEVAL[name.family].source if name.family in RETRIEVAL else JUDGED[name.family].source


def is_judged(text: str) -> bool:
    """Whether a name is that of a judged metric. Raises InputError when it cannot be read."""
    return MetricName.parse(text).family in JUDGED


def _retrieval_metric(family: Family, name: MetricName, choices: Choices) -> Metric:
    name = _with_options(name, family.options, choices)
    family.check(name)
    stage = name.stage or choices.stage
    return RetrievalMetric(family, replace(name, stage=stage), stage, choices.conventions)


def _judged_name(family: JudgedFamily, name: MetricName, choices: Choices) -> MetricName:
    if name.k is not None or name.stage is not None:
        raise InputError(f"metric {str(name)!r}: {name.family} reads the context and takes neither cut nor stage")
    return settle_options(name, family.options, choices.defaults or {})


def _with_options(name: MetricName, known: Mapping[str, tuple[str, ...]], choices: Choices) -> MetricName:
    """Run-wide values filled in, and an option at its default left out: one metric has one name."""
    wanted = {key: value for key, value in (choices.defaults or {}).items() if key in known} | dict(name.options)
    kept = [(key, value) for key, value in wanted.items() if not (key in known and value == known[key][0])]
    return replace(name, options=tuple(sorted(kept)))
