"""Printing an answer in the format of `--format`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from airmile import _signals
from airmile._errors import AirmileError, UsageError
from airmile.cli import _output

if TYPE_CHECKING:
    import pyarrow as pa

Writer = Callable[[], str]


def show(
    form: str,
    *,
    table: Callable[[], pa.Table] | None = None,
    style: Callable[[str], str] | None = None,
    **writers: Writer,
) -> None:
    """Print an answer by the writer that the format names, or as a table if there is none.

    Parameters
    ----------
    form : str
        The format that was chosen.
    table : callable, optional
        Returns the table that the formats without a writer print; without `table` the only
        formats are those of the writers.
    style : callable, optional
        Colours the text on a terminal.
    **writers : callable
        Functions that return the answer as text; the keyword is the name of the format.
    """
    if form in writers:
        _output.say(writers[form](), style if form == "text" else None)
    elif table is not None:
        _write(table(), form)
    else:
        raise KeyError(form)


def _write(table: pa.Table, form: str) -> None:
    # Imported here because it loads pyarrow (40 MB), which the output of a verdict does not need.
    from airmile.render import tables

    stream = _output.binary_out(form, form in tables.BINARY)
    try:
        tables.write(table, tables.as_format(form), stream, _output.terminal_width())
    except (AirmileError, OSError, MemoryError):
        raise
    except Exception as error:
        if _signals.cause(error):
            raise
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(
            f"--format {form}: the answer cannot be written ({said}), so it is not complete",
            "take another format, or cast the column: CAST(column AS VARCHAR)",
        ) from error
