"""Values of parameters out of their range, at every entry: each is refused with name and range."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile import InputError, UsageError, _manifest
from airmile.cli.schema import described
from tests.cli.conftest import LINK

WRONG = [
    ("f3.tail_mw", -1060, "f3.tail_mw = -1060: out of range, 0 to 1e6 (mW)"),
    ("e2.use_c_rule", 2, "e2.use_c_rule = 2: out of range, 0 or 1 (flag)"),
    ("verdict.majority_ratio", 1.5, "verdict.majority_ratio = 1.5: out of range, 0 to 1 (ratio)"),
    ("a6.tail_s", 1e300, "a6.tail_s = 1e+300: out of range, 0 to 1e9 (s)"),
    ("a6.tail_s", math.nan, "a6.tail_s: nan is not a number"),
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
    manifest["parameters"]["f3.tail_mw"] = -1
    _manifest.put(dataset.path, manifest)
    with pytest.raises(InputError) as raised:
        airmile.open(tmp_path / "x").packets(uid)
    assert raised.value.message == f"{file}: f3.tail_mw = -1: out of range, 0 to 1e6 (mW)"


def test_every_parameter_tells_its_range() -> None:
    ranges = {each["name"]: each["range"] for each in described()["parameters"]}
    assert ranges["f3.tail_mw"] == "0 to 1e6"
    assert ranges["c4.shift"] == "0 or 1"
    assert all(ranges.values())
