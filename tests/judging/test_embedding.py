"""Embedding: the model in the wheel, the cache, and a real SDK over a real socket."""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_replies import FixedEmbedder
from judge_server import JudgeServer, Response, always, embeddings, error, html, in_order, letters
from whichhalf.errors import (
    ContextTooLong,
    EmbeddingFailed,
    InputError,
    JudgeError,
    JudgeUnreachable,
    JudgeUnusable,
    ReplyNotRecorded,
)
from whichhalf.judging.embedding import (
    CachingEmbedder,
    Embedded,
    EmbedderIdentity,
    Vector,
    WordLlamaEmbedder,
    embedding_key,
)
from whichhalf.judging.embedding_provider import EmbeddingProvider
from whichhalf.judging.ledger import Ledger, LedgerEmbedder
from whichhalf.judging.reply_store import ReplyStore, StoredReply
from whichhalf.judging.retrying import Patience, RetryingEmbedder
from whichhalf.judging.seam import Usage
from whichhalf.judging.settings import EmbeddingSettings
from whichhalf.judging.stack import build_embedder

KEY = "TEST-KEY-0000"
TEXTS = ["What is the fee?", "How much does it cost?"]


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def settings(server: JudgeServer, **more: Any) -> EmbeddingSettings:
    return EmbeddingSettings(model="openai/embedder-a", base_url=server.base_url, **more)


class Counting(FixedEmbedder):
    """Gives each text its length, slowly."""

    def embed(self, texts: Sequence[str]) -> Embedded:
        time.sleep(0.01)
        super().embed(texts)
        return Embedded(tuple((float(len(text)), 1 / 3) for text in texts), "fixed-1", Usage(7, 0))


def test_wordllama_needs_no_network_and_knows_what_belongs_together() -> None:
    fee, cost, whale = WordLlamaEmbedder().embed([*TEXTS, "Whales breathe air."]).vectors
    assert len(fee) == 256
    assert sum(a * b for a, b in zip(fee, cost, strict=True)) > 3 * sum(a * b for a, b in zip(fee, whale, strict=True))
    assert WordLlamaEmbedder().embed([TEXTS[0]]).vectors == (fee,), "alone and in a list it is the same"
    assert WordLlamaEmbedder().embed([]).vectors == ()


def test_loading_it_sets_up_no_logging_and_opens_no_socket() -> None:
    code = (
        "import logging, socket\n"
        "def no(*_): raise AssertionError('network')\n"
        "socket.socket.connect = no\n"
        "from whichhalf.judging.embedding import WordLlamaEmbedder\n"
        "import sys; assert 'wordllama' not in sys.modules\n"
        "WordLlamaEmbedder().embed(['a'])\n"
        "print(logging.getLogger().handlers, logging.getLogger().level)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == (f"[] {logging.WARNING}", "")


def test_no_text_is_embedded_twice() -> None:
    inner = Counting()
    cached = CachingEmbedder(inner)
    first = cached.embed(["a", "bb", "a"])
    assert first == Embedded(((1.0, 1 / 3), (2.0, 1 / 3), (1.0, 1 / 3)), "fixed-1", Usage(7, 0))
    second = cached.embed(["bb", "ccc"])
    assert second.vectors == ((2.0, 1 / 3), (3.0, 1 / 3))
    third = cached.embed(["ccc", "a"])
    assert (third.attempts, third.usage, third.model) == (0, Usage(), "fixed-1")
    assert inner.asked == [("a", "bb"), ("ccc",)]


def test_threads_with_overlapping_texts_ask_once_for_each() -> None:
    before = threading.active_count()
    inner = Counting()
    cached = CachingEmbedder(inner)
    lists = [[f"text {(start + step) % 9}" for step in range(4)] for start in range(9)] * 4
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(cached.embed, lists))
    asked = [text for texts in inner.asked for text in texts]
    assert sorted(asked) == sorted({text for texts in lists for text in texts})
    assert all(
        one.vectors == tuple((float(len(text)), 1 / 3) for text in texts)
        for one, texts in zip(found, lists, strict=True)
    )
    assert threading.active_count() <= before


