"""One run of another tool over the rows of benchmarks/judge.py; run by it, in that tool's own environment.

    PYTHON benchmarks/judge_peers.py TOOL ROWS WORKERS FOLDER

Prints {metric: how many rows were scored} as the last line. FOLDER keeps the tool's cache between runs.
"""

import json
import math
import os
import sys
import warnings
from pathlib import Path
from typing import Any

Scores = dict[str, list[float | None]]


def ragas(rows: list[dict[str, Any]], workers: int, folder: str) -> Scores:
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings
    from ragas import EvaluationDataset, evaluate
    from ragas.cache import DiskCacheBackend
    from ragas.embeddings import LangchainEmbeddingsWrapper
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics import answer_relevancy, context_precision, context_recall, faithfulness
    from ragas.run_config import RunConfig

    metrics = {
        "faithfulness": faithfulness,
        "answer_relevance": answer_relevancy,
        "context_precision": context_precision,
        "context_recall": context_recall,
    }
    kept = DiskCacheBackend(cache_dir=folder)
    data = EvaluationDataset.from_list(
        [
            {
                "user_input": row["question"],
                "response": row["answer"],
                "reference": row["reference"],
                "retrieved_contexts": row["passages"],
            }
            for row in rows
        ]
    )
    found = evaluate(
        data,
        metrics=list(metrics.values()),
        llm=LangchainLLMWrapper(ChatOpenAI(model="gpt-4o-mini"), cache=kept),
        embeddings=LangchainEmbeddingsWrapper(OpenAIEmbeddings(check_embedding_ctx_length=False), cache=kept),
        run_config=RunConfig(**({"max_workers": workers} if workers else {})),
        show_progress=False,
        raise_exceptions=False,
    )
    keys = {
        "faithfulness": "faithfulness",
        "answer_relevance": "answer_relevancy",
        "context_precision": "context_precision",
        "context_recall": "context_recall",
    }
    return {name: [None if math.isnan(one) else one for one in found[key]] for name, key in keys.items()}


def deepeval(rows: list[dict[str, Any]], workers: int, folder: str) -> Scores:
    os.chdir(folder)  # its cache is written where it runs
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import (
        AnswerRelevancyMetric,
        ContextualPrecisionMetric,
        ContextualRecallMetric,
        FaithfulnessMetric,
    )
    from deepeval.test_case import LLMTestCase

    kinds = (FaithfulnessMetric, AnswerRelevancyMetric, ContextualPrecisionMetric, ContextualRecallMetric)
    found = evaluate(
        [
            LLMTestCase(
                input=row["question"],
                actual_output=row["answer"],
                expected_output=row["reference"],
                retrieval_context=row["passages"],
            )
            for row in rows
        ],
        [kind(model="gpt-4o-mini") for kind in kinds],
        async_config=AsyncConfig(**({"max_concurrent": workers} if workers else {})),
        cache_config=CacheConfig(use_cache=True, write_cache=True),
        error_config=ErrorConfig(ignore_errors=True),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    )
    scores: Scores = {}
    for result in found.test_results:
        for metric in result.metrics_data or []:
            scores.setdefault(metric.name, []).append(None if metric.error else metric.score)
    return scores


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    tool, path, most, cache = sys.argv[1:5]
    Path(cache).mkdir(parents=True, exist_ok=True)
    result = {"ragas": ragas, "deepeval": deepeval}[tool](json.loads(Path(path).read_text()), int(most), cache)
    print(json.dumps({name: sum(one is not None for one in values) for name, values in result.items()}))
