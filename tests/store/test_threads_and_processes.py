"""One dataset in several threads, and in other processes."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import airmile
from airmile.dataset import Dataset
from tests.support.handmade import flow, slice_, transfer, write

THREADS = 8
TURNS = 12


def rows(flows: int) -> dict[str, Any]:
    return {
        "flows": [flow(uid, server_port=uid % 3) for uid in range(flows)],
        "transfers": [transfer(uid, uid, 0, 1) for uid in range(flows)],
        "slices": [slice_(uid, uid, 0, 1, "idle") for uid in range(flows)],
    }


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write(tmp_path / "own.airmile", rows(20))


QUESTIONS: tuple[Callable[[Dataset], Any], ...] = (
    lambda d: d.sql("SELECT server_port, count(*) AS n FROM flows GROUP BY ALL ORDER BY ALL"),
    lambda d: d.sql("SELECT sum(bytes) AS b, INTERVAL 1 DAY AS i FROM transfers"),
    lambda d: d.flows.num_rows,
    lambda d: d.table("slices").column("cause").to_pylist(),
    lambda d: d.verdict.to_dict(),
    lambda d: d.sql("SELECT flows, limited_by FROM summary"),
    lambda d: d.columns("transfers"),
    lambda d: d.where("server_port = 1").flows.num_rows,
)


@pytest.mark.parametrize("where", [None, "server_port < 2"])
def test_eight_threads_get_the_answers_of_one(place: Path, where: str | None) -> None:
    alone = [ask(Dataset(place, where=where, threads=1)) for ask in QUESTIONS]
    shared = Dataset(place, where=where, threads=1)
    begin = Barrier(THREADS)

    def answers(number: int) -> list[tuple[int, Any]]:
        # All threads begin at once, each with another question, so that they open it together.
        begin.wait()
        turns = [(number + turn) % len(QUESTIONS) for turn in range(TURNS)]
        return [(each, QUESTIONS[each](shared)) for each in turns]

    with ThreadPoolExecutor(THREADS) as pool:
        for found in pool.map(answers, range(THREADS)):
            for which, answer in found:
                assert answer == alone[which], which


def test_an_error_in_one_thread_is_its_own(place: Path) -> None:
    shared = Dataset(place, threads=1)

    def answer(number: int) -> Any:
        if number % 2:
            return shared.sql("SELECT count(*) AS n FROM flows").to_pylist()[0]["n"]
        with pytest.raises(airmile.UsageError):
            shared.sql("SELECT error('mine') FROM flows")
        return None

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(answer, range(16))) == [None, 20] * 8


def test_a_dataset_that_nobody_uses_is_freed_with_its_databases(place: Path) -> None:
    there = Dataset(place, where="server_port = 1", threads=1)
    databases = [there._queries._of_queries, there._queries._of_verdict]
    there.sql("SELECT count(*) AS n FROM flows")
    assert there.rows("flows") == 20 and there.flows.num_rows
    known = [weakref.ref(each) for each in (there, *databases)]
    gc.disable()
    try:
        del there, databases
        assert [each() for each in known] == [None] * len(known)
    finally:
        gc.enable()


def test_a_dataset_whose_views_failed_once_fails_again(place: Path) -> None:
    there = Dataset(place)
    (place / "flows" / "part-0.parquet").write_bytes(b"no Parquet")
    for _ in range(2):
        with pytest.raises(airmile.InputError):
            there.sql("SELECT 1 AS a FROM flows")


LOADED_BY_A_THREAD = """
import threading

def run(work, threads):
    begin = threading.Barrier(threads)
    begun = [threading.Thread(target=lambda: (begin.wait(), work())) for _ in range(threads)]
    for each in begun: each.start()
    for each in begun: each.join()

def work():
    from airmile import _engine
    _engine.schema()

run(work, 1)
for _ in range(20): run(work, 6)
print("done")
"""


def test_the_thread_that_loads_the_engine_may_end() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED_BY_A_THREAD], capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"done\n"), done.stderr


@pytest.fixture(params=["spawn", "fork"])
def pool(request: pytest.FixtureRequest) -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, get_context(request.param)) as made:
        yield made


def ports(dataset: Dataset) -> list[Any]:
    found = dataset.sql("SELECT DISTINCT server_port AS p FROM flows ORDER BY p")
    return list(found["p"].to_pylist())


def test_a_pool_of_processes_answers(
    place: Path, pool: ProcessPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.parent)
    there = Dataset(place.name)
    assert ports(there) == [0, 1, 2]
    monkeypatch.chdir("/")
    assert pool.submit(ports, there).result() == [0, 1, 2]
    assert pool.submit(ports, Dataset(place, where="server_port = 1")).result() == [1]


def test_an_error_keeps_its_hint_on_its_way_from_a_pool(
    place: Path, pool: ProcessPoolExecutor
) -> None:
    gone = pool.submit(airmile.open, place.with_name("gone.airmile"))
    with pytest.raises(airmile.InputError) as caught:
        gone.result()
    assert caught.value.hint


def test_what_is_pickled_is_the_path_and_the_choice(place: Path) -> None:
    chosen = Dataset(place, where="server_port = 1", threads=2)
    for again in (pickle.loads(pickle.dumps(chosen)), copy.copy(chosen), copy.deepcopy(chosen)):
        assert again.where_condition == "server_port = 1" and again.path == place
        assert again.flows == chosen.flows and again._threads == 2
    assert len(pickle.dumps(chosen)) < 1000


def test_a_verdict_can_be_pickled(place: Path) -> None:
    verdict = Dataset(place).verdict
    assert pickle.loads(pickle.dumps(verdict)).to_dict() == verdict.to_dict()


def test_a_dataset_that_was_replaced_is_not_taken_for_the_pickled_one(place: Path) -> None:
    sent = pickle.dumps(Dataset(place))
    manifest = json.loads((place / "manifest.json").read_text())
    (place / "manifest.json").write_text(json.dumps({**manifest, "tool": "another"}))
    with pytest.raises(airmile.InputError, match="it has changed since") as caught:
        pickle.loads(sent)
    assert caught.value.hint == f"open it again: airmile.open({str(place)!r})"
    place.rename(place.with_name("moved"))
    with pytest.raises(airmile.InputError):
        pickle.loads(sent)