def test_vectors_come_back_exactly_from_the_disk(tmp_path: Path) -> None:
    odd = (0.1 + 0.2, 1e-300, -3.3333333333333335e22, 5e-324, -0.0)
    first = CachingEmbedder(FixedEmbedder(usual=odd), store=ReplyStore(tmp_path))
    assert first.embed(["a"]).vectors == (odd,)
    inner = FixedEmbedder()
    found = CachingEmbedder(inner, store=ReplyStore(tmp_path)).embed(["a", "a"])
    assert [one.hex() for one in found.vectors[0]] == [one.hex() for one in odd]
    assert (inner.asked, found.attempts, found.model) == ([], 0, "fixed")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1).map(tuple))
def test_any_vector_survives_its_text(vector: Vector) -> None:
    recorded: dict[str, StoredReply] = {}

    class Shelf:
        def get(self, key: str) -> StoredReply | None:
            return recorded.get(key)

        def put_all(self, replies: Iterable[StoredReply]) -> None:
            recorded.update({reply.key: reply for reply in replies})

        def asking(self, _: object) -> AbstractContextManager[None]:
            return nullcontext()

    CachingEmbedder(FixedEmbedder(usual=vector), store=Shelf()).embed(["a"])  # type: ignore[arg-type]
    found = CachingEmbedder(FixedEmbedder(usual=(9.9,)), recorded=recorded).embed(["a"])
    assert found.vectors == (vector,)


@pytest.mark.parametrize("text", ["", "{}", "[]", '["a"]', "[1.0", "null"])
def test_a_row_that_is_no_vector_is_asked_for_again(text: str) -> None:
    key = embedding_key(EmbedderIdentity("fixed"), "a")
    recorded = {key: StoredReply(key=key, prompt="embedding/v1", model="old", text=text)}
    inner = FixedEmbedder()
    assert CachingEmbedder(inner, recorded=recorded).embed(["a"]).vectors == ((1.0, 0.0),)
    assert inner.asked == [("a",)]


def test_the_key_is_of_model_endpoint_and_text() -> None:
    keys = {
        embedding_key(EmbedderIdentity(model, endpoint), text)
        for model in ("a", "b")
        for endpoint in (None, "http://x/v1", "http://y/v1")
        for text in ("", "a", "b", "ab", "\ud800")
    }
    assert len(keys) == 30


def test_one_list_is_one_request_and_floats_are_exact() -> None:
    with JudgeServer() as server:
        found = EmbeddingProvider(settings(server)).embed(TEXTS)
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {"input": TEXTS, "model": "embedder-a", "encoding_format": "float"}
    assert found == Embedded(
        tuple(tuple(letters(text)) for text in TEXTS), "embedder-a-2026-11-01", Usage(5, 0), cost_usd=None
    )


def test_vectors_are_put_in_the_order_of_the_texts() -> None:
    body = embeddings([[1.0], [2.0], [3.0]])
    body["data"].reverse()
    with JudgeServer(plan=always(Response(body=body))) as server:
        assert EmbeddingProvider(settings(server)).embed(["a", "b", "c"]).vectors == ((1.0,), (2.0,), (3.0,))


def rows(*vectors: object, index: int | None = None) -> Response:
    data = [{"object": "embedding", "index": index or at, "embedding": one} for at, one in enumerate(vectors)]
    return Response(body={**embeddings([]), "data": data})


@pytest.mark.parametrize(
    "response",
    [
        rows([1.0]),
        rows([1.0], [1.0], [1.0]),
        rows([1.0], [1.0], index=5),
        rows([1.0], [1.0, 2.0]),
        rows([], []),
        rows([1.0], ["x"]),
        rows([1.0], None),
        Response(body='{"data": [{"index": 0, "embedding": [1e999]}, {"index": 1, "embedding": [1.0]}]}'),
    ],
    ids=["fewer", "more", "numbers", "lengths", "empty", "text", "null", "infinite"],
)
def test_what_is_no_list_of_vectors_is_failed(response: Response) -> None:
    with JudgeServer(plan=always(response)) as server, pytest.raises(EmbeddingFailed):
        EmbeddingProvider(settings(server)).embed(TEXTS)


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (error(503), JudgeUnreachable),
        (error(429), JudgeUnreachable),
        (html(), JudgeUnreachable),
        (Response(body={}), JudgeUnreachable),
        (Response(drop=True), JudgeUnreachable),
        (error(401), JudgeUnusable),
        (error(404), JudgeUnusable),
        (error(429, "quota", code="insufficient_quota"), JudgeUnusable),
        (error(400, "maximum context length is 8192 tokens"), ContextTooLong),
    ],
    ids=["503", "429", "html", "no data", "dropped", "bad key", "no model", "quota", "too long"],
)
def test_errors_are_mapped_and_speak_of_the_embedding_model(response: Response, kind: type[JudgeError]) -> None:
    with JudgeServer(plan=always(response)) as server, pytest.raises(kind) as caught:
        EmbeddingProvider(settings(server)).embed(TEXTS)
    assert "the embedding model" in str(caught.value)
    assert len(server.requests) == 1, "retries are not the SDK's business"


