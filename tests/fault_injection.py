"""Label broken answers with a scripted judge that knows the truth, or flips single verdicts at random."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from broken_answers import Broken, World, broken_answers, statement_of
from judge_replies import FixedEmbedder, questions, split, verdict, verdicts
from whichhalf.catalogue import Choices, build_metrics
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.jobs.labelling import SecondOpinion
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.config import TriageSettings
from whichhalf.running.score_case import score_case
from whichhalf.triage.second_opinion import CarefulTables
from whichhalf.triage.which_half_failed import which_half_failed


@dataclass(frozen=True)
class Figures:
    """Shares in [0, 1] over all cases."""

    cases: int
    halves: float
    reasons: float
    """Half, reason and detail as they were broken."""
    confidently_wrong: float
    """Retrieval or generation is named, and it is not that half."""
    calls: float
    """Judge calls a case."""
    table: Counter[tuple[str, str]]
    """(half: reason as broken, half: reason as labelled) → cases."""


class Reader:
    """Replies by what the world says; every single verdict is turned round with probability `flips`."""

    def __init__(self, world: World, flips: float, seed: int = 0) -> None:
        self._world, self._flips, self._seed = world, flips, seed

    def __call__(self, question: JudgeQuestion[Any]) -> str:
        variables: Any = question.variables
        if question.prompt.name == "split_claims":
            return self._split(variables["answer"], question.repeat)
        if question.prompt.name == "write_questions":
            evasive = variables["answer"] in self._world.evasive
            flags = tuple(evasive != self._flip("evasive", variables["answer"], n, question.repeat) for n in range(3))
            return questions("What?", "Which?", "When?", evasive=flags)
        return verdicts(
            *(self._verdict(claim, variables["passages"], question.repeat) for claim in variables["claims"])
        )

    def _flip(self, *about: object) -> bool:
        return Random(f"{self._seed} {about}").random() < self._flips

    def _split(self, text: str, repeat: int) -> str:
        refuses = (text in self._world.refusals) != self._flip("refusal", text, repeat)
        sentences = list(self._world.support.get(text, {}).values())
        return split(refuses=True) if refuses else split(*(sentences or [text]))

    def _verdict(self, claim: Any, passages: list[Any], repeat: int) -> dict[str, Any]:
        key = statement_of(claim["text"])
        texts = [one["text"] for one in passages]
        support, against = (
            [(place["number"], said[place["text"]][key]) for place in passages if key in said.get(place["text"], {})]
            for said in (self._world.support, self._world.against)
        )
        if not self._flip(claim["text"], *texts, repeat):
            label = "supported" if support else "contradicted" if against else "not_mentioned"
            return verdict(claim["number"], label, *(support or against))
        if not support:
            return verdict(claim["number"], "supported", (passages[0]["number"], texts[0]))
        rng = Random(f"{self._seed} other label {claim['text']} {texts} {repeat}")
        return (
            verdict(claim["number"], "contradicted", *support)
            if rng.random() < 0.5
            else verdict(claim["number"], "not_mentioned")
        )


PROMPTS = PromptSet()


def label(broken: Broken, judge: ScriptedJudge, repeats: int) -> Diagnosis:
    tables = ClaimTables(CachingJudge(judge), PROMPTS, embedder=FixedEmbedder())
    result = score_case(broken.case, build_metrics(TriageSettings().metrics, Choices(), tables))
    careful = CarefulTables(tables.judge, tables.prompts, embedder=tables.embedder, repeats=repeats)
    return SecondOpinion(careful)(result, partial(which_half_failed, broken.case))


def measure(rounds: int, flips: float = 0.0, repeats: int = 1, seed: int = 0) -> Figures:
    world, cases = broken_answers(rounds, seed)
    judge = ScriptedJudge(Reader(world, flips, seed))
    return figures(cases, [label(case, judge, repeats) for case in cases], len(judge.asked))


def figures(cases: Sequence[Broken], labels: Sequence[Diagnosis], calls: int) -> Figures:
    pairs = list(zip(cases, labels, strict=True))
    n = len(cases)
    wrong = [one.half != broken.half and one.half != "manual" for broken, one in pairs]
    exact = [(one.half, one.reason, one.detail) == (broken.half, broken.reason, broken.detail) for broken, one in pairs]
    return Figures(
        cases=n,
        halves=sum(one.half == broken.half for broken, one in pairs) / n,
        reasons=sum(exact) / n,
        confidently_wrong=sum(wrong) / n,
        calls=calls / n,
        table=Counter((f"{broken.half}: {broken.reason}", f"{one.half}: {one.reason}") for broken, one in pairs),
    )
