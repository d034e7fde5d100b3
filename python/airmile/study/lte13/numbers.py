"""Every number in the text of LTE13, in the order of the paper."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from airmile.study import _numbers
from airmile.study._exhibit import Exhibit
from airmile.study.lte13 import _numbers_apps, _numbers_path, _numbers_traffic

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

SECTIONS = (_numbers_traffic, _numbers_path, _numbers_apps)


def table(dataset: Tables) -> pa.Table:
    """Return a row per number: section, quantity, value, unit, n, published, definition, reason."""
    wanted = chain.from_iterable(section.numbers() for section in SECTIONS)
    return _numbers.table(dataset, wanted)


numbers = Exhibit(
    "lte13", "numbers", "all sections", "The numbers of the text", table, _numbers.findings,
    caption=(
        "The numbers of the text in the order of the paper, beside those of this data. What is "
        "contradictory in the paper is marked, and nothing is calibrated to it (methods A5, B2, "
        "C4, E4, F1, F3)."
    ),
)  # fmt: skip
