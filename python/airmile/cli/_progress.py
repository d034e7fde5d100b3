"""Progress of an analysis on standard error: bytes, rate, time left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from airmile._words import printable

Report = Callable[[int, int | None, int], None]


@contextmanager
def shown(wanted: bool) -> Iterator[Report | None]:
    """Yield the progress callback for the engine; None if progress is not wanted or visible."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    bar = Progress(
        TextColumn("reading"), BarColumn(), DownloadColumn(), TransferSpeedColumn(),
        TimeRemainingColumn(), console=Console(stderr=True), transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total, _: bar.update(task, completed=done, total=total)


@contextmanager
def steps(wanted: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the current step, in one line that is overwritten."""
    if not wanted or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(escape(printable(text)))
