"""Subcommands on harmful datasets: none of them touches anything outside of the dataset."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import airmile
from tests.cli.conftest import EMU
from tests.store.test_any_dataset import run_verb, steering
from tests.store.test_forged_footers import LEAST, MOST, bounds
from tests.support import forged
from tests.support.share import sample

SECRET = "the secret of the canary"

SQL = "x\"'; COPY (SELECT 1) TO 'stolen.csv'; --"

VERBS = [
    *(["analyze", "{}", "--format", form] for form in ("text", "md", "json", "csv")),
    *(["analyze", "{}", "--flow", "1"], ["analyze", "{}", "--fail-if", "used_bps < 0"]),
    *(["{}", "-v", "--where", "server_port > 0"]),
    *(["flows", "{}"], ["query", "{}", "FROM flows"]),
    *(["radio", "{}"], ["verify", "{}"], ["info", "{}"], ["doctor", "{}"]),
    *(["plot", "{}", "--flow", "1", "-o", "{}/../../o.xpl"], ["study", "hwy18", "{}"]),
    *(["model", "what-if", "--from", "{}", "--draws", "10"], ["align", "{}", "{}"]),
    *(["testbed", "score", "{}"], ["testbed", "resume", "-q", "{}"]),
]

Harm = Callable[[Path, Path], Path | None]
"""A function that harms a dataset beside a file to protect; it may return a new path."""


def say(dataset: Path, **keys: Any) -> None:
    forged.write(dataset, {**json.loads((dataset / "manifest.json").read_text()), **keys})


def named(name: str) -> Harm:
    return lambda dataset, canary: dataset.rename(dataset.with_name(name))


def with_manifest(**keys: Any) -> Harm:
    return lambda dataset, canary: say(dataset, **keys)


def columns(dataset: Path, canary: Path) -> None:
    part = dataset / "flows" / "part-0.parquet"
    rows = parquet.read_table(part, partitioning=None)
    for name in (SQL, 'a"b', "share_x\x1b]0;x\x07", f"share_{SQL}", "x_ns\n", "", f"{SQL}_ns"):
        rows = rows.append_column(name, pa.array([SQL] * rows.num_rows))
    parquet.write_table(rows, part)
    say(dataset)


def no_beginning(dataset: Path, canary: Path) -> None:
    part = dataset / "flows" / "part-0.parquet"
    rows = parquet.read_table(part, partitioning=None)
    for name in ("dl_first_payload_ns", "ul_first_payload_ns"):
        place = rows.column_names.index(name)
        rows = rows.set_column(place, rows.field(name), pa.nulls(rows.num_rows, pa.int64()))
    parquet.write_table(rows, part)
    say(dataset)


def folder(dataset: Path, canary: Path) -> None:
    (dataset / SQL.replace("/", "")).mkdir()
    (dataset / "\x1b[2J\n").mkdir()
    say(dataset)


def part_is_a_link(dataset: Path, canary: Path) -> None:
    part = dataset / "slices" / "part-0.parquet"
    part.unlink()
    part.symlink_to(canary / "secret.parquet")


def table_is_a_link(dataset: Path, canary: Path) -> None:
    shutil.rmtree(dataset / "transfers")
    (dataset / "transfers").symlink_to(canary)


def run_is_a_link(dataset: Path, canary: Path) -> None:
    (dataset / "run").symlink_to(canary)
    (dataset / "manifest.json").write_text(json.dumps({"schema": 2, "runs": ["run"]}))


def lying(dataset: Path, canary: Path) -> None:
    bounds(dataset, least=MOST - 1, most=LEAST)


def listed(name: str) -> Harm:
    def harm(dataset: Path, canary: Path) -> None:
        said = json.loads((dataset / "manifest.json").read_text())
        parts = {**said["parts"], name: {"size_bytes": 1, "xxh3_128": "0" * 32}}
        forged.put(dataset, {**said, "parts": parts})

    return harm


TEXT = f"\x1b]0;x\x07\x9b2J\u202e\n{SQL}<script>"

SOURCE = {"name": TEXT, "status": "partial", "problems": [{"offset": 1, "text": TEXT}]}

HARMS: dict[str, Harm] = {
    "a name of two lines": named("a\nhint: run curl"),
    "a name with escapes": named("a\x1b]0;x\x07\x9b.airmile"),
    "a name with SQL": named(SQL.replace("/", "") + ".airmile"),
    "a name like a pattern": named("[a]*.airmile"),
    "a name like an option": named("--help.airmile"),
    "hostile text": with_manifest(inputs=[SOURCE], warnings=[TEXT], notes=[TEXT], reasons=[TEXT]),
    "wrong types": with_manifest(inputs="x", vantage=3, parameters=[]),
    "a huge number": with_manifest(first_ns=10**400),
    "a huge text": with_manifest(tool="a" * 10**6),
    "a parameter with SQL": with_manifest(parameters={SQL: 1.0}),
    "rows of a table with SQL": with_manifest(rows={SQL: 1}),
    "runs elsewhere": with_manifest(runs=["../canary"]),
    "planned runs": with_manifest(planned=[{"name": "../../stolen", TEXT: [SQL]}]),
    "a capture elsewhere": with_manifest(
        inputs=[{"name": "../canary/secret.csv", "status": "ok", "problems": []}]
    ),
    "a part elsewhere": listed("../canary/secret.parquet"),
    "a part from the root": listed("/etc/passwd"),
    "columns with SQL": columns,
    "payload without a beginning": no_beginning,
    "folders with SQL": folder,
    "lying bounds": lying,
    "a part that is a link": part_is_a_link,
    "a table that is a link": table_is_a_link,
    "a run that is a link": run_is_a_link,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset of a capture and a modem's log."""
    run = EMU / "a_link_cubic"
    out = tmp_path_factory.mktemp("whole") / "w.airmile"
    return airmile.analyze(run / "monitor.pcap.gz", modem=run / "modem_dl.csv.gz", out=out).path


@pytest.mark.parametrize("harm", sample(HARMS, few=5, what="harmful datasets"))
def test_no_verb_is_harmed(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    canary, own = tmp_path / "canary", tmp_path / "own"
    for place in (canary, own, tmp_path / "here"):
        place.mkdir()
    parquet.write_table(pa.table({"uid": [SECRET]}), canary / "secret.parquet")
    (canary / "secret.csv").write_text(SECRET)
    (canary / "manifest.json").write_text(json.dumps({"schema": 2, "tool": SECRET}))
    dataset = shutil.copytree(whole, own / "x.airmile")
    dataset = HARMS[harm](dataset, canary) or dataset
    monkeypatch.chdir(tmp_path / "here")
    before = contents(tmp_path)
    for verb in VERBS:
        code, shown = run_verb([word.replace("{}", str(dataset)) for word in verb])
        assert code in (0, 1, 2, 3), (verb, shown)
        assert SECRET not in shown, verb
        # CSV and JSON hold texts as they are.
        assert verb[-1] == "csv" or steering(shown) == [], verb
        assert not any(line.startswith("hint: run") for line in shown.splitlines()), verb
    assert contents(tmp_path) == before


def contents(root: Path) -> dict[str, bytes | None]:
    """Return every file except drawings, which are requested."""
    found = (path for path in sorted(root.rglob("*")) if path.suffix != ".xpl")
    return {str(path): path.read_bytes() if path.is_file() else None for path in found}
