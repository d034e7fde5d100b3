"""The two spans after a train of duplicate ACKs whose throughputs R_ss compares (methods C4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from airmile.store._needs import Missing
from airmile.study import _packets

if TYPE_CHECKING:
    from airmile.store import Tables

Rows = list[dict[str, Any]]

OF_FLOW = ("vantage", "handshake_rtt_ms", "upstream_rtt_ms")
"""The columns of the train's flow that `begin_ns` needs."""


def length_s(dataset: Tables, run: str) -> float:
    """Return the length of each span in s, as the analysis of the run had it.

    Raises
    ------
    Missing
        The dataset does not say with which parameters it was made.
    """
    return _parameter(dataset, run, "loss_episodes.rss_span_ms") / 1e3


def begin_ns(dataset: Tables, episode: dict[str, Any], packets: Rows) -> int | None:
    """Return the time at which the first span begins; None when the data do not show it.

    The first span begins after the last duplicate ACK, later by the least round trip between
    capture point and server until then.

    Parameters
    ----------
    dataset : Tables
        The dataset of the episode.
    episode : dict
        `run`, `start_ns` and `end_ns` of a loss episode, and the columns `OF_FLOW` of its flow.
    packets : list of dict
        The packets of the flow, in the order of the capture.

    Raises
    ------
    Missing
        The dataset does not say with which parameters it was made.
    """
    least = _parameter(dataset, episode["run"], "loss_episodes.train_min")
    since_ns = _last_duplicate_ns(episode, packets, least)
    if since_ns is None:
        return None
    unshifted = _parameter(dataset, episode["run"], "loss_episodes.rss_shift") == 0
    if unshifted or episode["vantage"] == "server":
        return since_ns
    before = list(takewhile(lambda packet: packet["time_ns"] <= since_ns, packets))
    handshake_ms = episode["handshake_rtt_ms" if episode["vantage"] == "ue" else "upstream_rtt_ms"]
    samples_ms = [handshake_ms, *_rtts_ms(before), *_echoes_ms(before)]
    least_ms = min((each for each in samples_ms if each is not None), default=None)
    return None if least_ms is None else since_ns + round(least_ms * 1e6)


def _last_duplicate_ns(episode: dict[str, Any], packets: Rows, least: float) -> int | None:
    """Return the time of the last duplicate ACK of the last train with more than `least` of them.

    If SACK alone makes a train long enough, it is the last duplicate ACK of the episode.
    """
    last_ns: int | None = None
    long_ns: int | None = None
    count, repeated = 0, None
    for packet in packets:
        within = episode["start_ns"] <= packet["time_ns"] <= episode["end_ns"]
        if not (within and packet["duplicate_ack"] and packet["direction"] == "uplink"):
            continue
        count = count + 1 if packet["ack_offset"] == repeated else 1
        repeated, last_ns = packet["ack_offset"], packet["time_ns"]
        long_ns = last_ns if count > least else long_ns
    return last_ns if long_ns is None else long_ns


def _rtts_ms(packets: Rows) -> Iterator[float | None]:
    """Yield the round trips to the server by its ACKs of uplink data."""
    return (packet["rtt_ms"] for packet in packets if packet["direction"] == "downlink")


def _echoes_ms(packets: Rows) -> Iterator[float]:
    """Yield the times from each timestamp of the phone to the first data that echo it."""
    passed: dict[int, int] = {}
    for packet in packets:
        if packet["direction"] == "uplink":
            if packet["timestamp"] is not None:
                passed.setdefault(packet["timestamp"], packet["time_ns"])
        elif packet["payload_bytes"] and packet["timestamp_echo"] in passed:
            yield (packet["time_ns"] - passed[packet["timestamp_echo"]]) / 1e6
            # Later data repeat this echo, so that only the first measures the path.
            echoed = list(passed).index(packet["timestamp_echo"])
            passed = dict(list(passed.items())[echoed + 1 :])


def _parameter(dataset: Tables, run: str, name: str) -> float:
    parameters = _packets.opened(dataset, run).manifest.get("parameters", {})
    if name not in parameters:
        raise Missing(
            f"{dataset.path}: its manifest has no parameter {name}",
            "an older airmile wrote it: analyse the capture again",
        )
    return float(parameters[name])
