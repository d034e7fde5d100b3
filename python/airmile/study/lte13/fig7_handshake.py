"""Figure 7: round trips of TCP handshakes on either side of the monitor, and DNS look-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent, seconds
from airmile.store._needs import contains, source
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import MONITOR, PHONE, captured_at
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

DOWNSTREAM, WHOLE = "client to monitor (C-M)", "client to server (C-S)"
DNS, WHOLE_DNS = "DNS", "DNS, from the phone"
WHOLE_OF_PROXIED = "client to server or proxy, proxied ports (C-P)"
TO_PROXY, TO_SERVER = "monitor to proxy (M-P)", "monitor to server (M-S)"

PUBLISHED = {DNS: [(10.0, 0.873)]}


def table(dataset: Tables) -> pa.Table:
    """Return the distributions of the handshake's parts (methods B1) and of look-ups (B3).

    A capture between the radio network and the servers shows both parts of the round trip; other
    captures show the whole only, at the phone without handshakes that woke its radio. Flows to the
    ports of `handshake.pep_ports` are those of a proxy where the operator has one, so their whole
    round trips are a curve of their own.
    """
    wanted = [*_handshakes(dataset), *_look_ups(dataset)]
    return curves(dataset, wanted, "no complete handshake and no look-up", _flows.HOW)


def _handshakes(dataset: Tables) -> list[Curve]:
    flows = _flows.tcp(
        dataset, "downstream_rtt_ms", "upstream_rtt_ms", "handshake_rtt_ms", "vantage", "ue",
        "handshake_after_idle", _flows.PROXIED,
    )  # fmt: skip
    proxied, direct = _flows.PROXIED, f"NOT {_flows.PROXIED}"
    between, whole = captured_at(dataset, MONITOR), f"handshake_rtt_ms AS value FROM {flows}"
    return [
        Curve(DOWNSTREAM, f"SELECT downstream_rtt_ms AS value FROM {flows} WHERE {between}"),
        Curve(TO_PROXY, f"""SELECT upstream_rtt_ms AS value FROM {flows}
            WHERE {proxied} AND {between}"""),
        Curve(TO_SERVER, f"""SELECT upstream_rtt_ms AS value FROM {flows}
            WHERE {direct} AND {between}"""),
        Curve(WHOLE, f"SELECT {whole} WHERE {direct} AND {_flows.AWAKE}"),
        Curve(WHOLE_OF_PROXIED, f"SELECT {whole} WHERE {proxied} AND {_flows.AWAKE}"),
    ]  # fmt: skip


def _look_ups(dataset: Tables) -> list[Curve]:
    """Return the times of look-ups; those from the phone contain the round trip over the radio."""
    if not contains(dataset, "dns"):
        return []
    dns = source(dataset, "dns", "uid", "lookup_ms", "queries")
    flows = source(dataset, "flows", "uid", "ue", "vantage")
    return [
        Curve(name, f"""SELECT lookup_ms AS value FROM {dns} JOIN {flows} USING (run, uid)
            WHERE queries = 1 AND {captured_at(dataset, places)}""", (10.0,))
        for name, places in ((DNS, MONITOR), (WHOLE_DNS, PHONE))
    ]  # fmt: skip


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
        "servers has both parts; others have the whole, at the phone without handshakes that woke "
        "its radio. Flows to the ports of "
        "handshake.pep_ports count as behind a proxy (methods B1, B3)."
    ),
)  # fmt: skip
