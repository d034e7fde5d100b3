"""The sender's retransmission timeout by three rules (methods C5), and the kernel's timeouts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from airmile.store import _sql
from airmile.store._needs import has, source
from airmile.study.lte13 import _rss_spans

if TYPE_CHECKING:
    from airmile.dataset import Dataset

LEAST_MS = {"rfc": 1000.0, "lte13": 200.0}
"""The least timeout in ms of the two rules that bound the sum: RFC 6298's and LTE13's."""

LINUX_MS = 200.0
"""The least value in ms of the second term, which Linux bounds instead of the sum."""

RULES = (*LEAST_MS, "linux")

LOSS_STATE = 4
"""The state of Linux's sender after a timeout (TCP_CA_Loss in include/uapi/linux/tcp.h)."""


def timeouts(
    packets: Iterable[dict[str, Any]], upstream_ms: float
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield the time of each ACK that advances and has an RTT, and the timeouts after it, in ms.

    A round trip is the one at the capture point plus the one beyond that point (`upstream_ms`).

    >>> ack = {"direction": "uplink", "ack_offset": 1, "rtt_ms": 100.0, "time_ns": 5}
    >>> list(timeouts([ack], 0.0))
    [(5, {'rfc': 1000.0, 'lte13': 300.0, 'linux': 300.0})]
    """
    smooth = spread = None
    acknowledged = -1
    for packet in packets:
        ack, rtt_ms = packet["ack_offset"], packet["rtt_ms"]
        if packet["direction"] != "uplink" or ack is None or ack <= acknowledged:
            continue
        acknowledged = ack
        if rtt_ms is None:
            continue
        sample = rtt_ms + upstream_ms
        if smooth is None or spread is None:
            smooth, spread = sample, sample / 2
        else:
            spread = 0.75 * spread + 0.25 * abs(smooth - sample)
            smooth = 0.875 * smooth + 0.125 * sample
        yield packet["time_ns"], _by_rule(smooth, spread)


def _by_rule(smooth: float, spread: float) -> dict[str, float]:
    with_floor = {rule: max(least, smooth + 4 * spread) for rule, least in LEAST_MS.items()}
    return {**with_floor, "linux": smooth + max(LINUX_MS, 4 * spread)}


def by_kernel(dataset: Dataset) -> str:
    """Return SQL for whether the sender's kernel had a timeout in a row of `train`.

    It counts during the train and the spans of R_ss (methods C4). The row has the ports of its
    flow. The kernel's socket is that of the train's flow, so another flow's timeout does not count.
    """
    if not has(dataset, "truth_tcp"):
        return "false"
    kernel = source(
        dataset, "truth_tcp", "time_ns", "place", "local_port", "peer_port", "ca_state"
    )  # fmt: skip
    return f"""EXISTS (FROM {kernel} AS kernel WHERE kernel.run = train.run
        AND place <> 'phone' AND local_port = server_port AND peer_port = ue_port
        AND ca_state = {LOSS_STATE}
        AND time_ns BETWEEN start_ns AND end_ns + {_both_ns(dataset)})"""


def _both_ns(dataset: Dataset) -> str:
    """Return SQL for the length of both spans of R_ss in ns, by the parameters of each run."""
    runs = dataset._rows(f"SELECT DISTINCT run FROM {source(dataset, 'loss_episodes', 'uid')}")
    lengths = {each["run"]: round(2e9 * _rss_spans.length_s(dataset, each["run"])) for each in runs}
    cases = " ".join(f"WHEN {_sql.literal(run)} THEN {length}" for run, length in lengths.items())
    return f"CASE train.run {cases} END" if cases else "0"
