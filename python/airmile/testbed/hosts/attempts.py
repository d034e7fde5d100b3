"""Steps of clearing up: each is tried, and the errors of all are raised together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airmile._errors import AirmileError, OutputError


class Attempts:
    """Steps that are all tried, even if some of them fail.

    Attributes
    ----------
    errors : list of str
        The errors of the steps so far.
    """

    def __init__(self) -> None:
        self.errors: list[str] = []

    @contextmanager
    def at(self, what: str) -> Iterator[None]:
        """Try the block as one step; keep its error, with the name `what` of the step."""
        try:
            yield
        except AirmileError as error:
            self.errors.append(error.message)
        except Exception as error:
            self.errors.append(f"{what}: {error}")

    def check(self) -> None:
        """Raise one error for all steps that have failed.

        Raises
        ------
        OutputError
            At least one step has failed.
        """
        if self.errors:
            raise OutputError("; ".join(self.errors))
