"""An untrusted dataset or query neither writes nor reads anything outside of the dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

import airmile
from airmile import InputError, UsageError, _engine
from airmile.answers.verdict._summary import evaluate
from airmile.cli import _conditions
from airmile.cli import run as cli_run
from airmile.dataset import Dataset
from airmile.store import _manifest, _parts, _sql
from tests.support.handmade import flow, typed, write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Dataset:
    """Return a dataset of one flow."""
    return Dataset(write(tmp_path / "own.airmile", {"flows": [flow(7)]}))


def add(dataset: Path, table: str, **columns: list[Any]) -> None:
    (dataset / table).mkdir(exist_ok=True)
    parquet.write_table(typed(table, columns), dataset / table / "part-0.parquet")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "name",
    [
        "x\" AS SELECT 1; COPY (SELECT 1) TO 'stolen.csv'; --",
        'x" AS SELECT 1; CREATE TABLE stolen AS SELECT 1; --',
        "notes",
        'flows"',
        "it's",
    ],
)
def test_a_folder_that_is_no_table_is_left_alone(own: Dataset, here: Path, name: str) -> None:
    add(own.path, name, uid=[1])
    opened = Dataset(own.path)
    assert opened.tables == own.tables
    assert opened.sql("SHOW TABLES").num_rows == len(own.tables)
    assert list(here.iterdir()) == []


def test_a_column_with_sql_in_its_name_is_a_column(own: Dataset, here: Path) -> None:
    evil = "share_x FROM transfers; COPY (SELECT 1) TO 'stolen.csv'; SELECT 1 AS y"
    usual: dict[str, list[Any]] = {
        **{"transfer_id": [1], "uid": [7], "limited_by": ["idle"], "boundary": ["request"]},
        **{"direction": ["downlink"], "bytes": [1], "first_byte_ns": [0], "end_ns": [1]},
    }
    add(own.path, "transfers", **usual, **{evil: [0.5]})
    transfers = Dataset(own.path).verdict.transfers
    assert transfers[0].shares == {evil.removeprefix("share_"): 1.0}
    assert list(here.iterdir()) == []


NAMES = ["run[1]", "run*", "run?", "[!r]un", "r**", "uid=9", 'it\'s; "1"', "a\\b", "a{b,c}", "~"]
"""Names of folders; DuckDB would expand some, and read `uid=9` as a column."""


@pytest.mark.parametrize("name", NAMES)
def test_a_dataset_is_read_under_its_own_name_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for other in ("run1", "run2", "run", "runs"):
        write(tmp_path / other, {"flows": [flow(1)]})
    write(tmp_path / name, {"flows": [flow(7)]})
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / name, Path(name), Path("run1") / ".." / name):
        opened = airmile.open(path)
        assert opened.sql("SELECT uid FROM flows")["uid"].to_pylist() == [7]
        assert opened.where("server_port = 443").flows["uid"].to_pylist() == [7]
        assert opened.flows["uid"].to_pylist() == [7]
        assert opened.rows("flows") == 1


def test_a_name_that_looks_like_a_pattern_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a\\*", {"flows": [flow(7)]})
    with pytest.raises(InputError, match="backslash"):
        airmile.open(tmp_path / "a\\*")


def test_a_part_is_a_file(own: Dataset) -> None:
    (own.path / "flows" / "part-1.parquet").mkdir()
    assert Dataset(own.path).sql("SELECT uid FROM flows")["uid"].to_pylist() == [7]


def test_a_run_is_read_under_its_own_name_alone(tmp_path: Path) -> None:
    for name in ("a[1].airmile", "a1.airmile"):
        write(tmp_path / name, {"flows": [flow(1 if name == "a1.airmile" else 7)]})
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 1, "runs": ["a[1].airmile"]}))
    opened = airmile.open(tmp_path)
    assert opened.sql("SELECT run, uid FROM flows").to_pylist() == [{"run": "a[1]", "uid": 7}]


@pytest.mark.parametrize(
    "run", ["../own.airmile", "sub/own.airmile", "", ".", "..", "a\\b", "a\0b", 3, None, ["a"]]
)
def test_a_run_is_a_plain_name(own: Dataset, run: object) -> None:
    campaign = own.path.parent / "campaign"
    write(campaign, {})
    write(campaign / "sub", {})
    write(campaign / "sub" / "own.airmile", {})
    (campaign / "manifest.json").write_text(json.dumps({"schema": 1, "runs": [run]}))
    with pytest.raises(InputError, match=r"manifest\.json: .*a name of a folder"):
        airmile.open(campaign)


def test_a_run_that_is_named_by_its_whole_path_is_refused(own: Dataset) -> None:
    (own.path / "manifest.json").write_text(json.dumps({"schema": 1, "runs": [str(own.path)]}))
    with pytest.raises(InputError, match="a name of a folder"):
        airmile.open(own.path)


@pytest.mark.parametrize("runs", ["own.airmile", {"own.airmile": 1}, 1])
def test_the_runs_are_a_list(own: Dataset, runs: object) -> None:
    (own.path / "manifest.json").write_text(json.dumps({"schema": 1, "runs": runs}))
    with pytest.raises(InputError, match="runs"):
        airmile.open(own.path)


def test_a_run_is_made_of_no_other_runs(own: Dataset) -> None:
    campaign = own.path.parent
    (campaign / "manifest.json").write_text(json.dumps({"schema": 1, "runs": ["own.airmile"]}))
    (own.path / "again").symlink_to(own.path)
    (own.path / "manifest.json").write_text(json.dumps({"schema": 1, "runs": ["again"]}))
    with pytest.raises(InputError, match="runs of its own"):
        airmile.open(campaign)


WRITES = [
    "COPY flows TO '{place}'",
    "SELECT 1; COPY flows TO '{place}'",
    "WITH x AS (COPY flows TO '{place}') SELECT 1",
    "with x as (copy flows to '{place}') from x;",
    "WITH x AS (COPY flows TO '{place}') PIVOT flows ON uid",
    "FROM (WITH x AS (COPY flows TO '{place}') PIVOT flows ON uid)",
    "FROM query('WITH x AS (COPY flows TO ''{place}'') SELECT 1')",
    "EXPLAIN ANALYZE COPY flows TO '{place}'",
    "EXPORT DATABASE '{place}'",
    "ATTACH '{place}' AS other",
    "PRAGMA profiling_output = '{place}'",
    "FROM enable_profiling(save_location = '{place}')",
    "FROM enable_logging('QueryLog', storage = 'file', storage_path = '{place}')",
    "SELECT 1; SELECT 2",
    "",
]


@pytest.mark.parametrize("sql", WRITES)
def test_a_query_writes_nothing(own: Dataset, here: Path, sql: str) -> None:
    part = own.path / "flows" / "part-0.parquet"
    before = contents(own.path)
    for place in (here / "new", own.path / "new", part, f"{part}' (USE_TMP_FILE false) --"):
        with pytest.raises(UsageError):
            own.sql(sql.format(place=place))
    assert list(here.iterdir()) == []
    assert contents(own.path) == before


@pytest.mark.parametrize(
    "sql",
    [
        "FROM '{outside}'",
        "FROM read_csv('{outside}')",
        "FROM read_text('{outside}')",
        "SELECT content FROM read_blob('{dataset}/../secret.csv')",
        "FROM glob('{outside}*')",
        "FROM read_parquet('{dataset}/*/*.parquet')",
        "FROM '{dataset}/manifest.json'",
        "FROM variable_of_the_test",
    ],
)
def test_a_query_sees_nothing_but_tables(own: Dataset, sql: str) -> None:
    outside = own.path.parent / "secret.csv"
    outside.write_text("a,b\n1,2\n")
    variable_of_the_test = pa.table({"a": [1]})
    with pytest.raises(UsageError):
        own.sql(sql.format(outside=outside, dataset=own.path))
    assert variable_of_the_test.num_rows == 1


@pytest.mark.parametrize(
    "sql",
    [
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '1GB'",
        "SELECT 1; SET enable_external_access = true",
        "RESET lock_configuration",
        "PRAGMA threads = 1",
        "SET VARIABLE x = 1",
        "CREATE TABLE more AS FROM flows",
        "CALL enable_logging()",
    ],
)
def test_a_query_changes_nothing(own: Dataset, sql: str) -> None:
    with pytest.raises(UsageError, match="one query that reads"):
        own.sql(sql)


def test_duckdb_is_opened_in_one_place_and_for_files_in_one_call() -> None:
    sources = Path(airmile.__file__).parent
    code = {path: path.read_text() for path in sources.rglob("*.py")}
    assert [path.name for path, text in code.items() if "duckdb.connect(" in text] == ["_sql.py"]
    assert not [path for path, text in code.items() if "duckdb.sql(" in text]
    assert sum(text.count("any_file=True") for text in code.values()) == 1


def test_a_connection_keeps_its_settings() -> None:
    for sql in ("SET enable_external_access = true", "LOAD httpfs", "SET threads = 1"):
        with pytest.raises(duckdb.Error, match=r"disabled|locked"):
            _sql.connect().execute(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "COPY flows TO 'new.csv'",
        "WITH x AS (COPY flows TO 'new.csv') FROM x",
        "FROM read_csv('{outside}')",
        "FROM '{outside}'",
        "FROM read_text('/etc/passwd')",
    ],
)
def test_what_files_would_allow_is_said(own: Dataset, here: Path, sql: str) -> None:
    outside = own.path.parent / "own.csv"
    outside.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError) as refused:
        own.sql(sql.format(outside=outside))
    assert "--allow-files" in str(refused.value.hint)
    assert "\n" not in refused.value.message
    assert list(here.iterdir()) == []


def test_own_sql_reads_and_writes_files_where_it_is_allowed(own: Dataset, here: Path) -> None:
    Path("ports.csv").write_text("port,name\n443,https\n")
    joined = "SELECT uid, name FROM flows JOIN read_csv('ports.csv') ON port = server_port"
    assert own.sql(joined, allow_files=True).to_pylist() == [{"uid": 7, "name": "https"}]
    own.sql(f"COPY ({joined}) TO 'named.csv'", allow_files=True)
    assert Path("named.csv").read_text() == "uid,name\n7,https\n"
    # Only that one query was allowed to read it.
    with pytest.raises(UsageError):
        own.sql("FROM read_csv('ports.csv')")


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{here}/new.duckdb' AS other",
        "INSTALL httpfs",
        "LOAD '{here}/x.duckdb_extension'",
        "SET threads = 1",
        "SELECT 1; COPY flows TO '{here}/new.csv'",
        "EXPORT DATABASE '{here}/new'",
        "FROM enable_profiling(save_location = '{here}/new')",
        "FROM read_csv('https://127.0.0.1:9/x.csv')",
        "FROM 'missing.csv'",
        "FROM variable_of_the_test",
    ],
)
def test_files_allow_nothing_else(own: Dataset, here: Path, sql: str) -> None:
    variable_of_the_test = pa.table({"a": [1]})
    with pytest.raises(UsageError) as refused:
        own.sql(sql.format(here=here), allow_files=True)
    assert "\n" not in refused.value.message
    assert (list(here.iterdir()), variable_of_the_test.num_rows) == ([], 1)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT uid FROM flows;",
        "FROM flows SELECT uid -- the flow",
        "WITH one AS (SELECT uid FROM flows) FROM one",
        "SELECT uid FROM flows WHERE server <> 'copy'",
    ],
)
def test_a_query_that_reads_is_answered(own: Dataset, sql: str) -> None:
    assert own.sql(sql).to_pydict() == {"uid": [7]}


@pytest.mark.parametrize("sql", ["SHOW TABLES", "DESCRIBE flows", "SUMMARIZE flows", "VALUES (1)"])
def test_a_query_may_ask_what_there_is(own: Dataset, sql: str) -> None:
    assert own.sql(sql).num_rows > 0


CONDITIONS = [
    "true); COPY (SELECT 1) TO 'new.csv'; --",
    "true; COPY (SELECT 1) TO 'new.csv'",
    "true) FROM flows; SET threads = 1; SELECT (true",
    "1 IN (WITH x AS (COPY (SELECT 1) TO 'new.csv') SELECT 1)",
    "1 IN (SELECT a FROM read_csv('{outside}'))",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_is_nothing_but_a_condition(own: Dataset, here: Path, condition: str) -> None:
    outside = own.path.parent / "secret.csv"
    outside.write_text("a\n1\n")
    condition = condition.format(outside=outside)
    with pytest.raises(UsageError, match="--where"):
        own.where(condition)
    with pytest.raises(UsageError, match="--where"):
        _conditions.check(condition, ())
    with pytest.raises(UsageError, match="--fail-if"):
        evaluate(condition, pa.table({"used_bps": [1.0]}))
    assert list(here.iterdir()) == []


def test_a_condition_may_end_in_a_comment(own: Dataset) -> None:
    assert own.where("uid = 7 -- the only one").flows.num_rows == 1
    assert evaluate("used_bps > 0 -- any", pa.table({"used_bps": [1.0]})) is True


def link_to_a_stranger(dataset: Path, secret: Path) -> None:
    part = dataset / "flows" / "part-1.parquet"
    part.symlink_to(secret)


def link_a_folder(dataset: Path, secret: Path) -> None:
    (dataset / "slices" / "part-0.parquet").unlink()
    (dataset / "slices").rmdir()
    (dataset / "slices").symlink_to(secret.parent)


def link_the_manifest(dataset: Path, secret: Path) -> None:
    (dataset / "manifest.json").rename(secret.with_suffix(".json"))
    (dataset / "manifest.json").symlink_to(secret.with_suffix(".json"))


@pytest.mark.parametrize("lay", [link_to_a_stranger, link_a_folder, link_the_manifest])
def test_a_link_out_of_the_dataset_is_refused(own: Dataset, tmp_path: Path, lay: Any) -> None:
    (tmp_path / "private").mkdir()
    secret = tmp_path / "private" / "part-0.parquet"
    parquet.write_table(pa.table({"uid": [42]}), secret)
    lay(own.path, secret)
    with pytest.raises(InputError, match="link"):
        airmile.open(own.path)


@pytest.mark.parametrize(
    "name", ["../secret.parquet", "/secret.parquet", "flows/../../secret.parquet", "flows/part-9"]
)
def test_a_part_is_never_opened_by_its_name_in_the_manifest(own: Dataset, name: str) -> None:
    parquet.write_table(pa.table({"uid": [42]}), own.path.parent / "secret.parquet")
    listed = {**_parts.digests(own.path), name: {"size_bytes": 1, "xxh3_128": "0" * 32}}
    _manifest.put(own.path, {**own.manifest, "parts": listed})
    with pytest.raises(InputError, match="is missing"):
        airmile.open(own.path)


def test_a_file_that_was_laid_in_is_refused(own: Dataset) -> None:
    _manifest.write(own.path, own.manifest)
    parquet.write_table(pa.table({"uid": [42]}), own.path / "flows" / "part-1.parquet")
    with pytest.raises(InputError, match="not in its manifest"):
        airmile.open(own.path)


def test_a_table_of_a_newer_airmile_is_left_alone(own: Dataset) -> None:
    add(own.path, "novelties", uid=[1])
    size, digest = _engine.digest_file(str(own.path / "novelties" / "part-0.parquet"))
    listed = {"novelties/part-0.parquet": {"size_bytes": size, "xxh3_128": digest}}
    parts = {**_parts.digests(own.path), **listed}
    _manifest.put(own.path, {**own.manifest, "parts": parts})
    assert Dataset(own.path).sql("SELECT uid FROM flows")["uid"].to_pylist() == [7]
    part = own.path / "novelties" / "part-0.parquet"
    part.rename(own.path.parent / "elsewhere.parquet")
    with pytest.raises(InputError, match="is missing"):
        Dataset(own.path)
    part.symlink_to(own.path.parent / "elsewhere.parquet")
    with pytest.raises(InputError, match="link"):
        Dataset(own.path)


@pytest.mark.parametrize(
    ("verb", "sealed"),
    [
        *((["query", "{}", "FROM flows"], sealed) for sealed in (False, True)),
        *((["flows", "{}"], sealed) for sealed in (False, True)),
        (["verify", "{}"], True),
    ],
)
def test_a_folder_whose_name_is_not_utf_8_is_refused_in_one_sentence(
    tmp_path: Path, verb: list[str], sealed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = write(tmp_path / "x.airmile", {"flows": [flow(7)]})
    if sealed:
        _manifest.write(dataset, _manifest.read(dataset))
    dataset = dataset.rename(tmp_path / "\udcff.airmile")
    assert cli_run([word.format(dataset) for word in verb]) in (1, 3)
    said = capsys.readouterr()
    assert "the name is not UTF-8" in said.out + said.err
