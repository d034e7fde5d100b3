"""The packets of several flows, read again together, are those of each flow read alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile import _engine
from airmile._errors import InputError, UsageError
from airmile.answers import _packets
from tests.support.passes import counted

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> am.Dataset:
    capture = next(iter(sorted(DATA.glob("everyday/*page*/*.pcap.gz"))))
    return am.analyze(capture, out=tmp_path_factory.mktemp("packets") / "x.airmile")


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Return the flows of each pass over the capture."""
    return counted(monkeypatch)


def uids(dataset: am.Dataset) -> list[int]:
    rows = dataset.arrow("SELECT uid FROM flows WHERE protocol = 'tcp' ORDER BY end_ns DESC")
    found: list[int] = rows["uid"].to_pylist()
    assert len(found) >= 3
    return found


def test_one_pass_gives_each_flow_as_if_it_were_read_alone(
    dataset: am.Dataset, passes: list[list[int]]
) -> None:
    wanted = uids(dataset)
    together = list(dataset.packets_of([*wanted, wanted[0]]))
    assert passes == [wanted]
    assert [uid for uid, _ in together] == wanted
    assert all(table.equals(dataset.packets(uid), check_metadata=True) for uid, table in together)
    assert list(dataset.packets_of([])) == []


@pytest.mark.parametrize("at_once", [1, 50, 500])
def test_more_packets_than_fit_take_more_passes(
    at_once: int, dataset: am.Dataset, passes: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = uids(dataset)
    whole = dict(dataset.packets_of(wanted))
    passes.clear()
    monkeypatch.setattr(_packets, "PACKETS_AT_ONCE", at_once)
    found = dict(dataset.packets_of(wanted))
    assert [uid for group in passes for uid in group] == wanted
    assert all(_fits(group, whole, at_once) for group in passes)
    assert found.keys() == whole.keys()
    assert all(found[uid].equals(whole[uid]) for uid in wanted)


def _fits(group: Sequence[int], whole: dict[int, Any], at_once: int) -> bool:
    return len(group) == 1 or sum(whole[uid].num_rows for uid in group) <= at_once


def test_a_flow_that_is_none_of_tcp_is_refused_before_the_capture_is_read(
    dataset: am.Dataset, passes: list[list[int]]
) -> None:
    wanted = uids(dataset)
    with pytest.raises(UsageError, match="has no flow 7"):
        list(dataset.packets_of([wanted[0], 7]))
    assert passes == []


def test_a_flow_that_the_capture_lacks_is_named(
    dataset: am.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = uids(dataset)
    trace = _engine.trace

    def without(inputs: list[str], uids: list[int], options: Any) -> dict[int, Any]:
        return {uid: found for uid, found in trace(inputs, uids, options).items() if uid != lost}

    lost = wanted[1]
    monkeypatch.setattr(_engine, "trace", without)
    packets = dataset.packets_of(wanted)
    assert next(packets)[0] == wanted[0]
    with pytest.raises(InputError, match=f"flow {lost} .* is not in the capture"):
        next(packets)
