"""Reads an experiment from a TOML file and checks it before a run makes anything.

::

    description = "Bulk download over a fading link"
    network = "lte"            # a preset of the link, drawn by the seed; [link] changes parts
    era = "modern"             # a preset of the hosts; [hosts.*] changes parts of them

    [workload]
    name = "bulk_download"
    bytes = 10_000_000

    [link.downlink]
    prbs = 50
    rate = { kind = "sinr", sinr = { kind = "ar1", mean_db = 12, sigma_db = 4, tau_ms = 300 } }
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airmile._errors import InputError, UsageError
from airmile.testbed.experiment import emulated, interface, split
from airmile.testbed.experiment.activity import Background, backgrounds, check_options, direction
from airmile.testbed.experiment.checks import a_table, bounded, only
from airmile.testbed.experiment.recordings import resolved
from airmile.testbed.hosts.phone_clock import PhoneClock
from airmile.testbed.record import captures

KNOWN = (
    "description",
    "network",
    "era",
    "direction",
    "longest_s",
    "snap_bytes",
    "seed",
    "workload",
    "background",
    "link",
    "hosts",
    "proxy",
    *interface.KEYS,
    "busy",
)


MOST_FILE_BYTES = 1_000_000
"""The largest TOML file of an experiment, in bytes; recordings beside it do not count."""

MOST_NAME_BYTES = 200
"""The longest name of an experiment, in bytes; it becomes the name of a folder."""


@dataclass(frozen=True)
class Experiment:
    """One experiment, checked and with all defaults filled in.

    Attributes
    ----------
    name : str
        The name of the experiment's file.
    description : str
        What the experiment shows, in a sentence.
    direction : str
        The direction of the data whose limits are examined: `downlink` or `uplink`.
    longest_s : float
        The time in seconds after which the run ends at the latest.
    link : dict
        Every setting of the link.
    routes, sysctls : dict
        The settings of routes and sysctls, by host: `server`, `phone`, and `core` with a proxy.
    workload : str
        The name of the main workload.
    options : dict
        The options of the main workload.
    proxy : split.Settings or None
        The settings of the split-TCP proxy in the core; None without a proxy.
    background : list of Background
        Workloads beside the main one, which are stopped when the main one ends.
    timestamp_tick_ms : float or None
        The tick of the phone's TCP timestamps in ms; None for that of the kernel.
    phone_clock : PhoneClock or None
        The clock of the phone; None for that of the other hosts.
    interface : interface.Interface or None
        The real interface that replaces the emulated link and its hosts.
    busy : int
        The number of programs that only keep the cores busy during the run.
    snap_bytes : int
        The number of bytes that the captures keep of each packet.
    """

    name: str
    description: str
    direction: str
    longest_s: float
    link: dict[str, Any]
    routes: dict[str, dict[str, Any]]
    sysctls: dict[str, dict[str, Any]]
    workload: str
    options: dict[str, Any]
    proxy: split.Settings | None = None
    background: list[Background] = field(default_factory=list)
    timestamp_tick_ms: float | None = None
    phone_clock: PhoneClock | None = None
    interface: interface.Interface | None = None
    busy: int = 0
    snap_bytes: int = captures.SNAP_BYTES

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Experiment:
        """Return the experiment whose settings are in the manifest of a run.

        Raises
        ------
        UsageError
            The manifest has been changed to settings that no TOML file may have.
        """
        _recheck(plain)
        proxy, real = plain.get("proxy"), plain.get("interface")
        clock = plain.get("phone_clock")
        settings = {
            **plain,
            "proxy": split.Settings(**proxy) if proxy else None,
            "background": [Background(**each) for each in plain.get("background", [])],
            "interface": interface.Interface(**real) if real else None,
            "phone_clock": PhoneClock(**clock) if clock else None,
        }
        return cls(**settings)

    @property
    def sender(self) -> str:
        """Return the host whose sockets send the data over the radio."""
        if self.direction == "uplink":
            return "phone"
        return "server" if self.proxy is None else "core"


def load(path: str | Path) -> Experiment:
    """Return the experiment in a file that has no sweep.

    Parameters
    ----------
    path : str or Path
        A TOML file.

    Raises
    ------
    InputError
        The file cannot be read, or is not TOML.
    UsageError
        A setting is unknown or wrong; the message names it and the known ones.
    """
    file = Path(path)
    table = read(file)
    if "sweep" in table:
        raise UsageError(
            f"{file} contains a sweep, not one experiment", "read it with airmile.testbed.load_all"
        )
    return parse_file(file, file.stem, table)


def read(file: Path) -> dict[str, Any]:
    """Return the table of a TOML file, with the contents of the recordings that it names.

    Raises
    ------
    InputError
        The file cannot be read, or is not TOML.
    UsageError
        The file names a recording in another folder, or has values that no setting can have.
    """
    try:
        table = tomllib.loads(_text(file))
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}", "airmile testbed list") from None
    except RecursionError:
        raise InputError(f"{file}: brackets are nested too deeply") from None
    except ValueError as error:
        # The file is not TOML or not text, or has a number of thousands of digits.
        raise InputError(f"{file}: {error}") from None
    try:
        bounded(table)
        found: dict[str, Any] = resolved(table, file.parent)
    except UsageError as error:
        raise UsageError(f"{file}: {error.message}", error.hint) from None
    return found


def _text(file: Path) -> str:
    with file.open("rb") as content:
        read = content.read(MOST_FILE_BYTES + 1)
    if len(read) > MOST_FILE_BYTES:
        raise InputError(f"{file}: more than {MOST_FILE_BYTES} bytes", "is it an experiment?")
    return read.decode()


def parse_file(file: Path, name: str, table: Mapping[str, Any]) -> Experiment:
    """Check the table of a file; errors name the file."""
    try:
        return parse(name, table)
    except UsageError as error:
        raise UsageError(f"{file}: {error.message}", error.hint) from None


def _recheck(plain: Mapping[str, Any]) -> None:
    """Check settings as if they came from a TOML file: a manifest may have been changed by hand."""
    bounded(plain)
    check_name(plain["name"])
    if plain.get("interface"):
        interface.recheck(plain["interface"])
    else:
        emulated.recheck(plain)
    check_options(plain["workload"], plain["options"])
    beside = plain.get("background", [])
    backgrounds([{**b["options"], "name": b["name"], "start_s": b["start_s"]} for b in beside])
    _direction(plain["direction"])
    _seconds(plain["longest_s"])
    captures.checked(plain.get("snap_bytes", captures.SNAP_BYTES))


def check_name(name: object) -> None:
    """Raise `UsageError` for a name that cannot be the name of a folder.

    Raises
    ------
    UsageError
        The name contains a path, or is too long.
    """
    plain = isinstance(name, str) and name.isprintable() and "/" not in name
    if not isinstance(name, str) or not plain or name in ("", ".", ".."):
        raise UsageError(f"no experiment can be called {name!r}", "write a name without a folder")
    if len(os.fsencode(name)) > MOST_NAME_BYTES:
        raise UsageError(f"a run's name has {len(name)} letters", "shorten what the sweep varies")


def parse(name: str, table: Mapping[str, Any]) -> Experiment:
    """Return the experiment that a table describes, checked and with all defaults filled in."""
    check_name(name)
    only(table, KNOWN, "")
    chosen = dict(a_table(table.get("workload", {}), "workload"))
    workload = str(chosen.pop("name", "bulk_download"))
    check_options(workload, chosen)
    way = table["direction"] if "direction" in table else direction(workload, chosen)
    _direction(way)
    real = interface.parse(table)
    return Experiment(
        name=name,
        description=str(table.get("description", "")),
        direction=way,
        longest_s=_seconds(table.get("longest_s", 60)),
        workload=workload,
        options=chosen,
        background=backgrounds(table.get("background", [])),
        interface=real,
        snap_bytes=captures.checked(table.get("snap_bytes", captures.SNAP_BYTES)),
        **({"link": {}, "routes": {}, "sysctls": {}} if real else emulated.settings(table)),
    )


def _direction(value: object) -> None:
    if value not in ("downlink", "uplink"):
        raise UsageError(f"direction = {value!r}", "write downlink or uplink")


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 < value <= 7200:
        raise UsageError(f"longest_s = {value!r}", "write a number of seconds up to 7200")
    return float(value)
