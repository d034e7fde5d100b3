"""Answers of every shape in every format: repeated names, no rows, one column, many columns."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from airmile.cli import _output, airmile
from airmile.dataset import Dataset
from airmile.render import tables
from airmile.store import _names
from tests.query import readers
from tests.support.handmade import flow, transfer, write

FORMS = tables.FORMATS


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Return a dataset of two flows, one of which has a transfer."""
    rows = {"flows": [flow(1), flow(2)], "transfers": [transfer(1, 1, 0, 1)]}
    return Dataset(write(tmp_path_factory.mktemp("own") / "own.airmile", rows), threads=1)


def read(table: pa.Table, form: str) -> readers.Table:
    out = io.BytesIO()
    tables.write(table, tables.as_format(form), out)
    return readers.read(form, out.getvalue())


@pytest.mark.parametrize("form", FORMS)
def test_columns_of_one_name_are_all_there(own: Dataset, form: str) -> None:
    names, rows = read(own.sql('SELECT 1 AS a, 2 AS a, 3 AS "a_1", 4 AS a, 5 AS "A"'), form)
    assert names == ["a", "a_2", "a_1", "a_3", "A"]
    if form != "text":
        assert [str(each) for each in rows[0]] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("form", FORMS)
def test_a_table_of_arrow_with_repeated_names_loses_none(form: str) -> None:
    names, _ = read(pa.Table.from_arrays([pa.array([1]), pa.array(["x"])], ["n", "n"]), form)
    assert names == ["n", "n_1"]


def test_a_join_has_the_columns_of_both_tables(own: Dataset) -> None:
    joined = own.sql("SELECT * FROM flows f JOIN transfers t ON f.uid = t.uid")
    assert joined.num_columns == len(own.columns("flows")) + len(own.columns("transfers"))
    assert len(joined.to_pydict()) == joined.num_columns
    assert _names.renamed(joined)["uid_1"] == "uid"
    assert joined["uid"].to_pylist() == joined["uid_1"].to_pylist() == [1]


@pytest.mark.parametrize("form", FORMS)
def test_an_answer_without_rows_has_its_columns(own: Dataset, form: str) -> None:
    sql = "SELECT uid, [uid] AS l, INTERVAL 1 DAY AS i, DATE '2020-01-01' AS d FROM flows LIMIT 0"
    names, rows = read(own.sql(sql), form)
    assert rows == []
    assert names == ([] if form in ("json", "ndjson") else ["uid", "l", "i", "d"])


@pytest.mark.parametrize("sql", ["1::INTEGER", "'x'", "0.25::DOUBLE", "DATE '2020-01-01'", "[1]"])
def test_no_row_of_one_column_is_an_empty_line_of_csv(own: Dataset, sql: str) -> None:
    answer = own.sql(f"SELECT {sql} AS v UNION ALL SELECT NULL UNION ALL SELECT {sql}")
    names, rows = read(answer, "csv")
    (value,), (null,), (again,) = rows
    assert names == ["v"] and null == "" and value == again != ""


@pytest.mark.parametrize("form", FORMS)
def test_a_name_of_any_characters_is_kept(own: Dataset, form: str) -> None:
    name = 'a "b", <c>|\\\n\x1b'
    names, _ = read(own.sql(f'SELECT 1 AS "{name.replace(chr(34), chr(34) * 2)}", 2 AS n'), form)
    shown = name.replace("\n", "\\n").replace("\x1b", "\\x1b") if form in ("text", "md") else name
    assert " ".join(names) == f"{shown} n"


@pytest.mark.parametrize("form", FORMS)
def test_a_thousand_columns(own: Dataset, form: str) -> None:
    listed = ", ".join(f"{n} AS c{n}, INTERVAL {n} DAY AS i{n}" for n in range(500))
    names, _ = read(own.sql(f"SELECT {listed}"), form)
    assert len(names) == 1000


@pytest.mark.parametrize("form", [form for form in FORMS if form != "text"])
def test_rows_keep_their_order_when_values_are_changed(own: Dataset, form: str) -> None:
    sql = "SELECT i, INTERVAL 1 DAY AS d FROM range(3000) t(i) ORDER BY i DESC"
    _, rows = read(own.sql(sql), form)
    assert [int(i) for i, _ in rows] == list(range(2999, -1, -1))


@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_columns(form: str) -> None:
    out = io.BytesIO()
    tables.write(pa.table({}), tables.as_format(form), out)
    assert b"Error" not in out.getvalue()


