"""A reply whose bytes keep trickling ends at its deadline: the read time-out of a client only ends silence."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2

_ENDS_AT = "whichhalf_ends_at"


def reply_deadline(seconds: float) -> dict[str, list[Callable[..., Any]]]:
    """Event hooks of an HTTP client: each of its calls takes no longer, from request to the last byte of the reply.

    Until the headers are there, the client's own time-out counts.
    """

    def begin(request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, _ENDS_AT: time.monotonic() + seconds}

    def limit(response: httpx2.Response) -> None:
        stream = response.stream
        assert isinstance(stream, httpx2.SyncByteStream)
        response.stream = _Until(stream, response.request, seconds)

    return {"request": [begin], "response": [limit]}


class _Until(httpx2.SyncByteStream):
    """Bytes of a reply, while there is time."""

    def __init__(self, stream: httpx2.SyncByteStream, request: httpx2.Request, seconds: float) -> None:
        self._stream = stream
        self._request = request
        self._seconds = seconds

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            if time.monotonic() >= self._request.extensions[_ENDS_AT]:
                message = f"the reply was not complete after {self._seconds:g} s"
                raise httpx2.ReadTimeout(message, request=self._request)
            yield part

    def close(self) -> None:
        self._stream.close()
