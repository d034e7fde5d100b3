"""The quality of the input, which limits the verdict (methods A10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airmile._words import PLACES, captured, count, counted, listed, percent, rate, size
from airmile.answers.verdict import _sums, _vantage
from airmile.answers.verdict._headline import is_loopback
from airmile.store._needs import contains
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.answers.verdict._sums import Sums
    from airmile.store import Tables

SHOWN = 3
"""The most problems that are listed; the manifest contains all of them."""

NOTEWORTHY_RATIO = 0.01
"""If a smaller share of the bytes is outside TCP, it is not mentioned."""

ENOUGH_RATIO = 0.9
"""LTE13 section 6.1 chooses C such that this share of the large flows has a sample."""

_NOWHERE = (
    f"the capture point is unknown (give it with --vantage): judged as captured {PLACES['monitor']}"
)

_FAULTS = {
    "mid_stream": "opened before the capture: no handshake shows the window scale, and the delay "
    "of the empty path shows only after a pause in the phone's transfers",
    "one_sided": "seen in one direction only, so round trips and windows are unknown",
    "capture_loss": "the capture missed packets",
    "capture_duplicates": "packets recorded twice, counted once",
    "acks_before_data": "ACKs recorded before the data that they acknowledge",
    "super_segments": "several packets in one record (TSO or LRO)",
    "cut_options": "TCP options cut by the snap length, so timestamps and SACK may be missing",
    "malformed_options": "malformed TCP headers: their options are longer than the packet, or do "
    "not fit together, so timestamps and SACK may be missing",
    "fragments": "segments in IP fragments",
    "no_header": "transport headers cut by the snap length, or in another fragment",
    "clock_steps": "the clock of the capture stepped back, so times around it are wrong",
}


_INTERRUPTED = "the analysis was interrupted: only what was read until then is judged"

_KINDS = {
    "quic": "of QUIC",
    "udp": "of other UDP, such as DNS",
    "icmp": "of ICMP",
    "other": "of other protocols",
    "no_header": "of packets without it",
}

_REASONS = {
    "quic": "encrypted",
    "no_header": "the TCP headers are not in the capture",
}
"""Why the limit of a kind of traffic is unknown; all other kinds lack acknowledgements."""


@dataclass(frozen=True)
class Unassessable:
    """Traffic of a kind whose limit the capture does not show.

    Attributes
    ----------
    kind : {"quic", "udp", "icmp", "other", "no_header"}
        The kind; `udp` excludes QUIC, `no_header` is TCP whose headers the snap length cut or are
        in another fragment.
    flows, bytes : int
        Number of flows, and their payload in both directions.
    ratio : float or None
        The share of the kind in all payload; None without any payload.
    """

    kind: str
    flows: int
    bytes: int
    ratio: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the kind as plain values; its limit is unknown."""
        return {
            "kind": self.kind,
            "flows": self.flows,
            "bytes": self.bytes,
            "payload_ratio": self.ratio,
            "limited_by": None,
            "reason": _REASONS.get(self.kind, "no acknowledgements to judge by"),
        }


_LOOPBACK = (
    "loopback addresses: a host speaks to itself here, so that neither a phone nor an access link "
    "is involved"
)


def sentences(dataset: Tables) -> Iterator[str]:
    """Yield the capture point, and what is doubtful about the input."""
    manifest = dataset.manifest
    if manifest["interrupted"]:
        yield _INTERRUPTED
    totals = _sums.of(dataset)["totals"]
    if is_loopback(dataset):
        yield _LOOPBACK
    yield _taken(dataset, tunnels=totals["vantage_by_tunnel"])
    yield from _few(manifest["reasons"])
    yield from manifest["warnings"]
    yield from _modem(manifest.get("radio", []))
    if manifest["notes"]:
        yield f"passed over: {listed(list(_few(manifest['notes'])))}"
    yield from _faults(totals)
    yield from _unassessable(unassessable(dataset))
    yield from _choice_of_c(dataset)


def caveats(dataset: Tables) -> Iterator[str]:
    """Yield the faults of the capture that affect all numbers."""
    if not contains(dataset, "flows", "slices"):
        return
    manifest = dataset.manifest
    if manifest["interrupted"]:
        yield _INTERRUPTED
    yield from _few(manifest["reasons"])
    yield from manifest["warnings"]
    yield from _faults(_sums.of(dataset)["totals"])


