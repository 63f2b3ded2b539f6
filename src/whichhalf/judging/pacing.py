"""One pace for all calls of a run: how many at once, how many a minute, and slower when the server says so."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from whichhalf.errors import JudgeUnreachable, WhichHalfError

LONGEST_WAIT_SECONDS = 120.0
"""However long a server asks us to wait."""

Wait = Callable[[threading.Condition, float | None], object]
"""Waits, at most so many seconds, until a condition is notified."""


@dataclass(slots=True)
class Turn:
    """One call that is under way."""

    tokens: int
    """Estimated before the call; the caller sets what the server counted."""
    season: int
    """How often the pace had slowed down when the call began."""


class Pace:
    """Shared by all threads. Nobody holds a place while waiting to try again.

    Calls start evenly spaced: no minute holds more requests or tokens than allowed. When a server is busy (429), all
    calls wait as long as it asks, and half as many are then made at once; every reply gives one place back. Several
    refusals of calls that were under way together count once.
    """

    def __init__(
        self,
        concurrency: int = 16,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Wait = threading.Condition.wait,
    ) -> None:
        self.concurrency = concurrency
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self._places = concurrency
        """How many calls may be under way now."""
        self._under_way = 0
        self._season = 0
        self._paused_until = -1.0
        self._requests = _Spacing(requests_per_minute)
        self._tokens = _Spacing(tokens_per_minute)
        self._clock = clock
        self._wait = wait
        self._changed = threading.Condition()
        self._door = threading.Lock()
        """Held by the one thread that waits for the next turn; the others queue here."""
        self._stopped: WhichHalfError | None = None

    @property
    def places(self) -> int:
        """How many calls may be under way at once, as things stand."""
        return self._places

    @contextmanager
    def turn(self, tokens: int = 0) -> Iterator[Turn]:
        """Wait for a turn, and hold a place while the block runs. After `stop`, raises what it was given."""
        turn = self._begin(tokens)
        try:
            yield turn
        except JudgeUnreachable as error:
            self._end(turn, tokens, busy=error.rate_limited, pause_seconds=error.retry_after_seconds or 0.0)
            raise
        except BaseException:
            self._end(turn, tokens)
            raise
        self._end(turn, tokens, answered=True)

    def sleep(self, seconds: float) -> None:
        """Wait without holding a place. After `stop`, raises what it was given, at once."""
        until = self._clock() + seconds
        with self._changed:
            while (left := until - self._clock()) > 0 and self._stopped is None:
                self._wait(self._changed, left)
            self._raise_if_stopped()

    def stop(self, reason: WhichHalfError) -> None:
        """No call begins from now on; those under way may end. The first reason counts."""
        with self._changed:
            self._stopped = self._stopped or reason
            self._changed.notify_all()

    def _begin(self, tokens: int) -> Turn:
        with self._door, self._changed:
            while (seconds := self._seconds_to_wait()) != 0.0:
                self._wait(self._changed, seconds)
            now = self._clock()
            self._requests.take(now, 1)
            self._tokens.take(now, tokens)
            self._under_way += 1
            return Turn(tokens, self._season)

    def _seconds_to_wait(self) -> float | None:
        """0 when a call may begin now; None when that depends on a call under way."""
        self._raise_if_stopped()
        if self._under_way >= self._places:
            return None
        free_at = max(self._paused_until, self._requests.free_at, self._tokens.free_at)
        return max(0.0, free_at - self._clock())

    def _end(
        self, turn: Turn, estimated: int, *, answered: bool = False, busy: bool = False, pause_seconds: float = 0.0
    ) -> None:
        with self._changed:
            self._under_way -= 1
            self._tokens.correct(turn.tokens - estimated)
            if busy:
                pause = min(pause_seconds, LONGEST_WAIT_SECONDS)
                self._paused_until = max(self._paused_until, self._clock() + pause)
            if turn.season == self._season:  # else the call began before the last change of pace
                if busy:
                    self._places = max(1, self._places // 2)
                    self._season += 1
                elif answered:
                    self._places = min(self.concurrency, self._places + 1)
            self._changed.notify_all()

    def _raise_if_stopped(self) -> None:
        if self._stopped is not None:
            raise self._stopped


class _Spacing:
    """When the next call may begin if each takes its share of a minute."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_each = 60.0 / per_minute if per_minute else 0.0
        self.free_at = -1.0

    def take(self, now: float, amount: int) -> None:
        self.free_at = max(self.free_at, now) + amount * self._seconds_each

    def correct(self, amount: int) -> None:
        """What was taken turned out to be more, or less, than was thought."""
        self.free_at += amount * self._seconds_each
