"""Triage of claims that people checked against web passages: their stances stand in for the judge.

PYTHONPATH=tests python benchmarks/triage_stances.py ../shared/data/context/factcheck_bench_stance.jsonl

A claim that is false in the world is a wrong answer. The reference answer is its denial, a fact that refuting
passages bear out; there are no labels, so retrieval is judged by that fact.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from judge_replies import FixedEmbedder, split, verdict, verdicts
from whichhalf.catalogue import Choices, build_metrics
from whichhalf.core.case import Case, Passage, Question
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.score_case import score_case
from whichhalf.triage.which_half_failed import which_half_failed

METRICS = ("faithfulness", "context_recall", "context_conflict")
PROMPTS = PromptSet()
DENIAL = "It is not so: "


def reply(row: dict[str, Any], question: JudgeQuestion[Any]) -> str:
    variables: Any = question.variables
    if question.prompt.name == "split_claims":
        return split(variables["answer"])
    stances = {one["text"]: row["labels"]["stance"][one["id"]] for one in row["contexts"]}
    rows = []
    for claim in variables["claims"]:
        for_it, against = ("refute", "support") if claim["text"].startswith(DENIAL) else ("support", "refute")
        places = {
            side: [(one["number"], one["text"]) for one in variables["passages"] if stances[one["text"]].endswith(side)]
            for side in (for_it, against)
        }
        label = "supported" if places[for_it] else "contradicted" if places[against] else "not_mentioned"
        rows.append(verdict(claim["number"], label, *(places[for_it] or places[against])))
    return verdicts(*rows)


def label(row: dict[str, Any]) -> str:
    passages = tuple(Passage(**one) for one in row["contexts"])
    question = Question(id=row["id"], text=row["question"], reference_answers=(DENIAL + row["answer"],))
    case = Case(question=question, retrieved=passages, context=passages, answer=row["answer"])
    judge = CachingJudge(ScriptedJudge(lambda asked: reply(row, asked)))
    metrics = build_metrics(METRICS, Choices(), ClaimTables(judge, PROMPTS, embedder=FixedEmbedder()))
    found = which_half_failed(case, score_case(case, metrics).outcomes)
    return f"{found.half}: {found.reason}"


def main() -> None:
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    table: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row["labels"]["claim_factual_in_world"] is False:
            sides = {stance.rpartition("-")[2] for stance in row["labels"]["stance"].values()}
            table["refuted" if "refute" in sides else " and ".join(sorted(sides)), label(row)] += 1
    for (passages, found), count in sorted(table.items()):
        print(f"{passages:24} → {found:36} {count}")


if __name__ == "__main__":
    main()
