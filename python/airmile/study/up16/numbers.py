"""The numbers in section 3 of UP16; figures 7 and 9 have the numbers of section 4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from airmile.answers import concurrency
from airmile.store._needs import source
from airmile.study import _numbers
from airmile.study._exhibit import Exhibit
from airmile.study._numbers import Number, Sql, level_word, part, quantile, share

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

MEGABYTE = 1_000_000
TOP_SHARE = 0.2
"""The share of largest sessions, by payload of both directions, that the paper examines."""


def table(dataset: Tables) -> pa.Table:
    """Return a row per number: section, quantity, value, unit, n, published, definition, reason."""
    return _numbers.table(dataset, wanted())


def wanted() -> Iterator[Number]:
    """Yield the numbers in the order of the paper."""
    yield from _volumes()
    yield from _rates()
    yield Number("3", "2 or more flows with payload in a second", "share", "28.2 %", "A8",
                 lambda dataset: f"""
                    SELECT sum(slots) FILTER (flows >= 2) / sum(slots), sum(slots)::BIGINT
                    FROM {concurrency.slots(dataset)}""")  # fmt: skip


def _volumes() -> Iterator[Number]:
    """Yield the numbers about the payload of sessions (methods A9)."""
    ratio = "SELECT avg(dl_bytes) / nullif(avg(ul_bytes), 0), count(*) FROM {}"
    yield _of_sessions("mean download over mean upload", "", "about 10", ratio)
    for column, spoken, published in (
        ("dl_bytes", "downlink", "2.2 %"), ("ul_bytes", "uplink", "0.4 %"),
    ):  # fmt: skip
        yield _of_sessions(f"sessions with more than 1 MB {spoken}", "share", published,
                           share(f"{column} > {MEGABYTE}", "{}"))  # fmt: skip
    columns = ("class", "body_bytes", "uid")
    yield Number("3", "video, of HTTP bytes down", "share", "about half of all bytes", "F1",
                 lambda dataset: part("body_bytes", "class = 'video'",
                                      source(dataset, "http", *columns)))  # fmt: skip
    fraction = "ul_bytes / (ul_bytes + dl_bytes)"
    largest = f"""(SELECT * FROM (SELECT *, percent_rank() OVER (ORDER BY ul_bytes + dl_bytes DESC)
        AS rank FROM {{}}) WHERE rank <= {TOP_SHARE})"""
    for spoken, rows, printed in (
        (f"the largest {level_word(TOP_SHARE)} of sessions", largest, ("9 %", "20 %", "42 %")),
        ("all sessions", "{}", ("19 %", "50 %", "57 %")),
    ):
        for level, published in zip((0.25, 0.5, 0.75), printed, strict=True):
            name = f"share of upload in {spoken}, {level_word(level)}"
            query = quantile(fraction, level, rows, "ul_bytes + dl_bytes > 0")
            yield _of_sessions(name, "share", published, query)
    longest = "SELECT max(ul_bytes), count(*) FROM {}"
    yield _of_sessions("most upload in a session", "bytes", "226 MB", longest)


def _of_sessions(quantity: str, unit: str, published: str, query: str) -> Number:
    def sql(dataset: Tables) -> str:
        sessions = source(dataset, "sessions", "ul_bytes", "dl_bytes")
        return query.format(f"(FROM {sessions} WHERE ul_bytes + dl_bytes > 0)")

    return Number("3", quantity, unit, published, "A9", sql)


def _rates() -> Iterator[Number]:
    """Yield the rates of uploads of 3 s and more, by size (methods A9)."""
    for least, most, spoken, levels in (
        (MEGABYTE, 10 * MEGABYTE, "of 1 to 10 MB",
         ((0.25, "1.4 Mbps"), (0.5, "2.4 Mbps"), (0.75, "3.8 Mbps"))),
        (10 * MEGABYTE, None, "above 10 MB", ((0.5, "2.2 Mbps"), (1.0, "12.8 Mbps"))),
    ):  # fmt: skip
        for level, published in levels:
            name = "most" if level == 1 else f"{level_word(level)}"
            yield Number("3", f"rate of uploads {spoken}, {name}", "bps", published, "A9",
                         _of_uploads(level, least, most))  # fmt: skip


def _of_uploads(level: float, least: int, most: int | None) -> Sql:
    def sql(dataset: Tables) -> str:
        flows = source(dataset, "flows", "protocol", "ul_payload_bytes", "ul_burst_bps")
        below = "" if most is None else f" AND ul_payload_bytes < {most}"
        of = f"protocol = 'tcp' AND ul_payload_bytes >= {least}{below}"
        return quantile("ul_burst_bps", level, flows, of)

    return sql


numbers = Exhibit(
    "up16", "numbers", "section 3", "The numbers of the text", table, _numbers.findings,
    caption=(
        "The numbers of section 3 in the order of the paper, beside those of this data; those "
        "of section 4 are with figures 7 and 9. Sessions and bursts of payload are counted as "
        "in the paper (methods A8, A9)."
    ),
)  # fmt: skip
