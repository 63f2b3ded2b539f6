"""The config file: every fault at once, each with its key; paths belong to the file."""

import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from whichhalf.errors import InputError
from whichhalf.judging.settings import JudgeSettings
from whichhalf.running.config import Config, DataSettings, default_lines, read_config

GOOD = """
[data]
golden = "data/golden.jsonl"
outputs = "../outputs.jsonl"

[metrics]
retrieval = ["recall@5"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "conf" / "eval.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def faults_of(folder: Path, text: str) -> list[tuple[str, str]]:
    path = write(folder, text)
    with pytest.raises(InputError) as caught:
        read_config(path)
    assert {(fault.file, fault.line) for fault in caught.value.faults} == {(str(path), None)}
    return [(fault.field, fault.message) for fault in caught.value.faults]


def test_the_smallest_config_has_every_default(tmp_path: Path) -> None:
    config = read_config(write(tmp_path, GOOD))
    assert config.metric_names == ["recall@5"]
    assert config.data == DataSettings(golden=tmp_path / "conf/data/golden.jsonl", outputs=tmp_path / "outputs.jsonl")
    assert config.judge == JudgeSettings()
    assert (config.run.coverage_floor, config.triage.rule, config.triage.k) == (0.95, "default", 5)


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "corpus.jsonl"
    text = f"""
        [data]
        golden = "g.jsonl"
        outputs = "../o.jsonl"
        corpus = '{elsewhere}'
        [metrics]
        judged = ["faithfulness"]
        [judge]
        replies = "r.jsonl"
        [prompts]
        dir = "prompts"
        [triage]
        flags = "f.csv"
        [run]
        out = "../runs"
        cache = "cache"
    """
    config = read_config(write(tmp_path, text))
    conf = tmp_path / "conf"
    assert (config.data.golden, config.data.outputs) == (conf / "g.jsonl", tmp_path / "o.jsonl")
    assert config.data.corpus == elsewhere
    assert (config.judge.replies, config.prompts.dir) == (conf / "r.jsonl", conf / "prompts")
    assert (config.triage.flags, config.run.out, config.run.cache) == (
        conf / "f.csv",
        tmp_path / "runs",
        conf / "cache",
    )


def test_a_byte_order_mark_and_other_scripts_are_read(tmp_path: Path) -> None:
    """bug-206, bug-207"""
    config = read_config(write(tmp_path, "\ufeff" + GOOD.replace("data/golden", "保修/Grüße")))
    assert config.data.golden == tmp_path / "conf/保修/Grüße.jsonl"


FAULTS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "an unknown key, nearly right": (
        GOOD + 'stge = "context"\n',
        [("[metrics] stge", "unknown key; did you mean stage?")],
    ),
    "an unknown key, far from all": (
        GOOD + "[run]\ncolour = 1\n",
        [("[run] colour", "unknown key; there are out, cache, use_cache, coverage_floor, deadline_minutes, hook")],
    ),
    "an unknown table": (GOOD + "[judg]\nmodel = 'offline'\n", [("[judg]", "unknown key; did you mean judge?")]),
    "no [data]": ("[metrics]\nretrieval = ['rr']\n", [("[data]", "is missing")]),
    "no outputs": (
        "[data]\ngolden = 'g.jsonl'\n[metrics]\nretrieval = ['rr']\n",
        [("[data] outputs", "is missing")],
    ),
    "no metric": (
        "[data]\ngolden = 'g'\noutputs = 'o'\n",
        [("[metrics]", "no metric is asked for: fill retrieval or judged")],
    ),
    "a wrong type": (GOOD + "judged = 'faithfulness'\n", [("[metrics] judged", "must be a list […]")]),
    "a word outside the closed set": (
        GOOD + "gain = 'cubic'\n",
        [("[metrics] gain", "must be 'exponential' or 'linear'")],
    ),
    "a number out of range": (
        GOOD + "[run]\ncoverage_floor = 1.5\n",
        [("[run] coverage_floor", "must be at most 1")],
    ),
    "nan": (GOOD + "[run]\ncoverage_floor = nan\n", [("[run] coverage_floor", "must be a finite number")]),
    "a key in the file": (
        GOOD + "[judge]\napi_key = 'TEST-KEY-0000'\n",
        [("[judge] api_key", "unknown key; did you mean api_key_env?")],
    ),
    "a key in place of the name of its variable": (
        GOOD
        + "[judge]\napi_key_env = 'sk-proj-TEST-0000'\n[assistant]\nurl = 'http://a/'\napi_key_env = 'TEST 0000'\n",
        [
            ("[judge] api_key_env", "is no name of an environment variable; a key itself stands in no file"),
            ("[assistant] api_key_env", "is no name of an environment variable; a key itself stands in no file"),
        ],
    ),
    "a column that is no text": (
        "[data]\ngolden = 'g'\noutputs = 'o'\n[data.columns]\nanswer = 1\n[metrics]\nretrieval = ['rr']\n",
        [("[data] columns.answer", "must be text in quotes")],
    ),
    "a metric that stands twice": (
        "[data]\ngolden = 'g'\noutputs = 'o'\n[metrics]\nretrieval = ['rr', 'ndcg(gain=linear)@5', 'rr', 'rr@5']\n",
        [("[metrics] retrieval", "rr is named twice")],
    ),
    "metrics in the wrong list": (
        "[data]\ngolden = 'g'\noutputs = 'o'\n[metrics]\nretrieval = ['faithfulness', 'judged@5']\njudged = ['rr']\n",
        [
            ("[metrics] retrieval", "faithfulness belongs under judged"),
            ("[metrics] judged", "rr belongs under retrieval"),
        ],
    ),
    "settings that are no table": (
        "judge = 'offline'\ngate = 3\n" + GOOD,
        [("[judge]", "must be a table of its own"), ("[[gate]]", "must be tables of their own, one a gate")],
    ),
    "shapes": (
        GOOD + "[judge]\nbase_url = 'ftp://a'\n[assistant]\ncallable = 'reply'\n[[gate]]\nmetric = 'rr'\nslice = 'a'\n",
        [
            ("[judge] base_url", "must be an address that begins with http:// or https://, without a user name"),
            ("[assistant] callable", 'must name a module and a function: "module:function"'),
            ("[[gate]] 1 slice", 'must be a table such as {name = "value"}'),
        ],
    ),
    "every fault at once": (
        "[data]\ngolden = 5\n[metrics]\nretreival = ['rr']\n[triage]\nk = 0\nrule = 'mine'\n",
        [
            ("[data] golden", "must be a path in quotes"),
            ("[data] outputs", "is missing"),
            ("[metrics] retreival", "unknown key; did you mean retrieval?"),
            ("[triage] rule", "must be 'default' or 'textbook'"),
            ("[triage] k", "must be at least 1"),
        ],
    ),
}


@pytest.mark.parametrize(("text", "found"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_name_table_and_key(tmp_path: Path, text: str, found: list[tuple[str, str]]) -> None:
    assert faults_of(tmp_path, text) == found


def test_broken_toml_names_its_line(tmp_path: Path) -> None:
    [(field, message)] = faults_of(tmp_path, "[data]\ngolden = \n")
    assert field == ""
    assert message == "not valid TOML: Invalid value (at line 2, column 10)"


def test_a_missing_config(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_config(tmp_path / "none.toml")
    assert str(caught.value) == f"{tmp_path / 'none.toml'}: the file does not exist"


def keys_of(record: type[BaseModel]) -> list[str]:
    return list(record.model_fields)


def test_the_defaults_list_every_key_and_are_toml() -> None:
    lines = default_lines()
    read: dict[str, dict[str, Any]] = tomllib.loads("\n".join(lines))
    listed: dict[str, list[str]] = {}
    for line in filter(None, lines):
        if line.startswith("["):
            listed[line.strip("[]")] = []
        else:
            listed[list(listed)[-1]].append(line.removeprefix("# ").partition(" = ")[0])
    # the record of a table that may be absent, or of which there may be several, is an argument of its type
    tables: dict[str, Any] = {
        name: next((part for part in get_args(field.annotation) if part is not type(None)), field.annotation)
        for name, field in Config.model_fields.items()
    }
    assert listed == {name: keys_of(table) for name, table in tables.items()}
    assert lines[1:4] == ["# golden = (required)", "# outputs = (required)", "# corpus = (none)"]
    for name, table in tables.items():
        if name not in ("data", "assistant", "canary", "gate"):  # without defaults for all keys
            assert table.model_validate(read[name]) == table()
