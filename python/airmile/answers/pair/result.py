"""What laying two captures side by side shows: figures that are null with a reason, never 0."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pyarrow as pa

Which = Literal["first", "second"]


@dataclass(frozen=True)
class OneWay:
    """One direction between the capture points.

    Attributes
    ----------
    packets : int
        Packets that both captures hold, once each. Where a clock was set, the delays are those of
        the stretch for which offset and drift are given; the table `pairs` has those of the others.
    uncertainty_ms : float or None
        Every delay is right within so much, also at the ends of the stretch.
    least_ms, median_ms, p95_ms : float or None
        Delay from the point that is passed first to the other; None where the uncertainty exceeds
        it.
    median_above_least_ms, p95_above_least_ms : float or None
        The part of it that comes and goes (queues, retransmissions of the radio): known whatever
        the clocks' offset.
    reason : str or None
        Why a delay is None.
    sent : int
        Packets at the capture point that is passed first, in the shared time.
    lost : int or None
        Those of them that the other capture does not hold.
    unseen : int or None
        Packets only at the point that is passed last: the other capture missed them.
    """

    packets: int
    uncertainty_ms: float | None
    least_ms: float | None
    median_ms: float | None
    p95_ms: float | None
    median_above_least_ms: float | None
    p95_above_least_ms: float | None
    reason: str | None
    sent: int
    lost: int | None
    unseen: int | None


@dataclass(frozen=True)
class Step:
    """One of the clocks was set.

    Attributes
    ----------
    first_ns, second_ns : int
        The last shared packet before, by either clock.
    step_ms : float
        How the difference of the clocks (second minus first) changed.
    uncertainty_ms : float
        The step is right within so much.
    """

    first_ns: int
    second_ns: int
    step_ms: float
    uncertainty_ms: float


@dataclass(frozen=True)
class BandwidthError:
    """How far bandwidth estimated at one point is from throughput at the phone (methods E5).

    Attributes
    ----------
    window_s : float
        Length of the sliding window.
    source : str
        Estimator: `queue_evident` or `c_rule`.
    windows, compared : int
        Windows with payload, and those of them in which the other capture has a sample.
    mean, median, p90 : float or None
        Of abs(estimate / throughput - 1).
    busy : int
        Windows compared in which the phone received without a pause: only there is the
        throughput what the link could carry.
    busy_mean : float or None
        Mean error of these.
    cdf : tuple of float
        The error that is not exceeded in 0, 1, ... 100 % of the windows.
    """

    window_s: float
    source: str
    windows: int
    compared: int
    mean: float | None
    median: float | None
    p90: float | None
    busy: int
    busy_mean: float | None
    cdf: tuple[float, ...]


@dataclass(frozen=True)
class Alignment:
    """How two captures of the same traffic lie beside each other.

    Attributes
    ----------
    first, second : str
        The captures.
    nearer : {"first", "second"} or None
        Which was taken nearer to the phone; `nearer_reason` says why it is None.
    offset_ms, offset_uncertainty_ms : float or None
        Clock of the second minus clock of the first at `at_ns`, right within the uncertainty.
    offset_reason : str or None
        Why they are None.
    drift_ppm, drift_uncertainty_ppm : float or None
        How the offset grows, in millionths; `drift_reason` says why they are None.
    at_ns : int
        Instant of the first clock at which the offset holds.
    span_s : float
        Time over which offset and drift were found.
    round_trip_ms : float or None
        Least time from one capture point to the other and back: known whatever the offset.
    steps : tuple of Step
        Where a clock was set. Offset and drift are those of the stretch with most packets.
    pairs, joined, left_out : int
        Packets found in both captures one for one; those of them that only start with the same
        byte, as offloads joined segments in one capture; and those that no clock explains.
    paired_share : tuple of float or None
        Share of the TCP packets of either capture, of shared connections in the shared time, that
        the other one holds.
    uplink, downlink : OneWay
        Delays and losses between the capture points.
    bandwidth_errors : tuple of BandwidthError
        The estimate against the phone; `bandwidth_reason` says why there is none.
    warnings : tuple of str
        What else to know.
    counts : dict
        Packets of either capture, as counted.
    inputs : tuple of list
        What became of the inputs of either capture, as in a dataset's manifest.
    tables : dict of pyarrow.Table
        `pairs`, `clock_steps`, `e5`, `e5_cdf`.
    path : Path or None
        Where the tables were written.
    """

    first: str
    second: str
    nearer: Which | None
    nearer_reason: str | None
    offset_ms: float | None
    offset_uncertainty_ms: float | None
    offset_reason: str | None
    drift_ppm: float | None
    drift_uncertainty_ppm: float | None
    drift_reason: str | None
    at_ns: int
    span_s: float
    round_trip_ms: float | None
    steps: tuple[Step, ...]
    pairs: int
    joined: int
    left_out: int
    paired_share: tuple[float | None, float | None]
    uplink: OneWay
    downlink: OneWay
    bandwidth_errors: tuple[BandwidthError, ...]
    bandwidth_reason: str | None
    warnings: tuple[str, ...]
    counts: dict[str, Any]
    inputs: tuple[list[dict[str, Any]], list[dict[str, Any]]]
    tables: dict[str, pa.Table]
    path: Path | None

    @property
    def partly_failed(self) -> bool:
        """Whether a part of the captures could not be read; `inputs` says where and why."""
        return any(one["status"] in ("partial", "failed") for side in self.inputs for one in side)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, without the tables."""
        plain = {key: value for key, value in vars(self).items() if key not in ("tables", "path")}
        for name in ("uplink", "downlink"):
            plain[name] = asdict(plain[name])
        for name in ("steps", "bandwidth_errors"):
            plain[name] = [asdict(one) for one in plain[name]]
        return {"schema": 1, "scope": "alignment", **plain}

    def __str__(self) -> str:
        from airmile.render import align

        return align.render(self)
