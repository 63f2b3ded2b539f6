"""Make findings, and put their evidence into words."""

from collections.abc import Sequence

from whichhalf.core.claim import Verdict
from whichhalf.core.diagnosis import Detail, Finding, GuiltyHalf, LossPlace, LostPassage

_LOSS_WORDS: dict[LossPlace, str] = {
    "not_retrieved": "not returned by the search",
    "dropped_by_reranker": "dropped by the reranker",
    "ranked_below_cut": "ranked below the cut",
    "cut_by_context_limit": "ranked high enough, yet not in the context",
    "chunk_split": "the rest of a quote that is whole only across neighbouring passages",
}


def finding(
    half: GuiltyHalf,
    reason: str,
    text: str,
    verdicts: Sequence[Verdict] = (),
    *,
    lost: Sequence[LostPassage] = (),
    judged: bool = False,
    detail: Detail = "",
) -> Finding:
    """It rests on the judge where it shows verdicts, or `judged` says so; else on labels."""
    return Finding(
        half=half,
        reason=reason,
        detail=detail,
        basis="judged" if judged or verdicts else "labels",
        text=text,
        verdicts=tuple(verdicts),
        lost=tuple(lost),
    )


def cannot_tell(text: str) -> Finding:
    """A person must look."""
    return finding("manual", "cannot_tell", text)


def counted(verdicts: Sequence[Verdict], what: str = "claim") -> str:
    """As in `2 claims`."""
    return f"{len(verdicts)} {what}" + ("s" if len(verdicts) > 1 else "")


def quoted(verdicts: Sequence[Verdict]) -> str:
    """Each claim, with the words of the passages that decided it."""

    def words(verdict: Verdict) -> str:
        places = places_in_words(verdict)
        return f"“{verdict.claim.text}”" + (f" ({places})" if places else "")

    return " · ".join(words(verdict) for verdict in verdicts)


def places_in_words(verdict: Verdict) -> str:
    """The words of the passages that a verdict rests on."""
    return ", ".join(f"{place.passage} says “{place.quote}”" for place in verdict.evidence)


def lost_in_words(lost: Sequence[LostPassage]) -> str:
    """The lost passages by the place where they were lost, with their ranks."""

    def named(one: LostPassage) -> str:
        ranks = [f"{stage} rank {rank}" for stage, rank in one.ranks.items() if rank is not None]
        return f"{one.passage} ({', '.join(ranks)})" if ranks else one.passage

    places = dict.fromkeys(one.lost for one in lost)
    return "; ".join(
        f"{', '.join(named(one) for one in lost if one.lost == place)}, {_LOSS_WORDS[place]}" for place in places
    )
