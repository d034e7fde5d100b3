"""The evidence about the radio link in a report: bursts, carriers, cells and the uplink."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, count, counted, listed, percent, rate, seconds, size

if TYPE_CHECKING:
    from airmile.answers.radio.findings import RadioUser

ESTIMATORS = {
    "joint": "joint",
    "bursttracker": "burst rule",
    "online": "published program",
}

SOURCES = {
    "option": "as given",
    "record": "in every record",
    "mib": "from the master information block",
    "serving_cell": "from the serving-cell information",
    "pdcch": "from the bandwidth of the PDCCH",
    "beside": "from a file beside the log",
    "largest_seen": "the most seen in one millisecond: a lower bound",
}

SHARES = {
    "above_start_ratio": "took more than 90\u00a0% of the PRBs",
    "between_ratio": "between that and 40\u00a0%",
    "below_end_ratio": "less than 40\u00a0%",
}
"""The classes of milliseconds by their share of the PRBs (BT19 section 3.3)."""


def why(user: RadioUser) -> Iterator[str]:
    """Yield bursts, estimates, times, whether the burst rule fits, and the clocks."""
    facts, bursts = user.facts, user.bursts
    if bursts:
        yield _bursts(bursts)
    yield from _estimates(user)
    if facts.get("throughput_time_s") is not None:
        yield _times(user)
    yield from _assumption(facts.get("assumption"))
    yield from clock(user)


def clock(user: RadioUser) -> Iterator[str]:
    """Yield how the log's clock relates to the capture's, or why that is unknown."""
    yield from _alignment(user.facts.get("aligned"))
    if user.facts.get("not_aligned"):
        yield f"the log is not on the capture's clock: {user.facts['not_aligned'].rstrip('.')}"


def _times(user: RadioUser) -> str:
    facts = user.facts
    text = f"by the burst rule, Throughput Time {seconds(facts['throughput_time_s'])}"
    if facts.get("active_time_s") is not None:
        text += f", Active Time (milliseconds with a block) {seconds(facts['active_time_s'])}"
    unclassified_s = (facts.get("unclassified_ms") or 0) / 1e3
    if unclassified_s:
        text += f"; {seconds(unclassified_s)} of blocks are outside of the burst rule's bursts"
    return text


def _bursts(bursts: Any) -> str:
    text = f"{counted(bursts['bursts'], 'burst')}"
    if bursts["median_ms"] is not None:
        text += f", median {seconds(bursts['median_ms'] / 1e3)}"
        text += f", longest {seconds(bursts['longest_ms'] / 1e3)}"
    if bursts["throughput_bps"] is not None:
        text += f"; while busy the link gave {rate(bursts['throughput_bps'])}"
    if bursts["contention_s"]:
        text += f"; {seconds(bursts['contention_s'])} of waiting although data were queued"
    if bursts["open"]:
        text += f"; {count(bursts['open'])} still open where the log ends"
    return text


def _estimates(user: RadioUser) -> Iterator[str]:
    """Yield the link demand that each estimator gives."""
    demand = user.facts.get("link_demand") or {}
    others = [
        f"{ESTIMATORS[name]} {percent(demand[name])}"
        for name in ESTIMATORS
        if demand.get(name) is not None
    ]
    if others:
        yield f"link demand over the whole log: {', '.join(others)}"


def _assumption(assumption: Any) -> Iterator[str]:
    """Yield whether the burst rule fits this link, with the shares that show it."""
    if not assumption:
        return
    shares = [
        f"{percent(assumption[name])} {words}"
        for name, words in SHARES.items()
        if assumption.get(name) is not None
    ]
    if shares:
        yield f"of the milliseconds with a block, {listed(shares)}"
    if assumption.get("sentence"):
        yield assumption["sentence"].rstrip(".")


def _alignment(aligned: Any) -> Iterator[str]:
    if not aligned:
        return
    text = _offset(aligned["offset_ms"], aligned.get("uncertainty_ms"))
    if aligned.get("drift_ppm") is not None:
        text += f", drift {aligned['drift_ppm']:+.1f}{NBSP}ppm"
    if aligned.get("explained_ratio") is not None:
        explained = percent(min(aligned["explained_ratio"], 1.0))
        text += f"; the log explains {explained} of the acknowledged bytes"
    yield text


def downlink_totals(user: RadioUser) -> list[Any]:
    """Return the bandwidths of the downlink carriers."""
    totals = user.facts.get("prb_totals") or []
    return [total for total in totals if total.get("direction", "downlink") == "downlink"]


def _offset(offset_ms: float, unsure_ms: float | None) -> str:
    if unsure_ms is not None and abs(offset_ms) <= unsure_ms:
        return f"the clocks of modem and capture agree within {unsure_ms:.1f}{NBSP}ms"
    text = f"{offset_ms:+,.1f}".replace(",", NBSP) + f"{NBSP}ms"
    if unsure_ms is not None:
        text += f" ±{NBSP}{unsure_ms:.1f}{NBSP}ms"
    return f"the capture's clock less the modem's is {text}"


def carriers(user: RadioUser) -> Iterator[str]:
    """Yield the volume, the bandwidth and the quality of each carrier."""
    totals = downlink_totals(user)
    for carrier in user.carriers:
        number = carrier["carrier"]
        parts = [f"{'primary' if number == 0 else f'secondary {number}'}: {_volume(carrier)}"]
        of_carrier = [total for total in totals if total["carrier"] == number]
        parts += [_prbs(total) for total in of_carrier]
        if carrier["layers"] is not None:
            parts.append(f"{carrier['layers']:.1f} layers on average")
        parts += _shares(carrier)
        yield "; ".join(parts)
    if user.modulations:
        yield ", ".join(f"{name} {percent(share)}" for name, share in user.modulations.items())


def _volume(carrier: Any) -> str:
    text = f"{size(carrier['bytes'])} in {_ms(carrier['scheduled_ms'])}"
    cells = carrier["cells"]
    if cells:
        text += f", cell {listed([str(cell) for cell in cells[:4]])}"
        text += f" and {len(cells) - 4} more" if len(cells) > 4 else ""
    return text


def _ms(number: int) -> str:
    return counted(number, "millisecond")


def _prbs(total: Any) -> str:
    cell = f" in cell {total['cell']}" if total.get("cell") is not None else ""
    return f"{total['prbs']}{NBSP}PRBs{cell}, {SOURCES.get(total['source'], total['source'])}"


def _shares(carrier: Any) -> Iterator[str]:
    for name, words in (
        ("retransmission_ratio", "of the blocks retransmitted (HARQ)"),
        ("crc_failed_ratio", "of the blocks not decoded"),
        ("padding_ratio", "of the volume is padding"),
    ):
        if carrier[name]:
            yield f"{percent(carrier[name])} {words}"


def cells(user: RadioUser) -> Iterator[str]:
    """Yield the signal of the serving cell, and the number of handovers."""
    if user.signal is not None:
        found = user.signal
        text = [
            _spread(found, name, words, unit)
            for name, words, unit in (
                ("sinr_db", "SINR", "dB"),
                ("rsrp_dbm", "RSRP", "dBm"),
                ("rsrq_db", "RSRQ", "dB"),
                ("cqi", "CQI", ""),
            )
            if found.get(f"{name}_p50") is not None
        ]
        if text:
            yield "; ".join(text) + " (median, 5th to 95th percentile)"
    moved = user.handovers
    if moved["handovers"] or moved["reestablishments"]:
        yield _moves(moved)


def _spread(found: Any, name: str, words: str, unit: str) -> str:
    middle, low, high = (found[f"{name}_{label}"] for label in ("p50", "p5", "p95"))
    return f"{words} {middle:.0f}{NBSP}{unit}".rstrip() + f" ({low:.0f} to {high:.0f})"


def _moves(moved: Any) -> str:
    text = counted(moved["handovers"], "handover")
    if moved["source"] == "serving_cell":
        # The time between two measurements is not the duration of a handover.
        text += " (from changes between measurements: a lower bound)"
    elif moved["median_ms"] is not None:
        text += f", median {seconds(moved['median_ms'] / 1e3)}"
    if moved["reestablishments"]:
        text += f"; {counted(moved['reestablishments'], 're-establishment')} after losing the cell"
    return text


def uplink(user: RadioUser) -> Iterator[str]:
    """Yield whether the uplink was the bottleneck, and its volume and queue."""
    uplink = user.uplink
    if uplink.get("sending_s") is not None:
        yield _backlog(user)
    if uplink["scheduled_ms"]:
        text = f"{size(uplink['bytes'])} in {_ms(uplink['scheduled_ms'])}"
        if uplink.get("padding_ratio"):
            text += f"; {percent(uplink['padding_ratio'])} of the volume is padding"
        yield text
    if uplink["reports"]:
        yield _reports(uplink)


def _backlog(user: RadioUser) -> str:
    low, high = (user.uplink[f"backlogged_{end}_ratio"] for end in ("low", "high"))
    if low is None or high is None:
        return f"whether it was the bottleneck is unknown: {user.uplink_reason}"
    sending_s = user.uplink["sending_s"]
    share = percent(low)
    if high - low >= 0.01:
        share = f"between {low * 100:.0f}{NBSP}% and {percent(high)}"
    text = f"data waited in the phone {share} of the {seconds(sending_s)} in which it sent"
    if user.uplink_is_bottleneck is None:
        return f"whether it was the bottleneck is unknown: {text}; {user.uplink_reason}"
    if user.uplink_is_bottleneck:
        return f"{text}: it was the bottleneck for {seconds(low * sending_s)}"
    rest = seconds((1 - high) * sending_s)
    return f"{text}: not the bottleneck; for {rest} nothing waited in it"


def _reports(uplink: Any) -> str:
    exact = "" if uplink["exact"] else "at least "
    text = f"{counted(uplink['reports'], 'report')} of what waits in the phone"
    if uplink["most_waiting_bytes"] is not None:
        text += f": something in {percent(uplink['waiting_ratio'])} of them, "
        text += f"median {exact}{size(uplink['median_waiting_bytes'])}, most {exact}"
        text += size(uplink["most_waiting_bytes"])
    return text
