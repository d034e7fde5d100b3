"""A selection of the flows of a dataset, in a chosen order."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airmile._errors import UsageError
from airmile._words import printable
from airmile.answers.verdict._access import is_cellular
from airmile.answers.verdict._flows import ranked
from airmile.store import _sql
from airmile.store._needs import absent, existing, need_flows
from airmile.store._rows import rows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

OFFERED = 6
"""The most columns that are proposed for an unknown column."""

_NEEDED = (
    *("start_ns", "duration_s", "server", "server_port", "dl_payload_bytes", "ul_payload_bytes"),
    *(
        "limited_by",
        "limited_by_reason",
        "vantage",
        "dl_rtt_p50_ms",
        "ul_rtt_p50_ms",
        "handshake_rtt_ms",
    ),
    *("dl_retransmissions", "ul_retransmissions", "uid"),
    *("dl_unique_bytes", "ul_unique_bytes"),
)

_ROUND_TRIP_MS = """coalesce(CASE vantage WHEN 'ue' THEN ul_rtt_p50_ms
    WHEN 'server' THEN dl_rtt_p50_ms ELSE dl_rtt_p50_ms + ul_rtt_p50_ms END, handshake_rtt_ms)"""
"""SQL of the round trip between phone and server; a capture between them measures two parts."""


@dataclass(frozen=True)
class FlowList:
    """A selection of the flows of a dataset, in a chosen order.

    Parameters
    ----------
    dataset : Tables
        The dataset with the flows.
    sort : str, optional
        A column of `flows`: numbers from the largest, instants from the earliest, text from A.
        By default the rank. Unknown (null) values come last.
    reverse : bool
        Reverse the order; unknown values still come last.
    top : int, optional
        How many flows to list at most; None for all.
    where : str, optional
        SQL condition on `flows`; ranks nevertheless count all flows.

    Raises
    ------
    UsageError
        There is no such column, or the condition is not valid SQL.
    """

    dataset: Tables
    sort: str | None = None
    reverse: bool = False
    top: int | None = None
    where: str | None = None

    def __post_init__(self) -> None:
        need_flows(self.dataset)
        if self.where is not None:
            self.dataset.where(self.where)
        if self.sort is not None and absent(self.dataset, "flows", [self.sort]):
            raise UsageError(f"no column {printable(self.sort)} in flows", self._near(self.sort))

    def table(self) -> pa.Table:
        """Return every column of the chosen flows."""
        added = ", server_name" if absent(self.dataset, "flows", ["server_name"]) else ""
        query = f"SELECT * EXCLUDE (rank{added}) FROM {self._ordered(self.top)}"
        return self.dataset.arrow(query, of_user=self.where is not None)

    def rows(self, most: int) -> tuple[list[dict[str, Any]], int]:
        """Return at most `most` flows with the columns of the list, and how many were chosen."""
        limit = most if self.top is None else min(most, self.top)
        first_ns = self.dataset.manifest.get("first_ns")
        by = f", {_sql.name(self.sort)} AS sorted_by" if self.sort else ""
        first = "min(start_ns) OVER ()" if first_ns is None else first_ns
        found = rows(
            self.dataset,
            f"""SELECT *, (start_ns::HUGEINT - {first}) / 1e9 AS since_start_s,
                {_ROUND_TRIP_MS} / 1000 AS round_trip_s,
                coalesce(dl_retransmissions, ul_retransmissions) IS NOT NULL AS tracked,
                coalesce(dl_retransmissions, 0) + coalesce(ul_retransmissions, 0) AS resent
            FROM (SELECT rank, server_name, {existing(self.dataset, "flows", _NEEDED)}{by}
                  FROM {self._ordered(limit)})""",
            of_user=self.where is not None,
        )
        cellular = is_cellular(self.dataset)
        return [{**row, "cellular": cellular} for row in found], self._count()

    def _ordered(self, limit: int | None) -> str:
        first = "" if limit is None else f" LIMIT {limit}"
        return f"(FROM {self._chosen()} ORDER BY {self._order()}{first})"

    def _chosen(self) -> str:
        # The line break ends a comment with which a condition may end.
        where = "" if self.where is None else f" WHERE ({self.where}\n)"
        return f"(FROM {ranked(self.dataset)}{where})"

    def _count(self) -> int:
        query = f"SELECT count(*) AS flows FROM {self._chosen()}"
        found = rows(self.dataset, query, of_user=self.where is not None)
        number = int(found[0]["flows"])
        return number if self.top is None else min(number, self.top)

    def _order(self) -> str:
        if self.sort is None:
            return "rank DESC" if self.reverse else "rank"
        falling = self._falls(self.sort) is not self.reverse
        return f"{_sql.name(self.sort)} {'DESC' if falling else 'ASC'} NULLS LAST, rank"

    def _falls(self, column: str) -> bool:
        """Return whether the largest value comes first."""
        kind = f"SELECT typeof({_sql.name(column)}) AS kind FROM flows LIMIT 1"
        text = any(row["kind"] == "VARCHAR" for row in rows(self.dataset, kind))
        return not text and not column.endswith("_ns")

    def _near(self, wanted: str) -> str:
        """Return a hint with the columns whose names resemble `wanted` or contain its words."""
        known = self.dataset.columns("flows")
        words = set(wanted.lower().split("_"))
        near = difflib.get_close_matches(wanted.lower(), known, n=OFFERED)
        near += [name for name in known if words & set(name.split("_")) and name not in near]
        if not near:
            return "`airmile schema flows` lists the columns"
        return f"did you mean {', '.join(near[:OFFERED])}? `airmile schema flows` lists all"
