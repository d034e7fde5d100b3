"""An experiment as a TOML file, read and checked before anything is made.

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

import difflib
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from airmile._errors import InputError, UsageError
from airmile.testbed import interface, presets, split, ticks, workloads
from airmile.testbed.simulation import check

KNOWN = (
    "description",
    "network",
    "era",
    "direction",
    "longest_s",
    "seed",
    "workload",
    "background",
    "link",
    "hosts",
    "proxy",
    *interface.KEYS,
)
HOST_KNOWN = ("congestion_control", "initial_window", "initial_receive_window", "sysctls")


@dataclass(frozen=True)
class Background:
    """A workload beside the main one: its name, its options, and when it begins."""

    name: str
    options: dict[str, Any]
    start_s: float


@dataclass(frozen=True)
class Experiment:
    """One experiment, whole and checked.

    Attributes
    ----------
    name : str
        Of its file.
    description : str
        What it asks.
    direction : str
        Of the data that is judged: `downlink` or `uplink`.
    longest_s : float
        The run ends after so long.
    link : dict
        Every setting of the link.
    routes, sysctls : dict
        Per place (`server`, `phone`, and `core` where a proxy is).
    workload : str
        Its name.
    options : dict
        Its options.
    proxy : split.Settings or None
        Of the split-TCP proxy in the core, where there is one.
    background : list of Background
        Stopped when the workload ends.
    timestamp_tick_ms : int or None
        Of the phone's TCP timestamps, where it is not its kernel's.
    interface : interface.Interface or None
        What takes the link's place; there are no settings of a link or of hosts then.
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
    timestamp_tick_ms: int | None = None
    interface: interface.Interface | None = None

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Experiment:
        """Give an experiment back that was written down as plain values."""
        proxy, real = plain.get("proxy"), plain.get("interface")
        settings = {
            **plain,
            "proxy": split.Settings(**proxy) if proxy else None,
            "background": [Background(**each) for each in plain.get("background", [])],
            "interface": interface.Interface(**real) if real else None,
        }
        return cls(**settings)

    @property
    def sender(self) -> str:
        """Place whose sockets send the data over the radio."""
        if self.direction == "uplink":
            return "phone"
        return "server" if self.proxy is None else "core"


def load(path: str | Path) -> Experiment:
    """Read a file that means one experiment.

    Parameters
    ----------
    path : str or Path
        A TOML file.

    Raises
    ------
    InputError
        It cannot be read, or is no TOML.
    UsageError
        A setting is unknown or wrong; the message says which, and what is known.
    """
    file = Path(path)
    table = read(file)
    if "sweep" in table:
        raise UsageError(f"{file}: a sweep, not one experiment", "airmile.testbed.load_all")
    return parse_file(file, file.stem, table)


