"""An answer in the format that `--format` names: the one place where formats are chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
    """Print an answer: as the writer of the format's name writes it, else as a table.

    Parameters
    ----------
    form : str
        The format that was chosen.
    table : callable, optional
        Returns the table that the other formats write; without it there are only the writers.
    style : callable, optional
        Colours the text on a terminal.
    **writers : callable
        Return the answer as text, by the name of their format.
    """
    if form in writers:
        _output.say(writers[form](), style if form == "text" else None)
    elif table is not None:
        _write(table(), form)
    else:
        raise KeyError(form)


def _write(table: pa.Table, form: str) -> None:
    # It needs pyarrow, 40 MB that a verdict does without.
    from airmile.render import tables

    stream = _output.binary_out(form, form in tables.BINARY)
    tables.write(table, tables.as_format(form), stream, _output.terminal_width())
