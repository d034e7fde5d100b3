"""Values of parameters out of range are refused everywhere, with name and range."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile import InputError, UsageError
from airmile.cli.schema import described
from tests.cli.conftest import LINK
from tests.support import forged

WRONG = [
    ("energy.tail_mw", -1060, "energy.tail_mw = -1060: out of range, 0 to 1e6 (mW)"),
    ("bandwidth.use_c_rule", 2, "bandwidth.use_c_rule = 2: out of range, 0 or 1 (flag)"),
    ("verdict.majority_ratio", 1.5, "verdict.majority_ratio = 1.5: out of range, 0 to 1 (ratio)"),
    ("sessions.tail_s", 1e300, "sessions.tail_s = 1e+300: out of range, 0 to 1e9 (s)"),
    ("sessions.tail_s", math.nan, "sessions.tail_s: nan is not a number"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_a_value_out_of_range_is_refused(
    tmp_path: Path, name: str, value: float, message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        airmile.analyze(LINK, out=tmp_path / "x", set={name: value})
    assert raised.value.message == message
    assert not (tmp_path / "x").exists()


def test_a_value_in_a_manifest_is_refused_as_the_dataset_s(tmp_path: Path) -> None:
    dataset = airmile.analyze(LINK, out=tmp_path / "x")
    uid = dataset.flows["uid"][0].as_py()
    file = tmp_path / "x" / "manifest.json"
    manifest: dict[str, Any] = json.loads(file.read_text())
    manifest["parameters"]["energy.tail_mw"] = -1
    forged.put(dataset.path, manifest)
    with pytest.raises(InputError) as raised:
        airmile.open(tmp_path / "x").packets(uid)
    assert raised.value.message == f"{file}: energy.tail_mw = -1: out of range, 0 to 1e6 (mW)"


def test_every_parameter_states_its_range() -> None:
    ranges = {each["name"]: each["range"] for each in described()["parameters"]}
    assert ranges["energy.tail_mw"] == "0 to 1e6"
    assert ranges["loss_episodes.rss_shift"] == "0 or 1"
    assert all(ranges.values())


def test_a_former_name_is_still_taken_and_the_present_one_written(tmp_path: Path) -> None:
    dataset = airmile.analyze(LINK, out=tmp_path / "x", set={"a6.tail_s": 4.5})
    written = json.loads((tmp_path / "x" / "manifest.json").read_text())["parameters"]
    assert written["sessions.tail_s"] == 4.5
    assert "a6.tail_s" not in written
    assert airmile.open(dataset.path).manifest["parameters"] == written


def test_former_names_in_a_manifest_are_read_as_present_ones(tmp_path: Path) -> None:
    dataset = airmile.analyze(LINK, out=tmp_path / "x")
    manifest: dict[str, Any] = json.loads((tmp_path / "x" / "manifest.json").read_text())
    manifest["parameters"]["e2.min_send_bps"] = manifest["parameters"].pop("bandwidth.min_send_bps")
    forged.put(dataset.path, manifest)
    parameters = airmile.open(tmp_path / "x").manifest["parameters"]
    assert "e2.min_send_bps" not in parameters
    assert parameters["bandwidth.min_send_bps"] == 30e6


def test_a_list_is_set_written_and_read_by_either_name(tmp_path: Path) -> None:
    dataset = airmile.analyze(LINK, out=tmp_path / "x", set={"b1.pep_ports": [3128, 80]})
    written = json.loads((tmp_path / "x" / "manifest.json").read_text())["parameters"]
    assert written["handshake.pep_ports"] == [80, 3128]
    assert airmile.open(dataset.path).manifest["parameters"] == written
    uid = dataset.flows["uid"][0].as_py()
    assert airmile.open(dataset.path).packets(uid).num_rows > 0


def test_the_proxy_s_ports_decide_which_flows_pass_one(tmp_path: Path) -> None:
    first = airmile.analyze(LINK, out=tmp_path / "x")
    port = first.flows["server_port"][0].as_py()
    proxied = airmile.analyze(LINK, out=tmp_path / "y", set=[f"handshake.pep_ports={port}"])
    none = airmile.analyze(LINK, out=tmp_path / "z", set=["handshake.pep_ports="])
    assert set(
        proxied.sql(f"SELECT pep FROM flows WHERE server_port = {port}")["pep"].to_pylist()
    ) == {True}
    assert True not in none.flows["pep"].to_pylist()
    assert none.manifest["parameters"]["handshake.pep_ports"] == []


@pytest.mark.parametrize("wrong", ["80;81", "80,0", "http", "80,70000", [80, 0.5]])
def test_a_list_that_is_none_is_refused(tmp_path: Path, wrong: Any) -> None:
    given = (
        [f"handshake.pep_ports={wrong}"]
        if isinstance(wrong, str)
        else {"handshake.pep_ports": wrong}
    )
    with pytest.raises(UsageError, match=r"handshake\.pep_ports"):
        airmile.analyze(LINK, out=tmp_path / "x", set=given)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("wrong", [[80, "x"], [-1], [0.5], {"a": 1}, "80"])
def test_a_manifest_with_a_list_that_is_none_is_refused(tmp_path: Path, wrong: Any) -> None:
    dataset = airmile.analyze(LINK, out=tmp_path / "x")
    manifest: dict[str, Any] = json.loads((tmp_path / "x" / "manifest.json").read_text())
    manifest["parameters"]["handshake.pep_ports"] = wrong
    forged.put(dataset.path, manifest)
    with pytest.raises(InputError, match="parameters"):
        airmile.open(tmp_path / "x")
