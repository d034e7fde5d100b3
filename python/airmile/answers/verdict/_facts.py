"""The facts of a flow: its sums, its capture point, and whether its link is cellular."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airmile.answers.verdict import _spans
from airmile.answers.verdict._access import is_cellular

if TYPE_CHECKING:
    from airmile.answers.verdict._sums import Sums
    from airmile.dataset import Dataset

Facts = Mapping[str, Any]


def facts(dataset: Dataset, flow: Sums) -> Facts:
    """Return the facts of a flow that has a judged transfer."""
    clock = _spans.Clock.of(dataset)
    return {
        **flow,
        "vantage": flow["vantage"] or dataset.manifest["vantage"]["value"],
        "cellular": is_cellular(dataset),
        "spans": {what: clock.span(found) for what, found in flow["spans"].items()},
    }
