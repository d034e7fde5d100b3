"""The tables of a dataset by themselves, below the answers, and the dataset that stands above."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import airmile
from airmile import store
from airmile.dataset import Dataset
from airmile.store import Tables
from tests.support.handmade import flow, transfer, write


@pytest.fixture
def place(tmp_path: Path) -> Path:
    content = {"flows": [flow(1), flow(2)], "transfers": [transfer(1, 1, 0, 4)]}
    return write(tmp_path / "hand.airmile", content)


def test_tables_know_no_answers(place: Path) -> None:
    tables = Tables(place)
    for answer in ("verdict", "radio", "packets", "packets_of"):
        assert not hasattr(tables, answer) and hasattr(Dataset, answer)
    with pytest.raises(airmile.UsageError, match="summary does not exist"):
        tables.sql("FROM summary")


def test_a_dataset_is_its_tables(place: Path) -> None:
    dataset = airmile.open(place)
    assert isinstance(dataset, Tables)
    assert dataset.flows == Tables(place).flows
    assert dataset.sql("FROM summary").num_rows == 1


def test_what_is_chosen_of_tables_is_of_the_same_kind(place: Path) -> None:
    for kind in (Tables, Dataset):
        opened = kind(place)
        assert type(opened.where("uid = 1")) is kind
        assert type(opened.of_small_calls) is kind
        assert type(pickle.loads(pickle.dumps(opened))) is kind
    assert Tables(place).where("uid = 1").rows("flows") == 2
    assert Tables(place).where("uid = 1").flows.num_rows == 1


def test_the_view_of_small_calls_keeps_no_answer_about_the_larger(place: Path) -> None:
    dataset = airmile.open(place)
    verdict = dataset.verdict
    view = dataset.of_small_calls
    assert view.whole is dataset and dataset.whole is None
    assert view.verdict is not verdict and view.flows == dataset.flows
    again = pickle.loads(pickle.dumps(view))
    assert again.whole is not None and again.whole.path == place


def test_what_is_computed_once_is_computed_again_for_a_selection(place: Path) -> None:
    asked: list[Tables] = []

    def flows(tables: Tables) -> int:
        asked.append(tables)
        return int(tables.flows.num_rows)

    tables = Tables(place)
    assert [tables.once(flows), tables.once(flows)] == [2, 2] and asked == [tables]
    chosen = tables.where("uid = 1")
    assert chosen.once(flows) == 1 and asked == [tables, chosen]


def test_a_failed_computation_is_tried_again(place: Path) -> None:
    tables, tries = Tables(place), iter((ValueError("no"), None))

    def fail_once(_: Tables) -> str:
        if error := next(tries):
            raise error
        return "done"

    with pytest.raises(ValueError, match="no"):
        tables.once(fail_once)
    assert tables.once(fail_once) == "done"


def test_the_package_has_tables_and_no_other_name() -> None:
    assert store.Tables is Tables
    with pytest.raises(AttributeError, match="Table"):
        _ = store.Table


def test_an_absent_table_is_refused_with_the_way_to_it(place: Path) -> None:
    for name, hint in {
        "slots": "--samples",
        "findings": "airmile table",
        "nothing": "it has flows, ",
    }.items():
        with pytest.raises(airmile.UsageError) as refused:
            Tables(place).table(name)
        assert hint in (refused.value.hint or "")


def test_what_a_query_would_lack_is_said_with_the_way_to_it(place: Path) -> None:
    tables = Tables(place)
    assert tables.missing("flows", "uid", "server_port") is None
    said, hint = tables.missing("ttis", "rnti") or ("", "")
    assert said == f"{place}: no table 'ttis'" and "--modem LOG" in hint
    said, hint = tables.missing("flows", "uid", "of_tomorrow", "gone") or ("", "")
    assert said == f"{place}: the table 'flows' has no column of_tomorrow, gone"
    assert "analyse the capture again" in hint
