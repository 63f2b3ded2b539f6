"""which_half_failed: name the guilty half of an answer that an expert marked wrong.

Checks run in a fixed order. The first that finds something gives the label; what later checks find is kept as
`also`. A check whose metric was not asked for is skipped and listed; one whose metric gave no number although it
could have decided ends in `manual: cannot_tell`. Everything here is a pure function of a case and its outcomes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from whichhalf.core.case import Case, Passage
from whichhalf.core.claim import Verdict
from whichhalf.core.diagnosis import Diagnosis, Finding, GuiltyHalf, LossPlace, LostPassage
from whichhalf.core.held_quotes import scored_by_quotes, wanted_quote
from whichhalf.core.options import Rule
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.triage.lost_passages import first_words, has_all_texts, lost_passages

DEFAULT_FLOOR = 1.0
TEXTBOOK_FLOOR = 0.8
"""A team's choice in the source of the textbook rule, not a standard."""

_LOSS_WORDS: Mapping[LossPlace, str] = {
    "not_retrieved": "not returned by the search",
    "dropped_by_reranker": "dropped by the reranker",
    "ranked_below_cut": "ranked below the cut",
    "cut_by_context_limit": "ranked high enough, yet not in the context",
    "chunk_split": "the rest of a quote that is whole only across neighbouring passages",
}

_NO_TEXTS = (
    "The question is labelled by quotes, which cannot be looked for in passages without text: give [data] corpus."
)


@dataclass(frozen=True, slots=True)
class _Facts:
    """What every check may look at."""

    case: Case
    outcomes: Mapping[str, Outcome]
    k: int
    floor: float
    known: Sequence[Passage] = ()

    def outcome(self, family: str) -> Outcome | None:
        """The outcome of a judged metric, whatever its options; None when it was not asked for."""
        return next((one for name, one in self.outcomes.items() if name.partition("(")[0] == family), None)

    @property
    def refused(self) -> bool | None:
        """Whether the answer declines; None when nothing tells."""
        outcome = self.outcome("faithfulness")
        if isinstance(outcome, Undefined):
            return {"refused": True, "no_claims": False}.get(outcome.because)
        return False if isinstance(outcome, Scored) else None

    @property
    def has_labels(self) -> bool:
        question = self.case.question
        return scored_by_quotes(question) or any(grade > 0 for grade in question.relevant.values())


@dataclass(frozen=True, slots=True)
class _Skipped:
    """A check that did not run, and why, in words."""

    what: str


_Result = Finding | _Skipped | None


def which_half_failed(
    case: Case,
    outcomes: Mapping[str, Outcome],
    *,
    rule: Rule = "default",
    k: int = 5,
    faithfulness_floor: float | None = None,
    known: Sequence[Passage] = (),
) -> Diagnosis:
    """Label an answer that is known to be wrong.

    `outcomes` maps metric names to outcomes, as in a run. `k` is how many passages the model sees; it is used where
    the context was not logged, and by the textbook rule. An answer whose faithfulness is below `faithfulness_floor`
    (by default 1.0, textbook 0.8) has too many unsupported claims. `known` holds passages of the corpus that hold the
    question's quotes, retrieved or not, so that a lost one can be named.
    """
    checks = _TEXTBOOK if rule == "textbook" else _DEFAULT
    floor = faithfulness_floor
    if floor is None:
        floor = TEXTBOOK_FLOOR if rule == "textbook" else DEFAULT_FLOOR
    results = [check(_Facts(case, outcomes, k, floor, known)) for check in checks]
    found = [result for result in results if isinstance(result, Finding)]
    label = found[0] if found else _PASSED[rule]
    return Diagnosis(
        **dict(label),
        also=tuple(found[1:]),
        skipped=tuple(result.what for result in results if isinstance(result, _Skipped)),
        rule=rule,
        thresholds={"k": k, "faithfulness_floor": floor},
    )


def _no_answer(facts: _Facts) -> _Result:
    """Check 1: the corpus holds no answer."""
    if facts.case.question.answerable:
        return None
    if facts.refused is None:
        return _cannot_tell(f"The question has no answer, and {_no_word_of(facts, 'faithfulness')} tells of a refusal.")
    if facts.refused:
        return _finding("manual", "refused_as_it_should", "There is no answer to be found, and the assistant said so.")
    return _finding("generation", "missed_refusal", "There is no answer to be found, yet the assistant gave one.")


