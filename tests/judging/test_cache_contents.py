"""What a cache holds: sums by hand, damage by key, and imports that never overwrite unasked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from whichhalf.errors import InputError
from whichhalf.judging.cache_contents import (
    Damage,
    Imported,
    ReplyCount,
    contents,
    damages,
    import_replies,
    replies_to,
)
from whichhalf.judging.reply_store import ReplyStore, StoredReply


def reply(
    key: str,
    prompt: str = "p/v1",
    model: str = "m",
    text: str = "abc",
    tokens: tuple[int | None, int | None] = (None, None),
    usd: float | None = None,
) -> StoredReply:
    return StoredReply(
        key=key,
        prompt=prompt,
        model=model,
        text=text,
        prompt_tokens=tokens[0],
        completion_tokens=tokens[1],
        cost_usd=usd,
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    opened = ReplyStore(tmp_path / "cache")
    yield opened
    opened.close()


def test_sums_by_prompt_version_and_model(store: ReplyStore) -> None:
    store.put_all(
        [
            reply("a", "p/v2", "m", "é", (10, 1), 0.25),
            reply("b", "p/v2", "m", "xyz", (20, None), 0.5),
            reply("c", "p/v2", "m", "xyz"),
            reply("d", "p/v1", "m", "x", (1, 2), 0.0),
            reply("e", "p/v2", "another", ""),
            reply("f", "embedding/v1", "vectors", "[1.0]"),
        ]
    )

    def row(prompt: str, model: str, *numbers: float | None) -> ReplyCount:
        names = ("replies", "bytes", "prompt_tokens", "completion_tokens", "usd", "without_price")
        return ReplyCount.model_validate({"prompt": prompt, "model": model, **dict(zip(names, numbers, strict=True))})

    assert contents(store).counts == (
        row("embedding/v1", "vectors", 1, 5, None, None, None, 1),
        row("p/v1", "m", 1, 1, 1, 2, 0.0, 0),
        row("p/v2", "another", 1, 0, None, None, None, 1),
        row("p/v2", "m", 3, 8, 30, 1, 0.75, 1),
    )
    assert contents(store).damaged == 0


def test_an_empty_cache_is_in_order(store: ReplyStore) -> None:
    assert (contents(store).counts, damages(store)) == ((), [])


def test_a_vector_that_is_none_is_damage(store: ReplyStore) -> None:
    store.put_all(
        [
            reply("a", "embedding/v1", text="[0.5, 1.0]"),
            reply("b", "embedding/v1", text="{}"),
            reply("c", "embedding/v1", text="[]"),
            reply("d", "p/v1", text="{}"),
        ]
    )
    no_vector = "the text is no vector"
    assert damages(store) == [Damage(key="b", problem=no_vector), Damage(key="c", problem=no_vector)]


def test_replies_of_a_prompt_or_of_one_version(store: ReplyStore) -> None:
    store.put_all([reply("a", "p/v1"), reply("b", "p/v2"), reply("c", "pp/v1"), reply("d", "p/v10")])

    def chosen(prompt: str, version: str | None = None) -> str:
        return "".join(one.key for one in replies_to(store, prompt, version))

    assert (chosen("p"), chosen("p", "v1"), chosen("p/v2")) == ("abd", "a", "b")
    with pytest.raises(InputError, match=r"no reply to p/v3; it has p/v1, p/v10, p/v2, pp/v1"):
        replies_to(store, "p", "v3")


def test_an_import_refuses_another_text_unless_told(store: ReplyStore) -> None:
    store.put_all([reply("a", text="old"), reply("b", text="same")])
    brought = {one.key: one for one in (reply("a", text="new"), reply("b", text="same", usd=9.0), reply("c"))}
    with pytest.raises(InputError, match="1 of 3 replies differ"):
        import_replies(store, brought)
    assert [(one.key, one.text) for one in store] == [("a", "old"), ("b", "same")], "not even the new one"
    assert import_replies(store, brought, replace=True) == Imported(added=1, same=1, replaced=1)
    assert [(one.key, one.text, one.cost_usd) for one in store] == [
        ("a", "new", None),
        ("b", "same", None),
        ("c", "abc", None),
    ]
