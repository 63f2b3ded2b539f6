"""Compare runs over the same questions: what changed, which way every metric went, and what the answer rests on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot
from statistics import NormalDist

from whichhalf.catalogue import is_judged
from whichhalf.comparing.comparison import Comparison, Difference, MetricComparison, Pairing, Rule
from whichhalf.comparing.measuring import ALL, Part, add_words, measure
from whichhalf.comparing.movers import biggest_movers
from whichhalf.comparing.must_match import differences_in_terms, labelled_by_ids_and_quotes
from whichhalf.comparing.pairs import Pair, pair_runs
from whichhalf.comparing.spending import assistant_spending, judge_spending
from whichhalf.comparing.verdict_words import rule_in_words
from whichhalf.comparing.what_changed import what_changed
from whichhalf.core.ids import a_few
from whichhalf.core.run import Run
from whichhalf.errors import Fault, InputError


def compare(
    run_a: Run,
    run_b: Run,
    *,
    margin: float = 0.02,
    alpha: float = 0.05,
    cluster: str | None = None,
    slices: Sequence[str] | None = None,
    anyway: bool = False,
    coverage_floor: float = 0.95,
    movers: int = 3,
    seed: int = 0,
    judge_noise: Mapping[str, float] | None = None,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Run B against run A, question by question.

    A difference within ± `margin` counts as too small to matter. `cluster` names a tag whose values are not
    independent, such as the document questions were written from. `slices` names tags to break the metrics down by; by
    default those of both runs. `movers` is how many questions
    of each half, and each way, are kept. `judge_noise` is, for a
    metric, the difference that the judge alone can make; by default what the repeats of the runs show.

    Raises InputError naming every difference when golden set, judge, judge prompts, sampling, embedding model or the
    meaning of a metric differ (`anyway` turns these into warnings), and when no question or no metric is shared.
    """
    rule = Rule(margin=margin, alpha=alpha, cluster=cluster, coverage_floor=coverage_floor, seed=seed)
    settings = Settings(rule, slices, anyway, movers, judge_noise or {})
    return compare_all((names[0], run_a), [(names[1], run_b)], settings)[0]


@dataclass(frozen=True, slots=True)
class Settings:
    """See `compare`."""

    rule: Rule = Rule()
    slices: Sequence[str] | None = None
    anyway: bool = False
    movers: int = 3
    judge_noise: Mapping[str, float] = field(default_factory=dict)