def _modem(users: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the reasons why the modem log is not used.

    A sniffer's log has thousands of users, and a phone may have a second subscription. So users
    that are not phones of the capture matter only if no user is one.
    """
    phones = [user for user in users if user.get("aligned")]
    key = "reason" if phones else "not_aligned"
    for why in dict.fromkeys(user.get(key) for user in phones or users):
        if why:
            yield f"the modem log is not used for the verdict: {why}"


_WITNESSES = {
    "given": "as given",
    "tunnel": "by GTP-U tunnels",
    "handshake": "by the handshake",
    "acks": "by data and ACKs",
    "others": "as most flows before",
}
"""The words for the evidence of the capture point of the chosen flows."""


def _taken(dataset: Tables, *, tunnels: int) -> str:
    """Return the capture point of the capture, or of its chosen flows, with the evidence."""
    found = _vantage.of(dataset)
    phones = _sums.of(dataset)["totals"]["ues"]
    if not found.sources:
        return _by_votes(dataset.manifest["vantage"], tunnels=tunnels, phones=phones)
    if found.value not in PLACES:
        return _NOWHERE
    shown = [_WITNESSES[source] for source in found.sources if source in _WITNESSES]
    return f"{', '.join([captured(found.value, phones), *shown])}{_proviso(found.value)}"


def _by_votes(vantage: dict[str, Any], *, tunnels: int, phones: int) -> str:
    """Return the capture point by the evidence of the flows (methods A11)."""
    if vantage["value"] not in PLACES:
        return _NOWHERE
    where = captured(vantage["value"], phones)
    if vantage["source"] == "given":
        return f"{where}, as given"
    votes = vantage["votes"]
    every, own = sum(votes[place] for place in PLACES), votes[vantage["value"]]
    by_acks = votes.get("by_acks", 0)
    # A GTP-U tunnel proves a monitor, and is no handshake.
    tunnelled = bool(tunnels) and vantage["value"] == "monitor"
    every -= 0 if tunnelled else min(tunnels, votes["monitor"])
    if tunnelled:
        shown = f"the GTP-U tunnels of {_of_all(own, every, 'connection')} show"
    elif by_acks == every:
        shown = f"the timing of data and ACKs in {_of_all(own, every, 'connection')} shows"
    else:
        witnesses = "connection" if by_acks else "handshake"
        shown = f"the timing of {_of_all(own, every, witnesses)} shows"
        if 0 < by_acks < every:
            shown += f" ({_without_handshake(by_acks, every, alike=own == every)})"
    return f"{where}, as {shown}{_proviso(vantage['value'])}"


def _without_handshake(some: int, every: int, *, alike: bool) -> str:
    r"""Return how many connections of all places lack a handshake.

    >>> _without_handshake(1, 5, alike=False)
    'of all 5\xa0connections, 1 has no handshake'
    """
    if alike:
        return f"{count(some)} without a handshake"
    have = "has" if some == 1 else "have"
    return f"of all {counted(every, 'connection')}, {count(some)} {have} no handshake"


def _of_all(some: int, every: int, noun: str) -> str:
    r"""Return how many of all, in as few words as possible.

    >>> _of_all(1, 1, "handshake"), _of_all(2, 2, "handshake"), _of_all(3, 3, "handshake")
    ('the handshake', 'both handshakes', 'all 3\xa0handshakes')
    """
    if some < every:
        return f"{count(some)} of {counted(every, noun)}"
    if every == 2:
        return f"both {noun}s"
    return f"the {noun}" if every == 1 else f"all {counted(every, noun)}"


def _proviso(place: str) -> str:
    """Return the proviso of the capture point "server": a proxy there would look the same."""
    return " (a proxy that answers for the server would look the same)" if place == "server" else ""


def _few(texts: list[str]) -> Iterator[str]:
    """Yield the first few texts, and the number of the others."""
    yield from texts[:SHOWN]
    if len(texts) > SHOWN:
        yield f"{count(len(texts) - SHOWN)} more in manifest.json"


def _faults(totals: Sums) -> Iterator[str]:
    for word, flows in sorted(totals["faults"].items(), key=lambda item: (-item[1], item[0])):
        what = _FAULTS.get(word, word.replace("_", " "))
        if word == "no_header":
            # Packets without a TCP header belong to no TCP flow.
            yield f"{counted(flows, 'row')} of packets without ports: {what}"
            continue
        every, amount = totals["tcp_flows"], _amount(totals, word)
        yield f"{count(flows)} of {counted(every, 'TCP flow')}: {what}{amount}"


_AMOUNTS = {
    "capture_loss": "capture_lost_bytes",
    "capture_duplicates": "recorded_twice",
    "acks_before_data": "recorded_late",
    "cut_options": "cut_options",
    "malformed_options": "cut_options",
    "clock_steps": "clock_steps",
}


def _amount(totals: Sums, word: str) -> str:
    """Return the amount of a fault: a number of packets, or of bytes with their share."""
    column = _AMOUNTS.get(word, "")
    amount, every = totals["amounts"].get(column), totals["tcp_payload_bytes"]
    if not amount:
        return ""
    if not column.endswith("_bytes"):
        return f" ({counted(amount, 'packet')})"
    share = f", {_portion(amount / every)} its payload" if every else ""
    return f" ({size(amount)} that were acknowledged{share})"


def _portion(ratio: float) -> str:
    """Return a share below 1 as a percentage, and a larger one as a factor."""
    if ratio < 1:
        return f"{percent(ratio)} of"
    factor = f"{ratio:.1f}".removesuffix(".0")
    return "as much as" if factor == "1" else f"{factor} times"


def unassessable(dataset: Tables) -> tuple[Unassessable, ...]:
    """Return the traffic without TCP evidence, by kind; no cause gets its time (methods F1)."""
    kinds = _sums.of(dataset)["totals"]["kinds"]
    every = sum(carried["bytes"] for carried in kinds.values())
    found = [
        Unassessable(
            kind, carried["flows"], carried["bytes"], carried["bytes"] / every if every else None
        )
        for kind, carried in kinds.items()
        if kind != "tcp"
    ]
    return tuple(sorted(found, key=lambda each: (-each.bytes, each.kind)))


def _unassessable(kinds: tuple[Unassessable, ...]) -> Iterator[str]:
    """Yield how much traffic was not judged, if it is noteworthy."""
    for why, without_header in (
        ("only TCP shows what limits it", False),
        ("the TCP header is not in the capture", True),
    ):
        shown = [kind for kind in kinds if (kind.kind == "no_header") == without_header]
        share = sum(kind.ratio or 0.0 for kind in shown)
        if share >= NOTEWORTHY_RATIO:
            sizes = listed(
                [f"{size(kind.bytes)} {_KINDS[kind.kind]}" for kind in shown if kind.bytes]
            )
            yield f"not judged, because {why}: {percent(share)} of the payload, {sizes}"


def _choice_of_c(dataset: Tables) -> Iterator[str]:
    """Yield the coverage of the paper's constant C, if it is used, and a better C (methods E2)."""
    parameters = dataset.manifest.get("parameters", {})
    if not parameters.get("bandwidth.use_c_rule"):
        return
    query = f"""SELECT count(*) AS large, count(bandwidth_c_rule_bps) AS sampled,
            avg(coalesce(bandwidth_c_rule_coverage_ratio, 0)) AS covered,
            quantile_cont(send_max_bps, {1 - ENOUGH_RATIO}) AS suggested
        FROM flows WHERE dl_payload_bytes > {parameters["flows.large_bytes"]}
            AND dl_last_payload_ns - dl_first_payload_ns > {parameters["flows.large_s"] * 1e9}"""
    row = rows(dataset, query)[0]
    if not row["large"]:
        return
    text = (
        f"C = {rate(parameters['bandwidth.min_send_bps'])}: {count(row['sampled'])} of "
        f"{counted(row['large'], 'large flow')} and {percent(row['covered'])} of their windows "
        "have a bandwidth sample"
    )
    if row["sampled"] < ENOUGH_RATIO * row["large"] and row["suggested"]:
        text += (
            f"; C = {rate(row['suggested'])} would give nine of ten flows one "
            f"(--set bandwidth.min_send_bps={row['suggested']:.3g})"
        )
    yield text
