"""Four further sets, by which nothing in the offline judge was set: stances, sentences, correctness, relevance.

Factcheck-Bench: one claim and one web passage (supported = complete support; partial support counts as not).
ClapNQ: sentences of a passage, marked where a human-written reference answer was written from them.
NQ301: short answers of question answering systems, right or wrong.
HaluQuestQA: long answers, relevant = the annotator marked no span as irrelevant.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from auc_table import Measure, Row, show

from whichhalf.catalogue import Choices, build_metric
from whichhalf.core.case import Case, Question
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.lexical import SUPPORT_THRESHOLD, lexical_verdict
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.statements import split_into_claims
from whichhalf.judging.word_overlap import word_overlap
from whichhalf.prompting.prompt_folder import PromptSet


def measure_stances(rows: Sequence[Row]) -> None:
    pairs = [
        (row["answer"], context["text"], row["labels"]["stance"][context["id"]], str(row["meta"]["response"]))
        for row in rows
        for context in row["contexts"]
    ]
    verdicts = [lexical_verdict(claim, [passage]) for claim, passage, _, _ in pairs]
    stances = [stance for _, _, stance, _ in pairs]
    y = np.array([stance == "completely-support" for stance in stances], dtype=float)
    print(f"Factcheck-Bench, claim and passage: {len(pairs)} pairs of {len(rows)} claims")
    print(f"classes: {int(y.sum())} supported, {int(y.size - y.sum())} not (partially supported counted as not)")
    show(
        y,
        Measure("plain overlap", np.array([word_overlap(claim, [passage]) for claim, passage, _, _ in pairs]), None),
        [Measure("offline judge, score", np.array([one.score for one in verdicts]), SUPPORT_THRESHOLD)],
        groups=[response for *_, response in pairs],
    )
    for label, stance in (("supported", "completely-support"), ("contradicted", "refute")):
        hits = [found == stance for found, verdict in zip(stances, verdicts, strict=True) if verdict.label == label]
        base = stances.count(stance)
        print(f"{label}: {len(hits)} pairs, of which {sum(hits)} are labelled {stance}, as {base} of all pairs are")


def measure_sentences(rows: Sequence[Row]) -> None:
    answerable = [row for row in rows if row["labels"]["answer_present_in_contexts"] and row["reference_answer"]]
    labels, scores, overlaps, groups = [], [], [], []
    called = facts_seen = 0
    for row in answerable:
        facts = split_into_claims(row["reference_answer"])
        whole = [context["text"] for context in row["contexts"]]
        facts_seen += len(facts)
        called += sum(lexical_verdict(fact, whole).label == "supported" for fact in facts)
        for sentence in row["labels"]["sentences"] if facts else ():
            labels.append(sentence["relevant"])
            scores.append(max(lexical_verdict(fact, [sentence["text"]]).score for fact in facts))
            overlaps.append(max(word_overlap(fact, [sentence["text"]]) for fact in facts))
            groups.append(row["id"])
    y = np.array(labels, dtype=float)
    print(f"ClapNQ, which sentences of a passage the reference answer was written from: {len(answerable)} passages")
    print(
        f"classes: {int(y.sum())} sentences marked, {int(y.size - y.sum())} not; the best match of any statement counts"
    )
    show(
        y,
        Measure("plain overlap", np.array(overlaps), None),
        [Measure("offline judge, score", np.array(scores), SUPPORT_THRESHOLD)],
        groups=groups,
    )
    print(f"supported by their own passage, as all of them are: {called} of {facts_seen} statements")


def measure_correctness(rows: Sequence[Row]) -> None:
    values = _values("answer_correctness", rows)
    kept = [(row, value) for row, value in zip(rows, values, strict=True) if value is not None]
    y = np.array([row["labels"]["correct"] for row, _ in kept], dtype=float)
    print(f"NQ301, correctness of short answers: {len(rows)} rows, {len(rows) - len(kept)} without a score left out")
    print(f"classes: {int(y.sum())} right, {int(y.size - y.sum())} wrong")
    show(
        y,
        Measure("plain overlap, F1", np.array([_overlap_f1(row) for row, _ in kept]), None),
        [Measure("offline judge, correctness", np.array([value for _, value in kept]), 0.5)],
        groups=[row["question"] for row, _ in kept],
    )


def measure_relevance(rows: Sequence[Row]) -> None:
    values = _values("answer_relevance", rows)
    kept = [(row, value) for row, value in zip(rows, values, strict=True) if value is not None]
    y = np.array([not row["labels"]["irrelevance_spans"] for row, _ in kept], dtype=float)
    print(f"HaluQuestQA, relevance of long answers: {len(rows)} rows, {len(rows) - len(kept)} without a score left out")
    print(f"classes: {int(y.sum())} without an irrelevant span, {int(y.size - y.sum())} with one")
    show(
        y,
        Measure(
            "plain overlap with the question",
            np.array([word_overlap(r["question"], [r["answer"]]) for r, _ in kept]),
            None,
        ),
        [Measure("offline judge, answer relevance", np.array([value for _, value in kept]), None)],
        groups=[row["question"] for row, _ in kept],
    )


def _values(metric: str, rows: Sequence[Row]) -> list[float | None]:
    """The metric's value for every row, as a run with the offline judge gives it; None where it gives none."""
    scorer = build_metric(metric, Choices(), ClaimTables(CachingJudge(OfflineJudge()), PromptSet()))
    outcomes = [scorer.score(_case(row)) for row in rows]
    return [outcome.value if isinstance(outcome, Scored) else None for outcome in outcomes]


def _case(row: Row) -> Case:
    references = tuple(row["labels"].get("all_reference_answers", ()))
    return Case(
        question=Question(id=row["id"], text=row["question"], reference_answers=references), answer=row["answer"]
    )


def _overlap_f1(row: Row) -> float:
    found = []
    for reference in row["labels"]["all_reference_answers"]:
        precision, recall = word_overlap(row["answer"], [reference]), word_overlap(reference, [row["answer"]])
        found.append(2 * precision * recall / (precision + recall) if precision + recall else 0.0)
    return max(found)


OTHER_SETS: Mapping[Path, Callable[[Sequence[Row]], None]] = {
    Path("context/factcheck_bench_stance.jsonl"): measure_stances,
    Path("context/clapnq_dev.jsonl"): measure_sentences,
    Path("correctness/nq301_human.jsonl"): measure_correctness,
    Path("relevance/haluquestqa.jsonl"): measure_relevance,
}
