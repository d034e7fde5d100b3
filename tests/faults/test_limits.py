"""A machine that refuses a resource: one sentence, an exit code, and no partial dataset."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.runs import LINK, debris, is_whole, run

MIB = 1 << 20


@pytest.mark.parametrize(
    ("closing", "code"),
    [(">&-", 5), ("2>&-", 0), (">&- 2>&-", 5), ("<&-", 0), ("<&- >&- 2>&-", 5), ("2>/dev/full", 0)],
)
def test_streams_that_are_closed(tmp_path: Path, closing: str, code: int) -> None:
    command = f"'{sys.executable}' -m airmile '{LINK}' -o x.airmile {closing}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert (tmp_path / "x.airmile").exists() == (code == 0)
    if code == 5 and "2>" not in closing:
        assert done.stderr.startswith("error: standard output is closed")


def test_an_error_that_nobody_hears(tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m airmile nowhere.pcap"
    for stderr in ("2>&-", "2>/dev/full"):
        assert subprocess.run(["sh", "-c", f"{command} {stderr}"], check=False).returncode == 3


@pytest.mark.parametrize("files", [16, 8])
def test_few_file_descriptors(tmp_path: Path, files: int) -> None:
    said = run(tmp_path, LINK, "-o", "x.airmile", limits={resource.RLIMIT_NOFILE: files})
    assert (said.code, said.out) == (5, "")
    assert said.err.startswith("error: ")
    assert "ulimit -n" in said.err
    assert not (tmp_path / "x.airmile").exists()
    assert not debris(tmp_path)


def test_a_small_capture_needs_no_more_than_300_mib(tmp_path: Path) -> None:
    limits = {resource.RLIMIT_AS: 300 * MIB}
    assert run(tmp_path, LINK, "-o", "x.airmile", limits=limits).code == 0


def test_no_memory(tmp_path: Path) -> None:
    """How little memory is enough varies; below it, every failure is one sentence."""
    failed = 0
    for mib in range(80, 40, -10):
        said = run(tmp_path, LINK, "-o", f"{mib}.airmile", limits={resource.RLIMIT_AS: mib * MIB})
        failed += said.code != 0
        assert said.code in (0, 3, 5), said
        assert said.code == 0 or said.err.startswith("error: "), said
        assert (tmp_path / f"{mib}.airmile").exists() == (said.code == 0)
    assert failed


@pytest.mark.parametrize("kib", [1, 4, 12, 40])
def test_a_full_disk(tmp_path: Path, kib: int) -> None:
    said = run(tmp_path, LINK, "-o", "x.airmile", limits={resource.RLIMIT_FSIZE: kib << 10})
    assert (said.code, said.out) == (5, "")
    assert "File too large" in said.err
    assert [entry.name for entry in tmp_path.iterdir()] == []


def test_pipes_and_devices_in_a_directory_are_skipped_and_named(tmp_path: Path) -> None:
    captures = tmp_path / "captures"
    captures.mkdir()
    shutil.copy(LINK, captures)
    os.mkfifo(captures / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(captures / "socket"))
    said = run(tmp_path, "captures", "-o", "x.airmile", "-v")
    assert said.code == 0
    assert is_whole(tmp_path / "x.airmile")
    for name in ("pipe", "socket"):
        assert f"captures/{name}: a pipe, socket or device" in " ".join(said.out.split())
