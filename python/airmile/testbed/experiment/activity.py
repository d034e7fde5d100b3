"""What the hosts of an experiment do: the options of its workloads, and those in the background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from airmile._errors import UsageError
from airmile.testbed import workloads
from airmile.testbed.experiment import options
from airmile.testbed.experiment.checks import only

MOST_BACKGROUNDS = 64
"""The most workloads in the background; each is a process."""


@dataclass(frozen=True)
class Background:
    """A workload beside the main one: its name, its options, and its start in seconds."""

    name: str
    options: dict[str, Any]
    start_s: float


def check_options(workload: str, chosen: Mapping[str, Any], where: str = "workload.") -> None:
    """Refuse options that a workload does not have.

    Raises
    ------
    UsageError
        The workload or an option is not known, or a value makes no sense.
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
    """Give the options of a workload, with defaults for those that are left out."""
    return asdict(workloads.module(workload).Options(**chosen))


def direction(workload: str, chosen: Mapping[str, Any]) -> str:
    """Give the direction of a workload's data: `downlink` or `uplink`."""
    module = workloads.module(workload)
    up = hasattr(module, "uplink") and module.uplink(module.Options(**chosen))
    return "uplink" if up else "downlink"


def backgrounds(value: object) -> list[Background]:
    """Read the list of `[[background]]`.

    Raises
    ------
    UsageError
        One has no name, a setting that is not known, or no time to begin at.
    """
    if not isinstance(value, list):
        raise UsageError("background is a list of tables", "write [[background]]")
    if len(value) > MOST_BACKGROUNDS:
        raise UsageError(f"background has {len(value)} items", f"at most {MOST_BACKGROUNDS}")
    return [_background(each) for each in value]


def _background(table: Mapping[str, Any]) -> Background:
    if not isinstance(table, Mapping) or "name" not in table:
        raise UsageError("background.name is missing", 'write name = "bulk_download"')
    chosen = {key: value for key, value in table.items() if key not in ("name", "start_s")}
    name, start = str(table["name"]), table.get("start_s", 0)
    check_options(name, chosen, "background.")
    if type(start) not in (int, float) or not 0 <= start <= 7200:
        raise UsageError(f"background.start_s = {start!r}", "a number of seconds up to 7200")
    return Background(name, chosen, float(start))
