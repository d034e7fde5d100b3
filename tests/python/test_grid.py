"""Tables on a terminal: nothing that does not fit goes without a word."""

from __future__ import annotations

import pyarrow as pa

from airmile.render import grid

WIDE = pa.table({f"column_{n}": [n, None, n * 2] for n in range(40)})


def drawn(table: pa.Table, width: int | None) -> list[str]:
    return list(grid.lines(table, width))


def test_a_pipe_gets_whole_lines() -> None:
    assert len(drawn(WIDE, None)) == 5
    assert "column_39" in drawn(WIDE, None)[0]


def test_few_rows_are_turned_upright() -> None:
    lines = drawn(WIDE, 80)
    assert lines[0].split() == ["column", "row", "1", "row", "2", "row", "3"]
    assert lines[2].split() == ["column_0", "0", "-", "0"]
    assert len(lines) == 42
    assert max(map(len, lines)) <= 80


def test_what_is_unknown_in_every_row_is_counted_and_left_out() -> None:
    table = pa.table({**{f"c{n}": [n] for n in range(60)}, "nothing": pa.nulls(1, pa.int64())})
    lines = drawn(table, 80)
    assert not any(line.startswith("nothing") for line in lines)
    assert lines[-1] == "... and 1 columns that are unknown (null) in every row"


def test_of_many_rows_the_first_columns_are_shown_and_the_others_counted() -> None:
    table = pa.concat_tables([WIDE] * 4)
    lines = drawn(table, 80)
    shown = len(lines[0].split())
    assert f"{40 - shown} more columns" in lines[-1]
    assert max(map(len, lines[:-1])) <= 80


def test_a_last_column_of_text_is_wrapped() -> None:
    table = pa.table({"name": ["a", "b"], "doc": ["word " * 40, "short"]})
    lines = drawn(table, 60)
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines).split()).count("word") == 40
    assert lines[-1] == "b     short"
