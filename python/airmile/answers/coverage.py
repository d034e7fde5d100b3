"""The time that captures cover, and what a filter leaves out of them (methods A1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from airmile.store._needs import has, source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_SERVERS = 3
"""So many servers are not reached without a look-up, unless a filter left it out (our choice)."""

LEAST_GAP_S = 1.0
"""A shorter pause between captures is not worth a word (our choice)."""


class Covered(NamedTuple):
    """The time that all captures of a dataset cover together.

    `covered_s` counts times once that several captures cover; `whole_s` is the time from the first
    capture's start to the last one's end.
    """

    captures: int
    covered_s: float
    whole_s: float

    @property
    def has_pauses(self) -> bool:
        """Whether there is a time between captures of which nothing is known."""
        return self.whole_s - self.covered_s > LEAST_GAP_S


def of(dataset: Tables) -> Covered | None:
    """Return the time that the captures cover; None for runs and for modem logs alone.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile.answers import coverage
    >>> coverage.of(am.open("run.airmile"))  # doctest: +SKIP
    Covered(captures=11, covered_s=33.1, whole_s=30120.4)
    """
    known = dataset.manifest.get("covered")
    if not known:
        return None
    return Covered(known["captures"], known["covered_ns"] / 1e9, known["whole_ns"] / 1e9)


def filtered(dataset: Tables) -> str | None:
    """Return what shows that a filter left packets out, in words; None if nothing shows it.

    A phone looks names up and uses more than one port. A capture of TCP alone that reaches several
    servers without any datagram, or of one port alone, was filtered, so other packets may have
    passed.
    """
    if not has(dataset, "flows"):
        return None
    flows = source(dataset, "flows", "protocol", "server", "server_port")
    found = dataset.records(_PROTOCOLS.format(flows=flows))[0]
    if found["servers"] < LEAST_SERVERS or found["other"]:
        return None
    if found["ports"] == 1:
        return f"the capture holds TCP of port {found['port']} alone"
    return f"the capture holds TCP alone, to {found['servers']} servers without a look-up"


_PROTOCOLS = """
SELECT count(DISTINCT server) FILTER (protocol = 'tcp') AS servers,
       count(DISTINCT server_port) FILTER (protocol = 'tcp') AS ports,
       any_value(server_port) AS port, count(*) FILTER (protocol <> 'tcp') AS other
FROM {flows}"""
