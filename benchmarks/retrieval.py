"""Retrieval metrics side by side: whichhalf, pytrec_eval, ranx and ir_measures on the same made-up rankings.

    python benchmarks/retrieval.py                          # all engines that are installed, 10,000 questions × 100
    python benchmarks/retrieval.py --sizes 1000x100,100000x100 --engines whichhalf,pytrec_eval,floor

Peers are optional: pip install pytrec_eval-terrier ranx ir_measures. Every engine runs in a process of its own; its
values are compared with the first engine's before any time is taken. Times are the median of warm calls and hold only
beside each other, from one run on one machine.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Means = dict[str, float]

OURS = ["recall@5", "recall@10", "recall@50", "recall@100", "precision@5", "precision@10", "rr", "ap", "ndcg@10"]
TREC = ["recall_5", "recall_10", "recall_50", "recall_100", "P_5", "P_10", "recip_rank", "map", "ndcg_cut_10"]
RANX = [*(f"recall@{k}" for k in (5, 10, 50, 100)), "precision@5", "precision@10", "mrr", "map", "ndcg@10"]
TOLERANCE = 1e-6


def make(questions: int, depth: int, seed: int = 7) -> tuple[Qrels, Run]:
    """About five graded labels a question, most of them retrieved, three judged 0; no ties; runs in no order."""
    rnd = random.Random(seed)
    passages = [f"passage-{number:07d}" for number in range(1_000_000)]
    qrels: Qrels = {}
    run: Run = {}
    for number in range(questions):
        scores = {passages[rnd.randrange(len(passages))]: rnd.random() for _ in range(depth)}
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        labels: dict[str, int] = {}
        for _ in range(rnd.randint(3, 7)):
            found = ranked[int(rnd.random() ** 2 * len(ranked))]
            labels[found if rnd.random() < 0.7 else passages[rnd.randrange(len(passages))]] = rnd.randint(1, 3)
        for _ in range(3):
            labels.setdefault(rnd.choice(ranked), 0)
        qrels[f"q{number:06d}"], run[f"q{number:06d}"] = labels, scores
    return qrels, run


def write(qrels: Qrels, run: Run, folder: Path) -> tuple[Path, Path]:
    """TREC files, each question's passages from the best to the worst."""
    labels, ranking = folder / "qrels.txt", folder / "run.txt"
    with labels.open("w", encoding="utf-8") as file:
        for question, row in qrels.items():
            file.writelines(f"{question} 0 {passage} {grade}\n" for passage, grade in row.items())
    with ranking.open("w", encoding="utf-8") as file:
        for question, scores in run.items():
            ranked = sorted(scores, key=scores.__getitem__, reverse=True)
            file.writelines(f"{question} Q0 {one} {n} {scores[one]:.9f} b\n" for n, one in enumerate(ranked, start=1))
    return labels, ranking


def whichhalf_dicts(qrels: Qrels, run: Run) -> Means:
    from whichhalf import evaluate_ranking

    return _ours(evaluate_ranking(qrels, run, OURS, ties="trec", gain="linear").means)


def whichhalf_files(qrels: Path, run: Path) -> Means:
    from whichhalf.jobs.ranking import score_ranking_files

    return _ours(score_ranking_files(qrels, run, OURS, gain="linear").means)


def _ours(means: dict[str, float | None]) -> Means:
    return dict(zip(OURS, (value or 0.0 for value in means.values()), strict=True))


def pytrec_dicts(qrels: Qrels, run: Run) -> Means:
    import pytrec_eval

    measures = {"recall.5,10,50,100", "P.5,10", "recip_rank", "map", "ndcg_cut.10"}
    rows: Any = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    return {
        ours: pytrec_eval.compute_aggregated_measure(name, [row[name] for row in rows.values()])
        for ours, name in zip(OURS, TREC, strict=True)
    }


def pytrec_files(qrels: Path, run: Path) -> Means:
    import pytrec_eval

    with qrels.open() as labels, run.open() as ranking:
        return pytrec_dicts(pytrec_eval.parse_qrel(labels), pytrec_eval.parse_run(ranking))


def ranx_dicts(qrels: Qrels, run: Run) -> Means:
    ranx: Any = import_module("ranx")
    found = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), RANX)
    return {ours: float(found[name]) for ours, name in zip(OURS, RANX, strict=True)}


def ranx_files(qrels: Path, run: Path) -> Means:
    ranx: Any = import_module("ranx")
    labels, ranking = (kind.from_file(str(path), kind="trec") for kind, path in ((ranx.Qrels, qrels), (ranx.Run, run)))
    found = ranx.evaluate(labels, ranking, RANX)
    return {ours: float(found[name]) for ours, name in zip(OURS, RANX, strict=True)}


