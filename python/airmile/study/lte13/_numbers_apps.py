"""Numbers of LTE13: time lost (section 6.3), content types and receive windows (section 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from airmile.answers import radio_on
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study._numbers import Number, Sql, part, quantile, share
from airmile.study.lte13 import _utilisation
from airmile.study.lte13._flows import of_table, of_tcp

if TYPE_CHECKING:
    from airmile.store import Tables

WINDOW_BYTES, NEAR_BYTES = 131_712, 600
"""The initial receive window of nearly all phones in the paper, and the tolerance, in bytes."""


def numbers() -> Iterator[Number]:
    """Yield the numbers in the order of the paper."""
    yield from _time_lost()
    for kind, published in (
        ("video", "37.8 %"), ("image", "19.5 %"), ("text", "11.8 %"), ("zip", "8.3 %"),
        ("audio", "6.5 %"), ("other", "5.6 %"), ("unknown", "10.5 %"),
    ):  # fmt: skip
        yield _part(f"{kind}, of HTTP bytes", published, f"class = '{kind}'")
    octets = "content_type = 'application/octet-stream'"
    yield _part("octet-stream, of video", "12.9 %", octets, "class = 'video'")
    yield from _windows()
    yield from _radio()


def _part(quantity: str, published: str, condition: str, of: str = "class IS NOT NULL") -> Number:
    """Return a share of the bytes of unencrypted responses whose head was captured."""
    query = part("body_bytes", condition, f"(FROM {{}} WHERE {of})")
    columns = ("class", "content_type", "body_bytes")
    sql = of_table("http", columns, query.format)
    lacking = "no response of HTTP in clear that counts was captured with its head"
    return Number("7.1", quantity, "share", published, "F1", sql, lacking)


def _windows() -> Iterator[Number]:
    window = "ue_initial_window_bytes"
    yield Number("7.2", "initial receive window, median", "bytes", "131.8 KB", "C6",
                 of_tcp((window,), quantile(window, 0.5, "{}").format))  # fmt: skip
    near = f"abs({window} - {WINDOW_BYTES}) <= {NEAR_BYTES}"
    yield Number("7.2", "initial receive window of 131,712 +/- 600 B", "share", "above 99 %", "C6",
                 of_tcp((window,), share(near, "{}").format))  # fmt: skip
    columns = ("window_full_s", "window_full_first_ratio", "dl_payload_bytes")
    full = share("window_full_s > 0", "{}", "dl_payload_bytes > 0")
    yield Number("7.2", "downlink flows with a full receive window", "share", "52.6 %", "C6",
                 of_tcp(columns, full.format))  # fmt: skip
    first = share("window_full_first_ratio <= 0.1", "{}", "window_full_s > 0")
    yield Number("7.2", "of those: first full in the first tenth", "share", "91.2 %", "C6",
                 of_tcp(columns, first.format))  # fmt: skip


def _radio() -> Iterator[Number]:
    """Yield the medians over sessions; the paper has the same numbers for one download."""
    for what, column, unit, published in (
        ("radio on in a session", "radio_on", "s", "38 s (one download)"),
        ("the same bytes at the estimated bandwidth", "ideal_radio_on", "s",
         "12.5 s (one download)"),
        ("energy of the radio in a session", "energy", "J", ""),
        ("the same bytes at the estimated bandwidth", "ideal_energy", "J", ""),
    ):  # fmt: skip
        yield Number("7.2", f"{what}, median", unit, published, "F3", _of_sessions(column, unit))
    yield Number(
        "7.2", "promotions in a session, median", "", "", "F3", _of_sessions("promotions", "")
    )


def _of_sessions(stem: str, unit: str) -> Sql:
    """Return the query of a median over sessions; a tail is the middle of its interval."""

    def query(dataset: Tables) -> str:
        end = f"_{unit.lower()}" if unit else ""
        middle = f"({stem}_low{end} + coalesce({stem}_high{end}, {stem}_low{end})) / 2"
        return quantile(middle, 0.5, f"({radio_on.query(dataset, radio_on.tail(dataset))})")

    return query


def _time_lost() -> Iterator[Number]:
    """Yield how much longer large flows take than at the estimated bandwidth (methods F3).

    The paper's 52.9 % does not follow from the utilisation of 34.6 % that it gives.
    """
    yield _lost("longer than at the estimated bandwidth, mean", "52.9 %",
                "avg(1 / flow_ratio - 1)")  # fmt: skip
    yield _lost("time lost of that, mean", "", "avg(1 - flow_ratio)")
    ideal_s = f"{_SPAN_S} * flow_ratio"
    for ending, tail in (("", "0"), (", with tails", "{tail_s}")):
        ratio = f"sum({ideal_s} + {tail}) / sum({_SPAN_S} + {tail})"
        yield _lost(f"longer, all flows together{ending}", "", f"1 / ({ratio}) - 1")
        yield _lost(f"time lost of that, all flows together{ending}", "", f"1 - {ratio}")


_SPAN_S = "(end_ns - start_ns) / 1e9"


def _lost(quantity: str, published: str, value: str) -> Number:
    """Return a number of the large flows for which the use of the bandwidth is known."""

    def query(dataset: Tables) -> str:
        tail_s = radio_on.tail(dataset).middle_s if "{tail_s}" in value else None
        return f"""SELECT {value.format(tail_s=tail_s)}, count(*)
            FROM {_utilisation.used(dataset)} WHERE flow_ratio > 0"""

    return Number("6.3", quantity, "share", published, "F3", query, _utilisation.SHARED,
                  needs=Needs(places=BEFORE_RADIO))  # fmt: skip
