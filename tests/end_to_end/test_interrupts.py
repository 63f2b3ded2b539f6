"""Ctrl-C: calls under way end and are kept; a second one ends the run at once."""

import os
import signal
import threading
from pathlib import Path

from judge_server import JudgeServer, Received, Response
from kill_runs import PROCESSES, run_command, write_config, write_rows
from whichhalf.judging.reply_store import ReplyStore


def kept_in(folder: Path) -> int:
    store = ReplyStore(folder)
    try:
        return len(list(store))
    finally:
        store.close()


def test_what_is_under_way_ends_and_is_kept(tmp_path: Path) -> None:
    write_rows(tmp_path, 12)
    arrived = threading.Event()

    def plan(request: Received) -> Response:
        if request.number == 9:
            arrived.set()
        return Response(delay_seconds=0.5 if request.number >= 6 else 0.0)

    with JudgeServer(plan=plan) as server:
        process = PROCESSES.Process(target=run_command, args=(str(write_config(tmp_path, server, concurrency=4)),))
        process.start()
        assert arrived.wait(100)
        os.kill(process.pid or 0, signal.SIGINT)
        process.join(100)
        sent = len(server.requests)
    assert process.exitcode == 3
    assert kept_in(tmp_path / "cache") == sent, "every call that was made was kept"
    assert sent <= 9 + 1 + 4, "no call was begun once it was stopped"
    assert not (tmp_path / "runs").exists()


def test_the_second_one_ends_it_at_once(tmp_path: Path) -> None:
    write_rows(tmp_path, 12)
    arrived = threading.Event()

    def plan(request: Received) -> Response:
        if request.number == 3:
            arrived.set()
        return Response(delay_seconds=0.0 if request.number < 2 else 15.0)

    with JudgeServer(plan=plan) as server:
        process = PROCESSES.Process(target=run_command, args=(str(write_config(tmp_path, server, concurrency=4)),))
        process.start()
        assert arrived.wait(100)
        os.kill(process.pid or 0, signal.SIGINT)
        process.join(0.5)
        os.kill(process.pid or 0, signal.SIGTERM)
        process.join(10)
    assert process.exitcode == 3
