"""`airmile radio`: analyses the log of a modem."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import EMU, LINK, Airmile
from tests.support import diag

MODEM = EMU / "a_link_cubic" / "modem_dl.csv.gz"
BEGIN_MS = 1_700_000_000_000


def blocks() -> list[diag.Block]:
    """Make two bursts of full milliseconds, each with a small last one, on 50 PRBs."""
    return [
        diag.Block(ms, 50 if ms % 1000 < 399 else 10, 1500, harq=ms % 8)
        for start in (100, 1100)
        for ms in range(start, start + 300)
    ]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a DIAG log with an unknown version and some garbage."""
    stream = diag.stream(blocks(), BEGIN_MS)
    unknown = diag.log(diag.PDSCH_STAT, BEGIN_MS + 1400, bytes([99, 0, 0, 0]))
    (tmp_path / "phone.qmdl").write_bytes(stream + unknown * 3)
    return tmp_path / "phone.qmdl"


def test_a_diag_log_is_read(airmile: Airmile, log: Path) -> None:
    said = airmile("radio", log, "--cell-prbs", "50")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Log         phone.qmdl  diag  ")
    assert "3 records of 0xB173 version 99 not understood, skipped" in said.out
    assert "50 PRBs, as given" in said.out
    bursts = "FROM bursts WHERE estimator = 'bursttracker' ORDER BY start_ns"
    rows = csv.DictReader(
        io.StringIO(airmile("query", "phone.airmile", bursts, "--format", "csv").out)
    )
    first, second = rows
    for burst in (first, second):
        assert float(burst["throughput_time_ms"]) == 299
        assert int(burst["bytes"]) == 299 * 1500


def test_the_answer_comes_first(airmile: Airmile) -> None:
    said = airmile("radio", MODEM)
    assert (said.code, said.err) == (0, "")
    paragraphs = said.out.split("\n\n")
    assert paragraphs[0].startswith("Log         modem_dl.csv.gz  emulator+gzip")
    assert paragraphs[1].startswith("Downlink    ")
    assert "of the 10.5 s in which the phone received" in paragraphs[1]
    assert max(map(len, said.out.splitlines())) <= 100


def test_for_programs(airmile: Airmile) -> None:
    document = json.loads(airmile("radio", MODEM, "--format", "json", "-q").out)
    assert document["schema"] == 1
    (user,) = document["users"]
    assert user["busy_ratio"] > 0.9
    assert document["logs"][0]["format"] == "emulator+gzip"
    again = json.loads(airmile("radio", "modem_dl.airmile", "--format", "json").out)
    assert again == document, "a dataset gives the same answer"


def test_the_bursts_as_a_table(airmile: Airmile) -> None:
    said = airmile("radio", MODEM, "--format", "csv", "-q")
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert rows and {row["estimator"] for row in rows} >= {"bursttracker"}


def test_the_published_programs_bursts_are_shown_too(airmile: Airmile) -> None:
    said = airmile("radio", MODEM, "--compat", "online", "--format", "csv", "-q")
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert "online" in {row["estimator"] for row in rows}


def test_with_a_capture_both_speak(airmile: Airmile) -> None:
    said = airmile("radio", MODEM, "--capture", LINK)
    assert said.code == 0
    assert "\nCapture     limited by LTE downlink" in said.out
    assert "Mainly the cellular link" in said.out


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        (("radio",), 2, "LOG..."),
        (("radio", "nothing.qmdl"), 3, "nothing.qmdl"),
        (("radio", MODEM, "--cell-prbs", "many"), 2, "--cell-prbs many"),
        (("radio", "-", "--capture", "-"), 2, "standard input can be read only once"),
        (("radio", LINK), 3, "monitor.pcap.gz"),
    ],
)
def test_what_cannot_be_done_is_said(
    airmile: Airmile, words: tuple[str | Path, ...], code: int, shown: str
) -> None:
    said = airmile(*words)
    assert said.code == code
    assert shown in said.err
    assert "Traceback" not in said.err


def test_a_dataset_that_exists_is_kept(airmile: Airmile) -> None:
    assert airmile("radio", MODEM, "-q").code == 0
    said = airmile("radio", MODEM, "-q")
    assert (said.code, "modem_dl.airmile exists" in said.err) == (2, True)
    assert airmile("radio", MODEM, "-q", "--overwrite").code == 0


def test_a_dataset_without_a_log_says_so(airmile: Airmile, link: Path) -> None:
    said = airmile("radio", link)
    assert (said.code, "holds no modem log" in said.err) == (2, True)


def test_a_log_alone_has_no_verdict_of_flows(airmile: Airmile) -> None:
    airmile("radio", MODEM, "-q")
    said = airmile("modem_dl.airmile")
    assert said.code == 2
    assert "`airmile radio modem_dl.airmile` says what the modem's log shows" in said.err


def test_from_a_pipe(airmile: Airmile, log: Path) -> None:
    said = airmile("radio", "-", "--cell-prbs", "50", stdin=log.read_bytes())
    assert said.code == 0
    assert said.out.startswith("Log         standard input  diag")


def test_a_cut_log_keeps_what_came_before(airmile: Airmile, tmp_path: Path) -> None:
    whole = gzip.compress(diag.stream(blocks(), BEGIN_MS))
    (tmp_path / "cut.qmdl.gz").write_bytes(whole[: len(whole) // 2])
    said = airmile("radio", "cut.qmdl.gz", "--cell-prbs", "50")
    assert said.code == 1
    assert "Downlink    " in said.out
    assert "Input       " in said.out
