"""A manifest with the right digest and shape, but with missing or impossible contents."""

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
from airmile import InputError
from airmile.cli import run as cli_run
from airmile.store import _sums_limits
from airmile.verbs._verify import verify
from tests.cli.conftest import EMU
from tests.support import forged

Edit = Callable[[dict[str, Any]], object]

NEWER = (
    *("tool", "version", "samples", "parameters", "profile", "cell_prbs", "first_ns", "last_ns"),
    *("counts", "rows", "modem", "radio", "verdict"),
)
"""Keys that some versions did not write."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset of a capture and a modem's log."""
    run = EMU / "a_link_cubic"
    out = tmp_path_factory.mktemp("whole") / "w.airmile"
    return airmile.analyze(run / "monitor.pcap.gz", modem=run / "modem_dl.csv.gz", out=out).path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """Return a copy to change."""
    return shutil.copytree(whole, tmp_path / "copy.airmile")


def say(dataset: Path, edit: Edit) -> Path:
    manifest = json.loads((dataset / "manifest.json").read_text())
    edit(manifest)
    forged.write(dataset, manifest)
    return dataset


def without(*keys: str) -> Edit:
    return lambda manifest: [manifest.pop(key, None) for key in keys]


def replace(dataset: Path, table: str, edit: Callable[[pa.Table], pa.Table]) -> Path:
    """Replace a table and seal the dataset again."""
    part = dataset / table / "part-0.parquet"
    parquet.write_table(edit(parquet.read_table(part, partitioning=None)), part)
    return say(dataset, lambda manifest: None)


LACKS: dict[str, Edit] = {
    "no verdict": without("verdict"),
    "a verdict that is none": lambda manifest: manifest.update(verdict=3),
    "a verdict without sums": lambda manifest: manifest["verdict"].update(sums=None),
    "sums of another shape": lambda manifest: manifest["verdict"]["sums"].pop("totals"),
    "no numbers of rows": without("rows"),
    "no number of a table's rows": lambda manifest: manifest["rows"].pop("flows"),
}


@pytest.mark.parametrize("edit", LACKS.values(), ids=LACKS)
def test_what_the_manifest_does_not_say_is_named(copy: Path, edit: Edit) -> None:
    faults = [finding.fault for finding in verify(say(copy, edit))]
    assert faults
    assert all("verdict: missing" in fault or "no number of them" in fault for fault in faults)


def test_sums_that_the_engine_left_out_are_no_fault(copy: Path) -> None:
    left_out = {"schema": _sums_limits.SCHEMA, "reason": "too many flows", "sums": None}
    say(copy, lambda manifest: manifest.update(verdict=left_out))
    assert list(verify(copy)) == []


def test_each_run_of_a_campaign_is_verified(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b", "c"):
        shutil.copytree(whole, tmp_path / name)
    part = tmp_path / "a" / "slices" / "part-0.parquet"
    part.write_bytes(part.read_bytes()[:-1])
    (tmp_path / "b" / "manifest.json").write_text("{")
    say(tmp_path / "c", without("verdict"))
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 2, "runs": ["a", "b", "c"]}))
    assert cli_run(["verify", str(tmp_path)]) == 1
    said = capsys.readouterr().out.splitlines()
    for words, line in zip(
        (("/a/", "bytes"), ("/b", "JSON"), ("/c/", "verdict")), said, strict=True
    ):
        assert all(word in line for word in words)


def test_columns_that_nobody_declared_are_left_alone(copy: Path) -> None:
    def add(rows: pa.Table) -> pa.Table:
        text = pa.array(["x"] * rows.num_rows)
        for name in ('x" OR y_ns', "words_ns", "share_words"):
            rows = rows.append_column(name, text)
        return rows

    assert list(verify(replace(copy, "flows", add))) == []


def no_flows(dataset: Path) -> None:
    """Keep only the tables that the log of a modem gives."""
    for folder in [each for each in dataset.iterdir() if each.is_dir()]:
        if folder.name not in ("ttis", "bursts"):
            shutil.rmtree(folder)
    say(dataset, without("vantage", "inputs", "verdict", "parameters", "ue_nets", "interrupted"))


