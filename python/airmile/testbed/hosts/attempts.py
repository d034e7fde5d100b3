"""Clearing up that continues after an error and reports all errors at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airmile._errors import AirmileError, OutputError


class Attempts:
    """Several steps, each of which is tried even if others fail.

    Attributes
    ----------
    errors : list of str
        The errors so far.
    """

    def __init__(self) -> None:
        self.errors: list[str] = []

    @contextmanager
    def at(self, what: str) -> Iterator[None]:
        """Try one step; note its error, with `what` it was about if needed."""
        try:
            yield
        except AirmileError as error:
            self.errors.append(error.message)
        except Exception as error:
            self.errors.append(f"{what}: {error}")

    def check(self) -> None:
        """Raise one error for all that have occurred.

        Raises
        ------
        OutputError
            At least one step has failed.
        """
        if self.errors:
            raise OutputError("; ".join(self.errors))
