"""What threads write at once goes together, each thing once, and everyone learns how it went."""

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from whichhalf.judging.batches import Batches


def test_what_comes_while_one_batch_is_written_goes_together() -> None:
    written: list[list[int]] = []
    begun, release = threading.Event(), threading.Event()

    def write(things: list[int]) -> None:
        written.append(things)
        begun.set()
        release.wait(10)

    batches = Batches[int]()
    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(batches.put, 0, write)
        assert begun.wait(10)
        later = [pool.submit(batches.put, number, write) for number in range(1, 9)]
        while len(batches._filling.things if batches._filling else []) < 8:
            pass
        assert not first.done()
        release.set()
        assert [one.result(10) for one in (first, *later)] == [None] * 9
    assert [sorted(things) for things in written] == [[0], [1, 2, 3, 4, 5, 6, 7, 8]]


def test_every_thing_is_written_once_before_its_put_returns() -> None:
    written: list[int] = []
    batches = Batches[int]()

    def put(number: int) -> bool:
        batches.put(number, written.extend)
        return number in written

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(put, range(500)))
    batches.close()
    batches.put(500, written.extend)
    assert sorted(written) == list(range(501))


def test_a_batch_that_fails_fails_for_everyone_in_it_and_for_nobody_else() -> None:
    def write(things: list[int]) -> None:
        if 7 in things:
            raise OSError(f"lost {sorted(things)}")

    batches = Batches[int]()
    with pytest.raises(OSError, match=r"lost \[7\]"):
        batches.put(7, write)
    batches.put(8, write)


@pytest.fixture
def ctrl_c_is_heard() -> Iterator[None]:
    """Also where the tests were begun in the background, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_is_heard")
def test_who_is_stopped_while_waiting_to_write_leaves_nobody_waiting() -> None:
    written: list[int] = []
    begun, release = threading.Event(), threading.Event()

    def write(things: list[int]) -> None:
        begun.set()
        release.wait(10)
        written.extend(things)

    batches = Batches[int]()
    main = threading.main_thread().ident
    assert main == threading.get_ident()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(batches.put, 0, write)
        assert begun.wait(10)
        threading.Timer(0.1, signal.pthread_kill, [main, signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            batches.put(1, write)
        release.set()
        first.result(10)
    batches.put(2, write)
    assert written == [0, 2]
