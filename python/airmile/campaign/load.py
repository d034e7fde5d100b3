"""The load of the machine before runs: how busy others keep it, and the wait until it is quiet.

A run is in real time. Its link has a priority above all others, but its two ends have not: what
else uses the cores makes them late to send, to acknowledge and to record.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from airmile._errors import OutputError
from airmile._words import NBSP, counted, listed, percent
from airmile.campaign.folder import Place

QUIET_RATIO = 0.1
"""The most that others may use of all cores: a fifth of one core of a machine with two."""

SPAN_S, BRIEF_S = 5.0, 1.0
"""How long the load is measured, in seconds, before the first run and between two runs."""

SAYS_S = 60.0
"""How often a wait says what it waits for, in seconds."""

NAMED = 3
"""How many processes are named, those first that use most."""

PROC = Path("/proc")

USED, IDLE, STOLEN = (0, 1, 2, 5, 6), (3, 4), 7
"""The columns of the line `cpu` of /proc/stat (proc(5)): used, idle, and given to other guests."""


@dataclass(frozen=True)
class Load:
    """The load of the machine in a span of time, as shares of the time of all cores.

    Attributes
    ----------
    busy_ratio : float
        What processes and the kernel used.
    stolen_ratio : float
        What the host of a virtual machine gave to others.
    processes : mapping of str to float
        The names of the processes that used most, with their shares.
    """

    busy_ratio: float
    stolen_ratio: float
    processes: Mapping[str, float]

    @property
    def quiet(self) -> bool:
        """Whether a campaign has the machine for itself."""
        return self.busy_ratio + self.stolen_ratio <= QUIET_RATIO

    def __str__(self) -> str:
        """Return the load in words, with the processes that use most unless it is quiet."""
        stolen = (
            f", and its host takes {percent(self.stolen_ratio)}"
            if self.stolen_ratio > 0.005
            else ""
        )
        names = [f"{name} {percent(share)}" for name, share in self.processes.items()]
        by = f" ({listed(names)})" if names and not self.quiet else ""
        return f"{percent(self.busy_ratio)} of the machine's cores are in use{by}{stolen}"


Measure = Callable[[float], Load]
"""A function that measures the load over a span in seconds."""


def measure(span_s: float = SPAN_S, sleep: Callable[[float], None] = time.sleep) -> Load:
    """Return the load of the machine over a span of time in which this process does nothing."""
    before, ticks_before = _cores(), _processes()
    sleep(span_s)
    after, ticks_after = _cores(), _processes()
    spent = [max(b - a, 0) for a, b in zip(before, after, strict=True)]
    total = sum(spent[place] for place in (*USED, *IDLE, STOLEN)) or 1
    used: dict[str, int] = {}
    for pid, (name, ticks) in ticks_after.items():
        earlier = ticks_before.get(pid, (name, 0))[1]
        used[name] = used.get(name, 0) + max(ticks - earlier, 0)
    most = sorted(used, key=lambda name: -used[name])[:NAMED]
    return Load(
        busy_ratio=sum(spent[place] for place in USED) / total,
        stolen_ratio=spent[STOLEN] / total,
        processes={name: used[name] / total for name in most if used[name] / total > 0.01},
    )


def wait(
    limit_s: float,
    look: Measure = measure,
    *,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[str]:
    """Wait until the machine is quiet, and yield a line when the wait begins, goes on and ends.

    Raises
    ------
    OutputError
        The machine is not quiet within `limit_s` seconds.
    """
    begun = said = now()
    found = look(BRIEF_S)
    if found.quiet:
        return
    yield f"waiting for a quiet machine, at most {_minutes(limit_s)}: {found}"
    while not found.quiet:
        waited = now() - begun
        if waited >= limit_s:
            raise OutputError(
                f"the machine was not quiet within {_minutes(limit_s)}: {found}",
                "end what uses it, or wait longer: the same command continues; without --wait the "
                "runs are made all the same, and late ones are left out",
            )
        if now() - said >= SAYS_S:
            said = now()
            yield f"still waiting, {_minutes(limit_s - waited)} left: {found}"
        found = look(SPAN_S)
    yield f"quiet after {_minutes(now() - begun)}: {found}"


def advice(found: Load) -> str:
    """Return what a load means for runs that begin now; nothing if the machine is quiet."""
    if found.quiet:
        return ""
    return (
        f"{found}; a quiet machine has at most {percent(QUIET_RATIO)}. Runs may be late and left "
        "out; `--wait 30` waits for up to 30 min"
    )


def note(place: Place, found: Load) -> None:
    """Append a load to the folder of a campaign, for its page."""
    measured = datetime.now(UTC).isoformat(timespec="seconds")
    with place.loads.open("a", newline="") as file:
        csv.writer(file).writerow(
            [measured, f"{found.busy_ratio:.4f}", f"{found.stolen_ratio:.4f}"]
        )


def noted(place: Place) -> list[tuple[float, float]]:
    """Return the noted loads, each as the shares in use and stolen; lines cut off are left out."""
    if not place.loads.exists():
        return []
    found = []
    with place.loads.open(newline="", errors="replace") as file:
        for row in csv.reader(file):
            try:
                _, busy, stolen = row
                shares = float(busy), float(stolen)
            except ValueError:
                continue
            if all(0 <= each <= 1 for each in shares):
                found.append(shares)
    return found


def _minutes(span_s: float) -> str:
    return f"{span_s:.0f}{NBSP}s" if span_s < 90 else counted(round(span_s / 60), "min", "min")


def _cores() -> list[int]:
    """Return the ticks of all cores by kind."""
    line = (PROC / "stat").read_text().splitlines()[0]
    return [int(each) for each in line.split()[1:9]]


def _processes() -> dict[str, tuple[str, int]]:
    """Return the name and the ticks of each process."""
    found = {}
    for folder in PROC.glob("[0-9]*"):
        try:
            # The name is in parentheses and may contain anything, so what follows is split alone.
            head, _, rest = (folder / "stat").read_text(errors="replace").rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        found[folder.name] = (head.partition("(")[2], int(fields[11]) + int(fields[12]))
    return found
