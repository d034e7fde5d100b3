"""SQL of transfers, and of flows of applications, with their link demand.

A transfer counts if it is a downlink transfer with a duration and at most a tenth of the phone's
bytes during it belonged to other flows. Other flows share the bearer's queue: with more of them,
only "not the bottleneck" is a valid finding about the transfer (methods G3). The time of a transfer
runs from the first byte to the last at the phone (BT19 section 4.2), so that the pauses of a player
between segments do not count. Before the base station a whole segment may pass in a millisecond and
then wait there for a second. So if a run was also captured at the phone, the transfers are those
seen there (`at_phone`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._errors import UsageError
from airmile._words import PLACES
from airmile.store._definitions import LARGE_BYTES, LARGE_SIZE
from airmile.store._needs import has, of_phones, source
from airmile.store._remedies import MODEM
from airmile.store._rows import not_control
from airmile.study import _beside
from airmile.study._beside import OTHERS_AT_MOST
from airmile.study._radio import ESTIMATORS, bursts, busiest_phone, phones
from airmile.uplink import phone

if TYPE_CHECKING:
    from airmile.store import Tables

FILE, SEGMENTS = "one transfer (file)", "several transfers (segments)"
"""The kinds of application: one request fetches a file, one request per segment a video."""

TRUTH = "truth"
"""The link demand by the queue of the testbed's link, as if it were an estimator."""

SPOKEN = {"bursttracker": "paper's burst rule", "joint": "joint estimator", TRUTH: "link's truth"}
"""What a reader is told of each estimator."""

SECOND_NS = 1_000_000_000

LACKING = f"no downlink flow of {LARGE_SIZE} or more with a link demand of its own"
HOW = f"{MODEM}; the log must cover the transfers"

_DEMAND = {
    "bursttracker": "link_demand_bursttracker_ratio",
    "joint": "link_demand_ratio",
}


def at_phone(dataset: Tables) -> Tables:
    """Return the dataset with its transfers as seen at the phone, if the run was captured there."""
    return phone.seen_from(dataset)


def timing(dataset: Tables) -> list[str]:
    """Return what is said of link demands whose transfers were not timed at the phone."""
    flows = source(dataset, "flows", "protocol", "vantage")
    (row,) = dataset.records(f"""
        SELECT count(*) AS flows, mode(vantage) AS place FROM {flows}
        WHERE protocol = 'tcp' AND vantage IS DISTINCT FROM 'ue'""")
    if not row["flows"]:
        return []
    place = PLACES.get(row["place"], "at an unknown place")
    return [
        f"transfers are timed {place}, where their last byte passes before the phone has it; the "
        "paper times them at the phone (methods G3)"
    ]


def demanding(dataset: Tables, estimator: str) -> str:
    """Return SQL with one row per transfer for which an estimator gives a link demand.

    If the capture was analysed without the modem log, as the second and third captures of a testbed
    run are, link demand is computed from the bursts of the run, and the bytes of the phone's other
    flows from their slices. Where those are unknown too, the transfer does not count.
    """
    if estimator not in SPOKEN:
        raise UsageError(
            f"no estimator {estimator!r}", f"the estimators are {' and '.join(ESTIMATORS)}"
        )
    ratio = _DEMAND.get(estimator, _DEMAND["bursttracker"])
    rows = source(
        dataset, "transfers", "transfer_id", "uid", "direction", "boundary", "control",
        "request_ns", "first_byte_ns", "end_ns", "bytes", "other_bytes_ratio", ratio,
    )  # fmt: skip
    flows = of_phones(dataset, "uid", "session_id", "server_port")
    return f"""(
        SELECT run, uid, ue, transfer_id, server_port, request_ns, first_byte_ns, end_ns, bytes,
            (end_ns - first_byte_ns) / 1e9 AS seconds,
            demand, demand * (end_ns - first_byte_ns) / 1e9 AS busy_s,
            bytes / (1 - others_ratio) AS phone_bytes
        FROM (SELECT *, {_demand(dataset, estimator)} AS demand,
                coalesce(other_bytes_ratio, other_bytes / nullif(other_bytes + bytes, 0))
                    AS others_ratio
            FROM {rows} AS transfer
            LEFT JOIN {_beside.of_transfers(dataset)} USING (run, transfer_id)) AS transfer
        JOIN {flows} USING (run, uid)
        WHERE direction = 'downlink' AND {not_control(dataset)} AND demand IS NOT NULL
            AND end_ns > first_byte_ns AND {_is_logged(dataset)}
            AND others_ratio <= {OTHERS_AT_MOST})"""


