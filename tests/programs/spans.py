"""What was going on on a connection at a capture point, as spans of time with labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from tests.everyday.losses import Losses
from tests.everyday.states import QUEUED, States
from tests.everyday.streams import Connection, Passed
from tests.programs.program import Traits
from tests.programs.quiet import PHONE, SERVER, Moving, Quiet
from tests.programs.tracing import Io
from tests.recorded.spans import Span

BULK_BYTES = 20_000
"""More is limited by a sender or a link; less is on its way for about a round trip."""

HELD_NS = 8_000_000
"""The shortest time for which a write counts as held in its own host."""

TIMER_NS = 150_000_000
"""The shortest wait of a retransmission that counts as a timer's."""

LATE_NS = 5_000_000
"""The longest time for which a request may lie at the server's host before it is read."""

UNKNOWN = "unknown"

Labelled = tuple[Span, str]


@dataclass(frozen=True)
class Talk:
    """A connection as the applications and the capture points know it.

    Attributes
    ----------
    port : int
        The phone's port.
    calls : mapping of str to list of Io
        The system calls of both ends.
    parts : list of Quiet or Moving
        Its quiet times, and those between them.
    places : mapping of str to Connection
        What each capture point saw.
    syns : mapping of str to list of int
        The times of the phone's SYNs at each capture point.
    setup_bytes : int
        The bytes of the phone's that belong to a handshake.
    loop_ns : int
        The unloaded round trip of the phone.
    least_request : int
        The least number of bytes that may be a request.
    """

    port: int
    calls: Mapping[str, list[Io]]
    parts: list[Quiet | Moving]
    places: Mapping[str, Connection]
    syns: Mapping[str, list[int]] = field(default_factory=dict)
    setup_bytes: int = 0
    loop_ns: int = 0
    least_request: int = 1


