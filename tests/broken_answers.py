"""Answers of a working assistant over the tax notes, each broken at one known place.

The truth of a case, half and reason, is set by how it was broken; nothing here calls the code that is to find it. A
statement is a sentence; what every text says for or against every statement is kept in `World` as it is written.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from whichhalf.core.case import Case, EvidenceQuote, Passage, Question
from whichhalf.core.text_hash import text_hash

NOTES = Path(__file__).parents[1] / "fixtures" / "tax_assistant"
K = 5


@dataclass
class World:
    """Text → statement → the sentence there that bears it out, or speaks against it."""

    support: dict[str, dict[str, str]] = field(default_factory=dict)
    against: dict[str, dict[str, str]] = field(default_factory=dict)
    refusals: set[str] = field(default_factory=set)
    evasive: set[str] = field(default_factory=set)

    def write(self, *sentences: str, separator: str = " ") -> str:
        text = separator.join(sentences)
        self.support.setdefault(text, {}).update({statement_of(one): one for one in sentences})
        return text

    def oppose(self, text: str, statement: str, sentence: str) -> None:
        self.against.setdefault(text, {})[statement_of(statement)] = sentence


@dataclass
class Broken:
    """A case, and what is wrong with it."""

    kind: str
    case: Case
    half: str
    reason: str
    detail: str = ""


@dataclass
class Working:
    """A question the assistant answers well: what was needed is at the top and in the context."""

    world: World
    question: Question
    needed: list[Passage]
    facts: list[str]
    """One sentence of every needed passage: what the reference answer says."""
    others: list[Passage]
    rng: Random
    reranks: bool

    def case(self, answer: list[str] | str, needed: list[Passage] | None = None, **question: Any) -> Case:
        """Search ▶ reranker, where there is one ▶ the first k are the context."""
        top = [*(self.needed if needed is None else needed)]
        top = [*top, *self.others[: K - len(top)]]
        self.rng.shuffle(top)
        ranking = (*top, *self.others[K : K + 5])
        retrieved = tuple(self.rng.sample(ranking, len(ranking))) if self.reranks else ranking
        return Case(
            question=self.question.model_copy(update=question),
            retrieved=retrieved,
            reranked=ranking if self.reranks else None,
            context=ranking[:K],
            answer=answer if isinstance(answer, str) else self.world.write(*answer, separator="\n"),
        )

    def told(self) -> list[str]:
        """The right answer: every fact, in words of its own."""
        return [f"Note: {fact}" for fact in self.rng.sample(self.facts, len(self.facts))]


def statement_of(sentence: str) -> str:
    return sentence.removeprefix("Note: ")


def sentences_of(text: str) -> list[str]:
    """Those of which each half is long enough to be missed: three words and twelve letters (core/held_quotes)."""
    sentences = re.split(r"(?<=[.])\s+", text)
    return [one for one in sentences if len(one.split()) > 6 and len(one) > 45 and "|" not in one]


def another_number(sentence: str) -> str | None:
    """The sentence with its first amount of at least two digits changed; None without one."""
    match = re.search(r"(?<![\d,.])\d{2,}(?=[ %])", sentence)
    return None if match is None else f"{sentence[: match.start()]}{int(match[0]) + 17}{sentence[match.end() :]}"


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (NOTES / name).read_text(encoding="utf-8").splitlines()]


def not_retrieved(one: Working) -> Broken:
    lost = one.rng.choice(one.needed)
    known = [fact for fact in one.told() if statement_of(fact) not in one.world.support[lost.text or ""]]
    beside = [f"Note: {sentences_of(one.others[0].text or '')[0]}"]
    case = one.case(known or beside, [passage for passage in one.needed if passage is not lost])
    return Broken("drop", case, "retrieval", "not_retrieved")


def ranked_below_cut(one: Working) -> Broken:
    case, lost = one.case(one.told()), one.rng.choice(one.needed)

    def demoted(ranking: tuple[Passage, ...]) -> tuple[Passage, ...]:
        return (*(passage for passage in ranking if passage is not lost), lost)

    last = "reranked" if one.reranks else "retrieved"
    ranking = demoted(case.reranked or case.retrieved or ())
    logged = one.rng.random() < 0.5
    update = {last: ranking, "context": ranking[:K] if logged else None}
    return Broken("demote", case.model_copy(update=update), "retrieval", "ranked_below_cut")


def dropped_by_reranker(one: Working) -> Broken:
    case, lost = replace(one, reranks=True).case(one.told()), one.rng.choice(one.needed)
    ranking = tuple(passage for passage in case.reranked or () if passage is not lost)
    update = {"reranked": ranking, "context": ranking[:K]}
    return Broken("drop in rerank", case.model_copy(update=update), "retrieval", "dropped_by_reranker")


def cut_by_context_limit(one: Working) -> Broken:
    case = one.case(one.told())
    context = case.context or ()
    last = max(place for place, passage in enumerate(context) if passage in one.needed)
    update = {"context": context[:last]}
    return Broken("truncate context", case.model_copy(update=update), "retrieval", "cut_by_context_limit")


def chunk_split(one: Working) -> Broken:
    """The needed sentence is cut in two passages, and only the first of them reaches the model."""
    lost, fact = one.needed[0], one.facts[0]
    text = lost.text or ""
    words = fact.split()
    cut = text.index(fact) + len(" ".join(words[: len(words) // 2]))
    first = Passage(id=f"{lost.id}-1", text=text[:cut], doc=lost.doc)
    second = Passage(id=f"{lost.id}-2", text=text[cut:].strip(), doc=lost.doc)
    case = one.case(one.told(), [first, *one.needed[1:]])
    quoted = one.facts if len(one.needed) > 1 else one.facts[:1]
    quotes = tuple(EvidenceQuote(quote=fact) for fact in quoted)
    question = case.question.model_copy(update={"relevant": {}, "evidence": quotes})
    stage = "reranked" if one.reranks else "retrieved"
    update = {"question": question, stage: (*(case.ranking(case.last_ranking) or ()), second)}
    return Broken("split chunk", case.model_copy(update=update), "retrieval", "chunk_split")


def facts_missing(one: Working) -> Broken:
    lost = one.needed[0]
    case = one.case(one.told(), [passage for passage in one.needed if passage is not lost], relevant={})
    return Broken("drop, no labels", case, "retrieval", "facts_missing")


def stale_source(one: Working) -> Broken:
    old = one.needed[0]
    new_fact = f"From this year on the office decides each case of {one.question.id} anew."
    text = one.world.write(*(new_fact if s == one.facts[0] else s for s in sentences_of(old.text or "")))
    one.world.oppose(text, one.facts[0], new_fact)
    today = old.model_copy(update={"text": text})
    told = [f"Note: {new_fact}", *(f"Note: {fact}" for fact in one.facts[1:])]
    hashes = {passage.id: text_hash(passage.text or "") for passage in one.needed}
    return Broken(
        "stale text", one.case(told, [today, *one.needed[1:]], passage_sha256=hashes), "manual", "stale_source"
    )


def conflicting_passages(one: Working) -> Broken:
    opposite = f"It is not so that {one.facts[0][0].lower()}{one.facts[0][1:]}"
    text = one.world.write("An older circular.", opposite)
    one.world.oppose(text, one.facts[0], opposite)
    case = one.case(one.told(), [*one.needed, Passage(id="circular", text=text)])
    return Broken("conflict", case, "manual", "conflicting_passages")


def unsupported_claims(one: Working) -> Broken:
    invented = f"Note: The office of {one.question.id} hands out a free umbrella."
    return Broken("invented claim", one.case([*one.told(), invented]), "generation", "unsupported_claims")


def contradicts_context(one: Working) -> Broken:
    at = one.rng.randrange(len(one.facts))
    changed = another_number(one.facts[at])
    wrong = changed or f"It is not so that {one.facts[at][0].lower()}{one.facts[at][1:]}"
    told = [f"Note: {wrong if place == at else fact}" for place, fact in enumerate(one.facts)]
    case = one.case(told)
    for passage in one.needed:
        if one.facts[at] in one.world.support[passage.text or ""]:
            one.world.oppose(passage.text or "", wrong, one.facts[at])
    detail = "numbers_differ" if changed else ""
    return Broken("contradict a passage", case, "generation", "contradicts_context", detail)


def misled_by_passage(one: Working) -> Broken:
    said = one.rng.choice(sentences_of(one.others[0].text or ""))
    return Broken("misled", one.case([*one.told(), f"Note: {said}"]), "generation", "misled_by_passage")


def off_topic(one: Working) -> Broken:
    """True sentences of a needed passage that are not what was asked for."""
    beside = [s for passage in one.needed for s in sentences_of(passage.text or "") if s not in one.facts]
    case = one.case([f"Note: {beside[0]}"])
    one.world.evasive.add(case.answer or "")
    return Broken("wander off topic", case, "generation", "off_topic")


def incomplete(one: Working) -> Broken:
    beside = [s for passage in one.needed for s in sentences_of(passage.text or "") if s not in one.facts]
    return Broken("omit a fact", one.case([*one.told()[1:], f"Note: {beside[0]}"]), "generation", "incomplete")


def false_refusal(one: Working) -> Broken:
    return Broken("refuse wrongly", one.case(_refusal(one)), "generation", "false_refusal")


def missed_refusal(one: Working) -> Broken:
    told = [f"Note: {sentences_of(passage.text or '')[0]}" for passage in one.others[:2]]
    case = one.case(told, [], relevant={}, reference_answers=(), answerable=False)
    return Broken("answer the unanswerable", case, "generation", "missed_refusal")


def refused_as_it_should(one: Working) -> Broken:
    case = one.case(_refusal(one), [], relevant={}, reference_answers=(), answerable=False)
    return Broken("flag a right refusal", case, "manual", "refused_as_it_should")


def all_checks_passed(one: Working) -> Broken:
    return Broken("wrong label", one.case(one.told()), "manual", "all_checks_passed")


def cannot_tell(one: Working) -> Broken:
    case = one.case(one.told(), relevant={}, reference_answers=())
    return Broken("nothing to go by", case, "manual", "cannot_tell")


def _refusal(one: Working) -> str:
    text = f"Sorry, the notes do not say ({one.question.id})."
    one.world.refusals.add(text)
    return text


BREAKS: tuple[Callable[[Working], Broken], ...] = (
    not_retrieved,
    ranked_below_cut,
    dropped_by_reranker,
    cut_by_context_limit,
    chunk_split,
    facts_missing,
    stale_source,
    conflicting_passages,
    unsupported_claims,
    contradicts_context,
    misled_by_passage,
    off_topic,
    incomplete,
    false_refusal,
    missed_refusal,
    refused_as_it_should,
    all_checks_passed,
    cannot_tell,
)


def broken_answers(rounds: int, seed: int = 0) -> tuple[World, list[Broken]]:
    """Every break on every question of the notes that two sentences of its passages can answer, `rounds` times."""
    world = World()
    corpus = {row["id"]: Passage(**row) for row in _rows("corpus.jsonl")}
    for passage in corpus.values():
        world.support[passage.text or ""] = {one: one for one in sentences_of(passage.text or "")}
    questions = [row for row in _rows("golden.jsonl") if row.get("relevant")]
    cases = [
        break_one(working)
        for number in range(rounds)
        for row in questions
        for break_one in BREAKS
        for working in _working(world, corpus, row, Random(f"{seed} {number} {row['id']} {break_one.__name__}"))
    ]
    return world, cases


def _working(world: World, corpus: dict[str, Passage], row: dict[str, Any], rng: Random) -> Iterator[Working]:
    """Nothing where the passages have too few sentences: one for a fact and one to spare."""
    needed = [corpus[one] for one in row["relevant"] if len(sentences_of(corpus[one].text or "")) > 1]
    if not needed:
        return
    facts = [rng.choice(sentences_of(passage.text or "")) for passage in needed]
    if len(needed) == 1:
        facts += [one for one in sentences_of(needed[0].text or "") if one not in facts][:-1][:1]
    reference = world.write(*facts)
    question = Question(
        id=row["id"],
        text=row["question"],
        relevant={passage.id: 1 for passage in needed},
        reference_answers=(reference,),
    )
    fitting = [one for one in corpus.values() if one.id not in row["relevant"] and sentences_of(one.text or "")]
    yield Working(world, question, needed, facts, rng.sample(fitting, 12), rng, rng.random() < 0.4)
