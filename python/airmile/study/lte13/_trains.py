"""One train of duplicate ACKs, packet by packet, as figures 15 and 16 show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from airmile._words import count, counted, seconds, size
from airmile.store._needs import Missing
from airmile.study import _packets
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.lte13 import _episodes, _flows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

AROUND_S = 0.5
"""The time in s that is shown before the train and after it; our choice."""

MARKS = {"data": ".", "retransmission": "x", "ACK": "|", "duplicate ACK": "|"}
"""The events of the upper panel, which have a sequence number, with their markers."""

RULES = {"rfc": "RFC 6298", "lte13": "LTE13", "linux": "Linux"}
"""Whose rule each timeout follows."""

HOW = f"{_flows.HOW_LARGE}; {_flows.MONITOR}"

_SCHEMA = pa.schema(
    [("event", pa.string()), ("time_s", pa.float64()), ("value", pa.float64()),
     ("run", pa.string()), ("uid", pa.uint64()), ("rss_ratio", pa.float64()),
     ("end_s", pa.float64()), ("in_flight_bytes", pa.int64()), ("duplicate_acks", pa.int64()),
     ("upstream_rtt_ms", pa.float64()), ("spans_begin_s", pa.float64()),
     ("span_s", pa.float64())]
)  # fmt: skip


@dataclass(frozen=True)
class Which:
    """Which train a figure shows, in SQL over the rows of `_episodes.trains`.

    Attributes
    ----------
    condition : str
        What the train must be.
    order : str
        The first train in this order is shown.
    lacking : str
        What a dataset lacks that has no such train.
    """

    condition: str
    order: str
    lacking: str


def exhibit(
    name: str,
    title: str,
    which: Which,
    published: dict[str, str],
    caption: str,
    needs: Needs = Needs(places=BEFORE_RADIO),  # noqa: B008  # it is frozen
) -> Exhibit:
    """Return the figure of one train of duplicate ACKs."""

    def table(dataset: Tables) -> pa.Table:
        """Return a row per packet and per RTT sample around a train of duplicate ACKs (methods C4).

        Times count from the first duplicate ACK of the train.
        """
        train = _chosen(dataset, which)
        packets = _packets.of_flow(dataset, train).to_pylist()
        rows = [*_events(packets, train), *_timeouts_of(packets, train)]
        begin_ns, end_ns = train["rss_start_ns"], train["rss_end_ns"]
        constant = {
            "end_s": (train["end_ns"] - train["start_ns"]) / 1e9,
            **{name: train[name] for name in ("run", "uid", "rss_ratio", "in_flight_bytes")},
            **{name: train[name] for name in ("duplicate_acks", "upstream_rtt_ms")},
            "spans_begin_s": (begin_ns - train["start_ns"]) / 1e9,
            "span_s": (end_ns - begin_ns) / 2e9,
        }
        return pa.Table.from_pylist([{**row, **constant} for row in rows], schema=_SCHEMA)

    def findings(rows: pa.Table) -> list[Finding]:
        return _findings(rows, published)

    return Exhibit(
        "lte13", name, "section 5", title, table, findings, _picture,
        flows=lambda dataset: [_chosen(dataset, which)], caption=caption, needs=needs,
    )  # fmt: skip


def _chosen(dataset: Tables, which: Which) -> dict[str, Any]:
    trains = _episodes.trains(dataset)
    found = dataset.records(f"""
        SELECT * FROM {trains} WHERE isfinite(rss_ratio) AND ({which.condition})
        ORDER BY {which.order}, run, uid, start_ns LIMIT 1""")
    if found:
        return found[0]
    (seen,) = dataset.records(f"""
        SELECT count(*) AS trains, count(*) FILTER (slow_start) AS slow_starts FROM {trains}""")
    if not seen["trains"]:
        lacking = "no train of more than 20 duplicate ACKs that shows whether a slow start followed"
        raise Missing(f"{dataset.path}: {lacking}", HOW)
    told = f"of {counted(seen['trains'], 'train')} of duplicate ACKs, {_some(seen['slow_starts'])}"
    raise Missing(f"{dataset.path}: {told} with R_ss above 1.5, {which.lacking}", HOW)


def _some(number: int) -> str:
    return count(number) if number else "none"


def _events(packets: list[dict[str, Any]], train: dict[str, Any]) -> list[dict[str, Any]]:
    """Return data, ACKs and RTT samples from 0.5 s before the train to 0.5 s after it."""
    events: list[dict[str, Any]] = []
    last_s = (train["end_ns"] - train["start_ns"]) / 1e9 + AROUND_S
    for packet in packets:
        time_s = (packet["time_ns"] - train["start_ns"]) / 1e9
        if not -AROUND_S <= time_s <= last_s:
            continue
        if packet["direction"] == "downlink" and packet["payload_bytes"]:
            kind = "data" if packet["class"] == "new" else "retransmission"
            events.append({"event": kind, "time_s": time_s, "value": packet["end_offset"]})
        elif packet["direction"] == "uplink" and packet["ack_offset"] is not None:
            kind = "duplicate ACK" if packet["duplicate_ack"] else "ACK"
            events.append({"event": kind, "time_s": time_s, "value": packet["ack_offset"]})
            if packet["rtt_ms"] is not None:
                events.append({"event": "RTT", "time_s": time_s, "value": packet["rtt_ms"]})
    return events


def _timeouts_of(packets: list[dict[str, Any]], train: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sender's timeouts by the three rules during the time in the picture."""
    last_s = (train["end_ns"] - train["start_ns"]) / 1e9 + AROUND_S
    for packet in packets:
        time_s = (packet["time_ns"] - train["start_ns"]) / 1e9
        if packet["direction"] == "uplink" and -AROUND_S <= time_s <= last_s:
            for rule in RULES:
                if (ms := packet[f"rto_{rule}_ms"]) is not None:
                    yield {"event": f"RTO {rule}", "time_s": time_s, "value": ms}


