"""Real processes with one cache: nothing is asked twice at once, nothing is lost, and a killed one holds nobody up."""

import subprocess
import sys
from pathlib import Path

import pytest

from whichhalf.judging.reply_store import ReplyStore

pytest.importorskip("fcntl", reason="processes do not wait for each other on this system")

ASKER = """
import os, random, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pydantic import BaseModel
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.embedding import CachingEmbedder, Embedded, EmbedderIdentity
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.prompting.rendered import Message, RenderedPrompt

folder, seed, hang = Path(sys.argv[1]), int(sys.argv[2]), "hang" in sys.argv

class Word(BaseModel):
    word: str

def note(line):
    with (folder / "asked.txt").open("a") as file:
        file.write(line + "\\n")

def answer(question):
    note(question.variables["text"])
    if hang:
        print("asking", flush=True)
        time.sleep(600)
    time.sleep(0.02)
    return '{"word": "%s"}' % question.variables["text"]

class Letters:
    identity = EmbedderIdentity("letters")
    def embed(self, texts):
        for text in texts:
            note("vector of " + text)
        time.sleep(0.02)
        return Embedded(tuple((float(len(text)), 1.0) for text in texts), "letters")

def question(text):
    prompt = RenderedPrompt("name_it", "v1", "0" * 64, (Message("system", "Name it."), Message("user", text)))
    return JudgeQuestion(prompt, {"text": text}, Word)

store = ReplyStore(folder / "cache")
judge = CachingJudge(ScriptedJudge(answer), store=store)
embedder = CachingEmbedder(Letters(), store=store)
texts = [f"text {number}" for number in range(12)]
random.Random(seed).shuffle(texts)
if hang:
    judge.ask(question("text 0"))
with ThreadPoolExecutor(4) as pool:
    words = list(pool.map(lambda text: judge.ask(question(text)).value.word, texts))
    vectors = list(pool.map(lambda at: embedder.embed(texts[at : at + 3]).vectors, range(10)))
assert words == texts
assert all(len(three) == 3 for three in vectors)
store.close()
"""


def start(folder: Path, seed: int, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ASKER, str(folder), str(seed), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def asked(folder: Path) -> list[str]:
    return sorted((folder / "asked.txt").read_text(encoding="utf-8").splitlines())


ALL = sorted([f"text {number}" for number in range(12)] + [f"vector of text {number}" for number in range(12)])


def test_eight_processes_ask_everything_once(tmp_path: Path) -> None:
    askers = [start(tmp_path, seed) for seed in range(8)]
    for asker in askers:
        asker.communicate(timeout=300)
    assert [asker.returncode for asker in askers] == [0] * 8
    assert asked(tmp_path) == ALL
    store = ReplyStore(tmp_path / "cache")
    assert len(list(store)) == 24
    store.close()


def test_a_process_killed_while_it_asks_holds_nobody_up(tmp_path: Path) -> None:
    killed = start(tmp_path, 0, "hang")
    assert killed.stdout is not None
    assert killed.stdout.readline() == "asking\n"
    other = start(tmp_path, 1)
    killed.kill()
    killed.wait()
    killed.stdout.close()
    other.communicate(timeout=300)
    assert other.returncode == 0
    assert asked(tmp_path) == sorted(["text 0", *ALL])
