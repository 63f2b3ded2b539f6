"""whichhalf: which half of a retrieval-augmented assistant failed, retrieval or generation?

Public names load on first use, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whichhalf.comparing.compare_runs import compare
    from whichhalf.core.case import Case, Passage, Question
    from whichhalf.core.outcome import Failed, Scored, Undefined
    from whichhalf.core.run import Run
    from whichhalf.datasets.corpus import load_corpus
    from whichhalf.datasets.golden import load_golden
    from whichhalf.datasets.outputs import load_outputs
    from whichhalf.errors import InputError, JudgeError, WhichHalfError
    from whichhalf.retrieval.average_precision import average_precision
    from whichhalf.retrieval.hit_rate import hit_rate_at_k
    from whichhalf.retrieval.ndcg import ndcg_at_k
    from whichhalf.retrieval.precision import precision_at_k
    from whichhalf.retrieval.recall import recall_at_k
    from whichhalf.retrieval.reciprocal_rank import reciprocal_rank
    from whichhalf.running.evaluate import evaluate
    from whichhalf.running.evaluate_ranking import evaluate_ranking
    from whichhalf.running.run_folder import read_run
    from whichhalf.triage.which_half_failed import which_half_failed

_HOMES = {
    "Case": "core.case",
    "Failed": "core.outcome",
    "InputError": "errors",
    "JudgeError": "errors",
    "Passage": "core.case",
    "Question": "core.case",
    "Run": "core.run",
    "Scored": "core.outcome",
    "Undefined": "core.outcome",
    "WhichHalfError": "errors",
    "average_precision": "retrieval.average_precision",
    "compare": "comparing.compare_runs",
    "evaluate": "running.evaluate",
    "evaluate_ranking": "running.evaluate_ranking",
    "hit_rate_at_k": "retrieval.hit_rate",
    "load_corpus": "datasets.corpus",
    "load_golden": "datasets.golden",
    "load_outputs": "datasets.outputs",
    "ndcg_at_k": "retrieval.ndcg",
    "precision_at_k": "retrieval.precision",
    "read_run": "running.run_folder",
    "recall_at_k": "retrieval.recall",
    "reciprocal_rank": "retrieval.reciprocal_rank",
    "which_half_failed": "triage.which_half_failed",
}

__all__ = [
    "Case",
    "Failed",
    "InputError",
    "JudgeError",
    "Passage",
    "Question",
    "Run",
    "Scored",
    "Undefined",
    "WhichHalfError",
    "average_precision",
    "compare",
    "evaluate",
    "evaluate_ranking",
    "hit_rate_at_k",
    "load_corpus",
    "load_golden",
    "load_outputs",
    "ndcg_at_k",
    "precision_at_k",
    "read_run",
    "recall_at_k",
    "reciprocal_rank",
    "which_half_failed",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
