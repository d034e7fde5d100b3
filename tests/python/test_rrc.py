"""Steps of RRC messages from what a whole decoder says of them."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from airmile import OutputError, rrc


def lte(name: str, **parts: Any) -> dict[str, Any]:
    content = {"criticalExtensions": ("c1", (f"{name}-r8", parts))}
    return {"message": ("c1", (name, content))}


def nr(name: str, **parts: Any) -> dict[str, Any]:
    return {"message": ("c1", (name, {"criticalExtensions": (name, parts)}))}


def moved(**mobility: Any) -> dict[str, Any]:
    return lte("rrcConnectionReconfiguration", measConfig={}, mobilityControlInfo=mobility)


def told(
    monkeypatch: pytest.MonkeyPatch, value: dict[str, Any], channel: str, is_nr: bool = False
) -> tuple[str, int | None, int | None]:
    monkeypatch.setattr(rrc, "_decoder", lambda nr, channel: lambda message: value)
    [step] = rrc.steps([(5, 1, is_nr, channel, 100, 1800, b"")])
    assert (step.time_ns, step.user, step.cell, step.earfcn, step.nr) == (5, 1, 100, 1800, is_nr)
    return step.step, step.target_cell, step.target_earfcn


def test_an_order_names_its_target(monkeypatch: pytest.MonkeyPatch) -> None:
    order = moved(targetPhysCellId=7)
    assert told(monkeypatch, order, "DL-DCCH") == ("command", 7, None)
    order = moved(targetPhysCellId=7, carrierFreq={"dl-CarrierFreq": 6300})
    assert told(monkeypatch, order, "DL-DCCH") == ("command", 7, 6300)


def test_an_earfcn_above_65535_stands_in_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    frequency = {"dl-CarrierFreq": 65535}
    order = moved(targetPhysCellId=7, carrierFreq=frequency)
    assert told(monkeypatch, order, "DL-DCCH") == ("command", 7, None)
    extended = {"carrierFreq-v9e0": {"dl-CarrierFreq-v9e0": 66486}}
    order = moved(targetPhysCellId=7, carrierFreq=frequency, **extended)
    assert told(monkeypatch, order, "DL-DCCH") == ("command", 7, 66486)


@pytest.mark.parametrize(
    ("name", "channel", "step"),
    [
        ("rrcConnectionReconfiguration", "DL-DCCH", "seen"),
        ("rrcConnectionReconfigurationComplete", "UL-DCCH", "complete"),
        ("rrcConnectionReestablishmentRequest", "UL-CCCH", "reestablishment"),
        ("rrcConnectionRequest", "UL-CCCH", "connection"),
        ("rrcConnectionRelease", "DL-DCCH", "release"),
        ("measurementReport", "UL-DCCH", "seen"),
    ],
)
def test_other_steps(monkeypatch: pytest.MonkeyPatch, name: str, channel: str, step: str) -> None:
    assert told(monkeypatch, lte(name), channel) == (step, None, None)


def test_5g_moves_its_primary_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    common = {
        "physCellId": 31,
        "downlinkConfigCommon": {"frequencyInfoDL": {"absoluteFrequencySSB": 504990}},
    }
    special = {"reconfigurationWithSync": {"spCellConfigCommon": common}}
    group = ("CellGroupConfig", {"spCellConfig": special})
    order = nr("rrcReconfiguration", nonCriticalExtension={"masterCellGroup": group})
    assert told(monkeypatch, order, "DL-DCCH", is_nr=True) == ("command", 31, 504990)


def test_a_secondary_5g_cell_is_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    order = nr("rrcReconfiguration", secondaryCellGroup=b"")
    assert told(monkeypatch, order, "DL-DCCH", is_nr=True) == ("seen", None, None)


def test_what_cannot_be_decoded_is_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, {}, "DL-DCCH") == ("seen", None, None)


def test_broadcast_and_what_lte_carries_are_no_steps() -> None:
    channels = ("BCCH-BCH", "PCCH", "RRCReconfiguration")
    assert list(rrc.steps((0, 1, True, channel, 1, 1, b"") for channel in channels)) == []


def test_without_pycrate_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycrate_asn1dir", None)
    with pytest.raises(OutputError) as error:
        list(rrc.steps([(0, 1, False, "DL-DCCH", 1, 1, b"")]))
    assert error.value.hint == "pip install 'airmile[rrc]'"
