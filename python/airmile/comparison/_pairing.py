"""Pairs: samples of two groups that were taken under the same conditions."""

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
    """The samples of two groups that have partners, in order.

    Attributes
    ----------
    a, b : numpy.ndarray
        The values of the two groups.
    series : numpy.ndarray
        The series of each pair, as an integer.
    unmatched : int
        The number of samples, in either group, without a partner.
    """

    a: Array
    b: Array
    series: NDArray[np.int64]
    unmatched: int

    @property
    def differences(self) -> Array:
        """The values of the second group minus those of the first."""
        return self.b - self.a


def pairs(a: Group, b: Group, *, drop_unmatched: bool) -> Pairs | None:
    """Return the pairs of two groups; None if their samples are not paired.

    They are paired by iteration, or if both groups have exactly the same seeds, drives or
    subscribers.

    Parameters
    ----------
    a, b : Group
        The two groups.
    drop_unmatched : bool
        Whether samples without a partner are left out. If the value of a partner is unknown, a
        sample is always left out.

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
    """Return the number of units that are in both groups."""
    return len(set(a.units) & set(b.units))
