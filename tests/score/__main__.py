"""Analyse every set of a folder and print how well the verdict agrees with its labels.

::

    python -m tests.score [SETS_DIR] [--capture monitor] [--set NAME=VALUE]...

The sets default to ``tests/data/emu``. Each set's capture is analysed afresh into a temporary
directory, so the figures are those of the engine that is installed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import airmile
from tests.score.capture import span_ns
from tests.score.score import Score, score_set

SETS = Path(__file__).parent.parent / "data" / "emu"


def score_folder(folder: Path, capture: str, settings: list[str]) -> dict[str, Score]:
    """Score each set of `folder` that has the capture."""
    result = {}
    for labels in sorted(folder.glob("*/labels.csv.gz")):
        source = labels.parent / f"{capture}.pcap.gz"
        if not source.exists():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "set.airmile"
            airmile.analyze(source, out=out, set=settings)
            result[labels.parent.name] = score_set(out / "slices", labels, *span_ns(source))
    return result


def main() -> int:
    """Print each set, the worst one and all together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SETS)
    parser.add_argument("--capture", default="monitor", choices=["monitor", "server", "ue"])
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    scores = score_folder(options.folder, options.capture, options.set)
    if not scores:
        print(f"no set with {options.capture}.pcap.gz under {options.folder}", file=sys.stderr)
        return 2
    for name, result in scores.items():
        print(f"{name}: {result}")
    worst = min(scores, key=lambda name: scores[name].agreement)
    print(f"all: {sum(scores.values(), Score())}")
    print(f"worst: {worst} {scores[worst].agreement:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
