"""Analyse every set of a folder and print how well the verdict agrees with its labels.

::

    python -m tests.score [SETS_DIR] [--capture monitor] [--modem] [--set NAME=VALUE]...

The sets default to ``tests/data/emu``. Each set's capture is analysed again in a temporary
directory, so the figures are those of the installed engine. A set without the capture is named and
has no score. With ``--modem`` each set that has a
modem log is analysed with and without it, and the difference is printed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import airmile
from airmile.testbed.record.captures import POINTS
from airmile.testbed.scoring import Score
from tests.score.capture import span_ns
from tests.score.score import score_set

SETS = Path(__file__).parent.parent / "data" / "emu"


def score_folder(
    folder: Path, capture: str, settings: list[str], *, modem: bool = False
) -> dict[str, Score]:
    """Score each set of `folder` that has the capture; with `modem`, those with a modem log."""
    result = {}
    for labels in sorted(folder.glob("*/labels.csv.gz")):
        source = labels.parent / f"{capture}.pcap.gz"
        logs = sorted(labels.parent.glob("modem*.csv.gz")) if modem else []
        if not source.exists() or (modem and not logs):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "set.airmile"
            airmile.analyze(source, out=out, modem=logs, set=settings)
            result[labels.parent.name] = score_set(out / "slices", labels, *span_ns(source))
    return result


def compare(without: dict[str, Score], with_log: dict[str, Score]) -> None:
    """Print the differences that the modem logs make."""
    gains = {name: score.agreement - without[name].agreement for name, score in with_log.items()}
    for name, gain in gains.items():
        shown = f"{without[name].agreement:.1%} -> {with_log[name].agreement:.1%}"
        print(f"{name}: {shown} ({gain:+.1%})")
    before = sum((without[name] for name in with_log), Score())
    after = sum(with_log.values(), Score())
    print(f"with modem logs: {before.agreement:.2%} -> {after.agreement:.2%} of {after.bins} bins")
    print(f"with modem logs: {after}")
    worst = min(gains, key=lambda name: gains[name])
    print(f"worst change: {worst} {gains[worst]:+.1%}")


def main() -> int:
    """Print each set, the worst one and all together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SETS)
    parser.add_argument("--capture", default="monitor", choices=POINTS)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--modem", action="store_true", help="with and without the modem log")
    options = parser.parse_args()
    scores = score_folder(options.folder, options.capture, options.set)
    for labels in sorted(options.folder.glob("*/labels.csv.gz")):
        if labels.parent.name not in scores:
            print(f"{labels.parent.name}: no score, it has no {options.capture}.pcap.gz")
    if not scores:
        print(f"no set with {options.capture}.pcap.gz under {options.folder}", file=sys.stderr)
        return 2
    for name, result in scores.items():
        print(f"{name}: {result}")
    if options.modem:
        compare(scores, score_folder(options.folder, options.capture, options.set, modem=True))
    worst = min(scores, key=lambda name: scores[name].agreement)
    print(f"all: {sum(scores.values(), Score())}")
    print(f"worst: {worst} {scores[worst].agreement:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
