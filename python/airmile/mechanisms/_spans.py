"""The frames around a time of a flow, from its slices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile.store._needs import source
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.store import Tables


def with_frames(dataset: Tables, query: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query with the transfer and the frames of their time.

    Parameters
    ----------
    dataset : Tables
        The dataset.
    query : str
        SQL whose rows have ``run``, ``uid``, ``start_ns`` and ``end_ns``.
    """
    columns = ("uid", "transfer_id", "start_ns", "end_ns", "first_frame", "last_frame")
    slices = source(dataset, "slices", *columns)
    yield from rows(
        dataset,
        f"""SELECT asked.*,
            arg_max(slices.transfer_id, slices.end_ns - slices.start_ns) AS transfer_id,
            min(slices.first_frame) AS first_frame, max(slices.last_frame) AS last_frame
        FROM ({query}) AS asked LEFT JOIN ({slices}) AS slices
        ON slices.run = asked.run AND slices.uid = asked.uid
            AND slices.start_ns < asked.end_ns AND slices.end_ns > asked.start_ns
        GROUP BY ALL ORDER BY asked.run, asked.start_ns, asked.uid""",
    )
