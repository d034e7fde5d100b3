"""One upload: its three round trips at equal bytes sent, and its rates around the Qdisc."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from airmile._statistics import correlation
from airmile.store._needs import has, source
from airmile.uplink.curve import Curve
from airmile.uplink.occupancy import UNKNOWN, Occupancy, occupancy
from airmile.uplink.packets import Uplink, uplink
from airmile.uplink.phone import captured
from airmile.uplink.reports import Firmware, firmware, numbers
from airmile.uplink.sender import round_trips

if TYPE_CHECKING:
    from airmile.store import Tables

STEP_BYTES = 100_000
"""The step in bytes sent at which round trips are compared (methods G8)."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Upload:
    """An upload and where its packets waited.

    Attributes
    ----------
    flow : dict
        The row of the flow in the table `flows`.
    samples : pyarrow.Table
        One row per ACK that measures a round trip: `time_ns, sent_bytes, rtt_f_ms,
        firmware_delay_ms` with `_low_` and `_high_`, `rtt_b_ms`. A delay is null where it is
        unknown or smaller than the uncertainty of the modem's clock (methods G9).
    steps : pyarrow.Table
        One row per 100 KB: medians of the three round trips and of their differences.
    seconds : pyarrow.Table
        One row per second: rates above the Qdisc, at the capture, and on the radio link.
    occupancy : Occupancy
        The queue after the capture point: in the firmware, and in a testbed run also in the Qdisc.
    firmware_source : str
        ``exact``, ``bsr``, or ``truth`` of a testbed run.
    rtt_q_known : bool
        Whether the sender's round trip is known.
    covered_ratio : float
        Share of the phone's uplink payload that the curve of enqueued bytes contains.
    padding_known_ratio : float
        Share of the grants whose padding is known.
    qdisc_correlation : float or None
        Correlation of the delay in the Qdisc with the bytes that wait there (0.86 in UP16); None
        outside the testbed.
    """

    flow: dict[str, Any]
    samples: pa.Table
    steps: pa.Table
    seconds: pa.Table
    occupancy: Occupancy
    firmware_source: str
    rtt_q_known: bool
    covered_ratio: float
    padding_known_ratio: float
    qdisc_correlation: float | None

    @property
    def negative_ratio(self) -> float:
        """The share of the known RTT_B that are below 0, because the clocks are misaligned."""
        known = _known(numbers(self.samples, "rtt_b_ms"))
        return float(np.mean(known < 0)) if known.size else 0.0


def upload(dataset: Tables, uid: int | None = None, sender: pa.Table | None = None) -> Upload:
    """Return where the packets of an upload waited.

    Parameters
    ----------
    dataset : Tables
        A capture on the phone, analysed together with the modem log. Or a testbed run, which keeps
        the phone's capture beside its tables.
    uid : int, optional
        The flow; by default the one that sent most.
    sender : pyarrow.Table, optional
        The table of :func:`read_ss`; by default `truth_tcp` is read.

    Raises
    ------
    Missing
        The dataset lacks a table or rows; the message says how to get them.

    Examples
    --------
    >>> import airmile
    >>> upload(airmile.open(example))  # a download, without a modem's log
    Traceback (most recent call last):
    airmile.store._needs.Missing: ...example.airmile: no rows in the table 'buffer_status'
    hint: analyse the capture together with the modem's log: airmile analyze CAPTURE --modem LOG
    """
    modem = firmware(dataset)
    with captured(dataset, uid) as (phone, wanted):
        packets = uplink(phone, wanted)
    queue = occupancy(packets.enqueued, modem.dequeued, modem.reports)
    unsure_ms = 0.0 if modem.source == "truth" else clock_uncertainty_ms(dataset)
    samples = _samples(packets, modem, queue, unsure_ms)
    acked = Curve(numbers(packets.acks, "time_ns"), numbers(packets.acks, "sent_bytes"))
    tcp_rows = round_trips(dataset, packets.flow, acked, sender)
    return Upload(
        packets.flow, samples, _steps(samples, tcp_rows), _seconds(packets, modem, tcp_rows), queue,
        modem.source, tcp_rows is not None, packets.covered_ratio, modem.padding_known_ratio,
        _qdisc_correlation(dataset, samples, tcp_rows),
    )  # fmt: skip


def clock_uncertainty_ms(dataset: Tables) -> float:
    """Return the uncertainty of the modem's clock against the capture's, in ms.

    It is 0 for a testbed run, whose truth uses the clock of the capture, even if a modem log was
    aligned.
    """
    users = dataset.manifest.get("radio", [])
    aligned = [user["aligned"]["uncertainty_ms"] for user in users if user.get("aligned")]
    return max(aligned, default=0.0)


