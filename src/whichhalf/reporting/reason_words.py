"""Every reason of a triage label in plain words, with the usual fix and the metric that shows whether it worked."""

from collections.abc import Mapping
from dataclasses import dataclass

from whichhalf.core.diagnosis import GuiltyHalf, LossPlace


@dataclass(frozen=True, slots=True)
class Fix:
    name: str
    what: str
    """What is usually changed."""
    watch: str
    """The metrics that move when it works; empty where a person decides."""


@dataclass(frozen=True, slots=True)
class ReasonWords:
    half: GuiltyHalf
    plain: str
    """For a reader who does not know how the assistant is built."""
    fix: Fix


LOSS_WORDS: Mapping[LossPlace, str] = {
    "not_retrieved": "the search did not return it",
    "dropped_by_reranker": "the search found it, and the reranker threw it out",
    "ranked_below_cut": "it was found, but ranked too low to be shown to the model",
    "cut_by_context_limit": "it ranked high enough, yet was left out when the context was put together",
    "chunk_split": "the needed words were cut apart when the documents were split into passages",
}

FIND = Fix(
    "Help the search find it",
    "Split documents differently, search by keyword beside meaning, or rewrite the question before searching.",
    "recall@k of the retrieved stage, context_recall",
)
ORDER = Fix(
    "Improve the order", "Add a reranker or tune it, so that what is needed comes first.", "rr (MRR), ndcg@k, recall@k"
)
RERANKER = Fix(
    "Mend the reranker",
    "Let the reranker keep more passages, or train and test it on such questions.",
    "recall@k of the reranked stage beside recall@k of the retrieved one",
)
CONTEXT = Fix(
    "Make room in the context",
    "Raise the limit on what the model sees, or shorten passages and drop repeats before it is filled.",
    "recall@k of the context stage",
)
CHUNKS = Fix(
    "Cut documents at better places",
    "Split at headings, keep tables and lists whole, or let neighbouring passages overlap.",
    "recall@k on labels by quotes, context_recall",
)
GROUND = Fix(
    "Keep to the passages",
    "Tell the model to say only what the passages say, and to say so when they are not enough.",
    "faithfulness",
)
NOISE = Fix(
    "Show less that misleads",
    "Rank unrelated passages lower or show fewer, and tell the model to check which case a passage speaks of.",
    "noise_sensitivity_irrelevant, context_precision",
)
REFUSE = Fix(
    "Let it say that it does not know",
    "Tell the model when to decline, with examples of questions that the documents do not answer.",
    "no_answer_accuracy",
)
DARE = Fix(
    "Stop needless refusals",
    "Loosen the instruction to decline, and show that an answer in the passages is to be given.",
    "refusal_rate, answer_recall",
)
FOCUS = Fix(
    "Answer the question first", "Ask for the direct reply first, and for reasons after it.", "answer_relevance"
)
COMPLETE = Fix(
    "Ask for the whole answer",
    "Ask the model to use every fact of the passages that bears on the question: conditions, exceptions, next steps.",
    "context_utilization, answer_recall",
)
SOURCES = Fix(
    "Mend the documents",
    "Have the owner of the documents settle which text is right, then renew passages and labels.",
    "faithfulness and answer_correctness after the change",
)
CHECK = Fix("A person looks", "Check the label, the note and the question before anything is changed.", "")
LABELS = Fix(
    "Complete the labels or the run",
    "Label what was needed, write a reference answer, or score the missing metric again.",
    "the share of cases scored",
)

REASONS: Mapping[str, ReasonWords] = {
    "not_retrieved": ReasonWords("retrieval", "The search did not return a passage that the answer needs.", FIND),
    "dropped_by_reranker": ReasonWords(
        "retrieval", "A needed passage was found and then thrown out when the results were sorted again.", RERANKER
    ),
    "ranked_below_cut": ReasonWords(
        "retrieval", "A needed passage was found, but too far down the list to be shown to the model.", ORDER
    ),
    "cut_by_context_limit": ReasonWords(
        "retrieval", "A needed passage ranked high enough, yet there was no room left for it.", CONTEXT
    ),
    "chunk_split": ReasonWords(
        "retrieval", "What was needed is spread over neighbouring passages, and the model saw a part of it.", CHUNKS
    ),
    "facts_missing": ReasonWords(
        "retrieval", "Facts of the reference answer stand in none of the passages that the model saw.", FIND
    ),
    "recall_below_1": ReasonWords("retrieval", "The first passages of the search lack one that is needed.", FIND),
    "missed_refusal": ReasonWords(
        "generation", "The documents do not answer this question, and the assistant answered all the same.", REFUSE
    ),
    "false_refusal": ReasonWords("generation", "The assistant declined although it had what it needed.", DARE),
    "contradicts_context": ReasonWords(
        "generation", "The answer says the opposite of a passage that the model saw.", GROUND
    ),
    "numbers_differ": ReasonWords(
        "generation", "The answer gives another number than the passage it rests on.", GROUND
    ),
    "unsupported_claims": ReasonWords(
        "generation", "The answer says things that stand in none of the passages the model saw.", GROUND
    ),
    "faithfulness_below_floor": ReasonWords(
        "generation", "Too much of the answer stands in none of the passages the model saw.", GROUND
    ),
    "misled_by_passage": ReasonWords(
        "generation", "A wrong statement was taken from a passage that does not belong to this question.", NOISE
    ),
    "off_topic": ReasonWords("generation", "The answer does not reply to the question that was asked.", FOCUS),
    "incomplete": ReasonWords("generation", "The answer leaves out facts that stood in the passages.", COMPLETE),
    "refused_as_it_should": ReasonWords(
        "manual",
        "The documents do not answer this question, and the assistant said so: why was it marked wrong?",
        CHECK,
    ),
    "cannot_tell": ReasonWords(
        "manual", "Something is missing that would be needed to tell which half failed.", LABELS
    ),
    "stale_source": ReasonWords(
        "manual", "The document has changed since the labels were made, so they may no longer hold.", SOURCES
    ),
    "conflicting_passages": ReasonWords("manual", "Passages contradict each other on what the answer says.", SOURCES),
    "all_checks_passed": ReasonWords(
        "manual", "The checks that ran found no fault: the label, the note or the question may be wrong.", CHECK
    ),
    "check_by_hand": ReasonWords(
        "manual", "The two checks of this rule found no fault: look at the label or the note.", CHECK
    ),
    "no_answer_question": ReasonWords(
        "manual", "No passage is labelled for this question: did it rightly refuse?", CHECK
    ),
}

_UNKNOWN = "This reason has no explanation yet."


def words_of(reason: str, half: GuiltyHalf = "manual") -> ReasonWords:
    """The words of a reason; one that the table lacks is shown as such, never dropped."""
    return REASONS.get(reason) or ReasonWords(half, _UNKNOWN, CHECK)
