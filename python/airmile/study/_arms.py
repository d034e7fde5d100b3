"""The arms of an experiment's runs, which a figure of traffic shows apart.

Runs repeat an arm with other seeds, and are named after it: ``cubic-1``, ``cubic-2``, ``bbr-1``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from airmile._errors import UsageError
from airmile.store import Tables, _runs

if TYPE_CHECKING:
    from airmile.study._source import Source

Group: TypeAlias = Callable[[str], str]
"""A function that returns what the runs to be shown together have in common, from a run's name."""

_NETWORK = re.compile(r"(?:^|-)(3g|3\.5g|hspa|4g|lte)(?:-|$)")


class Part(NamedTuple):
    """The runs of a dataset that are shown together.

    `label` is that of the dataset, and `arm` the name of the runs; it is empty for all of them.
    """

    label: str
    arm: str
    source: Source


def arm_of(run: str) -> str:
    """Return the arm of a run: its name without the seed.

    >>> arm_of("cubic-1"), arm_of("3.5g-C-12"), arm_of("t06_window")
    ('cubic', '3.5g-C', 't06_window')
    """
    return re.sub(r"-\d+$", "", run)


def network_of(run: str) -> str:
    """Return the network of a run of EFF14's experiments; its arms of one network belong together.

    >>> network_of("eff14_c-hspa-cubic-1"), network_of("4g-B-2"), network_of("t06_window")
    ('hspa', '4g', '')
    """
    found = _NETWORK.search(run)
    return found[1] if found else ""


def parts(sources: Mapping[str, Source], group: Group | None) -> dict[str, Part]:
    """Return the sources by label, those of several groups of runs as a part for each group.

    Parameters
    ----------
    sources : mapping of str to Source
        The datasets by label.
    group : callable or None
        What is shown together; with None each source is one part.
    """
    found: dict[str, Part] = {}
    for label, source in sources.items():
        groups = _groups(source, group) if group is not None else {}
        if len(groups) < 2:
            found[label] = Part(label, "", source)
            continue
        for name, own in groups.items():
            shown = name or "other runs"
            shown = shown if len(sources) == 1 else f"{label}: {shown}"
            found[shown] = Part(label, name, own)
    return found


def _groups(source: Source, group: Group) -> dict[str, Tables]:
    """Return the runs of each group as a dataset; nothing for a source without runs."""
    if not isinstance(source, Tables) or source.manifest.get("runs") is None:
        return {}
    names: dict[str, list[str]] = {}
    for run in _names(source):
        names.setdefault(group(run), []).append(run)
    if len(names) < 2:
        return {}
    return {name: Tables(source.path, runs=runs) for name, runs in names.items()}


def only(dataset: Tables, arm: str) -> Tables:
    """Return the runs of one arm, or of one network of EFF14.

    Raises
    ------
    UsageError
        The dataset has no such runs.
    """
    runs = _names(dataset) if dataset.manifest.get("runs") is not None else []
    chosen = [run for run in runs if arm in (arm_of(run), network_of(run))]
    if not chosen:
        arms = ", ".join(dict.fromkeys(map(arm_of, runs))) or "no runs"
        raise UsageError(f"{dataset.path}: no runs of an arm {arm!r}", f"it has {arms}")
    return Tables(dataset.path, runs=chosen)


def _names(dataset: Tables) -> list[str]:
    return list(_runs.folders(dataset.path, dataset.manifest))
