"""Figure 8: throughput over successive transfers of a flow, by class of ports.

A middlebox that restarts slow start makes every transfer on port 80 begin slowly. On a port that
the middlebox does not handle, each transfer begins at the rate of the last one (BT19 section 4.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import rate
from airmile.store import Tables, _runs
from airmile.store._definitions import LARGE_BYTES, LARGE_SIZE
from airmile.store._needs import Missing, has, some, source
from airmile.store._rows import not_control
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._transfers import port_class

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TRANSFERS = 3
"""The number of successive transfers in the picture, as in the paper."""

BEGINNING = 0.25
"""The share of each transfer's time that counts as its beginning; our choice."""

LEAST_S = 0.4
"""The shortest transfer that counts in s: its beginning holds a slice of 100 ms (methods T2)."""

NO_GAP = "no idle gap of the flow shows whether its sender restarted"

HOW = (
    f"capture a video or another download of {LARGE_SIZE} or more whose connection carries several "
    "requests, with answers that take 0.4 s or more"
)


def table(dataset: Tables) -> pa.Table:
    """Return one row per slice of the transfers in the picture, one flow for each class of ports.

    The paper shows the throughput at the phone. If the flow was captured elsewhere and the run has
    a capture of the phone, the rows are from that capture; else `vantage` says where they are from.
    Transfers that are shorter than `LEAST_S` are left out.
    """
    chosen = some(_slices(dataset), _lacking(dataset), HOW)
    ports = _by_port(chosen).values()
    return pa.concat_tables(_at_phone(dataset, rows) for rows in ports)


def _lacking(dataset: Tables) -> str:
    what = f"two downlink transfers of {LEAST_S:g} s or more"
    return f"{dataset.path}: no flow of {LARGE_SIZE} with {what}"


def _by_port(rows: pa.Table) -> dict[str, pa.Table]:
    import pyarrow.compute as pc

    names = pc.unique(rows["port"]).to_pylist()
    return {name: rows.filter(pc.equal(rows["port"], name)) for name in names}


def _at_phone(dataset: Tables, rows: pa.Table) -> pa.Table:
    """Return the rows of a flow as seen at the phone, if the run has a capture of the phone.

    The number of restarts is not changed: the capture near the sender shows them.
    """
    from airmile.uplink import phone

    first = rows.slice(0, 1).to_pylist()[0]
    if first["vantage"] == "ue":
        return rows
    run = Tables(_runs.folders(dataset.path, dataset.manifest)[first["run"]])
    try:
        with phone.captured(run, first["uid"]) as (there, condition):
            found = _slices(there, condition)
    except Missing:
        return rows
    if not found.num_rows:
        return rows
    for name in ("run", "uid", "restarts"):
        place = found.schema.get_field_index(name)
        values = pa.array([first[name]] * found.num_rows, rows.schema.field(name).type)
        found = found.set_column(place, rows.schema.field(name), values)
    return found.cast(rows.schema)


def _slices(dataset: Tables, condition: str = "true") -> pa.Table:
    """Return the rows of the best flow of each class, among flows that meet an SQL condition."""
    transfers = source(
        dataset, "transfers", "uid", "transfer_id", "direction", "boundary", "control",
        "request_ns", "end_ns", "bytes",
    )  # fmt: skip
    flows = source(dataset, "flows", "uid", "protocol", "ue_port", "server_port", "vantage")
    slices = source(dataset, "slices", "uid", "transfer_id", "start_ns", "end_ns", "bytes")
    return dataset.arrow(f"""
        WITH transfer AS (
            SELECT *, {port_class()} AS port,
                row_number() OVER (PARTITION BY run, uid ORDER BY request_ns) AS number,
                count(*) OVER (PARTITION BY run, uid) AS transfers,
                sum(bytes) OVER (PARTITION BY run, uid) AS flow_bytes
            FROM {transfers} JOIN (FROM {flows} WHERE {condition}) USING (run, uid)
            WHERE direction = 'downlink' AND {not_control(dataset)}
                AND end_ns - request_ns >= {LEAST_S} * 1e9),
        flow AS (
            SELECT port, arg_max((run, uid), (least(transfers, {TRANSFERS}), flow_bytes)) AS best
            FROM transfer WHERE transfers >= 2 AND flow_bytes >= {LARGE_BYTES} GROUP BY port),
        stretch AS (
            SELECT run, uid, number AS first, sum(bytes) OVER (
                PARTITION BY run, uid ORDER BY number
                ROWS BETWEEN CURRENT ROW AND {TRANSFERS - 1} FOLLOWING) AS carried
            FROM transfer),
        shown AS (
            SELECT transfer.*, number - first + 1 AS place
            FROM transfer JOIN (
                SELECT run, uid, arg_max(first, (carried, -first)) AS first
                FROM stretch GROUP BY run, uid) USING (run, uid)
            WHERE number BETWEEN first AND first + {TRANSFERS - 1})
        SELECT shown.port, shown.run, shown.uid, server_port, vantage, transfer_id, place,
            (start_ns - min(request_ns) OVER (PARTITION BY shown.run, shown.uid)) / 1e9 AS begin_s,
            (start_ns - request_ns) / (shown.end_ns - request_ns) AS progress_ratio,
            (slice.end_ns - start_ns) / 1e9 AS seconds, slice.bytes,
            slice.bytes * 8e9 / (slice.end_ns - start_ns) AS throughput_bps,
            {_restarts(dataset)} AS restarts
        FROM shown JOIN flow ON flow.best = (shown.run, shown.uid) AND flow.port = shown.port
        JOIN {slices} AS slice USING (run, uid, transfer_id)
        WHERE slice.end_ns > start_ns ORDER BY shown.port, begin_s""")