def compare_all(
    baseline: tuple[str, Run], challengers: Sequence[tuple[str, Run]], settings: Settings
) -> tuple[Comparison, ...]:
    """Each challenger against the baseline; p values are adjusted over all challengers and metrics together.

    Raises InputError as `compare` does.
    """
    prepared = [_prepare(baseline, challenger, settings) for challenger in challengers]
    measured = [measure(one.parts, one.contracts, settings.rule, _judge_noise(one, settings)) for one in prepared]
    worded = add_words(measured, settings.rule)
    return tuple(_comparison(one, found, settings) for one, found in zip(prepared, worded, strict=True))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Two runs that may be compared, and over what."""

    name_a: str
    name_b: str
    a: Run
    b: Run
    pairs: tuple[Pair, ...]
    pairing: Pairing
    metrics: tuple[str, ...]
    parts: dict[Part, tuple[Pair, ...]]
    warnings: tuple[Difference, ...]

    @property
    def contracts(self) -> dict[str, str]:
        """Of the metrics that both have."""
        return {name: self.a.manifest.metrics[name] for name in self.metrics}


def _prepare(baseline: tuple[str, Run], challenger: tuple[str, Run], settings: Settings) -> _Prepared:
    (name_a, a), (name_b, b) = baseline, challenger
    pairs, pairing = pair_runs(a, b)
    if not pairs:
        raise InputError(
            f"no question is in both runs: A has ids such as {a_few(pairing.only_a)}, B {a_few(pairing.only_b)}"
        )
    metrics = tuple(name for name in a.manifest.metrics if name in b.manifest.metrics)
    if not metrics:
        raise InputError(
            f"no metric is in both runs: A has {', '.join(a.manifest.metrics)}, B {', '.join(b.manifest.metrics)}"
        )
    warnings = differences_in_terms(a, b, metrics)
    if warnings and not settings.anyway:
        faults = [Fault(f"{name_a} and {name_b} must not be compared: {one}") for one in warnings]
        raise InputError([*faults, Fault("with --anyway (anyway=True) these become warnings")])
    tags = settings.slices if settings.slices is not None else [tag for tag in a.slices if tag in b.slices]
    parts = {ALL: pairs} | {part: some for tag in tags for part, some in _slices(pairs, tag).items()}
    return _Prepared(name_a, name_b, a, b, pairs, pairing, metrics, parts, warnings)


def _judge_noise(one: _Prepared, settings: Settings) -> dict[str, float]:
    """How far the judge alone moves the difference, at the level of the intervals; what is given goes first.

    Deviations of independent means add up in squares; a run that measured none is taken to have that of the other.
    """
    reach = NormalDist().inv_cdf(1 - settings.rule.alpha / 2)
    noise = {}
    for metric in one.metrics:
        measured = [run.noise[metric].deviation for run in (one.a, one.b) if metric in run.noise]
        known = [deviation for deviation in measured if deviation is not None]
        if known:
            noise[metric] = reach * hypot(*(known if len(known) == 2 else known * 2))
    return {**noise, **settings.judge_noise}


def _slices(pairs: Sequence[Pair], tag: str) -> dict[Part, tuple[Pair, ...]]:
    values = sorted({pair.tags[tag] for pair in pairs if tag in pair.tags})
    if not values:
        known = sorted({tag for pair in pairs for tag in pair.tags})
        raise InputError(f"no question has the tag {tag!r}; there are {', '.join(known) or 'none'}")
    return {(tag, value): tuple(pair for pair in pairs if pair.tags.get(tag) == value) for value in values}


def _comparison(one: _Prepared, found: dict[Part, list[MetricComparison]], settings: Settings) -> Comparison:
    rule = settings.rule
    moving = [told.metric for told in found[ALL] if told.higher_is_better is not None]
    slices: dict[str, dict[str, tuple[MetricComparison, ...]]] = {}
    for (tag, value), told in found.items():
        if (tag, value) != ALL:
            slices.setdefault(tag, {})[value] = tuple(told)
    return Comparison(
        name_a=one.name_a,
        name_b=one.name_b,
        rule=rule,
        rule_in_words=rule_in_words(rule),
        warnings=one.warnings,
        notes=tuple(_notes(one)),
        changed=what_changed(one.a, one.b, [(pair.a.case, pair.b.case) for pair in one.pairs]),
        pairing=one.pairing,
        metrics=tuple(found[ALL]),
        slices=slices,
        movers=biggest_movers(one.pairs, moving, settings.movers),
        spend=tuple(assistant_spending(one.pairs, rule.level)),
        judging_a=judge_spending(one.a),
        judging_b=judge_spending(one.b),
    )


def _notes(one: _Prepared) -> Iterator[str]:
    for name, mine, other in ((one.name_a, one.a, one.b), (one.name_b, one.b, one.a)):
        alone = [metric for metric in mine.manifest.metrics if metric not in other.manifest.metrics]
        if alone:
            yield f"only in {name}, not compared: {', '.join(alone)}"
    questions = [(pair.a.case.question, pair.b.case.question) for pair in one.pairs]
    mixed = [question.id for question, other in questions if labelled_by_ids_and_quotes(question, other)]
    if mixed:
        yield f"{len(mixed)} question(s) are scored by passage ids in one run, by quotes in the other: {a_few(mixed)}"
    endpoints = [run.manifest.judge.get("endpoint") for run in (one.a, one.b)]
    if all(endpoints) and endpoints[0] != endpoints[1]:
        yield f"the judge was asked at two places: {endpoints[0]} and {endpoints[1]}"
    if one.a.manifest.judge.get("is_baseline") and any(map(is_judged, one.metrics)):
        yield "judged by the offline judge: a lexical baseline, no judge model"
