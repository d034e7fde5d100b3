"""TCP flows as SQL, as the sections of LTE13 choose them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from airmile.store._definitions import LARGE, large_flow
from airmile.store._needs import MANY, source

if TYPE_CHECKING:
    from airmile.dataset import Dataset
    from airmile.study._numbers import Sql

PROXIED = "pep"
"""The column that marks flows through the operator's proxy (methods B1)."""

LACKING = "no TCP flow"
HOW = f"capture more of the phones' TCP traffic, or several captures together: {MANY}"
"""How to get more flows."""

HOW_LARGE = f"capture downloads above {LARGE}, or several captures together: {MANY}"
"""How to get large flows."""

MONITOR = "capture between the radio network and the servers, or name the place with --vantage"
"""How to get what only a capture in the core shows."""


def tcp(dataset: Dataset, *columns: str) -> str:
    """Return SQL with columns of the TCP flows, and those that conditions on them name."""
    wanted = dict.fromkeys(("protocol", "server_port", *columns))
    return f"(FROM {source(dataset, 'flows', *wanted)} WHERE protocol = 'tcp')"


def large(dataset: Dataset, *columns: str) -> str:
    """Return SQL with columns of the large downlink flows (methods T5)."""
    wanted = ("dl_payload_bytes", "dl_first_payload_ns", "dl_last_payload_ns", *columns)
    span_s = "(dl_last_payload_ns - dl_first_payload_ns) / 1e9"
    return f"""(
        FROM {tcp(dataset, *wanted)}
        WHERE {large_flow("dl_payload_bytes", span_s)})"""


def of_tcp(columns: Sequence[str], query: Callable[[str], str]) -> Sql:
    """Return the query of a number over the TCP flows, from their SQL."""
    return lambda dataset: query(tcp(dataset, *columns))


def of_large(columns: Sequence[str], query: Callable[[str], str]) -> Sql:
    """Return the query of a number over the large downlink flows, from their SQL."""
    return lambda dataset: query(large(dataset, *columns))


def of_table(table: str, columns: Sequence[str], query: Callable[[str], str]) -> Sql:
    """Return the query of a number over a table, from its SQL."""
    return lambda dataset: query(source(dataset, table, *columns))
