"""The first call goes ahead alone; when it takes long, the others go too."""

import threading
from concurrent.futures import ThreadPoolExecutor

from whichhalf.judging.first_call import FirstCall


def peak_of(first: FirstCall, calls: int, *, answers: bool) -> int:
    """How many of these calls were under way at once."""
    peak, now, guard = 0, 0, threading.Lock()

    def call(_: int) -> None:
        nonlocal peak, now
        with first.turn():
            with guard:
                now += 1
                peak = max(peak, now)
            if answers:
                first.answered()
            with guard:
                now -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, range(calls)))
    return peak


def test_until_there_is_an_answer_one_call_is_made_at_a_time() -> None:
    assert peak_of(FirstCall(patience_seconds=60), 40, answers=False) == 1


def test_after_an_answer_nobody_waits() -> None:
    first, full = FirstCall(patience_seconds=60), threading.Barrier(8)
    with first.turn():
        first.answered()

    def call(_: int) -> None:
        with first.turn():
            full.wait(10)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, range(8)))


def test_those_who_wait_for_the_first_answer_then_go_all_at_once() -> None:
    first, waiting, together = FirstCall(patience_seconds=60), threading.Semaphore(0), threading.Barrier(8)

    def call(_: int) -> None:
        waiting.release()
        with first.turn():
            together.wait(10)

    with ThreadPoolExecutor(8) as pool:
        with first.turn():
            calls = [pool.submit(call, number) for number in range(8)]
            for _ in calls:
                assert waiting.acquire(timeout=10)
            first.answered()
        for one in calls:
            one.result()


def test_a_first_call_that_hangs_holds_nobody_up() -> None:
    first, hanging, end = FirstCall(patience_seconds=0.01), threading.Event(), threading.Event()

    def hang() -> None:
        with first.turn():
            hanging.set()
            end.wait(10)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hang)
        assert hanging.wait(10)
        with first.turn():
            assert not end.is_set()
        end.set()
