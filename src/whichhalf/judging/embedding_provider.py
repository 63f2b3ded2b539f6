"""Ask a real embedding model: `/v1/embeddings` of an OpenAI-compatible server, or litellm."""

import math
from collections.abc import Sequence
from typing import Any

from whichhalf.errors import EmbeddingFailed, JudgeUnreachable
from whichhalf.judging.connection import EMBEDDINGS, Connection, endpoint_of
from whichhalf.judging.embedding import Embedded, EmbedderIdentity, Vector
from whichhalf.judging.seam import Usage
from whichhalf.judging.settings import EmbeddingSettings
from whichhalf.judging.traffic import Traffic

_TIMEOUT_SECONDS = 120.0
_BYTES_PER_TOKEN = 4


def embedder_identity(settings: EmbeddingSettings) -> EmbedderIdentity:
    """Of the model that these settings name; no key is needed to know it."""
    return EmbedderIdentity(settings.model, endpoint_of(settings.model, settings.base_url))


class EmbeddingProvider:
    """One embedding model behind one endpoint. Safe for several threads."""

    def __init__(self, settings: EmbeddingSettings, traffic: Traffic | None = None) -> None:
        """Raises InputError when the key it needs is not in the environment."""
        self._connection = Connection(
            settings.model,
            settings.base_url,
            settings.api_key_env,
            _TIMEOUT_SECONDS,
            traffic or Traffic(),
            "the embedding model",
        )
        self.identity = embedder_identity(settings)

    def embed(self, texts: Sequence[str]) -> Embedded:
        """All texts in one call. Raises JudgeError, JudgeUnusable when no call can succeed."""
        size = sum(len(text.encode(errors="replace")) for text in texts)
        # plain numbers: the usual base64 is not known to every compatible server
        parameters = {"input": list(texts), **({"encoding_format": "float"} if self._connection.openai_model else {})}
        with self._connection.call(size // _BYTES_PER_TOKEN, Usage(size, 0)) as call:
            answer = self._connection.send(EMBEDDINGS, parameters)
            self._connection.answered(call, answer, with_text=False)
        rows = answer.part("data")
        if not isinstance(rows, list):
            begin = self._connection.clean(str(answer.body))[:200]
            raise JudgeUnreachable(f"the embedding model's answer holds no vectors; it begins {begin!r}", status=200)
        return Embedded(
            _vectors(rows, len(texts)),
            self._connection.clean(str(answer.part("model") or self.identity.model)),
            call.usage,
            call.cost_usd,
        )


def _vectors(rows: list[Any], wanted: int) -> tuple[Vector, ...]:
    """One vector a text, put in order by the index the server gave. Raises EmbeddingFailed."""
    numbered = [row for row in rows if isinstance(row, dict) and isinstance(row.get("index"), int)]
    by_index: dict[int, Any] = {row["index"]: row.get("embedding") for row in numbered}
    if len(rows) != wanted or set(by_index) != set(range(wanted)):
        raise EmbeddingFailed(f"{len(rows)} vectors came back for {wanted} texts, or their numbers do not fit")
    vectors = [by_index[index] for index in range(wanted)]
    if not all(map(_is_vector, vectors)) or len({len(vector) for vector in vectors}) > 1:
        raise EmbeddingFailed("what came back is not a list of finite numbers, of the same length for every text")
    return tuple(tuple(map(float, vector)) for vector in vectors)


def _is_vector(found: Any) -> bool:
    if not isinstance(found, list) or not found:
        return False
    return all(isinstance(one, int | float) and math.isfinite(one) for one in found)
