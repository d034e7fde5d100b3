"""The facts of a flow: its sums, its capture point, and whether its link is cellular."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airmile.answers.verdict import _spans
from airmile.answers.verdict._access import is_cellular

if TYPE_CHECKING:
    from airmile.answers.verdict._sums import Sums
    from airmile.store import Tables

Facts = Mapping[str, Any]


def facts(dataset: Tables, flow: Sums) -> Facts:
    """Return the facts of a flow that has a judged transfer."""
    clock = _spans.Clock.of(dataset)
    return {
        **flow,
        "vantage": flow["vantage"] or dataset.manifest["vantage"]["value"],
        "cellular": is_cellular(dataset),
        "spans": {what: clock.span(found) for what, found in flow["spans"].items()},
    }


def at_receiver(flow: Facts) -> bool:
    """Return whether the capture is next to the receiver: it shows no round trip and no loss."""
    return bool(flow["vantage"] == ("ue" if flow["direction"] == "downlink" else "server"))


def at_sender(flow: Facts) -> bool:
    """Return whether the capture is next to the sender, so that it shows whole round trips."""
    return bool(flow["vantage"] == ("server" if flow["direction"] == "downlink" else "ue"))


def one_sided(flow: Facts) -> bool:
    """Return whether one direction is missing, which may hide retransmissions."""
    return "one_sided" in (flow["quality"] or "").split(",")


def way(flow: Facts, name: str) -> Any:
    """Return the column of the flow's main direction."""
    return flow[of_way(flow, name)]


def of_way(flow: Facts, name: str) -> str:
    """Return the name of the column of the flow's main direction."""
    return f"{'dl' if flow['direction'] == 'downlink' else 'ul'}_{name}"
