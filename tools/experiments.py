"""Generates the page about the file of an experiment, from the code that reads and checks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from inspect import cleandoc
from typing import Any

from airmile.testbed import workloads
from airmile.testbed.experiment import split
from airmile.testbed.experiment.options import bounds, bounds_text
from airmile.testbed.experiment.toml_file import parse
from tools import link_settings
from tools.markdown import table

TOP = (
    ("description", "text", "", "What the experiment shows; `airmile testbed list` prints it."),
    (
        "network",
        "`steady`, `lte`, `hspa`, `3g`",
        "`steady`",
        "The preset of the link; `[link]` changes parts of it.",
    ),
    (
        "era",
        "`modern`, `2012`",
        "`modern`",
        "The preset of the hosts; `[hosts.*]` changes parts of it.",
    ),
    (
        "direction",
        "`downlink`, `uplink`",
        "the workload's",
        "The direction of the examined data.",
    ),
    ("longest_s", "number", "60", "The run ends after this time in seconds; at most 7200."),
    ("seed", "whole number", "1", "The same seed gives the same link."),
    ("workload", "table", "`bulk_download`", "The main workload of the hosts: `[workload]`."),
    ("background", "list of tables", "none", "Workloads beside the main one: `[[background]]`."),
    ("link", "table", "the network's", "The emulated link: `[link]`."),
    ("hosts", "table", "the era's", "`[hosts.server]` and `[hosts.phone]`."),
    ("proxy", "table", "none", "A split-TCP proxy in the core: `[proxy]`."),
    (
        "snap_bytes",
        "whole number",
        "96",
        "Bytes that captures keep of each packet: 96 for headers, 262144 for payload too.",
    ),
    (
        "busy",
        "whole number",
        "0",
        "Number of programs that only keep the cores busy during the run.",
    ),
    ("sweep", "table", "none", "Many runs from one file: `[sweep]`."),
    (
        "interface",
        "text",
        "none",
        "A real interface that replaces the emulated link; then `network`, `era`, "
        "`link`, `hosts`, `proxy` and `busy` are refused.",
    ),
    (
        "offloads",
        "`keep`, `off`",
        "`keep`",
        "With `interface`: keep segmentation and receive offloads, or turn them off for the run.",
    ),
    ("server", "table", "none", "The server; needed with `interface`: `[server]`."),
    ("monitor", "table", "none", "A second capture, with `interface`: `[monitor]`."),
)
"""The keys at the top of the file: name, type, default and meaning."""

SECTIONS: Mapping[str, tuple[tuple[str, str, str, str], ...]] = {
    "[hosts.server], [hosts.phone]": (
        (
            "congestion_control",
            "text",
            "`cubic`",
            "Congestion control of its connections, such as `bbr`; also those of the testbed: "
            "`westwood`, `cubic_restart`, `reno_rfc5681`.",
        ),
        (
            "initial_window",
            "whole number",
            "the kernel's, 10",
            "Initial congestion window: 1 to 1000 segments.",
        ),
        (
            "initial_receive_window",
            "whole number",
            "the kernel's",
            "Initial receive window: 1 to 1000 segments.",
        ),
        (
            "sysctls",
            "table",
            "the era's",
            'Settings of its kernel below `net`: `"net.ipv4.tcp_sack" = 0`.',
        ),
        (
            "timestamp_tick_ms",
            "number",
            "the kernel's, 1; era `2012`: 10",
            "Only in `[hosts.phone]`: tick of its TCP timestamps in ms, 1 to 1000.",
        ),
        (
            "clock_fast_ppm",
            "number",
            "0",
            "Only in `[hosts.phone]`: how fast its clock is, in parts per million, -500 to 500. "
            "Its TCP timestamps and the times of its capture follow.",
        ),
        (
            "clock_step_ms",
            "number",
            "0",
            "Only in `[hosts.phone]`: by how much its clock is set forward, in ms; the times of "
            "its capture follow.",
        ),
        (
            "clock_step_at_s",
            "number",
            "0",
            "Only in `[hosts.phone]`: the second of the run at which its clock is set.",
        ),
    ),
    "[[background]]": (
        ("name", "text", "", "Name of a workload; needed. Its options are in the same table."),
        ("start_s", "number", "0", "Seconds after the main workload at which it begins."),
    ),
    "[sweep]": (
        (
            "seeds",
            "whole number or list",
            "the seed",
            "Every seed from 1 to this number, or the seeds in the list.",
        ),
        (
            "any setting's path",
            "list",
            "",
            'Values of the setting: `"hosts.server.congestion_control" = ["cubic", "bbr"]`; '
            "every combination is a run.",
        ),
    ),
    "[server]": (
        ("address", "text", "", "IPv4 address at which `airmile.testbed.server` runs; needed."),
        ("port", "whole number", "80", "Its port."),
    ),
    "[monitor]": (
        ("interface", "text", "", "The interface at which a second capture is taken; needed."),
    ),
}
"""The tables of the file: key, type, default and meaning."""

_HEADER = ["key", "type", "default", "meaning"]

_TYPES = {
    "int": "whole number",
    "float": "number",
    "bool": "true or false",
    "str": "text",
    "list[int]": "list of whole numbers",
    "list[float]": "list of numbers",
    "list[str]": "list of text",
    "list[tuple[int, float]]": "list of pairs of numbers",
    "list[dict[str, Any]]": "list of tables",
}


def page() -> list[str]:
    """Yield the lines of the page."""
    return [
        "# An experiment's file",
        "",
        "The file is TOML. A missing key has its default; an unknown key is an error. "
        "`airmile testbed show NAME` prints an experiment with every setting filled in; the guide "
        "is [the testbed](../guide/testbed.md).",
        "",
        "## At the top",
        "",
        *_rows(TOP),
        *_workloads(),
        *link_settings.page(parse("x", {}).link),
        *_sections(),
        "",
        "## [proxy]",
        "",
        *table(_HEADER, _options(split.Settings)),
    ]


def _sections() -> Iterator[str]:
    for name, rows in SECTIONS.items():
        yield from ["", f"## {name}", "", *_rows(rows)]


def _rows(rows: tuple[tuple[str, str, str, str], ...]) -> list[str]:
    return table(_HEADER, ([f"`{key}`" if " " not in key else key, *rest] for key, *rest in rows))


def _workloads() -> Iterator[str]:
    yield from ["", "## [workload]", "", "`name` says which; these are the options of each."]
    for name in workloads.NAMES:
        module = workloads.module(name)
        about = (module.__doc__ or "").split("\n\n")[0]
        yield from ["", f"### {name}", "", " ".join(about.split()), ""]
        yield from table(_HEADER, _options(module.Options))


def _options(options: Any) -> Iterator[list[str]]:
    said = parameters(options.__doc__ or "")
    for option in fields(options):
        kind = _TYPES[str(option.type)]
        if "number" in kind and "parts" not in option.metadata:
            kind += f" ({bounds_text(bounds(option))})"
        yield [f"`{option.name}`", kind, f"`{_default(option)}`", said[option.name]]


def _default(option: Field[Any]) -> str:
    made = option.default_factory
    value = option.default if made is MISSING else made()
    return link_settings.toml(value) if not isinstance(value, str) else json.dumps(value)


def parameters(docstring: str) -> dict[str, str]:
    """Return what a numpydoc docstring says about each parameter."""
    _, _, said = cleandoc(docstring).partition("Parameters\n----------\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in said.splitlines():
        if line and not line.startswith(" "):
            names = line.partition(" : ")[0].split(", ")
        for name in names if line.startswith(" ") else ():
            found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found
