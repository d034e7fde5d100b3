"""SQL of what the other flows of a phone carried at the same time (methods E3, G3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import has, of_phones, source

if TYPE_CHECKING:
    from airmile.store import Tables

OTHERS_AT_MOST = 0.1
"""The largest share of the phone's bytes that may belong to other flows (methods G3, E4)."""


def of_transfers(dataset: Tables) -> str:
    """Return SQL with `run`, `transfer_id` and the bytes that other flows of the phone downloaded.

    They are the bytes of slices that overlap the transfer from its first byte to its end; of a
    slice that does so in part, the part. A dataset without slices has no rows.
    """
    if not has(dataset, "slices"):
        return "(SELECT '' AS run, 0 AS transfer_id, 0 AS other_bytes WHERE false)"
    transfers = source(dataset, "transfers", "transfer_id", "uid", "first_byte_ns", "end_ns")
    slices = source(dataset, "slices", "uid", "direction", "start_ns", "end_ns", "bytes")
    flows = of_phones(dataset, "uid")
    own = f"(FROM {transfers} JOIN {flows} USING (run, uid))"
    return f"""(
        SELECT own.run, own.transfer_id,
            coalesce(sum(other.bytes * {_part("own.first_byte_ns")}), 0) AS other_bytes
        FROM {own} AS own LEFT JOIN (
            FROM {slices} JOIN {flows} USING (run, uid)
            WHERE direction = 'downlink' AND end_ns > start_ns) AS other
            ON other.run = own.run AND other.ue = own.ue AND other.uid <> own.uid
                AND other.start_ns < own.end_ns AND other.end_ns > own.first_byte_ns
        GROUP BY own.run, own.transfer_id)"""


def of_flows(dataset: Tables, flows: str) -> str:
    """Return SQL with `run`, `uid` and what other flows of the phone downloaded during a flow.

    Flows of all protocols count, in the bins of the table `throughput`; of a bin that the flow
    overlaps in part, the part (methods D3).

    Parameters
    ----------
    flows : str
        SQL of the flows, with `run`, `uid`, `ue`, `start_ns` and `end_ns`.
    """
    bins = source(dataset, "throughput", "uid", "direction", "start_ns", "bytes", "throughput_bps")
    whose = of_phones(dataset, "uid")
    own = f"(FROM (SELECT * EXCLUDE (ue) FROM {flows}) JOIN {whose} USING (run, uid))"
    return f"""(
        SELECT own.run, own.uid, coalesce(sum(other.bytes * {_part("own.start_ns")}), 0)
            AS other_bytes
        FROM {own} AS own LEFT JOIN (
            SELECT run, uid, ue, start_ns, bytes,
                start_ns + (bytes * 8e9 / throughput_bps)::BIGINT AS end_ns
            FROM {bins} JOIN {whose} USING (run, uid)
            WHERE direction = 'downlink' AND throughput_bps > 0) AS other
            ON other.run = own.run AND other.ue = own.ue AND other.uid <> own.uid
                AND other.start_ns < own.end_ns AND other.end_ns > own.start_ns
        GROUP BY own.run, own.uid)"""


def _part(start_ns: str) -> str:
    """Return SQL for the part of a row of `other` that lies between `start_ns` and `own`'s end."""
    within = f"least(other.end_ns, own.end_ns) - greatest(other.start_ns, {start_ns})"
    return f"({within}) / (other.end_ns - other.start_ns)::DOUBLE"
