"""Why a flow was limited as it was: its slices' reasons and its row of `flows` in plain words.

Each cause is told with the reason that the engine gave for most of its time, and with the facts
that speak for it; round-trip times and retransmissions are always told, for they say what the path
was like. Nothing is judged here: causes and reasons come from the slices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile import causes
from airmile._access import is_cellular, link_words
from airmile._rows import existing, judged_slices, not_control, rows
from airmile._words import (
    NBSP,
    cause_name,
    count,
    counted,
    percent,
    rate,
    rounded_shares,
    seconds,
    size,
)

if TYPE_CHECKING:
    from airmile.dataset import Dataset

Facts = Mapping[str, Any]
Shares = Mapping[str, float]

WORTH_TELLING = 0.05
"""A cause below this share of a flow's time gets no sentence of its own."""

_PER_DIRECTION = (
    "payload_bytes",
    "packets",
    "rate_bps",
    "first_payload_ns",
    "last_payload_ns",
    "retransmissions",
    "spurious_retransmissions",
    "upstream_losses",
    "zero_windows",
    "rtt_min_ms",
    "rtt_p50_ms",
    "rtt_p95_ms",
    "in_flight_max_bytes",
)
_COLUMNS = (
    "uid",
    "ue",
    "ue_port",
    "server",
    "server_port",
    "duration_s",
    "ending",
    "quality",
    "handshake_rtt_ms",
    "upstream_rtt_ms",
    "promotion_delay_ms",
    "tls_handshake_ms",
    "server_name",
    "initial_window_bytes",
    "ue_initial_window_bytes",
    "window_full_s",
    "ul_window_full_s",
    "zero_window_s",
    "ul_zero_window_s",
    "window_full_first_ratio",
    "bandwidth_bps",
    "ul_bandwidth_bps",
    "utilisation_ratio",
    "undesired_slow_starts",
    "timeouts_seen",
    "self_inflicted_delay_ms",
    *(f"{way}_{name}" for way in ("dl", "ul") for name in _PER_DIRECTION),
)

_OF_TRANSFERS = (
    *("uid", "direction", "bytes", "request_ns", "first_byte_ns", "end_ns"),
    *("round_trips", "path_rtt_ms", "server_wait_ms"),
)


def facts(dataset: Dataset, uids: list[int]) -> dict[int, Facts]:
    """Return what is known of the flows: their rows, and their transfers summed up."""
    if not uids:
        return {}
    chosen = ", ".join(str(uid) for uid in uids)
    found = rows(
        dataset,
        f"""WITH moved AS (
            SELECT uid, count(*) AS transfers, sum(bytes) AS bytes,
                sum(end_ns - coalesce(request_ns, first_byte_ns)) / 1e9 AS transfer_s,
                arg_max(direction, bytes) AS direction, median(bytes) AS median_bytes,
                median(path_rtt_ms) AS path_rtt_ms, median(server_wait_ms) AS server_wait_ms,
                sum(round_trips)::BIGINT AS round_trips
            FROM (SELECT {existing(dataset, "transfers", _OF_TRANSFERS)} FROM transfers
                  WHERE {not_control(dataset)} AND uid IN ({chosen})) GROUP BY uid),
        carried AS (
            -- What stands in a queue or is repaired after a transfer's last new byte.
            SELECT uid, sum(end_ns - start_ns) / 1e9 AS carried_s FROM slices
            WHERE transfer_id IS NULL AND cause <> 'idle' AND uid IN ({chosen}) GROUP BY uid)
        SELECT * FROM (SELECT {existing(dataset, "flows", _COLUMNS)} FROM flows)
        JOIN moved USING (uid) LEFT JOIN carried USING (uid)""",
    )
    reasons = _reasons(dataset, chosen)
    vantage, cellular = dataset.manifest["vantage"]["value"], is_cellular(dataset)
    return {
        row["uid"]: {
            **row,
            "vantage": vantage,
            "cellular": cellular,
            "reasons": reasons.get(row["uid"], {}),
        }
        for row in found
    }


