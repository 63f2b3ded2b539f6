"""The config file: TOML, unknown keys are errors, paths are relative to the file."""

import json
import os
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from whichhalf.assistants.settings import AssistantSettings
from whichhalf.catalogue import half_of, is_judged
from whichhalf.core.metric import MetricName
from whichhalf.core.options import Duplicates, Gain, Missing, NearDuplicates, Rule, Stage, Unit, Unjudged
from whichhalf.core.record import Record
from whichhalf.core.validation_words import in_plain_words
from whichhalf.datasets.json_lines import read_text
from whichhalf.errors import Fault, InputError
from whichhalf.judging.settings import EmbeddingSettings, JudgeSettings
from whichhalf.running.early_start import CACHE
from whichhalf.running.gate import GateSettings


class DataSettings(Record):
    golden: Path
    outputs: Path | None
    """None where they are recorded from the assistant; a config with an [assistant] may leave the key out."""
    corpus: Path | None = None
    columns: dict[str, str] = {}
    split: Literal["tune", "held_out", "all"] = "tune"
    """Which questions are read; those without a split always are."""
    seed: int = 0
    """Draws the sample of --limit."""


class MetricSettings(Record):
    retrieval: list[str] = []
    judged: list[str] = []
    micro: bool = False
    """Show the micro means of recall, precision and hit rate beside the headline, the mean over questions."""
    slices: list[str] = []
    """Tags to break the means down by."""
    stage: Stage | None = None
    """For metrics that name none; by default reranked if logged, else retrieved."""
    gain: Gain = "exponential"
    relevance_threshold: int = Field(default=1, ge=1)
    duplicates: Duplicates = "first_copy"
    unjudged: Unjudged = "not_relevant"
    missing: Missing = "zero"
    near_duplicates: NearDuplicates = "keep"
    unit: Unit = "passage"
    no_claims: Literal["undefined", "one"] = "undefined"
    relevance_questions: int = Field(default=3, ge=1, le=20)
    """Written from each answer for answer_relevance."""


class PromptSettings(Record):
    versions: dict[str, str] = {}
    """Prompt → version; where none is named, the newest that is not on trial."""
    dir: Path | None = None
    """Looked up first, then the packaged prompts."""


class TriageSettings(Record):
    rule: Rule = "default"
    k: int = Field(default=5, ge=1)
    faithfulness_floor: float | None = Field(default=None, ge=0.0, le=1.0)
    """By default 1.0 under the default rule, 0.8 under the textbook rule."""
    off_topic_cosine: float | None = Field(default=None, ge=-1.0, le=1.0)
    """Answers whose written questions have a mean cosine below it are off topic; it hangs on the embedding model."""
    repeats: int = Field(default=1, ge=1, le=9)
    """Replies of the judge to whatever a label rests on; the majority counts."""
    metrics: list[str] = [
        "faithfulness",
        "answer_relevance",
        "context_recall",
        "context_utilization",
        "context_conflict",
        "noise_sensitivity_irrelevant",
    ]
    """What `whichhalf triage CONFIG` scores the flagged answers under."""
    replay_correctness: float = Field(default=0.7, gt=0.0, le=1.0)
    """From this answer_correctness on, a replayed answer counts as right."""
    flags: Path | None = None
    """What experts marked; triage then follows the run."""
    columns: dict[str, str] = {}
    """Columns of the flags file: ours = "theirs"."""


class RunSettings(Record):
    out: Path = Path("runs")
    cache: Path = CACHE
    use_cache: bool = True
    """False asks everything anew and keeps nothing."""
    coverage_floor: float = Field(default=0.95, ge=0.0, le=1.0)
    deadline_minutes: float | None = Field(default=None, gt=0)
    """After this long nothing more is asked; what was had is kept."""
    hook: str | None = Field(default=None, min_length=1)
    """A command, or the address of a webhook, told of every night that is not green."""


class CanarySettings(Record):
    """`[canary]`: frozen claims that are judged afresh every night."""

    anchors: Path
    """A file made by `whichhalf canary freeze`."""
    flip_rate: float = Field(default=0.01, gt=0.0, lt=0.5)
    """Share of the anchors that flips in a quiet night."""


class Config(Record):
    """One evaluation, as read from a file."""

    data: DataSettings
    metrics: MetricSettings = MetricSettings()
    judge: JudgeSettings = JudgeSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    prompts: PromptSettings = PromptSettings()
    assistant: AssistantSettings = AssistantSettings()
    triage: TriageSettings = TriageSettings()
    run: RunSettings = RunSettings()
    canary: CanarySettings | None = None
    gate: list[GateSettings] = []

    @property
    def metric_names(self) -> list[str]:
        return [*self.metrics.retrieval, *self.metrics.judged]


