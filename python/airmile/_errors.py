"""The errors of airmile, each with a hint that says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class AirmileError(Exception):
    """An error that the user can resolve; as text it is the message, and the hint in a second line.

    Parameters
    ----------
    message : str
        What is wrong, and where.
    hint : str, optional
        What to do.
    """

    exit_code = 5

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or None

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # Without this, an error that comes from another process has lost its hint.
        return type(self), (self.message, self.hint), self.__dict__ or None


class UsageError(AirmileError):
    """An option, a query or a name is wrong."""

    exit_code = 2


class InputError(AirmileError):
    """No part of the input could be read."""

    exit_code = 3


class ArgumentError(UsageError, InputError):
    """A number given to a function is of another type, or out of its range."""

    exit_code = 2


class OutputError(AirmileError):
    """Output or installation failed: no space, no permission, a missing package."""

    exit_code = 5


@contextmanager
def engine_errors() -> Iterator[None]:
    """Raise the engine's exceptions as errors of airmile, which have an exit code.

    Any other exception, such as an interrupt, gets a note if the engine kept what was finished.
    """
    from airmile import _engine

    try:
        yield
    except _engine.UsageError as error:
        raise UsageError(error.message, error.hint) from None
    except _engine.InputError as error:
        raise InputError(error.message, error.hint) from None
    except _engine.OutputError as error:
        raise OutputError(error.message, error.hint) from None
    except UnicodeEncodeError as error:
        # Python represents bytes that are not UTF-8 as surrogates, which no manifest can contain.
        raise InputError(f"{error.object}: the name is not UTF-8", "rename the file") from None
    except BaseException as error:
        if said := _finished(error):
            error.add_note(said)
        raise


def kept(error: BaseException) -> str | None:
    """Return what the engine said of the dataset of what was finished before an exception."""
    return _finished(error) or "; ".join(getattr(error, "__notes__", ())) or None


def _finished(error: BaseException) -> str | None:
    """Return the sentence that names the dataset of what was finished before an exception."""
    place = getattr(error, "kept", None)
    return (
        None if place is None else f"what was finished until then is in {place} (`airmile query`)"
    )
