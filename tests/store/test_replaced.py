"""A dataset that is replaced while it is open: one analysis, or one error that says so."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import airmile
from airmile._errors import InputError
from airmile.store._identity import ReplacedError

EMU = Path(__file__).parents[1] / "data" / "emu"
LINK = EMU / "a_link_cubic" / "monitor.pcap.gz"
WINDOW = EMU / "c_rwnd" / "monitor.pcap.gz"

READS: dict[str, Callable[[airmile.Dataset], object]] = {
    "verdict": lambda dataset: dataset.verdict,
    "table": lambda dataset: dataset.flows,
    "sql": lambda dataset: dataset.sql("FROM flows"),
    "where": lambda dataset: dataset.where("uid > 0"),
    "packets": lambda dataset: list(dataset.packets_of([1])),
    "columns": lambda dataset: dataset.columns("slices"),
}


@pytest.fixture
def opened(tmp_path: Path) -> airmile.Dataset:
    return airmile.analyze(LINK, out=tmp_path / "x.airmile")


def replace(dataset: airmile.Dataset) -> None:
    airmile.analyze(WINDOW, out=dataset.path, overwrite=True)


@pytest.mark.parametrize("name", READS)
def test_what_was_not_read_before_is_one_error(opened: airmile.Dataset, name: str) -> None:
    replace(opened)
    with pytest.raises(ReplacedError, match="another analysis replaced it after it was opened"):
        READS[name](opened)


@pytest.mark.parametrize("first", ["verdict", "sql", "table"])
def test_what_was_read_before_stays_and_the_rest_is_one_error(
    opened: airmile.Dataset, first: str
) -> None:
    READS[first](opened)
    before = str(opened.verdict) if first == "verdict" else ""
    replace(opened)
    if before:
        assert str(opened.verdict) == before
    for read in (READS["table"], READS["sql"]):
        with pytest.raises(ReplacedError) as caught:
            read(opened)
        assert "open it again" in (caught.value.hint or "")
    assert airmile.open(opened.path).verdict.limited_by == "receive_window"


def test_the_same_analysis_again_is_no_other(opened: airmile.Dataset) -> None:
    airmile.analyze(LINK, out=opened.path, overwrite=True)
    assert opened.flows.num_rows == opened.sql("FROM flows").num_rows
    assert opened.verdict.limited_by == "lte_downlink"


def test_a_dataset_that_was_removed_is_said_to_be(opened: airmile.Dataset) -> None:
    shutil.rmtree(opened.path)
    with pytest.raises(InputError, match="moved or removed after it was opened"):
        opened.sql("FROM flows")


@pytest.mark.parametrize("other", [False, True], ids=["nothing there", "another dataset there"])
@pytest.mark.parametrize("name", sorted(set(READS) - {"packets"}))
def test_a_dataset_stays_the_same_in_another_current_folder(
    opened: airmile.Dataset, monkeypatch: pytest.MonkeyPatch, name: str, other: bool
) -> None:
    monkeypatch.chdir(opened.path.parent)
    relative = airmile.open(opened.path.name)
    elsewhere = opened.path.parent / "elsewhere"
    elsewhere.mkdir()
    if other:
        airmile.analyze(WINDOW, out=elsewhere / opened.path.name)
    monkeypatch.chdir(elsewhere)
    assert READS[name](relative)
    assert relative.where("uid > 0").flows == opened.flows
    assert relative.packets(opened.flows["uid"][0].as_py()).num_rows > 0
    assert relative.verdict.limited_by == "lte_downlink"


def test_what_fails_while_the_same_analysis_runs_again_was_replaced(
    opened: airmile.Dataset,
) -> None:
    """Between the two, the folder may have held another analysis, whose tables were read."""
    manifest = opened.path / "manifest.json"
    again = manifest.with_name("again.json")
    again.write_bytes(manifest.read_bytes())
    with pytest.raises(ReplacedError), opened.held():
        again.replace(manifest)
        raise ValueError("half of a table")


def test_readers_beside_a_run_that_replaces_again_and_again(opened: airmile.Dataset) -> None:
    """Each reader sees one of the two analyses, or is told that it was replaced."""
    going = True

    def replacing() -> None:
        while going:
            for capture in (WINDOW, LINK):
                airmile.analyze(capture, out=opened.path, overwrite=True, threads=1)

    writer = threading.Thread(target=replacing)
    writer.start()
    seen = set()
    try:
        for _ in range(30):
            dataset = airmile.open(opened.path)
            try:
                rows = dataset.sql("SELECT dl_payload_bytes FROM flows").to_pylist()
                verdict = dataset.verdict.limited_by
                assert dataset.rows("flows") == dataset.flows.num_rows == len(rows)
            except ReplacedError:
                continue
            seen.add((verdict, rows[0]["dl_payload_bytes"]))
    finally:
        going = False
        writer.join()
    assert {verdict for verdict, _ in seen} <= {"lte_downlink", "receive_window"}
    assert len(seen) <= 2


@pytest.mark.parametrize(
    "words",
    [("query", "x.airmile", "FROM flows"), ("study", "lte13", "x.airmile", "--figure", "fig2")],
)
def test_a_command_whose_dataset_is_replaced_ends_with_one_sentence(
    opened: airmile.Dataset, words: tuple[str, ...]
) -> None:
    script = f"""
import sys
import airmile
from airmile.store import _identity
settled = _identity.settled
def late(read):
    found = settled(read)
    _identity.settled = settled
    airmile.analyze({str(WINDOW)!r}, out="x.airmile", overwrite=True)
    return found
_identity.settled = late
from airmile.__main__ import main
sys.argv = ["airmile", *{words!r}]
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=opened.path.parent, capture_output=True, text=True
    )
    assert done.returncode == 3
    assert "another analysis replaced it" in done.stderr and "Traceback" not in done.stderr
    assert not done.stdout
