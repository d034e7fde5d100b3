"""Kills runs at random moments, fills disks, fails calls, and checks what each leaves behind."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, Signals

from airmile import _capabilities
from tests.faults.runs import LINK, Ended, begin, debris, ended, is_whole, run
from tests.faults.shim import Shim

Found = list[tuple[str, list[str]]]
"""How each run ended, and a list of what was wrong with it."""

OUT = "x.airmile"
WORDS = (LINK, "-o", OUT, "--overwrite")


def all_of(room: Path, kills: int, disks: int, io: bool, seed: int) -> Iterator[tuple[str, Found]]:
    """Provoke all faults, each kind in a folder of its own."""
    for number in (SIGKILL, SIGTERM, SIGINT):
        if kills:
            yield number.name, signals(_folder(room, number.name), number, kills, seed)
    if disks:
        yield "full disk", list(full_disks(_folder(room, "disk"), disks))
    if io:
        yield "failing call", list(failing_calls(_folder(room, "io")))


def signals(folder: Path, number: Signals, count: int, seed: int) -> Found:
    """Send a signal at random moments of runs that replace one dataset."""
    usual_s = min(_duration_s(folder) for _ in range(3))
    moments = random.Random(seed)
    found = []
    for _ in range(count):
        process = begin(folder, *WORDS)
        time.sleep(moments.uniform(0, usual_s))
        process.send_signal(number)
        said = ended(process)
        found.append((f"exit {said.code}", _wrong(folder, said, _codes(number, said))))
    return [*found, _cleared(folder)]


def _duration_s(folder: Path) -> float:
    begun = time.monotonic()
    assert run(folder, *WORDS).code == 0
    return time.monotonic() - begun


def _codes(number: Signals, said: Ended) -> tuple[int, ...]:
    """Return the exit codes that a run may have; 1 is allowed only while Python starts."""
    return (0, 128 + number, -number, *((1,) if _starting(said) else ()))


def _starting(said: Ended) -> bool:
    """Return whether SIGINT ended Python before the first line of the command ran.

    Later interrupts are raised as another exception.
    """
    return said.err.rstrip().endswith("\nKeyboardInterrupt")


def full_disks(folder: Path, sizes: int) -> Iterator[tuple[str, list[str]]]:
    """Write to disks of growing size, the last about large enough."""
    for step in range(1, sizes + 1):
        with _disk(folder, step * 16 * 1024) as disk:
            said = run(disk, LINK, "-o", OUT)
            wrong = _wrong(disk, said, (0, 5), must_stand=said.code == 0)
            yield f"exit {said.code}", wrong + [f"left {name}" for name in debris(disk)]


def failing_calls(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Fail each call of a run that replaces a dataset, first those that read the capture."""
    for word in (LINK.name, ".airmile"):
        shim = Shim.built(folder, word)
        for at in range(1, shim.calls(folder, *WORDS) + 1):
            said = shim.failing(folder, at, *WORDS)
            yield f"exit {said.code}", _wrong(folder, said, (0, 1, 3, 5))
    yield _cleared(folder)


def _wrong(
    folder: Path, said: Ended, codes: tuple[int, ...], *, must_stand: bool = True
) -> list[str]:
    """List what is wrong after a run."""
    wrong = [] if said.code in codes else [f"exit code {said.code}: {said.err[-200:]}"]
    if "Traceback" in said.err and not _starting(said):
        wrong.append(f"traceback: {said.err.splitlines()[-1]}")
    if must_stand != (folder / OUT).exists():
        wrong.append("no dataset" if must_stand else "a dataset")
    elif must_stand and not is_whole(folder / OUT):
        wrong.append("a torn dataset")
    return wrong


def _cleared(folder: Path) -> tuple[str, list[str]]:
    """Run once more; the doctor must then name what is left."""
    said = run(folder, *WORDS)
    named = " ".join(run(folder, "doctor").out.split())
    unnamed = [f"left {name}" for name in debris(folder) if name not in named]
    return f"exit {said.code} at last", _wrong(folder, said, (0,)) + unnamed


@contextmanager
def _disk(folder: Path, size: int) -> Iterator[Path]:
    """Mount a small disk in memory (CAP_SYS_ADMIN)."""
    disk = _folder(folder, "mounted")
    if missing := _capabilities.lacking(["SYS_ADMIN"]):
        raise SystemExit(f"full disks take {missing[0]}: --disks 0 leaves them out")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], check=True)
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)
        disk.rmdir()


def _folder(room: Path, name: str) -> Path:
    folder = room / name
    folder.mkdir()
    return folder
