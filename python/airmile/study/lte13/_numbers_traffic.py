"""Numbers of LTE13 sections 3.1 and 4.1: the size of the data and the flows in the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from airmile.store._needs import source
from airmile.study._needs import Needs
from airmile.study._numbers import Number, part, quantile, share, unknown
from airmile.study.lte13._flows import of_table, of_tcp, tcp

if TYPE_CHECKING:
    from airmile.store import Tables

UPLOADED = "airmile keeps the types of responses, not of what is uploaded"

HTTP, HTTPS = "server_port IN (80, 8080)", "server_port = 443"

WHOLE = Needs(both_ways=True, begun=True)
"""What shows the size and the duration of a flow, as in figures 2 and 3."""

TOP = 0.05
"""The share of flows that the paper calls the top flows by payload."""


def numbers() -> Iterator[Number]:
    """Yield the numbers in the order of the paper."""
    yield from _data()
    yield from _protocols()
    yield from _sizes()
    yield from _top_flows()
    yield from _durations()
    yield from _correlations()


def _data() -> Iterator[Number]:
    for quantity, published, definition, expression, table, column in (
        ("subscribers", "379K", "A3", "count(DISTINCT subscriber)", "flows", "subscriber"),
        ("servers", "719K", "A4", "count(DISTINCT server)", "flows", "server"),
        ("flows", "47.1 million", "A4", "count(*)", "flows", "uid"),
        (
            "sessions (ended by 1 h of silence, unless set)",
            "",
            "A3",
            "count(*)",
            "sessions",
            "session_id",
        ),
    ):
        query = f"SELECT {expression}::DOUBLE, count(*) FROM {{}}"
        yield Number(
            "3.1", quantity, "", published, definition, of_table(table, (column,), query.format)
        )


def _protocols() -> Iterator[Number]:
    columns = ("protocol", "server_port", "ul_payload_bytes", "dl_payload_bytes")
    payload, is_tcp = "ul_payload_bytes + dl_payload_bytes", "protocol = 'tcp'"

    def number(quantity: str, published: str, condition: str, by_bytes: bool, tcp: bool) -> Number:
        def query(rows: str) -> str:
            return part(payload, condition, rows) if by_bytes else share(condition, rows)

        sql = of_tcp(columns, query) if tcp else of_table("flows", columns, query)
        return Number("4.1", quantity, "share", published, "A7", sql)

    yield number("TCP, of flows", "95.3 %", is_tcp, by_bytes=False, tcp=False)
    yield number("TCP, of bytes", "97.2 %", is_tcp, by_bytes=True, tcp=False)
    yield number("HTTP, of TCP bytes", "76.6 %", HTTP, by_bytes=True, tcp=True)
    yield number("HTTP, of TCP flows", "50.1 %", HTTP, by_bytes=False, tcp=True)
    yield number("HTTPS, of TCP bytes", "14.8 %", HTTPS, by_bytes=True, tcp=True)
    yield number("HTTPS, of TCP flows", "42.1 %", HTTPS, by_bytes=False, tcp=True)


def _sizes() -> Iterator[Number]:
    for way, spoken, most, empty, limit, above, carried in (
        ("ul", "uplink", "2.9 KB", "10.9 %", 100_000, "0.1 %", "63.9 %"),
        ("dl", "downlink", "35.9 KB", "11.3 %", 1_000_000, "0.6 %", "61.7 %"),
    ):
        size = f"{way}_payload_bytes"
        large = f"{size} > {limit}"

        def number(quantity: str, unit: str, published: str, sql: str, size: str = size) -> Number:
            sql_of = of_tcp((size,), sql.format)
            return Number("4.1", quantity, unit, published, "A5", sql_of, needs=WHOLE)

        limit_kb = f"{limit // 1000:,} KB"
        yield number(f"90 % of flows: {spoken} up to", "bytes", most, quantile(size, 0.9, "{}"))
        yield number(f"no {spoken} payload", "share", empty, share(f"{size} = 0", "{}"))
        yield number(f"above {limit_kb} {spoken}, of flows", "share", above, share(large, "{}"))
        yield number(f"their share of {spoken} bytes", "share", carried, part(size, large, "{}"))


def _top_flows() -> Iterator[Number]:
    def least(way: str) -> str:
        size = f"{way}_payload_bytes"
        return f"{size} >= (SELECT quantile_disc({size}, {1 - TOP}) FROM {{0}})"

    size = ("dl_payload_bytes",)
    yield Number(
        "4.1", "top 5 % of flows: downlink at least", "bytes", "85.9 KB", "A5",
        of_tcp(size, quantile(size[0], 1 - TOP, "{}").format), needs=WHOLE,
    )  # fmt: skip
    yield Number(
        "4.1", "HTTP, of the top 5 % by downlink", "share", "80.3 %", "A5",
        of_tcp(size, share(HTTP, "{0}", least("dl")).format), needs=WHOLE,
    )  # fmt: skip
    yield Number("4.1", "video or audio, of their bytes", "share", "74.4 %", "F1", _media_of_top)
    yield unknown("4.1", "images, of the top 5 % by uplink", "73.6 %", "F1", UPLOADED)


def _media_of_top(dataset: Tables) -> str:
    """Return SQL for video and audio: their share of the top flows' unencrypted response bytes."""
    responses = source(dataset, "http", "uid", "class", "body_bytes")
    flows = tcp(dataset, "uid", "dl_payload_bytes")
    top = f"""(
        SELECT run, uid FROM {flows}
        WHERE dl_payload_bytes >= (
            SELECT quantile_disc(dl_payload_bytes, {1 - TOP}) FROM {flows}))"""
    joined = f"(FROM {responses} JOIN {top} USING (run, uid) WHERE class IS NOT NULL)"
    return part("body_bytes", "class IN ('video', 'audio')", joined)


