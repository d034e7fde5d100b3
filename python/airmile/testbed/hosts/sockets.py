"""The sockets that send a run's data over the radio, with the state that the kernel reported.

The labels of the truth and every scored quantity use the same query for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airmile.testbed.experiment.split import PORT

CA_STATES = ("open", "disorder", "cwr", "recovery", "loss")
"""Names of the values of Linux's enum tcp_ca_state, from 0."""

RECOVERY, LOSS = map(CA_STATES.index, ("recovery", "loss"))

INITIAL_WINDOW = 10
"""Segments of the initial window where a route sets none (RFC 6928; TCP_INIT_CWND of Linux)."""


@dataclass(frozen=True)
class Senders:
    """The sockets that send over the radio.

    Attributes
    ----------
    place : str
        Their host: `server`, `phone`, or `core` for the sockets of the split proxy to the phone.
    ports : tuple of int
        The server ports whose connections the proxy splits; empty means all. The server itself
        sends the data of all other ports.
    initial_windows : mapping of str to int
        The initial windows of the routes in segments, by host; 10 where none is named.
    """

    place: str
    ports: tuple[int, ...] = ()
    initial_windows: Mapping[str, int] | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Senders:
        """Return the sockets that the manifest of a run names under `testbed`."""
        experiment = facts["experiment"]
        windows = {
            place: int(route["initial_window"])
            for place, route in experiment["routes"].items()
            if "initial_window" in route
        }
        ports = (experiment["proxy"] or {}).get("ports", ())
        return cls(facts["sender"], tuple(ports), windows)

    def samples(self) -> str:
        """Return the SQL of the rows of these sockets in the table `truth_tcp`.

        The query adds columns. `phone_port` and `server_port` are the ports in a capture at the
        radio. `connection` numbers the connections with the same ports from 0. `window_full` says
        whether data waits for the receive window. `initial_window` is in segments.
        """
        windows = " ".join(
            f"WHEN '{place}' THEN {segments}"
            for place, segments in sorted((self.initial_windows or {}).items())
        )
        window = f"CASE place {windows} ELSE {INITIAL_WINDOW} END" if windows else INITIAL_WINDOW
        return _SAMPLES.format(rows=self._rows(), full=_WINDOW_FULL, window=window)

    def connections(self) -> str:
        """Return the SQL of the connections: ports, number, and times of first and last sample."""
        return (
            "SELECT phone_port, server_port, connection, min(time_ns) AS since_ns, "
            f"max(time_ns) AS until_ns FROM ({self.samples()}) GROUP BY ALL ORDER BY since_ns"
        )

    def _rows(self) -> str:
        if self.place == "phone":
            return _AT_THE_PHONE
        if self.place == "server":
            return _AT_THE_SERVER
        taken = f"({', '.join(map(str, self.ports))})"
        split = _AT_THE_PROXY.format(
            port=PORT, taken=f"AND peer_port IN {taken}" if self.ports else ""
        )
        past = f"{_AT_THE_SERVER} AND local_port NOT IN {taken}"
        return f"{split} UNION ALL BY NAME {past}" if self.ports else split


_AT_THE_PHONE = (
    "SELECT *, local_port AS phone_port, peer_port AS server_port FROM truth_tcp "
    "WHERE place = 'phone'"
)

_AT_THE_SERVER = (
    "SELECT *, peer_port AS phone_port, local_port AS server_port FROM truth_tcp "
    "WHERE place = 'server'"
)

# The socket of the proxy has its own port; the phone's socket shows which server it replaces.
# The phone's state may have been sampled a little later than that of the core.
_AT_THE_PROXY = """
    SELECT core.*, core.peer_port AS phone_port, phone.peer_port AS server_port
    FROM (SELECT * FROM truth_tcp WHERE place = 'core' AND local_port = {port}) AS core
    ASOF LEFT JOIN (
        SELECT local_port, peer_port, time_ns - 1000000000 AS from_ns FROM truth_tcp
        WHERE place = 'phone' {taken}
    ) AS phone ON phone.local_port = core.peer_port AND core.time_ns >= phone.from_ns"""

_WINDOW_FULL = (
    "notsent > 0 AND snd_wnd < cwnd * snd_mss "
    "AND snd_wnd - unacked * snd_mss < greatest(snd_mss, snd_wnd / 3)"
)
"""SQL that is true if data waits for a receive window below the congestion window.

Linux sends nothing while less than a third of the window is free and more data may follow
(tcp_tso_win_divisor, ip-sysctl).
(tcp_tso_win_divisor, ip-sysctl).
"""

# The kernel's counters of a connection only grow: if one falls, a new connection has the ports.
_SAMPLES = """
    SELECT * EXCLUDE (begins), (sum(begins) OVER ports)::BIGINT AS connection,
        {full} AS window_full, {window} AS initial_window
    FROM (
        SELECT *, CASE WHEN bytes_acked < lag(bytes_acked) OVER ports
            OR busy_us < lag(busy_us) OVER ports THEN 1 ELSE 0 END AS begins
        FROM ({rows})
        WINDOW ports AS (PARTITION BY place, phone_port, server_port ORDER BY time_ns)
    )
    WINDOW ports AS (PARTITION BY place, phone_port, server_port ORDER BY time_ns)"""
