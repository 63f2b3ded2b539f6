"""What a run may spend: calls and money, taken before a call is sent, so that no call under way can exceed it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from whichhalf.errors import BudgetSpent, JudgeUnreachable


@dataclass(frozen=True, slots=True)
class Need:
    """What something may take."""

    calls: int = 0
    usd: float = 0.0


@dataclass(slots=True)
class Bill:
    """What one call came to; the caller sets it when it is known."""

    usd: float | None = None
    """As the server told."""
    is_sent: bool = True
    """False for a call that was not made after all: it costs nothing and is no call."""


class Budget:
    """Shared by all threads. Without limits it only counts."""

    def __init__(self, max_calls: int | None = None, max_usd: float | None = None) -> None:
        self._calls = _Purse("max_calls", max_calls)
        self._usd = _Purse("budget_usd", max_usd)
        self._changed = threading.Condition()
        self._cases = 0
        """Under way."""
        self.ran_out = False
        """Whether a call was not made for want of budget."""

    @property
    def is_limited(self) -> bool:
        return self._calls.most is not None or self._usd.most is not None

    @property
    def counts_money(self) -> bool:
        return self._usd.most is not None

    def __str__(self) -> str:
        return " and ".join(str(purse) for purse in (self._calls, self._usd) if purse.most is not None)

    @contextmanager
    def call(self, most_usd: float = 0.0, check_open: Callable[[], None] = lambda: None) -> Iterator[Bill]:
        """Take a call that costs `most_usd` at the most, and give back what it did not cost.

        Waits where a call under way may still give enough back. Raises BudgetSpent, unless `check_open` raises why no
        call may be made at all. A call that got no answer, or whose price the server left open, counts in full; one
        that the server declined costs nothing.
        """
        self._take(most_usd, check_open)
        bill = Bill()
        unknown = most_usd
        try:
            yield bill
        except JudgeUnreachable as error:
            unknown = 0.0 if error.declined else most_usd
            raise
        finally:
            with self._changed:
                self._calls.settle(1, 1 if bill.is_sent else 0)
                spent = unknown if bill.usd is None else bill.usd
                self._usd.settle(most_usd, spent if bill.is_sent else 0.0)
                self._changed.notify_all()

    @contextmanager
    def case(self, need: Need) -> Iterator[None]:
        """Let a case begin when what is left covers it beside those under way, or when it is the only one.

        So the last of the budget finishes cases, and is not spread over many that end half done.
        """
        with self._changed:
            while need.calls and not self._covers(need) and self._cases:
                self._changed.wait()
            self._cases += 1
            self._calls.promised += need.calls
            self._usd.promised += need.usd
        try:
            yield
        finally:
            with self._changed:
                self._cases -= 1
                self._calls.promised -= need.calls
                self._usd.promised -= need.usd
                self._changed.notify_all()

    def _covers(self, need: Need) -> bool:
        calls, usd = self._calls, self._usd
        return calls.has(calls.promised + need.calls) and usd.has(usd.promised + need.usd)

    def _take(self, most_usd: float, check_open: Callable[[], None]) -> None:
        with self._changed:
            while not (self._calls.has(1 + self._calls.taken) and self._usd.has(most_usd + self._usd.taken)):
                check_open()
                if not self._calls.taken:
                    self.ran_out = True
                    short = self._usd if self._calls.has(1) else self._calls
                    raise BudgetSpent(f"{short} does not cover another call")
                self._changed.wait()
            self._calls.taken += 1
            self._usd.taken += most_usd


class _Purse:
    """One limit, and what has gone from it."""

    def __init__(self, name: str, most: float | None) -> None:
        self._name = name
        self.most = most
        self.spent = 0.0
        self.taken = 0.0
        """By calls under way."""
        self.promised = 0.0
        """To cases under way."""

    def has(self, amount: float) -> bool:
        return self.most is None or self.spent + amount <= self.most + 1e-12

    def settle(self, taken: float, spent: float) -> None:
        self.taken -= taken
        self.spent += spent

    def __str__(self) -> str:
        return f"{self._name} = {self.most:g} ({self.spent:.4g} spent)"
