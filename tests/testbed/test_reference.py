"""The reference of an experiment's settings is complete and equals what is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from airmile.cli import run as cli_run
from airmile.testbed import workloads
from airmile.testbed.experiment import host_settings, interface, split
from airmile.testbed.experiment.toml_file import KNOWN
from airmile.testbed.hosts import phone_clock, ticks
from airmile.testbed.scoring.cause import FITS
from airmile.testbed.truth.labels import UNKNOWN
from airmile.testbed.truth.simulation import check
from tools import experiments, link_settings, rust_docs

PAGE = "\n".join(experiments.page())

WHOLE = check(
    {
        "rrc": {},
        "downlink": {
            "rate": {"kind": "sinr", "sinr": {"kind": "drive"}},
            "competitors": [
                {"rate": {"kind": "constant", "mbps": 1}, "traffic": {"kind": "poisson", "mbps": 1}}
            ],
        },
        "handovers": [{"at_ms": 1, "outage_ms": 1}],
    }
)


def section(heading: str) -> str:
    """Give the part of the page below a heading."""
    found = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def keys(value: Any) -> Iterator[str]:
    """Give every key of a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_every_key_at_the_top_is_described() -> None:
    shown = {row[0] for row in experiments.TOP}
    assert shown == {*KNOWN, "sweep"}


@pytest.mark.parametrize("name", workloads.NAMES)
def test_every_option_of_a_workload_is_described(name: str) -> None:
    rows = [line.split(" | ") for line in section(name).splitlines() if line.startswith("| `")]
    options = [option.name for option in fields(workloads.module(name).Options)]
    assert [row[0].strip("| `") for row in rows] == options
    assert all(row[-1].strip(" |") for row in rows), "each says what it means"


def test_every_setting_of_the_link_is_described() -> None:
    assert {key for key in keys(WHOLE) if f"`{key}" not in PAGE} == set()


def test_every_type_of_the_link_has_a_place() -> None:
    known = rust_docs.items(link_settings.CONFIG)
    words = {name for name, item in known.items() if item.variants} - set(link_settings.HEADINGS)
    shown = {*link_settings.HEADINGS, *words, "ConfigError"}
    assert shown == set(known)
    assert words == {"Policy", "Sharing", "Discipline"}, "described beside their setting"


def test_settings_of_hosts_and_of_a_real_interface_are_described() -> None:
    hosts = experiments.SECTIONS["[hosts.server], [hosts.phone]"]
    known = {*host_settings._KNOWN, ticks.SETTING, *phone_clock.SETTINGS}
    assert {row[0] for row in hosts} == known
    for name, inner in interface._INNER.items():
        assert tuple(row[0] for row in experiments.SECTIONS[f"[{name}]"]) == inner
    for setting in fields(split.Settings):
        assert f"| `{setting.name}` |" in section("[proxy]")


def test_defaults_are_those_of_the_network_that_none_names() -> None:
    assert "| `air_ms` | number | `6` |" in section("[link.downlink], [link.uplink]")
    assert "| `bytes` | whole number | down `2000000`, up `300000` |" in section("queue")


def test_the_guide_explains_every_label() -> None:
    guide = (link_settings.CONFIG.parents[3] / "docs" / "guide" / "testbed.md").read_text()
    assert all(f"| `{label}` " in guide for label in (*FITS, UNKNOWN))


def test_show_fills_in_what_the_workloads_leave_out(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.toml"
    file.write_text('[workload]\nname = "page"\n[[background]]\nname = "ping"\ncount = 5\n')
    assert cli_run(["testbed", "show", str(file)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["options"]["objects"] == 30
    assert shown["background"][0]["options"] == {"count": 5, "gap_s": 1, "bytes": 56}
