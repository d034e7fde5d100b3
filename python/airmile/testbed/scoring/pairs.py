"""Pairs of the value that airmile gives and the true value, and how well they agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airmile.testbed.hosts.sockets import Senders

if TYPE_CHECKING:
    from airmile.store import Tables


@dataclass(frozen=True)
class Case:
    """One run that is scored.

    Attributes
    ----------
    said : Tables
        The analysis of the run's capture.
    truth : Tables
        The run with its truth.
    direction : str
        The direction of the examined data.
    senders : Senders
        The sockets that send the data over the radio.
    logged : Tables or None
        The analysis of the capture together with the modem log; None without a log.
    """

    said: Tables
    truth: Tables
    direction: str
    senders: Senders
    logged: Tables | None = None

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Query the truth; `{samples}` and `{connections}` in the SQL are those of the senders."""
        asked = query.format(
            samples=f"({self.senders.samples()})", connections=f"({self.senders.connections()})"
        )
        rows: list[dict[str, Any]] = self.truth.arrow(asked).to_pylist()
        return rows


COUNTS = ("segments", "packets", "timeouts")
"""Units of counts: a count is right only if it is exact."""


@dataclass(frozen=True)
class Pair:
    """The value that airmile gives in one case, and the true one.

    Attributes
    ----------
    said : float, str or None
        The value that airmile gives; None if it gives none.
    truth : float or str
        The value that the link or the kernel recorded.
    """

    said: float | str | None
    truth: float | str


@dataclass(frozen=True)
class Compared:
    """All cases of one quantity.

    Attributes
    ----------
    pairs : tuple of Pair
        The cases. A word is right or wrong; a number has an error.
    unit : str
        The unit of the errors; `ratio` for errors relative to the truth.
    """

    pairs: tuple[Pair, ...]
    unit: str = ""

    def __add__(self, other: Compared) -> Compared:
        return Compared(self.pairs + other.pairs, self.unit or other.unit)

    @property
    def answered(self) -> tuple[Pair, ...]:
        """The cases in which airmile gives a value."""
        return tuple(pair for pair in self.pairs if pair.said is not None)

    @property
    def right(self) -> int:
        """The number of cases in which the value equals the truth."""
        return sum(pair.said == pair.truth for pair in self.pairs)

    @property
    def errors(self) -> tuple[float, ...]:
        """The errors of the numbers that airmile gives."""
        return tuple(
            _error(float(pair.said), float(pair.truth), self.unit)
            for pair in self.answered
            if pair.said is not None and not isinstance(pair.truth, str)
        )

    def summary(self) -> dict[str, float | int | str | None]:
        """Return the columns of this quantity in a table of scores."""
        errors = self.errors
        exact = self.unit in (*COUNTS, "")
        return {
            "cases": len(self.pairs),
            "answered": len(self.answered),
            "right": self.right if exact else None,
            "mean_error": sum(errors) / len(errors) if errors else None,
            "worst_error": max(errors) if errors else None,
            "unit": self.unit or None,
        }

    def __str__(self) -> str:
        return f"{self._answered()}{self._how_well()}"

    def _answered(self) -> str:
        cases, answered = len(self.pairs), len(self.answered)
        return counted(cases, "cases") if answered == cases else f"{answered} of {cases} answered"

    def _how_well(self) -> str:
        errors = self.errors
        if self.unit in COUNTS and errors:
            said = sum(float(pair.said or 0) for pair in self.answered)
            truth = sum(float(pair.truth) for pair in self.answered)
            right = counted(self.right, "cases")
            return f", {counted(said, self.unit)} said, {truth:.0f} true; {right} right"
        if not errors:
            return f", {self.right} right" if self.answered else ""
        mean = sum(errors) / len(errors)
        return f", mean error {self._amount(mean)}, worst {self._amount(max(errors))}"

    def _amount(self, error: float) -> str:
        return f"{error:.1%}" if self.unit == "ratio" else f"{error:.3g} {self.unit}"


def counted(number: float, many: str) -> str:
    """Return a number with its noun, given the plural of the noun.

    >>> counted(1, "timeouts"), counted(2, "timeouts")
    ('1 timeout', '2 timeouts')
    """
    return f"{number:.0f} {many.removesuffix('s') if number == 1 else many}"


def _error(said: float, truth: float, unit: str) -> float:
    return abs(said - truth) / (abs(truth) or 1.0) if unit == "ratio" else abs(said - truth)
