"""Compares what airmile says of the recorded phones with the truth of the radio."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Literal

import airmile as am
from airmile.answers import radio_on
from airmile.dataset import Dataset
from airmile.store._needs import Missing
from tests.phones import packets, truth
from tests.phones.record import WAYS

CLOSE, NARROW, OFTEN = 0.02, 0.10, 0.95
"""The largest error of a number, the largest width of a range, and how often it holds the truth."""

MEASURES = ("sessions", "promotions", "radio_on_s", "energy_j")

Range = tuple[float | None, float | None]


@dataclass(frozen=True)
class Row:
    """What is said of a run, and the truth."""

    run: str
    way: str
    tail: str
    said: dict[str, Range]
    truth: dict[str, float]

    def error(self, measure: str) -> float | None:
        """Give how far the range is off the truth, in parts of it: 0 if it holds the truth."""
        ends, right = self._ends(measure), self.truth[measure]
        if ends is None:
            return None
        low, high = ends
        return (max(0.0, low - right) + min(0.0, high - right)) / right

    def width(self, measure: str) -> float | None:
        """Give the width of the range, in parts of the truth: infinite if it is open."""
        ends = self._ends(measure)
        return None if ends is None else (ends[1] - ends[0]) / self.truth[measure]

    def is_right(self, measure: str) -> bool:
        """Whether the number is close, or the range narrow and holds the truth."""
        error, width = self.error(measure), self.width(measure)
        if error is None or width is None or width > NARROW:
            return False
        return error == 0 if width > CLOSE else abs(error) <= CLOSE

    def _ends(self, measure: str) -> tuple[float, float] | None:
        """Give the ends in order: a shorter tail means more wake-ups."""
        low, high = self.said[measure]
        if low is None:
            return None
        if high is None:
            return (0.0, low) if measure == "promotions" else (low, inf)
        return min(low, high), max(low, high)


def rows(folder: Path) -> Iterator[Row]:
    """Give the rows of a run: by capture, with the tail given and found in the data."""
    facts = json.loads((folder / "facts.json").read_text())
    radio = truth.read(folder)
    for way in WAYS:
        with tempfile.TemporaryDirectory() as work:
            captures = _captures(folder, way, Path(work))
            # The wireless LAN of a run is too fast to tell the phone from the server.
            said = am.analyze(*captures, out=Path(work) / "x.airmile", vantage="ue")
            right = _truth(facts, radio, captures, said)
            for tail in (facts["plan"]["tail_s"], radio_on.AUTO):
                name = "found" if tail == radio_on.AUTO else "given"
                yield Row(folder.name, way, name, _said(said, tail), right)


def _captures(folder: Path, way: str, work: Path) -> list[Path]:
    found = sorted(folder.glob(f"{way}_*.pcap*"))
    return [packets.as_of_a_modem(one, work / one.name) for one in found] if way == "any" else found


def _truth(
    facts: dict[str, Any], radio: truth.Radio, captures: list[Path], said: Dataset
) -> dict[str, float]:
    times = [packets.times(each) for each in captures]
    plan = facts["plan"]
    parameters = said.manifest["parameters"]
    power = {
        name.removeprefix("energy."): float(value)
        for name, value in parameters.items()
        if name.startswith("energy.")
    }
    used = truth.use(radio, times, plan["tail_s"], power["inactivity_ms"] / 1e3)
    return {
        "sessions": sum(bool(each) for each in times),
        "promotions": used.promotions,
        "radio_on_s": used.on_s,
        "energy_j": used.energy_j(power, (0.0, _megabits(facts, times))),
    }


def _megabits(facts: dict[str, Any], times: list[list[int]]) -> float:
    """Give the answers that the captures show; the requests have 8 bytes each."""
    shown = [(each[0] - truth.AT_ONCE_NS, each[-1]) for each in times if each]
    asked = [
        (round((facts["start_unix"] + each["at_s"]) * truth.NS), each["answer_bytes"])
        for each in facts["plan"]["exchanges"]
        if each["way"] == "cellular"
    ]
    size = sum(size for at, size in asked if any(a <= at <= b for a, b in shown))
    return float(size) * 8 / 1e6


def _said(dataset: Dataset, tail_s: float | Literal["auto"]) -> dict[str, Range]:
    """Give what is said of the radio: the sums over the sessions that may have used it."""
    try:
        tail = (
            radio_on.tail(dataset) if tail_s == radio_on.AUTO else radio_on.given(dataset, tail_s)
        )
    except Missing:
        return dict.fromkeys(MEASURES, (None, None))
    sums = radio_on.sums(dataset, tail)
    return {
        "sessions": (sums.sessions, sums.sessions),
        "promotions": sums.promotions,
        "radio_on_s": sums.radio_on_s,
        "energy_j": sums.energy_j,
    }


def show(folders: list[Path]) -> None:
    """Print a row for each run and capture, and how many are right."""
    found = [row for folder in folders for row in rows(folder)]
    print(f"{'run':<16}{'capture':<8}{'tail':<7}" + "".join(f"{name:>28}" for name in MEASURES))
    for row in found:
        cells = "".join(f"{_cell(row, name):>28}" for name in MEASURES)
        print(f"{row.run:<16}{row.way:<8}{row.tail:<7}{cells}")
    print(
        f"\nwithin {CLOSE:.0%}, or a range of at most {NARROW:.0%} that holds the truth; truth held"
    )
    for way in WAYS:
        for tail in ("given", "found"):
            some = [row for row in found if (row.way, row.tail) == (way, tail)]
            print(
                f"{'all':<16}{way:<8}{tail:<7}" + "".join(_count(some, name) for name in MEASURES)
            )


def _cell(row: Row, measure: str) -> str:
    (low, high), error = row.said[measure], row.error(measure)
    if low is None or error is None:
        return "not said"
    ends = f"{low:.4g}" if low == high else f"{low:.4g}-{'' if high is None else f'{high:.4g}'}"
    off = f"{error:+.1%}" if error else "in"
    return f"{ends} of {row.truth[measure]:.4g} {off}{'' if row.is_right(measure) else ' *'}"


def _count(some: list[Row], measure: str) -> str:
    right = sum(row.is_right(measure) for row in some)
    held = sum(abs(row.error(measure) or 0) <= CLOSE for row in some if row.said[measure][0])
    return f"{f'{right}/{len(some)}; held {held}':>28}"
