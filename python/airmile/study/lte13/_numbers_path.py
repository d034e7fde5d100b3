"""Numbers of LTE13 sections 4.2 to 6: delays, queues, losses and bandwidth."""

from __future__ import annotations

from collections.abc import Iterator

from airmile.store._definitions import LARGE_BYTES, LARGE_SIZE, large_flow
from airmile.study._needs import BEFORE_RADIO, MONITOR, Needs
from airmile.study._numbers import Number, Sql, part, quantile, share
from airmile.study.lte13 import _episodes, _flows, _utilisation
from airmile.study.lte13._flows import of_large, of_table, of_tcp

IDLE_S = 13
"""The silence in s after which the paper is sure that the radio was idle (section 4.2)."""


_WHOLE = Needs(both_ways=True, begun=True)
"""What shows whether a flow is large."""

_LOSSES = Needs(places=BEFORE_RADIO, both_ways=True)
"""What shows a loss on the radio: the retransmission of what passed before (methods C2)."""

_SPAN_S = "(dl_last_payload_ns - dl_first_payload_ns) / 1e9"
_IS_LARGE = f"coalesce({large_flow('dl_payload_bytes', _SPAN_S)}, false)"
_SPAN = ("dl_payload_bytes", "dl_first_payload_ns", "dl_last_payload_ns")


def numbers() -> Iterator[Number]:
    """Yield the numbers in the order of the paper."""
    yield from _latency()
    yield from _queues()
    yield from _abnormal()
    yield from _bandwidth()


def _latency() -> Iterator[Number]:
    ratio = "upstream_rtt_ms / nullif(downstream_rtt_ms, 0) > 1"
    columns = ("upstream_rtt_ms", "downstream_rtt_ms", _flows.PROXIED)
    sql = of_tcp(columns, share(ratio, "{}", f"NOT {_flows.PROXIED}").format)
    yield Number("4.2", "upstream RTT above downstream RTT", "share", "55 %", "B1", sql,
                 needs=Needs(places=MONITOR))  # fmt: skip
    for percentile, published in ((25, "319 ms"), (50, "435 ms"), (75, "558 ms")):
        of = f"ue_idle_before_s > {IDLE_S} AND NOT coalesce(promotion_doubtful, false)"
        query = quantile("promotion_delay_ms", percentile / 100, "{}", of)
        sql = of_tcp(("promotion_delay_ms", "promotion_doubtful", "ue_idle_before_s"), query.format)
        yield Number(
            "4.2", f"promotion delay, {percentile} %", "ms", published, "B2", sql,
            f"no handshake after {IDLE_S} s of silence of its phone",
        )  # fmt: skip
    sql = of_table(
        "dns", ("lookup_ms", "queries"), share("lookup_ms < 10", "{}", "queries = 1").format
    )
    yield Number("4.2", "DNS look-ups below 10 ms", "share", "87.3 %", "B3", sql,
                 needs=Needs(places=MONITOR))  # fmt: skip


def _queues() -> Iterator[Number]:
    columns = ("dl_retransmissions", "dl_packets")
    rate, of = "dl_retransmissions / dl_packets::DOUBLE", "dl_packets > 0"
    none = share("dl_retransmissions = 0", "{}", of)
    yield Number("4.3", "no retransmission", "share", "38.1 %", "C2", of_tcp(columns, none.format),
                 needs=_LOSSES)  # fmt: skip
    query = quantile(rate, 0.5, "{}", of)
    yield Number(
        "4.3", "median retransmission rate", "share", "0.06 %", "C2", of_tcp(columns, query.format),
        needs=_LOSSES,
    )  # fmt: skip
    query = quantile(rate, 0.5, "{}")
    yield Number(
        "4.3", "the same of large flows", "share", "", "C2", of_large(columns, query.format),
        needs=_LOSSES,
    )  # fmt: skip
    above = of_table(
        "in_flight_samples", ("direction", "in_flight_bytes"),
        share("in_flight_bytes > 200000", "{}", "direction = 'downlink'").format,
    )  # fmt: skip
    quantity = f"samples with more than 200 KB in flight, flows of {LARGE_SIZE}"
    yield Number("4.3", quantity, "share", "10 %", "C1", above,
                 needs=Needs(places=BEFORE_RADIO, least_bytes=LARGE_BYTES))  # fmt: skip


