"""Freeze a golden set: write it again with a hash of what each labelled passage says in the corpus of today."""

from dataclasses import dataclass
from pathlib import Path

from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.frozen_labels import FrozenLabels, freeze_labels
from whichhalf.datasets.golden import load_golden
from whichhalf.errors import Fault, InputError
from whichhalf.retrieval.quote_index import unresolved_quotes
from whichhalf.running.config import Config
from whichhalf.running.golden_file import check_new_golden, next_header, write_golden


@dataclass(frozen=True, slots=True)
class FrozenGolden:
    """What `freeze_golden` wrote."""

    labels: FrozenLabels
    header: dict[str, str]


def freeze_golden(
    config: Config, out: Path, *, version: str | None = None, corpus_version: str | None = None
) -> FrozenGolden:
    """Write the golden set of a config, whatever its format, as JSON Lines with hashes, under a raised version.

    Questions of every split are written. `corpus_version` stays as it is unless one is given. Raises InputError when
    `out` is there already, and lists every label that the corpus does not hold.
    """
    check_new_golden(out)
    data = config.data
    if data.corpus is None:
        raise InputError(Fault("is missing: there is no text to freeze the labels with", field="[data] corpus"))
    golden, corpus = load_golden(data.golden, data.columns), load_corpus(data.corpus)
    labels = freeze_labels(golden.questions, corpus)
    faults = [
        Fault(f"{question} labels {', '.join(names)}, not in the corpus {data.corpus}", str(data.golden))
        for question, names in labels.missing.items()
    ]
    faults += [Fault(str(one), str(data.golden)) for one in unresolved_quotes(golden.questions, corpus)]
    if faults:
        raise InputError(faults)
    given = {"version": version, "corpus_version": corpus_version}
    header = next_header(golden.header, data.golden.stem) | {key: value for key, value in given.items() if value}
    write_golden(out, header, labels.questions)
    return FrozenGolden(labels, header)
