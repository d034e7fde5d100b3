"""Figure 23: a download that a full receive window slows down, and its ideal duration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from airmile._words import rate, seconds, size
from airmile.store._needs import Missing, source
from airmile.study import _packets
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import Needs
from airmile.study.lte13 import _estimate, _radio_on
from airmile.study.lte13._estimate import READER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

LEAST_BYTES = 100_000
"""The smallest download: a smaller one is over before a window can fill; our choice."""

HOW = (
    "capture a download whose application reads slowly, as in `airmile testbed run "
    "lte13_slow_reader`"
)
LISTED = 6
"""The most window updates whose times the numbers list; our choice."""

_SCHEMA = pa.schema(
    [("event", pa.string()), ("time_s", pa.float64()), ("bytes", pa.int64()),
     ("run", pa.string()), ("uid", pa.uint64()), ("initial_window_bytes", pa.int64()),
     ("full_s", pa.float64()), ("bandwidth_bps", pa.float64())]
)  # fmt: skip

EVENTS = ("downloaded", "window", "window update", "fin", _radio_on.ON, _radio_on.OFF)


def table(dataset: Tables) -> pa.Table:
    """Return a row per packet of the download whose receive window was full longest (methods C6).

    The events: `downloaded` is the highest byte so far, `window` the receive window, `window
    update` a change of the window without new data and without FIN, `fin` the end. Times count from
    the first downlink payload.
    """
    flow = _slowest(dataset)
    flow["bandwidth_bps"] = _estimate.while_open(dataset, flow)
    packets = _packets.of_flow(dataset, flow).to_pylist()
    tail_s = _radio_on.tail_s(dataset)
    events = _events(packets, flow["first_ns"])
    events += _radio_on.events(packets, flow["first_ns"], tail_s)
    rows = [{**event, **_constant(flow)} for event in events]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _slowest(dataset: Tables) -> dict[str, Any]:
    flows = source(
        dataset, "flows", "uid", "protocol", "start_ns", "end_ns", "dl_payload_bytes",
        "dl_first_payload_ns", "window_full_s", "window_full_first_ratio",
        "ue_initial_window_bytes", "bandwidth_source",
    )  # fmt: skip
    found = dataset.arrow(f"""
        SELECT run, uid, dl_first_payload_ns AS first_ns, ue_initial_window_bytes AS initial,
            bandwidth_source, start_ns + window_full_first_ratio * (end_ns - start_ns) AS full_ns
        FROM {flows}
        WHERE protocol = 'tcp' AND window_full_s > 0
            AND first_ns IS NOT NULL AND full_ns IS NOT NULL
        ORDER BY window_full_s DESC, run, uid LIMIT 1""").to_pylist()
    if not found:
        lacking = f"no download of {size(LEAST_BYTES)} whose receive window was full"
        raise Missing(f"{dataset.path}: {lacking}", HOW)
    flow: dict[str, Any] = found[0]
    return flow


def _constant(flow: dict[str, Any]) -> dict[str, Any]:
    return {
        "run": flow["run"],
        "uid": flow["uid"],
        "initial_window_bytes": flow["initial"],
        "full_s": (flow["full_ns"] - flow["first_ns"]) / 1e9,
        "bandwidth_bps": flow["bandwidth_bps"],
    }


def _events(packets: list[dict[str, Any]], first_ns: int) -> list[dict[str, Any]]:
    """Return the events of the packets in order of time."""
    events: list[dict[str, Any]] = []
    highest, acknowledged, window = 0, -1, 0
    for packet in packets:
        time_s = (packet["time_ns"] - first_ns) / 1e9
        if "F" in packet["flags"]:
            events.append({"event": "fin", "time_s": time_s, "bytes": highest})
        if packet["direction"] == "downlink":
            if packet["payload_bytes"] and packet["end_offset"] > highest:
                highest = packet["end_offset"]
                events.append({"event": "downloaded", "time_s": time_s, "bytes": highest})
        elif packet["window_bytes"] is not None and packet["ack_offset"] is not None:
            plain = "F" not in packet["flags"] and packet["ack_offset"] == acknowledged
            opens = plain and packet["window_bytes"] > window
            acknowledged, window = packet["ack_offset"], packet["window_bytes"]
            kinds = ("window", "window update") if opens and highest else ("window",)
            events += [{"event": kind, "time_s": time_s, "bytes": window} for kind in kinds]
    return events


def findings(rows: pa.Table) -> list[Finding]:
    """Return the windows, the rates before and after the first full window, and what came late."""
    first = rows.slice(0, 1).to_pylist()[0]
    down = _of(rows, "downloaded")
    last_s, total = down["time_s"][-1].as_py(), down["bytes"][-1].as_py()
    full_s, bps = first["full_s"], first["bandwidth_bps"]
    before = pc.max(down.filter(pc.less_equal(down["time_s"], full_s))["bytes"]).as_py() or 0
    windows = _of(rows, "window").filter(pc.greater_equal(_of(rows, "window")["time_s"], 0))
    smallest = pc.min(windows["bytes"]).as_py()
    fins = _of(rows, "fin")["time_s"].to_pylist()
    late = [t for t in _of(rows, "window update")["time_s"].to_pylist() if t > last_s]
    initial = first["initial_window_bytes"]
    return [
        Finding("initial receive window", "unknown" if initial is None else size(initial),
                "131.8 KB"),
        Finding("window first full after", seconds(full_s), "2 s"),
        Finding("smallest window", "unknown" if smallest is None else size(smallest), "816 B"),
        Finding("rate until then", _rate(before, full_s), "over 3 Mbps"),
        Finding("rate from then on", _rate(total - before, last_s - full_s), "below 300 kbps"),
        Finding("download took", seconds(last_s), "9 s"),
        Finding("at the estimated bandwidth it takes", seconds(total * 8 / bps) if bps else
                "unknown: no bandwidth sample while the window was open", "2.5 s"),
        Finding("window updates after the last byte", _times(late), "between 20 s and 25 s",
                len(late)),
        Finding("FIN after the last byte", seconds(min(fins) - last_s) if fins else "none", "21 s"),
        _radio(rows),
    ]  # fmt: skip


def _radio(rows: pa.Table) -> Finding:
    """Return for how long the packets of the flow kept the radio on."""
    spans = _on(rows)
    why = "" if spans else "the data do not show the radio's tail"
    here = seconds(sum(end - begin for begin, end in spans)) if spans else "unknown"
    return Finding("radio on by this flow", here, "38 s", reason=why)


def _on(rows: pa.Table) -> list[tuple[float, float]]:
    on, off = (_of(rows, name)["time_s"].to_pylist() for name in (_radio_on.ON, _radio_on.OFF))
    return list(zip(on, off, strict=True))


def _rate(count: int, long_s: float) -> str:
    return rate(count * 8 / long_s) if long_s > 0 else "unknown"


def _times(times: list[float]) -> str:
    shown = ", ".join(f"{time:.1f}" for time in times[:LISTED])
    more = f" and {len(times) - LISTED} more until {times[-1]:.1f}" if len(times) > LISTED else ""
    return f"at {shown}{more} s" if times else "none"


def _of(rows: pa.Table, event: str) -> pa.Table:
    return rows.filter(pc.equal(rows["event"], event))


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the download beside the ideal download, above the receive window."""
    from airmile.study import _style

    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    down, first = _of(rows, "downloaded"), rows.slice(0, 1).to_pylist()[0]
    above.plot(down["time_s"], _mega(down), color=_style.SERIES[0], lw=1.6, label="downloaded")
    if first["bandwidth_bps"]:
        total = down["bytes"][-1].as_py()
        above.plot(
            [0, total * 8 / first["bandwidth_bps"]], [0, total / 1e6], "--",
            color=_style.SERIES[2], lw=1.4, label="at the estimated bandwidth",
        )  # fmt: skip
    for place, span in enumerate(_on(rows)):
        label = None if place else "radio on"
        above.axvspan(*span, color=_style.GREY, alpha=0.12, linewidth=0, label=label)
    for fin in _of(rows, "fin")["time_s"].to_pylist()[:1]:
        _style.threshold(above, fin, "FIN")
    _style.threshold(above, first["full_s"], "window full")
    above.set_ylim(bottom=0)
    _style.plain(above, "", "data (MB)")
    _style.legend(above)
    windows, updates = _of(rows, "window"), _of(rows, "window update")
    below.plot(
        windows["time_s"],
        [each / 1e3 for each in windows["bytes"].to_pylist()],
        drawstyle="steps-post",
        color=_style.SERIES[1],
        lw=1.4,
        label="receive window",
    )
    below.plot(updates["time_s"], [each / 1e3 for each in updates["bytes"].to_pylist()], "^",
               color=_style.SERIES[3], ms=5, label="window update")  # fmt: skip
    below.set_ylim(bottom=0)
    _style.plain(below, "time since the first payload (s)", "window (KB)")
    _style.legend(below)


def _mega(rows: pa.Table) -> list[float]:
    return [each / 1e6 for each in rows["bytes"].to_pylist()]


fig23 = Exhibit(
    "lte13", "fig23", "section 7.2", "A full receive window slows a download",
    table, findings, picture,
    needs=Needs(causes=READER, least_bytes=LEAST_BYTES),
    flows=lambda dataset: [_slowest(dataset)],
    caption=(
        "The download whose receive window was full for longest, beside what the estimated "
        "bandwidth allows, above the window that the phone offered. The estimate is of the time in "
        "which the window was open, because ACKs then wait for the link and not for the reader "
        "(methods E4). A window update opens the "
        "window without acknowledging new data (methods C6)."
    ),
)  # fmt: skip
