"""Finds the packets that are in both of two captures, and the clocks of the captures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from airmile._errors import InputError, engine_errors
from airmile._instants import CENTURY_NS, apart
from airmile._words import counted, moment
from airmile.answers.pair import steps
from airmile.answers.pair.clocks import RESOLUTION_S, Clock, Mask
from airmile.answers.pair.result import Which
from airmile.answers.pair.steps import Times

if TYPE_CHECKING:
    from airmile._engine import Progress

OTHER_PATH = (
    "take both captures at the same time and on one path; address translation or a proxy between "
    "them changes the packets; a snap length that cuts TCP options prevents pairing: capture at "
    "least 128 bytes (tcpdump -s 128)"
)


SET_BETWEEN = (
    "packets of both directions are shared, but a clock was set between them: each period without "
    "a step has packets of one direction only"
)


@dataclass(frozen=True)
class Found:
    """The shared packets and the clocks.

    `clocks` is empty if all shared packets, or all between any two steps, have one direction;
    `no_clock` then gives this reason. `one_way` marks packets of periods with one direction only.
    `far_apart` counts shared packets that are no pairs, because their times lie centuries apart.
    """

    pairs: pa.Table
    first_ns: Times
    second_ns: Times
    up: Mask
    forward: Mask
    nearer: Which | None
    clocks: list[Clock]
    left_out: Mask
    one_way: Mask
    no_clock: str | None
    far_apart: int
    counts: dict[str, Any]
    inputs: tuple[list[dict[str, Any]], list[dict[str, Any]]]
    volumes: tuple[pa.Table, pa.Table]
    interrupted: bool

    @property
    def clock(self) -> Clock | None:
        """The clock of the period with the most packets."""
        return max(self.clocks, key=lambda clock: clock.rows.stop - clock.rows.start, default=None)


def find(captures: list[str], options: dict[str, Any], progress: Progress | None) -> Found:
    """Pair the packets of two captures and find their clocks.

    Raises
    ------
    InputError
        The captures share no packet, or their clocks are more than a century apart.
    """
    from airmile import _engine

    with engine_errors():
        *streams, text = _engine.align([captures[0]], [captures[1]], options, progress)
    pairs, *volumes = (pa.RecordBatchReader.from_stream(stream).read_all() for stream in streams)
    counts, inputs, interrupted = json.loads(text)
    if pairs.num_rows == 0:
        raise _nothing_shared(captures, counts)
    shared = pairs.num_rows
    pairs = _of_one_century(captures, pairs)
    first, second = pairs["first_ns"].to_numpy(), pairs["second_ns"].to_numpy()
    up = pairs["direction"].to_numpy(zero_copy_only=False) == "uplink"
    nearer, forward = _order(first, second, up)
    one_way = _one_way(first, second, up)
    no_mask = np.zeros(first.size, dtype=bool)
    clocks = steps.Clocks([], no_mask, no_mask)
    if one_way is None:
        clocks = steps.clocks(first, second, forward)
        one_way = None if clocks.found else SET_BETWEEN
    known = clocks.found and not any(clock.overlaps for clock in clocks.found)
    return Found(
        pairs, first, second, up, forward, nearer if known else None, *clocks, one_way,
        shared - pairs.num_rows, counts, (inputs[0], inputs[1]), (volumes[0], volumes[1]),
        interrupted,
    )  # fmt: skip


def _of_one_century(captures: list[str], pairs: pa.Table) -> pa.Table:
    """Return the pairs whose times are near enough to each other that all differences fit."""
    first, second = pairs["first_ns"].to_numpy(), pairs["second_ns"].to_numpy()
    differences = (apart(second, first), apart(first, np.sort(first)[first.size // 2]))
    near = np.all([(each >= -CENTURY_NS) & (each <= CENTURY_NS) for each in differences], axis=0)
    if not near.any():
        told = (moment(int(times[0])) for times in (first, second))
        clocks = (f"that of {each} shows {time}" for each, time in zip(captures, told, strict=True))
        raise InputError(
            f"the clocks of the captures are more than 100 years apart: {' and '.join(clocks)} "
            "for the first packet in both",
            "set the clock of one file anew: editcap -t SECONDS in.pcap out.pcap",
        )
    return pairs if near.all() else pairs.filter(pa.array(near))


def _order(first: Times, second: Times, up: Mask) -> tuple[Which | None, Mask]:
    """Return the capture nearer to the phone, and which packets passed the first capture first."""
    round_trip_s = steps.between(first, second, up)
    forward = up if round_trip_s is None or round_trip_s >= 0 else ~up
    if round_trip_s is None or abs(round_trip_s) <= RESOLUTION_S:
        return None, forward
    return ("first" if round_trip_s > 0 else "second"), forward


def _one_way(first: Times, second: Times, up: Mask) -> str | None:
    """Return the missing direction and the bound by the other; None if there are both."""
    if up.any() and not up.all():
        return None
    difference = (second - first) / 1e6
    to, other, late = ("from", "to", "first") if up.all() else ("to", "from", "second")
    early = "second" if late == "first" else "first"
    return (
        f"all {counted(up.size, 'shared packet')} go {to} the phone and none {other} it, which "
        f"bounds the offset on one side only: at most {difference.min():.3f} ms if the {late} "
        f"capture is nearer to the phone, at least {difference.max():.3f} ms if the {early} one is"
    )


def _nothing_shared(captures: list[str], counts: dict[str, Any]) -> InputError:
    for capture, side in zip(captures, ("first", "second"), strict=True):
        if counts[side]["tcp_packets"] == 0:
            return InputError(
                f"{capture}: contains no TCP packet to align by",
                "`airmile info` shows what it contains",
            )
    held = (
        f"{capture} contains {counted(counts[side]['tcp_packets'], 'TCP packet')}"
        for capture, side in zip(captures, ("first", "second"), strict=True)
    )
    return InputError(
        f"the captures share no TCP packet: {' and '.join(held)}, and none is in both exactly once",
        OTHER_PATH,
    )
