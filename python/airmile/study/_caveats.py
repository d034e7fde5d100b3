"""The caveats about the estimates that a figure shows.

They are notes of the table, because a reader of the figure has not seen the report of `radio`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._words import count
from airmile.store import _manifest

if TYPE_CHECKING:
    from airmile.store import Tables

Users = list[dict[str, Any]]


def of_estimator(dataset: Tables, estimator: str) -> Iterator[str]:
    """Yield the reasons not to trust an estimator of throughput time for this data (methods G3)."""
    users = [user for each in _manifests(dataset) for user in _joined(each.get("radio") or [])]
    if estimator == "joint":
        yield from dict.fromkeys(user["reason"] for user in users if user.get("reason"))
        return
    tests = [user.get("assumption") or {} for user in users]
    doubtful = [test for test in tests if test.get("word") in ("does_not_hold", "unknown")]
    if len(users) == len(doubtful) == 1 and doubtful[0].get("sentence"):
        yield doubtful[0]["sentence"].rstrip(".")
    elif doubtful:
        yield (
            "The burst rule's assumption does not hold, or cannot be tested, for "
            f"{count(len(doubtful))} of {count(len(users))} phones"
        )


def _manifests(dataset: Tables) -> Iterator[dict[str, Any]]:
    """Yield the manifest of a dataset, or the manifests of its runs."""
    runs = dataset.manifest.get("runs")
    if runs is None:
        yield dataset.manifest
    else:
        yield from (_manifest.read(dataset.path / run) for run in runs)


def _joined(users: Users) -> Users:
    """Return the phones of the capture, or the most scheduled user if there is no capture."""
    phones = [user for user in users if user.get("aligned")]
    return phones or sorted(users, key=lambda user: -(user.get("active_time_s") or 0.0))[:1]
