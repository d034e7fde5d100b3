"""The congestion control of what ran beside the flows of a testbed run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airmile.dataset import Dataset

POOLED = ("cubic", "reno")
"""The background flows beside which EFF14's round trips under load were measured (section IV)."""


def left_out(dataset: Dataset) -> list[str]:
    """Return the runs of a dataset that have a background flow of another congestion control.

    A dataset that the testbed did not record has none: nothing is known of its senders.
    """
    from airmile.dataset import Dataset

    runs = dataset.manifest.get("runs")
    if runs is None:
        return [""] if _differs(dataset.manifest) else []
    manifests = {run: Dataset(dataset.path / run).manifest for run in runs}
    return [run.removesuffix(".airmile") for run, found in manifests.items() if _differs(found)]


def _differs(manifest: Any) -> bool:
    background = manifest
    for key in ("testbed", "experiment", "background"):
        background = background.get(key) if isinstance(background, dict) else None
    if not isinstance(background, list):
        return False
    known = (each.get("congestion_control") for each in background if isinstance(each, dict))
    return any(isinstance(name, str) and name not in POOLED for name in known)
