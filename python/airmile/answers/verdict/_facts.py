"""What is known of a flow: its sums, where it was seen, and on what kind of link."""

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
    """Return what is known of a flow that has a judged transfer."""
    clock = _spans.Clock.of(dataset)
    return {
        **flow,
        "vantage": flow["vantage"] or dataset.manifest["vantage"]["value"],
        "cellular": is_cellular(dataset),
        "spans": {what: clock.span(found) for what, found in flow["spans"].items()},
    }
