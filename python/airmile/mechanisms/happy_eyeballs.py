"""Two connections that raced to the addresses of one name (Happy Eyeballs, RFC 8305).

Proof: the first SYN had no answer when a second connection began, 50 ms to 2 s after it, from the
same phone to the same port, one over IPv4 and one over IPv6; one of the two carried all data, and
the other was given up without any. It is likely where both servers have one name, and else open: a
connection to another host, given up unused, would look the same.

The twins are parallel connections to several hosts, whose first SYNs are answered at once; a
connection that is opened ahead, to the same address; and a retry after a refusal, which is no race.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import seconds
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_MS = 50
"""The least delay between two attempts; our choice. RFC 8305 section 8 advises 100 ms at least."""

MOST_MS = 2_000
"""The longest delay between two attempts (RFC 8305 section 8)."""

_COLUMNS = (
    *("uid", "ue", "teid", "vantage", "server", "server_port", "server_name", "initiator"),
    *("start_ns", "end_ns", "ending", "handshake_rtt_ms", "ul_syn", "dl_syn", "dl_rst"),
    *("ul_payload_bytes", "dl_payload_bytes"),
)


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return False: the sums of the verdict do not show pairs of connections."""
    return False


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the connections that won a race (methods T10)."""
    flows = source(dataset, "flows", *_COLUMNS)
    query = f"""WITH attempts AS ({_attempts(flows)}),
        races AS ({_races("first.teid = second.teid")}
            UNION {_races("first.vantage = 'ue' AND second.vantage = 'ue'")})
        FROM races
        QUALIFY row_number() OVER (PARTITION BY run, loser ORDER BY named DESC, delay_s, uid) = 1"""
    for row in with_frames(dataset, query):
        certainty = "likely" if row["named"] else "open"
        yield Finding.of(row, None, certainty, _evidence(row), _advice(row))


def _attempts(flows: str) -> str:
    """Return SQL for connections that a phone opened."""
    return f"""SELECT *, contains(server, ':') AS six, ul_payload_bytes + dl_payload_bytes AS bytes,
            start_ns // {MOST_MS}_000_000 AS span
        FROM ({flows}) WHERE initiator = 'ue' AND ul_syn > 0"""


def _races(same_phone: str) -> str:
    """Return SQL for pairs of attempts of which the first one was not answered in time."""
    return f"""SELECT first.run,
            CASE WHEN first.bytes > 0 THEN first.uid ELSE second.uid END AS uid,
            CASE WHEN first.bytes > 0 THEN second.uid ELSE first.uid END AS loser,
            first.start_ns, greatest(second.start_ns, least(first.end_ns, second.end_ns)) + 1
                AS end_ns,
            first.bytes > 0 AS first_won, first.server AS first_server,
            second.server AS second_server, first.dl_syn > 0 AND second.dl_syn > 0 AS both,
            (second.start_ns - first.start_ns) / 1e9 AS delay_s,
            coalesce(first.server_name = second.server_name, false) AS named
        FROM (SELECT *, unnest([span, span + 1]) AS near FROM attempts) AS first
        JOIN attempts AS second
        ON first.run = second.run AND first.server_port = second.server_port
            AND first.near = second.span AND first.six = NOT second.six AND {same_phone}
            AND second.start_ns - first.start_ns BETWEEN {LEAST_MS}e6 AND {MOST_MS}e6
        WHERE (first.bytes > 0) != (second.bytes > 0) AND first.dl_rst = 0
            AND (first.dl_syn = 0 OR first.start_ns + first.handshake_rtt_ms * 1e6
                > second.start_ns)
            AND CASE WHEN first.bytes > 0 THEN second.ending ELSE first.ending END
                IN ('syn_only', 'rst', 'fin')
            AND coalesce(first.server_name = second.server_name, true)"""


def _evidence(row: dict[str, Any]) -> str:
    first, second = row["first_server"], row["second_server"]
    delay = seconds(row["delay_s"])
    opened = f"the SYN to {first} had no answer after {delay}, and a second went to {second}"
    won = first if row["first_won"] else second
    given = "answered too and was closed" if row["both"] else "was given up"
    what = f"{opened}; {won} carried the data, and the other connection {given} without any"
    if row["named"]:
        return what
    return f"{what}: a connection to another host that was not used would look the same"


def _advice(row: dict[str, Any]) -> str:
    if row["first_won"]:
        return (
            "the first address answered after all: the second attempt cost a SYN and no time. If "
            "this is frequent, let the client wait longer than a usual handshake before it tries "
            "the next address (RFC 8305 section 5)"
        )
    return (
        f"each new connection waits {seconds(row['delay_s'])} for {row['first_server']}: see why "
        "its SYN gets no answer (a route, a firewall, an address that DNS should not give), and "
        "let the client remember which address answered (RFC 8305 section 4)"
    )


DECLARATION = Mechanism("race between addresses (Happy Eyeballs)", "handshake_dns", may_be, find)
"""The declaration of the mechanism."""
