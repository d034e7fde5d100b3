"""The verdict from sums of slices: what limited a capture, its flows and its transfers.

The engine determines the cause of every slice. `_sums` adds the slices up with their length as
weight, so that shares are shares of time. Transfers below 1 KB (`control`) have a verdict of their
own beside that of the larger ones. Idle time between transfers is left out.
"""

from __future__ import annotations

import copyreg
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from airmile import causes
from airmile.answers.verdict import _evidence, _failed, _quality, _sums
from airmile.answers.verdict._access import is_cellular
from airmile.answers.verdict._certainty import HowSure, how_sure, joined
from airmile.answers.verdict._rates import NO_TRANSFER, LinkRates, link_rates
from airmile.store import _sql
from airmile.store._needs import need_flows, nullable
from airmile.store._rows import rows
from airmile.store._sums_limits import FLOWS

if TYPE_CHECKING:
    from airmile.answers.verdict._sums import Sums
    from airmile.store import Tables

Shares = Mapping[str, float]


def _read_only(shares: dict[str, float]) -> MappingProxyType[str, float]:
    return MappingProxyType(shares)


def _reduced(shares: MappingProxyType[str, float]) -> tuple[Any, ...]:
    return _read_only, (dict(shares),)


# Python cannot pickle read-only mappings, but a process may send its verdict to another one.
copyreg.pickle(MappingProxyType, _reduced)


@dataclass(frozen=True)
class TransferVerdict:
    """What limited one transfer.

    Attributes
    ----------
    transfer_id, uid : int
        The numbers of the transfer and of its flow.
    limited_by : str or None
        The cause with the largest share; None for a transfer without duration.
    shares : mapping of str to float
        Share of the transfer's time per cause; the sum is 1.
    certainty : {"sure", "likely", "open"} or None
        How sure `limited_by` is (methods T9); None without `limited_by`.
    second : tuple of str
        The other causes that are possible, the most likely first.
    """

    transfer_id: int
    uid: int
    limited_by: str | None
    shares: Shares
    certainty: str | None = None
    second: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return {
            "transfer_id": str(self.transfer_id),
            "uid": str(self.uid),
            "limited_by": self.limited_by,
            "certainty": self.certainty,
            "second": joined(self.second),
            "shares": dict(self.shares),
        }


@dataclass(frozen=True)
class FlowVerdict:
    """What limited one flow, and why.

    Attributes
    ----------
    uid : int
        The number of the flow.
    limited_by : str or None
        The cause with the largest share.
    shares : mapping of str to float
        Share of the time of its transfers per cause; the sum is 1.
    evidence : tuple of Line
        The evidence, in sentences with numbers, times and frames.
    facts : mapping
        The columns of `flows` and the sums on which the evidence is based.
    certainty : {"sure", "likely", "open"} or None
        How sure `limited_by` is (methods T9); None without `limited_by`.
    second : tuple of str
        The other causes that are possible, the most likely first.
    """

    uid: int
    limited_by: str | None
    shares: Shares
    evidence: tuple[_evidence.Line, ...]
    facts: Mapping[str, Any] = field(repr=False)
    certainty: str | None = None
    second: tuple[str, ...] = ()

    @property
    def why(self) -> tuple[str, ...]:
        """The evidence as sentences."""
        return tuple(str(line) for line in self.evidence)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return {
            "uid": str(self.uid),
            "server": self.facts["server"],
            "server_port": self.facts["server_port"],
            "name": self.facts["server_name"],
            "direction": self.facts["direction"],
            "bytes": self.facts["bytes"],
            "duration_s": self.facts["duration_s"],
            "limited_by": self.limited_by,
            "certainty": self.certainty,
            "second": joined(self.second),
            "shares": dict(self.shares),
            "why": [text.replace("\u00a0", " ") for text in self.why],
            "evidence": [line.to_dict() for line in self.evidence],
        }


@dataclass(frozen=True)
class SmallCalls:
    """Transfers below 1 KB, as a class.

    Attributes
    ----------
    calls : int
        The number of the transfers.
    median_s : float
        Their median duration, from request to last byte, in seconds.
    """

    calls: int
    median_s: float


