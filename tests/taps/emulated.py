"""The experiments of ``tests/data/emu``, with a link of each seed, to be recorded at three taps."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.recorded.runs import Run

DEVELOPMENT, HELD_OUT = (2,), (3,)
"""Seeds. The odd one is held out: only its scores are looked at."""

_EXPERIMENTS = Path(__file__).parent.parent / "data" / "emu"


def runs(seed: int) -> Iterator[Run]:
    """Give every run of a seed."""
    for file in sorted(_EXPERIMENTS.glob("*/*.toml")):
        table = tomllib.loads(file.read_text())
        link = table.get("link", {})
        table["link"] = {**link, "seed": link.get("seed", 0) + 1000 * seed}
        kind = file.stem.partition("_")[2].replace("_", " ")
        yield Run(f"emu_{file.stem}-s{seed}", kind, seed, table)
