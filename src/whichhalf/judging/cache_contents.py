"""What a reply cache holds, for its owner: counts and prices, damage, and replies on their way in and out."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from whichhalf.core.ids import a_few
from whichhalf.core.record import Record
from whichhalf.errors import InputError
from whichhalf.judging.embedding import EMBEDDING, read_vector
from whichhalf.judging.reply_store import DamagedRow, ReplyStore, StoredReply


class ReplyCount(Record):
    """Replies of one model to one version of a prompt. Vectors count as replies to the prompt `embedding`."""

    prompt: str
    """`name/version`."""
    model: str
    replies: int
    bytes: int
    """Of the replies' text."""
    prompt_tokens: int | None
    """Over the replies whose tokens are known; None where none is."""
    completion_tokens: int | None
    usd: float | None
    """What was paid for the replies whose price is known; None where none is."""
    without_price: int
    """Replies whose price is unknown."""


class Contents(Record):
    """A cache in numbers."""

    counts: tuple[ReplyCount, ...]
    """By prompt, then model."""
    damaged: int
    """Rows that cannot be read, and so are in no count."""


class Damage(Record):
    """One row that cannot be used."""

    key: str
    """Empty where it cannot be read."""
    problem: str


class Imported(Record):
    """What an import changed."""

    added: int
    same: int
    replaced: int


@dataclass(frozen=True, slots=True)
class Readable:
    """The readable replies of a cache by key, and how many rows are damaged."""

    replies: dict[str, StoredReply]
    damaged: int


def read_all(store: ReplyStore) -> Readable:
    """Every reply that can be read. Raises CacheError when the database itself is damaged."""
    rows = list(store.rows())
    replies = {row.key: row for row in rows if isinstance(row, StoredReply)}
    return Readable(replies, sum(isinstance(row, DamagedRow) for row in rows))


def contents(store: ReplyStore) -> Contents:
    """Raises CacheError when the database itself is damaged."""
    found = read_all(store)
    groups: dict[tuple[str, str], list[StoredReply]] = {}
    for reply in found.replies.values():
        groups.setdefault((reply.prompt, reply.model), []).append(reply)
    return Contents(counts=tuple(count(groups[name]) for name in sorted(groups)), damaged=found.damaged)


def count(replies: list[StoredReply]) -> ReplyCount:
    """Sums over replies, which are taken to be of one prompt and model."""
    return ReplyCount(
        prompt=replies[0].prompt,
        model=replies[0].model,
        replies=len(replies),
        bytes=sum(len(reply.text.encode()) for reply in replies),
        prompt_tokens=_known(replies, lambda reply: reply.prompt_tokens),
        completion_tokens=_known(replies, lambda reply: reply.completion_tokens),
        usd=price(replies),
        without_price=sum(reply.cost_usd is None for reply in replies),
    )


def price(replies: Iterable[StoredReply]) -> float | None:
    """What was paid for the replies whose price is known; None where none is."""
    known = [reply.cost_usd for reply in replies if reply.cost_usd is not None]
    return sum(known) if known else None


def damaged_rows(store: ReplyStore) -> list[DamagedRow | StoredReply]:
    """Rows that nothing can be made of: no reply, or no vector where one should be."""
    return [row for row in store.rows() if isinstance(row, DamagedRow) or _is_no_vector(row)]


def damages(store: ReplyStore) -> list[Damage]:
    """Everything wrong with a cache, row by row, then the database as a whole; empty for a sound one."""
    rows = [
        Damage(key=row.key, problem=row.problem if isinstance(row, DamagedRow) else "the text is no vector")
        for row in damaged_rows(store)
    ]
    return rows + [Damage(key="", problem=f"database: {fault}") for fault in store.database_faults()]


def replies_to(store: ReplyStore, prompt: str, version: str | None) -> list[StoredReply]:
    """The replies to a prompt, or to one version of it. Raises InputError naming what there is when there are none."""
    replies = read_all(store).replies.values()
    wanted = f"{prompt}/{version}" if version else prompt
    chosen = [one for one in replies if wanted in {one.prompt, one.prompt.rpartition("/")[0]}]
    if not chosen:
        have = ", ".join(sorted({reply.prompt for reply in replies})) or "no replies at all"
        raise InputError(f"the reply cache {store.folder} holds no reply to {wanted}; it has {have}")
    return chosen


def import_replies(store: ReplyStore, replies: Mapping[str, StoredReply], *, replace: bool = False) -> Imported:
    """Put recorded replies into a cache, all or none.

    Where the cache holds another text under the same key, it is replaced if `replace`, else InputError is raised.
    """
    kept = {key: store.get(key) for key in replies}
    added = [key for key, reply in kept.items() if reply is None]
    other = [key for key, reply in kept.items() if reply is not None and reply.text != replies[key].text]
    if other and not replace:
        raise InputError(
            f"{len(other)} of {len(replies)} replies differ from those the cache {store.folder} holds under the same "
            f"keys ({a_few([key[:12] for key in other])}); nothing was imported. --replace takes the file's"
        )
    store.put_all(replies[key] for key in (*added, *other))
    return Imported(added=len(added), same=len(replies) - len(added) - len(other), replaced=len(other))


def _is_no_vector(reply: StoredReply) -> bool:
    return reply.prompt.partition("/")[0] == EMBEDDING and not read_vector(reply.text)


def _known(replies: list[StoredReply], tokens: Callable[[StoredReply], int | None]) -> int | None:
    known = [one for reply in replies if (one := tokens(reply)) is not None]
    return sum(known) if known else None
