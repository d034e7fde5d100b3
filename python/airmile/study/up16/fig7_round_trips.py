"""Figure 7: round trips over the bytes sent: of the path, with the firmware, with the Qdisc.

RTT_Q is the smoothed round trip of the sender. RTT_F is the round trip in the capture on the phone.
RTT_B is RTT_F minus the delay of the packet in the firmware (methods G8).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from airmile._words import percent, rate, seconds
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._together import joined
from airmile.study.up16._uploads import uploads

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables
    from airmile.uplink import Upload

CURVES = (("rtt_q_ms", "RTT_Q (sender's srtt)"), ("rtt_f_ms", "RTT_F (capture)"),
          ("rtt_b_ms", "RTT_B (network)"))  # fmt: skip

SOURCES = {"truth": "the testbed's record", "bsr": "buffer status reports"}
"""What a source of the wait in the firmware is called."""

PANELS = 6
"""The most runs that are drawn, those with the most bytes first."""


class Published(NamedTuple):
    """What the paper states about its upload at one rate (section 4.1)."""

    mbps: int
    after_mb: int
    """The data sent, in MB, after which the paper states RTT_F."""
    rtt_f: str
    most_above_f: str
    """The largest difference of RTT_Q and RTT_F."""


PUBLISHED = (Published(2, 2, "1.3 s", "3 s"), Published(8, 4, "330 ms", "680 ms"))


def table(dataset: Tables, sender: pa.Table | None = None) -> pa.Table:
    """Return one row per run and 100 KB sent: median round trips, and facts of the upload."""
    tables = [_labelled(run, each) for run, each in uploads(dataset, sender).items()]
    rows = pa.concat_tables(tables)
    lacking = f"{dataset.path}: the upload has no round trip in the capture"
    return some(rows, lacking, "capture both directions on the phone")


def _labelled(run: str, found: Upload) -> pa.Table:
    """Return the steps of an upload, with columns for the run and for facts of the upload."""
    rates = found.seconds.to_pydict()
    facts = {
        "run": run,
        "uid": found.flow["uid"],
        "firmware_source": found.firmware_source,
        "negative_ratio": found.negative_ratio,
        "qdisc_correlation": found.qdisc_correlation,
        "above_qdisc_bps": _mean(rates["above_qdisc_bps"], rates["seconds"]),
        "air_bps": _mean(rates["air_bps"], rates["seconds"]),
    }
    kinds = {"run": pa.string(), "uid": pa.uint64(), "firmware_source": pa.string()}
    columns = {
        name: pa.array([value] * found.steps.num_rows, kinds.get(name, pa.float64()))
        for name, value in facts.items()
    }
    return pa.table({**columns, **{name: found.steps[name] for name in found.steps.column_names}})


def _mean(rates: list[float | None], lengths: list[float]) -> float | None:
    """Return the mean rate over the seconds for which a rate is known."""
    known = [(rate, long) for rate, long in zip(rates, lengths, strict=True) if rate is not None]
    total = sum(long for _, long in known)
    return sum(rate * long for rate, long in known) / total if total else None


def findings(rows: pa.Table) -> list[Finding]:
    """Return the round trips of each run in its second half, and their ratios."""
    found = []
    for run, steps in by_run(rows).items():
        first = steps[0]
        late = steady(steps)
        paper = nearest(first["air_bps"])
        at = paper.after_mb * 1e6
        early = [step["rtt_f_ms"] for step in steps if step["sent_bytes"] > at][:1]
        q, f, b = (middle(late, name) for name, _ in CURVES)
        found += [
            Finding(
                f"{run or 'upload'}: {steps[-1]['sent_bytes'] / 1e6:.1f} MB, firmware's wait by",
                SOURCES.get(first["firmware_source"], first["firmware_source"]),
            ),
            Finding(
                f"  RTT_F after {paper.after_mb} MB", _ms(early[0] if early else None),
                f"{paper.rtt_f} at {paper.mbps} Mbps",
            ),
            Finding("  RTT_B, steady", _ms(b), "50 ms"),
            Finding("  RTT_F over RTT_B, steady", _over(f, b), "6 to 24"),
            Finding("  RTT_Q over RTT_B, steady", _over(q, b), "22 to 100"),
            Finding(
                "  RTT_Q - RTT_F at most", _ms(_most(steps)),
                f"{paper.most_above_f} at {paper.mbps} Mbps",
            ),
            Finding("  round trips with RTT_B below 0", percent(first["negative_ratio"])),
            Finding("  correlation of Qdisc delay and backlog", _number(first), "0.86"),
            Finding(
                "  rate above the Qdisc, on the air", _rates(first), "above overstates the air"
            ),
        ]  # fmt: skip
    return found


def nearest(air_bps: float | None) -> Published:
    """Return what the paper states for the rate nearest in ratio; for 2 Mbps if unknown.

    >>> nearest(6.5e6).mbps, nearest(3.9e6).mbps, nearest(None).mbps
    (8, 2, 2)
    """
    if not air_bps or air_bps <= 0:
        return PUBLISHED[0]
    return min(PUBLISHED, key=lambda each: abs(math.log(air_bps / (each.mbps * 1e6))))


def by_run(rows: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """Return the steps of each run; the run with the most bytes is first."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        runs.setdefault(row["run"], []).append(row)
    return dict(sorted(runs.items(), key=lambda run: -run[1][-1]["sent_bytes"]))


