"""What hangs on each version of a prompt: the kept replies that are of no use once it is edited."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from whichhalf.judging.cache_contents import price, read_all
from whichhalf.judging.embedding import EMBEDDING
from whichhalf.judging.reply_store import ReplyStore, StoredReply


@dataclass(frozen=True, slots=True)
class KeptReplies:
    """Kept replies to one version of a prompt, of all models."""

    replies: int
    usd: float | None
    """What those with a known price cost, and so about what asking anew costs; None where no price is known."""
    without_price: int
    """Replies whose price is unknown."""


@dataclass(frozen=True, slots=True)
class KeptByPrompt:
    """All replies that a cache and a file of recorded replies hold."""

    by_prompt: Mapping[str, KeptReplies]
    """`name/version` → its replies."""
    has_cache: bool
    damaged: int
    """Rows of the cache that cannot be read, and so are in no count."""


def kept_by_prompt(cache: Path, recorded: Mapping[str, StoredReply]) -> KeptByPrompt:
    """A reply that both hold counts once; vectors are left out. Raises CacheError when the cache is damaged."""
    has_cache = ReplyStore.is_at(cache)
    replies, damaged = dict(recorded), 0
    if has_cache:
        store = ReplyStore(cache, read_only=True)
        try:
            found = read_all(store)
        finally:
            store.close()
        replies, damaged = replies | found.replies, found.damaged
    groups: dict[str, list[StoredReply]] = {}
    for reply in replies.values():
        if reply.prompt.partition("/")[0] != EMBEDDING:
            groups.setdefault(reply.prompt, []).append(reply)
    return KeptByPrompt({name: _summed(groups[name]) for name in sorted(groups)}, has_cache, damaged)


def _summed(replies: list[StoredReply]) -> KeptReplies:
    return KeptReplies(len(replies), price(replies), sum(reply.cost_usd is None for reply in replies))
