"""Bad input to a comparison: an error that names the group and says what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile import InputError, UsageError
from airmile.comparison import _csv
from tests.support.handmade import flow, write

HEADER = "iteration,cc,rate_mbps"


def table(*rows: str, header: str = HEADER) -> str:
    return "\n".join([header, *rows]) + "\n"


def rows(cc: str, values: list[Any], first: int = 1) -> list[str]:
    return [f"{n},{cc},{value}" for n, value in enumerate(values, first)]


A = rows("a", [1, 3, 2, 5, 4, 6, 3])

REFUSED = {
    "one sample": (table(*A, "1,b,2"), r"b: one iteration, which is one sample", "measure more"),
    "one sample of many rows": (
        table(*A, *["1,b,2"] * 9), "b: one iteration.*although it has 9 rows", "--unit"),
    "all equal": (
        table(*A, *rows("b", [4] * 7)), "b: all 7 values of rate_mbps are 4", "--estimate median"),
    "all differences equal": (
        table(*A, *rows("b", [2, 4, 3, 6, 5, 7, 4])), "a and b: all 7 differences.* are 1",
        "copies"),
    "empty group": (table(*A, *rows("b", [""] * 7)), "b: no value of rate_mbps in 7 rows",
                    "--metric"),
    "only NaN": (table(*A, *rows("b", ["NaN"] * 7)), "b: no value of rate_mbps in 7 rows", ""),
    "negative rate": (
        table(*A, *rows("b", [1, -2, 3, 4, 5, 6, 7])), "b: rate_mbps has the negative value -2",
        "correct it"),
    "infinite": (table(*A, *rows("b", [1, "inf", 3, 4, 5, 6, 7])), "b: .*infinite", "empty"),
    "larger than any measurement": (
        table(*A, *rows("b", [1, 1e308, 3, 4, 5, 6, 7])), "b: rate_mbps has the value 1e\\+308",
        "check the column"),
    "smaller than any measurement": (
        table(*A, *rows("b", [1, 1e-300, 3, 4, 5, 6, 7])), "b: rate_mbps has the value 1e-300",
        "check the column"),
    "a number of 5000 digits as a group": (
        table(*A, *rows("1" * 5000, [1, 3, 2])), "has 5000 characters", "--by"),
    "numbers of 5000 digits as groups": (
        table(*rows("1" * 5000, [1, 3, 2]), *rows("2" * 5000, [1, 3, 2])),
        "has 5000 characters", "--by"),
    "no number": (table(*A, "8,b,3..4"), r":9: rate_mbps is '3..4'", "decimal point"),
    "decimal comma": (table(*A, "8,b,3,4"), ":9 has more cells", "point"),
    "pairs that do not match": (
        table(*A, *rows("b", [1, 2, 9, 4, 5, 6], 2)),
        "a lacks 0|b lacks 1.iteration that a has: 1", "--drop-unmatched"),
    "no common pair": (
        table(*A, *rows("b", [1, 2, 9, 4], 100)), "a lacks 4.iterations that b has: 100, 101",
        "--unpaired"),
    "one group": (table(*A), "only 'a'", "--by"),
    "no group": (table(), "no group", "--by"),
    "an unnamed iteration": (table(*A, ",b,3"), ":9: iteration is empty", "--unit"),
    "control characters": (
        table(*A, *rows("b\x1b[2J", [1, 3, 2])), r"the group b\\x1b\[2J has control", "rename"),
    "formula": (table(*A, *rows("=cmd|' /C calc'!A0", [1, 3, 2])), "=cmd.*formula", "rename"),
    "long name": (table(*A, *rows("b" * 5000, [1, 3, 2])), "has 5000 characters", "--by"),
    "many groups": (
        table(*(f"1,g{n},{n}" for n in range(50))),
        "cc gives 50 groups: a comparison takes at most 12",
        "--by",
    ),
    "no column": (table("1,2", header="x,y"), "which column is compared", "--metric"),
    "twice": (table(header="a,rate_mbps,a"), "two columns are called 'a'", "rename"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name(tmp_path: Path, name: str) -> None:
    text, message, hint = REFUSED[name]
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=message) as refused:
        airmile.compare(path, by="cc")
    assert hint in (refused.value.hint or "")


def test_a_constant_group_is_refused_without_pairs_and_compared_by_ranks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(table(*A, *rows("b", [4] * 7)))
    with pytest.raises(UsageError, match="b: all 7 values of rate_mbps are 4"):
        airmile.compare(path, by="cc", paired=False)
    found = airmile.compare(path, by="cc", paired=False, estimate="median")
    assert found.results[0].difference.value == 1


def test_unknown_values_are_counted_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    b = rows("b", [2, "", 1, "NaN", 9, 4, 8])
    path.write_text(table(*A, *b))
    found = airmile.compare(path, by="cc")
    (result,) = found.results
    assert result.difference.pairs == 5
    assert "b: 2 rows without rate_mbps left out (empty or NaN)" in found.notes
    assert result.difference.notes[0] == "2 iterations without a partner are left out"


def test_iterations_without_a_partner_are_dropped_if_told(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(table(*A, *rows("b", [1, 2, 9, 4, 5, 6], 2)))
    (result,) = airmile.compare(path, by="cc", drop_unmatched=True).results
    assert result.difference.pairs == 6
    assert result.difference.notes[0] == "1 iteration without a partner is left out"
    assert airmile.compare(path, by="cc", paired=False).results[0].difference.pairs is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no first line"),
        (b"\xff\xfe\x00", "utf-8"),
        (b"cc,a\n" + b"x" * 200_000, "field larger"),
    ],
)
def test_a_file_that_is_no_csv_cannot_be_read(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        airmile.compare(path, by="cc", metric="a")


def test_a_large_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_csv, "LARGEST", 10)
    path = tmp_path / "x.csv"
    path.write_text(table(*A))
    with pytest.raises(InputError, match=r"x\.csv: more than"):
        airmile.compare(path, by="cc")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.csv: no such file"):
        airmile.compare(tmp_path / "nothing.csv")


def test_a_dataset_without_the_column_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.airmile", {"flows": [flow(1), flow(2)]}, {})
    with pytest.raises(UsageError, match=r"a.airmile: the table 'flows' has no column 'nothing'"):
        airmile.compare({"A": path, "B": path}, metric="nothing")
    with pytest.raises(UsageError, match="has no 'carrier' to group by"):
        airmile.compare(path, by="carrier")
    with pytest.raises(UsageError, match="no table 'trials'"):
        airmile.compare(path, table="trials")


def test_one_subscriber_is_one_sample(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.airmile", {"flows": [flow(uid, dl_rate_bps=1e6) for uid in range(3)]}, {}
    )
    with pytest.raises(UsageError, match=r"A: one subscriber.*although it has 3 rows") as refused:
        airmile.compare({"A": path, "B": path})
    assert "--unit" in (refused.value.hint or "")


def test_sources_of_other_metrics_are_refused(tmp_path: Path) -> None:
    for name, column in (("a", "rate_mbps"), ("b", "rate_kbps")):
        (tmp_path / f"{name}.csv").write_text(table("1,2", "2,3", header=f"seed,{column}"))
    with pytest.raises(UsageError, match="A has rate_mbps, B rate_kbps"):
        airmile.compare({"A": tmp_path / "a.csv", "B": tmp_path / "b.csv"})


def test_without_scipy_the_extra_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(table(*A, *rows("b", [2, 1, 3, 4, 4, 5, 6])))
    hide = "import sys; sys.modules['scipy'] = sys.modules['scipy.special'] = None\n"
    run = f"{hide}from airmile.cli import run\nsys.exit(run(['compare', {str(path)!r}]))"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert "needs scipy" in done.stderr
    assert "airmile[study]" in done.stderr


@pytest.mark.parametrize("difference", [float("nan"), float("inf"), 0.0])
def test_a_difference_that_is_none_is_refused(tmp_path: Path, difference: float) -> None:
    path = tmp_path / "trials.csv"
    path.write_text(table(*A, *rows("b", [2, 5, 3, 6, 5, 8, 4])))
    with pytest.raises(UsageError, match="difference is"):
        airmile.compare(path, by="cc", difference=difference)


def test_a_file_without_an_end_is_refused(tmp_path: Path) -> None:
    endless = tmp_path / "endless.csv"
    endless.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="a line of more than 1 MiB"):
        airmile.compare(endless, by="cc")
