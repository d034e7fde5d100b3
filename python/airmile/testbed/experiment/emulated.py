"""The settings of the emulated link and of the hosts at its ends: presets with changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from airmile._errors import UsageError
from airmile.testbed.experiment import host_settings, presets, split
from airmile.testbed.experiment.checks import a_table, merge, only
from airmile.testbed.hosts import busy, phone_clock, ticks
from airmile.testbed.truth.simulation import check


def settings(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that an experiment gives the emulated link and the hosts at its ends.

    Raises
    ------
    UsageError
        A setting is unknown or wrong.
    """
    seed = _seed(table)
    network = presets.network(table.get("network", presets.STEADY), seed)
    era = presets.find(presets.ERAS, "era", table.get("era", "modern"))
    link = {**merge(network, a_table(table.get("link", {}), "link")), "seed": seed}
    hosts = merge(era, a_table(table.get("hosts", {}), "hosts"))
    only(hosts, ("server", "phone"), "hosts.")
    for place, host in hosts.items():
        more = (ticks.SETTING, *phone_clock.SETTINGS) if place == "phone" else ()
        host_settings.check(host, f"hosts.{place}", more)
    tick_ms = ticks.checked(hosts["phone"].pop(ticks.SETTING, None))
    clock = phone_clock.PhoneClock.taken_from(hosts["phone"])
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
        "phone_clock": clock,
        "busy": busy.checked(table.get("busy", 0)),
    }


def recheck(plain: Mapping[str, Any]) -> None:
    """Check the settings in the manifest of a run as if they came from a TOML file.

    Raises
    ------
    UsageError
        A setting is wrong.
    """
    for place, sysctls in plain["sysctls"].items():
        host_settings.sysctls(sysctls, f"hosts.{place}.sysctls")
    for place, route in plain["routes"].items():
        host_settings.check(route, f"hosts.{place}")
    check(dict(a_table(plain["link"], "link")))
    ticks.checked(plain.get("timestamp_tick_ms"))
    phone_clock.PhoneClock.checked(a_table(plain.get("phone_clock") or {}, "phone_clock"))
    busy.checked(plain.get("busy", 0))


def _proxy(table: Mapping[str, Any]) -> split.Settings:
    only(table, [setting.name for setting in fields(split.Settings)], "proxy.")
    return split.Settings(**table)


def _seed(table: Mapping[str, Any]) -> int:
    """Read the seed, which may also be in `[link]`."""
    link = table.get("link", {})
    seed = table.get("seed", link.get("seed", 1) if isinstance(link, Mapping) else 1)
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise UsageError(f"seed = {seed!r}", "write a whole number from 0, of 63 bits at most")
    return seed
