"""The extractive answer: a deterministic baseline that copies the sentences nearest to the question.

It writes nothing of its own, so what it says is always in the passages; whether it answers is another matter.
"""

from collections.abc import Sequence

from whichhalf.judging.sentences import split_sentences
from whichhalf.judging.word_reading import read_words

NO_ANSWER = "I could not find the answer in the passages."
_MOST = 3
"""Sentences copied."""
_ENOUGH = 0.3
"""Share of the question's content words that the copied sentences must hold together."""


def extract_answer(question: str, passages: Sequence[str]) -> str:
    """Up to three sentences, in the order of the passages; NO_ANSWER when they share too few words with the question.

    Sentences are chosen one by one: each time the one with the most words of the question not yet held, the earlier
    one where several are equal.
    """
    wanted = set(read_words(question).words)
    sentences = [one for passage in passages for one in split_sentences(passage)]
    held = [wanted & set(read_words(one).words) for one in sentences]
    chosen: list[int] = []
    missing = set(wanted)
    while missing and len(chosen) < _MOST:
        best = max(range(len(held)), key=lambda place: len(held[place] & missing), default=None)
        if best is None or not held[best] & missing:
            break
        chosen.append(best)
        missing -= held[best]
    if not wanted or len(wanted - missing) / len(wanted) < _ENOUGH:
        return NO_ANSWER
    return " ".join(sentences[place] for place in sorted(chosen))
