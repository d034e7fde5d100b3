"""Compares the server's share of each wait with the log of its application."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any, NamedTuple

from tests.everyday.analysed import Said
from tests.recorded.spans import length, union, within

WAIT_COLUMNS = (
    "capture",
    "kind",
    "tap",
    "what",
    "requests",
    "answered",
    "median",
    "p90",
    "within_25",
)
NOT_YET = "not there yet"


class _Wait(NamedTuple):
    """The wait of one request for its answer, and the parts of the wait."""

    start_ns: int
    end_ns: int
    server_ns: int
    loop_ns: int


_COLUMNS = ("request_end_ns", "first_byte_ns", "server_wait_ns", "round_trip_ns")


@dataclass
class Waits:
    """The errors of waits, and the loops, in milliseconds.

    Attributes
    ----------
    by_slices : list of float
        Time of `sender_app` slices within a wait, minus the time of the server's application.
    by_column : list of float or None
        `server_wait_ms` of a transfer minus that time; None where it is null.
    loop_errors : list of float
        Time of `round_trip` slices within a wait, minus the loop.
    loops : list of float
        The actual loop from this capture point: the rest of the wait without the radio's part.
    has_column : bool
        Whether the column `server_wait_ms` exists.
    """

    by_slices: list[float] = field(default_factory=list)
    by_column: list[float | None] = field(default_factory=list)
    loop_errors: list[float] = field(default_factory=list)
    loops: list[float] = field(default_factory=list)
    has_column: bool = False

    def add(self, requests: Iterable[Mapping[str, str]], said: Said) -> None:
        """Add the requests of a capture."""
        self.has_column |= said.has_server_wait
        by_port: dict[int, list[_Wait]] = {}
        for each in requests:
            numbers = (int(each[name]) for name in _COLUMNS)
            by_port.setdefault(int(each["port"]), []).append(_Wait(*numbers))
        for port, waits in by_port.items():
            self._by_slices(port, waits, said)
            self._by_column(port, waits, said)

    def _by_slices(self, port: int, waits: list[_Wait], said: Said) -> None:
        for wait in waits:
            whole = wait.start_ns, wait.end_ns
            here = [each for each in said.slices[port] if within([each[0]], whole)]
            app, loop = (
                length(within(union(span for span, c in here if c == cause), whole))
                for cause in ("sender_app", "round_trip")
            )
            self.by_slices.append((app - wait.server_ns) / 1e6)
            self.loop_errors.append((loop - wait.loop_ns) / 1e6)
            self.loops.append(wait.loop_ns / 1e6)

    def _by_column(self, port: int, waits: list[_Wait], said: Said) -> None:
        for transfer in said.transfers[port]:
            since, until = transfer["request_ns"], transfer["end_ns"]
            if since is None:
                continue
            mine = [each.server_ns for each in waits if since <= each.start_ns <= until]
            if mine:
                shown = transfer["server_wait_ms"]
                self.by_column.append(None if shown is None else shown - sum(mine) / 1e6)

    def rows(self, kind: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Give the rows of the table, in milliseconds."""
        yield {**kind, **_row("loop from the tap, as it was", self.loops, absolute=False)}
        yield {**kind, **_row("sender_app in slices, error", self.by_slices)}
        yield {**kind, **_row("round_trip in slices, error", self.loop_errors)}
        column = _row("server_wait_ms, error", self.by_column)
        yield {**kind, **column, **({} if self.has_column else {"answered": NOT_YET})}


def _row(what: str, values: Sequence[float | None], *, absolute: bool = True) -> dict[str, Any]:
    shown = [abs(v) if absolute else v for v in values if v is not None]
    deciles = quantiles(shown, n=10, method="inclusive") if len(shown) > 1 else shown * 9
    return {
        "what": what,
        "requests": len(values),
        "answered": len(shown),
        "median": round(median(shown), 2) if shown else None,
        "p90": round(deciles[8], 2) if shown else None,
        "within_25": round(sum(v <= 25 for v in shown) / len(shown), 3) if shown else None,
    }
