"""What several threads have to write is written together: while one batch is on its way, the next one fills."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class _Batch(NamedTuple, Generic[T]):
    things: list[T]
    written: "Future[None]"


class Batches(Generic[T]):
    """Safe for several threads."""

    def __init__(self) -> None:
        self._filling: _Batch[T] | None = None
        self._guard = threading.Lock()
        self._writer = ThreadPoolExecutor(1)
        self._opened_by: int | None = os.getpid()

    @property
    def are_open(self) -> bool:
        """Not once they are closed, nor in a forked copy of us, which has no such thread."""
        return self._opened_by == os.getpid()

    def put(self, thing: T, write: Callable[[list[T]], None]) -> None:
        """Written when this returns. `write`, always the same, is called by one thread at a time with a whole batch;
        what it raises reaches everyone whose thing was in it."""
        batch = self._joined(thing, write) if self.are_open else None
        if batch is None:
            write([thing])
        else:
            batch.written.result()

    def close(self) -> None:
        """Once all is written. What is put later is written alone."""
        self._writer.shutdown()
        self._opened_by = None

    def _joined(self, thing: T, write: Callable[[list[T]], None]) -> _Batch[T] | None:
        """The batch with the thing; None while the interpreter ends, which begins no thread any more."""
        with self._guard:
            if self._filling is None:
                try:
                    self._filling = _Batch([], self._writer.submit(self._write_filled, write))
                except RuntimeError:
                    return None
            self._filling.things.append(thing)
            return self._filling

    def _write_filled(self, write: Callable[[list[T]], None]) -> None:
        with self._guard:
            batch, self._filling = self._filling, None
        if batch is not None:
            write(batch.things)
