"""Do the statistics keep their promises? Simulated questions with known truths, and what our own functions say.

    PYTHONPATH=tests python benchmarks/simulated_statistics.py      # all parts, about half an hour
    PYTHONPATH=tests python benchmarks/simulated_statistics.py --parts means speed --streams 1000

Every share stands with its own error: ± two standard errors of so many streams.
"""

import argparse
import time
from collections.abc import Callable, Mapping
from functools import partial
from math import sqrt
from statistics import median

import numpy as np
from scipy.stats import binom

from promise_counts import false_positives, mcnemar_false_positives, missed, paired_errors
from score_makers import (
    DENSE_DIFFERENCES,
    HELD_OUT_DIFFERENCES,
    HELD_OUT_SCORES,
    HIDDEN_SCORES,
    PASS_FAIL,
    PASS_FAIL_DIFFERENCES,
    SCORES,
    SPARSE_DIFFERENCES,
    Kind,
)
from whichhalf.statistics.agreement import agreement, detection
from whichhalf.statistics.correction import holm
from whichhalf.statistics.intervals import share_interval
from whichhalf.statistics.mean import summarise_values
from whichhalf.statistics.power import detectable_difference
from whichhalf.statistics.sequential import CanaryPlan, estimate_natural_rate, plan_canary, watch_canary
from whichhalf.statistics.sign_flips import sign_flip_p

SIZES = (30, 100, 1000)
MORE_SIZES = (30, 60, 100, 200, 1000)


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(title: str, *columns: object) -> None:
    print(f"\n{title}\n")
    row(*columns)
    row(*("---" for _ in columns))


def share(value: float, streams: int) -> str:
    return f"{value:.1%} ± {2 * sqrt(max(value * (1 - value), 1 / streams) / streams):.1%}".replace("%", " %")


def over_sizes(kinds: Mapping[str, Kind], streams: int, measure: Callable[[Kind, int], float]) -> None:
    for name, kind in kinds.items():
        row(name, *(share(measure(kind, n), streams) for n in SIZES))


def means(streams: int, *, clusters: bool = False) -> None:
    kinds = {**SCORES, **HIDDEN_SCORES, **(PASS_FAIL if clusters else {}), **held_out(HELD_OUT_SCORES)}
    head(f"Coverage, mean of scores{', clustered' if clusters else ''}", "scores", *MORE_SIZES)
    for name, kind in kinds.items():
        errors = [sum(missed(kind, n, streams, clusters=clusters)) for n in MORE_SIZES]
        row(name, *(share(1 - one, streams) for one in errors))


