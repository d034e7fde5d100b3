"""The numbers of HWY18's text, over all trials and by congestion control."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from airmile.store._needs import source
from airmile.study import _numbers
from airmile.study._cells import downloads
from airmile.study._exhibit import Exhibit
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study._numbers import Number, Sql, level_word, quantile, share
from airmile.study.hwy18._trials import trials
from airmile.uplink import phone

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

SHORT_BYTES, LONG_BYTES = 36_000, 1_000_000

BULK_MS = (40, 80)
"""The bounds, in ms, between which most round trips of the paper lie."""


def table(dataset: Tables) -> pa.Table:
    """Return a row per number: section, quantity, value, unit, n, published, definition, reason."""
    return _numbers.table(dataset, wanted())


def wanted() -> Iterator[Number]:
    """Yield the numbers in the order of the paper."""
    yield from _throughput()
    yield from _round_trips()
    yield from _handovers()
    yield from _controls()


def _throughput() -> Iterator[Number]:
    for level, published in ((0.25, "7 Mbps"), (0.75, "20 Mbps"), (1.0, "44 Mbps (BBR)")):
        name = "most" if level == 1 else level_word(level)
        yield Number("5.1", f"throughput of a download, {name}", "bps", published, "D1",
                     _of_trials(quantile("bps", level, "{}")))  # fmt: skip
    for condition, spoken, published in (
        (f"dl_payload_bytes < {SHORT_BYTES}", "below 36 KB downlink", "90 % (in LTE13)"),
        (f"dl_payload_bytes > {LONG_BYTES}", "above 1 MB downlink", "0.6 % (in LTE13)"),
    ):
        yield Number("5.2", f"flows with payload {spoken}", "share", published, "A5",
                     _of_flows(share(condition, "{}", "protocol = 'tcp'")))  # fmt: skip
    yield Number("5.2", "throughput of the first 1 MB, median", "bps", "", "D2",
                 _of_trials(quantile("first_bps", 0.5, "{}")))  # fmt: skip


def _round_trips() -> Iterator[Number]:
    """Give those of the phone's capture, as figure 8 does."""
    low, high = BULK_MS
    seen_from = cache(phone.seen_from)
    of = "NOT coalesce(handshake_after_idle, false)"
    for condition, spoken, published in (
        (f"handshake_rtt_ms BETWEEN {low} AND {high}", f"of {low} to {high} ms", "the bulk"),
        ("handshake_rtt_ms > 100", "above 100 ms", "some"),
    ):
        yield Number("5.3", f"handshakes with a round trip {spoken}", "share", published, "B1",
                     _of_trials(share(condition, "{}", of)), seen_from=seen_from)  # fmt: skip
    yield Number("5.3", "round trips of pings, median", "ms", "70 ms", "B5", _pings,
                 seen_from=seen_from)  # fmt: skip


def _handovers() -> Iterator[Number]:
    for least, published in ((1, "35 %"), (2, "below 4 %")):
        spoken = "1 handover or more" if least == 1 else f"{least} handovers or more"
        yield Number("5.5", f"downloads with {spoken}", "share", published, "G7",
                     _of_downloads(share(f"handovers >= {least}", "{}")))  # fmt: skip


def _controls() -> Iterator[Number]:
    for control, whole, first, duplicates in (
        ("bbr", "", "50 ms", "less than 1 %"), ("cubic", "", "25 ms", "5 to 10 %"),
    ):  # fmt: skip
        of = f"control = '{control}'"
        for quantity, column, unit, published, definition in (
            ("throughput", "bps", "bps", "", "D1"),
            ("self-inflicted delay", "self_inflicted_delay_ms", "ms", whole, "B6"),
            ("self-inflicted delay of the first 1 MB", "first_self_inflicted_ms", "ms", first,
             "B6"),
            ("duplicate ACKs, of ACKs", "duplicate_acks_percent / 100", "share", duplicates, "C3"),
            ("retransmitted packets", "retransmitted_percent / 100", "share", "", "C2"),
        ):  # fmt: skip
            needs = Needs(places=BEFORE_RADIO) if definition in ("B6", "C2") else Needs()
            yield Number("5.6", f"{control}: {quantity}, median", unit, published, definition,
                         _of_trials(quantile(column, 0.5, "{}", of)), needs=needs)  # fmt: skip


def _of_trials(query: str) -> Sql:
    return lambda dataset: query.format(trials(dataset))


def _of_flows(query: str) -> Sql:
    return lambda dataset: query.format(source(dataset, "flows", "protocol", "dl_payload_bytes"))


def _of_downloads(query: str) -> Sql:
    return lambda dataset: query.format(downloads(dataset))


def _pings(dataset: Tables) -> str:
    return quantile("rtt_ms", 0.5, source(dataset, "pings", "rtt_ms"))


numbers = Exhibit(
    "hwy18", "numbers", "section 5", "The numbers of the text", table, _numbers.findings,
    caption=(
        "The numbers of the text in the order of the paper, beside those of this data. A trial "
        "is a download of 1 MB or more (methods H2). Round trips are those of the phone's capture "
        "where there is one."
    ),
)  # fmt: skip