class AtTap:
    """The spans of a connection at a capture point."""

    def __init__(self, tap: str, talk: Talk, traits: Traits, states: States) -> None:
        self._tap, self._talk, self._traits, self._states = tap, talk, traits, states
        self._seen = talk.places[tap]

    def spans(self) -> Iterator[Labelled]:
        """Give all spans; where two overlap, the first one counts."""
        yield from self._handshake()
        for _, part in self._scored():
            if isinstance(part, Moving):
                yield from self._held(part)
                yield from self._repeated(part)
        for before, part in self._scored():
            if isinstance(part, Quiet):
                yield from self._quiet(part, before)
            else:
                yield from self._moving(part)

    def _scored(self) -> Iterator[tuple[Moving | None, Quiet | Moving]]:
        """Give the parts after the set-up, each with the moving part before it."""
        moving = None
        for part in self._talk.parts:
            ended = moving.up[0] if isinstance(part, Quiet) and moving else 0
            since = ended if isinstance(part, Quiet) else part.up[0]
            if since >= self._talk.setup_bytes:
                yield moving, part
            moving = part if isinstance(part, Moving) else moving

    def _handshake(self) -> Iterator[Labelled]:
        syns = self._talk.syns.get(self._tap, [])
        seen = self._seen
        over = seen.syn_ack_ns if self._tap == "ue" else seen.established_ns
        if not syns or over is None:
            return
        if self._traits.tls and self._talk.setup_bytes:
            over = seen.up.whole_ns(0, self._talk.setup_bytes) or over
        promoted = self._traits.special == "promotion"
        yield (syns[0], over), "promotion" if promoted else "handshake"

    def _quiet(self, quiet: Quiet, before: Moving | None) -> Iterator[Labelled]:
        """Place a quiet time before the bytes that end it, as they pass here."""
        own = self._seen.up if quiet.written_by == PHONE else self._seen.down
        place = quiet.up if quiet.written_by == PHONE else quiet.down
        end = own.first_ns(place)
        if end is None:
            return
        start = end - (quiet.end_ns - quiet.start_ns)
        # Where a queue delays what ends it, it was earlier at the hosts: both have to agree.
        loop_ns = self._talk.loop_ns
        both = max(start, quiet.start_ns), min(end, quiet.end_ns + loop_ns)
        if quiet.read_by == quiet.written_by == SERVER and self._traits.answers:
            yield both, "server_thinks"
            yield from self._asking(quiet, before, min(start, quiet.start_ns + loop_ns))
        else:
            # Nothing was on its way, whether at this point or at the hosts.
            yield (both[0], min(end, quiet.end_ns)), "silent"

    def _asking(self, quiet: Quiet, before: Moving | None, until: int) -> Iterator[Labelled]:
        """Give the time in which a request, or nothing of its answer, was on its way."""
        asked = self._seen.up.whole_ns(before.up[0], quiet.up) if before else None
        if before and asked is not None and until > asked:
            clear = asks_alone(before) and not late(self._talk, quiet, before.up[0])
            yield (asked, until), "transit" if clear else UNKNOWN

    def _moving(self, part: Moving) -> Iterator[Labelled]:
        """Give what limited each direction that had more than a few packets."""
        every = [list(self._bulk(way, part)) for way in ("uplink", "downlink")]
        if all(every):
            # Either of them may be what is said of this time.
            yield from overlaid(every[0], every[1])
        else:
            yield from (each for way in every for each in way)

    def _bulk(self, way: str, part: Moving) -> Iterator[Labelled]:
        up = way == "uplink"
        place = part.up if up else part.down
        stream, sender = self._streams(way)
        span = stream.first_ns(place[0]), stream.whole_ns(*place)
        first = sender.first_ns(place[0]) if sender else None
        small = place[1] - place[0] < BULK_BYTES
        if small or span[0] is None or span[1] is None or first is None or sender is None:
            return
        written = part.up_written_ns if up else part.down_written_ns
        every = self._limits(way, sender, place, (span[0], span[1]), span[0] - first, written)
        policed = self._traits.special == "policer"
        yield from ((each, f"policer|{label}" if policed else label) for each, label in every)

    def _limits(
        self, way: str, sender: Passed, place: Span, span: Span, shift: int, written: int
    ) -> Iterator[Labelled]:
        losses = Losses(sender, place, shift, self._talk.loop_ns)
        for start, end, label in self._states.of(way, self._talk.port, span, shift, written):
            if label in ("window_growth", "link", "link_or_window"):
                yield from losses.over((start, end), label)
            elif label == "sender_app" and self._queue(way, start - shift) >= QUEUED:
                # What an application has written in bursts waits in the link's queue.
                yield (start, end), "drain"
            elif label == "receive_window" and self._queue(way, start - shift) >= QUEUED:
                # A window that is larger than the path holds fills a queue.
                yield (start, end), "receive_window|link"
            else:
                yield (start, end), label

    def _queue(self, way: str, at_ns: int) -> float:
        """Give the share of time around an instant in which the link had a queue."""
        return self._states._queues[way].share(at_ns)

    def _streams(self, way: str) -> tuple[Passed, Passed | None]:
        host = self._talk.places.get("ue" if way == "uplink" else "server")
        if way == "uplink":
            return self._seen.up, host.up if host else None
        return self._seen.down, host.down if host else None

    def _held(self, part: Moving) -> Iterator[Labelled]:
        """Give when a small write waited in its own host: only an ACK released it."""
        for end, way in ((PHONE, "uplink"), (SERVER, "downlink")):
            place = part.up if way == "uplink" else part.down
            stream, host = self._streams(way)
            if host is None or place[1] - place[0] > BULK_BYTES:
                continue
            for at, wrote_ns in _writes(self._talk.calls[end], place):
                left, passed = host.first_ns(at), stream.first_ns(at)
                if left and passed and left - wrote_ns > HELD_NS:
                    yield (passed - (left - wrote_ns), passed), "held"

    def _repeated(self, part: Moving) -> Iterator[Labelled]:
        """Give when bytes of a short message, or all, waited for a timer."""
        for way, place in (("uplink", part.up), ("downlink", part.down)):
            stream, host = self._streams(way)
            bulk = place[1] - place[0] > BULK_BYTES and self._traits.special != "hole"
            if host is None or bulk:
                continue
            for time_ns, start, end in host.repeated:
                sent_ns = host.first_ns(start)
                if sent_ns is None or start >= place[1] or end <= place[0]:
                    continue
                seen = [at for at, since, _ in stream.repeated if since == start]
                shift = (stream.first_ns(start) or sent_ns) - sent_ns
                span = sent_ns + shift, time_ns + shift
                if time_ns - sent_ns < TIMER_NS:
                    yield span, UNKNOWN
                else:
                    # Where the copies did not pass, it looks like a silence of the application.
                    yield span, "timer" if seen else "timer?"


def overlaid(one: list[Labelled], other: list[Labelled]) -> Iterator[Labelled]:
    """Give two rows of spans as one, with both labels where they overlap.

    >>> list(overlaid([((0, 4), "link")], [((3, 9), "silent")]))
    [((0, 3), 'link'), ((3, 4), 'link|silent'), ((4, 9), 'silent')]
    """
    borders = sorted({at for span, _ in (*one, *other) for at in span})
    for a, b in pairwise(borders):
        found = [label for span, label in (*one, *other) if span[0] <= a and span[1] >= b]
        if found:
            yield (a, b), "|".join(dict.fromkeys(found))


def asks_alone(before: Moving) -> bool:
    """Say whether only a request moved; else the server may have read it before other bytes."""
    return before.down[0] == before.down[1]


def late(talk: Talk, quiet: Quiet, since: int) -> bool:
    """Say whether the server read a request, whose first byte is given, later than it had it."""
    host = talk.places.get("server")
    arrived = host.up.whole_ns(since, quiet.up) if host else None
    return arrived is None or quiet.start_ns - arrived > LATE_NS


def _writes(calls: Iterable[Io], place: Span) -> Iterator[tuple[int, int]]:
    """Give the offset and the time of each write within a range of bytes."""
    at = 0
    for call in calls:
        if call.wrote:
            if place[0] <= at < place[1]:
                yield at, call.start_ns
            at += call.size
