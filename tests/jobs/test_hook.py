"""The hook tells someone of a night, and never changes its verdict."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from whichhalf.jobs.hook import call_hook, told_of_night
from whichhalf.running.gate import GateVerdict
from whichhalf.running.night import Night

NIGHT = Night(
    job="nightly",
    verdict="red",
    headline="Red: recall@5: 0.5 < 0.7; $(touch owned)",
    gates=(GateVerdict(gate="recall@5 min 0.7", verdict="failed", sentence="recall@5: 0.5 < 0.7"),),
    baseline="b",
    seconds=1.0,
)


@contextmanager
def webhook(status: int) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Address of a server, and what was posted to it."""
    received: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/T0KEN", received
        server.shutdown()
        thread.join()


def test_a_command_gets_the_night_as_json_and_no_shell_reads_it(tmp_path: Path) -> None:
    script = tmp_path / "tell.py"
    script.write_text(
        "import os, pathlib, sys\n"
        f"pathlib.Path({str(tmp_path / 'told.json')!r}).write_text(sys.stdin.read(), encoding='utf-8')\n"
        f"pathlib.Path({str(tmp_path / 'told.txt')!r}).write_text(\n"
        "    os.environ['WHICHHALF_VERDICT'] + ' '.join(sys.argv[1:]))\n"
    )
    assert call_hook(f"{sys.executable} {script} '; touch owned'", told_of_night(NIGHT, tmp_path / "run")) is None
    told = json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
    assert (told["verdict"], told["text"], told["run"]) == ("red", NIGHT.headline, str(tmp_path / "run"))
    assert (tmp_path / "told.txt").read_text() == "red; touch owned"
    assert not (tmp_path / "owned").exists()


def test_what_goes_wrong_is_said_in_one_sentence(tmp_path: Path) -> None:
    assert (
        call_hook(f"{sys.executable} -c 'raise SystemExit(4)'", told_of_night(NIGHT, tmp_path))
        == "the hook ended with exit code 4"
    )
    missing = call_hook(str(tmp_path / "nowhere"), told_of_night(NIGHT, tmp_path))
    assert missing is not None
    assert missing.startswith("the hook could not be run: FileNotFoundError")


def test_a_webhook_gets_a_post() -> None:
    with webhook(200) as (address, received):
        assert call_hook(address, told_of_night(NIGHT, Path("runs/n"))) is None
    [body] = received
    assert (body["verdict"], body["text"]) == ("red", NIGHT.headline)


def test_a_webhook_that_fails_is_said_without_its_address() -> None:
    with webhook(500) as (address, _):
        assert call_hook(address, told_of_night(NIGHT, Path("runs/n"))) == "the webhook answered 500"
    gone = call_hook(address, told_of_night(NIGHT, Path("runs/n")))
    assert gone == "the webhook could not be reached (ConnectError)"
    assert "T0KEN" not in gone
