"""SQL and curves of trials, which are downloads of 1 MB or more, with their measurements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from airmile.store import _sql
from airmile.store._definitions import LARGE_BYTES, LARGE_SIZE
from airmile.store._needs import Missing, source
from airmile.store._remedies import MANY
from airmile.study._cells import controls
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import Needs

if TYPE_CHECKING:
    from airmile.store import Tables

LACKING = f"no download of {LARGE_SIZE} or more"
HOW = f"capture downloads of {LARGE_SIZE} or more, or several captures together: {MANY}"


def trials(dataset: Tables) -> str:
    """Return SQL with one row per trial: a TCP flow of 1 MB or more downlink.

    `control` is the congestion control of the sender, which only testbed runs record; else ``all``.
    """
    flows = source(
        dataset, "flows", "uid", "protocol", "ue_port", "server_port", "dl_unique_bytes",
        "dl_first_payload_ns", "dl_last_payload_ns", "handshake_rtt_ms", "handshake_after_idle",
        "self_inflicted_delay_ms", "first_bps", "first_self_inflicted_ms", "dl_duplicate_acks",
        "dl_acks", "dl_retransmissions", "dl_packets",
    )  # fmt: skip
    return f"""(
        SELECT flow.*, coalesce(cc, 'all') AS control,
            CASE WHEN dl_last_payload_ns > dl_first_payload_ns THEN
                dl_unique_bytes * 8e9 / (dl_last_payload_ns - dl_first_payload_ns) END AS bps,
            100 * dl_duplicate_acks / nullif(dl_acks, 0) AS duplicate_acks_percent,
            100 * dl_retransmissions / nullif(dl_packets, 0) AS retransmitted_percent
        FROM {flows} AS flow LEFT JOIN {controls(dataset)} AS sender
            USING (run, server_port, ue_port)
        WHERE protocol = 'tcp' AND dl_unique_bytes >= {LARGE_BYTES})"""


@dataclass(frozen=True)
class Quantity:
    """A quantity of a trial whose distribution the paper draws.

    Attributes
    ----------
    column : str
        A column of `trials`, or an SQL expression over its columns.
    title : str
        Title of the axis, with the unit.
    word : callable
        A function that writes a value with its unit.
    published : dict of str to str
        The median that the paper prints, by congestion control.
    most : float
        The end of the paper's axis, in the unit of the axis.
    marks : dict of str to list
        Points (value, share) that the paper prints, by congestion control.
    per : float
        How many units of the column one unit of the axis is.
    """

    column: str
    title: str
    word: Callable[[float], str]
    published: dict[str, str]
    most: float
    marks: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    per: float = 1.0


def exhibit(
    name: str,
    section: str,
    title: str,
    shown: Quantity,
    caption: str,
    needs: Needs = Needs(),  # noqa: B008  # it is frozen
) -> Exhibit:
    """Return a figure with the distribution of a quantity, a curve for each congestion control."""

    def table(dataset: Tables) -> pa.Table:
        """Return the distribution over the trials of each congestion control."""
        rows = f"(SELECT control, {shown.column} AS value FROM {trials(dataset)})"
        found = dataset.arrow(f"SELECT DISTINCT control FROM {rows} ORDER BY 1")
        wanted = [
            Curve(each, f"SELECT value FROM {rows} WHERE control = {_sql.literal(each)}")
            for each in found["control"].to_pylist()
        ]
        if not wanted:
            raise Missing(f"{dataset.path}: {LACKING}", HOW)
        return curves(dataset, wanted, f"{LACKING} with this quantity", HOW)

    def findings(rows: pa.Table) -> list[Finding]:
        return [_finding(Points(rows, each), each, shown) for each in names(rows)]

    picture = Picture(
        shown.title, log=False, published=shown.marks, reach=(0, shown.most), per=shown.per
    )
    return Exhibit(
        "hwy18", name, section, title, table, findings, picture, caption=caption, needs=needs
    )


def _finding(points: Points, control: str, shown: Quantity) -> Finding:
    values = [shown.word(points.quantile(share)) for share in (0.25, 0.5, 0.75)]
    known = shown.published
    published = known.get(control, known.get("", ""))
    return Finding(f"{control}: 25 / 50 / 75 %", " / ".join(values), published, points.n)
