"""The runs of a set, by kind and seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

Table = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One run of a set.

    Attributes
    ----------
    name : str
        Its kind, variant and seed.
    kind : str
        The row of the table to which it belongs.
    seed : int
        The seed of all that is drawn.
    experiment : dict
        The experiment, as in its file.
    """

    name: str
    kind: str
    seed: int
    experiment: Table


def run_of(kind: str, variant: str, seed: int, link: Table, workload: Table, **more: Any) -> Run:
    """Give a run of a minute at the most; `more` are further keys of its experiment."""
    table = {
        "description": f"{kind}, {variant}",
        "longest_s": 60,
        "seed": seed,
        "link": link,
        "workload": workload,
        **more,
    }
    return Run(f"{kind.replace(' ', '_')}-{variant}-s{seed}", kind, seed, table)


def drawn(seed: int, *names: object) -> random.Random:
    """Give a random generator that is the same for the same seed and names."""
    return random.Random(f"{seed}-{'-'.join(map(str, names))}")