def _evidence_lost(facts: _Facts) -> _Result:
    """Check 2: a needed passage did not reach the model; 2b and 2c where there are no labels."""
    case = facts.case
    if not case.question.answerable:
        return None
    if not facts.has_labels:
        return _facts_missing(facts)
    if case.context is None and case.ranking(case.last_ranking) is None:
        return _cannot_tell("Neither the search result nor the context was logged.")
    lost = lost_passages(case, facts.k, facts.known)
    if not lost:
        return None
    if scored_by_quotes(case.question) and not has_all_texts(case, facts.known):
        return _cannot_tell(_NO_TEXTS)
    return _finding("retrieval", lost[0].lost, f"Needed, but not seen by the model: {_in_words(lost)}.", lost=lost)


def _facts_missing(facts: _Facts) -> _Result:
    """Checks 2b and 2c: what the judge says where there are no labels; nothing may pass unseen."""
    if not facts.case.question.reference_answers:
        return _cannot_tell("There are neither labels nor a reference answer, so retrieval cannot be cleared.")
    recall = facts.outcome("context_recall")
    if not isinstance(recall, Scored):
        return _cannot_tell(f"There are no labels, and {_no_word_of(facts, 'context_recall')} clears retrieval.")
    missing = [verdict for verdict in recall.verdicts if verdict.label != "supported"]
    if recall.value == 1.0:
        return None
    text = f"{len(missing)} fact(s) of the reference answer stand in no passage the model saw."
    return _finding("retrieval", "facts_missing", text, missing, judged=True)


def _false_refusal(facts: _Facts) -> _Result:
    """Check 3: the assistant declined although it had what it needed."""
    if not facts.case.question.answerable or not facts.refused or _evidence_lost(facts) is not None:
        return None
    return _finding("generation", "false_refusal", "The assistant declined, though it had every needed passage.")


def _source_trouble(_: _Facts) -> _Result:
    """Check 4: the sources themselves are at fault."""
    return _Skipped("stale or conflicting sources: not compared yet")


def _claims_fail(facts: _Facts) -> _Result:
    """Check 5: the answer says what the passages do not."""
    outcome = facts.outcome("faithfulness")
    if outcome is None:
        return _Skipped("unsupported claims: faithfulness was not asked for")
    if isinstance(outcome, Failed) or (isinstance(outcome, Undefined) and facts.refused is None):
        return _cannot_tell(f"{_no_word_of(facts, 'faithfulness').capitalize()} clears the answer.")
    if isinstance(outcome, Undefined):
        return None
    against = [verdict for verdict in outcome.verdicts if verdict.label == "contradicted"]
    if against:
        text = f"The passages contradict {_counted(against)}: {_quoted(against)}"
        return _finding("generation", "contradicts_context", text, against)
    if outcome.value < facts.floor:
        bare = [verdict for verdict in outcome.verdicts if verdict.label != "supported"]
        text = f"No passage the model saw supports {_counted(bare)}: {_quoted(bare)}"
        return _finding("generation", "unsupported_claims", text, bare)
    return None


def _wanders(facts: _Facts) -> _Result:
    """Check 6: the answer does not address the question. A low cosine is no proof: it hangs on the embedding model."""
    outcome = facts.outcome("answer_relevance")
    if outcome is None:
        return _Skipped("answer off topic: answer_relevance was not asked for")
    if isinstance(outcome, Failed):
        return _cannot_tell(f"{_no_word_of(facts, 'answer_relevance').capitalize()} tells whether it replies at all.")
    if isinstance(outcome, Undefined):
        return None
    evasive = sum(one.evasive for one in outcome.questions)
    if evasive <= len(outcome.questions) / 2:
        return None
    text = f"The answer is evasive on {evasive} of {len(outcome.questions)} questions that were written from it."
    return _finding("generation", "off_topic", text, judged=True)


def _incomplete(facts: _Facts) -> _Result:
    """Check 6: facts that were in the passages are not in the answer."""
    outcome = facts.outcome("context_utilization")
    if outcome is None:
        return _Skipped("incomplete answer: context_utilization was not asked for")
    if isinstance(outcome, Failed):
        return _cannot_tell(
            f"{_no_word_of(facts, 'context_utilization').capitalize()} tells whether facts were left out."
        )
    if isinstance(outcome, Undefined) or outcome.value == 1.0:
        return None
    left_out = [verdict for verdict in outcome.verdicts if verdict.label != "supported"]
    text = f"The passages held {_counted(left_out, 'fact')} that the answer leaves out: {_quoted(left_out)}"
    return _finding("generation", "incomplete", text, left_out)


def _textbook_no_answer(facts: _Facts) -> _Result:
    if facts.has_labels:
        return None
    return _finding("manual", "no_answer_question", "The question has no labelled passage: check whether it refused.")


