"""From slices to shares: what limited a capture, its flows and its transfers.

The engine names the cause of every slice; here the slices are only added up, each with its length
as weight, so that shares are shares of time (design section 5). Transfers without data of note
(`control`) keep their rows and stay out of the shares, and so does idle time between transfers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from airmile import _evidence, _quality, _sql, causes
from airmile._access import is_cellular
from airmile._rates import LinkRates, link_rates
from airmile._rows import judged_slices, rows

if TYPE_CHECKING:
    from airmile.dataset import Dataset

Shares = Mapping[str, float]


@dataclass(frozen=True)
class TransferVerdict:
    """What limited one transfer.

    Attributes
    ----------
    transfer_id, uid : int
        The transfer and its flow.
    limited_by : str or None
        The cause with the largest share; None for a `control` transfer.
    shares : mapping of str to float
        Share of the transfer's time per cause; they add up to 1.
    """

    transfer_id: int
    uid: int
    limited_by: str | None
    shares: Shares

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "transfer_id": self.transfer_id,
            "uid": self.uid,
            "limited_by": self.limited_by,
            "shares": dict(self.shares),
        }


@dataclass(frozen=True)
class FlowVerdict:
    """What limited one flow, and why.

    Attributes
    ----------
    uid : int
        The flow.
    limited_by : str or None
        The cause with the largest share.
    shares : mapping of str to float
        Share of the time of its transfers per cause; they add up to 1.
    why : tuple of str
        The evidence, in sentences with numbers.
    facts : mapping
        The row of `flows` that the evidence was taken from.
    """

    uid: int
    limited_by: str | None
    shares: Shares
    why: tuple[str, ...]
    facts: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "uid": self.uid,
            "limited_by": self.limited_by,
            "shares": dict(self.shares),
            "why": list(self.why),
        }


@dataclass(frozen=True)
class Verdict:
    """What limited a capture.

    Its text (``str``) is what ``airmile analyze`` prints.

    Attributes
    ----------
    limited_by : str or None
        The cause with the largest share of time; None when there was no transfer to judge.
    shares : mapping of str to float
        Share of the transfers' time per cause, largest first; they add up to 1.
    link_is_bottleneck : bool or None
        Whether that cause is the access link; None when the evidence does not decide.
    used_bps, available_bps : float or None
        Rate of a UE while it transferred, and what its link could have carried.
    available_reason : str or None
        Why `available_bps` is unknown.
    link_demand_ratio : float or None
        Share of the transfers' time in which the link had their data to send (needs a modem log).
    source : {"tcp", "modem", "both"} or None
        What decided: the capture alone, or a modem log with it.
    quality : tuple of str
        What the reader should know of the input before the network is blamed.
    cellular : bool
        Whether a modem's log or GTP-U proves that the access link is a cellular one.
    reasons : mapping of str to float
        Why slices are undetermined, with the share of time of each reason.
    """

    limited_by: str | None
    shares: Shares
    link_is_bottleneck: bool | None
    used_bps: float | None
    available_bps: float | None
    available_reason: str | None
    link_demand_ratio: float | None
    source: str | None
    quality: tuple[str, ...]
    cellular: bool
    reasons: Mapping[str, float]
    dataset: Dataset = field(repr=False, compare=False)
    scope: str = "capture"

    @cached_property
    def flows(self) -> tuple[FlowVerdict, ...]:
        """Every flow that had a transfer, the one with most time first."""
        return self.top_flows(None)

    @cached_property
    def not_assessable(self) -> tuple[_quality.Unassessable, ...]:
        """Traffic that shows nothing of what limits it: QUIC, other UDP, other protocols."""
        return _quality.unassessable(self.dataset)

    @cached_property
    def transfers(self) -> tuple[TransferVerdict, ...]:
        """Every transfer, in the order of the table."""
        return tuple(_transfers(self.dataset))

    def top_flows(self, number: int | None) -> tuple[FlowVerdict, ...]:
        """Return the flows that weigh most in the shares; None means all of them."""
        return tuple(_flows(self.dataset, number))

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values, as ``--format json`` prints it."""
        from airmile.render.json import document

        return document(self)

    def __str__(self) -> str:
        from airmile.render.text import render

        return render(self)


