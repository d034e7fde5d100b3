"""Record the sets of ``tests/data/emu`` that are experiments of the testbed (root).

::

    sudo python -m tests.score.record [NAME]...
    python -m tests.score.record --labels    # only the labels, again from the truth

It ends with 1 if one of them was never trustworthy, and then keeps its earlier recording.

Each ``NAME/NAME.toml`` is run, until it can be trusted, and its files become the set: the monitor's
capture, the modem's log, the truth as tables, and the labels as CSV like those of the other sets.
Files that are not needed to score a verdict are left out.
"""

from __future__ import annotations

import csv
import gzip
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import airmile
from airmile.testbed import load
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.run.emulated_run import run
from airmile.testbed.truth import labels

SETS = Path(__file__).parent.parent / "data" / "emu"

TRIES = 4
"""The attempts at a run, which may be late on a machine with other work."""

KEPT_TABLES = ("truth_ttis", "truth_tcp", "truth_events", "truth_labels")

LABEL_COLUMNS = """
    SELECT printf('%d.%06d', start_ns // 1000000000, start_ns % 1000000000 // 1000) AS t_unix,
        row_number() OVER () - 1 AS bin, underflow_ttis AS under_ms, active_ttis AS active_ms,
        contention_ttis AS contention_ms, last_active_ttis AS last_active_ms,
        available_bytes AS avail_bytes, served_bytes, queue_max_bytes AS qmax, label, flows,
        label_share
    FROM truth_labels ORDER BY start_ns"""


def record(name: str) -> bool:
    """Record one set, print the result, and say whether it was trustworthy and replaced."""
    experiment = load(SETS / name / f"{name}.toml")
    with tempfile.TemporaryDirectory(prefix="airmile-record-") as scratch:
        for number in range(TRIES):
            out = Path(scratch) / f"{number}.airmile"
            facts = run(experiment, out)
            if facts["trustworthy"]:
                _keep(out, SETS / name)
                break
    kept = "recorded" if facts["trustworthy"] else "NOT recorded: never trustworthy"
    print(f"{name}: {kept}, late {facts['link']['late_us']}", flush=True)
    return bool(facts["trustworthy"])


def _keep(run_: Path, target: Path) -> None:
    """Replace the files of a set, except for its experiment."""
    for old in target.iterdir():
        if old.suffix != ".toml":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    for table in KEPT_TABLES:
        shutil.copytree(run_ / table, target / table)
    for file in ("monitor.pcap", "modem.csv"):
        _write(target / f"{file}.gz", (run_ / file).read_bytes())
    _write_manifest(target, manifest_of(run_))
    _write_labels(target)


def _recorded(name: str) -> bool:
    return (SETS / name / "manifest.json").exists()


def relabel(name: str) -> str:
    """Apply the rule of the labels again to the truth of a set."""
    target = SETS / name
    facts = manifest_of(target)
    with tempfile.TemporaryDirectory(prefix="airmile-relabel-") as scratch:
        # The old files stay until the new ones are complete.
        copy = shutil.copytree(target, Path(scratch) / name)
        shutil.rmtree(copy / "truth_labels", ignore_errors=True)
        labels.write(airmile.open(copy), facts["experiment"]["direction"], Senders.of(facts))
        _write_labels(copy)
        _write_manifest(copy, {**facts, "labels_rule": labels.RULE})
        shutil.copytree(copy, target, dirs_exist_ok=True)
    return f"{name}: labelled"


def _write_manifest(target: Path, facts: dict[str, Any]) -> None:
    manifest = {"schema": 1, "tool": "airmile", "testbed": _plain(facts)}
    (target / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


def _write_labels(target: Path) -> None:
    rows = airmile.open(target).sql(LABEL_COLUMNS).to_pylist()
    lines: list[str] = []
    writer = csv.DictWriter(_Lines(lines), list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    _write(target / "labels.csv.gz", "".join(lines).encode())


class _Lines:
    """A file that is a list of lines."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, line: str) -> int:
        """Add a line."""
        self._lines.append(line)
        return len(line)


def _write(path: Path, data: bytes) -> None:
    """Compress so that equal data give equal files."""
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    """Leave out facts about the machine of the recording."""
    return {key: value for key, value in facts.items() if key != "processors"}


def main(names: list[str]) -> int:
    """Record the sets that are named, or all."""
    known = sorted(path.stem for path in SETS.glob("*/*.toml"))
    if names == ["--labels"]:
        print("\n".join(relabel(name) for name in known if _recorded(name)))
        return 0
    trusted = [record(name) for name in names or known]
    return int(not all(trusted))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