def _samples(packets: Uplink, modem: Firmware, queue: Occupancy, unsure_ms: float) -> pa.Table:
    """Return the round trips of ACKs and the delay of their packets after the capture point."""
    acks = packets.acks
    sent = numbers(acks, "sent_ns")
    rtt = numbers(acks, "rtt_ms")
    middle, low, high = queue.delay_ms(sent)
    before = _before_firmware(sent, modem, queue)
    certain = np.abs(middle - before) >= unsure_ms
    rtt_b = np.where(np.abs(rtt - middle) >= unsure_ms, rtt - middle, np.nan)
    return pa.table(
        {
            "time_ns": acks["time_ns"],
            "sent_bytes": acks["sent_bytes"],
            "rtt_f_ms": _nulls(rtt - before),
            "firmware_delay_ms": _nulls(np.where(certain, middle - before, np.nan)),
            "firmware_delay_low_ms": _nulls(np.where(certain, low - before, np.nan)),
            "firmware_delay_high_ms": _nulls(np.where(certain, high - before, np.nan)),
            "rtt_b_ms": _nulls(rtt_b),
        }
    )


def _before_firmware(sent: NDArray[np.int64], modem: Firmware, queue: Occupancy) -> Numbers:
    """Return the delay between capture and firmware in ms, which is 0 on a real phone."""
    if modem.admitted is None:
        return np.zeros(sent.size)
    _, waiting = queue.at(sent)
    enters = modem.admitted.passes(modem.dequeued.at(sent) + waiting)
    known = (waiting != UNKNOWN) & (enters != -1)
    return np.where(known, np.maximum(enters - sent, 0) / 1e6, np.nan)


def _steps(samples: pa.Table, tcp_rows: pa.Table | None) -> pa.Table:
    """Return the median round trips of each step of bytes sent."""
    step = numbers(samples, "sent_bytes") // STEP_BYTES
    medians = {
        name: _medians(step, numbers(samples, name))
        for name in ("rtt_f_ms", "firmware_delay_ms", "rtt_b_ms")
    }
    asked = {} if tcp_rows is None else _medians(
        numbers(tcp_rows, "sent_bytes") // STEP_BYTES, numbers(tcp_rows, "rtt_ms")
    )  # fmt: skip
    order = sorted(medians["rtt_f_ms"])
    rtt_q = _column(order, asked)
    return pa.table(
        {
            "sent_bytes": pa.array([int(each + 1) * STEP_BYTES for each in order], pa.int64()),
            "rtt_q_ms": _nulls(rtt_q),
            **{name: _nulls(_column(order, medians[name])) for name in medians},
            "qdisc_delay_ms": _nulls(rtt_q - _column(order, medians["rtt_f_ms"])),
            "samples": pa.array([int(np.sum(step == each)) for each in order], pa.int64()),
        }
    )


def _medians(step: Any, values: Any) -> dict[float, float]:
    """Return the median of the known values, by step."""
    known = ~np.isnan(values)
    step, values = step[known], values[known]
    return {float(each): float(np.median(values[step == each])) for each in np.unique(step)}


def _column(order: list[float], medians: dict[float, float]) -> Numbers:
    return np.array([medians.get(each, np.nan) for each in order], float)


def _seconds(packets: Uplink, modem: Firmware, tcp_rows: pa.Table | None) -> pa.Table:
    """Return the rates of the upload above the Qdisc and at the capture, and of all grants."""
    first, last = packets.sent.times_ns[0], packets.sent.times_ns[-1]
    edges = np.append(np.arange(first, last, 1_000_000_000), last)
    length = np.diff(edges) / 1e9
    above = np.full(length.size, np.nan)
    if tcp_rows is not None:
        at, released = numbers(tcp_rows, "time_ns"), numbers(tcp_rows, "released_bytes")
        above = np.diff(np.interp(edges, at, released, left=np.nan, right=np.nan)) * 8 / length
    return pa.table(
        {
            "start_ns": edges[:-1],
            "seconds": length,
            "above_qdisc_bps": _nulls(above),
            "capture_bps": np.diff(packets.sent.at(edges)) * 8 / length,
            "air_bps": np.diff(modem.dequeued.at(edges)) * 8 / length,
        }
    )


def _qdisc_correlation(
    dataset: Tables, samples: pa.Table, tcp_rows: pa.Table | None
) -> float | None:
    """Correlate the Qdisc delay with the bytes in it when the packet came (UP16 section 4.2)."""
    if tcp_rows is None or not has(dataset, "truth_ttis"):
        return None
    rows = source(dataset, "truth_ttis", "time_ns", "direction", "qdisc_bytes")
    waiting = dataset.arrow(f"""
        SELECT time_ns, qdisc_bytes FROM {rows}
        WHERE direction = 'uplink' AND qdisc_bytes IS NOT NULL ORDER BY time_ns""")
    if waiting.num_rows == 0 or samples["rtt_f_ms"].null_count == samples.num_rows:
        return None
    times, rtt_q = numbers(tcp_rows, "time_ns"), numbers(tcp_rows, "rtt_ms")
    measured = samples.filter(compute.is_valid(samples["rtt_f_ms"]))
    rtt_f = np.interp(times, numbers(measured, "time_ns"), numbers(measured, "rtt_f_ms"))
    came = times - np.rint(rtt_q * 1e6).astype(np.int64)
    backlog = np.interp(came, numbers(waiting, "time_ns"), numbers(waiting, "qdisc_bytes"))
    return correlation(rtt_q - rtt_f, backlog) if times.size > 2 else None


def _known(values: Any) -> Numbers:
    return np.asarray(values[~np.isnan(values)], float)


def _nulls(values: Numbers) -> pa.Array:
    return pa.array(values, pa.float64(), from_pandas=True)