def judge(dataset: Dataset) -> Verdict:
    """Add up the slices of a dataset."""
    shares = _shares(_time_per_cause(dataset))
    limited_by = next(iter(shares), None)
    rates = link_rates(dataset) if shares else LinkRates(None, None, "there was no transfer")
    return Verdict(
        limited_by=limited_by,
        shares=shares,
        link_is_bottleneck=_is_link(limited_by),
        used_bps=rates.used_bps,
        available_bps=rates.available_bps,
        available_reason=rates.reason,
        link_demand_ratio=_link_demand(dataset),
        source=_source(dataset),
        quality=tuple(_quality.sentences(dataset)),
        cellular=is_cellular(dataset),
        reasons=_reasons(dataset),
        dataset=dataset,
    )


def _is_link(limited_by: str | None) -> bool | None:
    return None if limited_by in (None, "undetermined") else limited_by in causes.links()


def _shares(time: Mapping[str, float]) -> Shares:
    """Divide by the total; largest first, by name where equal."""
    total = sum(time.values())
    ordered = sorted(time.items(), key=lambda item: (-item[1], item[0]))
    return MappingProxyType({cause: ns / total for cause, ns in ordered if total and ns})


def _time_per_cause(dataset: Dataset) -> dict[str, float]:
    query = f"SELECT cause, sum(weight) AS ns FROM ({judged_slices(dataset)}) GROUP BY cause"
    return {row["cause"]: float(row["ns"]) for row in rows(dataset, query)}


def _flows(dataset: Dataset, number: int | None) -> list[FlowVerdict]:
    limit = "" if number is None else f"LIMIT {number}"
    chosen = rows(
        dataset,
        f"""WITH judged AS ({judged_slices(dataset)}),
        top AS (SELECT uid, sum(weight) AS total FROM judged GROUP BY uid
                ORDER BY total DESC, uid {limit})
        SELECT uid, cause, sum(weight) AS ns FROM judged SEMI JOIN top USING (uid)
        GROUP BY uid, cause ORDER BY uid, cause""",
    )
    time: dict[int, dict[str, float]] = {}
    for row in chosen:
        time.setdefault(row["uid"], {})[row["cause"]] = float(row["ns"])
    facts = _evidence.facts(dataset, list(time))
    heaviest = sorted(time, key=lambda uid: (-sum(time[uid].values()), uid))
    return [_flow(uid, time[uid], facts[uid]) for uid in heaviest if uid in facts]


def _flow(uid: int, time: Mapping[str, float], facts: Mapping[str, Any]) -> FlowVerdict:
    shares = _shares(time)
    why = tuple(_evidence.sentences(facts, shares))
    return FlowVerdict(uid, next(iter(shares), None), shares, why, facts)


def _transfers(dataset: Dataset) -> list[TransferVerdict]:
    names = [name for name in dataset.columns("transfers") if name.startswith("share_")]
    columns = ", ".join(["transfer_id", "uid", "limited_by", *map(_sql.name, names)])
    found = rows(dataset, f"SELECT {columns} FROM transfers") if names else []
    return [
        TransferVerdict(
            row["transfer_id"],
            row["uid"],
            row["limited_by"],
            _shares({name.removeprefix("share_"): row[name] or 0.0 for name in names}),
        )
        for row in found
    ]


def _link_demand(dataset: Dataset) -> float | None:
    if "link_demand_ratio" not in dataset.columns("transfers"):
        return None
    query = """SELECT sum(link_demand_ratio * (end_ns - first_byte_ns))
        / sum(end_ns - first_byte_ns) AS ratio
        FROM transfers WHERE link_demand_ratio IS NOT NULL AND end_ns > first_byte_ns"""
    ratio: float | None = rows(dataset, query)[0]["ratio"]
    return ratio


def _source(dataset: Dataset) -> str | None:
    """Tell what decided: `both` as soon as a modem log took part in one slice."""
    query = f"SELECT DISTINCT cause_source FROM ({judged_slices(dataset)})"
    found = {row["cause_source"] for row in rows(dataset, query)} - {None}
    return found.pop() if len(found) == 1 else "both" if found else None


def _reasons(dataset: Dataset) -> Mapping[str, float]:
    query = f"""WITH judged AS ({judged_slices(dataset)})
        SELECT reason, sum(weight) / (SELECT sum(weight) FROM judged) AS share
        FROM judged WHERE cause = 'undetermined' AND reason IS NOT NULL AND reason <> ''
        GROUP BY reason ORDER BY share DESC, reason"""
    return MappingProxyType({row["reason"]: row["share"] for row in rows(dataset, query)})
