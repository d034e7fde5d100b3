"""What a modem's log says, in words: whether the downlink was the bottleneck, and what shows it."""

from __future__ import annotations

import json as jsons
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, count, counted, listed, percent, rate, seconds, size
from airmile.render import _modem_log
from airmile.render.json import plain
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out

if TYPE_CHECKING:
    from airmile._radio.findings import Radio, RadioUser

QUERY = "FROM bursts ORDER BY throughput_time_ms DESC LIMIT 10"
"""A query to begin with."""

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
"""The burst rule begins bursts above the one and ends them below the other (BT19 section 3.3)."""


def render(
    radio: Radio, width: int = PLAIN_WIDTH, *, verbose: bool = False, kept: bool = True
) -> str:
    """Return the findings as text of at most `width` columns.

    `verbose` tells of every user and of what is read and of no use; `kept` says that the tables
    stay where they are.
    """
    return lay_out(list(_paragraphs(radio, verbose=verbose, kept=kept)), width)


def markdown(radio: Radio) -> str:
    """Return them as a Markdown section."""
    parts = ["## The radio"]
    for paragraph in _paragraphs(radio, verbose=False, kept=False):
        if paragraph.heading:
            parts.append(f"### {paragraph.heading}\n")
        parts.append(f"- {paragraph.text.removeprefix('- ')}")
    return "\n".join(parts).replace(NBSP, " ")


def json(radio: Radio) -> str:
    """Return them as one JSON document."""
    return jsons.dumps(plain(radio.to_dict()), indent=2, ensure_ascii=False, allow_nan=False)


def _paragraphs(radio: Radio, *, verbose: bool, kept: bool) -> Iterator[Paragraph]:
    yield from _headed("Log", (_modem_log.title(log) for log in radio.logs))
    users = radio.users if verbose else radio.users[:1]
    if not users:
        yield Paragraph("Downlink", "nothing to judge: no allocation of any user was read")
    for user in users:
        yield from _of_user(user, name=len(radio.users) > 1)
    others = len(radio.users) - len(users) + radio.other_users
    if others:
        more = "" if radio.other_users and verbose else ": -v tells of those with most bytes"
        yield Paragraph("", f"{counted(others, 'other user')} in the log{more}")
    yield from _headed("Capture", _capture(radio))
    yield from _headed("Input", _modem_log.notes(radio.logs, verbose=verbose))
    yield from _headed("Next", _next(radio))
    if kept:
        yield from _tables(radio)


def _of_user(user: RadioUser, *, name: bool) -> Iterator[Paragraph]:
    whose = f"user {user.user}: " if name else ""
    yield Paragraph("Downlink", whose + answer(user))
    yield from _headed("Why", _why(user))
    yield from _headed("Carriers", _carriers(user))
    yield from _headed("Cells", _cells(user))
    yield from _headed("Uplink", _uplink(user))


def answer(user: RadioUser) -> str:
    """Say first of all whether the downlink was the bottleneck."""
    if user.busy_ratio is None:
        return f"whether it was the bottleneck stays open: {user.reason}."
    busy = (
        f"busy {percent(user.busy_ratio)} of the {seconds(user.receiving_s)} in which the phone "
        f"received{_range(user)}"
    )
    if user.link_is_bottleneck is None:
        return f"whether it was the bottleneck stays open: {busy}; {user.reason}."
    if user.link_is_bottleneck:
        return f"{busy}: it was the bottleneck for {_of(user, user.busy_ratio)}."
    rest = _of(user, 1 - user.busy_ratio)
    return f"{busy}: not the bottleneck; for {rest} something else held the data back."


def _of(user: RadioUser, share: float) -> str:
    return "all of it" if share > 0.995 else seconds(share * user.receiving_s)


def _range(user: RadioUser) -> str:
    """Give the range where it is wider than a percent."""
    low, high = user.busy_low_ratio, user.busy_high_ratio
    if low is None or high is None or high - low < 0.01:
        return ""
    return f" (between {low * 100:.0f}{NBSP}% and {percent(high)})"


def _why(user: RadioUser) -> Iterator[str]:
    facts, bursts = user.facts, user.bursts
    if facts.get("throughput_time_s") is not None:
        yield _times(user)
    if bursts:
        yield _bursts(bursts)
    yield from _estimates(user)
    yield from _assumption(facts.get("assumption"))
    yield from _alignment(facts.get("aligned"))


def _times(user: RadioUser) -> str:
    facts = user.facts
    told = f"Throughput Time {seconds(facts['throughput_time_s'])}"
    if facts.get("active_time_s") is not None:
        told += f", Active Time (milliseconds with a block) {seconds(facts['active_time_s'])}"
    unclassified_s = (facts.get("unclassified_ms") or 0) / 1e3
    if unclassified_s:
        told += f"; {seconds(unclassified_s)} of blocks lie outside of the burst rule's bursts"
    return told


def _bursts(bursts: Any) -> str:
    told = f"{counted(bursts['bursts'], 'burst')}"
    if bursts["median_ms"] is not None:
        told += f", median {seconds(bursts['median_ms'] / 1e3)}"
        told += f", longest {seconds(bursts['longest_ms'] / 1e3)}"
    if bursts["throughput_bps"] is not None:
        told += f"; while busy the link gave {rate(bursts['throughput_bps'])}"
    if bursts["contention_s"]:
        told += f"; {seconds(bursts['contention_s'])} of waiting although data stood ready"
    if bursts["open"]:
        told += f"; {count(bursts['open'])} still open where the log ends"
    return told


