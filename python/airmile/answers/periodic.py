"""Periodic requests of a phone to one service (methods F2)."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile.answers._series import LEAST_REQUESTS, Series, series
from airmile.store._derived_tables import PERIODIC
from airmile.store._needs import source
from airmile.store._rows import not_control

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

FEW = f"fewer than {LEAST_REQUESTS} requests"
IRREGULAR = "no period that chance would not give"
CLOSED = "each request follows the answer before it within a round trip: the path gives the rhythm"

LONG_POLL_S = 1.0
"""A server that answers this late waits for something of its own to tell; our choice."""


def table(dataset: Tables) -> pa.Table:
    """Return the periods of the requests of each phone to each service (methods F2).

    A request is a downlink transfer that is not a small call (methods T1). The service is the name
    of the server, or else its address. A service whose requests follow several periods has a row
    for each period; a service without a period has a row with the reason.

    Parameters
    ----------
    dataset : Tables
        A dataset with captures.

    Returns
    -------
    pyarrow.Table
        ``run``, ``ue``, ``service``; ``period_s``, the mean time between successive requests of
        the series; ``regularity_ratio``, the share of its periods that had a request;
        ``jitter_s``, the median distance of its intervals from whole periods; ``requests`` and
        their ``bytes``, ``least_bytes`` and ``most_bytes``; ``connections`` that they used; and
        ``reason``, why there is no period.

    Raises
    ------
    Missing
        The dataset has no table ``transfers`` or ``flows``.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile.answers import periodic
    >>> periodic.table(am.open("run.airmile"))  # doctest: +SKIP
    """
    import pyarrow as pa

    asked = dataset.records(f"FROM {requests(dataset)} ORDER BY run, ue, service, request_ns, uid")
    found = [
        {"run": run, "ue": ue, "service": service, **row}
        for (run, ue, service), group in itertools.groupby(asked, _service)
        for row in _rows(list(group))
    ]
    names = [(column.name, pa.type_for_alias(column.type)) for column in PERIODIC]
    return pa.Table.from_pylist(found, schema=pa.schema(names))


def requests(dataset: Tables) -> str:
    """Return SQL with a row per request: `run, ue, service, uid, ue_port, request_ns, ...`."""
    transfers = source(
        dataset, "transfers", "uid", "direction", "boundary", "control", "request_ns", "end_ns",
        "bytes", "path_rtt_ms", "server_wait_ms",
    )  # fmt: skip
    flows = source(dataset, "flows", "uid", "ue", "ue_port", "server", "server_name")
    return f"""(
        SELECT run, ue, coalesce(server_name, server) AS service, uid, ue_port, request_ns, end_ns,
            bytes, coalesce(path_rtt_ms, 0) / 1e3 AS rtt_s,
            coalesce(server_wait_ms, 0) / 1e3 AS wait_s
        FROM {transfers} JOIN {flows} USING (run, uid)
        WHERE direction = 'downlink' AND {not_control(dataset)} AND request_ns IS NOT NULL)"""


def _service(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["run"], row["ue"], row["service"]


def _rows(asked: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a row per period of one service, or one row with the reason why it has no period."""
    start_ns = asked[0]["request_ns"]
    regular = series([(row["request_ns"] - start_ns) / 1e9 for row in asked])
    found = [each for each in regular if _is_own([asked[at] for at in each.members], each.period_s)]
    for each in found:
        yield {**_facts([asked[at] for at in each.members]), **_period(each)}
    if not found:
        irregular = CLOSED if regular else IRREGULAR
        yield {**_facts(asked), "reason": FEW if len(asked) < LEAST_REQUESTS else irregular}


def _is_own(asked: list[dict[str, Any]], period_s: float) -> bool:
    """Return whether an application makes the rhythm, and not the time that each answer takes.

    An application that asks again as soon as it has its answer shows the round trip and the rate of
    the path. A server that holds its answers back sets a period too.
    """
    ends = itertools.accumulate((row["end_ns"] for row in asked), max)
    pauses = [
        (after["request_ns"] - end) / 1e9
        for before, after, end in zip(asked, asked[1:], ends, strict=False)
        if after["request_ns"] - before["request_ns"] > period_s * 1e9 / 2
    ]
    rtt_s, wait_s = (statistics.median(row[name] for row in asked) for name in ("rtt_s", "wait_s"))
    return not pauses or statistics.median(pauses) > rtt_s or wait_s >= LONG_POLL_S


def _period(each: Series) -> dict[str, Any]:
    return {
        "period_s": each.period_s,
        "regularity_ratio": each.regularity_ratio,
        "jitter_s": each.jitter_s,
    }


def _facts(asked: list[dict[str, Any]]) -> dict[str, Any]:
    sizes = [row["bytes"] for row in asked]
    return {
        "requests": len(asked),
        "connections": len({row["uid"] for row in asked}),
        "bytes": sum(sizes),
        "least_bytes": min(sizes),
        "most_bytes": max(sizes),
    }
