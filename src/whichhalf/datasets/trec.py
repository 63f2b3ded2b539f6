"""TREC files: relevance judgements (qrels) and runs.

qrels line   question iteration passage grade
run line     question Q0 passage rank score [tag]
"""

from math import isfinite
from pathlib import Path
from typing import TypeVar

from whichhalf.datasets.json_lines import read_text
from whichhalf.errors import Fault, InputError

T = TypeVar("T")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Question → passage → grade. Raises InputError listing every fault with its line."""
    qrels: dict[str, dict[str, int]] = {}
    faults: list[Fault] = []
    for number, line in _lines(path):
        parts = line.split()
        if len(parts) != 4:
            faults.append(Fault(f"a qrels line has 4 columns, this has {len(parts)}", str(path), number))
            continue
        question, _, passage, grade = parts
        try:
            value = int(grade)
        except ValueError:
            faults.append(Fault(f"the grade must be a whole number, not {grade!r}", str(path), number))
            continue
        if passage in qrels.setdefault(question, {}):
            faults.append(Fault(f"passage {passage!r} is judged twice for question {question!r}", str(path), number))
        qrels[question][passage] = value
    return _checked(qrels, faults, path)


def read_trec_run(path: Path) -> dict[str, list[tuple[str, float]]]:
    """Question → (passage, score) in file order. Raises InputError listing every fault with its line."""
    run: dict[str, list[tuple[str, float]]] = {}
    faults: list[Fault] = []
    for number, line in _lines(path):
        parts = line.split()
        if len(parts) < 5:
            faults.append(Fault(f"a run line has 6 columns, this has {len(parts)}", str(path), number))
            continue
        try:
            score = float(parts[4])
        except ValueError:
            score = float("nan")
        if not isfinite(score):
            faults.append(Fault(f"the score must be a finite number, not {parts[4]!r}", str(path), number))
            continue
        run.setdefault(parts[0], []).append((parts[2], score))
    return _checked(run, faults, path)


def _lines(path: Path) -> list[tuple[int, str]]:
    lines = enumerate(read_text(path).split("\n"), start=1)
    return [(number, line) for number, line in lines if line.strip()]


def _checked(found: dict[str, T], faults: list[Fault], path: Path) -> dict[str, T]:
    if not found and not faults:
        faults = [Fault("is empty", str(path))]
    if faults:
        raise InputError(faults)
    return found
