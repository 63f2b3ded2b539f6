"""One pace for all calls of a run: how many at once, how many a minute, and slower when the server says so."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from whichhalf.errors import DeadlinePassed, JudgeError, JudgeUnreachable, WhichHalfError

LONGEST_WAIT_SECONDS = 120.0
"""However long a server asks us to wait."""

ANSWERS_A_PLACE = 4
"""Answers that give back the place a refusal took: in the long run a server at its limit refuses one call in five."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.125, 4.0
"""Seconds in which no call begins when all are refused and the server does not say how long."""

Wait = Callable[[threading.Condition, float | None], object]
"""Waits, at most so many seconds, until a condition is notified."""


@dataclass(slots=True)
class Turn:
    """One call that is under way."""

    tokens: int
    """Estimated before the call; the caller sets what the server counted."""


class Pace:
    """Shared by all threads. Nobody holds a place while waiting to try again.

    Calls start evenly spaced: no minute holds more requests or tokens than allowed. A call that a busy server refuses
    (429) takes its place away with it, so of calls that began together as many places stay as were accepted; every
    fourth answer gives one back. A refusal now and then thus changes little. One that leaves no call under way stops
    all for as long as the server asks, else for a moment that doubles; four answers halve it.
    """

    def __init__(
        self,
        concurrency: int = 16,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        ends_at: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Wait = threading.Condition.wait,
    ) -> None:
        """No call begins at `ends_at` or after it, on the clock."""
        self.concurrency = concurrency
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self._places = float(concurrency)
        """How many calls may be under way now."""
        self._under_way = 0
        self._pause_seconds = _SHORTEST_PAUSE
        self._paused_until = -1.0
        self._requests = _Spacing(requests_per_minute)
        self._tokens = _Spacing(tokens_per_minute)
        self._ends_at = ends_at
        self._clock = clock
        self._wait = wait
        self._changed = threading.Condition()
        self._door = threading.Lock()
        """Held by the one thread that waits for the next turn; the others queue here."""
        self._stopped: WhichHalfError | None = None

    @property
    def places(self) -> int:
        """How many calls may be under way at once, as things stand."""
        return int(self._places)

    @contextmanager
    def turn(self, tokens: int = 0) -> Iterator[Turn]:
        """Wait for a turn, and hold a place while the block runs. Raises as `check_open` does."""
        turn = self._begin(tokens)
        try:
            yield turn
        except JudgeUnreachable as error:
            self._end(turn, tokens, refused=error if error.rate_limited else None)
            raise
        except JudgeError:  # an answer, if one that cannot be used
            self._end(turn, tokens, answered=True)
            raise
        except BaseException:
            self._end(turn, tokens)
            raise
        self._end(turn, tokens, answered=True)

    def sleep(self, seconds: float) -> None:
        """Wait without holding a place, up to the deadline. After `stop`, raises what it was given, at once."""
        until = self._clock() + (seconds if self._ends_at is None else min(seconds, self._ends_at - self._clock()))
        with self._changed:
            while (left := until - self._clock()) > 0 and self._stopped is None:
                self._wait(self._changed, left)
            if self._stopped is not None:
                raise self._stopped

    def check_open(self) -> None:
        """Raises what `stop` was given, and DeadlinePassed when no call may begin any more."""
        if self._stopped is not None:
            raise self._stopped
        if self._ends_at is not None and self._clock() >= self._ends_at:
            raise DeadlinePassed("the call was not made: the deadline of the run has passed")

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
            return Turn(tokens)

    def _seconds_to_wait(self) -> float | None:
        """0 when a call may begin now; None when that depends on a call under way."""
        self.check_open()
        now = self._clock()
        if self._under_way >= self.places:
            return None if self._ends_at is None else self._ends_at - now
        free_at = max(self._paused_until, self._requests.free_at, self._tokens.free_at)
        return max(0.0, min(free_at, self._ends_at or free_at) - now)

    def _end(
        self, turn: Turn, estimated: int, *, answered: bool = False, refused: JudgeUnreachable | None = None
    ) -> None:
        with self._changed:
            self._under_way -= 1
            self._tokens.correct(turn.tokens - estimated)
            if answered:
                self._places = min(self.concurrency, self._places + 1 / ANSWERS_A_PLACE)
                self._pause_seconds = max(_SHORTEST_PAUSE, self._pause_seconds * 0.5 ** (1 / ANSWERS_A_PLACE))
            elif refused is not None:
                self._places = max(1.0, self._places - 1)
                if not self._under_way:
                    self._pause(refused.retry_after_seconds)
            self._changed.notify_all()

    def _pause(self, asked_seconds: float | None) -> None:
        """The server takes nothing at all."""
        seconds = min(asked_seconds or self._pause_seconds, LONGEST_WAIT_SECONDS)
        self._paused_until = max(self._paused_until, self._clock() + seconds)
        self._pause_seconds = min(_LONGEST_PAUSE, 2 * self._pause_seconds)


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
