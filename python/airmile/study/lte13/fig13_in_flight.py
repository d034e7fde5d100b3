"""Figure 13: bytes in flight of flows above 1 MB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent, size
from airmile.store._definitions import LARGE_BYTES, LARGE_SIZE
from airmile.store._needs import samples, source
from airmile.study._curves import Curve, Picture, Points, curves
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

IN_FLIGHT = f"flows above {LARGE_SIZE}"

QUEUE_BYTES = 200_000
"""The bytes in flight that a tenth of the samples in the paper exceed."""

PUBLISHED = {IN_FLIGHT: [(QUEUE_BYTES / 1e3, 0.9)]}


def table(dataset: Tables) -> pa.Table:
    """Give the distribution of bytes in flight over data packets, in KB (methods C1)."""
    known = source(dataset, "in_flight_samples", "uid", "direction", "in_flight_bytes")
    flows = _flows.tcp(dataset, "uid", "dl_payload_bytes")
    values = f"""SELECT in_flight_bytes / 1e3 AS value FROM {known}
        JOIN {flows} USING (run, uid)
        WHERE direction = 'downlink' AND dl_payload_bytes > {LARGE_BYTES}"""
    lacking = f"no samples of bytes in flight of a flow above {LARGE_SIZE}"
    marks = (QUEUE_BYTES / 1e3,)
    how = samples(dataset, f"capture a download of more than {LARGE_SIZE}")
    return curves(dataset, [Curve(IN_FLIGHT, values, marks)], lacking, how)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median, and how often the queue is long."""
    own = Points(rows, IN_FLIGHT)
    above = percent(1 - own.share_to(QUEUE_BYTES / 1e3))
    return [
        Finding("median", size(own.quantile(0.5) * 1e3), "", own.n),
        Finding(f"above {size(QUEUE_BYTES)}", above, "10 %", own.n),
    ]


fig13 = Exhibit(
    "lte13", "fig13", "section 4.3", "Bytes in flight of flows above 1 MB", table, findings,
    Picture("bytes in flight (KB)", published=PUBLISHED, reach=(1, 1000)),
    needs=Needs(places=BEFORE_RADIO),
    caption=(
        "Distribution over the data packets of flows above 1 MB of the bytes in flight, sent "
        "and not yet acknowledged. Far more than the link holds in a round trip waits in queues "
        "(methods C1)."
    ),
)  # fmt: skip
