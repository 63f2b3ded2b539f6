"""What every call of a run passes on its way out: first the budget, then the pace."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from whichhalf.errors import CallPostponed, JudgeError, JudgeUnreachable, JudgeUnusable
from whichhalf.judging.budget import Bill, Budget
from whichhalf.judging.pacing import Pace, Turn
from whichhalf.judging.pulse import Pulse
from whichhalf.judging.seam import Usage
from whichhalf.judging.settings import JudgeSettings

_MOST_WAITING = 16
"""Threads beside those that can make a call."""


@dataclass(slots=True)
class Call:
    """One call that is under way; the caller sets what the server told."""

    begun: float
    """On the monotonic clock, once its turn had come."""
    latency_seconds: float = 0.0
    usage: Usage = Usage()
    cost_usd: float | None = None


@dataclass(slots=True)
class Traffic:
    """Shared by the judge and the embedding model of a run, and by all its threads."""

    pace: Pace = field(default_factory=Pace)
    budget: Budget = field(default_factory=Budget)
    pulse: Pulse = field(default_factory=Pulse)
    _holding: threading.local = field(default_factory=threading.local, repr=False, compare=False)
    _loaders: list[Callable[[], object]] = field(default_factory=list)

    @classmethod
    def of(cls, settings: JudgeSettings, deadline_minutes: float | None = None) -> "Traffic":
        """`deadline_minutes` count from now."""
        ends_at = None if deadline_minutes is None else time.monotonic() + 60 * deadline_minutes
        return cls(
            Pace(settings.concurrency, settings.requests_per_minute, settings.tokens_per_minute, ends_at=ends_at),
            Budget(settings.max_calls, settings.budget_usd),
            Pulse(settings.silence_seconds),
        )

    @property
    def workers(self) -> int:
        """How many threads keep all places busy: while some wait to try again, others must have something to ask."""
        return self.pace.concurrency + min(self.pace.concurrency, _MOST_WAITING)

    def before_first_call(self, loader: Callable[[], object]) -> None:
        """Have `loader` called by `begin_to_load`."""
        self._loaders.append(loader)

    def begin_to_load(self) -> None:
        """Load, in a thread, what calls and what comes of them will need: it takes a while. Done once."""
        if self._loaders:
            loaders, self._loaders = self._loaders, []
            threading.Thread(target=_load_all, args=(loaders,)).start()

    @contextmanager
    def held(self) -> Iterator[None]:
        """While it lasts every call of this thread is postponed."""
        self._holding.now = True
        try:
            yield
        finally:
            self._holding.now = False

    @property
    def is_held(self) -> bool:
        """Whether calls of this thread are postponed."""
        return getattr(self._holding, "now", False)

    def check_not_held(self) -> None:
        """Raises CallPostponed while calls are held back."""
        if self.is_held:
            self.begin_to_load()
            raise CallPostponed("calls are held back while kept replies are read")

    @contextmanager
    def call(self, tokens: int, most_usd: float = 0.0) -> Iterator[Call]:
        """Wait until a call may be made, and count it. `tokens` is an estimate.

        Raises CallPostponed, BudgetSpent and DeadlinePassed. After JudgeUnusable, also when the server has been silent
        for too long, no further call begins: every one raises that error.
        """
        self.check_not_held()
        self.pace.check_open()
        with self.budget.call(most_usd, self.pace.check_open) as bill, self._turn(tokens, bill) as turn:
            call = Call(time.monotonic())
            try:
                yield call
            except JudgeUnusable as error:
                self.pace.stop(error)
                raise
            except JudgeUnreachable as error:
                silence = self.pulse.unanswered(error)
                if silence is None:
                    raise
                self.pace.stop(silence)
                raise silence from error
            except JudgeError:  # an answer, if one that cannot be used
                self.pulse.answered()
                raise
            else:
                self.pulse.answered()
            finally:  # a reply that cannot be used has its price too
                counted = call.usage.total
                turn.tokens = tokens if counted is None else counted
                bill.usd = call.cost_usd

    @contextmanager
    def _turn(self, tokens: int, bill: Bill) -> Iterator[Turn]:
        """A call whose turn does not come is not sent."""
        bill.is_sent = False
        with self.pace.turn(tokens) as turn:
            bill.is_sent = True
            yield turn


def _load_all(loaders: Sequence[Callable[[], object]]) -> None:
    for load in loaders:
        with suppress(Exception):  # who needs what does not load meets the same error
            load()
