"""The truth of a run: labels of scored time, and the waits that the servers' calls show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from airmile.testbed.record.captures import POINTS
from tests.everyday.rows import TRUTH_COLUMNS, Row
from tests.everyday.states import States
from tests.programs import quiet, taps, tracing
from tests.programs.program import Traits
from tests.programs.quiet import PHONE, SERVER, Moving, Quiet
from tests.programs.spans import UNKNOWN, AtTap, Labelled, Talk, asks_alone, late
from tests.programs.tracing import Io
from tests.recorded.files import write_rows
from tests.recorded.spans import Span, minus, union

ALONE = frozenset(
    {"server_thinks", "transit", "handshake", "promotion", "held", "timer", "timer?", "silent"}
)
"""Labels whose borders a slice has too (methods T2), or a transfer; others change within a slice.
"""

LEAST_MARGIN_NS = 10_000_000
SLICE_NS = 100_000_000

WAIT_COLUMNS = ("tap", "port", "request_end_ns", "first_byte_ns", "server_wait_ns")


@dataclass(frozen=True)
class Wait:
    """A request and its answer at a capture point, and how long the server took."""

    tap: str
    port: int
    request_end_ns: int
    first_byte_ns: int
    server_wait_ns: int


def write(folder: Path, traits: Traits) -> None:
    """Compute the truth of a run, and write it beside its captures."""
    rows, waits = of(folder, traits)
    write_rows(folder / "truth.csv", map(asdict, rows), TRUTH_COLUMNS)
    write_rows(folder / "waits.csv", map(asdict, waits), WAIT_COLUMNS)


def of(folder: Path, traits: Traits) -> tuple[list[Row], list[Wait]]:
    """Compute the truth of a run."""
    states = States(folder)
    seen: dict[str, taps.Tap] = {tap: taps.read(folder / f"{tap}.pcap") for tap in POINTS}
    rows: list[Row] = []
    waits: list[Wait] = []
    for talk in _talks(folder, seen, traits):
        for tap in talk.places:
            spans = [*AtTap(tap, talk, traits, states).spans()]
            spans += [(each, "handshake") for each in _lookups(seen[tap], talk, tap)]
            margin = LEAST_MARGIN_NS + talk.loop_ns // 2
            rows += [Row(tap, talk.port, *span, label) for span, label in scored(spans, margin)]
            waits += _waits(tap, talk)
    return rows, waits


def _talks(folder: Path, seen: Mapping[str, taps.Tap], traits: Traits) -> Iterator[Talk]:
    calls = {end: tracing.read(folder, f"{end}.trace") for end in (PHONE, SERVER)}
    for port in sorted({io.port for io in calls[PHONE]}):
        own = {end: [io for io in every if io.port == port] for end, every in calls.items()}
        places = {t: tap.connections[port] for t, tap in seen.items() if port in tap.connections}
        setup = _written_by(own[PHONE], seen["ue"].syns.get(port, [0])[0], traits.setup_s)
        if traits.tls:
            setup = taps.handshake_bytes(taps.sent_first(folder / "ue.pcap", port))
        syns = {t: tap.syns.get(port, []) for t, tap in seen.items()}
        parts = quiet.of(own[PHONE], own[SERVER])
        loop_ns = _loop_ns(seen)
        yield Talk(port, own, parts, places, syns, setup, loop_ns, traits.least_request)


def _written_by(calls: Iterable[Io], since_ns: int, after_s: float) -> int:
    """Give the bytes that an application had written within a time."""
    until_ns = since_ns + round(after_s * 1e9)
    return sum(io.size for io in calls if io.wrote and io.start_ns < until_ns)


def _loop_ns(seen: Mapping[str, taps.Tap]) -> int:
    """Give the least round trip of the phone's handshakes, from their last SYN on.

    The monitor sees both halves, without what a SYN waited for at the phone.
    """
    loops = [*_since_syn(seen["ue"], "syn_ack_ns"), *_since_syn(seen["monitor"], "established_ns")]
    return min(loops, default=0)


def _since_syn(tap: taps.Tap, what: str) -> Iterator[int]:
    for port, each in tap.connections.items():
        answered, until = each.syn_ack_ns, getattr(each, what)
        asked = [at for at in tap.syns.get(port, []) if answered and at < answered]
        if asked and until:
            yield until - asked[-1]


def _lookups(seen: taps.Tap, talk: Talk, tap: str) -> Iterator[Span]:
    """Give the look-ups that the opening of a connection waited for."""
    syns = talk.syns.get(tap, [])
    for asked, answered in seen.lookups:
        if syns and 0 <= syns[0] - answered < SLICE_NS:
            yield asked, syns[0]


def _waits(tap: str, talk: Talk) -> Iterator[Wait]:
    seen = talk.places[tap]
    last_read_by = PHONE
    for before, part in pairwise(talk.parts):
        if not (isinstance(before, Moving) and isinstance(part, Quiet)):
            continue
        since = before.up[0]
        # What was read before a client spoke again may be the request, and this no part of it.
        alone = asks_alone(before) and last_read_by == PHONE
        alone &= before.up[1] - before.up[0] >= talk.least_request
        last_read_by = part.read_by
        answers = part.read_by == part.written_by == SERVER and alone
        if answers and since >= talk.setup_bytes and not late(talk, part, since):
            asked, answered = seen.up.whole_ns(*before.up), seen.down.first_ns(part.down)
            if asked is not None and answered is not None:
                yield Wait(tap, talk.port, asked, answered, part.end_ns - part.start_ns)


def scored(spans: Iterable[Labelled], margin_ns: int) -> list[Labelled]:
    """Give the spans without their overlaps and without margins at their borders, in order.

    Where what limits a sender changes within a slice and the margins, either label is right.
    """
    apart: list[Labelled] = []
    taken: list[Span] = []
    for span, label in spans:
        apart += [(part, label) for part in minus([span], taken)]
        taken = union([*taken, span])
    joined = _joined(sorted(apart))
    limits = [each for each in joined if not _bordered(each[1])]
    cut = [_shrunk(each, margin_ns) for each in joined if _bordered(each[1])]
    either = _either(limits, margin_ns)
    return sorted(each for each in [*cut, *either] if each[0][1] > each[0][0])


def _bordered(label: str) -> bool:
    return label in ALONE or label == UNKNOWN


def _joined(spans: Iterable[Labelled]) -> list[Labelled]:
    found: list[Labelled] = []
    for span, label in spans:
        if found and found[-1][1] == label and span[0] - found[-1][0][1] < 1_000:
            found[-1] = (found[-1][0][0], span[1]), label
        else:
            found.append((span, label))
    return found


def _shrunk(each: Labelled, margin_ns: int) -> Labelled:
    (start, end), label = each
    if label == UNKNOWN:
        return (start, start), label
    return (start + margin_ns, end - margin_ns), label


def _either(limits: list[Labelled], margin_ns: int) -> Iterator[Labelled]:
    """Give limits with all labels within reach, without margins at the ends of each run."""
    reach_ns = margin_ns + SLICE_NS
    for run in _runs(limits):
        start, end = run[0][0][0] + margin_ns, run[-1][0][1] - margin_ns
        borders = {start, end}
        for (since, until), _ in run:
            borders |= {since - reach_ns, since + reach_ns, until - reach_ns, until + reach_ns}
        places = sorted(at for at in borders if start <= at <= end)
        for a, b in pairwise(places):
            near = {label for s, label in run if s[0] < b + reach_ns and s[1] > a - reach_ns}
            yield (a, b), "|".join(sorted(near))


def _runs(limits: list[Labelled]) -> Iterator[list[Labelled]]:
    run: list[Labelled] = []
    for each in limits:
        if run and each[0][0] - run[-1][0][1] > 1_000:
            yield run
            run = []
        run.append(each)
    if run:
        yield run
