"""The cause `undetermined`: the evidence is not sufficient; the slices give the reason."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import GREY
from airmile.causes import _hidden_queue
from airmile.causes._declaration import Case, Declaration

_EITHER = frozenset({"lte_downlink", "lte_uplink"})
"""The links between which and the congestion window a short queue would decide."""


def evidence(case: Case) -> Iterator[str]:
    """Yield how short a queue would be hidden, if most is open between link and window."""
    named = {
        key: ns
        for key, ns in (case.flow["named_ns"] or {}).items()
        if key.partition(",")[0] == "undetermined"
    }
    most = max(named, key=lambda key: named[key], default="").split(",")
    if "congestion_window" in most and not _EITHER.isdisjoint(most):
        yield from _hidden_queue.evidence(case, "undetermined")


DECLARATION = Declaration(colour=GREY, hatch="..", evidence=evidence)
