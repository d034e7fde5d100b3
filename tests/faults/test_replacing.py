"""`--overwrite` never gives less for more: the old dataset stays until the new one is complete."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import airmile
from airmile._errors import InputError, OutputError, UsageError
from airmile.store import _folders, _manifest
from airmile.store._shapes import whole
from tests.faults import replacing
from tests.faults.runs import LINK, begin, debris, run
from tests.support.left.datasets import faults
from tests.support.share import WHOLE, share

EMU = LINK.parents[1]
WINDOW = EMU / "c_rwnd" / "monitor.pcap.gz"
PHONE, SERVER, MODEM = (
    LINK.with_name(f"{name}.gz") for name in ("ue.pcap", "server.pcap", "modem_dl.csv")
)

HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)


def packets(dataset: Path) -> int:
    return int(airmile.open(dataset).manifest["counts"]["packets"])


def seal(dataset: Path) -> object:
    return airmile.open(dataset).manifest[_manifest.SEAL]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a complete dataset of a plain capture, `x.pcap`, beside it."""
    (tmp_path / "x.pcap").write_bytes(gzip.decompress(LINK.read_bytes()))
    return airmile.analyze(tmp_path / "x.pcap", out=tmp_path / "x.airmile").path


def test_at_any_moment_the_old_or_the_new_one_stands(tmp_path: Path) -> None:
    count = share(few=3, whole=200, what="moments at which a run is ended")
    copies = replacing.COPIES if WHOLE else 2
    found = replacing.rounds(tmp_path, count, 1, copies)
    print(found)
    assert not found.wrong, found.wrong
    assert found.old + found.new == count


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_the_old_one_and_names_the_partial_one(
    old: Path, number: signal.Signals
) -> None:
    before = seal(old)
    for size_bytes in (60_000, 90_000):
        process = begin(old.parent, "-", "-o", old, "--overwrite", "-q", stdin=subprocess.PIPE)
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write((old.parent / "x.pcap").read_bytes()[:size_bytes])
        process.stdin.flush()
        while not debris(old.parent):
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert "x.partial.airmile" in process.stderr.read().decode()
        process.stdin.close()
        partial = airmile.open(old.with_name("x.partial.airmile"))
        # The second partial dataset replaces the first.
        assert partial.manifest["interrupted"] and packets(partial.path) > size_bytes / 200
        assert seal(old) == before


def test_a_capture_without_packets_replaces_nothing(old: Path) -> None:
    (old.parent / "empty.pcap").write_bytes(HEADER)
    before = seal(old)
    said = run(old.parent, "empty.pcap", "-o", old.name, "--overwrite")
    assert (said.code, said.out) == (3, "")
    assert "no packets" in said.err and "x.airmile stays" in said.err
    assert seal(old) == before
    assert not debris(old.parent) and not old.with_name("x.partial.airmile").exists()
    # In a place of its own it is a dataset that says so.
    assert run(old.parent, "empty.pcap").code == 3
    assert packets(old.with_name("empty.airmile")) == 0


