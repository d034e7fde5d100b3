"""Bandwidth and utilisation of all runs of a folder against their truth.

::

    python -m tests.score.bandwidth DIR [--only REGEX] [--set NAME=VALUE]... [--verbose]

Every run in ``DIR`` with a truth per TTI (runs of the testbed, sets of ``tests/data/emu``) is
analysed again. It prints the mean errors of bandwidth samples over their own span for windows of
1.0 and 0.5 s (:mod:`airmile.testbed.scoring.bandwidth`), links whose rate changes every 500 ms in a
table of their own, and the utilisation of large flows that were alone
(:mod:`airmile.testbed.scoring.utilisation`). Held-out runs (odd seeds) have tables of their own.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.dataset as ds

import airmile
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.record.captures import POINTS
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.scoring import bandwidth, utilisation
from airmile.testbed.scoring.bandwidth import PAYLOAD_SHARE, Sample, Truth, compare
from airmile.testbed.scoring.link_demand import QUEUED_STATES
from airmile.testbed.scoring.pairs import Case, Compared
from airmile.testbed.scoring.utilisation import Use

__all__ = ["PAYLOAD_SHARE", "Sample", "Truth", "compare", "main", "read_samples", "read_truth"]

WINDOWS_S = (1.0, 0.5)


@dataclass(frozen=True)
class Scored:
    """The scores of one run."""

    name: str
    changing: bool
    windows: tuple[Compared, ...]
    uses: tuple[Use, ...]

    @property
    def held_out(self) -> bool:
        """Whether its seed is odd; such runs were not used to choose thresholds."""
        seed = re.search(r"(?:-s|hwy18_drive-)(\d+)$", self.name)
        return seed is not None and int(seed[1]) % 2 == 1


def read_truth(path: Path) -> Truth:
    """Read ``truth_dl.csv.gz``."""
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    return Truth(
        start_s=float(rows[0]["t_unix"]),
        available_bytes=[int(row["bytes_avail_full_tti"]) for row in rows],
        queued=[int(row["q_start"]) > 0 or row["state"] in QUEUED_STATES for row in rows],
    )


def read_samples(table: Path, source: str) -> list[Sample]:
    """Read the downlink samples of one estimator, by time."""
    columns = ["direction", "source", "time_ns", "span_s", "bandwidth_bps"]
    rows = ds.dataset(table, format="parquet").to_table(columns=columns).to_pylist()
    found = (
        Sample(row["time_ns"] / 1e9, row["span_s"], row["bandwidth_bps"])
        for row in rows
        if row["direction"] == "downlink" and row["source"] == source
    )
    return sorted(found, key=lambda sample: sample.time_s)


def runs(folder: Path, capture: str) -> Iterator[Path]:
    """Find the runs in a folder that have a truth per TTI and the capture."""
    for truth in sorted(folder.rglob("truth_ttis")):
        if list(truth.parent.glob(f"{capture}.pcap*")):
            yield truth.parent


def score(run: Path, capture: str, settings: list[str]) -> Scored:
    """Analyse one run and compare."""
    facts = manifest_of(run)
    experiment = facts["experiment"]
    (source, *_) = sorted(run.glob(f"{capture}.pcap*"))
    with tempfile.TemporaryDirectory(prefix="airmile-score-") as scratch:
        said = airmile.analyze(source, out=Path(scratch) / "x.airmile", set=settings)
        case = Case(said, airmile.open(run), experiment["direction"], Senders.of(facts))
        return Scored(
            run.name.removesuffix(".airmile"),
            experiment["link"][case.direction]["rate"].get("hold_ms") == 500,
            tuple(bandwidth.compare_run(case, window) for window in WINDOWS_S),
            tuple(utilisation.uses(case)),
        )


def table(scored: list[Scored], *, verbose: bool) -> Iterator[str]:
    """Give the lines of a table about bandwidth."""
    for place, window in enumerate(WINDOWS_S):
        whole = sum((one.windows[place] for one in scored), Compared((), "ratio"))
        for one in scored if verbose else ():
            yield f"    {one.name:<32} {window} s: {_line(one.windows[place])}"
        yield f"  {window} s: {_line(whole)} ({len(scored)} runs)"


def _line(compared: Compared) -> str:
    errors, cases = compared.errors, len(compared.pairs)
    if not errors:
        return f"{cases} windows, no estimate"
    share = len(compared.answered) / cases
    return (
        f"{cases} windows, {share:.1%} with an estimate, mean error {sum(errors) / len(errors):.2%}"
    )


def used(scored: list[Scored], *, verbose: bool) -> Iterator[str]:
    """Give the lines of the table about utilisation."""
    uses = [(one.name, use) for one in scored for use in one.uses]
    for name, use in uses if verbose else ():
        said = " ".join("-" if v is None else f"{v:.2f}" for v in (use.ratio, use.low, use.high))
        yield f"    {name:<32} {said} true {use.truth:.3f} {use.holds()} {use.reason or ''}"
    answers = [use.holds() for _, use in uses if use.holds() is not None]
    if uses:
        yield f"  {len(uses)} flows: {len(answers)} answers, {sum(map(bool, answers))} right"


def report(scored: list[Scored], *, verbose: bool) -> Iterator[str]:
    """Give all tables."""
    for title, held_out in (("development", False), ("held out", True)):
        group = [one for one in scored if one.held_out == held_out]
        for kind, changing in (("links", False), ("rates that change every 500 ms", True)):
            rows = [one for one in group if one.changing == changing and one.windows[0].pairs]
            if rows:
                yield f"bandwidth, {kind}, {title}:"
                yield from table(rows, verbose=verbose)
        if any(one.uses for one in group):
            yield f"utilisation, {title}:"
            yield from used(group, verbose=verbose)


def main() -> int:
    """Print the comparison of all runs of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--capture", default="monitor", choices=POINTS)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--only", default="", metavar="REGEX", help="runs whose name matches")
    parser.add_argument("--verbose", action="store_true", help="each run too")
    options = parser.parse_args()
    found = [
        run for run in runs(options.folder, options.capture) if re.search(options.only, run.name)
    ]
    if not found:
        print(f"no run with a truth per TTI under {options.folder}", file=sys.stderr)
        return 2
    scored = [score(run, options.capture, options.set) for run in found]
    print("\n".join(report(scored, verbose=options.verbose)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