def _findings(rows: pa.Table, published: dict[str, str]) -> list[Finding]:
    train = rows.slice(0, 1).to_pylist()[0]
    rtts = _of(rows, "RTT").to_pylist()
    before = [each["value"] for each in rtts if each["time_s"] <= 0]
    after = [each["value"] for each in rtts if each["time_s"] > 0]
    return [
        Finding("R_ss", f"{train['rss_ratio']:.1f}", published["rss"]),
        Finding("duplicate ACKs", str(train["duplicate_acks"])),
        Finding("in flight before", size(train["in_flight_bytes"]), published["in_flight"]),
        Finding("last RTT before", _ms(before[-1:]), published["rtt_before"]),
        Finding("first RTT after", _ms(after[:1]), published["rtt_after"]),
        *(
            Finding(
                f"RTO at its begin by {RULES[rule]}",
                _ms(_before(rows, rule)),
                published["rto"] if rule == "lte13" else "",
            )
            for rule in RULES
        ),
    ]


def _before(rows: pa.Table, rule: str) -> list[float]:
    """Return the last timeout before the train by a rule, as a list that may be empty."""
    own = _of(rows, f"RTO {rule}").to_pylist()
    return [each["value"] for each in own if each["time_s"] <= 0][-1:]


def _ms(values: list[float]) -> str:
    return seconds(values[0] / 1e3) if values else "unknown"


def _of(rows: pa.Table, event: str) -> pa.Table:
    return rows.filter(pc.equal(rows["event"], event))


def _picture(figure: Figure, rows: pa.Table) -> None:
    """Draw sequence numbers over time, with the two spans of R_ss, above the RTT samples."""
    from airmile.study import _style

    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    sequence = pc.is_in(rows["event"], pa.array(list(MARKS)))
    lowest = pc.min(rows.filter(sequence)["value"]).as_py() or 0
    for place, (event, mark) in enumerate(MARKS.items()):
        own = _of(rows, event)
        high = [(each - lowest) / 1e3 for each in own["value"].to_pylist()]
        above.plot(own["time_s"], high, mark, color=_style.series(place)[0], ms=4, label=event)
    for number, span in enumerate(_spans(rows)):
        above.axvspan(*span, alpha=0.12 + 0.1 * number, color=_style.GREY, lw=0,
                      label=f"R_ss {'first' if not number else 'second'} span")  # fmt: skip
    _style.plain(above, "", "sequence number (KB)")
    _style.legend(above)
    rtts = _of(rows, "RTT")
    below.plot(rtts["time_s"], rtts["value"], ".", color=_style.SERIES[4], ms=4, label="RTT")
    for place, rule in enumerate(RULES):
        own = _of(rows, f"RTO {rule}")
        below.plot(
            own["time_s"], own["value"], _style.DASHES[place], color=_style.series(place)[0],
            drawstyle="steps-post", linewidth=1.2, label=f"RTO by {RULES[rule]}",
        )  # fmt: skip
    _style.log_y(below)
    _style.plain(below, "time since the first duplicate ACK (s)", "RTT, RTO (ms)")
    _style.legend(below)


def _spans(rows: pa.Table) -> list[tuple[float, float]]:
    """Return the begin and the end of both spans of R_ss."""
    begin_s, span_s = rows["spans_begin_s"][0].as_py(), rows["span_s"][0].as_py()
    return [(begin_s + n * span_s, begin_s + (n + 1) * span_s) for n in range(2)]
