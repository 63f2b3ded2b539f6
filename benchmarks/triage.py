"""How often triage names the half and the reason of answers that were broken on purpose.

PYTHONPATH=tests python benchmarks/triage.py [ROUNDS] [FLIPS REPEATS]
"""

import sys

from fault_injection import Figures, measure

SETTINGS = ((0.0, 1), (0.05, 1), (0.05, 3), (0.15, 1), (0.15, 3))


def show(flips: float, repeats: int, found: Figures) -> None:
    print(
        f"flips {flips:.0%}, repeats {repeats}: {found.cases} cases, halves {found.halves:.1%}, reasons "
        f"{found.reasons:.1%}, confidently wrong {found.confidently_wrong:.1%}, {found.calls:.2f} judge calls a case"
    )
    for (broken, labelled), count in sorted(found.table.items()):
        print(f"  {broken:34} → {labelled:34} {count}")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    chosen = ((float(sys.argv[2]), int(sys.argv[3])),) if len(sys.argv) > 3 else SETTINGS
    for flips, repeats in chosen:
        show(flips, repeats, measure(rounds, flips, repeats))


if __name__ == "__main__":
    main()
