"""The measured rates, round trips and sizes from which the model draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from airmile.store._needs import Missing

Array = NDArray[np.float64]


def _none() -> Array:
    return np.empty(0)


@dataclass(frozen=True)
class Inputs:
    """Measured rates, round trips and sizes, from which the model draws.

    Attributes
    ----------
    The name in reports: the path of a dataset or the technology of a paper.
        The name in reports: a dataset's path or a paper's technology.
    rates_bps, rtts_s, loaded_rtts_s, sizes_bytes : ndarray
        Capacities, round trips of handshakes without and with other traffic of the phone, and sizes
        of flows. An array is empty if the source has no such samples.
    rate_of_rtt_bps : ndarray
        The capacity that the flow of each value of `rtts_s` saw, or nan.
    times_s : ndarray
        Durations of flows with payload, from the first packet to the last payload.
    sizes_are_given : bool
        Whether the sizes were chosen, not measured, so that they have no sampling error.
    of_percentiles : bool
        Whether rates and round trips are computed from a paper's percentiles, so that the number of
        measurements is unknown.
    bandwidth : str
        Width of the kernel, one of `BANDWIDTHS`.
    notes : tuple of str
        The origin of the samples, in sentences.
    seen : dict
        What the source has instead of the samples that a group lacks, by group.
    lacking : dict
        Why a group has no samples or how to get some, by group.
    more : dict
        How to get more samples of a group that has too few, by group.
    otherwise : str
        What to do where no more can be had.
    one_sample : dict
        Description of one sample, by group.
    throughputs_bps, long_throughputs_bps : ndarray or None
        Throughputs of flows that had the link for themselves: of 320 KiB or more (EFF14 table I),
        and of large ones (EFF14 figures 2 and 3; methods I0). None if the source has no flows, only
        rates.
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
    seen: dict[str, str] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)
    more: dict[str, str] = field(default_factory=dict)
    otherwise: str = ""
    one_sample: dict[str, str] = field(default_factory=dict)
    throughputs_bps: Array | None = None
    long_throughputs_bps: Array | None = None

    def group(self, name: str) -> Array:
        """Return the samples of a group: at least two that differ, or at least one size.

        Raises
        ------
        Missing
            The group has too few samples; the error names the group and the reason.
        """
        return self.groups(name)[0]

    def groups(self, *names: str) -> list[Array]:
        """Return the samples of several groups.

        Raises
        ------
        Missing
            There are too few; the error names all such groups, and what to do about each.
        """
        faults = {name: fault for name in names if (fault := self._fault(name))}
        if faults:
            what = "; ".join(self._described(faults))
            raise Missing(f"{self.name}: {what}", self._advice(faults))
        return [getattr(self, name) for name in names]

    def _fault(self, name: str) -> str:
        """Return why a group cannot be drawn from, or nothing if it can."""
        values: Array = getattr(self, name)
        what = GROUPS[name]
        if values.size == 0:
            return f"no {what}"
        if name == "sizes_bytes":
            return ""
        if values.size == 1:
            each = self.one_sample.get(name, f"sample of {what}")
            return f"only 1 {each}, and the model draws from 2 or more"
        if values.min() == values.max():
            return f"all {values.size} samples of {what} are the same"
        return ""

    def _described(self, faults: Mapping[str, str]) -> Iterator[str]:
        """Yield each fault with what there is instead."""
        for name, fault in faults.items():
            yield f"{fault} ({self.seen[name]})" if name in self.seen else fault

    def _advice(self, names: Iterable[str]) -> str | None:
        known = [*map(self._how, names), self.otherwise]
        return "; ".join(dict.fromkeys(filter(None, known))) or None

    def _how(self, name: str) -> str:
        """Return how to get what a group lacks."""
        values: Array = getattr(self, name)
        return self.more.get(name, MORE) if values.size else self.lacking.get(name, "")

    def pairs(self) -> tuple[Array, Array]:
        """Return the rates and round trips of the flows that have both.

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


MORE = "give two or more values that differ"

GROUPS = {
    "rates_bps": "throughput",
    "throughputs_bps": "throughput of a flow alone",
    "long_throughputs_bps": "throughput of a long flow alone",
    "rtts_s": "round trip without load",
    "loaded_rtts_s": "round trip under load",
    "sizes_bytes": "size of a flow",
}
"""The words for each group of samples in reports."""
