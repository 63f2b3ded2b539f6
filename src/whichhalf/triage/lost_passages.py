"""Where needed passages were lost on the way from the search to the model.

Labels are passage ids, or quotes. A quote is lost when the passages the model saw together lack half of it, or a part
of it longer than a word or two (core/held_quotes). Where some passage holds the quote whole, the place of loss is
that of such a passage. Where none does, chunking cut it: if the model saw a part of it, the place is `chunk_split`;
if it saw none, every part is a needed passage of its own. A question labelled by ids may quote its evidence too: a
needed passage that holds the rest of a quote cut in two is `chunk_split` as well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from whichhalf.core.case import Case, EvidenceQuote, Passage
from whichhalf.core.diagnosis import LossPlace, LostPassage
from whichhalf.core.held_quotes import Part, WantedQuote, scored_by_quotes, wanted_quote
from whichhalf.core.options import STAGES, Stage
from whichhalf.core.quotes import Span

_Ranks = Mapping[Stage, dict[str, int] | None]
_Held = dict[str, list[Part]]
"""Passage id → the parts of a quote that it holds."""

EARLIEST_FIRST: tuple[LossPlace, ...] = (
    "not_retrieved",
    "dropped_by_reranker",
    "ranked_below_cut",
    "cut_by_context_limit",
    "chunk_split",
)
_FIRST_WORDS = 8


def lost_passages(case: Case, k: int, known: Iterable[Passage] = ()) -> list[LostPassage]:
    """Needed passages that did not reach the model, the one lost earliest first.

    Where the context was not logged, the first k of the last ranking stand for it. `known` holds passages of the
    corpus that hold quotes of the question, retrieved or not; a part of a quote that no passage is known to hold is
    named by its first words. A passage without text holds no quote: ask `has_all_texts` first.
    """
    ranks = {stage: _ranks(case, stage) for stage in STAGES}
    seen = ranks["context"]
    if seen is None:
        last = ranks[case.last_ranking] or {}
        seen = {passage: rank for passage, rank in last.items() if rank <= k}
    passages = _with_texts(case, known)
    if scored_by_quotes(case.question):
        missing = [pair for label in case.question.evidence for pair in _lost_of_quote(label, passages, seen, ranks, k)]
    else:
        needed = [passage for passage, grade in case.question.relevant.items() if grade > 0]
        missing = [
            (one, "chunk_split" if _is_rest(one, case, passages, seen) else _where_lost(one, ranks, k))
            for one in needed
            if one not in seen
        ]
    lost = [
        LostPassage(
            passage=passage,
            lost=place,
            ranks={stage: places.get(passage) for stage, places in ranks.items() if places is not None},
        )
        for passage, place in dict.fromkeys(missing)
    ]
    return sorted(lost, key=lambda one: EARLIEST_FIRST.index(one.lost))


def has_all_texts(case: Case, known: Iterable[Passage] = ()) -> bool:
    """Whether quotes can be looked for in every passage: the text stands at one stage at least, or is known."""
    return all(passage.text is not None for passage in _with_texts(case, known).values())


def _with_texts(case: Case, known: Iterable[Passage]) -> dict[str, Passage]:
    """Passage id → the passage, with its text if that stands at any stage or is known."""
    passages: dict[str, Passage] = {}
    for passage in chain(*(case.ranking(stage) or () for stage in STAGES), known):
        if passage.id not in passages or passages[passage.id].text is None:
            passages[passage.id] = passage
    return passages


def _lost_of_quote(
    label: EvidenceQuote, passages: Mapping[str, Passage], seen: Mapping[str, int], ranks: _Ranks, k: int
) -> Iterator[tuple[str, LossPlace]]:
    """The passages, or first words, that stand for what the model did not see of a quote, and where they were lost."""
    wanted = wanted_quote(label)
    held = {one: parts for one, passage in passages.items() if (parts := wanted.parts(passage))}
    in_sight = _parts_of(held, seen)
    gaps = wanted.lacking(in_sight)
    if not gaps:
        return
    whole = [one for one, parts in held.items() if wanted.share(parts) == 1.0]
    if whole:
        places = {one: _where_lost(one, ranks, k) for one in whole}
        yield max(places.items(), key=lambda pair: EARLIEST_FIRST.index(pair[1]))
        return
    is_split = bool(wanted.held(in_sight))
    others = [one for one in held if one not in seen and _fills(wanted, held[one], gaps)]
    for one in others:
        yield one, "chunk_split" if is_split else _where_lost(one, ranks, k)
    for gap in wanted.lacking(_parts_of(held, [*seen, *others])):
        text = label.quote if wanted.count(gap) == wanted.size else wanted.plain[gap.start : gap.end]
        yield first_words(text), "chunk_split" if is_split else "not_retrieved"


def _is_rest(passage: str, case: Case, passages: Mapping[str, Passage], seen: Mapping[str, int]) -> bool:
    """Whether a passage holds the rest of a quote that no passage holds whole and of which the model saw a part."""
    for label in case.question.evidence:
        wanted = wanted_quote(label)
        held = {one: parts for one, other in passages.items() if (parts := wanted.parts(other))}
        in_sight = _parts_of(held, seen)
        is_cut = passage in held and all(wanted.share(parts) < 1.0 for parts in held.values())
        if is_cut and wanted.held(in_sight) and _fills(wanted, held[passage], wanted.lacking(in_sight)):
            return True
    return False


def _parts_of(held: _Held, passages: Iterable[str]) -> list[Part]:
    return [part for one in passages for part in held.get(one, ())]


def _fills(wanted: WantedQuote, parts: Sequence[Part], gaps: Sequence[Span]) -> bool:
    """Whether these parts count and hold something of what is missing."""
    return any(part.start < gap.end and gap.start < part.end for part in wanted.held(parts) for gap in gaps)


def first_words(text: str) -> str:
    """The first words of a text, in quotation marks."""
    words = text.split()
    return "“" + " ".join(words[:_FIRST_WORDS]) + ("…”" if len(words) > _FIRST_WORDS else "”")


def _ranks(case: Case, stage: Stage) -> dict[str, int] | None:
    """Passage id → best rank in a stage; None when the stage was not logged."""
    passages = case.ranking(stage)
    if passages is None:
        return None
    ranks: dict[str, int] = {}
    for rank, passage in enumerate(passages, start=1):
        ranks.setdefault(passage.id, rank)
    return ranks


def _where_lost(passage: str, ranks: _Ranks, k: int) -> LossPlace:
    retrieved, reranked = ranks["retrieved"], ranks["reranked"]
    last = reranked if reranked is not None else retrieved
    if retrieved is not None and passage in retrieved and reranked is not None and passage not in reranked:
        return "dropped_by_reranker"
    if last is None or passage not in last:
        return "not_retrieved"
    return "ranked_below_cut" if last[passage] > k else "cut_by_context_limit"
