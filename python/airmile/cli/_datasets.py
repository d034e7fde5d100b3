"""Opening the input of a subcommand: a dataset, or a capture that is analysed first."""

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
"""Options of `analyze` and `radio` that also work on a dataset, without the packets."""


def named(captures: Iterable[str]) -> Dataset | None:
    """Open the dataset that the command line names; return None if it names captures.

    Raises
    ------
    UsageError
        The command line names another input beside the dataset, or an option that needs the
        packets.
    InputError
        The dataset cannot be read.
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
    """Open a dataset, or analyse a capture into temporary tables that are removed at the end.

    Raises
    ------
    InputError
        The dataset or the capture cannot be read.
    """
    import airmile

    path = Path(source)
    if _is_dataset(path) or path.suffix == ".airmile":
        yield airmile.open(path)
        return
    # Imported here because it is rarely needed and takes a third of the start-up time.
    from airmile.store import _scratch

    with _scratch.folder() as scratch:
        out = scratch / default_out(source).name
        with _progress.shown(not quiet) as progress:
            # The path is made absolute: the packets may be read again from another directory.
            whole = source if source == "-" else path.resolve()
            dataset = airmile.analyze(whole, out=out, progress=progress)
        yield dataset


def flow(dataset: Dataset, wanted: str, *, quiet: bool) -> Found:
    """Find the flow that `--flow` names; if several match, take the heaviest and print a note.

    Raises
    ------
    UsageError
        No flow matches.
    InputError
        The captures of the dataset hold no packet.
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
        # A folder that looks like a dataset counts as one: opening it reports what is wrong.
        parts = (each for each in ("*/part-*.parquet", "*/manifest.json"))
        return folder.suffix == ".airmile" or any(any(folder.glob(each)) for each in parts)
    return "schema" in manifest


def _needs_packets(context: click.Context) -> str | None:
    """Return the name of a given option that needs a new analysis; None if there is none."""
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in _OF_VERDICTS:
            return max(parameter.opts, key=len)
    return None