def _estimates(user: RadioUser) -> Iterator[str]:
    """Name the other estimates beside the one that was told."""
    demand = user.facts.get("link_demand") or {}
    others = [
        f"{ESTIMATORS[name]} {percent(demand[name])}"
        for name in ESTIMATORS
        if demand.get(name) is not None
    ]
    if others:
        yield f"link demand over the whole log: {', '.join(others)}"


def _assumption(assumption: Any) -> Iterator[str]:
    """Say whether the burst rule fits this link, with the shares that tell."""
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
    told = f"the modem's clock is {aligned['offset_ms']:+,.0f}{NBSP}ms from the capture's"
    if aligned.get("uncertainty_ms") is not None:
        told += f" (±{NBSP}{aligned['uncertainty_ms']:.1f}{NBSP}ms)"
    if aligned.get("drift_ppm") is not None:
        told += f" and drifts {aligned['drift_ppm']:+.1f}{NBSP}ppm"
    if aligned.get("explained_ratio") is not None:
        explained = percent(min(aligned["explained_ratio"], 1.0))
        told += f"; the log explains {explained} of the captured bytes"
    yield told


def _carriers(user: RadioUser) -> Iterator[str]:
    totals = user.facts.get("prb_totals") or []
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
    told = f"{size(carrier['bytes'])} in {_ms(carrier['scheduled_ms'])}"
    cells = carrier["cells"]
    if cells:
        told += f", cell {listed([str(cell) for cell in cells[:4]])}"
        told += f" and {len(cells) - 4} more" if len(cells) > 4 else ""
    return told


def _ms(number: int) -> str:
    return counted(number, "millisecond")


def _prbs(total: Any) -> str:
    cell = f" in cell {total['cell']}" if total.get("cell") is not None else ""
    return f"{total['prbs']}{NBSP}PRBs{cell}, {SOURCES.get(total['source'], total['source'])}"


def _shares(carrier: Any) -> Iterator[str]:
    for name, words in (
        ("retransmission_ratio", "of the blocks sent again (HARQ)"),
        ("crc_failed_ratio", "of the blocks not decoded"),
        ("padding_ratio", "of the volume is padding"),
    ):
        if carrier[name]:
            yield f"{percent(carrier[name])} {words}"


def _cells(user: RadioUser) -> Iterator[str]:
    if user.signal is not None:
        found = user.signal
        told = [
            _spread(found, name, words, unit)
            for name, words, unit in (
                ("sinr_db", "SINR", "dB"),
                ("rsrp_dbm", "RSRP", "dBm"),
                ("rsrq_db", "RSRQ", "dB"),
                ("cqi", "CQI", ""),
            )
            if found.get(f"{name}_p50") is not None
        ]
        if told:
            yield "; ".join(told) + " (median, 5th to 95th percentile)"
    moved = user.handovers
    if moved["handovers"] or moved["reestablishments"]:
        yield _moves(moved)


def _spread(found: Any, name: str, words: str, unit: str) -> str:
    middle, low, high = (found[f"{name}_{label}"] for label in ("p50", "p5", "p95"))
    return f"{words} {middle:.0f}{NBSP}{unit}".rstrip() + f" ({low:.0f} to {high:.0f})"


def _moves(moved: Any) -> str:
    told = counted(moved["handovers"], "handover")
    if moved["median_ms"] is not None:
        told += f", median {seconds(moved['median_ms'] / 1e3)}"
    if moved["source"] == "serving_cell":
        told += " (from changes between measurements: a lower bound)"
    if moved["reestablishments"]:
        told += f"; {counted(moved['reestablishments'], 're-establishment')} after losing the cell"
    return told


def _uplink(user: RadioUser) -> Iterator[str]:
    uplink = user.uplink
    if uplink["scheduled_ms"]:
        yield f"{size(uplink['bytes'])} in {_ms(uplink['scheduled_ms'])}"
    if uplink["reports"]:
        exact = "" if uplink["exact"] else "at least "
        told = f"{counted(uplink['reports'], 'report')} of what waits in the phone"
        if uplink["most_waiting_bytes"] is not None:
            told += (
                f": median {exact}{size(uplink['median_waiting_bytes'])}, most {exact}"
                f"{size(uplink['most_waiting_bytes'])}"
            )
        yield told


def _capture(radio: Radio) -> Iterator[str]:
    """Tell what the log and the capture say together."""
    if not radio.captured:
        return
    from airmile.render import text

    verdict = radio.dataset.verdict
    yield f"limited by {text.limited_by(verdict)}"
    yield from text.link_sentence(verdict)


def _next(radio: Radio) -> Iterator[str]:
    if not radio.users or not radio.users[0].receiving_s:
        yield (
            "log the PDSCH allocations (0xB173) during a download of more than a second; "
            "`airmile schema ttis` lists what is needed"
        )
        return
    user = radio.users[0]
    if any(total["source"] == "largest_seen" for total in user.facts.get("prb_totals") or []):
        yield "say how wide the cell is: --cell-prbs 50 for 10 MHz, 100 for 20 MHz"
    if not radio.captured:
        yield (
            "record the packets too and give both (--capture phone.pcap): they tell an empty queue "
            "from a waiting one, and what else held the data back"
        )
    elif user.link_is_bottleneck is False:
        yield f"what else it was: airmile {radio.dataset.path}"


def _tables(radio: Radio) -> Iterator[Paragraph]:
    dataset = radio.dataset
    filled = [name for name in dataset.tables if dataset.rows(name)]
    yield Paragraph("Tables", f"{dataset.path}: {', '.join(filled)}", hang=2)
    yield Paragraph("", f'airmile query {dataset.path} "{QUERY}"', wrap=False)


def _headed(heading: str, texts: Iterable[str]) -> Iterator[Paragraph]:
    for number, text in enumerate(texts):
        yield Paragraph(heading if number == 0 else "", text, hang=2)