def _durations() -> Iterator[Number]:
    for quantity, published, definition, condition, column in (
        ("shorter than 5 s", "48.1 %", "A5", "duration_s < 5", "duration_s"),
        ("only SYN", "8.5 %", "A4", "ending = 'syn_only'", "ending"),
        ("3 min or longer", "6.8 %", "A5", "duration_s >= 180", "duration_s"),
        ("longer than 10 min", "2.8 %", "A5", "duration_s > 600", "duration_s"),
        ("ended by FIN", "86.2 %", "A4", "ending = 'fin'", "ending"),
        ("ended by RST", "5.4 %", "A4", "ending = 'rst'", "ending"),
        ("ended more than 10 s after the last payload", "23.1 %", "A6",
         "coalesce(ending_gap_s, 0) > 10", "ending_gap_s"),
    ):  # fmt: skip
        ended = "ending <> 'open'" if column == "ending" else "true"
        sql = of_tcp((column,), share(condition, "{}", ended).format)
        needs = WHOLE if column == "duration_s" else Needs()
        yield Number("4.1", quantity, "share", published, definition, sql, needs=needs)


def _correlations() -> Iterator[Number]:
    """Yield the correlations of size, duration and rate; those of the paper are contradictory."""
    printed = {"dl": ("0.196", "-0.885", "0.392"), "ul": ("0.030", "-0.986", "0.445")}
    for way, spoken in (("dl", "downlink"), ("ul", "uplink")):
        values = {
            "size": f"{way}_payload_bytes",
            "duration": "duration_s",
            "rate": f"{way}_rate_bps",
        }
        of = f"{values['size']} > 0 AND duration_s > 0"
        pairs = (("size", "duration"), ("duration", "rate"), ("rate", "size"))
        for (x, y), published in zip(pairs, printed[way], strict=True):
            query = f"""SELECT corr(log10({values[x]}), log10({values[y]})), count(*)
                FROM {{}} WHERE {of}"""
            sql = of_tcp(tuple(values.values()), query.format)
            quantity = f"correlation of log {x} and log {y}, {spoken}"
            yield Number("4.1", quantity, "", f"{published} (contradictory)", "A5", sql,
                         needs=WHOLE)  # fmt: skip
