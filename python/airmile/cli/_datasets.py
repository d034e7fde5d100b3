"""A dataset in the place of a capture: its verdict is there already."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from airmile._errors import UsageError

if TYPE_CHECKING:
    from airmile.dataset import Dataset

_OF_VERDICTS = ("captures", "logs", "estimator", "where", "fail_if", "form", "quiet", "verbose")
"""Parameters that need no packets."""


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
            f"name a capture; `airmile query {found}` answers from the tables",
        )
    import airmile

    return airmile.open(found)


def _is_dataset(folder: Path) -> bool:
    """Tell a dataset from a folder of captures, in which others may keep a manifest of theirs."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except OSError:
        return False
    except ValueError:
        return folder.suffix == ".airmile"
    return isinstance(manifest, dict) and "schema" in manifest


def _needs_packets(context: click.Context) -> str | None:
    """Find an option that was given and means a fresh analysis."""
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in _OF_VERDICTS:
            return max(parameter.opts, key=len)
    return None
