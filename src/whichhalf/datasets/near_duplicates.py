"""Find texts that say nearly the same: near-duplicate passages, and questions asked twice.

Two texts are near-duplicates when their sets of four-word runs overlap by at least `SAME` (Jaccard index). Candidates
are texts that share one of their smallest hashed runs, so that not every pair is compared.
Source: Broder, On the Resemblance and Containment of Documents, 1997.
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

SAME = 0.8
_RUN = 4
_SKETCH = 8
_WORD = re.compile(r"\w+")


def near_duplicates(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Pairs of ids whose texts are nearly the same, in the order of the mapping."""
    runs = {one: _runs(text) for one, text in texts.items()}
    holders: dict[int, list[str]] = defaultdict(list)
    for one, found in runs.items():
        for smallest in sorted(found)[:_SKETCH]:
            holders[smallest].append(one)
    pairs = {pair for ids in holders.values() for pair in combinations(ids, 2)}
    place = {one: number for number, one in enumerate(texts)}
    alike = [(one, other) for one, other in pairs if _overlap(runs[one], runs[other]) >= SAME]
    return sorted(alike, key=lambda pair: (place[pair[0]], place[pair[1]]))


def representatives(texts: Mapping[str, str]) -> dict[str, str]:
    """For every text that is nearly the same as an earlier one, the earliest it can be led back to."""
    first: dict[str, str] = {}
    for one, other in near_duplicates(texts):
        first.setdefault(other, first.get(one, one))
    return first


def _runs(text: str) -> frozenset[int]:
    """Hashes of every run of four words; of the whole text where it is shorter."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    count = max(1, len(words) - _RUN + 1)
    return frozenset(_hash(" ".join(words[start : start + _RUN])) for start in range(count) if words)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest())


def _overlap(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
