"""SQL of how much of the estimated bandwidth large flows used, and their phones (methods E4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.study import _beside
from airmile.study._beside import OTHERS_AT_MOST
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    from airmile.store import Tables

UNUSED = "no large flow whose bandwidth is known"
"""Why the use of the bandwidth by a phone is unknown."""

SHARED = f"{UNUSED}, and beside which others carry at most a tenth of the bytes"
"""Why the use of the bandwidth by a flow is unknown."""


def used(dataset: Tables) -> str:
    """Return SQL with a row per large downlink flow whose bandwidth is known.

    `phone_ratio` is what all flows of the phone downloaded between the first and the last packet of
    the flow, over what the bandwidth carries in that time; `flow_ratio` is the same of the flow
    alone, as LTE13 defines it, null where other flows had more than a tenth of the bytes. The
    bandwidth is that of samples that add up all flows of the phone (methods E3).
    """
    flows = _flows.large(
        dataset, "uid", "ue", "start_ns", "end_ns", "bandwidth_bps", "utilisation_paper_ratio"
    )
    known = f"(FROM {flows} WHERE bandwidth_bps > 0 AND end_ns > start_ns)"
    carried = "(bandwidth_bps * (end_ns - start_ns) / 8e9)"
    others = "other_bytes / (other_bytes + dl_payload_bytes)"
    return f"""(
        SELECT run, uid, start_ns, end_ns,
            (dl_payload_bytes + other_bytes) / {carried} AS phone_ratio,
            CASE WHEN {others} <= {OTHERS_AT_MOST} THEN
                coalesce(utilisation_paper_ratio, dl_payload_bytes / {carried}) END AS flow_ratio
        FROM {known} JOIN {_beside.of_flows(dataset, known)} USING (run, uid))"""
