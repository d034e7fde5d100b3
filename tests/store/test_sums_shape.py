"""Sums from a damaged or foreign manifest are not read: the tables are added up instead."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile import AirmileError
from airmile.answers.verdict import _sums
from airmile.answers.verdict._judge import judge
from airmile.render import markdown
from airmile.render.text import render
from airmile.store import _manifest
from tests.support import forged
from tests.support.share import sample

Sums = dict[str, Any]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> airmile.Dataset:
    with resources.as_file(resources.files("airmile") / "demo" / "link.pcap.gz") as capture:
        return airmile.analyze(capture, out=tmp_path_factory.mktemp("shape") / "d.airmile")


def downlink(sums: Sums) -> Sums:
    rates: Sums = sums["rates"]["downlink"]
    return rates


DAMAGE: list[Callable[[Sums], object]] = [
    lambda sums: sums.clear(),
    lambda sums: sums.update(totals=3),
    lambda sums: sums["totals"].pop("flows"),
    lambda sums: sums["totals"].update(packets="many"),
    lambda sums: sums["totals"].update(packets=10**400),
    lambda sums: sums["totals"].update(start_ns=2**63),
    lambda sums: sums["totals"].update(end_ns=None),
    lambda sums: sums["totals"].update(kinds={"udp": {"flows": 1, "bytes": None}}),
    lambda sums: sums["totals"].update(kinds={"\x1b[2J": {"flows": 1, "bytes": 1}}),
    lambda sums: sums["time_ns"].update(lte_downlink="long"),
    lambda sums: sums["time_ns"].update(lte_downlink=-1),
    lambda sums: sums["time_ns"].update(no_cause=1),
    lambda sums: sums["rates"].pop("uplink"),
    lambda sums: downlink(sums).update(busy_ns=None),
    lambda sums: downlink(sums).update(bytes=None, busy_ns=1),
    lambda sums: downlink(sums).update(available_bps=1e308),
    lambda sums: downlink(sums).update(busy_ns=float("inf")),
    lambda sums: sums.update(small_calls={"calls": 1, "median_s": 1.0}),
    lambda sums: sums.update(small_calls={"calls": 1}),
    lambda sums: sums.update(small_calls={"calls": 1, "median_s": None}),
    lambda sums: sums.update(small_calls={"calls": 1, "median_s": 1.0, "more": 1}),
    lambda sums: sums.update(flows=[{"uid": 1}]),
    lambda sums: sums.update(flows=sums["flows"] * 21),
    lambda sums: sums["flows"][0].update(server=7),
    lambda sums: sums["flows"][0].update(server="\x1b]0;x\x07"),
    lambda sums: sums["flows"][0].update(ue="10.0.0.1 || frame"),
    lambda sums: sums["flows"][0].update(direction="\x1b[2J"),
    lambda sums: sums["flows"][0].update(duration_s="long"),
    lambda sums: sums["flows"][0].update(median_bytes=1e308),
    lambda sums: sums["flows"][0].update(judged_s=-1.0),
    lambda sums: sums["flows"][0]["spans"]["flow"].update(start_ns=True),
    lambda sums: sums["flows"][0]["spans"]["flow"].update(end_ns=None),
    lambda sums: sums["flows"][0]["reasons"].update(idle=[]),
    lambda sums: sums.update(judged_flows=float("nan")),
]


@pytest.mark.parametrize("damage", range(len(DAMAGE)))
def test_sums_of_another_shape_are_left(dataset: airmile.Dataset, damage: int) -> None:
    manifest = copy.deepcopy(dict(dataset.manifest))
    assert _sums.in_manifest(manifest) is not None
    DAMAGE[damage](manifest["verdict"]["sums"])
    assert _sums.in_manifest(manifest) is None


def test_the_verdict_is_then_that_of_the_tables(dataset: airmile.Dataset, tmp_path: Path) -> None:
    manifest = json.loads((dataset.path / "manifest.json").read_text())
    manifest["verdict"]["sums"]["flows"][0]["bytes"] = "many"
    damaged = with_manifest(dataset, tmp_path / "d.airmile", manifest)
    assert airmile.Dataset(damaged).verdict.to_dict() == dataset.verdict.to_dict()


def test_a_flow_that_took_no_time_has_no_rate(dataset: airmile.Dataset) -> None:
    """After a step of the clock, a slice may end at the instant at which it begins."""
    opened = airmile.open(dataset.path)
    opened.manifest["verdict"]["sums"]["flows"][0].update(judged_s=0, carried_s=None)
    assert "bps)" not in str(opened.verdict.flows[0].evidence)


VALUES = [
    *(None, -1, 0, 1.5, 1e308, 10**400, -(10**30), "", "\x1b]0;x\x07" * 1000, True),
    *([], [None], {}, {"x": None}),
]


@pytest.mark.parametrize("part", ["verdict", "others"])
def test_no_manifest_breaks_a_verdict(
    dataset: airmile.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """Each value is replaced by others, removed, or gets a neighbour."""
    shown = _sums.by_sql(dataset)
    monkeypatch.setattr(_sums, "by_sql", lambda _: shown)
    written = json.loads((dataset.path / "manifest.json").read_text())
    path = with_manifest(dataset, tmp_path / "d.airmile", written)
    for manifest in mutations(
        written, lambda place: (place[0] == "verdict") == (part == "verdict")
    ):
        forged.put(path, manifest)
        try:
            answer(airmile.open(path))
        except AirmileError:
            assert part == "others"


def answer(dataset: airmile.Dataset) -> None:
    verdict = judge(dataset)
    for text in (render(verdict), markdown.render(verdict)):
        assert "\x1b" not in text


def mutations(manifest: Sums, chosen: Callable[[tuple[Any, ...]], bool]) -> Iterator[Sums]:
    chance = random.Random(7)
    every = [place for place in places(manifest) if chosen(place)]
    for place in sample(every, few=25, what="places of a manifest with another value"):
        *_, key = place
        for value in chance.sample(VALUES, 4):
            copied, inside = found(manifest, place)
            inside[key] = value
            yield copied
        copied, inside = found(manifest, place)
        inside["neighbour"] = inside.pop(key)
        yield copied


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the path of every key; of a list only the first element is used."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, each in inner:
        if isinstance(value, dict):
            yield (*at, key)
        if isinstance(each, dict | list):
            yield from places(each, (*at, key))


def found(manifest: Sums, place: tuple[Any, ...]) -> tuple[Sums, Sums]:
    """Return a copy of a manifest, and the object in it that holds a path's last key."""
    copied = copy.deepcopy(manifest)
    inside = copied
    for key in place[:-1]:
        inside = inside[key]
    return copied, inside


def with_manifest(dataset: airmile.Dataset, path: Path, manifest: Sums) -> Path:
    path.mkdir()
    for each in dataset.path.iterdir():
        if each.name != "manifest.json":
            shutil.copytree(each, path / each.name)
    forged.put(path, manifest)
    return path


@pytest.mark.parametrize("text", ["[]", "7", "[" * 100_000, "{", '{"schema": 1' + "0" * 5000 + "}"])
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(airmile.InputError):
        airmile.open(tmp_path)


def test_the_engine_writes_what_is_published(dataset: airmile.Dataset) -> None:
    """The schema describes every key that the engine writes, and the check is the schema."""
    properties = _manifest.published()["properties"]
    assert set(dataset.manifest) == set(properties)
    assert _manifest.shape().fits(dataset.manifest)
