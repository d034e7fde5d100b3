"""Keeps the tables, the JSON and the text that airmile gives for inputs."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from airmile.cli import run

CAPTURES = (".pcap", ".pcapng", ".cap", ".pcap.gz", ".pcapng.gz", ".pcap.zst")
LOGS = (".mi2log", ".qmdl")
SHOWN = {"json": ["--format", "json"], "text": []}


def keep(folder: Path, inputs: Iterable[Path]) -> int:
    """Analyse each capture and each modem log below `inputs`, and return how many there are.

    What is already in `folder` is made anew.
    """
    count = 0
    for name, path in _found(inputs):
        place = folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        verb = "radio" if path.name.endswith(LOGS) else "analyze"
        for ending, options in SHOWN.items():
            again = ["--overwrite"] * (ending != "json")
            with contextlib.chdir(place):
                said = _said([verb, str(path), "-o", "tables.airmile", *again, *options])
            (place / f"said.{ending}").write_text(said)
        count += 1
    return count


def _found(inputs: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Yield inputs with a name that no other has."""
    for given in inputs:
        paths = sorted(given.rglob("*")) if given.is_dir() else [given]
        for path in paths:
            if path.is_file() and path.name.endswith(CAPTURES + LOGS):
                place = path.resolve()
                yield str(place).strip("/").replace("/", "__"), place


def _said(arguments: list[str]) -> str:
    """Run a command, and return its exit code and output."""
    out, talk = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(talk):
        code = run(arguments)
    return f"exit code {code}\n{out.getvalue()}"
