"""Ask a real embedding model: `/v1/embeddings` of an OpenAI-compatible server, or litellm."""

import math
from collections.abc import Sequence
from typing import Any

from whichhalf.errors import EmbeddingFailed, JudgeUnreachable
from whichhalf.judging.embedding import Embedded, EmbedderIdentity, Vector
from whichhalf.judging.provider import Connection, token_count
from whichhalf.judging.seam import Usage
from whichhalf.judging.settings import EmbeddingSettings

_TIMEOUT_SECONDS = 120.0


class EmbeddingProvider:
    """One embedding model behind one endpoint. Safe for several threads."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        """Raises InputError when the key it needs is not in the environment."""
        self._connection = Connection(
            settings.model, settings.base_url, settings.api_key_env, _TIMEOUT_SECONDS, "the embedding model"
        )
        self.identity = EmbedderIdentity(settings.model, self._connection.endpoint)

    def embed(self, texts: Sequence[str]) -> Embedded:
        """All texts in one call. Raises JudgeError, JudgeUnusable when no call can succeed."""
        with self._connection.mapped_errors():
            response = self._send(list(texts))
        rows = getattr(response, "data", None)
        if not isinstance(rows, list):
            begin = self._connection.clean(str(response))[:200]
            raise JudgeUnreachable(f"the embedding model's answer holds no vectors; it begins {begin!r}")
        usage = getattr(response, "usage", None)
        return Embedded(
            _vectors(rows, len(texts)),
            str(getattr(response, "model", None) or self.identity.model),
            Usage(token_count(usage, "prompt_tokens"), 0),
            cost_usd=(getattr(response, "_hidden_params", None) or {}).get("response_cost"),
        )

    def _send(self, texts: list[str]) -> Any:
        connection = self._connection
        if connection.openai_model is None:
            return connection.litellm("embedding", input=texts)
        # plain numbers: the usual base64 is not known to every compatible server
        return connection.openai().embeddings.create(
            model=connection.openai_model, input=texts, encoding_format="float"
        )


def _vectors(rows: list[Any], wanted: int) -> tuple[Vector, ...]:
    """One vector a text, put in order by the index the server gave. Raises EmbeddingFailed."""
    by_index = {_part(row, "index"): _part(row, "embedding") for row in rows}
    if len(rows) != wanted or set(by_index) != set(range(wanted)):
        raise EmbeddingFailed(f"{len(rows)} vectors came back for {wanted} texts, or their numbers do not fit")
    vectors = [by_index[index] for index in range(wanted)]
    if not all(map(_is_vector, vectors)) or len({len(vector) for vector in vectors}) > 1:
        raise EmbeddingFailed("what came back is not a list of finite numbers, of the same length for every text")
    return tuple(tuple(map(float, vector)) for vector in vectors)


def _part(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, dict) else getattr(row, name, None)


def _is_vector(found: Any) -> bool:
    if not isinstance(found, list) or not found:
        return False
    return all(isinstance(one, int | float) and math.isfinite(one) for one in found)
