"""The capture as a line of text, and as the view `summary` of queries and `--fail-if`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile._errors import UsageError
from airmile._words import captured, counted, seconds
from airmile.answers import coverage
from airmile.answers.verdict import _sums, _vantage
from airmile.answers.verdict._certainty import joined
from airmile.store._needs import absent
from airmile.store._rows import rows

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from airmile.answers.verdict._judge import Verdict
    from airmile.answers.verdict._sums import Sums
    from airmile.dataset import Dataset

NAME = "summary"
"""The name of the view."""

_OF_VERDICT = {
    "limited_by": "string",
    "certainty": "string",
    "small_calls_limited_by": "string",
    "link_is_bottleneck": "bool",
    "used_bps": "float64",
    "available_bps": "float64",
    "link_demand_ratio": "float64",
}
_COUNTED = {
    "flows": "int64",
    "tcp_flows": "int64",
    "ues": "int64",
    "duration_s": "float64",
    "packets": "int64",
    "ul_payload_bytes": "int64",
    "dl_payload_bytes": "int64",
    "retransmission_ratio": "float64",
    "timeouts_seen": "int64",
    "problems": "int64",
}

_SUMS = (
    *("flows", "tcp_flows", "ues", "packets"),
    *("ul_payload_bytes", "dl_payload_bytes", "timeouts_seen"),
)


def headline(dataset: Dataset) -> str:
    """Return name, length, packets, flows and capture point (vantage) of a capture."""
    row = totals(dataset)
    if not row["flows"] and _where(dataset):
        return f"{_names(dataset)}  no flow {_where(dataset)}"
    return "  ".join(
        part
        for part in (
            _names(dataset),
            _span(dataset, row["duration_s"]),
            counted(row["packets"], "packet"),
            f"{_phones(dataset, row['ues'])}, {counted(row['tcp_flows'], 'TCP flow')}",
            captured(_vantage.of(dataset).value, row["ues"]),
            _where(dataset),
            _modem(dataset),
        )
        if part
    )


def _phones(dataset: Dataset, number: int) -> str:
    """Return how many phones there are; a host that speaks to itself is called a host."""
    return counted(number, "host" if is_loopback(dataset) else "phone")


def is_loopback(dataset: Dataset) -> bool:
    """Return whether all judged flows are those of a host with itself."""
    ends = {str(flow["ue"]) for flow in _sums.of(dataset)["flows"]}
    return bool(ends) and all(end == "::1" or end.startswith("127.") for end in ends)


def _span(dataset: Dataset, flows_s: float | None) -> str:
    """Return how long was captured, and how long the pauses between captures make it."""
    length_s, covered = _length_s(dataset, flows_s), coverage.of(dataset)
    if length_s is None:
        return "no packets"
    if stepped_length_s(dataset) is not None:
        return f"{seconds(length_s)} (clock steps left out)"
    if covered is None or not covered.has_pauses or dataset.where_condition:
        return seconds(length_s)
    captures = counted(covered.captures, "capture")
    return f"{seconds(covered.covered_s)} in {captures} (over {seconds(covered.whole_s)})"


def _length_s(dataset: Dataset, flows_s: float | None) -> float | None:
    """Return the seconds until the last flow ended, counted from where all times are counted."""
    first_ns, end_ns = dataset.manifest.get("first_ns"), _sums.of(dataset)["totals"]["end_ns"]
    stepped = stepped_length_s(dataset) is not None
    if flows_s is None or first_ns is None or stepped or dataset.where_condition:
        return flows_s
    return max(flows_s, float(end_ns - first_ns) / 1e9)


def _modem(dataset: Dataset) -> str:
    """Return offset and drift of the modem log's clock relative to the capture's clock."""
    users = dataset.manifest.get("radio", [])
    fits = [user["aligned"] for user in users if user.get("aligned")]
    if fits:
        offsets = ", ".join(
            f"{fit['offset_ms']:+.0f} ± {fit['uncertainty_ms']:.0f} ms" for fit in fits
        )
        return f"modem log aligned ({offsets})"
    return "modem log not aligned" if users else ""


def totals(dataset: Dataset) -> dict[str, Any]:
    """Return the totals over `flows`."""
    sums = _sums.of(dataset)["totals"]
    row = {name: sums[name] for name in _SUMS}
    return {
        **row,
        "duration_s": _duration_s(dataset, sums),
        "retransmission_ratio": _retransmission_ratio(sums),
    }


def _duration_s(dataset: Dataset, sums: Sums) -> float | None:
    if sums["start_ns"] is None or sums["end_ns"] is None:
        return None
    duration_s: float = (sums["end_ns"] - sums["start_ns"]) / 1e9
    recorded_s = stepped_length_s(dataset)
    return duration_s if recorded_s is None else min(duration_s, recorded_s)


def _retransmission_ratio(sums: Sums) -> float | None:
    again = [sums[f"{way}_retransmissions"] for way in ("ul", "dl")]
    if None in again or not sums["tcp_packets"]:
        return None
    return float(sum(again) / sums["tcp_packets"])


def stepped_length_s(dataset: Dataset) -> float | None:
    """Return the recorded seconds if the clock stepped; None if it did not, or if unknown."""
    return _recorded_s(dataset) if clock_steps(dataset.manifest.get("counts", {})) else None


LEAST_STEP_S = 0.001
"""A smaller step of the clock, in s, changes no time that is shown."""


def clock_steps(counts: Mapping[str, Any]) -> int:
    """Return the number of clock steps back that matter, and of those by more than a day ahead.

    >>> clock_steps({"clock_steps_back": 3, "largest_clock_step_s": 2e-6})
    0
    """
    small = counts.get("largest_clock_step_s", LEAST_STEP_S) < LEAST_STEP_S
    back = 0 if small else int(counts.get("clock_steps_back", 0))
    return back + int(counts.get("clock_jumps_ahead", 0))


def _recorded_s(dataset: Dataset) -> float | None:
    """Return the recorded seconds; None for several inputs, which may overlap."""
    known = [source.get("recorded_ns") for source in dataset.manifest["inputs"]]
    recorded = [ns for ns in known if ns is not None]
    return recorded[0] / 1e9 if len(recorded) == 1 else None


def is_missing(error: duckdb.CatalogException) -> bool:
    """Return whether a query failed because it reads the view `summary`."""
    return bool(
        re.search(rf"Table with name \"?{NAME}\"? does not exist", str(error), re.IGNORECASE)
    )


def summary(verdict: Verdict, causes: list[str] | None = None) -> pa.Table:
    """Return the one-row view `summary`.

    It has the fields of the verdict, the counts of :func:`totals`, and ``share_<cause>`` for each
    cause: 0 if the cause had no time, null if nothing was judged or if no transfer of this capture
    could show the cause. Without `causes` these are all causes.
    """
    causes = _all_causes() if causes is None else causes
    import pyarrow as pa

    inputs = verdict.dataset.manifest["inputs"]
    unknown = _unknown(verdict.dataset, causes)
    row = {
        **{name: getattr(verdict, name) for name in _OF_VERDICT},
        "second": joined(verdict.second),
        **totals(verdict.dataset),
        "problems": sum(len(source["problems"]) for source in inputs),
        **{
            f"share_{cause}": verdict.shares.get(cause, None if cause in unknown else 0.0)
            if verdict.shares
            else None
            for cause in causes
        },
    }
    return pa.Table.from_pylist([row], schema=summary_schema(causes))


def _unknown(dataset: Dataset, causes: list[str]) -> set[str]:
    """Return the causes whose share is unknown (null) in every transfer."""
    known = [each for each in causes if not absent(dataset, "transfers", (f"share_{each}",))]
    if not known:
        return set()
    counts = ", ".join(f"count(share_{cause}) AS {cause}" for cause in known)
    row = rows(dataset, f"SELECT {counts} FROM transfers")[0]
    return {cause for cause in known if not row[cause]}


def summary_schema(causes: list[str] | None = None) -> pa.Schema:
    """Return the columns of `summary`; without `causes`, with the shares of all causes."""
    import pyarrow as pa

    named = _all_causes() if causes is None else causes
    columns = (
        _OF_VERDICT
        | {"second": "string"}
        | _COUNTED
        | {f"share_{cause}": "float64" for cause in named}
    )
    return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])


def _all_causes() -> list[str]:
    from airmile import _engine

    return [cause["name"] for cause in json.loads(_engine.schema())["causes"]]


def evaluate(condition: str, table: pa.Table) -> bool | None:
    """Return whether an SQL condition holds for the row of `table`; None if it is unknown."""
    import duckdb

    from airmile import _signals
    from airmile.store import _sql

    connection = _sql.connect()
    connection.register(NAME, table)
    try:
        # The line break ends a comment with which a condition may end.
        query = f"SELECT CAST(({condition}\n) AS BOOLEAN) FROM {NAME}"
        with _signals.forced():
            answered = _sql.answer(connection, query).fetchall()
    except (duckdb.Error, UsageError) as error:
        message = error.message if isinstance(error, UsageError) else _plain(error)
        hint = f"the view {NAME} has the columns {', '.join(table.column_names)}"
        raise UsageError(f"--fail-if: {message}", hint) from None
    value: bool | None = answered[0][0] if answered else None
    return value


def _plain(error: duckdb.Error) -> str:
    """Return the message of DuckDB without the kind of the error, which says nothing to a user."""
    from airmile.store import _sql

    return re.sub(r"^[A-Z]\w+ Error: ", "", _sql.first_line(error))


def _names(dataset: Dataset) -> str:
    names = [Path(source["name"]).name for source in dataset.manifest["inputs"]]
    if not names:
        return dataset.path.name
    names = ["standard input" if name == "-" else name for name in names]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _where(dataset: Dataset) -> str:
    return f"where {dataset.where_condition}" if dataset.where_condition else ""
