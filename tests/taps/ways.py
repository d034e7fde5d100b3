"""The ways in which a capture is given to airmile: whole, or with a part alone."""

from __future__ import annotations

from pathlib import Path

from tests.everyday import damage
from tests.recorded.files import read_bytes
from tests.recorded.packets import records
from tests.recorded.spans import Span
from tests.taps.quiet import after_quiet

WHOLE = "whole"

KNOWN = ", path known"
"""What follows a way of `CUT` where its seconds are judged by what the whole capture shows: the
path's least round trip, its jitter, the window's scale, and what the sender did before."""

WHOLE_KNOWN = WHOLE + KNOWN
"""The whole capture, with a quiet exchange on the empty path before each connection."""

WAYS = {
    WHOLE: WHOLE,
    WHOLE_KNOWN: "quiet before",
    "no first third": "cut at the beginning",
    "middle third": "cut at both ends",
    "one in a hundred missing": "thinned by 1 %",
    "uplink only": "uplink only",
    "downlink only": "downlink only",
    "96 bytes": "96 bytes",
    "64 bytes": "64 bytes",
}
"""The ways, with the kind of damage that each is."""

CUT = ("no first third", "middle third")
"""The ways that hold all packets of a part of the time."""


def given(capture: Path, way: str, seed: str) -> tuple[Path | bytes, Span | None] | None:
    """Give a capture in a way, with the span that it holds; None if it is as without the way.

    Parameters
    ----------
    capture : Path
        The whole capture.
    way : str
        One of `WAYS`.
    seed : str
        What names the capture.
    """
    if way == WHOLE:
        return capture, None
    data = read_bytes(capture)
    if way == WHOLE_KNOWN:
        return after_quiet(data, seed), None
    kind = WAYS[way]
    if kind in damage.WHOLE:
        longest = max((end - at - 16 for at, end in records(data)), default=0)
        if longest <= damage.WHOLE[kind]:
            return None
        return damage.damaged(data, kind, seed)[0], None
    return damage.damaged(data, kind, seed)
