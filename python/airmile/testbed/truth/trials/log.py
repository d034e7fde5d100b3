"""The events that the workloads of a run reported, each with its workload."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "workload.jsonl"


@dataclass(frozen=True)
class Said:
    """An event, and the workload that reported it.

    Attributes
    ----------
    event : dict
        The line of the log, as a table.
    workload : str
        The name of the workload; in a sequence, the name of the step.
    options : dict
        The options of the workload.
    """

    event: dict[str, Any]
    workload: str
    options: dict[str, Any]

    @property
    def place(self) -> tuple[int | None, int, int | None]:
        """Return the number of the background workload, of the repetition and of the step."""
        return self.event.get("background"), self.event.get("turn", 0), self.event.get("step")


def read(folder: Path, experiment: Mapping[str, Any]) -> Iterator[Said]:
    """Yield the events of a run in order, except for a line that was cut off at the end."""
    with (folder / NAME).open(encoding="utf-8") as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            yield Said(event, *_workload(experiment, event))


def _workload(
    experiment: Mapping[str, Any], event: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return the name and the options of the workload that reported an event."""
    name, options = experiment["workload"], experiment["options"]
    if number := event.get("background"):
        beside = experiment["background"][number - 1]
        name, options = beside["name"], beside["options"]
    if step := event.get("step"):
        options = options["steps"][step - 1]
        name = options["name"]
    return name, options
