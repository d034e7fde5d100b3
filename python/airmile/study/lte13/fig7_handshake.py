"""Figure 7: round trips of TCP handshakes on either side of the monitor, and DNS look-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent, seconds
from airmile.store._needs import nullable
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.dataset import Dataset

DOWNSTREAM, WHOLE, DNS = "client to monitor (C-M)", "client to server (C-S)", "DNS"
WHOLE_OF_PROXIED = "client to server or proxy, proxied ports (C-P)"
TO_PROXY, TO_SERVER = "monitor to proxy (M-P)", "monitor to server (M-S)"

PUBLISHED = {DNS: [(10.0, 0.873)]}


def table(dataset: Dataset) -> pa.Table:
    """Return the distributions of the handshake's parts (methods B1) and of look-ups (B3).

    A capture between the radio network and the servers shows both parts of the round trip; other
    captures show the whole only. Flows to the ports of `handshake.pep_ports` are those of a proxy
    where the operator has one, so their whole round trips are a curve of their own.
    """
    columns = ("downstream_rtt_ms", "upstream_rtt_ms", "handshake_rtt_ms", _flows.PROXIED)
    flows = _flows.tcp(dataset, *columns)
    dns = nullable(dataset, "dns", "lookup_ms", "queries")
    direct = f"NOT {_flows.PROXIED}"
    wanted = [
        Curve(DOWNSTREAM, f"SELECT downstream_rtt_ms AS value FROM {flows}"),
        Curve(
            TO_PROXY, f"SELECT upstream_rtt_ms AS value FROM {flows} WHERE {_flows.PROXIED}"
        ),
        Curve(TO_SERVER, f"SELECT upstream_rtt_ms AS value FROM {flows} WHERE {direct}"),
        Curve(WHOLE, f"SELECT handshake_rtt_ms AS value FROM {flows} WHERE {direct}"),
        Curve(
            WHOLE_OF_PROXIED,
            f"SELECT handshake_rtt_ms AS value FROM {flows} WHERE {_flows.PROXIED}",
        ),
        Curve(DNS, f"SELECT lookup_ms AS value FROM {dns} WHERE queries = 1", (10.0,)),
    ]  # fmt: skip
    return curves(dataset, wanted, "no complete handshake and no look-up", _flows.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median of each curve, and the share of fast look-ups."""
    found = []
    for name in names(rows):
        own = Points(rows, name)
        found.append(Finding(f"median, {name}", seconds(own.quantile(0.5) / 1e3), "", own.n))
        if name == DNS:
            found.append(Finding("DNS below 10 ms", percent(own.share_to(10.0)), "87.3 %", own.n))
    return found


fig7 = Exhibit(
    "lte13", "fig7", "section 4.2", "Round trips of handshakes, and DNS look-ups", table, findings,
    Picture("time (ms)", published=PUBLISHED),
    caption=(
        "Distribution of the round trip of TCP handshakes on both sides of the capture point, "
        "and of the time that DNS look-ups took. A capture between the radio network and the "
        "servers has both parts; others have the whole. Flows to the ports of "
        "handshake.pep_ports count as behind a proxy (methods B1, B3)."
    ),
)  # fmt: skip
