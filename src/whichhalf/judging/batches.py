"""What several threads have to write is written together: while one batch is on its way, the next one fills."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
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
        self._writing = threading.Lock()
        self._opened_by: int | None = os.getpid()

    @property
    def are_open(self) -> bool:
        """Not once they are closed, nor in a forked copy of us, where those who were writing are missing."""
        return self._opened_by == os.getpid()

    def put(self, thing: T, write: Callable[[list[T]], None]) -> None:
        """Written when this returns. `write`, always the same, is called by one thread at a time with a whole batch;
        what it raises, or stops that thread, reaches everyone whose thing was in it."""
        if not self.are_open:
            write([thing])
            return
        own = _Batch[T]([], Future())
        try:
            with self._guard:
                batch = self._filling = self._filling or own
                batch.things.append(thing)
            if batch is own:  # the first of a batch writes it, once the one before is written: until then others join
                with self._writing:
                    self._end_filling(own)
                    write(own.things)
                own.written.set_result(None)
        except BaseException as error:
            self._end_filling(own)  # also where we are stopped before we write
            if not own.written.done():
                own.written.set_exception(error)
            raise
        batch.written.result()

    def close(self) -> None:
        """Once what is being written is. What is put later is written alone."""
        were_open, self._opened_by = self.are_open, None
        if were_open:
            with self._writing:
                pass

    def _end_filling(self, batch: _Batch[T]) -> None:
        with self._guard:
            if self._filling is batch:
                self._filling = None
