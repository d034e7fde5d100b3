"""The congestion control of the flows that ran in the background of a testbed run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store import _manifest, _runs

if TYPE_CHECKING:
    from airmile.store import Tables

POOLED = ("cubic", "reno")
"""The congestion control of the flows that loaded EFF14's link (section IV)."""


def left_out(dataset: Tables) -> list[str]:
    """Return the runs of a dataset with a background flow whose congestion control is another.

    A dataset that the testbed did not record gives an empty list, because its senders are unknown.
    """
    runs = _runs.folders(dataset.path, dataset.manifest)
    return [run for run, folder in runs.items() if _differs(_manifest.read(folder))]


def _differs(manifest: Any) -> bool:
    background = manifest
    for key in ("testbed", "experiment", "background"):
        background = background.get(key) if isinstance(background, dict) else None
    if not isinstance(background, list):
        return False
    known = (each.get("congestion_control") for each in background if isinstance(each, dict))
    return any(isinstance(name, str) and name not in POOLED for name in known)