def _reasons(dataset: Dataset, uids: str) -> dict[int, dict[str, str]]:
    """Return for each flow and cause the reason that covers most of its time."""
    found = rows(
        dataset,
        f"""SELECT uid, cause, arg_max(reason, ns) AS reason
        FROM (SELECT uid, cause, reason, sum(weight) AS ns FROM ({judged_slices(dataset)})
              WHERE uid IN ({uids}) AND reason <> '' GROUP BY uid, cause, reason ORDER BY reason)
        GROUP BY uid, cause ORDER BY uid, cause""",
    )
    reasons: dict[int, dict[str, str]] = {}
    for row in found:
        reasons.setdefault(row["uid"], {})[row["cause"]] = row["reason"]
    return reasons


def sentences(flow: Facts, shares: Shares) -> Iterator[str]:
    """Tell the evidence of one flow, what weighs most first."""
    whole = rounded_shares(shares)
    for cause, share in shares.items():
        if share >= WORTH_TELLING:
            reason = flow["reasons"].get(cause)
            told = "; ".join(part for part in (reason, *_told(cause, flow)) if part)
            heading = f"{cause_name(cause, cellular=flow['cellular'])} {whole[cause]}{NBSP}%"
            yield f"{heading}: {told}" if told else heading
    yield from _round_trips(flow)
    yield from _repeats(flow, shares)


def case(flow: Facts, available_bps: float | None = None) -> causes.Case:
    """Return a flow as the causes speak of it."""
    link = link_words(cellular=flow["cellular"])
    return causes.Case(flow, flow["direction"] == "downlink", flow["vantage"], available_bps, link)


def _told(cause: str, flow: Facts) -> Iterator[str]:
    """Return the facts that speak for a cause."""
    if cause in causes.every():
        yield from causes.cause(cause).declared.evidence(case(flow))


def title(flow: Facts) -> str:
    """Name the flow as people know it: the server, what was moved, how long it took."""
    port = f":{flow['server_port']}" if flow["server_port"] is not None else ""
    server = f"[{flow['server']}]" if port and ":" in flow["server"] else flow["server"]
    arrow = "to the phone" if flow["direction"] == "downlink" else "from the phone"
    length_s = flow["transfer_s"] + (flow["carried_s"] or 0)
    moved = f"{size(flow['bytes'])} {arrow} in {seconds(length_s)}"
    speed = rate(flow["bytes"] * 8 / length_s) if length_s else ""
    return f"{server}{port}  {moved}" + (f" ({speed})" if speed else "")


def _round_trips(flow: Facts) -> Iterator[str]:
    least, median = _way(flow, "rtt_min_ms"), _way(flow, "rtt_p50_ms")
    high = _way(flow, "rtt_p95_ms")
    if least is not None and median is not None and not _at_receiver(flow):
        far = "phone" if flow["direction"] == "downlink" else "server"
        side = f" between here and the {far}" if flow["vantage"] == "monitor" else ""
        text = f"RTT{side} {_ms(least)} at least, {_ms(median)} median"
        yield text if high is None else f"{text}, {_ms(high)} at the 95th percentile"


def _repeats(flow: Facts, shares: Shares) -> Iterator[str]:
    again, packets = _way(flow, "retransmissions"), _way(flow, "packets")
    lost = _way(flow, "upstream_losses")
    if _at_receiver(flow):
        # What was lost on the way never came by, and what was sent again came by once.
        if lost:
            yield f"{counted(lost, 'packet')} of {count(packets)} came late, for the first was lost"
    elif again is not None and packets:
        share = f" ({percent(again / packets)})" if again else ""
        number = count(again) if again else "none"
        yield f"{number} of {counted(packets, 'packet')} sent again{share}"
    if flow["timeouts_seen"] and not any(
        shares.get(cause, 0) >= WORTH_TELLING for cause in ("loss_recovery", "undesired_slow_start")
    ):
        yield counted(flow["timeouts_seen"], "retransmission timeout")


def _at_receiver(flow: Facts) -> bool:
    """Whether the tap stands where the data arrives: it sees none of its round trips and losses."""
    return bool(flow["vantage"] == ("ue" if flow["direction"] == "downlink" else "server"))


def _way(flow: Facts, name: str) -> Any:
    """Return the column of the direction in which the flow moved its data."""
    return flow[f"{'dl' if flow['direction'] == 'downlink' else 'ul'}_{name}"]


def _ms(value: float) -> str:
    return seconds(value / 1000)
