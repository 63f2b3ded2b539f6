"""A headless Chromium that tests look at pages with, spoken to over two pipes: no library and no port."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--mute-audio"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--disable-dev-shm-usage", "--remote-debugging-pipe"),
)


# the browser reads commands from file 3 and writes answers to file 4
_AS_3_AND_4 = "import os, sys; [os.dup2(int(sys.argv[n]), n + 2) for n in (1, 2)]; os.execv(sys.argv[3], sys.argv[3:])"


@dataclass(slots=True)
class Page:
    """One tab. Complaints and requests are collected from the moment it is opened."""

    _to: int
    _answers: Iterator[dict[str, Any]]
    _session: str = ""
    _count: int = 0
    complaints: list[str] = field(default_factory=list)
    """Errors and warnings on the console, policy violations among them, and exceptions."""
    requests: list[str] = field(default_factory=list)
    """Addresses asked for, the page itself among them."""

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        for answer in self._answers:
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self._note(answer)
        raise AssertionError("the browser ended")

    def open(self, path: Path, *, width: int = 1280, dark: bool = False, script: bool = True) -> None:
        """Load a file and wait until it is complete."""
        self.complaints.clear()
        self.requests.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("Page.navigate", url=path.resolve().as_uri())
        while self.value("document.readyState") != "complete" or self.value("location.href") == "about:blank":
            pass

    def value(self, expression: str) -> Any:
        """What a JavaScript expression yields in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def type(self, text: str) -> None:
        """Into whatever has the focus."""
        self.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9}[key])

    def _note(self, event: dict[str, Any]) -> None:
        method, facts = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"])
        elif method == "Log.entryAdded" and facts["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(facts["entry"]["text"])
        elif method == "Runtime.exceptionThrown" or (
            method == "Runtime.consoleAPICalled" and facts["type"] in {"error", "warning", "assert"}
        ):
            self.complaints.append(json.dumps(facts))


@contextmanager
def open_browser() -> Iterator[Page]:
    """Start Chromium with a profile of its own, and end it."""
    assert PROGRAM is not None
    (to_read, to_write), (from_read, from_write) = _pipe(), _pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [sys.executable, "-c", _AS_3_AND_4, str(to_read), str(from_write), PROGRAM, *_OPTIONS]
        browser = subprocess.Popen(
            [*command, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_read, from_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        try:
            page = Page(to_write, _messages(from_read))
            target = page.call("Target.createTarget", url="about:blank")["targetId"]
            page._session = page.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                page.call(f"{domain}.enable")
            yield page
        finally:
            browser.terminate()
            browser.wait(timeout=30)
            os.close(to_write)
            os.close(from_read)


def _pipe() -> tuple[int, int]:
    """With numbers that leave 3 and 4 free."""
    low = os.pipe()
    high = fcntl.fcntl(low[0], fcntl.F_DUPFD, 10), fcntl.fcntl(low[1], fcntl.F_DUPFD, 10)
    for one in low:
        os.close(one)
    return high


def _messages(pipe: int) -> Iterator[dict[str, Any]]:
    """Messages end with a zero byte."""
    kept = b""
    while piece := os.read(pipe, 1 << 16):
        *whole, kept = (kept + piece).split(b"\0")
        yield from map(json.loads, whole)