def held_out(kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    return {f"held out: {name}": kind for name, kind in kinds.items()}


def shares(_: int) -> None:
    head("Coverage, pass/fail (exact sums, no simulation)", "rate", *SIZES)
    for rate in (0.002, 0.01, 0.05, 0.2, 0.5, 0.9, 0.99):
        cells = []
        for n in SIZES:
            chances = binom.pmf(np.arange(n + 1), n, rate)
            found = [share_interval(k, n) for k in range(n + 1)]
            held = sum(chances[k] for k, one in enumerate(found) if one.low <= rate <= one.high)
            cells.append(f"{held:.1%}".replace("%", " %"))
        row(rate, *cells)


def differences(streams: int, *, clusters: bool = False) -> None:
    kinds = {**DENSE_DIFFERENCES, **SPARSE_DIFFERENCES, **PASS_FAIL_DIFFERENCES, **held_out(HELD_OUT_DIFFERENCES)}
    among = ", clustered" if clusters else ""
    head(f"Coverage, paired difference{among}", "differences", *MORE_SIZES)
    equivalent = {}
    for name, kind in kinds.items():
        margin = abs(kind.mean) or 0.02
        errors = [paired_errors(kind, n, streams, clusters=clusters, margin=margin) for n in MORE_SIZES]
        row(name, *(share(1 - one.missed, streams) for one in errors))
        if kind.mean:
            equivalent[name] = [share(one.equivalent, streams) for one in errors]
    head(f"Called equivalent at 5 % though the true difference is the margin{among}", "differences", *MORE_SIZES)
    for name, cells in equivalent.items():
        row(name, *cells)


def tests(streams: int) -> None:
    fair = {name: kind for name, kind in PASS_FAIL_DIFFERENCES.items() if kind.mean == 0}
    for clusters in (False, True):
        kinds = {**DENSE_DIFFERENCES, "10 % differ": SPARSE_DIFFERENCES["10 % differ, as often up as down"]}
        head(f"Type I error at 5 %, sign flips{', clustered' if clusters else ''}", "differences", *SIZES)
        over_sizes(
            {**kinds, **(fair if clusters else {})},
            streams,
            lambda kind, n: false_positives(kind, n, streams, clusters=clusters),  # noqa: B023
        )
    head("Type I error at 5 %, exact McNemar", "differences", *SIZES)
    over_sizes(fair, streams, lambda kind, n: mcnemar_false_positives(kind, n, streams))


def families(streams: int) -> None:
    head("Any false positive among 10 metrics at 5 %, Holm", "metrics", *SIZES)
    for name, shared in (("independent", 0.0), ("correlated 0.7", 0.7)):
        cells = []
        for n in SIZES:
            random = np.random.default_rng(n)
            wrong = 0
            for start in range(0, streams, 20):
                common = random.normal(0, 1, (n, 20, 1))
                values = sqrt(shared) * common + sqrt(1 - shared) * random.normal(0, 1, (n, 20, 10))
                p = sign_flip_p(values.reshape(n, 200), permutations=1999, seed=start).reshape(20, 10)
                wrong += sum(min(holm(list(family))) <= 0.05 for family in p)
            cells.append(share(wrong / streams, streams))
        row(name, *cells)


def power(streams: int) -> None:
    head("Power achieved where 80 % were promised", "differences", *SIZES)
    for name, kind in DENSE_DIFFERENCES.items():
        deviation = float(np.std(kind.draw(np.random.default_rng(1), 1_000_000)))
        cells = [
            share(false_positives(kind, n, streams, shift=detectable_difference(deviation, n)), streams) for n in SIZES
        ]
        row(name, *cells)


def agreements(streams: int) -> None:
    head("Coverage, two readers", "statistic", *SIZES)
    for name, rate, right in (("half positive, 80 % right", 0.5, 0.8), ("10 % positive, 90 % right", 0.1, 0.9)):
        said_yes = rate * right + (1 - rate) * (1 - right)
        chance = rate * said_yes + (1 - rate) * (1 - said_yes)
        truths = {"kappa": (right - chance) / (1 - chance), "balanced accuracy": right}
        held = {statistic: [0, 0, 0] for statistic in truths}
        counted = {statistic: [0, 0, 0] for statistic in truths}
        for place, n in enumerate(SIZES):
            random = np.random.default_rng(n)
            for _ in range(streams):
                truth = random.random(n) < rate
                said = np.where(random.random(n) < right, truth, ~truth)
                found = detection(truth.tolist(), said.tolist())
                for statistic, one in (("kappa", found.kappa), ("balanced accuracy", found.balanced_accuracy)):
                    if one is not None:
                        counted[statistic][place] += 1
                        held[statistic][place] += one.low <= truths[statistic] <= one.high
        for statistic in truths:
            pairs = zip(held[statistic], counted[statistic], strict=True)
            row(f"{statistic}, {name}", *(share(one / all_, all_) for one, all_ in pairs))


def canary(streams: int) -> None:
    head(
        "Watch over 100 anchors, planned for 1 % natural flips, to find 5 %",
        "nights",
        "false alarm in 180 quiet nights",
        "median nights to find 5 %",
        "found by night 2",
    )
    plan = plan_canary(100, 0.01, rate_to_find=0.05)
    random = np.random.default_rng(8)

    def binomial(rate: float, shape: tuple[int, int]) -> np.ndarray:
        return random.binomial(100, rate, shape)

    def unlike(rate: float, shape: tuple[int, int]) -> np.ndarray:
        return random.binomial(10, min(5 * rate, 1), shape) + random.binomial(90, rate * 5 / 9, shape)

    def shaken(strength: float) -> Callable[[float, tuple[int, int]], np.ndarray]:
        k = 1 / strength - 1
        return lambda rate, shape: random.binomial(100, random.beta(rate * k, (1 - rate) * k, shape))

    def staying(stay: float) -> Callable[[float, tuple[int, int]], np.ndarray]:
        def draw(rate: float, shape: tuple[int, int]) -> np.ndarray:
            start = rate * (1 - stay) / (1 - rate)
            flipped = random.random((shape[0], 100)) < rate
            nights = []
            for _ in range(shape[1]):
                nights.append(flipped.sum(axis=1))
                again = random.random(flipped.shape)
                flipped = np.where(flipped, again < stay, again < start)
            return np.stack(nights, axis=1)

        return draw

    kinds = {
        "as assumed": binomial,
        "10 anchors flip with half of all flips": unlike,
        "nights shaken, intra-night correlation 0.005": shaken(0.005),
        "nights shaken, intra-night correlation 0.02": shaken(0.02),
        "a flip stays with 30 %": staying(0.3),
        "a flip stays with 70 %": staying(0.7),
    }
    for name, draw in kinds.items():
        quiet = [first_alarm(plan, stream) for stream in draw(0.01, (streams, 180)).tolist()]
        moved = [first_alarm(plan, stream) or 99 for stream in draw(0.05, (streams, 20)).tolist()]
        alarms = sum(one is not None for one in quiet) / streams
        row(name, share(alarms, streams), median(moved), share(sum(one <= 2 for one in moved) / streams, streams))
    for nights in (7, 14, 30):
        wrong, found = 0, []
        for _ in range(streams):
            rate = estimate_natural_rate(int(random.binomial(100 * nights, 0.01)), 100 * nights)
            own = plan_canary(100, rate, rate_to_find=max(0.05, rate + 0.02))
            wrong += first_alarm(own, random.binomial(100, 0.01, 180).tolist()) is not None
            found.append(first_alarm(own, random.binomial(100, 0.05, 20).tolist()) or 99)
        row(
            f"natural rate from {nights} nights",
            share(wrong / streams, streams),
            median(found),
            share(sum(one <= 2 for one in found) / streams, streams),
        )


def first_alarm(plan: CanaryPlan, stream: list[int]) -> int | None:
    nights = watch_canary(plan, [(flips, plan.anchors) for flips in stream])
    return next((number for number, night in enumerate(nights, 1) if night.alarm), None)


def speed(_: int) -> None:
    head("Speed", "what", "seconds")
    random = np.random.default_rng(0)
    values = random.normal(size=(1000, 20))
    scores = random.beta(2, 2, (10, 10_000)).tolist()
    labels = [random.choice(["a", "b", "c"], 10_000).tolist() for _ in range(2)]
    summarise_values(scores[0], "")
    tasks: dict[str, Callable[[], object]] = {
        "10,000 permutations × 1,000 questions × 20 metrics": lambda: sign_flip_p(values),
        "10 means of 10,000 scores with intervals": lambda: [summarise_values(one, "") for one in scores],
        "agreement of 10,000 labels": lambda: agreement(*labels),
        "plan for 100 anchors": lambda: plan_canary(100, 0.01),
    }
    for name, task in tasks.items():
        taken = []
        for _ in range(3):
            started = time.perf_counter()
            task()
            taken.append(time.perf_counter() - started)
        row(name, f"{median(taken):.3f}")


PARTS: dict[str, Callable[[int], None]] = {
    "speed": speed,
    "canary": canary,
    "shares": shares,
    "means": means,
    "clustered_means": partial(means, clusters=True),
    "differences": differences,
    "clustered_differences": partial(differences, clusters=True),
    "tests": tests,
    "families": families,
    "power": power,
    "agreements": agreements,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--streams", type=int, default=4000)
    arguments = parser.parse_args()
    print(f"{arguments.streams} streams a cell")
    for part in arguments.parts:
        PARTS[part](arguments.streams)


if __name__ == "__main__":
    main()