def _is_logged(dataset: Tables) -> str:
    """Return the SQL condition for transfers that the modem log of their run covers.

    The log begins before the transfer and ends after it, but for a second, and has an allocation in
    one of its seconds: what a log does not cover was not an empty queue.
    """
    if not dataset.manifest.get("modem") or not has(dataset, "ttis"):
        return "true"
    rows = source(dataset, "ttis", "time_ns", "direction")
    seconds = f"""(
        SELECT DISTINCT run, time_ns // {SECOND_NS} AS second FROM {rows}
        WHERE direction = 'downlink')"""
    within = f"""second BETWEEN first_byte_ns // {SECOND_NS} AND end_ns // {SECOND_NS}"""
    return f"""run IN (SELECT run FROM {seconds})
        AND first_byte_ns // {SECOND_NS} >= (
            SELECT min(second) - 1 FROM {seconds} AS logged WHERE logged.run = transfer.run)
        AND end_ns // {SECOND_NS} <= (
            SELECT max(second) + 1 FROM {seconds} AS logged WHERE logged.run = transfer.run)
        AND EXISTS (FROM {seconds} AS logged WHERE logged.run = transfer.run AND {within})"""


def _demand(dataset: Tables, estimator: str) -> str:
    """Return SQL for the link demand of a transfer: its column, or its share of time in bursts.

    The truth is known of the transfers of which the burst rule gives a demand.
    """
    if estimator == TRUTH:
        rule = _demand(dataset, "bursttracker")
        return f"CASE WHEN ({rule}) IS NOT NULL THEN {_true_demand(dataset)} END"
    ratio = _DEMAND[estimator]
    if dataset.point is None:
        return ratio
    within = "least(burst.end_ns, transfer.end_ns) - greatest(start_ns, first_byte_ns)"
    return f"""coalesce({ratio}, (
        SELECT coalesce(sum(greatest({within}, 0)), 0)
        FROM {bursts(dataset, estimator)} AS burst
        JOIN {busiest_phone(dataset)} AS phone USING (run, "user")
        WHERE burst.run = transfer.run) / nullif(transfer.end_ns - first_byte_ns, 0))"""


def _true_demand(dataset: Tables) -> str:
    """Return SQL for the share of a transfer's ms in which the link's queue held data."""
    truth = source(dataset, "truth_ttis", "time_ns", "direction", "state")
    return f"""(
        SELECT count(*) FILTER (state IN ('ACTIVE', 'CONTENTION')) / nullif(count(*), 0)
        FROM {truth} AS tti WHERE tti.run = transfer.run AND tti.direction = 'downlink'
            AND time_ns BETWEEN first_byte_ns AND transfer.end_ns - 1)"""


def known_estimators(dataset: Tables) -> tuple[str, ...]:
    """Return the estimators of link demand, and the truth where the dataset has it."""
    return (*ESTIMATORS, *((TRUTH,) if has(dataset, "truth_ttis") else ()))


def applications(dataset: Tables, estimator: str) -> str:
    """Return SQL with one row per large flow: the sum of its transfers, as in BT19 figure 6.

    Link throughput is the phone's bytes during the transfers divided by throughput time (methods
    G3).
    """
    return f"""(
        SELECT run, uid, any_value(server_port) AS server_port,
            CASE count(*) WHEN 1 THEN '{FILE}' ELSE '{SEGMENTS}' END AS application,
            count(*) AS transfers, sum(bytes)::BIGINT AS bytes, sum(seconds) AS seconds,
            '{estimator}' AS estimator, sum(busy_s) AS throughput_time_s,
            sum(busy_s) / sum(seconds) AS link_demand_ratio,
            CASE WHEN sum(busy_s) > 0 THEN sum(phone_bytes) * 8 / sum(busy_s) END
                AS link_throughput_bps
        FROM {demanding(dataset, estimator)} GROUP BY run, uid
        HAVING sum(bytes) >= {LARGE_BYTES})"""


def port_class(column: str = "server_port") -> str:
    """Return SQL for the class of a port; middleboxes treat a class alike (BT19 section 4.5)."""
    return f"CASE WHEN {column} IN (80, 443) THEN {column}::VARCHAR ELSE 'other' END"


def bursts_of_transfers(dataset: Tables, estimator: str) -> str:
    """Return SQL for the bursts that begin in a transfer, numbered from 1 and cut at its end.

    The transfer here begins with its request, because a burst may begin before the phone receives
    the first byte. A burst that ends after the transfer counts with the part of its bytes that is
    proportional to its time in the transfer.
    """
    within = """CASE WHEN burst.end_ns > transfer.end_ns
        THEN (transfer.end_ns - burst.start_ns) / (burst.end_ns - burst.start_ns) ELSE 1 END"""
    return f"""(
        SELECT transfer.*, phone."user", burst.start_ns AS burst_start_ns,
            throughput_time_ms * ({within}) AS throughput_time_ms,
            round(burst.bytes * ({within}))::BIGINT AS burst_bytes,
            row_number() OVER (PARTITION BY transfer.run, transfer_id ORDER BY start_ns) AS number
        FROM {demanding(dataset, estimator)} AS transfer
        JOIN {phones(dataset, busiest_phone(dataset))} AS phone USING (run, ue)
        JOIN {bursts(dataset, estimator)} AS burst
            ON burst.run = transfer.run AND burst."user" = phone."user"
            AND burst.start_ns >= request_ns AND burst.start_ns < transfer.end_ns)"""