@pytest.mark.parametrize(
    "verb", [["analyze"], ["flows"], ["radio"], ["verify"], ["analyze", "--flow", "1"]]
)
def test_a_run_without_flows_may_come_first(
    whole: Path, tmp_path: Path, verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        shutil.copytree(whole, tmp_path / name)
    no_flows(tmp_path / "a")
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 2, "runs": ["a", "b"]}))
    assert cli_run([*verb, str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


def draw(dataset: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = cli_run(["plot", str(dataset), "--flow", "1", "-o", str(dataset.parent / "o.xpl")])
    return code, capsys.readouterr().err


def test_packets_of_a_run_without_a_vantage_before_it(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        shutil.copytree(whole, tmp_path / name)
    no_flows(tmp_path / "a")
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 2, "runs": ["a", "b"]}))
    assert draw(tmp_path, capsys) == (0, "")


def test_packets_of_a_dataset_of_an_older_airmile(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say(copy, without(*NEWER))
    say(copy, lambda manifest: [source.pop("size_bytes") for source in manifest["inputs"]])
    assert draw(copy, capsys) == (0, "")


def test_a_capture_behind_a_link_in_the_dataset_is_not_read(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / "capture.pcap.gz").symlink_to(EMU / "a_link_cubic" / "monitor.pcap.gz")
    say(copy, lambda manifest: manifest["inputs"][0].update(name="capture.pcap.gz"))
    code, said = draw(copy, capsys)
    assert code == 3
    assert "a symbolic link" in said


@pytest.mark.parametrize("form", ["text", "json", "md"])
def test_grants_of_which_too_little_is_said_are_unknown(copy: Path, form: str) -> None:
    say(copy, lambda manifest: manifest["radio"][0].update(uplink={}))
    assert cli_run(["radio", str(copy), "--format", form]) == 0


@pytest.mark.parametrize("verb", [["flows"], ["analyze"], ["radio"], ["verify"]])
@pytest.mark.parametrize("first_ns", [-(2**63), 2**63 - 1])
def test_any_instant_may_be_the_first(copy: Path, verb: list[str], first_ns: int) -> None:
    say(copy, lambda manifest: manifest.update(first_ns=first_ns))
    assert cli_run([*verb, str(copy)]) == (verb == ["verify"] and first_ns > 0)


def test_a_flow_without_a_number_is_no_flow_that_can_be_meant(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def forget(rows: pa.Table) -> pa.Table:
        unknown = pa.nulls(rows.num_rows, pa.uint64())
        return rows.set_column(rows.column_names.index("uid"), "uid", unknown)

    replace(copy, "flows", forget)
    say(copy, without("verdict"))
    assert cli_run(["analyze", str(copy), "--flow", "1"]) == 2
    assert "no flow 1" in capsys.readouterr().err
    assert "uid is unknown: 1 rows" in [finding.fault for finding in verify(copy)]


LONG = "a" * 60_000
"""A text longer than a name may be, but allowed in a manifest."""

NOTHING = {"size_bytes": 0, "xxh3_128": "0" * 32}


@pytest.mark.parametrize(
    "edit",
    [
        lambda manifest: manifest.update(runs=[LONG]),
        lambda manifest: manifest.update(runs=["x" * 70_000]),
        lambda manifest: manifest.update(parts={f"{LONG}/part-0.parquet": NOTHING}),
    ],
)
def test_a_name_that_no_file_can_have_is_refused(copy: Path, edit: Edit) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    edit(manifest)
    forged.put(copy, manifest)
    with pytest.raises(InputError, match="too long") as refused:
        airmile.open(copy)
    assert len(refused.value.message) < 1000


def test_a_run_that_is_no_unicode_is_refused(copy: Path) -> None:
    (copy / "manifest.json").write_text('{"schema": 2, "runs": ["\\ud800"]}')
    with pytest.raises(InputError, match="no such file"):
        airmile.open(copy)


def test_a_capture_by_a_name_that_no_file_can_have_is_gone(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say(copy, lambda manifest: manifest["inputs"][0].update(name=LONG))
    code, said = draw(copy, capsys)
    assert (code, "missing; " in said) == (3, True)
