"""Experiments of one file whose `[sweep]` table lists the values of some settings.

::

    [sweep]
    network = ["hspa", "lte"]
    "hosts.server.congestion_control" = ["cubic", "reno"]
    seeds = 4                  # 1 to 4; or a list of them

gives 16 experiments, from `NAME-hspa-cubic-1` to `NAME-lte-reno-4`: every combination, in the order
of the file, with the seed varying fastest. `"background.1.bytes"` is an option of the first
`[[background]]` table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from airmile._errors import UsageError
from airmile.testbed.experiment.toml_file import Experiment, parse_file, read

MOST = 2000
"""The most runs of one sweep; a larger number points to a mistake in a list."""

BUNDLED = Path(__file__).parent.parent / "experiments"
"""The folder of the experiments that come with airmile."""


def bundled() -> list[tuple[str, str, int]]:
    """Return name, description and number of runs of every experiment that comes with airmile."""
    found = []
    for file in sorted(BUNDLED.glob("*.toml")):
        table = read(file)
        size = sum(1 for _ in expand(file.stem, table))
        found.append((file.stem, str(table.get("description", "")), size))
    return found


def find(wanted: str, seeds: int | Sequence[int] | None = None) -> list[Experiment]:
    """Return the experiments that match a name.

    Parameters
    ----------
    wanted : str
        A TOML file, the name of an experiment that comes with airmile, or the name of one run of
        its sweep, in which `*` matches anything: `eff14_b-lte-*`.
    seeds : int or sequence of int, optional
        Seeds instead of those in the file: their number, counted from 1, or a list.

    Raises
    ------
    InputError
        The file cannot be read.
    UsageError
        No experiment matches, or a setting is wrong.
    """
    if wanted.endswith(".toml") or Path(wanted).is_file():
        return load_all(Path(wanted), seeds)
    file = BUNDLED / f"{wanted.partition('-')[0]}.toml"
    found = load_all(file, seeds) if file.is_file() else []
    if wanted != file.stem:
        found = [experiment for experiment in found if fnmatchcase(experiment.name, wanted)]
    if not found:
        raise UsageError(f"no experiment is called {wanted!r}", "airmile testbed list")
    return found


def load_all(file: Path, seeds: int | Sequence[int] | None = None) -> list[Experiment]:
    """Return every experiment of the sweep in a file."""
    table = read(file)
    try:
        every = list(expand(file.stem, table, seeds))
    except UsageError as error:
        raise UsageError(f"{file}: {error.message}", error.hint) from None
    return [parse_file(file, name, one) for name, one in every]


def expand(
    name: str, table: Mapping[str, Any], seeds: int | Sequence[int] | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the table of every experiment of a sweep.

    Parameters
    ----------
    name : str
        The text with which the names begin.
    table : mapping
        The table of a file, with or without `sweep`.
    seeds : int or sequence of int, optional
        Seeds instead of those in the sweep.

    Raises
    ------
    UsageError
        A value of the sweep is not a list, two runs have the same name, or there are too many.
    """
    plain = {key: value for key, value in table.items() if key != "sweep"}
    axes = _axes(table.get("sweep", {}), seeds)
    size = 1
    for _, values in axes:
        size *= len(values)
    _at_most(size)
    names = set()
    for chosen in itertools.product(*(values for _, values in axes)):
        changed = deepcopy(plain)
        for (path, _), value in zip(axes, chosen, strict=True):
            _put(changed, path, value)
        labels = [_label(value, values) for value, (_, values) in zip(chosen, axes, strict=True)]
        full = "-".join([name, *labels])
        if full in names:
            raise UsageError(
                f"sweep: two experiments are called {full}", "rename one of the values"
            )
        names.add(full)
        yield full, changed


def _axes(sweep: object, seeds: int | Sequence[int] | None) -> list[tuple[list[str], list[Any]]]:
    """Return the lists of the sweep after checking them, the seeds last: they vary fastest."""
    if not isinstance(sweep, Mapping):
        raise UsageError("sweep is not a table", "write [sweep]")
    axes = []
    for key, values in sweep.items():
        if key == "seeds":
            continue
        if not isinstance(values, list) or not values:
            raise UsageError(f"sweep.{key} = {values!r}", "write a list of values")
        _at_most(len(values))
        _distinct(key, values)
        axes.append((_path(key), values))
    wanted = sweep.get("seeds") if seeds is None else seeds
    if wanted is not None:
        axes.append((["seed"], _seeds(wanted)))
    return axes


def _at_most(size: int) -> None:
    if size > MOST:
        raise UsageError(f"sweep: {size} experiments", f"a sweep has at most {MOST}")


def _distinct(key: str, values: Sequence[object]) -> None:
    """Raise `UsageError` if two values would give their runs the same name."""
    labels = [_label(value, values) for value in values]
    if twice := [label for number, label in enumerate(labels) if label in labels[:number]]:
        raise UsageError(f"sweep.{key}: two values are called {twice[0]}", "leave out one of them")


def _seeds(wanted: object) -> list[int]:
    if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted > 0:
        _at_most(wanted)
        return list(range(1, wanted + 1))
    if isinstance(wanted, Sequence) and not isinstance(wanted, str) and wanted:
        _at_most(len(wanted))
        return list(wanted)
    raise UsageError(f"seeds = {wanted!r}", "write how many, or a list of them")


def _path(key: str) -> list[str]:
    """Return the parts of a key between its dots; the name of a sysctl stays one part."""
    before, sysctls, name = key.partition(".sysctls.")
    return [*before.split("."), *(["sysctls", name] if sysctls else [])]


def change(table: dict[str, Any], key: str, value: object) -> None:
    """Set one value in the table of an experiment, named as a key of a sweep.

    Raises
    ------
    UsageError
        A part of the key before the last one is not a table.
    """
    _put(table, _path(key), value)


def _put(table: dict[str, Any], path: list[str], value: object) -> None:
    """Set the value at `path`; a number in the path counts the tables of a list from 1."""
    *tables, last = path
    inner: Any = table
    for key in tables:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else _nth(inner, key)
        if not isinstance(inner, dict | list):
            raise UsageError(f"sweep.{'.'.join(path)}: {key} is not a table")
    inner[last] = deepcopy(value)


def _nth(tables: list[Any], key: str) -> Any:
    return tables[int(key) - 1] if key.isdigit() and 0 < int(key) <= len(tables) else None


def _label(value: object, values: Sequence[object]) -> str:
    """Return how a run's name shows a value: as itself, or by its position in the list."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value).replace("/", "_")
    return str(values.index(value) + 1)
