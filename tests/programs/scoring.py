"""Scores recorded runs: analyses their captures at each point, and adds the judgements up."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from airmile.testbed.record.captures import Point
from tests.programs import judging
from tests.programs.analysed import Analysis, analyse
from tests.programs.judging import WRONG, WRONG_SURE, Judged, cut
from tests.programs.labels import fitting
from tests.programs.program import Case
from tests.recorded.files import read_rows
from tests.recorded.spans import Span

Key = tuple[str, str]
"""A kind of run and a capture point."""

Truth = dict[int, list[tuple[Span, str]]]


@dataclass(frozen=True)
class Bad:
    """The wrong time of a connection under one label with one claim."""

    run: str
    tap: str
    port: int
    span: Span
    wrong_ns: int
    said: str
    right: str

    @property
    def line(self) -> str:
        """The line of the table."""
        start, end = self.span
        return (
            f"{self.wrong_ns / 1e6:8.0f} ms  {self.run} {self.tap} port {self.port} "
            f"{start / 1e9:.3f}-{end / 1e9:.3f}: {self.said}; right: {self.right}"
        )


@dataclass
class Scored:
    """The sums of judgements by kind of run and capture point."""

    times: defaultdict[Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    headlines: defaultdict[Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    waits: defaultdict[Key, list[tuple[float, float | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    wanted: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    false: list[str] = field(default_factory=list)
    bad: list[Bad] = field(default_factory=list)
    bad_headlines: list[str] = field(default_factory=list)
    bad_waits: list[str] = field(default_factory=list)

    def add(self, case: Case, folder: Path, tap: Point) -> None:
        """Add a capture."""
        truth = _truth(folder, tap)
        said = analyse(folder / f"{tap}.pcap", set(truth))
        key = case.run.kind, tap
        for port, spans in truth.items():
            every = list(judging.judged(spans, said.said.slices[port]))
            for each in every:
                self.times[key][each.judgement] += each.span[1] - each.span[0]
            self.bad += _worst(case.run.name, tap, port, every)
            claim = said.said.headlines.get(port)
            parts = [part for counted in said.counted(port) for part in cut(spans, counted)]
            judgement = judging.headline(parts, said.counted(port), claim)
            self.headlines[key][judgement] += 1
            if claim and judgement in (WRONG, WRONG_SURE):
                words = f"{claim.cause} ({claim.certainty})"
                self.bad_headlines.append(f"{case.run.name} {tap} port {port}: {words}")
        self._add_waits(case, folder, tap, said)
        self._add_findings(case, tap, said)

    def _add_waits(self, case: Case, folder: Path, tap: str, said: Analysis) -> None:
        rows = [row for row in read_rows(folder / "waits.csv") if row["tap"] == tap]
        for port in sorted({int(row["port"]) for row in rows} if case.traits.answers else ()):
            own = [row for row in rows if int(row["port"]) == port]
            for true, shown in judging.wait_errors(own, said.transfers[port]):
                self.waits[case.run.kind, tap].append((true, shown))
                if shown is not None and abs(shown - true) > max(10, true / 10):
                    self.bad_waits.append(
                        f"{abs(shown - true):7.1f} ms  {case.run.name} {tap} port {port}: "
                        f"server_wait_ms {shown:.1f}, right {true:.1f}"
                    )

    def _add_findings(self, case: Case, tap: str, said: Analysis) -> None:
        every = [each for found in said.findings.values() for each in found]
        wanted, found, false = judging.findings(tap, case.traits, every)
        self.wanted.update((name, tap) for name in wanted)
        self.found.update((name, tap) for name in found)
        self.false += [f"{case.run.name} {tap}: {name} ({sure})" for name, sure in sorted(false)]


def score(found: Iterable[tuple[Case, Path]], every_tap: Sequence[Point]) -> Scored:
    """Score recorded runs."""
    scored = Scored()
    for case, folder in found:
        for tap in every_tap:
            scored.add(case, folder, tap)
    return scored


def _truth(folder: Path, tap: str) -> Truth:
    truth: Truth = {}
    for row in read_rows(folder / "truth.csv"):
        if row["tap"] == tap:
            span = int(row["start_ns"]), int(row["end_ns"])
            truth.setdefault(int(row["port"]), []).append((span, row["label"]))
    return truth


def _worst(run: str, tap: str, port: int, every: Iterable[Judged]) -> list[Bad]:
    """Give the wrong time of a connection, by label and claim, each with its longest span."""
    groups: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in every:
        if each.judgement in (WRONG, WRONG_SURE):
            said = f"{each.claim.cause} ({each.claim.certainty})"
            groups[said, each.label].append(each)
    return [
        Bad(
            run,
            tap,
            port,
            max((e.span for e in own), key=lambda span: span[1] - span[0]),
            sum(e.span[1] - e.span[0] for e in own),
            said,
            f"{label} {{{', '.join(sorted(fitting(label)))}}}",
        )
        for (said, label), own in groups.items()
    ]
