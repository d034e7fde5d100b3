"""A queue that makes every exchange beside a bulk transfer wait (RFC 8290 section 1).

Proof: while the link limits a connection, its round trips take more than twice the least one and
at least `LEAST_MS` longer. What fills the queue is this connection and whatever passes beside it.
It has no twin of its own: the certainty is that of the full link.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import seconds
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source
from airmile.store._rows import BIN, LENGTH_NS

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_MS = 150
"""A mouth-to-ear delay above this is noticed (ITU-T G.114): the queue alone reaches it."""

LEAST_RATIO = 2
"""The round trip must at least double; our choice."""

LEAST_S = 1
"""The link must be full for so long; our choice. Each slow start fills a queue for a moment."""

LEAST_SAMPLES = 5
"""Bins of 100 ms with a round trip: one long wait is no queue that stands; our choice."""

LINKS = ("lte_downlink", "lte_uplink")
"""The causes that name a full link."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return False: the evidence of a full link has the same round trips."""
    return False


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows whose full link makes round trips long (methods T10)."""
    columns = ("uid", "start_ns", "end_ns", "cause", "certainty", "rtt_ms", "rtt_min_ms")
    slices = source(dataset, "slices", *columns)
    links = ", ".join(f"'{link}'" for link in LINKS)
    query = f"""SELECT run, uid, cause, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
            min(rtt_min_ms) AS least_ms, median(rtt_ms) AS usual_ms,
            avg((certainty = 'sure')::INT) > 0.5 AS sure
        FROM ({slices}) AS slices WHERE cause IN ({links})
        GROUP BY run, uid, cause
        HAVING sum({LENGTH_NS}) >= {LEAST_S} * 1e9 AND usual_ms - least_ms >= {LEAST_MS}
            AND usual_ms >= {LEAST_RATIO} * least_ms
            AND count(DISTINCT {BIN}) FILTER (rtt_ms IS NOT NULL) >= {LEAST_SAMPLES}"""
    for row in with_frames(dataset, query):
        certainty = "sure" if row["sure"] else "likely"
        direction = "uplink" if row["cause"] == "lte_uplink" else "downlink"
        yield Finding.of(row, direction, certainty, _evidence(row), _advice(direction))


def _evidence(row: dict[str, Any]) -> str:
    usual, least = (seconds(row[name] / 1e3) for name in ("usual_ms", "least_ms"))
    return (
        f"while the link was full, a round trip took {usual} in the middle and {least} at the "
        "least: whatever passes the same queue waits as long"
    )


def _advice(direction: str) -> str:
    if direction == "uplink":
        return (
            "keep the queue short at the phone: limit what the application writes ahead "
            "(TCP_NOTSENT_LOWAT), pace the upload, or use BBR there; calls and small requests "
            "beside it gain, the upload loses nothing"
        )
    return (
        "keep the queue short: pace at the server or use BBR there, ask the operator for a queue "
        "that marks or drops early (RFC 8290, RFC 9332); calls and small requests beside the "
        "download gain, the download loses nothing"
    )


DECLARATION = Mechanism("bufferbloat", "lte_downlink", may_be, find)
"""The declaration of the mechanism."""
