"""whichhalf prompts … and whichhalf metrics …"""

import hashlib
from pathlib import Path
from typing import Any

import pytest

PROMPTS = Path(__file__).parents[2] / "prompts"


def sha256(name: str, version: str) -> str:
    return hashlib.sha256((PROMPTS / name / f"{version}.jinja").read_bytes()).hexdigest()


def test_list_names_every_version_with_its_hash(call: Any) -> None:
    done = call("prompts", "list")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    files = sorted(PROMPTS.glob("*/v*.jinja"))
    assert len(lines) == len(files)
    for path in files:
        name, version = path.parent.name, path.stem
        [line] = [one for one in lines if one.startswith(f"{name}/{version}  ")]
        assert line.split()[1] == sha256(name, version)[:12]
    assert f"split_claims/v1  {sha256('split_claims', 'v1')[:12]}  variables: answer, question" in lines


@pytest.mark.parametrize("name", ["verify_claims", "verify_claims/v1"])
def test_show_prints_the_template(call: Any, name: str) -> None:
    done = call("prompts", "show", name)
    assert (done.code, done.err) == (0, "")
    assert done.out.strip() == (PROMPTS / "verify_claims" / "v1.jinja").read_text(encoding="utf-8").strip()


def test_show_prefers_a_folder_of_ones_own(call: Any, tmp_path: Path) -> None:
    (tmp_path / "split_claims").mkdir()
    text = "{% block system %}mine 保修{% endblock %}{% block user %}{{ answer }}{% endblock %}"
    (tmp_path / "split_claims" / "v7.jinja").write_text(text, encoding="utf-8")
    assert call("prompts", "show", "split_claims", "--dir", tmp_path).out == f"{text}\n"


def test_an_unknown_prompt(call: Any) -> None:
    done = call("prompts", "show", "split_claims/v99")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("whichhalf: there is no prompt split_claims/v99; there are split_claims/v1, ")


def test_check(call: Any) -> None:
    done = call("prompts", "check")
    assert (done.code, done.out, done.err) == (0, "every prompt is as it was released\n", "")


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
