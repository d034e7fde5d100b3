"""When something was seen: seconds since the first packet, and frame numbers to look it up by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airmile._rows import existing, judged_slices, rows
from airmile._summary import stepped_length_s
from airmile._words import NBSP, count

if TYPE_CHECKING:
    from airmile.dataset import Dataset

Found = dict[tuple[int, str], "Span"]
"""Spans by flow and by what was looked for."""

INSTANT_S = 0.001
"""A shorter span has one time."""

SHORT_S = 0.01
"""A shorter span is told with more digits, or both of its ends would read the same."""

_COLUMNS = (
    *("uid", "direction", "start_ns", "end_ns", "cause", "reason", "weight"),
    *("first_frame", "last_frame", "rtt_ms", "retransmissions", "rto_wait_ms"),
)


@dataclass(frozen=True)
class Span:
    """A stretch of a flow.

    Attributes
    ----------
    from_s, to_s : float
        Seconds since the first packet of the capture.
    first_frame, last_frame : int or None
        Numbers of its first and last packet in the capture, as Wireshark counts.
    direction : str
        Which way the data went.
    clock_stepped : bool
        The seconds hold a step of the clock, and say nothing of when it was.
    """

    from_s: float
    to_s: float
    first_frame: int | None
    last_frame: int | None
    direction: str
    clock_stepped: bool = False

    def __str__(self) -> str:
        """Return when it was; empty when neither seconds nor frames are known.

        >>> str(Span(0.31, 9.4, 120, 3260, "downlink")).replace(NBSP, " ")
        'from 0.31 to 9.40 s, frames 120-3 260'
        """
        if self.clock_stepped:
            return f"in {self._frames}" if self._frames else ""
        return ", ".join(part for part in (self._seconds, self._frames) if part)

    @property
    def _seconds(self) -> str:
        length_s = self.to_s - self.from_s
        if length_s < INSTANT_S:
            return f"at {self.from_s:.3f}{NBSP}s"
        digits = 4 if length_s < SHORT_S else 2
        return f"from {self.from_s:.{digits}f} to {self.to_s:.{digits}f}{NBSP}s"

    @property
    def _frames(self) -> str:
        if self.first_frame is None or self.last_frame is None:
            return ""
        if self.first_frame == self.last_frame:
            return f"frame {count(self.first_frame)}"
        return f"frames {count(self.first_frame)}-{count(self.last_frame)}"

    def display_filter(self, ue: str, ue_port: int | None) -> str | None:
        """Return the display filter that shows its packets in Wireshark.

        >>> Span(0.31, 9.4, 120, 3260, "downlink").display_filter("10.0.0.1", 40001)
        'ip.addr==10.0.0.1 && tcp.port==40001 && frame.number>=120 && frame.number<=3260'
        """
        if self.first_frame is None or self.last_frame is None:
            return None
        terms = [f"{'ipv6' if ':' in ue else 'ip'}.addr=={ue}"]
        terms += [f"tcp.port=={ue_port}"] if ue_port is not None else []
        if self.first_frame == self.last_frame:
            terms += [f"frame.number=={self.first_frame}"]
        else:
            terms += [f"frame.number>={self.first_frame}", f"frame.number<={self.last_frame}"]
        return " && ".join(terms)


def of_causes(dataset: Dataset, uids: str) -> Found:
    """Return the longest run of slices of each flow and cause."""
    query = f"""WITH marked AS (
            SELECT *, (lag(cause) OVER inside IS DISTINCT FROM cause
                OR lag(end_ns) OVER inside < start_ns)::INTEGER AS begins
            FROM ({_slices(dataset, uids)})
            WINDOW inside AS (PARTITION BY uid, direction ORDER BY start_ns, end_ns)),
        numbered AS (
            SELECT *, sum(begins) OVER (PARTITION BY uid, direction ORDER BY start_ns, end_ns
                ROWS UNBOUNDED PRECEDING) AS run FROM marked),
        runs AS (
            SELECT uid, direction, cause AS what, sum(weight) AS size, min(start_ns) AS start_ns,
                max(end_ns) AS end_ns, min(first_frame) AS first_frame,
                max(last_frame) AS last_frame
            FROM numbered GROUP BY uid, direction, cause, run)
        {_LARGEST.format(rows="runs")}"""
    return _found(dataset, query)


def of_extremes(dataset: Dataset, uids: str) -> Found:
    """Return the slice with the longest round trip, most repeats and the longest timeout."""
    slices = _slices(dataset, uids)
    extremes = " UNION ALL ".join(
        f"""SELECT uid, '{name}' AS what, {name} AS size, start_ns, end_ns, first_frame,
            last_frame, direction FROM ({slices}) WHERE {name} > 0"""
        for name in ("rtt_ms", "retransmissions", "rto_wait_ms")
    )
    return _found(dataset, _LARGEST.format(rows=f"({extremes})"))


def of_flows(dataset: Dataset, uids: str) -> Found:
    """Return what each flow's slices cover."""
    query = f"""SELECT uid, 'flow' AS what, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
            min(first_frame) AS first_frame, max(last_frame) AS last_frame,
            min(direction) AS direction
        FROM ({_slices(dataset, uids)}) GROUP BY uid"""
    return _found(dataset, query)


_LARGEST = """SELECT * FROM {rows} QUALIFY row_number()
    OVER (PARTITION BY uid, what ORDER BY size DESC, start_ns, direction) = 1"""
"""Of rows that are equally large the first."""


def _slices(dataset: Dataset, uids: str) -> str:
    there = dataset.columns("slices")
    columns = ", ".join(
        name if name in there or name == "weight" else f"NULL::BIGINT AS {name}"
        for name in _COLUMNS
    )
    return f"SELECT {columns} FROM ({judged_slices(dataset)}) WHERE uid IN ({uids})"


def _found(dataset: Dataset, query: str) -> Found:
    zero_ns, most_s = first_ns(dataset), stepped_length_s(dataset)
    return {(row["uid"], row["what"]): _span(row, zero_ns, most_s) for row in rows(dataset, query)}


def _span(row: dict[str, Any], zero_ns: int, most_s: float | None) -> Span:
    start, end = ((row[name] - zero_ns) / 1e9 for name in ("start_ns", "end_ns"))
    stepped = most_s is not None and not 0 <= start <= end <= most_s
    return Span(start, end, row["first_frame"], row["last_frame"], row["direction"], stepped)


def first_ns(dataset: Dataset) -> int:
    """Return the instant from which seconds are counted: the first packet of the capture."""
    known: int | None = dataset.manifest.get("first_ns")
    if known is not None:
        return known
    columns = existing(dataset, "flows", ("start_ns",))
    query = f"SELECT coalesce(min(start_ns), 0)::BIGINT AS ns FROM (SELECT {columns} FROM flows)"
    return int(rows(dataset, query)[0]["ns"])
