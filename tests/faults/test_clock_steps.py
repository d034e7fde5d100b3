"""Captures whose clock steps: no answer precedes its request, and no time is negative.

`airmile verify` holds these invariants for every table. `make check-all` steps the clock of every
recorded capture, also of those in `AIRMILE_CORPUS`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import airmile
from airmile import InputError
from airmile.verbs._verify import verify
from tests.support import clock_steps, wire
from tests.support.share import WHOLE, share

DATA = Path(__file__).parents[1] / "data"
SEEDS = share(few=12, whole=200, what="captures whose clock is set")


def _recorded() -> Iterator[Path]:
    if not WHOLE:
        yield DATA / "emu" / "f2_loss_rto" / "monitor.pcap.gz"
        return
    yield from sorted(DATA.rglob("*.pcap.gz"))
    if "AIRMILE_CORPUS" in os.environ:
        yield from sorted((Path(os.environ["AIRMILE_CORPUS"]) / "pcap").glob("*.pcap*"))


def _faults(capture: Path) -> list[str]:
    out = capture.with_suffix(".airmile")
    try:
        dataset = airmile.analyze(capture, out=out, overwrite=True, threads=1)
    except InputError:
        # Some captures of the corpus hold nothing that can be read, whatever their clock shows.
        return []
    return [f"{Path(found.where).name}: {found.fault}" for found in verify(dataset.path)]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_exchanges_under_a_clock_that_is_set(tmp_path: Path, seed: int) -> None:
    records = [(time, packet, len(packet)) for time, packet in wire.exchanges()]
    stepped = clock_steps.stepped(records, f"exchanges {seed}")
    assert _faults(clock_steps.write(tmp_path / "x.pcap", wire.RAW_IP, stepped)) == []


@pytest.mark.parametrize("path", [*_recorded()], ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("seed", range(4 if WHOLE else 2))
def test_recorded_captures_under_a_clock_that_is_set(tmp_path: Path, path: Path, seed: int) -> None:
    found = clock_steps.read(path)
    if found is None or len(found[1]) < 2:
        return
    stepped = clock_steps.stepped(found[1], f"{path.name} {seed}")
    assert _faults(clock_steps.write(tmp_path / "x.pcap", found[0], stepped)) == []


def test_seconds_that_wrap_in_2106(tmp_path: Path) -> None:
    start = 0xFFFFFFFF * 10**9 + 700_000_000
    assert _faults(wire.write(tmp_path / "x.pcap", wire.exchanges(start=start))) == []


def test_an_answer_before_its_question_has_no_time(tmp_path: Path) -> None:
    """Every answer of the capture comes an hour before the question."""
    back = [
        (time - 3600 * 10**9 * (packet[12:16] != wire.PHONE), packet)
        for time, packet in wire.exchanges()
    ]
    dataset = airmile.analyze(wire.write(tmp_path / "x.pcap", back), out=tmp_path / "x.airmile")
    for table, said in (("dns", "answered"), ("pings", "answered"), ("http", "reason = 'clock'")):
        answer = "reply_ns" if table == "pings" else "response_ns"
        found = dataset.sql(f"SELECT {answer} AS at, {said} AS said FROM {table}").to_pylist()
        assert found == [{"at": None, "said": True}] * 3
    assert list(verify(dataset.path)) == []