def test_a_damaged_capture_does_not_replace_what_it_gave_before(old: Path) -> None:
    capture, before = old.parent / "x.pcap", seal(old)
    data = capture.read_bytes()
    capture.write_bytes(data[: len(data) // 2])
    said = run(old.parent, "x.pcap", "-o", old.name, "--overwrite")
    assert said.code == 1
    assert "x.airmile holds more" in said.err and "x.partial.airmile" in said.err
    assert seal(old) == before
    partial = old.with_name("x.partial.airmile")
    assert not faults(partial)
    # It replaces what holds no more than it does, and what another capture gave.
    shutil.rmtree(old)
    partial.rename(old)
    assert run(old.parent, "x.pcap", "-o", old.name, "--overwrite").code == 1
    airmile.analyze(WINDOW, out=old, overwrite=True)
    assert run(old.parent, "x.pcap", "-o", old.name, "--overwrite").code == 1
    assert not partial.exists() and packets(old) > 0


def test_a_complete_dataset_with_the_name_of_a_partial_one_stays(old: Path) -> None:
    own = old.rename(old.with_name("x.partial.airmile"))
    before = seal(own)
    with pytest.raises(OutputError, match="complete dataset"):
        airmile.analyze(old.parent / "x.pcap", out=old, overwrite=True, progress=lambda *_: False)
    assert seal(own) == before


def test_a_progress_function_that_ends_a_run_leaves_a_partial_dataset(tmp_path: Path) -> None:
    said = iter([False])

    def once(*_: object) -> bool:
        return next(said, True)

    for name, run_ in (("a", airmile.analyze), ("r", airmile.radio)):
        out = tmp_path / f"{name}.airmile"
        inputs = (LINK, WINDOW) if name == "a" else (MODEM, MODEM)
        given = run_(*inputs, out=out, progress=once)
        assert given.path == out.with_name(f"{name}.partial.airmile")
        assert given.manifest["interrupted"] and not out.exists()
        said = iter([False])


def test_an_exception_of_a_progress_function_names_what_is_kept(tmp_path: Path) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        airmile.analyze(LINK, out=tmp_path / "x.airmile", progress=fails)
    assert caught.value.kept == tmp_path / "x.partial.airmile"  # type: ignore[attr-defined]
    assert "x.partial.airmile" in caught.value.__notes__[0]


def test_an_alignment_that_was_ended_is_partial_too(tmp_path: Path) -> None:
    out = tmp_path / "a.airmile"
    assert airmile.align(PHONE, SERVER, out=out).path == out and not faults(out)
    before = seal(out)
    # These captures are small: only the two analyses that test the estimate of bandwidth call it.
    for last in (1, 2):
        answers = iter([True] * (last - 1))

        def going(*_: object, answers: Iterator[bool] = answers) -> bool:
            return next(answers, False)

        ended = airmile.align(PHONE, SERVER, out=out, overwrite=True, progress=going)
        assert ended.interrupted
        assert ended.path == tmp_path / "a.partial.airmile"
        assert seal(out) == before
    assert airmile.align(PHONE, SERVER, out=out, overwrite=True).path == out
    assert not debris(tmp_path)


def test_a_manifest_that_could_not_be_opened_replaces_nothing(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = seal(old)
    monkeypatch.setitem(_manifest._FIELDS, "memory_bytes", whole(0, 7))
    _manifest.shape.cache_clear()
    try:
        with pytest.raises(OutputError, match=r"internal error: .*memory_bytes") as caught:
            airmile.analyze(old.parent / "x.pcap", out=old, overwrite=True)
    finally:
        monkeypatch.undo()
        _manifest.shape.cache_clear()
    assert "report" in (caught.value.hint or "")
    assert seal(old) == before and not debris(old.parent)


@pytest.mark.parametrize(
    "options",
    [
        {"memory": 2**63},
        {"memory": "8388608T"},
        {"memory": "1e300"},
        {"ue_net": ["10.0.0.0/" + "0" * 70_000 + "8"]},
        {"cell_prbs": "0" * 70_000 + "50"},
        {"set": {"sessions.tail_s": float("inf")}},
        {"set": {"sessions.tail_s": float("nan")}},
        {"set": ["handshake.pep_ports=" + ",".join(["80"] * 70_000)]},
        {"profile": "x" * 70_000},
    ],
    ids=lambda options: "-".join(options),
)
def test_an_option_that_no_manifest_could_hold_is_refused(
    tmp_path: Path, options: dict[str, object]
) -> None:
    try:
        dataset = airmile.analyze(LINK, out=tmp_path / "x.airmile", **options)  # type: ignore[arg-type]
    except UsageError as error:
        assert len(error.message) < 1_000_000
        assert not list(tmp_path.iterdir())
    else:
        assert not faults(dataset.path)


def test_a_name_that_no_manifest_could_hold_is_refused(tmp_path: Path) -> None:
    for captures in ((LINK, "x" * 70_000), (LINK, "no\udcff.pcap")):
        with pytest.raises(InputError) as caught:
            airmile.analyze(*captures, out=tmp_path / "x.airmile")
        assert len(caught.value.message) < 200
    assert not list(tmp_path.iterdir())


def test_a_swap_that_was_killed_between_two_renames_is_finished_by_whoever_comes(
    old: Path,
) -> None:
    """On a file system that cannot exchange names, the old dataset is moved away first."""
    for opener in ("open", "run", "verify"):
        new = airmile.analyze(WINDOW, out=old.with_name("new.airmile"), overwrite=True).path
        held, wanted = old.with_name(".x.airmile.1.partial"), seal(new)
        held.mkdir()
        os.close(_folders.mark(held))
        old.rename(held / "old")
        new.rename(held / "swap")
        if opener == "run":
            assert run(old.parent, WINDOW, "-o", "y.airmile", "--overwrite").code == 0
        elif opener == "verify":
            assert run(old.parent, "verify", old.name).code == 0
        assert seal(old) == wanted
        assert not debris(old.parent)


@pytest.mark.parametrize(
    "wrong", [{"status": "none"}, {"warnings": [1]}, {"testbed": {"rate": float("nan")}}]
)
def test_a_manifest_of_python_that_could_not_be_opened_replaces_nothing(
    old: Path, wrong: dict[str, object]
) -> None:
    before = seal(old)
    for write in (_manifest.put, _manifest.write):
        with pytest.raises(OutputError, match="internal error") as caught:
            write(old, {**airmile.open(old).manifest, **wrong})
        assert "report" in (caught.value.hint or "")
    assert seal(old) == before
    assert not (old / _folders.HALF_MANIFEST).exists()


def test_a_capture_that_is_skipped_now_makes_each_new_dataset_a_partial_one(old: Path) -> None:
    folder = old.parent / "captures"
    folder.mkdir()
    capture = (old.parent / "x.pcap").rename(folder / "x.pcap")
    (folder / "y.pcap").write_bytes(gzip.decompress(WINDOW.read_bytes()))
    capture.write_text("no longer a capture, and long enough to be looked at")
    before = seal(old)
    for _ in range(2):
        given = airmile.analyze(folder, out=old, overwrite=True)
        assert given.path == old.with_name("x.partial.airmile")
        assert given.manifest["status"] == "partial" and given.manifest["reasons"]
        assert not faults(given.path) and seal(old) == before


def test_an_exception_has_a_note_about_what_could_not_be_put_in_its_place(old: Path) -> None:
    own = old.rename(old.with_name("x.partial.airmile"))

    def fails(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        airmile.analyze(old.parent / "x.pcap", out=old, progress=fails)
    (note,) = caught.value.__notes__
    assert f"{own}: is a complete dataset" in note and ".partial/new" in note
