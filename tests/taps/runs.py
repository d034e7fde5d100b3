"""The runs of all worlds, and what is said of each at each tap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tests import everyday, physics
from tests.everyday import kinds as everyday_kinds
from tests.physics import kinds as physics_kinds
from tests.recorded.runs import Run
from tests.recorded.spans import Span, length, within
from tests.taps import emulated, kinds, said, short, truth, ways
from tests.taps.labels import RESTS
from tests.taps.moments import Labelled, Moments, compared
from tests.taps.said import Claim, Said

WORLDS = {
    everyday.__name__.rpartition(".")[2]: everyday_kinds,
    physics.__name__.rpartition(".")[2]: physics_kinds,
    "taps": kinds,
    "short": short,
    "emu": emulated,
}
"""The kinds of runs of each world, by the name of its folder."""


EXCHANGES = ("everyday",)
"""Worlds of requests and answers, whose protocols are not recognised after a quiet exchange."""

_HANDSHAKE = "handshake_dns"


@dataclass(frozen=True)
class Recorded:
    """A recorded run of a world."""

    world: str
    kind: str
    name: str
    folder: Path

    def truth(self) -> list[truth.Row]:
        """Give the truth at each tap; that of a long transfer is about one direction."""
        return truth.of(self.folder, by_logs=WORLDS[self.world] is not physics_kinds)


@dataclass
class Scored:
    """What is said of a run's capture at a tap, given in a way.

    Attributes
    ----------
    run : Recorded
        The run.
    tap, way : str
        The tap and the way.
    moments : Counter of Moment
        The time by what was so and what is said.
    direction : str or None
        The direction that is judged.
    headlines : list of (str, Claim or None)
        For each connection the label with the most time, and its headline if it has one.
    """

    run: Recorded
    tap: str
    way: str
    moments: Moments
    direction: str | None = None
    headlines: list[tuple[str, Claim | None]] = field(default_factory=list)


def found(folder: Path, *, held_out: bool, only: str) -> list[Recorded]:
    """Give the runs that are in a folder, or in the folders of the worlds in it."""
    return [
        Recorded(world, run.kind, run.name, place)
        for world, of in WORLDS.items()
        for seed in (of.HELD_OUT if held_out else of.DEVELOPMENT)
        for run in of.runs(seed)
        if only in run.name and (place := _place(folder, world, run))
    ]


def _place(folder: Path, world: str, run: Run) -> Path | None:
    places = (folder / world / run.name, folder / run.name)
    return next((place for place in places if (place / "manifest.json").exists()), None)


def lacking(runs: Iterable[Recorded], taps: Sequence[str]) -> list[tuple[str, str]]:
    """Give the runs without a capture at a tap, which have no score there."""
    return [
        (run.name, tap)
        for run in runs
        for tap in taps
        if not next(run.folder.glob(f"{tap}.pcap*"), None)
    ]


def score(
    runs: Sequence[Recorded], taps: Sequence[str], asked: Sequence[str], at_once: int = 1
) -> Iterator[Scored]:
    """Score runs at taps in ways, each run in a process of its own if several go on at once."""
    one = partial(score_run, taps=taps, asked=asked)
    if at_once == 1:
        for run in runs:
            yield from one(run)
        return
    with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
        for every in pool.map(one, runs):
            yield from every


def score_run(run: Recorded, taps: Sequence[str], asked: Sequence[str]) -> list[Scored]:
    """Score the captures of a run."""
    rows = run.truth()
    scored = []
    for tap in taps:
        capture = next(run.folder.glob(f"{tap}.pcap*"), None)
        if capture is None:
            continue
        direction, labelled = truth.at(rows, tap)
        whole: Said | None = None
        for way in asked:
            if way == ways.WHOLE_KNOWN and run.world in EXCHANGES:
                continue
            part = ways.given(capture, way, f"{run.name}-{tap}")
            if part is None and whole is not None:
                what, span = whole, None
            else:
                given, span = part or (capture, None)
                what = said.of(given, direction, labelled.keys())
            whole = what if way == ways.WHOLE else whole
            if way == ways.WHOLE_KNOWN and whole is not None:
                what = what.opened_as(whole, _opened(labelled))
            scored.append(
                _scored(Scored(run, tap, way, Moments(), direction), what, labelled, span)
            )
            if way in ways.CUT and whole is not None:
                known = Scored(run, tap, way + ways.KNOWN, Moments(), direction)
                # A headline is about the whole flow.
                scored.append(replace(_scored(known, whole, labelled, span), headlines=[]))
    return scored


def _opened(labelled: Mapping[int, Labelled]) -> dict[int, int]:
    """Give when the handshake of each port ends, which a quiet exchange replaces."""
    return {
        port: max(span[1] for span, label in spans if label == _HANDSHAKE)
        for port, spans in labelled.items()
        if any(label == _HANDSHAKE for _, label in spans)
    }


def _scored(
    score: Scored, what: Said, labelled: Mapping[int, Labelled], span: Span | None
) -> Scored:
    """Compare what is said of a capture with the labels within a span; None: with all."""
    for port, spans in labelled.items():
        score.moments += compared(spans, what.slices[port], span)
        held = [(part, label) for own, label in spans for part in within([own], span or own)]
        if label := longest(held):
            score.headlines.append((label, what.headlines.get(port)))
    return score


def longest(spans: Labelled) -> str | None:
    """Give the label with the most time, of those that a headline is about.

    >>> longest([((0, 5), "silent"), ((5, 7), "link"), ((7, 8), "rwnd")])
    'link'
    """
    times = {
        label: length(span for span, each in spans if each == label)
        for label in sorted({label for _, label in spans} - RESTS)
    }
    return max(times, key=lambda label: times[label]) if times else None
