"""The capture point (vantage) of the flows of an answer, and its evidence (methods A11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from airmile.store._needs import absent, nullable
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.store import Tables


@dataclass(frozen=True)
class Vantage:
    """A capture point, with its evidence.

    Attributes
    ----------
    value : {"ue", "monitor", "server"} or None
        The capture point; None if it is unknown.
    The evidence of the chosen flows: ``given``, ``tunnel``, ``handshake``, ``acks``, ``others``.
    Empty if no flows were chosen: all flows then decide.
    """

    value: str | None
    sources: tuple[str, ...] = ()


def of(dataset: Tables) -> Vantage:
    """Return the capture point that the chosen flows have in common, or that of all flows."""
    whole = Vantage(dataset.manifest["vantage"]["value"])
    if dataset.where_condition is None or absent(dataset, "flows", ("vantage",)):
        return whole
    flows = nullable(dataset, "flows", "protocol", "vantage", "vantage_source")
    found = rows(
        dataset,
        f"""SELECT DISTINCT vantage, coalesce(vantage_source, '') AS source
            FROM (FROM {flows} WHERE protocol = 'tcp') ORDER BY ALL""",
    )
    places = {row["vantage"] for row in found}
    if len(places) != 1:
        return whole
    return Vantage(places.pop(), tuple(row["source"] for row in found))