@dataclass(frozen=True)
class VerdictValues:
    """What limited a capture, and the numbers that show it.

    The verdict of a dataset prints itself: its text (``str``) is that of ``airmile analyze``.

    Attributes
    ----------
    limited_by : str or None
        The cause with the largest share of time; None if there was no transfer to judge.
    shares : mapping of str to float
        Share of the transfers' time per cause, largest first; the sum is 1.
    link_is_bottleneck : bool or None
        Whether the access link limited the transfers most; None if this capture cannot tell.
    certainty : {"sure", "likely", "open"} or None
        How sure `limited_by` is (methods T9); None without `limited_by`.
    second : tuple of str
        The other causes that are possible, the most likely first.
    judged_s : float
        The sum of the durations of the judged transfers.
    active_s : float
        The time in which a phone had at least one of them, summed over all phones: the time of a
        page or a burst of requests over parallel connections.
    calls : SmallCalls or None
        The number of small calls and their length, in the verdict of small calls.
    used_bps, available_bps : float or None
        Rate of a phone (UE) during its transfers, and the available bandwidth of its link, in
        bit/s.
    used_reason, available_reason : str or None
        Why the used rate or the available bandwidth is unknown.
    available_source : {"queues", "used"} or None
        The source of `available_bps`: samples with a standing queue, or the rate on a full link.
    link_demand_ratio : float or None
        Share of the transfers' time in which data waited at the link; needs a modem log.
    source : {"tcp", "modem", "both"} or None
        Where the causes come from: the capture, the modem log, or both.
    quality : tuple of str
        Doubts about the input.
    cellular : bool
        Whether a modem log or GTP-U proves that the access link is cellular.
    uplink_shares : mapping of str to float
        The part of each share in which data went from the phone. In the rest, data went to the
        phone, or the phone waited for data, even if its request was lost.
    reasons : mapping of str to float
        The reasons of undetermined slices, each with its share of time.
    """

    limited_by: str | None
    shares: Shares
    link_is_bottleneck: bool | None
    used_bps: float | None
    used_reason: str | None
    available_bps: float | None
    available_source: str | None
    available_reason: str | None
    link_demand_ratio: float | None
    source: str | None
    quality: tuple[str, ...]
    cellular: bool
    reasons: Mapping[str, float]
    dataset: Tables = field(repr=False, compare=False)
    judged_s: float = 0.0
    active_s: float = 0.0
    calls: SmallCalls | None = None
    uplink_shares: Shares = field(default_factory=dict)
    certainty: str | None = None
    second: tuple[str, ...] = ()
    scope: str = "capture"

    @property
    def sums(self) -> Sums:
        """The sums over flows and judged transfers from which the verdict is computed."""
        return _sums.of(self.dataset)

    @cached_property
    def small_calls(self) -> VerdictValues | None:
        """The verdict of the transfers below 1 KB; None without any.

        Where nothing larger passed they carried the bytes, and it is this verdict itself.
        """
        if self.calls is not None:
            return self
        known = self.sums["small_calls"]
        return _of_class(self.dataset.of_small_calls) if known else None

    @property
    def small_calls_limited_by(self) -> str | None:
        """The cause with the largest share of the time of small calls; None without any."""
        return None if self.small_calls is None else self.small_calls.limited_by

    @cached_property
    def flows(self) -> tuple[FlowVerdict, ...]:
        """The flows with a judged transfer; the heaviest and the slowest are first."""
        return self.top_flows(None)

    @cached_property
    def not_assessable(self) -> tuple[_quality.Unassessable, ...]:
        """Traffic whose limit cannot be determined: QUIC, other UDP, other protocols."""
        return _quality.unassessable(self.dataset)

    @cached_property
    def failures(self) -> tuple[_failed.Failure, ...]:
        """What failed before any data moved: connections, and name look-ups."""
        return _failed.failures(self.dataset)

    @cached_property
    def transfers(self) -> tuple[TransferVerdict, ...]:
        """Every transfer, in the order of the table."""
        return tuple(_transfers(self.dataset))

    def top_flows(self, number: int | None) -> tuple[FlowVerdict, ...]:
        """Return the heaviest and slowest flows; None returns all."""
        return tuple(_flows(self.dataset, number))

    def longest(self, cause: str, direction: str | None = None) -> FlowVerdict | None:
        """Return the flow, among the heaviest and slowest, that a cause limited for longest.

        With `direction`, only the time of data in this direction counts.
        """

        def held_ns(flow: FlowVerdict) -> int:
            if direction is None:
                return int(flow.facts["time_ns"][cause])
            return _evidence.time_ns(flow.facts, cause, direction)

        flows = [flow for flow in self._heaviest if cause in flow.shares]
        return max((flow for flow in flows if held_ns(flow)), key=held_ns, default=None)

    def share(self, cause: str, direction: str) -> float:
        """Return the share of the time that a cause took in a direction."""
        uplink = self.uplink_shares.get(cause, 0.0)
        return uplink if direction == "uplink" else self.shares[cause] - uplink

    @cached_property
    def main_way(self) -> str:
        """The direction of most data: ``uplink`` or ``downlink``."""
        rates = self.sums["rates"]
        moved = {way: rates[way]["bytes"] or 0 for way in rates}
        return "uplink" if moved["uplink"] > moved["downlink"] else "downlink"

    @cached_property
    def both_ways(self) -> bool:
        """Whether both directions have a noteworthy share of the time."""
        whole, uplink = map(_evidence.sending, (self.shares, self.uplink_shares))
        main = uplink if self.main_way == "uplink" else whole - uplink
        return main < (1 - _evidence.NOTEWORTHY_RATIO) * whole

    def servers(self, cause: str) -> frozenset[str]:
        """Return the addresses of the servers of the flows that a cause limited."""
        return frozenset(flow.facts["server"] for flow in self._heaviest if cause in flow.shares)

    @cached_property
    def _heaviest(self) -> tuple[FlowVerdict, ...]:
        return self.top_flows(FLOWS)


