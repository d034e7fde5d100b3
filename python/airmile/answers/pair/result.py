"""The result of comparing two captures; unknown values are None with a reason, never 0."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pyarrow as pa

Which = Literal["first", "second"]


@dataclass(frozen=True)
class OneWay:
    """The packets of one direction between the capture points.

    Attributes
    ----------
    packets : int
        Number of packets that are in both captures exactly once. If a clock was set, the delays are
        those of the period for which offset and drift are given; the table `pairs` has all others.
    uncertainty_ms : float or None
        Largest error of any delay in the period.
    least_ms, median_ms, p95_ms : float or None
        Delay from the point that packets pass first to the other one; None if the uncertainty
        exceeds the delay.
    median_above_least_ms, p95_above_least_ms : float or None
        The variable part of the delay (queues, HARQ retransmissions), which does not depend on the
        offset of the clocks.
    reason : str or None
        Why a delay is None.
    sent : int
        Number of packets at the capture point that is passed first, in the shared time.
    lost : int or None
        Number of these packets that are not in the other capture.
    unseen : int or None
        Number of packets in the capture of the point passed last only; the other capture missed
        them.
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
    """A sudden change of one of the clocks.

    Attributes
    ----------
    first_ns, second_ns : int
        Time of the last shared packet before the step, by the first and by the second clock.
    step_ms : float
        Change of the difference of the clocks (second minus first).
    uncertainty_ms : float
        Largest error of the step.
    """

    first_ns: int
    second_ns: int
    step_ms: float
    uncertainty_ms: float


@dataclass(frozen=True)
class BandwidthError:
    """The error of bandwidth estimated at one point, against throughput at the phone (methods E5).

    Attributes
    ----------
    window_s : float
        Length of the sliding window.
    source : str
        Estimator: `queue_evident` or `c_rule`.
    windows, compared : int
        Number of windows with payload, and of those in which the other capture has a sample.
    mean, median, p90 : float or None
        Mean and percentiles of the error abs(estimate / throughput - 1).
    busy : int
        Compared windows in which the phone received without a pause: only in these the throughput
        is the bandwidth of the link.
    busy_mean : float or None
        Mean error in the busy windows.
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
class AlignmentValues:
    """The clocks, delays and losses between two captures of the same traffic.

    Attributes
    ----------
    first, second : str
        The paths of the captures.
    nearer : {"first", "second"} or None
        The capture nearer to the phone; `nearer_reason` says why it is None.
    offset_ms, offset_uncertainty_ms : float or None
        Clock of the second capture minus clock of the first at `at_ns`, and the largest error.
    offset_reason : str or None
        Why the offset and its error are None.
    drift_ppm, drift_uncertainty_ppm : float or None
        Change of the offset in ppm, and its largest error; `drift_reason` says why they are None.
    at_ns : int
        Instant of the first clock at which the offset holds.
    span_s : float
        Length in s of the period from which offset and drift were computed.
    round_trip_ms : float or None
        Least round trip between the capture points, which does not depend on the offset.
    steps : tuple of Step
        Steps of the clocks. Offset and drift are those of the period with most packets.
    pairs, joined, left_out : int
        Number of packets that are in both captures exactly once; of those among them that only
        start with the same byte, because offloads joined segments in one capture; and of pairs that
        no clock explains.
    paired_share : tuple of float or None
        For each capture, the share of its TCP packets, in shared connections and in the shared
        time, that the other capture contains.
    uplink, downlink : OneWay
        Delays and losses between the capture points.
    bandwidth_errors : tuple of BandwidthError
        The errors of the estimate; `bandwidth_reason` says why there are none.
    warnings : tuple of str
        Doubts about the input.
    counts : dict
        Numbers of packets of either capture.
    inputs : tuple of list
        The state of the inputs of each capture, as in a dataset's manifest.
    interrupted : bool
        Whether `progress` ended the run before the end of the captures.
    tables : dict of pyarrow.Table
        The tables `pairs`, `clock_steps`, `e5` and `e5_cdf`.
    path : Path or None
        The folder to which the tables were written; None if they were not.
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
    interrupted: bool
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