def ir_measures_dicts(qrels: Any, run: Any) -> Means:
    ir_measures: Any = import_module("ir_measures")
    names = [*(f"R@{k}" for k in (5, 10, 50, 100)), "P@5", "P@10", "RR", "AP", "nDCG@10"]
    measures = [ir_measures.parse_measure(name) for name in names]
    found = ir_measures.calc(measures, qrels, run)
    return {ours: found.aggregated[measure] for ours, measure in zip(OURS, measures, strict=True)}


def ir_measures_files(qrels: Path, run: Path) -> Means:
    ir_measures: Any = import_module("ir_measures")
    return ir_measures_dicts(list(ir_measures.read_trec_qrels(str(qrels))), list(ir_measures.read_trec_run(str(run))))


def floor_dicts(qrels: Qrels, run: Run) -> Means:
    """No metric: copy every score once and look every label up once."""
    import numpy as np

    np.fromiter(chain.from_iterable(map(dict.values, run.values())), float, sum(map(len, run.values())))
    for question, labels in qrels.items():
        deque(map(run[question].get, labels), maxlen=0)
    return {}


def floor_files(qrels: Path, run: Path) -> Means:
    """No metric: split every line once."""
    for path in (qrels, run):
        with path.open("rb") as file:
            deque((line.split() for line in file), maxlen=0)
    return {}


ENGINES: dict[str, tuple[Callable[..., Means], Callable[..., Means]]] = {
    "whichhalf": (whichhalf_dicts, whichhalf_files),
    "pytrec_eval": (pytrec_dicts, pytrec_files),
    "ranx": (ranx_dicts, ranx_files),
    "ir_measures": (ir_measures_dicts, ir_measures_files),
    "floor": (floor_dicts, floor_files),
}


def child(engine: str, mode: str, questions: int, depth: int, repeats: int, folder: Path) -> None:
    """Measure one engine in this process and print one JSON line."""
    call = ENGINES[engine][mode == "files"]
    data: tuple[Any, Any] = make(questions, depth) if mode == "dicts" else (folder / "qrels.txt", folder / "run.txt")
    before = peak_megabytes()
    means, seconds = {}, []
    for _ in range(repeats + 1):
        started = time.perf_counter()
        means = call(*data)
        seconds.append(time.perf_counter() - started)
    peak = peak_megabytes()
    figures = {"cold": seconds[0], "warm": statistics.median(seconds[1:]), "peak_mb": peak}
    print(json.dumps({**figures, "extra_mb": peak - before, "means": means}))


def peak_megabytes() -> float:
    """The most memory this program has held; unlike ru_maxrss it knows nothing of the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000x100", help="questions x depth, separated by commas")
    parser.add_argument("--engines", default=",".join(name for name in ENGINES if name == "floor" or find_spec(name)))
    parser.add_argument("--modes", default="dicts,files")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        engine, mode, questions, depth, folder = options.child
        child(engine, mode, int(questions), int(depth), options.repeats, Path(folder))
        return 0
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, python {sys.version.split()[0]}")
    heads = f"{'cold s':>8} {'warm s':>8} {'÷ ours':>7} {'peak MB':>8} {'extra MB':>9}"
    print(f"{'size':>11} {'from':>5} {'engine':<12} {heads}")
    for size in options.sizes.split(","):
        questions, depth = size.split("x")
        with tempfile.TemporaryDirectory() as folder:
            write(*make(int(questions), int(depth)), Path(folder))
            for mode in options.modes.split(","):
                compare(options.engines.split(","), mode, size, folder, options.repeats)
    return 0


def compare(engines: list[str], mode: str, size: str, folder: str, repeats: int) -> None:
    """One line an engine; stops when values disagree."""
    first: Means = {}
    ours = None
    for engine in engines:
        arguments = [engine, mode, *size.split("x"), folder]
        command = [sys.executable, "-W", "ignore", __file__, "--repeats", str(repeats), "--child", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{size:>11} {mode:>5} {engine:<12} failed: {done.stderr.strip().splitlines()[-1]}")
            continue
        row = json.loads(done.stdout.strip().splitlines()[-1])
        first = first or row["means"]
        apart = [name for name, value in row["means"].items() if abs(value - first[name]) > TOLERANCE]
        if apart:
            raise SystemExit(f"{engine} disagrees with {engines[0]} on {', '.join(apart)}: nothing is timed")
        ours = ours or row["warm"]
        print(
            f"{size:>11} {mode:>5} {engine:<12} {row['cold']:8.3f} {row['warm']:8.3f} {row['warm'] / ours:7.2f} "
            f"{row['peak_mb']:8.0f} {row['extra_mb']:9.0f}"
        )


if __name__ == "__main__":
    sys.exit(main())
