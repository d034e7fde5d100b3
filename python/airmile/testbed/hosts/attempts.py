"""Clearing up goes on after an error, and says at its end what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airmile._errors import AirmileError, OutputError


class Attempts:
    """Several things that are tried, whatever becomes of the others.

    Attributes
    ----------
    errors : list of str
        What went wrong so far.
    """

    def __init__(self) -> None:
        self.errors: list[str] = []

    @contextmanager
    def at(self, what: str) -> Iterator[None]:
        """Try one; an error is noted with `what` it was about, unless it says so itself."""
        try:
            yield
        except AirmileError as error:
            self.errors.append(error.message)
        except Exception as error:
            self.errors.append(f"{what}: {error}")

    def check(self) -> None:
        """Raise when something went wrong.

        Raises
        ------
        OutputError
            With all of it.
        """
        if self.errors:
            raise OutputError("; ".join(self.errors))