def _restarts(dataset: Tables) -> str:
    """Return SQL for the number of idle gaps after which a flow's sender restarted (methods C7)."""
    if not has(dataset, "idle_gaps"):
        return "NULL::BIGINT"
    gaps = source(dataset, "idle_gaps", "uid", "direction", "restart")
    return f"""(SELECT count(*) FILTER (gap.restart <> 'none') FROM {gaps} AS gap
        WHERE gap.run = shown.run AND gap.uid = shown.uid AND gap.direction = 'downlink'
            AND gap.restart IS NOT NULL
        HAVING count(*) > 0)"""


def findings(rows: pa.Table) -> list[Finding]:
    """Return the rates at the beginning of later transfers and in the rest of them, by port."""
    found = []
    for port, slices in _ports(rows).items():
        standard = port != "other"
        early = [s for s in slices if s["place"] > 1 and s["progress_ratio"] < BEGINNING]
        late = [s for s in slices if s["place"] > 1 and s["progress_ratio"] >= BEGINNING]
        restarts = slices[0]["restarts"]
        found += [
            Finding(f"port {slices[0]['server_port']}: transfers", str(slices[-1]["place"]), "3"),
            Finding("  throughput as it passes", _place(slices[0]["vantage"]), "the phone"),
            Finding(
                "  2nd and later: first quarter, the rest", f"{_rate(early)}, {_rate(late)}",
                "it grows from very little" if standard else "near the rate at once",
            ),
            Finding(
                "  idle gaps with a restart", "unknown" if restarts is None else str(restarts),
                "each" if standard else "none", reason=NO_GAP if restarts is None else "",
            ),
        ]  # fmt: skip
    return found


def _place(vantage: str | None) -> str:
    """Return the capture point in words; before the queue, slices may exceed the link's rate."""
    known = {"ue": "the phone", "server": "the server (before the link's queue)"}
    return known.get(vantage or "", f"{vantage or 'an unknown point'} (perhaps before the queue)")


def _rate(slices: list[dict[str, Any]]) -> str:
    long = sum(each["seconds"] for each in slices)
    return rate(sum(each["bytes"] for each in slices) * 8 / long) if long else "nothing"


def _ports(rows: pa.Table) -> dict[str, list[dict[str, Any]]]:
    ports: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        ports.setdefault(row["port"], []).append(row)
    return ports


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a panel per class of ports, with gaps between the transfers."""
    from airmile.study import _style

    ports = _ports(rows)
    panels = figure.subplots(len(ports), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for slices, axes in zip(ports.values(), panels, strict=True):
        axes.bar(
            [each["begin_s"] for each in slices], [each["throughput_bps"] / 1e6 for each in slices],
            width=[each["seconds"] for each in slices], align="edge", linewidth=0,
            color=[_style.SERIES[(each["place"] - 1) % 2] for each in slices],
        )  # fmt: skip
        _style.plain(axes, "", f"port {slices[0]['server_port']}\nMbps")
    panels[-1].set_xlabel("time since the first request (s)")


fig8 = Exhibit(
    "bt19", "fig8", "section 4.5", "Throughput over successive transfers, by port",
    table, findings, picture,
    caption=(
        "Throughput over up to three successive transfers of 0.4 s or more of one flow for each "
        "kind of port; the colour alternates from transfer to transfer. A sender or proxy that "
        "restarts slow start after a pause begins each transfer slowly; the paper found that on "
        "ports 80 and 443 (methods C7)."
    ),
)  # fmt: skip
