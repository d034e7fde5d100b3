"""What the model draws from: samples of rates, round trips and sizes, and what is lacking."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from airmile.store._needs import Missing

Array = NDArray[np.float64]


def _none() -> Array:
    return np.empty(0)


@dataclass(frozen=True)
class Inputs:
    """Samples that the model draws from.

    Attributes
    ----------
    name : str
        For people: a dataset's path, a paper's technology.
    rates_bps, rtts_s, loaded_rtts_s, sizes_bytes : ndarray
        Capacities, round trips of handshakes without other traffic of the phone and with it, sizes
        of flows. Empty where the source has none.
    rate_of_rtt_bps : ndarray
        For each of `rtts_s` the capacity that the same flow saw, or nan.
    times_s : ndarray
        How long flows with payload took, from their first packet to their last payload.
    sizes_are_given : bool
        The sizes were chosen, not measured: others would not have been.
    of_percentiles : bool
        Rates and round trips stand for a paper's percentiles: how many were measured is not known.
    bandwidth : str
        Width of the kernel that suits them.
    notes : tuple of str
        What to know of them: how they came about.
    lacking : dict
        Why a group is empty.
    one_sample : dict
        What gives a sample of a group, in words.
    """

    name: str
    rates_bps: Array = field(default_factory=_none)
    rtts_s: Array = field(default_factory=_none)
    loaded_rtts_s: Array = field(default_factory=_none)
    sizes_bytes: Array = field(default_factory=_none)
    rate_of_rtt_bps: Array = field(default_factory=_none)
    times_s: Array = field(default_factory=_none)
    sizes_are_given: bool = False
    of_percentiles: bool = False
    bandwidth: str = "eff14"
    notes: tuple[str, ...] = ()
    lacking: dict[str, str] = field(default_factory=dict)
    one_sample: dict[str, str] = field(default_factory=dict)

    def group(self, name: str) -> Array:
        """Return the samples of a group: at least two that differ, of sizes at least one.

        Raises
        ------
        Missing
            There are too few; it says which group, and why.
        """
        return self.groups(name)[0]

    def groups(self, *names: str) -> list[Array]:
        """Return the samples of several groups.

        Raises
        ------
        Missing
            There are too few; it says of which groups, all at once.
        """
        faults = [fault for name in names if (fault := self._fault(name))]
        if faults:
            told = "; ".join(text for text, _ in faults)
            raise Missing(f"{self.name}: {told}", faults[0][1])
        return [getattr(self, name) for name in names]

    def _fault(self, name: str) -> tuple[str, str | None] | None:
        """Say what keeps a group from being drawn from, and what to do; None where nothing does."""
        values: Array = getattr(self, name)
        what = GROUPS[name]
        if values.size == 0:
            return f"no {what}", self.lacking.get(name)
        if name == "sizes_bytes":
            return None
        if values.size == 1:
            each = self.one_sample.get(name, f"sample of {what}")
            return f"only 1 {each}, and the model draws from 2 or more", MORE
        if values.min() == values.max():
            return f"all {values.size} samples of {what} are the same", MORE
        return None

    def pairs(self) -> tuple[Array, Array]:
        """Return rates and round trips of the same flows.

        Raises
        ------
        Missing
            Fewer than two flows have both.
        """
        both = np.isfinite(self.rate_of_rtt_bps)
        if both.sum() < 2:
            raise Missing(
                f"{self.name}: {both.sum()} flows with both a throughput and a round trip",
                "draw them independently: without --paired",
            )
        return self.rate_of_rtt_bps[both], self.rtts_s[both]


MORE = (
    "analyse a capture of more downloads, or several together: airmile analyze captures/ -o "
    "users.airmile; or give measured numbers as a CSV file (columns rate_mbps, rtt_ms, "
    "size_bytes), or a paper's by its name: eff14-4g"
)

GROUPS = {
    "rates_bps": "throughput",
    "rtts_s": "round trip without load",
    "loaded_rtts_s": "round trip under load",
    "sizes_bytes": "size of a flow",
}
"""The groups, in words."""
