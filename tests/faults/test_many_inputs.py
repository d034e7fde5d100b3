"""Many captures at once, and folders with more than captures: nothing is lost, and nothing is left.

Folders are hostile: links lead out of them, pipes never end, and most of their files are no
captures.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from airmile import Dataset
from tests.faults.runs import LINK, Ended, Limits, is_whole, run
from tests.support import made, wire

MANY = 200
START = 1_700_000_000 * 10**9
FEW: Limits = {resource.RLIMIT_NOFILE: 64}


def _overlapping(folder: Path) -> Path:
    """Write captures of one phone at the same time, one per connection, and all of them in one."""
    merged: list[wire.Packet] = []
    (folder / "parts").mkdir()
    for number in range(MANY):
        packets = wire.exchanges(port=2000 + 10 * number, count=1, start=START + number)
        merged += packets
        _pack(folder / "parts" / f"{number}.pcap", wire.capture(packets), number % 3)
    return wire.write(folder / "merged.pcap", sorted(merged, key=lambda packet: packet[0]))


def _pack(path: Path, data: bytes, coding: int) -> None:
    zstd = pa.compress(data, codec="zstd", asbytes=True)
    path.write_bytes((data, gzip.compress(data, 1), zstd)[coding])


def _rows(dataset: Path, table: str) -> list[dict[str, object]]:
    opened = Dataset(dataset)
    told = [name for name in opened.columns(table) if not name.endswith("_frame")]
    columns = ", ".join(f'"{name}"' for name in told if name != "capture")
    rows: list[dict[str, object]] = opened.sql(f"SELECT {columns} FROM {table}").to_pylist()
    return rows


def test_more_captures_than_files_may_be_open(tmp_path: Path) -> None:
    merged = _overlapping(tmp_path)
    said = run(tmp_path, "parts", "-o", "parts.airmile", "-q", limits=FEW)
    assert (said.code, said.err) == (0, "")
    assert is_whole(tmp_path / "parts.airmile")
    manifest = json.loads((tmp_path / "parts.airmile" / "manifest.json").read_text())
    assert {each["status"] for each in manifest["inputs"]} == {"ok"}
    assert run(tmp_path, merged, "-o", "merged.airmile", "-q").code == 0
    whole = json.loads((tmp_path / "merged.airmile" / "manifest.json").read_text())
    assert manifest["counts"] == whole["counts"]
    for table in ("flows", "transfers", "slices", "http", "dns", "pings"):
        parts, one = (_rows(tmp_path / f"{name}.airmile", table) for name in ("parts", "merged"))
        assert parts == one, table


def _folder(tmp_path: Path) -> Path:
    """Write a folder with a capture, and links out of it, and what is no capture."""
    folder, outside = tmp_path / "captures", tmp_path / "outside"
    for each in (folder, outside):
        each.mkdir()
        wire.write(each / f"{each.name}.pcap", wire.exchanges())
    (folder / "all").symlink_to("/")
    (folder / "up").symlink_to("..")
    (folder / "self").symlink_to(".")
    (folder / "file").symlink_to(outside / "outside.pcap")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "gone").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    (folder / os.fsdecode(b"x\xff.txt")).write_text("junk")
    return folder


def _names(said: Ended) -> dict[str, str]:
    assert said.code == 0, said.err
    document = json.loads(said.out)
    return {Path(each["name"]).name: each["status"] for each in document["inputs"]}


def test_a_folder_is_not_left_through_links(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    found = _names(run(tmp_path, "info", folder, "--format", "json"))
    skipped = dict.fromkeys(("all", "up", "file", "zero", "gone", "pipe", "x�.txt"), "skipped")
    assert found == {"captures.pcap": "ok", **skipped}
    said = run(tmp_path, folder, "-o", "x.airmile", "-v")
    assert said.code == 0
    text = " ".join(said.out.split())
    assert "a symbolic link out of its folder, to /, was not followed" in text
    named = _names(run(tmp_path, "info", folder / "file", "--format", "json"))
    assert named == {"file": "ok"}


def test_a_folder_with_nothing_but_links_out_of_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "captures").mkdir()
    (tmp_path / "captures" / "all").symlink_to("/")
    said = run(tmp_path, "captures")
    assert said.code == 3
    assert "captures/all: a symbolic link out of its folder, to /, was not followed" in said.err
    assert "hint: name the link itself" in said.err


def test_many_files_that_are_no_captures_are_counted(tmp_path: Path) -> None:
    (tmp_path / "captures").mkdir()
    for number in range(300):
        (tmp_path / "captures" / f"{number}.txt").write_text("junk")
    wire.write(tmp_path / "captures" / "x.pcap", wire.exchanges())
    assert run(tmp_path, "captures", "-o", "x.airmile", "-q").code == 0
    manifest = json.loads((tmp_path / "x.airmile" / "manifest.json").read_text())
    assert (len(manifest["inputs"]), manifest["unlisted_inputs"]) == (101, 200)
    assert manifest["notes"][-1].startswith("200 more inputs gave no data")
    assert Dataset(tmp_path / "x.airmile").verdict.limited_by
    assert "200 more inputs gave no data" in run(tmp_path, "info", "captures").out


def test_more_runs_than_files_may_be_open(tmp_path: Path) -> None:
    runs = {f"run{number}": {"flows": [made.flow(1)]} for number in range(60)}
    made.campaign(tmp_path / "runs", **runs)
    query = ("query", "runs", "SELECT count(*) AS n FROM flows", "--format", "csv")
    said = run(tmp_path, *query, limits={resource.RLIMIT_NOFILE: 40})
    assert (said.code, said.out) == (5, "")
    assert "more open files at once" in said.err
    assert "hint: raise the limit with ulimit -n" in said.err
    soft = ["sh", "-c", f'ulimit -Sn 40 && exec "{sys.executable}" -m airmile "$@"', "airmile"]
    done = subprocess.run([*soft, *query], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "60", "only the soft limit is low"


def test_a_folder_of_modem_logs_with_other_files(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copy(LINK.with_name("modem_dl.csv.gz"), logs)
    (logs / "notes.txt").write_text("junk")
    (logs / "all").symlink_to("/")
    assert run(tmp_path, "radio", "logs", "-o", "x.airmile", "-q").code == 0
    manifest = json.loads((tmp_path / "x.airmile" / "manifest.json").read_text())
    states = {Path(each["name"]).name: each["status"] for each in manifest["modem"]}
    assert states == {"modem_dl.csv.gz": "ok", "notes.txt": "skipped", "all": "skipped"}
    assert len(manifest["notes"]) == 2
