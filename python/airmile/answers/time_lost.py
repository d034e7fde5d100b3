"""How much longer large downloads took than they would at the estimated bandwidth (methods F3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from airmile.answers import radio_on
from airmile.store._definitions import LARGE
from airmile.store._needs import Missing, some, source

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.answers.radio_on import Tail
    from airmile.store import Tables

NO_ESTIMATE = "no estimate of the bandwidth while the flow was alone"
NO_TAIL = "the data do not show how long the tail is: give it with --tail"
LACKING = f"no large download: no TCP flow has more than {LARGE} to the phone (methods T5)"
HOW = (
    "capture a longer download, as `airmile testbed run bulk_download` does, or analyse the "
    "capture with lower limits: --set flows.large_s=1 --set flows.large_bytes=100000"
)


def table(dataset: Tables, tail_s: float | Literal["auto"] = radio_on.AUTO) -> pa.Table:
    """Return for each large downlink flow how much time it lost (methods F3, E4, T5).

    Parameters
    ----------
    dataset : Tables
        A dataset with captures.
    tail_s : float or "auto"
        How long the radio stays on after a packet, in s; ``auto`` finds it in the data.

    Returns
    -------
    pyarrow.Table
        ``lasted_s`` (D), ``ideal_s`` (the same bytes at the estimated bandwidth, D_ideal),
        ``longer_ratio`` (D / D_ideal - 1) and ``lost_ratio`` (1 - D_ideal / D); both also with
        the radio's tail after D and D_ideal, at the ends of its interval. ``reason`` says why
        values are null.

    Raises
    ------
    Missing
        No flow is large, the dataset has no flows, or an older airmile wrote it.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile.answers import time_lost
    >>> time_lost.table(am.open("run.airmile"), tail_s=10.0)  # doctest: +SKIP
    """
    rows = dataset.arrow(f"FROM {query(dataset, _tail(dataset, tail_s))} ORDER BY run, uid")
    return some(rows, f"{dataset.path}: {LACKING}", HOW)


def query(dataset: Tables, tail: Tail | None = None) -> str:
    """Return the SQL behind `table`; values that need the tail are null without one."""
    flows = source(
        dataset, "flows", "uid", "session_id", "start_ns", "end_ns", "large",
        "utilisation_paper_ratio",
    )  # fmt: skip
    low, high = _bounds(tail)
    return f"""(
        WITH flow AS (
            SELECT run, uid, session_id, (end_ns - start_ns) / 1e9 AS lasted_s,
                lasted_s * nullif(utilisation_paper_ratio, 0) AS ideal_s
            FROM {flows} WHERE large)
        SELECT *, lasted_s / ideal_s - 1 AS longer_ratio, 1 - ideal_s / lasted_s AS lost_ratio,
            {_with_tail("(lasted_s + {0}) / (ideal_s + {0}) - 1", low, high, "longer")},
            {_with_tail("1 - (ideal_s + {0}) / (lasted_s + {0})", low, high, "lost")},
            CASE WHEN ideal_s IS NULL THEN '{NO_ESTIMATE}'
                WHEN {low} + {high} IS NULL THEN '{NO_TAIL}' END AS reason
        FROM flow)"""


def _with_tail(ratio: str, low: str, high: str, name: str) -> str:
    """Return SQL of a ratio for both ends of the tail, the smaller value first."""
    ends = f"{ratio.format(low)}, {ratio.format(high)}"
    both = f"{ratio.format(low)} + {ratio.format(high)} IS NOT NULL"
    return (
        f"CASE WHEN {both} THEN least({ends}) END AS {name}_with_tail_low_ratio, "
        f"CASE WHEN {both} THEN greatest({ends}) END AS {name}_with_tail_high_ratio"
    )


def _tail(dataset: Tables, tail_s: float | Literal["auto"]) -> Tail | None:
    if tail_s != radio_on.AUTO:
        return radio_on.given(dataset, float(tail_s))
    try:
        return radio_on.tail(dataset)
    except Missing:
        return None


def _bounds(tail: Tail | None) -> tuple[str, str]:
    low, high = (None, None) if tail is None else (tail.low_s, tail.high_s)
    return radio_on.sql_number(low), radio_on.sql_number(high)