def test_a_busy_server_is_asked_again() -> None:
    waits: list[float] = []
    with JudgeServer(plan=in_order(error(503), error(429, retry_after="7"))) as server:
        patient = RetryingEmbedder(
            EmbeddingProvider(settings(server)), Patience(sleep=waits.append, jitter=lambda: 0.5)
        )
        found = patient.embed(TEXTS)
    assert (found.attempts, waits) == (3, [0.5, 7.0])


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f"{KEY}\n")
    with JudgeServer(plan=in_order(error(401, f"bad key {KEY}"))) as server:
        with pytest.raises(JudgeUnusable) as caught:
            EmbeddingProvider(settings(server, api_key_env="MY_KEY")).embed(TEXTS)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(caught.value)


def test_a_missing_key_is_told_before_anything_is_sent() -> None:
    with pytest.raises(InputError, match="embedding model openai/embedder-a needs a key"):
        build_embedder(EmbeddingSettings(model="openai/embedder-a"))


def test_the_stack_keeps_what_was_paid_for(tmp_path: Path) -> None:
    with JudgeServer() as server:
        store = ReplyStore(tmp_path)
        build_embedder(settings(server), store=store).embed(TEXTS)
        again = build_embedder(settings(server), store=store)
        assert again.embed(TEXTS[::-1]).vectors == tuple(tuple(letters(text)) for text in TEXTS[::-1])
        offline = build_embedder(settings(server), store=store, replay_only=True)
        assert offline.embed(TEXTS).attempts == 0
        with pytest.raises(ReplyNotRecorded, match="no kept vector of openai/embedder-a for 'new'"):
            offline.embed([*TEXTS, "new"])
    assert len(server.requests) == 1
    assert {reply.prompt for reply in store} == {"embedding/v1"}


def test_failed_vectors_are_never_kept(tmp_path: Path) -> None:
    with JudgeServer(plan=in_order(rows([1.0], ["x"]))) as server:
        embedder = build_embedder(settings(server), store=ReplyStore(tmp_path))
        with pytest.raises(EmbeddingFailed):
            embedder.embed(TEXTS)
        assert embedder.embed(TEXTS).attempts == 1


def test_the_ledger_tells_embedding_from_judging() -> None:
    ledger = Ledger()
    embedder = LedgerEmbedder(CachingEmbedder(Counting()), ledger)
    embedder.embed(["a"])
    embedder.embed(["a"])
    with pytest.raises(EmbeddingFailed):
        LedgerEmbedder(Failing(), ledger).embed(["b"])
    assert [(one.prompt, one.cached, one.attempts, one.result) for one in ledger.records] == [
        ("embedding", False, 1, "ok"),
        ("embedding", True, 0, "ok"),
        ("embedding", False, 1, "embedding"),
    ]
    cost = ledger.cost()
    assert (cost.judge_calls, cost.embedding_calls, cost.cached) == (0, 2, 0)
    assert (cost.prompt_tokens, cost.usd) == (7, None)
    assert ledger.models_returned == []


class Failing(FixedEmbedder):
    def embed(self, texts: Sequence[str]) -> Embedded:
        raise EmbeddingFailed(f"{len(texts)} lost")


def test_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with JudgeServer() as server:
        settings = EmbeddingSettings(model="hosted_vllm/embedder-a", base_url=server.base_url, api_key_env="MY_KEY")
        found = EmbeddingProvider(settings).embed(["abc", "b"])
    assert found.vectors == (tuple(letters("abc")), tuple(letters("b")))
    assert (found.model, found.usage.prompt_tokens) == ("embedder-a-2026-11-01", 5)
    assert server.requests[0].body["input"] == ["abc", "b"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
