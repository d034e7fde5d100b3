"""Which sockets send a run's data over the radio, and what their kernel said of them.

One query for all who judge by the kernel's word: the labels, and each quantity that is scored.
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
"""Segments, where a route says nothing (RFC 6928; TCP_INIT_CWND of Linux)."""


@dataclass(frozen=True)
class Senders:
    """The sockets that send over the radio.

    Attributes
    ----------
    place : str
        Where they are: `server`, `core` (the split proxy's to the phone) or `phone`.
    ports : tuple of int
        Of the servers whose connections the proxy takes; none: all. Those to other ports are sent
        by the server.
    initial_windows : mapping of str to int
        Per place, of its route; 10 segments where none is named.
    """

    place: str
    ports: tuple[int, ...] = ()
    initial_windows: Mapping[str, int] | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Senders:
        """Read them from what is known of a run (`testbed` of its manifest)."""
        experiment = facts["experiment"]
        windows = {
            place: int(route["initial_window"])
            for place, route in experiment["routes"].items()
            if "initial_window" in route
        }
        ports = (experiment["proxy"] or {}).get("ports", ())
        return cls(facts["sender"], tuple(ports), windows)

    def samples(self) -> str:
        """Give the SQL of their rows in `truth_tcp`.

        With them: `phone_port` and `server_port` as a capture at the radio shows them;
        `connection`, 0 for the first of these ports and so on; `window_full`, whether data waits
        for the peer's window; and `initial_window`.
        """
        windows = " ".join(
            f"WHEN '{place}' THEN {segments}"
            for place, segments in sorted((self.initial_windows or {}).items())
        )
        window = f"CASE place {windows} ELSE {INITIAL_WINDOW} END" if windows else INITIAL_WINDOW
        return _SAMPLES.format(rows=self._rows(), full=_WINDOW_FULL, window=window)

    def connections(self) -> str:
        """Give the SQL of their connections: ports, number, first and last sample."""
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

# The proxy's socket has its own port: the phone's tells whose it stands for. The phone may have
# been asked a little later than the core.
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
"""Data waits for the peer's window, which is smaller than the congestion window.

Linux sends nothing while less than a third of the window is free and more may follow
(tcp_tso_win_divisor, ip-sysctl).
"""

# What the kernel counts of a connection only grows: where it falls, the ports were used again.
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
