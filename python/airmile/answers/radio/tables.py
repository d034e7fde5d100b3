"""SQL queries for the values of one user in the tables of a modem log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store._definitions import USER_DATA
from airmile.store._needs import contains, nullable
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.store import Tables

SILENCE_S = 1.0
"""A longer silence, in seconds, is not part of the receiving time (methods T1)."""

_NR_CELLS = "0xB97F"
"""The message with NR cells; their signal levels are not mixed with those of LTE."""


def receiving_s(dataset: Tables, user: int) -> float:
    """Return the seconds in which the phone received, without silences longer than `SILENCE_S`.

    The time between epochs was not logged, and does not count.
    """
    query = f"""WITH times AS (
            SELECT time_ns, lag(time_ns) OVER (PARTITION BY epoch ORDER BY time_ns) AS before
            FROM {_received(dataset)} WHERE "user" = {user})
        SELECT coalesce(sum(CASE WHEN time_ns - before <= {SILENCE_S * 1e9}
            THEN time_ns - before ELSE 1000000 END), 0) / 1e9 AS receiving_s FROM times"""
    return float(rows(dataset, query)[0]["receiving_s"])


def volumes(dataset: Tables) -> dict[int, int]:
    """Return the decoded downlink bytes of each user, the largest first."""
    query = f"""SELECT "user", sum(tbs_bytes)::BIGINT AS bytes FROM {_received(dataset)}
        WHERE crc_ok IS DISTINCT FROM false
        GROUP BY "user" ORDER BY bytes DESC NULLS LAST, "user" """
    return {row["user"]: row["bytes"] or 0 for row in rows(dataset, query)}


def bursts(dataset: Tables, user: int, estimator: str) -> dict[str, Any] | None:
    """Return sums over the bursts of an estimator; None if it has no burst."""
    if not contains(dataset, "bursts"):
        return None
    query = f"""SELECT count(*) AS bursts, count(*) FILTER (NOT closed) AS open,
            sum(throughput_time_ms) / 1e3 AS throughput_time_s, sum(active_ms) / 1e3 AS active_s,
            sum(contention_ms) / 1e3 AS contention_s,
            median(throughput_time_ms) AS median_ms, max(throughput_time_ms) AS longest_ms,
            sum(bytes)::BIGINT AS bytes,
            sum(bytes) FILTER (throughput_time_ms > 0) * 8e3 / sum(throughput_time_ms)
                AS throughput_bps
        FROM bursts WHERE "user" = {user} AND estimator = '{estimator}'"""
    found = rows(dataset, query)[0]
    return found if found["bursts"] else None


def carriers(dataset: Tables, user: int) -> list[dict[str, Any]]:
    """Return milliseconds and volume of each downlink carrier, the primary one first."""
    query = f"""SELECT carrier, count(DISTINCT tti) AS scheduled_ms,
            list(DISTINCT cell ORDER BY cell) FILTER (cell IS NOT NULL) AS cells,
            coalesce(sum(tbs_bytes) FILTER (crc_ok IS DISTINCT FROM false), 0)::BIGINT AS bytes,
            count(*) FILTER (crc_ok = false) / nullif(count(crc_ok), 0) AS crc_failed_ratio,
            count(*) FILTER (retransmission) / nullif(count(retransmission), 0)
                AS retransmission_ratio,
            avg(layers) AS layers,
            sum(padding_bytes) / nullif(sum(tbs_bytes) FILTER (padding_bytes IS NOT NULL), 0)
                AS padding_ratio
        FROM {_received(dataset)} WHERE "user" = {user}
        GROUP BY carrier ORDER BY carrier"""
    return rows(dataset, query)


def received(dataset: Tables, user: int) -> dict[str, float] | None:
    """Return decoded downlink bytes without known padding, and milliseconds with a block.

    A millisecond with blocks on several carriers counts once. Return None if there is no block.
    """
    query = f"""SELECT count(DISTINCT tti)::DOUBLE AS received_ms,
            coalesce(sum(tbs_bytes - coalesce(padding_bytes, 0))
                FILTER (crc_ok IS DISTINCT FROM false), 0)::DOUBLE AS received_bytes
        FROM {_received(dataset)} WHERE "user" = {user}"""
    found = rows(dataset, query)[0]
    return found if found["received_ms"] else None


def modulations(dataset: Tables, user: int) -> dict[str, float]:
    """Return the shares of modulations among the downlink blocks whose modulation is known."""
    query = f"""SELECT modulation, count(*) / sum(count(*)) OVER () AS share
        FROM {_received(dataset)} WHERE "user" = {user} AND modulation IS NOT NULL
        GROUP BY modulation ORDER BY share DESC, modulation"""
    return {row["modulation"]: row["share"] for row in rows(dataset, query)}


def uplink(dataset: Tables, user: int) -> dict[str, Any]:
    """Return the volume of the uplink, and the queue in the phone."""
    query = f"""SELECT count(DISTINCT tti) AS scheduled_ms,
            coalesce(sum(tbs_bytes) FILTER (retransmission IS DISTINCT FROM true), 0)::BIGINT
                AS bytes
        FROM {_blocks(dataset, "uplink")} WHERE "user" = {user}"""
    answer = rows(dataset, query)[0]
    queue: dict[str, Any] = {"reports": 0}
    if contains(dataset, "buffer_status"):
        # A buffer level gives bounds. Certain is the lower one, summed over the logical channel
        # groups of a report. If the modem reports its exact queue, only that counts (methods G8).
        query = f"""WITH own AS (SELECT * FROM buffer_status WHERE "user" = {user}),
            exact AS (SELECT firmware_queue_bytes AS waiting FROM own
                WHERE firmware_queue_bytes IS NOT NULL),
            levels AS (SELECT sum(low_bytes) AS waiting FROM own
                WHERE firmware_queue_bytes IS NULL GROUP BY time_ns),
            reports AS (SELECT waiting, true AS exact FROM exact UNION ALL
                SELECT waiting, false FROM levels WHERE NOT EXISTS (FROM exact))
            SELECT count(*) AS reports, max(waiting) AS most_waiting_bytes,
                median(waiting) AS median_waiting_bytes,
                count(*) FILTER (waiting > 0) / nullif(count(waiting), 0) AS waiting_ratio,
                bool_or(exact) AS exact
            FROM reports"""
        queue = rows(dataset, query)[0]
    return answer | queue


def signal(dataset: Tables, user: int) -> dict[str, Any] | None:
    """Return the distribution of the serving cell's signal; None without a measurement."""
    if not contains(dataset, "cells"):
        return None
    names = ("sinr_db", "rsrp_dbm", "rsrq_db", "rssi_dbm", "cqi")
    spread = ", ".join(
        f"{how}({name}{more}) AS {name}_{label}"
        for name in names
        for how, more, label in (
            ("quantile_cont", ", 0.05", "p5"),
            ("median", "", "p50"),
            ("quantile_cont", ", 0.95", "p95"),
        )
    )
    query = f"""SELECT count(*) AS measurements, {spread},
            count(DISTINCT (cell, earfcn)) AS cells
        FROM cells WHERE "user" = {user} AND serving IS DISTINCT FROM false
            AND source IS DISTINCT FROM '{_NR_CELLS}'"""
    found = rows(dataset, query)[0]
    return found if found["measurements"] else None


def handovers(dataset: Tables, user: int) -> dict[str, Any]:
    """Return the numbers of handovers and re-establishments, and where they come from."""
    if not contains(dataset, "handovers"):
        return {"handovers": 0, "reestablishments": 0, "source": None}
    query = f"""SELECT count(*) FILTER (kind = 'handover') AS handovers,
            count(*) FILTER (kind = 'reestablishment') AS reestablishments,
            median(end_ns - start_ns) FILTER (kind = 'handover') / 1e6 AS median_ms,
            any_value(source) AS source
        FROM handovers WHERE "user" = {user}"""
    return rows(dataset, query)[0]


_OF_BLOCKS = (
    *("user", "time_ns", "tti", "epoch", "carrier", "direction", "rnti", "cell", "layers"),
    *("modulation", "tbs_bytes", "padding_bytes", "crc_ok", "retransmission"),
)


def _received(dataset: Tables) -> str:
    return _blocks(dataset, "downlink")


def _blocks(dataset: Tables, direction: str) -> str:
    """Return SQL that reads the blocks of a direction that carry data of users."""
    blocks = nullable(dataset, "ttis", *_OF_BLOCKS)
    return f"(FROM {blocks} WHERE direction = '{direction}' AND {USER_DATA})"
