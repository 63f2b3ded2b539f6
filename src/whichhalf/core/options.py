"""The closed sets of words that users type, in configs and on the command line."""

from typing import Literal

Stage = Literal["retrieved", "reranked", "context"]
"""Candidates of the first search, what a reranker kept, what the model saw."""
STAGES: tuple[Stage, ...] = ("retrieved", "reranked", "context")

Gain = Literal["exponential", "linear"]
"""What a grade is worth in ndcg: 2^grade − 1, or the grade itself."""
GAINS: tuple[Gain, ...] = ("exponential", "linear")

Ties = Literal["input", "trec"]
"""Equal scores keep their input order, or go by id, descending, as in trec_eval."""

Duplicates = Literal["first_copy", "collapse", "error"]
"""A repeated id keeps its position but earns nothing; is dropped before ranks are counted; is refused."""

Unjudged = Literal["not_relevant", "removed"]
"""A passage without a label counts as not relevant, or is taken out of the ranking before ranks are counted."""

Missing = Literal["zero", "skip"]
"""A labelled question without output counts 0 and is in the mean, or is left out, as trec_eval does without -c."""

NearDuplicates = Literal["keep", "collapse"]
"""Passages whose texts are nearly the same are different passages, or count as one."""

Unit = Literal["passage", "doc"]
"""What a label names: a passage, or the document that passages were cut from."""

Rule = Literal["default", "textbook"]
"""How flagged answers are labelled."""
