"""Generates the page about the link's settings from the doc comments of their Rust types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from airmile.testbed.truth.simulation import check
from tools import rust_docs
from tools.markdown import table
from tools.rust_docs import Item

CONFIG = Path(__file__).parent.parent / "crates" / "link" / "src" / "config.rs"

HEADINGS = {
    "LinkConfig": "[link]",
    "AirConfig": "[link.downlink], [link.uplink]",
    "RateConfig": "rate",
    "SinrConfig": "rate.sinr",
    "DriveConfig": 'rate.sinr of kind "drive"',
    "CompetitorConfig": "[[link.downlink.competitors]], [[link.uplink.competitors]]",
    "TrafficConfig": "competitors.traffic",
    "QueueConfig": "queue",
    "HarqConfig": "harq",
    "GrantConfig": "grants",
    "RrcConfig": "[link.rrc]",
    "HandoverConfig": "[[link.handovers]]",
    "PathConfig": "[link.path_downlink], [link.path_uplink]",
    "PolicerConfig": "policer",
}
"""The heading for the settings of each type."""

_FILES = {
    "trace": "`file` instead names a capacity trace of mahimahi.",
    "series": "`file` instead names CSV with the columns `ms` and `db`.",
}
"""The kinds that may be read from a file (:mod:`airmile.testbed.experiment.recordings`)."""

_TYPES = {
    "u32": "whole number",
    "u64": "whole number",
    "f64": "number",
    "bool": "true or false",
    "(f64, f64)": "list of two numbers",
}

_RATE = {"kind": "constant", "mbps": 1}
_DRIVE = {"kind": "sinr", "sinr": {"kind": "drive"}}


def page(steady: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about the link, with the defaults of the network `steady`."""
    known = rust_docs.items(CONFIG)
    defaults = _defaults(steady)
    for name, heading in HEADINGS.items():
        item = known[name]
        yield from ["", f"## {heading}", "", item.doc, ""]
        if item.variants:
            yield from _kinds(item, known)
        else:
            yield from _settings(item, known, defaults[name])
        if name == "LinkConfig":
            yield from ["", 'Defaults here and below are those of `network = "steady"`.']


def _defaults(steady: Mapping[str, Any]) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the defaults of each type: two if they differ between the directions."""
    users = [{"rate": _RATE, "traffic": {"kind": "full"}}]
    more = check(
        {
            "rrc": {},
            "downlink": {"rate": _DRIVE, "competitors": users},
            "handovers": [{"at_ms": 1, "outage_ms": 1}],
            "path_downlink": {"policer": {"mbps": 1, "burst_bytes": 1500}},
        }
    )
    air = (steady["downlink"], steady["uplink"])
    needed = {"at_ms", "outage_ms", "rate", "traffic", "mbps", "burst_bytes"}

    def rest(table: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: value for key, value in table.items() if key not in needed}

    return {
        "LinkConfig": (steady,),
        "AirConfig": air,
        "DriveConfig": (more["downlink"]["rate"]["sinr"],),
        "CompetitorConfig": (rest(more["downlink"]["competitors"][0]),),
        "QueueConfig": tuple(way["queue"] for way in air),
        "HarqConfig": tuple(way["harq"] for way in air),
        "GrantConfig": (steady["uplink"]["grants"],),
        "RrcConfig": (more["rrc"],),
        "HandoverConfig": (rest(more["handovers"][0]),),
        "PolicerConfig": (rest(more["path_downlink"]["policer"]),),
        "PathConfig": (steady["path_downlink"], steady["path_uplink"]),
    }


def _settings(
    item: Item, known: Mapping[str, Item], defaults: tuple[Mapping[str, Any], ...]
) -> list[str]:
    return table(
        ["key", "type", "default", "meaning"],
        (
            [f"`{f.name}`", _kind(f.kind, known), _default(f.name, defaults), _doc(f, known)]
            for f in item.fields
        ),
    )


def _kinds(item: Item, known: Mapping[str, Item]) -> list[str]:
    """Return rows about tables that have a `kind`: one for each kind, with its keys."""
    rows = []
    for variant in item.variants:
        keys = "; ".join(
            f"`{f.name}`: {f.doc.rstrip('.')} ({_kind(f.kind, known)})" for f in variant.fields
        )
        if variant.holds:
            keys = f"see `{HEADINGS[variant.holds]}`"
        more = _FILES.get(variant.name, "")
        rows.append(
            [f'`kind = "{variant.name}"`', variant.doc, f"{keys}. {more}" if more else keys]
        )
    return table(["kind", "meaning", "keys"], rows)


def _kind(rust: str, known: Mapping[str, Item]) -> str:
    if inner := re.fullmatch(r"Vec<(.+)>", rust):
        return f"list: {_kind(inner[1], known)}"
    if inner := re.fullmatch(r"Option<(.+)>", rust):
        return f"{_kind(inner[1], known)}, or left out"
    if rust in _TYPES:
        return _TYPES[rust]
    if rust in HEADINGS:
        return "table"
    return ", ".join(f"`{variant.name}`" for variant in known[rust].variants)


def _doc(field: rust_docs.Field, known: Mapping[str, Item]) -> str:
    """Return the description of a field, and of each word that is allowed as its value."""
    words = known[field.kind].variants if field.kind not in HEADINGS and field.kind in known else ()
    return " ".join([field.doc, *(f"`{word.name}`: {word.doc}" for word in words)])


def _default(name: str, defaults: tuple[Mapping[str, Any], ...]) -> str:
    """Return the default of a field: two if directions differ, none if the key is needed."""
    if any(name not in each for each in defaults):
        return "needed"
    values = [each[name] for each in defaults]
    if any(isinstance(value, dict) and "kind" not in value for value in values):
        return "see below"
    said = [f"`{toml(value)}`" if value is not None else "none" for value in values]
    return said[0] if len(set(said)) == 1 else f"down {said[0]}, up {said[1]}"


def toml(value: Any) -> str:
    """Return a value as it is written in TOML.

    >>> toml({"kind": "constant", "mbps": 20.0})
    '{ kind = "constant", mbps = 20 }'
    """
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)
