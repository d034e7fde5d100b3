"""The page of what an experiment's file may hold, from what checks it and what it is read into."""

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
    ("description", "text", "", "What it asks; `airmile testbed list` shows it."),
    (
        "network",
        "`steady`, `lte`, `hspa`, `3g`",
        "`steady`",
        "Where the link begins; `[link]` changes parts of it.",
    ),
    (
        "era",
        "`modern`, `2012`",
        "`modern`",
        "Where the hosts begin; `[hosts.*]` changes parts of them.",
    ),
    (
        "direction",
        "`downlink`, `uplink`",
        "the workload's",
        "Of the data that is judged.",
    ),
    ("longest_s", "number", "60", "The run ends after so long, s: up to 7200."),
    ("seed", "whole number", "1", "The same seed gives the same link."),
    ("workload", "table", "`bulk_download`", "What the hosts do: `[workload]`."),
    ("background", "list of tables", "none", "What they do beside it: `[[background]]`."),
    ("link", "table", "the network's", "The emulated link: `[link]`."),
    ("hosts", "table", "the era's", "`[hosts.server]` and `[hosts.phone]`."),
    ("proxy", "table", "none", "A split-TCP proxy in the core: `[proxy]`."),
    (
        "snap_bytes",
        "whole number",
        "96",
        "Of each packet in the captures, at most: 96 are the headers, 262144 the payload too.",
    ),
    ("busy", "whole number", "0", "Programs beside the run that only keep the cores busy."),
    ("sweep", "table", "none", "Many runs from one file: `[sweep]`."),
    (
        "interface",
        "text",
        "none",
        "An interface of this machine instead of the emulated link; then `network`, `era`, "
        "`link`, `hosts`, `proxy` and `busy` are refused.",
    ),
    (
        "offloads",
        "`keep`, `off`",
        "`keep`",
        "With `interface`: segmentation and receive offloads stay, or are off for the run.",
    ),
    ("server", "table", "none", "With `interface`, needed: `[server]`."),
    ("monitor", "table", "none", "With `interface`: `[monitor]`."),
)
"""Key, type, default and meaning."""

SECTIONS: Mapping[str, tuple[tuple[str, str, str, str], ...]] = {
    "[hosts.server], [hosts.phone]": (
        (
            "congestion_control",
            "text",
            "`cubic`",
            "Of its connections, such as `bbr`; also those of the testbed: `westwood`, "
            "`cubic_restart`, `reno_rfc5681`.",
        ),
        ("initial_window", "whole number", "the kernel's, 10", "Segments, 1 to 1000."),
        ("initial_receive_window", "whole number", "the kernel's", "Segments, 1 to 1000."),
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
            "`[hosts.phone]` alone: tick of its TCP timestamps, ms, 1 to 1000.",
        ),
    ),
    "[[background]]": (
        ("name", "text", "", "A workload; needed. Its options are in the same table."),
        ("start_s", "number", "0", "When it begins, s after the main one."),
    ),
    "[sweep]": (
        (
            "seeds",
            "whole number or list",
            "the seed",
            "Every seed from 1 to this, or those of the list.",
        ),
        (
            "any setting's path",
            "list",
            "",
            'What varies: `"hosts.server.congestion_control" = ["cubic", "bbr"]`; every '
            "combination is a run.",
        ),
    ),
    "[server]": (
        ("address", "text", "", "IPv4 address at which `airmile.testbed.server` runs; needed."),
        ("port", "whole number", "80", "Its port."),
    ),
    "[monitor]": (
        ("interface", "text", "", "Where this machine sees the traffic a second time; needed."),
    ),
}
"""Tables of a file: key, type, default and meaning."""

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
    """Give the lines of the page."""
    return [
        "# An experiment's file",
        "",
        "TOML. Whatever is left out has its default, and what is not known is refused. "
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
    """Read what a numpydoc docstring says about each parameter."""
    _, _, said = cleandoc(docstring).partition("Parameters\n----------\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in said.splitlines():
        if line and not line.startswith(" "):
            names = line.partition(" : ")[0].split(", ")
        for name in names if line.startswith(" ") else ():
            found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found
