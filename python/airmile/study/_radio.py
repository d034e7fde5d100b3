"""SQL of a phone's milliseconds and bursts, for the figures of several studies.

Allocations are downlink ones to C-RNTI and SPS (methods G2). The two transport blocks of a subframe
share their PRBs, and a block that was not decoded counts as allocated (methods G1).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile.store import _manifest, _runs, _sql
from airmile.store._definitions import USER_DATA
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

BEGIN_SHARE = 0.9
"""A burst begins in a millisecond whose share of the PRBs is larger (BT19 section 3.2.2)."""

END_SHARE = 0.4
"""A burst ends after a millisecond whose share of the PRBs is smaller (BT19 section 3.2.2)."""

ESTIMATORS = ("bursttracker", "joint")


def phones(dataset: Tables, otherwise: str) -> str:
    """Return SQL with `run`, `user` and `ue`: the phones of the captures that a modem log is of.

    The analysis joins a subscription of the log with a phone by what both carried (methods G9).
    Where it joined none, the capture of a single phone is attributed to the subscription that
    `otherwise` names: a log identifies subscriptions, and a capture identifies addresses.

    Parameters
    ----------
    otherwise : str
        SQL with `run` and `user`.
    """
    joined = [
        f"({_sql.literal(run)}, {int(user['user'])}, {_sql.literal(user['ue'])})"
        for run, folder in _runs.folders(dataset.path, dataset.manifest).items()
        for user in _manifest_of(dataset, run, folder).get("radio") or []
        if user.get("aligned") and user.get("ue")
    ]
    own = 'SELECT NULL::VARCHAR AS run, NULL::BIGINT AS "user", NULL::VARCHAR AS ue WHERE false'
    if joined:
        own = f'SELECT * FROM (VALUES {", ".join(joined)}) AS joined (run, "user", ue)'
    flows = source(dataset, "flows", "ue")
    return f"""(
        WITH joined AS ({own})
        FROM joined
        UNION ALL
        SELECT run, "user", any_value(ue) AS ue FROM {otherwise} JOIN {flows} USING (run)
        WHERE run NOT IN (SELECT run FROM joined)
        GROUP BY run, "user" HAVING count(DISTINCT ue) = 1)"""


def _manifest_of(dataset: Tables, run: str, folder: Path) -> dict[str, Any]:
    return _manifest.read(folder) if run else dataset.manifest


def scheduled(dataset: Tables) -> str:
    """Return SQL with one row per phone and millisecond in which it was scheduled.

    `share` is the phone's share of the PRBs of a carrier, the largest of all carriers; the
    thresholds of a burst apply to it. `siso_share` is the sum of PRBs times layers over all
    carriers, divided by the bandwidth (N_RB) of the primary carrier (methods G2). If the log has no
    number of layers, two blocks in a subframe mean at least two layers (TS 36.211 section 6.3.3).
    In a millisecond without an allocation on the primary carrier, the last known bandwidth is used.
    """
    blocks = source(
        dataset, "ttis", "user", "tti", "time_ns", "carrier", "block", "cell", "prbs",
        "prb_total", "prb_total_source", "layers", "direction", "rnti",
    )  # fmt: skip
    return f"""(
        WITH carriers AS (
            SELECT run, "user", tti, carrier, min(time_ns) AS time_ns, max(prbs) AS prbs,
                max(prb_total) AS prb_total, any_value(cell) AS cell,
                any_value(prb_total_source) AS prb_total_source,
                greatest(max(coalesce(layers, 1)), count(DISTINCT block)) AS layers
            FROM {blocks}
            WHERE direction = 'downlink' AND {USER_DATA} AND prbs > 0
            GROUP BY run, "user", tti, carrier),
        ms AS (
            SELECT run, "user", tti, min(time_ns) AS time_ns, sum(prbs)::BIGINT AS prbs,
                max(prbs / prb_total) AS share, sum(prbs * layers) AS layered_prbs,
                any_value(prb_total_source) AS prb_total_source,
                max(prb_total) FILTER (carrier = 0) AS primary_prbs,
                any_value(cell) FILTER (carrier = 0) AS cell
            FROM carriers GROUP BY run, "user", tti)
        SELECT run, "user", tti, time_ns, prbs, share, prb_total_source,
            last_value(cell IGNORE NULLS) OVER so_far AS cell,
            layered_prbs / coalesce(last_value(primary_prbs IGNORE NULLS) OVER so_far,
                first_value(primary_prbs IGNORE NULLS) OVER (
                    PARTITION BY run, "user" ORDER BY tti
                    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) AS siso_share
        FROM ms WINDOW so_far AS (PARTITION BY run, "user" ORDER BY tti))"""


def bursts(dataset: Tables, estimator: str) -> str:
    """Return SQL for the bursts that an estimator found."""
    rows = source(
        dataset, "bursts", "user", "estimator", "start_ns", "end_ns", "throughput_time_ms",
        "active_ms", "bytes", "closed",
    )  # fmt: skip
    return f"(SELECT * EXCLUDE (estimator) FROM {rows} WHERE estimator = '{estimator}')"


def busiest_phone(dataset: Tables) -> str:
    """Return SQL for the subscription of each run that was scheduled most."""
    rows = source(dataset, "ttis", "user", "direction", "tbs_bytes", "prbs")
    return f"""(
        SELECT run, arg_max("user", carried) AS "user" FROM (
            SELECT run, "user", sum(coalesce(tbs_bytes, prbs, 0)) AS carried
            FROM {rows} WHERE direction = 'downlink' GROUP BY run, "user")
        GROUP BY run)"""