def drawn(runs: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the first run of each name without its last number: others repeat it.

    >>> list(drawn({"2mbps-3": [], "8mbps-1": [], "2mbps-1": []}))
    ['2mbps-3', '8mbps-1']
    """
    first: dict[str, str] = {}
    for run in runs:
        first.setdefault(re.sub(r"\d+$", "", run), run)
    return {run: runs[run] for run in list(first.values())[:PANELS]}


def steady(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the second half of an upload by bytes, in which the buffers are full."""
    return [step for step in steps if step["sent_bytes"] * 2 > steps[-1]["sent_bytes"]]


def middle(steps: list[dict[str, Any]], name: str) -> float | None:
    """Return the median of a column over the steps for which it is known."""
    known = [step[name] for step in steps if step[name] is not None]
    return float(np.median(known)) if known else None


def _most(steps: list[dict[str, Any]]) -> float | None:
    return max(
        (s["qdisc_delay_ms"] for s in steps if s["qdisc_delay_ms"] is not None), default=None
    )


def _ms(value: float | None) -> str:
    return "unknown" if value is None else seconds(value / 1e3)


def _over(value: float | None, base: float | None) -> str:
    return "unknown" if value is None or base is None or base <= 0 else f"{value / base:.1f}"


def _number(row: dict[str, Any]) -> str:
    return "unknown" if row["qdisc_correlation"] is None else f"{row['qdisc_correlation']:.2f}"


def _rates(row: dict[str, Any]) -> str:
    above, air = row["above_qdisc_bps"], row["air_bps"]
    return f"{'unknown' if above is None else rate(above)}, {rate(air)}"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a panel per run: round trips over bytes sent, on a logarithmic scale."""
    from airmile.study import _style

    runs = drawn(by_run(rows))
    panels = _style.panels(figure, len(runs), share_y=True)
    for (run, steps), axes in zip(runs.items(), panels, strict=True):
        for number, (name, label) in enumerate(CURVES):
            known = [step for step in steps if step[name] is not None and step[name] > 0]
            axes.plot(
                [step["sent_bytes"] / 1e6 for step in known], [step[name] / 1e3 for step in known],
                f"{_style.DASHES[number]}", marker=_style.MARKS[number], markevery=0.08,
                markersize=4, color=_style.SERIES[number], linewidth=1.4,
                label=label if known else f"{label}: unknown",
            )  # fmt: skip
        _style.log_y(axes)
        axes.set_xlim(left=0)
        samples = sum(step["samples"] for step in steps)
        axes.set_title(f"{run}  n = {samples}".strip(), fontsize=8, loc="left")
        _style.plain(axes, "data sent (MB)", "round trip (s)" if _style.is_leftmost(axes) else "")
        axes.grid(which="minor", axis="y", alpha=0.12, linewidth=0.5)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", fontsize=8, frameon=False,
        ncols=_style.columns(figure, map(str, labels)),
    )  # fmt: skip


fig7 = Exhibit(
    "up16", "fig7", "section 4.1", "Round trips of an upload, with and without the phone's buffers",
    table, findings, joined(picture, "run"), senders=True,
    caption=(
        "Round trips over the bytes that an upload has sent: as the sender's TCP measures them "
        "(RTT_Q), from the capture on the phone (RTT_F), and without the wait in the modem "
        "(RTT_B). The distances of the lines are the delays in the kernel's queue and in the "
        "modem; n counts round trips of RTT_F. Of runs that repeat each other the first is drawn "
        "(methods G8)."
    ),
    apart=None,
)  # fmt: skip
