"""The offline judge in two settings beside human labels of claims, and beside plain word overlap.

    python benchmarks/claim_labels.py --data ../shared/data

Claims of WiCE (partially supported counts as not supported). `apart`: every sentence of the article is a passage of
its own. `joined`: all sentences of a claim are one passage, which the judge reads three sentences at a time.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from whichhalf.comparing.labelled_claims import Said, compare_with_labels
from whichhalf.core.case import Passage
from whichhalf.core.claim import Claim
from whichhalf.datasets.claim_labels import ClaimLabel, read_claim_labels
from whichhalf.judged.verdicts import verify_claims
from whichhalf.judging.offline import OfflineJudge
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.reporting.prompt_comparison_text import print_labels
from whichhalf.reporting.terminal_text import open_console

WICE = Path("faithfulness/wice_claims_oracle_chunk.jsonl")
COLUMNS = {"claim": "answer", "passages": "contexts", "supported": "labels.supported"}
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def ask(labels: Sequence[ClaimLabel], *, joined: bool) -> Said:
    said: dict[str, bool | str] = {}
    for one in labels:
        passages = (Passage(id="all", text="\n\n".join(one.texts)),) if joined else one.passages or ()
        (verdict,) = verify_claims(OfflineJudge(), PromptSet(), [Claim(id=1, text=one.claim)], passages)
        said[one.id] = verdict.label == "supported"
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of labelled data")
    path = parser.parse_args().data / WICE
    if not path.is_file():
        print(f"no such file: {path}; name the folder with --data", file=sys.stderr)
        return 2
    labels = read_claim_labels(path, COLUMNS)
    found = compare_with_labels(labels, ("apart", "joined"), ask(labels, joined=False), ask(labels, joined=True))
    print_labels(open_console(), found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
