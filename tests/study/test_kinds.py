"""Each exhibit over each kind of data: drawn, or refused with its reason."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.study import kinds
from tests.support.share import sample


def test_what_each_kind_of_data_gives_is_as_a_reader_judged_it(tmp_path: Path) -> None:
    """If this changes on purpose: read the difference as somebody who knows the papers."""
    chosen = sample(kinds.NAMES, few=16, what="exhibits over each kind of data")
    found = kinds.table(kinds.made(tmp_path), chosen).splitlines()
    head, *lines = kinds.GOLDEN.read_text(encoding="utf-8").splitlines()
    assert found == [head, *(line for line in lines if line.split(",", 1)[0] in chosen)]


def test_the_table_has_every_exhibit_and_every_refusal_its_reason() -> None:
    with kinds.GOLDEN.open(encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    assert head == ["exhibit", *kinds.KINDS]
    assert [row[0] for row in rows] == kinds.NAMES
    assert all(len(row) == len(head) and all(row) for row in rows)