def _abnormal() -> Iterator[Number]:
    def large(
        quantity: str, unit: str, published: str, definition: str, query: str, *columns: str
    ) -> Number:  # fmt: skip
        sql = of_large(columns, query.format)
        return Number("5", quantity, unit, published, definition, sql)

    yield Number("5", "large flows, of flows", "share", "0.3 %", "T5",
                 of_tcp(_SPAN, share(_IS_LARGE, "{}").format), needs=_WHOLE)  # fmt: skip
    yield Number("5", "large flows, of downlink payload", "share", "47.7 %", "T5",
                 of_tcp(_SPAN, part("dl_payload_bytes", _IS_LARGE, "{}").format),
                 needs=_WHOLE)  # fmt: skip
    acks, reordered = "dl_duplicate_acks", "dl_out_of_order"
    ratio = f"{acks} / nullif({reordered}, 0)"
    yield large("duplicate ACKs, median", "", "17", "C3", quantile(acks, 0.5, "{}"), acks)
    yield large("above 100 duplicate ACKs", "share", "29.0 %", "C3", share(f"{acks} > 100", "{}"),
                acks)  # fmt: skip
    yield large("out-of-order packets, median", "", "2", "C3", quantile(reordered, 0.5, "{}"),
                reordered)  # fmt: skip
    yield large("ratio of the two above 25", "share", "24.7 %", "C3", share(f"{ratio} > 25", "{}"),
                acks, reordered)  # fmt: skip
    yield large("largest ratio", "", "5,000", "C3", quantile(ratio, 1.0, "{}"), acks, reordered)
    yield from _slow_starts()
    sacked = "dl_duplicate_acks_sack"
    yield large("duplicate ACKs with SACK", "share", "82.3 %", "C3",
                f"SELECT sum({sacked}) / nullif(sum({acks}), 0)::DOUBLE, sum({acks}) FROM {{}}",
                acks, sacked)  # fmt: skip
    yield large("packets out of order", "share", "below 1 %", "C3",
                f"SELECT sum({reordered}) / nullif(sum(dl_packets), 0)::DOUBLE, count(*) FROM {{}}",
                reordered, "dl_packets")  # fmt: skip
    prevented = """
        SELECT sum(dl_rto_prevented_lte13) / nullif(sum(dl_rto_exceeded_lte13), 0)::DOUBLE,
            sum(dl_rto_exceeded_lte13)::BIGINT FROM {}"""
    sql = of_large(("dl_rto_prevented_lte13", "dl_rto_exceeded_lte13"), prevented.format)
    yield Number("5", "timeouts that RTTs of duplicate ACKs prevent", "share", "above 95 %", "C5",
                 sql, needs=Needs(places=BEFORE_RADIO, timeout_seen=True))  # fmt: skip


def _slow_starts() -> Iterator[Number]:
    """Yield the undesired slow starts by R_ss alone, as the paper counts, and with a timeout."""
    for column, told in (("slow_starts", ""), ("confirmed", " with a timeout seen")):
        for of, published, condition in (
            ("of those with a loss", "20.1 %", "lossy"), ("of all large", "12.3 %", "true"),
        ):  # fmt: skip
            query = share(f"{column} > 0", "{}", condition)
            yield _of_trains(f"undesired slow start{told}, {of}", "share",
                             "" if told else published, query)  # fmt: skip
    yield _of_trains("undesired slow starts, most of a flow", "", "50",
                     quantile("slow_starts", 1.0, "{}"))  # fmt: skip


def _of_trains(quantity: str, unit: str, published: str, query: str) -> Number:
    return Number("5", quantity, unit, published, "C4",
                  lambda dataset: query.format(_episodes.large(dataset)),
                  needs=Needs(places=BEFORE_RADIO))  # fmt: skip


def _bandwidth() -> Iterator[Number]:
    yield Number("6.1", "phones with timestamps, of flows", "share", "92.6 %", "E1",
                 of_tcp(("ue_timestamps",), share("ue_timestamps", "{}").format))  # fmt: skip
    for tick, published, condition in (
        ("no timestamps", "5.9 %", "NOT ue_timestamps"),
        ("1 ms", "57.3 %", "coalesce(tick_nominal_ms = 1, false)"),
        ("10 ms", "36.4 %", "coalesce(tick_nominal_ms = 10, false)"),
    ):
        sql = of_large(("ue_timestamps", "tick_nominal_ms"), share(condition, "{}").format)
        yield Number("6.1", f"tick, large flows: {tick}", "share", published, "E1", sql)
    sql = of_large(
        ("bandwidth_c_rule_bps",), share("bandwidth_c_rule_bps IS NOT NULL", "{}").format
    )
    quantity = "large flows with a sample at C = 30 Mbps"
    yield Number("6.1", quantity, "share", "above 90 %", "E2", sql,
                 needs=Needs(places=BEFORE_RADIO))  # fmt: skip
    error = """SELECT avg(abs(error_ratio)), count(*) FROM {}
        WHERE busy AND error_ratio IS NOT NULL AND window_s = 1 AND source = 'c_rule'"""
    sql = of_table("e5", ("busy", "error_ratio", "window_s", "source"), error.format)
    yield Number("6.2", "mean error of the estimate", "share", "7.9 %", "E5", sql)
    yield from _used()


def _used() -> Iterator[Number]:
    """Yield the use of the bandwidth by flows, as the paper has it, and by phones (methods E4)."""
    for quantity, published, query in (
        ("used over estimated bandwidth, median", "19.8 %", quantile("flow_ratio", 0.5, "{}")),
        ("used below half of it", "71.3 %", share("flow_ratio < 0.5", "{}")),
        ("used above all of it", "6.4 %", share("flow_ratio > 1", "{}")),
        ("used over estimated, mean", "34.6 %",
         "SELECT avg(flow_ratio), count(flow_ratio) FROM {}"),
        ("used by the phone, median", "", quantile("phone_ratio", 0.5, "{}")),
        ("used by the phone, mean", "", "SELECT avg(phone_ratio), count(phone_ratio) FROM {}"),
    ):  # fmt: skip
        lacking = _utilisation.UNUSED if "phone" in quantity else _utilisation.SHARED
        yield Number("6.3", quantity, "share", published, "E4", _of_used(query), lacking,
                     needs=Needs(places=BEFORE_RADIO))  # fmt: skip
    missed = "SELECT 1 - avg(bandwidth_coverage_ratio), count(bandwidth_coverage_ratio) FROM {}"
    yield Number("6.3", "windows without a sample", "share", "below 20 %", "E4",
                 of_large(("bandwidth_coverage_ratio",), missed.format), _utilisation.UNUSED,
                 needs=Needs(places=BEFORE_RADIO))  # fmt: skip


def _of_used(query: str) -> Sql:
    return lambda dataset: query.format(_utilisation.used(dataset))
