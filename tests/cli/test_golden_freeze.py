"""`whichhalf golden freeze CONFIG NEW`, and what triage makes of it when the documents change."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from whichhalf.core.text_hash import text_hash
from whichhalf.datasets.golden import load_golden

FIXTURE = Path(__file__).parents[2] / "fixtures" / "tax_assistant"
RECHUNKED = Path(__file__).parents[2] / "fixtures" / "rechunked"
FEE = "The late fee is Rs 3,500."


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def config(folder: Path, golden: Path, corpus: Path | None) -> Path:
    path = folder / "c.toml"
    lines = ["[data]", f"golden = '{golden}'", "outputs = 'none.jsonl'", "[metrics]", 'retrieval = ["recall@5"]']
    if corpus is not None:
        lines.insert(2, f"corpus = '{corpus}'")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_rewritten_passage_is_told_by_triage(call: Any, demo_config: Any, tmp_path: Path) -> None:
    """q06 and q19 have all they need: frozen and unchanged neither is stale; after a new note on meals q19 is."""
    corpus, golden = Path(shutil.copy(FIXTURE / "corpus.jsonl", tmp_path)), tmp_path / "frozen.jsonl"
    done = call("golden", "freeze", demo_config(data_corpus=corpus), golden)
    assert (done.code, done.err) == (0, "")
    flags = tmp_path / "flags.csv"
    flags.write_text("id\nq06\nq19\n", encoding="utf-8")

    def labels() -> dict[str, str]:
        # the metrics are plain arithmetic, so that a new text needs no new replies
        settings = demo_config(data_golden=golden, data_corpus=corpus, metrics_judged=[], triage_flags=flags)
        assert call("run", settings, "-q").code == 0
        (folder,) = (tmp_path / "runs").glob("demo-2*")
        facts = json.loads(call("triage", folder, "--json").out)
        shutil.rmtree(folder)
        assert not [text for answer in facts["answers"] for text in answer["skipped"] if "stale" in text]
        return {answer["id"]: f"{answer['half']}: {answer['reason']}" for answer in facts["answers"]}

    unchanged = labels()
    assert "manual: stale_source" not in unchanged.values()
    (needed,) = [one.relevant for one in load_golden(golden).questions if one.id == "q19"]
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    write(corpus, *({**row, "text": f"New: {row['text']}"} if row["id"] in needed else row for row in rows))
    assert labels() == {"q06": unchanged["q06"], "q19": "manual: stale_source"}


def test_a_table_becomes_json_lines_with_hashes(call: Any, tmp_path: Path) -> None:
    golden = tmp_path / "mine.csv"
    golden.write_text("id,question,relevant,answerable\nq1,What fee?,a,true\nq2,Mars?,,false\n", encoding="utf-8")
    corpus, new = write(tmp_path / "corpus.jsonl", {"id": "a", "text": FEE}), tmp_path / "new.jsonl"
    done = call("golden", "freeze", config(tmp_path, golden, corpus), new, "--corpus-version", "7")
    assert (done.code, done.err) == (0, "")
    told = "2 questions, the texts of 1 labelled passages frozen"
    assert done.out == f"{new}: mine, version 1, corpus version 7; {told}\n"
    read = load_golden(new)
    assert read.header == {"golden_set": "mine", "version": "1", "corpus_version": "7"}
    assert [(one.id, one.relevant, one.passage_sha256, one.answerable) for one in read.questions] == [
        ("q1", {"a": 1}, {"a": text_hash(FEE)}, True),
        ("q2", {}, {}, False),
    ]


def test_a_beir_folder_becomes_json_lines(call: Any, tmp_path: Path) -> None:
    (tmp_path / "set" / "qrels").mkdir(parents=True)
    write(tmp_path / "set" / "queries.jsonl", {"_id": "1", "text": "What fee?"})
    write(tmp_path / "set" / "corpus.jsonl", {"_id": "a", "title": "Fees", "text": FEE})
    (tmp_path / "set" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t2\n", encoding="utf-8")
    new = tmp_path / "new.jsonl"
    assert call("golden", "freeze", config(tmp_path, tmp_path / "set", tmp_path / "set"), new).code == 0
    (question,) = load_golden(new).questions
    assert (question.relevant, question.passage_sha256) == ({"a": 2}, {"a": text_hash(f"Fees\n{FEE}")})


def test_quotes_are_kept_and_looked_for(call: Any, tmp_path: Path) -> None:
    """One quote of the fixture stands nowhere in its documents; with the others the set can be frozen."""
    golden, corpus = RECHUNKED / "golden.jsonl", RECHUNKED / "corpus_fine.jsonl"
    done = call("golden", "freeze", config(tmp_path, golden, corpus), tmp_path / "new.jsonl")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"whichhalf: {golden}: g13: the quote “Three late returns")
    assert not (tmp_path / "new.jsonl").exists()
    lines = golden.read_text(encoding="utf-8").splitlines(keepends=True)
    sound = tmp_path / "sound.jsonl"
    sound.write_text("".join(line for line in lines if '"g13"' not in line), encoding="utf-8")
    assert call("golden", "freeze", config(tmp_path, sound, corpus), tmp_path / "new.jsonl").code == 0
    after = load_golden(tmp_path / "new.jsonl").questions
    assert after == load_golden(sound).questions
    assert any(one.evidence for one in after)


def test_freezing_again_tells_what_was_rewritten(call: Any, tmp_path: Path) -> None:
    row = {"id": "q1", "question": "What fee?", "relevant": ["a"], "passage_sha256": {"a": text_hash("Rs 50.")}}
    golden = write(tmp_path / "g.jsonl", {"golden_set": "g", "version": "4", "corpus_version": "1"}, row)
    settings = config(tmp_path, golden, write(tmp_path / "corpus.jsonl", {"id": "a", "text": FEE}))
    done = call("golden", "freeze", settings, tmp_path / "new.jsonl", "--version", "5b")
    assert "g, version 5b, corpus version 1;" in done.out
    assert "Rewritten since the last freeze, so look at the labels of: a (q1)\n" in done.out
    assert "The corpus changed: give it a version of its own with --corpus-version\n" in done.out


def test_labels_that_are_not_in_the_corpus_are_all_listed(call: Any, tmp_path: Path) -> None:
    rows = [{"id": f"q{number}", "question": "?", "relevant": [f"x{number}", "a"]} for number in (1, 2)]
    golden, corpus = write(tmp_path / "g.jsonl", *rows), write(tmp_path / "corpus.jsonl", {"id": "a", "text": FEE})
    done = call("golden", "freeze", config(tmp_path, golden, corpus), tmp_path / "new.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err == "".join(
        f"whichhalf: {golden}: q{number} labels x{number}, not in the corpus {corpus}\n" for number in (1, 2)
    )
    assert not (tmp_path / "new.jsonl").exists()


def test_without_a_corpus(call: Any, tmp_path: Path) -> None:
    golden = write(tmp_path / "g.jsonl", {"id": "q", "question": "?", "relevant": ["a"]})
    done = call("golden", "freeze", config(tmp_path, golden, None), tmp_path / "new.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err == "whichhalf: [data] corpus: is missing: there is no text to freeze the labels with\n"


@pytest.mark.parametrize("name", ["g.jsonl", "new.csv"])
def test_nothing_is_overwritten_or_misnamed(call: Any, tmp_path: Path, name: str) -> None:
    golden = write(tmp_path / "g.jsonl", {"id": "q", "question": "?", "relevant": ["a"]})
    settings = config(tmp_path, golden, write(tmp_path / "corpus.jsonl", {"id": "a", "text": FEE}))
    before = golden.read_bytes()
    done = call("golden", "freeze", settings, tmp_path / name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"whichhalf: {tmp_path / name}: ")
    assert golden.read_bytes() == before
    assert not (tmp_path / "new.csv").exists()
