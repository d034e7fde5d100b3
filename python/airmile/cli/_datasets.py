"""A dataset given instead of a capture, whose verdict is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from airmile._errors import InputError, UsageError
from airmile._words import NBSP, quoted
from airmile.cli import _exit_codes, _output, _progress
from airmile.store import _json
from airmile.verbs._analyze import default_out

if TYPE_CHECKING:
    from airmile.answers.verdict._flows import Found
    from airmile.dataset import Dataset

_OF_VERDICTS = (
    "captures",
    "logs",
    "estimator",
    "flow",
    "where",
    "fail_if",
    "form",
    "quiet",
    "verbose",
)
"""Options that do not need packets."""


def named(captures: Iterable[str]) -> Dataset | None:
    """Open the dataset that the command line names; None where it names captures.

    Raises
    ------
    UsageError
        Something else is named beside it, or an option needs the packets.
    InputError
        It cannot be read.
    """
    inputs = list(captures)
    found = next((each for each in inputs if _is_dataset(Path(each))), None)
    if found is None:
        return None
    if len(inputs) > 1:
        raise UsageError(f"{found} is a dataset", "name it alone, or captures without it")
    if option := _needs_packets(click.get_current_context()):
        raise UsageError(
            f"{found} is a dataset: {option} needs the packets",
            f"name a capture; `airmile query {quoted(found)}` answers from the tables",
        )
    import airmile

    return airmile.open(found)


@contextmanager
def opened(source: str, *, quiet: bool) -> Iterator[Dataset]:
    """Open a dataset; a capture is analysed first, and its tables are gone in the end.

    Raises
    ------
    InputError
        It cannot be read.
    """
    import airmile

    path = Path(source)
    if _is_dataset(path) or path.suffix == ".airmile":
        yield airmile.open(path)
        return
    # It is rarely needed, and takes a third of the time to start.
    from airmile.store import _scratch

    with _scratch.folder() as scratch:
        out = scratch / default_out(source).name
        with _progress.shown(not quiet) as progress:
            # The name is kept whole: the packets may be read again from another directory.
            whole = source if source == "-" else path.resolve()
            dataset = airmile.analyze(whole, out=out, progress=progress)
        yield dataset


def flow(dataset: Dataset, wanted: str, *, quiet: bool) -> Found:
    """Find the flow that `--flow` means; of several the heaviest is taken, with a note.

    Raises
    ------
    UsageError
        There is none.
    InputError
        The dataset is of captures without a packet.
    """
    from airmile.answers.verdict import _flows

    _exit_codes.need_packets(dataset)
    found = _flows.find(dataset, wanted)
    if found.choice is not None and not quiet:
        _output.note(found.choice.replace(NBSP, " "))
    return found


def _is_dataset(folder: Path) -> bool:
    """Return whether a folder is a dataset; a folder of captures may contain another manifest."""
    file = folder / "manifest.json"
    if not file.is_file():
        return False
    try:
        _, manifest = _json.read(file, "")
    except InputError:
        # What is wrong with it is reported when it is opened as what it seems to be.
        parts = (each for each in ("*/part-*.parquet", "*/manifest.json"))
        return folder.suffix == ".airmile" or any(any(folder.glob(each)) for each in parts)
    return "schema" in manifest


def _needs_packets(context: click.Context) -> str | None:
    """Return an option that was given and needs a new analysis."""
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in _OF_VERDICTS:
            return max(parameter.opts, key=len)
    return None
