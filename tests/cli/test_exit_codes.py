"""Each exit code has one meaning, and an error says what is wrong, where, and what to do."""

from __future__ import annotations

import contextlib
import gzip
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import EMU, LINK, Airmile, on_a_terminal


def test_a_cut_capture_is_judged_up_to_the_cut(airmile: Airmile, tmp_path: Path) -> None:
    whole = gzip.decompress(LINK.read_bytes())
    (tmp_path / "cut.pcap").write_bytes(whole[: len(whole) // 2])
    said = airmile("cut.pcap")
    assert said.code == 1
    assert "Limited by" in said.out
    assert "at byte" in said.out


@pytest.mark.parametrize("content", [b"", b"no capture at all, just a line of text\n" * 10])
def test_nothing_readable(airmile: Airmile, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "junk.pcap").write_bytes(content)
    said = airmile("junk.pcap")
    assert (said.code, said.out) == (3, "")
    assert "junk.pcap" in said.err
    assert "hint:" in said.err


WITHOUT_PACKETS = gzip.decompress(LINK.read_bytes())[:24]
"""The header of a pcap file without packets."""


@pytest.mark.parametrize(
    "verb",
    [["analyze"], ["analyze", "--flow", "1"], ["info"], ["flows"], ["plot"], ["doctor"],
     ["align", str(LINK)]],
    ids=" ".join,
)  # fmt: skip
def test_a_capture_without_packets_is_nothing_readable(
    airmile: Airmile, tmp_path: Path, verb: list[str]
) -> None:
    (tmp_path / "none.pcap").write_bytes(WITHOUT_PACKETS)
    said = airmile(*verb, "none.pcap")
    assert said.code == 3, said
    assert "Traceback" not in said.err
    assert re.search("no packets|no TCP packet|0 packets", said.out + said.err)


def test_the_dataset_of_a_capture_without_packets_is_none_either(
    airmile: Airmile, tmp_path: Path
) -> None:
    assert airmile("-", stdin=WITHOUT_PACKETS).code == 3
    for verb in ("analyze", "flows", "plot"):
        assert airmile(verb, "stdin.airmile").code == 3
    (tmp_path / "none.pcap").write_bytes(WITHOUT_PACKETS)
    assert airmile("none.pcap", LINK, "-o", "both.airmile").code == 0


def test_no_such_file(airmile: Airmile) -> None:
    said = airmile("analyze", "missing.pcap")
    assert said.code == 3
    assert "missing.pcap" in said.err


@pytest.mark.parametrize(
    "words",
    [
        ["analyze"],
        ["analyze", str(LINK), "--no-such-option"],
        ["analyze", str(LINK), "--format", "xml"],
        ["analyze", str(LINK), "--vantage", "moon"],
        ["analyze", str(LINK), "--set", "no.such_parameter=1"],
        ["analyze", str(LINK), "--set", "energy.tail_mw=-1060"],
        ["analyze", str(LINK), "--cell-prbs", "0"],
        ["analyze", str(LINK), "--ue-net", "not-a-network"],
        ["schema", "no_such_table"],
    ],
)
def test_usage(airmile: Airmile, words: list[str]) -> None:
    said = airmile(*words)
    assert (said.code, said.out) == (2, "")
    assert "error: " in said.err
    assert "hint: " in said.err
    assert "Traceback" not in said.err


def test_an_environment_that_refuses(airmile: Airmile, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    said = airmile("analyze", LINK, "-o", "file/out.airmile")
    assert said.code == 5
    assert said.err.startswith("error: file")


def test_no_dataset_and_a_newer_one(airmile: Airmile, tmp_path: Path) -> None:
    assert airmile("query", "nowhere.airmile", "SELECT 1").code == 3
    (tmp_path / "new.airmile").mkdir()
    (tmp_path / "new.airmile" / "manifest.json").write_text('{"schema": 999}')
    said = airmile("query", "new.airmile", "SELECT 1")
    assert said.code == 3
    assert "schema 999" in said.err


def test_a_closed_pipe_is_quiet(link: Path) -> None:
    query = "SELECT a.start_ns FROM slices a, slices b, slices c LIMIT 500000"
    command = [sys.executable, "-m", "airmile", "query", str(link), query, "--format", "csv"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0


def test_an_interrupt_keeps_what_was_finished(tmp_path: Path) -> None:
    """Ctrl-C ends the capturing program too, and so the pipe; earlier packets make a dataset."""
    out = tmp_path / "pipe.airmile"
    command = [sys.executable, "-m", "airmile", "analyze", "-", "-o", str(out)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A test run in the background inherits an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdin is not None and process.stderr is not None
    capture = gzip.decompress(LINK.read_bytes())
    process.stdin.write(capture)
    process.stdin.flush()
    _wait_until_running(out)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(BrokenPipeError):
        # A blocked read notices the signal with the next bytes: records without the file header.
        for _ in range(8):
            process.stdin.write(capture[24:])
        process.stdin.close()
    assert process.wait(timeout=60) == 130
    assert b"interrupted" in process.stderr.read()
    import airmile

    partial = out.with_name("pipe.partial.airmile")
    assert airmile.open(partial).manifest["interrupted"] is True


def _wait_until_running(out: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(out.parent.glob("*pipe*")):
        time.sleep(0.05)
    time.sleep(0.5)


def test_colour_only_where_wanted(airmile: Airmile) -> None:
    assert "\x1b" not in airmile("demo", NO_COLOR="1").out


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_terminal_gets_colour_and_no_binary(tmp_path: Path) -> None:
    coloured = on_a_terminal(tmp_path, "demo")
    assert (coloured[0], b"\x1b[1m" in coloured[1]) == (0, True)
    refused = on_a_terminal(tmp_path, "analyze", str(LINK), "--format", "parquet")
    assert (refused[0], b"is binary" in refused[1]) == (2, True)


PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.mark.parametrize(
    "content", [b"a line of text\n" * 10, PNG, None], ids=["text", "png", "no"]
)
@pytest.mark.parametrize(
    "words", [["analyze", "x"], ["radio", "x"], ["analyze", str(LINK), "--modem", "x"]], ids=str
)
def test_a_wrong_file_is_reported_before_an_existing_output(
    airmile: Airmile, tmp_path: Path, link: Path, words: list[str], content: bytes | None
) -> None:
    shutil.copytree(link, tmp_path / "taken.airmile")
    if content is not None:
        (tmp_path / "x").write_bytes(content)
    free, taken = (airmile(*words, "-o", f"{name}.airmile") for name in ("free", "taken"))
    assert (taken.code, taken.err) == (3, free.err)
    assert taken.err.startswith("error: x: ") and "exists" not in taken.err


def test_a_place_that_is_taken_says_by_what_and_what_to_do(
    airmile: Airmile, tmp_path: Path
) -> None:
    log = EMU / "t10_sender_app" / "modem.csv.gz"
    capture = log.with_name("monitor.pcap.gz")
    shutil.copy(log, tmp_path / "phone.csv.gz")
    shutil.copy(capture, tmp_path / "phone.pcap.gz")
    assert airmile("phone.pcap.gz").code == 0
    said = airmile("radio", "phone.csv.gz", "--capture", "phone.pcap.gz")
    assert said.code == 2
    assert "phone.airmile exists: the tables of phone.pcap.gz" in said.err
    assert "print the answer of these tables: airmile phone.airmile;" in said.err
    (hint,) = re.findall("-o (.*);", said.err)
    assert airmile("radio", "phone.csv.gz", "--capture", "phone.pcap.gz", "-o", hint).code == 0
    assert "-o phone-3.airmile" in airmile("radio", "phone.csv.gz").err
    assert airmile("radio", "phone.csv.gz", "-o", "log.airmile").code == 0
    said = airmile("radio", "phone.csv.gz", "-o", "log.airmile")
    assert "log.airmile exists: the tables of phone.csv.gz\n" in said.err
    assert "the answer of these tables" not in said.err, "`airmile log.airmile` has no verdict"
