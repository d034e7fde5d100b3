"""Runs of `airmile` under faults, and what they leave."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyarrow import parquet

LINK = Path(__file__).parents[1] / "data" / "emu" / "a_link_cubic" / "monitor.pcap.gz"

Limits = Mapping[int, int]
"""Limits of a process, by the numbers of :mod:`resource`."""


@dataclass(frozen=True)
class Ended:
    """The exit code and output of a run; a negative code is the signal that killed it."""

    code: int
    out: str
    err: str


def begin(
    folder: Path,
    *words: str | Path,
    stdin: int = subprocess.DEVNULL,
    limits: Limits | None = None,
    **environment: str,
) -> subprocess.Popen[bytes]:
    """Begin `airmile WORDS` in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "airmile", *map(str, words)],
        cwd=folder,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        preexec_fn=partial(_prepare, dict(limits or {})),
    )


def run(folder: Path, *words: str | Path, **more: object) -> Ended:
    """Run `airmile WORDS` in a folder to its end."""
    start: Callable[..., subprocess.Popen[bytes]] = begin
    return ended(start(folder, *words, **more))


def ended(process: subprocess.Popen[bytes]) -> Ended:
    """Wait for a run to end."""
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return Ended(process.returncode, out.decode(), err.decode())


def hear_signals() -> None:
    """Let a process that starts get the signals that the suite may ignore.

    A suite that runs in the background inherits an ignored SIGINT, one under nohup SIGHUP.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _prepare(limits: dict[int, int]) -> None:
    hear_signals()
    for kind, limit in limits.items():
        resource.setrlimit(kind, (limit, limit))


def is_whole(dataset: Path) -> bool:
    """Say whether every table of a dataset has as many rows as its manifest says."""
    manifest = json.loads((dataset / "manifest.json").read_text())
    rows = {
        part.parent.name: parquet.read_table(part).num_rows
        for part in dataset.glob("*/part-0.parquet")
    }
    return bool(rows) and rows == manifest["rows"]


def debris(folder: Path) -> set[str]:
    """Name what runs left in a folder beside datasets and captures."""
    return {entry.name for entry in folder.iterdir() if entry.name.startswith(".")}
