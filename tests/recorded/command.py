"""The common command line of the sets: their options, and all commands but the score."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.recorded import play
from tests.recorded.runs import Run


@dataclass(frozen=True)
class Set:
    """A set of recorded runs.

    Attributes
    ----------
    runs : callable
        Gives the runs of a seed.
    development, held_out : tuple of int
        Their seeds; those held out are recorded and scored on request.
    write_truth : callable
        Writes the truth of a run's folder, from what was recorded.
    keep : callable
        Writes the selection in the repository again, from a folder of runs.
    score : callable
        Scores runs with their folders, by the options.
    """

    runs: Callable[[int], Iterable[Run]]
    development: tuple[int, ...]
    held_out: tuple[int, ...]
    write_truth: Callable[[Path], None]
    keep: Callable[[Path], None]
    score: Callable[[list[tuple[Run, Path]], argparse.Namespace], None]


def parser(doc: str) -> tuple[argparse.ArgumentParser, argparse._MutuallyExclusiveGroup]:
    """Return the parser of a set's command, and the group of its exclusive actions."""
    made = argparse.ArgumentParser(description=doc.splitlines()[0])
    what = made.add_mutually_exclusive_group(required=True)
    for name in ("--record", "--truth", "--keep", "--score"):
        what.add_argument(name, type=Path, metavar="DIR")
    made.add_argument("--held-out", action="store_true", help="the odd seeds instead")
    made.add_argument("--only", default="", metavar="TEXT", help="runs with this in their name")
    made.add_argument("--at-once", type=int, default=1, help="runs recorded at the same time")
    made.add_argument("--csv", type=Path, metavar="PREFIX", help="also PREFIX-causes.csv and so on")
    return made, what


def run(of: Set, options: argparse.Namespace) -> int:
    """Record, write the truth again, keep a selection, or score; return the exit code."""
    seeds = of.held_out if options.held_out else of.development
    runs = [each for seed in seeds for each in of.runs(seed) if options.only in each.name]
    if options.record:
        return int(not play.record(runs, options.record, of.write_truth, options.at_once))
    if options.truth:
        for _, folder in play.recorded(options.truth, runs, "manifest.json"):
            of.write_truth(folder)
        return 0
    if options.keep:
        of.keep(options.keep)
        return 0
    found = play.recorded(options.score, runs, "truth.csv")
    if not found:
        print(f"no run of these under {options.score}", file=sys.stderr)
        return 2
    of.score(found, options)
    return 0
