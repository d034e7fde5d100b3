"""Evidence for a middlebox: restarts or lower throughput on standard ports only (methods C7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from airmile._words import listed
from airmile.comparison._difference import of_groups, of_pairs
from airmile.comparison._groups import Group, group_of, names
from airmile.comparison._pairing import in_common, pairs
from airmile.comparison._rows import RESTARTS, Rows
from airmile.comparison.inference import shift, signs
from airmile.comparison.inference._arrays import LEVEL
from airmile.comparison.inference.several import holm

STANDARD = ("80", "443")
"""The ports of HTTP and of HTTP over TLS, which the middleboxes of BT19 handled."""

RATES = ("bps", "_mbps", "_kbps", "_gbps", "demand_ratio")
"""Endings of the metrics that are lower if a sender restarts."""

BY = "port"


@dataclass(frozen=True)
class Evidence:
    """The comparison of a standard port with another port.

    Attributes
    ----------
    kind : str
        ``restart``: the share of idle gaps with a restart. ``gap``: the metric.
    standard, other : str
        The two ports.
    here, there : float
        The means on the standard port and on the other port.
    n : int
        The number of pairs, or of samples in the smaller group.
    holm : float
        The p-value, adjusted for all pieces of evidence together.
    speaks : bool
        Whether it shows a middlebox: more restarts, or a lower rate, on the standard port.
    """

    kind: str
    standard: str
    other: str
    here: float
    there: float
    n: int
    holm: float
    speaks: bool


@dataclass(frozen=True)
class Middlebox:
    """What the ports show about a middlebox.

    `ports` are those that differ from every other port as a middlebox would make them.
    """

    ports: list[str]
    evidence: list[Evidence]
    reason: str

    @property
    def sentence(self) -> str:
        """A sentence about what the data show of a middlebox."""
        if not self.ports:
            return f"No middlebox shows: {self.reason}."
        shown = [each for each in self.evidence if each.speaks and each.standard in self.ports]
        ports = f"port {self.ports[0]}" if len(self.ports) == 1 else f"ports {listed(self.ports)}"
        return f"A middlebox on {ports}: {listed([_said(each) for each in shown])}."

    def document(self) -> dict[str, Any]:
        """Return the values as plain Python objects."""
        return asdict(self)


def _said(each: Evidence) -> str:
    if each.kind == "restart":
        return (
            f"senders restart after {each.here:.0%} of idle gaps on {each.standard}, after "
            f"{each.there:.0%} on {each.other}"
        )
    share = 1 - each.here / each.there if each.there else 0.0
    return f"{each.standard} is {share:.0%} slower than {each.other}"


def find(read: Sequence[Rows], estimate: str, *, paired: bool = True) -> Middlebox:
    """Return what restarts and rates on standard ports and on others show.

    Units that two ports have in common are pairs, unless `paired` is false.
    """
    ports = names(read, BY)
    standard = [each for each in ports if each in STANDARD]
    others = [each for each in ports if each not in STANDARD]
    if not standard or not others:
        return Middlebox(
            [], [], "it takes a standard port (80, 443) and another one, as 7777, to compare"
        )
    tests = [
        found
        for here in standard
        for there in others
        for found in _tests(read, here, there, estimate, paired=paired)
    ]
    adjusted = holm(np.array([p for _, p in tests], float))
    evidence = [
        replace(each, holm=float(p), speaks=each.speaks and float(p) <= LEVEL)
        for (each, _), p in zip(tests, adjusted, strict=True)
    ]
    named = [here for here in standard if all(_speaks(evidence, here, o) for o in others)]
    wanting = "neither a restart nor a throughput gap on a standard port alone"
    return Middlebox(named, evidence, wanting if tests else "no rates or restarts to compare")


def _speaks(evidence: Sequence[Evidence], here: str, there: str) -> bool:
    return any(each.speaks for each in evidence if (each.standard, each.other) == (here, there))


def _tests(
    read: Sequence[Rows], here: str, there: str, estimate: str, *, paired: bool
) -> Iterator[tuple[Evidence, float]]:
    """Yield each piece of evidence with its p-value; the p-value decides whether it speaks."""
    restarts = [replace(each, values={RESTARTS: each.restarts}) for each in read]
    a, b = (group_of(port, restarts, RESTARTS, BY) for port in (here, there))
    if min(a.n, b.n) >= 2:
        p_value, n = _of_shares(a, b, paired=paired)
        means = float(a.values.mean()), float(b.values.mean())
        yield Evidence("restart", here, there, *means, n, 1.0, means[0] > means[1]), p_value
    metric = next((name for name in read[0].values if name.endswith(RATES)), None)
    if metric is not None:
        a, b = (group_of(port, read, metric, BY) for port in (here, there))
        yield from _gap(a, b, estimate, paired=paired)


def _gap(a: Group, b: Group, estimate: str, *, paired: bool) -> Iterator[tuple[Evidence, float]]:
    if min(a.n, b.n) < 2 or np.ptp(a.values) == 0 or np.ptp(b.values) == 0:
        return
    paired = paired and in_common(a, b) >= 2
    found = pairs(a, b, drop_unmatched=True) if paired else None
    if found is not None and np.ptp(found.differences) > 0:
        judged = of_pairs(a, b, found, "", "", estimate)
    else:
        judged = of_groups(a, b, "", "", estimate)
    n = judged.pairs or min(a.n, b.n)
    lower = judged.value > 0 and judged.excludes_zero
    means = float(a.values.mean()), float(b.values.mean())
    yield Evidence("gap", a.label, b.label, *means, n, 1.0, lower), judged.p_value


def _of_shares(a: Group, b: Group, *, paired: bool) -> tuple[float, int]:
    """Return the p-value of equal shares, and the number of samples behind it."""
    place = {unit: at for at, unit in enumerate(b.units)}
    both = [(at, place[unit]) for at, unit in enumerate(a.units) if unit in place]
    if paired and a.pairs and len(both) >= 2:
        differences = np.array([b.values[there] - a.values[here] for here, there in both])
        return (float(signs.p_value(differences)) if differences.any() else 1.0), len(both)
    if np.ptp(np.concatenate([a.values, b.values])) == 0:
        return 1.0, min(a.n, b.n)
    return shift.rank_sum_p_value(a.values, b.values), min(a.n, b.n)
