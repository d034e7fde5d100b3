"""Where the traffic of an answer was captured, and how that is known (methods A11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from airmile.store._needs import absent, nullable
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.dataset import Dataset


@dataclass(frozen=True)
class Vantage:
    """A place, and what says so.

    Attributes
    ----------
    value : {"ue", "monitor", "server"} or None
        Where it was; None where nothing shows it.
    sources : tuple of str
        What showed it for the chosen flows: ``given``, ``tunnel``, ``handshake``, ``acks``,
        ``others``; none where no flow was chosen, and all flows decide.
    """

    value: str | None
    sources: tuple[str, ...] = ()


def of(dataset: Dataset) -> Vantage:
    """Return the place of the capture; of chosen flows theirs, where they have one in common."""
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
