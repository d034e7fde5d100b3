"""`airmile compare` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Airmile


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    lines = ["iteration,congestion_control,rate_mbps"]
    for turn in range(10):
        lines += [f"{turn},cubic,{10 + turn % 4}", f"{turn},bbr,{12 + turn % 3}"]
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(lines))
    return path


def test_the_text_has_groups_sentence_and_basis(airmile: Airmile, trials: Path) -> None:
    said = airmile("compare", trials)
    assert said.code == 0, said.err
    assert "cubic  10 iterations: mean 11.3 Mbps +/- 1.2 Mbps (sd)" in said.out
    assert "bbr's mean rate_mbps is 1.6 Mbps higher than cubic's" in said.out
    assert "p-value: sign flips" in said.out
    assert "HWY18 table 1" in said.out


@pytest.mark.parametrize("form", ["csv", "json", "md", "ndjson", "parquet", "arrow"])
def test_every_format_has_the_comparison(airmile: Airmile, trials: Path, form: str) -> None:
    said = airmile("compare", trials, "--format", form)
    assert said.code == 0, said.err
    assert b"bbr" in said.written
    if form == "json":
        document = json.loads(said.written)
        assert document["comparisons"][0]["pairs"] == 10
        assert [each["n"] for each in document["groups"]] == [10, 10]


def test_pictures_are_written_and_named(airmile: Airmile, trials: Path, tmp_path: Path) -> None:
    said = airmile("compare", trials, "-o", "pictures")
    assert said.code == 0, said.err
    assert (tmp_path / "pictures" / "cdf-rate_mbps.png").stat().st_size > 1000
    assert "picture: pictures/cdf-rate_mbps.png" in said.err
    assert airmile("compare", trials, "-o", "more", "--quiet").err == ""


def test_labels_name_the_sources(airmile: Airmile, tmp_path: Path) -> None:
    for name, more in (("a", 0), ("b", 3)):
        rows = [f"{seed},{seed % 5 + more + seed % 2}" for seed in range(12)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["seed,delay_ms", *rows]))
    said = airmile(
        "compare", "a.csv", "b.csv", "--label", "old", "--label", "new", "--metric", "delay_ms"
    )
    assert said.code == 2
    assert "old and new: all 12 differences of delay_ms are 3" in said.err
    said = airmile("compare", "a.csv", "b.csv", "--metric", "delay_ms", "--unpaired")
    assert "b.csv's mean delay_ms is 3.0 ms higher than a.csv's" in said.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nothing.csv"], 3, "nothing.csv: no such file"),
        (["trials.csv", "--metric", "nothing"], 2, "has no column 'nothing'"),
        (["trials.csv", "--by", "port"], 2, "has no column 'port' to group by"),
        (["trials.csv", "--baseline", "reno"], 2, "no group 'reno'"),
        (["trials.csv", "--where", "true"], 2, "which has one table"),
        (["trials.csv", "-o", "trials.csv"], 5, "is a file"),
        ([], 2, "Missing argument"),
    ],
)
def test_what_is_wrong_is_said(
    airmile: Airmile, trials: Path, words: list[str], code: int, message: str
) -> None:
    said = airmile("compare", *words)
    assert (said.code, message in said.err) == (code, True), said.err
