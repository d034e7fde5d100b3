"""The label of each 100 ms of a run (methods H6): what limited it, from the link and the kernel.

The text `RULE` states the rule. It is the same for the recorded sets, so that scores are
comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from airmile.testbed.hosts.sockets import LOSS, RECOVERY, Senders
from airmile.testbed.truth import clocks, tables
from airmile.testbed.truth.clocks import BIN_NS, FEW_SAMPLES, Clock

if TYPE_CHECKING:
    from airmile.store import Tables

RULE = (
    "q=(ACTIVE+CONTENTION)/TTIs; order: no data->idle_or_app, but unknown if more than 1000 bytes "
    "were carried or q>=.4; ca_state 4->rto_loss; q>=.8->link; "
    "rwnd_limited>30ms, or in >=50% of 10-ms samples notsent>0, snd_wnd<cwnd and less of it "
    "free than a segment or a third->rwnd; busy<50ms or >=50% of 10-ms samples with less than a "
    "segment unsent and unacked<0.95 cwnd->idle_or_app; ca 3->recovery; q>=.4->mixed_link_cwnd; "
    "else cwnd_or_path. "
    "Several flows: the label with most busy time. An uplink TTI that waits for a grant alone is "
    "no queue."
)

UNKNOWN = "unknown"
"""The label of a bin with too few samples of the sender; it is not scored."""

_QUEUED = 0.4

_FEW_BYTES = 1000
"""The most bytes in a bin without a sender: handshakes and ends of connections."""


def write(dataset: Tables, direction: str, senders: Senders) -> None:
    """Write the table `truth_labels` of a run.

    Parameters
    ----------
    dataset : Tables
        The run with its truth.
    direction : str
        The direction of the examined data: `downlink` or `uplink`.
    senders : Senders
        The sockets that send the data over the radio.
    """
    import pyarrow as pa

    bins = dataset.arrow(queues(direction)).to_pylist()
    flows = clocks.of_connections(dataset, senders, bins[0]["start_ns"]).values() if bins else []
    for number, queue in enumerate(bins):
        seen = [per[number] for per in flows if number in per]
        queue["label"], queue["flows"], queue["label_share"] = _label(
            queued_ratio(queue), queue["served_bytes"], seen
        )
    tables.write(dataset.path, "truth_labels", pa.Table.from_pylist(bins))


def queued_ratio(queue: Mapping[str, int]) -> float:
    """Return the share of a bin's TTIs that had data in the queue."""
    waited = queue["active_ttis"] + queue["contention_ttis"]
    return waited / (waited + queue["underflow_ttis"] + queue["last_active_ttis"])


def label_of(clock: Clock, queued: float) -> str:
    """Apply the rule to the clocks of a connection and the share of TTIs with a queue."""
    if clock.samples < FEW_SAMPLES:
        return UNKNOWN
    if clock.ca_state == LOSS:
        return "rto_loss"
    if queued >= 0.8:
        return "link"
    # The kernel's clock stops while it defers a segment, so the samples count as well.
    if clock.rwnd_us > 30_000 or clock.window_full >= 0.5 * clock.samples:
        return "rwnd"
    if clock.busy_us < 50_000 or clock.starved >= 0.5 * clock.samples:
        return "idle_or_app"
    if clock.ca_state == RECOVERY:
        return "recovery"
    return "mixed_link_cwnd" if queued >= _QUEUED else "cwnd_or_path"


def _label(queued: float, served: int, seen: list[Clock]) -> tuple[str, int, float]:
    """Return the label with the most busy time, the number of flows with data, and its share.

    Data that no sampled sender has sent comes from a sender that was not sampled, or has ended.
    """
    said = [(clock.busy_us, label_of(clock, queued)) for clock in seen]
    if any(label == UNKNOWN for _, label in said):
        return UNKNOWN, len(seen), 1.0
    busy = [one for one, clock in zip(said, seen, strict=True) if clock.busy_us or clock.acked]
    if not busy:
        unseen = served > _FEW_BYTES or queued >= _QUEUED
        return UNKNOWN if unseen else "idle_or_app", 0, 1.0
    shares: Counter[str] = Counter()
    for time, label in busy:
        shares[label] += time
    label, time = shares.most_common(1)[0]
    return label, len(busy), round(time / sum(shares.values()), 2) if time else 1.0


def queues(direction: str) -> str:
    """Return the SQL of the TTIs per state and bin; every bin has TTIs: the link never pauses."""
    states = ", ".join(
        f"count(*) FILTER (waits = '{state}') AS {state.lower()}_ttis"
        for state in ("UNDERFLOW", "ACTIVE", "CONTENTION", "LAST_ACTIVE")
    )
    return f"""
        WITH ttis AS (
            SELECT *, time_ns - min(time_ns) OVER () AS since_ns,
                -- An uplink TTI that waits for a grant alone is no queue.
                CASE WHEN direction = 'uplink' AND blocked = 'grant' THEN 'UNDERFLOW'
                    ELSE state END AS waits
            FROM truth_ttis WHERE direction = '{direction}'
        )
        SELECT min(time_ns - since_ns % {BIN_NS}) AS start_ns,
            min(time_ns - since_ns % {BIN_NS}) + {BIN_NS} AS end_ns,
            {states}, sum(available_bytes)::BIGINT AS available_bytes,
            sum(served_bytes)::BIGINT AS served_bytes, max(queue_bytes) AS queue_max_bytes
        FROM ttis GROUP BY since_ns // {BIN_NS} ORDER BY 1"""