def read(file: Path) -> dict[str, Any]:
    """Read the table of a file.

    Raises
    ------
    InputError
        It cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(file.read_text())
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}", "airmile testbed list") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from None


def parse_file(file: Path, name: str, table: Mapping[str, Any]) -> Experiment:
    """Check a table; what is wrong with it is said of the file."""
    try:
        return parse(name, table)
    except UsageError as error:
        raise UsageError(f"{file}: {error.message}", error.hint) from None


def parse(name: str, table: Mapping[str, Any]) -> Experiment:
    """Check the table of an experiment and fill in what it leaves out."""
    _only(table, KNOWN, "")
    chosen = dict(table.get("workload", {}))
    workload = str(chosen.pop("name", "bulk_download"))
    _check_options(workload, chosen)
    direction = table.get("direction", _direction(workload, chosen))
    if direction not in ("downlink", "uplink"):
        raise UsageError(f"direction = {direction!r}", "downlink or uplink")
    real = interface.parse(table)
    return Experiment(
        name=name,
        description=str(table.get("description", "")),
        direction=direction,
        longest_s=_seconds(table.get("longest_s", 60)),
        workload=workload,
        options=chosen,
        background=[_background(each) for each in _tables(table.get("background", []))],
        interface=real,
        **({"link": {}, "routes": {}, "sysctls": {}} if real else _emulated(table)),
    )


def _emulated(table: Mapping[str, Any]) -> dict[str, Any]:
    """Give what shapes the emulated link and the hosts at its ends."""
    seed = _seed(table)
    network = presets.network(table.get("network", presets.STEADY), seed)
    era = presets.find(presets.ERAS, "era", table.get("era", "modern"))
    link = {**_merge(network, table.get("link", {})), "seed": seed}
    hosts = _merge(era, table.get("hosts", {}))
    _only(hosts, ("server", "phone"), "hosts.")
    for place, settings in hosts.items():
        known = (*HOST_KNOWN, ticks.SETTING) if place == "phone" else HOST_KNOWN
        _only(settings, known, f"hosts.{place}.")
    tick_ms = ticks.checked(hosts["phone"].pop(ticks.SETTING, None))
    routes = {p: {k: v for k, v in s.items() if k != "sysctls"} for p, s in hosts.items()}
    sysctls = {p: dict(s.get("sysctls", {})) for p, s in hosts.items()}
    halfway = _proxy(table["proxy"]) if "proxy" in table else None
    if halfway:
        routes["core"] = halfway.route()
        sysctls["core"] = halfway.sysctls(sysctls["server"])
    return {
        "link": check(link),
        "routes": routes,
        "sysctls": sysctls,
        "proxy": halfway,
        "timestamp_tick_ms": tick_ms,
    }


def _check_options(workload: str, chosen: Mapping[str, Any], where: str = "workload.") -> None:
    options = workloads.module(workload).Options
    _only(chosen, [option.name for option in fields(options)], where)
    try:
        options(**chosen)
    except ValueError as error:
        raise UsageError(f"{where}{error}") from None


def _direction(workload: str, chosen: Mapping[str, Any]) -> str:
    """Tell which way the data of a workload goes."""
    module = workloads.module(workload)
    if hasattr(module, "uplink"):
        return "uplink" if module.uplink(module.Options(**chosen)) else "downlink"
    return "uplink" if "upload" in workload else "downlink"


def _tables(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise UsageError("background is a list of tables", "write [[background]]")
    return value


def _background(table: Mapping[str, Any]) -> Background:
    if not isinstance(table, Mapping) or "name" not in table:
        raise UsageError("background.name is missing", 'write name = "bulk_download"')
    options = {key: value for key, value in table.items() if key not in ("name", "start_s")}
    name, start = str(table["name"]), table.get("start_s", 0)
    _check_options(name, options, "background.")
    if not isinstance(start, int | float) or not 0 <= start <= 7200:
        raise UsageError(f"background.start_s = {start!r}", "a number of seconds up to 7200")
    return Background(name, options, float(start))


def _proxy(table: Mapping[str, Any]) -> split.Settings:
    _only(table, [setting.name for setting in fields(split.Settings)], "proxy.")
    return split.Settings(**table)


def _only(table: Mapping[str, Any], known: tuple[str, ...] | list[str], where: str) -> None:
    """Refuse what is not known, with the nearest that is."""
    if not isinstance(table, Mapping):
        raise UsageError(f"{where.rstrip('.')} is a table", f"write [{where.rstrip('.')}]")
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {where}{near[0]}?" if near else "known: " + ", ".join(known)
            raise UsageError(f"{where}{key} is not known", hint)


def _merge(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Lay `change` over `base`; what has a `kind` is one thing, and replaced whole."""
    merged = deepcopy(dict(base))
    for key, value in change.items():
        before = merged.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping) and "kind" not in value:
            merged[key] = _merge(before, value)
        else:
            merged[key] = deepcopy(value)
    return merged


def _seed(table: Mapping[str, Any]) -> int:
    """Find the seed where it may stand: `[link]` has one too."""
    link = table.get("link", {})
    seed = table.get("seed", link.get("seed", 1) if isinstance(link, Mapping) else 1)
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise UsageError(f"seed = {seed!r}", "a whole number from 0")
    return seed


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or not 0 < value <= 7200:
        raise UsageError(f"longest_s = {value!r}", "a number of seconds up to 7200")
    return float(value)
