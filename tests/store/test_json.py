"""Untrusted JSON: anything but a plain object of limited size gives one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from airmile import InputError
from airmile.answers.pair import write
from airmile.cli import _datasets
from airmile.store import _json, _manifest
from airmile.testbed.record import outcome

BROKEN = {
    "deep": "[" * 200_000,
    "deep objects": '{"a":' * 200_000 + "1",
    "huge number": '{"schema": ' + "9" * 5000 + "}",
    "key twice": '{"schema": 1, "schema": 2}',
    "key twice, the last of many": "{"
    + "".join(f'"k{number}": 0, ' for number in range(100_000))
    + '"k99999": 1}',
    "key twice within": '{"schema": 1, "x": [{"a": 1, "a": 1}]}',
    "NaN": '{"schema": NaN}',
    "infinite": '{"schema": -Infinity}',
    "beyond a float": '{"x": 1e999}',
    "a list": "[1]",
    "a text": '"schema"',
    "nothing": "",
    "no UTF-8": "\udcff",
    "a lone surrogate": '{"x": "\udcff"}',
    "cut": '{"schema": 1',
    "more": '{"schema": 1} {}',
}


def laid(folder: Path, text: str) -> Path:
    file = folder / "manifest.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    return file


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_one_sentence_for_every_reader(tmp_path: Path, case: str) -> None:
    file = laid(tmp_path, BROKEN[case])
    for read in (
        lambda: _json.read(file, "x"),
        lambda: _manifest.read(tmp_path),
        lambda: outcome.manifest(tmp_path),
        lambda: outcome.is_run(tmp_path),
    ):
        with pytest.raises(InputError) as refused:
            read()
        assert str(file) in refused.value.message
        assert len(refused.value.message) < len(str(file)) + 150
        assert "\n" not in refused.value.message
    assert not _datasets._is_dataset(tmp_path)
    assert not write._is_alignment(tmp_path)


def test_more_values_than_memory_is_for_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_json, "MOST_VALUES", 5)
    assert _json.read(laid(tmp_path, '{"x": [1, 2, {}]}'), "")[1] == {"x": [1, 2, {}]}
    with pytest.raises(InputError, match="more than 5 values"):
        _json.read(laid(tmp_path, '{"x": [1, 2, {}, []]}'), "")


def test_a_folder_with_parts_or_runs_is_a_dataset_though_its_manifest_is_broken(
    tmp_path: Path,
) -> None:
    for within in ("flows/part-0.parquet", "run-1/manifest.json"):
        folder = tmp_path / within.split("/")[0] / "campaign"
        (folder / within).parent.mkdir(parents=True)
        (folder / within).write_text("")
        laid(folder, "broken")
        assert _datasets._is_dataset(folder)


def test_a_file_that_is_none_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    (tmp_path / "real.json").write_text('{"schema": 1, "tool": "airmile", "alignment": {}}')
    file.symlink_to(tmp_path / "real.json")
    with pytest.raises(InputError, match="a link"):
        _json.read(file, "x")
    assert not write._is_alignment(tmp_path)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(InputError, match="not an ordinary file"):
        _json.read(file, "x")
    assert not write._is_alignment(tmp_path)
    assert not _datasets._is_dataset(tmp_path)


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = laid(tmp_path, '{"schema": 1}')
    # A sparse file: it takes no room on disk, and reading it would take all memory.
    os.truncate(file, 10 << 30)
    with pytest.raises(InputError, match="more than"):
        _json.read(file, "x")
    assert not _datasets._is_dataset(tmp_path)


def test_a_whole_one_is_read(tmp_path: Path) -> None:
    text = '{"schema": 1, "x": [1.5, -2e300, {"schema": null}], "é": "\\u0000"}'
    assert _json.read(laid(tmp_path, text), "x") == (
        text,
        {"schema": 1, "x": [1.5, -2e300, {"schema": None}], "é": "\0"},
    )
    assert _datasets._is_dataset(tmp_path)
