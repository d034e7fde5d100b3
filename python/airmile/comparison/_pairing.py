"""Samples of two groups that met the same conditions, as pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airmile._errors import UsageError
from airmile._words import counted, printable
from airmile.comparison._groups import Group, coded
from airmile.comparison.inference._arrays import Array


@dataclass(frozen=True)
class Pairs:
    """Samples with partners, in order.

    Attributes
    ----------
    a, b : numpy.ndarray
        The values of both groups.
    series : numpy.ndarray
        The series of each pair, as a number.
    unmatched : int
        Samples of either group without a partner.
    """

    a: Array
    b: Array
    series: NDArray[np.int64]
    unmatched: int

    @property
    def differences(self) -> Array:
        """The second group's value minus the first's."""
        return self.b - self.a


def pairs(a: Group, b: Group, *, drop_unmatched: bool) -> Pairs | None:
    """Return the pairs of two groups; None where their samples are no pairs.

    They are pairs by iteration, or where both groups have exactly the same seeds, drives or
    subscribers.

    Parameters
    ----------
    a, b : Group
        The groups.
    drop_unmatched : bool
        Leave samples without a partner out. One whose partner's value is unknown always is.

    Raises
    ------
    UsageError
        A sample has no partner.
    """
    place = {unit: at for at, unit in enumerate(b.units)}
    both = [(at, place[unit]) for at, unit in enumerate(a.units) if unit in place]
    if not a.pairs and not (len(both) == a.n == b.n):
        return None
    if not drop_unmatched:
        _refuse(a, b)
    if len(both) < 2:
        raise UsageError(
            f"{a.label} and {b.label} have {counted(len(both), a.word)} in common",
            "compare them without pairs: --unpaired",
        )
    mine, theirs = (np.array(each) for each in zip(*both, strict=True))
    series = coded([a.series[at] for at in mine])
    return Pairs(a.values[mine], b.values[theirs], series, a.n + b.n - 2 * len(both))


def _refuse(a: Group, b: Group) -> None:
    for one, other in ((a, b), (b, a)):
        known = {*one.units, *a.emptied, *b.emptied}
        missing = [unit for unit in other.units if unit not in known]
        if missing:
            raise UsageError(
                f"{one.label} lacks {counted(len(missing), one.word)} that {other.label} has: "
                + ", ".join(printable(_shown(unit)) for unit in missing[:5])
                + (", ..." if len(missing) > 5 else ""),
                "--drop-unmatched leaves them out, --unpaired compares all without pairs",
            )


def _shown(unit: Any) -> str:
    if isinstance(unit, tuple):
        series, own = unit
        return f"{own}" if series is None else f"{own} of {series}"
    return str(unit)


def in_common(a: Group, b: Group) -> int:
    """Return how many units are in both groups."""
    return len(set(a.units) & set(b.units))