def judge(dataset: Tables) -> VerdictValues:
    """Return the verdict of what carried the bytes: of small calls if there is nothing larger.

    Raises
    ------
    UsageError
        The dataset has no flows.
    InputError
        Another analysis has replaced the dataset since it was opened.
    """
    need_flows(dataset)
    with dataset.held():
        larger = _of_class(dataset)
        small = None if larger.shares else larger.small_calls
        return larger if small is None else small


def _of_class(dataset: Tables) -> VerdictValues:
    """Return the verdict of the transfers that the dataset judges."""
    sums = _sums.of(dataset)
    shares = _shares(sums["time_ns"])
    judged_s = sum(sums["time_ns"].values()) / 1e9
    limited_by = next(iter(shares), None)
    said = how_sure(sums["named_ns"])
    is_link = causes.is_bottleneck(limited_by)
    full_ratio = causes.of_links(shares)
    rates = (
        link_rates(dataset, full_ratio, mainly_link=is_link or False)
        if shares
        else LinkRates(None, NO_TRANSFER, None, None, NO_TRANSFER)
    )
    calls = sums["small_calls"] if dataset.whole is not None else None
    return VerdictValues(
        limited_by=limited_by,
        shares=shares,
        link_is_bottleneck=_bottleneck(said, rates, is_link),
        used_bps=rates.used_bps,
        used_reason=rates.used_reason,
        available_bps=rates.available_bps,
        available_source=rates.source,
        available_reason=rates.reason,
        link_demand_ratio=sums["link_demand_ratio"],
        source=_source(sums["sources"]),
        quality=tuple(_quality.sentences(dataset)),
        cellular=is_cellular(dataset),
        reasons=_reasons(sums),
        dataset=dataset,
        judged_s=judged_s,
        active_s=sums["active_ns"] / 1e9,
        calls=calls and SmallCalls(calls["calls"], calls["median_s"]),
        uplink_shares=_parts(sums["uplink_ns"], sum(sums["time_ns"].values())),
        certainty=said.certainty,
        second=said.second,
    )


SPARE_RATIO = 0.8
"""A link of which less than this share is used is not full (methods E4)."""


def _bottleneck(said: HowSure, rates: LinkRates, is_link: bool | None) -> bool | None:
    """Return whether the link is the bottleneck: from the causes, or from a rate not reached."""
    if said.certainty is None or said.link_is_bottleneck is not None:
        return is_link if said.certainty is None else said.link_is_bottleneck
    used, available = rates.used_bps, rates.available_bps
    if is_link is not False or used is None or available is None:
        return None
    spare = rates.source == "queues" and used < SPARE_RATIO * available
    return False if spare else None


def _shares(time: Mapping[str, float]) -> Shares:
    """Return shares of the total, the largest first; equal ones in the order of the causes."""
    total = sum(time.values())
    rank = {cause: place for place, cause in enumerate(causes.every())}
    ordered = sorted(time.items(), key=lambda item: (-item[1], rank.get(item[0], len(rank))))
    return _read_only({cause: ns / total for cause, ns in ordered if total and ns})


def _parts(time: Mapping[str, float], total: float) -> Shares:
    return _read_only({cause: ns / total for cause, ns in time.items() if total and ns})


def _flows(dataset: Tables, number: int | None) -> list[FlowVerdict]:
    return [_flow(_evidence.facts(dataset, flow)) for flow in _sums.flows(dataset, number)]


def _flow(facts: _evidence.Facts) -> FlowVerdict:
    shares = _shares(facts["time_ns"])
    evidence = tuple(_evidence.lines(facts, shares))
    said = how_sure(facts["named_ns"])
    limited_by = next(iter(shares), None)
    return FlowVerdict(
        facts["uid"], limited_by, shares, evidence, facts, said.certainty, said.second
    )


def _transfers(dataset: Tables) -> list[TransferVerdict]:
    names = [name for name in dataset.columns("transfers") if name.startswith("share_")]
    own = ("transfer_id", "uid", "limited_by", "certainty", "second", *names)
    columns = ", ".join(map(_sql.name, own))
    found = rows(dataset, f"SELECT {columns} FROM {nullable(dataset, 'transfers', *own)}")
    return [
        TransferVerdict(
            row["transfer_id"],
            row["uid"],
            row["limited_by"],
            _shares({name.removeprefix("share_"): row[name] or 0.0 for name in names}),
            row["certainty"],
            tuple(row["second"].split(",")) if row["second"] else (),
        )
        for row in (found if names else [])
    ]


def _source(found: Sequence[str]) -> str | None:
    """Return the source of the causes; `both` if they differ between slices."""
    return found[0] if len(found) == 1 else "both" if found else None


def _reasons(sums: Sums) -> Mapping[str, float]:
    total = sum(sums["time_ns"].values())
    ordered = sorted(sums["reasons_ns"].items(), key=lambda item: (-item[1], item[0]))
    return _read_only({reason: ns / total for reason, ns in ordered if total})
