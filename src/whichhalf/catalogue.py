"""Every metric there is, and how a name in a config becomes one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from whichhalf.core.metric import Half, Metric, MetricName, settle_options
from whichhalf.core.options import Stage
from whichhalf.errors import InputError
from whichhalf.judged.answer_correctness import ANSWER_CORRECTNESS, ANSWER_PRECISION, ANSWER_RECALL
from whichhalf.judged.answer_relevance import ANSWER_RELEVANCE
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.context_conflict import CONTEXT_CONFLICT
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
from whichhalf.retrieval.f1 import F1, SET_F1
from whichhalf.retrieval.family import Conventions, Family, RetrievalMetric
from whichhalf.retrieval.hit_rate import HIT_RATE
from whichhalf.retrieval.incomplete_judgements import BPREF, INFAP
from whichhalf.retrieval.interpolated_precision import INTERPOLATED_PRECISION
from whichhalf.retrieval.judged import JUDGED as JUDGED_SHARE
from whichhalf.retrieval.ndcg import NDCG
from whichhalf.retrieval.precision import PRECISION, R_PRECISION, SET_PRECISION
from whichhalf.retrieval.recall import RECALL, SET_RECALL
from whichhalf.retrieval.reciprocal_rank import RECIPROCAL_RANK
from whichhalf.retrieval.user_models import ERR, RBP

RETRIEVAL: Mapping[str, Family] = {
    family.name: family
    for family in (
        RECALL,
        PRECISION,
        F1,
        HIT_RATE,
        RECIPROCAL_RANK,
        AVERAGE_PRECISION,
        NDCG,
        JUDGED_SHARE,
        R_PRECISION,
        INTERPOLATED_PRECISION,
        BPREF,
        INFAP,
        RBP,
        ERR,
        SET_RECALL,
        SET_PRECISION,
        SET_F1,
    )
}
JUDGED: Mapping[str, JudgedFamily] = {
    family.name: family
    for family in (
        FAITHFULNESS,
        ANSWER_RELEVANCE,
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
        CONTEXT_CONFLICT,
        REFUSAL_RATE,
        NO_ANSWER_ACCURACY,
    )
}


_EXAMPLES: Mapping[str, str] = {"iprec": "iprec(recall=0.1)", "err": "err(max_grade=4)@10"}


@dataclass(frozen=True, slots=True)
class Choices:
    """Run-wide settings that become part of metric names or contracts."""

    stage: Stage = "retrieved"
    conventions: Conventions = Conventions()
    defaults: Mapping[str, str] | None = None
    """Option → value for every metric that has the option and does not name it, such as gain → linear."""


def build_metrics(names: Iterable[str], choices: Choices, tables: ClaimTables | None = None) -> list[Metric]:
    """The metrics for these names, without repeats.

    Raises InputError saying what is wrong with a name. `tables` is needed for judged metrics only.
    """
    metrics: dict[MetricName, Metric] = {}
    for text in names:
        metric = _build(MetricName.parse(text), choices, tables)
        metrics.setdefault(metric.card.name, metric)
    return list(metrics.values())


def beside_ndcg(names: Iterable[str]) -> list[str]:
    """The names, with judged@k after every ndcg@k: nDCG counts what was never labelled as not relevant."""
    shown: list[str] = []
    for text in names:
        name = MetricName.parse(text)
        judged = [str(replace(name, family=JUDGED_SHARE.name, options=()))] if name.family == NDCG.name else []
        shown += [text, *judged]
    return shown


def check_is_a_list_of_names(metrics: Sequence[str]) -> None:
    """Raises InputError for one name in place of a list, and for none."""
    if isinstance(metrics, str):
        raise InputError(f"metrics is a list of names; did you mean [{metrics!r}]?")
    if not metrics:
        raise InputError("no metric is asked for")


def build_metric(text: str, choices: Choices, tables: ClaimTables | None = None) -> Metric:
    """One metric, alone."""
    return _build(MetricName.parse(text), choices, tables)


def example_names() -> list[str]:
    """Every family once, with a usual cut and usual options."""
    retrieval = [
        _EXAMPLES.get(name, name if family.cut == "none" else f"{name}@10") for name, family in RETRIEVAL.items()
    ]
    return [*retrieval, *JUDGED]


def source_of(name: MetricName) -> str:
    """Where the formula comes from."""
    return RETRIEVAL[name.family].source if name.family in RETRIEVAL else JUDGED[name.family].source


def trec_name_of(name: MetricName) -> str:
    """What trec_eval calls it, with linear gain and ties=trec; empty where it has no such measure."""
    return RETRIEVAL[name.family].trec_name(name) if name.family in RETRIEVAL else ""


def is_judged(text: str) -> bool:
    """Whether a name is that of a judged metric. Raises InputError when it cannot be read."""
    return MetricName.parse(text).family in JUDGED


def half_of(text: str) -> Half:
    """The half that a metric, by its name, tells of."""
    family = _family(MetricName.parse(text))
    return family.half if isinstance(family, JudgedFamily) else "retrieval"


def prompts_of(text: str) -> tuple[str, ...]:
    """The judge prompts that a metric, by its name, asks; none for plain arithmetic."""
    family = _family(MetricName.parse(text))
    return family.prompts if isinstance(family, JudgedFamily) else ()


def higher_is_better(text: str) -> bool | None:
    """The direction of a metric, by its name; None where it says nothing about quality."""
    return _family(MetricName.parse(text)).higher_is_better


def _family(name: MetricName) -> Family | JudgedFamily:
    family = RETRIEVAL.get(name.family) or JUDGED.get(name.family)
    if family is None:
        raise InputError(f"there is no metric {name.family!r}; there are {', '.join([*RETRIEVAL, *JUDGED])}")
    return family


def _build(name: MetricName, choices: Choices, tables: ClaimTables | None) -> Metric:
    defaults = choices.defaults or {}
    family = _family(name)
    if isinstance(family, Family):
        stage = name.stage or choices.stage
        settled = replace(family.named(name, defaults), stage=stage)
        return RetrievalMetric(family, settled, stage, choices.conventions)
    if tables is None:
        raise InputError(f"metric {str(name)!r} needs a judge; here only retrieval metrics are scored")
    if name.k is not None or name.stage is not None:
        raise InputError(f"metric {str(name)!r}: {name.family} reads the context and takes neither cut nor stage")
    return JudgedMetric(family, settle_options(name, family.options, defaults), tables)
