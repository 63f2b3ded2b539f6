"""whichhalf prompts … and whichhalf metrics …"""

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from whichhalf.judging.reply_store import ReplyStore, StoredReply

PROMPTS = Path(__file__).parents[2] / "prompts"


def sha256(name: str, version: str) -> str:
    return hashlib.sha256((PROMPTS / name / f"{version}.jinja").read_bytes()).hexdigest()


def test_list_names_every_version_with_its_hash(call: Any) -> None:
    done = call("prompts", "list")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    files = sorted(PROMPTS.glob("*/v*.jinja"))
    assert len(lines) == 2 * len(files)
    for path in files:
        name, version = path.parent.name, path.stem
        [at] = [number for number, one in enumerate(lines) if one.startswith(f"{name}/{version}  ")]
        assert lines[at].split()[1] == sha256(name, version)[:12]
        assert lines[at].endswith("  on trial") == ((name, version) == ("verify_claims", "v2"))
        assert lines[at + 1].strip() in (path.parent / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert f"split_claims/v1  {sha256('split_claims', 'v1')[:12]}  variables: answer, question" in lines


@pytest.mark.parametrize(("name", "version"), [("verify_claims", "v3"), ("verify_claims/v1", "v1")])
def test_show_prints_the_template(call: Any, name: str, version: str) -> None:
    done = call("prompts", "show", name)
    assert (done.code, done.err) == (0, "")
    assert done.out.strip() == (PROMPTS / "verify_claims" / f"{version}.jinja").read_text(encoding="utf-8").strip()


def test_show_prefers_a_folder_of_ones_own(call: Any, tmp_path: Path) -> None:
    (tmp_path / "split_claims").mkdir()
    text = "{% block system %}mine 保修{% endblock %}{% block user %}{{ answer }}{% endblock %}"
    (tmp_path / "split_claims" / "v7.jinja").write_text(text, encoding="utf-8")
    assert call("prompts", "show", "split_claims", "--dir", tmp_path).out == f"{text}\n"


def test_an_unknown_prompt(call: Any) -> None:
    done = call("prompts", "show", "split_claims/v99")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("whichhalf: there is no prompt split_claims/v99; there are answer/v1, ")


def test_check(call: Any) -> None:
    done = call("prompts", "check")
    said = "every prompt is as it was released, and keeps hostile text between its fences\n"
    assert (done.code, done.out, done.err) == (0, said, "")


def test_check_a_folder_of_ones_own(call: Any, tmp_path: Path) -> None:
    assert call("prompts", "check", "--dir", tmp_path).err == f"whichhalf: {tmp_path} holds no prompts\n"
    (tmp_path / "split_claims").mkdir()
    path = tmp_path / "split_claims" / "v1.jinja"
    path.write_text("{% block system %}s{% endblock %}{% block user %}{{ answer }}{% endblock %}", encoding="utf-8")
    done = call("prompts", "check", "--dir", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("whichhalf: split_claims/v1: a text of others stands outside the fences (")
    fenced = "[{{ fence }}]\n{{ answer }}\n[{{ fence }}]"
    path.write_text(path.read_text(encoding="utf-8").replace("{{ answer }}", fenced), encoding="utf-8")
    assert call("prompts", "check", "--dir", tmp_path).out == "every prompt keeps hostile text between its fences\n"


def test_diff_shows_reasons_hashes_and_lines(call: Any) -> None:
    done = call("prompts", "diff", "verify_claims", "v1", "v2")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    for version, mark in (("v1", ""), ("v2", "  on trial")):
        short = sha256("verify_claims", version)[:12]
        assert f"verify_claims/{version}  {short}  variables: claims, passages, problems{mark}" in lines
        template = (PROMPTS / "verify_claims" / f"{version}.jinja").read_text(encoding="utf-8").splitlines()
        sign = {"v1": "-", "v2": "+"}[version]
        own = [line[1:] for line in lines if line.startswith(sign) and not line.startswith(sign * 3)]
        assert own
        assert set(own) <= set(template)
    assert "-2. First write a reason of at most 15 words, then the verdict." in lines
    assert any(line.startswith("A short reason stands before each label") for line in lines)


def test_diff_of_ones_own_version_with_a_packaged_one(call: Any, tmp_path: Path) -> None:
    (tmp_path / "split_claims").mkdir()
    text = (PROMPTS / "split_claims" / "v1.jinja").read_text(encoding="utf-8")
    (tmp_path / "split_claims" / "v7.jinja").write_text(f"{text}mine 保修\n", encoding="utf-8")
    done = call("prompts", "diff", "split_claims", "v1", "v7", "--dir", tmp_path)
    assert [line for line in done.out.splitlines() if line.startswith("+")] == ["+++ split_claims/v7", "+mine 保修"]
    assert "no reason is written down" in done.out
    assert call("prompts", "diff", "split_claims", "v1", "v1").out.endswith("the templates are the same\n")


def test_diff_of_a_version_that_is_not_there(call: Any) -> None:
    done = call("prompts", "diff", "split_claims", "v1", "v99")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("whichhalf: there is no prompt split_claims/v99; there are ")


PRICES = [
    ("split_claims/v1", "judge-a", 0.25),
    ("split_claims/v1", "judge-b", 0.5),
    ("split_claims/v1", "judge-a", None),
    ("verify_claims/v3", "judge-a", None),
    ("verify_claims/v99", "judge-a", 0.125),
    ("a\x1b[2J/v1", "judge-a", 0.125),
    ("embedding/v1", "vectors", 0.125),
]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    store = ReplyStore(tmp_path / "cache")
    store.put_all(
        StoredReply(key=f"k{number}", prompt=prompt, model=model, text="{}", cost_usd=usd)
        for number, (prompt, model, usd) in enumerate(PRICES)
    )
    store.close()
    return tmp_path / "cache"


def below(out: str, heading: str) -> str:
    """The last line that stands under a heading, before the next one."""
    lines = out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(f"{heading}  ")) + 1
    while at + 1 < len(lines) and lines[at + 1].startswith("    "):
        at += 1
    return lines[at].strip()


def test_list_tells_what_hangs_on_each_version(call: Any, cache: Path) -> None:
    done = call("prompts", "list", "--cache", cache)
    assert (done.code, done.err) == (0, "")
    assert below(done.out, "split_claims/v1") == "3 kept replies; price of asking anew: 0.7500 USD (1 unknown)"
    assert below(done.out, "verify_claims/v3") == "1 kept reply; price of asking anew: unknown"
    assert below(done.out, "write_questions/v1") == "no kept replies"
    assert "verify_claims/v99  its template is not here" in done.out
    assert below(done.out, "verify_claims/v99") == "1 kept reply; price of asking anew: 0.1250 USD"
    assert "\x1b" not in done.out
    assert "embedding" not in done.out


def test_diff_tells_it_of_both_versions(call: Any, cache: Path) -> None:
    done = call("prompts", "diff", "split_claims", "v1", "v2", "--cache", cache)
    assert (done.code, done.err) == (0, "")
    first, second = done.out.partition("split_claims/v2  ")[::2]
    assert first.strip().endswith("\n3 kept replies; price of asking anew: 0.7500 USD (1 unknown)")
    assert "\nno kept replies\n\n--- split_claims/v1\n" in second


def test_what_hangs_on_a_version_counts_the_replies_and_the_folder_that_a_config_names(
    call: Any, tmp_path: Path, cache: Path
) -> None:
    (tmp_path / "mine" / "verify_claims").mkdir(parents=True)
    text = (PROMPTS / "verify_claims" / "v1.jinja").read_text(encoding="utf-8")
    (tmp_path / "mine" / "verify_claims" / "v99.jinja").write_text(text, encoding="utf-8")
    replies = tmp_path / "replies.jsonl"
    assert call("cache", "export", replies, "--cache", cache).code == 0
    config = tmp_path / "c.toml"
    config.write_text(
        '[data]\ngolden = "g.jsonl"\noutputs = "o.jsonl"\n[metrics]\nretrieval = ["rr"]\n'
        '[judge]\nmodel = "recorded/x"\nreplies = "replies.jsonl"\n'
        f'[prompts]\ndir = "mine"\n[run]\ncache = "{cache}"\n',
        encoding="utf-8",
    )
    done = call("prompts", "list", "-c", config)
    assert (done.code, done.err) == (0, "")
    assert below(done.out, "split_claims/v1").startswith("3 kept replies; "), "a reply that both hold counts once"
    assert f"verify_claims/v99  {sha256('verify_claims', 'v1')[:12]}  variables: claims, passages, problems" in done.out
    cache.rename(tmp_path / "elsewhere")
    gone = call("prompts", "list", "-c", config)
    assert (gone.out, gone.err) == (done.out, f"whichhalf: {cache} holds no reply cache\n")


def test_where_there_is_no_cache_none_is_made(call: Any, tmp_path: Path) -> None:
    done = call("prompts", "list", "--cache", tmp_path / "none")
    assert (done.code, done.err) == (0, f"whichhalf: {tmp_path / 'none'} holds no reply cache\n")
    assert done.out.count("    no kept replies\n") == len(list(PROMPTS.glob("*/v*.jinja")))
    assert not (tmp_path / "none").exists()
    both = call("prompts", "list", "--cache", tmp_path, "--config", tmp_path / "c.toml")
    assert (both.code, both.err) == (2, "whichhalf: give --cache or --config, not both\n")


def test_a_damaged_cache_is_said_to_be_one(call: Any, cache: Path) -> None:
    with sqlite3.connect(cache / "cache.db") as connection:
        connection.execute("UPDATE Cache SET value = 'x' WHERE key = 'k0'")
    connection.close()
    done = call("prompts", "list", "--cache", cache)
    assert (done.code, done.err) == (0, "whichhalf: 1 row(s) cannot be read: see whichhalf cache verify\n")
    assert below(done.out, "split_claims/v1") == "2 kept replies; price of asking anew: 0.5000 USD (1 unknown)"
    (cache / "cache.db").write_bytes(b"no database" * 100)
    broken = call("prompts", "list", "--cache", cache)
    assert (broken.code, broken.out) == (3, "")
    assert "cannot be opened" in broken.err


def test_check_finds_an_edited_release(call: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "split_claims").mkdir()
    text = (PROMPTS / "split_claims" / "v1.jinja").read_text(encoding="utf-8")
    (tmp_path / "split_claims" / "v1.jinja").write_text(f"{text}\nedited", encoding="utf-8")
    (tmp_path / "split_claims" / "CHANGELOG.md").write_text("## v1\nThe first.\n", encoding="utf-8")
    (tmp_path / "lock.toml").write_text(f'[split_claims]\nv1 = "{sha256("split_claims", "v1")}"\n', encoding="utf-8")
    monkeypatch.setattr("whichhalf.prompting.prompt_folder.packaged_prompts", lambda: tmp_path)
    done = call("prompts", "check")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "whichhalf: split_claims/v1 was edited after its release: old scores could no longer be explained. "
        "Undo the edit and add split_claims/v2.jinja instead\n"
    )


