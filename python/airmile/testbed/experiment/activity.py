"""The workloads of an experiment, the main one and those in the background, with options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from airmile._errors import UsageError
from airmile.testbed import workloads
from airmile.testbed.experiment import options
from airmile.testbed.experiment.checks import only

MOST_BACKGROUNDS = 64
"""The most workloads in the background; each of them is a process."""


@dataclass(frozen=True)
class Background:
    """A workload that runs beside the main one: its name, options, and start in seconds."""

    name: str
    options: dict[str, Any]
    start_s: float


def check_options(workload: str, chosen: Mapping[str, Any], where: str = "workload.") -> None:
    """Raise `UsageError` for options that a workload does not have.

    Raises
    ------
    UsageError
        The workload or an option is unknown, or a value is out of range.
    """
    module = workloads.module(workload)
    only(chosen, [option.name for option in fields(module.Options)], where)
    options.check(module.Options, chosen, where)
    try:
        made = module.Options(**chosen)
    except ValueError as error:
        raise UsageError(f"{where}{error}") from None
    steps = module.parts(made) if hasattr(module, "parts") else ()
    for number, (name, inner) in enumerate(steps, 1):
        check_options(name, inner, f"{where}steps.{number}.")


def filled(workload: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a workload, with defaults for those that are left out."""
    return asdict(workloads.module(workload).Options(**chosen))


def direction(workload: str, chosen: Mapping[str, Any]) -> str:
    """Return the direction of a workload's data: `downlink` or `uplink`."""
    module = workloads.module(workload)
    up = hasattr(module, "uplink") and module.uplink(module.Options(**chosen))
    return "uplink" if up else "downlink"


def backgrounds(value: object) -> list[Background]:
    """Return the workloads that the `[[background]]` tables of an experiment describe.

    Raises
    ------
    UsageError
        A table has no name, an unknown setting, or no valid start.
    """
    if not isinstance(value, list):
        raise UsageError("background is not a list of tables", "write [[background]]")
    if len(value) > MOST_BACKGROUNDS:
        raise UsageError(
            f"there are {len(value)} [[background]] tables", f"write at most {MOST_BACKGROUNDS}"
        )
    return [_background(each) for each in value]


def _background(table: Mapping[str, Any]) -> Background:
    if not isinstance(table, Mapping) or "name" not in table:
        raise UsageError("background.name is missing", 'write name = "bulk_download"')
    chosen = {key: value for key, value in table.items() if key not in ("name", "start_s")}
    name, start = str(table["name"]), table.get("start_s", 0)
    check_options(name, chosen, "background.")
    if type(start) not in (int, float) or not 0 <= start <= 7200:
        raise UsageError(f"background.start_s = {start!r}", "write a number of seconds up to 7200")
    return Background(name, chosen, float(start))
