"""Recording sets: the old files stay until a trustworthy run replaces them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile.testbed.truth import labels
from tests.score import record

NAME = "t01_downlink_queue"


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose only set is a copy of one set."""
    target = tmp_path / NAME
    shutil.copytree(record.SETS / NAME, target)
    monkeypatch.setattr(record, "SETS", tmp_path)
    return target


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_set_that_was_never_trustworthy_stays_and_ends_with_1(
    one: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, tries = content(one), []

    def late(_: object, out: Path) -> dict[str, Any]:
        tries.append(out)
        return {"trustworthy": False, "link": {"late_us": {"p99": 2000}}}

    monkeypatch.setattr(record, "run", late)
    assert record.main([NAME]) == 1
    assert len(tries) == record.TRIES
    assert content(one) == before
    assert f"{NAME}: NOT recorded: never trustworthy" in capsys.readouterr().out


def test_labels_stay_where_no_others_can_be_made(
    one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(one)

    def refuse(*_: object) -> None:
        raise airmile.InputError("no truth")

    monkeypatch.setattr(labels, "write", refuse)
    with pytest.raises(airmile.InputError):
        record.relabel(NAME)
    assert content(one) == before


def test_labels_are_made_anew(one: Path) -> None:
    shutil.rmtree(one / "truth_labels")
    (one / "labels.csv.gz").unlink()
    assert record.main(["--labels"]) == 0
    assert (one / "labels.csv.gz").exists()
    assert airmile.open(one).truth_labels.num_rows > 0
    facts = json.loads((one / "manifest.json").read_text())["testbed"]
    assert facts["labels_rule"] == labels.RULE
