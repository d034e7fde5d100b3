"""Tables on a terminal: the output mentions whatever does not fit."""

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


def test_of_many_wide_rows_each_is_a_block_of_lines() -> None:
    lines = drawn(pa.concat_tables([WIDE] * 4), 80)
    assert lines.count("") == 11, "a block for each of the 12 rows"
    assert lines[0].split() == ["column_0", "0"]
    assert max(map(len, lines)) <= 80


def test_unread_blocks_are_counted() -> None:
    lines = drawn(pa.concat_tables([WIDE] * 20), 80)
    assert len(lines) < grid.BLOCK_LINES + 100
    shown = lines.count("") + 1
    assert f"... {60 - shown} more rows: " in " ".join(lines[-2:])
    assert max(map(len, lines)) <= 80


def test_several_columns_of_text_share_the_width() -> None:
    table = pa.table({"n": [1], "doc": ["word " * 30], "source": ["note " * 20], "unit": ["ms"]})
    lines = drawn(table, 80)
    assert max(map(len, lines)) <= 80
    assert " ".join(lines).count("word") == 30 and " ".join(lines).count("note") == 20


def test_a_long_value_without_spaces_is_broken_and_whole() -> None:
    lines = drawn(pa.table({"name": ["a"], "hash": ["0123456789" * 12]}), 40)
    assert max(map(len, lines)) <= 40
    assert "".join(line.split()[-1] for line in lines[2:]) == "0123456789" * 12


def test_a_value_cannot_steer_the_terminal() -> None:
    for width in (None, 40):
        lines = drawn(pa.table({"server_name": ["a\x1b[2J\nb"]}), width)
        assert lines[2:] == [r"a\x1b[2J\nb"]


def test_a_last_column_of_text_is_wrapped() -> None:
    table = pa.table({"name": ["a", "b"], "doc": ["word " * 40, "short"]})
    lines = drawn(table, 60)
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines).split()).count("word") == 40
    assert lines[-1] == "b     short"
