"""The commands `query`, `info`, `schema` and `demo`, and the help."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from airmile.store._alignment_tables import TABLES as ALIGNMENT
from airmile.store._derived_tables import TABLES as DERIVED
from tests.cli.conftest import LINK, Airmile, on_a_terminal


def test_query_answers_in_text(airmile: Airmile, link: Path) -> None:
    said = airmile("query", link, "SELECT server_port, NULL AS nothing FROM flows")
    assert said.out.split() == ["server_port", "nothing", "-----------", "-------", "80", "-"]


def test_query_answers_in_json_with_numbers_as_numbers(airmile: Airmile, link: Path) -> None:
    sql = "SELECT sum(packets) AS p, 'inf'::DOUBLE AS i FROM (SELECT dl_packets packets FROM flows)"
    (row,) = json.loads(airmile("query", link, sql, "--format", "json").out)
    assert isinstance(row["p"], int)
    assert row["i"] == "inf"


def test_query_says_that_no_row_answers(airmile: Airmile, link: Path) -> None:
    none = "SELECT uid FROM flows WHERE false"
    said = airmile("query", link, none)
    assert (said.code, said.out.split(), said.err) == (
        0,
        ["uid", "---"],
        "no row answers the query\n",
    )
    said = airmile("query", link, none, "--format", "json")
    assert (said.out, said.err) == ("[]\n", "")


def test_query_names_the_tables_when_one_is_missing(airmile: Airmile, link: Path) -> None:
    said = airmile("query", link, "SELECT * FROM nothing")
    assert said.code == 2
    assert "flows" in said.err


def test_a_mistyped_verb_is_answered_with_the_verb(airmile: Airmile, link: Path) -> None:
    said = airmile("qurey", link, "SELECT 1")
    assert said.code == 2
    assert "did you mean `airmile query`?" in said.err
    assert airmile("phone.pcap").code == 3, "a name with a dot is a capture"


def test_every_table_of_the_schema_is_in_the_dataset(airmile: Airmile, link: Path) -> None:
    names = {row["table"] for row in _csv(airmile("schema", "--format", "csv").out)}
    optional = {"rtt_samples", "in_flight_samples"}
    testbed = {name for name in names if name.startswith("truth_")} | {"trials", "clips", "video"}
    elsewhere = testbed | {*ALIGNMENT, *DERIVED}
    present = {folder.name for folder in link.iterdir() if folder.is_dir()}
    assert names - optional - elsewhere <= present
    assert present <= names


@pytest.mark.parametrize("topic", ["flows", "parameters", "causes"])
def test_schema_describes(airmile: Airmile, topic: str) -> None:
    rows = _csv(airmile("schema", topic, "--format", "csv").out)
    assert rows and all(row["name"] and row["doc"] for row in rows)


@pytest.mark.parametrize("columns", [60, 80, 132])
def test_schema_and_query_fit_the_terminal_and_lose_nothing(
    tmp_path: Path, airmile: Airmile, link: Path, columns: int
) -> None:
    sql = "SELECT uid, repeat('words ', 30) AS text, repeat('0123456789', 20) AS long FROM flows"
    for words in (("schema", "parameters"), ("schema", "slices"), ("query", link, sql)):
        code, shown = on_a_terminal(tmp_path, *words, columns=columns)
        assert code == 0
        assert max(map(len, shown.decode().splitlines())) <= columns
        whole = _csv(airmile(*words, "--format", "csv").out)
        flags = ("may_be_infinite", "may_be_negative")
        cells = (cell for row in whole for key, cell in row.items() if key not in flags)
        wanted = sum(len("".join(cell.split())) for cell in cells)
        assert len("".join(shown.decode().replace("-", "").split())) >= wanted - _dashes(whole)


def _dashes(rows: list[dict[str, str]]) -> int:
    """Return the number of dashes below the names of columns."""
    return sum(cell.count("-") for row in rows for cell in row.values())


def test_a_default_is_shown_as_it_is_set(airmile: Airmile) -> None:
    rows = {
        row["name"]: row for row in _csv(airmile("schema", "parameters", "--format", "csv").out)
    }
    assert rows["handshake.pep_ports"]["default"] == "80,8080"
    assert rows["sessions.tail_s"]["default"] == "10"
    plain = {
        row["name"]: row
        for row in json.loads(airmile("schema", "parameters", "--format", "json").out)
    }
    assert plain["handshake.pep_ports"]["default"] == [80, 8080]
    assert plain["sessions.tail_s"]["default"] == 10


def test_a_pipe_gets_every_line_whole(airmile: Airmile) -> None:
    lines = airmile("schema", "parameters").out.splitlines()
    assert len(lines) == 2 + len(_csv(airmile("schema", "parameters", "--format", "csv").out))


@pytest.mark.parametrize("topic", [[], ["flows"], ["parameters"], ["causes"]])
def test_a_pipe_gets_no_line_filled_with_blanks(airmile: Airmile, topic: list[str]) -> None:
    rows = _csv(airmile("schema", *topic, "--format", "csv").out)
    ends = ("doc", "one row per", "cite", "source", "definition")
    narrow = [max(len(row[key]) for row in rows) for key in rows[0] if key not in ends]
    for line in airmile("schema", *topic).out.splitlines():
        assert max(map(len, re.findall(" +", line)), default=0) <= sum(narrow) + 2 * len(narrow)


def test_the_text_of_the_schema_has_few_columns_and_its_sources_last(airmile: Airmile) -> None:
    lines = airmile("schema", "flows").out.splitlines()
    assert lines[0].split() == ["name", "type", "unit", "doc"]
    uid = next(line for line in lines if line.startswith("uid "))
    assert uid.endswith("of threads. [A12; docs/methods/a-input.md#a12]")
    assert uid.index("Number") <= 60, "sentences begin within a narrow screen"
    assert any("May be negative. [" in line for line in lines)
    assert not any("False" in line for line in lines)


def test_info_reports_what_a_capture_holds(airmile: Airmile) -> None:
    document = json.loads(airmile("info", LINK, "--format", "json").out)
    (source,) = document["inputs"]
    assert source["counts"]["packets"] == 15472
    assert "15 472 packets, 15 472 IP packets" in airmile("info", LINK).out


def test_info_of_junk(airmile: Airmile, tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(b"\x00" * 100)
    said = airmile("info", "junk")
    assert said.code == 3
    assert "junk" in said.out


def test_the_demo_gives_two_verdicts_and_what_to_run_next(airmile: Airmile, tmp_path: Path) -> None:
    said = airmile("demo")
    assert said.code == 0
    assert "Mainly the access link" in said.out
    assert "Not mainly the access link" in said.out
    assert "airmile phone.pcap" in said.out
    assert not list(tmp_path.iterdir())


def test_the_demo_keeps_its_tables_in_the_given_folder(airmile: Airmile, tmp_path: Path) -> None:
    assert airmile("demo", "-o", "kept").code == 0
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {
        "link.airmile",
        "window.airmile",
    }


def test_help_and_version(airmile: Airmile) -> None:
    said = airmile("--help")
    assert [said.out.find(f"  {verb} ") > 0 for verb in ("analyze", "query", "demo")] == [True] * 3
    assert airmile("--version").out.startswith("airmile")


def _csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))
