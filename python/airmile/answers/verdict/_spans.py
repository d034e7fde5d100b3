"""Spans of time: seconds since the first packet, and frame numbers in the capture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from airmile._words import DAY_S, NBSP, count, counted, listed, moment
from airmile.answers.verdict._headline import stepped_length_s
from airmile.store._needs import nullable
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.store import Tables

INSTANT_S = 0.001
"""A shorter span, in s, is written as an instant."""

SHORT_S = 0.01
"""A shorter span, in s, is written with more digits, so that its ends differ."""


FILES_NAMED = 3
"""The most files that are named; more files are counted."""


@dataclass(frozen=True)
class Span:
    """A span of time of a flow.

    Attributes
    ----------
    from_s, to_s : float
        Seconds since the first packet of the capture.
    first_frame, last_frame : int or None
        Numbers of the first and the last packet of the span, as Wireshark counts; None if they are
        in several files, each of which has its own count.
    direction : str
        The direction of the data.
    clock_stepped : bool
        Whether the span contains a step of the clock, so that its times are meaningless.
    files : tuple of str
        The files of the span, if several were read as one.
    zero_ns : int
        The instant from which the seconds are counted.
    """

    from_s: float
    to_s: float
    first_frame: int | None
    last_frame: int | None
    direction: str
    clock_stepped: bool = False
    files: tuple[str, ...] = ()
    zero_ns: int = 0

    def __str__(self) -> str:
        """Return the times and the frames; an empty text if neither is known.

        >>> str(Span(0.31, 9.4, 120, 3260, "downlink")).replace(NBSP, " ")
        'from 0.31 to 9.40 s, frames 120-3 260'
        >>> str(Span(0.31, 9.4, 1, 12, "downlink", files=("b.pcap",))).replace(NBSP, " ")
        'from 0.31 to 9.40 s, frames 1-12 of b.pcap'
        """
        if self.clock_stepped:
            return f"in {self._place.removeprefix('in ')}" if self._place else ""
        return ", ".join(part for part in (self._seconds, self._place) if part)

    @property
    def _place(self) -> str:
        """The frames of the span, and the files that contain them."""
        if not self.files:
            return self._frames
        few = len(self.files) <= FILES_NAMED
        named = listed(list(self.files)) if few else counted(len(self.files), "file")
        return f"{self._frames} of {named}" if self._frames else f"in {named}"

    @property
    def _seconds(self) -> str:
        if self.from_s >= DAY_S:
            first, last = (moment(self.zero_ns + round(s * 1e9)) for s in (self.from_s, self.to_s))
            last = last.removeprefix(f"{first.partition(' ')[0]} ")
            return f"from {first} to {last}{NBSP}UTC"
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

    def display_filter(self, ue: str | None, ue_port: int | None) -> str | None:
        """Return the Wireshark display filter of the span's packets; None if they are unknown.

        >>> Span(0.31, 9.4, 120, 3260, "downlink").display_filter("10.0.0.1", 40001)
        'ip.addr==10.0.0.1 && tcp.port==40001 && frame.number>=120 && frame.number<=3260'
        """
        if ue is None or self.first_frame is None or self.last_frame is None:
            return None
        terms = [f"{'ipv6' if ':' in ue else 'ip'}.addr=={ue}"]
        terms += [f"tcp.port=={ue_port}"] if ue_port is not None else []
        if self.first_frame == self.last_frame:
            terms += [f"frame.number=={self.first_frame}"]
        else:
            terms += [f"frame.number>={self.first_frame}", f"frame.number<={self.last_frame}"]
        return " && ".join(terms)


@dataclass(frozen=True)
class Clock:
    """The origin of seconds, and the recorded length if the clock stepped."""

    zero_ns: int
    most_s: float | None
    files: tuple[File, ...] = ()

    @classmethod
    def of(cls, dataset: Tables) -> Clock:
        """Return the clock of a dataset."""
        return cls(first_ns(dataset), stepped_length_s(dataset), _files(dataset))

    def span(self, found: Mapping[str, Any]) -> Span:
        """Return the span of a row with times in ns."""
        start, end = ((found[name] - self.zero_ns) / 1e9 for name in ("start_ns", "end_ns"))
        stepped = self.most_s is not None and not 0 <= start <= end <= self.most_s
        files = tuple(
            file.name
            for file in self.files
            if file.first_ns <= found["end_ns"] and file.last_ns >= found["start_ns"]
        )
        known = len(files) == 1 or not self.files
        first, last = (found[name] if known else None for name in ("first_frame", "last_frame"))
        return Span(start, end, first, last, found["direction"], stepped, files, self.zero_ns)


class File(NamedTuple):
    """One of several files that were read as one; its frames are counted from 1."""

    name: str
    first_ns: int
    last_ns: int


def _files(dataset: Tables) -> tuple[File, ...]:
    """Return the files with packets, with distinct names; none for a single file."""
    known = [
        File(source["name"], source["first_ns"], source["last_ns"])
        for source in dataset.manifest["inputs"]
        if source.get("first_ns") is not None and source.get("last_ns") is not None
    ]
    if len(known) < 2:
        return ()
    names = [Path(file.name).name for file in known]
    if len(set(names)) < len(names):
        return tuple(known)
    return tuple(file._replace(name=name) for file, name in zip(known, names, strict=True))


def first_ns(dataset: Tables) -> int:
    """Return the time of the first packet of the capture, from which seconds are counted."""
    known: int | None = dataset.manifest.get("first_ns")
    if known is not None:
        return known
    flows = nullable(dataset, "flows", "start_ns")
    query = f"SELECT coalesce(min(start_ns), 0)::BIGINT AS ns FROM {flows}"
    return int(rows(dataset, query)[0]["ns"])
