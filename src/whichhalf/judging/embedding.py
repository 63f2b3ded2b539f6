"""Texts as vectors: the seam, the model that comes with its wheel, and the cache in front of any model."""

import hashlib
import json
import logging
import threading
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from struct import error as StructError  # noqa: N812  it is a class
from struct import pack, unpack
from typing import Any, NamedTuple, Protocol

from whichhalf.judging.caching import KeptReplies
from whichhalf.judging.key import canonical_json
from whichhalf.judging.key_locks import KeyLocks
from whichhalf.judging.model_names import WORDLLAMA
from whichhalf.judging.reply_store import ReplyStore, StoredReply
from whichhalf.judging.seam import Usage
from whichhalf.judging.traffic import Traffic

EMBEDDING = "embedding"
"""What stands in the ledger and in the store where a prompt's name would."""

Vector = tuple[float, ...]

_BYTES = "float64,base64:"
"""Begins a vector as it is kept: to write and read decimals takes longer than to embed a text with a small model."""


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Everything about an embedding model that can change its vectors."""

    model: str
    endpoint: str | None = None
    version: str | None = None
    """Of a model that comes in a package."""

    @property
    def is_local(self) -> bool:
        """Whether vectors are computed here, and nobody is asked."""
        return self.version is not None


@dataclass(frozen=True, slots=True)
class Embedded:
    """What came back for a list of texts."""

    vectors: tuple[Vector, ...]
    """One a text, in the order of the texts."""
    model: str
    """As returned by the server."""
    usage: Usage = Usage()
    cost_usd: float | None = None
    """None = unknown."""
    attempts: int = 1
    """Calls made; 0 when every vector was kept from before."""


class Embedder(Protocol):
    """Turns texts into vectors. Raises JudgeError when these are lost, JudgeUnusable when no call can succeed."""

    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed(self, texts: Sequence[str]) -> Embedded: ...


class WordLlamaEmbedder:
    """Static word vectors shipped in a wheel: no network, the same on every machine.

    Good enough to tell whether two questions are about the same thing; blind to numbers, negation and swapped names.
    """

    @property
    def identity(self) -> EmbedderIdentity:
        return _wordllama_identity()

    def load(self) -> Any:
        """The model; else loaded by the first `embed` of a text."""
        with _loading:
            return _wordllama()

    def embed(self, texts: Sequence[str]) -> Embedded:
        rows = self.load().embed(list(texts)).tolist() if texts else []
        return Embedded(tuple(map(tuple, rows)), WORDLLAMA, Usage(0, 0), cost_usd=0.0)


@cache
def _wordllama_identity() -> EmbedderIdentity:
    return EmbedderIdentity(WORDLLAMA, version=version(WORDLLAMA))


_loading = threading.Lock()


@cache
def _wordllama() -> Any:
    """The model, loaded once, from inside its package."""
    root, silent = logging.getLogger(), logging.NullHandler()
    root.addHandler(silent)  # importing it calls logging.basicConfig, which then leaves alone what the user has set
    try:
        import wordllama
    finally:
        root.removeHandler(silent)
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


class _Kept(NamedTuple):
    vector: Vector
    model: str


class CachingEmbedder:
    """Wraps an embedder: no text is embedded twice, also by threads, or processes with one store, that ask at once.

    Vectors are looked up in memory, then among recorded replies, then on disk; floats come back exactly. What is not
    kept is asked for in one call.
    """

    def __init__(
        self,
        inner: Embedder,
        *,
        store: ReplyStore | None = None,
        recorded: KeptReplies | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        self._inner = inner
        self._store = store
        self._recorded: KeptReplies = recorded if recorded is not None else {}
        self._traffic = traffic
        self._searched = None if store is not None and inner.identity.is_local and store.is_empty else store
        """Not a store in which nothing can be found but what costs nothing to make."""
        self._memory: dict[str, _Kept] = {}
        self._locks = KeyLocks()

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str]) -> Embedded:
        keys = {text: embedding_key(self.identity, text) for text in texts}
        with ExitStack() as held:
            for key in sorted(keys.values()):  # always in this order: no two threads wait for each other
                held.enter_context(self._locks.of(key))
            missing = {text: key for text, key in keys.items() if not self._is_kept(key)}
            if missing and self._traffic is not None:
                self._traffic.check_not_held()  # before waiting for another process
            if self._store is None or self.identity.is_local:
                fresh = self._fresh(missing)
            else:
                with self._store.asking(missing.values()):
                    # some may have been kept by another process, while this one waited
                    fresh = self._fresh({text: key for text, key in missing.items() if not self._is_kept(key)})
        kept = [self._memory[keys[text]] for text in texts]
        model = kept[0].model if kept else self.identity.model
        return replace(fresh, vectors=tuple(one.vector for one in kept), model=model)

    def _is_kept(self, key: str) -> bool:
        """Whether the vector is in memory, or could be brought there."""
        if key not in self._memory:
            stored = self._recorded.get(key) or (self._searched.get(key) if self._searched else None)
            vector = read_vector(stored.text) if stored else None
            if stored and vector:
                self._memory[key] = _Kept(vector, stored.model)
        return key in self._memory

    def _fresh(self, missing: Mapping[str, str]) -> Embedded:
        """Ask for the missing texts, keep their vectors, and tell what that took."""
        if not missing:
            return Embedded((), self.identity.model, attempts=0)
        found = self._inner.embed(list(missing))
        for key, vector in zip(missing.values(), found.vectors, strict=True):
            self._memory[key] = _Kept(vector, found.model)
        if self._store:
            keep = self._store.put_later if self.identity.is_local else self._store.put_all
            vectors = zip(missing.values(), found.vectors, strict=True)
            keep(_stored_vector(key, found.model, vector) for key, vector in vectors)
        return found


def _stored_vector(key: str, model: str, vector: Vector) -> StoredReply:
    text = _BYTES + b64encode(pack(f"<{len(vector)}d", *vector)).decode("ascii")
    return StoredReply(key=key, prompt=f"{EMBEDDING}/v1", model=model, text=text)


def embedding_key(identity: EmbedderIdentity, text: str) -> str:
    """sha256 of canonical JSON of model, endpoint, version where it has one, and text."""
    parts = {"embedding": identity.model, "endpoint": identity.endpoint, "text": text}
    if identity.version is not None:
        parts["version"] = identity.version
    return hashlib.sha256(canonical_json(parts).encode("ascii")).hexdigest()


def read_vector(text: str) -> Vector | None:
    """The vector as it was kept: its doubles in base64 or, as was done before and may be by hand, a JSON list. None for
    anything else, which is then asked for again."""
    try:
        if text.startswith(_BYTES):
            numbers = b64decode(text.removeprefix(_BYTES), validate=True)
            return unpack(f"<{len(numbers) // 8}d", numbers) or None
        found = json.loads(text)
    except (ValueError, StructError):
        return None
    is_vector = isinstance(found, list) and all(isinstance(one, float) for one in found)
    return tuple(found) if is_vector else None
