"""Workloads that run one after the other, as in the trials of the papers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from airmile._errors import UsageError
from airmile.testbed.experiment.activity import direction
from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.workloads import NAMES, module
from airmile.testbed.workloads._client import Say

OWN = ("name", "pause_s")

BRIEF = {"steps": [{"name": "ping", "count": 2}, {"name": "page", "pages": 1}]}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The workloads and their order.

    Parameters
    ----------
    steps : list of table
        The steps. Each has the `name` of a workload, its options, and `pause_s`, the silence after
        it.
    repeat : int
        How often all steps are run.
    """

    steps: list[dict[str, Any]] = field(
        metadata=POSITIVE,
        default_factory=lambda: [
            {"name": "bulk_download", "bytes": 2_000_000, "pause_s": 1},
            {"name": "short_flows", "count": 2},
        ],
    )
    repeat: int = field(default=1, metadata=POSITIVE)

    def __post_init__(self) -> None:
        for number, step in enumerate(self.steps, 1):
            if step.get("name") not in set(NAMES) - {"sequence"}:
                raise ValueError(f"steps.{number}.name: write the name of another workload")
            pause_s = step.get("pause_s", 0)
            if type(pause_s) not in (int, float) or not 0 <= pause_s <= 7200:
                raise ValueError(f"steps.{number}.pause_s = {pause_s!r}: write seconds up to 7200")


def parts(options: Options) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the name and the options of each step."""
    for step in options.steps:
        yield str(step["name"]), {key: value for key, value in step.items() if key not in OWN}


def uplink(options: Options) -> bool:
    """Return whether the data of the steps goes to the server; pings do not count.

    Raises
    ------
    UsageError
        The steps send data in both directions, so that the experiment must set `direction`.
    """
    ways = {direction(name, more) for name, more in parts(options) if name != "ping"}
    if len(ways) > 1:
        raise UsageError("direction is missing: steps go both ways", 'write direction = "downlink"')
    return ways == {"uplink"}


def run(options: Options, say: Say) -> None:
    """Run the steps; each event carries the number of its step, from 1."""
    for turn in range(options.repeat):
        for number, (step, (name, more)) in enumerate(
            zip(options.steps, parts(options), strict=True), 1
        ):
            _one(name, more, number, turn, say)
            time.sleep(float(step.get("pause_s", 0)))


def _one(name: str, options: dict[str, Any], number: int, turn: int, say: Say) -> None:
    def numbered(event: str, **more: object) -> None:
        say(event, step=number, turn=turn, **more)

    chosen = module(name)
    numbered("step", workload=name)
    chosen.run(chosen.Options(**options), numbered)
