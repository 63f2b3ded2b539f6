"""What every call of a run passes on its way out: first the budget, then the pace."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from whichhalf.errors import JudgeUnusable
from whichhalf.judging.budget import Budget
from whichhalf.judging.pacing import Pace
from whichhalf.judging.seam import Usage
from whichhalf.judging.settings import JudgeSettings


@dataclass(slots=True)
class Call:
    """One call that is under way; the caller sets what the server told."""

    begun: float
    """On the monotonic clock, once its turn had come."""
    latency_seconds: float = 0.0
    usage: Usage = Usage()
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Traffic:
    """Shared by the judge and the embedding model of a run, and by all its threads."""

    pace: Pace = field(default_factory=Pace)
    budget: Budget = field(default_factory=Budget)

    @classmethod
    def of(cls, settings: JudgeSettings) -> "Traffic":
        return cls(
            Pace(settings.concurrency, settings.requests_per_minute, settings.tokens_per_minute),
            Budget(settings.max_calls, settings.budget_usd),
        )

    @property
    def workers(self) -> int:
        """How many threads keep all places busy: while some wait to try again, others must have something to ask."""
        return 2 * self.pace.concurrency

    @contextmanager
    def call(self, tokens: int, most_usd: float = 0.0) -> Iterator[Call]:
        """Wait until a call may be made, and count it. `tokens` is an estimate.

        Raises BudgetSpent. After JudgeUnusable no further call begins: every one raises that error.
        """
        with self.budget.call(most_usd) as bill, self.pace.turn(tokens) as turn:
            call = Call(time.monotonic())
            try:
                yield call
            except JudgeUnusable as error:
                self.pace.stop(error)
                raise
            finally:  # a reply that cannot be used has its price too
                counted = call.usage.total
                turn.tokens = tokens if counted is None else counted
                bill.usd = call.cost_usd
