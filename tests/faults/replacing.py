"""Ends runs that replace a dataset at random moments: the old or the new one stands, complete.

Two captures are analysed in turn into one place. The run reads a file, or a pipe that ends only
with the run, and gets SIGINT, SIGTERM or SIGKILL at any moment from its start to its end, more
often after it has begun to write.
"""

from __future__ import annotations

import gzip
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from airmile.store import _manifest
from tests.faults.runs import LINK, Ended, begin, debris, ended, run
from tests.support.left.datasets import faults

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
OUT, PARTIAL = "x.airmile", "x.partial.airmile"
COPIES = 12
"""How often the packets of a capture follow each other in the file: a run takes about a second."""


@dataclass
class Found:
    """What was seen after all rounds.

    Attributes
    ----------
    old, new : int
        How often the old dataset, or the new one, was in the place.
    partial : int
        How often a run left a partial dataset.
    codes : list of int
        The exit codes.
    wrong : list of str
        The faults.
    """

    old: int = 0
    new: int = 0
    partial: int = 0
    codes: list[int] | None = None
    wrong: list[str] | None = None

    def __str__(self) -> str:
        return (
            f"{self.old + self.new} interrupts of --overwrite: {self.old} times the old dataset, "
            f"{self.new} times the new one, {self.partial} partial ones beside it, "
            f"{len(self.wrong or [])} faults"
        )


def rounds(folder: Path, count: int, seed: int, copies: int = COPIES) -> Found:
    """End `count` runs, verify what they leave after each, and return what was seen."""
    captures = list(_captures(folder, copies))
    seals = [_seal_of(folder, capture) for capture in captures]
    usual_s = _usual_s(folder, captures[0])
    assert run(folder, captures[0], "-o", OUT, "-q").code == 0
    chance, found = random.Random(seed), Found(codes=[], wrong=[])
    for at in range(count):
        old = seals.index(_seal(folder / OUT))
        said = _ended(folder, captures[1 - old], usual_s, chance)
        new = _seal(folder / OUT) == seals[1 - old]
        found.new, found.old = found.new + new, found.old + (not new)
        (found.codes or []).append(said.code)
        (found.wrong or []).extend(f"round {at}: {each}" for each in _wrong(folder, said, seals))
        found.partial += PARTIAL in said.err
    run(folder, captures[0], "-o", OUT, "--overwrite")
    named = " ".join(run(folder, "doctor").out.split())
    (found.wrong or []).extend(f"left {name}" for name in debris(folder) if name not in named)
    return found


def _captures(folder: Path, copies: int) -> Iterator[Path]:
    """Write two captures of different length."""
    data = gzip.decompress(LINK.read_bytes())
    for number in (copies, copies + 1):
        file = folder / f"{number}.pcap"
        file.write_bytes(data[:24] + data[24:] * number)
        yield file


def _seal_of(folder: Path, capture: Path) -> object:
    """Return the digest of a capture's dataset, which is the same for every run."""
    out = folder / "alone.airmile"
    assert run(folder, capture, "-o", out, "--overwrite", "-q").code == 0
    return _seal(out)


def _seal(dataset: Path) -> object:
    return _manifest.read(dataset)[_manifest.SEAL]


def _usual_s(folder: Path, capture: Path) -> float:
    begun = time.monotonic()
    assert run(folder, capture, "-o", "alone.airmile", "--overwrite", "-q").code == 0
    return time.monotonic() - begun


def _ended(folder: Path, capture: Path, usual_s: float, chance: random.Random) -> Ended:
    """Run an analysis that replaces the dataset, and end it."""
    piped, late, share = chance.random() < 0.3, chance.random() < 0.7, chance.random()
    number = chance.choice(SIGNALS)
    there = debris(folder)
    words = ("-" if piped else capture, "-o", OUT, "--overwrite", "-q")
    process = begin(folder, *words, stdin=subprocess.PIPE if piped else subprocess.DEVNULL)
    if piped and process.stdin:
        with suppress(BrokenPipeError):
            process.stdin.write(capture.read_bytes()[: int(share * 20_000_000)])
            process.stdin.flush()
    while late and process.poll() is None and debris(folder) <= there:
        time.sleep(0.002)
    time.sleep(share * usual_s)
    process.send_signal(number)
    return _end(process)


def _end(process: subprocess.Popen[bytes]) -> Ended:
    """Wait for a run to end; its pipe stays open until then."""
    if process.stdin is None:
        return ended(process)
    process.wait(60)
    with suppress(BrokenPipeError):
        process.stdin.close()
    process.stdin = None
    return ended(process)


def _wrong(folder: Path, said: Ended, seals: list[object]) -> Iterator[str]:
    """Yield what is wrong after a run."""
    if "Traceback" in said.err and not said.err.rstrip().endswith("\nKeyboardInterrupt"):
        yield f"traceback: {said.err.splitlines()[-1]}"
    if _seal(folder / OUT) not in seals:
        yield "neither the old dataset nor the new one is in the place"
    yield from (f"{OUT}: {fault}" for fault in faults(folder / OUT))
    if (folder / PARTIAL).exists():
        yield from (f"{PARTIAL}: {fault}" for fault in faults(folder / PARTIAL))
        if not _manifest.read(folder / PARTIAL)["interrupted"]:
            yield f"{PARTIAL} is not marked as interrupted"