NAMES = {
    "ndcg(gain=linear)@10": "ndcg(gain=linear)@10[retrieved] (retrieval)",
    "recall@5[context]": "recall@5[context] (retrieval)",
    "rr": "rr[retrieved] (retrieval)",
    "faithfulness": "faithfulness (generation)",
}


@pytest.mark.parametrize(("name", "heading"), NAMES.items())
def test_one_metric(call: Any, name: str, heading: str) -> None:
    done = call("metrics", name)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == heading
    assert [line.strip().partition(":")[0] for line in lines[1:] if line.strip().startswith("source:")] == ["source"]


def test_a_judged_metric_names_its_prompts(call: Any) -> None:
    assert "judge prompts: split_claims, verify_claims" in call("metrics", "faithfulness").out


def test_every_metric_has_its_contract(call: Any) -> None:
    out = call("metrics").out
    for family in ("recall@10", "precision@10", "hit_rate@10", "rr@10", "ap@10", "ndcg@10"):
        assert f"\n{family}[retrieved] (retrieval)\n" in f"\n{out}"
    assert out.count("source: ") == out.count("(retrieval)\n") + out.count("(generation)\n") + out.count("(both)\n")


def test_contracts_as_json(call: Any) -> None:
    [row] = json.loads(call("metrics", "precision@5", "--json").out)
    assert (row["metric"], row["half"], row["trec_eval"], row["prompts"]) == (
        "precision@5[retrieved]", "retrieval", "P_5", [],
    )  # fmt: skip
    assert row["contract"].startswith("relevant in the first 5 ÷ 5, also when fewer came back; ")
    rows = json.loads(call("metrics", "--json").out)
    assert len({one["metric"] for one in rows}) == call("metrics").out.count("source: ")


BAD = {
    "recal@5": "whichhalf: there is no metric 'recal'; there are recall, precision, ",
    "recall": "whichhalf: metric 'recall' needs a cut, for example recall@5\n",
    "recall@0": "whichhalf: metric 'recall@0': k starts at 1\n",
    "Recall@5": "whichhalf: metric 'Recall@5' cannot be read; ",
}


@pytest.mark.parametrize(("name", "message"), BAD.items())
def test_a_name_that_is_no_metric(call: Any, name: str, message: str) -> None:
    done = call("metrics", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)