_PATHS = {
    "data": ("golden", "outputs", "corpus"),
    "judge": ("replies",),
    "prompts": ("dir",),
    "assistant": ("folder", "replies"),
    "triage": ("flags",),
    "run": ("out", "cache"),
    "canary": ("anchors",),
}


def read_config(path: Path) -> Config:
    """Raises InputError that lists every fault of the file."""
    try:
        data = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(Fault(f"not valid TOML: {error}", str(path))) from error
    if "assistant" in data and isinstance(data.get("data"), dict):
        data["data"].setdefault("outputs", None)
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        raise InputError([_fault(part, path) for part in error.errors()]) from error
    if not config.metric_names:
        raise InputError(Fault("no metric is asked for: fill retrieval or judged", str(path), field="[metrics]"))
    faults = [*_listed(config.metrics.retrieval, "retrieval", path), *_listed(config.metrics.judged, "judged", path)]
    if faults:
        raise InputError(faults)
    if config.data.outputs is None and config.assistant.kind is None:
        raise InputError(Fault("is missing, and [assistant] names none to ask", str(path), field="[data] outputs"))
    return _anchored(config, path.parent)


def with_judge(config: Config, model: str) -> Config:
    """The config with another judge model. Raises InputError when the name is blank."""
    if not model.strip():
        raise InputError("the name of the judge model is blank")
    return config.model_copy(update={"judge": config.judge.model_copy(update={"model": model})})


def default_lines() -> list[str]:
    """Every key of every table with its default, as TOML; keys without one are comments."""
    lines: list[str] = []
    for table in Config.model_fields:
        lines.append("[[gate]]" if table == "gate" else f"[{table}]")
        for key, field in _table(table).model_fields.items():
            if field.is_required() or field.default is None:
                lines.append(f"# {key} = {'(required)' if field.is_required() else '(none)'}")
            else:
                lines.append(f"{key} = {json.dumps(field.default, default=str)}")
        lines.append("")
    return lines


def _anchored(config: Config, folder: Path) -> Config:
    """The config with every path relative to the folder of its file."""
    tables = {}
    for table, names in _PATHS.items():
        settings: Record | None = getattr(config, table)
        if settings is None:
            continue
        written = settings.model_fields_set
        paths = {name: value for name in names if (value := getattr(settings, name)) is not None}
        # a default is relative to where the command runs, a written path to the file it is written in
        moved = {name: Path(os.path.normpath(folder / value)) for name, value in paths.items() if name in written}
        tables[table] = settings.model_copy(update=moved)
    return config.model_copy(update=tables)


def _listed(names: list[str], key: Literal["retrieval", "judged"], path: Path) -> list[Fault]:
    """Metrics that stand twice in a list, or in the wrong one; a name that is none is told when it is looked up."""
    found = []
    seen: set[MetricName] = set()
    for text in names:
        try:
            half_of(text)
        except InputError:
            continue
        if is_judged(text) != (key == "judged"):
            found.append(f"{text} belongs under {'retrieval' if key == 'judged' else 'judged'}")
        if (name := MetricName.parse(text)) in seen:
            found.append(f"{text} is named twice")
        seen.add(name)
    return [Fault(message, str(path), field=f"[metrics] {key}") for message in found]


def _fault(part: ErrorDetails, path: Path) -> Fault:
    kind, place, message = part["type"], part["loc"], in_plain_words(part)
    table, *rest = [str(part + 1) if isinstance(part, int) else part for part in place]  # people count from 1
    field = (f"[[gate]] {' '.join(rest)}" if table == "gate" else f"[{table}] {'.'.join(rest)}").strip()
    if kind == "extra_forbidden":
        known = list(_table(table).model_fields if rest else Config.model_fields)
        near = get_close_matches((rest or [table])[-1], known, n=1)
        message += f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
    elif kind == "string_pattern_mismatch":
        message = _SHAPES.get(str(place[-1]), message)
    elif kind in ("model_type", "dict_type", "list_type") and not rest:
        message = "must be a table of its own" if table != "gate" else "must be tables of their own, one a gate"
    elif kind == "dict_type":
        message = 'must be a table such as {name = "value"}'
    return Fault(message, str(path), field=field)


_ADDRESS = "must be an address that begins with http:// or https://, without a user name"
_SHAPES = {
    "api_key_env": "is no name of an environment variable; a key itself stands in no file",
    "base_url": _ADDRESS,
    "url": _ADDRESS,
    "callable": 'must name a module and a function: "module:function"',
    "key_header": "must be the name of a header",
}


def _table(name: str) -> type[Record]:
    """The settings of a table, also where it may be absent or there may be several."""
    annotation = Config.model_fields[name].annotation
    found = [part for part in (annotation, *get_args(annotation)) if isinstance(part, type)]
    return next(part for part in found if issubclass(part, Record))
