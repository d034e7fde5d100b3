"""SQL of the TCP flows that the sections of LTE13 examine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from airmile._words import counted
from airmile.store._definitions import LARGE, large_flow
from airmile.store._needs import source
from airmile.store._remedies import MANY

if TYPE_CHECKING:
    from airmile.store import Tables
    from airmile.study._numbers import Sql

PROXIED = "pep"
"""The column that is true for flows through the operator's proxy (methods B1)."""

LACKING = "no TCP flow"
HOW = f"capture more of the phones' TCP traffic, or several captures together: {MANY}"
"""A hint: how to get a dataset with more flows."""

HOW_LARGE = f"capture downloads above {LARGE}, or several captures together: {MANY}"
"""A hint: how to get a dataset with large flows."""

AWAKE = "(vantage IS DISTINCT FROM 'ue' OR NOT coalesce(handshake_after_idle, true))"
"""The condition for handshakes without a promotion in them, which only the phone sees (B1, B2)."""

MONITOR = "capture between the radio network and the servers, or name the place with --vantage"
"""A hint: how to get what only a capture in the core network shows."""


def without_proxied(dataset: Tables) -> str:
    """Return how many TCP flows are left out because they count as behind a proxy; "" for none."""
    flows = tcp(dataset, PROXIED)
    (row,) = dataset.records(f"SELECT count(*) AS n FROM {flows} WHERE {PROXIED}")
    if not row["n"]:
        return ""
    return (
        f"; {counted(row['n'], 'TCP flow')} to the ports of handshake.pep_ports are left out as "
        "behind a proxy (--set handshake.pep_ports= where there is none)"
    )


def tcp(dataset: Tables, *columns: str) -> str:
    """Return SQL for columns of the TCP flows, and the columns that conditions on them need."""
    wanted = dict.fromkeys(("protocol", "server_port", *columns))
    return f"(FROM {source(dataset, 'flows', *wanted)} WHERE protocol = 'tcp')"


def large(dataset: Tables, *columns: str) -> str:
    """Return SQL for columns of the large downlink flows (methods T5)."""
    wanted = ("dl_payload_bytes", "dl_first_payload_ns", "dl_last_payload_ns", *columns)
    span_s = "(dl_last_payload_ns - dl_first_payload_ns) / 1e9"
    return f"""(
        FROM {tcp(dataset, *wanted)}
        WHERE {large_flow("dl_payload_bytes", span_s)})"""


def of_tcp(columns: Sequence[str], query: Callable[[str], str]) -> Sql:
    """Return the query of a number over the TCP flows; `query` gets the SQL of the flows."""
    return lambda dataset: query(tcp(dataset, *columns))


def of_large(columns: Sequence[str], query: Callable[[str], str]) -> Sql:
    """Return the query of a number over the large flows; `query` gets the SQL of the flows."""
    return lambda dataset: query(large(dataset, *columns))


def of_table(table: str, columns: Sequence[str], query: Callable[[str], str]) -> Sql:
    """Return the query of a number over a table; `query` gets the SQL of the table."""
    return lambda dataset: query(source(dataset, table, *columns))
