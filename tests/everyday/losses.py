"""When a sender waited for lost data: from the first copy of lost bytes to the last one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tests.everyday.streams import Passed
from tests.recorded.spans import Span, minus, union, within


class Losses:
    """The losses in one message.

    Parameters
    ----------
    sent : Passed
        The bytes of the direction, as they leave the sender.
    place : (int, int)
        The offsets of the message's bytes.
    shift_ns : int
        The time from the sender to the capture point.
    loop_ns : int
        How long a silent sender may only be waiting for ACKs.
    """

    def __init__(self, sent: Passed, place: Span, shift_ns: int, loop_ns: int) -> None:
        opened = []
        for time_ns, start, end in sent.repeated:
            first_ns = sent.first_ns(start)
            if first_ns is not None and start < place[1] and end > place[0]:
                opened.append((first_ns + shift_ns, time_ns + shift_ns))
        self._open = union(opened)
        times = [time + shift_ns for time in sent.sent_ns(*place)]
        ends = [time_ns for _, time_ns in self._open]
        self._silent = union(_silences(sorted([*times, *ends]), loop_ns))

    def over(self, span: Span, label: str) -> Iterator[tuple[Span, str]]:
        """Split a span into parts in which a sender waited for its timer, and other parts.

        While other data is still sent after a loss, the sender may not know of it yet.
        """
        lost = within(self._open, span)
        timer = [part for each in lost for part in within(self._silent, each)]
        yield from ((part, "loss_recovery") for part in timer)
        yield from ((part, "loss_or_window") for part in minus(lost, timer))
        yield from ((part, label) for part in minus([span], lost))


def _silences(times: list[int], loop_ns: int) -> Iterator[Span]:
    """Give the part of each silence that exceeds a loop."""
    for before, after in pairwise(times):
        if after - before > loop_ns * 1.2:
            yield before + loop_ns, after