TYPES = {
    "1::HUGEINT": pa.int64(),
    f"{2**100}::HUGEINT": pa.decimal128(38),
    f"{2**127 - 1}::HUGEINT": pa.decimal256(39),
    f"{2**128 - 1}::UHUGEINT": pa.decimal256(39),
    "1.5::DECIMAL(9, 2)": pa.decimal128(9, 2),
    "5::DECIMAL(38, 0)": pa.decimal128(38),
    "DATE '2020-01-01'": pa.date32(),
    "TIME '12:00:00'": pa.time64("us"),
    "TIME '24:00:00'": pa.string(),
    "TIMETZ '12:00:00+02'": pa.string(),
    "TIMESTAMP '2020-01-01 00:00:00'": pa.timestamp("us"),
    "TIMESTAMP_S '2020-01-01 00:00:00'": pa.timestamp("us"),
    "TIMESTAMP_MS '2020-01-01 00:00:00'": pa.timestamp("ms"),
    "TIMESTAMP_NS '2020-01-01 00:00:00'": pa.timestamp("ns"),
    "TIMESTAMPTZ '2020-01-01 00:00:00+00'": pa.timestamp("us", "UTC"),
    "INTERVAL '1 day'": pa.string(),
    "'x'::BLOB": pa.binary(),
    "'101'::BIT": pa.string(),
    "1::BIGNUM": pa.string(),
    "'x'::ENUM('x')": pa.dictionary(pa.uint8(), pa.string()),
    "union_value(a := 1)": pa.struct({"tag": pa.string(), "a": pa.int32()}),
}


@pytest.mark.parametrize("sql", TYPES)
def test_arrow_has_the_type_that_carries_the_value(own: Dataset, sql: str) -> None:
    assert own.sql(f"SELECT {sql} AS v").schema.field("v").type == TYPES[sql]


def test_a_time_zone_of_the_machine_changes_no_answer(
    own: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    there = Dataset(own.path).sql("SELECT to_timestamp(0) AS t")
    assert there.schema.field("t").type == pa.timestamp("us", "UTC")
    assert read(there, "csv")[1] == [["1970-01-01 00:00:00+00"]]


Query = Callable[..., Result]


@pytest.fixture
def query(own: Dataset) -> Query:
    """Return a function that runs `airmile query` in this process."""

    def run(sql: str, form: str = "text") -> Result:
        code = 0

        def guarded() -> None:
            nonlocal code
            words = ["query", str(own.path), sql, "--format", form]
            code = _output.guarded(lambda: airmile.main(words, "airmile", standalone_mode=False))

        result = CliRunner().invoke(click.command()(guarded))
        result.exit_code = code
        return result

    return run


@pytest.mark.parametrize("form", FORMS)
def test_a_new_name_is_said_once(query: Query, form: str) -> None:
    done = query("SELECT 1 AS a, 2 AS a", form)
    assert done.exit_code == 0
    assert done.stderr == "columns of the same name: a is here a_1\n"


WRONG = (
    "SELECT 'x'::INTEGER",
    "SELECT error('mine')",
    "SELECT 2147483647::INTEGER + 1::INTEGER",
    "SELECT * EXCLUDE (a) FROM (SELECT 1 AS a)",
    "SELECT COLUMNS('nothing') FROM flows",
    "SELECT MAP {1: 'a', 1: 'b'}",
    "SELECT 'x'::BLOB::VARCHAR::INTEGER",
    "SELECT strptime('x', '%Y')",
    "SELECT '\\x'::BLOB",
    'SELECT 1 AS ""',
    "",
    "SELECT",
    "SELECT unknown FROM flows",
    "FROM nowhere",
)


@pytest.mark.parametrize(("sql", "form"), list(zip(WRONG, FORMS * 2, strict=True)))
def test_wrong_sql_is_a_sentence(query: Query, sql: str, form: str) -> None:
    done = query(sql, form)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ") and "\nhint: " in done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""


@pytest.mark.parametrize("form", FORMS)
def test_an_unforeseen_error_while_writing_is_a_sentence(
    query: Query, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise pa.ArrowInvalid("cannot do that\nat all")

    monkeypatch.setattr(tables, "write", fail)
    done = query("SELECT 1 AS a", form)
    assert done.exit_code == 2
    assert f"--format {form}: the answer cannot be written (cannot do that)" in done.stderr


def test_the_view_summary_is_what_conditions_see(own: Dataset) -> None:
    from airmile.answers.verdict import _summary

    found = own.sql("FROM summary")
    assert found.to_pylist() == _summary.summary(own.verdict).to_pylist()
    assert found.num_rows == 1 and found["flows"].to_pylist() == [2]
    assert own.sql("SELECT flows FROM Summary WHERE flows = 2").num_rows == 1
    assert own.sql("SELECT tcp_flows FROM summary").num_rows == 1
    chosen = own.where("uid = 1").sql("SELECT s.flows FROM main.summary s")
    assert chosen["flows"].to_pylist() == [1]
    assert "share_idle" in own.sql("DESCRIBE summary")["column_name"].to_pylist()


def test_the_view_summary_on_the_command_line(query: Query) -> None:
    done = query("SELECT flows, retransmission_ratio FROM summary", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == [{"flows": 2, "retransmission_ratio": None}]


def test_the_view_summary_of_a_dataset_without_flows(tmp_path: Path) -> None:
    from airmile._errors import UsageError

    there = Dataset(write(tmp_path / "none.airmile", {"flows": []}))
    assert there.sql("SELECT flows, limited_by FROM summary").to_pylist() == [
        {"flows": 0, "limited_by": None}
    ]
    with pytest.raises(UsageError, match="Table with name summaries does not exist"):
        there.sql("FROM summaries")