def _textbook_recall(facts: _Facts) -> _Result:
    case = facts.case
    if case.retrieved is None and case.has_output:
        return _cannot_tell("The search result was not logged.")
    if scored_by_quotes(case.question):
        return _textbook_quote_recall(case, facts.k)
    first = {passage.id for passage in (case.retrieved or ())[: facts.k]}
    needed = [passage for passage, grade in case.question.relevant.items() if grade > 0]
    missing = [passage for passage in needed if passage not in first]
    if not missing:
        return None
    recall = (len(needed) - len(missing)) / len(needed)
    text = f"recall@{facts.k} is {recall:.4g}: {', '.join(missing)} not among the first {facts.k} retrieved."
    return _finding("retrieval", "recall_below_1", text)


def _textbook_quote_recall(case: Case, k: int) -> _Result:
    """The same for a question labelled by quotes, each of which may be found in part."""
    first = (case.retrieved or ())[:k]
    labels = case.question.evidence
    shares = [
        quote.share(part for passage in first for part in quote.parts(passage)) for quote in map(wanted_quote, labels)
    ]
    if min(shares) == 1.0:
        return None
    if not has_all_texts(case):
        return _cannot_tell(_NO_TEXTS)
    missing = [first_words(label.quote) for label, share in zip(labels, shares, strict=True) if share < 1.0]
    recall = sum(shares) / len(shares)
    text = f"recall@{k} is {recall:.4g}: {', '.join(missing)} not whole in the first {k} retrieved."
    return _finding("retrieval", "recall_below_1", text)


def _textbook_faithfulness(facts: _Facts) -> _Result:
    outcome = facts.outcome("faithfulness")
    if outcome is None:
        return _Skipped("faithfulness was not asked for")
    if isinstance(outcome, Scored):
        if outcome.value >= facts.floor:
            return None
        bare = [verdict for verdict in outcome.verdicts if verdict.label != "supported"]
        text = f"faithfulness is {outcome.value:.4g}, below {facts.floor:g}: {_quoted(bare)}"
        return _finding("generation", "faithfulness_below_floor", text, bare)
    if facts.refused is not None:  # no claims, or a refusal: counts as 1 here
        return None
    return _cannot_tell(f"{_no_word_of(facts, 'faithfulness').capitalize()} clears the answer.")


_DEFAULT: tuple[Callable[[_Facts], _Result], ...] = (
    _no_answer,
    _evidence_lost,
    _false_refusal,
    _source_trouble,
    _claims_fail,
    _wanders,
    _incomplete,
)
_TEXTBOOK = (_textbook_no_answer, _textbook_recall, _textbook_faithfulness)


def _finding(
    half: GuiltyHalf,
    reason: str,
    text: str,
    verdicts: list[Verdict] | None = None,
    *,
    lost: list[LostPassage] | None = None,
    judged: bool = False,
) -> Finding:
    basis = "judged" if judged or verdicts else "labels"
    return Finding(
        half=half,
        reason=reason,
        basis=basis,
        text=text,
        verdicts=tuple(verdicts or ()),
        lost=tuple(lost or ()),
    )


def _cannot_tell(text: str) -> Finding:
    return _finding("manual", "cannot_tell", text)


_PASSED: Mapping[Rule, Finding] = {
    "default": _finding(
        "manual",
        "all_checks_passed",
        "Every check that ran passed: the label, the note or the question may be wrong.",
    ),
    "textbook": _finding("manual", "check_by_hand", "Recall and faithfulness are fine: look at the label or the note."),
}


def _no_word_of(facts: _Facts, family: str) -> str:
    """Why a metric does not help, as the subject of a sentence."""
    outcome = facts.outcome(family)
    if outcome is None:
        return f"no {family} (it was not asked for)"
    reason = outcome.error if isinstance(outcome, Failed) else getattr(outcome, "because", "")
    return f"no {family} ({reason})"


def _counted(verdicts: list[Verdict], what: str = "claim") -> str:
    return f"{len(verdicts)} {what}" + ("s" if len(verdicts) > 1 else "")


def _quoted(verdicts: list[Verdict]) -> str:
    """Each claim, with the words of the passages that decided it."""

    def words(verdict: Verdict) -> str:
        places = ", ".join(f"{place.passage} says “{place.quote}”" for place in verdict.evidence)
        return f"“{verdict.claim.text}”" + (f" ({places})" if places else "")

    return " · ".join(words(verdict) for verdict in verdicts)


def _in_words(lost: list[LostPassage]) -> str:
    """The lost passages by the place where they were lost, with their ranks."""

    def named(one: LostPassage) -> str:
        ranks = [f"{stage} rank {rank}" for stage, rank in one.ranks.items() if rank is not None]
        return f"{one.passage} ({', '.join(ranks)})" if ranks else one.passage

    places = dict.fromkeys(one.lost for one in lost)
    return "; ".join(
        f"{', '.join(named(one) for one in lost if one.lost == place)}, {_LOSS_WORDS[place]}" for place in places
    )
