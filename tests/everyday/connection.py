"""The truth of one connection at one capture point, as spans of time with labels.

A request waits from its last byte to the first byte of its answer, both at the capture point. The
server's own log shows how much of it the application took; the rest is the round trip, of which the
part beyond the unloaded loop is due to the radio. The round trip is put before the application,
because a capture sees the request leave and then nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.everyday.logs import Exchange, Spoken
from tests.everyday.losses import Losses
from tests.everyday.rows import Row, Wait
from tests.everyday.states import States
from tests.everyday.streams import Connection, Passed
from tests.recorded.spans import Span, length, minus, union, within

LATE_NS = 5_000_000
"""The longest time from a request's arrival at the server's host until its application reads it."""

JITTER_NS = 20_000_000
"""How much longer than the unloaded loop a wait may take without a cause of its own: grants and
HARQ retransmissions vary by as much (methods T3, at the phone)."""


@dataclass(frozen=True)
class Seen:
    """A request and its answer at a capture point: the times at which their bytes passed."""

    said: Exchange
    asks: Span
    answers: Span
    shift_ns: int
    """The time from the server's application to the capture point."""


class Truth:
    """The truth of one connection at one capture point."""

    def __init__(
        self,
        tap: str,
        spoken: Spoken,
        seen: Connection,
        places: dict[str, Connection | None],
        states: States,
        loop_ns: int,
    ) -> None:
        self._tap, self._spoken, self._seen = tap, spoken, seen
        self._places, self._states, self._loop_ns = places, states, loop_ns
        phone = places["ue"] or seen
        self._whole_loop_ns = (phone.syn_ack_ns or 0) - (phone.syn_ns or 0)
        every = (self._exchange(each) for each in spoken.exchanges)
        self._exchanges = [each for each in every if each]

    def _exchange(self, said: Exchange) -> Seen | None:
        up, down = self._seen.up, self._seen.down
        asks = up.first_ns(said.request[0]), up.whole_ns(*said.request)
        answers = down.first_ns(said.answer[0]), down.whole_ns(*said.answer)
        if None in asks or None in answers:
            return None
        (a, b), (c, d) = asks, answers
        assert a is not None and b is not None and c is not None and d is not None
        return Seen(said, (a, b), (c, d), c - said.write_ns)

    def waits(self) -> Iterator[Wait]:
        """Give the wait of each request, except during an answer or at a late host."""
        for each in self._exchanges:
            answer_before = [o for o in self._exchanges if o.said.number < each.said.number]
            if any(o.answers[1] > each.asks[1] for o in answer_before) or self._late(each):
                continue
            rest = max(0, each.answers[0] - each.asks[1] - each.said.server_wait_ns)
            yield Wait(
                self._tap,
                self._spoken.port,
                each.said.number,
                each.asks[1],
                each.answers[0],
                each.said.server_wait_ns,
                rest - self._beyond_ns(rest),
            )

    def rows(self) -> list[Row]:
        """Return the spans in order; if two overlap, the first label wins."""
        shown: list[tuple[Span, str]] = []
        taken: list[Span] = []
        for span, label in self._every():
            shown += [(part, label) for part in minus([span], taken)]
            taken = union([*taken, span])
        return [Row(self._tap, self._spoken.port, *span, label) for span, label in sorted(shown)]

    def _every(self) -> Iterator[tuple[Span, str]]:
        yield from ((span, "receiver_app") for span in self._zero())
        yield from self._handshake()
        yield from self._transfers()
        yield from self._waits()
        if self._exchanges:
            ends = max(each.answers[1] for each in self._exchanges)
            yield (self._exchanges[0].asks[0], ends), "idle"

    def _zero(self) -> list[Span]:
        """Return when a window was closed because its reader had stopped."""
        return [span for span in self._seen.zero if within(self._spoken.stalls, span)]

    def _handshake(self) -> Iterator[tuple[Span, str]]:
        seen = self._seen
        over = seen.syn_ack_ns if self._tap == "ue" else seen.established_ns
        if self._spoken.handshake_to:
            over = seen.up.whole_ns(0, self._spoken.handshake_to)
        if seen.syn_ns is None or over is None or not self._exchanges:
            return
        lossy = self._repeated(seen.syn_ns, over)
        yield (seen.syn_ns, over), "handshake_or_loss" if lossy else "handshake_dns"
        yield (over, self._exchanges[0].asks[0]), "between"

    def _transfers(self) -> Iterator[tuple[Span, str]]:
        for each in self._exchanges:
            yield from self._transfer("downlink", each.answers, each)
            yield from self._transfer("uplink", each.asks, each)

    def _transfer(self, way: str, span: Span, each: Seen) -> Iterator[tuple[Span, str]]:
        said = each.said
        sender = self._places.get("server" if way == "downlink" else "ue")
        sent = (sender.down if way == "downlink" else sender.up) if sender else Passed()
        place = said.answer if way == "downlink" else said.request
        first = sent.first_ns(place[0])
        written = said.written_ns if way == "uplink" else sent.whole_ns(*place)
        shift = span[0] - first if first is not None else 0
        losses = Losses(sent, place, shift, self._whole_loop_ns)
        port = self._spoken.port
        for start, end, label in self._states.of(way, port, span, shift, written or 0):
            if label in ("window_growth", "link", "link_or_window"):
                yield from losses.over((start, end), label)
            else:
                yield (start, end), label

    def _waits(self) -> Iterator[tuple[Span, str]]:
        moving = [span for each in self._exchanges for span in (each.answers, each.asks)]
        waits = minus([(e.asks[1], e.answers[0]) for e in self._exchanges], moving)
        thinks = union(
            (e.said.read_ns + e.shift_ns, e.said.write_ns + e.shift_ns) for e in self._exchanges
        )
        for start, end in waits:
            late = any(start <= e.asks[1] <= end and self._late(e) for e in self._exchanges)
            if late or self._repeated(start, end):
                yield (start, end), "unknown"
                continue
            app = min(length(within(thinks, (start, end))), end - start)
            yield from self._wait(start, end - app, end)

    def _wait(self, start: int, thinks: int, end: int) -> Iterator[tuple[Span, str]]:
        """Give the part beyond the loop, then the loop, then the time of the application."""
        beyond = self._beyond_ns(thinks - start)
        if self._places["server"] is None or self._tap == "server":
            # At the server there is no loop; a proxy's loop does not include the path behind it.
            yield (start, thinks - beyond), "round_trip" if self._loop_ns else "sender_app"
            yield (thinks - beyond, end), "sender_app"
            return
        radio = (start, start + beyond)
        yield radio, "link" if self._states.queued(radio) else "radio_wait"
        yield (start + beyond, thinks), "round_trip"
        yield (thinks, end), "sender_app"

    def _beyond_ns(self, rest_ns: int) -> int:
        """Give the part of the wait without the application that exceeds the unloaded loop."""
        excess = max(0, rest_ns - self._loop_ns)
        return excess if excess > JITTER_NS or not self._loop_ns else 0

    def _late(self, each: Seen) -> bool:
        """Say whether the server's host was late, which its application's log cannot show."""
        host = self._places["server"]
        arrived = host.up.whole_ns(*each.said.request) if host else None
        if host is None or arrived is None:
            return False
        # A server that is still writing the previous answer does not read.
        before = [o.said for o in self._exchanges if o.said.number < each.said.number]
        wrote = (host.down.whole_ns(*said.answer) or 0 for said in before)
        return each.said.read_ns - max([arrived, *wrote]) > LATE_NS

    def _repeated(self, start: int, end: int) -> bool:
        """Say whether anything was retransmitted in between, which has causes of its own."""
        places = [place for place in self._places.values() if place]
        every = (each for p in places for way in (p.up, p.down) for each in way.repeated)
        return any(start <= time <= end for time, _, _ in every)
