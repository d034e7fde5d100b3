"""The settings and the rows that the campaigns with BT19's videos share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.campaign.design import Short
from airmile.study._transfers import applications, at_phone

if TYPE_CHECKING:
    from airmile.store import Tables

CLIP_S = 120
"""The length of a clip in seconds (BT19 section 3.4)."""

VIDEO = {"workload.clip_s": CLIP_S, "longest_s": 240}


def expected_s(clip_s: int) -> float:
    """Return how long a clip is fetched, in s: until a buffer of 12 s before its end, and stalls.

    >>> expected_s(CLIP_S)
    110.0
    """
    return clip_s - 10.0


EXPECTED_S = expected_s(CLIP_S)
MEGABYTES = 60

NETWORKS = (
    "The paper's proxies, cells and competing users are not published; ours is one proxy that "
    "restarts slow start, in one cell with drawn competitors."
)


ESTIMATORS = (
    "Link demand is by airmile's joint estimator, which also uses the phone's capture, where a "
    "line does not name the paper's rule. Figure 6 and, where there is one, figure 9 show it by "
    "the paper's rule, and so have other values."
)


def port(number: int, **more: Any) -> dict[str, Any]:
    """Return the settings of a video over a port of the server."""
    return {**VIDEO, "workload.port": number, **more}


def short(clip_s: int) -> Short:
    """Return what the short form changes: the videos last `clip_s` seconds."""
    says = (
        f"Each video lasts {clip_s} s in place of {CLIP_S} s, so that more of it is the filling of "
        "the player's buffer, during which no slow start restarts."
    )
    return Short({"workload.clip_s": clip_s}, expected_s(clip_s), says)


def link_demand(dataset: Tables) -> list[dict[str, Any]]:
    """Return the link demand of the video in each run, by the queue estimate (methods G3)."""
    return _link_demand(dataset, "joint")


def link_demand_by_the_paper(dataset: Tables) -> list[dict[str, Any]]:
    """Return the link demand of the video in each run, by the rule of the paper (methods G3)."""
    return _link_demand(dataset, "bursttracker")


def _link_demand(dataset: Tables, estimator: str) -> list[dict[str, Any]]:
    there = at_phone(dataset)
    sql = f"SELECT run, link_demand_ratio AS value FROM {applications(there, estimator)}"
    rows: list[dict[str, Any]] = there.sql(sql).to_pylist()
    return rows


BY_THE_PAPER = (
    "The paper's rule lets a burst run on through silences of a round trip, so that it sees less "
    "of a restart than the link's truth has."
)


TRUE_LINK_DEMAND = """
    WITH segment AS (SELECT run, first_ns, end_ns FROM video WHERE end_ns > first_ns),
    busy AS (
        SELECT segment.run, count(*) AS ms
        FROM segment JOIN truth_ttis AS tti
            ON tti.run = segment.run AND tti.time_ns >= first_ns AND tti.time_ns < end_ns
        WHERE direction = 'downlink' AND state IN ('ACTIVE', 'CONTENTION')
        GROUP BY segment.run)
    SELECT run, ms / sum((end_ns - first_ns) / 1e6) AS value
    FROM segment JOIN busy USING (run) GROUP BY run, ms"""
"""SQL of link demand in truth: while segments are fetched, the share of time with a queue."""


def clip(column: str) -> str:
    """Return SQL for a value of the clip in each run."""
    return f"SELECT run, {column} AS value FROM clips WHERE complete"
